"""Entities against seqeval: the default mode and the strict mode of each scheme, on all short sequences and on random ones."""
import itertools
import json
import sys

import numpy as np

import statepath_test as st

try:
    import warnings

    import seqeval.scheme
    from seqeval.metrics.sequence_labeling import get_entities
    from seqeval.scheme import Tokens
except ImportError:
    print("skipped: needs seqeval (pip install seqeval)")
    sys.exit(77)
warnings.filterwarnings("ignore")


class TestSeqeval(st.TestCase):
    def ours(self, scheme, letters, reference, path):
        tags = ["O"] + [c + "-" + k for k in "xy" for c in letters]
        number = {tag: k for k, tag in enumerate(tags)}
        self.write("m.json", json.dumps({"statepath_model": 1, "name": "m", "classes": tags, "forbid": {}}))
        self.h5("p.h5", paths__p=[number[t] for s in path for t in s], labels=[number[t] for s in reference for t in s],
                offsets=np.cumsum([0] + [len(s) for s in path]), classes=tags)
        done = self.statepath("evaluate", "p.h5", "-m", "m.json", "--scheme", scheme, "--json", "-", "-q")
        return json.loads(done.stdout)["strategies"]["p"]["entities"]

    def check(self, scheme, letters, reference, path, renamed=lambda t: t):
        sets = {}
        for mode in ("default", "strict"):
            for name, side in (("reference", reference), ("path", path)):
                found = set()
                for n, s in enumerate(side):
                    s = [renamed(t) for t in s]
                    read = [e.to_tuple() for e in Tokens(s, getattr(seqeval.scheme, theirs(scheme)), sent_id=n).entities] \
                        if mode == "strict" else [(n, *e) for e in get_entities(s)]
                    found |= set(read)
                sets[mode, name] = found
        got = self.ours(scheme, letters, reference, path)
        for mode, e in (("default", got), ("strict", got["strict"])):
            a, b = sets[mode, "reference"], sets[mode, "path"]
            self.assertEqual((e["reference"], e["decoded"], e["correct"]), (len(a), len(b), len(a & b)), (scheme, mode))
            self.assertEqual(e["f1"], 2 * len(a & b) / (len(a) + len(b)))

    def test_all(self):
        rng = np.random.default_rng(3)
        for scheme, letters in (("IOB1", "BI"), ("IOB2", "BI"), ("IOE1", "IE"), ("IOE2", "IE"), ("BIOES", "BIES"), ("BMES", "BMES"),
                                ("BILOU", "BILU")):
            tags = ["O"] + [c + "-" + k for k in "xy" for c in letters]
            # seqeval's default mode does not know the letters of BMES and BILOU: renamed to those of BIOES
            rename = str.maketrans({"BMES": {"M": "I"}, "BILOU": {"L": "E", "U": "S"}}.get(scheme, {}))

            def renamed(tag, rename=rename):
                return tag[:1].translate(rename) + tag[1:]

            short = [s for T in (1, 2, 3) for s in itertools.product(tags, repeat=T)]
            self.check(scheme, letters, short, [s if rng.random() < .5 else tuple(rng.choice(tags, len(s))) for s in short], renamed)
            long = [list(rng.choice(tags, n)) for n in rng.integers(1, 30, 200)]
            self.check(scheme, letters, long, [[t if rng.random() < .8 else str(rng.choice(tags)) for t in s] for s in long], renamed)


def theirs(scheme):
    return {"BIOES": "IOBES", "BMES": "IOBES", "BILOU": "IOBES"}.get(scheme, scheme)


if __name__ == "__main__":
    st.main()

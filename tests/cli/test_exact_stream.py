"""stream --exact: Viterbi's path, each step as soon as it is certain."""
import json
import re

import h5py
import numpy as np

import statepath_test as st


class TestExactStream(st.TestCase):
    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(3)
        self.model("m.json", forbid={"a": ["c"]})
        self.lengths = [400, 1, 90]
        self.probs = [rng.dirichlet([.8] * 3, n).round(4) + 1e-4 for n in self.lengths]
        self.probs = [p / p.sum(1, keepdims=True) for p in self.probs]

    def lines(self):
        return "\n".join("".join(" ".join("%.17g" % x for x in row) + "\n" for row in p) for p in self.probs)

    def decode(self, *words, model="m.json"):
        with h5py.File(self.path("x.h5"), "w") as f:
            f["probs"], f["offsets"] = np.concatenate(self.probs), np.cumsum([0, *self.lengths])
            f.attrs["classes"] = ["a", "b", "c"]
        self.statepath("decode", "x.h5", "-m", model, "-o", "p.h5", "-f", "-q", *words)
        (path,) = (x for name, x in self.arrays("p.h5").items() if name.startswith("paths/"))
        return "\n".join("".join("abc"[k] + "\n" for k in path[a:b]) for a, b in zip(np.cumsum([0, *self.lengths]), np.cumsum(self.lengths)))

    def test_is_the_whole_decode(self):
        self.write("rules.json", json.dumps(dict(json.loads(self.read("m.json")), rules=["never b a b"], min_dwell={"c": 3})))
        for model in ("m.json", "rules.json"):
            done = self.statepath("stream", "-m", model, "--exact", "--kind", "probs", stdin=self.lines(), stdout=self.decode(model=model))
            said = re.fullmatch(r"statepath: a step was decided after (\d+) more steps \(median\), 95 % of them after (\d+) at most, all after (\d+); "
                                r"0 of 491 were decided at the greatest lag\n", done.stderr)
            median, usual, most = map(int, said.groups())
            self.assertTrue(median <= usual <= most < 100, said)

    def test_with_a_greatest_lag_it_is_that_of_the_lag(self):
        for lag in ("0", "2", "100"):
            fixed = self.statepath("stream", "-m", "m.json", "-L", lag, "--kind", "probs", stdin=self.lines()).stdout
            self.assertEqual(fixed, self.decode("-s", "online:" + lag))
            done = self.statepath("stream", "-m", "m.json", "--exact", "-L", lag, "--kind", "probs", stdin=self.lines(), stdout=fixed)
            forced = int(re.search(r"; (\d+) of 491 were decided at the greatest lag\n", done.stderr).group(1))
            self.assertTrue(forced > 20 if lag == "0" else forced < 491, done.stderr)

    def test_quiet_and_refusals(self):
        self.statepath("stream", "-m", "m.json", "--exact", "-q", "--kind", "probs", stdin=self.lines(), stderr="")
        self.refuses("stream", "-m", "m.json", status=2, sentence="stream: --lag L is missing: a number of steps, 0 decides at once; or --exact")


st.main()

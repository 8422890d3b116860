"""Sleep-EDF as it is published: hypnograms longer than the scores, with a tail of "?"; and the field's words for a step that nobody scored.

SC4001EC-Hypnogram.edf lies in the folder of real data. Where it is not there, a file of its annotations is made, run for run the same kind.
"""
import json
import os

import numpy as np

import statepath_test as st
from annotations import edf

REAL = os.path.join(st.SHARED, "formats", "edf", "SC4001EC-Hypnogram.edf")
STAGES = ["Wake", "N1", "N2", "N3", "REM"]
WORDS = ["?", "unscored", "MT", "Movement time", "Sleep stage ?", "UNS", "art", "unknown"]


def strategies(text):
    """Of a result in JSON, without what says how many steps were cut."""
    found = json.loads(text)["strategies"]
    for strategy in found.values():
        for recording in strategy["per_recording"]:
            recording.pop("cut_path_steps", None)
            recording.pop("cut_label_steps", None)
    return found


class TestSleepEdf(st.TestCase):
    """2,880 epochs in the hypnogram, of which the last 230 are "?"; 2,650 in the scores."""

    def setUp(self):
        super().setUp()
        if os.path.exists(REAL):
            os.symlink(REAL, self.path("h.edf"))
        else:
            with open(self.path("h.edf"), "wb") as out:
                out.write(edf([(30630, "Sleep stage W"), (120, "Sleep stage 1"), (48000, "Sleep stage 2"), (750, "Sleep stage W"), (6900, "Sleep stage ?")]))
        self.probs = np.random.default_rng(4).dirichlet(np.ones(5), 2650)
        np.save(self.path("h.npy"), self.probs)

    def test_each_command_names_the_option_and_takes_it(self):
        sentence = ("h.npy and h.edf do not match; steps differ: number 0 (2650 and 2880); the last 230 labels are unscored; see that both begin at the "
                    "same step, then --trim-to-shortest leaves out the last ones of the longer")
        said = "note: the last steps are left out where a recording has more in one file: 0 of h.npy, 230 of h.edf; nothing says that both begin"
        for arguments in (["compare", "h.npy", "--labels", "h.edf", "-m", "sleep-aasm", "--json", "r.json"],
                          ["fit", "h.npy", "--labels", "h.edf", "-r", "sleep-aasm", "-o", "m.json"],
                          ["convert", "h.npy", "--labels", "h.edf", "-m", "sleep-aasm", "-o", "c.h5"]):
            self.assertIn(sentence, self.statepath(*arguments, status=1).stderr, arguments[0])
            self.assertIn(said, self.statepath(*arguments, "--trim-to-shortest").stderr, arguments[0])
        with st.h5py.File(self.path("c.h5")) as f:
            np.testing.assert_array_equal(f["probs"], self.probs)
            labels = f["labels"][:]
        with open(self.path("r.json")) as f:
            report = json.load(f)
        argmax = report["strategies"]["argmax"]
        self.assertEqual(argmax["accuracy"], np.mean(self.probs.argmax(1)[labels >= 0] == labels[labels >= 0]))
        self.assertEqual(report["trim_to_shortest"], {"recordings": 1, "path_steps": 0, "label_steps": 230})
        one = self.statepath("compare", "c.h5", "-m", "sleep-aasm", "--json", "-", "-q").stdout
        with open(self.path("r.json")) as f:
            self.assertEqual(strategies(one), strategies(f.read()))

    def test_either_may_be_the_longer(self):
        """Three nights in a file, matched by name: scores longer, labels longer, the same."""
        rng = np.random.default_rng(5)
        steps, labelled = [40, 50, 30], [50, 44, 30]
        probs = [rng.dirichlet(np.ones(5), n) for n in steps]
        labels = [rng.integers(0, 5, n) for n in labelled]
        self.h5("s.h5", probs=np.concatenate(probs), offsets=np.cumsum([0, *steps]), ids=["a", "b", "c"], classes=STAGES)
        self.write("l.csv", "recording,label\n" + "".join("%s,%s\n" % ("cab"[i], STAGES[k]) for i, n in ((0, 2), (1, 0), (2, 1)) for k in labels[n]))
        both = [min(pair) for pair in zip(steps, labelled)]
        self.h5("t.h5", probs=np.concatenate([p[:n] for p, n in zip(probs, both)]), labels=np.concatenate([k[:n] for k, n in zip(labels, both)]),
                offsets=np.cumsum([0, *both]), ids=["a", "b", "c"], classes=STAGES)
        arguments = ["-m", "sleep-aasm", "--json", "-", "-q", "-f"]
        cut = ["s.h5", "--labels", "l.csv", "--trim-to-shortest"]
        for more in ([], ["--cv", "3"], ["--strategies", "viterbi", "-o", "p.h5"]):
            got, wanted = (self.statepath("compare", *files, *arguments, *more).stdout for files in (cut, ["t.h5"]))
            self.assertEqual(strategies(got), strategies(wanted))
        self.assertEqual(json.loads(got)["trim_to_shortest"], {"recordings": 2, "path_steps": 6, "label_steps": 10})
        with st.h5py.File(self.path("p.h5")) as f:
            self.assertEqual(f["offsets"][:].tolist(), [0, 40, 84, 114])
        got = strategies(self.statepath("compare", *cut, *arguments, "--against", "old=s.h5").stdout)
        self.assertEqual(got["old.viterbi"]["confusion"], strategies(self.statepath("compare", "t.h5", *arguments).stdout)["viterbi"]["confusion"])
        self.h5("u.h5", probs=np.concatenate([p[:30] for p in probs]), offsets=[0, 30, 60, 90], ids=["a", "b", "c"], classes=STAGES)
        self.refuses("compare", *cut, *arguments, "--against", "old=u.h5", sentence="old (u.h5): recording 0 has 30 steps, fewer than the 40 that s.h5 and its "
                     "labels have; name it first")
        self.assertEqual(self.statepath("fit", *cut, "-o", "a.json", "--name", "x", "-q").stdout, self.statepath("fit", "t.h5", "-o", "b.json", "--name", "x", "-q").stdout)

    def test_wrong_use(self):
        np.savez(self.path("x.npz"), probs=self.probs, labels=np.zeros(2650, int))
        for arguments in (["compare", "x.npz", "-m", "sleep-aasm"], ["fit", "x.npz", "-o", "m.json"], ["convert", "x.npz", "-o", "c.h5"]):
            self.refuses(*arguments, "--trim-to-shortest", status=2, sentence="--trim-to-shortest needs --labels FILE: labels beside scores or paths are as long as these")


class TestWords(st.TestCase):
    """Words for a step that nobody scored are known in labels of any file where the model is of sleep, and nowhere else."""

    def setUp(self):
        super().setUp()
        self.labels = ["W", "N1", *WORDS, "N2", "REM"]
        self.numbers = np.array([0, 1, *[-1] * len(WORDS), 2, 4])
        self.probs = np.random.default_rng(6).dirichlet(np.ones(5), len(self.labels))
        np.save(self.path("x.npy"), self.probs)
        self.accuracy = np.mean(self.probs.argmax(1)[self.numbers >= 0] == self.numbers[self.numbers >= 0])

    def judged(self, *arguments):
        report = json.loads(self.statepath("compare", *arguments, "--json", "-", "-q").stdout)
        self.assertEqual((report["input"]["steps"], report["input"]["scored_steps"]), (len(self.labels), 4))
        self.assertEqual(report["strategies"]["argmax"]["accuracy"], self.accuracy)

    def test_in_any_file(self):
        words = np.array(self.labels)
        self.write("l.txt", "".join(word + "\n" for word in self.labels))
        self.write("l.csv", "step,label\n" + "".join('%d,"%s"\n' % (t, word) for t, word in enumerate(self.labels)))
        np.save(self.path("l.npy"), words)
        np.savez(self.path("l.npz"), labels=words)
        self.h5("l.h5", labels=words.astype(object))
        for file in ("l.txt", "l.csv", "l.npy", "l.npz", "l.h5"):
            self.judged("x.npy", "--labels", file, "-m", "sleep-aasm")
            self.judged("x.npy", "--labels", file, "-m", "sleep-aasm", "--map", "N9=N2")
        np.savez(self.path("s.npz"), probs=self.probs, labels=words)
        self.h5("s.h5", probs=self.probs, labels=words.astype(object), classes=["W", "N1", "N2", "N3", "R"])
        self.write("s.csv", "W,N1,N2,N3,R,label\n" + "".join(",".join(map(repr, row.tolist())) + "," + word + "\n" for row, word in zip(self.probs, self.labels)))
        for file in ("s.npz", "s.h5", "s.csv"):
            self.judged(file, "-m", "sleep-aasm")
        for file in ("s.h5", "s.csv"):
            if file == "s.csv":
                self.write(file, self.read(file).decode().replace("REM\n", "R\n"))
            self.assertIn("unscored 8\n", self.statepath("inspect", file, *(["-m", "sleep-aasm"] if file == "s.h5" else [])).stdout)
        self.statepath("evaluate", "l.txt", "--labels", "l.csv", "-m", "sleep-aasm")
        self.statepath("fit", "l.txt", "-r", "sleep-aasm", "-o", "m.json")

    def test_nowhere_else(self):
        self.statepath("model", "new", "band", "--classes", "a,b,c,d,e", "-o", "m.json", "-q")
        self.write("l.txt", "a\n?\nb\n")
        np.save(self.path("l.npy"), np.array(["a", "?", "b"]))
        np.save(self.path("x.npy"), self.probs[:3])
        for file in ("l.txt", "l.npy"):
            self.assertIn('label "?" is no class', self.statepath("compare", "x.npy", "--labels", file, "-m", "m.json", status=1).stderr)
        self.write("l.txt", "W\nsnoring\nN1\n")
        self.assertIn('label "snoring" is no class', self.statepath("compare", "x.npy", "--labels", "l.txt", "-m", "sleep-aasm", status=1).stderr)


st.main()

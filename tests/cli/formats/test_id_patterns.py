"""Recordings whose names differ on both sides: the sentence proposes patterns by which they match."""
import os
import re
import shutil

import numpy as np

import statepath_test as st

HYPNOGRAMS = ["SC4001EC-Hypnogram", "SC4002EC-Hypnogram", "SC4011EH-Hypnogram"]
# ids of the scores, of the labels, what is said of both
CASES = [
    (["SC4001E0_PRED", "SC4002E0_PRED", "SC4011E0_PRED"], HYPNOGRAMS,
     "3 recordings match where s is named 's/{id}E0_PRED.npy' and l is named 'l/{id}E*-Hypnogram.txt'"),
    (["night1_scores", "night2_scores", "night10_scores"], ["hyp_1", "hyp_2", "hyp_10"],
     "3 recordings match where s is named 's/night{id}_scores.npy' and l is named 'l/hyp_{id}.txt'"),
    (["s1", "s2"], ["x_s1_ab", "y_s2_c"], "2 recordings match where l is named 'l/*_{id}_*.txt'"),
    (["SC4001E0"], ["SC4001EC"],
     "1 recording matches where s is named 's/{id}0.npy' and l is named 'l/{id}C.txt'"),
    (["n1", "N2"], ["n1", "n2"], "2 recordings match but for case (N2 and n2): write both alike"),
    (["n1", "n10"], ["n01", "n10"],
     "2 recordings match but for leading zeros (n1 and n01): write both alike"),
    (["n1", "n2"], ["N01", "N02"],
     "2 recordings match but for case and leading zeros (n1 and N01): write both alike"),
    # nothing shared; not one to one, too little of a single one
    (["night0", "night1"], ["zero", "one"], None),
    (["a1", "a2"], ["b1", "c1"], None),
    (["a1"], ["b1"], None),
]


class TestIdPatterns(st.TestCase):
    def setUp(self):
        super().setUp()
        self.model("m.json")

    def make(self, name, ids, ending):
        os.makedirs(self.path(name))
        for id in ids:
            if ending == ".npy":
                np.save(self.path("%s/%s.npy" % (name, id)), np.eye(3)[[0, 1, 2]])
            else:
                self.write("%s/%s.txt" % (name, id), "a\nb\nc\n")

    def test_what_is_said_is_true(self):
        for scores, labels, said in CASES:
            for name in ("s", "l"):
                shutil.rmtree(self.path(name), ignore_errors=True)
            self.make("s", scores, ".npy")
            self.make("l", labels, ".txt")
            stderr = self.statepath("compare", "s", "--labels", "l", "-m", "m.json", status=1).stderr
            said = "; " + said if said else ""
            self.assertIn("statepath: s and l do not match%s; only in s: " % said, stderr)
            names = {"s": "s", "l": "l"} | dict(re.findall("([sl]) is named '([^']*)'", said))
            if names["l"] != "l":
                self.statepath("compare", names["s"], "--labels", names["l"], "-m", "m.json")

    def test_ids_in_files(self):
        """Where no name of a file says it the ids are to be written alike."""
        three = dict(probs=np.eye(3)[[0, 1, 2] * 2], offsets=[0, 3, 6], classes=["a", "b", "c"])
        self.make("l", ["x_s1", "x_s2"], ".txt")
        self.h5("s.h5", ids=["s1", "s2"], **three)
        stderr = self.statepath("compare", "s.h5", "--labels", "l", "-m", "m.json", status=1).stderr
        self.assertIn("; 2 recordings match where l is named 'l/x_{id}.txt'; only in s.h5: ", stderr)
        self.statepath("compare", "s.h5", "--labels", "l/x_{id}.txt", "-m", "m.json")
        self.h5("p.h5", ids=["s1_pred", "s2_pred"], **three)
        stderr = self.statepath("compare", "p.h5", "--labels", "l", "-m", "m.json", status=1).stderr
        self.assertIn("; 2 recordings match by {id} of '{id}_pred' and 'x_{id}': write both alike; ", stderr)
        stderr = self.statepath("compare", "p.h5", "--against", "o=s.h5", "-m", "m.json", status=1).stderr
        self.assertIn("; 2 recordings match by {id} of", stderr)

    def test_datasets(self):
        """Of one file the datasets of the recordings; these take no *."""
        for i in (1, 2):
            three = {"recordings__n%d_PRED__probs" % i: np.eye(3)} | (three if i > 1 else {})
        self.h5("g.h5", **three, classes=["a", "b", "c"])
        self.h5("l.h5", **{"hyp__n%d-H" % i: [0, 1, 2] for i in (1, 2)})
        start = "; 2 recordings match where g.h5 is read by --scores '/recordings/{id}_PRED/probs' and "

        def run(labels, *more, status=0):
            return self.statepath("compare", "g.h5", "--labels", labels, "-m", "m.json", *more, status=status).stderr
        self.assertIn(start + "l.h5 is named --labels 'l.h5:/hyp/{id}-H'; only in g.h5: n1_PRED",
                      run("l.h5:/hyp/{id}", status=1))
        run("l.h5:/hyp/{id}-H", "--scores", "/recordings/{id}_PRED/probs")
        self.make("l", ["x_n1", "x_n2"], ".txt")
        self.assertIn(start + "l is named 'l/x_{id}.txt'; only in g.h5: n1_PRED", run("l", status=1))
        run("l/x_{id}.txt", "--scores", "/recordings/{id}_PRED/probs")

    def test_stars(self):
        """* is what differs beside {id}, which is as much as it can be; without {id} names are as ever."""
        self.make("l", HYPNOGRAMS + ["SC4E01EC-Hypnogram"], ".npy")
        for pattern, ids in (("l/{id}E*-Hypnogram.npy", "SC4E01 SC4001 SC4002 SC4011"),
                             ("*/SC{id}E*.npy", "4E01 4001 4002 4011"),
                             ("l/*EC-*.npy", "SC4E01EC-Hypnogram SC4001EC-Hypnogram SC4002EC-Hypnogram")):
            self.statepath("convert", pattern, "-o", "o.h5", "-f")
            self.assertEqual([id.decode() for id in self.arrays("o.h5")["ids"]], ids.split())
        self.make("*", ["n1"], ".npy")  # a name that is there is itself
        self.statepath("convert", "*", "-o", "o.h5", "-f")
        self.assertEqual(self.arrays("o.h5")["ids"].tolist(), [b"n1"])
        for pattern, sentence in (
                ("l/{id}*.npy", "%s: a letter between {id} and * must say where the recording's name ends"),
                ("l/*{id}.npy", "%s: a letter between {id} and * must say where the recording's name ends"),
                ("l/*q.npy", "%s: there are no files of such a name; {id} stands for the recording, * for"),
                ("l/SC*E{id}-*.npy", ".npy both hold a recording C; where")):
            said = self.statepath("convert", pattern, "-o", "o.h5", "-f", status=1).stderr
            self.assertIn(sentence.replace("%s", pattern), said)


st.main()

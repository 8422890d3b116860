"""What looks wrong about labels: columns by other names, steps that are shifted. It is told of where it is
so, and nowhere else: not on honest data, of which the shared ones are, nor of classes that are just bad."""
import glob
import os

import h5py
import numpy as np

import statepath_test as st

STAGES = st.STAGES
SUSPICIONS = {"labels_may_be_permuted", "labels_may_be_shifted"}


class TestSuspicions(st.TestCase):
    def setUp(self):
        super().setUp()
        with h5py.File(os.path.join(st.SOURCE, "datasets", "sleep-demo.h5")) as f:
            self.scores, self.labels, self.offsets = (f[k][:] for k in ("log_probs", "labels", "offsets"))

    def run_on(self, scores, labels, offsets=None, model="sleep-permissive", **more):
        """argmax's part of the result."""
        offsets = self.offsets if offsets is None else offsets
        self.h5("x.h5", log_probs=scores, labels=labels, offsets=offsets, **more)
        done = self.statepath("compare", "x.h5", "-m", model, "--json", "r.json", "-f")
        self.text = " ".join(done.stdout.split())
        return self.json("r.json")["strategies"]["argmax"]

    def test_two_columns_change_places(self):
        """Of each two stages but N1 and N2: N1 is taken for N2 almost as often as it is found."""
        for i, j in ((0, 2), (0, 3), (0, 4), (2, 3), (2, 4), (3, 4), (0, 1), (1, 3), (1, 4)):
            order = np.arange(5)
            order[[i, j]] = j, i
            found = self.run_on(self.scores[:, order], self.labels, classes=STAGES)["labels_may_be_permuted"]
            self.assertEqual(found["names"], {STAGES[k]: STAGES[order[k]] for k in range(5)})
            a, b = STAGES[i], STAGES[j]
            self.assertIn("would agree far better if %s were called %s, %s %s (" % (a, b, b, a), self.text)

    def test_classes_that_are_just_bad(self):
        """Two classes that the scores cannot tell apart, or mostly call each by one name; a classifier that
        says one thing of all."""
        rng = np.random.default_rng(4)
        for trial in range(30):
            K = int(rng.integers(3, 9))
            says = np.eye(K) * rng.uniform(.4, .9) + .4 * rng.dirichlet([.5] * K, K)
            says[:2] = np.r_[rng.dirichlet([.3, .3]), np.zeros(K - 2)]
            says[:2] = rng.dirichlet([.3] * K) if trial % 2 else says[:2]
            says = np.tile(rng.dirichlet([.5] * K), (K, 1)) if trial % 5 == 4 else says
            labels = np.repeat(rng.integers(0, K, 150), rng.integers(1, 12, 150))
            path = np.array([rng.choice(K, p=says[k] / says[k].sum()) for k in labels])
            scores = np.log(np.eye(K)[path] * .8 + .2 / K)
            self.model("m.json", classes="abcdefgh"[:K])
            found = self.run_on(scores, labels, [0, len(labels)], "m.json", classes=list("abcdefgh"[:K]))
            self.assertNotIn("labels_may_be_permuted", found, (trial, found["confusion"]))

    def test_labels_some_steps_off(self):
        for shift in (-3, -1, 1, 2, 10):
            moved = np.concatenate([np.roll(y, shift) for y in np.split(self.labels, self.offsets[1:-1])])
            found = self.run_on(self.scores, moved, classes=STAGES)["labels_may_be_shifted"]
            self.assertEqual(found["steps"], -shift)
            self.assertGreater(found["accuracy"], found["accuracy_here"] + .04)
            self.assertLess(found["p"], 1e-20)
            steps = "%d epoch%s" % (abs(shift), "" if abs(shift) == 1 else "s")
            late, earlier = ("late", "earlier") if shift > 0 else ("early", "later")
            self.assertIn(
                "The labels may stand %s too %s: so much %s argmax would agree better (accuracy %.4f instead "
                "of %.4f; in %d of %d stretches of 50 epochs that differ). Check that both begin at the same "
                "epoch."
                % (steps, late, earlier, found["accuracy"], found["accuracy_here"], found["better"],
                   found["better"] + found["worse"]), self.text)

    def test_a_note_where_the_table_is_not_seen(self):
        self.h5("x.h5", log_probs=self.scores, labels=np.roll(self.labels, 2), classes=STAGES)
        self.assertRegex(
            self.statepath("compare", "x.h5", "-m", "sleep-permissive", "--json", "-").stderr,
            r"statepath: note: the labels may stand 2 steps too late: accuracy of argmax is 0\.\d{4}, with "
            r"labels 2 steps earlier it would be 0\.\d{4}; check that both begin at the same step\n")

    def test_a_path_that_knows_nothing(self):
        """Long runs on both sides agree by chance, better at some lag than at another."""
        rng = np.random.default_rng(5)
        draw = lambda T: np.repeat(rng.integers(0, 4, T), rng.geometric(.04, T))[:T]
        self.model("m.json", classes="abcd")
        for trial in range(10):
            labels, path = draw(4000), draw(4000)
            scores = np.log(np.eye(4)[path] * .8 + .05)
            found = self.run_on(scores, labels, np.arange(0, 4001, 1000), "m.json", classes=list("abcd"))
            self.assertEqual(SUSPICIONS & set(found), set(), trial)

    def test_honest_data(self):
        shared = glob.glob(os.path.join(st.SHARED, "data", "*.h5"))
        if not shared:
            print("skipped: test_honest_data: no folder of real data")
        for file in [os.path.join(st.SOURCE, "datasets", "sleep-demo.h5"), *shared]:
            model = file.replace(".h5", ".model.json")
            words = ["-m", model if os.path.exists(model) else "sleep-permissive"]
            words += ["--json", "r.json", "-f", "-q"]
            words += ["--kind", "scores", "--scores", "/recordings/{id}/probs"] if "tmbed" in file else []
            self.statepath("compare", file, "-s", "argmax,greedy,viterbi,posterior,mea", *words)
            for name, found in self.json("r.json")["strategies"].items():
                self.assertEqual(SUSPICIONS & set(found), set(), (file, name))


st.main()

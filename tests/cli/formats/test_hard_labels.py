"""Decided classes in place of scores: what any classifier put out, decoded by how often it is right."""
import json
import os

import h5py
import numpy as np

import reference
import statepath_test as st

CLASSES = ["a", "b", "c"]
RULES = {"statepath_model": 1, "name": "small", "classes": CLASSES, "allow": {"a": ["a", "b"], "b": ["a", "b", "c"], "c": ["b", "c"]},
         "start": ["a", "b"], "log_weights": [[-.25, -1.5, None], [-2, -.5, -1], [None, -2.5, -.125]]}
CONFUSION = [[9, 2, 1], [3, 7, 2], [1, 4, 11]]
STAGES = ["Wake", "N1", "N2", "N3", "REM"]


def likelihoods(confusion, labels):
    """[T,K] log P(label | class); of unscored steps 0."""
    share = np.log(confusion / np.sum(confusion, axis=1, keepdims=True))
    return np.array([share[:, l] if l >= 0 else np.zeros(len(share)) for l in labels])


class TestHardLabels(st.TestCase):
    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(5)
        self.labels = [rng.integers(-1, 3, n) for n in (6, 1, 5, 7)]
        self.write("labels.csv", "recording,label\n" + "".join(
            "r%d,%s\n" % (n, CLASSES[l] if l >= 0 else "") for n, labels in enumerate(self.labels) for l in labels))
        self.write("rules.json", json.dumps(RULES))
        self.write("m.json", json.dumps(dict(RULES, labeller={"classes": CLASSES, "confusion": CONFUSION})))

    def decoded(self, *arguments):
        self.statepath("decode", *arguments, "-o", "paths.h5", "--force", "--quiet")
        with h5py.File(self.path("paths.h5")) as f:
            return f["paths/viterbi"][:], f["path_scores/viterbi"][:]

    def check(self, paths, scores, confusion):
        at = 0
        for n, labels in enumerate(self.labels):
            best = reference.Paths(reference.Rules(RULES, CLASSES), likelihoods(confusion, labels)).viterbi()
            self.assertEqual(list(paths[at:at + len(labels)]), list(best.path))
            self.assertAlmostEqual(scores[n], best.score, places=9)
            at += len(labels)

    # ---- by enumeration of all paths ----

    def test_the_labeller_of_the_model(self):
        self.check(*self.decoded("labels.csv", "--model", "m.json"), CONFUSION)

    def test_its_classes_in_another_order(self):
        turned = [2, 0, 1]
        self.write("m.json", json.dumps(dict(RULES, labeller={"classes": [CLASSES[k] for k in turned],
                                                             "confusion": np.array(CONFUSION)[np.ix_(turned, turned)].tolist()})))
        self.check(*self.decoded("labels.csv", "--model", "m.json"), CONFUSION)

    def test_columns_in_another_order(self):
        """An HDF5 file that numbers the classes its own way."""
        own = [1, 2, 0]
        number = {k: i for i, k in enumerate(own)}
        flat = np.concatenate(self.labels)
        self.h5("labels.h5", labels=np.array([number[l] if l >= 0 else -1 for l in flat]), classes=[CLASSES[k] for k in own],
                offsets=np.cumsum([0] + [len(l) for l in self.labels]))
        paths, scores = self.decoded("labels.h5", "--model", "m.json")
        self.check(np.array([own[p] for p in paths]), scores, CONFUSION)

    def test_label_confidence(self):
        for p in (.9, .4):
            even = np.full((3, 3), (1 - p) / 2) + np.eye(3) * (p - (1 - p) / 2)
            self.check(*self.decoded("labels.csv", "--model", "rules.json", "--label-confidence", str(p)), even)
        # an option counts before the model
        even = np.full((3, 3), .1) + np.eye(3) * .7
        self.check(*self.decoded("labels.csv", "--model", "m.json", "--label-confidence", "0.8"), even)

    def test_certain_labels_leave_no_choice(self):
        self.write("one.csv", "label\na\na\nc\n")
        self.statepath("decode", "one.csv", "--model", "rules.json", "--label-confidence", "1", "-o", "paths.h5", status=3)
        self.write("two.csv", "label\na\nb\nc\n")
        self.statepath("decode", "two.csv", "--model", "rules.json", "--label-confidence", "1", "-o", "paths.h5", "--force")

    def test_floats_of_no_name_beside_labels(self):
        """They may be the scores (a sentence names the option); where it is said how often labels are right, these are meant."""
        flat = np.concatenate(self.labels)
        self.h5("both.h5", foo=np.full((len(flat), 3), 1 / 3), labels=flat)
        self.h5("alone.h5", labels=flat)
        both, alone = (self.decoded(name, "--model", "rules.json", "--label-confidence", "0.9") for name in ("both.h5", "alone.h5"))
        np.testing.assert_array_equal(both[0], alone[0])

    # ---- files of paths ----

    def test_paths_are_what_was_decided(self):
        """Not the labels that lie beside them."""
        rng = np.random.default_rng(3)
        probs = rng.dirichlet([.5] * 3, size=40)
        self.h5("scores.h5", probs=probs, labels=rng.integers(0, 3, 40), classes=CLASSES)
        self.statepath("decode", "scores.h5", "--model", "rules.json", "-s", "argmax", "-o", "argmax.h5")
        self.labels = [probs.argmax(axis=1)[:8]]
        self.h5("labels.h5", labels=probs.argmax(axis=1), classes=CLASSES)
        got, want = self.decoded("argmax.h5", "--model", "m.json"), self.decoded("labels.h5", "--model", "m.json")
        np.testing.assert_array_equal(got[0], want[0])
        self.statepath("compare", "scores.h5", "--model", "rules.json", "-o", "three.h5")
        self.refuses("decode", "three.h5", "--model", "m.json", "-o", "x.h5", status=2, sentence=(
            "three.h5 holds paths of 3 strategies; --labels /paths/argmax decodes the classes of that one"))

    # ---- learnt ----

    def hypnograms(self, n=12, seed=1):
        rng = np.random.default_rng(seed)
        stay = np.array([[.9, .1, 0, 0, 0], [.1, .6, .3, 0, 0], [0, .05, .8, .1, .05], [0, 0, .1, .9, 0], [.05, 0, .1, 0, .85]])
        truth, said = [], []
        for _ in range(n):
            path = [0]
            while len(path) < rng.integers(150, 250):
                path.append(rng.choice(5, p=stay[path[-1]]))
            truth.append(np.array(path))
            said.append(np.where(rng.random(len(path)) < .8, path, rng.integers(0, 5, len(path))))
        return truth, said

    def write_nights(self, name, nights):
        self.h5(name, labels=np.concatenate(nights), offsets=np.cumsum([0] + [len(x) for x in nights]), classes=STAGES,
                ids=["n%02d" % n for n in range(len(nights))])

    def test_fit_counts(self):
        truth, said = self.hypnograms()
        said[2][5:9] = -1
        truth[3][1] = -1
        self.write_nights("truth.h5", truth)
        self.write_nights("said.h5", said)
        done = self.statepath("fit", "said.h5", "--labels", "truth.h5", "--rules", "sleep-aasm", "--method", "counts", "-o", "fitted.json")
        self.assertIn("accuracy of viterbi in the folds that chose the settings", done.stdout)
        self.assertNotIn("windows", done.stdout)
        refused = self.statepath("fit", "said.h5", "--labels", "truth.h5", "--method", "counts", "--features", "windows", "-o", "no.json", status=2)
        self.assertEqual(refused.stderr, "statepath: --features windows: they are learnt from scores, and these are decided classes\n")
        with open(self.path("fitted.json")) as f:
            model = json.load(f)
        want = np.ones((5, 5))
        for a, b in zip(np.concatenate(truth), np.concatenate(said)):
            if a >= 0 and b >= 0:
                want[a, b] += 1
        got = model["labeller"]
        order = [got["classes"].index(c) for c in STAGES]
        np.testing.assert_array_equal(np.array(got["confusion"])[np.ix_(order, order)], want)
        self.assertIn("labeller (rows = reference", self.statepath("model", "show", "fitted.json").stdout)
        # what was learnt decodes better than what was said, and is legal
        self.write_nights("new.h5", self.hypnograms(seed=2)[1])
        self.write_nights("new-truth.h5", self.hypnograms(seed=2)[0])
        out = self.statepath("compare", "new.h5", "--labels", "new-truth.h5", "--model", "fitted.json", "--json", "-").stdout
        figures = json.loads(out)["strategies"]
        self.assertEqual(figures["viterbi"]["illegal"], 0)
        self.assertGreater(figures["viterbi"]["accuracy"], figures["argmax"]["accuracy"] + .03)

    def test_a_fold_never_sees_its_labels(self):
        truth, said = self.hypnograms(n=6)
        self.write_nights("said.h5", said)
        found = []
        for turn in (0, 1):
            if turn:
                truth[2] = (truth[2] + 1) % 5
            self.write_nights("truth.h5", truth)
            self.statepath("compare", "said.h5", "--labels", "truth.h5", "--model", "sleep-permissive", "--cv", "3", "--method",
                           "counts", "-o", "paths.h5", "--force")
            with h5py.File(self.path("paths.h5")) as f:
                at = f["offsets"][2:4]
                found.append((f["paths/viterbi"][at[0]:at[1]], f["paths/viterbi"][:]))
        np.testing.assert_array_equal(found[0][0], found[1][0])
        self.assertTrue((found[0][1] != found[1][1]).any())  # the others' models did see them

    def test_codes_of_both(self):
        """Codes read the labels too, unless their file names its classes; decided classes of a file that names them are told."""
        truth, said = self.hypnograms(n=2)
        nsrr = np.array([0, 1, 2, 3, 5])
        np.savetxt(self.path("said.txt"), nsrr[said[0]], fmt="%d")
        np.savetxt(self.path("truth.txt"), nsrr[truth[0]], fmt="%d")
        with h5py.File(self.path("named.h5"), "w") as f:
            f["labels"] = truth[0].astype("i1")
            f["labels"].attrs["classes"] = STAGES
        with h5py.File(self.path("said.h5"), "w") as f:
            f["labels"] = said[0].astype("i1")
            f["labels"].attrs["classes"] = STAGES
        for file, labels in (("said.txt", "truth.txt"), ("said.txt", "named.h5"), ("said.h5", "truth.txt")):
            out = self.statepath("compare", file, "--model", "sleep-aasm", "--codes", "nsrr", "--labels", labels,
                                 "--label-confidence", "0.8", "--json", "-").stdout
            result = json.loads(out)["strategies"]["argmax"]
            self.assertAlmostEqual(result["accuracy"], np.mean(truth[0] == said[0]), places=12)

    def test_against(self):
        truth, said = self.hypnograms(n=3)
        self.write_nights("truth.h5", truth)
        self.write_nights("said.h5", said)
        self.write_nights("right.h5", truth)
        out = self.statepath("compare", "said.h5", "--against", "right=right.h5", "--labels", "truth.h5", "--model",
                             "sleep-permissive", "--label-confidence", "0.9", "--json", "-").stdout
        self.assertEqual(json.loads(out)["strategies"]["right.argmax"]["accuracy"], 1)

    def test_demo(self):
        """Argmax of the demo's scores as labels of others: cross-validated, legal, no worse."""
        demo = os.path.join(st.SOURCE, "datasets", "sleep-demo.h5")
        self.statepath("decode", demo, "--model", "sleep-aasm", "--strategies", "argmax", "-o", "argmax.h5")
        out = self.statepath("compare", "argmax.h5", "--labels", demo, "--model", "sleep-aasm", "--cv", "3", "--method", "counts",
                             "--json", "-").stdout
        figures = json.loads(out)["strategies"]
        self.assertEqual(figures["viterbi"]["illegal"], 0)
        self.assertGreater(figures["argmax"]["illegal"], 0)
        self.assertGreater(figures["viterbi"]["accuracy"], figures["argmax"]["accuracy"])

if __name__ == "__main__":
    st.main()

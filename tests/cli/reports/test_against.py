"""Two classifiers in one comparison (`compare --against`), and labels from a file of their own (`--labels`): figures are those of
two runs, statistics those of pairs of strategies, and what does not match is named."""
import itertools
import json
import math
import re
import statistics

import statepath_test as st

np = st.np
CLASSES = ["Wake", "N1", "N2", "N3", "REM"]
MODEL = ["--model", "sleep-strict"]
DOOR = {"statepath_model": 1, "name": "door", "classes": ["closed", "opening", "open"],
        "allow": {"closed": ["closed", "opening"], "opening": ["closed", "opening", "open"], "open": ["opening", "open"]}}


def files_of(seed=3, n=9):
    """Ids, labels, and the probabilities of two classifiers, by recording."""
    rng = np.random.default_rng(seed)
    ids, labels, weak, strong = [], [], [], []
    for r in range(n):
        steps = int(rng.integers(30, 90))
        path = [0]
        while len(path) < steps:
            path.append(path[-1] if rng.random() < 0.8 else int(rng.integers(5)))
        path = np.array(path)
        for into, gain in ((weak, 1.2), (strong, 1.9)):
            x = rng.normal(0, 1, (steps, 5))
            x[np.arange(steps), path] += gain
            p = np.exp(x)
            into.append((p / p.sum(1, keepdims=True)).astype("f4"))
        path = path.copy()
        path[rng.random(steps) < 0.05] = -1
        ids.append("night%d" % r)
        labels.append(path)
    return ids, labels, weak, strong


class TestAgainst(st.TestCase):
    def setUp(self):
        super().setUp()
        self.ids, self.labels, self.weak, self.strong = files_of()

    def pack(self, name, scores, labels=None, order=None, columns=range(5), key="probs", **more):
        order = list(range(len(scores))) if order is None else order
        columns = list(columns)
        of_class = np.argsort(columns)
        datasets = {key: np.concatenate([scores[n][:, columns] for n in order]),
                    "offsets": np.concatenate([[0], np.cumsum([len(scores[n]) for n in order])]),
                    "ids": [self.ids[n] for n in order], "classes": [CLASSES[c] for c in columns], **more}
        if labels is not None:
            datasets["labels"] = np.concatenate([np.where(labels[n] >= 0, of_class[labels[n]], -1) for n in order])
        self.h5(name, **datasets)

    def json_of(self, *arguments, env=None, status=0):
        return json.loads(self.statepath("compare", *arguments, *MODEL, "--json", "-", "-q", env=env, status=status).stdout)

    # ---- worked by hand ----

    def test_a_worked_example(self):
        """Two recordings of a door. The old classifier has 5 of 8 steps right, and goes from closed to open; the new one 7 of 8."""
        def scores(*rows):
            return np.array([[{"c": (.8, .1, .1), "o": (.1, .1, .8), "m": (.1, .8, .1)}[k] for k in row] for row in ["".join(rows)]][0])
        self.write("door.json", json.dumps(DOOR))
        more = dict(offsets=np.array([0, 4, 8]), ids=["a", "b"], classes=DOOR["classes"])
        labels = np.array([0, 1, 2, 2, 0, 0, 1, 2])
        self.h5("new.h5", probs=scores("cmoo", "ccmm"), labels=labels, **more)
        self.h5("old.h5", probs=scores("cooo", "cmmm"), **more)
        self.statepath("compare", "new.h5", "--against", "old=old.h5", "--model", "door.json", "--strategies", "argmax", "-q",
                       stdout=WORKED)

    # ---- the same as two runs ----

    def test_figures_are_those_of_two_runs(self):
        self.pack("new.h5", self.strong, self.labels)
        self.pack("old.h5", self.weak, self.labels)
        strategies = ["--strategies", "argmax,greedy,viterbi,posterior"]
        both = self.json_of("new.h5", "--against", "old=old.h5", *strategies)
        new, old = self.json_of("new.h5", *strategies), self.json_of("old.h5", *strategies)
        self.assertEqual(list(both["strategies"]), list(new["strategies"]) + ["old." + s for s in old["strategies"]])
        for name, figures in new["strategies"].items():
            self.assertEqual(both["strategies"][name], figures, name)
        for name, figures in old["strategies"].items():
            self.assertEqual(both["strategies"]["old." + name], figures, name)
        for key in ("reference", "mask_ceiling", "nll", "calibration", "model"):
            self.assertEqual(both[key], new[key], key)
        (against,) = both["against"]
        self.assertEqual([against[k] for k in ("name", "file", "scores", "strategies")],
                         ["old", "old.h5", "/probs", ["old." + s for s in old["strategies"]]])
        self.assertEqual([against[k] for k in ("nll", "nll_steps", "calibration")],
                         [old[k] for k in ("nll", "nll_steps", "calibration")])
        # Pairs within a classifier are those of its own run; only Holm's adjustment is over all pairs.
        within = {(c["a"], c["b"], c["metric"]): c for c in both["comparisons"]}
        for run, prefix in ((new, ""), (old, "old.")):
            for pair in run["comparisons"]:
                found = dict(within[prefix + pair["a"], prefix + pair["b"], pair["metric"]])
                self.assertEqual({k: v for k, v in found.items() if k not in ("a", "b", "p_holm")},
                                 {k: v for k, v in pair.items() if k not in ("a", "b", "p_holm")})

    def test_order_columns_labels_and_place_do_not_matter(self):
        self.pack("new.h5", self.strong, self.labels)
        self.pack("old.h5", self.weak, self.labels)
        order = [4, 0, 8, 1, 2, 3, 7, 6, 5]
        self.pack("shuffled.h5", self.weak, self.labels, order=order)
        self.pack("bare.h5", self.weak)
        self.pack("turned.h5", self.weak, self.labels, order=order, columns=[3, 0, 4, 2, 1])
        with st.h5py.File(self.path("new.h5"), "a") as f:
            f["probs_old"] = np.concatenate(self.weak)
            f["before/log_probs"] = np.log(np.concatenate(self.weak))
        expected = self.json_of("new.h5", "--against", "old=old.h5")
        for other in ("shuffled.h5", "bare.h5", ":/probs_old", "new.h5:/probs_old"):
            with self.subTest(other):
                got = self.json_of("new.h5", "--against", "old=" + other)
                self.assertEqual(got["strategies"], expected["strategies"])
                self.assertEqual(got["comparisons"], expected["comparisons"])
                self.assertEqual(got["against"][0]["nll"], expected["against"][0]["nll"])
        for other in ("turned.h5", ":/before/log_probs"):  # sums and logs are rounded another way
            got = self.json_of("new.h5", "--against", "old=" + other)
            for name, figures in expected["strategies"].items():
                for key in ("accuracy", "kappa", "confusion", "illegal", "transition_counts", "changed_from_argmax"):
                    self.assertEqual(got["strategies"][name][key], figures[key], (other, name, key))
                self.assertAlmostEqual(got["strategies"][name]["regret"], figures["regret"], 5)
            self.assertEqual([c["difference"] for c in got["comparisons"]], [c["difference"] for c in expected["comparisons"]])
            for name in CLASSES:
                self.assertAlmostEqual(got["against"][0]["calibration"]["classes"][name]["ece"],
                                       expected["against"][0]["calibration"]["classes"][name]["ece"], 5)

    def test_by_threads(self):
        self.pack("new.h5", self.strong, self.labels)
        self.pack("turned.h5", self.weak, self.labels, order=[8, 7, 6, 5, 4, 3, 2, 1, 0], columns=[3, 0, 4, 2, 1])
        arguments = ["new.h5", "--against", "old=turned.h5", "--strategies", "argmax,greedy,viterbi,mea"]
        whole = self.json_of(*arguments)
        got = self.json_of(*arguments, "--threads", "3")
        del got["command"]
        self.assertEqual(got, {k: v for k, v in whole.items() if k != "command"})

    def test_several_and_what_cannot_be_decoded(self):
        impossible = [p.copy() for p in self.weak]
        impossible[2][5] = 0
        self.pack("new.h5", self.strong, self.labels)
        self.pack("one.h5", self.weak)
        self.pack("two.h5", impossible)
        done = self.statepath("compare", "new.h5", "--against", "one=one.h5", "--against", "two=two.h5", *MODEL, "-s", "argmax,viterbi",
                              "--json", "-", status=3)
        result = json.loads(done.stdout)
        self.assertEqual(list(result["strategies"]), ["argmax", "viterbi", "one.argmax", "one.viterbi", "two.argmax", "two.viterbi"])
        self.assertEqual([result["strategies"][s]["undecoded"] for s in result["strategies"]], [[], [], [], [], ["night2"], ["night2"]])
        self.assertIn("statepath: two.argmax: night night2 has no allowed path", done.stderr)
        self.assertIn("statepath: two: night night2 has no allowed path", done.stderr)
        self.assertIn("statepath: two.viterbi: 1 of 9 nights could not be decoded; their paths are -1", done.stderr)
        self.assertEqual([(c["a"], c["b"]) for c in result["comparisons"] if c["metric"] == "accuracy"][:6],
                         [("argmax", "one.argmax"), ("argmax", "two.argmax"), ("viterbi", "one.viterbi"), ("viterbi", "two.viterbi"),
                          ("one.argmax", "two.argmax"), ("one.viterbi", "two.viterbi")])

    def test_segments_and_weights_are_the_first_ones(self):
        segments = np.concatenate([np.arange(len(p)) // 20 for p in self.strong])
        self.pack("new.h5", self.strong, self.labels, segments=segments)
        self.pack("old.h5", self.weak, self.labels)
        self.pack("cut.h5", self.weak, self.labels, segments=segments)
        both, cut = self.json_of("new.h5", "--against", "old=old.h5"), self.json_of("cut.h5")
        for name in cut["strategies"]:
            self.assertEqual(both["strategies"]["old." + name], cut["strategies"][name])

    def test_clamp_and_wake_trim(self):
        self.pack("new.h5", self.strong, self.labels)
        self.pack("old.h5", self.weak, self.labels)
        self.pack("turned.h5", self.weak, columns=[3, 0, 4, 2, 1])
        for options, status in ((["--clamp"], 3), (["--wake-trim", "5"], 0)):  # labels break rules
            both = self.json_of("new.h5", "--against", "old=turned.h5", *options, status=status)
            alone = self.json_of("old.h5", *options, status=status)
            for name, figures in alone["strategies"].items():
                for key in ("accuracy", "confusion", "illegal"):
                    self.assertEqual(both["strategies"]["old." + name][key], figures[key], (options, name, key))
            self.assertEqual("nll" in alone, "nll" in both["against"][0])
            if "nll" in alone:
                self.assertAlmostEqual(both["against"][0]["nll"], alone["nll"], 9)

    # ---- statistics ----

    def test_paired_statistics_by_other_arithmetic(self):
        self.pack("new.h5", self.strong, self.labels)
        self.pack("old.h5", self.weak, self.labels)
        both = self.json_of("new.h5", "--against", "old=old.h5")
        new, old = self.json_of("new.h5"), self.json_of("old.h5")
        pairs = {(c["a"], c["b"]): c for c in both["comparisons"] if c["metric"] == "accuracy"}
        for a in new["strategies"]:
            for b in old["strategies"]:
                rows = list(zip(new["strategies"][a]["per_recording"], old["strategies"][b]["per_recording"]))
                self.assertEqual([x["id"] for x, _ in rows], [y["id"] for _, y in rows])
                d = [x["accuracy"] - y["accuracy"] for x, y in rows]
                pair = pairs[a, "old." + b]
                self.assertAlmostEqual(pair["difference"], new["strategies"][a]["accuracy"] - old["strategies"][b]["accuracy"], 12)
                self.assertEqual([pair["better"], pair["worse"], pair["ties"], pair["n"]],
                                 [sum(x > 0 for x in d), sum(x < 0 for x in d), sum(x == 0 for x in d), len(d)])
                for key, value in (("mean", statistics.mean(d)), ("median", statistics.median(d)), ("sd", statistics.stdev(d))):
                    self.assertAlmostEqual(pair[key], value, 12)
                self.assertAlmostEqual(pair["p"], wilcoxon(d), 12)
                self.assertAlmostEqual(pair["p_sign_flip"], sign_flips(d), 12)

    def test_intervals_are_those_of_two_strategies(self):
        """The paths of both, put into one file as if they were two strategies, have the same intervals and tests to the bit."""
        self.pack("new.h5", self.strong, self.labels)
        self.pack("old.h5", self.weak, self.labels)
        self.statepath("decode", "old.h5", *MODEL, "--strategies", "viterbi", "-o", "paths.h5", "-q")
        self.statepath("decode", "new.h5", *MODEL, "--strategies", "viterbi", "-o", "other.h5", "-q")
        with st.h5py.File(self.path("paths.h5"), "a") as f, st.h5py.File(self.path("other.h5")) as g:
            for group in ("paths", "path_scores", "status"):
                f["%s/x" % group] = g["%s/viterbi" % group][()]
        judged = json.loads(self.statepath("evaluate", "paths.h5", "--json", "-", "-q").stdout)
        both = self.json_of("new.h5", "--against", "old=old.h5", "--strategies", "viterbi")
        metrics = ("accuracy", "kappa", "macro_f1")
        of_paths = [c for c in judged["comparisons"] if c["metric"] in metrics]
        pairs = [c for c in both["comparisons"] if c["metric"] in metrics]
        self.assertEqual(len(pairs), 3)
        for pair, expected in zip(pairs, of_paths):
            self.assertEqual((expected.pop("a"), expected.pop("b"), pair.pop("a"), pair.pop("b")),
                             ("x", "viterbi", "viterbi", "old.viterbi"))
            self.assertEqual(pair, expected)

    # ---- gates, CSV, page, text ----

    def test_gates_name_the_other_classifier(self):
        self.pack("new.h5", self.weak, self.labels)
        self.pack("old.h5", self.strong, self.labels)
        run = ["compare", "new.h5", "--against", "old=old.h5", *MODEL, "-q"]
        self.statepath(*run, "--fail-if", "viterbi.accuracy > old.viterbi.accuracy", "--fail-if", "old.nll > nll",
                       "--fail-if", "old.viterbi.classes.N1.f1 < 0.1; old.viterbi.fixed < 0")
        done = self.statepath(*run, "--fail-if", "viterbi.kappa < old.viterbi.kappa - 0.01", status=4)
        self.assertRegex(done.stderr, r"^statepath: --fail-if: viterbi.kappa < old.viterbi.kappa - 0.01 is true: viterbi.kappa is 0\.\d+, "
                                      r"old.viterbi.kappa - 0.01 is 0\.\d+\n$")
        self.refuses(*run, "--fail-if", "old.acuracy > 1", status=2,
                     sentence='--fail-if: the gate at "acuracy > 1": old is a classifier: its strategies are old.argmax and the like; '
                              'beside them it has no such figure; there are bytes, nll, nll_steps, nll_impossible_steps')
        self.refuses(*run, "-s", "viterbi", "--fail-if", "old.viterbi.fixed > 1", status=2,
                     sentence='--fail-if: the gate at "fixed > 1": fixed counts against argmax, which is not among the strategies')

    def test_csv_page_and_text(self):
        self.pack("new.h5", self.strong, self.labels)
        self.pack("old.h5", self.weak, self.labels)
        done = self.statepath("compare", "new.h5", "--against", "old=old.h5", *MODEL, "--csv", "r.csv", "--report", "r.html",
                              "--markdown", "r.md", "--latex", "r.tex", "-q")
        both = self.json_of("new.h5", "--against", "old=old.h5")
        rows = [line.split(",") for line in self.read("r.csv").decode().splitlines()]
        value = {(r[0], r[3]): float(r[4]) for r in rows[1:] if r[1] == r[2] == "" and r[4]}
        self.assertEqual(value["old.viterbi", "accuracy"], both["strategies"]["old.viterbi"]["accuracy"])
        self.assertEqual(value["old", "nll"], both["against"][0]["nll"])
        self.assertEqual(value["old", "ece"], both["against"][0]["calibration"]["ece"])
        (pair,) = [c for c in both["comparisons"] if (c["a"], c["b"], c["metric"]) == ("viterbi", "old.viterbi", "accuracy")]
        self.assertEqual(value["viterbi - old.viterbi", "accuracy_difference"], pair["difference"])
        page = self.read("r.html").decode()
        for text in (">viterbi − old.viterbi<", "<h3>old.viterbi</h3>", "Against old (old.h5), viterbi is more accurate: ",
                     "accuracy of old.viterbi", "<h3>viterbi − old.viterbi</h3>"):
            self.assertIn(text, page)
        for text in (done.stdout, self.read("r.md").decode()):
            self.assertRegex(text, r"viterbi − old\.viterbi")
            self.assertRegex(text.replace("\n  ", " "), r"old: another classifier, old\.h5:/probs; mean negative log-likelihood of the "
                                                       r"reference %.4f" % both["against"][0]["nll"])
        self.assertIn("old.viterbi", self.read("r.tex").decode())

    # ---- what does not match ----

    def test_ids_and_steps_that_differ_are_named(self):
        self.pack("new.h5", self.strong, self.labels)
        short = [p[:-1] if n in (3, 5) else p for n, p in enumerate(self.weak)]
        self.pack("short.h5", short)
        lengths = [len(p) for p in self.weak]
        run = ["compare", "new.h5", *MODEL, "--against"]
        self.refuses(*run, "old=short.h5",
                     sentence="new.h5 and old (short.h5) do not match; steps differ: night3 (%d and %d), night5 (%d and %d)"
                              % (lengths[3], lengths[3] - 1, lengths[5], lengths[5] - 1))
        self.pack("fewer.h5", self.weak, order=[0, 1, 2, 4, 5, 6, 7, 8])
        self.refuses(*run, "old=fewer.h5", sentence="new.h5 and old (fewer.h5) do not match; only in new.h5: night3")
        self.refuses("compare", "fewer.h5", *MODEL, "--against", "old=new.h5",
                     sentence="fewer.h5 and old (new.h5) do not match; only in old (new.h5): night3")
        self.ids[0] = "zero"
        self.pack("renamed.h5", self.weak)
        self.refuses(*run, "old=renamed.h5",
                     sentence="new.h5 and old (renamed.h5) do not match; only in new.h5: night0; only in old (renamed.h5): zero")

    def test_ten_are_named_and_the_rest_counted(self):
        ids, _, weak, strong = files_of(n=14)
        self.ids = ids
        self.pack("new.h5", strong)
        self.ids = ["x%d" % n for n in range(14)]
        self.pack("other.h5", weak)
        self.refuses("compare", "new.h5", "--against", "old=other.h5", *MODEL,
                     sentence="new.h5 and old (other.h5) do not match; 14 recordings match by {id} of "
                              "'night{id}' and 'x{id}': write both alike; only in new.h5: %s and 4 more; only in "
                              "old (other.h5): %s and 4 more"
                              % (", ".join(ids[:10]), ", ".join(self.ids[:10])))

    def test_labels_must_agree(self):
        self.pack("new.h5", self.strong, self.labels)
        for shift in (1, 4):
            other = [l.copy() for l in self.labels]
            other[4][12] = -1  # says nothing
            step = int(np.flatnonzero((other[4] > 0) & (other[4] < 4))[20])
            other[4][step] = (other[4][step] + shift) % 5
            sentence = ("recording night4, step %d: the label is %s in new.h5 and %s in old (old.h5); labels are taken from new.h5, and "
                        "those of the other must agree" % (step, CLASSES[self.labels[4][step]], CLASSES[other[4][step]]))
            for columns in (range(5), [4, 2, 1, 3, 0]):
                self.pack("old.h5", self.weak, other, order=[8, 4, 0, 1, 2, 3, 5, 6, 7], columns=columns)
                self.refuses("compare", "new.h5", "--against", "old=old.h5", *MODEL, sentence=sentence)

    def test_wrong_use(self):
        self.pack("new.h5", self.strong, self.labels)
        self.pack("old.h5", self.weak)
        run = ["compare", "new.h5", *MODEL]
        self.refuses(*run, "--against", "old.h5", status=2,
                     sentence="--against old.h5: it is NAME=FILE, NAME=FILE:/DATASET, or NAME=:/DATASET for other scores of the same file")
        for name in ("", "a.b", "1st", "a b", "x" * 40):
            self.refuses(*run, "--against", name + "=old.h5", status=2,
                         sentence='"%s" cannot be the name of a classifier: a letter, then letters, digits, _ and -, at most 31' % name)
        self.refuses(*run, "--against", "viterbi=old.h5", status=2,
                     sentence="viterbi cannot be the name of a classifier: figures of a strategy are called so")
        self.refuses(*run, "--against", "reference=old.h5", status=2,
                     sentence="reference cannot be the name of a classifier: figures of the labels are called so")
        self.refuses(*run, "--against", "old=old.h5", "--against", "old=old.h5", status=2,
                     sentence="two classifiers are called old; give each a name of its own")
        self.refuses(*run, "--against", "old=old.h5", "--cv", "3", status=2,
                     sentence="--cv fits models to the scores of one classifier; leave --against out, or fit first (statepath fit) and "
                              "compare with that model")
        self.refuses(*run, "--against", "old=old.h5", "--json", "old.h5", "-f", status=2,
                     sentence="old.h5: is another classifier's file, which is never written to; give the output another name")
        self.refuses(*run, *["--against=a%d=old.h5" % i for i in range(16)], status=2,
                     sentence="16 other classifiers: at most 15 can be compared at once")
        strategies = ",".join("beam:%d" % i for i in range(1, 17))
        self.refuses(*run, "-s", strategies, *["--against=a%d=old.h5" % i for i in range(4)], status=2,
                     sentence="80 strategies on all classifiers together: at most 64 are compared; name fewer --strategies")
        done = self.statepath(*run, "--against", "old=none.h5", status=1, stdout="")
        self.assertIn("none.h5", done.stderr)
        done = self.statepath(*run, "--against", "old=:/none", status=1, stdout="")
        self.assertIn("/none", done.stderr)
        self.assertIn("compare", self.statepath("compare", "--help").stdout)
        self.assertIn("--against NAME=FILE", self.statepath("compare", "--help").stdout)

    def test_other_classes_and_no_labels(self):
        self.pack("new.h5", self.strong)
        self.pack("old.h5", self.weak, self.labels)
        done = self.statepath("compare", "new.h5", "--against", "old=old.h5", *MODEL)
        self.assertEqual(done.stderr, "statepath: note: new.h5 has no labels, old (old.h5) has; --labels old.h5 judges both by them\n")
        both = self.json_of("new.h5", "--against", "old=old.h5", "--labels", "old.h5")
        self.assertEqual(both["strategies"]["old.viterbi"], self.json_of("old.h5")["strategies"]["viterbi"])
        self.h5("three.h5", probs=np.full((4, 3), 1 / 3), classes=["a", "b", "c"])
        done = self.statepath("compare", "old.h5", "--against", "x=three.h5", *MODEL, status=1, stdout="")
        self.assertEqual(done.stderr.count("\n"), 1)


class TestReference(TestAgainst):
    """Labels of another file; the tests above are not run again."""

    def test_labels_from_a_file(self):
        self.pack("night.h5", self.strong, self.labels)
        self.pack("bare.h5", self.strong)
        self.pack("labels.h5", self.weak, self.labels, order=[8, 1, 0, 2, 3, 4, 5, 7, 6], columns=[1, 0, 2, 4, 3])
        self.write("labels.csv", "recording,label\n" + "".join("%s,%s\n" % (self.ids[n], CLASSES[k] if k >= 0 else -1)
                                                                for n in (3, 0, 1, 2, 8, 7, 6, 5, 4) for k in self.labels[n]))
        expected = self.json_of("night.h5")
        for file in ("labels.h5", "labels.csv"):
            got = self.json_of("bare.h5", "--labels", file)
            self.assertEqual(got["input"].pop("labels_file"), file)
            for key in expected:
                if key not in ("command", "input"):
                    self.assertEqual(got[key], expected[key], (file, key))
        wrong = [np.roll(l, 7) for l in self.labels]
        self.pack("wrong.h5", self.strong, wrong)  # labels of its own do not count
        got = self.json_of("wrong.h5", "--labels", "labels.h5")
        self.assertEqual(got["strategies"], expected["strategies"])
        with st.h5py.File(self.path("labels.h5"), "a") as f:
            f.move("labels", "hypnogram")
        self.assertEqual(self.json_of("bare.h5", "--labels", "labels.h5:/hypnogram")["strategies"],
                         expected["strategies"])

    def test_a_dataset_is_still_a_dataset(self):
        self.pack("night.h5", self.strong)
        with st.h5py.File(self.path("night.h5"), "a") as f:
            f["truth"] = np.concatenate(self.labels)
        self.assertTrue(self.json_of("night.h5", "--labels", "/truth")["input"]["has_labels"])
        self.pack("truth", self.weak, self.labels)
        self.statepath("decode", "night.h5", *MODEL, "--labels", "/truth", "-o", "paths.h5", "-q")
        with st.h5py.File(self.path("paths.h5"), "a") as f:
            f.move("labels", "truth")
        for command, file in (("compare", "night.h5"), ("evaluate", "paths.h5")):
            self.refuses(command, file, *MODEL, "--labels", "truth", status=2,
                         sentence=f"--labels truth: there is a file of that name, and {file} has a dataset of it; "
                         "./truth is the file, /truth the dataset")
            for labels, name in (("./truth", "truth"), ("/truth", None), ("truth:/labels", "truth")):
                with self.subTest(command=command, labels=labels):
                    done = self.statepath(command, file, *MODEL, "--labels", labels, "--json", "-").stdout
                    self.assertEqual(json.loads(done)["input"].get("labels_file"), name)
        self.refuses("compare", "night.h5", *MODEL, "--labels", "nowhere", sentence="night.h5: there is no dataset "
                     "/nowhere; --labels takes a dataset of this file, another file, or FILE:/DATASET")

    def test_codes_of_the_reference(self):
        self.pack("night.h5", self.strong, self.labels)
        self.pack("bare.h5", self.strong)
        code = np.array([0, 1, 2, 3, 5, 9])  # REM is 5, unscored 9
        self.h5("rk.h5", labels=np.concatenate([code[l] for l in self.labels]), ids=self.ids,
                offsets=np.concatenate([[0], np.cumsum([len(l) for l in self.labels])]))
        got = self.json_of("bare.h5", "--labels", "rk.h5", "--map", "0=Wake,1=N1,2=N2,3=N3,5=REM,9=unscored")
        self.assertEqual(got["strategies"], self.json_of("night.h5")["strategies"])
        done = self.statepath("compare", "bare.h5", "--labels", "rk.h5", *MODEL, status=1, stdout="")
        self.assertRegex(done.stderr, r"^statepath: rk.h5: label [59], but there are 5 classes; ")

    def test_scorers_of_the_reference(self):
        self.pack("bare.h5", self.strong)
        other = [np.where(np.arange(len(l)) % 7 == 0, -1, l) for l in self.labels]
        order = [2, 1, 0, 3, 4, 5, 6, 7, 8]
        datasets = dict(offsets=np.concatenate([[0], np.cumsum([len(self.labels[n]) for n in order])]), ids=[self.ids[n] for n in order])
        self.h5("labels.h5", labels=np.concatenate([self.labels[n] for n in order]), labels_ann=np.concatenate([other[n] for n in order]),
                labels_bob=np.concatenate([self.labels[n] for n in order]), classes=CLASSES, **datasets)
        self.pack("night.h5", self.strong, self.labels, labels_ann=np.concatenate(other), labels_bob=np.concatenate(self.labels))
        self.assertEqual(self.json_of("bare.h5", "--labels", "labels.h5")["scorers"], self.json_of("night.h5")["scorers"])

    def test_what_does_not_match(self):
        self.pack("bare.h5", self.strong)
        self.pack("fewer.h5", self.weak, self.labels, order=range(7))
        run = ["compare", "bare.h5", *MODEL]
        self.refuses(*run, "--labels", "fewer.h5", sentence="bare.h5 and fewer.h5 do not match; only in bare.h5: night7, night8")
        self.h5("places.h5", labels=np.concatenate(self.labels[:7]), classes=CLASSES,
                offsets=np.concatenate([[0], np.cumsum([len(l) for l in self.labels[:7]])]))
        self.refuses(*run, "--labels", "places.h5", sentence="bare.h5 has 9 recordings, places.h5 has 7; they must be the same recordings")
        self.refuses(*run, "--labels", "fewer.h5", "--cv", "3",
                     sentence="bare.h5 and fewer.h5 do not match; only in bare.h5: night7, night8")
        self.refuses(*run, "--labels", "fewer.h5", "--json", "fewer.h5", "-f", status=2,
                     sentence="fewer.h5: is the file of labels, which is never written to; give the output another name")
        self.refuses(*run, "--labels", "bare.h5", sentence="bare.h5 holds no labels; --labels bare.h5:/DATASET says where they are")
        done = self.statepath(*run, "--labels", "nowhere.h5", status=1, stdout="")
        self.assertIn("nowhere.h5", done.stderr)

    def test_steps_of_other_lengths_in_time(self):
        long = [np.repeat(l, 3)[: len(l) * 3 // 2] for l in self.labels]
        datasets = dict(labels=np.concatenate(long), offsets=np.concatenate([[0], np.cumsum([len(l) for l in long])]), ids=self.ids)
        self.pack("night.h5", self.strong)
        self.h5("labels.h5", **datasets)
        for name, seconds in (("night.h5", 30.0), ("labels.h5", 20.0)):
            with st.h5py.File(self.path(name), "a") as f:
                f.attrs["epoch_seconds"] = seconds
        sentence = ("a step of night.h5 is 30 s long, one of %s 20 s; bring both to one length (attribute epoch_seconds), so that step t is "
                    "the same time in both")
        self.refuses("compare", "night.h5", "--labels", "labels.h5", *MODEL, sentence=sentence % "labels.h5")
        self.pack("old.h5", self.weak)
        with st.h5py.File(self.path("old.h5"), "a") as f:
            f.attrs["epoch_seconds"] = 20.0
        self.refuses("compare", "night.h5", "--against", "old=old.h5", *MODEL, sentence=sentence % "old (old.h5)")
        self.statepath("decode", "night.h5", *MODEL, "-o", "paths.h5", "-q")
        self.refuses("evaluate", "paths.h5", "--labels", "labels.h5", sentence=(sentence % "labels.h5").replace("night.h5", "paths.h5"))
        self.h5("unsaid.h5", **datasets)  # nothing says how long these steps are, but all recordings have half as many again
        done = self.statepath("compare", "night.h5", "--labels", "unsaid.h5", *MODEL, status=1, stdout="")
        self.assertTrue(done.stderr.endswith("; every recording has 1.5 times as many there, as if a step of night.h5 were 30 s and one of "
                                             "unsaid.h5 20 s\n"), done.stderr)
        for labels, is_guessed in ((long[0], True), (long[0][:-7], False)):  # of one recording only what would be whole seconds
            self.h5("one.h5", probs=self.strong[0], classes=CLASSES)
            with st.h5py.File(self.path("one.h5"), "a") as f:
                f.attrs["epoch_seconds"] = 30.0
            self.h5("other.h5", labels=labels)
            done = self.statepath("compare", "one.h5", "--labels", "other.h5", *MODEL, status=1, stdout="")
            self.assertEqual("as if a step" in done.stderr, is_guessed, done.stderr)


for name in list(vars(TestAgainst)):  # inherited: what they share
    if name.startswith("test_"):
        setattr(TestReference, name, None)


def ranks(values):
    """Mid-ranks."""
    return [sum(v < x for v in values) + (sum(v == x for v in values) + 1) / 2 for x in values]


def all_signs(values, statistic):
    """Share of all sign patterns with a statistic at least as far from 0 as that of the data."""
    seen = abs(statistic(values))
    patterns = list(itertools.product((1, -1), repeat=len(values)))
    return sum(abs(statistic([s * v for s, v in zip(signs, values)])) >= seen - 1e-12 for signs in patterns) / len(patterns)


def wilcoxon(d):
    d = [x for x in d if x != 0]
    signed = [math.copysign(r, x) for r, x in zip(ranks([round(abs(x), 12) for x in d]), d)]
    return all_signs(signed, sum) if d else 1.0


def sign_flips(d):
    return all_signs(d, statistics.fmean)


WORKED = """\
new.h5: 2 recordings, 8 steps, 8 with a reference
model door: 3 classes, 2 forbidden transitions

strategy    illegal          accuracy    kappa   macro F1   changes  path score
argmax            0     0 %    0.8750*  0.8140*    0.8667*        3        -1.8
old.argmax        1  16.7 %    0.6250   0.4419     0.6222         2           –
* best of its column

The reference itself keeps every rule of the model (6 transitions).
Mask ceiling 1.0000: no path that the model allows can agree with the reference better than that.
Mean negative log-likelihood of the reference by the first classifier, before any decoding: 0.4831
  nats per step.
Probabilities of the first classifier before any decoding, the same for every strategy: Brier score
  0.2350 (0 to 2), expected calibration error 0.0750; mean confidence 0.800 against accuracy 0.875.
old: another classifier, old.h5:/probs; mean negative log-likelihood of the reference 1.0029 nats
  per step; Brier score 0.5850, expected calibration error 0.1750.
Only 2 recordings: neither intervals nor p say much.
Without an interval, as too few differ or all alike: argmax − old.argmax.

Difference in accuracy in percentage points, paired over recordings
pair                 points  95 % interval  better  worse  same     p
argmax − old.argmax  +25.00              –       2      0     0  0.50
(interval: 95 % studentised, bootstrap over recordings; p: Wilcoxon signed rank; with 2 recordings
 the smallest p possible is 0.5)

Illegal transitions, by pair
illegal transition  reference  argmax  old.argmax
closed → open               0       0           1

Confusion (rows: reference, columns: decoded)
argmax   closed  opening  open    old.argmax  closed  opening  open
closed        3        0     0    closed           2        1     0
opening       0        2     0    opening          0        1     1
open          0        1     2    open             0        1     2

F1 by class
class    support  argmax   old.argmax
closed         3   1.000*       0.800
opening        2   0.800*       0.400
open           3   0.800*       0.667
"""

if __name__ == "__main__":
    st.main()

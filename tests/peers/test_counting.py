"""What is counted along paths, counted again with numpy, scipy and scikit-learn: all transitions, rates, runs of one step, ties of
argmax, the likelihood with a bound, transitions across unscored steps, names that look permuted."""
import csv
import json
import sys

import numpy as np

import statepath_test as st

try:
    from scipy.optimize import linear_sum_assignment
    from sklearn.metrics import accuracy_score, cohen_kappa_score, confusion_matrix, log_loss
except ImportError:
    print("skipped: needs python3-scipy and python3-sklearn")
    sys.exit(77)


def runs_of(path, segments):
    """(class, length) of maximal stretches of one class without gap; -1 belongs to none."""
    out = []
    for t, k in enumerate(path):
        if k < 0:
            continue
        if t and path[t - 1] == k and segments[t] == segments[t - 1]:
            out[-1][1] += 1
        else:
            out.append([k, 1])
    return out


def pairs_of(path, segments, bridge=False):
    """Neighbours of one recording and segment, both decoded (or scored); bridged ones where asked for."""
    out, last = [], None
    for t, k in enumerate(path):
        if t and segments[t] != segments[t - 1]:
            last = None
        if k >= 0:
            if last is not None and (bridge or last[0] == t - 1):
                out.append((last[1], k, t - last[0] > 1))
            last = (t, k)
    return out


class TestCounting(st.TestCase):
    def model(self, rng, K):
        allow = rng.random((K, K)) < .7
        allow |= np.eye(K, dtype=bool) | np.eye(K, k=1, dtype=bool) | np.eye(K, k=1 - K, dtype=bool)
        names = ["c%d" % k for k in range(K)]
        self.write("m.json", json.dumps({"statepath_model": 1, "name": "m", "classes": names, "matrix": allow.astype(int).tolist()}))
        return allow, names

    def nights(self, rng, K, N):
        """Recordings with unscored steps, segments, undecoded steps in a path."""
        lengths = rng.integers(1, 60, N)
        offsets = np.cumsum(np.append(0, lengths))
        S = offsets[-1]
        segments = np.concatenate([np.cumsum(rng.random(n) < .05) for n in lengths])
        labels = np.concatenate([np.repeat(rng.integers(0, K, n), rng.integers(1, 5, n))[:n] for n in lengths])
        path = np.where(rng.random(S) < .3, rng.integers(0, K, S), labels)
        labels = np.where(rng.random(S) < .15, -1, labels)
        return offsets, segments, labels, path

    def evaluate(self, offsets, segments, labels, path, *more, K):
        self.h5("p.h5", paths__x=path, labels=labels, segments=segments, offsets=offsets, ids=["r%d" % n for n in range(len(offsets) - 1)],
                classes=["c%d" % k for k in range(K)])
        done = self.statepath("evaluate", "p.h5", "-m", "m.json", "--json", "-", "--csv", "r.csv", "-f", "-q", *more)
        return json.loads(done.stdout)

    def check(self, got, parts, segments, allow, hours_of, bridge=False):
        """got: of the reference or a strategy; parts: its classes by recording."""
        K = len(allow)
        pairs = [pairs_of(part, segment, bridge) for part, segment in zip(parts, segments)]
        counts = np.zeros((K, K), int)
        for i, j, _ in sum(pairs, []):
            counts[i, j] += 1
        if K <= 100:
            self.assertEqual(got["transition_counts"], counts.tolist())
        else:
            self.assertEqual({(p["from"], p["to"]): p["count"] for p in got["transition_pairs"]},
                             {("c%d" % i, "c%d" % j): counts[i, j] for i, j in zip(*np.nonzero(counts))})
            self.assertEqual([p["count"] for p in got["transition_pairs"]], sorted((p["count"] for p in got["transition_pairs"]), reverse=True))
        illegal, changes = counts[~allow].sum(), counts.sum() - np.trace(counts)
        self.assertEqual((got["transitions"], got["changes"], got["illegal"]), (counts.sum(), changes, illegal))
        hours = counts.sum() * hours_of / 3600
        for key, value, of in (("illegal_rate", illegal, counts.sum()), ("illegal_per_change", illegal, changes),
                               ("illegal_per_hour", illegal, hours), ("changes_per_hour", changes, hours)):
            if of:
                self.assertAlmostEqual(got[key], value / of, places=12, msg=key)
            else:
                self.assertIsNone(got[key])
                self.assertIn(got[key + "_undefined"], ("no transitions", "no changes", "the length of a step is not known"))
        worst = [sum(not allow[i, j] for i, j, _ in part) for part in pairs]
        if max(worst):
            self.assertEqual(got["worst_recording"], {"id": "r%d" % np.argmax(worst), "illegal": max(worst)})
        else:
            self.assertNotIn("worst_recording", got)
        return sum(1 for part in pairs for pair in part if pair[2])

    def test_transitions_and_rates(self):
        rng = np.random.default_rng(21)
        for trial in range(12):
            K, N = (101, 30) if trial == 0 else (int(rng.integers(2, 7)), int(rng.integers(1, 9)))
            allow, _ = self.model(rng, K)
            offsets, segments, labels, path = self.nights(rng, K, N)
            seconds = [0, 30, 2.5][trial % 3]
            bridge = trial % 2 == 1
            got = self.evaluate(offsets, segments, labels, path, *(["--epoch-seconds", str(seconds)] if seconds else []),
                                *(["--bridge-unscored"] if bridge else []), K=K)
            cut = [slice(a, b) for a, b in zip(offsets, offsets[1:])]
            ours, truth, gaps = ([x[c] for c in cut] for x in (path, labels, segments))
            x = got["strategies"]["x"]
            self.check(x, ours, gaps, allow, seconds)
            n_bridged = self.check(got["reference"], truth, gaps, allow, seconds, bridge)
            self.assertEqual(got["reference"].get("bridged_transitions"), n_bridged if bridge else None)
            # runs: both sides inside stretches that have a reference
            mine = sum((runs_of(np.where(l >= 0, p, -1), g) for p, l, g in zip(ours, truth, gaps)), [])
            theirs = sum((runs_of(l, g) for l, g in zip(truth, gaps)), [])
            for side, runs in ((x, mine), (got["reference"], theirs)):
                isolated = sum(length == 1 for _, length in runs)
                self.assertEqual((side["runs"], side["isolated_runs"]), (len(runs), isolated))
                if runs:
                    self.assertAlmostEqual(side["isolated_runs_share"], isolated / len(runs), places=12)
            if theirs:
                self.assertAlmostEqual(x["runs_ratio"], len(mine) / len(theirs), places=12)
            # the CSV says the same
            rows = {(r["strategy"], r["recording"], r["class"], r["metric"]): r["value"]
                    for r in csv.DictReader(self.read("r.csv").decode().splitlines())}
            for who, side in (("x", x), ("reference", got["reference"])):
                for key in ("illegal_rate", "illegal_per_change", "illegal_per_hour", "changes_per_hour", "isolated_runs_share", "runs",
                            "isolated_runs"):
                    value = rows[who, "", "", key]
                    self.assertEqual(float(value) if value else None, side[key], key)
                listed = sum(int(v) for (s, r, c, m), v in rows.items() if s == who and m == "transition_count")
                self.assertEqual(listed, side["transitions"])
                if "worst_recording" in side:
                    self.assertEqual(int(rows[who, side["worst_recording"]["id"], "", "worst_recording"]), side["worst_recording"]["illegal"])

    def test_ties_and_likelihood(self):
        rng = np.random.default_rng(22)
        for trial in range(6):
            K = int(rng.integers(2, 6))
            _, names = self.model(rng, K)
            S = 300
            labels = np.where(rng.random(S) < .2, -1, rng.integers(0, K, S))
            probs = rng.integers(0, 4, (S, K)).astype(float)  # few values: many ties, many zeros
            probs[probs.sum(1) == 0] = 1
            if trial == 5:
                probs += 1  # no zeros
            probs /= probs.sum(1, keepdims=True)
            clip = [1e-6, .05][trial % 2]
            self.h5("s.h5", probs=probs, labels=labels, classes=names)
            got = json.loads(self.statepath("compare", "s.h5", "-m", "m.json", "-s", "argmax", "--nll-clip", str(clip), "--json", "-", "--csv",
                                            "r.csv", "-f", "-q").stdout)
            tied = (probs == probs.max(1, keepdims=True)).sum(1) > 1
            self.assertEqual(got["argmax_ties"], {"steps": tied.sum(), "scored": (tied & (labels >= 0)).sum()})
            at = probs[labels >= 0, labels[labels >= 0]]
            impossible = int((at == 0).sum())
            self.assertEqual((got["nll_steps"], got["nll_impossible_steps"], got["nll_clip"]), (len(at), impossible, clip))
            self.assertAlmostEqual(got["nll_clipped"], -np.log(np.maximum(at, clip)).mean(), places=12)
            if impossible:
                self.assertIsNone(got["nll"])
                self.assertIn("probability 0", got["nll_undefined"])
            else:
                self.assertAlmostEqual(got["nll"], log_loss(labels[labels >= 0], probs[labels >= 0], labels=range(K)), places=12)
            text = " ".join(self.statepath("compare", "s.h5", "-m", "m.json", "-s", "argmax", "-q", "--nll-clip", str(clip)).stdout.split())
            self.assertIn("The greatest score of %d steps is that of several classes (%d with a reference): argmax takes the first of them."
                          % (tied.sum(), (tied & (labels >= 0)).sum()), text)
            self.assertIn("With probabilities below %g taken for it: %.4f" % (clip, got["nll_clipped"]), text)
            rows = {r["metric"]: r["value"] for r in csv.DictReader(self.read("r.csv").decode().splitlines()) if not r["recording"]}
            self.assertEqual((int(rows["argmax_ties"]), int(rows["argmax_ties_scored"]), int(rows["nll_impossible_steps"])),
                             (tied.sum(), (tied & (labels >= 0)).sum(), impossible))
            self.assertEqual(float(rows["nll_clipped"]), got["nll_clipped"])
        self.refuses("compare", "s.h5", "-m", "m.json", "--nll-clip", "0", status=2,
                     sentence="--nll-clip 0: a probability between 0 and 1, such as 1e-6")
        self.h5("bare.h5", probs=probs, classes=names)
        self.refuses("compare", "bare.h5", "-m", "m.json", "--nll-clip", "1e-6", status=2,
                     sentence="--nll-clip needs scores and labels: it is about the likelihood of the labels")
        self.refuses("compare", "bare.h5", "-m", "m.json", "--bridge-unscored", status=2,
                     sentence="--bridge-unscored needs labels: it is their chain that unscored steps break")

    def test_csv_holds_what_the_json_holds(self):
        """Every figure of a strategy that is one number stands in the CSV too, and the text and Markdown have its tables."""
        rng = np.random.default_rng(24)
        names = ["O", "B-X", "I-X", "B-Y", "I-Y"]
        matrix = np.ones((5, 5), int)
        matrix[[0, 3, 4], 2] = matrix[[0, 1, 2], 4] = 0
        self.write("m.json", json.dumps({"statepath_model": 1, "name": "m", "classes": names, "matrix": matrix.tolist()}))
        labels = []
        for _ in range(60):
            labels += [0] * int(rng.integers(1, 5)) + [[1, 3][rng.integers(2)]]
            labels += [labels[-1] + 1] * int(rng.integers(0, 3))
        labels = np.array(labels)
        probs = rng.dirichlet([.5] * 5, size=len(labels)) + .7 * np.eye(5)[labels]
        cuts = np.array([0, 40, 90, len(labels)])
        labels[::17] = -1
        self.h5("s.h5", probs=probs / probs.sum(1, keepdims=True), labels=labels, offsets=cuts, classes=names)
        text = self.statepath("compare", "s.h5", "-m", "m.json", "--json", "r.json", "--csv", "r.csv", "--markdown", "r.md", "-q", "-v",
                              "--epoch-seconds", "1").stdout
        result = json.loads(self.read("r.json"))
        rows = {(r["strategy"], r["recording"], r["class"], r["metric"]): r for r in csv.DictReader(self.read("r.csv").decode().splitlines())}

        def same(key, value):
            self.assertIn(key, rows)
            self.assertEqual(float(rows[key]["value"]) if rows[key]["value"] else None, value, key)

        for who, one in result["strategies"].items():
            for key in ("accuracy", "balanced_accuracy", "kappa", "mcc", "macro_precision", "macro_recall", "macro_f1", "weighted_f1", "kappa_se",
                        "regret", "edit_score", "illegal_per_change", "illegal_per_hour", "changes_per_hour", "runs", "isolated_runs",
                        "isolated_runs_share", "runs_ratio", "transitions", "changes", "illegal", "illegal_start", "illegal_end", "short_runs",
                        "illegal_rate", "recordings_with_illegal", "scored", "correct", "mean_accuracy", "sd_accuracy", "mean_kappa"):
                same((who, "", "", key), one[key])
            for key in ("macro_precision", "macro_recall", "macro_f1"):
                self.assertEqual(int(rows[who, "", "", key]["n"]), one[key + "_classes"])
            for name in names:
                for key in ("precision", "recall", "f1", "specificity", "npv", "kappa", "pabak", "bias", "prevalence", "prevalence_index",
                            "support", "predicted"):
                    same((who, "", name, key), one["classes"][name][key])
                for key, ours in (("runs", "count"), ("isolated_runs", "isolated"), ("run_mean", "mean"), ("run_median", "median")):
                    same((who, "", name, key), one["bouts"][name][ours])
                for key in ("fixed", "broken", "wrong_to_wrong"):
                    if who != "argmax":
                        same((who, "", name, key), one["changed_from_argmax_by_class"][name][key])
            for place, counts in one["contexts"].items():
                same((who, "", "", "accuracy_" + place), counts["correct"] / counts["steps"] if counts["steps"] else None)
            for i in range(3):
                for key in ("recall", "precision"):
                    same((who, "", "", "boundary_%s_%d" % (key, i)), one["boundaries"]["within_%d" % i][key])
            for kind, counts, prefix in ([("", one["entities"], "entity"), ("", one["entities"]["strict"], "entity_strict")] +
                                         [(t, one["entities"]["types"][t], "entity") for t in ("X", "Y")]):
                for key in ("correct", "precision", "recall", "f1"):
                    same((who, "", kind, prefix + "_" + key), counts[key])
            f1 = "%.4f" % one["entities"]["f1"]
            self.assertIn(f1, text)
            self.assertIn(f1, self.read("r.md").decode())
        for key in ("nll", "mask_ceiling"):
            same(("reference", "", "", key), result[key])
        for title in ("Entities: right when first token, last token and type are", "viterbi: each class against the rest",
                      "Runs: how many, and their mean length in tokens", "Accuracy by place in the reference",
                      "Changes of class found; edit score and F1@10, 25, 50 of the segments",
                      "Illegal transitions: how often, and the sentence with the most"):
            self.assertIn("\n" + title + "\n", text)
            self.assertIn("\n### " + title + "\n", self.read("r.md").decode().replace("\\@", "@"))
        # and gates know the rates
        for key in ("illegal_per_change", "illegal_per_hour", "changes_per_hour", "runs", "isolated_runs", "isolated_runs_share", "runs_ratio"):
            value = result["strategies"]["argmax"][key]
            for sign, status in (("<", 0), (">=", 4)):
                self.statepath("compare", "s.h5", "-m", "m.json", "-q", "-s", "argmax", "--epoch-seconds", "1", "--fail-if",
                               "argmax.%s %s %r" % (key, sign, value), status=status)

    def test_classes_one_against_the_rest(self):
        """Prevalence, PABAK, bias and the like of each class from their own definitions; undecoded steps are wrong, and no class."""
        rng = np.random.default_rng(25)
        for trial in range(6):
            K = int(rng.integers(2, 6))
            self.model(rng, K + 2)  # two classes that nobody has
            S = 200
            labels = np.where(rng.random(S) < .1, -1, rng.integers(0, K, S))
            path = np.where(rng.random(S) < .4, rng.integers(0, K, S), np.maximum(labels, 0))
            path[rng.random(S) < .05] = -1
            got = self.evaluate(np.array([0, S]), np.zeros(S, int), labels, path, K=K + 2)["strategies"]["x"]
            truth, said = labels[labels >= 0], path[labels >= 0]
            n = len(truth)
            self.assertEqual((got["scored"], got["correct"]), (n, (truth == said).sum()))
            self.assertAlmostEqual(got["accuracy"], (truth == said).mean(), places=12)
            self.assertEqual(sum(got["undecoded_steps"].values()), (said < 0).sum())
            f1 = []
            for k in range(K + 2):
                one = got["classes"]["c%d" % k]
                tp, fp, fn = (int(((truth == k) & (said == k)).sum()), int(((truth != k) & (said == k)).sum()),
                              int(((truth == k) & (said != k)).sum()))
                tn = n - tp - fp - fn
                po = (tp + tn) / n
                expected = {"support": tp + fn, "predicted": tp + fp, "prevalence": (tp + fn) / n, "pabak": 2 * po - 1, "bias": (fp - fn) / n,
                            "prevalence_index": (tp - tn) / n, "npv": tn / (tn + fn), "specificity": tn / (tn + fp)}
                for key, value in expected.items():
                    self.assertAlmostEqual(one[key], value, places=12, msg=key)
                if tp + fp + fn:
                    f1.append(2 * tp / (2 * tp + fp + fn))
                else:
                    self.assertEqual((one["f1"], one["recall"], one["precision"], one["kappa"]), (None,) * 4)
            # classes that nobody has do not pull the mean down
            self.assertAlmostEqual(got["macro_f1"], np.mean(f1), places=12)
            self.assertEqual(got["macro_f1_classes"], len(f1))

    def test_worked_likelihood(self):
        """scikit-learn's own example of its log loss, and its Brier score by hand."""
        self.write("m.json", json.dumps({"statepath_model": 1, "name": "m", "classes": ["ham", "spam"], "matrix": [[1, 1], [1, 1]]}))
        self.h5("s.h5", probs=np.array([[.1, .9], [.9, .1], [.8, .2], [.35, .65]]), labels=np.array([1, 0, 0, 1]), classes=["ham", "spam"])
        got = json.loads(self.statepath("compare", "s.h5", "-m", "m.json", "-s", "argmax", "--json", "-", "-q").stdout)
        self.assertAlmostEqual(got["nll"], 0.21616187468057912, places=12)
        self.assertAlmostEqual(got["calibration"]["brier"], 0.09125, places=12)

    def test_permuted_names(self):
        rng = np.random.default_rng(23)
        n_suspect = n_quiet = 0
        for trial in range(24):
            K = int(rng.integers(2, 9))
            _, names = self.model(rng, K)
            S = 60 * K
            labels = rng.integers(0, K, S)
            noise = [.05, .3, .6, .95][trial % 4]
            path = np.where(rng.random(S) < noise, rng.integers(0, K, S), labels)
            if trial % 3:
                path = rng.permutation(K)[path]
            if trial % 8 == 7:
                path[:] = 1  # one class throughout: no names would mend it
            got = self.evaluate(np.array([0, S]), np.zeros(S, int), labels, path, K=K)["strategies"]["x"]
            matrix = confusion_matrix(labels, path, labels=range(K))
            rows, columns = linear_sum_assignment(-matrix)
            name_of = np.empty(K, int)
            name_of[columns] = rows
            accuracy, kappa = accuracy_score(labels, path), cohen_kappa_score(labels, path)
            would, would_kappa = accuracy_score(labels, name_of[path]), cohen_kappa_score(labels, name_of[path])
            suspect = would > accuracy + .2 and would > 1.5 * accuracy and would_kappa > kappa + .2 and would_kappa >= .4
            self.assertEqual("labels_may_be_permuted" in got, suspect, (trial, accuracy, would))
            n_suspect, n_quiet = n_suspect + suspect, n_quiet + (not suspect)
            if not suspect:
                continue
            told = got["labels_may_be_permuted"]
            self.assertAlmostEqual(told["accuracy"], would, places=12)
            self.assertAlmostEqual(told["kappa"], would_kappa, places=12)
            self.assertEqual([told["names"]["c%d" % k] for k in range(K)], ["c%d" % k for k in name_of])
            for option, reader in (("--markdown", lambda: self.read("r.out").decode()),):
                text = " ".join(self.statepath("evaluate", "p.h5", "-m", "m.json", "-q", option, "r.out", "-f").stdout.split())
                for said in (text, " ".join(reader().replace("\\", "").split())):
                    self.assertIn("The classes may be named in another order than the labels: x would agree far better if ", said)
                    self.assertIn("(accuracy %.4f instead of %.4f)" % (would, accuracy), said)
        self.assertGreater(n_suspect, 5)
        self.assertGreater(n_quiet, 5)


st.main()

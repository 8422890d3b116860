"""Steps to review that `decode --review` lists, and what it says that correcting them brings: both computed here once more in numpy."""
import csv
import os
import re

import numpy as np

import statepath_test as st

CLASSES = ["quiet", "busy", "=2+3"]
ALLOW = np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1]], bool)


def viterbi(e):
    """[T] by the rules alone; None where there is no path."""
    w = np.where(ALLOW, 0, -np.inf)
    d, back = e[0].copy(), []
    for row in e[1:]:
        s = d[:, None] + w
        back.append(s.argmax(0))
        d = s.max(0) + row
    if d.max() == -np.inf:
        return None
    path = [int(d.argmax())]
    for b in back[::-1]:
        path.append(int(b[path[-1]]))
    return np.array(path[::-1])


def posterior(e):
    """Marginals [T,K], and p(class of u = k | class of t = c) as a function of t and u."""
    x, w = np.exp(e), ALLOW.astype(float)
    a, b = [x[0]], [np.ones(len(x[0]))]
    for row in x[1:]:
        a.append((a[-1] @ w) * row)
    for row in x[:0:-1]:
        b.append(w @ (row * b[-1]))
    a, b = np.array(a), np.array(b[::-1])
    m = a * b / (a * b).sum(1, keepdims=True)
    onwards = [(w * (x[t + 1] * b[t + 1])) / np.maximum((w * (x[t + 1] * b[t + 1])).sum(1, keepdims=True), 1e-300) for t in range(len(e) - 1)]

    def joint(t, u):
        if u < t:
            return joint(u, t).T
        j = np.diag(m[t])
        for v in range(t, u):
            j = j @ onwards[v]
        return j

    return m, joint


def gains(e):
    m, joint = posterior(e)
    T = len(e)
    return m, np.array([sum(joint(t, u).max(1).sum() - m[u].max() for u in range(T)) for t in range(T)])


class TestReview(st.TestCase):
    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(11)
        truth = (np.cumsum(rng.random(400) < 0.1) % 4)[:400]
        self.labels = np.array([0, 1, 2, 1])[truth]
        p = rng.gamma(0.3 + 0.6 * np.eye(3)[self.labels]) + 1e-4
        self.p = p / p.sum(1, keepdims=True)
        self.offsets = np.array([0, 150, 170, 171, 290, 400])
        self.p[160] = [1, 0, 0]
        self.p[161] = [0, 0, 1]  # the second recording has no path
        self.labels[300:310] = -1
        self.ids = ["night 1", "stuck", "one", '=cmd("x")', "night, 2"]
        self.model("m.json", CLASSES, matrix=ALLOW.astype(int).tolist())

    def scores(self, name, labels=True):
        data = {"probs": self.p, "offsets": self.offsets, "ids": self.ids, "classes": CLASSES}
        self.h5(name, **data, **({"labels": self.labels.astype(np.int32)} if labels else {}))

    def rows(self, name):
        with open(self.path(name), newline="") as f:
            return list(csv.DictReader(f))

    def recordings(self):
        return [(n, a, b) for n, (a, b) in enumerate(zip(self.offsets[:-1], self.offsets[1:])) if n != 1]

    def corrected(self, places):
        """Right steps when these are known: decoded anew; where there is no path then, as before but for them."""
        right = 0
        for n, a, b in self.recordings():
            e = np.log(np.maximum(self.p[a:b], 1e-300))
            plain = viterbi(e)
            known = [t for m, t in places if m == n and self.labels[a + t] >= 0]
            for t in known:
                e[t] = np.where(np.arange(3) == self.labels[a + t], 0, -np.inf)
            path = viterbi(e)
            path = plain.copy() if path is None else path
            path[known] = self.labels[a:b][known]
            right += int((path == self.labels[a:b]).sum())
        return right / int((self.labels >= 0).sum())

    def test_list(self):
        self.scores("in.h5")
        run = self.statepath("decode", "in.h5", "-m", "m.json", "-o", "p.h5", "--review", "5%", "--on-infeasible", "report", status=3)
        rows = self.rows("p.review.csv")
        self.assertEqual(len(rows), 20)
        self.assertEqual(list(rows[0]), ["recording", "step", "decoded", "likeliest", "probability", "gain", "reference"])
        worth = [float(row["gain"]) for row in rows]
        self.assertEqual(worth, sorted(worth, reverse=True))
        all_gains = {}
        names = {(id if not id.startswith("=") else "'" + id): n for n, id in enumerate(self.ids)}
        classes = CLASSES[:2] + ["'=2+3"]
        marginals = {n: gains(np.log(np.maximum(self.p[a:b], 1e-300))) for n, a, b in self.recordings()}
        places = []
        paths = self.arrays("p.h5")["paths/viterbi"]
        for row in rows:
            n, t = names[row["recording"]], int(row["step"])
            places.append((n, t))
            m, own = marginals[n]
            all_gains.setdefault(n, own)
            self.assertEqual(row["decoded"], classes[paths[self.offsets[n] + t]])
            self.assertEqual(row["likeliest"], classes[m[t].argmax()])
            self.assertAlmostEqual(float(row["probability"]), m[t].max(), places=5)
            label = self.labels[self.offsets[n] + t]
            self.assertEqual(row["reference"], classes[label] if label >= 0 else "")
        self.assertEqual(len(set(places)), 20)
        best = max((own.max(), -n) for n, (_, own) in marginals.items())
        self.assertAlmostEqual(worth[0], best[0], places=4)
        self.assertEqual(places[0], (-best[1], int(marginals[-best[1]][1].argmax())))
        said = re.search(r"corrected and decoded anew accuracy is ([0-9.]+), was ([0-9.]+); with as many of the least probable ([0-9.]+), taken\s+at random ([0-9.]+)", run.stderr)
        self.assertEqual(said.group(1), "%.4f" % self.corrected(places))
        self.assertEqual(said.group(2), "%.4f" % self.corrected([]))
        unsure = sorted((m[t].max(), n, t) for n, (m, _) in marginals.items() for t in range(len(m)))[:20]
        self.assertEqual(said.group(3), "%.4f" % self.corrected([(n, t) for _, n, t in unsure]))

    def test_the_same_without_labels_and_by_threads(self):
        self.scores("in.h5")
        self.scores("plain.h5", labels=False)
        self.statepath("decode", "in.h5", "-m", "m.json", "-o", "p.h5", "--review", "20", "--on-infeasible", "report", "--threads", "2", status=3)
        run = self.statepath("decode", "plain.h5", "-m", "m.json", "-o", "q.csv", "--review", "20", "--on-infeasible", "report", "--threads", "1", status=3)
        self.assertNotIn("corrected", run.stderr)
        with_labels, without = self.rows("p.review.csv"), self.rows("q.review.csv")
        self.assertEqual([{k: v for k, v in row.items() if k != "reference"} for row in with_labels], without)

    def test_equal_gains_and_labels_that_are_not_there(self):
        """Of recordings that are the same the first comes first; a step without a label corrects nothing."""
        self.p, self.labels, self.ids = np.tile(self.p[:50], (4, 1)), np.tile(self.labels[:50], 4), list("abcd")
        self.offsets = np.arange(0, 201, 50)
        self.labels[50:] = -1
        self.labels[1:50:3] = -1
        self.scores("in.h5")
        run = self.statepath("decode", "in.h5", "-m", "m.json", "-o", "p.h5", "--review", "38")
        rows = self.rows("p.review.csv")
        places = [(row["step"], row["recording"]) for row in rows]
        order = [(-float(row["gain"]), row["recording"]) for row in rows]
        self.assertEqual(order, sorted(order))
        self.assertEqual({recording: sum(r == recording for _, r in places) for recording in "abcd"}, {"a": 10, "b": 10, "c": 10, "d": 8})  # two of d gain the same
        own, e = self.labels[:50], np.log(self.p[:50])
        known = [t for t in (int(step) for step, recording in places if recording == "a") if own[t] >= 0]
        self.assertTrue(0 < len(known) < 10)
        for t in known:
            e[t] = np.where(np.arange(3) == own[t], 0, -np.inf)
        self.assertIn("accuracy is %.4f," % (viterbi(e) == own)[own >= 0].mean(), run.stderr)

    def test_the_first_step_of_a_recording_is_its_best(self):
        """Where confirming one step makes another worth more, their gains are listed as equal: the one that was
        chosen first still stands first."""
        rng, n, steps = np.random.default_rng(4), 500, 7
        self.p = rng.dirichlet([0.5] * 3, n * steps) * 0.98 + 0.02 / 3
        self.offsets, self.ids = np.arange(0, n * steps + 1, steps), ["r%d" % i for i in range(n)]
        self.scores("in.h5", labels=False)
        self.statepath("decode", "in.h5", "-m", "m.json", "-o", "p.h5", "--review", "100%")
        first, gain, n_equal = {}, {}, 0
        for row in self.rows("p.review.csv"):
            name = row["recording"]
            n_equal += gain.get(name) == row["gain"]
            gain[name] = row["gain"]
            first.setdefault(name, int(row["step"]))
        self.assertGreater(n_equal, 30)
        for i, name in enumerate(self.ids):
            worth = gains(np.log(self.p[self.offsets[i]:self.offsets[i + 1]]))[1]
            self.assertAlmostEqual(worth[first[name]], worth.max(), places=4, msg=name)

    def test_all_steps(self):
        """Known all, nothing is left to be wrong but what has no path, or breaks the rules and stays as it is."""
        self.scores("in.h5")
        run = self.statepath("decode", "in.h5", "-m", "m.json", "-o", "p.h5", "--review", "100%", "--on-infeasible", "report", status=3)
        rows = self.rows("p.review.csv")
        self.assertTrue(200 < len(rows) <= 380)
        self.assertTrue(all(float(row["gain"]) > 0 for row in rows))
        self.assertIn("at random %.4f" % ((self.labels[self.offsets[2]:] >= 0).sum() / (self.labels >= 0).sum() + 150 / (self.labels >= 0).sum()), run.stderr)

    def test_compare(self):
        """The same steps and the same gain in JSON, beside other strategies."""
        self.scores("in.h5")
        decoded = self.statepath("decode", "in.h5", "-m", "m.json", "-o", "p.h5", "--review", "20", "--on-infeasible", "report", status=3)
        compared = self.statepath("compare", "in.h5", "-m", "m.json", "--strategies", "argmax,greedy,viterbi", "-o", "q.csv", "--review", "20", "--json", "r.json",
                                  "--on-infeasible", "report", status=3)
        self.assertEqual(self.read("p.review.csv"), self.read("q.review.csv"))
        review = self.json("r.json")["review"]
        said = re.compile(r"accuracy is ([0-9.]+), was ([0-9.]+); with as many of the least probable ([0-9.]+), taken\s+at random ([0-9.]+)")
        figures = said.search(decoded.stderr).groups()
        self.assertEqual(said.search(compared.stderr).groups(), figures)
        self.assertEqual(tuple("%.4f" % review[key] for key in ("corrected", "accuracy", "least_probable", "random")), figures)
        self.assertEqual([review["strategy"], review["steps_left_out"], len(review["steps"])], ["viterbi", 0, 20])
        for step, row in zip(review["steps"], self.rows("p.review.csv")):
            plain = {k: v.removeprefix("'") for k, v in row.items()}
            self.assertEqual([step["id"], str(step["step"]), step.get("decoded", "-1"), step["likeliest"], step.get("reference", "")],
                             [plain[k] for k in ("recording", "step", "decoded", "likeliest", "reference")])
            self.assertEqual(["%.6g" % step[k] for k in ("probability", "gain")], [plain["probability"], plain["gain"]])
        for words, sentence in ((("--strategies", "argmax,greedy", "--json", "s.json"), "--review lists steps of paths that obey the rules, and no strategy makes such; --strategies viterbi does"),
                                ((), "--review lists steps: -o PATHS.h5 (of `compare` also --json) says where"),
                                (("--json", "s.json", "--cv", "2"), "--cv decodes with a model a fold; leave them out, or fit a model and compare with that")):
            run = self.statepath("compare", "in.h5", "-m", "m.json", "--review", "20", *words, status=2)
            self.assertIn(sentence, run.stderr)
            self.assertFalse(os.path.exists(self.path("s.json")))

    def test_bad(self):
        self.scores("in.h5")
        for share in ["0", "0%", "101%", "-2%", "2.5", "many", "%", "2%%", "nan", "inf"]:
            run = self.statepath("decode", "in.h5", "-m", "m.json", "-o", "p.h5", "--review=" + share, status=2)
            self.assertIn("review %s: a share of the steps, 2%%, or so many steps, 500" % share, run.stderr)
            self.assertFalse(os.path.exists(self.path("p.h5")) or os.path.exists(self.path("p.review.csv")))
        self.write("p.review.csv", "0.6,0.3,0.1\n" * 9)
        run = self.statepath("decode", "p.review.csv", "-m", "m.json", "-o", "p.h5", "--review", "2%", "-f", status=2)
        self.assertIn("p.review.csv: is the input file, which is never written to", run.stderr)
        self.write("p.review.csv", "mine\n")
        run = self.statepath("decode", "in.h5", "-m", "m.json", "-o", "p.h5", "--review", "2%", status=1)
        self.assertIn("p.review.csv exists and is kept; --force replaces it", run.stderr)
        self.assertFalse(os.path.exists(self.path("p.h5")))
        self.assertEqual(self.read("p.review.csv"), b"mine\n")


if __name__ == "__main__":
    st.main()

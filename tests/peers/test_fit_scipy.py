#!/usr/bin/env python3
"""The conditional random field that `statepath fit` writes against an independent one: the same objective in NumPy, minimised by SciPy."""
import json
import os
import sys

import numpy as np

import statepath_test as st

try:
    from scipy.optimize import minimize
    from scipy.special import logsumexp
except ImportError:
    print("skipped: needs python3-scipy")
    sys.exit(77)

K, PENALTY, SMOOTHING = 3, 2.0, 0.5
ALLOW = np.array([[1, 1, 0], [1, 1, 1], [1, 0, 1]], bool)
START = np.array([1, 1, 0], bool)


def make_data(seed):
    rng = np.random.default_rng(seed)
    recordings = []
    for length in (60, 80, 1, 45, 70):
        y = [int(rng.integers(2))]
        while len(y) < length:
            p = np.where(ALLOW[y[-1]], 0.2, 0.0)
            p[y[-1]] += 0.6
            y.append(int(rng.choice(K, p=p / p.sum())))
        e = rng.normal(size=(length, K)) + 1.5 * np.eye(K)[y]
        recordings.append((e - logsumexp(e, axis=1, keepdims=True), np.array(y)))
    return recordings


class Field:
    """theta = scale, bias [K], weights of the allowed pairs (row by row), starts, ends [K]."""

    def __init__(self, recordings):
        self.recordings = recordings
        self.pairs = np.argwhere(ALLOW)
        self.starts = np.flatnonzero(START)
        self.centre = self.from_counts()

    def unpack(self, theta):
        at = 1 + K
        w = np.full((K, K), -np.inf)
        w[ALLOW] = theta[at:at + len(self.pairs)]
        at += len(self.pairs)
        start = np.full(K, -np.inf)
        start[self.starts] = theta[at:at + len(self.starts)]
        return theta[0], theta[1:1 + K], w, start, theta[at + len(self.starts):]

    def from_counts(self):
        n, starts, steps = np.zeros((K, K)), np.zeros(K), np.zeros(K)
        for _, y in self.recordings:
            np.add.at(n, (y[:-1], y[1:]), 1)
            starts[y[0]] += 1
            steps += np.bincount(y, minlength=K)
        p = np.where(ALLOW, n + SMOOTHING, 0)
        p /= p.sum(axis=1, keepdims=True)
        s = np.where(START, starts + SMOOTHING, 0)
        s /= s.sum()
        prior = (steps + SMOOTHING) / (steps + SMOOTHING).sum()
        return np.concatenate([[1], -np.log(prior), np.log(p[ALLOW]), np.log(s[START]), np.zeros(K)])

    def value(self, theta):
        scale, bias, w, start, end = self.unpack(theta)
        total = PENALTY / 2 * np.sum((theta - self.centre) ** 2)
        for e, y in self.recordings:
            x = scale * e + bias
            a = start + x[0]
            for t in range(1, len(y)):
                a = logsumexp(a[:, None] + w, axis=0) + x[t]
            score = start[y[0]] + x[np.arange(len(y)), y].sum() + w[y[:-1], y[1:]].sum() + end[y[-1]]
            total += logsumexp(a + end) - score
        return total


class TestFit(st.TestCase):
    def test_optimum(self):
        recordings = make_data(4)
        field = Field(recordings)
        best = minimize(field.value, field.centre, method="BFGS", options={"gtol": 1e-6, "maxiter": 2000})
        scale, bias, w, start, end = field.unpack(best.x)
        self.write("rules.json", json.dumps({"statepath_model": 1, "name": "rules", "classes": ["a", "b", "c"],
                                             "matrix": ALLOW.astype(int).tolist(), "start": ["a", "b"]}))
        self.h5("d.h5", log_probs=np.concatenate([e for e, _ in recordings]), labels=np.concatenate([y for _, y in recordings]),
                offsets=np.cumsum([0] + [len(y) for _, y in recordings]), classes=["a", "b", "c"])
        self.statepath("fit", "d.h5", "--rules", "rules.json", "--method", "crf", "--penalty", str(PENALTY), "--tune", "none", "-o", "m.json")
        model = json.loads(self.read("m.json"))
        found = np.array([[np.nan if x is None else x for x in row] for row in model["log_weights"]])
        self.assertTrue(np.array_equal(np.isnan(found), ~ALLOW))
        self.assertAlmostEqual(1 / model["decoding"]["temperature"], scale, delta=1e-3)
        np.testing.assert_allclose(found[ALLOW], (w + bias)[ALLOW], atol=2e-3)
        np.testing.assert_allclose([model["start_log_weights"][c] for c in "ab"], (start + bias)[:2], atol=2e-3)
        np.testing.assert_allclose([model["end_log_weights"][c] for c in "abc"], end, atol=2e-3)

    def test_counts(self):
        recordings = make_data(5)
        y = np.concatenate([y for _, y in recordings])
        self.h5("d.h5", labels=y, offsets=np.cumsum([0] + [len(y) for _, y in recordings]), classes=["a", "b", "c"])
        said = self.statepath("fit", "d.h5", "-o", "m.json", "--name", "abc").stdout
        self.assertIn("fitted by counts, smoothing 0.5 on 256 labelled steps of 5 recordings", said)
        model = json.loads(self.read("m.json"))
        n = np.full((3, 3), SMOOTHING)
        for _, labels in recordings:
            np.add.at(n, (labels[:-1], labels[1:]), 1)
        np.testing.assert_allclose(model["probabilities"], n / n.sum(axis=1, keepdims=True), rtol=1e-12)
        self.assertEqual(model["name"], "abc")
        self.assertIn("d.h5 (5 recordings, 256 steps, %d bytes), statepath 1.0.0: statepath fit d.h5" % os.path.getsize(self.path("d.h5")),
                      model["source"])
        self.statepath("model", "check", "m.json")


st.main()

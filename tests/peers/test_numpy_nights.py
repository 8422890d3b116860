"""Recipes with numpy's draws give what numpy draws: labels exactly, signals to the last bits of sin and log."""
import json
import os

import h5py
import numpy as np

import statepath_test as st

PUBLISHED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "datasets", "published-experiment.recipe.json")


def draw(recipe):
    """The order of draws in signals.h, said once more in numpy."""
    s, classes = recipe["signals"], recipe["classes"]
    k, n = len(classes), s["samples"]
    start = np.array([recipe["start"].get(c, 0) for c in classes])
    seconds = np.linspace(0, n / s["rate"], n) if s.get("both_ends") else np.arange(n) / s["rate"]
    np.random.seed(recipe["seed"])

    def follow(path, steps):
        for _ in range(steps):
            row = np.array(recipe["transitions"][path[-1]])
            path.append(np.random.choice(k, p=row / row.sum()))
        return path

    if recipe.get("unused"):
        follow([0], recipe["unused"] - 1)
    labels, signals = [], []
    for _ in range(recipe["recordings"]):
        allowed = np.flatnonzero(start)
        first = np.random.choice(allowed) if len(set(start[allowed])) == 1 else np.random.choice(k, p=start / start.sum())
        night = follow([first], recipe["steps"] - 1)
        labels += night
        for c in night:
            x = sum([a * np.sin(2 * np.pi * f * seconds) for a, f in s["tones"].get(classes[c], [])], np.zeros(n))
            rows = []
            for channel in s["channels"]:
                base = rows[0] if rows else x
                rows.append(channel.get("gain", 1) * base + np.random.normal(0, channel.get("noise", 0), n))
            signals.append(rows)
    return np.array(labels), np.array(signals).astype(np.float32)


class TestNumpyDraws(st.TestCase):
    def check(self, recipe):
        self.write("r.json", json.dumps(recipe))
        self.statepath("simulate", "r.json", "-o", "s.h5", "--force", "-q")
        labels, signals = draw(recipe)
        with h5py.File(self.path("s.h5")) as f:
            np.testing.assert_array_equal(f["labels"][:], labels)
            x = f["signals"][:]
        np.testing.assert_allclose(x, signals, rtol=1e-6, atol=1e-6)
        self.assertLess((x != signals).mean(), 1e-3)
        return labels

    def test_the_published_nights(self):
        with open(PUBLISHED) as f:
            labels = self.check(json.load(f))
        self.assertEqual(np.bincount(labels).tolist(), [380, 290, 305, 274, 1])
        self.assertEqual(np.bincount(labels[:1000], minlength=5).tolist(), [362, 225, 220, 193, 0])
        self.assertEqual(np.bincount(labels[1000:]).tolist(), [18, 65, 85, 81, 1])

    def test_other_recipes(self):
        base = {"statepath_recipe": 1, "seed": 7, "classes": ["a", "b", "c", "d"], "recordings": 3, "steps": 40, "generator": "numpy",
                "start": {"b": 0.5, "d": 0.5},
                "transitions": [[0.7, 0.1, 0.1, 0.1], [0.3, 0.3, 0.2, 0.2], [0, 0, 1, 0], [0.25, 0.25, 0.25, 0.25]],
                "signals": {"rate": 50, "samples": 31, "tones": {"a": [[1, 3]], "c": [[1, 6], [2, 7], [0.5, 8]]},
                            "channels": [{"gain": 2, "noise": 0.7}, {"gain": 0.5, "noise": 0.3}, {"noise": 1}]}}
        for change in [{}, {"seed": 4294967295}, {"unused": 1}, {"unused": 17}, {"start": {"a": 0.2, "b": 0.3, "c": 0.5}}, {"start": {"c": 1}},
                       {"start": {"a": 0.25, "b": 0.25, "c": 0.25, "d": 0.25}}, {"steps": 1}]:
            with self.subTest(change):
                self.check(dict(base, **change))
        for change in [{"both_ends": True}, {"samples": 1, "both_ends": True}, {"samples": 2}]:
            with self.subTest(change):
                self.check(dict(base, signals=dict(base["signals"], **change)))


st.main()

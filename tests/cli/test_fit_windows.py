"""Windows over neighbouring steps: learnt, written, applied, refused."""
import json

import h5py
import numpy as np

import statepath_test as st

CLASSES = ["idle", "on", "off"]


def make(n=12, seed=1, noise=1.6):
    """Sticky classes, of which the classifier takes one for another."""
    rng = np.random.default_rng(seed)
    labels, offsets = [], [0]
    for _ in range(n):
        k = int(rng.integers(3))
        for _ in range(150):
            k = int(rng.integers(3)) if rng.random() < 0.03 else k
            labels.append(k)
        offsets.append(len(labels))
    labels = np.array(labels)
    e = rng.normal(size=(len(labels), 3)) * noise + np.array([[1, 0, 0], [0, 0, 1], [0, 1, 0]])[labels]
    e -= np.log(np.exp(e).sum(axis=1, keepdims=True))
    return {"log_probs": e, "labels": labels, "offsets": np.array(offsets), "classes": CLASSES, "ids": ["r%02d" % i for i in range(n)]}


def weighed(model, e, offsets):
    """By the definition, in a few lines of numpy; e in the model's order."""
    w = model["windows"]
    p = np.exp(e) / np.exp(e).sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore"):
        u = np.concatenate([np.maximum(np.log(p), w["floor"]), p], axis=1)
    z = w["scale"] * u[:, : e.shape[1]] + np.array(w["bias"])
    for first, end in zip(offsets[:-1], offsets[1:]):
        for t in range(first, end):
            for window in w["of"]:
                before, after = u[max(first, t - window["steps"]):t], u[t + 1:min(end, t + 1 + window["steps"])]
                z[t] += (before.mean(axis=0) if len(before) else u[t]) @ np.array(window["before"])
                z[t] += (after.mean(axis=0) if len(after) else u[t]) @ np.array(window["after"])
    return z - np.log(np.exp(z).sum(axis=1, keepdims=True))


class TestWindows(st.TestCase):
    def setUp(self):
        super().setUp()
        self.data = make()
        self.h5("d.h5", **self.data)

    def fit(self, name, *options, data="d.h5"):
        said = self.statepath("fit", data, "--method", "counts", "-o", name, *options).stdout
        return said, json.loads(self.read(name))

    def paths(self, data, model, *options):
        found = {}
        for s in ("argmax", "viterbi", "mea"):
            self.statepath("decode", data, "--model", model, "--strategies", s, "-o", "p.h5", "-f", *options)
            found[s] = self.arrays("p.h5")["paths/" + s]
        return found

    def test_they_are_taken_where_they_help_and_decode_as_defined(self):
        said, model = self.fit("m.json")
        self.assertRegex(said, r"windows: labels held out are 0\.\d{4} nats a step likelier with them, standard error 0\.\d{4}; accuracy of viterbi 0\.\d{4} better: taken\n")
        self.assertIn("scores weighed with those of neighbouring steps (windows)", model["description"])
        self.assertEqual([w["steps"] for w in model["windows"]["of"]], [2, 6, 18, 54])
        self.statepath("model", "check", "m.json")
        self.assertIn("decoding: scores are weighed with those of 54 steps around (windows)", self.statepath("model", "show", "m.json").stdout)
        got = self.paths("d.h5", "m.json")
        np.testing.assert_array_equal(got["argmax"], self.data["log_probs"].argmax(axis=1))
        self.h5("w.h5", **(self.data | {"log_probs": weighed(model, self.data["log_probs"], self.data["offsets"])}))
        self.write("plain.json", json.dumps({k: v for k, v in model.items() if k != "windows"}))
        wanted = self.paths("w.h5", "plain.json")
        for s in ("viterbi", "mea"):
            np.testing.assert_array_equal(got[s], wanted[s])
        turned = [2, 0, 1]
        self.h5("turned.h5", **(self.data | {"log_probs": self.data["log_probs"][:, turned], "classes": [CLASSES[k] for k in turned],
                                             "labels": np.argsort(turned)[self.data["labels"]]}))
        np.testing.assert_array_equal(np.array(turned)[self.paths("turned.h5", "m.json")["viterbi"]], got["viterbi"])

    def test_they_are_not_taken_where_they_are_not_wanted_or_say_nothing(self):
        said, model = self.fit("n.json", "--features", "none")
        self.assertNotIn("windows", said + json.dumps(model))
        rng = np.random.default_rng(2)
        noise = make(seed=3)
        noise["labels"] = rng.integers(3, size=len(noise["labels"]))
        self.h5("noise.h5", **noise)
        said, model = self.fit("o.json", data="noise.h5")
        self.assertRegex(said, r"windows: .*: not taken\n")
        self.assertNotIn("windows", model)
        labels = make()
        labels.pop("log_probs")
        self.h5("labels.h5", **labels)
        said, _ = self.fit("s.json", data="labels.h5")
        self.assertNotIn("windows", said)
        few = make(n=4)
        self.h5("few.h5", **few)
        said, model = self.fit("q.json", data="few.h5")
        self.assertIn("windows: not tried, because fewer than five labelled recordings (or groups) are too few to learn them from\n", said)
        self.assertNotIn("windows", model)
        said, model = self.fit("r.json", "--features", "windows", data="few.h5")
        self.assertIn("windows", model)

    def test_cross_validation_uses_them(self):
        self.write("rules.json", json.dumps({"statepath_model": 1, "classes": CLASSES, "forbid": {}}))
        right = {}
        for features in ("none", "auto"):
            self.statepath("compare", "d.h5", "--model", "rules.json", "--cv", "4", "--method", "counts", "--features", features, "--json", "c.json", "-f")
            found = json.loads(self.read("c.json"))
            right[features] = {name: s["accuracy"] for name, s in found["strategies"].items()}
        self.assertEqual(right["none"]["argmax"], right["auto"]["argmax"])
        self.assertGreater(right["auto"]["viterbi"], right["none"]["viterbi"])

    def test_figures_before_decoding_are_of_the_scores_as_given(self):
        self.fit("m.json")
        self.write("plain.json", json.dumps({"statepath_model": 1, "classes": CLASSES, "forbid": {}}))
        nll = {}
        for name in ("m.json", "plain.json"):
            self.statepath("compare", "d.h5", "--model", name, "--json", "c.json", "-f")
            found = json.loads(self.read("c.json"))
            nll[name] = found["nll"]
            self.assertEqual(found["strategies"]["argmax"]["accuracy"],
                             float(np.mean(self.data["log_probs"].argmax(axis=1) == self.data["labels"])))
        self.assertEqual(nll["m.json"], nll["plain.json"])

    def test_what_cannot_be_is_refused(self):
        _, model = self.fit("m.json")
        self.assertRegex(self.statepath("stream", "--model", "m.json", "--lag", "3", status=2, stdin="0 0 0\n").stderr,
                         r'weighs the 54 steps after each \("windows"\), which a stream does not have yet; fit it with --features none')
        broken = {"bias": [1, 2], "scale": "x", "floor": 1, "of": []}
        for key, value in broken.items():
            self.write("b.json", json.dumps(model | {"windows": model["windows"] | {key: value}}))
            self.assertIn('key "windows", "%s": needs' % key, self.statepath("model", "check", "b.json", status=1).stderr)
        of = model["windows"]["of"]
        for change, sentence in (({"steps": 0}, '"steps": needs a whole number'), ({"before": of[0]["before"][:5]}, '"before": needs 6 rows'),
                                 ({"after": [[1]] * 6}, "a row: needs 3 numbers"), ({"more": 1}, '"more" is not known')):
            self.write("b.json", json.dumps(model | {"windows": model["windows"] | {"of": [of[0] | change]}}))
            self.assertIn(sentence, self.statepath("model", "check", "b.json", status=1).stderr)
        self.h5("two.h5", **make(n=1))
        self.assertIn("`features` windows: there are no two labelled recordings (or groups)",
                      self.statepath("fit", "two.h5", "--method", "counts", "--features", "windows", "-o", "t.json", status=2).stderr.replace("--features", "`features`"))


if __name__ == "__main__":
    st.main()

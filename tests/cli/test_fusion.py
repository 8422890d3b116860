"""Several classifiers of the same recordings: weights learnt, written, applied to scores, refused."""
import json
import os

import h5py
import numpy as np

import statepath_test as st

CLASSES = ["idle", "on", "off"]
N, T = 12, 120


def labels_of(rng):
    out, k = [], 0
    for _ in range(T):
        k = int(rng.integers(3)) if rng.random() < 0.05 else k
        out.append(k)
    return np.array(out)


def scores_of(rng, labels, noise):
    e = rng.normal(size=(len(labels), 3)) * noise + 2 * np.eye(3)[labels]
    return e - np.log(np.exp(e).sum(axis=1, keepdims=True))


class TestFusion(st.TestCase):
    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(7)
        self.labels = np.concatenate([labels_of(rng) for _ in range(N)])
        self.ids = ["r%02d" % i for i in range(N)]
        self.a, self.b, self.noise = (scores_of(rng, self.labels, s) for s in (1.5, 1.5, 1.0))
        self.noise = rng.permutation(self.noise)
        self.file("a.h5", log_probs=self.a)
        self.file("b.h5", log_probs=self.b)

    def file(self, name, ids=None, lengths=None, order=None, labels=True, columns=(0, 1, 2), **scores):
        """Recordings in another order, or cut, where that is said."""
        order = range(N) if order is None else order
        parts, said, offsets = [], [], [0]
        kind, e = scores.popitem()
        for i in order:
            n = T if lengths is None else lengths[i]
            parts.append(e[i * T:i * T + n][:, list(columns)])
            said.append(self.labels[i * T:i * T + n])
            offsets.append(offsets[-1] + n)
        data = {kind: np.concatenate(parts), "offsets": np.array(offsets), "ids": [(ids or self.ids)[i] for i in order],
                "classes": [CLASSES[k] for k in columns]}
        if labels:
            data["labels"] = np.argsort(columns)[np.concatenate(said)]
        self.h5(name, **data)

    def fit(self, *files, name="m.json", options=()):
        said = self.statepath("fit", *files, "-o", name, "-f", "--method", "counts", "--features", "none", *options).stdout
        return said, json.loads(self.read(name))

    def decoded(self, *files, model="m.json", options=(), env=None, strategy="viterbi"):
        self.statepath("decode", *files, "--model", model, "--strategies", strategy, "-o", "p.h5", "-f", *options, env=env)
        with h5py.File(self.path("p.h5")) as f:
            return f["paths/" + strategy][:], f["path_scores/" + strategy][:]

    def weighted(self, weights, floor=0.0, model="m.json"):
        """Writes w.h5: the sum by numpy, and a model of the rest."""
        with np.errstate(divide="ignore"):
            terms = [w * np.maximum(e, np.log(floor)) for w, e in weights if w > 0]
        self.file("w.h5", scores=sum(terms))
        plain = json.loads(self.read(model))
        plain.pop("fusion")
        plain.get("decoding", {}).pop("floor", None)
        self.write("plain.json", json.dumps(plain))

    def test_two_are_fused_and_decoded_as_defined(self):
        said, model = self.fit("a.h5", "b.h5")
        self.assertEqual([c["name"] for c in model["fusion"]], ["a", "b"])
        self.assertEqual([c["weight"] for c in model["fusion"]], [0.5, 0.5])
        self.assertRegex(said, r"classifier +weight +learnt +held out +gain +error   accuracy of viterbi, and gain over the best alone\n"
                               r"a +0\.5000 +0\.\d{4} +0\.\d{4}\nb +0\.5000 +0\.\d{4} +0\.\d{4}\ntheir mean +0\.\d{4} +\+0\.\d{4} +0\.\d{4}\n"
                               r"learnt weights +0\.\d{4} +\+0\.\d{4} +0\.\d{4}\nfusion: the mean is kept, the simplest within one standard error of the best\n")
        self.assertRegex(model["description"], r"scores fused \(a 0\.5, b 0\.5\), accuracy held out 0\.\d{4} with the learnt weights, 0\.\d{4} with their mean, 0\.\d{4} with [ab] alone")
        self.statepath("model", "check", "m.json")
        self.assertIn("decoding: scores of several classifiers are fused: a 0.5, b 0.5\n", self.statepath("model", "show", "m.json").stdout)
        self.weighted([(0.5, self.a), (0.5, self.b)])
        for strategy in ("argmax", "viterbi", "mea"):
            got, want = self.decoded("a.h5", "b.h5", strategy=strategy), self.decoded("w.h5", model="plain.json", strategy=strategy)
            np.testing.assert_array_equal(got[0], want[0])
            np.testing.assert_allclose(got[1], want[1], rtol=1e-12)

    def test_a_fusion_is_better_than_each(self):
        def held_out(model):
            return json.loads(self.statepath("compare", *model, "--cv", "4", "--model", "all.json", "--strategies", "viterbi", "--method", "counts",
                                             "--features", "none", "--json", "-").stdout)["strategies"]["viterbi"]["accuracy"]
        self.write("all.json", json.dumps({"statepath_model": 1, "name": "all", "classes": CLASSES, "forbid": {}}))
        alone = max(held_out(["a.h5"]), held_out(["b.h5"]))
        self.assertGreater(held_out(["a.h5", "b.h5"]), alone + 0.01)
        done = self.statepath("compare", "a.h5", "b.h5", "--cv", "4", "--model", "all.json", "--method", "counts", "-q")
        self.assertEqual(done.stderr, "")

    def test_noise_plays_no_part(self):
        self.file("noise.h5", log_probs=self.noise)
        said, model = self.fit("noise.h5", "a.h5")
        self.assertEqual([c["weight"] for c in model["fusion"]], [0, 1])
        self.assertIn("fusion: the best classifier alone is kept", said)
        self.assertRegex(said, r"\nnoise +0\.0000 +0\.0[0-4]\d\d ")
        alone = self.fit("a.h5", name="alone.json")[1]
        self.assertEqual({k: v for k, v in model.items() if k not in ("description", "source", "fusion")},
                         {k: v for k, v in alone.items() if k not in ("description", "source")})
        for a, b in zip(self.decoded("noise.h5", "a.h5"), self.decoded("a.h5", model="alone.json")):
            np.testing.assert_array_equal(a, b)

    def test_three_and_unjudged(self):
        self.file("c.h5", logits=self.noise + self.a)
        said, model = self.fit("a.h5", "b.h5", "c.h5", options=("--tune", "none"))
        self.assertIn("fusion: the learnt weights are kept; nothing was judged\n", said)
        self.assertAlmostEqual(sum(c["weight"] for c in model["fusion"]), 1, 3)

    def test_order_of_recordings_columns_and_kinds(self):
        self.fit("a.h5", "b.h5")
        want = self.decoded("a.h5", "b.h5")
        order = list(range(N))[::-1]
        self.file("b.h5", order=order, log_probs=self.b)
        got = self.decoded("a.h5", "b.h5")
        np.testing.assert_array_equal(got[0], want[0])
        self.file("b.h5", columns=(2, 0, 1), logits=self.b + 3)
        self.file("a.h5", probs=np.exp(self.a))
        got = self.decoded("a.h5", "b.h5")
        np.testing.assert_array_equal(got[0], want[0])
        np.testing.assert_allclose(got[1], want[1], rtol=1e-9)
        self.assertEqual(self.fit("a.h5", "b.h5", name="m2.json")[1]["fusion"], json.loads(self.read("m.json"))["fusion"])
        self.assertEqual(os.listdir(self.folder).count("m2.json"), 1)

    def test_zeros(self):
        """-inf of one stays unless a floor raises it, of the one of weight 0 it says nothing."""
        zeros = self.b.copy()
        zeros[5] = np.log([1e-300, 1, 1e-300])
        zeros[5, [0, 2]] = -np.inf
        self.file("b.h5", log_probs=zeros)
        model = {"statepath_model": 1, "name": "m", "classes": CLASSES, "matrix": np.ones((3, 3), int).tolist(),
                 "fusion": [{"name": "a", "weight": 1}, {"name": "b", "weight": 0.25}]}
        self.write("m.json", json.dumps(model))
        got = self.decoded("a.h5", "b.h5")[0]
        self.assertEqual(got[5], 1)
        self.weighted([(1, self.a), (0.25, zeros)], floor=1e-3)
        for a, b in zip(self.decoded("a.h5", "b.h5", options=("--floor", "1e-3")), self.decoded("w.h5", model="plain.json")):
            np.testing.assert_allclose(a, b, rtol=1e-12)
        n = int((np.exp(self.a) < 1e-3).sum() + (np.exp(zeros) < 1e-3).sum())
        for env in ({}, {"STATEPATH_WHOLE_BYTES": "500"}):
            said = self.statepath("decode", "a.h5", "b.h5", "--model", "m.json", "-o", "p.h5", "-f", "--floor", "1e-3", env=env).stderr
            self.assertIn("%d score%s raised to the floor 0.001\n" % (n, " was" if n == 1 else "s were"), said)
        self.file("n.h5", log_probs=np.where(np.arange(N * T)[:, None] == 9, np.nan, self.b))
        self.assertIn("1 step with NaN says nothing", self.statepath("decode", "a.h5", "n.h5", "--model", "m.json", "-o", "p.h5", "-f", "--missing", "uniform").stderr)
        self.assertIn("n.h5: /log_probs, recording r00, step 9", self.statepath("decode", "a.h5", "n.h5", "--model", "m.json", "-o", "p.h5", "-f", status=1).stderr)
        model["decoding"] = {"floor": 1e-3}
        self.write("m.json", json.dumps(model))
        for a, b in zip(self.decoded("a.h5", "b.h5"), self.decoded("w.h5", model="plain.json")):
            np.testing.assert_allclose(a, b, rtol=1e-12)
        zeros[:] = -np.inf
        zeros[:, 0] = 0
        self.file("b.h5", log_probs=zeros)
        model = dict(model, fusion=[{"name": "a", "weight": 1}, {"name": "b", "weight": 0}], decoding={})
        self.write("m.json", json.dumps(model))
        np.testing.assert_array_equal(self.decoded("a.h5", "b.h5", strategy="argmax")[0], self.a.argmax(axis=1))

    def test_a_floor_is_learnt_of_each(self):
        rng = np.random.default_rng(3)
        sharp = np.exp(self.b)
        sharp[rng.random(len(sharp)) < 0.2] = [0, 0, 1]
        self.file("b.h5", probs=sharp)
        self.write("turns.json", json.dumps({"statepath_model": 1, "name": "turns", "classes": CLASSES,
                                             "allow": {"idle": ["idle", "on"], "on": ["on", "off"], "off": ["off", "idle"]}}))
        said, model = self.fit("a.h5", "b.h5", options=("--rules", "turns.json"))
        self.assertIn("floor", model["decoding"])
        weights = [c["weight"] for c in model["fusion"]]
        with np.errstate(divide="ignore"):
            self.weighted([(weights[0], self.a), (weights[1], np.log(sharp))], floor=model["decoding"]["floor"])
        for a, b in zip(self.decoded("a.h5", "b.h5"), self.decoded("w.h5", model="plain.json")):
            np.testing.assert_allclose(a, b, rtol=1e-12)

    def test_pieces_and_threads(self):
        self.fit("a.h5", "b.h5")
        want = self.decoded("a.h5", "b.h5")
        got = self.decoded("a.h5", "b.h5", env={"STATEPATH_WHOLE_BYTES": "500"})
        np.testing.assert_array_equal(got[0], want[0])
        self.fit("a.h5", "b.h5", name="t.json", options=("--threads", "3"))
        known = [json.loads(self.read(name)) for name in ("m.json", "t.json")]
        self.assertEqual(*[{k: v for k, v in m.items() if k != "source"} for m in known])

    def test_page_has_no_what_if(self):
        self.fit("a.h5", "b.h5")
        self.statepath("compare", "a.h5", "b.h5", "--model", "m.json", "--report", "r.html", "-q")
        self.assertIn("the scores are fused of several classifiers, which a page does not have", self.read("r.html").decode())

    def test_labels_of_a_file_of_their_own(self):
        self.fit("a.h5", "b.h5")
        self.h5("labels.h5", labels=self.labels, offsets=np.arange(N + 1) * T, ids=self.ids)
        self.file("a.h5", labels=False, log_probs=self.a)
        self.file("b.h5", labels=False, log_probs=self.b)
        model = self.fit("a.h5", "b.h5", name="l.json", options=("--labels", "labels.h5"))[1]
        self.assertEqual({k: v for k, v in model.items() if k != "source"},
                         {k: v for k, v in json.loads(self.read("m.json")).items() if k != "source"})
        said = self.statepath("compare", "a.h5", "b.h5", "--labels", "labels.h5", "--model", "l.json", "--json", "-", "-q").stdout
        self.assertGreater(json.loads(said)["strategies"]["viterbi"]["accuracy"], 0.8)

    def test_refused(self):
        self.fit("a.h5", "b.h5")
        one = "model fitted fuses the scores of 2 classifiers (a, b), and there %s %d; give those of all, in this order"
        self.refuses("decode", "a.h5", "--model", "m.json", "-o", "q.h5", sentence=one % ("is", 1))
        self.refuses("mask", "leak", "a.h5", "--model", "m.json", sentence=one % ("is", 1))
        self.refuses("decode", "b.h5", "a.h5", "--model", "m.json", "-o", "q.h5",
                     sentence="b.h5 is given as number 1, and model fitted fuses b as number 2; give the files in that order")
        self.file("c.h5", log_probs=self.noise)
        self.refuses("decode", "a.h5", "b.h5", "c.h5", "--model", "m.json", "-o", "q.h5", sentence=one % ("are", 3))
        self.refuses("decode", "a.h5", "a.h5", "--model", "m.json", "-o", "q.h5", status=2,
                     sentence="a.h5 is named twice; a fusion is of different classifiers")
        self.refuses("compare", "a.h5", "--model", "m.json", "--against", "b=b.h5", sentence=one % ("is", 1))
        self.refuses("stream", "--model", "m.json", "--lag", "3", status=2,
                     sentence='model fitted fuses the scores of 2 classifiers ("fusion"), and a stream has those of one; decode recordings')
        self.refuses("fit", "a.h5", "b.h5", "-o", "q.json", "--method", "em", status=2,
                     sentence="several classifiers are fused by weights that are learnt from scores and labels, and --method em learns from the "
                              "scores alone; give it one of them")
        self.refuses("fit", "a.h5", "b.h5", "-o", "q.json", "--calibrate", status=2,
                     sentence="--calibrate is of the scores of one classifier, and there are 2; name one file")
        hint = "; where files hold other recordings by the same ids, name them as one: a folder, or a pattern such as 'night{id}.h5'"
        self.file("c.h5", lengths=[T - (i == 3) for i in range(N)], log_probs=self.b)
        self.refuses("fit", "a.h5", "c.h5", "-o", "q.json", sentence="a.h5 and c.h5 do not match; steps differ: r03 (120 and 119)" + hint)
        self.file("c.h5", order=range(N - 1), log_probs=self.b)
        mixed = ("a.h5 and c.h5 both hold a recording r10, but each other recordings too: classifiers of the same recordings hold the same ones; "
                 "files of different recordings whose ids are the same are named as one: a folder, or a pattern such as 'night{id}.h5'")
        self.refuses("fit", "a.h5", "c.h5", "-o", "q.json", sentence=mixed)
        self.refuses("decode", "a.h5", "c.h5", "--model", "m.json", "-o", "q.h5", sentence="a.h5 and c.h5 do not match; only in a.h5: r11")
        self.file("c.h5", log_probs=self.b)
        self.file("d.h5", ids=["s%02d" % i for i in range(N)], log_probs=self.b)
        self.refuses("fit", "a.h5", "c.h5", "d.h5", "-o", "q.json",
                     sentence="some of the files hold the recordings of a.h5 and others do not: classifiers of the same recordings are fused, and other "
                              "recordings of one classifier are joined; name files of one kind")
        with h5py.File(self.path("c.h5"), "a") as f:
            f.attrs["classes"] = ["idle", "on", "broken"]
        self.assertIn("broken", self.statepath("fit", "a.h5", "c.h5", "-o", "q.json", status=1).stderr)
        self.file("c.h5", log_probs=self.b)
        with h5py.File(self.path("c.h5"), "a") as f:
            f["labels"][7] = (f["labels"][7] + 1) % 3
        self.assertIn("labels are taken from a.h5, and those of the other must agree", self.statepath("fit", "a.h5", "c.h5", "-o", "q.json", status=1).stderr)
        self.assertFalse({"q.json", "q.h5"} & set(self.files()))

    def test_inspect_says_that_they_would_be_fused(self):
        said = "the same    each file has recordings of the same ids: `fit` takes the files for classifiers of them, which it fuses\n"
        self.assertIn(said, self.statepath("inspect", "a.h5", "b.h5").stdout)
        self.file("c.h5", ids=["s%02d" % i for i in range(N)], log_probs=self.b)
        for words in (["a.h5"], ["a.h5", "c.h5"], ["a.h5", "b.h5", "c.h5"]):
            self.assertNotIn(said, self.statepath("inspect", *words).stdout)

    def test_other_recordings_are_joined(self):
        self.file("c.h5", ids=["s%02d" % i for i in range(N)], log_probs=self.b)
        said, model = self.fit("a.h5", "c.h5")
        self.assertNotIn("fusion", model)
        self.assertIn("of 24 recordings", model["description"])

    def test_folders_and_patterns(self):
        """A word that stands for many files is one classifier."""
        self.fit("a.h5", "b.h5")
        want = self.decoded("a.h5", "b.h5")[0]
        for folder, e in (("a", self.a), ("b", self.b)):
            os.mkdir(self.path(folder))
            for i, name in enumerate(self.ids):
                self.h5(os.path.join(folder, name + ".h5"), log_probs=e[i * T:(i + 1) * T], labels=self.labels[i * T:(i + 1) * T], classes=CLASSES)
        for words in (("a", "b"), ("a/{id}.h5", "b/{id}.h5")):
            self.assertEqual([c["weight"] for c in self.fit(*words, name="f.json")[1]["fusion"]], [0.5, 0.5])
            np.testing.assert_array_equal(self.decoded(*words, model="f.json")[0], want)
        self.assertEqual([c["name"] for c in self.fit(*words, name="f.json")[1]["fusion"]], list(words))
        plain = dict(json.loads(self.read("m.json")))
        del plain["fusion"]
        self.write("plain.json", json.dumps(plain))
        self.assertIn("of several classifiers of the same recordings, a folder or a pattern each, `statepath fit` learns a fusion",
                      self.statepath("decode", "a/r00.h5", "b/r00.h5", "--model", "plain.json", "-o", "q.h5", status=1).stderr)

    def test_wrong_models(self):
        start = {"statepath_model": 1, "name": "m", "classes": CLASSES, "matrix": np.ones((3, 3), int).tolist()}
        for fusion, sentence in (
                (3, "needs a list of 2 to 16 classifiers, as `statepath fit` writes it"),
                ([{"name": "a", "weight": 1}], "needs a list of 2 to 16 classifiers, as `statepath fit` writes it"),
                ([{"name": "a", "weight": 1}, {"name": "b", "weight": -1}], 'needs a number from 0 on'),
                ([{"name": "a", "weight": 1}, {"name": "b"}], 'needs a number from 0 on'),
                ([{"name": "a", "weight": 1}, {"name": "", "weight": 1}], "the name of a classifier"),
                ([{"name": "a", "weight": 1}, {"nam": "b", "weight": 1}], 'key "nam" is not known'),
                ([{"name": "a", "weight": 1}, {"name": "a", "weight": 1}], "names that differ"),
                ([{"name": "a", "weight": 0}, {"name": "b", "weight": 0}], "one of them above 0")):
            self.write("w.json", json.dumps(dict(start, fusion=fusion)))
            self.assertIn(sentence, self.statepath("model", "check", "w.json", status=1).stderr)


if __name__ == "__main__":
    st.main()

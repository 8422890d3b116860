"""simulate, train, predict, compare: from signals to stages."""
import json

import h5py
import numpy as np

import statepath_test as st

RECIPE = {
    "statepath_recipe": 1, "seed": 3, "classes": ["a", "b", "c"], "recordings": 10, "steps": 30, "start": {"a": 0.5, "b": 0.5},
    "transitions": [[0.9, 0.1, 0], [0, 0.9, 0.1], [0.1, 0, 0.9]],
    "signals": {"rate": 50, "samples": 200, "tones": {"a": [[1, 3]], "b": [[1, 6]], "c": [[1, 10]]},
                "channels": [{"noise": 0.7}, {"gain": 0.5, "noise": 0.3}], "test": 3}}
MODEL = {"statepath_model": 1, "name": "abc", "classes": ["c", "a", "b"], "allow": {"a": ["a", "b"], "b": ["b", "c"], "c": ["c", "a"]}}


class TestTrain(st.TestCase):
    def setUp(self):
        super().setUp()
        self.write("r.json", json.dumps(RECIPE))
        self.write("abc.json", json.dumps(MODEL))
        self.statepath("simulate", "r.json", "-o", "s.h5", stdout="", stderr="wrote s.h5: 10 recordings, 300 steps of 2 x 200 samples\n")

    def train(self, *more, **how):
        return self.statepath("train", "s.h5", "-o", "w.h5", *more, **how)

    def weights(self, name="w.h5"):
        found = self.arrays(name)
        return {p: found[p] for p in ("layer1/weight", "layer2/bias", "layer3/weight", "output/weight", "output/bias")}

    def test_inspect_says_that_these_are_signals(self):
        with h5py.File(self.path("s.h5")) as f:
            count = [int((f["labels"][:] == k).sum()) for k in range(3)]
            low, high = f["signals"][:].min(), f["signals"][:].max()
        self.statepath("inspect", "s.h5", stderr="", stdout="""s.h5
signals     /signals: what a sensor measured, not scores
recordings  10: r01, r02, r03, r04, r05, r06 and 4 more
steps       300, each of 2 channels of 200 samples at 50 a second (4 s)
classes     3: a, b, c
split       7 recordings for training, 3 for testing (90 steps)
labels      a %d, b %d, c %d, unscored 0
numbers     all finite, from %.4g to %.4g

next: statepath train s.h5 -o weights.h5
      statepath predict s.h5 --weights weights.h5 --split test -o scores.h5
""" % (*count, low, high))
        self.h5("bare.h5", signals=np.zeros((4, 90), np.float32))
        self.assertIn("labels      none: such signals can be predicted", self.statepath("inspect", "bare.h5").stdout)
        self.h5("broken.h5", signals=np.array([[1.0, np.nan]]))
        done = self.statepath("inspect", "broken.h5", status=1)
        self.assertIn("broken.h5: /signals", done.stderr)
        self.h5("both.h5", signals=np.zeros((2, 9)), log_probs=np.log(np.full((2, 2), 0.5)))
        self.assertIn("scores      /log_probs", self.statepath("inspect", "both.h5").stdout)

    def test_from_signals_to_stages(self):
        with h5py.File(self.path("s.h5")) as f:
            self.assertEqual(f["signals"].shape, (300, 2, 200))
            self.assertEqual(f["signals"].dtype, np.float32)
            self.assertEqual(f["split"][:].tolist(), [0] * 7 + [1] * 3)
            self.assertEqual(f.attrs["rate"], 50)
            self.assertEqual(json.loads(f.attrs["recipe"])["signals"]["tones"], RECIPE["signals"]["tones"])
            labels = f["labels"][:]
        done = self.train("--epochs", "6", stderr="wrote w.h5\n")
        lines = done.stdout.splitlines()
        self.assertEqual(lines[0], "epoch      loss  accuracy test loss  test acc")
        self.assertEqual(len(lines), 7)
        self.assertGreater(float(lines[6].split()[4]), 0.95)
        with h5py.File(self.path("w.h5")) as f:
            self.assertEqual(f["layer1/weight"].shape, (50, 2, 32))
            self.assertEqual(f["output/weight"].shape, (128, 3))
            self.assertEqual(len(f["history/loss"]), 6)
            self.assertEqual(f.attrs["masking"], "none")
        self.statepath("predict", "s.h5", "--weights", "w.h5", "--split", "test", "-o", "p.h5", stdout="",
                       stderr="wrote p.h5: 3 recordings, 90 steps\n")
        with h5py.File(self.path("p.h5")) as f:
            scores = f["log_probs"][:].astype(np.float64)
            self.assertEqual(f["labels"][:].tolist(), labels[210:].tolist())
            self.assertEqual(f["offsets"][:].tolist(), [0, 30, 60, 90])
            self.assertEqual([i.decode() for i in f["ids"][:]], ["r08", "r09", "r10"])
            self.assertEqual([c.decode() for c in f["classes"][:]], ["a", "b", "c"])
        self.assertLess(np.abs(np.log(np.exp(scores).sum(axis=1))).max(), 1e-5)
        self.assertGreater((scores.argmax(axis=1) == labels[210:]).mean(), 0.95)
        self.statepath("compare", "p.h5", "--model", "abc.json", "--json", "r.json", "--force")
        self.assertGreater(json.loads(self.read("r.json"))["strategies"]["viterbi"]["accuracy"], 0.95)

    def test_weights_are_kept(self):
        self.train("--epochs", "1")
        self.refuses("train", "s.h5", "-o", "w.h5", sentence="w.h5 exists and is kept; --force replaces it")

    def test_masking(self):
        self.refuses("train", "s.h5", "-o", "w.h5", "--masking", "random-previous", status=2,
                     sentence="train: --masking random-previous needs the rules: --model M is missing")
        self.refuses("train", "s.h5", "-o", "w.h5", "--masking", "some", "--model", "abc.json", status=2,
                     sentence="--masking some: it is none, random-previous, true-previous or step-mask")
        done = self.train("--epochs", "1", "--masking", "random-previous", "--model", "abc.json")
        loss = float(done.stdout.splitlines()[1].split()[1])
        self.assertTrue(5e7 < loss < 4e8, loss)  # a third of half of the steps have their own logit killed: 1.7e8
        done = self.train("--epochs", "2", "--masking", "true-previous", "--model", "abc.json", "--force")
        self.assertLess(float(done.stdout.splitlines()[2].split()[1]), 2)
        with h5py.File(self.path("s.h5"), "a") as f:
            labels = f["labels"][:]
            self.assertEqual(labels[0], labels[1])
            t = int(np.flatnonzero(labels[:29] != labels[1:30])[0])
            f["labels"][t + 1] = (labels[t] + 2) % 3
            wrong, before = "abc"[(labels[t] + 2) % 3], "abc"[labels[t]]
        done = self.statepath("train", "s.h5", "-o", "w2.h5", "--masking", "true-previous", "--model", "abc.json", status=1, stdout="")
        self.assertIn("s.h5: recording r01, step %d: %s after %s is forbidden, so its masked loss would be infinite" % (t + 1, wrong, before),
                      done.stderr)
        self.assertNotIn("w2.h5", self.files())

    def put(self, **sets):
        with h5py.File(self.path("s.h5"), "a") as f:
            for name, values in sets.items():
                if name in f:
                    del f[name]
                f[name] = values
            return f["labels"][:]

    def test_weights_of_steps(self):
        labels = self.put()
        self.train("--epochs", "1")
        plain = self.weights()
        self.put(weights=np.ones(300))
        self.train("--epochs", "1", "--force", stderr="s.h5: each step counts by its weight\nwrote w.h5\n")
        for path, value in self.weights().items():
            self.assertTrue(np.array_equal(value, plain[path]), path)
        # steps of weight 0 are as good as without a label
        some = np.arange(300) % 4 != 0
        self.put(weights=some.astype(np.uint8))
        weighted = self.train("--epochs", "2", "--force").stdout
        with_zeros = self.weights()
        self.put(labels=np.where(some, labels, -1).astype(np.int8), weights=np.ones(300, np.float16))
        self.assertEqual(self.train("--epochs", "2", "--force").stdout, weighted)
        for path, value in self.weights().items():
            self.assertTrue(np.array_equal(value, with_zeros[path]), path)
        # uncertain labels: a class whose labels are wrong, but hardly count, is learnt from those that are right
        rng = np.random.default_rng(1)
        wrong = rng.random(300) < 0.45
        wrong[210:] = False
        self.put(labels=np.where(wrong, (labels + 1) % 3, labels).astype(np.int8), weights=np.where(wrong, 0.01, 1))
        accuracy = float(self.train("--epochs", "6", "--force").stdout.splitlines()[6].split()[4])
        self.assertGreater(accuracy, 0.95)
        for weights, sentence in [(np.where(np.arange(300) == 34, -1.0, 1), "s.h5: dataset /weights, recording r02, step 4: -1 is not a number from 0 up"),
                                  (np.where(np.arange(300) == 30, np.nan, 1), "s.h5: dataset /weights, recording r02, step 0: nan is not a number from 0 up"),
                                  (np.ones(299), "s.h5: dataset /weights has shape [299], but must have [300] to go with /signals"),
                                  (np.ones((300, 3)), "s.h5: dataset /weights has shape [300, 3], but must have [300] to go with /signals")]:
            self.put(weights=weights)
            self.refuses("train", "s.h5", "-o", "x.h5", sentence=sentence)
        self.put(weights=np.zeros(300))
        self.refuses("train", "s.h5", "-o", "x.h5", sentence="no step with a label to learn from")

    def test_masks_of_steps(self):
        self.refuses("train", "s.h5", "-o", "w.h5", "--masking", "step-mask",
                     sentence='s.h5: --masking step-mask needs masks; write 0 and 1 [300, 3] beside /signals, as "mask": 1 where a class can occur')
        self.train("--epochs", "2")
        plain = self.weights()
        mask = np.ones((300, 3), bool)
        labels = self.put(mask=mask)
        self.train("--epochs", "2", "--masking", "step-mask", "--force")
        for path, value in self.weights().items():  # a mask that forbids nothing changes nothing
            self.assertTrue(np.allclose(value, plain[path], atol=1e-5), path)
        # nothing but the label: there is nothing to learn, and nothing to err in
        self.put(mask=labels[:, None] == np.arange(3))
        lines = self.train("--epochs", "1", "--masking", "step-mask", "--force").stdout.splitlines()
        self.assertEqual(lines[1].split(), ["1", "0.0000", "1.0000", "0.0000", "1.0000"])
        # the label and one more: half of what can be said is right before anything is learnt
        self.put(mask=((labels[:, None] == np.arange(3)) | ((labels[:, None] + 1) % 3 == np.arange(3))).astype(np.uint8))
        self.train("--epochs", "6", "--masking", "step-mask", "--force", "--report", "r.html", "--model", "abc.json")
        page = self.read("r.html").decode()
        self.assertRegex(page, r"<p>Trained with the masks of the data, the network is right at (8[5-9]|90) of 90 testing steps \([\d.]+ %\)\.</p>")
        self.assertNotIn("meant to fail", page)
        with h5py.File(self.path("w.h5")) as f:
            self.assertEqual(f.attrs["masking"], "step-mask")
            self.assertIn(f.attrs["rules"], ("", b""))
        for t, name in [(34, "r02, step 4"), (299, "r10, step 29")]:  # of training, of testing
            mask[t, labels[t]] = False
            self.put(mask=mask)
            self.refuses("train", "s.h5", "-o", "x.h5", "--masking", "step-mask",
                         sentence="s.h5: recording %s: the mask forbids %s, which is the step's label, so its masked loss would be infinite; allow it "
                                  "in the mask, set the label to -1 or the weight to 0, or train with --masking none" % (name, "abc"[labels[t]]))
            mask[t] = True
        self.put(mask=np.where(np.arange(300)[:, None] == 31, 2, np.ones((300, 3))))
        self.refuses("train", "s.h5", "-o", "x.h5", sentence="s.h5: dataset /mask, recording r02, step 1, class 0: 2 is not 0 or 1")
        self.put(mask=np.ones((300, 4), np.uint8))
        self.refuses("train", "s.h5", "-o", "x.h5", sentence="s.h5: dataset /mask has shape [300, 4], but must have [300, 3] to go with /signals")

    def test_predict_carries_weights_and_mask(self):
        """What the file of signals says beside them stands beside the scores, in the columns of the network."""
        with h5py.File(self.path("s.h5"), "a") as f:
            steps, first = len(f["labels"]), int(f["offsets"][7])
            weights = np.arange(steps) / 8
            mask = np.ones((steps, 3), bool)
            mask[np.arange(steps) % 5 == 0, 1] = False
        self.train("--epochs", "1", "-q")
        self.statepath("predict", "s.h5", "-w", "w.h5", "-o", "without.h5", "-q")
        with h5py.File(self.path("without.h5")) as f:
            self.assertFalse("weights" in f or "mask" in f)
            scores = f["log_probs"][:]
        with h5py.File(self.path("s.h5"), "a") as f:
            f["weights"], f["mask"] = weights, mask
        self.statepath("predict", "s.h5", "-w", "w.h5", "-o", "all.h5", "-q")
        self.statepath("predict", "s.h5", "-w", "w.h5", "--split", "test", "-o", "test.h5", "-q")
        for name, begin in (("all.h5", 0), ("test.h5", first)):
            with h5py.File(self.path(name)) as f:
                self.assertEqual([f["weights"].dtype, f["mask"].dtype], [np.float64, np.bool_])
                np.testing.assert_array_equal(f["weights"][:], weights[begin:])
                np.testing.assert_array_equal(f["mask"][:], mask[begin:])
                np.testing.assert_array_equal(f["log_probs"][:], scores[begin:])
        self.assertIn("beside      labels weights mask", self.statepath("inspect", "test.h5").stdout)
        self.statepath("decode", "test.h5", "-m", "abc.json", "-s", "argmax", "-o", "p.h5", "-q")
        with h5py.File(self.path("p.h5")) as f:  # the mask counts
            self.assertTrue(mask[first:][np.arange(steps - first), f["paths/argmax"][:]].all())
        with h5py.File(self.path("s.h5"), "a") as f:  # the same steps, other columns
            f["classes"][:] = [b"c", b"a", b"b"]
            f["labels"][:] = (f["labels"][:] + 1) % 3
            f["mask"][:] = mask[:, [2, 0, 1]]
        self.statepath("predict", "s.h5", "-w", "w.h5", "-o", "turned.h5", "-q")
        with h5py.File(self.path("all.h5")) as a, h5py.File(self.path("turned.h5")) as b:
            for name in ("log_probs", "labels", "weights", "mask", "classes"):
                np.testing.assert_array_equal(a[name][:], b[name][:])

    def test_page(self):
        self.refuses("train", "s.h5", "-o", "w.h5", "--model", "abc.json", status=2,
                     sentence="train: --model is for --masking random-previous or true-previous, or for a --report; leave it out")
        self.statepath("train", "s.h5", "-o", "w2.h5", "--epochs", "2", "--model", "abc.json", "--report", "r.html",
                       stderr="wrote w2.h5\nwrote r.html\n")
        page = self.read("r.html").decode()
        for text in ["masking none", "its first 4.0 seconds", "<b>forbidden</b>", ">r08<", "<caption>abc</caption>"]:
            self.assertIn(text, page)
        self.assertRegex(page, r"<h1>Training on s\.h5</h1>")
        self.assertRegex(page, r"<p>Trained without masks, the network is right at \d+ of 90 testing steps \([\d.]+ %\)( and says . for all of them)?\.</p>")
        self.assertNotIn("meant to fail", page)
        self.train("--epochs", "1", "--masking", "random-previous", "--model", "abc.json", "--force", "--report", "m.html")
        page = self.read("m.html").decode()
        self.assertIn("<p>Trained with logits masked by a random previous class, which is meant to fail, the network is right at ", page)
        self.assertIn("masking random-previous is meant to fail.", page)
        self.assertRegex(page, r"1\.\d\d × 10⁸")
        with h5py.File(self.path("w2.h5")) as f:
            self.assertEqual(f.attrs["masking"], "none")
            self.assertIn(f.attrs["rules"], ("", b""))

    def test_others_signals(self):
        rng = np.random.default_rng(1)
        labels = np.repeat(np.arange(4) % 2, 40)
        x = rng.standard_normal((160, 90)) + 2 * np.sin(2 * np.pi * np.where(labels, 5, 11)[:, None] * np.arange(90) / 90)
        with h5py.File(self.path("own.h5"), "w") as f:
            f["eeg"] = x
            f["labels"] = labels
        self.statepath("train", "own.h5", "--signals", "eeg", "-o", "own-w.h5", "--epochs", "8", "--rate", "0.003")
        self.statepath("predict", "own.h5", "--signals", "eeg", "-w", "own-w.h5", "-o", "own-p.h5")
        self.assertGreater((self.arrays("own-p.h5")["log_probs"].argmax(axis=1) == labels).mean(), 0.95)
        self.statepath("model", "new", "band", "--classes", "class0,class1", "-o", "m.json")
        self.statepath("compare", "own-p.h5", "--model", "m.json")
        self.refuses("predict", "s.h5", "--weights", "own-w.h5", "-o", "x.h5",
                     sentence="s.h5: /signals holds 2 channels of 200 samples a step, but own-w.h5 was trained on 1 of 90; train a network on "
                              "signals like these")
        self.refuses("predict", "own.h5", "--signals", "eeg", "--weights", "own-w.h5", "-o", "x.h5", "--split", "test",
                     sentence="own.h5: has no dataset \"split\" (0 = training, 1 = testing), so --split test means nothing")

    def test_other_order_of_classes(self):
        self.train("--epochs", "4")
        with h5py.File(self.path("s.h5"), "a") as f:
            f["classes"][:] = [b"b", b"c", b"a"]
            f["labels"][:] = np.array([2, 0, 1])[f["labels"][:]]
        self.statepath("predict", "s.h5", "--weights", "w.h5", "-o", "p.h5")
        with h5py.File(self.path("p.h5")) as f:
            self.assertEqual([c.decode() for c in f["classes"][:]], ["a", "b", "c"])
            self.assertGreater((f["log_probs"][:].argmax(axis=1) == f["labels"][:]).mean(), 0.9)
        with h5py.File(self.path("s.h5"), "a") as f:
            f["classes"][:] = [b"b", b"c", b"d"]
        self.refuses("predict", "s.h5", "--weights", "w.h5", "-o", "x.h5",
                     sentence="s.h5 names the classes b, c, d, but w.h5 was trained on a, b, c; train a network on these classes")

    def test_wrong_words(self):
        self.refuses("train", "s.h5", status=2, sentence="train: -o WEIGHTS.h5 is missing: where to write the weights")
        self.refuses("train", "s.h5", "-o", "s.h5", "--force", status=2,
                     sentence="s.h5: is the input file, which is never written to; give the output another name")
        self.refuses("predict", "s.h5", "-o", "p.h5", status=2,
                     sentence="predict: --weights WEIGHTS.h5 is missing; `statepath train` makes one")
        self.refuses("train", "s.h5", "-o", "w.h5", "--rate", "0", status=2, sentence="--rate 0: a learning rate above 0, at most 10")
        self.refuses("predict", "s.h5", "--weights", "s.h5", "-o", "p.h5",
                     sentence="s.h5: is no file of network 1 (its attribute statepath_weights is missing); files of weights are made by "
                              "`statepath train`")
        with h5py.File(self.path("bare.h5"), "w") as f:
            f["signals"] = np.zeros((3, 1, 8), np.float32)
        self.refuses("train", "bare.h5", "-o", "w.h5",
                     sentence="bare.h5: has no labels to learn from; write integers [3] beside /signals, as \"labels\"")
        self.refuses("simulate", "r.json", "-o", "s.h5", sentence="s.h5 exists and is kept; --force replaces it")


st.main()

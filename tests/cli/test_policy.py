"""Made policies: the shipped recipe has the figures of the READMEs, the process is what its header says, and bad recipes are refused."""
import json
import os

import h5py
import numpy as np

import statepath_test as st

SMALL = {"statepath_recipe": 1, "seed": 7, "policy": {"moves": 40, "positions": 3000, "legal": [2, 20], "usual_legal": 8, "legal_spread": 0.5, "sharpness": 1.5,
                                                     "leak": 0.01, "leak_spread": 1.2}}


class TestPolicy(st.TestCase):
    def make(self, recipe, name="p.h5"):
        self.write("r.json", json.dumps(recipe))
        self.statepath("simulate", "r.json", "-o", name, "-f", "-q", stdout="", stderr="")
        with h5py.File(self.path(name)) as f:
            logits, mask = f["logits"][:].astype("f8"), f["mask"][:]
        p = np.exp(logits - logits.max(1, keepdims=True))
        p /= p.sum(1, keepdims=True)
        return logits, mask, p, np.where(mask, 0, p).sum(1)

    def test_shipped(self):
        self.statepath("simulate", os.path.join(st.SOURCE, "datasets/policy-demo.recipe.json"), "-o", "policy.h5", stdout="",
                       stderr="wrote policy.h5: 2,000 positions, 1,900 moves\n")
        said = self.statepath("mask", "leak", "policy.h5", stderr="").stdout.splitlines()
        with open(os.path.join(st.SOURCE, "lib/mask/lessons.md"), encoding="utf-8") as readme:
            self.assertIn("\n".join(said[1:]), readme.read())
        leak = json.loads(self.statepath("mask", "leak", "policy.h5", "--json", "-").stdout)
        self.assertLess(leak["mean"], 0.001)
        self.assertTrue(0.04 < leak["maximum"] < 0.06)
        with open(os.path.join(st.SOURCE, "datasets/README.md"), encoding="utf-8") as readme:
            self.assertIn("%.3f %%, that of the worst position %.2f %%" % (100 * leak["mean"], 100 * leak["maximum"]), " ".join(readme.read().split()))
        with h5py.File(self.path("policy.h5")) as f:
            logits, mask = f["logits"][:], f["mask"][:]
            self.assertEqual(json.loads(f.attrs["recipe"])["policy"]["moves"], 1900)
        self.assertEqual((mask.shape, mask.dtype, logits.dtype), ((2000, 1900), bool, np.float32))
        self.assertEqual((mask.sum(1).min(), np.median(mask.sum(1)), mask.sum(1).max()), (4, 30, 218))
        self.assertTrue(mask[np.arange(2000), logits.argmax(1)].all())  # the best move is legal everywhere
        self.statepath("mask", "softmax", "policy.h5", "-o", "masked.h5")
        with h5py.File(self.path("masked.h5")) as f:
            self.assertEqual(f["probs"][:][~mask].max(), 0)

    def test_process(self):
        logits, mask, _, leak = self.make(SMALL)
        count = mask.sum(1)
        self.assertEqual((count.min(), count.max()), (2, 20))
        self.assertEqual(np.median(count), 8)
        odds = np.log(leak / (1 - leak))
        self.assertAlmostEqual(odds.mean(), np.log(.01 / .99), delta=.08)
        self.assertAlmostEqual(odds.std(), 1.2, delta=.05)
        self.assertAlmostEqual(logits[mask].std(), 1.5, delta=.03)
        self.assertLess(np.abs(mask.mean(0) - mask.mean()).max(), .04)  # every move as often
        np.testing.assert_array_equal(self.make(SMALL, "again.h5")[0], logits)
        # Another leak leaves the legal moves and their logits as they were.
        other = self.make({**SMALL, "policy": {**SMALL["policy"], "leak": 0.2, "leak_spread": 0}})
        np.testing.assert_array_equal(other[1], mask)
        np.testing.assert_array_equal(other[0][mask], logits[mask])
        np.testing.assert_allclose(other[3], 0.2, rtol=1e-6)
        everything = self.make({**SMALL, "policy": {**SMALL["policy"], "legal": [40, 40]}})
        self.assertTrue(everything[1].all() and (everything[3] == 0).all())

    def test_recipe_is_kept(self):
        self.make({**SMALL, "name": "small", "description": "a \"few\""})
        with h5py.File(self.path("p.h5")) as f:
            self.assertEqual(json.loads(f.attrs["recipe"]), {**SMALL, "name": "small", "description": "a \"few\""})

    def test_trouble(self):
        def policy(**changed):
            kept = {**SMALL["policy"], **changed}
            return json.dumps({**SMALL, "policy": {k: v for k, v in kept.items() if v is not None}})

        for text, sentence in [
            (policy(moves=1), 'key "moves": 1 is not from 2 to 1e+06'),
            (policy(moves=1.5), 'key "moves": needs a whole number; this is a fraction'),
            (policy(legal=[3]), 'key "legal": needs the least and the greatest number of legal moves, as [1, 218]'),
            (policy(legal=[0, 5]), 'key "legal": 0 is not from 1 to 5'),
            (policy(legal=[1, 50]), 'key "legal": 50 is not from 1 to 40'),
            (policy(leak=0), 'key "leak": 0 is not from 1e-12 to 1'),
            (policy(leak="little"), 'key "leak": needs a number; this is a string'),
            (policy(sharpness=None), 'key "sharpness" is missing'),
            (policy(positions=10 ** 8), 'key "positions": 100000000 positions of 40 moves are more than 268435456 numbers'),
            (json.dumps({**SMALL, "seed": 0}), 'key "seed": 0 is not from 1 to 4.29497e+09'),
            (json.dumps({**SMALL, "policy": 3}), 'key "policy": needs an object, as {"moves": 1900, ...}; this is a number'),
            (json.dumps({**SMALL, "statepath_recipe": 2}), 'a recipe begins with "statepath_recipe": 1'),
        ]:
            with self.subTest(sentence=sentence):
                self.write("r.json", text)
                done = self.statepath("simulate", "r.json", "-o", "p.h5", status=2, stdout="")
                self.assertRegex(done.stderr, r"^statepath: r\.json:\d+:\d+: ")
                self.assertEqual(done.stderr.split(": ", 2)[2], sentence + "\n")
        self.write("r.json", policy(leek=1))
        self.assertIn('did you mean "leak"?', self.statepath("simulate", "r.json", "-o", "p.h5", status=2, stdout="").stderr)
        self.assertEqual(self.files(), ["r.json"])


st.main()

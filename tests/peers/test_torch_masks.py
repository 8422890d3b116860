"""PyTorch masks rows as statepath mask does. Skipped where python3-torch is not installed."""
import sys

import statepath_test as st

try:
    import torch
except ImportError:
    print("skipped: needs python3-torch")
    sys.exit(77)
import h5py
import numpy as np


class TestTorch(st.TestCase):
    def setUp(self):
        super().setUp()
        torch.manual_seed(1)

    def written(self, *words):
        """What a mask command writes, by name."""
        self.statepath("mask", *words, "-o", "out.h5", "-f")
        with h5py.File(self.path("out.h5")) as f:
            return {name: f[name][:] for name in f if f[name].shape}

    def test_softmax(self):
        logits = torch.randn(40, 9, dtype=torch.float64)
        mask = torch.rand(40, 9) < .6
        mask[:, 0] = True
        self.h5("m.h5", logits=logits.numpy(), mask=mask.numpy())
        hidden = logits.masked_fill(~mask, -torch.inf)
        np.testing.assert_array_equal(self.written("apply", "m.h5")["logits"], hidden.numpy())
        np.testing.assert_allclose(self.written("softmax", "m.h5")["probs"], hidden.softmax(1).numpy(), rtol=1e-13)
        np.testing.assert_allclose(self.written("softmax", "m.h5", "--multiply")["probs"], (logits * mask).softmax(1).numpy(), rtol=1e-13)


st.main()

"""PyTorch masks, attends and averages as statepath mask does. Skipped where python3-torch is not installed."""
import sys

import statepath_test as st

try:
    import torch
    from torch.nn import functional as F
    from torch.nn.utils.rnn import pad_sequence
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

    def test_padding(self):
        sequences = [torch.randn(n, 2, dtype=torch.float64) for n in (3, 1, 5, 4)]
        lengths = torch.tensor([len(s) for s in sequences])
        self.h5("r.h5", lengths=lengths.numpy(), values=torch.cat(sequences).numpy())
        out = self.written("padding", "r.h5")
        np.testing.assert_array_equal(out["values"], pad_sequence(sequences, batch_first=True).numpy())
        np.testing.assert_array_equal(out["mask"], (torch.arange(5)[None] < lengths[:, None]).numpy())
        last = torch.from_numpy(out["values"])[torch.arange(4), torch.from_numpy(out["last"])]
        np.testing.assert_array_equal(last.numpy(), torch.stack([s[-1] for s in sequences]).numpy())

    def test_attention(self):
        n, t, d = 3, 6, 4
        scores, v = torch.randn(n, t, t, dtype=torch.float64), torch.randn(n, t, d, dtype=torch.float64)
        lengths = torch.tensor([6, 2, 4])
        real = torch.arange(t)[None] < lengths[:, None]
        self.h5("a.h5", scores=scores.numpy(), values=v.numpy(), lengths=lengths.numpy())
        for causal in (False, True):
            added = torch.zeros(n, t, t, dtype=torch.float64).masked_fill(~real[:, None, :], -torch.inf)
            if causal:
                added = added + torch.full((t, t), -torch.inf, dtype=torch.float64).triu(1)
            out = self.written("attention", "a.h5", *(["--causal"] if causal else []))
            np.testing.assert_array_equal(out["additive"], added.numpy())
            np.testing.assert_allclose(out["output"], torch.bmm((scores + added).softmax(2), v).numpy(), rtol=1e-10, atol=1e-13)

    def test_loss(self):
        logits, labels = torch.randn(3, 7, 5, dtype=torch.float64), torch.randint(0, 5, (3, 7))
        labels[torch.rand(3, 7) < .4] = -100
        labels[0, 0] = 1
        losses = F.cross_entropy(logits.transpose(1, 2), labels.clamp(min=0), reduction="none")
        self.h5("l.h5", losses=losses.numpy(), mask=(labels != -100).numpy())
        expected = F.cross_entropy(logits.transpose(1, 2), labels, ignore_index=-100)
        self.assertAlmostEqual(self.written("loss", "l.h5")["mean"][0], expected.item(), places=13)


st.main()

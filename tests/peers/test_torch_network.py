"""The trained network in PyTorch gives the same scores. Skipped where python3-torch is not installed."""
import json
import os
import sys

import statepath_test as st

try:
    import torch
    from torch import nn
except ImportError:
    print("skipped: needs python3-torch")
    sys.exit(77)
import h5py
import numpy as np

RECIPE = {
    "statepath_recipe": 1, "seed": 3, "classes": ["a", "b", "c"], "recordings": 4, "steps": 20, "start": {"a": 1},
    "transitions": [[0.9, 0.1, 0], [0, 0.9, 0.1], [0.1, 0, 0.9]],
    "signals": {"rate": 100, "samples": 1000, "tones": {"a": [[1, 3]], "b": [[1, 6]], "c": [[1, 10]]},
                "channels": [{"noise": 0.7}, {"gain": 0.5, "noise": 0.3}]}}


class TestTorch(st.TestCase):
    def test_same_scores(self):
        self.write("r.json", json.dumps(RECIPE))
        self.statepath("simulate", "r.json", "-o", "s.h5")
        self.statepath("train", "s.h5", "-o", "w.h5", "--epochs", "2")
        self.statepath("predict", "s.h5", "--weights", "w.h5", "-o", "p.h5")
        net = nn.Sequential(nn.Conv1d(2, 32, 50, 6), nn.ReLU(), nn.Conv1d(32, 64, 8, 2), nn.ReLU(), nn.Conv1d(64, 128, 4, 2), nn.ReLU(),
                            nn.AdaptiveAvgPool1d(1), nn.Flatten(), nn.Linear(128, 3), nn.LogSoftmax(1))
        with h5py.File(self.path("w.h5")) as w, h5py.File(self.path("s.h5")) as s, h5py.File(self.path("p.h5")) as p, torch.no_grad():
            for layer, module in enumerate([net[0], net[2], net[4]], 1):
                module.weight[:] = torch.tensor(w["layer%d/weight" % layer][:].transpose(2, 1, 0))
                module.bias[:] = torch.tensor(w["layer%d/bias" % layer][:])
            net[8].weight[:] = torch.tensor(w["output/weight"][:].T)
            net[8].bias[:] = torch.tensor(w["output/bias"][:])
            x = (s["signals"][:] - w["input/mean"][:][:, None]) * w["input/scale"][:][:, None]
            np.testing.assert_allclose(p["log_probs"][:], net(torch.tensor(x)).numpy(), rtol=0, atol=2e-5)


st.main()

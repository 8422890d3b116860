"""The same network in PyTorch, on the same data, side by side: time of training, and whether it gives the same answers.

    python3 models/network/against_pytorch.py build/release/statepath SIGNALS.h5 [THREADS [REPEATS]]

needs python3-torch, python3-h5py and python3-numpy (Debian). Both train over 1 and over 5 epochs, in turn, eight times, so that what else
the machine does falls on both; the time of an epoch is a quarter of the difference of the shortest times. Prints wall clock and
processor time. The test of the same answers is tests/peers/test_torch_network.py.
"""
import os
import subprocess
import sys
import tempfile
import time

import h5py
import numpy as np
import torch
from torch import nn


def network(channels, classes):
    return nn.Sequential(nn.Conv1d(channels, 32, 50, 6), nn.ReLU(), nn.Conv1d(32, 64, 8, 2), nn.ReLU(), nn.Conv1d(64, 128, 4, 2), nn.ReLU(),
                         nn.AdaptiveAvgPool1d(1), nn.Flatten(), nn.Dropout(0.5), nn.Linear(128, classes))


def train(x, y, epochs):
    net = network(x.shape[1], int(y.max()) + 1)
    adam = torch.optim.Adam(net.parameters(), 0.001)
    for _ in range(epochs):
        order = torch.randperm(len(x))
        for i in range(0, len(x), 32):
            rows = order[i:i + 32]
            loss = nn.functional.cross_entropy(net(x[rows]), y[rows])
            adam.zero_grad()
            loss.backward()
            adam.step()


def clocks():
    own, children = os.times(), os.times()
    return np.array([time.perf_counter(), own.user + own.system + children.children_user + children.children_system])


def measured(work):
    before = clocks()
    work()
    return clocks() - before


if __name__ == "__main__":
    program, file, threads = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 1
    torch.set_num_threads(threads)
    with h5py.File(file) as f:
        n = int(f["offsets"][:][np.flatnonzero(f["split"][:] == 0)[-1] + 1])
        x, y = torch.tensor(f["signals"][:n]), torch.tensor(f["labels"][:n].astype(np.int64))
    with tempfile.TemporaryDirectory() as folder:
        def ours(epochs):
            subprocess.run([program, "train", file, "-o", os.path.join(folder, "w.h5"), "--epochs", str(epochs), "--threads", str(threads),
                            "--force", "-q"], check=True, capture_output=True)
        times = {(name, epochs): [] for name in ("statepath", "PyTorch") for epochs in (1, 5)}
        for _ in range(int(sys.argv[4]) if len(sys.argv) > 4 else 8):
            for epochs in (1, 5):
                for name, work in [("statepath", ours), ("PyTorch", lambda n: train(x, y, n))]:
                    times[name, epochs].append(measured(lambda: work(epochs)))
    best = {name: [(min(t[i] for t in times[name, 5]) - min(t[i] for t in times[name, 1])) / 4 for i in (0, 1)] for name in ("statepath", "PyTorch")}
    for name, (wall, processor) in best.items():
        print("%-10s %.3f s an epoch, %.3f s of processor" % (name, wall, processor))
    print("ratio      %.2f of wall clock, %.2f of processor time (%d steps, %d threads)" % (
        best["statepath"][0] / best["PyTorch"][0], best["statepath"][1] / best["PyTorch"][1], n, threads))

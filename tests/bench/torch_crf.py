#!/usr/bin/env python3
"""Loss and gradient of statepath.torch.CRF beside pytorch-crf's, in turns: batch x steps x classes, ragged rows, float32, all processors.

    tests/bench/torch_crf.py               by a Python that has statepath, torch and pytorch-crf

A figure is the median of the rounds, in milliseconds on the clock; so is the ratio, of the rounds' own ratios.
"""
import statistics
import time
import warnings

import torch
import torchcrf

from statepath.torch import CRF

warnings.filterwarnings("ignore")


def milliseconds(crf, emissions, tags, mask):
    begin = time.perf_counter()
    crf.zero_grad()
    (-crf(emissions.clone().requires_grad_(), tags, mask)).backward()
    return (time.perf_counter() - begin) * 1e3


for n, steps, k, rounds in ((32, 128, 9, 31), (64, 512, 33, 11)):
    torch.manual_seed(1)
    theirs, ours = torchcrf.CRF(k, batch_first=True), CRF(k)
    ours.load_state_dict(theirs.state_dict())
    mask = torch.arange(steps) < torch.randint(steps // 2, steps + 1, (n, 1))
    batch = torch.randn(n, steps, k), torch.randint(0, k, (n, steps)), mask
    times = [(milliseconds(theirs, *batch), milliseconds(ours, *batch)) for _ in range(rounds + 2)][2:]
    them, us = (statistics.median(t[i] for t in times) for i in (0, 1))
    ratio = statistics.median(a / b for a, b in times)
    print(f"{n} x {steps} x {k}: pytorch-crf {them:.1f} ms, statepath {us:.2f} ms, {ratio:.1f} times faster")

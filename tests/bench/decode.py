#!/usr/bin/env python3
"""What decode() of the Python package costs beside the C call that does the same work: 2,000 recordings of 1,000 steps, 5 classes, float32.

    tests/bench/decode.py [LIBRARY]        after ./dev test python: build/python-venv/bin/python tests/bench/decode.py

LIBRARY is build/release/libstatepath.so unless given; run it by a Python that has the package. Both decode the same array on the same
number of threads, the C call into memory that is already there. One round is each of them once, in turns; the first rounds warm up. Times
are processor time of all threads, which others on the machine disturb least, and time on the clock. A figure is the median of 81 rounds, a
ratio the median of the rounds' own ratios.
"""
import ctypes as c
import pathlib
import sys
import time

import numpy as np

import statepath as sp

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "build/release/libstatepath.so")
ROUNDS, WARM = 81, 9
N, T, K = 2000, 1000, 5


class Scores(c.Structure):
    _fields_ = [("data", c.c_void_p), ("dtype", c.c_int), ("n_classes", c.c_int32), ("n_steps", c.c_int64), ("segments", c.c_void_p)]


class Batch(c.Structure):
    _fields_ = [("scores", Scores), ("n_recordings", c.c_int64), ("offsets", c.c_void_p)]


class Strategy(c.Structure):
    _fields_ = [("kind", c.c_int32), ("parameter", c.c_int32)]


class Options(c.Structure):
    _fields_ = [("strategy", Strategy), ("relax", c.c_bool)]


class Decoded(c.Structure):
    _fields_ = [("status", c.c_int), ("step", c.c_int64), ("n_broken", c.c_int64), ("score", c.c_double), ("values", c.c_double * 2)]


class Output(c.Structure):
    _fields_ = [("paths", c.c_void_p), ("results", c.c_void_p)] + [(name, c.c_void_p) for name in ("broken", "confidence", "log_partition", "margins")]
    _fields_ += [("n_best", c.c_int32), ("best_paths", c.c_void_p), ("best_scores", c.c_void_p), ("n_best_found", c.c_void_p)]


class Library:
    """sp_decode_batch() of the shared library."""

    def __init__(self, model):
        self.call = c.CDLL(LIBRARY)
        for name in ("sp_model_new", "sp_workers_new"):
            getattr(self.call, name).restype = c.c_void_p
        self.call.sp_decode_options_default.restype = Options
        names = (c.c_char_p * K)(*[name.encode() for name in model.classes])
        rules, self.chain = c.c_void_p(self.call.sp_model_new(b"bench", K, names)), c.c_void_p()
        allow = np.ascontiguousarray(model.allow, np.uint8)
        assert self.call.sp_model_set_matrix(rules, c.c_void_p(allow.ctypes.data), None, None) == 0
        assert self.call.sp_chain_new(rules, None, c.byref(self.chain), None) == 0
        self.options = self.call.sp_decode_options_default()
        self.offsets, self.paths, self.results = np.arange(0, N * T + 1, T), np.empty((N, T), np.int32), (Decoded * N)()
        self.workers = {n: c.c_void_p(self.call.sp_workers_new(n)) for n in (1, 2)}

    def decode(self, scores, threads):
        batch = Batch(Scores(scores.ctypes.data, 4, K, N * T, None), N, self.offsets.ctypes.data)
        output = Output(self.paths.ctypes.data, c.addressof(self.results))
        assert self.call.sp_decode_batch(self.chain, c.byref(batch), c.byref(self.options), self.workers[threads], c.byref(output), None) == 0
        return self.paths


def seconds(work):
    """Of the processor, and on the clock."""
    begin = time.process_time(), time.perf_counter()
    work()
    return time.process_time() - begin[0], time.perf_counter() - begin[1]


def main():
    rng = np.random.default_rng(1)
    scores = rng.standard_normal((N, T, K))
    scores = (scores - np.log(np.exp(scores).sum(axis=2, keepdims=True))).astype(np.float32)
    rules = sp.Model.load("sleep-strict")
    model = sp.Model(rules.classes, rules.allow)
    library = Library(model)
    assert np.array_equal(library.decode(scores, 1), sp.decode(scores, model, kind="scores"))
    print("                            processor: C ms  Python ms  ratio    clock: C ms  Python ms  ratio")
    for threads in (1, 2):
        for kind in ("scores", "log_probs"):
            both = []
            for _ in range(WARM + ROUNDS):
                one = seconds(lambda: library.decode(scores, threads))
                both.append((one, seconds(lambda: sp.decode(scores, model, kind=kind, threads=threads))))
            times = np.array(both[WARM:])  # [rounds, C and Python, processor and clock]
            (c_ms, c_clock), (python_ms, python_clock) = 1e3 * np.median(times, axis=0)
            ratio, clock_ratio = np.median(times[:, 1] / times[:, 0], axis=0)
            print(f"{threads} thread{'s' if threads > 1 else ' '}  {kind:10} {c_ms:20.2f} {python_ms:10.2f} {ratio:6.2f} {c_clock:14.2f} {python_clock:10.2f} {clock_ratio:6.2f}")
    small = scores[0, :1]
    call = min(seconds(lambda: [sp.decode(small, model, kind="log_probs") for _ in range(1000)])[1] for _ in range(21))
    print(f"one call with T = 1: {1e3 * call:.2f} us")


if __name__ == "__main__":
    main()

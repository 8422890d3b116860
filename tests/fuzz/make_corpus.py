"""Writes the seeds of tests/fuzz/corpus that are made, not found: python3 tests/fuzz/make_corpus.py. What past findings left there stays.

Each is a few bytes in the language of its target: see the head of fuzz_<target>.c.
"""
import os
import random

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "corpus")


def put(target, name, data):
    folder = os.path.join(HERE, "fuzz_" + target)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name), "wb") as out:
        out.write(data)


random.seed(1)
for i in range(8):  # whole files of each kind, by its reader and by another one, and some bytes changed
    put("flips", "whole%d" % i, bytes([i]))
    reader = (1, 2, 3, 4, 1, 2, 0, 3)[i]  # scores, paths, labels, signals, weights
    put("flips", "other%d" % i, bytes([192 + 8 * ((reader + 1) % 5) + i]))
    put("flips", "changed%d" % i, bytes([i]) + bytes(random.randrange(256) for _ in range(3 * 8)))
for i in range(12):
    put("scores", "bytes%d" % i, bytes(random.randrange(256) for _ in range(300)))
for layout in range(4):  # no byte but the layout and sizes: a plain file
    for target in ("scores", "reports"):
        put(target, "plain%d" % layout, bytes([0, 0, layout, 1, 6, 2] + [0] * 60))
put("lzf", "literal", bytes([5, 0, 5]) + b"abcdef")
put("lzf", "repeat", bytes([20, 0, 0]) + b"a" + bytes([0xE0, 8, 0]))
put("lzf", "back", bytes([9, 0, 2]) + b"abc" + bytes([0x20, 2, 0x20, 2]))
put("words", "formula.csv", b"recording,label\n'=1+1,Wake\n\"''-1\",N1\n")
put("words", "codes", b"0=Wake, 5=N1, ?=unscored")
put("model", "sparse", b'{"statepath_model": 1, "classes": ["a", "b"], "allow": {"a": ["a", "b"], "b": ["b"]}, "min_dwell": {"a": 2}}')
put("model", "states", b'{"statepath_model": 1, "classes": ["a", "b"], "states": {"a1": "a", "a2": "a", "b": "b"}, "forbid": {"a1": ["b"]}, "start": ["a1"]}')

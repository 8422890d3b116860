"""Makes files of paths as other programs write them, and says what must come of each: FOLDER/path_cases.json, a list of
    {"file": name, "paths": place or null, "places": {...}, "expect": {...}} or {..., "status": "file", "message": "..."}
"""
import json
import os
import sys

try:
    import h5py
    import numpy as np
except ImportError:
    sys.exit(77)

folder = sys.argv[1]
cases = []


def path_of(name):
    return os.path.join(folder, name)


def good(file, paths, strategies, offsets, places=None, **expect):
    expect.update(strategies=list(strategies), values=[np.asarray(v).tolist() for v in strategies.values()], offsets=offsets)
    expect.setdefault("ids", [str(i) for i in range(len(offsets) - 1)])
    for key in ("labels", "segments", "classes"):
        expect.setdefault(key, None)
    cases.append({"file": file, "paths": paths, "places": places or {}, "expect": expect})


def bad(file, paths, message, status="data", places=None):
    cases.append({"file": file, "paths": paths, "places": places or {}, "status": status, "message": message})


a, b = np.array([0, 1, 2, -1, 2]), np.array([-1, -1, 1, 1, 1])
with h5py.File(path_of("foreign.h5"), "w") as f:
    f["mine"] = a.astype("u1") * (a >= 0)
    f["offsets"] = [0, 2, 5]
    f["ids"] = ["x", "y"]
    f["labels"] = b
    f["deep/er/first"] = a.astype(">i4")
    f["deep/er/second"] = b.astype("f4")
    f["deep/er/classes"] = ["p", "q", "r"]
    f["deep/er/segments"] = np.arange(5)
    f["whole/one"] = b
    f["text"] = ["a"] * 5
    f["half"] = a / 2
    f["low"] = a - 2
    f["short"] = a[:4]
    f["empty_group/labels"] = b
good("foreign.h5", "mine", {"mine": a * (a >= 0)}, [0, 2, 5], ids=["x", "y"], labels=b.tolist())
good("foreign.h5", "/deep/er", {"first": a, "second": b}, [0, 2, 5], ids=["x", "y"], labels=b.tolist(), classes=["p", "q", "r"],
     undecoded=[[0, 0], [1, 0]])
good("foreign.h5", "/deep/er/second", {"second": b}, [0, 2, 5], ids=["x", "y"], labels=b.tolist(), classes=["p", "q", "r"],
     undecoded=[[1, 0]])
good("foreign.h5", "mine", {"mine": a * (a >= 0)}, [0, 2, 5], {"labels": "/whole/one"}, ids=["x", "y"], labels=b.tolist())
bad("foreign.h5", None, "FILE: found no group /paths; it holds /deep/er/classes text [3], /deep/er/first int32 big-endian [5], "
    "/deep/er/second float32 [5], /deep/er/segments int64 [5], /empty_group/labels int64 [5], /half float64 [5], /ids text [2], "
    "/labels int64 [5], /low int64 [5], /mine uint8 [5], and more; say where the paths are with `paths` PATH ({id} in it stands for "
    "the recording)", "file")
bad("foreign.h5", "nope", "FILE: there is no dataset /nope; say where the paths are with `paths` PATH", "file")
bad("foreign.h5", "empty_group", "FILE: group /empty_group holds no dataset of paths; say where the paths are with `paths` PATH",
    "file")
bad("foreign.h5", "text", "FILE: dataset /text, recording x, step 0: label \"a\" is a word; a model says which class it is "
    "(`model` or `rules` M)")
bad("foreign.h5", "half", "FILE: dataset /half, recording x, step 1: class 0.5 is not a whole number; undecoded steps are -1")
bad("foreign.h5", "low", "FILE: dataset /low, recording x, step 0: class -2 is not the number of a class; undecoded steps are -1")
bad("foreign.h5", "short", "FILE: dataset /offsets goes from 0 to 5, but dataset /short has 4 steps; it must begin with 0 and end with "
    "4 (one value more than there are recordings)")
bad("foreign.h5", "mine", "FILE: dataset /short has shape [4], but must have shape [5] to go with /mine; write one for each step, or "
    "name another dataset", "data", {"labels": "short"})

with h5py.File(path_of("nights.h5"), "w") as f:
    for n, size in (("n10", 2), ("n9", 3)):
        f["recordings/%s/pred_Net" % n] = np.arange(size).astype("i1")
        f["recordings/%s/labels" % n] = np.zeros(size, "i2")
    f.attrs["classes"] = ["p", "q", "r"]
    f["by/n1"] = [0, 1]
good("nights.h5", "/recordings/{id}/pred_Net", {"pred_Net": [0, 1, 2, 0, 1]}, [0, 3, 5], ids=["n9", "n10"], labels=[0] * 5,
     classes=["p", "q", "r"])
good("nights.h5", "by/{id}", {"by": [0, 1]}, [0, 2], ids=["n1"], classes=["p", "q", "r"])
bad("nights.h5", "/recordings/{id}/pred", "FILE: recording n9 has no dataset /recordings/n9/pred; write it, or take the group out of "
    "/recordings", "file")
with h5py.File(path_of("too_high.h5"), "w") as f:
    f["paths/x"] = [0, 3]
    f["classes"] = ["p", "q", "r"]
bad("too_high.h5", None, "FILE: dataset /paths/x, recording too_high, step 1: class 3 is not one of the 3 classes 0..2; undecoded "
    "steps are -1")
with h5py.File(path_of("padded.h5"), "w") as f:
    f["preds/net"] = [[1, 2, 7], [0, 7, 7]]
    f["lengths"] = [2, 1]
good("padded.h5", "preds", {"net": [1, 2, 0]}, [0, 2, 3])
with h5py.File(path_of("bad_status.h5"), "w") as f:
    f["paths/x"] = [0, 1]
    f["status/x"] = np.array([9], "u1")
bad("bad_status.h5", None, "FILE: dataset /status/x, recording bad_status: 9 has no meaning here")
with h5py.File(path_of("bad_scores.h5"), "w") as f:
    f["paths/x"] = [0, 1]
    f["path_scores/x"] = [0.5, 1]
bad("bad_scores.h5", None, "FILE: dataset /path_scores/x has shape [2], but there are 1 recordings, which need one float each")

with open(path_of("path_cases.json"), "w") as out:
    json.dump(cases, out)

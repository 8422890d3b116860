"""The committed data as a user of h5py sees them, and as their README describes them."""
import json
import os
import sys
from pathlib import Path

try:
    import h5py
    import numpy as np
except ImportError:
    print("skipped: h5py and numpy are not installed")
    sys.exit(77)

root = Path(os.environ["STATEPATH_SOURCE"])
path = root / "datasets/sleep-demo.h5"
recipe = json.loads((root / "datasets/sleep-demo.recipe.json").read_text())
assert path.stat().st_size < 500_000

with h5py.File(path, "r") as file:
    log_probs, labels, offsets = file["log_probs"][:], file["labels"][:], file["offsets"][:]
    classes, ids = list(file["classes"].asstr()), list(file["ids"].asstr())
    kept = json.loads(file.attrs["recipe"])
    assert file.attrs["seed"] == recipe["seed"] and file.attrs["epoch_seconds"] == recipe["epoch_seconds"] == 30
    assert file["log_probs"].shuffle and file["log_probs"].compression == "gzip"

assert classes == recipe["classes"], classes
assert ids == [f"r{i:02}" for i in range(1, 21)], ids
assert {**kept, "statepath_recipe": 1} == recipe
assert log_probs.dtype == np.float32 and labels.dtype == np.int8 and offsets.dtype == np.int64
assert offsets[0] == 0 and offsets[-1] == len(log_probs) == len(labels) and len(offsets) == 21
lengths = np.diff(offsets)
assert lengths.min() >= 800 and lengths.max() <= 1000 and len(set(lengths)) > 5
assert labels.min() == -1 and labels.max() == 4
assert 0.005 < (labels == -1).mean() < 0.02

# Rows are log-softmax, rounded once.
wide = log_probs.astype(np.float64)
assert np.isfinite(wide).all() and wide.max() <= 0
assert np.abs(np.log(np.exp(wide).sum(axis=1))).max() < 1e-6

# What the README says, and what a demonstration needs.
model = json.loads((root / "models/sleep-strict.model.json").read_text())
allow = np.array([[b in model["allow"][a] for b in classes] for a in classes])
inside = np.ones(len(labels), bool)
inside[offsets[:-1]] = False


def illegal(path):
    a, b, within = path[:-1], path[1:], inside[1:]
    within = within & (a >= 0) & (b >= 0)
    return int((~allow[a, b] & within).sum()), int(within.sum())


scored = labels >= 0
best = wide.argmax(axis=1)
readme = (root / "datasets/README.md").read_text()
broken, transitions = illegal(labels)
assert f"labels: {broken} of {transitions:,} transitions" in readme, (broken, transitions)
broken, transitions = illegal(best)
accuracy = 100 * (best == labels)[scored].mean()
assert f"| argmax | {accuracy:.2f} % | {broken} of {transitions:,} |" in readme, (accuracy, broken, transitions)
assert f"right of {scored.sum():,} scored" in readme, scored.sum()
assert 80 < accuracy < 85 and 0.02 < broken / transitions < 0.06
confidence = 100 * np.exp(wide.max(axis=1))[scored].mean()
assert confidence > accuracy + 2  # too sure of itself

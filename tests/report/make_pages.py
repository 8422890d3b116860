"""Pages of made comparisons for the browser test, by the program: make_pages.py FOLDER [NAME ...]."""

import json
import os
import subprocess
import sys

import h5py
import numpy as np

STAGES = ["Wake", "N1", "N2", "N3", "REM"]
EVIL = "\"><script>window.hacked = 1</script><img src=x onerror=hacked=1>'&amp;"
# Classes (5: stages of sleep), recordings, steps of each, scorers.
PAGES = {
    "nights": (5, 14, 950, 5),
    "fifty": (5, 50, 950, 5),
    "small": (3, 2, 8, 0),
    "classes": (60, 4, 300, 0),
    "wide": (200, 4, 300, 0),
    "unlabelled": (3, 2, 8, 0),
    "alone": (5, 1, 120, 0),
    "hostile": (5, 4, 200, 0),
    "thousand": (5, 1000, 1000, 5),
}


def make(folder, name):
    K, N, T, n_scorers = PAGES[name]
    rng = np.random.default_rng(K + N)
    allow = np.abs(np.subtract.outer(np.arange(K), np.arange(K))) <= 1  # neighbours
    y = np.zeros((N, T), int)
    for t in range(1, T):  # mostly stays, else takes a neighbour
        y[:, t] = np.clip(y[:, t - 1] + rng.choice([-1, 0, 1], N, p=[0.06, 0.88, 0.06]), 0, K - 1)
    sure = np.repeat(rng.uniform(2, 4, N), T)[:, None]
    scores = rng.normal(0, 1.3, (N * T, K)) + sure * np.eye(K)[y.ravel()]
    p = np.exp(scores - scores.max(1, keepdims=True))
    labels = np.where(rng.random(N * T) < 0.01, -1, y.ravel())
    if name == "hostile":
        classes = [EVIL + str(k) for k in range(K)]
    else:
        classes = (
            STAGES if K == 5 else ["Wake", "NREM", "REM"] if K == 3 else ["class %d" % k for k in range(K)]
        )
    file = EVIL.replace("/", "") + ".h5" if name == "hostile" else "scores.h5"
    with h5py.File(os.path.join(folder, file), "w") as f:
        f["probs"] = (p / p.sum(1, keepdims=True)).astype("f4")
        f["offsets"] = np.arange(0, N * T + 1, T)
        f["ids"] = [EVIL + str(n) if name == "hostile" else "night_%03d" % (n + 1) for n in range(N)]
        f.attrs["classes"] = classes
        if name not in ("unlabelled", "alone"):
            f["labels"] = labels
        for i in range(n_scorers):
            f["labels_<person> %d" % (i + 1)] = np.where(
                rng.random(N * T) < 0.1, rng.integers(0, K, N * T), labels
            )
    model = {
        "statepath_model": 1,
        "name": EVIL if name == "hostile" else "sample-rules",
        "classes": classes,
        "description": EVIL if name == "hostile" else "Rules made for a test.",
        "matrix": allow.astype(int).tolist(),
    }
    with open(os.path.join(folder, "sample.model.json"), "w", encoding="utf-8") as f:
        json.dump(model, f)
    # What if has tests of its own.
    words = ["--what-if", "off", "--report", name + ".html", "-q", "-f"]
    command = [os.environ["STATEPATH"], "compare", file, "--model", "sample.model.json", *words]
    done = subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL)
    if done.returncode not in (0, 3):
        sys.exit("%s: the program ended with status %d" % (name, done.returncode))


for page in sys.argv[2:] or PAGES:
    make(sys.argv[1], page)

#!/usr/bin/env python3
"""What durations that are learnt on other nights do to the nights that they never saw, as a Markdown table.

    tests/bench/durations.py [PROGRAM] [FOLDER] [SET ...]

Arguments as of learning.py; sets of sleep stages. Each set is decoded by `compare --cv 5 --method counts` without durations, with those that
are judged better inside the training set (auto), and with durations always (learn). Awakenings of a night are the runs of wake after the first
step of sleep; their error is the mean over nights of what the path has more or fewer of than the labels.
"""
import pathlib
import subprocess
import sys
import tempfile

import h5py
import numpy as np

import learning

SETS = ["dodh_votes", "applewatch_balanced"]
STRATEGIES = ("viterbi", "mea")


def awakenings(path, wake):
    """Runs of wake after the first step of sleep; steps that are not scored are left out."""
    path = path[path >= 0]
    is_wake = path == wake
    if is_wake.all():
        return 0
    after = is_wake[np.argmin(is_wake):]
    return int(np.sum(after[1:] & ~after[:-1]))


def decoded(name, durations, folder):
    """{strategy: figures}, and counts of right steps and steps of each night."""
    out, model = pathlib.Path(folder) / "p.h5", learning.FOLDER / (name + ".model.json")
    result = learning.run("compare", str(learning.FOLDER / (name + ".h5")), "--model", str(model), "--strategies", ",".join(STRATEGIES), "--cv", "5",
                          "--method", "counts", "--durations", durations, "-o", str(out), "--force")
    classes = result["model"]["classes"]
    wake = next(i for i, c in enumerate(classes) if c in ("Wake", "W"))
    found = {}
    with h5py.File(out) as f:
        offsets, labels = f["offsets"][:], f["labels"][:]
        nights = list(zip(offsets[:-1], offsets[1:]))
        for s in STRATEGIES:
            path, r = f["paths/" + s][:], result["strategies"][s]
            errors = [abs(awakenings(np.where(labels[a:b] >= 0, path[a:b], -1), wake) - awakenings(labels[a:b], wake)) for a, b in nights]
            found[s] = dict(accuracy=100 * r["accuracy"], kappa=r["kappa"], runs=r["runs"], error=float(np.mean(errors)),
                            counts=np.array([(x["correct"], x["scored"]) for x in r["per_recording"]]))
    return found, result["reference"]["runs"]


def difference(a, b):
    """Points of accuracy, and their 95 % interval by bootstrap over nights, both sides together."""
    draws = np.random.default_rng(1).multinomial(len(a), np.ones(len(a)) / len(a), 10000)
    of = lambda w: 100 * ((w @ a)[..., 0] / (w @ a)[..., 1] - (w @ b)[..., 0] / (w @ b)[..., 1])
    return "%+.2f (%+.2f to %+.2f)" % (of(np.ones(len(a))), *np.percentile(of(draws), [2.5, 97.5]))


def main():
    print("| set | strategy | durations | accuracy % | points, 95 % | kappa | runs (labels) | error of awakenings a night |")
    print("|---|---|---|---|---|---|---|---|")
    for name in sys.argv[3:] or SETS:
        with tempfile.TemporaryDirectory() as folder:
            by = {durations: decoded(name, durations, folder) for durations in ("none", "auto", "learn")}
        for s in STRATEGIES:
            base = by["none"][0][s]
            for durations, (found, runs) in by.items():
                x = found[s]
                print("| %s | %s | %s | %.2f | %s | %.4f | %d (%d) | %.2f |" % (
                    name, s, durations, x["accuracy"], "" if x is base else difference(x["counts"], base["counts"]), x["kappa"], x["runs"], runs, x["error"]),
                    flush=True)


if __name__ == "__main__":
    main()

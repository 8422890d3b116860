#!/usr/bin/env python3
"""How often intervals of draws hold the reference, as a Markdown table.

    tests/bench/coverage.py [PROGRAM] [FOLDER]

As review.py: every other recording is fitted to, the rest is decoded, and the other way round, so no interval is of a recording that the model saw. Beside
the intervals as they are those that `decode --widen-by` makes of all other recordings' misses (leave one out). In brackets the exact 95 % interval
of the share (Clopper and Pearson), and the mean width in minutes, or counts.
"""
import pathlib
import tempfile

import h5py
import numpy as np
from scipy.stats import beta

from review import halves, run

SETS = ["applewatch_balanced", "dodh_votes"]
FIGURES = ["tst", "sol", "waso", "rem_latency", "n3", "awakenings"]


def share(held):
    """"23 of 25 (74.0 to 99.0)"."""
    k, n = int(held.sum()), len(held)
    low = beta.ppf(0.025, k, n - k + 1) if k else 0
    high = beta.ppf(0.975, k + 1, n - k) if k < n else 1
    return "%d of %d (%.0f to %.0f %%)" % (k, n, 100 * low, 100 * high)


def widened(low, high, reference):
    """By what the others need, each."""
    miss = np.maximum(low - reference, reference - high)
    out = np.empty(len(miss))
    for i in range(len(miss)):
        others = np.sort(np.delete(miss, i))
        out[i] = max(others[int(np.ceil(0.95 * (len(others) + 1) - 1e-9)) - 1], 0)
    return np.maximum(low - out, 0), high + out


def main():
    print("| scores | figure | as they are | width | widened | width |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for name in SETS:
            made, rows = halves(name, folder), {key: [] for key in FIGURES}
            for (fitted, _), (tried, _) in (made, made[::-1]):
                run("fit", fitted, "-o", folder / "m.json", "-f", "--quiet")
                run("decode", tried, "--model", folder / "m.json", "-o", folder / "p.h5", "-f", "--draws", "200", "--quiet")
                with h5py.File(folder / "p.h5") as f:
                    for key in FIGURES:
                        rows[key].append(f["intervals/" + key][:])
            for key in FIGURES:
                _, low, high, _, reference = (x := np.concatenate(rows[key]))[~np.isnan(x).any(axis=1)].T
                wide_low, wide_high = widened(low, high, reference)
                print("| %s | %s | %s | %.1f | %s | %.1f |" % (name, key, share((low <= reference) & (reference <= high)), (high - low).mean(),
                                                             share((wide_low <= reference) & (reference <= wide_high)), (wide_high - wide_low).mean()), flush=True)


if __name__ == "__main__":
    main()

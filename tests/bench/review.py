#!/usr/bin/env python3
"""What correcting the steps of `decode --review` brings on real scores, as a Markdown table.

    tests/bench/review.py [PROGRAM] [FOLDER]

PROGRAM is build/release/statepath unless given; FOLDER holds labelled files X.h5 (../shared/data). Every other recording is fitted to, the rest
is decoded by that model, and the other way round. With each share of the steps corrected the rest is decoded anew; beside the steps of the list as many of
the least probable and as many at random. "tuned by accuracy" is what `fit` makes; "by nll" is `fit --tune nll --for posterior`, whose probabilities are
the likeliest, but whose Viterbi path is not the best.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

import h5py

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "build/release/statepath")
FOLDER = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else ROOT.parent / "shared/data"
SETS = ["applewatch_balanced", "dodh_votes", "salads_eval_edtcn", "salads_mid_dilated", "wnut17_linear"]
SAID = re.compile(r"accuracy is ([\d.]+), was ([\d.]+); with as many of the least probable ([\d.]+), taken\s+at random ([\d.]+)")


def halves(name, folder):
    """Two files of every other recording, and how many labelled steps each has."""
    made = []
    with h5py.File(FOLDER / (name + ".h5")) as f:
        ids = sorted(f["recordings"])
        for half in (0, 1):
            path = folder / ("%s-%d.h5" % (name, half))
            with h5py.File(path, "w") as out:
                for key, value in f.attrs.items():
                    out.attrs[key] = value
                for key in f:
                    if key != "recordings":
                        f.copy(key, out)
                out.create_group("recordings")
                for i in ids[half::2]:
                    f.copy("recordings/" + i, out["recordings"])
                made.append((path, sum(int((out["recordings"][i]["labels"][:] >= 0).sum()) for i in out["recordings"])))
    return made


def run(*arguments):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 3):
        sys.exit(done.stderr)
    return done.stderr


def measure(name, tune, share, folder):
    sums, n = [0.0] * 4, 0
    made = halves(name, folder)
    for (fitted, _), (tried, steps) in (made, made[::-1]):
        model = folder / "m.json"
        run("fit", fitted, "-o", model, "-f", "--quiet", *tune)
        said = SAID.search(run("decode", tried, "--model", model, "-o", folder / "p.h5", "-f", "--review", share)).groups()
        sums = [a + steps * float(b) for a, b in zip(sums, said)]
        n += steps
    worth, plain, unsure, at_random = (100 * x / n for x in sums)
    return plain, worth, unsure, at_random


def main():
    print("| scores | model | corrected | as decoded | list | least probable | at random |\n|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name in SETS:
            for label, tune in (("accuracy", []), ("nll", ["--tune", "nll", "--for", "posterior"])):
                for share in ("2%", "5%"):
                    figures = measure(name, tune, share, pathlib.Path(folder))
                    print("| %s | by %s | %s | %s |" % (name, label, share, " | ".join("%.2f" % x for x in figures)), flush=True)


if __name__ == "__main__":
    main()

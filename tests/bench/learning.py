#!/usr/bin/env python3
"""What learning buys on real scores, cross-validated, as a Markdown table.

    tests/bench/learning.py [PROGRAM] [FOLDER] [SET ...]

PROGRAM is build/release/statepath unless given; FOLDER holds files X.h5 with their rules X.model.json (../shared/data). Every fitted
figure is of recordings that the model did not see, in five folds over recordings; where ids begin with a published split (s1_, s2_, ...) the
splits are the folds, and the rules too are learnt from the other folds: those beside such a file were read off all of its labels. Each fold
then has rules of its own, which every strategy but posterior obeys ("by fold"); with the other sets transitions are judged by the file's
rules. Intervals are of 95 %, over recordings. Segments is the semi-Markov Viterbi of segments.py, which the program does not have.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "build/release/statepath")
FOLDER = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else ROOT.parent / "shared/data"
LABELLED = ["applewatch_balanced", "dodh_votes", "salads_eval_edtcn", "salads_mid_dilated", "wnut17_linear"]
SPLIT = {"salads_mid_dilated", "salads_eval_edtcn"}
# What is asked of named entities is not the share of steps: nine in ten are outside of all of them.
TUNE = {"wnut17_linear": "entity_f1"}


def run(*arguments):
    done = subprocess.run([PROGRAM, *arguments, "--json", "-", "--quiet"], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 3):
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def compare(name, model, strategies, *more):
    return run("compare", str(FOLDER / (name + ".h5")), "--model", str(model), "--strategies", strategies, *more)


def interval_of_accuracy(r):
    """Of the pooled accuracy, by bootstrap over recordings."""
    counts = np.array([(x["correct"], x["scored"]) for x in r["per_recording"]])
    draws = np.random.default_rng(1).multinomial(len(counts), np.ones(len(counts)) / len(counts), 4000) @ counts
    return np.percentile(100 * draws[:, 0] / draws[:, 1], [2.5, 97.5])


def interval_of_difference(result, strategy):
    """Of the difference to argmax in accuracy, in points."""
    for c in result["comparisons"]:
        if c["metric"] == "accuracy" and {c["a"], c["b"]} == {strategy, "argmax"} and c.get("ci"):
            sign = 1 if c["a"] == strategy else -1
            low, high = sorted(100 * sign * x for x in c["ci"])
            return "%+.2f to %+.2f" % (low, high)
    return ""


def show(name, label, result, strategy, illegal=True):
    r = result["strategies"][strategy]
    entities = "%.2f" % (100 * r["entities"]["f1"]) if "entities" in r else ""
    print("| %s | %s | %.2f (%.1f to %.1f) | %s | %.4f | %.4f | %.1f | %s | %s |" % (
        name, label, 100 * r["accuracy"], *interval_of_accuracy(r), interval_of_difference(result, strategy), r["kappa"] or 0, r["macro_f1"] or 0,
        100 * r["edit_score"], entities, r["illegal"] if illegal else "by fold"), flush=True)


def how_of(name, folder, tune):
    """The model that judges, and the options of cross-validation."""
    model, how = FOLDER / (name + ".model.json"), ["--cv", "5", "--tune", tune]
    if name not in SPLIT:
        return model, how
    # Everything allowed, for judging what is decoded under rules of its own.
    classes = json.loads(model.read_text())["classes"]
    free = pathlib.Path(folder) / "free.json"
    free.write_text(json.dumps({"statepath_model": 1, "name": "free", "classes": classes, "matrix": [[1] * len(classes)] * len(classes)}))
    return free, how + ["--groups", "prefix:_", "--rules", "seen"]


def show_segments(name, judge, folder):
    import segments
    data, paths = segments.segments_of(name)
    file = pathlib.Path(folder) / "segments.h5"
    segments.write_paths(data, paths, file, "semi-markov")
    show(name, "segments (semi-Markov)", run("evaluate", str(file), "--model", str(judge)), "semi-markov", name not in SPLIT)


def main():
    print("| set | strategy | accuracy % (95 %) | points over argmax, 95 % | kappa | macro F1 | edit % | entity F1 % | illegal |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name in sys.argv[3:] or LABELLED:
        plain = compare(name, FOLDER / (name + ".model.json"), "argmax,greedy,viterbi")
        for strategy in ("argmax", "greedy", "viterbi"):
            show(name, strategy + (" by rules" if strategy != "argmax" else ""), plain, strategy)
        with tempfile.TemporaryDirectory() as folder:
            judge, how = how_of(name, folder, TUNE.get(name, "accuracy"))
            for method in ("counts", "crf"):
                fitted = compare(name, judge, "argmax,greedy,viterbi,mea,posterior", *how, "--method", method)
                for strategy in ("greedy", "viterbi", "mea", "posterior"):
                    show(name, "%s, fitted by %s" % (strategy, method), fitted, strategy, name not in SPLIT)
            show_segments(name, judge, folder)


if __name__ == "__main__":
    main()

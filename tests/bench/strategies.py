#!/usr/bin/env python3
"""What each strategy buys on real scores, as a Markdown table.

    tests/bench/strategies.py [PROGRAM] [FOLDER]

PROGRAM is build/release/statepath unless given; FOLDER holds files X.h5 with their rules X.model.json (../shared/data).
"""
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "build/release/statepath")
FOLDER = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else ROOT.parent / "shared/data"
STRATEGIES = "argmax,greedy,beam:4,viterbi,posterior,mea,posterior-viterbi,online:0,online:10"


def main():
    results = {}
    for model in sorted(FOLDER.glob("*.model.json")):
        name = model.name[:-len(".model.json")]
        done = subprocess.run([PROGRAM, "compare", str(FOLDER / (name + ".h5")), "--model", str(model), "--strategies", STRATEGIES, "--json",
                               "-", "--quiet"], capture_output=True, text=True, check=False)
        if done.returncode not in (0, 3):
            sys.exit(done.stderr)
        result = json.loads(done.stdout)
        if "reference" in result:
            results[name] = result["strategies"]
    print("| strategy |" + "".join(" %s |" % name for name in results))
    print("|---|" + "---|" * len(results))
    for strategy in STRATEGIES.split(","):
        cells = []
        for name, strategies in results.items():
            r = strategies[strategy]
            text = "%.2f, %d, %.1f" % (100 * r["accuracy"], r["illegal"], 100 * r["edit_score"])
            if "entities" in r:
                text += ", %.2f" % (100 * r["entities"]["f1"])
            if r["undecoded"]:
                text += " (%d undecoded)" % len(r["undecoded"])
            cells.append(text)
        print("| `%s` |" % strategy + "".join(" %s |" % c for c in cells))
    print("\nAccuracy in %, illegal transitions, segment edit score in %; for tags also entity F1 in %.")


main()

"""The experiment of measured.md: five seeds, training with and without masks, decoding at three levels of noise.

    python3 models/network/experiment.py build/release/statepath FOLDER

makes signals, trains, predicts and compares with the program alone, keeps what is there already, and writes FOLDER/results.json,
FOLDER/tables.md and FOLDER/report.html. Nothing but Python's standard library is needed. About 25 trainings of a few seconds each.

    python3 models/network/experiment.py --report PAGE.html RESULTS.json

writes the page alone.
"""
import json
import os
import subprocess
import sys

import experiment_page

SEEDS = [1, 2, 3, 4, 5]
EASY = 0.8
NOISY = {"5 %": 4.3, "20 %": 5.5}  # how often argmax breaks a rule there, about
TRAINING = 20                      # recordings
STRATEGIES = ["argmax", "greedy", "viterbi", "mea"]
HERE = os.path.dirname(os.path.abspath(__file__))
RECIPE = json.load(open(os.path.join(HERE, "..", "..", "datasets", "sleep-signals.recipe.json")))
STRICT = json.load(open(os.path.join(HERE, "..", "sleep-strict.model.json")))


def run(*arguments):
    return subprocess.run([PROGRAM, *arguments], check=True, capture_output=True, text=True, cwd=FOLDER).stdout


def there(name):
    return os.path.exists(os.path.join(FOLDER, name))


def save(name, value):
    with open(os.path.join(FOLDER, name), "w") as out:
        json.dump(value, out, indent=1)


def read(name):
    with open(os.path.join(FOLDER, name)) as f:
        return json.load(f)


def signals(seed, noise, test):
    name = "signals-%d-%g-%d" % (seed, noise, test)
    if not there(name + ".h5"):
        recipe = json.loads(json.dumps(RECIPE))
        recipe.update(seed=seed, recordings=TRAINING + test)
        recipe["signals"]["channels"][0]["noise"] = noise
        recipe["signals"]["test"] = test
        save(name + ".json", recipe)
        run("simulate", name + ".json", "-o", name + ".h5", "-q")
    return name


def scores(seed, noise, test, masking):
    data = signals(seed, noise, test)
    name = "%s-%s" % (data, masking)
    if not there(name + ".log"):
        rules = [] if masking == "none" else ["--masking", masking, "--model", "sleep-strict"]
        log = run("train", data + ".h5", "-o", name + ".weights.h5", "--seed", str(seed), "--force", "-q", *rules)
        run("predict", data + ".h5", "--weights", name + ".weights.h5", "--split", "test", "-o", name + ".test.h5", "--force", "-q")
        run("predict", data + ".h5", "--weights", name + ".weights.h5", "--split", "train", "-o", name + ".train.h5", "--force", "-q")
        with open(os.path.join(FOLDER, name + ".log"), "w") as out:
            out.write(log)
    return name


def compare(name, model, tag, strategies):
    out = "%s.%s.json" % (name, tag)
    if not there(out):
        run("compare", name + ".test.h5", "--model", model, "--strategies", ",".join(strategies), "--json", out, "-q", "--force")
    return read(out)["strategies"]


def epochs(name):
    """Loss, accuracy, test loss and test accuracy of each epoch, as `train` printed them."""
    with open(os.path.join(FOLDER, name + ".log")) as f:
        return [[float(line[a:a + 10]) for a in (5, 15, 25, 35)] for line in f.read().splitlines()[1:]]


def summary(values):
    mean, half = experiment_page.summary(values)
    return {"mean": mean, "half": half}


def training():
    out = {}
    for masking in ["none", "random-previous", "true-previous"]:
        rows = []
        for seed in SEEDS:
            name = scores(seed, EASY, 5, masking)
            s = compare(name, "sleep-strict", "strict", ["argmax", "viterbi"])
            rows.append({"seed": seed, "epochs": epochs(name),
                         **{k: {"accuracy": v["accuracy"], "illegal": v["illegal"], "transitions": v["transitions"],
                                "predicted": [sum(row[j] for row in v["confusion"]) for j in range(5)],
                                "reference": [sum(row) for row in v["confusion"]]} for k, v in s.items()}})
        out[masking] = rows
    return out


def decoding(levels):
    """20 training recordings as before, 40 for testing, so that intervals are worth printing. levels: name -> noise."""
    dwell = dict(STRICT, name="sleep-strict-dwell", min_dwell={c: 2 for c in STRICT["classes"]})
    save("dwell.model.json", dwell)
    out = {}
    for level, noise in levels.items():
        rows = []
        for seed in SEEDS:
            name = scores(seed, noise, 40, "none")
            if not there(name + ".fitted.model.json"):
                run("fit", name + ".train.h5", "-o", name + ".fitted.model.json", "--force", "-q")
            found = compare(name, "sleep-strict", "strict", STRATEGIES)
            found["min-dwell"] = compare(name, "dwell.model.json", "dwell", ["viterbi"])["viterbi"]
            found["fitted"] = compare(name, name + ".fitted.model.json", "fitted", ["viterbi"])["viterbi"]
            rows.append({k: {m: v[m] for m in ["accuracy", "macro_f1", "illegal", "transitions", "changes"]} for k, v in found.items()})
        out[level] = {"noise": noise, "rows": rows}
    return out


def percent(s, signed=False):
    return ("%+.2f" if signed else "%.2f") % (100 * s["mean"]) + " ± %.2f" % (100 * s["half"])


def gain(rows, k):
    return summary([r[k]["accuracy"] - r["argmax"]["accuracy"] for r in rows])


def broken_rules(found):
    rate = summary([r["argmax"]["illegal"] / r["argmax"]["transitions"] for r in found["rows"]])
    return "Noise %g: argmax breaks a rule in %s %% of the transitions." % (found["noise"], percent(rate))


def decoding_row(rows, k):
    """Strategy, accuracy, difference from argmax, macro F1 and illegal transitions as texts."""
    accuracy, f1 = summary([r[k]["accuracy"] for r in rows]), summary([r[k]["macro_f1"] for r in rows])
    illegal = summary([r[k]["illegal"] / r[k]["transitions"] for r in rows])
    return [k, percent(accuracy), "" if k == "argmax" else percent(gain(rows, k), True), percent(f1), "%.2f" % (100 * illegal["mean"])]


def tables(results):
    lines = ["| masking in training | test accuracy, each seed | mean | illegal of 245, each seed | last training loss |", "|---|---|---|---|---|"]
    for masking, rows in results["training"].items():
        a = [r["argmax"]["accuracy"] for r in rows]
        lines.append("| %s | %s | %.4f | %s | %s |" % (
            masking, " ".join("%.4f" % x for x in a), sum(a) / len(a), " ".join(str(r["argmax"]["illegal"]) for r in rows),
            " ".join("%.2g" % r["epochs"][-1][0] for r in rows)))
    for found in results["decoding"].values():
        lines += ["", broken_rules(found), "", "| strategy | accuracy, % | against argmax, points | macro F1, % | illegal, % |", "|---|---|---|---|---|"]
        for k in found["rows"][0]:
            lines.append("| %s |" % " | ".join(decoding_row(found["rows"], k)))
    return "\n".join(lines) + "\n"


def save_page(results, file):
    with open(file, "w", encoding="utf-8") as out:
        out.write(experiment_page.page(results))


if __name__ == "__main__":
    if sys.argv[1] == "--report":
        with open(sys.argv[3]) as f:
            save_page(json.load(f), sys.argv[2])
        sys.exit(0)
    PROGRAM, FOLDER = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    os.makedirs(FOLDER, exist_ok=True)
    results = {"training": training(), "decoding": decoding({"none": EASY, **NOISY})}
    save("results.json", results)
    with open(os.path.join(FOLDER, "tables.md"), "w") as out:
        out.write(tables(results))
    save_page(results, os.path.join(FOLDER, "report.html"))
    print(tables(results), end="")

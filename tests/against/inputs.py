"""What the commands of commands.txt read: small files as users bring them, the same bytes on every machine."""

import csv
import json
import os

import h5py
import numpy as np

STAGES = ["Wake", "N1", "N2", "N3", "REM"]
TAGS = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
LENGTHS = {"night1": 120, "night2": 75, "night10": 90, "night11": 33}

MODELS = {
    "weights": {
        "matrix": [[1, 1, 0, 0, 0], [1, 1, 1, 0, 1], [0, 1, 1, 1, 1], [0, 0, 1, 1, 0], [1, 0, 1, 0, 1]],
        "probabilities": [
            [0.9, 0.1, 0, 0, 0],
            [0.1, 0.5, 0.3, 0, 0.1],
            [0, 0.1, 0.7, 0.1, 0.1],
            [0, 0, 0.3, 0.7, 0],
            [0.1, 0, 0.1, 0, 0.8],
        ],
        "start": {"Wake": 0.8, "N1": 0.2},
        "end": ["Wake", "N1", "REM", "N2"],
        "prior": [0.2, 0.1, 0.4, 0.1, 0.2],
        "decoding": {"temperature": 1.3, "transition_weight": 0.8},
    },
    "dwell": {
        "forbid": {"Wake": ["N3", "REM"], "REM": ["N3"]},
        "min_dwell": {"N3": 3, "REM": 2},
        "min_dwell_at_end": True,
    },
    "durations": {
        "forbid": {"Wake": ["N3"]},
        "durations": {
            "N3": {"min": 2, "max": 12},
            "REM": {"negative_binomial": {"mean": 6, "dispersion": 2}, "max": 40},
            "N1": {"pmf": [0.5, 0.3, 0.2]},
        },
        "durations_at_ends": "cut",
    },
    "states": {
        "states": {"Wake": "Wake", "N1": "N1", "light": "N2", "deep": "N2", "N3": "N3", "REM": "REM"},
        "allow": {
            "Wake": ["Wake", "N1"],
            "N1": ["N1", "light", "Wake"],
            "light": ["light", "deep", "N1", "REM", "Wake"],
            "deep": ["deep", "N3", "light"],
            "N3": ["N3", "deep"],
            "REM": ["REM", "Wake", "N1"],
        },
    },
    "rules": {
        "forbid": {"Wake": ["N3"]},
        "rules": [
            "never REM Wake REM",
            {"name": "short", "rule": "at_least 2 N3", "cost": 1.5},
            "at_most 30 Wake",
        ],
    },
    "rules and durations": {
        "forbid": {},
        "rules": ["never REM Wake REM"],
        "durations": {"REM": {"min": 2, "max": 9}},
    },
    "log-weights": {
        "forbid": {"Wake": ["N3", "REM"], "N1": ["N3"], "N3": ["N1", "REM"], "REM": ["N3"]},
        "log_weights": [
            [0, -0.2, -3, None, None],
            [-1, 0, -0.5, None, -1],
            [-2, -1, 0, -1, -1],
            [-3, None, -1, 0, None],
            [-1, -2, -1, None, 0],
        ],
        "start_log_weights": {"Wake": 0, "N1": -1},
    },
}


def random_scores(rng, T, K, sharpness=0.5):
    """Probabilities [T,K] of a path that stays, as a classifier gives them, and that path."""
    path = np.empty(T, int)
    path[0] = 0
    for t in range(1, T):
        path[t] = path[t - 1] if rng.random() < 0.85 else rng.integers(K)
    probs = rng.dirichlet(np.full(K, sharpness), T)
    probs[np.arange(T), path] += rng.random(T) * 1.2
    return (probs / probs.sum(1, keepdims=True)).astype("f4"), path.astype("i4")


def packed(nights):
    return {
        "probs": np.concatenate([p for p, _ in nights.values()]),
        "labels": np.concatenate([y for _, y in nights.values()]),
        "offsets": np.cumsum([0] + [len(y) for _, y in nights.values()]),
        "ids": np.array(list(nights), dtype=object),
    }


def write_h5(path, arrays, **attributes):
    with h5py.File(path, "w", track_order=True) as file:
        for name, values in arrays.items():
            file[name] = np.asarray(values)
        for name, value in attributes.items():
            file.attrs[name] = value


def rows(nights, fill):
    """[N,T,K], [N,T], [N]"""
    T = max(len(y) for _, y in nights.values())
    probs, labels = np.zeros((len(nights), T, 5), "f4"), np.full((len(nights), T), fill, "i4")
    for n, (p, y) in enumerate(nights.values()):
        probs[n, : len(y)], labels[n, : len(y)] = p, y
    return probs, labels, np.array([len(y) for _, y in nights.values()])


def write_table(path, probs, labels=None, header=STAGES, fault=None):
    with open(path, "w", newline="", encoding="utf-8") as out:
        table = csv.writer(out, lineterminator="\n")
        table.writerow([*header, *(["label"] if labels is not None else [])])
        for t, row in enumerate(probs):
            cells = [repr(float(x)) for x in row] + ([STAGES[labels[t]]] if labels is not None else [])
            table.writerow(cells if t != fault else ["?", *cells[1:]])


def make_models(folder):
    for name, keys in MODELS.items():
        with open(os.path.join(folder, name.replace(" ", "-") + ".json"), "w", encoding="utf-8") as out:
            json.dump({"statepath_model": 1, "classes": STAGES, **keys}, out, indent=1)
    with open(os.path.join(folder, "tied.json"), "w", encoding="utf-8") as out:
        tags = ["O"] + [letter + "-" + kind for kind in ("PER", "LOC") for letter in "BIES"]
        allow = {
            tag: [
                to
                for to in tags
                if (to[2:] == tag[2:] and to[0] in "IE" if tag[0] in "BI" else to[0] in "OBS")
            ]
            for tag in tags
        }
        json.dump(
            {
                "statepath_model": 1,
                "classes": tags,
                "tied": {"background_stay": 0.3, "inside_to_end": 0.2},
                "allow": allow,
                "start": [tag for tag in tags if tag[0] in "OBS"],
                "end": [tag for tag in tags if tag[0] in "OES"],
            },
            out,
        )
    with open(os.path.join(folder, "broken.json"), "w", encoding="utf-8") as out:
        out.write('{"statepath_model": 1,\n "classes": ["a", "b"],\n "forbid": {"a": ["c"]}}\n')
    with open(os.path.join(folder, "viterbi_calibration.json"), "w", encoding="utf-8") as out:
        json.dump(
            {"operating_points": {"default": {"biases": {"transition_bias_background_stay": -0.25}}}}, out
        )


def make(folder):
    """Writes them into `folder`."""
    os.makedirs(os.path.join(folder, "nights"))
    os.makedirs(os.path.join(folder, "labels"))
    at = lambda *names: os.path.join(folder, *names)
    rng = np.random.default_rng(7)
    nights = {name: random_scores(rng, T, 5) for name, T in LENGTHS.items()}
    for _, labels in nights.values():
        labels[rng.random(len(labels)) < 0.04] = -1
    probs, labels = nights["night1"]
    whole = packed(nights)
    other = np.where(
        rng.random(len(whole["labels"])) < 0.15, rng.integers(0, 5, len(whole["labels"])), whole["labels"]
    )
    write_h5(at("packed.h5"), whole, classes=STAGES)
    write_h5(
        at("raters.h5"),
        {**whole, "labels_A": other, "labels_B": np.maximum(whole["labels"], 0)},
        classes=STAGES,
    )
    write_h5(
        at("subjects.h5"),
        {**whole, "subjects": np.array(["s1", "s2", "s1", "s3"], dtype=object)},
        classes=STAGES,
    )
    write_h5(
        at("segments.h5"),
        {**whole, "segments": np.arange(len(whole["labels"]), dtype="i4") // 30},
        classes=STAGES,
    )
    write_h5(at("other.h5"), {**whole, "probs": np.roll(whole["probs"], 1, 0)}, classes=STAGES)
    write_h5(
        at("log.h5"),
        {
            **{k: whole[k] for k in ("labels", "offsets", "ids")},
            "log_probs": np.log(whole["probs"].astype("f8")),
        },
    )
    votes = np.round(whole["probs"] * 5) + 1e-9
    write_h5(
        at("votes.h5"), {**whole, "probs": (votes / votes.sum(1, keepdims=True)).astype("f8")}, classes=STAGES
    )
    hard = np.zeros((9, 5))
    hard[np.arange(9), [0, 3, 0, 3, 0, 3, 0, 4, 3]] = 1
    write_h5(
        at("no-path.h5"), {"probs": hard, "labels": np.array([0, 1, 2, 2, 2, 2, 0, 4, 4])}, classes=STAGES
    )
    write_h5(
        at("logits.h5"),
        {"logits": rng.normal(0, 1e3, (200, 5)), "labels": rng.integers(0, 5, 200)},
        classes=STAGES,
    )
    write_h5(at("nan.h5"), {"probs": np.where(np.arange(120)[:, None] == 50, np.nan, probs)}, classes=STAGES)
    write_h5(at("sums.h5"), {"probs": probs * 0.7}, classes=STAGES)
    with h5py.File(at("groups.h5"), "w") as file:
        for name, (p, y) in nights.items():
            file["recordings/%s/probs" % name], file["recordings/%s/labels" % name] = p, y
    np.save(at("single.npy"), probs)
    np.save(at("single.labels.npy"), labels)
    wide = np.hstack([probs, probs[:, ::-1]])[:, :9]
    np.save(at("wide.npy"), wide / wide.sum(1, keepdims=True))
    np.save(at("class.npy"), probs.argmax(1))
    padded, marks, lengths = rows(nights, -100)
    np.savez(at("rows.npz"), probs=padded, labels=marks, ids=np.array(list(nights)))
    np.savez(at("lengths.npz"), probs=padded, labels=np.where(marks < 0, -1, marks), lengths=lengths)
    for name, (p, y) in nights.items():
        np.save(at("nights", name + ".npy"), p)
        with open(at("labels", name + ".txt"), "w", encoding="utf-8") as out:
            out.write("".join((STAGES[k] if k >= 0 else "?") + "\n" for k in y))
    write_table(at("table.csv"), probs, labels)
    write_table(at("bad-cell.csv"), probs, labels, fault=17)
    write_table(at("swapped.csv"), probs[:, ::-1], labels, header=STAGES[::-1])
    tag_scores, tag_path = random_scores(rng, 300, 5)
    write_h5(
        at("tags.h5"),
        {"probs": tag_scores, "labels": tag_path, "offsets": np.arange(0, 301, 20)},
        classes=TAGS,
    )
    with open(at("config.json"), "w", encoding="utf-8") as out:
        json.dump({"id2label": dict(enumerate(TAGS))}, out)
    np.savetxt(at("stream.txt"), probs, fmt="%.7g")
    write_h5(
        at("mask.h5"),
        {
            "logits": rng.normal(0, 1, (40, 5)),
            "mask": (rng.random((40, 5)) < 0.8) | (np.arange(5) == 0),
            "matrix": np.array(MODELS["weights"]["matrix"]),
            "before": rng.integers(0, 5, 40),
        },
    )
    open(at("empty.npy"), "wb").close()
    with open(at("text.h5"), "w", encoding="utf-8") as out:
        out.write("not HDF5\n")
    make_models(folder)

#!/usr/bin/env python3
"""Random exports of the tools of the field, given to `statepath compare`: the right figures, or a sentence that says what to do.

    tests/doors/random_exports.py [FILES [SEED]]        STATEPATH names the program; ./dev test --long exports runs it

Each file holds data whose figures are known, written as numpy, pandas, h5py, scipy or MNE write them: layout, order of memory, byte order,
type, names of arrays, index column, header, separator, unscored labels, padding, arrays that mean something else. A file that is read must give
the accuracy, illegal transitions and steps of argmax, and the accuracy of Viterbi, that numpy gives. Prints a table of writers and exits with 1
where any figure is wrong without a word; the files of such cases are kept.
"""
import collections
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import h5py
import numpy as np
import pandas as pd
import scipy.io

STAGES = ["Wake", "N1", "N2", "N3", "REM"]
FORBIDDEN = {(0, 3), (0, 4), (1, 3), (4, 3)}  # of sleep-aasm, as `statepath model show sleep-aasm` lists them
K = len(STAGES)


# ---- data whose figures are known ----


class Data:
    """Recordings with scores [T,K], labels (-1: none), and what the scores are."""

    def __init__(self, rng):
        self.rng = rng
        self.lengths = rng.integers(3, 60, rng.choice([1, 1, 2, 5]))
        total = int(self.lengths.sum())
        self.kind = str(rng.choice(["probs", "probs", "log_probs", "logits"]))
        logits = rng.normal(size=(total, K)) * float(rng.choice([1, 3, 30 if self.kind != "probs" else 3]))
        log_probs = logits - np.logaddexp.reduce(logits, axis=1, keepdims=True)
        scores = {"probs": np.exp(log_probs), "log_probs": log_probs, "logits": logits}[self.kind]
        self.scores = scores.astype(rng.choice(["f4", "f8"]))
        labels = np.where(rng.random(total) < .6, log_probs.argmax(axis=1), rng.integers(0, K, total))
        self.labels = np.where(rng.random(total) < rng.choice([0, .1]), -1, labels)
        self.offsets = np.cumsum([0, *self.lengths])

    def cut(self, x):
        return [x[a:b] for a, b in zip(self.offsets[:-1], self.offsets[1:])]

    def padded(self, x, fill):
        out = np.full((len(self.lengths), int(self.lengths.max()), *x.shape[1:]), fill, x.dtype)
        for n, part in enumerate(self.cut(x)):
            out[n, : len(part)] = part
        return out

    def figures(self):
        """What compare() must say: steps, steps with a label; of argmax accuracy and illegal transitions; of Viterbi accuracy."""
        nats = self.scores.astype("f8")
        with np.errstate(divide="ignore"):
            nats = np.log(nats) if self.kind == "probs" else nats
        counts = collections.Counter()
        for e, y in zip(self.cut(nats), self.cut(self.labels)):
            a, v = e.argmax(axis=1), viterbi(e)
            counts["steps"] += len(y)
            counts["scored"] += int((y >= 0).sum())
            counts["argmax"] += int((a == y).sum())
            counts["viterbi"] += int((v == y).sum())
            counts["illegal"] += sum((int(i), int(j)) in FORBIDDEN for i, j in zip(a[:-1], a[1:]))
        return counts


def viterbi(e):
    """The textbook's."""
    allowed = np.zeros((K, K))
    for pair in FORBIDDEN:
        allowed[pair] = -np.inf
    best, back = e[0].copy(), []
    for row in e[1:]:
        ways = best[:, None] + allowed
        back.append(ways.argmax(axis=0))
        best = ways.max(axis=0) + row
    path = [int(best.argmax())]
    for b in reversed(back):
        path.append(int(b[path[-1]]))
    return np.array(path[::-1])


def as_users_hold(rng, x):
    """The same numbers: order of memory, byte order, a view."""
    how = rng.choice(["plain", "fortran", "big", "view"])
    if how == "fortran":
        return np.asfortranarray(x)
    if how == "big":
        return x.astype(x.dtype.newbyteorder(">"))
    return np.repeat(x, 2, axis=0)[::2] if how == "view" else x


def labels_as_users_hold(rng, labels, words=True):
    """The same labels: a type of integers, floats with NaN, words."""
    how = rng.choice(["i1", "i4", "i8", "f8", "nan"] + ["words"] * words)
    if how == "words":
        return np.array([*STAGES, "?"])[labels]
    if how == "nan":
        return np.where(labels < 0, np.nan, labels)
    return labels.astype(how)


def name_of(rng, data):
    return str(rng.choice([data.kind, data.kind, "scores" if data.kind == "logits" else data.kind]))


# ---- writers: each writes files into the folder and returns the arguments of compare ----


def numpy_npy(rng, data, folder):
    """np.save of the scores, and of the labels beside."""
    if len(data.lengths) > 1 and rng.random() < .7:
        for side, x in (("s", data.scores), ("l", data.labels)):
            os.mkdir(folder / side)
            for n, part in enumerate(data.cut(x)):
                np.save(folder / side / f"r{n}.npy", as_users_hold(rng, part))
        return ["s", "--labels", "l/{id}.npy"]
    np.save(folder / "s.npy", as_users_hold(rng, data.padded(data.scores, 0) if len(data.lengths) > 1 else data.scores))
    np.save(folder / "l.npy", labels_as_users_hold(rng, data.padded(data.labels, -1) if len(data.lengths) > 1 else data.labels))
    return ["s.npy", "--labels", "l.npy"]


def arrays_of(rng, data):
    """Arrays by their names, in one of the layouts."""
    layout = "single" if len(data.lengths) == 1 else str(rng.choice(["packed", "lengths", "padded", "valid", "hundred"]))
    scores, labels = data.scores, data.labels
    extra = {}
    if layout == "packed":
        extra["offsets"] = data.offsets
    elif layout == "lengths":
        extra["lengths"] = data.lengths
    elif layout != "single":
        scores, labels = data.padded(scores, 0), data.padded(labels, -100 if layout == "hundred" else -1)
        if layout == "padded":
            extra["lengths"] = data.lengths
        if layout == "valid":
            extra["valid"] = np.arange(scores.shape[1]) < data.lengths[:, None]
    if layout == "hundred" and np.any(data.labels < 0):
        labels = np.where(labels == -1, -100, labels)  # as Trainer does, where a step has no label
    out = {name_of(rng, data): as_users_hold(rng, scores), "labels": labels_as_users_hold(rng, labels, words=False) if layout != "hundred" else labels}
    if layout == "hundred" and rng.random() < .5:
        out = {"predictions": scores, "label_ids": labels}
    if rng.random() < .3:
        out |= {"epoch": np.arange(3), "loss": np.array(.5), "fs": np.array([100])}
    return out | extra


def numpy_npz(rng, data, folder):
    """np.savez or np.savez_compressed."""
    (np.savez if rng.random() < .5 else np.savez_compressed)(folder / "x.npz", **arrays_of(rng, data))
    return ["x.npz"]


def h5py_file(rng, data, folder):
    """h5py, plain, chunked or compressed; or a group a recording."""
    how = [{}, {"compression": "gzip"}, {"chunks": True, "shuffle": True, "compression": "gzip"}][rng.integers(3)]
    with h5py.File(folder / "x.h5", "w") as f:
        if rng.random() < .3:
            for n, (e, y) in enumerate(zip(data.cut(data.scores), data.cut(data.labels))):
                f.create_dataset(f"recordings/r{n}/{data.kind}", data=e, **how)
                f.create_dataset(f"recordings/r{n}/labels", data=y)
        else:
            for name, x in arrays_of(rng, data).items():
                f.create_dataset(name, data=x, **(how if np.ndim(x) > 1 else {}))
    return ["x.h5"]


def scipy_mat(rng, data, folder):
    """scipy.io.savemat: labels become a row; cells of one recording each."""
    compress = bool(rng.random() < .5)
    if len(data.lengths) > 1:
        cells = {}
        for name, x in ((data.kind, data.scores), ("labels", data.labels)):
            cell = np.empty((1, len(data.lengths)), object)
            for n, part in enumerate(data.cut(x)):
                cell[0, n] = part
            cells[name] = cell
        scipy.io.savemat(folder / "x.mat", cells, do_compression=compress)
        return ["x.mat", "--scores", data.kind + "/{id}", "--labels-dataset", "labels/{id}"] if rng.random() < .5 else ["x.mat"]
    scipy.io.savemat(folder / "x.mat", {data.kind: as_users_hold(rng, data.scores), "labels": data.labels}, do_compression=compress)
    return ["x.mat"]


def pandas_csv(rng, data, folder):
    """to_csv of a frame: named or numbered columns, with or without index, header and labels."""
    names = [STAGES, list(range(K)), [f"p{k}" for k in range(K)]][rng.choice(3, p=[.5, .4, .1])]
    frame = pd.DataFrame(data.scores, columns=names)
    options = []
    sep = str(rng.choice([",", ",", "\t", ";"]))
    has_labels = rng.random() < .5
    if has_labels:
        frame["label"] = np.array([*STAGES, "?"])[data.labels] if rng.random() < .5 else data.labels
    if len(data.lengths) > 1:
        frame.insert(0, "recording", np.repeat([f"r{n}" for n in range(len(data.lengths))], data.lengths))
    header = bool(rng.random() < .8)
    frame.to_csv(folder / "x.csv", sep=sep, index=bool(rng.random() < .4), header=header)
    if data.kind != "probs":
        options += ["--kind", data.kind]
    if not has_labels:
        y = pd.Series(labels_as_users_hold(rng, data.labels), name="label")
        y.to_csv(folder / "y.csv", index=bool(rng.random() < .3), header=bool(rng.random() < .5))
        options += ["--labels", "y.csv"]
    return ["x.csv", *options]


def mne_annotations(rng, data, folder):
    """Scores of one night, stages as mne.Annotations.save("x.csv") writes them: onset, duration, description of each run."""
    np.save(folder / "x.npy", data.scores)
    starts = np.flatnonzero(np.diff(data.labels, prepend=-9))
    ends = np.append(starts[1:], len(data.labels))
    words = ["Sleep stage W", "Sleep stage 1", "Sleep stage 2", "Sleep stage 3", "Sleep stage R", "Sleep stage ?"]
    pd.DataFrame({"onset": 30. * starts, "duration": 30. * (ends - starts), "description": [words[data.labels[s]] for s in starts]}).to_csv(
        folder / "x_annot.csv", index=False)
    return ["x.npy", "--labels", "x_annot.csv"]


WRITERS = [numpy_npy, numpy_npz, numpy_npz, h5py_file, h5py_file, scipy_mat, pandas_csv, pandas_csv, pandas_csv, mne_annotations]


# ---- the check ----


def found(text):
    result = json.loads(text)
    n, of = result["input"], result["strategies"]
    counts = collections.Counter(steps=n["steps"], scored=n["scored_steps"], illegal=of["argmax"]["illegal"])
    for name in ("argmax", "viterbi"):
        counts[name] = round(of[name].get("accuracy", 0) * n["scored_steps"]) if n["scored_steps"] else 0
    return counts


def main():
    n_files, seed = (int(sys.argv[i]) if len(sys.argv) > i else usual for i, usual in ((1, 1000), (2, 1)))
    rng = np.random.default_rng(seed)
    table, wrong, crashed = collections.Counter(), [], []
    kept = pathlib.Path(tempfile.mkdtemp(prefix="statepath-exports-"))
    for i in range(n_files):
        folder = kept / str(i)
        folder.mkdir()
        data, writer = Data(rng), WRITERS[rng.integers(len(WRITERS))]
        if writer is mne_annotations and len(data.lengths) > 1:
            writer = numpy_npz
        arguments = ["compare", *writer(rng, data, folder), "--model", "sleep-aasm", "--json", "-", "--strategies", "argmax,viterbi"]
        done = subprocess.run([os.environ["STATEPATH"], *arguments], cwd=folder, capture_output=True, text=True, timeout=60, env=dict(os.environ, NO_COLOR="1"))
        if done.returncode not in (0, 1, 2, 3) or (done.returncode in (1, 2) and not done.stderr.startswith("statepath: ")):
            crashed.append(f"{i}: {' '.join(arguments)}: status {done.returncode}: {done.stderr[-300:]}")
            outcome = "crashed"
        elif done.returncode in (1, 2, 3):  # 3: recordings that could not be decoded are named, as rows of zeros after a recording's end
            outcome = "refused"
            if os.environ.get("SHOW"):
                print(f"{i} {writer.__name__}: {done.stderr.strip()}")
        else:
            outcome = "right" if found(done.stdout) == data.figures() else "WRONG"
            if outcome == "WRONG":
                wrong.append(f"{i}: {' '.join(arguments)}: {dict(found(done.stdout))}, truly {dict(data.figures())}; notes: {done.stderr.strip()}")
        table[writer.__name__, outcome] += 1
        if outcome in ("right", "refused"):
            shutil.rmtree(folder)
    print(f"{'writer':16} {'right':>6} {'refused':>8} {'WRONG':>6} {'crashed':>8}")
    for name in sorted({w.__name__ for w in WRITERS}):
        print(f"{name:16} {table[name, 'right']:6} {table[name, 'refused']:8} {table[name, 'WRONG']:6} {table[name, 'crashed']:8}")
    for line in wrong + crashed:
        print(line)
    if wrong or crashed:
        sys.exit(f"{len(wrong)} silently wrong, {len(crashed)} crashed of {n_files}; their files are in {kept}")
    shutil.rmtree(kept)


if __name__ == "__main__":
    main()

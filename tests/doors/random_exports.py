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
        labels = np.where(rng.random(total) < 0.6, log_probs.argmax(axis=1), rng.integers(0, K, total))
        self.labels = np.where(rng.random(total) < rng.choice([0, 0.1]), -1, labels)
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
    if len(data.lengths) > 1 and rng.random() < 0.7:
        for side, x in (("s", data.scores), ("l", data.labels)):
            os.mkdir(folder / side)
            for n, part in enumerate(data.cut(x)):
                np.save(folder / side / f"r{n}.npy", as_users_hold(rng, part))
        return ["s", "--labels", "l/{id}.npy"]
    np.save(
        folder / "s.npy",
        as_users_hold(rng, data.padded(data.scores, 0) if len(data.lengths) > 1 else data.scores),
    )
    np.save(
        folder / "l.npy",
        labels_as_users_hold(rng, data.padded(data.labels, -1) if len(data.lengths) > 1 else data.labels),
    )
    return ["s.npy", "--labels", "l.npy"]


def arrays_of(rng, data):
    """Arrays by their names, in one of the layouts."""
    layout = (
        "single"
        if len(data.lengths) == 1
        else str(rng.choice(["packed", "lengths", "padded", "valid", "hundred"]))
    )
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
    out = {
        name_of(rng, data): as_users_hold(rng, scores),
        "labels": labels_as_users_hold(rng, labels, words=False) if layout != "hundred" else labels,
    }
    if layout == "hundred" and rng.random() < 0.5:
        out = {"predictions": scores, "label_ids": labels}
    if rng.random() < 0.3:
        out |= {"epoch": np.arange(3), "loss": np.array(0.5), "fs": np.array([100])}
    return out | extra


def numpy_npz(rng, data, folder):
    """np.savez or np.savez_compressed."""
    (np.savez if rng.random() < 0.5 else np.savez_compressed)(folder / "x.npz", **arrays_of(rng, data))
    return ["x.npz"]


def h5py_file(rng, data, folder):
    """h5py, plain, chunked or compressed; or a group a recording."""
    how = [{}, {"compression": "gzip"}, {"chunks": True, "shuffle": True, "compression": "gzip"}][
        rng.integers(3)
    ]
    with h5py.File(folder / "x.h5", "w") as f:
        if rng.random() < 0.3:
            for n, (e, y) in enumerate(zip(data.cut(data.scores), data.cut(data.labels))):
                f.create_dataset(f"recordings/r{n}/{data.kind}", data=e, **how)
                f.create_dataset(f"recordings/r{n}/labels", data=y)
        else:
            for name, x in arrays_of(rng, data).items():
                f.create_dataset(name, data=x, **(how if np.ndim(x) > 1 else {}))
    return ["x.h5"]


def scipy_mat(rng, data, folder):
    """scipy.io.savemat: labels become a row; cells of one recording each."""
    compress = bool(rng.random() < 0.5)
    if len(data.lengths) > 1:
        cells = {}
        for name, x in ((data.kind, data.scores), ("labels", data.labels)):
            cell = np.empty((1, len(data.lengths)), object)
            for n, part in enumerate(data.cut(x)):
                cell[0, n] = part
            cells[name] = cell
        scipy.io.savemat(folder / "x.mat", cells, do_compression=compress)
        return (
            ["x.mat", "--scores", data.kind + "/{id}", "--labels", "labels/{id}"]
            if rng.random() < 0.5
            else ["x.mat"]
        )
    scipy.io.savemat(
        folder / "x.mat",
        {data.kind: as_users_hold(rng, data.scores), "labels": data.labels},
        do_compression=compress,
    )
    return ["x.mat"]


def pandas_csv(rng, data, folder):
    """to_csv of a frame: named or numbered columns, with or without index, header and labels."""
    names = [STAGES, list(range(K)), [f"p{k}" for k in range(K)]][rng.choice(3, p=[0.5, 0.4, 0.1])]
    frame = pd.DataFrame(data.scores, columns=names)
    options = []
    sep = str(rng.choice([",", ",", "\t", ";"]))
    has_labels = rng.random() < 0.5
    if has_labels:
        frame["label"] = np.array([*STAGES, "?"])[data.labels] if rng.random() < 0.5 else data.labels
    if len(data.lengths) > 1:
        frame.insert(0, "recording", np.repeat([f"r{n}" for n in range(len(data.lengths))], data.lengths))
    header = bool(rng.random() < 0.8)
    frame.to_csv(folder / "x.csv", sep=sep, index=bool(rng.random() < 0.4), header=header)
    if data.kind != "probs":
        options += ["--kind", data.kind]
    if not has_labels:
        y = pd.Series(labels_as_users_hold(rng, data.labels), name="label")
        y.to_csv(folder / "y.csv", index=bool(rng.random() < 0.3), header=bool(rng.random() < 0.5))
        options += ["--labels", "y.csv"]
    return ["x.csv", *options]


def mne_annotations(rng, data, folder):
    """Scores of one night, stages as mne.Annotations.save("x.csv") writes them: onset, duration, description of each run."""
    np.save(folder / "x.npy", data.scores)
    starts = np.flatnonzero(np.diff(data.labels, prepend=-9))
    ends = np.append(starts[1:], len(data.labels))
    words = [
        "Sleep stage W",
        "Sleep stage 1",
        "Sleep stage 2",
        "Sleep stage 3",
        "Sleep stage R",
        "Sleep stage ?",
    ]
    pd.DataFrame(
        {
            "onset": 30.0 * starts,
            "duration": 30.0 * (ends - starts),
            "description": [words[data.labels[s]] for s in starts],
        }
    ).to_csv(folder / "x_annot.csv", index=False)
    return ["x.npy", "--labels", "x_annot.csv"]


# ---- order, and what takes part ----


def write_labels(rng, labels, folder):
    """Labels in a file of their own; of one recording."""
    how = rng.choice(["npy", "npz", "h5", "txt", "csv", "mat"])
    words = labels.dtype.kind == "U"
    if how == "npy":
        np.save(folder / "y.npy", labels)
    elif how == "npz":
        np.savez(folder / "y.npz", labels=labels)
    elif how == "h5" or (how == "mat" and words):
        with h5py.File(folder / "y.h5", "w") as f:
            f["labels"] = labels.astype("S") if words else labels
        how = "h5"
    elif how == "mat":
        scipy.io.savemat(folder / "y.mat", {"labels": labels})
    else:
        pd.Series(labels, name="label").to_csv(folder / f"y.{how}", index=False, header=how == "csv")
    return ["--labels", f"y.{how}"]


def ordered_columns(rng, data, folder):
    """Columns in another order, with names; labels elsewhere are numbers by one order or the other, or words."""
    order = np.argsort(STAGES) if rng.random() < 0.5 else rng.permutation(K)
    names, x = [STAGES[k] for k in order], data.scores[:, order]
    how = rng.choice(["npz", "h5", "csv", "npy"])
    words = ["x." + how]
    if how == "npz":
        np.savez(folder / "x.npz", **{data.kind: x, "classes": names})
    elif how == "h5":
        with h5py.File(folder / "x.h5", "w") as f:
            f[data.kind] = x
            f[data.kind].attrs["classes"] = names
    elif how == "csv":
        pd.DataFrame(x, columns=names).to_csv(folder / "x.csv", index=False)
    else:
        np.save(folder / "x.npy", x)
        words += ["--classes", ",".join(names)]
    if how in ("csv", "npy"):
        words += ["--kind", data.kind]
    meant = rng.choice(["words", "columns", "model"])
    columns = np.append(np.argsort(order), -1)[data.labels]
    labels = (
        np.array([*STAGES, ""])[data.labels]
        if meant == "words"
        else columns if meant == "columns" else data.labels
    )
    words += write_labels(rng, labels, folder)
    return words + (["--label-order", meant] if meant != "words" and rng.random() < 0.5 else [])


def labels_beside(rng, data, folder):
    """Numbers beside the scores are columns; an enum of HDF5 has names; truth values are none."""
    order = np.argsort(STAGES)
    names, x = [STAGES[k] for k in order], data.scores[:, order]
    how = rng.choice(["npz", "enum", "bool"])
    if how == "npz":
        np.savez(
            folder / "x.npz",
            **{data.kind: x, "classes": names, "labels": np.append(np.argsort(order), -1)[data.labels]},
        )
        return ["x.npz"]
    with h5py.File(folder / "x.h5", "w") as f:
        f[data.kind] = x
        f.attrs["classes"] = names
        if how == "enum":
            f.create_dataset(
                "labels",
                data=data.labels.astype("i1"),
                dtype=h5py.enum_dtype({name: k for k, name in enumerate(STAGES)}, basetype="i1"),
            )
        else:
            f["labels"] = data.labels > 0
    return ["x.h5"]


def shuffled_table(rng, data, folder):
    """A table of labels in another order, by a column of steps; sometimes one is missing, or there twice."""
    np.save(folder / "x.npy", data.scores)
    table = pd.DataFrame(
        {
            str(rng.choice(["step", "Epoch", "epoch", "index"])): np.arange(len(data.labels))
            + int(rng.random() < 0.5),
            str(rng.choice(["label", "Stage", "stage"])): np.array([*STAGES, "?"])[data.labels],
        }
    )
    if rng.random() < 0.3:
        table.iloc[rng.integers(len(table))] = table.iloc[rng.integers(len(table))]
    if rng.random() < 0.3:
        table = table.iloc[:, [1]]  # and the index
    table.sample(frac=1, random_state=int(rng.integers(1000))).to_csv(
        folder / "y.csv", index=table.shape[1] == 1
    )
    return ["x.npy", "--kind", data.kind, "--labels", "y.csv"]


def unsized_rows(rng, data, folder):
    """Padded rows whose labels are -1, empty or NaN after the end, and nothing else says where that is."""
    none = rng.choice(["minus", "words", "nan"])
    labels = data.padded(data.labels, -1)
    labels = (
        np.array([*STAGES, ""])[labels]
        if none == "words"
        else np.where(labels < 0, np.nan, labels) if none == "nan" else labels
    )
    scores = data.padded(data.scores, 0)
    name, other = ("predictions", "label_ids") if rng.random() < 0.5 else (data.kind, "labels")
    how = rng.choice(["npz", "h5", "npy"])
    if how == "npz":
        np.savez(folder / "x.npz", **{name: scores, other: labels})
    elif how == "h5":
        with h5py.File(folder / "x.h5", "w") as f:
            f[name], f[other] = scores, labels.astype("S") if none == "words" else labels
    else:
        np.save(folder / "x.npy", scores)
        np.save(folder / "y.npy", labels)
        return ["x.npy", "--kind", data.kind, "--labels", "y.npy"]
    return ["x." + how, "--kind", data.kind]


def flagged_steps(rng, data, folder):
    """Packed steps of which flags leave some out: word ids, an attention mask, valid."""
    total = len(data.labels)
    extra = np.sort(
        rng.integers(1, total + 1, rng.integers(1, 9))
    )  # before which step one is that takes no part
    kept = np.insert(np.ones(total, bool), extra, False)
    scores, labels = (
        np.insert(x, extra, rng.integers(0, 2, (len(extra), *x.shape[1:])), axis=0)
        for x in (data.scores, data.labels)
    )
    scores[~kept] = np.resize(np.roll(data.scores, 1, axis=0), (len(extra), K))
    recording = np.insert(
        np.repeat(np.arange(len(data.lengths)), data.lengths),
        extra,
        np.repeat(np.arange(len(data.lengths)), data.lengths)[extra - 1],
    )
    name = str(rng.choice(["valid", "attention_mask", "word_ids"]))
    flags = (
        kept.astype("i8")
        if name != "word_ids"
        else np.where(
            kept, np.cumsum(kept) - 1, np.where(rng.random(len(kept)) < 0.5, -1, np.cumsum(kept) - 1)
        )
    )
    arrays = {data.kind: scores, "labels": labels, "lengths": np.bincount(recording), name: flags}
    if rng.random() < 0.5:
        np.savez(folder / "x.npz", **arrays)
        return ["x.npz", "--gaps", "join"]
    with h5py.File(folder / "x.h5", "w") as f:
        for key, x in arrays.items():
            f[key] = x
    return ["x.h5", "--gaps", "join"]


def faulty_table(rng, data, folder):
    """A table of scores and labels with one cell that is no number."""
    frame = pd.DataFrame(data.scores, columns=STAGES).astype(object)
    frame.iloc[rng.integers(len(frame)), rng.integers(K)] = str(rng.choice(["x", "", "0,5", "1e", "NA"]))
    frame[str(rng.choice(["label", "labels"]))] = np.array([*STAGES, "?"])[data.labels]
    frame.to_csv(folder / "x.csv", index=False)
    return ["x.csv", "--kind", data.kind] + (["--label-confidence", ".9"] if rng.random() < 0.5 else [])


def header_of_numbers(rng, data, folder):
    """Columns 1 to 5; labels of a Series without a name, whose header is 0."""
    pd.DataFrame(data.scores, columns=np.arange(1, K + 1)).to_csv(folder / "x.csv", index=False)
    pd.Series(data.labels).to_csv(folder / "y.csv", index=False, header=bool(rng.random() < 0.7))
    return ["x.csv", "--kind", data.kind, "--labels", "y.csv"]


def more_columns(rng, data, folder):
    """A table with a column that is no class: some names are known, others must be named in the sentence."""
    frame = pd.DataFrame(data.scores, columns=STAGES)
    name = str(rng.choice(["truth", "obs", "labels", "id", "index", "confidence", "notes"]))
    frame.insert(
        int(rng.integers(K + 1)),
        name,
        {"index": np.arange(len(frame)), "confidence": data.scores.max(axis=1)}.get(
            name, np.array([*STAGES, "?"])[data.labels]
        ),
    )
    if name != "labels":
        frame["label"] = data.labels
    frame.to_csv(folder / "x.csv", index=False)
    return ["x.csv", "--kind", data.kind]


def not_what_it_is_called(rng, data, folder):
    """Probabilities or percentages called logits, and the reverse."""
    nats = (
        data.scores.astype("f8")
        if data.kind != "probs"
        else np.log(np.maximum(data.scores.astype("f8"), 1e-300))
    )
    probs = np.exp(nats - np.logaddexp.reduce(nats, axis=1, keepdims=True))
    name, x = [
        ("logits", probs),
        ("logits", 100 * probs),
        ("probs", 100 * probs),
        ("probs", nats - 1),
        ("log_probs", probs),
    ][rng.integers(5)]
    np.savez(folder / "x.npz", **{name: x, "labels": data.labels})
    return ["x.npz"]


def frames(rng, data, folder):
    """The Python package: frames of pandas, polars and Arrow, columns in any order, an index of steps."""
    import statepath

    order = rng.permutation(K)
    names, x, y = (
        [STAGES[k] for k in order],
        data.scores[:, order],
        np.array([*STAGES, None], object)[data.labels],
    )
    how = rng.choice(["pandas", "polars", "arrow"])
    if how == "polars":
        import polars

        scores, labels = polars.DataFrame(x, schema=names, orient="row"), polars.Series(y.tolist())
    elif how == "arrow":
        import pyarrow

        scores, labels = pyarrow.table({name: column for name, column in zip(names, x.T)}), y
    else:
        scores, labels = pd.DataFrame(x, columns=names), pd.Series(y)
        if rng.random() < 0.5:
            labels = labels.sample(frac=1, random_state=int(rng.integers(1000)))
    if len(data.lengths) > 1 or rng.random() < 0.3:
        return lambda: statepath.compare(
            scores, labels, "sleep-aasm", ["argmax", "viterbi"], kind=data.kind, lengths=data.lengths
        ).to_json()
    return lambda: statepath.compare(
        scores, labels, "sleep-aasm", ["argmax", "viterbi"], kind=data.kind
    ).to_json()


WRITERS = [
    numpy_npy,
    numpy_npz,
    numpy_npz,
    h5py_file,
    h5py_file,
    scipy_mat,
    pandas_csv,
    pandas_csv,
    pandas_csv,
    mne_annotations,
    ordered_columns,
    ordered_columns,
    ordered_columns,
    labels_beside,
    shuffled_table,
    unsized_rows,
    flagged_steps,
    faulty_table,
    header_of_numbers,
    more_columns,
    not_what_it_is_called,
    frames,
    frames,
]
OF_ONE = {
    mne_annotations,
    ordered_columns,
    labels_beside,
    shuffled_table,
    faulty_table,
    header_of_numbers,
    more_columns,
    not_what_it_is_called,
}


# ---- the check ----


def found(text):
    result = json.loads(text)
    n, of = result["input"], result["strategies"]
    counts = collections.Counter(steps=n["steps"], scored=n["scored_steps"], illegal=of["argmax"]["illegal"])
    for name in ("argmax", "viterbi"):
        counts[name] = round(of[name].get("accuracy", 0) * n["scored_steps"]) if n["scored_steps"] else 0
    return counts


def run_python(call):
    """The same of a call: what it returns, or the error that is ours."""
    import warnings

    import statepath

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return subprocess.CompletedProcess([], 0, call(), "")
        except statepath.StatepathError as error:
            return subprocess.CompletedProcess([], 1, "", "statepath: %s" % error)


def main():
    n_files, seed = (int(sys.argv[i]) if len(sys.argv) > i else usual for i, usual in ((1, 1000), (2, 1)))
    rng = np.random.default_rng(seed)
    table, wrong, crashed = collections.Counter(), [], []
    kept = pathlib.Path(tempfile.mkdtemp(prefix="statepath-exports-"))
    for i in range(n_files):
        folder = kept / str(i)
        folder.mkdir()
        writer = WRITERS[rng.integers(len(WRITERS))]
        data = Data(rng)
        while writer in OF_ONE and len(data.lengths) > 1:
            data = Data(rng)
        made = writer(rng, data, folder)
        arguments = [
            "compare",
            *(["(in Python)"] if callable(made) else made),
            "--model",
            "sleep-aasm",
            "--json",
            "-",
            "--strategies",
            "argmax,viterbi",
        ]
        done = (
            run_python(made)
            if callable(made)
            else subprocess.run(
                [os.environ["STATEPATH"], *arguments],
                cwd=folder,
                capture_output=True,
                text=True,
                timeout=60,
                env=dict(os.environ, NO_COLOR="1"),
            )
        )
        if done.returncode not in (0, 1, 2, 3) or (
            done.returncode in (1, 2) and not done.stderr.startswith("statepath: ")
        ):
            crashed.append(f"{i}: {' '.join(arguments)}: status {done.returncode}: {done.stderr[-300:]}")
            outcome = "crashed"
        elif done.returncode in (
            1,
            2,
            3,
        ):  # 3: recordings that could not be decoded are named, as rows of zeros after a recording's end
            outcome = "refused"
            if os.environ.get("SHOW"):
                print(f"{i} {writer.__name__}: {done.stderr.strip()}")
        else:
            outcome = "right" if found(done.stdout) == data.figures() else "WRONG"
            if outcome == "WRONG":
                wrong.append(
                    f"{i}: {' '.join(arguments)}: {dict(found(done.stdout))}, truly {dict(data.figures())}; notes: {done.stderr.strip()}"
                )
        table[writer.__name__, outcome] += 1
        if outcome in ("right", "refused"):
            shutil.rmtree(folder)
    print(f"{'writer':21} {'right':>6} {'refused':>8} {'WRONG':>6} {'crashed':>8}")
    for name in sorted({w.__name__ for w in WRITERS}):
        print(
            f"{name:21} {table[name, 'right']:6} {table[name, 'refused']:8} {table[name, 'WRONG']:6} {table[name, 'crashed']:8}"
        )
    for line in wrong + crashed:
        print(line)
    if wrong or crashed:
        sys.exit(
            f"{len(wrong)} silently wrong, {len(crashed)} crashed of {n_files}; their files are in {kept}"
        )
    shutil.rmtree(kept)


if __name__ == "__main__":
    main()

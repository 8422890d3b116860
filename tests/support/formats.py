"""The same recordings in every layout and every format: one table for the program
(tests/laws/test_format_law.py), the reader in C (tests/laws/test_reading.c) and the Python package
(tests/python/test_format_law.py).

What is in the recordings (CONTENTS) x how it is laid out (LAYOUTS) x what it is written as (FORMATS); a
new one is a row, and what a row cannot hold it says by None. A format is written by a tool of the field:
h5py, numpy, scipy, csv.

    python3 formats.py FOLDER
writes each case, and FOLDER/cases.json: the files, the options by which they are read, and what must be read.
"""
import csv
import functools
import itertools
import json
import os
import random
import sys
from collections import namedtuple

try:
    import h5py
    import numpy as np
except ImportError:
    sys.exit(77)
try:
    import scipy.io
except ImportError:
    scipy = None

CLASSES = ["Wake", "N1", "N2", "N3", "REM"]
TURNED = [3, 1, 0, 4, 2]  # columns in another order: column k is class TURNED[k]
LENGTHS = {"n2": 40, "n10": 25, "n11": 31}  # in natural order, which is not the alphabet's
GARBAGE = {"f": np.nan, "i": 9, "u": 1, "b": True, "U": "none"}  # what stands where nobody looks

# ---- contents: arrays of each step by recording, of each recording, and of the whole; ids name the
# recordings ----

Content = namedtuple("Content", "ids steps each whole")


def made():
    """{name: {id: array}} of three nights."""
    rng, out = np.random.default_rng(5), {}
    for name, T in LENGTHS.items():
        probs = np.maximum(rng.dirichlet(np.full(5, .4), T).astype("f4"), 1e-4)
        probs = (probs / probs.sum(1, keepdims=True)).astype("f4")
        labels = np.where(rng.random(T) < .2, rng.integers(-1, 5, T), probs.argmax(1)).astype("i4")
        labels[0] = labels[-1] = 0
        other = [np.where(rng.random(T) < .2, rng.integers(0, 5, T),
                          np.maximum(labels, 0)).astype("i4") for _ in range(2)]
        mask = rng.random((T, 5)) < .9
        mask[:, :3] = True
        segments = np.repeat([0, 1], [T // 2, T - T // 2]).astype("i4")
        beside = {"labels_A": other[0], "labels_B": other[1], "segments": segments,
                  "weights": rng.integers(1, 4, T).astype("f8")}
        for key, values in {"probs": probs, "labels": labels, "mask": mask, **beside}.items():
            out.setdefault(key, {})[name] = values
    return out


MADE = made()


def content(*names, each=None, whole=None, ids=None, **replaced):
    """Of the nights: these arrays, others in their place, other names of the recordings."""
    steps = {name: dict(MADE[name]) for name in names}
    for name, change in replaced.items():
        steps[name] = {night: change(night) for night in LENGTHS}
    ids = dict(zip(ids or LENGTHS, LENGTHS))
    return Content(list(ids),
                   {name: {i: by[night] for i, night in ids.items()} for name, by in steps.items()},
                   each or {}, whole or {})


def words(night):
    return np.array([*CLASSES, "?"])[MADE["labels"][night]]


NOTHING = content("probs", "labels", ids=["n2", "n3"])  # and between them a recording of no steps
NOTHING = NOTHING._replace(ids=["n2", "n3", "n10"], steps={
    name: {"n2": by["n2"], "n3": by["n2"][:0], "n10": by["n3"]} for name, by in NOTHING.steps.items()})

# Labels alone: numbers, words, numbers of a published coding.
NSRR = np.array([0, 1, 2, 3, 5, 9])  # of the classes and of none
LABELS = {
    "numbers": content("labels"),
    "one": content("labels", ids=["n2"]),
    "words": content(labels=words),
    "floats": content(labels=lambda n: MADE["labels"][n].astype("f4")),
    "codes": content(labels=lambda n: NSRR[MADE["labels"][n]].astype("u1")),
}
CONTENTS = {
    "labels": content("probs", "labels"),
    "one": content("probs", "labels", ids=["n2"]),
    "numbered": content("probs", "labels", ids=["0", "1", "2"]),
    "scores": content("probs"),
    "segments": content("probs", "labels", "segments"),
    "weights": content("probs", "labels", "segments", "weights"),
    "mask": content("probs", "labels", "mask"),
    "raters": content("probs", "labels", "labels_A", "labels_B"),
    "one, raters": content("probs", "labels", "labels_A", "labels_B", ids=["n2"]),
    "subjects": content("probs", "labels", each={"subjects": np.array(["s1", "s2", "s1"])}),
    "names": content("probs", "labels", whole={"classes": np.array(CLASSES)}),
    "columns": content(whole={"classes": np.array(CLASSES)[TURNED]},
                       probs=lambda n: MADE["probs"][n][:, TURNED],
                       labels=lambda n: np.append(np.argsort(TURNED), -1)[MADE["labels"][n]]),
    "words": content("probs", labels=words),
    "seconds": content("probs", "labels", whole={"epoch_seconds": np.float64(20)}),
    "nothing": NOTHING,
    "half": content("labels", log_probs=lambda n: np.log(MADE["probs"][n]).astype("f2")),
    "double": content("labels", logits=lambda n: 3 * np.log(MADE["probs"][n].astype("f8")) + 1),
}
SCORES = ("probs", "log_probs", "logits", "scores")
# Contents that are laid out in every way; of the others a door sees no more than that they are there: a
# layout of each kind does.
EVERYWHERE = ("labels", "one", "words", "raters", "weights", "numbers")
FEW = ("single", "packed", "rows, lengths", "groups", "folder", "segments by holes", "bare")


def kind_of(c):
    return next((name for name in SCORES if name in c.steps), None)


# ---- layouts: {file without its ending: {name of an array: array}}, what is given to a command, and options;
# None: cannot hold it ----

Laid = namedtuple("Laid", "files name options format",
                  defaults=({}, None))  # format: the only one in which this is read


def single(c):
    """One recording, named as its file."""
    if len(c.ids) > 1 or c.each:
        return None
    return Laid({c.ids[0]: {name: by[c.ids[0]] for name, by in c.steps.items()} | c.whole}, c.ids[0] + ".*")


def lengths_of(c):
    return np.array([len(next(iter(c.steps.values()))[i]) for i in c.ids])


def packed(c, cut="offsets"):
    cuts = {"offsets": np.append(0, np.cumsum(lengths_of(c))), "lengths": lengths_of(c)}
    arrays = {name: np.concatenate([by[i] for i in c.ids]) for name, by in c.steps.items()}
    return Laid({"x": arrays | {cut: cuts[cut], "ids": np.array(c.ids)} | c.each | c.whole}, "x.*")


def padded(values, ids, T, fill=None):
    first = values[ids[0]]
    out = np.full((len(ids), T, *first.shape[1:]), GARBAGE[first.dtype.kind] if fill is None else fill,
                  first.dtype)
    for n, i in enumerate(ids):
        out[n, :len(values[i])] = values[i]
    return out


FILLED = {"valid": 0, "attention_mask": 0, "word_ids": -1}  # what these say of padding
# labels that would change figures, where one that is none is refused though nobody looks
WRONG = {"i": 2, "f": 2, "U": "N2"}


def rows(c, told="lengths"):
    """A row a recording. Where they end is told by lengths, flags, labels of -100, words that are empty,
    or by what stands among the arrays."""
    L = lengths_of(c)
    flags = np.arange(max(L)) < L[:, None]
    tells = {"lengths": {"lengths": L}, "valid": {"valid": flags},
             "attention_mask": {"attention_mask": flags.astype("u1")}}
    if told == "-100":
        labels = c.steps.get("labels", {}).get(c.ids[0], words("n2"))
        if set(c.steps) != {"probs",
                            "labels"} or labels.dtype.kind != "i" or (len(set(L)) == 1
                                                                      and -100 not in labels):
            return None
    if told == "empty" and (kind_of(c) or c.steps["labels"][c.ids[0]].dtype.kind != "U"):
        return None
    kind = c.steps["labels"][c.ids[0]].dtype.kind if "labels" in c.steps else ""
    label = {"empty": "", "-100": -100, "lengths": None}.get(told, WRONG.get(kind))
    fill = FILLED | {"labels": label}
    arrays = {name: padded(by, c.ids, max(L), fill.get(name)) for name, by in c.steps.items()}
    return Laid({"x": arrays | tells.get(told, {}) | {"ids": np.array(c.ids)} | c.each | c.whole}, "x.*")


def groups(c, pattern="recordings/{id}/{name}"):
    """An array a recording; written in another order than they are read in."""
    if c.each:
        return None
    return Laid({"x": {pattern.format(id=i, name=name): by[i] for i in c.ids[::-1] for name,
                       by in c.steps.items()} | c.whole}, "x.*")


def elsewhere(c, scores="night/out/softmax", labels="night/out/truth"):
    """Under names that say nothing: options say where; what lies in the root belongs to something else."""
    if set(c.steps) != {"probs", "labels"} or c.each or c.whole:
        return None
    if "{id}" in scores:
        arrays = {path.format(id=i): c.steps[name][i] for path,
                  name in ((scores, "probs"), (labels, "labels")) for i in c.ids}
    else:
        arrays = {{"probs": scores, "labels": labels}.get(name, "night/out/" + name): a for name,
                  a in packed(c).files["x"].items()}
    return Laid({"x": arrays | {"offsets": np.array([0, 7])}}, "x.*", {"scores": scores, "labels": labels})


def folder(c, name="nights"):
    """A file a recording."""
    if c.each:
        return None
    return Laid({"nights/" + i: {name: by[i] for name, by in c.steps.items()} | c.whole for i in c.ids}, name)


def folders(c):
    """A folder a recording."""
    if c.each:
        return None
    return Laid({"each/%s/out" % i: {name: by[i] for name, by in c.steps.items()} | c.whole for i in c.ids},
                "each/{id}/out.*")


def apart(c, made=folder):
    """Labels in files of their own."""
    scores, labels = ({n: by for n, by in c.steps.items() if (n == "labels") == own} for own in (False, True))
    if len(scores) != 1 or not labels or c.whole or c.each:
        return None
    a = made(c._replace(steps=scores))
    b = made(Content(c.ids, labels, {}, {}) if made is folder else c._replace(steps=scores | labels))
    if made is folder:
        return Laid(a.files | {"said/" + os.path.basename(n): by for n, by in b.files.items()}, "nights",
                    {"labels": "said/{id}.*"})
    return Laid({"x": a.files["x"], "y": {n: v for n, v in b.files["x"].items() if n not in SCORES}}, "x.*",
                {"labels": "y.*"})


def bare(c):
    """Two arrays and nothing else: scores [N,T,K], and labels [N,T] that are -100 where a row ends. The
    recordings are numbers."""
    laid = rows(c, "-100") if c.ids[0] == "0" else None
    if laid:
        x, y = laid.files["x"]["probs"], laid.files["x"]["labels"]
        laid = Laid({"probs": {"probs": x}, "y": {"labels": y}}, "probs.*", {"labels": "y.*"}, "npy")
    return laid


def spread(values, at, n, fill=None):
    """[n] with the values at these places."""
    out = np.full((n, *values.shape[1:]), GARBAGE[values.dtype.kind] if fill is None else fill, values.dtype)
    out[at] = values
    return out


def holes(c, told, lay=packed):
    """Steps between the others that take no part: told by flags, by the words that tokens belong to, by
    labels of -100."""
    if set(c.steps) != {"probs",
                        "labels"} or c.each or c.whole or c.steps["labels"][c.ids[0]].dtype.kind != "i":
        return None
    steps = {}
    for i in c.ids:
        T = len(c.steps["probs"][i])
        at = np.arange(T) * 2 if told == "word_ids" else 1 + np.arange(T) + np.arange(T) // 3
        n = at[-1] + 1
        tells = {"word_ids": np.arange(n) // 2, "valid": np.isin(np.arange(n), at),
                 "attention_mask": np.isin(np.arange(n), at).astype("i4")}
        for name, by in c.steps.items():
            steps.setdefault(name, {})[i] = spread(by[i], at, n,
                                                   {"labels": -100 if told == "-100"
                                                    else WRONG["i"]}.get(name))
        if told in tells:
            steps.setdefault(told, {})[i] = tells[told]
    return lay(Content(c.ids, steps, {}, {}))._replace(options={"gaps": "join"})


def broken(c):
    """A step between two segments takes no part, and that is all that tells them apart."""
    if set(c.steps) != {"probs", "labels", "segments"}:
        return None
    steps = {}
    for i in c.ids:
        T, cut = len(c.steps["probs"][i]), np.flatnonzero(np.diff(c.steps["segments"][i]))[0] + 1
        at = np.arange(T) + (np.arange(T) >= cut)
        for name in ("probs", "labels"):
            steps.setdefault(name, {})[i] = spread(c.steps[name][i], at, T + 1,
                                                   WRONG["i"] if name == "labels" else None)
        steps.setdefault("valid", {})[i] = np.arange(T + 1) != cut
    return packed(Content(c.ids, steps, {}, {}))._replace(options={"gaps": "break"})


LAYOUTS = {
    "single": single,
    "packed": packed,
    "packed, lengths": functools.partial(packed, cut="lengths"),
    "rows, lengths": rows,
    "rows, valid": functools.partial(rows, told="valid"),
    "rows, attention_mask": functools.partial(rows, told="attention_mask"),
    "rows, -100": functools.partial(rows, told="-100"),
    "rows, empty words": functools.partial(rows, told="empty"),
    "groups": groups,
    "groups of the root": functools.partial(groups, pattern="{id}/{name}"),
    "groups of names": functools.partial(groups, pattern="{name}/{id}"),
    "elsewhere": elsewhere,
    "groups elsewhere": functools.partial(elsewhere, scores="out/{id}/softmax", labels="out/{id}/truth"),
    "parts of names": functools.partial(elsewhere, scores="out/p_{id}_x", labels="out/truth_{id}"),
    "folder": folder,
    "pattern": functools.partial(folder, name="nights/{id}.*"),
    "files": functools.partial(folder, name="nights/* nights/*"),
    "folders": folders,
    "apart, folders": apart,
    "apart": functools.partial(apart, made=packed),
    "apart, rows": functools.partial(apart, made=rows),
    "bare": bare,
    "holes, word_ids": functools.partial(holes, told="word_ids"),
    "holes, valid": functools.partial(holes, told="valid"),
    "holes, attention_mask": functools.partial(holes, told="attention_mask"),
    "rows, holes, word_ids": functools.partial(holes, told="word_ids",
                                               lay=functools.partial(rows, told="holes")),
    "rows, holes, valid": functools.partial(holes, told="valid", lay=functools.partial(rows, told="holes")),
    "rows, holes, attention_mask": functools.partial(holes, told="attention_mask",
                                                     lay=functools.partial(rows, told="holes")),
    "rows, holes, -100": functools.partial(holes, told="-100", lay=functools.partial(rows, told="-100")),
    "segments by holes": broken,
}

# ---- formats: write one file of arrays; False: cannot hold them ----


def write_h5(path, arrays, **how):
    """How a dataset is stored: chunks that do not divide its shape, filters; texts of fixed length beside
    that, numbers big-endian."""
    with h5py.File(path, "w", libver="latest" if how else None) as f:
        for name, a in arrays.items():
            a = np.asarray(a)
            if a.dtype.kind == "U":
                f[name] = np.char.encode(a) if how else a.astype(object)
            elif how and a.size and a.ndim:
                a = a.astype(a.dtype.newbyteorder(">")) if a.dtype.kind in "if" else a
                f.create_dataset(name, data=a, chunks=tuple(max(1, (n + 1) // 2) for n in a.shape),
                                 shuffle=True, **how)
            else:
                f[name] = a


def write_npz_packed(path, arrays):
    """Numbers big-endian, matrices a column after the other."""
    big = {name: a.astype(a.dtype.newbyteorder(">")) for name, a in arrays.items()}
    np.savez_compressed(path,
                        **{name: np.asfortranarray(a) if a.ndim == 2 and name in (*SCORES, "mask") else a
                           for name, a in big.items()})


def write_npy(path, arrays):
    name, *others = arrays
    if others or name == "logits" or "/" in name:  # nothing in it says what it holds
        return False
    np.save(path, *arrays.values())


def write_mat(path, arrays):
    """As MATLAB has them: vectors are [1,S], texts cells of one dimension; no float16, no slash in a name;
    what is empty is [0,0]."""
    if not scipy or any("/" in n or a.dtype.char == "e" or a.size == 0
                        or (a.ndim > 1 and (len(a) == 1 or a.dtype.kind == "U")) for n, a in arrays.items()):
        return False
    scipy.io.savemat(path, {name: a.astype(object) if a.dtype.kind == "U" else a for name,
                            a in arrays.items()})


def write_table(path, arrays, excel=False):
    """A line a step, a column a class; labels alone are a list, or a table. excel: a byte order mark, all
    cells quoted, lines that end with CR LF, steps in another order and a column that counts them."""
    kind = next((name for name in SCORES if name in arrays), None)
    known = {kind, "labels", "segments", "weights", "classes", "offsets", "lengths", "ids"}
    if not set(arrays) <= known or kind in ("logits",
                                            "scores") or np.asarray(arrays.get(kind, 0)).dtype.char == "e":
        return False
    values = arrays.get(kind, arrays.get("labels"))
    if values.ndim > (2 if kind else 1):
        return False
    cuts = arrays.get("offsets", np.append(0, np.cumsum(arrays.get("lengths", [len(values)]))))
    if not np.diff(cuts).all():  # no line speaks of a recording without steps
        return False
    beside = [name for name in ("labels", "segments", "weights") if name in arrays]
    lines = [["recording"] * ("ids" in arrays) + ["step"] * excel
             + (list(arrays.get("classes", CLASSES)) if kind else []) + [name[:-1] for name in beside]]
    for n in range(len(cuts) - 1):
        steps = range(cuts[n], cuts[n + 1])
        for t in reversed(steps) if excel else steps:
            numbers = [repr(float(x)) for x in values[t]] if kind else []
            named = [arrays["ids"][n]] if "ids" in arrays else []
            lines.append(named + [t - cuts[n]] * excel + numbers + [arrays[name][t] for name in beside])
    with open(path, "w", newline="", encoding="utf-8-sig" if excel else "utf-8") as out:
        csv.writer(out, delimiter="\t" if excel else ",", lineterminator="\r\n" if excel else "\n",
                   quoting=csv.QUOTE_ALL if excel else csv.QUOTE_MINIMAL).writerows(lines)


def write_list(path, arrays):
    """Labels of one recording, one a line."""
    if set(arrays) != {"labels"} or arrays["labels"].ndim > 1:
        return False
    with open(path, "w", encoding="utf-8") as out:
        out.writelines("%s\n" % label for label in arrays["labels"])


FORMATS = {
    "h5": ("h5", write_h5),
    "h5, gzip": ("h5", functools.partial(write_h5, compression="gzip")),
    "h5, lzf": ("hdf5", functools.partial(write_h5, compression="lzf", fletcher32=True)),
    "npz": ("npz", lambda path, arrays: np.savez(path, **arrays)),
    "npz, deflated": ("npz", write_npz_packed),
    "npy": ("npy", write_npy),
    "mat": ("mat", write_mat),
    "txt": ("txt", write_list),
    "csv": ("csv", write_table),
    "tsv": ("tsv", functools.partial(write_table, excel=True)),
}

Case = namedtuple("Case", "content layout format")


WHOLE = bool(os.environ.get("STATEPATH_WHOLE"))
LIGHT = bool(os.environ.get("STATEPATH_LIGHT"))


def cases(contents=CONTENTS):
    """Every one that may be written: of contents that EVERYWHERE does not name in fewer layouts."""
    return [Case(c, lay, f) for c in contents for lay in LAYOUTS for f in FORMATS
            if c in EVERYWHERE or lay in FEW]


def drawn(contents, write):
    """(case, what write(case) gives) of so many cases that any two rows that can be written together are in
    one of them, where each case is some of the program's runs; of all with STATEPATH_WHOLE
    (`./dev test --long laws`), of a third of these with STATEPATH_LIGHT. All are read by the package
    (tests/python/test_format_law.py), those of CONTENTS in C too (test_source.c). write gives None where a
    case cannot be written."""
    everything, seen, n = cases(contents), set(), 0
    random.Random(1).shuffle(everything)
    for case in everything:
        pairs = set(itertools.combinations(zip(Case._fields, case), 2))
        given = write(case) if WHOLE or not pairs <= seen else None
        if given is not None:
            seen |= pairs
            n += 1
            if WHOLE or not LIGHT or n % 3 == 0:
                yield case, given


def written(case, folder_, contents=CONTENTS):
    """Writes a case into a folder. (files, or the name that they have together; options); None where it
    cannot be written so."""
    laid = LAYOUTS[case.layout](contents[case.content])
    ending, write = FORMATS[case.format]
    if laid is None or laid.format not in (None, case.format):
        return None
    for name, arrays in laid.files.items():
        path = os.path.join(folder_, "%s.%s" % (name, ending))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if write(path, {key: np.asarray(a) for key, a in arrays.items()}) is False:
            return None
    options = {key: value.replace(".*", "." + ending) for key, value in laid.options.items()}
    if " " in laid.name:  # one by one
        return ["%s.%s" % (name, ending) for name in laid.files], options
    return [laid.name.replace(".*", "." + ending)], options


def reference(content_, folder_):
    """The plainest way to write these recordings; what all others are held against."""
    name = os.path.join(folder_, "%s.h5" % content_.replace(", ", "-"))
    write_h5(name, packed(CONTENTS[content_]).files["x"])
    return name


def expected(c):
    """What must be read: packed arrays, labels as numbers."""
    arrays = {name: np.concatenate([by[i] for i in c.ids]) for name, by in c.steps.items()}
    if "labels" in arrays and arrays["labels"].dtype.kind == "U":
        arrays["labels"] = np.array([{"?": -1}.get(w,
                                                   CLASSES.index(w) if w in CLASSES
                                                   else -1) for w in arrays["labels"]])
    return arrays


def main(folder_):
    found = []
    for n, case in enumerate(cases()):
        here = os.path.join(folder_, str(n))
        os.makedirs(here, exist_ok=True)
        given = written(case, here)
        if given:
            options = dict(given[1])
            for key, value in options.items():
                if os.path.exists(os.path.join(here, value.replace("{id}", "n2"))):
                    options[key] = os.path.join(here, value)
            found.append({"case": ": ".join(case), "content": case.content,
                          "files": [os.path.join(here, f) for f in given[0]], "options": options})
    what = {}
    for name, c in CONTENTS.items():
        arrays = expected(c)
        what[name] = {"ids": c.ids, "offsets": np.append(0, np.cumsum(lengths_of(c))).tolist(),
                      "kind": kind_of(c),
                      "classes": c.whole["classes"].tolist() if "classes" in c.whole else None,
                      "scores": arrays[kind_of(c)].astype("f8").ravel().tolist()}
        for key in ("labels", "segments", "weights", "mask"):
            what[name][key] = arrays[key].astype("f8").ravel().tolist() if key in arrays else None
    with open(os.path.join(folder_, "cases.json"), "w", encoding="utf-8") as out:
        json.dump({"contents": what, "cases": found}, out)


if __name__ == "__main__":
    main(sys.argv[1])

"""Makes HDF5 files as people's programs write them, good and broken, and says what must come of each.

    python3 make_files.py FOLDER

writes the files and FOLDER/cases.json, a list of
    {"file": name, "options": {...}, "expect": {...}}      what a source must find and read
    {"file": name, "options": {...}, "status": "file", "message": "..."}   the sentence, FILE standing for the file's name
Expected values are computed here with numpy, from the arrays that were written.
"""
import json
import os
import pickle
import sys
import zlib

try:
    import h5py
    import numpy as np
except ImportError:
    sys.exit(77)

folder = sys.argv[1]
cases = []
random = np.random.default_rng(20240607)


def path_of(name):
    return os.path.join(folder, name)


def number(x):
    x = float(x)
    return "nan" if x != x else "inf" if x == np.inf else "-inf" if x == -np.inf else x


def listed(array):
    return None if array is None else [number(x) for x in np.asarray(array).ravel()]


def log_probs(shape, dtype="<f4"):
    x = random.normal(size=shape) * 2
    x = x - np.log(np.exp(x).sum(-1, keepdims=True))
    return x.astype(dtype)


def good(file, scores, lengths, options=None, **expect):
    """scores [S,K] as they must come back, of recordings of these lengths."""
    scores = np.asarray(scores)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(int).tolist() if len(lengths) else [0]
    expect.setdefault("ids", [str(i) for i in range(len(lengths))])
    expect.setdefault("kind", "log_probs")
    expect.setdefault("kind_from_name", True)
    expect.setdefault("dtype", 8 if scores.dtype.itemsize == 8 else 4)
    for part in ("labels", "segments", "weights", "mask"):
        expect[part] = listed(expect.get(part))
    expect.setdefault("classes", None)
    expect.update(offsets=offsets, n_classes=scores.shape[1], scores=listed(scores.astype("f8")))
    cases.append({"file": file, "options": options or {}, "expect": expect})


def bad(file, message, options=None, status="data"):
    cases.append({"file": file, "options": options or {}, "status": status, "message": message})


# ---- every layout, in every type of float, contiguous and compressed in chunks split along the classes ----

LENGTHS = [4, 0, 7, 1]
STORED = {"f2": "float16", "f4": "float32", "f8": "float64"}
NAMES = ["Wake", "N1", "N2"]


def all_layouts():
    total, n_classes, longest = sum(LENGTHS), len(NAMES), max(LENGTHS)
    starts = np.concatenate([[0], np.cumsum(LENGTHS)])
    for dtype in ("<f2", ">f2", "<f4", ">f4", "<f8", ">f8"):
        for storage in ("plain", "gzip", "lzf"):
            scores = log_probs((total, n_classes), dtype)
            labels = random.integers(-1, n_classes, total).astype("i2")
            segments = np.sort(random.integers(0, 3, total)).astype("u4")
            weights = random.uniform(0, 2, total).astype("f4")
            mask = random.integers(0, 2, (total, n_classes)).astype(bool)
            keep = dict(labels=labels, segments=segments, weights=weights, mask=mask)
            stored = STORED[dtype[1:]] + (" big-endian" if dtype[0] == ">" else "")

            def create(group, name, array):
                how = {}
                if storage != "plain" and array.size:
                    how = dict(chunks=tuple(max(1, (n + 1) // 2) for n in array.shape), shuffle=True)
                    how.update(dict(compression="gzip", compression_opts=4) if storage == "gzip" else
                               dict(compression="lzf", fletcher32=True))
                group.create_dataset(name, data=array, **how)

            def write(group, rows, shape=lambda a: a):
                create(group, "log_probs", shape(scores[rows]))
                for name, array in keep.items():
                    create(group, name, shape(array[rows]))

            def padded(array):
                out = np.full((len(LENGTHS), longest) + array.shape[1:], 1 if array.dtype == bool else 77).astype(array.dtype)
                for i, n in enumerate(LENGTHS):
                    out[i, :n] = array[starts[i]:starts[i] + n]
                return out

            name = "%s_%s_%s.h5" % ("big" if dtype[0] == ">" else "little", dtype[1:], storage)
            chunked = "chunks %s, shuffle, " + ("gzip 4" if storage == "gzip" else "lzf, fletcher32")
            common = dict(labels=labels, segments=segments, weights=weights, mask=mask, classes=NAMES, stored_type=stored)
            with h5py.File(path_of("packed_" + name), "w") as f:
                write(f, slice(None))
                f["offsets"] = starts.astype("i8")
                f["ids"] = ["n%d" % i for i in range(len(LENGTHS))]
                f["classes"] = NAMES
            good("packed_" + name, scores, LENGTHS, layout="packed", ids=["n0", "n1", "n2", "n3"], has_ids=True,
                 classes_place="dataset /classes", storage="contiguous" if storage == "plain" else chunked % "6 x 2", **common)
            with h5py.File(path_of("padded_" + name), "w") as f:
                write(f, slice(None), padded)
                f["lengths"] = np.array(LENGTHS, "i4")
                f["log_probs"].attrs["classes"] = NAMES
            good("padded_" + name, scores, LENGTHS, layout="padded", has_ids=False, classes_place="attribute classes of /log_probs",
                 storage="contiguous" if storage == "plain" else chunked % "2 x 4 x 2", **common)
            with h5py.File(path_of("single_" + name), "w") as f:
                write(f, slice(None))
                f.attrs["class_names"] = NAMES
            good("single_" + name, scores, [total], layout="single", ids=["single_" + name[:-3]], has_ids=False,
                 classes_place="attribute class_names of /", **common)
            with h5py.File(path_of("groups_" + name), "w") as f:
                # Written in an order that is neither that of the names nor the natural one.
                for i in (2, 0, 3, 1):
                    write(f.create_group("recordings/n%d" % [2, 10, 11, 100][i]), slice(starts[i], starts[i + 1]))
                f["recordings"].attrs["classes"] = NAMES
            good("groups_" + name, scores, LENGTHS, layout="groups", ids=["n2", "n10", "n11", "n100"], has_ids=True,
                 classes_place="attribute classes of /recordings", scores_path="/recordings/{id}/log_probs", **common)


# ---- kinds, and what is guessed of names that say nothing ----

def kinds():
    lp = log_probs((6, 4), "f8")
    p = np.exp(lp)
    sets = {"log_probs": lp, "probs": p, "logits": lp * 3 + 1, "scores": lp * 5 - 2}
    for kind, array in sets.items():
        with h5py.File(path_of("kind_%s.h5" % kind), "w") as f:
            f[kind] = array
        good("kind_%s.h5" % kind, array, [6], layout="single", kind=kind, ids=["kind_" + kind])
    with h5py.File(path_of("all_kinds.h5"), "w") as f:
        for kind, array in sets.items():
            f[kind] = array
    good("all_kinds.h5", lp, [6], layout="single", kind="log_probs", ids=["all_kinds"])
    good("all_kinds.h5", p, [6], {"kind": "probs"}, layout="single", kind="probs", kind_from_name=False, ids=["all_kinds"])
    good("all_kinds.h5", p, [6], {"scores": "probs", "kind": "scores"}, layout="single", kind="scores", kind_from_name=False,
         ids=["all_kinds"])
    with h5py.File(path_of("no_log_probs.h5"), "w") as f:
        for kind in ("scores", "logits", "probs"):
            f[kind] = sets[kind]
    good("no_log_probs.h5", p, [6], layout="single", kind="probs", ids=["no_log_probs"])

    rows = {"probs": p, "log_probs": lp}
    for kind, array in rows.items():
        first = array.copy()
        first[0] = np.nan            # says nothing: the next row decides
        first[1] = 0 if kind == "probs" else -np.inf
        with h5py.File(path_of("guess_%s.h5" % kind), "w") as f:
            f["night/softmax"] = first
        good("guess_%s.h5" % kind, first, [6], {"scores": "night/softmax"}, layout="single", kind=kind, kind_from_name=False,
             ids=["guess_" + kind], scores_path="/night/softmax")
    with h5py.File(path_of("guess_neither.h5"), "w") as f:
        f["out"] = lp * 3 + 1
    bad("guess_neither.h5", "FILE: the name of dataset /out does not say what it holds, and its first row is neither probabilities "
        "nor log probabilities; say it with `kind` logits or `kind` scores", {"scores": "/out"})
    good("guess_neither.h5", lp * 3 + 1, [6], {"scores": "/out", "kind": "logits"}, layout="single", kind="logits",
         kind_from_name=False, ids=["guess_neither"])

    special = np.array([[0, 2.0 ** -24, 65504], [-np.inf, np.inf, np.nan], [-0.0, 2.0 ** -14, -2.0 ** -15]], "f2")
    for order in "<>":
        name = "half_special_%s.h5" % ("big" if order == ">" else "little")
        with h5py.File(path_of(name), "w") as f:
            f["scores"] = special.astype(order + "f2")
        good(name, special.astype("f4"), [3], layout="single", kind="scores", ids=[name[:-3]])


# ---- labels of every type, places, and what stands beside ----

def labels():
    lp = log_probs((5, 3))
    y = np.array([0, 2, -1, 1, 0])
    for dtype in ("i1", "<i2", ">i2", "i4", ">i8", "f4", "f8", ">f2", "u1", "u2", ">u4", "u8"):
        here = np.where(y < 0, 0, y) if "u" in dtype else y
        name = "labels_%s.h5" % dtype.replace("<", "little").replace(">", "big")
        with h5py.File(path_of(name), "w") as f:
            f["log_probs"] = lp
            f["labels"] = here.astype(dtype)
            f["mask"] = (lp > -1).astype(dtype)
            f["segments"] = np.arange(5).astype(dtype)
            f["weights"] = np.arange(5).astype(dtype)
        good(name, lp, [5], layout="single", ids=[name[:-3]], labels=here, mask=lp > -1, segments=np.arange(5), weights=np.arange(5))

    with h5py.File(path_of("places.h5"), "w") as f:
        f["x/y"] = lp
        f["truth"] = y
        f["cuts"] = np.array([0, 2, 5])
        f["sizes"] = np.array([2, 3], "u1")
        f["names"] = np.array([10, 7])
        f["other/labels"] = y[::-1]
    good("places.h5", lp, [2, 3], {"scores": "x/y/", "labels": "/truth", "offsets": "cuts", "ids": "names"}, layout="packed",
         kind_from_name=False, ids=["10", "7"], has_ids=True, labels=y)
    good("places.h5", lp, [2, 3], {"scores": "/x/y", "lengths": "sizes", "labels": "other/labels"}, layout="packed",
         kind_from_name=False, labels=y[::-1])
    bad("places.h5", "FILE: `offsets` and `lengths` say the same thing; give one",
        {"scores": "x/y", "offsets": "cuts", "lengths": "sizes"}, "invalid")

    # A group by itself: what is in it, or in its groups.
    with h5py.File(path_of("nested.h5"), "w") as f:
        f["packed/log_probs"] = lp
        f["packed/offsets"] = np.array([0, 1, 5])
        f["packed/ids"] = np.array([b"a", b"b"])
        f["packed/labels"] = y
        f["offsets"] = np.array([0, 99])  # of something else
        f["night/b/probs"] = np.exp(lp)
        f["night/a/probs"] = np.exp(lp[:2])
        f["night/a/labels"] = y[:2]
        f["night/b/labels"] = y
        f["night/readme"] = "notes"
        f["probs_by_id/n1"] = np.exp(lp)
        f["probs_by_id/n2"] = np.exp(lp[:1])
        f["probs_by_id/classes"] = NAMES
        f["rec/rec_2_x"] = np.exp(lp)
        f["rec/rec_10_x"] = np.exp(lp[:2])
        f["rec/labels_2"] = y
        f["rec/labels_10"] = y[:2]
        f["rec/other"] = np.zeros(3)
    group = dict(layout="packed", ids=["a", "b"], has_ids=True, labels=y, scores_path="/packed/log_probs")
    good("nested.h5", lp, [1, 4], {"scores": "/packed/log_probs"}, **group)
    good("nested.h5", lp, [1, 4], {"scores": "/packed"}, **group)
    both = np.concatenate([np.exp(lp[:2]), np.exp(lp)])
    nights = dict(layout="groups", kind="probs", ids=["a", "b"], has_ids=True, labels=np.concatenate([y[:2], y]),
                  scores_path="/night/{id}/probs")
    good("nested.h5", both, [2, 5], {"scores": "/night/{id}/probs"}, **nights)
    good("nested.h5", both, [2, 5], {"scores": "night//{id}/probs"}, **nights)
    good("nested.h5", both, [2, 5], {"scores": "night"}, **nights)
    good("nested.h5", np.concatenate([np.exp(lp), np.exp(lp[:1])]), [5, 1], {"scores": "probs_by_id/{id}"}, layout="groups",
         kind="probs", kind_from_name=False, ids=["n1", "n2"], has_ids=True, classes=NAMES,
         classes_place="dataset /probs_by_id/classes")
    good("nested.h5", np.concatenate([np.exp(lp), np.exp(lp[:2])]), [5, 2],
         {"scores": "/rec/rec_{id}_x", "labels": "/rec/labels_{id}"}, layout="groups", kind="probs", kind_from_name=False,
         ids=["2", "10"], has_ids=True, labels=np.concatenate([y, y[:2]]))

    # "/probs/{id}" with "/labels/{id}" beside it.
    with h5py.File(path_of("by_kind.h5"), "w") as f:
        for n, size in (("s10", 2), ("s9", 5)):
            f["probs/" + n] = np.exp(lp[:size]).astype("f2" if size == 2 else "f8")
            f["labels/" + n] = y[:size]
    mixed = np.concatenate([np.exp(lp).astype("f8"), np.exp(lp[:2]).astype("f2").astype("f8")])
    good("by_kind.h5", mixed, [5, 2], {"scores": "/probs/{id}"}, layout="groups", kind="probs", ids=["s9", "s10"], has_ids=True,
         labels=np.concatenate([y, y[:2]]), stored_type="float64 and others")

    # Some nights have labels, some have not.
    with h5py.File(path_of("some_labels.h5"), "w") as f:
        for n, size in (("a", 2), ("b", 5), ("c", 1)):
            f["recordings/%s/log_probs" % n] = lp[:size]
            if n != "b":
                f["recordings/%s/labels" % n] = y[:size].astype("i1")
    good("some_labels.h5", np.concatenate([lp[:2], lp, lp[:1]]), [2, 5, 1], layout="groups", ids=["a", "b", "c"], has_ids=True,
         labels=np.concatenate([y[:2], [-1] * 5, y[:1]]), n_unlabelled=1)
    bad("some_labels.h5", "FILE: recording b has no dataset /recordings/b/labels; write it for every recording, or name another "
        "dataset", {"labels": "/recordings/{id}/labels"}, "file")
    with h5py.File(path_of("some_mask.h5"), "w") as f:
        f["recordings/a/log_probs"] = lp
        f["recordings/b/log_probs"] = lp
        f["recordings/a/mask"] = np.ones((5, 3), bool)
    bad("some_mask.h5", "FILE: recording b has no dataset /recordings/b/mask; write it for every recording, or name another dataset",
        status="file")

    # Labels only.
    with h5py.File(path_of("only_labels.h5"), "w") as f:
        f["labels"] = y
        f["offsets"] = np.array([0, 5])
    cases.append({"file": "only_labels.h5", "options": {"needs_scores": False},
                  "expect": {"layout": "packed", "offsets": [0, 5], "ids": ["0"], "labels": listed(y), "n_classes": 0, "classes": None,
                             "scores": None, "labels_path": "/labels"}})
    with h5py.File(path_of("only_labels_groups.h5"), "w") as f:
        f["recordings/b/labels"] = y
        f["recordings/a/labels"] = y[:1]
        f.attrs["classes"] = NAMES
    cases.append({"file": "only_labels_groups.h5", "options": {"needs_scores": False},
                  "expect": {"layout": "groups", "offsets": [0, 1, 6], "ids": ["a", "b"], "labels": listed(np.concatenate([y[:1], y])),
                             "n_classes": 3, "classes": NAMES, "scores": None, "labels_path": "/recordings/{id}/labels"}})
    with h5py.File(path_of("only_labels_padded.h5"), "w") as f:
        f["scorer/one"] = np.array([[1, 2, 9], [0, 9, 9]], "i8")
        f["scorer/lengths"] = np.array([2, 1])
        f["scorer"].attrs["classes"] = NAMES
    cases.append({"file": "only_labels_padded.h5", "options": {"needs_scores": False, "labels": "scorer/one"},
                  "expect": {"layout": "padded", "offsets": [0, 2, 3], "ids": ["0", "1"], "labels": [1, 2, 0], "n_classes": 3,
                             "classes": NAMES, "scores": None, "labels_path": "/scorer/one"}})
    bad("only_labels.h5", "FILE: found no scores (log_probs, probs, logits or scores, in the root or in /recordings/<id>); it holds "
        "/labels int64 [5], /offsets int64 [2]; say where they are with `scores` PATH ({id} in it stands for the recording)",
        status="file")


# ---- texts as h5py and others write them ----

def fixed(size, padding, charset):
    kind = h5py.h5t.C_S1.copy()
    kind.set_size(size)
    kind.set_strpad(padding)
    kind.set_cset(charset)
    return kind


def write_fixed(group, name, texts, size, padding, charset, as_attribute):
    filler = b" " if padding == h5py.h5t.STR_SPACEPAD else b"\0"
    raw = np.array([t.ljust(size, filler) for t in texts], "S%d" % size)
    space = h5py.h5s.create_simple((len(texts),))
    kind = fixed(size, padding, charset)
    if as_attribute:
        h5py.h5a.create(group.id, name, kind, space).write(raw, mtype=kind)
    else:
        h5py.h5d.create(group.id, name, kind, space).write(h5py.h5s.ALL, h5py.h5s.ALL, raw, mtype=kind)


def texts():
    lp = log_probs((2, 3))
    names = ["Wach", "Träume", "N 2"]
    utf8 = [n.encode() for n in names]
    ascii_names = [b"W", b"N1", b"REM"]
    t = h5py.h5t
    writers = {
        "variable": (lambda g, at: g.attrs.create("classes", names) if at else g.create_dataset("classes", data=names), names),
        "variable_bytes": (lambda g, at: (g.attrs.create if at else lambda n, d, dtype: g.create_dataset(n, data=d, dtype=dtype))(
            "classes", ascii_names, dtype=h5py.string_dtype("ascii")), [n.decode() for n in ascii_names]),
        "numpy_s": (lambda g, at: g.attrs.create("classes", np.array(ascii_names)) if at
                    else g.create_dataset("classes", data=np.array(ascii_names)), [n.decode() for n in ascii_names]),
        "fixed_utf8": (lambda g, at: write_fixed(g, b"classes", utf8, 7, t.STR_NULLPAD, t.CSET_UTF8, at), names),
        "null_terminated": (lambda g, at: write_fixed(g, b"classes", utf8, 12, t.STR_NULLTERM, t.CSET_UTF8, at), names),
        "space_padded": (lambda g, at: write_fixed(g, b"classes", ascii_names, 6, t.STR_SPACEPAD, t.CSET_ASCII, at),
                         [n.decode() for n in ascii_names]),
        "latin1": (lambda g, at: write_fixed(g, b"classes", [n.encode("latin-1") for n in names], 8, t.STR_NULLPAD, t.CSET_ASCII, at),
                   names),
        "integers": (lambda g, at: g.attrs.create("classes", [5, 0, 3]) if at else g.create_dataset("classes", data=[5, 0, 3]),
                     ["5", "0", "3"]),
    }
    for name, (write, expected) in writers.items():
        for at in (False, True):
            file = "text_%s_%s.h5" % (name, "attribute" if at else "dataset")
            with h5py.File(path_of(file), "w") as f:
                f["log_probs"] = lp
                write(f, at)
            good(file, lp, [2], layout="single", ids=[file[:-3]], classes=expected,
                 classes_place="attribute classes of /" if at else "dataset /classes")
    with h5py.File(path_of("ids_fixed.h5"), "w") as f:
        f["log_probs"] = lp
        f["offsets"] = [0, 1, 2]
        write_fixed(f, b"ids", [b"a b", b"c"], 5, t.STR_SPACEPAD, t.CSET_ASCII, False)
    good("ids_fixed.h5", lp, [1, 1], layout="packed", ids=["a b", "c"], has_ids=True)

    # Attributes of the same name that are no names of classes.
    with h5py.File(path_of("classes_number.h5"), "w") as f:
        f["log_probs"] = lp
        f.attrs["classes"] = 3
        f["log_probs"].attrs["classes"] = np.int64(3)
        f["classes"] = np.zeros(100, "i4")
    good("classes_number.h5", lp, [2], layout="single", ids=["classes_number"])

    with h5py.File(path_of("classes_count.h5"), "w") as f:
        f["log_probs"] = lp
        f.attrs["classes"] = ["a", "b"]
    bad("classes_count.h5", "FILE: attribute classes of / names 2 classes, but dataset /log_probs has 3 columns; write one name for "
        "each column")
    with h5py.File(path_of("classes_one_text.h5"), "w") as f:
        f["log_probs"] = lp
        f.attrs["classes"] = "a,b,c"
    bad("classes_one_text.h5", "FILE: attribute classes of / names 1 class, but dataset /log_probs has 3 columns; write one name "
        "for each column")
    with h5py.File(path_of("classes_twice.h5"), "w") as f:
        f["log_probs"] = lp
        f["classes"] = ["a", "b", "a"]
    bad("classes_twice.h5", "FILE: dataset /classes: classes 0 and 2 are both called 'a'; give each its own name")
    with h5py.File(path_of("classes_differ.h5"), "w") as f:
        for i, names_here in enumerate((["a", "b", "c"], ["a", "b", "c"], ["b", "a", "c"])):
            f["recordings/n%d/log_probs" % i] = lp
            f["recordings/n%d/log_probs" % i].attrs["classes"] = names_here
    bad("classes_differ.h5", "FILE: recording n2: class 0 is called 'b' (attribute classes of /recordings/n2/log_probs), but 'a' in "
        "recording n0; all recordings need the same classes in the same order")
    with h5py.File(path_of("ids_twice.h5"), "w") as f:
        f["log_probs"] = lp
        f["offsets"] = [0, 1, 2]
        f["ids"] = ["x", "x"]
    bad("ids_twice.h5", "FILE: dataset /ids: recordings 0 and 1 are both called 'x'; give each its own id")
    with h5py.File(path_of("ids_count.h5"), "w") as f:
        f["log_probs"] = lp
        f["offsets"] = [0, 1, 2]
        f["ids"] = ["x", "y", "z"]
    bad("ids_count.h5", "FILE: dataset /ids has 3 ids, but dataset /log_probs has 2 recordings")
    with h5py.File(path_of("ids_floats.h5"), "w") as f:
        f["log_probs"] = lp
        f["offsets"] = [0, 1, 2]
        f["ids"] = [0.5, 1.5]
    bad("ids_floats.h5", "FILE: dataset /ids holds float64, but must hold texts")


# ---- empty things ----

def empty():
    with h5py.File(path_of("no_steps.h5"), "w") as f:
        f["log_probs"] = np.zeros((0, 3), "f4")
        f["offsets"] = np.zeros(1, "i8")
        f["labels"] = np.zeros(0, "i4")
    good("no_steps.h5", np.zeros((0, 3), "f4"), [], layout="packed", labels=[])
    with h5py.File(path_of("no_steps_single.h5"), "w") as f:
        f["logits"] = np.zeros((0, 3), ">f2")
    good("no_steps_single.h5", np.zeros((0, 3), "f4"), [0], layout="single", kind="logits", ids=["no_steps_single"])
    with h5py.File(path_of("no_recordings.h5"), "w") as f:
        f["log_probs"] = np.zeros((0, 7, 3), "f4")
        f["lengths"] = np.zeros(0, "i4")
    good("no_recordings.h5", np.zeros((0, 3), "f4"), [], layout="padded")
    with h5py.File(path_of("no_length.h5"), "w") as f:
        f["log_probs"] = np.zeros((2, 0, 3), "f4")
        f["valid"] = np.zeros((2, 0), bool)
    good("no_length.h5", np.zeros((0, 3), "f4"), [0, 0], layout="padded")
    with h5py.File(path_of("no_classes.h5"), "w") as f:
        f["log_probs"] = np.zeros((4, 0), "f4")
    bad("no_classes.h5", "FILE: dataset /log_probs has shape [4, 0]: its last axis, the classes, must have at least one")
    with h5py.File(path_of("nothing.h5"), "w") as f:
        pass
    bad("nothing.h5", "FILE: found no scores (log_probs, probs, logits or scores, in the root or in /recordings/<id>); it holds no "
        "dataset; say where they are with `scores` PATH ({id} in it stands for the recording)", status="file")
    with h5py.File(path_of("null.h5"), "w") as f:
        f["log_probs"] = h5py.Empty("f4")
    bad("null.h5", "FILE: dataset /log_probs is empty: it has neither shape nor values; write it again")


# ---- lengths ----

def lengths():
    lp = log_probs((3, 4, 2))
    flat = log_probs((6, 2))
    valid = np.array([[1, 1, 0, 0], [0, 0, 0, 0], [1, 1, 1, 1]])
    packed = np.concatenate([lp[0, :2], lp[2]])
    for dtype in (bool, "u1", "i8", "f4"):
        name = "valid_%s.h5" % np.dtype(dtype).name
        with h5py.File(path_of(name), "w") as f:
            f["log_probs"] = lp
            f["valid"] = valid.astype(dtype)
        good(name, packed, [2, 0, 4], layout="padded")

    def padded(name, **datasets):
        with h5py.File(path_of(name), "w") as f:
            f["log_probs"] = lp
            for key, value in datasets.items():
                f[key] = value

    hole = valid.copy()
    hole[0, 3] = 1
    padded("valid_hole.h5", valid=hole.astype(bool))
    bad("valid_hole.h5", "FILE: dataset /valid has a hole: step 2 of recording 0 takes no part, and a later one does; `gaps` join makes "
        "its neighbours adjacent, `gaps` break begins a new segment after it")
    padded("valid_shape.h5", valid=np.ones((3, 5), bool))
    bad("valid_shape.h5", "FILE: dataset /valid has shape [3, 5], but dataset /log_probs has [3, 4, 2]; it must be one flag per "
        "recording and step")
    padded("valid_two.h5", valid=np.full((3, 4), 2))
    bad("valid_two.h5", "FILE: dataset /valid, recording 0, step 0: 2 is neither 0 nor 1")
    padded("lengths_missing.h5")
    bad("lengths_missing.h5", "FILE: dataset /log_probs has shape [3, 4, 2], one row a recording, but nothing says how long each is; "
        "write a dataset lengths [3] beside it (all 4 when nothing is padded), or name it with `lengths`")
    padded("lengths_count.h5", lengths=[4, 4])
    bad("lengths_count.h5", "FILE: dataset /lengths has 2 lengths, but dataset /log_probs has shape [3, 4, 2], so 3 recordings")
    padded("lengths_long.h5", lengths=[4, 5, 1])
    bad("lengths_long.h5", "FILE: dataset /lengths, recording 1: length 5, but dataset /log_probs has room for 0 to 4 steps")
    padded("lengths_negative.h5", lengths=[4, 3, -1])
    bad("lengths_negative.h5", "FILE: dataset /lengths, recording 2: length -1, but dataset /log_probs has room for 0 to 4 steps")
    padded("lengths_floats.h5", lengths=[4.0, 3.5, 1.0])
    bad("lengths_floats.h5", "FILE: dataset /lengths, value 1 is 3.5, not a whole number; write integers")
    padded("lengths_rank.h5", lengths=[[4, 3, 1]])
    bad("lengths_rank.h5", "FILE: dataset /lengths has shape [1, 3], but must have one dimension")
    bad("lengths_missing.h5", "FILE: dataset /log_probs has shape [3, 4, 2], one row a recording; offsets do not apply, use "
        "`lengths`", {"offsets": "o"}, "invalid")
    bad("lengths_missing.h5", "FILE: there is no dataset /o; name it with `lengths`", {"lengths": "o"}, "file")

    def flat_file(name, **datasets):
        with h5py.File(path_of(name), "w") as f:
            f["log_probs"] = flat
            for key, value in datasets.items():
                f[key] = value

    flat_file("flat_lengths.h5", lengths=[1, 0, 5])
    good("flat_lengths.h5", flat, [1, 0, 5], layout="packed")
    flat_file("flat_lengths_short.h5", lengths=[1, 4])
    bad("flat_lengths_short.h5", "FILE: dataset /lengths adds up to 5 steps, but dataset /log_probs has 6; the lengths of all "
        "recordings must add up to its first axis")
    flat_file("offsets_short.h5", offsets=[0, 2, 5])
    bad("offsets_short.h5", "FILE: dataset /offsets goes from 0 to 5, but dataset /log_probs has 6 steps; it must begin with 0 and "
        "end with 6 (one value more than there are recordings)")
    flat_file("offsets_late.h5", offsets=[1, 2, 6])
    bad("offsets_late.h5", "FILE: dataset /offsets goes from 1 to 6, but dataset /log_probs has 6 steps; it must begin with 0 and "
        "end with 6 (one value more than there are recordings)")
    flat_file("offsets_down.h5", offsets=[0, 4, 3, 6])
    bad("offsets_down.h5", "FILE: dataset /offsets goes down from 4 to 3 at value 2; it must ascend from 0 to 6")
    flat_file("offsets_empty.h5", offsets=np.zeros(0, "i8"))
    bad("offsets_empty.h5", "FILE: dataset /offsets is empty, but must hold where each recording begins and the end, from 0 to 6")
    flat_file("offsets_text.h5", offsets=["0", "6"])
    bad("offsets_text.h5", "FILE: dataset /offsets holds text, which cannot be read as numbers here; write it again as integers or "
        "floats")


# ---- shapes, types and values that cannot be ----

def shapes():
    lp = log_probs((5, 3))

    def file(name, **datasets):
        with h5py.File(path_of(name), "w") as f:
            f["log_probs"] = lp
            for key, value in datasets.items():
                f[key] = value

    others = ", and `codes` or `map` reads others' numbers"
    file("labels_shape.h5", labels=np.zeros(4, int))
    bad("labels_shape.h5", "FILE: dataset /labels has shape [4], but must have shape [5] to go with /log_probs; write one for each "
        "step, or name another dataset")
    file("labels_one_hot.h5", labels=np.eye(5, 3))
    bad("labels_one_hot.h5", "FILE: dataset /labels has shape [5, 3], but must have shape [5] to go with /log_probs; where it is "
        "one-hot write the index of the class (argmax over the last axis)")
    file("labels_text.h5", labels=["a"] * 5)
    bad("labels_text.h5", "FILE: dataset /labels, recording labels_text, step 0: label \"a\" is a word; a model says which class it is "
        "(`model` or `rules` M)")
    file("labels_255.h5", labels=np.array([0, 1, 255, 2, 0], "u1"))
    bad("labels_255.h5", "FILE: dataset /labels, recording labels_255, step 2: label 255 is not one of the 3 classes 0..2; unscored "
        "steps are -1" + others)
    file("labels_half.h5", labels=np.array([0, 0.5, 1, 2, 0]), offsets=[0, 0, 1, 1, 5])
    bad("labels_half.h5", "FILE: dataset /labels, recording 3, step 0: label 0.5 is not a whole number; unscored steps are -1")
    file("labels_nan.h5", labels=np.array([0, 1, 1, np.nan, 0]), offsets=[0, 2, 5])
    bad("labels_nan.h5", "FILE: dataset /labels, recording 1, step 1: label nan is not a whole number; unscored steps are -1")
    file("labels_minus.h5", labels=np.array([0, 1, 1, 1, -2]))
    bad("labels_minus.h5", "FILE: dataset /labels, recording labels_minus, step 4: label -2 is not one of the 3 classes 0..2; "
        "unscored steps are -1" + others)
    with h5py.File(path_of("labels_groups.h5"), "w") as f:
        f["recordings/a/log_probs"] = lp
        f["recordings/b/log_probs"] = lp
        f["recordings/a/labels"] = np.zeros(5, int)
        f["recordings/b/labels"] = np.array([0, 0, 0, 3, 0])
    bad("labels_groups.h5", "FILE: dataset /recordings/b/labels, recording b, step 3: label 3 is not one of the 3 classes 0..2; "
        "unscored steps are -1" + others)
    with h5py.File(path_of("labels_padded.h5"), "w") as f:
        f["log_probs"] = np.stack([lp, lp])
        f["lengths"] = [2, 5]
        f["labels"] = np.array([[0, 1, 9, 9, 9], [0, 0, 0, 0, 9]])
        f["ids"] = ["a", "b"]
    bad("labels_padded.h5", "FILE: dataset /labels, recording b, step 4: label 9 is not one of the 3 classes 0..2; unscored steps "
        "are -1" + others)
    file("weights_negative.h5", weights=np.array([1, 1, -0.5, 1, 1]))
    bad("weights_negative.h5", "FILE: dataset /weights, recording weights_negative, step 2: weight -0.5 is not a number from 0 up")
    file("weights_nan.h5", weights=np.array([1, np.nan, -0.5, 1, 1]))
    bad("weights_nan.h5", "FILE: dataset /weights, recording weights_nan, step 1: weight nan is not a number from 0 up")
    file("mask_two.h5", mask=np.where(np.arange(15).reshape(5, 3) == 7, 2, 1))
    bad("mask_two.h5", "FILE: dataset /mask, recording mask_two, step 2, class 1: mask 2 is neither 0 nor 1")
    file("mask_shape.h5", mask=np.ones(5, bool))
    bad("mask_shape.h5", "FILE: dataset /mask has shape [5], but must have shape [5, 3] to go with /log_probs; write one for each "
        "step, or name another dataset")
    file("segments_half.h5", segments=np.arange(5) / 2)
    bad("segments_half.h5", "FILE: dataset /segments, recording segments_half, step 1: segment 0.5 is not a whole number")

    def scores(name, array, key="log_probs"):
        with h5py.File(path_of(name), "w") as f:
            f[key] = array

    scores("scalar.h5", 3.5)
    bad("scalar.h5", "FILE: dataset /log_probs has shape [], but must have [steps, classes] or [recordings, steps, classes]; reshape "
        "it, or name another dataset")
    scores("rank1.h5", np.zeros(4, "f4"))
    bad("rank1.h5", "FILE: dataset /log_probs has shape [4], but must have [steps, classes] or [recordings, steps, classes]; reshape "
        "it, or name another dataset")
    scores("rank4.h5", np.zeros((2, 2, 2, 2), "f4"))
    bad("rank4.h5", "FILE: dataset /log_probs has shape [2, 2, 2, 2], but must have [steps, classes] or [recordings, steps, "
        "classes]; reshape it, or name another dataset")
    scores("integers.h5", np.zeros((4, 2), "i4"))
    bad("integers.h5", "FILE: dataset /log_probs holds int32, but scores must be float16, float32 or float64; write it again with "
        ".astype('float32'), or where it is one-hot with .argmax(1), which are labels")
    scores("compound.h5", np.zeros(4, [("a", "f4")]))
    bad("compound.h5", "FILE: dataset /log_probs holds compound, which cannot be read as numbers here; write it again as integers or "
        "floats")
    with h5py.File(path_of("bfloat16.h5"), "w") as f:
        kind = h5py.h5t.IEEE_F32LE.copy()
        kind.set_fields(15, 7, 8, 0, 7)
        kind.set_size(2)
        kind.set_ebias(127)
        h5py.h5d.create(f.id, b"log_probs", kind, h5py.h5s.create_simple((4, 2)))
    bad("bfloat16.h5", "FILE: dataset /log_probs holds bfloat16, which cannot be read as numbers here; write it again as float32 or "
        "float64")
    with h5py.File(path_of("long_double.h5"), "w") as f:
        f["log_probs"] = np.zeros((4, 2), np.longdouble)
    bad("long_double.h5", "FILE: dataset /log_probs holds 80-bit floats, which cannot be read as numbers here; write it again as "
        "float32 or float64")


# ---- groups ----

def groups():
    lp = log_probs((5, 3))
    with h5py.File(path_of("groups_lack.h5"), "w") as f:
        for n in ("n1", "n2", "n10"):
            f["recordings/%s/log_probs" % n] = lp
        f.create_group("recordings/n3")
    bad("groups_lack.h5", "FILE: recording n3 has no dataset /recordings/n3/log_probs; write it, or take the group out of "
        "/recordings", status="file")
    with h5py.File(path_of("groups_classes.h5"), "w") as f:
        f["recordings/a/log_probs"] = lp
        f["recordings/b/log_probs"] = lp[:, :2]
    bad("groups_classes.h5", "FILE: dataset /recordings/b/log_probs has 2 classes (shape [5, 2]), but /recordings/a/log_probs has 3; "
        "all recordings need the same")
    with h5py.File(path_of("groups_rank.h5"), "w") as f:
        f["recordings/a/log_probs"] = lp
        f["recordings/b/log_probs"] = lp[0]
    bad("groups_rank.h5", "FILE: dataset /recordings/b/log_probs has shape [3], but must have [steps, classes]; reshape it, or name "
        "another dataset")
    bad("groups_rank.h5", "FILE: nothing in the file fits /recordings/x{id}/log_probs; say where the scores are with `scores` PATH",
        {"scores": "recordings/x{id}/log_probs"}, "file")
    bad("groups_rank.h5", "FILE: there is no dataset /night; say where the scores are with `scores` PATH",
        {"scores": "night/{id}/log_probs"}, "file")
    bad("groups_rank.h5", "FILE: /recordings/a/log_probs is a dataset, not a group of recordings; say where the scores are with "
        "`scores` PATH", {"scores": "recordings/a/log_probs/{id}"}, "file")
    bad("groups_rank.h5", "FILE: /recordings/{id}/log_probs has one dataset a recording ({id}); `offsets`, `lengths` and `ids` do "
        "not apply", {"offsets": "o"}, "invalid")
    bad("groups_lack.h5", "FILE: there is no dataset /recordings/n1/nope; say where the scores are with `scores` PATH",
        {"scores": "recordings/n1/nope"}, "file")
    with h5py.File(path_of("pattern.h5"), "w") as f:
        f["night/n1/softmax"] = lp
        f["night/n2/softmax"] = lp
        f["night/n2/y"] = np.zeros(5, int)
    bad("pattern.h5", "FILE: found no scores (log_probs, probs, logits or scores, in the root or in /recordings/<id>); it holds "
        "/night/n1/softmax float32 [5, 3], /night/n2/softmax float32 [5, 3], /night/n2/y int64 [5]; say where they are with `scores` "
        "PATH, for example `scores` '/night/{id}/softmax'", status="file")
    bad("pattern.h5", "FILE: /night/{id}/softmax has one dataset a recording, so /night/n2/y needs {id} too",
        {"scores": "/night/{id}/softmax", "labels": "/night/n2/y"}, "invalid")
    bad("pattern.h5", "FILE: /night/n1/softmax is one dataset, so /night/{id}/y cannot have {id}",
        {"scores": "/night/n1/softmax", "labels": "/night/{id}/y"}, "invalid")
    with h5py.File(path_of("many.h5"), "w") as f:
        for i in range(12):
            f["x%02d" % i] = np.zeros(i)
    bad("many.h5", "FILE: found no scores (log_probs, probs, logits or scores, in the root or in /recordings/<id>); it holds "
        + ", ".join("/x%02d float64 [%d]" % (i, i) for i in range(10)) + ", and more; say where they are with `scores` PATH ({id} in "
        "it stands for the recording)", status="file")


# ---- links, filters, files that are not what they should be ----

def links():
    lp = log_probs((5, 3))
    with h5py.File(path_of("elsewhere.h5"), "w") as f:
        f["deep/log_probs"] = lp
    with h5py.File(path_of("links.h5"), "w") as f:
        f["log_probs"] = h5py.ExternalLink("elsewhere.h5", "/deep/log_probs")
        f["soft"] = h5py.SoftLink("/log_probs")
        f["lost"] = h5py.SoftLink("/nowhere")
        f["gone"] = h5py.ExternalLink("gone.h5", "/x")
        f["round"] = h5py.SoftLink("/about")
        f["about"] = h5py.SoftLink("/round")
        f["group/a"] = 1
    good("links.h5", lp, [5], layout="single", ids=["links"])
    good("links.h5", lp, [5], {"scores": "soft"}, layout="single", ids=["links"], kind_from_name=False)
    bad("links.h5", "FILE: /lost is a link to /nowhere, which is not there; mend the link or name another dataset", {"scores": "lost"},
        "file")
    bad("links.h5", "FILE: /gone is a link to /x in the file gone.h5, which cannot be opened; put that file beside this one",
        {"scores": "gone/x"}, "file")
    bad("links.h5", "FILE: /round is a link that leads back to itself; mend the link or name another dataset", {"scores": "round"},
        "file")
    bad("links.h5", "FILE: found no scores in the group /group (log_probs, probs, logits or scores); it holds /group/a int64 [], "
        "/log_probs float32 [5, 3], /soft float32 [5, 3]; say where they are with `scores` PATH, for example `scores` '/log_probs'",
        {"scores": "group"}, "file")
    with h5py.File(path_of("lost_recording.h5"), "w") as f:
        f["recordings/a/log_probs"] = lp
        f["recordings/b"] = h5py.ExternalLink("gone.h5", "/b")
    bad("lost_recording.h5", "FILE: /recordings/b is a link to /b in the file gone.h5, which cannot be opened; put that file beside "
        "this one", status="file")


def filters():
    lp = log_probs((50, 3))
    # LZF leaves alone what it cannot make smaller: these it can, by near and far copies, short and long.
    for number_, (chunks, shuffle) in enumerate([(True, False), ((500, 2), True), ((1200, 3), True)]):
        near, far = log_probs((40, 3)), log_probs((300, 3))
        rows = np.concatenate([near[random.integers(0, 40, 400)], np.repeat(near[:4], 50, 0), far, far])
        name = "lzf_%d.h5" % number_
        with h5py.File(path_of(name), "w") as f:
            made = f.create_dataset("log_probs", data=rows, compression="lzf", shuffle=shuffle, chunks=chunks)
            assert made.id.get_storage_size() < 0.95 * rows.nbytes
            f.create_dataset("offsets", data=np.arange(31) * 40, compression="lzf")
            f.create_dataset("ids", data=[b"recording %d" % i for i in range(30)], compression="lzf")
        good(name, rows, [40] * 30, layout="packed", ids=["recording %d" % i for i in range(30)], has_ids=True)
    with h5py.File(path_of("lzf_bad.h5"), "w") as f:
        made = f.create_dataset("log_probs", data=np.zeros((900, 3), "f4"), compression="lzf", chunks=(900, 3))
        info = made.id.get_chunk_info(0)
    with open(path_of("lzf_bad.h5"), "r+b") as f:
        f.seek(info.byte_offset)
        f.write(b"\xff" * info.size)
    bad("lzf_bad.h5", "FILE: dataset /log_probs cannot be read (filter returned failure during read); the file is damaged: copy or "
        "write it again", status="file")
    with h5py.File(path_of("groups_bad.h5"), "w") as f:
        for name in "abc":
            made = f.create_dataset("recordings/%s/log_probs" % name, data=lp, compression="gzip", chunks=(30, 3))
            info = made.id.get_chunk_info(1) if name == "b" else info if name == "c" else None
    with open(path_of("groups_bad.h5"), "r+b") as f:
        f.seek(info.byte_offset)
        f.write(b"\xff" * info.size)
    bad("groups_bad.h5", "FILE: dataset /recordings/b/log_probs cannot be read (inflate() failed); the file is damaged: copy or "
        "write it again", status="file")
    # Whole, but short: HDF5 itself would read beyond the end of what it has unpacked.
    short = {"gzip": zlib.compress(np.full((20, 3), -np.log(3), "f4").tobytes()), "fletcher32": b"abc"}
    for layout, name in (("", "/log_probs"), ("groups_", "/recordings/{id}/log_probs")):
        for how, stored in short.items():
            file = "%sshort_%s.h5" % (layout, how)
            with h5py.File(path_of(file), "w") as f:
                made = f.create_dataset(name.replace("{id}", "a"), (50, 3), "f4", chunks=(50, 3), fletcher32=how == "fletcher32",
                                        compression="gzip" if how == "gzip" else None)
                made.id.write_direct_chunk((0, 0), stored, 0)
            bad(file, "FILE: dataset %s cannot be read (a chunk has fewer values than it should, or more); the file is damaged: copy or write it "
                "again" % name, status="file")
    known = {32001: ("blosc", "install hdf5-filter-plugin-blosc-serial"), 32015: ("zstd", "install its plugin (pip install hdf5plugin "
             "brings it)"), 32008: ("bitshuffle", "install hdf5-filter-plugin"), 31999: ("unknown", "install its plugin (pip install "
             "hdf5plugin brings it)")}
    for number_, (name, mend) in known.items():
        with h5py.File(path_of("filter_%d.h5" % number_), "w") as f:
            made = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            made.set_chunk((10, 3))
            made.set_filter(number_, h5py.h5z.FLAG_OPTIONAL, ())
            h5py.h5d.create(f.id, b"log_probs", h5py.h5t.IEEE_F32LE, h5py.h5s.create_simple((50, 3)), made)
        bad("filter_%d.h5" % number_, "FILE: dataset /log_probs is compressed with the filter %s (%d), which is not installed here; "
            "%s and set HDF5_PLUGIN_PATH to its folder, or write the file again with gzip (h5repack -f GZIP=4 where the filter is "
            "installed)" % (name, number_, mend), status="file")
    with h5py.File(path_of("fletcher.h5"), "w") as f:
        f.create_dataset("log_probs", data=lp, fletcher32=True, chunks=(50, 3))
        offset = f["log_probs"].id.get_chunk_info(0).byte_offset
    with open(path_of("fletcher.h5"), "r+b") as f:
        f.seek(offset + 17)
        f.write(b"\x55\xaa")
    bad("fletcher.h5", "FILE: dataset /log_probs cannot be read (data error detected by Fletcher32 checksum); the file is damaged: "
        "copy or write it again", status="file")


def not_hdf5():
    lp = log_probs((5, 3))
    mend = "write the scores as .npy, .npz, CSV or HDF5; an array's name says what it holds: log_probs, probs, logits or scores"

    def raw(name, data, message, status="file"):
        with open(path_of(name), "wb") as f:
            f.write(data)
        bad(name, message, status=status)

    raw("scores.mat", b"MATLAB 5.0 MAT-file, Platform: GLNXA64".ljust(124) + b"\x00\x01IM", "FILE: holds no matrices of numbers, texts, or "
        "cells of these; save(FILE, '-struct', 'NAME') saves the fields of a struct so", status="data")
    array = "; an array's name says what it holds: log_probs, probs, logits, scores or labels"
    raw("x.pt", b"PK\x03\x04" + b"\0" * 22 + bytes([10, 0, 0, 0]) + b"x/data.pkl", "FILE: looks like a PyTorch file, which is not read; "
        "convert it with python3 -c \"import numpy, torch; x = torch.load('x.pt', map_location='cpu'); numpy.savez('x.npz', **{k: v.numpy() "
        "for k, v in (x if isinstance(x, dict) else {'logits': x}).items()})\"" + array)
    raw("x.safetensors", bytes([60, 0, 0, 0, 0, 0, 0, 0]) + b'{"logits":{"dtype":"F32","shape":[1,1],"data_offsets":[0,4]}}', "FILE: looks "
        "like a safetensors file, which is not read; convert it with python3 -c \"import numpy, safetensors.numpy; "
        "numpy.savez('x.npz', **safetensors.numpy.load_file('x.safetensors'))\"" + array)
    raw("scores.pkl", pickle.dumps({"log_probs": lp}), "FILE: looks like a Python pickle, which is not read; convert it with "
        "python3 -c \"import numpy, pickle; x = pickle.load(open('scores.pkl', 'rb')); numpy.savez('scores.npz', **x) if isinstance(x, dict) else "
        "numpy.save('scores.npy', x)\"" + array)
    raw("scores.json", b' {"log_probs": [[0, 1]]}', "FILE: looks like a JSON text, which is not read; " + mend)
    raw("model.json", b'{\n "statepath_model": 1, "name": "door"}', "FILE: is a model; look at it with statepath model "
        "show, and give it to other commands as `model`")
    raw("scores.txt", b"hello\nworld\n", "FILE: looks like a text file, which is not read; labels, one a line, are read where a model names their classes "
        "(`model` or `rules` M) and the name ends in .txt, .csv, .tsv, .hyp or .eannot; scores are a table with a column a class")
    raw("scores.h5.gz", b"\x1f\x8b\x08\x00rest", "FILE: is gzip-compressed; unpack it with gunzip")
    raw("scores.bin", bytes(range(1, 200)), "FILE: is of no kind that is read here; " + mend)
    raw("lfs.h5", b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n",
        "FILE: is a Git LFS pointer; run git lfs pull")
    raw("empty.h5", b"", "FILE: is empty; write it again")
    bad("missing.h5", "FILE: there is no such file", status="file")
    os.mkdir(path_of("folder.h5"))
    bad("folder.h5", "FILE: this folder holds no files", status="file")
    with h5py.File(path_of("whole.h5"), "w") as f:
        f["log_probs"] = log_probs((1000, 3))
    data = open(path_of("whole.h5"), "rb").read()
    raw("cut.h5", data[:5000], "FILE: is cut short, 5000 of %d bytes are there; copy or write it again" % len(data))
    raw("signature.h5", data[:8], "FILE: *; copy or write it again")
    with h5py.File(path_of("marked.h5"), "w", libver="latest") as f:
        f["log_probs"] = lp
        f.flush()
        marked = open(path_of("marked.h5"), "rb").read()
    raw("marked.h5", marked, "FILE: is marked as open for writing; close it in the program that writes it, or if that program is "
        "gone run h5clear -s on the file")


for make in (all_layouts, kinds, labels, texts, empty, lengths, shapes, groups, links, filters, not_hdf5):
    make()
with open(path_of("cases.json"), "w") as out:
    json.dump(cases, out, indent=1)

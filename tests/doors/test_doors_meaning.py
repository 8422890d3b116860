"""The same recordings in every layout, in every format that can hold it: one meaning.

Each layout is a set of named arrays; each writer is a tool of the field (h5py, numpy.savez, scipy.io.savemat, numpy.save, csv). What inspect,
compare --json, decode and fit say of a file is what they say of the HDF5 file of the same arrays: everything but names of files and how numbers
are stored. test_layouts_agree then holds the layouts against each other: they hold the same recordings."""
import csv
import json
import re

import h5py
import numpy as np

import statepath_test as st

try:
    import scipy.io
except ImportError:
    scipy = None

MODEL = ("--model", "sleep-aasm")
CLASSES = ["Wake", "N1", "N2", "N3", "REM"]
LENGTHS = {"night1": 40, "night2": 25, "night10": 31}


def recordings():
    """{id: {probs, labels, labels_A, labels_B, segments, weights}}; numbers that every format keeps to the bit."""
    rng = np.random.default_rng(5)
    out = {}
    for name, T in LENGTHS.items():
        probs = rng.dirichlet(np.full(5, .4), T).astype("f4")
        probs = np.maximum(probs, 1e-4)
        probs = (probs / probs.sum(1, keepdims=True)).astype("f4")
        labels = np.where(rng.random(T) < .2, rng.integers(-1, 5, T), probs.argmax(1)).astype("i4")
        labels[0] = max(labels[0], 0)
        other = [np.where(rng.random(T) < .2, rng.integers(0, 5, T), np.maximum(labels, 0)).astype("i4") for _ in range(2)]
        out[name] = {"probs": probs, "labels": labels, "labels_A": other[0], "labels_B": other[1],
                     "segments": np.repeat([0, 1], [T // 2, T - T // 2]).astype("i4"), "weights": rng.integers(1, 4, T).astype("f8")}
    return out


R = recordings()
IDS = list(R)


def packed(*names):
    arrays = {name: np.concatenate([R[i][name] for i in IDS]) for name in names}
    return dict(arrays, offsets=np.cumsum([0, *LENGTHS.values()]), ids=np.array(IDS))


def padded(fill, *names):
    T = max(LENGTHS.values())
    out = {"ids": np.array(IDS)}
    for name in names:
        first = R[IDS[0]][name]
        out[name] = np.full((len(IDS), T, *first.shape[1:]), fill.get(name, 0), first.dtype)
        for n, i in enumerate(IDS):
            out[name][n, :LENGTHS[i]] = R[i][name]
    return out


def valid():
    return np.array([[t < T for t in range(max(LENGTHS.values()))] for T in LENGTHS.values()]).astype("u1")


def by_pattern(pattern, *names):
    return {pattern.format(id=i, name=name): R[i][name] for i in IDS for name in names}


LAYOUTS = {
    "single": {name: R["night1"][name] for name in ("probs", "labels")},
    "offsets": packed("probs", "labels"),
    "lengths": {k: v for k, v in dict(packed("probs", "labels"), lengths=np.array(list(LENGTHS.values()))).items() if k != "offsets"},
    "rows": dict(padded({"labels": -1}, "probs", "labels"), lengths=np.array(list(LENGTHS.values()))),
    "rows, valid": dict(padded({"labels": -1}, "probs", "labels"), valid=valid()),
    "rows, attention_mask": dict(padded({"labels": -1}, "probs", "labels"), attention_mask=valid()),
    "rows of -100": padded({"labels": -100}, "probs", "labels"),
    "folders": by_pattern("recordings/{id}/{name}", "probs", "labels"),
    "folders of the root": by_pattern("{id}/{name}", "probs", "labels"),
    "folders of names": by_pattern("{name}/{id}", "probs", "labels"),
    "segments, weights": packed("probs", "labels", "segments", "weights"),
    "subjects": dict(packed("probs", "labels"), subjects=np.array(["s1", "s2", "s1"])),
    "classes": dict(packed("probs", "labels"), classes=np.array(CLASSES)),
    "scorers": packed("probs", "labels", "labels_A", "labels_B"),
    "scorers, one": {name: R["night1"][name] for name in ("probs", "labels", "labels_A", "labels_B")},
    "scorers, folders": by_pattern("{id}/{name}", "probs", "labels", "labels_A", "labels_B"),
    "words": dict(packed("probs"), labels=np.array([([*CLASSES, "?"])[k] for i in IDS for k in R[i]["labels"]])),
    "step length": dict(packed("probs", "labels"), epoch_seconds=np.float64(20)),
    "mask": dict(packed("probs", "labels"), mask=np.concatenate([R[i]["probs"] > 1e-3 for i in IDS])),
}
# Not the recordings of the others, or more than their labels and scores.
OTHER = {"single", "scorers, one", "rows of -100", "segments, weights", "subjects", "step length", "mask", "scorers", "scorers, folders"}


def write_h5(path, arrays):
    with h5py.File(path, "w") as f:
        for name, values in arrays.items():
            f[name] = values.astype(object) if values.dtype.kind == "U" else values


def write_npz(path, arrays):
    np.savez(path, **arrays)


def write_mat(path, arrays):
    """Cells and rows as MATLAB has them: vectors are [1,S], texts cells."""
    scipy.io.savemat(path, {name: values.astype(object) if values.dtype.kind == "U" else values for name, values in arrays.items()})


def write_csv(path, arrays):
    """A table of scores: a line a step."""
    names = [str(c) for c in arrays.get("classes", CLASSES)]
    bounds = arrays.get("offsets", [0, len(arrays["probs"])])
    with open(path, "w", newline="", encoding="utf-8") as out:
        table = csv.writer(out)
        extra = [name for name in ("labels", "segments", "weights") if name in arrays]
        has_ids = "ids" in arrays
        table.writerow((["recording"] if has_ids else []) + names + [name[:-1] for name in extra])
        for n in range(len(bounds) - 1):
            for t in range(bounds[n], bounds[n + 1]):
                table.writerow(([arrays["ids"][n]] if has_ids else []) + [repr(float(p)) for p in arrays["probs"][t]] + [arrays[name][t] for name in extra])


def carries(kind, layout):
    """Which layouts a format can hold."""
    if kind == "mat":
        return scipy is not None and not any("/" in name for name in LAYOUTS[layout])
    if kind == "csv":
        return layout in ("single", "offsets", "segments, weights", "words")
    return True


WRITERS = {"npz": write_npz, "mat": write_mat, "csv": write_csv}


def plain(text):
    """What is said, without the file's name and how its numbers are stored."""
    text = re.sub(r"/?\ba\.(h5|npz|mat|csv)\b", "FILE", text)
    return re.sub(r"(?m)^(FILE: .* bytes|stored as .*)\n", "", text)


class TestMeaning(st.TestCase):
    def meaning(self, file):
        """Everything that is read out of a file: by commands, their status and words, or what they wrote."""
        out = {}
        done = self.run_any("inspect", file, *MODEL)
        said = dict(re.findall(r"(?m)^(\w[\w ]*?)  +(.*)$", plain(done.stdout)))
        out["inspect"] = {key: said.get(key) for key in ("recordings", "steps", "validity")}
        out["inspect"]["labels"] = re.findall(r" (\d+)\b(?!:)", said.get("labels", "")) # whether or not the file names the classes
        done = self.run_any("compare", file, *MODEL, "--json", "-")
        out["compare"] = self.results(done)
        done = self.run_any("decode", file, *MODEL, "-o", "paths.csv", "--force")
        out["decode"] = open(self.path("paths.csv"), encoding="utf-8").read() if done.returncode == 0 else self.sentence(done)
        done = self.run_any("fit", file, "--rules", "sleep-aasm", "--method", "counts", "-o", "model.json", "--force")
        model = json.load(open(self.path("model.json"), encoding="utf-8")) if done.returncode == 0 else self.sentence(done)
        if isinstance(model, dict):
            model = json.loads(re.sub(r"\d+ bytes", "", plain(json.dumps(model, sort_keys=True))))
        out["fit"] = model
        return out

    def run_any(self, *words):
        import subprocess
        return subprocess.run([st.PROGRAM, *words], cwd=self.folder, capture_output=True, text=True, timeout=300)

    def sentence(self, done):
        return [line for line in plain(done.stderr).splitlines() if line.startswith("statepath: ")]

    def results(self, done):
        if done.returncode:
            return self.sentence(done)
        found = json.loads(done.stdout)
        for key in ("input", "command", "statepath", "seconds"):
            found.pop(key, None)
        text = json.dumps(found, sort_keys=True)
        return json.loads(re.sub(r'"seconds": [-+.\de]+|"steps_per_second": [-+.\de]+', '"seconds": 0', plain(text)))

    def same(self, one, other):
        for verb in one:
            if isinstance(one[verb], dict) and isinstance(other[verb], dict):
                for key in sorted(set(one[verb]) | set(other[verb])):
                    self.assertEqual(one[verb].get(key), other[verb].get(key), "%s: %s" % (verb, key))
            self.assertEqual(one[verb], other[verb], verb)

    def test_formats_agree(self):
        for layout, arrays in LAYOUTS.items():
            write_h5(self.path("a.h5"), arrays)
            wanted = self.meaning("a.h5")
            with self.subTest(layout=layout, format="h5"):
                self.assertIsInstance(wanted["compare"], dict, wanted["compare"])
            for kind, write in WRITERS.items():
                if not carries(kind, layout):
                    continue
                with self.subTest(layout=layout, format=kind):
                    write(self.path("a." + kind), arrays)
                    self.same(wanted, self.meaning("a." + kind))

    def test_words_in_rows(self):
        """Labels alone, words in rows: what is empty at the end of one is padding, without lengths."""
        T = max(LENGTHS.values())
        rows = np.array([[([*CLASSES, "?"])[k] for k in R[i]["labels"]] + [""] * (T - LENGTHS[i]) for i in IDS])
        write_npz(self.path("scores.npz"), packed("probs"))
        found = {}
        for kind, write in (("h5", write_h5), ("npz", write_npz)):
            write(self.path("labels." + kind), {"labels": rows, "ids": np.array(IDS)})
            found[kind] = self.results(self.run_any("compare", "scores.npz", "--labels", "labels." + kind, *MODEL, "--json", "-"))
            self.assertIsInstance(found[kind], dict, found[kind])
        for key in ("strategies", "reference"):
            self.assertEqual(found["h5"][key], found["npz"][key], key)

    def test_layouts_agree(self):
        """What the paths are, and how accurate: in every layout of the same recordings."""
        seen = {}
        for layout, arrays in LAYOUTS.items():
            if layout in OTHER:
                continue
            write_h5(self.path("a.h5"), arrays)
            m = self.meaning("a.h5")
            if isinstance(m["compare"], dict):
                m["compare"] = {key: m["compare"].get(key) for key in ("strategies", "reference", "nll")}
            seen[layout] = m
        first = seen["offsets"]
        for layout, m in seen.items():
            with self.subTest(layout=layout):
                self.same({k: first[k] for k in ("compare", "fit")}, {k: m[k] for k in ("compare", "fit")})


st.main()

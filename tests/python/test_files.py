"""read(): what its options say of a file is what they say to the program; bad files and arguments are one sentence.

Every layout and format is in test_format_law.py."""
import json
import pickle
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import statepath as sp
from statepath import sleep

pytest.importorskip("statepath._evaluation", reason="built without GSL")
from statepath import _evaluation  # noqa: E402

if not hasattr(_evaluation, "read_files"):
    pytest.skip("built without libdeflate", allow_module_level=True)

STAGES = ["Wake", "N1", "N2", "N3", "REM"]
N = 4


@pytest.fixture
def nights(rng):
    """Scores and labels of recordings."""
    lengths = [30, 17, 44, 25]
    labels = [np.repeat(rng.integers(0, 5, t), 3)[:t].astype(np.int32) for t in lengths]
    scores = []
    for y in labels:
        p = rng.gamma(0.3 + 1.5 * np.eye(5)[y]) + 1e-4
        scores.append((p / p.sum(1, keepdims=True)).astype(np.float32))
    return scores, [np.where(rng.random(len(y)) < 0.1, -1, y).astype(np.int32) for y in labels]


def offsets(parts):
    return np.concatenate([[0], np.cumsum([len(p) for p in parts])]).astype(np.int64)


def program_compares(program, folder, *words, model="sleep-aasm"):
    done = subprocess.run([program, "compare", *words, "--model", model, "--json", "r.json", "-q"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads((folder / "r.json").read_text())


def alike(report, theirs):
    """The same but for what was run on."""
    mine = json.loads(report.to_json())
    for one in (mine, theirs):
        one.pop("command", None)
        for key in ("file", "bytes", "files", "size", "labels_file", "labels", "label_codes", "subjects_from"):
            one["input"].pop(key, None)
    assert mine == theirs
    return True


# ---- each format ----


def npz_packed(folder, scores, labels):
    np.savez(folder / "s.npz", probs=np.concatenate(scores), labels=np.concatenate(labels), offsets=offsets(scores), ids=[f"n{n}" for n in range(N)],
             classes=STAGES, subjects=["a", "b", "b", "c"])  # fmt: skip
    return ["s.npz"], {}


def npy_transposed(folder, scores, labels):
    np.save(folder / "s.npy", scores[0].T.copy())
    (folder / "s.txt").write_text("\n".join(STAGES[k] if k >= 0 else "-1" for k in labels[0]))
    return ["s.npy", "--transpose", "--labels", "s.txt"], {"transpose": True, "labels": "s.txt"}


def npy_folder(folder, scores, labels):
    (folder / "nights").mkdir()
    (folder / "labels").mkdir()
    for n, (s, y) in enumerate(zip(scores, labels, strict=True)):
        np.save(folder / "nights" / f"n{n}.npy", s)
        (folder / "labels" / f"n{n}.txt").write_text("\n".join(map(str, y.tolist())))
    return ["nights", "--labels", "labels/{id}.txt"], {"labels": "labels/{id}.txt"}


def npy_and_words_in_codes(folder, scores, labels):
    np.save(folder / "probs.npy", scores[0])
    codes = {0: "7", 1: "5", 2: "6", 3: "4", 4: "3", -1: "9"}
    (folder / "y.txt").write_text("\n".join(codes[k] for k in labels[0].tolist()))
    text = "7=Wake,5=N1,6=N2,4=N3,3=REM,9=unscored"
    return ["probs.npy", "--labels", "y.txt", "--map", text], {"labels": "y.txt", "map": {7: "Wake", 5: "N1", 6: "N2", 4: "N3", 3: "REM", 9: None}}


def npy_and_hypnogram(folder, scores, labels):
    np.save(folder / "n.npy", scores[0])
    path = labels[0].copy()
    path[-1] = max(path[-1], 0)
    sleep.write_hypnogram(folder / "n.edf", path)
    return ["n.npy", "--labels", "n.edf"], {"labels": "n.edf"}


def hdf5_groups(folder, scores, labels):
    with h5py().File(folder / "s.h5", "w") as f:
        for n in (3, 1, 0, 2):
            f[f"recordings/n{n * 4}/probs"] = scores[n].astype(np.float64)
            f[f"recordings/n{n * 4}"].attrs["subject"] = "aabc"[n]
            if n != 1:
                f[f"recordings/n{n * 4}/labels"] = labels[n]
        f["recordings"].attrs["classes"] = STAGES[::-1]
        f["raw/signals"] = np.zeros((100, 3))
    return ["s.h5"], {}


def h5py():
    return pytest.importorskip("h5py")


FORMATS = [npy_transposed, npy_folder, npy_and_words_in_codes, npy_and_hypnogram, hdf5_groups]


@pytest.mark.parametrize("make", FORMATS, ids=lambda f: f.__name__)
@pytest.mark.filterwarnings("ignore::statepath.StatepathWarning")
def test_formats(program, tmp_path, monkeypatch, nights, make):
    words, options = make(tmp_path, *nights)
    theirs = program_compares(program, tmp_path, *words)
    monkeypatch.chdir(tmp_path)
    read = sp.read(words[0], model="sleep-aasm", **options)
    assert read.scores[0].dtype in (np.float32, np.float64) and read.scores[0].shape == (read.lengths[0], 5)
    assert alike(sp.compare(**read, model="sleep-aasm"), theirs)
    d = sp.decode(**read.decoding, model="sleep-aasm", full=True)
    assert [len(p) for p in d.paths] == read.lengths.tolist()


# ---- labels alone ----


def test_columns_of_conll(program, tmp_path):
    text = "Ada B-PER B-PER\nLovelace I-PER O\nwrote O O\n\nto O O\nParis B-LOC I-LOC\n\n"
    (tmp_path / "test.conll").write_text(text)
    gold, found = (sp.read(tmp_path / "test.conll", labels=column) for column in ("2", "-1"))
    assert gold.scores is None and gold.kind is None and len(gold) == 2 and gold.lengths.tolist() == [3, 2] and gold[1].tolist() == gold.labels[1].tolist()
    model = sp.Model.bio(sorted(set(gold.classes) | set(found.classes)))
    gold, found = (sp.read(tmp_path / "test.conll", labels=column, model=model) for column in ("2", "-1"))
    assert gold.classes == model.classes
    model.save(tmp_path / "tags.model.json")
    subprocess.run([program, "evaluate", "test.conll", "--model", "tags.model.json", "--json", "r.json", "-q"], cwd=tmp_path, check=True, capture_output=True)
    theirs = json.loads((tmp_path / "r.json").read_text())["strategies"]
    report = sp.evaluate(list(found), gold.labels, model)
    (one,) = theirs.values()
    for key in ("accuracy", "entities", "confusion", "illegal"):
        assert report.data["strategies"]["path"][key] == one[key]


@pytest.mark.parametrize("name", ["night.txt", "night.ids", "night.npy"])
def test_hypnograms_and_lists(tmp_path, name):
    path = np.array([0, 0, 1, -1, 2, 4], np.int32)
    if name.endswith("npy"):
        np.save(tmp_path / name, path)
    elif name.endswith("ids"):
        sleep.write_hypnogram(tmp_path / name, path, epoch_seconds=20)
    else:
        (tmp_path / name).write_text("W\nW\nN1\n?\nN2\nR\n")
    night = sp.read(tmp_path / name, model="sleep-aasm", **({"epoch_seconds": 20.0} if name.endswith("ids") else {}))
    assert night.labels[0].tolist() == path.tolist() and night.scores is None and night.classes == sleep.STAGES and night.ids == ["night"]
    assert night["scores"] is None and "kind" not in night.keys()


# ---- several files, layouts, names ----


def test_several_files(tmp_path, nights):
    npy_folder(tmp_path, *nights)
    files = [tmp_path / "nights" / f"n{n}.npy" for n in (2, 0)]
    with pytest.raises(sp.ScoresError, match="do not match; only in .*: n1, n3"):
        sp.read(files, labels=tmp_path / "labels" / "{id}.txt", model="sleep-aasm")
    some = sp.read(files)
    assert some.ids == ["n0", "n2"] and np.array_equal(some[1], nights[0][2]) and some.labels is None
    (tmp_path / "test.bundle").write_text("n3\nn1\n")
    split = sp.read(tmp_path / "nights" / "{id}.npy", only=tmp_path / "test.bundle", classes=STAGES)
    assert split.ids == ["n1", "n3"] and split.classes == tuple(STAGES) and split.labels is None and "2 recordings in 2 files" in repr(split)
    assert len(list(split)) == len(split) == 2


@pytest.mark.parametrize("gaps", ["join", "break"])
def test_hugging_face(program, tmp_path, gaps):
    rng = np.random.default_rng(3)
    labels = rng.integers(0, 3, (2, 7))
    labels[:, [0, 3, 6]] = -100
    np.savez(tmp_path / "hf.npz", logits=rng.normal(size=(2, 7, 3)), labels=labels, classes=["O", "B-PER", "I-PER"])
    model = sp.Model.bio(["O", "B-PER", "I-PER"])
    model.save(tmp_path / "m.json")
    theirs = program_compares(program, tmp_path, "hf.npz", "--gaps", gaps, model="m.json")
    read = sp.read(tmp_path / "hf.npz", gaps=gaps)
    assert read.lengths.tolist() == [4, 4] and (read.segments is not None) == (gaps == "break") and read.kind == "logits"
    assert alike(sp.compare(**read, model=model), theirs)


def test_what_is_read_is_told(tmp_path):
    np.savez(tmp_path / "d.npz", probs=np.full((3, 2), 0.5, np.float16), labels=[0, 1, -1], weights=[1.0, 2, 3], segments=[0, 0, 1], mask=np.ones((3, 2), bool), epoch_seconds=2.0)
    d = sp.read(tmp_path / "d.npz")
    assert repr(d) == f"Recordings: {tmp_path}/d.npz: 1 recording, 3 steps; probs from probs (float16, 2 classes without names); with labels, segments, weights, mask; 2 s a step"
    assert d.scores[0].dtype == np.float32 and d.scores[0].flags.writeable and d.classes is None and d.subjects is None
    assert d.mask[0].dtype == bool and d.weights[0].tolist() == [1, 2, 3] and d.segments[0].tolist() == [0, 0, 1]
    assert d.keys() == ["scores", "labels", "ids", "kind", "segments", "weights", "step_mask", "epoch_seconds", "name"] and dict(**d)["epoch_seconds"] == 2
    assert list(d.decoding) == ["scores", "kind", "segments", "step_mask", "epoch_seconds"]
    with pytest.raises(KeyError):
        d["subjects"]
    with pytest.raises(IndexError):
        d[1]


def test_tables_of_pandas(tmp_path):
    """The numbers of the columns are a header: a warning says so, header= decides."""
    probs = np.random.default_rng(3).dirichlet(np.ones(3), 7)
    pd = pytest.importorskip("pandas")
    for index in (False, True):
        pd.DataFrame(probs).to_csv(tmp_path / "x.csv", index=index)
        if index:
            found = sp.read(tmp_path / "x.csv")
        else:
            with pytest.warns(sp.StatepathWarning, match=r"its first line, the numbers of the columns, is taken for a header; header=False reads it"):
                found = sp.read(tmp_path / "x.csv")
        np.testing.assert_array_equal(found[0], probs)
        np.testing.assert_array_equal(sp.read(tmp_path / "x.csv", header=True)[0], probs)
    pd.DataFrame(np.eye(2, dtype=int)[[1, 0, 1]]).to_csv(tmp_path / "x.csv", index=False)
    with pytest.raises(sp.StatepathError, match="may be a header or a step.*header=True says that it names the columns, header=False that it is a step"):
        sp.read(tmp_path / "x.csv")
    assert len(sp.read(tmp_path / "x.csv", header=True)[0]) == 3
    assert len(sp.read(tmp_path / "x.csv", header=False)[0]) == 4


def test_labels_longer_than_scores(tmp_path, make=np.random.default_rng):
    """A hypnogram with a tail that nobody scored: trim_to_shortest cuts it."""
    probs = make(3).dirichlet(np.ones(5), 7)
    np.save(tmp_path / "x.npy", probs)
    (tmp_path / "l.txt").write_text("W\nN1\nN2\nN3\nR\n?\nMT\n?\nunscored\n")
    places = {"labels": tmp_path / "l.txt", "model": "sleep-aasm"}
    with pytest.raises(sp.StatepathError, match="the last 2 labels are unscored.*trim_to_shortest"):
        sp.read(tmp_path / "x.npy", **places)
    with pytest.warns(sp.StatepathWarning, match="0 of .*x.npy, 2 of .*l.txt"):
        night = sp.read(tmp_path / "x.npy", **places, trim_to_shortest=True)
    assert night.labels[0].tolist() == [0, 1, 2, 3, 4, -1, -1]


def test_names_of_columns(tmp_path):
    with h5py().File(tmp_path / "s.h5", "w") as f:
        f["probs"] = [[0.9, 0.1], [0.2, 0.8]]
        f["labels"] = np.array(["down", "up"], "S")
    read = sp.read(tmp_path / "s.h5", classes=["up", "down"])
    assert read.classes == ("up", "down") and read.labels[0].tolist() == [1, 0]


# ---- what goes wrong ----


def test_bad_files(tmp_path, nights):
    scores = nights[0][0]
    np.save(tmp_path / "kt.npy", scores.T)
    np.save(tmp_path / "cut.npy", scores)
    (tmp_path / "cut.npy").write_bytes((tmp_path / "cut.npy").read_bytes()[:-3])
    np.savez(tmp_path / "odd.npz", probs=scores, labels=np.arange(len(scores)))
    np.savez(tmp_path / "two.npz", a=scores, b=np.concatenate([scores, scores]), c=3)
    (tmp_path / "bad.csv").write_text("a,b\n0.5,0.5\n0.5,x\n")
    (tmp_path / "model.pkl").write_bytes(pickle.dumps({"scores": 1}))
    (tmp_path / "empty").mkdir()
    (tmp_path / "v73.mat").write_bytes(b"MATLAB 7.3 MAT-file".ljust(512) + b"\x89HDF\r\n\x1a\n" + b"\0" * 600)
    (tmp_path / "bad.h5").write_bytes(b"\x89HDF\r\n\x1a\n" + b"\0" * 600)
    (tmp_path / "short.txt").write_text("W\n")
    for name, options, words in (
        ("kt.npy", {}, ["transpose=", "[classes, steps]"]),
        ("cut.npy", {}, ["cut short"]),
        ("odd.npz", {}, ["step 5"]),
        ("two.npz", {"kind": "probs"}, ["scores="]),
        ("two.npz", {"scores": "d"}, ["no array d", "a float32 [30, 5]"]),
        ("bad.csv", {}, ["line 3"]),
        ("model.pkl", {}, ["Python pickle"]),
        ("empty", {}, ["empty"]),
        ("v73.mat", {}, ["MATLAB 7.3", "-v7"]),
        ("nothing.npy", {}, ["No such file"]),
        ("{id}.nothing", {}, ["{id}"]),
        ("odd.npz", {"labels": tmp_path / "short.txt", "model": "sleep-aasm"}, ["30 and 1"]),
        ("odd.npz", {"labels": tmp_path / "short.txt"}, ["model="]),
        ("odd.npz", {"codes": "utime"}, ["codes=", "model="]),
        ("odd.npz", {"gaps": "close"}, ["gaps=", "join"]),
    ):
        with pytest.raises(sp.StatepathError) as found:
            sp.read(tmp_path / name, **options)
        said = str(found.value)
        assert all(word in said for word in words), said
        assert "`" not in said.replace("`statepath ", "").replace("convert`", "") and "--" not in said and "\n" not in said, said
    assert isinstance(pytest.raises(sp.FileError, sp.read, tmp_path / "cut.npy").value, OSError)


def test_bad_hdf5(tmp_path):
    with h5py().File(tmp_path / "links.h5", "w") as f:
        f["probs"] = h5py().ExternalLink("/etc/passwd", "/probs")
    with h5py().File(tmp_path / "soft.h5", "w") as f:
        f["elsewhere"] = h5py().ExternalLink("links.h5", "/")
        f["recordings/a/probs"] = h5py().SoftLink("/elsewhere/probs")
    with h5py().File(tmp_path / "raw.h5", "w") as f:
        f.create_dataset("probs", (2, 2), "f4", external=[(str(tmp_path / "raw.bin"), 0, 16)])
        f["probs"][...] = 0.5
    with h5py().File(tmp_path / "order.h5", "w") as f:
        for name, classes in (("a", ["x", "y"]), ("b", ["y", "x"])):
            f[f"recordings/{name}/probs"] = np.full((3, 2), 0.5)
            f[f"recordings/{name}"].attrs["classes"] = classes
    with h5py().File(tmp_path / "subjects.h5", "w") as f:
        f["recordings/a/probs"] = f["recordings/b/probs"] = np.full((3, 2), 0.5)
        f["recordings/b"].attrs["subject"] = 7
    with h5py().File(tmp_path / "none.h5", "w") as f:
        f.create_group("recordings")
    (tmp_path / "bad.h5").write_bytes(b"\x89HDF\r\n\x1a\n" + b"\0" * 600)
    for name, words in (("links.h5", ["probs", "link"]), ("soft.h5", ["recordings/a/probs", "link"]), ("raw.h5", ["other files"]), ("order.h5", ["class 0", "'x'", "'y'", "same order"]),
                        ("subjects.h5", ["recording a", "subject", "groups="]), ("none.h5", ["it holds no datasets", "scores="]), ("bad.h5", ["h5py"])):  # fmt: skip
        with pytest.raises(sp.StatepathError) as found:
            sp.read(tmp_path / name)
        assert all(word in str(found.value) for word in [name, *words]), found.value
    assert sp.read(tmp_path / "subjects.h5", groups="none").subjects is None


@pytest.mark.parametrize(
    "names, options, lengths",
    [
        ({"night/softmax": 20, "offsets": [0, 5, 20]}, {"scores": "/night/softmax"}, [20]),
        ({"night/softmax": 20, "night/offsets": [0, 7, 20], "offsets": [0, 5, 20]}, {"scores": "/night/softmax"}, [7, 13]),
        ({"night/probs": 20, "night/offsets": [0, 5, 20]}, {}, None),
        ({"recordings/probs": 20, "recordings/offsets": [0, 5, 20]}, {}, None),
        ({"b/probs": 20, "b/labels": [0] * 20, "a/probs": 5, "a/labels": [1] * 5}, {}, [5, 20]),
        ({"b/probs": 20, "a/probs": 5, "c/other": 3}, {}, None),
        ({"probs/b": 20, "labels/b": [0] * 20, "probs/a": 5, "labels/a": [1] * 5}, {}, [5, 20]),
        ({"b/probs": 20, "a/log_probs": 5}, {}, None),
        ({"a/probs": 20, "b/probs": 20, "b/offsets": [0, 5, 20]}, {}, None),
        ({"softmax": 20, "offsets": [0, 5, 20]}, {}, None),
        ({"softmax": 20, "labels": [0, 1, 2]}, {}, None),
        ({"softmax": 20, "labels": [0] * 20}, {"labels": "labels"}, [20]),
        ({"probs": 20, "recordings/z/log_probs": 7}, {}, [20]),
        ({"recordings/z10/probs": 7, "recordings/z9/probs": 8, "recordings/z9/raw/log_probs": 3}, {}, [8, 7]),
        ({"out/b/p": 4, "out/a/p": 5, "out/offsets": [0, 3]}, {"scores": "/out/{id}/p"}, [5, 4]),
        ({"probs": 20, "x/stage": [0, 1], "stage": [1] * 20}, {"labels": "stage"}, [20]),
    ],
)
def test_places_in_hdf5(program, tmp_path, names, options, lengths):
    """What is found, and what is not, is what the program finds."""
    with h5py().File(tmp_path / "s.h5", "w") as f:
        for name, values in names.items():
            f[name] = np.full((values, 3), 1 / 3) if isinstance(values, int) and "log" not in name else np.full((values, 3), -np.log(3)) if isinstance(values, int) else values
        f.attrs["classes"] = [1, 2]  # something else, called so
    sp.Model(["a", "b", "c"]).save(tmp_path / "m.json")
    words = [w for name, value in options.items() for w in (f"--{name}", value)]
    done = subprocess.run([program, "compare", "s.h5", "--model", "m.json", "--json", "r.json", "-q", *words, "--label-confidence", "0.9"][: None if "labels" in options and "probs" not in names else -2],
                          cwd=tmp_path, capture_output=True, text=True)  # fmt: skip
    assert (done.returncode == 0) == (lengths is not None), done.stderr
    if lengths is None:
        with pytest.raises(sp.FileError, match="scores=|write it, or take the group out of /"):
            sp.read(tmp_path / "s.h5", **options)
    else:
        read = sp.read(tmp_path / "s.h5", **options)
        assert read.lengths.tolist() == lengths and json.loads((tmp_path / "r.json").read_text())["input"]["recordings"] == len(lengths)


def test_without_h5py(tmp_path, monkeypatch):
    (tmp_path / "s.h5").write_bytes(b"\x89HDF\r\n\x1a\n" + b"\0" * 600)
    monkeypatch.setitem(sys.modules, "h5py", None)
    with pytest.raises(sp.FileError, match="s.h5: HDF5 files are read by h5py, which is not installed: pip install h5py"):
        sp.read(tmp_path / "s.h5")
    np.save(tmp_path / "probs.npy", [[0.5, 0.5]])
    assert sp.read(tmp_path / "probs.npy").kind == "probs"


def test_bad_arguments(tmp_path):
    np.save(tmp_path / "probs.npy", [[0.5, 0.5]])
    for options, word in (
        ({"kind": "prob"}, "kind="),
        ({"classes": ["a", "b"], "model": "sleep-aasm"}, "classes="),
        ({"scores": 3}, "scores=3"),
        ({"scores": ""}, "scores="),
        ({"labels": "a\0b"}, "labels="),
        ({"codes": 5}, "codes=5"),
        ({"epoch_seconds": 0}, "epoch_seconds=0"),
        ({"unscored": 7}, "unscored="),
    ):
        with pytest.raises(sp.StatepathError, match=word):
            sp.read(tmp_path / "probs.npy", **options)
    with pytest.raises(sp.StatepathError, match="file"):
        sp.read([])
    with pytest.raises(sp.StatepathError, match="file=3"):
        sp.read([3])
    with pytest.raises(TypeError, match="did you mean lengths"):
        sp.read(tmp_path / "probs.npy", length="n")


# ---- threads, Ctrl-C, memory ----


def test_other_threads_run_meanwhile(tmp_path):
    np.savez_compressed(tmp_path / "large.npz", probs=np.full((3_000_000, 5), 0.2))
    longest, done = 0.0, threading.Event()

    def watch():
        nonlocal longest
        last = time.monotonic()
        while not done.is_set():
            time.sleep(0.001)
            longest, last = max(longest, time.monotonic() - last), time.monotonic()

    thread = threading.Thread(target=watch)
    thread.start()
    start = time.monotonic()
    read = sp.read(tmp_path / "large.npz")
    took = time.monotonic() - start
    done.set()
    thread.join()
    assert read.lengths.tolist() == [3_000_000] and longest < max(0.6 * took, 0.05)


@pytest.mark.parametrize("error", [KeyboardInterrupt, ZeroDivisionError])
def test_it_can_be_stopped(tmp_path, nights, error):
    npz_packed(tmp_path, *nights)

    def progress(what, done, total):
        raise error

    with pytest.raises(error):
        sp.read(tmp_path / "s.npz", progress=progress)


def test_no_leak(tmp_path, nights):
    from test_lifecycle import attempt, leaves_nothing

    npz_packed(tmp_path, *nights)
    hdf5_groups(tmp_path, *nights)
    (tmp_path / "y.txt").write_text("W\n")
    assert leaves_nothing(lambda: sp.read(tmp_path / "s.npz"), 1500)
    assert leaves_nothing(lambda: attempt(lambda: sp.read(tmp_path / "s.npz", labels=tmp_path / "y.txt")), 1500)
    assert leaves_nothing(lambda: sp.read(tmp_path / "s.h5"), 150)
    assert leaves_nothing(lambda: attempt(lambda: sp.read(tmp_path / "s.h5", scores="x")), 150)

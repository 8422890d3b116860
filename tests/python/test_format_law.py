"""The law of formats (tests/support/formats.py) for the package: read() gives the arrays that were
written, whatever the layout and the format; and the same arrays in memory, in every form that is taken,
give what the program gives of the plainest file."""

import json
import os
import shutil
import subprocess
import sys

import numpy as np
import pytest

import statepath as sp

pytest.importorskip("h5py")
pytest.importorskip("statepath._evaluation", reason="built without GSL")
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
import formats  # noqa: E402

if not hasattr(sp._evaluation, "read_files"):
    pytest.skip("built without libdeflate", allow_module_level=True)
MODEL = sp.Model.load("sleep-aasm")
pytestmark = pytest.mark.filterwarnings("ignore::statepath.StatepathWarning")


def recordings_of(c, name):
    """A list of arrays, one a recording, as they must be read."""
    whole = formats.expected(c)[name]
    return np.split(whole, np.cumsum(formats.lengths_of(c))[:-1])


def check(read, c):
    kind = formats.kind_of(c)
    assert read.ids == c.ids and read.kind == kind
    assert read.lengths.tolist() == formats.lengths_of(c).tolist()
    for found, wanted in zip(read.scores, recordings_of(c, kind), strict=True):
        np.testing.assert_array_equal(found, wanted)
    for name, found in (("labels", read.labels), ("weights", read.weights), ("mask", read.mask)):
        assert (found is None) == (name not in c.steps)
        for a, b in zip(found or [], recordings_of(c, name) if name in c.steps else [], strict=True):
            np.testing.assert_array_equal(a, b)
    assert (read.segments is None) == ("segments" not in c.steps)
    for a, b in zip(read.segments or [], recordings_of(c, "segments") if "segments" in c.steps else [],
                    strict=True):
        assert np.array_equal(np.flatnonzero(np.diff(a)), np.flatnonzero(np.diff(b)))
    if "classes" in c.whole:
        assert read.classes == tuple(c.whole["classes"])
    if "subjects" in c.each:
        assert list(read.subjects) == c.each["subjects"].tolist()
    if "epoch_seconds" in c.whole:
        assert read.keys().count("epoch_seconds") and read["epoch_seconds"] == 20


@pytest.mark.parametrize("content", formats.CONTENTS)
def test_read(tmp_path, monkeypatch, content):
    """All of HDF5, which the package reads itself; of the rest, which the library reads, every layout of
    two contents, and of others one."""
    n = 0
    for case in formats.cases():
        is_asked = content in ("labels", "one") or case.layout in ("packed", "rows, lengths", "bare")
        if case.content != content or not (case.format[:2] == "h5" or is_asked):
            continue
        here = tmp_path / "case"
        shutil.rmtree(here, ignore_errors=True)
        here.mkdir()
        given = formats.written(case, here)
        if given:
            files, options = given
            monkeypatch.chdir(here)
            try:
                check(sp.read(files if len(files) > 1 else files[0], model=MODEL, **options),
                      formats.CONTENTS[content])
            except Exception as error:
                raise AssertionError(case) from error
            n += 1
    assert n > 7


def test_labels_alone(tmp_path, monkeypatch):
    """Files of labels: numbers, words, others' codes."""
    for case in formats.cases(formats.LABELS):
        if case.content != "words" and case.format not in ("h5", "npz", "csv"):
            continue
        here = tmp_path / "case"
        shutil.rmtree(here, ignore_errors=True)
        here.mkdir()
        given = formats.written(case, here, formats.LABELS)
        if not given or case.content in ("floats",
                                         "one") or case.layout in ("rows, valid", "rows, attention_mask"):
            continue
        monkeypatch.chdir(here)
        try:
            options = {"codes": "nsrr"} if case.content == "codes" else {}
            read = sp.read(given[0] if len(given[0]) > 1 else given[0][0], model=MODEL, **options)
            assert read.scores is None and read.ids == list(formats.LENGTHS)
            for found, wanted in zip(read.labels, recordings_of(formats.CONTENTS["labels"], "labels"),
                                     strict=True):
                np.testing.assert_array_equal(found, wanted)
        except Exception as error:
            raise AssertionError(case) from error


# ---- arrays in memory ----


def in_memory(c):
    """The forms in which arrays are given: (name, {argument: value} with scores and labels)."""
    ids, kind = c.ids, formats.kind_of(c)
    arrays, L = formats.expected(c), formats.lengths_of(c)
    beside = [name for name in ("segments", "weights") if name in c.steps]
    each = {name: recordings_of(c, name) for name in (kind, "labels", *beside)}
    rows = {name: formats.padded(dict(enumerate(parts)), range(len(ids)), max(L), 0) for name,
            parts in each.items()}

    def given(of, **more):
        return {"scores": of[kind], "labels": of["labels"], **{name: of[name] for name in beside}, **more}

    yield "lists", given(each, ids=ids)
    yield "tuples of lists", given({name: tuple(a.tolist() for a in parts) for name, parts in each.items()},
                                   ids=ids)
    if not beside:
        yield "mappings", given({name: dict(zip(ids, parts, strict=True)) for name, parts in each.items()})
    yield "packed, lengths", given(arrays, lengths=L, ids=ids)
    yield "packed, offsets", given(arrays, offsets=np.append(0, np.cumsum(L)), ids=ids)
    yield "rows, lengths", given(rows, lengths=L, ids=ids)
    yield "rows, mask", given(rows, mask=np.arange(max(L)) < L[:, None], ids=ids)
    yield "not contiguous", given({name: a[::-1].copy()[::-1] for name, a in arrays.items()}, lengths=L,
                                  ids=ids)
    yield "Fortran's order", given({name: np.asfortranarray(a) for name, a in arrays.items()}, lengths=L,
                                   ids=ids)


@pytest.mark.parametrize("content", ["labels", "weights", "double"])
def test_arrays_in_memory(program, tmp_path, content):
    c = formats.CONTENTS[content]
    file, kind = formats.reference(content, tmp_path), formats.kind_of(c)
    done = subprocess.run([program, "compare", file, "-m", "sleep-aasm", "-s", "argmax,viterbi", "--json",
                           "-", "-q"], capture_output=True, check=True)
    theirs = json.loads(done.stdout)["strategies"]
    paths, models = [], []
    for form, given in in_memory(c):
        try:
            report = sp.compare(**given, model=MODEL, strategies=["argmax", "viterbi"], kind=kind)
            assert json.loads(report.to_json())["strategies"] == theirs
            if form == "mappings":  # compare() takes them
                continue
            decoding = {key: value for key, value in given.items() if key not in ("labels", "weights", "ids")}
            found = sp.decode(**decoding, model=MODEL, kind=kind)
            found = [found] if getattr(found, "ndim", 0) == 1 else found
            flat = np.concatenate([np.asarray(path)[np.asarray(path) >= 0] for path in found])
            paths.append(flat.tolist())
            learning = {key: value for key, value in given.items() if key not in ("weights", "ids")}
            models.append(sp.fit(**learning, rules=MODEL, method="counts", tune="none", kind=kind).to_json())
        except Exception as error:
            raise AssertionError(form) from error
    assert all(path == paths[0] for path in paths) and all(one == models[0] for one in models)


# ---- what the package writes ----


def test_written_paths(program, tmp_path):
    """Decoded.save(): read back by read() and by the program, as the program's own paths."""
    c = formats.CONTENTS["numbered"]  # a path has no other name
    file = formats.reference("numbered", tmp_path)
    decoded = sp.decode(**sp.read(file).decoding, model=MODEL, full=True)
    decoded.save(tmp_path / "paths.h5")
    read = sp.read(tmp_path / "paths.h5")
    assert read.scores is None and read.classes == MODEL.classes
    for found, path in zip(read.labels, decoded.paths, strict=True):
        np.testing.assert_array_equal(found, path)
    words = ["evaluate", tmp_path / "paths.h5", "--labels", file, "-m", "sleep-aasm", "--json", "-", "-q"]
    theirs = json.loads(subprocess.run([program, *words], capture_output=True,
                                       check=True).stdout)["strategies"]["viterbi"]
    ours = sp.evaluate(list(decoded.paths), recordings_of(c, "labels"), MODEL).data["strategies"]["path"]
    assert (theirs["confusion"], theirs["transitions"]) == (ours["confusion"], ours["transitions"])

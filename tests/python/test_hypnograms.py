"""Hypnograms in files: each format against labels worked out by hand, what is written against what is read, bad files and arguments."""
import os

import numpy as np
import pytest

import statepath as sp
from statepath import sleep

W, N1, N2, N3, R, U = 0, 1, 2, 3, 4, -1
NIGHT = [W, W, N1, N2, U, N3, R]


def nsrr(*stages, epoch="<EpochLength>30</EpochLength>"):
    events = "".join(
        f"<ScoredEvent><EventType>Stages|Stages</EventType><EventConcept>{name}</EventConcept><Start>{start}</Start><Duration>{seconds}</Duration></ScoredEvent>"
        for name, start, seconds in stages
    )
    return f'<?xml version="1.0"?><PSGAnnotation>{epoch}<ScoredEvents>{events}</ScoredEvents></PSGAnnotation>'


FILES = {
    "night.annot": "class\tinstance\tchannel\tstart\tstop\tmeta\nW\t.\t.\t0\t60\t.\nN1\t.\t.\t60\t90\t.\nN2\t.\t.\t90\t120\t.\nN3\t.\t.\t150\t180\t.\nR\t.\t.\t180\t210\t.\n",
    "night.eannot": "W\nW\nN1\nN2\n?\nN3\nR\n",
    "night.ids": "0,60,W\n60,30,N1\n90,30,N2\n120,30,UNKNOWN\n150,30,N3\n180,30,REM\n",
    "nsrr.xml": nsrr(("Wake|0", 0, 60), ("Stage 1 sleep|1", 60, 30), ("Stage 2 sleep|2", 90, 30), ("Stage 4 sleep|4", 150, 30), ("REM sleep|5", 180, 30)),
    "profusion.xml": "<CMPStudyConfig><EpochLength>30</EpochLength><SleepStages>"
    + "".join(f"<SleepStage>{k}</SleepStage>" for k in (0, 0, 1, 2, 9, 4, 5))
    + "</SleepStages></CMPStudyConfig>",
    "bids.tsv": "onset\tduration\ttrial_type\n0\t60\tSleep stage W\n60\t30\tSleep stage 1\n90\t30\tSleep stage 2\n150\t30\tSleep stage 4\n180\t30\tSleep stage R\n",
    "lines.txt": "W\nWake\nN1\nN2\n-1\nN3\nREM\n",
}


@pytest.mark.parametrize("name", FILES)
def test_formats(tmp_path, name):
    file = tmp_path / name
    file.write_text(FILES[name])
    if name.endswith(".xml") and not reads_xml(tmp_path):
        pytest.skip("the package was built without expat")
    labels = sleep.read_hypnogram(file)
    assert labels.dtype == np.int32 and labels.tolist() == NIGHT and labels.flags.writeable
    full = sleep.read_hypnogram(os.fsencode(file), full=True)
    assert full.labels.tolist() == NIGHT and full.classes == sleep.STAGES and full.epoch_seconds == 30
    assert full.names()[3:6] == ["N2", None, "N3"]


def reads_xml(folder):
    file = folder / "probe.xml"
    file.write_text(FILES["profusion.xml"])
    try:
        return len(sleep.read_hypnogram(file)) > 0
    except sp.FileError as error:
        assert "without expat" in str(error)
        return False


@pytest.mark.parametrize("ending", ["annot", "eannot", "ids", "edf"])
def test_what_is_written_is_read(tmp_path, ending):
    rng = np.random.default_rng(5)
    for n in (1, 2, 700, 3000):
        path = np.repeat(rng.integers(-1, 5, n), rng.integers(1, 9, n)).astype(np.int32)
        path[-1] = max(path[-1], 0)  # a recording ends with its last event
        file = tmp_path / f"night.{ending}"
        sleep.write_hypnogram(file, path, epoch_seconds=20, force=True)
        assert np.array_equal(sleep.read_hypnogram(file, epoch_seconds=20), path)
        model = sp.Model.load("sleep-aasm")
        night = sleep.read_hypnogram(file, epoch_seconds=20, model=model, full=True)
        again = tmp_path / f"again.{ending}"
        sleep.write_hypnogram(again, night, force=True)
        assert again.read_bytes() == file.read_bytes()
        sleep.write_hypnogram(again, night.names(), epoch_seconds=20, force=True)
        assert again.read_bytes() == file.read_bytes()


def test_other_classes_and_decoded(tmp_path):
    model = sp.Model(["REM", "Wake", "N3", "N2", "N1"], np.ones((5, 5), bool), name="reversed")
    probs = np.eye(5)[[1, 4, 3, 2, 0]]
    decoded = sp.decode(probs, model, full=True)
    file = tmp_path / "night.ids"
    sleep.write_hypnogram(file, decoded)
    assert file.read_text() == "0,30,W\n30,30,N1\n60,30,N2\n90,30,N3\n120,30,REM\n"
    assert sleep.read_hypnogram(file).tolist() == [0, 1, 2, 3, 4]
    assert sleep.read_hypnogram(file, model=model).tolist() == [1, 4, 3, 2, 0]
    many = sp.decode([probs, probs], model, full=True)
    with pytest.raises(sp.StatepathError, match="2 recordings were decoded"):
        sleep.write_hypnogram(tmp_path / "two.ids", many)
    sleep.write_hypnogram(tmp_path / "door.annot", [0, 1], classes=["open", "closed"], epoch_seconds=0.5)
    assert (tmp_path / "door.annot").read_text().splitlines()[2].split("\t")[::3] == ["closed", "0.5"]


def test_codes(tmp_path):
    file = tmp_path / "numbers.txt"
    file.write_text("0\n5\n9\n")
    assert sleep.read_hypnogram(file, codes="nsrr").tolist() == [0, 4, -1]
    assert sleep.read_hypnogram(file, map={0: "N1", 5: "W", 9: None}).tolist() == [1, 0, -1]
    assert sleep.read_hypnogram(file, map="0=N1,5=W,9=unscored").tolist() == [1, 0, -1]
    assert sleep.read_hypnogram(file, codes="nsrr", map={5: "N1"}).tolist() == [0, 1, -1]
    for how, said in [
        ({"codes": "nsr"}, "nsr"),
        ({"codes": 7}, "codes=7"),
        ({"codes": {0: "Wake"}}, "codes="),
        ({"codes": b"utime"}, "codes="),
        ({"codes": "a\0b"}, "codes="),
        ({"map": {0: "N7"}}, "map=: 0: model sleep-aasm has no class N7"),
        ({"map": {}}, "map="),
        ({"map": 7}, "map=7"),
        ({"map": "0"}, "map="),
        ({"map": {0: "Wake"}}, "5"),
    ]:
        with pytest.raises(sp.StatepathError, match=said) as error:
            sleep.read_hypnogram(file, **how)
        assert "`" not in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("absent.ids", None, "absent.ids: cannot be opened: No such file"),
        ("night.ids", "0,60,W\n30,60,N1\n", "overlap"),
        ("night.ids", "0,60,banana\n", 'line 1: label "banana" is no code of utime.*map="banana=Wake"'),
        ("night.tsv", "onset\tduration\tdescription\n0\t60\tbanana\n", 'none of its 1 events is a stage.*map="TEXT=CLASS"'),
        ("night.edf", b"0       " + b"x" * 300, "night.edf"),
        ("night.bin", b"\x00\x01\x02", "is no hypnogram that is known"),
        ("night.txt", "W\nbanana\n", "line 2.*banana"),
        ("night.csv", "recording,step,label\na,0,W\nb,0,W\n", "holds 2 recordings"),
        ("night.ids", "", "is no hypnogram|holds no"),
        ("folder", ..., "folder"),
    ],
)
def test_bad_files(tmp_path, name, content, said):
    file = tmp_path / name
    if content is ...:
        file.mkdir()
    elif content is not None:
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(sp.StatepathError, match=said) as error:
        sleep.read_hypnogram(file)
    assert "`" not in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize("file", [None, 3, object(), "a\0b", [], 1.5])
def test_bad_names(file):
    for call in (lambda: sleep.read_hypnogram(file), lambda: sleep.write_hypnogram(file, [0])):
        with pytest.raises(sp.StatepathError, match="file="):
            call()


@pytest.mark.parametrize(
    ("path", "options", "said"),
    [
        ([0, 5], {}, "step 1: 5 is none of the 5 classes"),
        ([0, -2], {}, "step 1: -2 is none"),
        ([[0, 1]], {}, r"shape \(1, 2\): one recording is \[T\]"),
        ([0.5], {}, "whole numbers"),
        ([np.inf], {}, "whole numbers"),
        ("W", {}, r"one recording is \[T\]"),
        (None, {}, r"one recording is \[T\]"),
        (["W", "banana"], {}, "banana.*none of the 5 classes"),
        ([0, 1j], {}, "whole numbers"),
        (np.ma.masked_array([0, 1], [False, True]), {}, "masked"),
        ([0], {"epoch_seconds": 0}, "above 0"),
        ([0], {"epoch_seconds": float("nan")}, "above 0"),
        ([0], {"epoch_seconds": "x"}, "number of seconds"),
        ([0], {"classes": "Wake"}, "sequence of names"),
        ([0], {"classes": ["a\tb"]}, "letter that parts fields"),
        ([0], {"classes": ["a\0b"]}, "NUL"),
        ([0], {"classes": 7}, "sequence of names"),
    ],
)
def test_bad_paths(tmp_path, path, options, said):
    with pytest.raises(sp.StatepathError, match=said) as error:
        sleep.write_hypnogram(tmp_path / "night.annot", path, **options)
    assert not os.listdir(tmp_path) and "\n" not in str(error.value)


def test_bad_targets(tmp_path):
    file = tmp_path / "night.ids"
    sleep.write_hypnogram(file, [0])
    with pytest.raises(sp.FileError, match="force"):
        sleep.write_hypnogram(file, [1])
    assert file.read_text() == "0,30,W\n"
    with pytest.raises(sp.StatepathError, match="are written as .annot, .eannot, .ids or .edf"):
        sleep.write_hypnogram(tmp_path / "night.xml", [0])
    with pytest.raises(sp.FileError, match="nowhere"):
        sleep.write_hypnogram(tmp_path / "nowhere" / "night.ids", [0])
    for wrong in (float("inf"), -1, "x"):
        with pytest.raises(sp.StatepathError, match="epoch_seconds="):
            sleep.read_hypnogram(file, epoch_seconds=wrong)
    with pytest.raises(sp.StatepathError, match="model"):
        sleep.read_hypnogram(file, model=3)


def test_codes_of_annotations(tmp_path):
    """By a coding, annotations are what the same events are in a file."""
    from types import SimpleNamespace

    words = ["Sleep stage W", "1", "2", "3", "4", "5", "snoring", "9", "W", "6"]
    night = SimpleNamespace(onset=[30.0 * t for t in range(len(words))], duration=[30.0] * len(words), description=words)
    rows = "".join(f"{30 * t}\t30\t{word}\n" for t, word in enumerate(words))
    (tmp_path / "events.tsv").write_text("onset\tduration\ttrial_type\n" + rows)
    for codes, more in (("rk", None), ("utime", None), ("rk", {"5": "N1"}), (None, {"1": "REM", "9": None, "W": "Wake"})):
        try:
            expected = sleep.read_hypnogram(tmp_path / "events.tsv", codes=codes, map=more)
        except sp.StatepathError:
            expected = None
        if expected is None:
            with pytest.raises(sp.StatepathError, match="map="):
                sleep.from_annotations(night, codes=codes, map=more)
        else:
            assert sleep.from_annotations(night, codes=codes, map=more, n_steps=len(expected)).tolist() == expected.tolist()
    with pytest.raises(sp.StatepathError, match="rl"):
        sleep.from_annotations(night, codes="rl")
    with pytest.raises(sp.StatepathError, match="codes=3"):
        sleep.from_annotations(night, codes=3)
    night.description = ["Sleep stage Z"] * len(words)
    with pytest.raises(sp.StatepathError, match='"Sleep stage Z" means no stage'):
        sleep.from_annotations(night, codes="rk")

"""statepath.video against a plain transcription of the definitions."""
import math

import numpy as np
import pytest

import statepath as sp
from statepath import video


def segments(frames, background):
    out, start = [], 0
    for t in range(1, len(frames) + 1):
        if t == len(frames) or frames[t] != frames[start]:
            if frames[start] not in background:
                out.append((frames[start], start, t))
            start = t
    return out


def counts(path, truth, threshold, background):
    ours, theirs = segments(path, background), segments(truth, background)
    taken, right = [False] * len(theirs), 0
    for k, a, b in ours:
        overlap = [(min(b, d) - max(a, c)) / (max(b, d) - min(a, c)) if k == other else 0 for other, c, d in theirs]
        best = int(np.argmax(overlap)) if overlap else -1
        if best >= 0 and overlap[best] >= threshold and not taken[best]:
            taken[best] = True
            right += 1
    return right, len(ours), len(theirs)


def edit(path, truth, background):
    a, b = [s[0] for s in segments(path, background)], [s[0] for s in segments(truth, background)]
    row = list(range(len(b) + 1))
    for i, x in enumerate(a):
        before, row[0] = row[:], i + 1
        for j, y in enumerate(b):
            row[j + 1] = min(before[j + 1] + 1, row[j] + 1, before[j] + (x != y))
    return 1 - row[-1] / max(len(a), len(b), 1)


def test_numbers_and_names_agree():
    truth, path = [0, 0, 1, 1, 2, 2, 2], [0, 1, 1, 1, 2, 0, 2]
    names = ["background", "cut", "mix"]
    assert video.segment_scores([path], [truth], background=[0]) == video.segment_scores([[names[k] for k in path]], [[names[k] for k in truth]])


def test_faults(tmp_path):
    with pytest.raises(sp.StatepathError, match="not of the same videos: b is in one of them only"):
        video.segment_scores({"a": [0]}, {"a": [0], "b": [1]})
    with pytest.raises(sp.StatepathError, match="there is no video"):
        video.segment_scores([], [])
    assert math.isnan(video.segment_scores([["background"] * 3], [["background"] * 3])["F1@50"])
    (tmp_path / "v1.txt").write_text("a\nb\n")
    (tmp_path / "v2.txt").write_text("b\n")
    assert video.read_labels(tmp_path, ["v2.txt"]) == {"v2": ["b"]}
    assert list(video.read_labels(tmp_path)) == ["v1", "v2"]


@pytest.mark.parametrize("background", [(), ("background",), ["background", "pour"]])
def test_random_videos(background):
    """Video by video against the transcription above, and pooled."""
    rng = np.random.default_rng(4)
    names = np.array(["background", "cut", "mix", "pour"])
    truth = [names[np.repeat(rng.integers(0, 4, 9), rng.integers(1, 9, 9))] for _ in range(20)]
    paths = [np.where(rng.random(len(v)) < 0.2, names[rng.integers(0, 4, len(v))], v) for v in truth]
    pooled = video.segment_scores(paths, truth, background=background)
    assert pooled["edit"] == pytest.approx(100 * np.mean([edit(p, v, background) for p, v in zip(paths, truth)]))
    assert pooled["accuracy"] == pytest.approx(100 * np.mean(np.concatenate(paths) == np.concatenate(truth)))
    for percent in (10, 25, 50):
        found = [video.f_score(p.tolist(), v, percent / 100, background) for p, v in zip(paths, truth)]
        for got, p, v in zip(found, paths, truth):
            right, ours, theirs = counts(p, v, percent / 100, background)
            assert got == (right, ours - right, theirs - right) and all(type(n) is float for n in got)
        tp, fp, fn = np.sum(found, 0)
        assert pooled["F1@%d" % percent] == pytest.approx(200 * tp / (2 * tp + fp + fn))
    for p, v in zip(paths, truth):
        assert video.edit_score(p, v.tolist(), bg_class=background) == pytest.approx(100 * edit(p, v, background))
        longest = max(len(segments(p, background)), len(segments(v, background)))
        assert video.edit_score(p, v, False, background) == pytest.approx((1 - edit(p, v, background)) * longest)


def test_one_video_without_segments():
    only = ["background"] * 3
    assert math.isnan(video.edit_score(only, only)) and video.edit_score(only, only, norm=False) == 0 and video.edit_score(only, ["a"]) == 0
    assert video.f_score(["a"], only, 0.5) == (0, 1, 0) and video.f_score(only, ["a"], 0.5) == (0, 0, 1) and video.f_score([], [], 0.1) == (0, 0, 0)
    for call, word in ((lambda: video.edit_score("abc", ["a"]), "recognized"), (lambda: video.edit_score(["a"], 3), "ground_truth"),
                       (lambda: video.edit_score(["a"], ["a"], bg_class="background"), "bg_class="), (lambda: video.f_score([["a"]], ["a"], 0.5), "shape"),
                       (lambda: video.f_score(["a"], ["a"], 0), "overlap=0"), (lambda: video.f_score(["a"], ["a"], "x"), "overlap='x'"),
                       (lambda: video.f_score(["a"], ["a"], float("nan")), "overlap=nan")):  # fmt: skip
        with pytest.raises(sp.StatepathError, match=word):
            call()


def test_predictions(tmp_path):
    results, mapping = tmp_path / "split_1", tmp_path / "mapping.txt"
    (results / "folder").mkdir(parents=True)
    with pytest.raises(sp.FileError, match="no file of results"):
        video.read_predictions(results)
    (results / "v1").write_bytes(b"### Frame level recognition: ###\r\ncut cut  mix\r\n")
    (results / "v2.txt").write_text("### Frame level recognition: ###\nmix")
    (results / "v3.txt").write_text("cut\n\nmix\n")
    (results / "notes").write_text("of nothing")
    (results / "v1.npy").write_bytes(b"\0")
    named = {"v1": ["cut", "cut", "mix"], "v2": ["mix"], "v3": ["cut", "mix"]}
    assert video.read_predictions(results) == named
    mapping.write_text("0 mix\n1 cut\n")
    expected = {"v1": [1, 1, 0], "v2": [0], "v3": [1, 0]}
    for given in (mapping, str(mapping), sp.Model.load(mapping), {"mix": 0, "cut": 1}):
        found = video.read_predictions(results, given)
        assert {name: path.tolist() for name, path in found.items()} == expected and found["v1"].dtype == np.int32
    assert video.segment_scores(video.read_predictions(results), named)["F1@50"] == 100
    with pytest.raises(sp.StatepathError, match='v1: frame 2: "mix" is none'):
        video.read_predictions(results, {"cut": 0})
    with pytest.raises(sp.StatepathError, match="mapping=3"):
        video.read_predictions(results, 3)
    (results / "v1.txt").write_text("cut\n")
    with pytest.raises(sp.FileError, match="second file of video v1"):
        video.read_predictions(results)
    for call in (video.read_predictions, video.read_labels):
        with pytest.raises(sp.FileError, match="cannot be read"):
            call(tmp_path / "nowhere")
    with pytest.raises(sp.FileError, match="cannot be read"):
        video.read_labels(results, ["v9"])

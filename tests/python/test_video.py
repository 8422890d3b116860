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


@pytest.mark.parametrize("background", [(), ("background",), ("background", "pour")])
def test_random_videos(background):
    rng = np.random.default_rng(3)
    names = np.array(["background", "cut", "mix", "pour"])
    for _ in range(20):
        truth = [names[np.repeat(rng.integers(0, 4, 12), rng.integers(1, 9, 12))] for _ in range(4)]
        paths = [np.where(rng.random(len(v)) < 0.2, names[rng.integers(0, 4, len(v))], v) for v in truth]
        got = video.segment_scores(paths, truth, background=background)
        for percent in (10, 25, 50):
            right, ours, theirs = np.sum([counts(p, v, percent / 100, background) for p, v in zip(paths, truth)], 0)
            assert got["F1@%d" % percent] == pytest.approx(200 * right / (ours + theirs))
        assert got["edit"] == pytest.approx(100 * np.mean([edit(p, v, background) for p, v in zip(paths, truth)]))
        assert got["accuracy"] == pytest.approx(100 * np.mean(np.concatenate(paths) == np.concatenate(truth)))


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

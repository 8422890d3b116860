"""Reads FOLDER/paths.h5, written by tests/unit/io/test_paths_file.c, with h5py, and compares with what that test wrote."""
import sys

try:
    import h5py
    import numpy as np
except ImportError:
    sys.exit(77)

lengths, n_classes = [3, 0, 5, 2], 5
steps = np.arange(sum(lengths))
with h5py.File(sys.argv[1] + "/paths.h5", "r") as f:
    assert sorted(f) == ["broken", "broken_steps", "classes", "confidence", "ids", "labels", "margins", "nbest", "offsets", "path_scores", "paths",
                         "segments", "status"], sorted(f)
    assert f["offsets"].dtype == "<i8" and f["offsets"][()].tolist() == [0, 3, 3, 8, 10]
    assert f["ids"].asstr()[()].tolist() == ["night 1", "night 2", "Nächte", "n4"]
    text = h5py.check_string_dtype(f["ids"].dtype)
    assert text.encoding == "utf-8" and text.length is None
    assert f["classes"].asstr()[()].tolist() == ["W", "N1", "N2", "N3", "R"]
    for i, name in enumerate(["viterbi", "argmax"]):
        path = (3 * steps + i) % n_classes
        score = np.arange(4) * -1.25 - i
        status = np.zeros(4)
        if name == "viterbi":
            path[3:8], score[2], status[2], status[1] = -1, -np.inf, 1, 2
        data = f["paths"][name]
        assert data.dtype == "<i2" and data.chunks is None and data[()].tolist() == path.tolist(), data[()]
        assert f["path_scores"][name].dtype == "<f8" and f["path_scores"][name][()].tolist() == score.tolist()
        assert f["status"][name].dtype == "u1" and f["status"][name][()].tolist() == status.tolist()
        assert list(f["status"][name].attrs["names"]) == ["ok", "no_path", "dead_end", "bug"]
        assert f["broken"][name].dtype == "<i8" and f["broken"][name][()].tolist() == [0, 1, 2, 3]
        wanted = [t % 2 if name == "viterbi" else 0 for t in steps]
        assert f["broken_steps"][name].dtype == "u1" and f["broken_steps"][name][()].tolist() == wanted
    assert f["labels"].dtype == "<i2" and f["labels"][()].tolist() == (steps % 6 - 1).tolist()
    assert f["segments"].dtype == "<i8" and f["segments"][()].tolist() == (steps // 4 + 2 ** 40).tolist()
    for name in ("confidence/viterbi", "confidence/argmax", "margins/viterbi"):
        assert f[name].dtype == "<f4" and f[name][()].tolist() == (steps / 16).tolist()
    assert f["nbest/scores"].dtype == "<f8" and f["nbest/scores"][()].tolist() == [[0, 1, 2, 3], [100, 101, 102, 103]]
    assert f["nbest/more"].dtype == "<i4" and f["nbest/more"][()].tolist() == [[[i, r, 7] for r in range(4)] for i in range(2)]
    attrs = dict(f.attrs)
    assert attrs["statepath_version"] == sys.argv[2], attrs["statepath_version"]
    assert attrs["command"] == "statepath decode a.h5" and attrs["input"] == "somewhere/ä.h5" and attrs["input_size"] == 12345
    assert list(attrs["strategies"]) == ["viterbi", "argmax"]
    assert len(attrs["model"]) == 200000 and set(attrs["model"]) == {"x"}

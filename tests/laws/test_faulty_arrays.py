"""Faulty .npy and .npz, their bytes too, and files of other kinds: each gets one sentence that says what,
where, and what to do.

Rows as in tests/support/faulty.py.
"""
import pickle

import statepath_test as st
from faulty import COMPARE, DEFLATED, INSPECT, NPY, NPZ, P5, TestFaulty, put, saved, spoiled, zipped
from statepath_test import np

SAFETENSORS = bytes([60] + [0] * 7) + b'{"logits":{"dtype":"F32","shape":[1,1],"data_offsets":[0,4]}}'
ROWS = [
    # ---- .npy: shapes and types
    ("turned.npy", P5.T, COMPARE,
     "THIS: has shape [5, 30], and its columns are probabilities, not its rows: it is [classes, steps]; "
     "--transpose reads it so"),
    ("turned_logits.npy", np.zeros((5, 30)), "compare THIS -m sleep-aasm --kind logits",
     "THIS has 5 steps of 30 classes, model sleep-aasm has 5 classes: where it is [classes, steps], "
     "--transpose reads it so"),
    ("rank1.npy", P5[:, 0], COMPARE,
     "THIS: has shape [30], but must have [steps, classes] or [recordings, steps, classes]; reshape it, "
     "or name another array"),
    ("rank5.npy", np.zeros((2, 2, 2, 2, 2)), COMPARE,
     "THIS: has more than 4 dimensions; scores are [steps, classes]"),
    ("number.npy", np.float64(3), COMPARE,
     "THIS: has shape [], but must have [steps, classes] or [recordings, steps, classes]; reshape it, or "
     "name another array"),
    ("fortran.npy", np.asfortranarray(P5.reshape(3, 10, 5)), COMPARE,
     "THIS: has three dimensions in Fortran's order; write it again with numpy.ascontiguousarray"),
    ("turned_rows.npy", P5.reshape(3, 10, 5), "compare THIS -m sleep-aasm --transpose",
     "THIS: has shape [3, 10, 5]; --transpose is for arrays [classes, steps]; where the scores are "
     "[recordings, classes, steps], write them again with .swapaxes(1, 2)", 2),
    ("no_classes.npy", np.zeros((3, 0)), COMPARE,
     "THIS: has shape [3, 0]: its last axis, the classes, must have at least one"),
    ("unnamed.npy", P5 * 7, COMPARE,
     "THIS: no name says what it holds, and the first row sums to 7: all rows do: counts? "
     "write x / x.sum(-1, keepdims=True) instead (numpy)"),
    ("labels.npy", np.arange(30) % 5, COMPARE,
     "THIS holds decided classes and no scores; --label-confidence P says how often they are right, or a "
     'model with a "labeller", which `statepath fit` learns from them and --labels REFERENCE, does'),
    ("one_hot.npy", np.eye(5, dtype=int)[np.arange(20) % 5], COMPARE,
     "THIS: holds int64, but scores must be float16, float32 or float64; write it again with "
     ".astype('float32'), or where it is one-hot with .argmax(1), which are labels"),
    ("bytes.npy", np.zeros((30, 5), "u1"), COMPARE,
     "THIS: holds uint8, but scores must be float16, float32 or float64; write it again with "
     ".astype('float32'), or where it is one-hot with .argmax(1), which are labels"),
    ("flags.npy", np.eye(5)[np.arange(20) % 5] > 0, COMPARE,
     "THIS: holds bool, but scores must be float16, float32 or float64; write it again with "
     ".astype('float32'), or where it is one-hot with .argmax(1), which are labels"),
    ("named.npy", P5, "compare THIS -m sleep-aasm --scores probs",
     "THIS: is one array without names, so --scores probs finds nothing in it", 2),
    ("header.npy", P5, "compare THIS -m sleep-aasm --header yes",
     "--header speaks of tables of scores in text, and THIS is of another format", 2),
    ("scores.npy", P5, "evaluate THIS -m sleep-aasm",
     "THIS: holds float64 [30, 5], scores by their shape; a class is the number of a class, one a step"),
    ("nan.npy", np.where(np.arange(150).reshape(30, 5) == 37, np.nan, P5), COMPARE,
     "THIS: recording nan, step 7, class 2: NaN; --missing uniform treats such steps as saying nothing"),
    ("complex.npy", P5.astype("c16"), COMPARE,
     "THIS: holds values of numpy's type '<c16', which are not read; write it again with "
     ".astype('float32'), labels with .astype('int64')"),
    ("long.npy", P5.astype("g"), COMPARE,
     "THIS: holds values of numpy's type '<f16', which are not read; write it again with "
     ".astype('float32'), labels with .astype('int64')"),
    ("objects.npy", np.array([[1.0], None], object), COMPARE,
     "THIS: holds Python objects, which are not read; write it again with .astype('float32'), labels "
     "with .astype('int64'), texts with .astype(str)"),
    ("fields.npy", np.zeros(3, [("a", "f4"), ("b", "f4")]), COMPARE,
     "THIS: is an array of records with fields; write each field as an array of its own, with "
     "numpy.savez"),
    ("words.npy", np.array(["Wake", "N1"]), COMPARE,
     "THIS holds decided classes and no scores; --label-confidence P says how often they are right, or a "
     'model with a "labeller", which `statepath fit` learns from them and --labels REFERENCE, does'),
    ("bad_word.npy", np.array(["N1", "X"]), "evaluate THIS -m sleep-aasm",
     'THIS, recording bad_word, step 1: label "X" is no class; write one of Wake, N1, N2, N3, REM, or '
     "nothing for an unscored step; --codes or --map reads the words of others"),
    ("too_high.npy", np.array([0, 1, 5]), "evaluate THIS -m sleep-aasm",
     "recording too_high, step 2: the class chosen by too_high is 5, but the 5 classes are 0 to 4, and "
     "-1 stands for none"),
    ("below.npy", np.array([0, -2, 1]), "evaluate THIS -m sleep-aasm",
     "THIS, recording below, step 1: class -2 is not the number of a class; undecoded steps are -1"),
    ("fit.npy", np.array([0, 5]), "fit THIS --rules sleep-permissive -o f.json",
     "THIS: recording fit has label 5, but the rules have classes 0..4; --codes or --map reads others' "
     "numbers"),
    # ---- .npy: bytes
    ("cut.npy", NPY[:-1], COMPARE,
     "THIS: its header speaks of float64 [30, 5], 1200 bytes, but 1199 bytes follow it: it was cut "
     "short; write or copy it again"),
    ("longer.npy", NPY + b"x", COMPARE,
     "THIS: its header speaks of float64 [30, 5], 1200 bytes, but 1201 bytes follow it: it holds more "
     "than one array, or was appended to; write one array a file, or use numpy.savez"),
    ("head.npy", NPY[:50], COMPARE,
     "THIS: numpy's header is damaged or cut short (the file has 50 bytes); write it again with "
     "numpy.save"),
    ("magic.npy", NPY[:8], COMPARE,
     "THIS: numpy's header is damaged or cut short (the file has 8 bytes); write it again with "
     "numpy.save"),
    ("version.npy", NPY[:6] + b"\x07" + NPY[7:], COMPARE,
     "THIS: numpy's header is damaged or cut short (the file has 1328 bytes); write it again with "
     "numpy.save"),
    ("descr.npy", NPY.replace(b"'descr'", b"'descx'"), COMPARE,
     "THIS: byte 19: descr, fortran_order or shape should stand in numpy's header; the file is damaged: "
     "write it again with numpy.save"),
    ("shape.npy", NPY.replace(b"(30, 5)", b"(30; 5)"), COMPARE,
     "THIS: byte 63: a comma or the end of the shape should stand in numpy's header; the file is "
     "damaged: write it again with numpy.save"),
    ("order.npy", NPY.replace(b"False", b"Maybe"), COMPARE,
     "THIS: byte 44: True or False should stand in numpy's header; the file is damaged: write it again "
     "with numpy.save"),
    ("end.npy", NPY.replace(b"(30, 5), }", b"(30, 5),  "), COMPARE,
     "THIS: byte 128: a text between quotes should stand in numpy's header; the file is damaged: write "
     "it again with numpy.save"),
    ("huge.npy", NPY.replace(b"(30, 5), }         ", b"(9999999999, 5), }"), COMPARE,
     "THIS: its header speaks of float64 [9999999999, 5], 399999999960 bytes, but 1199 bytes follow it: "
     "it was cut short; write or copy it again"),
    ("empty.npy", b"", COMPARE, "THIS: is empty; write it again"),
    ("text.npy", b"these are words\n", COMPARE,
     "THIS: looks like a text file, which is not read; labels, one a line, are read where a model names "
     "their classes (--model or --rules M) and the name ends in .txt, .csv, .tsv, .hyp or .eannot; "
     "scores are a table with a column a class"),
    # ---- .npz
    ("none.npz", {"x": np.zeros(3), "y": np.zeros((2, 2), "i4")}, COMPARE,
     "THIS: has no array log_probs, probs, logits or scores, nor one array of floats [steps, classes]; "
     "say where the scores are with --scores NAME; it holds x float64 [3], y int32 [2, 2]"),
    ("no_array.npz", {"x": np.zeros(3), "y": np.zeros((2, 2), "i4")},
     "compare THIS -m sleep-aasm --scores z",
     "THIS: there is no array z; it holds x float64 [3], y int32 [2, 2]"),
    ("no_pattern.npz", {"x": np.zeros(3), "y": np.zeros((2, 2), "i4")},
     "compare THIS -m sleep-aasm --scores n{id}",
     "THIS: no array is called n{id}; it holds x float64 [3], y int32 [2, 2]"),
    ("labels_shape.npz", {"probs": P5, "labels": np.zeros(29, int)}, COMPARE,
     "THIS: array labels: has shape [29], but must have shape [30] to go with the scores; write one for "
     "each step, or name another array"),
    ("labels_one_hot.npz", {"probs": P5, "labels": np.eye(5)[np.arange(30) % 5]}, COMPARE,
     "THIS: array labels: has shape [30, 5], but must have shape [30] to go with the scores; where it is "
     "one-hot write the index of the class (argmax over the last axis)"),
    ("labels_turned.npz", {"probs": P5.T[:, :7], "labels": np.zeros(7, int)}, INSPECT,
     "THIS: array labels: has shape [7], but must have shape [5] to go with the scores; where the scores "
     "are [classes, steps], --transpose reads them so"),
    ("labels_flags.npz", {"probs": P5, "labels": np.arange(30) > 9}, COMPARE,
     "THIS: array labels: holds bool: true and false name no class; write the number of the class, or "
     "its name, for each step"),
    ("labels_high.npz", {"probs": P5, "labels": np.where(np.arange(30) == 20, 7, 0), "offsets": [0, 10,
     15, 30]},
     COMPARE,
     "THIS: array labels, recording 2, step 5: label 7 is not one of the 5 classes 0..4; unscored steps "
     "are -1, and --codes or --map reads others' numbers"),
    ("labels_minus_100.npz", {"probs": P5, "labels": np.where(np.arange(30) == 20, -100, 0)}, COMPARE,
     "THIS: array labels, recording labels_minus_100, step 20: label -100 is not one of the 5 classes "
     "0..4; unscored steps are -1, and -100 with --unscored -100"),
    ("labels_word.npz", {"probs": P5, "labels": np.where(np.arange(30) == 9, "Quark", "N2")}, COMPARE,
     'THIS: array labels, recording labels_word, step 9: label "Quark" is no class; write one of Wake, '
     "N1, N2, N3, REM, or nothing for an unscored step; --codes or --map reads the words of others"),
    ("trim.npz", {"probs": P5, "labels": np.zeros(30, int)},
     "compare THIS -m sleep-aasm --trim-to-shortest",
     "--trim-to-shortest needs --labels FILE: labels beside scores or paths are as long as these", 2),
    ("offsets_down.npz", {"probs": P5, "offsets": [0, 3, 2, 30]}, COMPARE,
     "THIS: array offsets: goes down from 3 to 2 at value 2; it must ascend from 0 to 30"),
    ("offsets_short.npz", {"probs": P5, "offsets": [0, 29]}, COMPARE,
     "THIS: array offsets: goes from 0 to 29, but array probs has 30 steps; it must begin with 0 and end "
     "with 30 (one value more than there are recordings)"),
    ("ids_twice.npz", {"probs": P5, "offsets": [0, 7, 30], "ids": ["a", "a"]}, COMPARE,
     "THIS: array ids: recordings 0 and 1 are both called 'a'; give each its own id"),
    ("ids_objects.npz", {"probs": P5, "ids": np.array(["a", None], object)}, COMPARE,
     "THIS: array ids: holds Python objects, which are not read; write it again with .astype('float32'), "
     "labels with .astype('int64'), texts with .astype(str)"),
    ("lengths_missing.npz", {"probs": np.zeros((2, 3, 5))}, COMPARE,
     "THIS: array probs: has shape [2, 3, 5], one row a recording, but nothing says how long each is; "
     "write an array lengths [2] beside it (all 3 when nothing is padded), or name it with --lengths"),
    ("valid_hole.npz", {"probs": P5, "valid": np.arange(30) != 2}, COMPARE,
     "THIS: array valid has a hole: step 2 of recording valid_hole takes no part, and a later one does; "
     "--gaps join makes its neighbours adjacent, --gaps break begins a new segment after it"),
    ("valid_beyond.npz", {"probs": P5.reshape(3, 10, 5), "valid": np.ones((3, 10), bool), "lengths": [10,
     7, 3]},
     COMPARE,
     "THIS: array valid, recording 1: step 7 takes part, but the lengths say that it has 7 steps; leave "
     "one of both out"),
    ("holes.npz", {"probs": P5.reshape(3, 10, 5), "labels": np.where(np.arange(30) % 10 == 2, -100,
     0).reshape(3, 10)},
     COMPARE,
     "THIS: array labels has a hole: step 2 of recording 0 takes no part (-100), and a later one does; "
     "--gaps join makes its neighbours adjacent, --gaps break begins a new segment after it"),
    ("minus.npz", {"logits": np.log(P5).reshape(3, 10, 5), "labels": np.where(np.arange(30) % 10 > 7, -1,
     0).reshape(3, 10)},
     COMPARE,
     "THIS: array logits: has shape [3, 10, 5], one row a recording, but nothing says how long each is; "
     "write an array lengths [3] beside it (all 10 when nothing is padded), or name it with --lengths"),
    ("minus_7.npz", {"probs": P5.reshape(3, 10, 5), "labels": np.where(np.arange(30) % 10 > 7, -100,
     -7).reshape(3, 10)},
     COMPARE,
     "THIS: array labels, recording 0, step 0: label -7 is not one of the 5 classes 0..4; unscored steps "
     "are -1, and --codes or --map reads others' numbers"),
    ("swapped.npz", {"probs": P5.reshape(3, 10, 5).swapaxes(1, 2), "lengths": [10, 7, 3]}, COMPARE,
     "THIS: array lengths, recording 0: length 10, but array probs has room for 0 to 5 steps; where the "
     "scores are [recordings, classes, steps], write them again with .swapaxes(1, 2)"),
    ("swapped_labels.npz", {"probs": P5.reshape(3, 10, 5).swapaxes(1, 2), "labels": np.zeros((3, 10),
     int), "lengths": [5] * 3},
     COMPARE,
     "THIS: array labels: has shape [3, 10], but must have shape [3, 5] to go with the scores; where the "
     "scores are [recordings, classes, steps], write them again with .swapaxes(1, 2)"),
    ("swapped_turned.npz", {"probs": P5.reshape(3, 10, 5).swapaxes(1, 2), "valid": np.ones((3, 10))},
     "compare THIS -m sleep-aasm --transpose",
     "THIS: array probs: has shape [3, 5, 10]; --transpose is for arrays [classes, steps]; where the "
     "scores are [recordings, classes, steps], write them again with .swapaxes(1, 2)", 2),
    ("classes_count.npz", {"probs": P5, "classes": ["Wake", "N1", "N2", "N3"]}, COMPARE,
     "THIS: array classes names 4 classes, but array probs has 5 columns; write one name for each "
     "column"),
    ("logits_none.npz", {"logits": P5}, COMPARE,
     "THIS: array logits is called logits, and its rows are probabilities: they lie in 0 to 1 and sum to "
     "1; --kind probs reads them so, or --kind logits applies the softmax to them as they are"),
    ("logits_percent.npz", {"logits": 100 * P5}, COMPARE,
     "THIS: array logits is called logits, and its rows are per cent: they lie in 0 to 100 and sum to "
     "100; divide them by 100 and call them probs, or --kind logits applies the softmax to them as they "
     "are"),
    ("turned_each.npz", {"v0": P5.T[:, :9], "v1": P5.T[:, :7]}, COMPARE,
     "THIS: array v1: has 7 classes (shape [5, 7]), but recording v0 has 9; all recordings need the "
     "same; where they are [classes, steps], --transpose reads them so"),
    ("rooted_twice.npz", {"/a": P5, "a": P5}, INSPECT,
     "THIS: holds two arrays called a; write it again with one of each name"),
    ("nameless.npz", {"": P5, "b": P5}, INSPECT,
     "THIS: holds an array without a name; write it again with a name for each"),
    ("objects.npz", {"meta": np.array([{"fold": 1}, None], object)}, COMPARE,
     "THIS: array meta: holds Python objects, which are not read; write it again with "
     ".astype('float32'), labels with .astype('int64'), texts with .astype(str)"),
    # ---- .npz: bytes
    ("no_numpy.npz", zipped(("x.npy", b"not numpy's")), COMPARE,
     "THIS: array x has no whole header of numpy; write it again with numpy.savez"),
    ("twice.npz", zipped(("probs.npy", NPY), ("probs.npy", NPY)), COMPARE,
     "THIS: holds two arrays called probs; write it again with one of each name"),
    ("no_end.npz", NPZ[:-1], COMPARE,
     "THIS: byte 1463: the archive has no end record; the archive is damaged or cut short: write or copy "
     "it again"),
    ("cut.npz", NPZ[:300], COMPARE,
     "THIS: byte 300: the archive has no end record; the archive is damaged or cut short: write or copy "
     "it again"),
    ("directory.npz", spoiled(NPZ, b"PK\5\6", 16, b"\xff\xff\xff\x7f"), COMPARE,
     "THIS: byte 1464: the end record names a directory that is not in the file; the archive is damaged "
     "or cut short: write or copy it again"),
    ("entry.npz", spoiled(NPZ, b"PK\5\6", 16, b"\5\0\0\0"), COMPARE,
     "THIS: byte 5: an entry of the directory should stand here; the archive is damaged or cut short: "
     "write or copy it again"),
    ("member.npz", spoiled(NPZ, b"PK\1\2", 42, b"\xff\xff\xff\x7f"), COMPARE,
     "THIS: byte 2147483647: a member should begin here; the archive is damaged or cut short: write or "
     "copy it again"),
    ("not_whole.npz", spoiled(NPZ, b"PK\1\2", 42, b"\7\0\0\0"), COMPARE,
     "THIS: byte 7: a member begins here that is not whole; the archive is damaged or cut short: write "
     "or copy it again"),
    ("sizes.npz", spoiled(NPZ, b"PK\1\2", 24, b"\7\0\0\0"), COMPARE,
     "THIS: byte 0: a member begins here whose sizes do not go together; the archive is damaged or cut "
     "short: write or copy it again"),
    ("no_sizes.npz", spoiled(NPZ, b"PK\1\2", 20, b"\xff" * 8), COMPARE,
     "THIS: byte 1387: an entry of the directory lacks its sizes; the archive is damaged or cut short: "
     "write or copy it again"),
    ("encrypted.npz", spoiled(NPZ, b"PK\1\2", 8, b"\1\0"), COMPARE,
     "THIS: array probs is encrypted; write it with numpy.savez"),
    ("method.npz", spoiled(NPZ, b"PK\1\2", 10, b"\x0c\0"), COMPARE,
     "THIS: array probs is packed by method 12, which is not read; write it with numpy.savez_compressed"),
    ("other_name.npz", NPZ[:NPZ.rfind(b"probs.npy")] + b"x" + NPZ[NPZ.rfind(b"probs.npy") + 1:], INSPECT,
     "THIS: byte 0: a member begins here that has another name in the directory; the archive is damaged "
     "or cut short: write or copy it again"),
    ("checksum.npz", spoiled(NPZ, b"PK\1\2", 16, b"\0\0\0\0"), COMPARE,
     "THIS: array probs, byte 59: its bytes do not have the checksum that the archive says; the archive "
     "is damaged: write or copy it again"),
    ("flipped.npz", spoiled(NPZ, b"\x93NUMPY", 200, b"\0"), COMPARE,
     "THIS: array probs, byte 59: its bytes do not have the checksum that the archive says; the archive "
     "is damaged: write or copy it again"),
    ("deflated.npz", spoiled(DEFLATED, b"PK\3\4", 300, b"\x17"), COMPARE,
     "THIS: array probs, byte 59: cannot be unpacked; the archive is damaged: write or copy it again"),
    ("deflated_checksum.npz", spoiled(DEFLATED, b"PK\1\2", 16, b"\0\0\0\0"), COMPARE,
     "THIS: array probs, byte 59: cannot be unpacked; the archive is damaged: write or copy it again"),
    ("deflated_sizes.npz", spoiled(DEFLATED, b"PK\1\2", 24, b"\xf0\xff\xff\xff"), COMPARE,
     "THIS: byte 0: a member begins here whose sizes do not go together; the archive is damaged or cut "
     "short: write or copy it again"),
    # ---- files of other kinds
    ("other.zip", zipped(("readme", b"hi")), COMPARE,
     "THIS: looks like a zip archive, which is not read; write the scores as .npy, .npz, CSV or HDF5; an "
     "array's name says what it holds: log_probs, probs, logits or scores"),
    ("x.xlsx", zipped(("[Content_Types].xml", b""), ("xl/workbook.xml", b"")), COMPARE,
     "THIS: looks like an Excel workbook, which is not read; save it as CSV, a column a class, for "
     "example with python3 -c \"import pandas; pandas.read_excel('THIS').to_csv('x.csv', index=False)\""),
    ("x.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), COMPARE,
     "THIS: looks like an Excel workbook, which is not read; save it as CSV, a column a class, for "
     "example with python3 -c \"import pandas; pandas.read_excel('THIS').to_csv('x.csv', index=False)\""),
    ("x.parquet", b"PAR1" + bytes(60), COMPARE,
     "THIS: looks like a Parquet file, which is not read; save it as CSV, a column a class, for example "
     "with python3 -c \"import pandas; pandas.read_parquet('THIS').to_csv('x.csv', index=False)\""),
    ("x.feather", b"ARROW1" + bytes(60), COMPARE,
     "THIS: looks like an Arrow file, which is not read; save it as CSV, a column a class, for example "
     "with python3 -c \"import pandas; pandas.read_feather('THIS').to_csv('x.csv', index=False)\""),
    ("x.rds", b"\x1f\x8b\x08\0" + bytes(60), COMPARE,
     "THIS: looks like an R file, which is not read; in R: write.csv(readRDS('THIS'), 'x.csv', row.names "
     "= FALSE), a column a class"),
    ("x.RData", b"RDX3\nX\n\0\0\0\3", COMPARE,
     "THIS: looks like an R file, which is not read; in R: write.csv(get(load('THIS')), 'x.csv', "
     "row.names = FALSE), a column a class"),
    ("x.csv.gz", b"\x1f\x8b\x08\0" + bytes(60), COMPARE, "THIS: is gzip-compressed; unpack it with gunzip"),
    ("x.pkl", pickle.dumps({"probs": [1]}), COMPARE,
     'THIS: looks like a Python pickle, which is not read; convert it with python3 -c "import numpy, '
     "pickle; x = pickle.load(open('THIS', 'rb')); numpy.savez('x.npz', **x) if isinstance(x, dict) else "
     "numpy.save('x.npy', x)\"; an array's name says what it holds: log_probs, probs, logits, scores or "
     "labels"),
    ("x.pt", b"PK\3\4" + bytes(22) + bytes([10, 0, 0, 0]) + b"x/data.pkl", COMPARE,
     'THIS: looks like a PyTorch file, which is not read; convert it with python3 -c "import numpy, '
     "torch; x = torch.load('THIS', map_location='cpu'); numpy.savez('x.npz', **{k: v.numpy() for k, v "
     "in (x if isinstance(x, dict) else {'logits': x}).items()})\"; an array's name says what it holds: "
     "log_probs, probs, logits, scores or labels"),
    ("old.pt", b"\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19.\x80\x02M\xe9\x03.", COMPARE,
     'THIS: looks like a PyTorch file, which is not read; convert it with python3 -c "import numpy, '
     "torch; x = torch.load('THIS', map_location='cpu'); numpy.savez('old.npz', **{k: v.numpy() for k, v "
     "in (x if isinstance(x, dict) else {'logits': x}).items()})\"; an array's name says what it holds: "
     "log_probs, probs, logits, scores or labels"),
    ("x.safetensors", SAFETENSORS, COMPARE,
     'THIS: looks like a safetensors file, which is not read; convert it with python3 -c "import numpy, '
     "safetensors.numpy; numpy.savez('x.npz', **safetensors.numpy.load_file('THIS'))\"; an array's name "
     "says what it holds: log_probs, probs, logits, scores or labels"),
    ("x.tar", b"probs.npy".ljust(257, b"\0") + b"ustar" + bytes(300), COMPARE,
     "THIS: is a tar archive; unpack it with tar -xf"),
    ("x.html", b"<!DOCTYPE html>\n<html><body>404</body></html>", COMPARE,
     "THIS: is a web page; save the file that it speaks of"),
    ("x.xml", b"<?xml version='1.0'?><x/>", COMPARE,
     "THIS: line 1: is XML of x; hypnograms are read from NSRR's PSGAnnotation and Profusion's "
     "CMPStudyConfig"),
    ("x.png", b"\x89PNG\r\n\x1a\n" + bytes(60), COMPARE,
     "THIS: is of no kind that is read here; write the scores as .npy, .npz, CSV or HDF5; an array's "
     "name says what it holds: log_probs, probs, logits or scores"),
    ("x.bin", bytes(range(1, 200)), COMPARE,
     "THIS: is of no kind that is read here; write the scores as .npy, .npz, CSV or HDF5; an array's "
     "name says what it holds: log_probs, probs, logits or scores"),
    ("x.mat", b"MATLAB 5.0 MAT-file".ljust(124) + b"\0\1IM", COMPARE,
     "THIS: holds no matrices of numbers, texts, or cells of these; save(FILE, '-struct', 'NAME') saves "
     "the fields of a struct so"),
    ("x.json", b"[[0.1, 0.9]]", COMPARE,
     "THIS: looks like a JSON text, which is not read; write the scores as .npy, .npz, CSV or HDF5; an "
     "array's name says what it holds: log_probs, probs, logits or scores"),
    ("model.json", b'{\n "statepath_model": 1, "name": "door"}', COMPARE,
     "THIS: is a model; look at it with statepath model show, and give it to other commands as --model"),
    ("words.txt", b"hello\nworld\n", INSPECT,
     "THIS: looks like a text file, which is not read; labels, one a line, are read where a model names "
     "their classes (--model or --rules M) and the name ends in .txt, .csv, .tsv, .hyp or .eannot; "
     "scores are a table with a column a class"),
    ("lfs.h5", b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", COMPARE,
     "THIS: is a Git LFS pointer; run git lfs pull"),
    ("signals.npy", np.zeros((4, 1, 8), "f4"), "train THIS -o o.h5",
     'THIS: is not an HDF5 file but looks like a numpy .npy file; convert it with python3 -c "import '
     "h5py, numpy; h5py.File('signals.h5', 'w')['/signals'] = numpy.load('THIS')\""),
    ("signals.npz", {"a": np.zeros((4, 1, 8), "f4")}, "train THIS -o o.h5",
     'THIS: is not an HDF5 file but looks like a numpy .npz archive; convert it with python3 -c "import '
     "h5py, numpy; h5py.File('signals.h5', 'w')['/signals'] = numpy.load('THIS')['NAME']\""),
    ("signals.csv", "Wake,N1\n.5,.5\n", "train THIS -o o.h5",
     "THIS: is not an HDF5 file but looks like a table in text (CSV or the like); write its numbers as "
     "dataset /signals of an HDF5 file, for example with h5py"),
]
# Habits of other tools: read as the same array in .npy.
RIGHT = {
    "order.npy": np.asfortranarray(P5),
    "big.npy": P5.astype(">f8"),
    "turned.npy": P5.T,
    "order.npz": {"probs": np.asfortranarray(P5)},
    "alone.npz": {"arr_0": P5},
    "rooted.npz": {"/probs": P5},
    "nested.npz": zipped(("out/run1/probs.npy", NPY)),
    "second.npz": zipped(("readme.txt", b"hi"), ("probs.npy", NPY)),
    "beside.npz": {"probs": P5, "meta": np.array([{"fold": 1}, None], object),
                   "spectrum": np.ones(3, complex),
                   "rows": np.zeros(2, [("a", "f4")])},
    "version2.npy": saved(lambda out, a: np.lib.format.write_array(out, a, version=(2, 0)), P5),
    "version3.npy": saved(lambda out, a: np.lib.format.write_array(out, a, version=(3, 0)), P5),
}


class TestArrays(TestFaulty):
    def test_each_gets_its_sentence(self):
        self.table(ROWS)

    def test_habits_of_others_are_read(self):
        def path_of(name, *options):
            self.statepath("decode", name, "-m", "sleep-aasm", "-o", "p.npz", "-f", *options)
            return np.load(self.path("p.npz"))["paths/viterbi"].tolist()

        put(self.path("x.npy"), P5)
        wanted = path_of("x.npy")
        for name, data in RIGHT.items():
            with self.subTest(name):
                put(self.path(name), data)
                self.assertEqual(path_of(name, *["--transpose"] * (name == "turned.npy")), wanted)
        said = self.statepath("inspect", "beside.npz").stdout
        self.assertIn("not used    array meta Python objects, which is not read\n", said)
        self.assertIn("array spectrum type '<c16', which is not read\n", said)
        self.assertIn("array rows records, which is not read\n", said)


if __name__ == "__main__":
    st.main()

"""Faulty HDF5 files, of scores and of paths: each gets one sentence that says what, where, and what to do.

Rows as in tests/support/faulty.py. Files that were made to harm are in cli/formats/test_hostile_files.py.
"""
import statepath_test as st
from faulty import (COMPARE, DECODE, EVALUATE, INSPECT, LP, P3, P5, ROWS, SHORT, TestFaulty, bfloat16, chunk,
                    enum, low_level, whole)
from statepath_test import h5py, np

NAMES = ["a", "b", "c"]
PATTERN = {"night/n1/softmax": P3, "night/n2/softmax": P3, "night/n2/y": np.zeros(5, int)}
PATHS = {"mine": np.array([0, 1, 2, 0, 2]), "half": np.array([0, .5, 1, -.5, 1]),
         "low": np.array([-2, 0, 1, 0, 1]),
         "short": [0, 1, 2, 0], "text": ["a"] * 5, "offsets": [0, 2, 5], "ids": ["x", "y"],
         "other/labels": [0] * 5}

ROWS_OF_HDF5 = [
    # ---- names of classes and ids
    ("classes_count.h5", {"log_probs": LP, "@classes": ["a", "b"]}, INSPECT,
     "THIS: attribute classes of / names 2 classes, but dataset /log_probs has 3 columns; write one name "
     "for each column"),
    ("classes_one_text.h5", {"log_probs": LP, "@classes": "a,b,c"}, INSPECT,
     "THIS: attribute classes of / names 1 class, but dataset /log_probs has 3 columns; write one name "
     "for each column"),
    ("classes_twice.h5", {"log_probs": LP, "classes": ["a", "b", "a"]}, INSPECT,
     "THIS: dataset /classes: classes 0 and 2 are both called 'a'; give each its own name"),
    ("classes_differ.h5", {"recordings/n0/log_probs": LP, "recordings/n1/log_probs": LP,
     "recordings/n0/log_probs@classes": NAMES, "recordings/n1/log_probs@classes": NAMES[::-1]},
     INSPECT,
     "THIS: recording n1: class 0 is called 'c' (attribute classes of /recordings/n1/log_probs), but 'a' "
     "in recording n0; all recordings need the same classes in the same order"),
    ("ids_twice.h5", {"log_probs": LP, "offsets": [0, 1, 5], "ids": ["x", "x"]}, INSPECT,
     "THIS: dataset /ids: recordings 0 and 1 are both called 'x'; give each its own id"),
    ("ids_count.h5", {"log_probs": LP, "offsets": [0, 1, 5], "ids": ["x", "y", "z"]}, INSPECT,
     "THIS: dataset /ids has 3 ids, but dataset /log_probs has 2 recordings"),
    ("ids_floats.h5", {"log_probs": LP, "offsets": [0, 1, 5], "ids": [0.5, 1.5]}, INSPECT,
     "THIS: dataset /ids holds float64, but must hold texts; write them with .astype(str), numbers of "
     "classes with .astype(int)"),
    ("empty_names.h5", {"log_probs": LP, "classes": ["", "", ""]}, INSPECT,
     "THIS: dataset /classes: classes 0 and 1 are both called ''; give each its own name"),
    # ---- nothing where something should be
    ("no_classes.h5", {"log_probs": np.zeros((4, 0), "f4")}, INSPECT,
     "THIS: dataset /log_probs has shape [4, 0]: its last axis, the classes, must have at least one"),
    ("nothing.h5", {}, INSPECT,
     "THIS: found no scores (log_probs, probs, logits or scores, in the root or in /recordings/<id>); it "
     "holds no dataset; say where they are with --scores PATH ({id} in it stands for the recording)"),
    ("null.h5", {"log_probs": h5py.Empty("f4")}, INSPECT,
     "THIS: dataset /log_probs is empty: it has neither shape nor values; write it again"),
    ("many.h5", {"x%02d" % i: np.zeros(i) for i in range(12)}, INSPECT,
     "THIS: found no scores (log_probs, probs, logits or scores, in the root or in /recordings/<id>); it "
     "holds /x00 float64 [0], /x01 float64 [1], /x02 float64 [2], /x03 float64 [3], /x04 float64 [4], "
     "/x05 float64 [5], /x06 float64 [6], /x07 float64 [7], /x08 float64 [8], /x09 float64 [9], and "
     "more; say where they are with --scores PATH ({id} in it stands for the recording)"),
    ("pattern.h5", PATTERN, INSPECT,
     "THIS: found no scores (log_probs, probs, logits or scores, in the root or in /recordings/<id>); it "
     "holds /night/n1/softmax float32 [5, 3], /night/n2/softmax float32 [5, 3], /night/n2/y int64 [5]; "
     "say where they are with --scores PATH, for example --scores '/night/{id}/softmax'"),
    ("no_groups.h5", {"recordings/a/x": 1}, INSPECT,
     "THIS: found no scores (log_probs, probs, logits or scores, in the root or in /recordings/<id>); it "
     "holds /recordings/a/x int64 []; say where they are with --scores PATH ({id} in it stands for the "
     "recording)"),
    # ---- lengths, flags, offsets
    ("valid_hole.h5", {"log_probs": ROWS, "valid": np.array([[1, 1, 0, 1], [0] * 4, [1] * 4], bool)},
     INSPECT,
     "THIS: dataset /valid has a hole: step 2 of recording 0 takes no part, and a later one does; --gaps "
     "join makes its neighbours adjacent, --gaps break begins a new segment after it"),
    ("valid_shape.h5", {"log_probs": ROWS, "valid": np.ones((3, 5), bool)}, INSPECT,
     "THIS: dataset /valid has shape [3, 5], but dataset /log_probs has [3, 4, 3]; it must be one flag "
     "per recording and step"),
    ("valid_two.h5", {"log_probs": ROWS, "valid": np.full((3, 4), 2)}, INSPECT,
     "THIS: dataset /valid, recording 0, step 0: 2 is neither 0 nor 1"),
    ("valid_beyond.h5", {"log_probs": ROWS, "valid": np.ones((3, 4), bool), "lengths": [4, 3, 4]}, INSPECT,
     "THIS: dataset /valid, recording 1: step 3 takes part, but the lengths say that it has 3 steps; "
     "leave one of both out"),
    ("lengths_missing.h5", {"log_probs": ROWS}, INSPECT,
     "THIS: dataset /log_probs has shape [3, 4, 3], one row a recording, but nothing says how long each "
     "is; write a dataset lengths [3] beside it (all 4 when nothing is padded), or name it with "
     "--lengths"),
    ("lengths_count.h5", {"log_probs": ROWS, "lengths": [4, 4]}, INSPECT,
     "THIS: dataset /lengths has 2 lengths, but dataset /log_probs has shape [3, 4, 3], so 3 recordings"),
    ("lengths_long.h5", {"log_probs": ROWS, "lengths": [4, 5, 1]}, INSPECT,
     "THIS: dataset /lengths, recording 1: length 5, but dataset /log_probs has room for 0 to 4 steps"),
    ("lengths_negative.h5", {"log_probs": ROWS, "lengths": [4, 3, -1]}, INSPECT,
     "THIS: dataset /lengths, recording 2: length -1, but dataset /log_probs has room for 0 to 4 steps"),
    ("lengths_floats.h5", {"log_probs": ROWS, "lengths": [4.0, 3.5, 1.0]}, INSPECT,
     "THIS: dataset /lengths, value 1 is 3.5, not a whole number; write integers"),
    ("lengths_rank.h5", {"log_probs": ROWS, "lengths": [[4, 3, 1]]}, INSPECT,
     "THIS: dataset /lengths has shape [1, 3], but must have one dimension"),
    ("lengths_offsets.h5", {"log_probs": ROWS}, "inspect THIS --offsets o",
     "THIS: dataset /log_probs has shape [3, 4, 3], one row a recording; offsets do not apply, use "
     "--lengths", 2),
    ("lengths_place.h5", {"log_probs": ROWS}, "inspect THIS --lengths o",
     "THIS: there is no dataset /o; name it with --lengths"),
    ("lengths_short.h5", {"log_probs": LP, "lengths": [1, 3]}, INSPECT,
     "THIS: dataset /lengths adds up to 4 steps, but dataset /log_probs has 5; the lengths of all "
     "recordings must add up to its first axis"),
    ("offsets_short.h5", {"log_probs": LP, "offsets": [0, 2, 4]}, INSPECT,
     "THIS: dataset /offsets goes from 0 to 4, but dataset /log_probs has 5 steps; it must begin with 0 "
     "and end with 5 (one value more than there are recordings)"),
    ("offsets_late.h5", {"log_probs": LP, "offsets": [1, 2, 5]}, INSPECT,
     "THIS: dataset /offsets goes from 1 to 5, but dataset /log_probs has 5 steps; it must begin with 0 "
     "and end with 5 (one value more than there are recordings)"),
    ("offsets_down.h5", {"log_probs": LP, "offsets": [0, 4, 3, 5]}, INSPECT,
     "THIS: dataset /offsets goes down from 4 to 3 at value 2; it must ascend from 0 to 5"),
    ("offsets_empty.h5", {"log_probs": LP, "offsets": np.zeros(0, "i8")}, INSPECT,
     "THIS: dataset /offsets is empty, but must hold where each recording begins and the end, from 0 to "
     "5"),
    ("offsets_text.h5", {"log_probs": LP, "offsets": ["0", "5"]}, INSPECT,
     "THIS: dataset /offsets holds text, which cannot be read as numbers here; write it again as "
     "integers or floats"),
    ("offsets_twice.h5", {"log_probs": LP, "cuts": [0, 5], "sizes": [5]},
     "inspect THIS --offsets cuts --lengths sizes",
     "THIS: --offsets and --lengths say the same thing; give one", 2),
    ("swapped.h5", {"probs": np.full((3, 5, 100), .2), "lengths": [100, 80, 90]}, COMPARE,
     "THIS: dataset /lengths, recording 0: length 100, but dataset /probs has room for 0 to 5 steps; "
     "where the scores are [recordings, classes, steps], write them again with .swapaxes(1, 2)"),
    ("words_no_rules.h5", {"labels": ["a"] * 5, "offsets": [0, 5]}, "fit THIS -o out.json",
     'THIS: dataset /labels, recording 0, step 0: label "a" is a word; a model says which class it is '
     "(--model or --rules M)"),
    # ---- what stands beside the scores
    ("labels_shape.h5", {"log_probs": LP, "labels": np.zeros(4, int)}, INSPECT,
     "THIS: dataset /labels has shape [4], but must have shape [5] to go with /log_probs; write one for "
     "each step, or name another dataset"),
    ("labels_one_hot.h5", {"log_probs": LP, "labels": np.eye(5, 3)}, INSPECT,
     "THIS: dataset /labels has shape [5, 3], but must have shape [5] to go with /log_probs; where it is "
     "one-hot write the index of the class (argmax over the last axis)"),
    ("labels_word.h5", {"log_probs": LP, "labels": ["N7"] * 5}, DECODE,
     'THIS: dataset /labels, recording labels_word, step 0: label "N7" is no class; write one of a, b, '
     "c, or nothing for an unscored step; --codes or --map reads the words of others"),
    ("labels_255.h5", {"log_probs": LP, "labels": np.array([0, 1, 255, 2, 0], "u1")}, DECODE,
     "THIS: dataset /labels, recording labels_255, step 2: label 255 is not one of the 3 classes 0..2; "
     "unscored steps are -1, and --codes or --map reads others' numbers"),
    ("labels_half.h5", {"log_probs": LP, "labels": [0, 0.5, 1, 2, 0], "offsets": [0, 0, 1, 1, 5]}, DECODE,
     "THIS: dataset /labels, recording 3, step 0: label 0.5 is not a whole number; unscored steps are "
     "-1"),
    ("labels_nan.h5", {"log_probs": LP, "labels": [0, 1, 1, np.nan, 0], "offsets": [0, 2, 5]}, DECODE,
     "THIS: dataset /labels, recording 1, step 1: label nan is not a whole number; unscored steps are "
     "-1"),
    ("labels_minus.h5", {"log_probs": LP, "labels": [0, 1, 1, 1, -2]}, DECODE,
     "THIS: dataset /labels, recording labels_minus, step 4: label -2 is not one of the 3 classes 0..2; "
     "unscored steps are -1, and --codes or --map reads others' numbers"),
    ("labels_minus_100.h5", {"log_probs": LP, "labels": [0, 1, 1, 1, -100]}, DECODE,
     "THIS: dataset /labels, recording labels_minus_100, step 4: label -100 is not one of the 3 classes "
     "0..2; unscored steps are -1, and -100 with --unscored -100"),
    ("labels_flags.h5", {"log_probs": LP, "labels": np.array([0, 1, 1, 1, 0], bool)}, DECODE,
     "THIS: dataset /labels holds bool: true and false name no class; write the number of the class, or "
     "its name, for each step"),
    ("labels_flags_each.h5", {"a/probs": np.exp(LP), "a/labels": np.array([0, 1, 1, 1, 0], bool)}, INSPECT,
     "THIS: dataset /a/labels holds bool: true and false name no class; write the number of the class, "
     "or its name, for each step"),
    ("labels_enum.h5", enum, DECODE,
     'THIS: dataset /labels, recording labels_enum, step 0: label "quiet" is no class; write one of a, '
     "b, c, or nothing for an unscored step; --codes or --map reads the words of others"),
    ("labels_groups.h5", {"recordings/a/log_probs": LP, "recordings/b/log_probs": LP,
     "recordings/a/labels": np.zeros(5, int), "recordings/b/labels": [0, 0, 0, 3, 0]},
     DECODE,
     "THIS: dataset /recordings/b/labels, recording b, step 3: label 3 is not one of the 3 classes 0..2; "
     "unscored steps are -1, and --codes or --map reads others' numbers"),
    ("labels_some.h5", {"recordings/a/log_probs": LP, "recordings/b/log_probs": LP,
     "recordings/a/labels": np.zeros(5, int)},
     "inspect THIS --labels recordings/{id}/labels",
     "THIS: recording b has no dataset /recordings/b/labels; write it for every recording, or name "
     "another dataset"),
    ("labels_padded.h5", {"log_probs": np.stack([LP, LP]), "lengths": [2, 5], "labels": [[0, 1, 9, 9, 9],
     [0, 0, 0, 0, 9]], "ids": ["a", "b"]},
     DECODE,
     "THIS: dataset /labels, recording b, step 4: label 9 is not one of the 3 classes 0..2; unscored "
     "steps are -1, and --codes or --map reads others' numbers"),
    ("words_groups.h5", {"a/log_probs": LP, "b/log_probs": LP, "a/labels": ["a", "b", "c", "a", "a"],
     "b/labels": ["a", "b", "c", "N7", "a"]},
     DECODE,
     'THIS: dataset /b/labels, recording b, step 3: label "N7" is no class; write one of a, b, c, or '
     "nothing for an unscored step; --codes or --map reads the words of others"),
    ("words_shape.h5", {"log_probs": ROWS, "lengths": [4, 4, 4], "labels": ["a"] * 12}, DECODE,
     "THIS: dataset /labels has shape [12], but must have shape [3, 4] to go with /log_probs; write one "
     "for each step, or name another dataset"),
    ("words_and_numbers.h5", {"a/log_probs": LP, "b/log_probs": LP, "a/labels": np.zeros(5, int),
     "b/labels": ["a"] * 5},
     DECODE,
     "THIS: dataset /b/labels holds text, which cannot be read as numbers here; write it again as "
     "integers or floats"),
    ("numbers_and_words.h5", {"a/log_probs": LP, "b/log_probs": LP, "a/labels": ["a"] * 5,
     "b/labels": np.zeros(5, int)},
     DECODE,
     "THIS: dataset /b/labels holds no text, but recording a has labels that are words; write all as "
     "words, or all as numbers"),
    ("weights_negative.h5", {"log_probs": LP, "weights": [1, 1, -0.5, 1, 1]}, DECODE,
     "THIS: dataset /weights, recording weights_negative, step 2: weight -0.5 is not a number from 0 up"),
    ("weights_nan.h5", {"log_probs": LP, "labels": [0, 1, 1, 1, 0], "weights": [1, np.nan, -0.5, 1, 1]},
     "compare THIS -m m.json",
     "THIS: dataset /weights, recording weights_nan, step 1: weight nan is not a number from 0 up"),
    ("weights_large.h5", {"log_probs": LP, "labels": [0, 1, 1, 1, 0], "weights": [1, 1e308, 1, 1, 1]},
     "compare THIS -m m.json",
     "THIS: dataset /weights, recording weights_large, step 1: weight 1e+308 is more than 1e290; divide "
     "all weights by one number"),
    ("mask_two.h5", {"log_probs": LP, "mask": np.where(np.arange(15).reshape(5, 3) == 7, 2, 1)}, DECODE,
     "THIS: dataset /mask, recording mask_two, step 2, class 1: mask 2 is neither 0 nor 1"),
    ("mask_shape.h5", {"log_probs": LP, "mask": np.ones(5, bool)}, INSPECT,
     "THIS: dataset /mask has shape [5], but must have shape [5, 3] to go with /log_probs; write one for "
     "each step, or name another dataset"),
    ("mask_some.h5", {"recordings/a/log_probs": LP, "recordings/b/log_probs": LP,
     "recordings/a/mask": np.ones((5, 3), bool)},
     INSPECT,
     "THIS: recording b has no dataset /recordings/b/mask; write it for every recording, or name another "
     "dataset"),
    ("segments_half.h5", {"log_probs": LP, "segments": np.arange(5) / 2}, DECODE,
     "THIS: dataset /segments, recording segments_half, step 1: segment 0.5 is not a whole number"),
    # ---- scores that are none
    ("scalar.h5", {"log_probs": 3.5}, INSPECT,
     "THIS: dataset /log_probs has shape [], but must have [steps, classes] or [recordings, steps, "
     "classes]; reshape it, or name another dataset"),
    ("rank1.h5", {"log_probs": np.zeros(4, "f4")}, INSPECT,
     "THIS: dataset /log_probs has shape [4], but must have [steps, classes] or [recordings, steps, "
     "classes]; reshape it, or name another dataset"),
    ("rank4.h5", {"log_probs": np.zeros((2, 2, 2, 2), "f4")}, INSPECT,
     "THIS: dataset /log_probs has shape [2, 2, 2, 2], but must have [steps, classes] or [recordings, "
     "steps, classes]; reshape it, or name another dataset"),
    ("integers.h5", {"log_probs": np.zeros((4, 2), "i4")}, INSPECT,
     "THIS: dataset /log_probs holds int32, but scores must be float16, float32 or float64; write it "
     "again with .astype('float32'), or where it is one-hot with .argmax(1), which are labels"),
    ("compound.h5", {"log_probs": np.zeros(4, [("a", "f4")])}, INSPECT,
     "THIS: dataset /log_probs holds compound, which cannot be read as numbers here; write it again as "
     "integers or floats"),
    ("bfloat16.h5", low_level(bfloat16()), INSPECT,
     "THIS: dataset /log_probs holds bfloat16, which cannot be read as numbers here; write it again as "
     "float32 or float64"),
    ("long_double.h5", {"log_probs": np.zeros((4, 2), np.longdouble)}, INSPECT,
     "THIS: dataset /log_probs holds 80-bit floats, which cannot be read as numbers here; write it again "
     "as float32 or float64"),
    ("unnamed.h5", {"out": LP * 3 + 1}, "inspect THIS --scores /out",
     "THIS: the name of dataset /out does not say what it holds, and the first row lies in -7.54574 "
     "to 0.0841147: are these logits? --kind logits applies the softmax, --kind scores uses them as they "
     "are"),
    ("logits_none.h5", {"logits": np.exp(LP)}, DECODE,
     "THIS: dataset /logits is called logits, and its rows are probabilities: they lie in 0 to 1 and sum "
     "to 1; --kind probs reads them so, or --kind logits applies the softmax to them as they are"),
    ("logits_percent.h5", {"logits": 100 * np.exp(LP)}, DECODE,
     "THIS: dataset /logits is called logits, and its rows are per cent: they lie in 0 to 100 and sum to "
     "100; divide them by 100 and call them probs, or --kind logits applies the softmax to them as they "
     "are"),
    ("beside_labels.h5", {"foo": np.exp(LP), "labels": np.zeros(5, int)}, DECODE,
     "THIS: found no scores (log_probs, probs, logits or scores, in the root or in /recordings/<id>); it "
     "holds /foo float32 [5, 3], /labels int64 [5]; say where they are with --scores PATH, for example "
     "--scores '/foo'"),
    ("transposed.h5", {"log_probs": LP}, "inspect THIS --transpose",
     "THIS: --transpose is for arrays of .npy and .npz, and this is an HDF5 file", 2),
    # ---- groups and places
    ("groups_lack.h5", {"recordings/n1/log_probs": LP, "recordings/n2/x": 1}, INSPECT,
     "THIS: recording n2 has no dataset /recordings/n2/log_probs; write it, or take the group out of "
     "/recordings"),
    ("groups_classes.h5", {"recordings/a/log_probs": LP, "recordings/b/log_probs": LP[:, :2]}, INSPECT,
     "THIS: dataset /recordings/b/log_probs has 2 classes (shape [5, 2]), but /recordings/a/log_probs "
     "has 3; all recordings need the same"),
    ("groups_rank.h5", {"recordings/a/log_probs": LP, "recordings/b/log_probs": LP[0]}, INSPECT,
     "THIS: dataset /recordings/b/log_probs has shape [3], but must have [steps, classes]; reshape it, "
     "or name another dataset"),
    ("groups_none.h5", {"recordings/a/log_probs": LP}, "inspect THIS --scores recordings/x{id}/log_probs",
     "THIS: nothing in the file fits /recordings/x{id}/log_probs; say where the scores are with --scores "
     "PATH"),
    ("groups_night.h5", {"recordings/a/log_probs": LP}, "inspect THIS --scores night/{id}/log_probs",
     "THIS: there is no dataset /night; say where the scores are with --scores PATH"),
    ("groups_dataset.h5", {"recordings/a/log_probs": LP},
     "inspect THIS --scores recordings/a/log_probs/{id}",
     "THIS: /recordings/a/log_probs is a dataset, not a group of recordings; say where the scores are "
     "with --scores PATH"),
    ("groups_offsets.h5", {"recordings/a/log_probs": LP}, "inspect THIS --offsets o",
     "THIS: /recordings/{id}/log_probs has one dataset a recording ({id}); --offsets, --lengths and "
     "--ids do not apply", 2),
    ("groups_nope.h5", {"recordings/a/log_probs": LP}, "inspect THIS --scores recordings/a/nope",
     "THIS: found no dataset recordings/a/nope; it holds /recordings/a/log_probs float32 [5, 3]; say where "
     "they are with --scores PATH, for example --scores '/recordings/a/log_probs'"),
    ("pattern_labels.h5", PATTERN, "inspect THIS --scores /night/{id}/softmax --labels /night/n2/y",
     "THIS: /night/{id}/softmax has one dataset a recording, so /night/n2/y needs {id} too", 2),
    ("pattern_one.h5", PATTERN, "inspect THIS --scores /night/n1/softmax --labels /night/{id}/y",
     "THIS: /night/n1/softmax is one dataset, so /night/{id}/y cannot have {id}; write it in both "
     "patterns, or in none", 2),
    # ---- links
    ("lost.h5", {"lost": h5py.SoftLink("/nowhere")}, "inspect THIS --scores lost",
     "THIS: /lost is a link to /nowhere, which is not there; mend the link or name another dataset"),
    ("lost_file.h5", {"gone": h5py.ExternalLink("gone.h5", "/x")}, "inspect THIS --scores gone/x",
     "THIS: /gone is a link to /x in the file gone.h5, which cannot be opened; put that file beside this "
     "one"),
    ("round.h5", {"round": h5py.SoftLink("/about"), "about": h5py.SoftLink("/round")},
     "inspect THIS --scores round",
     "THIS: /round is a link that leads back to itself; mend the link or name another dataset"),
    ("group.h5", {"log_probs": LP, "soft": h5py.SoftLink("/log_probs"), "group/a": 1},
     "inspect THIS --scores group",
     "THIS: found no scores in the group /group (log_probs, probs, logits or scores); it holds /group/a "
     "int64 [], /log_probs float32 [5, 3], /soft float32 [5, 3]; say where they are with --scores PATH, "
     "for example --scores '/log_probs'"),
    ("lost_recording.h5", {"recordings/a/log_probs": LP, "recordings/b": h5py.ExternalLink("nowhere.h5",
     "/b")},
     INSPECT,
     "THIS: /recordings/b is a link to /b in the file nowhere.h5, which cannot be opened; put that file "
     "beside this one"),
    # ---- filters and bytes
    ("lzf_bad.h5", chunk(bad=0, compression="lzf"), DECODE,
     "THIS: dataset /log_probs cannot be read (filter returned failure during read); the file is "
     "damaged: copy or write it again"),
    ("inflate_bad.h5", chunk(place="recordings/b/log_probs", bad=0, compression="gzip"), DECODE,
     "THIS: dataset /recordings/b/log_probs cannot be read (inflate() failed); the file is damaged: copy "
     "or write it again"),
    ("short_gzip.h5", chunk(SHORT, compression="gzip"), DECODE,
     "THIS: dataset /log_probs cannot be read (a chunk has fewer values than it should, or more); the "
     "file is damaged: copy or write it again"),
    ("short_fletcher.h5", chunk(b"abc", fletcher32=True), DECODE,
     "THIS: dataset /log_probs cannot be read (a chunk has fewer values than it should, or more); the "
     "file is damaged: copy or write it again"),
    ("fletcher_bad.h5", chunk(bad=17, fletcher32=True), DECODE,
     "THIS: dataset /log_probs cannot be read (data error detected by Fletcher32 checksum); the file is "
     "damaged: copy or write it again"),
    ("blosc.h5", low_level(h5py.h5t.IEEE_F32LE, (50, 3), 32001), DECODE,
     "THIS: dataset /log_probs is compressed with the filter blosc (32001), which is not installed here; "
     "install hdf5-filter-plugin-blosc-serial and set HDF5_PLUGIN_PATH to its folder, or write the file "
     "again with gzip (h5repack -f GZIP=4 where the filter is installed)"),
    ("zstd.h5", low_level(h5py.h5t.IEEE_F32LE, (50, 3), 32015), DECODE,
     "THIS: dataset /log_probs is compressed with the filter zstd (32015), which is not installed here; "
     "install its plugin (pip install hdf5plugin brings it) and set HDF5_PLUGIN_PATH to its folder, or "
     "write the file again with gzip (h5repack -f GZIP=4 where the filter is installed)"),
    ("bitshuffle.h5", low_level(h5py.h5t.IEEE_F32LE, (50, 3), 32008), DECODE,
     "THIS: dataset /log_probs is compressed with the filter bitshuffle (32008), which is not installed "
     "here; install hdf5-filter-plugin and set HDF5_PLUGIN_PATH to its folder, or write the file again "
     "with gzip (h5repack -f GZIP=4 where the filter is installed)"),
    ("filter.h5", low_level(h5py.h5t.IEEE_F32LE, (50, 3), 31999), DECODE,
     "THIS: dataset /log_probs is compressed with the filter unknown (31999), which is not installed "
     "here; install its plugin (pip install hdf5plugin brings it) and set HDF5_PLUGIN_PATH to its "
     "folder, or write the file again with gzip (h5repack -f GZIP=4 where the filter is installed)"),
    ("cut.h5", whole(part=5000), INSPECT,
     "THIS: is cut short, 5000 of 14048 bytes are there; copy or write it again"),
    ("signature.h5", whole(part=8), INSPECT,
     "THIS: cannot be opened as HDF5, it is damaged or not finished (bad byte number in an address); "
     "copy or write it again"),
    ("marked.h5", whole("latest", open_=True), INSPECT,
     "THIS: is marked as open for writing; close it in the program that writes it, or if that program is "
     "gone run h5clear -s on the file"),
    # ---- paths
    ("no_paths.h5", {"deep/first": [0, 1], "deep/second": [1, 0], "mine": [0, 1, 1]}, EVALUATE,
     "THIS: found no group /paths; it holds /deep/first int64 [2], /deep/second int64 [2], /mine int64 "
     "[3]; say where the paths are with --paths PATH ({id} in it stands for the recording)"),
    ("paths_nope.h5", PATHS, "evaluate THIS -m m.json --paths nope",
     "THIS: there is no dataset /nope; say where the paths are with --paths PATH"),
    ("paths_group.h5", PATHS, "evaluate THIS -m m.json --paths other",
     "THIS: group /other holds no dataset of paths; say where the paths are with --paths PATH"),
    ("paths_text.h5", PATHS, "evaluate THIS --paths text",
     "--model is missing, and THIS does not carry one: a file, or a shipped model (`statepath model "
     "list`)", 2),
    ("paths_half.h5", PATHS, "evaluate THIS -m m.json --paths half",
     "THIS: dataset /half, recording x, step 1: class 0.5 is not a whole number; undecoded steps are -1"),
    ("paths_low.h5", PATHS, "evaluate THIS -m m.json --paths low",
     "THIS: dataset /low, recording x, step 0: class -2 is not the number of a class; undecoded steps "
     "are -1"),
    ("paths_short.h5", PATHS, "evaluate THIS -m m.json --paths short",
     "THIS: dataset /offsets goes from 0 to 5, but dataset /short has 4 steps; it must begin with 0 and "
     "end with 4 (one value more than there are recordings)"),
    ("paths_labels.h5", PATHS, "evaluate THIS -m m.json --paths mine --labels short",
     "THIS: dataset /short has shape [4], but must have shape [5] to go with /mine; write one for each step, or "
     "name another dataset"),
    ("paths_pattern.h5", {"recordings/n9/x": [0, 1]},
     "evaluate THIS -m m.json --paths /recordings/{id}/pred",
     "THIS: recording n9 has no dataset /recordings/n9/pred; write it, or take the group out of "
     "/recordings"),
    ("paths_high.h5", {"paths/x": [0, 3], "classes": ["a", "b", "c"]}, EVALUATE,
     "THIS: dataset /paths/x, recording paths_high, step 1: class 3 is not one of the 3 classes 0..2; "
     "undecoded steps are -1"),
    ("paths_status.h5", {"paths/x": [0, 1], "status/x": np.array([9], "u1")}, EVALUATE,
     "THIS: dataset /status/x, recording paths_status: 9 has no meaning here"),
    ("paths_scores.h5", {"paths/x": [0, 1], "path_scores/x": [0.5, 1]}, EVALUATE,
     "THIS: dataset /path_scores/x has shape [2], but there are 1 recordings, which need one float each"),
    ("paths_flags.npy", np.array([0, 1], bool), EVALUATE,
     "THIS: holds bool: true and false name no class; write the number of the class, or its name, for "
     "each step"),
]


class TestHdf5(TestFaulty):
    def test_each_gets_its_sentence(self):
        self.table(ROWS_OF_HDF5)

    def test_short_chunk_of_a_group(self):
        """Where it lies decides which of two places is named."""
        for stored, how in ((SHORT, {"compression": "gzip"}), (b"abc", {"fletcher32": True})):
            chunk(stored, "recordings/a/log_probs", **how)(self.path("x.h5"))
            said = self.statepath("decode", "x.h5", "-m", "m.json", "-o", "p.h5", status=1).stderr
            self.assertRegex(said, r"^statepath: x.h5: dataset /recordings/(a|\{id\})/log_probs cannot be "
                                   r"read \(a chunk has fewer "
                                   "values than it should, or more\\); the file is damaged: copy or write it "
                                   "again\n$")


if __name__ == "__main__":
    st.main()

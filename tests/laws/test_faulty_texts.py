"""Faulty tables and lists, codes that mean nothing, files that do not go together, options that speak of
what is not there, names of outputs: each gets one sentence that says what, where, and what to do.

Rows as in tests/support/faulty.py.
"""
import statepath_test as st
from faulty import COMPARE, EVALUATE, P5, TestFaulty, put
from statepath_test import np

STAGES = ["Wake", "N1", "N2", "N3", "REM"]
HEAD = "Wake,N1,N2,N3,REM\n"
ROW = "0.2,0.2,0.2,0.2,0.2\n"
LABELS = "recording,label\nx,0\n"
ROWS = [
    # ---- tables of scores
    ("bad_number.csv", HEAD + ROW + "0.2,x,0.2,0.2,0.2\n", COMPARE,
     'THIS: line 3, column 2 (N1): "x" is not a number'),
    ("bare_number.csv", ROW + ROW + "0.2,0.2,0.2,0.2,0.2e\n", COMPARE,
     'THIS: line 3, column 5: "0.2e" is not a number'),
    ("bare_decimals.csv", ROW.replace(",", ";").replace(".", ",") * 2, COMPARE,
     "THIS: line 1: two columns are called 0,2"),
    ("both_commas.csv", HEAD + ROW.replace(".", ","), COMPARE,
     "THIS: line 2 has 10 cells, the first line 5; decimals follow a point, as in 0.5, not a comma"),
    ("percent.csv", "Wake,N1\n50%,50%\n", COMPARE,
     'THIS: line 2, column 1 (Wake): "50%" is not a number; write 50% as 0.5'),
    ("not_available.csv", HEAD + ROW + "NA,NA,NA,NA,NA\n", COMPARE,
     'THIS: line 3, column 1 (Wake): "NA" is not a number; a number that is missing is nan, or nothing'),
    ("missing.csv", HEAD + ",,,,\n", COMPARE,
     "THIS: table: no name says what it holds, and no row says anything: each holds a NaN, or "
     "nothing is possible: --kind says what they are, and --missing uniform that a row with a NaN says "
     "nothing"),
    ("short_line.csv", HEAD + ROW + "\n0.2,0.2\n", COMPARE, "THIS: line 4 has 2 cells, the first line 5"),
    ("long_line.csv", HEAD + ROW + ROW.strip() + ",\n", COMPARE,
     "THIS: line 3 has 6 cells, the first line 5"),
    ("open_quote.csv", HEAD + '0.2,"0.2,0.2\n', COMPARE,
     'THIS: line 2, column 2 (N1): a quoted cell does not end; close it with "'),
    ("after_quote.csv", HEAD + '0.2,"0.2"x,0.2\n', COMPARE,
     "THIS: line 2, column 2 (N1): letters follow a closing quote; a quote inside a cell is written "
     "twice"),
    ("twice.csv", HEAD.replace("N2", "N1") + ROW, COMPARE, "THIS: line 1: two columns are called N1"),
    ("two_steps.csv", "step,Epoch," + HEAD + ROW, COMPARE,
     "THIS: line 1: columns 1 (step) and 2 (Epoch) say the same thing; leave one out"),
    ("no_lines.csv", HEAD, COMPARE, "THIS: names its columns, but holds no line below them"),
    ("old_mac.csv", (HEAD + ROW).replace("\n", "\r"), COMPARE,
     "THIS: its lines end with CR alone, as no tool of today writes them; end them with LF"),
    ("utf16.csv", (HEAD + ROW).encode("utf-16"), COMPARE,
     "THIS: is text in UTF-16; write it as UTF-8, for example with iconv -f UTF-16 -t UTF-8"),
    ("only_labels.csv", "recording,label\na,0\n", COMPARE,
     "THIS holds decided classes and no scores; --label-confidence P says how often they are right, or a "
     'model with a "labeller", which `statepath fit` learns from them and --labels REFERENCE, does'),
    ("bad_label.csv", "label," + HEAD + "X7," + ROW, COMPARE,
     'THIS: line 2, column 1 (label): "X7" is no class; write the name of a column, its number from 0, '
     "or -1 for none"),
    ("high_label.csv", "label," + HEAD + "7," + ROW, COMPARE,
     "THIS: labels, recording high_label, step 0: label 7 is not one of the 5 classes 0..4; unscored "
     "steps are -1, and --codes or --map reads others' numbers"),
    ("comes_back.csv", "recording," + HEAD + "a," + ROW + "b," + ROW + "a," + ROW, COMPARE,
     "THIS: line 4: recording a comes back after another; its lines must follow one another"),
    ("no_name.csv", "recording," + HEAD + "," + ROW, COMPARE,
     "THIS: line 2, column 1 (recording): a recording without a name"),
    ("step_lacks.csv", "step," + HEAD + "0," + ROW + "2," + ROW, COMPARE,
     "THIS: line 3: the table has step 2, but only 2 lines; it needs each step from 0 on once"),
    ("step_twice.csv", "Epoch," + HEAD + "1," + ROW + "0," + ROW + "1," + ROW, COMPARE,
     "THIS: line 4: the table has step 1 on line 2 already"),
    ("step_late.csv", "step," + HEAD + "7," + ROW, COMPARE,
     "THIS: line 2: the first step of the table is 7; steps count from 0 or 1"),
    ("step_below.csv", "step," + HEAD + "-1," + ROW, COMPARE,
     "THIS: line 2, column 1 (step): a step below 0; steps count from 0 or 1"),
    ("step_half.csv", "step," + HEAD + "0.5," + ROW, COMPARE,
     'THIS: line 2, column 1 (step): "0.5" is not a whole number'),
    ("out_of_order.csv", "," + HEAD + "0," + ROW + "2," + ROW + "1," + ROW, COMPARE,
     "THIS: line 4, column 1 (): row 1 follows row 2: the rows are out of order, or of several "
     "recordings; call the column step to have them put in order, name recordings in a column recording, "
     "or leave it out"),
    ("unnamed_order.csv", "Unnamed: 0," + HEAD + "1," + ROW + "0," + ROW, COMPARE,
     "THIS: line 3, column 1 (Unnamed: 0): row 0 follows row 1: the rows are out of order, or of several "
     "recordings; call the column step to have them put in order, name recordings in a column recording, "
     "or leave it out"),
    ("no_kind.csv", HEAD + "1,2,3,4,5\n", COMPARE,
     "THIS: table: no name says what it holds, and the first row sums to 15: are these logits? "
     "--kind logits applies the softmax, --kind scores uses them as they are"),
    ("fault_of_scores.csv", HEAD.strip() + ",label\n" + ROW.strip() + ",N1\n0.2,n.a.,0.2,0.2,0.2,N1\n",
     "compare THIS -m sleep-aasm --label-confidence .9",
     'THIS: line 3, column 2 (N1): "n.a." is not a number'),
    ("votes.csv", "0,1\n0,1\n1,0\n", "decode THIS -m two.json -o out.csv",
     "THIS: the first line, the numbers 0 to 1, may be a header or a step: no line below has a number "
     "that is not whole; --header yes says that it names the columns, --header no that it is a step"),
    ("votes_alone.csv", "0,1\n", "decode THIS -m two.json -o out.csv",
     "THIS: the first line, the numbers 0 to 1, may be a header or a step: no line below has a number "
     "that is not whole; --header yes says that it names the columns, --header no that it is a step"),
    ("odd_header.csv", HEAD + ROW, "inspect THIS --header maybe",
     "--header maybe: it is yes (the first line names the columns), no (it is a step) or auto", 2),
    ("words_no_header.csv", HEAD + ROW, "inspect THIS --header no",
     'THIS: line 1, column 1: "Wake" is not a number'),
    ("transposed.csv", HEAD + ROW, "compare THIS -m sleep-aasm --transpose",
     "THIS: --transpose is for arrays of .npy and .npz, and this is a table of text", 2),
    ("label_quote.csv", HEAD.strip() + ",label\n" + ROW.strip() + ',"N1\n', COMPARE,
     'THIS: line 2, column 6 (label): a quoted cell does not end; close it with "'),
    # ---- tables and lists of labels
    ("empty.csv", "", EVALUATE,
     "THIS: is empty; the first line names the columns: recording,step,label or recording,label"),
    ("blank.csv", "\n\n", EVALUATE,
     "THIS: is empty; the first line names the columns: recording,step,label or recording,label"),
    ("no_column.csv", "x,0\n", EVALUATE,
     "THIS: line 1 names no column label, but x, 0; a first line recording,step,label or recording,label is "
     "known"),
    ("stage_twice.csv", "stage,STAGE\n0,0\n", EVALUATE, "THIS: line 1 names column STAGE twice"),
    ("label_twice.csv", "recording,label,label\nx,0,0\n", EVALUATE,
     "THIS: line 1 names column label twice"),
    ("list_word.txt", "a\nb\nN9\n", EVALUATE,
     'THIS: line 3: label "N9" is no class of model m: write one of a, b, c, a number from 0 to 2 in '
     "this order, or -1 for none; --codes or --map reads the numbers and words of others"),
    ("list_gap.txt", "a\n\nb\n", EVALUATE,
     "THIS: line 2 is empty; it needs a label a line, -1 where there is none"),
    ("no_labels.csv", "recording,label\n", EVALUATE,
     "THIS: names its columns, but holds no line below them"),
    ("no_class.csv", "recording,label\nx,a\n\nx,N9\n", EVALUATE,
     'THIS: line 4: label "N9" is no class of model m: write one of a, b, c, a number from 0 to 2 in '
     "this order, or -1 for none; --codes or --map reads the numbers and words of others"),
    ("number_high.csv", "recording,label\nx,3\n", EVALUATE,
     'THIS: line 2: label "3" is no class of model m: write one of a, b, c, a number from 0 to 2 in this '
     "order, or -1 for none; --codes or --map reads the numbers and words of others"),
    ("number_half.csv", "recording,label\nx,1.5\n", EVALUATE,
     'THIS: line 2: label "1.5" is no class of model m: write one of a, b, c, a number from 0 to 2 in '
     "this order, or -1 for none; --codes or --map reads the numbers and words of others"),
    ("number_huge.csv", "recording,label\nx,99999999999999999999\n", EVALUATE,
     'THIS: line 2: label "99999999999999999999" is no class of model m: write one of a, b, c, a number '
     "from 0 to 2 in this order, or -1 for none; --codes or --map reads the numbers and words of others"),
    ("other_case.csv", "recording,label\nx,A\n", EVALUATE,
     'THIS: line 2: label "A" is no class of model m: write one of a, b, c, a number from 0 to 2 in this '
     "order, or -1 for none; --codes or --map reads the numbers and words of others"),
    ("fields_fewer.csv", "recording,label\nx\n", EVALUATE, "THIS: line 2 has 1 fields, the header 2"),
    ("no_recording.csv", "recording,label\n,1\n", EVALUATE, "THIS: line 2 has no name of a recording"),
    ("returns.csv", "recording,label\nx,1\ny,1\nx,1\n", EVALUATE,
     "THIS: line 4: recording x comes back after another; without a column step its lines must follow "
     "one another"),
    ("step_word.csv", "recording,step,label\nx,q,1\n", EVALUATE,
     'THIS: line 2: step "q" is not a whole number from 0 on'),
    ("step_minus.csv", "recording,step,label\nx,-1,1\n", EVALUATE,
     'THIS: line 2: step "-1" is not a whole number from 0 on'),
    ("step_fraction.csv", "recording,step,label\nx,1.5,1\n", EVALUATE,
     'THIS: line 2: step "1.5" is not a whole number from 0 on'),
    ("step_missing.csv", "recording,step,label\nx,1,1\nx,3,1\n", EVALUATE,
     "THIS: line 3: recording x has step 3, but only 2 lines; it needs each step from 1 on once"),
    ("step_first.csv", "recording,step,label\nx,2,1\nx,3,1\n", EVALUATE,
     "THIS: line 2: the first step of recording x is 2; steps count from 0 or 1"),
    ("step_again.csv", "recording,step,label\nx,0,1\ny,0,1\nx,0,1\n", EVALUATE,
     "THIS: line 4: recording x has step 0 on line 2 already"),
    ("cell_open.csv", 'recording,label\n"x,1\n', EVALUATE,
     'THIS: line 2: a quoted cell does not end; close it with "'),
    ("cell_closed.csv", 'recording,label\n"x"y,1\n', EVALUATE,
     "THIS: line 2: letters follow a closing quote; a quote inside a cell is written twice"),
    ("cell_lines.csv", 'recording,label\n"x\ny",1\n"z\nx",9\n', EVALUATE,
     'THIS: line 4: label "9" is no class of model m: write one of a, b, c, a number from 0 to 2 in this '
     "order, or -1 for none; --codes or --map reads the numbers and words of others"),
    ("hdf5.csv", b"\x89HDF\r\n\x1a\n....", EVALUATE,
     "THIS: is an HDF5 file, not a text file of steps; did you swap two arguments?"),
    # ---- codes and maps
    ("coded.csv", "recording,label\nx,0\nx,1\nx,8\n",
     'evaluate THIS -m sleep-aasm --codes nsrr --map "x y=N2"',
     'THIS: line 4, recording x, step 2: label "8" is no code of nsrr with x y=N2, which has "x y" N2, 0 '
     "Wake, 1 N1, 2 N2, 3 N3, 4 N3, 5 REM, 6 unscored, 9 unscored and names of stages; --map '8=Wake' or "
     "'8=unscored' says what it is"),
    ("coded_steps.csv", "recording,step,label\nx,1,0\nx,0,3\n",
     "evaluate THIS -m small.json --codes nsrr --map 0=N1",
     'THIS: line 3, recording x, step 0: label "3" is N3 in nsrr, for which the model has no class; say '
     "which it is, such as --map '3=Wake'"),
    ("coded_out.csv", "recording,step,label\nx,1,0\nx,0,9\n",
     "evaluate THIS -m sleep-aasm --codes dreem --map 7=N2",
     'THIS: line 3, recording x, step 0: label "9" is no code of dreem with 7=N2, which has 7 N2, -1 '
     "unscored, 0 Wake, 1 N1, 2 N2, 3 N3, 4 REM and names of stages; --map '9=Wake' or '9=unscored' says "
     "what it is"),
    ("fewer.csv", "recording,label\nx,0\nx,1\n", "evaluate THIS -m four.json --codes yasa --map 0=WAKE",
     'THIS: line 3, recording x, step 1: label "1" is N1 in yasa, for which the model has no class; say '
     "which it is, such as --map '1=WAKE'"),
    ("map_only.csv", "recording,label\nx,0\nx,3\n", "evaluate THIS -m sleep-aasm --map lab.txt",
     'THIS: line 3, recording x, step 1: label "3" is neither a class of the model nor in --map, which '
     "has 0 Wake, 1 N1, 2 N2, 8 unscored; --map '3=Wake' or '3=unscored' says what it is"),
    ("codes.csv", LABELS, "evaluate THIS -m sleep-aasm --codes aasm",
     "--codes aasm: it is yasa, sleep-edf, utime, pops, sleepecg, nsrr, profusion, rk, cap, dreem, elan, "
     "sleeptrip, physip, deltamed, dreams, fasst, respironics or words; other numbers and words are told "
     "one by one, such as --map '0=Wake,9=unscored'", 2),
    ("map_empty.csv", LABELS, 'evaluate THIS -m sleep-aasm --map "0=Wake,=N1"',
     "--map: \"=N1\" is not CODE=CLASS; write '0=Wake,5=REM,9=unscored'", 2),
    ("map_bare.csv", LABELS, 'evaluate THIS -m sleep-aasm --map "0=Wake,1"',
     "--map: \"1\" is not CODE=CLASS; write '0=Wake,5=REM,9=unscored'", 2),
    ("map_nothing.csv", LABELS, 'evaluate THIS -m sleep-aasm --map "0="',
     "--map: \"0=\" is not CODE=CLASS; write '0=Wake,5=REM,9=unscored'", 2),
    ("map_class.csv", LABELS, "evaluate THIS -m sleep-aasm --map 0=Sleepy",
     "--map: 0: model sleep-aasm has no class Sleepy; write Wake, N1, N2, N3, REM, or unscored", 2),
    ("map_twice.csv", LABELS, "evaluate THIS -m sleep-aasm --codes rk --map 0=Wake,0.0=N1",
     "--map: code 0.0 stands there twice", 2),
    ("map_words.csv", LABELS, "evaluate THIS -m sleep-aasm --codes rk --map a=Wake,a=N1",
     "--map: code a stands there twice", 2),
    ("map_set_class.csv", LABELS, 'evaluate THIS -m sleep-aasm --map "7=N1|N5"',
     "--map: 7: model sleep-aasm has no class N5; write Wake, N1, N2, N3, REM, or unscored", 2),
    ("map_set_empty.csv", LABELS, 'evaluate THIS -m sleep-aasm --map "7=N1||N2"',
     "--map: 7: write the classes of which it is one with | between them: 'NREM=N1|N2|N3'", 2),
    ("map_set_twice.csv", LABELS, 'evaluate THIS -m sleep-aasm --map "7=N1 | N1"',
     "--map: 7: class N1 stands there twice", 2),
    ("map_set_all.csv", LABELS, 'evaluate THIS -m sleep-aasm --map "7=Wake|N1|N2|N3|REM"',
     "--map: 7: these are all classes of model sleep-aasm; write '7=unscored'", 2),
    ("map_set_again.csv", LABELS, 'evaluate THIS -m sleep-aasm --map "7=N1|N2,7=N3"',
     "--map: code 7 stands there twice", 2),
    ("map_set_path.csv", LABELS, 'evaluate THIS -m sleep-aasm --map "7=N1|N2"',
     "--map: 7 (N1|N2) is several classes, and a path has one at each step", 2),
    ("map_file.csv", LABELS, "evaluate THIS -m sleep-aasm --map none/map.txt",
     "none/map.txt: cannot be opened: No such file or directory"),
    # ---- names of files
    ("missing.h5", None, COMPARE, "THIS: there is no such file"),
    ("scores/none/", {}, "compare scores/{id}.csv -m sleep-aasm",
     "scores/{id}.csv: there are no files of such a name; {id} stands for the recording, * for anything"),
    ("empty/", {}, COMPARE, "THIS: there is no such file"),
    ("nested/", {"n1/x.npy": P5}, COMPARE,
     "THIS: holds folders and no files of recordings; name these with a pattern, such as "
     "'THIS/{id}/scores.npy'"),
    ("mixed/", {"a.npy": P5, "b.csv": HEAD + ROW}, COMPARE,
     "THIS: this folder holds files *.npy and *.csv; name those that are meant with a pattern, such as "
     "'THIS/{id}.npy'"),
    ("twice/", {"n1.npy": P5}, "compare twice/{id}/{id}.npy -m sleep-aasm",
     "THIS/{id}/{id}.npy: {id} stands for the recording once in a name"),
    ("folders/", {"n1.npy": P5}, "compare folders twice -m sleep-aasm",
     "THIS: give either one folder, or one pattern with {id}, or files one by one"),
    ("gone/", {"n1.npy": P5}, "compare gone/n8.npy gone/n9.npy -m sleep-aasm",
     "THIS/n8.npy: there is no such file"),
    ("same/", {"n1/probs.npy": P5, "n2/probs.npy": P5},
     "compare same/n1/probs.npy same/n2/probs.npy -m sleep-aasm",
     "THIS/n1/probs.npy and THIS/n2/probs.npy both hold a recording probs; where the folder tells them "
     "apart name them with a pattern, such as '{id}/scores.npy'; another classifier of the THIS "
     "recordings is given with --against"),
    ("classes/", {"n1.npy": P5, "n2.npy": np.full((7, 4), .25)}, COMPARE + " --cv 2",
     "THIS/n2.npy: has 4 THIS, but THIS/n1.npy has 5; all files need the same (--transpose reads arrays "
     "[THIS, steps])"),
    ("names/", {"a.h5": {"probs": P5, "@classes": STAGES}, "b.h5": {"probs": P5,
     "@classes": STAGES[::-1]}},
     "compare names/a.h5 names/b.h5 -m sleep-aasm",
     "THIS/b.h5: class 0 is called 'REM', but 'Wake' in THIS/a.h5; all files need the same classes in "
     "the same order"),
    ("some_names/", {"a.h5": {"probs": P5, "@classes": STAGES}, "b.h5": {"probs": P5}},
     "compare some_names/a.h5 some_names/b.h5 -m sleep-aasm",
     "THIS/a.h5 names its classes, but THIS/b.h5 does not; name them in all files, or in none"),
    ("kinds/", {"a.h5": {"probs": P5}, "b.h5": {"logits": P5 * 9}},
     "compare kinds/a.h5 kinds/b.h5 -m sleep-aasm",
     "THIS/b.h5 holds logits, but THIS/a.h5 probs; say what all files are with --kind"),
    ("weights/", {"a.h5": {"probs": P5}, "b.h5": {"probs": P5, "weights": np.ones(30)}},
     "compare weights/a.h5 weights/b.h5 -m sleep-aasm",
     "THIS/b.h5 has THIS, but THIS/a.h5 has none; all files need the same"),
    ("all_bad/", {"a.npy": "nothing\n" * 9, "b.npy": "nothing\n" * 9}, COMPARE,
     "THIS/a.npy: looks like a text file, which is not read; labels, one a line, are read where a model "
     "names their classes (--model or --rules M) and the name ends in .txt, .csv, .tsv, .hyp or .eannot; "
     "scores are a table with a column a class"),
    ("only_in/", {"s/a.npy": P5, "s/b.npy": P5, "l/a.npy": np.zeros(30, int)},
     "compare only_in/s --labels only_in/l -m sleep-aasm",
     "THIS/s and THIS/l do not match; only in THIS/s: b; --only LIST, a text with a recording a line, "
     "chooses those that are meant"),
    ("more_in/", {"s/a.npy": P5, "l/a.npy": np.zeros(30, int), "l/b.npy": np.zeros(30, int)},
     "compare more_in/s --labels more_in/l -m sleep-aasm",
     "THIS/s and THIS/l do not match; only in THIS/l: b; --only LIST, a text with a recording a line, "
     "chooses those that are meant"),
    ("steps/", {"s.npy": P5, "l.npy": np.zeros(28, int)},
     "compare steps/s.npy --labels steps/l.npy -m sleep-aasm",
     "THIS/s.npy and THIS/l.npy do not match; THIS differ: number 0 (30 and 28); see that both begin at "
     "the same step, then --trim-to-shortest leaves out the last ones of the longer"),
    ("tail/", {"s.npy": P5[:28], "l.txt": "Wake\n" * 28 + "?\n?\n"},
     "compare tail/s.npy --labels tail/l.txt -m sleep-aasm",
     "THIS/s.npy and THIS/l.txt do not match; steps differ: number 0 (28 and 30); the last 2 labels are "
     "unscored; see that both begin at the same step, then --trim-to-shortest leaves out the last ones "
     "of the longer"),
    ("header/", {"s.npy": P5, "l.csv": "0\n" + "Wake\n" * 30},
     "compare header/s.npy --labels header/l.csv -m sleep-aasm",
     "THIS/s.npy and THIS/l.csv do not match; steps differ: number 0 (30 and 31); the first line of "
     'THIS/l.csv, "0", may be a THIS, as pandas writes one: delete it, or write THIS=False'),
    ("label_high/", {"p.npy": np.array([0, 1, 2]), "l.npy": np.array([0, 1, 5])},
     "evaluate label_high/p.npy --labels label_high/l.npy -m sleep-aasm",
     "THIS/l.npy: label 5, but model sleep-aasm has 5 classes; unscored steps are -1, and --codes "
     "or --map reads others' numbers"),
    ("label_below/", {"p.npy": np.array([0, 1, 2]), "l.npy": np.array([0, -2, 1])},
     "evaluate label_below/p.npy --labels label_below/l.npy -m sleep-aasm",
     "THIS/l.npy, recording l, step 1: label -2 is not the number of a class; unscored steps are -1"),
    ("label_code/", {"p.npy": np.array([0, 1, 2]), "l.npy": np.array([0, 77, 1])},
     "evaluate label_code/p.npy --labels label_code/l.npy -m sleep-aasm --codes nsrr",
     "the labels of THIS/l.npy are read by nsrr, as the paths are; if they are coded otherwise, "
     "statepath.sleep.compare_hypnograms() of Python reads each by codes of its own\nstatepath: "
     'THIS/l.npy, recording l, step 1: label "77" is no code of nsrr, which has 0 Wake, 1 N1, 2 N2, 3 '
     "N3, 4 N3, 5 REM, 6 unscored, 9 unscored and names of stages; --map '77=Wake' or "
     "'77=unscored' says what it is"),
    ("row_ends/", {"s.npy": np.log(P5).reshape(3, 10, 5), "l.npy": np.where(np.arange(30) % 10 > 7, -1,
     0).reshape(3, 10)},
     "compare row_ends/s.npy --labels row_ends/l.npy -m sleep-aasm",
     "THIS/l.npy: row 0 ends without a label, and nothing says how long the rows of THIS/s.npy are; -100 "
     "marks what is padding, or write both into one .npz file with an array lengths [3] (all 10 when "
     "nothing is padded)"),
    ("row_path/", {"p.npy": np.zeros((3, 10), int), "l.npy": np.where(np.arange(30) % 10 > 7, -1,
     0).reshape(3, 10)},
     "evaluate row_path/p.npy --labels row_path/l.npy -m sleep-aasm",
     "THIS/l.npy: row 0 ends without a label, and nothing says how long the rows of THIS/p.npy are; -100 "
     "marks what is padding, or write both into one .npz file with an array lengths [3] (all 10 when "
     "nothing is padded)"),
    ("row_holes/", {"p.npy": np.zeros((3, 10), int), "l.npy": np.where(np.arange(30) % 10 == 7, -100,
     0).reshape(3, 10)},
     "evaluate row_holes/p.npy --labels row_holes/l.npy -m sleep-aasm",
     "THIS/l.npy: the array has a hole: step 7 of recording 0 takes no part (-100), and a later one "
     "does; --gaps join makes its neighbours adjacent, --gaps break begins a new segment after it"),
    # ---- options that speak of what is not there
    ("gaps_word.npy", P5, "compare THIS -m sleep-aasm --gaps leave",
     "--gaps leave: it is join (the neighbours of a hole become adjacent) or break (a new segment begins "
     "after it)", 2),
    ("gaps_nothing.npy", P5, "decode THIS -m sleep-aasm --gaps join -o out.h5",
     "--gaps speaks of steps that take no part, and nothing here says which these are: --labels FILE, "
     "where they are -100, or an array valid, attention_mask or word_ids beside the scores", 2),
    ("unscored.npy", P5, "compare THIS -m sleep-aasm --unscored -5",
     "--unscored -5: it is -100, or -1, which is unscored always; --map 'N=unscored' names others", 2),
    ("codes_no_labels.h5", {"probs": P5}, "compare THIS -m sleep-aasm --codes nsrr",
     "--codes and --map read labels, and THIS has none; --labels PATH says where they are", 2),
    ("map_no_labels.h5", {"probs": P5}, "compare THIS -m sleep-aasm --map 0=Wake",
     "--codes and --map read labels, and THIS has none; --labels PATH says where they are", 2),
    ("codes_no_model.npz", {"probs": P5, "labels": np.zeros(30, int)},
     "convert THIS -o out.h5 --codes nsrr",
     "--codes and --map speak of classes; --model M says which they are, for example sleep-aasm", 2),
    ("codes_no_rules.npy", np.zeros(30, int), "fit THIS -o out.json --codes nsrr",
     "--codes and --map speak of classes; --rules M says which they are, for example sleep-permissive", 2),
    ("trim_paths.csv", LABELS, "evaluate THIS -m sleep-aasm --trim-to-shortest",
     "--trim-to-shortest needs --labels FILE: labels beside scores or paths are as long as these", 2),
    ("confidence_0.csv", LABELS, "decode THIS -m sleep-aasm -o out.h5 --label-confidence 0",
     "--label-confidence 0: how often the labels are right, a number above 0 and at most 1", 2),
    ("confidence_high.csv", LABELS, "decode THIS -m sleep-aasm -o out.h5 --label-confidence 1.5",
     "--label-confidence 1.5: how often the labels are right, a number above 0 and at most 1", 2),
    ("decided.csv", LABELS, "decode THIS -m sleep-aasm -o out.h5",
     "THIS holds decided classes and no scores; --label-confidence P says how often they are right, or a "
     'model with a "labeller", which `statepath fit` learns from them and --labels REFERENCE, does'),
    ("decided_high.npy", np.array([0, 1, 5]), "decode THIS -m sleep-aasm -o out.h5 --label-confidence .9",
     "THIS: recording decided_high, step 2: label 5, but there are 5 classes; unscored steps are -1, and "
     "--codes or --map reads others' numbers"),
    ("decided_flags.npy", np.array([0, 1, 1], bool),
     "decode THIS -m sleep-aasm -o out.h5 --label-confidence .9",
     "THIS: holds bool [3]: labels, not scores; scores are floats [steps, classes], beside which "
     "--labels names these"),
    # ---- names of outputs
    ("x.txt", P5, "decode probs.npy -m sleep-aasm -o out.txt",
     "-o out.txt: .txt is not written here; end the name with .annot .eannot .ids .edf .conll .bio .iob "
     ".iob2 .bioes .bilou .bmes .csv .tsv .npy .npz .jsonl .ndjson, or with .h5 .hdf5 .he5, or give it "
     "no ending: HDF5", 2),
    ("x.mat", P5, "decode probs.npy -m sleep-aasm -o out.mat",
     "-o out.mat: .mat is not written here; end the name with .annot .eannot .ids .edf .conll .bio .iob "
     ".iob2 .bioes .bilou .bmes .csv .tsv .npy .npz .jsonl .ndjson, or with .h5 .hdf5 .he5, or give it "
     "no ending: HDF5", 2),
    ("x.parquet", P5, "decode probs.npy -m sleep-aasm -o out.parquet",
     "-o out.parquet: .parquet is not written here; end the name with .annot .eannot .ids .edf .conll "
     ".bio .iob .iob2 .bioes .bilou .bmes .csv .tsv .npy .npz .jsonl .ndjson, or with .h5 .hdf5 .he5, or "
     "give it no ending: HDF5", 2),
    ("x.NPYX", P5, "decode probs.npy -m sleep-aasm -o out.NPYX",
     "-o out.NPYX: .NPYX is not written here; end the name with .annot .eannot .ids .edf .conll .bio "
     ".iob .iob2 .bioes .bilou .bmes .csv .tsv .npy .npz .jsonl .ndjson, or with .h5 .hdf5 .he5, or give "
     "it no ending: HDF5", 2),
    ("three.npy", P5, "compare THIS -m sleep-aasm -o out.npy",
     "-o out.npy: an .npy holds one array, and there are paths of 3 strategies; write .npz or .h5", 2),
    ("two.npz", {"probs": P5, "offsets": [0, 10, 30]}, "decode THIS -m sleep-aasm -o out.npy",
     "-o out.npy: an .npy holds the path of one recording, and there are 2; write .npz or .h5", 2),
    ("turned.npz", {"probs": P5, "classes": ["N1", "N2", "N3", "REM", "Wake"]},
     "decode THIS -m sleep-aasm -o out.npy",
     "-o out.npy: its numbers would be columns of the scores, which are in another order than the "
     "model's classes, and an .npy has no names to say so; write .npz, .csv or .h5", 2),
    ("convert.npy", P5, "convert THIS -o out.npz",
     "-o out.npz: .npz is not written here; end the name with .conll, or with .h5 .hdf5 .he5, or give it "
     "no ending: HDF5", 2),
    ("convert_none.npy", P5, "convert THIS", "-o OUT.h5 is missing: where to write the recordings", 2),
    ("convert_input.npz", {"probs": P5}, "convert THIS -o THIS -f",
     "THIS: is the input file, which is never written to; give the output another name", 2),
    ("convert_names.npy", P5, "convert THIS --labels sleep.txt -o out.h5",
     "THIS names no classes; --model M says which they are, for example sleep-aasm", 2),
    ("convert_labels.npy", P5[:3], "convert THIS --labels sleep.txt -m sleep-aasm -o sleep.txt -f",
     "sleep.txt: is the file of labels, which is never written to; give the output another name", 2),
    ("input.npy", P5, "compare THIS -m sleep-aasm -o THIS -f",
     "THIS: is the input file, which is never written to; give the output another name", 2),
    ("json_input.npy", P5, "compare THIS -m sleep-aasm --json THIS -f",
     "THIS: is the input file, which is never written to; give the output another name", 2),
    # ---- places that cannot be written
    ("folder.npy", P5, "decode probs.npy -m sleep-aasm -o folder/",
     "folder/ is a folder; name a file in it"),
    ("no_folder.npy", P5, "decode probs.npy -m sleep-aasm -o no/such/out.h5",
     "no/such/out.h5 cannot be written: folder no/such/: No such file or directory"),
    ("device.npy", P5, "decode probs.npy -m sleep-aasm -o /dev/null",
     "/dev/null: is not an ordinary file; give the name of a file"),
    ("one_dataset.npy", P5, "compare THIS -m sleep-aasm -s beam:2,beam:3 -o out.h5",
     "beam:2 and beam:3 would both be written to /paths/beam; write them to two files with `statepath "
     "decode`", 2),
    ("label_map.csv", "recording,label\nx,5\n",
     "evaluate path.csv --labels THIS -m sleep-aasm --codes dreem --map 7=N2",
     "the labels of THIS are read by dreem with 7=N2, as the paths are; if they are coded otherwise, "
     "statepath.sleep.compare_hypnograms() of Python reads each by codes of its own\nstatepath: "
     'THIS: line 2, recording x, step 0: label "5" is no code of dreem with 7=N2, which has 7 N2, -1 '
     "unscored, 0 Wake, 1 N1, 2 N2, 3 N3, 4 REM and names of stages; --map '5=Wake' or "
     "'5=unscored' says what it is"),
]
MODEL = '{"statepath_model": 1, "classes": [%s], "forbid": {}}'
BESIDE = {
    "two.json": MODEL % '"a", "b"',
    "small.json": MODEL % '"Wake", "N1", "N2"',
    "four.json": MODEL % '"WAKE", "Light", "Deep", "REM"',
    "lab.txt": "# what the lab writes\n0 = Wake\r\n\n1=N1, 2=N2\n#3=REM\n8=unscored\n",
    "probs.npy": P5,
    "path.csv": LABELS,
}


class TestTexts(TestFaulty):
    def test_each_gets_its_sentence(self):
        for name, data in BESIDE.items():
            put(self.path(name), data)
        st.os.mkdir(self.path("folder"))
        self.table(ROWS)


if __name__ == "__main__":
    st.main()

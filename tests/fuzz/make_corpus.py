"""Writes the seeds of tests/fuzz/corpus that are made, not found: python3 tests/fuzz/make_corpus.py. What past findings left there stays.

Each is a few bytes in the language of its target: see the head of fuzz_<target>.c.
"""
import io
import os
import random

import numpy as np

try:
    import scipy.io
except ImportError:
    scipy = None

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "corpus")


def put(target, name, data):
    folder = os.path.join(HERE, "fuzz_" + target)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name), "wb") as out:
        out.write(data)


random.seed(1)
for i in range(8):  # whole files of each kind, by its reader and by another one, and some bytes changed
    put("flips", "whole%d" % i, bytes([i]))
    reader = (1, 2, 3, 4, 1, 2, 0, 3)[i]  # scores, paths, labels, signals, weights
    put("flips", "other%d" % i, bytes([192 + 8 * ((reader + 1) % 5) + i]))
    put("flips", "changed%d" % i, bytes([i]) + bytes(random.randrange(256) for _ in range(3 * 8)))
for i in range(12):
    put("scores", "bytes%d" % i, bytes(random.randrange(256) for _ in range(300)))
for layout in range(4):  # no byte but the layout and sizes: a plain file
    for target in ("scores", "reports"):
        put(target, "plain%d" % layout, bytes([0, 0, layout, 1, 6, 2] + [0] * 60))


def arrays(kind, save, **arrays_by_name):
    """A file of numpy, by what is looked for in it: 2 scores, 6 the same transposed, 0 scores or labels, 1 paths."""
    out = io.BytesIO()
    save(out, **arrays_by_name)
    return bytes([kind]) + out.getvalue()


PROBS = np.array([[.5, .25, .25], [0, 1, 0], [.25, .5, .25], [.125, .125, .75]])
for number, dtype in enumerate(("<f8", ">f4", "<f2")):
    put("arrays", "npy%d" % number, arrays(2, np.save, arr=PROBS.astype(dtype)))
put("arrays", "npy_fortran", arrays(2, np.save, arr=np.asfortranarray(PROBS)))
put("arrays", "npy_transposed", arrays(6, np.save, arr=np.ascontiguousarray(PROBS.T)))
put("arrays", "npy_batch", arrays(2, np.save, arr=PROBS.reshape(2, 2, 3)))
put("arrays", "npy_labels", arrays(0, np.save, arr=np.array([0, 1, -1, 2], "i2")))
put("arrays", "npy_path", arrays(1, np.save, arr=np.array([[0, 1], [-1, 2]], "i1")))
PACKED = dict(probs=PROBS, labels=[0, 1, -1, 2], offsets=[0, 3, 4], ids=["a", "\u00e4"], classes=["Wake", "N1", "a b"])
put("arrays", "npz_stored", arrays(2, np.savez, **PACKED))
put("arrays", "npz_deflated", arrays(2, np.savez_compressed, **PACKED))
put("arrays", "npz_padded", arrays(2, np.savez, probs=PROBS.reshape(2, 2, 3), valid=[[True, False], [True, True]], mask=PROBS.reshape(2, 2, 3) > 0))
put("arrays", "npz_groups", arrays(2, np.savez, n1=PROBS, n2=PROBS[:2].astype("f4")))
put("arrays", "npz_paths", arrays(1, np.savez, **{"paths/viterbi": np.array([0, 1, 2]), "labels": np.array([0, -1, 2])}))
put("arrays", "csv", b"\2recording,step,label,Wake,N1,a b\n\"n, 1\",0,N1,0.5,.25,2.5e-1\n\"n, 1\",1,,0,1,0\r\nn2,0,2,nan,,inf\n")
put("arrays", "tsv", b"\2Wake\tN1\n0.5\t0.5\n0.1000000000000000055511151231257827\t0.9\n")
put("arrays", "savetxt", b"\2# Wake;N1\n-0.69;-0.70\n1e-400;-1e+400\n")
put("arrays", "blanks", b"\2 0.5  0.5 \n1 0\n")
# MATLAB, as scipy.io writes it, with a header that does not tell the day
MATLAB = dict(probs=PROBS, labels=np.array([1, 2, 3, 1]), classes=np.array(["Wake", "N1", "a b"], object))
CELLS = np.empty(2, object)
CELLS[:] = [PROBS.astype("f4"), PROBS[:1]]
for name, kind, arrays_by_name, packed in (("plain", 2, MATLAB, False), ("packed", 2, MATLAB, True), ("inside", 66, MATLAB, False),
                                           ("words", 2, dict(probs=PROBS, labels=np.array(["N1", "Wake", "a b", ""], object)), False),
                                           ("cells", 2, dict(probs=CELLS), False), ("paths", 1, dict(labels=np.array([0, 1, -1], "i2")), False)):
    if not scipy:
        print("left as it is: fuzz_matlab/" + name)
        continue
    data = arrays(kind, scipy.io.savemat, do_compression=packed, **{"mdict": arrays_by_name})
    put("matlab", name, data[:1] + b"MATLAB 5.0 MAT-file".ljust(116) + data[117:])
# events: the low bits of the first byte choose the ending (.edf .xml .annot .ids .tsv .txt .vis, none), the next two the step
XML = b'<?xml version="1.0"?><%s><EpochLength>30</EpochLength>%s</%s>'
NSRR = b"".join(b"<ScoredEvent><EventType>Stages|Stages</EventType><EventConcept>%s</EventConcept><Start>%d</Start><Duration>30.0</Duration></ScoredEvent>"
                % event for event in ((b"Wake|0", 0), (b"REM sleep|5", 45)))
EDF_LISTS = b"+0\x14\x14\0+0\x1560\x14Sleep stage W\x14Lights off\x14\0+60.5\x14Sleep stage ?\x14\0"
EDF = (b"0".ljust(184) + b"512".ljust(8) + b"EDF+C".ljust(44) + b"1".ljust(8) + b"0".ljust(8) + b"1".ljust(4) + b"EDF Annotations ".ljust(216) +
       b"40".ljust(40) + EDF_LISTS.ljust(80, b"\0"))
put("events", "edf", b"\0" + EDF)
put("events", "nsrr", b"\1" + XML % (b"PSGAnnotation", b"<ScoredEvents>" + NSRR + b"</ScoredEvents>", b"PSGAnnotation"))
put("events", "profusion", b"\1" + XML % (b"CMPStudyConfig", b"<SleepStages><SleepStage>0</SleepStage><SleepStage>9</SleepStage></SleepStages>",
                                          b"CMPStudyConfig"))
put("events", "annot", b"\2class\tinstance\tchannel\tstart\tstop\tmeta\nW\t.\t.\te:1\t+60\t.\nN1 23:59:30 0:00:30\nSleepStage R 0+00:02:00 ...\n")
put("events", "ids", b"\x0b0,60,W\n60,2.5e1,REM\n")
put("events", "table", b"\4onset\tduration\tstage\n0\tn/a\tW\n45.5\t30\tN1\n")
put("events", "mne", b"\5# MNE-Annotations\n# onset, duration, description\n1970-01-01 00:00:30, 60.0, Sleep stage 1\n")
put("events", "visbrain", b"\5*Duration_sec\t90\nWake\t60\nREM\t90\n")
put("events", "elan", b"\7time_base 1.0\nsampling_period 0.01\nepoch_nb 3\nepoch_list\n0\n-1\n5\n")
put("events", "dreams", b"\7[HypnogramAASM]\n5\n4\n-1\n")
put("events", "stg", b"\7Epoch\tUser-Defined Stage\n1\t0\n4\t5\n")
put("events", "vis", b"\x060\n1 0\n4 r\n5 e\n")
put("events", "remlogic", b"\5RemLogic Event Export\nTime [hh:mm:ss]\tEvent\tDuration[s]\n11:59:30 PM\tSLEEP-S0\t30\n12:00:10 AM\tMCAP-A1\t4\n")
put("events", "domino", b"\5Signal ID: x\nStart Time: 17.11.2010 23:59:30\nRate: 30 s\n\n23:59:30,000; Wake\n17.11.2010 00:00:00,000; 3\n")
put("lzf", "literal", bytes([5, 0, 5]) + b"abcdef")
put("lzf", "repeat", bytes([20, 0, 0]) + b"a" + bytes([0xE0, 8, 0]))
put("lzf", "back", bytes([9, 0, 2]) + b"abc" + bytes([0x20, 2, 0x20, 2]))
put("words", "formula.csv", b"recording,label\n'=1+1,Wake\n\"''-1\",N1\n")
put("words", "codes", b"0=Wake, 5=N1, ?=unscored")
put("model", "sparse", b'{"statepath_model": 1, "classes": ["a", "b"], "allow": {"a": ["a", "b"], "b": ["b"]}, "min_dwell": {"a": 2}}')
put("model", "durations", b'{"statepath_model": 1, "classes": ["a", "b"], "forbid": {}, "durations": {"a": {"min": 2, "max": 3}, "b": {"pmf": [0, 2, 0.5]}}, '
    b'"durations_at_ends": "whole"}')
put("model", "distributions", b'{"statepath_model": 1, "classes": ["a", "b", "c"], "forbid": {"a": ["a"]}, "durations": {"a": {"negative_binomial": '
    b'{"mean": 4.5, "dispersion": 2}}, "b": {"log_normal": {"median": "1h", "sigma": 0.5}, "max": 30}, "c": {"poisson": {"mean": 3}, "min": 2}}, '
    b'"durations_at_ends": {"start": "whole"}}')
put("model", "states", b'{"statepath_model": 1, "classes": ["a", "b"], "states": {"a1": "a", "a2": "a", "b": "b"}, "forbid": {"a1": ["b"]}, "start": ["a1"]}')

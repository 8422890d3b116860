"""Labels from files of events: EDF+ annotations, XML, .annot, .ids, tables and hypnograms of other programs."""
import json
import os

import h5py
import numpy as np

import statepath_test as st

STAGES = ["Wake", "N1", "N2", "N3", "REM"]
W, N1, N2, N3, R, U = 0, 1, 2, 3, 4, -1
MODEL = ["--model", "sleep-permissive"]


def edf(tals, signals=0, plus=True, records=1, sample_bytes=2, header_records=None):
    """An EDF+ file: annotations alone, or behind signals of 4 samples a record. tals: bytes of each record."""
    ns = signals + plus
    tals = tals if isinstance(tals, list) else [tals]
    longest = max(map(len, tals))
    samples = -(-longest // sample_bytes)
    label = b"EDF Annotations " if sample_bytes == 2 else b"BDF Annotations "
    head = (b"0       " if sample_bytes == 2 else b"\xffBIOSEMI") + b"X X X X".ljust(80) + b"Startdate X X X X".ljust(80)
    head += b"01.01.85" + b"22.00.00" + str(256 * (ns + 1)).encode().ljust(8) + b"EDF+C".ljust(44)
    head += str(len(tals) if header_records is None else header_records).encode().ljust(8) + b"30".ljust(8) + str(ns).encode().ljust(4)
    labels = [b"EEG Fpz-Cz      "] * signals + [label] * plus
    sizes = [4] * signals + [samples] * plus
    head += b"".join(labels) + b"".join(b" " * 80 for _ in labels) + b" " * 8 * ns
    for low_high in ((b"-1", b"1"), (b"-32768", b"32767")):
        for value in low_high:
            head += value.ljust(8) * ns
    head += b" " * 80 * ns + b"".join(str(n).encode().ljust(8) for n in sizes) + b" " * 32 * ns
    return head + b"".join(b"\x01" * (signals * 4 * sample_bytes) + tal.ljust(samples * sample_bytes, b"\0") for tal in tals)


def tal(onset, duration, *texts):
    return b"+%s" % str(onset).encode() + (b"\x15%s" % str(duration).encode() if duration is not None else b"") + b"\x14" + b"".join(
        text.encode() + b"\x14" for text in texts) + b"\0"


def nsrr(events, epoch=30):
    """events: (type, concept, start, duration)."""
    return ("<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n<PSGAnnotation>\n<SoftwareVersion>Compumedics</SoftwareVersion>\n"
            "<EpochLength>%g</EpochLength>\n<ScoredEvents>\n" % epoch +
            "".join("<ScoredEvent>\n<EventType>%s</EventType>\n<EventConcept>%s</EventConcept>\n<Start>%s</Start>\n<Duration>%s</Duration>\n"
                    "</ScoredEvent>\n" % event for event in events) + "</ScoredEvents>\n</PSGAnnotation>\n")


def stage(concept, start, duration):
    return "Stages|Stages", concept, start, duration


def profusion(codes, epoch="<EpochLength>30</EpochLength>"):
    return "<CMPStudyConfig>%s<ScoredEvents></ScoredEvents>\n<SleepStages>\n%s</SleepStages>\n</CMPStudyConfig>\n" % (
        epoch, "".join("<SleepStage>%s</SleepStage>\n" % code for code in codes))


class Events(st.TestCase):
    def evaluated(self, name, content, n, seconds=30., paths=None, options=(), status=0, stderr=""):
        """Evaluates paths of n steps by the file; returns what the program said."""
        if isinstance(content, str):
            content = content.encode()
        with open(self.path(name), "wb") as out:
            out.write(content)
        with h5py.File(self.path("p.h5"), "w") as f:
            f["paths/x"] = np.array(paths if paths is not None else [0] * n, "i2")
            f.attrs["classes"] = STAGES
            if seconds:
                f.attrs["epoch_seconds"] = seconds
        return self.statepath("evaluate", "p.h5", "--labels", name, *MODEL, "--json", "-", *options, status=status, stderr=stderr)

    def reads(self, name, content, labels, stderr="", **how):
        """The file's labels are these: paths that are the same agree at each scored step, and no other step is scored."""
        result = json.loads(self.evaluated(name, content, len(labels), paths=labels, stderr=stderr, **how).stdout)
        confusion = np.array(result["strategies"]["x"]["confusion"])
        expected = np.bincount([k for k in labels if k >= 0], minlength=5)
        np.testing.assert_array_equal(confusion, np.diag(expected), name)
        self.assertEqual(result["input"]["scored_steps"], expected.sum(), name)

    def wrong(self, name, content, sentence, n=2, **how):
        self.evaluated(name, content, n, status=1, stderr="statepath: %s\n" % sentence, **how)


class TestRules(Events):
    """The engine: what a step takes of the events in it."""

    def ids(self, *rows):
        return "".join("%s,%s,%s\n" % row for row in rows)

    def test_most_of_a_step(self):
        self.reads("n.ids", self.ids((0, 40, "W"), (40, 20, "N1"), (60, 30, "N2")), [W, N1, N2])
        # ties: the earlier
        self.reads("n.ids", self.ids((0, 45, "W"), (45, 45, "N1")), [W, W, N1])
        # of three labels the one that covers most, though it comes twice
        self.reads("n.ids", self.ids((0, 8, "N2"), (8, 12, "N3"), (20, 10, "N2")), [N2])
        # exact: a nanosecond more than half
        self.reads("n.ids", self.ids((0, "14.999999999", "W"), ("14.999999999", "15.000000001", "REM")), [R])

    def test_gaps(self):
        self.reads("n.ids", self.ids((0, 30, "W"), (90, 30, "REM")), [W, U, U, R])
        # a gap competes: ten seconds of 30 are not most of a step; of 15 the label is the earlier
        self.reads("n.ids", self.ids((0, 40, "W"), (90, 30, "REM")), [W, U, U, R])
        self.reads("n.ids", self.ids((0, 45, "W"), (90, 30, "REM")), [W, W, U, R])
        self.reads("n.ids", self.ids((15, 45, "W")), [U, W])
        self.reads("n.ids", self.ids((0, 30, "UNKNOWN"), (30, 30, "W")), [U, W])

    def test_end(self):
        """The last step is there where at least half of it is."""
        self.reads("n.ids", self.ids((0, 74, "W")), [W, W])
        self.reads("n.ids", self.ids((0, 75, "W")), [W, W, W])
        self.wrong("n.ids", self.ids((0, 14, "W")), "n.ids: its stages end before half a step of 30 s has passed")

    def test_length_of_steps(self):
        rows = self.ids((0, 60, "W"), (60, 30, "N1"))
        self.reads("n.ids", rows, [W] * 6 + [N1] * 3, seconds=10.)
        self.reads("n.ids", rows, [W, W, N1], seconds=None, stderr="statepath: note: n.ids: a step is taken for 30 s\n")
        self.reads("n.ids", rows, [W] * 4 + [N1] * 2, seconds=None, options=["--epoch-seconds", "15"])
        # a third of a second has no end in decimals
        self.reads("n.ids", self.ids((0, 10, "W"), (10, 10, "N1")), [W] * 30 + [N1] * 30, seconds=1 / 3)
        self.wrong("n.xml", nsrr([stage("Wake|0", 0, 60)]), "n.xml: its labels are every 30 s, the scores every 20 s; score the recording in "
                   "the same steps", seconds=20.)
        self.reads("n.xml", nsrr([stage("Wake|0", 0, 60)]), [W] * 6, seconds=10.)

    def test_overlap(self):
        self.wrong("n.ids", self.ids((0, 30, "W"), (30, 45, "N2"), (60, 30, "REM")),
                   "n.ids: line 2 (N2, 30 s to 75 s) and line 3 (REM, 60 s to 90 s) overlap: a recording has one stage at a time; take out "
                   "one of them", n=3)
        # in any order of the lines, and hidden behind a short one
        self.wrong("n.ids", self.ids((60, 30, "REM"), (0, 90, "W"), (30, 10, "W")),
                   "n.ids: line 2 (W, 0 s to 90 s) and line 1 (REM, 60 s to 90 s) overlap: a recording has one stage at a time; take out one of "
                   "them", n=3)
        # the same stage twice is no contradiction, nor is a difference of rounding
        self.reads("n.ids", self.ids((0, 60, "W"), (30, 60, "W")), [W, W, W])
        self.reads("n.ids", self.ids((0, "30.0005", "W"), (30, 30, "N2")), [W, N2])

    def test_tail(self):
        rows = self.ids((0, 60, "W"), (60, 30, "UNKNOWN"))
        self.wrong("n.ids", rows, "p.h5 and n.ids do not match; steps differ: number 0 (2 and 3); the last 1 label is unscored; see that both "
                   "begin at the same step, then --trim-to-shortest leaves out the last ones of the longer")
        self.evaluated("n.ids", rows, 2, options=["--trim-to-shortest"])
        self.wrong("n.ids", self.ids((0, 90, "W")), "p.h5 and n.ids do not match; steps differ: number 0 (2 and 3); see that both begin at "
                   "the same step, then --trim-to-shortest leaves out the last ones of the longer")

    def test_other_words(self):
        """--codes and --map come before the words of the format; a model has words of its own."""
        rows = self.ids((0, 30, "0"), (30, 30, "x y"))
        self.wrong("n.ids", rows, 'n.ids: line 2: label "x y" is no code of utime, which has 0 Wake, 1 N1, 2 N2, 3 N3, 4 REM, 5 unscored and '
                   "names of stages; --map 'x y=Wake' or 'x y=unscored' says what it is")
        self.reads("n.ids", rows, [R, N1], options=["--map", "0=REM,x y=N1"])
        self.reads("n.ids", self.ids((0, 30, "5"), (30, 30, "w")), [R, W], options=["--codes", "nsrr"])
        self.write("m.json", json.dumps({"statepath_model": 1, "name": "m", "classes": ["sit", "walk"],
                                         "allow": {"sit": ["sit", "walk"], "walk": ["sit", "walk"]}}))
        self.write("a.tsv", "onset\tduration\ttrial_type\n0\t1.5\tsit\n1.5\tn/a\twalk\n4\t0.2\tblink\n4\t1\tsit\n")
        self.write("p.csv", "label\nsit\nsit\nsit\nwalk\nwalk\nwalk\nwalk\nwalk\nsit\nsit\n")
        done = self.statepath("evaluate", "p.csv", "--labels", "a.tsv", "--model", "m.json", "--epoch-seconds", "0.5", "--json", "-",
                              stderr="statepath: note: a.tsv: 1 event that is no stage passed over: blink\n")
        self.assertEqual(json.loads(done.stdout)["strategies"]["p"]["accuracy"], 1)


class TestFormats(Events):
    LABELS = [W, W, N1, N2, N3, U, R]

    def test_edf(self):
        rows = [(0, 60, "Sleep stage W"), (60, 30, "Sleep stage N1"), (90, 30, "Sleep stage 2"), (120, 30, "Sleep stage 4"), (150, 30,
                "Sleep stage ?"), (180, 30, "Sleep stage R")]
        body = b"+0\x14\x14\0" + b"".join(tal(*row) for row in rows)
        self.reads("n.edf", edf(body), self.LABELS)
        self.reads("n.bdf", edf(body, sample_bytes=3), self.LABELS)
        # beside signals, an annotation list in each record; several texts at a time; other annotations
        parts = [b"+0\x14\x14\0" + tal(0, 60, "Lights off", "Sleep stage W")] + [
            b"+%d\x14\x14\0" % (30 * i) + tal(*row) for i, row in enumerate(rows[1:], 1)]
        self.reads("n.edf", edf(parts, signals=2), self.LABELS, stderr="statepath: note: n.edf: 1 event that is no stage passed over: Lights "
                                                                       "off\n")
        # stages without a duration last until the next, whatever stands between
        bare = b"+0\x14\x14\0" + b"".join(tal(row[0], None, row[2]) for row in rows) + tal(45, 3, "Arousal") + tal(46, None, "Movement")
        self.reads("n.edf", edf(bare), self.LABELS,
                   stderr="statepath: note: n.edf: 2 events that are no stage passed over: Arousal, Movement\n")
        # a recording that begins within a second, and one that was not closed
        late = b"+0.5\x14\x14\0" + b"".join(tal(row[0] + .5, *row[1:]) for row in rows)
        self.reads("n.edf", edf(late), self.LABELS)
        short = b"+0.75\x14\x14\0" + tal(.75, 1, "Sleep stage W") + tal(1.75, 2, "Sleep stage 2")
        self.reads("n.edf", edf(short), [W, N2, N2], seconds=1.)
        self.reads("n.edf", edf(body, header_records=-1), self.LABELS)

    def test_broken_edf(self):
        body = b"+0\x14\x14\0" + tal(0, 60, "Sleep stage W")
        whole = edf(body)
        again = "; it is no whole EDF+ file, write it again"
        self.wrong("n.edf", edf(body, signals=3, plus=False), "n.edf: is an EDF recording of 3 signals without annotations: neither labels nor "
                   "scores of a classifier; the hypnogram is mostly in another file beside it")
        self.wrong("n.edf", whole[:-4], "n.edf: is cut short: its header says 1 records of 26 bytes, it ends at byte 534 in record 0")
        self.wrong("n.edf", whole[:300], "n.edf: is cut short: it ends at byte 300, where 256 bytes from byte 256 on are expected")
        self.wrong("n.edf", whole[:252] + b"0   " + whole[256:], "n.edf: byte 252: no number of signals" + again)
        self.wrong("n.edf", whole[:184] + b"999     " + whole[192:], "n.edf: byte 184: the length of the header is not that of its signals" +
                   again)
        self.wrong("n.edf", whole[:236] + b"x       " + whole[244:], "n.edf: byte 236: no number of records" + again)
        self.wrong("n.edf", edf(b"+0\x14\x14\0" + b"x\x14W\x14\0"), "n.edf: byte 517: no annotation, which begins with + or - and a number of "
                   "seconds" + again)
        self.wrong("n.edf", edf(b"+0\x14\x14\0" + tal("1.2.3", 30, "W")), "n.edf: byte 517: the onset of an annotation is no number of seconds" +
                   again)
        self.wrong("n.edf", edf(b"+0\x14\x14\0" + tal(1, "x", "W")), "n.edf: byte 520: the duration of an annotation is no number of seconds" +
                   again)
        self.wrong("n.edf", edf(b"+0\x14\x14\0" + b"+0\x1530\x14W\0"), "n.edf: byte 523: the text of an annotation does not end" + again)
        self.wrong("n.edf", edf(b"+0\x14\x14\0" + b"+0\x1530\x14WW\x14"), "n.edf: byte 517: an annotation does not end" + again)
        self.wrong("n.edf", edf(b"+0\x14\x14\0" + tal(0, 30, "Sleep stage N")),
                   'n.edf: byte 517: label "Sleep stage N" is no code of words, which has names of stages; --map \'Sleep stage N=Wake\' or '
                   "'Sleep stage N=unscored' says what it is")
        self.wrong("n.edf", edf(b"+0\x14\x14\0" + tal(0, 30, "Apnea") + tal(0, 3, "Lights off")),
                   "n.edf: none of its 2 events is a stage or a class of the model: Apnea, Lights off; --map 'TEXT=CLASS' says what they are")
        self.wrong("n.edf", edf(b"+0\x14\x14\0"), "n.edf: holds no events")

    def test_xml(self):
        events = [("", "Recording Start Time", 0, 210), stage("Wake|0", 0, 60), ("Respiratory|Respiratory", "Hypopnea|Hypopnea", 5, 12.5),
                  stage("Stage 1 sleep|1", 60, 30), stage("Stage 2 sleep|2", 90, 30), stage("Stage 4 sleep|4", 120, 30),
                  stage("Movement|6", 150, 30), stage("REM sleep|5", 180, 30)]
        self.reads("n.xml", nsrr(events), self.LABELS)
        self.reads("n.xml", nsrr(events).replace("UTF-8", "ISO-8859-1"), self.LABELS)
        self.reads("n.xml", nsrr(events).replace("UTF-8", "UTF-16").encode("utf-16"), self.LABELS)
        # older files, whose stages are no type; what is no stage there is passed over
        old = [("", "SDO:WakeState", 0, 60), ("", "SRO:Hypopnea", 3, 20), ("", "SDO:NonRapidEyeMovementSleep-N1", 60, 30),
               ("", "SRO:Stage2Sleep", 90, 30), ("", "SRO:Stage34Sleep", 120, 30), ("", "SDO:RapidEyeMovementSleep", 180, 30)]
        self.reads("n.xml", nsrr(old), self.LABELS, stderr="statepath: note: n.xml: 1 event that is no stage passed over: SRO:Hypopnea\n")
        self.reads("n.xml", profusion([0, 0, 1, 2, 4, 9, 5]), self.LABELS)
        self.reads("n.xml", profusion([0, 0, 1, 2, 3, "Active", 5]), self.LABELS)
        self.reads("n.xml", profusion([0, 0, 1, 2, 3, 6, 5], epoch=""), self.LABELS, stderr="statepath: note: n.xml: it has no EpochLength, 30 s "
                   "are taken\n")

    def test_broken_xml(self):
        self.wrong("n.xml", nsrr([stage("Wake|0", 0, 60)])[:-30], "n.xml: line 12: is damaged XML: unclosed token")
        self.wrong("n.xml", nsrr([stage("Wake|0", 0, 60)]).replace("</Start>", "</Stop>"), "n.xml: line 9: is damaged XML: mismatched tag")
        self.wrong("n.xml", nsrr([stage("Wake|0", "x", 60)]), 'n.xml: line 6: Start "x" is no number of seconds from 0 on')
        self.wrong("n.xml", nsrr([stage("Wake|0", 0, 60)]).replace("<Duration>60</Duration>\n", ""),
                   'n.xml: line 6: the stage "Wake|0" has no Duration')
        self.wrong("n.xml", nsrr([stage("Nap|8", 0, 60)]), 'n.xml: line 6: label "Nap|8" is no code of nsrr, which has 0 Wake, 1 N1, 2 N2, 3 N3, '
                   "4 N3, 5 REM, 6 unscored, 9 unscored and names of stages; --map 'Nap|8=Wake' or 'Nap|8=unscored' says what it is")
        self.wrong("n.xml", nsrr([("Apnea", "Apnea", 0, 60)]), "n.xml: holds no stages: no ScoredEvent of EventType Stages|Stages")
        self.wrong("n.xml", profusion([]), "n.xml: holds no stages: no SleepStage in SleepStages")
        self.wrong("n.xml", "<?xml version='1.0'?>\n<Night><a/></Night>", "n.xml: line 2: is XML of Night; hypnograms are read from NSRR's "
                   "PSGAnnotation and Profusion's CMPStudyConfig")
        laughs = "<?xml version='1.0'?>\n<!DOCTYPE a [<!ENTITY b 'ha'><!ENTITY c '&b;&b;'>]>\n<PSGAnnotation>&c;</PSGAnnotation>"
        self.wrong("n.xml", laughs, "n.xml: line 2: defines a document type, which is not read")

    def test_annot(self):
        self.reads("n.annot", "class\tinstance\tchannel\tstart\tstop\tmeta\n# a remark\nW\t.\t.\t0\t60\t.\narousal\t.\tC3\t10\t14\t.\n"
                   "N1\t.\t.\t60\t90.0\t.\nN2\t.\t.\te:4\te:4\t.\nNREM4\t.\t.\t120\t+30\t.\n?\t.\t.\t0+00:02:30\t...\t.\nR\t.\t.\te:7\t.\t.\n",
                   self.LABELS, stderr="statepath: note: n.annot: 1 event that is no stage passed over: arousal\n")
        self.reads("n.annot", "W 0 60\nN1 60 90\nN2 . 90 120\nSleepStage N3 120 150\nR 180 210\n", self.LABELS)
        self.reads("n.annot", "W\t.\t.\t23:59:00\t00:00:00\t.\nN1\t.\t.\t00:00:00\t0:00:30\t.\n", [W, W, N1],
                   stderr="statepath: note: n.annot: it has times of day: its first annotation is taken for the beginning of the recording\n")
        self.reads("n.annot", "W\t.\t.\te:1:20\t.\t.\nN1\t.\t.\te:2:20\te:3:20\t.\n", [W, N1, N1], seconds=20.)
        self.wrong("n.annot", "W\t.\t.\t0\tlater\t.\n", 'n.annot: line 1: stop "later" is no time: write seconds, e:5 (the fifth epoch of 30 s) or '
                   "hh:mm:ss")
        self.wrong("n.annot", "W\t.\t.\t0\t30\t.\n\nN1\t.\t.\t60\t30\t.\n", "n.annot: line 3: stops at 30, before its start 60")
        self.wrong("n.annot", "W\t.\t.\t0\t30\t.\nN1\t3\n", "n.annot: line 2 has 2 fields; an annotation is class, instance, channel, start, "
                   "stop, meta, parted by tabs")

    def test_ids(self):
        rows = "0,60,W\n60.0,30,N1\n90,30,N2\n120,30,N3\n150,30,UNKNOWN\n180,30,REM\n"
        self.reads("n.ids", rows, self.LABELS)
        self.reads("n.log", rows, self.LABELS)  # by what is in it
        self.wrong("n.ids", "0,60,W\n60;30;N1\n", "n.ids: line 2 has 1 fields; it needs start,duration,label")
        self.wrong("n.ids", "0,60,W\n6x,30,N1\n", 'n.ids: line 2: the start "6x" is no number of seconds')
        self.wrong("n.ids", "0,60,W\n60,-30,N1\n", "n.ids: line 2: the duration -30 is below 0")
        self.wrong("n.ids", b"0,60,W\0\n", "n.ids: byte 6 is 0, so it is no text in UTF-8; save it as such")
        self.wrong("n.ids", "0,1e99,W\n", 'n.ids: line 1: the duration "1e99" is no number of seconds')

    def test_tables(self):
        self.reads("n_events.tsv", "onset\tduration\tstage\tresponse\n0\t60\tW\t1\n60\tn/a\tN1\t1\n90\t30\tN2\tn/a\n120\t30\tS4\t\n180\t30\tREM\t\n",
                   self.LABELS)
        self.reads("n.txt", "# MNE-Annotations\n# orig_time : 2002-12-03 19:01:10.720100+00:00\n# onset, duration, description\n"
                   "0.0, 60.0, Sleep stage W\n60.0, 30.0, Sleep stage 1\n90.0, 30.0, Sleep stage 2\n120.0, 30.0, Sleep stage 3\n"
                   "180.0, 30.0, Sleep stage R\n", self.LABELS)
        rows = ",60.0,Sleep stage W\n1970-01-01 00:01:00.000000,30.0,Sleep stage 1\n1970-01-01 00:01:30,150.0,Sleep stage 2\n"
        self.reads("n.csv", "onset,duration,description\n1970-01-01 00:00:00.000000" + rows, [W, W, N1, N2, N2, N2, N2, N2])
        self.wrong("n.tsv", "onset\tduration\n0\t60\n", "n.tsv: line 1 names no column for the labels; it needs onset, duration and one of stage, "
                   "description, trial_type, label or value")
        self.wrong("n.tsv", "onset\tduration\tstage\n0\t60\tW\nn/a\t60\tW\n", 'n.tsv: line 3: the onset "n/a" is no number of seconds')
        self.wrong("n.tsv", "onset\tduration\tstage\n0\t60\n", "n.tsv: line 2 has 2 fields, fewer than the header")

    def test_a_table_of_steps(self):
        """Onset and duration beside a column step: a label a line, as before."""
        self.reads("n.csv", "recording,step,onset,duration,label\np,0,0,30,Wake\np,1,30,30,N2\n", [W, N2])

    def test_hypnograms_of_programs(self):
        self.reads("n.txt", "*Duration_sec\t210\n*Datafile\tUnspecified\nWake\t60\nN1\t90\nN2\t120\nN3\t150\nArt\t180\nREM\t210\n", self.LABELS)
        self.wrong("n.txt", "*Duration_sec\t210\nWake\t60\nN1\t50\n", "n.txt: line 3 ends at 50 s, before the line above")
        elan = "time_base 1.000000\nsampling_period 0.00390625\nepoch_nb %d\nepoch_list\n"
        seconds = np.repeat([0, 0, 1, 2, 4, -1, 5], 30)
        self.reads("n.hyp", elan % 210 + "".join("%d\n" % k for k in seconds), self.LABELS)
        self.reads("n.hyp", elan % 210 + "".join("%d\n" % k for k in seconds), self.LABELS, seconds=None,
                   stderr="statepath: note: n.hyp: a step is taken for 30 s\n")
        self.wrong("n.hyp", elan % 209 + "".join("%d\n" % k for k in seconds), "n.hyp: line 214: it ends with 210 labels, epoch_nb says 209")
        self.wrong("n.hyp", elan % 2 + "0\n7\n", 'n.hyp: line 6: label "7" is no code of elan, which has -2 unscored, -1 unscored, 0 Wake, 1 N1, '
                   "2 N2, 3 N3, 4 N3, 5 REM and names of stages; --map '7=Wake' or '7=unscored' says what it is")
        self.reads("n.txt", "[HypnogramAASM]\n" + "".join("%d\n" % k for k in np.repeat([5, 5, 3, 2, 1, -1, 4], 6)), self.LABELS)
        self.reads("n.vis", "0\n1 0\n3 1\n4 2\n5 3\n6 m\n7 r\n8 e\n", self.LABELS, seconds=20.)

    def test_remlogic(self):
        head = "RemLogic Event Export\nPatient:\tX\n\nSleep Stage\tPosition\tTime [hh:mm:ss]\tEvent\tDuration[s]\tLocation\n"
        rows = [("W", "23:59:00", "SLEEP-S0", 30), ("W", "23:59:30", "SLEEP-S0", 30), ("S1", "00:00:00", "SLEEP-S1", 30),
                ("S1", "00:00:10", "MCAP-A1", 4), ("S2", "00:00:30", "SLEEP-S2", 30), ("S4", "00:01:00", "SLEEP-S4", 30),
                ("", "00:01:30", "SLEEP-UNSCORED", 30), ("R", "00:02:00", "SLEEP-REM", 30)]
        note = "statepath: note: n.txt: 1 event that is no stage passed over: MCAP-A1\n"
        body = "".join("%s\tUnknown\t%s\t%s\t%d\tROC-LOC\n" % row for row in rows)
        self.reads("n.txt", head + body, self.LABELS, stderr=note)
        self.reads("n.txt", (head + body).replace("Patient:\tX", "Patient:\t\xe9").encode("latin-1"), self.LABELS, stderr=note)
        # clocks of 12 hours, with and without PM
        half = head + "W\tU\t11:59:30 PM\tSLEEP-S0\t30\tX\nS1\tU\t12:00:00 AM\tSLEEP-S1\t30\tX\nR\tU\t12:00:30 AM\tSLEEP-REM\t30\tX\n"
        self.reads("n.txt", half, [W, N1, R])
        bare = head + "W\tU\t12:59:30\tSLEEP-S0\t30\tX\nS1\tU\t01:00:00\tSLEEP-S1\t30\tX\nR\tU\t01:00:30\tSLEEP-REM\t30\tX\n"
        self.reads("n.txt", bare, [W, N1, R])
        self.wrong("n.txt", head + "W\tU\t25 h\tSLEEP-S0\t30\tX\n", 'n.txt: line 5: "25 h" is no time of day hh:mm:ss')
        self.wrong("n.txt", "RemLogic Event Export\nPatient:\tX\n", "n.txt: has no line that names the columns Time [hh:mm:ss], Event and "
                   "Duration[s]")

    def test_domino(self):
        head = ("Signal ID: SchlafProfil\\profil\nStart Time: 17.11.2010 23:59:00\nUnit: \nSignal Type: Discret\n"
                "Events list: N4,N3,N2,N1,REM,Wake,Movement\nRate: 30 s\n\n")
        stages = ["Wake", "Wa", "N1", "N2", "N4", "A", "Rem"]
        times = ["23:59:00", "23:59:30", "00:00:00", "00:00:30", "00:01:00", "00:01:30", "00:02:00"]
        self.reads("n.txt", head + "".join("%s,000; %s\n" % row for row in zip(times, stages)), self.LABELS)
        dates = ["17.11.2010 "] * 2 + ["18.11.2010 "] * 5
        self.reads("n.txt", head + "".join("%s%s,000; %d\n" % row for row in zip(dates, times, [4, 4, 2, 1, 0, 5, 3])), self.LABELS)
        # the profile begins later than the recording, which says when it began
        self.reads("n.txt", head + "00:00:00,000; N1\n", [U, U, N1])
        self.wrong("n.txt", head + "23:59:00,000; Wake\nx; N1\n", 'n.txt: line 9: "x" is no line hh:mm:ss,000; stage')

    def test_nothing_of_the_kind(self):
        """Labels where scores are asked for, and the other way round."""
        with open(self.path("n.edf"), "wb") as out:
            out.write(edf(b"+0\x14\x14\0" + tal(0, 60, "Sleep stage W")))
        self.write("n.xml", nsrr([stage("Wake|0", 0, 60)]))
        for file, name in (("n.edf", "EDF+ annotations"), ("n.xml", "XML of NSRR or Profusion")):
            self.refuses("compare", file, *MODEL, sentence=file + st.DECIDED)
            self.refuses("mask", "leak", file, *MODEL, sentence="%s: holds labels (%s), no scores; give the file of the classifier's scores "
                         "here, and this one where labels are asked for" % (file, name))


class TestWrongInPublishedReaders(Events):
    """Decodings that published readers got wrong."""

    def test_movement_gaps_and_parts_of_epochs(self):
        """SleepECG: no Movement|6, the Start is not looked at, durations cut to whole epochs."""
        self.reads("n.xml", nsrr([stage("Wake|0", 0, 30), stage("Movement|6", 30, 30), stage("Stage 2 sleep|2", 120, 75)]),
                   [W, U, U, U, N2, N2, N2])

    def test_gaps_of_a_table(self):
        """psg-utils: gaps in the list of epochs are filled in, then the list without them is returned."""
        self.reads("n.txt", "Epoch\tUser-Defined Stage\tDelta\n1\t0\t3\n2\t1\t3\n5\t5\t3\n", [W, N1, U, U, R])
        self.wrong("n.txt", "Epoch\tUser-Defined Stage\n0\t0\n", 'n.txt: line 2: "0" is no number of an epoch from 1 on')

    def test_five_is_rem(self):
        """wonambi: Compumedics' 5 as NREM3."""
        self.reads("n.xml", profusion([0, 5, 5]), [W, R, R])

    def test_respironics(self):
        """wonambi: Alice's 11 as wake; it is stage 1, and 255 is wake."""
        self.reads("n.ids", "0,30,255\n30,30,11\n60,30,12\n90,30,13\n120,30,14\n150,30,15\n180,30,10\n", [W, N1, N2, N3, N3, R, U],
                   options=["--codes", "respironics"])

    def test_nine_is_unscored(self):
        """YASA: Profusion's 9 as wake, 6 as an error, elements by their position."""
        moved = profusion([9, 0, 6, 2]).replace("<EpochLength>", "<Extra><SleepStages></SleepStages></Extra><EpochLength>")
        self.reads("n.xml", moved, [U, W, U, N2])

    def test_four_is_no_rem(self):
        """A benchmark of stagers: all above 4 becomes 4, so that stage 4 is REM."""
        for codes in ("nsrr", "rk", "profusion", "elan", "cap"):
            self.reads("n.ids", "0,30,3\n30,30,4\n60,30,5\n", [N3, N3, R], options=["--codes", codes])

    def test_alphabetical_columns(self):
        """Classifiers of scikit-learn have columns N1, N2, N3, R, W: a warning where that order fits far better."""
        rng = np.random.default_rng(3)
        labels = np.repeat(rng.integers(0, 5, 60), 5)
        probs = rng.dirichlet([.3] * 5, size=len(labels)) + np.eye(5)[labels]
        probs /= probs.sum(1, keepdims=True)
        alphabetical = probs[:, [N1, N2, N3, R, W]]
        self.h5("s.h5", probs=alphabetical, labels=labels)
        done = self.statepath("compare", "s.h5", *MODEL, "--json", "-")
        self.assertIn("warning: the classes may be named in another order than the labels", done.stderr)
        names = json.loads(done.stdout)["strategies"]["argmax"]["labels_may_be_permuted"]["names"]
        self.assertEqual(names, {"Wake": "N1", "N1": "N2", "N2": "N3", "N3": "REM", "REM": "Wake"})


class TestRealFile(Events):
    def test_files_of_other_tools(self):
        """The same annotations, written by EDFlib (pyedflib), edfio and MNE (tests/data/events/make_events.py)."""
        folder = os.path.join(st.SOURCE, "tests", "data", "events")
        for name in ("pyedflib.edf", "edfio.edf", "mne.txt", "mne.csv"):
            with open(os.path.join(folder, name), "rb") as f:
                self.reads(name, f.read(), TestFormats.LABELS,
                           stderr="statepath: note: %s: 1 event that is no stage passed over: Arousal\n" % name)

    def test_sleep_edf(self):
        """A hypnogram of Sleep-EDF: 154 annotations, of which the last is 230 epochs of ?."""
        file = st.shared("formats", "edf", "SC4001EC-Hypnogram.edf")
        if not file:
            print("skipped: test_sleep_edf: no folder of real data")
            return
        self.write("p.csv", "label\n" + "Wake\n" * 2880)
        done = self.statepath("evaluate", "p.csv", "--labels", file, *MODEL, "--json", "-",
                              stderr="statepath: note: %s: a step is taken for 30 s\n" % file)
        result = json.loads(done.stdout)
        self.assertEqual(result["input"]["scored_steps"], 2650)
        self.assertEqual([row[0] for row in result["strategies"]["p"]["confusion"]], [1997, 58, 250, 220, 125])
        self.write("p.csv", "label\n" + "Wake\n" * 2650)
        self.refuses("evaluate", "p.csv", "--labels", file, *MODEL, "--epoch-seconds", "30",
                     sentence="p.csv and %s do not match; steps differ: number 0 (2650 and 2880); the last 230 labels are unscored; see that "
                     "both begin at the same step, then --trim-to-shortest leaves out the last ones of the longer" % file)


class TestCompare(Events):
    """compare by a hypnogram: the same figures as by labels in the file of scores."""

    def test_compare(self):
        rng = np.random.default_rng(5)
        labels = np.repeat(rng.integers(0, 5, 40), 4)
        labels[100:103] = -1
        probs = rng.dirichlet([.4] * 5, size=160) + .8 * np.eye(5)[labels]
        probs /= probs.sum(1, keepdims=True)
        with h5py.File(self.path("with.h5"), "w") as f:
            f["probs"], f["labels"] = probs, labels
            f.attrs["classes"], f.attrs["epoch_seconds"] = STAGES, 30.
        with h5py.File(self.path("night.h5"), "w") as f:
            f["probs"] = probs
            f.attrs["classes"], f.attrs["epoch_seconds"] = STAGES, 30.
        runs = [(30 * t, 30, k) for t, k in enumerate(labels)]
        words = {-1: "Sleep stage ?", 0: "Sleep stage W", 1: "Sleep stage 1", 2: "Sleep stage 2", 3: "Sleep stage 3", 4: "Sleep stage R"}
        concepts = {-1: "Unscored|9", 0: "Wake|0", 1: "Stage 1 sleep|1", 2: "Stage 2 sleep|2", 3: "Stage 3 sleep|3", 4: "REM sleep|5"}
        with open(self.path("night.edf"), "wb") as out:
            out.write(edf(b"+0\x14\x14\0" + b"".join(tal(at, n, words[k]) for at, n, k in runs)))
        self.write("night.xml", nsrr([stage(concepts[k], at, n) for at, n, k in runs]))
        ours = json.loads(self.statepath("compare", "with.h5", *MODEL, "--json", "-", stderr="").stdout)
        for file in ("night.edf", "night.xml"):
            theirs = json.loads(self.statepath("compare", "night.h5", *MODEL, "--labels", file, "--json", "-", stderr="").stdout)
            for key in ("strategies", "reference", "mask_ceiling"):
                self.assertEqual(json.dumps(theirs[key]).replace('"night"', '"with"'), json.dumps(ours[key]), file)


class TestCommands(Events):
    ROWS = "0,60,W\n60,30,N1\n90,60,N2\n150,30,REM\n"

    def test_inspect(self):
        self.write("n.ids", self.ROWS)
        done = self.statepath("inspect", "n.ids", stderr="")
        self.assertIn("classes     5: Wake, N1, N2, N3, REM (U-Time's labels)\nbeside      labels \nnote        a step is taken for 30 s\n"
                      "labels      Wake 2, N1 1, N2 2, N3 0, REM 1, unscored 0\n", done.stdout)
        self.assertIn("next: statepath evaluate n.ids --model sleep-aasm\n", done.stdout)

    def test_fit(self):
        self.write("n.ids", self.ROWS)
        self.h5("n.h5", labels=np.array([W, W, N1, N2, N2, R]), classes=STAGES)
        for name, file, more in (("a", "n.ids", []), ("b", "n.h5", []), ("c", "n.ids", ["--rules", "sleep-permissive", "--codes", "nsrr"])):
            self.statepath("fit", file, "--method", "counts", "--name", "x", "-o", name + ".json", "-q", *more)
        a, b, c = (json.loads(self.read(name + ".json")) for name in "abc")
        self.assertEqual(a["classes"], STAGES)
        self.assertEqual(a["probabilities"], b["probabilities"])
        self.assertEqual(c["classes"], STAGES)

    def test_paths(self):
        """Paths may be events, too."""
        self.write("yours.ids", self.ROWS)
        self.write("labels.annot", "W\t0\t60\nN1\t60\t90\nN2\t90\t150\nR\t150\t180\n")
        done = self.statepath("evaluate", "yours.ids", "--labels", "labels.annot", *MODEL, "--epoch-seconds", "30", "--json", "-", stderr="")
        self.assertEqual(json.loads(done.stdout)["strategies"]["yours"]["accuracy"], 1)

    def test_a_file_a_recording(self):
        labels = {"n1": [W, W, N1, N2], "n2": [N2, R]}
        for name, row in labels.items():
            self.write(name + ".ids", "".join("%d,30,%s\n" % (30 * t, STAGES[k]) for t, k in enumerate(row)))
        with h5py.File(self.path("p.h5"), "w") as f:
            f["paths/x"] = np.concatenate([labels["n2"], labels["n1"]]).astype("i2")
            f["offsets"] = [0, 2, 6]
            f["ids"] = ["n2", "n1"]
            f.attrs["classes"] = STAGES
            f.attrs["epoch_seconds"] = 30.
        done = self.statepath("evaluate", "p.h5", "--labels", "{id}.ids", *MODEL, "--json", "-", stderr="")
        self.assertEqual(json.loads(done.stdout)["strategies"]["x"]["accuracy"], 1)
        done = self.statepath("inspect", "{id}.ids", stderr="")
        self.assertIn("\nrecordings  2: n1, n2\nsteps       6; ", done.stdout)
        self.assertIn("\nnote        n1.ids: a step is taken for 30 s; remarks on 1 more file\n", done.stdout)
        # a folder, and rules that the labels must keep
        os.mkdir(self.path("nights"))
        for name in labels:
            os.rename(self.path(name + ".ids"), self.path("nights/%s.ids" % name))
        self.statepath("fit", "nights", "--rules", "sleep-permissive", "--epoch-seconds", "30", "--method", "counts", "-o", "m.json", stderr="")
        self.assertEqual(json.loads(self.read("m.json"))["classes"], STAGES)


class TestWriting(Events):
    """decode -o by the ending of the name."""

    def setUp(self):
        super().setUp()
        self.path_of = [W, W, N1, N2, N2, N3, R, R]
        self.h5("s.h5", probs=np.eye(5)[self.path_of] * .9 + .02, classes=STAGES)

    def decoded(self, name, *options):
        self.statepath("decode", "s.h5", *MODEL, "-o", name, "-q", *options, stderr="")
        return self.read(name)

    def test_bytes(self):
        self.assertEqual(self.decoded("o.annot").decode(), "class\tinstance\tchannel\tstart\tstop\tmeta\nW\t.\t.\t0\t60\t.\nN1\t.\t.\t60\t90\t.\n"
                         "N2\t.\t.\t90\t150\t.\nN3\t.\t.\t150\t180\t.\nR\t.\t.\t180\t240\t.\n")
        self.assertEqual(self.decoded("o.eannot").decode().split(), ["W", "W", "N1", "N2", "N2", "N3", "R", "R"])
        self.assertEqual(self.decoded("o.ids", "--epoch-seconds", "2.5").decode(), "0,5,W\n5,2.5,N1\n7.5,5,N2\n12.5,2.5,N3\n15,5,REM\n")
        body = b"+0\x14\x14\0" + tal(0, 60, "Sleep stage W") + tal(60, 30, "Sleep stage N1") + tal(90, 60, "Sleep stage N2") + tal(
            150, 30, "Sleep stage N3") + tal(180, 60, "Sleep stage R")
        written = self.decoded("o.edf")
        self.assertEqual(written[512:].rstrip(b"\0"), body.rstrip(b"\0"))
        self.assertEqual((written[:8], written[192:197], written[236:252], written[256:272]), (b"0       ", b"EDF+C", b"1       0       ",
                         b"EDF Annotations "))
        self.assertEqual(self.files(), ["o.annot", "o.eannot", "o.edf", "o.ids", "s.h5"])

    def test_round_trip(self):
        """What is written is read, also where a recording has no path and where there are many records of EDF+."""
        rng = np.random.default_rng(1)
        probs = rng.dirichlet([.5] * 5, size=9000)
        self.h5("s.h5", probs=probs, classes=STAGES)
        self.decoded("p.h5")
        for ending in ("annot", "eannot", "ids", "edf"):
            self.decoded("o." + ending)
            done = self.statepath("evaluate", "p.h5", "--labels", "o." + ending, *MODEL, "--epoch-seconds", "30", "--json", "-")
            result = json.loads(done.stdout)
            self.assertEqual((result["strategies"]["viterbi"]["accuracy"], result["input"]["scored_steps"]), (1, 9000), ending)
        self.h5("s.h5", probs=np.where(np.eye(5)[[N3, W]] > 0, 1., 0.), classes=STAGES)
        for name, text in (("o.ids", "0,60,UNKNOWN\n"), ("o.eannot", "?\n?\n")):
            self.statepath("decode", "s.h5", "--model", "sleep-strict", "-o", name, "-q", "-f", status=3)
            self.assertEqual(self.read(name).decode(), text)

    def test_what_cannot_be_written(self):
        self.h5("two.h5", probs=np.full((4, 5), .2), offsets=[0, 2, 4], classes=STAGES)
        self.refuses("decode", "two.h5", *MODEL, "-o", "o.edf", status=2, sentence="o.edf: holds one path of one recording, and there are 2 "
                     "recordings and 1 strategy; write .csv or .h5")
        self.write("m.json", json.dumps({"statepath_model": 1, "name": "m", "classes": ["sit, still", "walk"],
                                         "allow": {"sit, still": ["sit, still", "walk"], "walk": ["sit, still", "walk"]}}))
        self.h5("m.h5", probs=np.full((4, 2), .5), classes=["sit, still", "walk"])
        self.refuses("decode", "m.h5", "--model", "m.json", "-o", "o.edf", status=2, sentence="o.edf: nobody says how long a step is; "
                     "--epoch-seconds X does, or attribute epoch_seconds of the scores")
        self.refuses("decode", "m.h5", "--model", "m.json", "-o", "o.ids", "--epoch-seconds", "1", status=2, sentence="o.ids: the name of class "
                     '"sit, still" has a letter that parts fields there; write .csv or .h5')
        self.statepath("decode", "m.h5", "--model", "m.json", "-o", "o.annot", "--epoch-seconds", "0.5", "-q")
        self.assertIn("sit, still\t.\t.\t0\t2\t.\n", self.read("o.annot").decode())
        self.assertEqual(self.files(), ["m.h5", "m.json", "o.annot", "s.h5", "two.h5"])


st.main()

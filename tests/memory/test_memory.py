"""No memory is an error, never another answer: each allocation of the program made to fail once, whoever asks for it (ours, HDF5's,
jansson's, popt's, the C library's), by tests/memory/fail_alloc.c.

A run must end with a status above 0 and a sentence on stderr, or with the status and the bytes of the run without failure (HDF5 leaves
a chunk unpacked where its filter has no memory: of its files the data count). Where HDF5,
OpenBLAS or jansson crashes, hangs or ends the process because it was refused memory itself, that is counted, not failed; every other crash fails.

STATEPATH_EVERY=1 makes every allocation fail; without it a sample, other ones in each hour, that takes less than a minute, and
always those in which the words of a command are read.
STATEPATH_RUNS is how many of them, STATEPATH_OFFSET where they begin, STATEPATH_CASES which cases, to repeat one.
"""
import concurrent.futures
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

import statepath_test as st
from statepath_test import h5py, np

PRELOAD = os.environ.get("STATEPATH_FAIL_ALLOC", "")
FIRST = 40  # allocations in which the words of a command are read, and more
EVERY = int(os.environ.get("STATEPATH_EVERY", "0"))
RUNS = int(os.environ.get("STATEPATH_RUNS", "450"))  # of the sample
ONLY = os.environ.get("STATEPATH_CASES", "").split()
CLASSES = ["Wake", "N1", "N2", "N3", "REM"]
MODEL = """{"statepath_model": 1, "name": "small model with a name that is long", "classes": ["Wake", "N1", "N2", "N3", "REM"],
 "description": "a text that is longer than what a parser has at hand from the beginning, so that it must ask for more",
 "aliases": {"Wake": ["W", "Sleep stage W"]},
 "allow": {"Wake": ["Wake", "N1"], "N1": ["Wake", "N1", "N2"], "N2": ["N1", "N2", "N3", "REM"], "N3": ["N2", "N3"],
           "REM": ["Wake", "N2", "REM"]}, "start": ["Wake", "N1", "N2"], "min_dwell": {"N1": 2},
 "durations": {"N2": {"min": 2, "max": 40}, "REM": {"negative_binomial": {"mean": 5, "dispersion": 2}, "max": 30}}}"""

# name, words, files written, standard input
CASES = [
    ("decode", "decode in.h5 -m sleep-strict -s beam:2 --threads 1 -o out.h5", ["out.h5"], None),
    ("nbest", "decode in.h5 --model=model.json --nbest 3 --confidence --threads 1 -o out.h5", ["out.h5"], None),
    ("durations", "compare in.h5 -m model.json --strategies greedy,viterbi,mea --on-infeasible relax --threads 1 --seed 4 --json o.json", ["o.json"], None),
    ("compare", "compare in.h5 -m sleep-strict --strategies argmax,viterbi --threads 1 --seed 4 --json o.json --csv o.csv --report o.html",
     ["o.json", "o.csv", "o.html"], None),
    ("against", "compare in.h5 -m sleep-strict --against old=more.h5 --labels named.h5 --strategies argmax,viterbi --threads 1 "
     "--json o.json --csv o.csv --report o.html", ["o.json", "o.csv", "o.html"], None),
    ("npy", "decode in.npy more.npy -m sleep-strict --threads 1 -o out.npz", ["out.npz"], None),
    ("npz", "decode in.npz -m sleep-strict --threads 1 -o out.csv", ["out.csv"], None),
    ("csv", "compare in.csv -m sleep-strict --strategies argmax --threads 1 --seed 4 --json o.json", ["o.json"], None),
    ("events", "evaluate in.ids --labels in.xml -m sleep-strict --epoch-seconds 30 --threads 1 --json o.json", ["o.json"], None),
    ("edf", "decode in.npy -m sleep-strict --threads 1 -o out.edf", ["out.edf"], None),
    ("evaluate", "evaluate paths.h5 -m sleep-strict --threads 1 --json o.json --csv o.csv", ["o.json", "o.csv"], None),
    ("fit", "fit in.h5 --rules sleep-permissive -o m.json", ["m.json"], None),
    ("fit-alone", "fit named.h5 -o m.json", ["m.json"], None),
    ("schema", "help schema", [], None),
    ("check", "model check model.json", [], None),
    ("show", "model show model.json", [], None),
    ("new", "model new bio --types PER,LOC -o m.json", ["m.json"], None),
    ("simulate", "simulate recipe.json -o out.h5", ["out.h5"], None),
    ("inspect", "inspect in.h5", [], None),
    ("chunked", "inspect chunked.h5", [], None),
    ("groups", "compare groups.h5 -m sleep-strict --strategies viterbi --threads 1 --seed 4 --json o.json", ["o.json"], None),
    ("virtual", "decode virtual.h5 -m sleep-strict --threads 1 -o out.h5", ["out.h5"], None),
    ("mask", "mask leak in.h5 --model model.json", [], None),
    ("mask-apply", "mask apply in.h5 --matrix may --paths labels -o out.h5", ["out.h5"], None),
    ("mask-path", "mask softmax in.h5 --model sleep-strict --threads 1", [], None),
    ("policy", "simulate policy.json -o out.h5", ["out.h5"], None),
    ("train", "train signals.h5 --epochs 1 --batch 8 --masking true-previous -m sleep-strict --threads 1 -o w.h5 --report w.html",
     ["w.h5", "w.html"], None),
    ("predict", "predict signals.h5 --weights weights.h5 --threads 1 -o scores.h5", ["scores.h5"], None),
    ("stream", "stream -m model.json --lag 2 --kind logits", [], "1 2 3 4 5\n2 1 0 0 1\n0 3 1 0 0\n1 1 1 1 1\n\n3 2 1 0 0\n"),
]
WORDS = [
    ("texts", "decode in.h5 --model=model.json --strategies beam:2 -o out.h5 --threads=1 --missing uniform", ["out.h5"], None),
    ("numbers", "decode in.h5 -m model.json --nbest 3 --temperature=2.5 --floor 1e-3 --threads 1 -o out.h5", ["out.h5"], None),
    ("lists", "evaluate paths.h5 -m sleep-strict --fail-if accuracy>2 --fail-if accuracy<2 --threads=1", [], None),  # status 4
]
INPUTS = ["in.h5", "in.npy", "more.npy", "in.npz", "in.csv", "in.ids", "in.xml", "named.h5", "more.h5", "chunked.h5", "groups.h5", "virtual.h5", "paths.h5", "P1.h5", "P2.h5", "signals.h5", "weights.h5", "model.json", "recipe.json", "policy.json"]


def make(folder):
    random = np.random.default_rng(3)
    offsets = np.array([0, 12, 30, 31])
    scores = random.normal(size=(31, 5))
    scores -= np.log(np.exp(scores).sum(1, keepdims=True))
    labels = np.tile([0, 1, 2, 2, 3, 3, 2, 4, 4, 0], 4)[:31]
    for name in ("in.h5", "named.h5", "more.h5"):
        with h5py.File(os.path.join(folder, name), "w") as out:
            out["log_probs"] = scores.astype("f4")
            out["offsets"] = offsets
            out["labels"] = labels
            out["ids"] = ["first night", "second night", "third night"]
            out["classes"] = CLASSES
            out["may"] = np.ones((5, 5), bool)
            if name == "named.h5":
                del out["log_probs"]
            if name == "more.h5":  # the same recordings in another order, columns too
                del out["log_probs"], out["labels"], out["ids"], out["classes"]
                out["log_probs"] = np.concatenate([scores[12:30], scores[:12], scores[30:]])[:, ::-1]
                out["ids"] = ["second night", "first night", "third night"]
                out["classes"] = CLASSES[::-1]
                out["offsets"][:] = [0, 18, 30, 31]
    with h5py.File(os.path.join(folder, "chunked.h5"), "w") as out:
        out.create_dataset("probs", data=np.exp(scores), chunks=(8, 5), compression="gzip", shuffle=True)
        out.create_dataset("labels", data=labels == 1, chunks=(8,), fletcher32=True)
    with h5py.File(os.path.join(folder, "groups.h5"), "w") as out:
        out.attrs["class_names"] = CLASSES
        for n, (begin, end) in enumerate(zip(offsets, offsets[1:])):
            group = out.create_group("recordings/night%d" % n)
            group.create_dataset("log_probs", data=scores[begin:end], chunks=(1, 5))
            group["labels"] = labels[begin:end]
            group.attrs["subject"] = "somebody"
        out["recordings"].attrs["epoch_seconds"] = 30.
    layout = h5py.VirtualLayout(shape=scores.shape, dtype="f4")
    layout[:] = h5py.VirtualSource("in.h5", "log_probs", shape=scores.shape)
    with h5py.File(os.path.join(folder, "virtual.h5"), "w") as out:
        out.create_virtual_dataset("log_probs", layout)
        out["offsets"] = offsets
    with h5py.File(os.path.join(folder, "signals.h5"), "w") as out:
        out["signals"] = random.normal(size=(31, 2, 100)).astype("f4")
        out["offsets"], out["labels"], out["classes"] = offsets, labels, CLASSES
        out.attrs["rate"] = 100.
    for name, part in (("in.npy", scores[:20]), ("more.npy", np.asfortranarray(scores[20:]))):
        np.save(os.path.join(folder, name), part)
    np.savez_compressed(os.path.join(folder, "in.npz"), log_probs=scores, labels=labels, offsets=offsets, ids=["a", "b", "c"], classes=CLASSES)
    with open(os.path.join(folder, "in.csv"), "w") as out:
        out.write("recording,label," + ",".join(CLASSES) + "\n")
        for label, row in zip(labels, scores):
            out.write(",".join(["first night", CLASSES[label], *map(repr, map(float, row))]) + "\n")
    with open(os.path.join(folder, "in.ids"), "w") as out:
        out.write("0,60,W\n60,30,N1\n")
    with open(os.path.join(folder, "in.xml"), "w") as out:
        out.write("<?xml version='1.0'?><CMPStudyConfig><EpochLength>30</EpochLength><SleepStages>%s</SleepStages></CMPStudyConfig>" %
                  "".join("<SleepStage>%d</SleepStage>" % code for code in (0, 0, 9)))
    with open(os.path.join(st.SOURCE, "datasets", "sleep-demo.recipe.json")) as file:
        recipe = dict(json.load(file), recordings=2, steps=[20, 30])
    policy = {"statepath_recipe": 1, "name": "few", "seed": 1, "policy": {"moves": 9, "positions": 5, "legal": [1, 4], "usual_legal": 2, "legal_spread": 1,
                                                                         "sharpness": 1, "leak": 0.1, "leak_spread": 1}}
    for name, text in (("model.json", MODEL), ("recipe.json", json.dumps(recipe)), ("policy.json", json.dumps(policy))):
        with open(os.path.join(folder, name), "w") as out:
            out.write(text)


def run(folder, case, fails_at, is_traced=True):
    """Status, stdout, stderr and the bytes of the files written."""
    _, words, files, text = case
    mine = tempfile.mkdtemp(dir=folder)
    for name in INPUTS:
        if os.path.exists(os.path.join(folder, name)):
            os.symlink(os.path.join(folder, name), os.path.join(mine, name))
    environment = {"PATH": os.environ["PATH"], "NO_COLOR": "1", "LC_ALL": "C", "LD_PRELOAD": PRELOAD, "FAIL_ALLOC": str(fails_at),
                   **({"FAIL_ALLOC_TRACE": "1"} if is_traced else {}),
                   "FAIL_ALLOC_COUNT": os.path.join(mine, "count")}
    try:
        done = subprocess.run([st.PROGRAM, *words.split()], cwd=mine, env=environment, input=text, capture_output=True, text=True,
                              timeout=60, errors="replace")
        status, said, stdout = done.returncode, done.stderr, done.stdout
    except subprocess.TimeoutExpired:
        status, said, stdout = "timeout", "", ""
    written = {}
    for name in files:
        path = os.path.join(mine, name)
        written[name] = None
        if os.path.exists(path):
            with open(path, "rb") as file:
                written[name] = file.read()
    count = os.path.join(mine, "count")
    n = 0
    if os.path.exists(count):
        with open(count) as file:
            n = int(file.read())
    left = sorted(set(os.listdir(mine)) - {*INPUTS, "count", *files})
    shutil.rmtree(mine, ignore_errors=True)
    return status, stdout, said, written, n, left


def is_excused(sentence, trace):
    """Was it HDF5, OpenBLAS or jansson that asked for the memory, and then ended the process? trace: what fail_alloc.c wrote."""
    if sentence.startswith("ends by") and "lex_scan_string: Assertion" in trace:  # of jansson's load.c
        return True
    if re.search(r"/lib(openblas|gfortran|quadmath)[^/]*[.]so", trace):  # it may also exit with a status of its own
        return not sentence.startswith("another answer")
    if "(dlopen+" in trace:  # the C library's loader crashes, or says that there is no OpenBLAS, where it has no memory to look for it
        return True
    return sentence.startswith("ends by") and is_of_hdf5(trace)


def is_of_hdf5(trace):
    """The innermost call inside the program has no name (it is not compiled by us), or one of HDF5's."""
    inside = re.search(r"%s\(.*\+(0x[0-9a-f]+)\)" % re.escape(os.path.basename(st.PROGRAM)), trace)
    if not inside:
        return False
    name = subprocess.run(["addr2line", "-f", "-e", st.PROGRAM, inside.group(1)], capture_output=True, text=True).stdout.split("\n")[0]
    return name == "??" or name.startswith("H5")


def is_same_file(name, a, b):
    """The same bytes; of HDF5 the same groups, data and attributes."""
    if a == b or not (a and b and name.endswith(".h5")):
        return a == b

    def content(data):
        with h5py.File(io.BytesIO(data)) as file:
            found = {"/": {key: repr(file.attrs[key]) for key in file.attrs}}
            file.visititems(lambda path, item: found.update({path: (
                {key: repr(item.attrs[key]) for key in item.attrs},
                (item.dtype, item.shape, item[()].tolist()) if isinstance(item, h5py.Dataset) else None)}))
            return repr(found)

    return content(a) == content(b)


def what_is_wrong(good, result):
    """The sentence for a run whose allocation failed, or None; good: what run() gives without a failure."""
    status, stdout, said, written, _, left = result
    if status == "timeout" or status < 0 or status == 255:  # 255: HDF5 ends the process
        return "ends by %s" % status
    if left:
        return "leaves %s behind" % left
    if status == good[0] and stdout == good[1] and all(is_same_file(name, written[name], good[3][name]) for name in written):
        return None
    if status == 0:
        return "another answer, status 0; %s" % said
    if "statepath: " not in said and not said.endswith("\nvirtual memory exhausted.\n"):  # popt says this and ends the process
        return "status %d and no sentence" % status
    return said if "not valid JSON" in said else None


class TestMemory(st.TestCase):
    def setUp(self):
        super().setUp()
        make(self.folder)
        for words in ("decode in.h5 -m sleep-strict -o paths.h5 -q", "train signals.h5 --epochs 1 -o weights.h5 -q"):
            subprocess.run([st.PROGRAM, *words.split()], cwd=self.folder, check=True)

    def fail_each(self, cases, chosen):
        """chosen(of one case, of all): which allocations fail, of so many."""
        sound = {case[0]: run(self.folder, case, -1) for case in cases}
        total = sum(s[4] for s in sound.values())
        jobs = [(case, n) for case in cases for n in chosen(sound[case[0]][4], total)]
        print("%d allocations, %d made to fail" % (total, len(jobs)), file=sys.stderr)
        wrong, n_crashes = [], 0
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            results = pool.map(lambda job: run(self.folder, *job), jobs)
            for (case, n), result in zip(jobs, results):
                sentence = what_is_wrong(sound[case[0]], result)
                if sentence and sentence.startswith("ends by") and "libfail_alloc" not in result[2]:
                    sentence = what_is_wrong(sound[case[0]], run(self.folder, case, n, is_traced=False))  # backtrace() itself crashed
                if sentence and is_excused(sentence, result[2]):
                    n_crashes += 1
                elif sentence:
                    wrong.append("%s, allocation %d (STATEPATH %s): %s" % (case[0], n, case[1], sentence))
        if n_crashes:
            print("%d crashes inside HDF5, OpenBLAS or jansson" % n_crashes, file=sys.stderr)
        self.assertEqual(wrong, [], "\n".join(wrong))

    def test_words_of_a_command(self):
        """A value that is lost is an error, not the default: texts, numbers and lists."""
        self.fail_each(WORDS, lambda n, _: range(min(n, FIRST)))

    def test_each_allocation(self):
        def chosen(n, total):
            stride = 1 if EVERY else max(7, total // RUNS)
            return range(int(os.environ.get("STATEPATH_OFFSET", time.time() // 3600)) % stride, n, stride)

        self.fail_each([case for case in CASES if not ONLY or case[0] in ONLY], chosen)


if __name__ == "__main__":
    if not PRELOAD:
        print("skipped: needs the library that makes allocations fail (not with sanitizers, which have allocators of their own)")
        sys.exit(77)
    st.main()

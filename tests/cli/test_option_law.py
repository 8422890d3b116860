"""The law of options: what a command takes changes something, or is refused; nothing is accepted and ignored.

The table of options (`statepath help options`) says what each command takes and a value that changes something, its sample. LAW says the rest: a
block for each command (and each verb of `model` and `mask`): the words of a run, then options that need other words, or another value than the
sample, one a line. The run with the option must differ from the run without it in exit status, output, messages or files. What follows ";" are words
of both runs, after "=" in place of the block's; "!" marks a value that is refused where all good ones give the same (--threads). Lines of the block
"every" count for each command that has none of its own, "..." puts them into the block of a verb. What a verb does not take it must refuse. A value
out of range or of no meaning is refused too, and the default that the table gives, given by name, changes nothing.

The same holds of pairs: an option beside a strategy, a format of the input or of the output, no labels, no
scores. Each run of PAIRS is tried with every option of its command: something changes, or the option is
refused, or a note says that it changes nothing.
"""
import functools
import glob
import json
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import threading
import types
import unittest
from concurrent.futures import ThreadPoolExecutor

import h5py
import numpy as np

import statepath_test as st

LAW = """
every night.h5 -m m.json -o out.h5 --json r.json
    --model                         ; = night.h5 -o out.h5
    --output                        ; = night.h5 -m m.json
    --force                         ; = night.h5 -m m.json -o old.h5
    --skip-existing                 ; = night.h5 -m m.json -o old-{id}.h5
    --figures                       ; --report r.html
    --draw                          ; --report r.html
    --what-if                       ; --report r.html
    --json new.json                 ; = night.h5 -m m.json
    --scheme                        ; = tags.h5 -m tags.json
    --background                    ; = actions.h5 -m actions.json
    --lengths                       ; = padded.h5 -m m.json -o out.h5
    --ids                           ; --labels other.h5
    --only                          ; = nights -m m.json -o out.h5
    ! --comments none
    --header yes                    ; = votes.csv -m m.json -o out.h5
    --header no                     ; = table.csv --kind scores -m m.json -o out.h5
    --classes                       ; = bare.h5 -m m.json -o out.h5
    --gaps                          ; = holes.h5 -m m.json -o out.h5
    --unscored                      ; = hundred.h5 -m m.json -o out.h5
    --transpose                     ; = turned.npy -m m.json -o out.h5
    --allow-external                ; = sub/link.h5 -m m.json -o out.h5
    --codes                         ; --labels nsrr
    --map                           ; --codes nsrr --labels nsrr
    ! --threads 5000
    --text                          ; = tags.h5 -m tags.json -o out.jsonl
    --missing                       ; = nan.h5 -m m.json -o out.h5
    --on-infeasible                 ; = dead.h5 -m m.json -o out.h5
    --label-confidence              ; = hypnogram.txt -m m.json -o out.h5
    --trim-to-shortest              ; = night.h5 --labels long.h5 -m m.json -o out.h5
    --label-order                   ; = sorted.h5 --labels numbers.h5 -m m.json -o out.h5

inspect night.h5
    --comments hash                 ; = hash.conll -m tags.json
    --header yes                    ; = votes.csv
    --header no                     ; = table.csv --kind scores
    --model sleep-strict
    --lengths                       ; = padded.h5
    --ids
    --only                          ; = nights
    --classes                       ; = bare.h5
    --gaps                          ; = holes.h5
    --unscored                      ; = hundred.h5
    --transpose                     ; = turned.npy
    --allow-external                ; = sub/link.h5

compare night.h5 -m m.json -o out.h5 --json r.json
    ! --max-states 1                ; --rule .
    --rules sleep-permissive        ; --cv 2
    --method                        ; = other.h5 -m m.json --cv 2
    --tune                          ; --cv 2 --method counts
    --cost                          ; --cv 2 --method counts
    --for                           ; --cv 2 --method counts
    --smoothing                     ; --cv 2 --method counts
    --penalty                       ; --cv 2 --tune none
    --memory                        ; --cv 2 --tune none --penalty 1
    --folds                         ; --cv 2 --method counts
    --features                      ; --cv 2 --method counts

decode night.h5 -m m.json -o out.h5
    ! --max-states 1                ; --rule .
    --epoch-seconds                 ; = turned.npy --transpose -m m.json -o out.edf
    --join                          ; = windows.npz -m m.json -o out.h5
    --windows                       ; = windows.npz -m m.json -o out.h5 --join mean
    --ids
    --seed                          ; --draws 2
    --shard                         ; = night.h5 -m m.json -o out%i.h5

evaluate paths.h5 --labels night.h5 --json r.json
    ! --max-states 1                ; --rule .
    --trim-to-shortest              ; = paths.h5 --labels long.h5
    --label-order                   ; = sorted-paths.h5 --labels numbers.h5
    --comments hash                 ; = hash.conll -m tags.json
    --model sleep-strict
    --labels night.h5               ; = alone.h5 -m m.json
    --strategies viterbi
    --classes                       ; = rows.npy -m m.json
    --gaps                          ; = rows.npy -m m.json --labels hundred-rows.npy
    --unscored                      ; = paths.h5 --labels hundred.h5
    --force                         ; = paths.h5 --json old.json
    --json                          ; = paths.h5
    --draw                          ; --report r.html
    --scheme                        ; = tag-paths.h5
    --background                    ; = action-paths.h5
    --paths /more/path
    --only                          ; = texts -m m.json
    --codes                         ; = nsrr.txt -m m.json
    --map                           ; = nsrr.txt -m m.json --codes nsrr
    --labels other.h5:/few          ; = paths.h5 --json r.json
    --ids                           ; = paths.h5 --json r.json
    --offsets                       ; = paths.h5 --json r.json
    --allow-external                ; = sub/paths.h5

fit night.h5 -r sleep-permissive -o out.json --method counts
    ! --max-states 1                ; --rule .
    --features none
    --header yes                    ; = votes.csv --labels hypnogram.txt -r sleep-permissive -o out.json
    --header no                     ; = table.csv --kind scores --labels five.txt -r sleep-permissive -o out.json
    --trim-to-shortest              ; --labels long.h5
    --label-order                   ; = sorted.h5 --labels numbers.h5 -r m.json -o out.json --method counts
    --rules sleep-aasm              ; = night.h5 -o out.json --method counts
    --model sleep-aasm              ; = night.h5 -o out.json --method counts
    --output out.json               ; = night.h5 -r sleep-permissive
    --force                         ; = night.h5 -o old.json --method counts
    --groups                        ; --tune accuracy
    --method                        ; = night.h5 -r sleep-permissive -o out.json --folds 2 --scores /second/probs
    --penalty                       ; = night.h5 -o out.json --method crf --tune none
    --memory                        ; = night.h5 -o out.json --method crf --tune none --penalty 1
    --missing                       ; = nan.h5 -o out.json --method counts
    --epoch-seconds                 ; = turned.npy --transpose -r sleep-permissive -o out.json --method counts --labels spans.tsv
    --scores                        ; = night.h5 -o out.json
    --quiet                         ; = turned.npz --transpose --codes pops -r sleep-permissive -o out.json --method counts
    --lengths                       ; = padded.h5 -o out.json --method counts
    --only                          ; = nights -o out.json --method counts
    --classes                       ; = bare.h5 -o out.json --method counts
    --gaps                          ; = holes.h5 -o out.json --method counts
    --unscored                      ; = hundred.h5 -o out.json --method counts
    --transpose                     ; = turned.npz -o out.json --method counts
    --allow-external                ; = sub/link.h5 -o out.json --method counts

stream -m m.json --lag 2 <lines.txt
    ! --max-states 1                ; --rule .
    --model                         ; = --lag 2 <lines.txt
    --classes
    --missing                       ; = -m m.json --lag 2 <nan.txt
    --epoch-seconds                 ; = -m lasts.json --lag 2 <lines.txt
    --remaining
    --exact
    --on-infeasible

convert night.h5 -o out.h5
    --comments hash                 ; = hash.conll -o out.conll
    --header yes                    ; = votes.csv -o out.h5
    --header no                     ; = table.csv --kind scores -o out.h5
    --trim-to-shortest              ; --labels long.h5
    --label-order                   ; = sorted.h5 --labels numbers.h5 -m m.json -o out.h5
    --model m.json                  ; --codes nsrr --labels nsrr
    --output                        ; = night.h5
    --force                         ; = night.h5 -o old.h5
    --scheme BIOES                  ; = tags.conll -o out.conll
    --lengths                       ; = padded.h5 -o out.h5
    --only                          ; = nights -o out.h5
    --classes                       ; = bare.h5 -o out.h5
    --gaps                          ; = holes.h5 -o out.h5
    --unscored                      ; = hundred.h5 -o out.h5
    --transpose                     ; = turned.npy -o out.h5
    --allow-external                ; = sub/link.h5 -o out.h5
    --codes                         ; --labels nsrr -m m.json
    --map                           ; --codes nsrr --labels nsrr -m m.json

simulate recipe.json -o out.h5
    --output                        ; = recipe.json
    --force                         ; = recipe.json -o old.h5

train signals.h5 -o out.h5 --epochs 1 --batch 64
    --output                        ; = signals.h5 --epochs 1
    --force                         ; = signals.h5 -o old.h5 --epochs 1
    --masking                       ; --model abc.json
    --model abc.json                ; --masking true-previous
    --allow-external                ; = sub/signals.h5 -o out.h5 --epochs 1

predict signals.h5 --weights weights.h5 -o out.h5
    --weights                       ; = signals.h5 -o out.h5
    --output                        ; = signals.h5 --weights weights.h5
    --force                         ; = signals.h5 --weights weights.h5 -o old.h5
    --allow-external                ; = sub/signals.h5 --weights weights.h5 -o out.h5

model list

model show m.json
    --max-states 1                  ; --rule .
    --epoch-seconds                 ; = lasts.json

model check m.json

model new left-right --classes a,b,c -o out.json
    --output new.json               ; = left-right --classes a,b,c
    --force                         ; = left-right --classes a,b,c -o old.json
    --types                         ; = bio
    --id2label                      ; = bio
    --calibration                   ; = bioes --types PER
    --point                         ; = bioes --types PER --calibration points.json
    --classes a,b,c                 ; = cycle
    --min-count                     ; = from-labels night.h5
    --durations                     ; = from-labels night.h5
    --labels                        ; = from-labels night.h5
    --only                          ; = from-labels nights --classes Wake,N1,N2,N3,REM
    --comments hash                 ; = from-labels hash.conll
    --allow-external                ; = from-labels sub/link.h5

mask softmax night.h5 -m m.json -o out.h5
    ...
    --multiply                      ; --scores /second/probs
    --strategy argmax
    --mask                          ; = night.h5 -o out.h5
    --matrix                        ; = night.h5 --previous few -o out.h5
    --labels                        ; --clamp
    --ids
    --unscored                      ; = hundred.h5 -m m.json -o out.h5 --clamp
    --codes                         ; --paths nsrr
    --map                           ; --paths nsrr --codes nsrr
    ! --on-infeasible error         ; = dead.h5 -m m.json -o out.h5

mask apply night.h5 -m m.json -o out.h5
    ... mask softmax

mask leak night.h5 -m m.json --json r.json
    ... mask softmax
    --header yes                    ; = votes.csv -m m.json
    --header no                     ; = table.csv --kind scores -m m.json
    --model                         ; = night.h5
    --force                         ; = night.h5 -m m.json --json old.json
    --json                          ; = night.h5 -m m.json
    --quiet                         ; = dead.h5 -m m.json
    --mask                          ; = night.h5
    --matrix                        ; = night.h5 --previous few
    --lengths                       ; = padded.h5 -m m.json
    --only                          ; = nights -m m.json
    --classes                       ; = bare.h5 -m m.json
    --gaps                          ; = holes.h5 -m m.json
    --unscored                      ; = hundred.h5 -m m.json --clamp
    --transpose                     ; = turned.npy -m m.json
    --allow-external                ; = sub/link.h5 -m m.json
    --missing                       ; = nan.h5 -m m.json
    ! --on-infeasible error         ; = dead.h5 -m m.json
"""

PAIRS = """
compare night.h5 -m m.json --json r.json -s argmax
compare night.h5 -m m.json --json r.json -s greedy
compare night.h5 -m m.json --json r.json -s mea
compare pairs.npz -m m.json --json r.json
compare rows60.npy -m m.json --json r.json
compare pairs.csv -m m.json --json r.json
compare nights -m m.json --json r.json
compare unlabelled.h5 -m m.json --json r.json
compare night.h5 -m rules.json --json r.json
decode night.h5 -m m.json -o out.h5 -s argmax
decode night.h5 -m m.json -o out.h5 -s posterior
decode night.h5 -m rules.json -o out.h5
decode night.h5 -m m.json -o out.csv
decode night.h5 -m m.json -o out.npz
decode pairs.npz -m m.json -o out.h5
decode rows60.npy -m m.json -o out.h5
decode pairs.csv -m m.json -o out.h5
decode unlabelled.h5 -m m.json -o out.h5
decode tags.h5 -m tags.json -o out.jsonl
evaluate bare-paths.h5 -m m.json --json r.json
evaluate paths.npz -m m.json --json r.json
evaluate paths.csv -m m.json --json r.json
fit night.h5 -r sleep-permissive -o out.json --method crf
fit night.h5 -r sleep-permissive -o out.json --method em
fit pairs.npz -r sleep-permissive -o out.json
fit unlabelled.h5 -r sleep-permissive -o out.json
fit numbers.h5 -r sleep-permissive -o out.json
"""

# What pairs say nothing of: outputs and messages; precautions, which change something where data ask for it;
# what the numbers are, which argmax does not depend on.
NOT_IN_PAIRS = set("""--force --threads --quiet --verbose --skip-existing --output --json --csv --markdown
    --latex --report --figures --fail-if --model --strategies --missing --unscored --on-infeasible
    --max-states --kind""".split())
# These beside what they go with change nothing, where that changes nothing itself and says so; the sample of
# --draw is drawn in any case where no labels tell worst, median and best.
SAID_BEFORE = {("--map", "out.csv"), ("--ids", "em"), ("--draw", "bare-paths.h5"), ("--method", "numbers.h5")}

NSRR = np.array([0, 1, 2, 3, 5, 9])  # of our numbers, the last one of -1
RECIPE = {"statepath_recipe": 1, "seed": 3, "classes": ["a", "b", "c"], "recordings": 5, "steps": 20, "start": {"a": .5, "b": .5},
          "transitions": [[.9, .1, 0], [0, .9, .1], [.1, 0, .9]],
          "signals": {"rate": 50, "samples": 100, "tones": {"a": [[1, 3]], "b": [[1, 6]], "c": [[1, 10]]}, "channels": [{"noise": .7}], "test": 2}}




def make_files(folder):
    """The files that LAW names: 6 nights, what others would write of them, tags, actions, signals."""
    rng = np.random.default_rng(7)
    path = lambda name: os.path.join(folder, name)

    def run(*words):
        done = subprocess.run([st.PROGRAM, *words], cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0, done

    def h5(name, classes=st.STAGES, attrs={}, **datasets):
        with h5py.File(path(name), "w") as f:
            if classes:
                f.attrs["classes"] = classes
            f.attrs.update(attrs)
            for key, value in datasets.items():
                f[key.replace("__", "/")] = value

    def text(name, content):
        with open(path(name), "w") as f:
            f.write(content)

    def scores(labels, K, zeros=0):
        probs = rng.dirichlet([.4] * K, len(labels)) + .3 * np.eye(K)[np.maximum(labels, 0)]
        probs[rng.random(probs.shape) < zeros] = 0
        probs[probs.sum(1) == 0] = 1
        return probs / probs.sum(1, keepdims=True)

    N, T, ids = 6, 60, ["a1", "a2", "b1", "b2", "c1", "c2"]
    labels = np.concatenate([np.r_[[0] * 20, np.repeat(rng.integers(0, 5, 16), 2), [0] * 8] for _ in ids])
    labels[rng.integers(0, N * T, 12)] = -1
    labels[labels == 4] = np.where(rng.random((labels == 4).sum()) < .5, 4, 2)
    few = np.clip(labels, 0, 2)
    common = dict(offsets=np.arange(0, N * T + 1, T), ids=ids, site=["x", "x", "y", "y", "z", "z"], two=[0, 50, 130, 190, 250, 280, N * T], names=ids[1:] + ids[:1],
                  few=few, nsrr=NSRR[labels], labels=labels, more__path=np.roll(few, 1))
    probs = scores(labels, 5, .02)
    night = dict(common, probs=probs, second__probs=scores(labels, 5), second__labels=few, allowed=rng.random((N * T, 5)) < .8, rules=~np.eye(5, k=1, dtype=bool))
    h5("night.h5", **night)
    h5("other.h5", **dict(night, probs=scores(labels, 5)))
    h5("sorted.h5", classes=sorted(st.STAGES), **dict(night, probs=probs[:, [st.STAGES.index(s) for s in sorted(st.STAGES)]]))
    h5("numbers.h5", classes=None, labels=labels, offsets=common["offsets"], ids=ids)
    h5("few.h5", **dict(night, labels=few))
    h5("padded.h5", probs=probs.reshape(N, T, 5), labels=labels.reshape(N, T), lengths=[T] * N, short=[T // 2] * N)
    h5("holes.h5", probs=probs.reshape(N, T, 5), labels=labels.reshape(N, T), valid=rng.random((N, T)) < .9)
    h5("bare.h5", classes=None, probs=probs, labels=labels, offsets=common["offsets"])
    np.save(path("rows.npy"), few.reshape(N, T))
    np.save(path("hundred-rows.npy"), np.where(labels < 0, -100, labels).reshape(N, T))
    h5("hundred.h5", probs=probs, labels=np.where(labels < 0, -100, labels), offsets=common["offsets"])
    broken = probs.copy()
    broken[5, 1] = np.nan
    h5("nan.h5", probs=broken, labels=labels)
    h5("dead.h5", probs=np.eye(5)[[0, 3, 3, 0]], labels=[0, 3, 3, 0])
    h5("long.h5", classes=st.STAGES, labels=np.r_[labels, 0, 0], ids=ids, offsets=np.r_[common["offsets"][:-1], N * T + 2])
    np.save(path("turned.npy"), probs[:T].T)
    np.savez(path("windows.npz"), probs=probs, offsets=common["offsets"], windows=20 * np.arange(N))
    np.savez(path("turned.npz"), probs=probs[:T].T, labels=few[:T])
    text("hypnogram.txt", "".join("%s\n" % st.STAGES[k] for k in few))
    text("spans.tsv", "onset\tduration\tdescription\n" + "".join("%d\t%d\t%s\n" % (20 * t, 20, st.STAGES[k]) for t, k in enumerate(few[:T])))
    text("nsrr.txt", "".join("%d\n" % k for k in NSRR[labels]))
    text("only.txt", "a1\nb1\n")
    text("votes.csv", "0,1,2,3,4\n" + "".join(",".join("%d" % (k == c) for c in range(5)) + "\n" for k in few.clip(0)))
    text("table.csv", "0,1,2,3,4\n" + "".join(",".join("%.3f" % x for x in row) + "\n" for row in rng.random((4, 5))))
    text("config.json", json.dumps({"id2label": {"0": "O", "1": "B-PER", "2": "I-PER"}}))
    text("points.json", json.dumps({"operating_points": {name: {"biases": {"transition_bias_background_stay": x}} for name, x in (("default", 1), ("other", 2))}}))
    text("five.txt", "Wake\nN1\nN1\nN2\nN2\n")
    text("hash.conll", "A B-PER B-PER\n# O I-PER\nB O O\n\n")
    text("lines.txt", "".join("%s\n" % " ".join(map(str, row)) for row in rng.dirichlet([.5] * 5, 40).round(3)) + "1 0 0 0 0\n0 0 0 1 0\n")
    text("nan.txt", ".2 .2 .2 .2 .2\nnan .2 .2 .2 .2\n")
    for name in ("nights", "texts", "sub"):
        os.mkdir(path(name))
    for i, name in enumerate(ids):
        part = slice(i * T, i * T + T)
        np.savez(path("nights/%s.npz" % name), probs=probs[part], labels=labels[part])
        text("texts/%s.txt" % name, "".join("%d\n" % k for k in labels[part]))
    allow = np.ones((5, 5)) - np.eye(5, k=3) - np.eye(5, k=-3)
    model = {"statepath_model": 1, "name": "m", "classes": st.STAGES, "probabilities": ((allow + 5 * np.eye(5)) / (allow + 5 * np.eye(5)).sum(1)[:, None]).tolist(),
             "matrix": allow.astype(int).tolist(), "prior": [.4, .1, .3, .1, .1]}
    text("m.json", json.dumps(model))
    text("lasts.json", json.dumps(dict(model, durations={model["classes"][0]: {"max": "1h"}})))
    tags, actions = ["O", "B-PER", "I-PER"], ["background", "a", "b"]
    for name, classes in (("tags", tags), ("actions", actions)):
        truth = np.repeat(rng.integers(0, 3, 40), 2)
        h5(name + ".h5", classes=classes, probs=scores(truth, 3), labels=truth, offsets=[0, 40, 80])
        text(name + ".json", json.dumps({"statepath_model": 1, "name": name, "classes": classes, "matrix": [[1, 1, 1]] * 3}))
    text("text.txt", " ".join("w%d" % t for t in range(40)) + "\n" + "x " * 40)
    text("tags.conll", "".join("w%d %s\n" % (i, tags[k]) for i, k in enumerate(rng.integers(0, 3, 40))) + "\n")
    text("recipe.json", json.dumps(RECIPE))
    text("abc.json", json.dumps({"statepath_model": 1, "name": "abc", "classes": RECIPE["classes"], "matrix": [[1, 1, 0], [0, 1, 1], [1, 0, 1]]}))
    for words in ("simulate recipe.json -o signals.h5", "train signals.h5 -o weights.h5 --epochs 1 --batch 64", "compare night.h5 -m m.json -o paths.h5",
                  "decode sorted.h5 -m m.json -o sorted-paths.h5", "decode tags.h5 -m tags.json -o tag-paths.h5", "decode actions.h5 -m actions.json -o action-paths.h5"):
        run(*words.split())
    with h5py.File(path("signals.h5"), "r+") as f:
        f["other"] = f["signals"][:] * 2
    with h5py.File(path("paths.h5"), "r+") as f, h5py.File(path("alone.h5"), "w") as alone:
        f["two"], f["names"], f["more/path"] = common["two"], common["names"], common["more__path"]
        for name in ("paths", "offsets", "ids", "classes"):
            f.copy(name, alone)
    for name, links in (("link", night), ("paths", ["paths", "offsets", "ids", "classes", "labels"]), ("signals", ["signals", "labels", "offsets", "ids", "split"])):
        with h5py.File(path("sub/%s.h5" % name), "w") as f, h5py.File(path(name.replace("link", "night") + ".h5")) as target:
            f.attrs.update(target.attrs)
            for key in links:
                f[key.replace("__", "/")] = h5py.ExternalLink("../%s.h5" % name.replace("link", "night"), key.replace("__", "/"))
    np.savez(path("pairs.npz"), probs=probs, labels=labels, offsets=common["offsets"], classes=st.STAGES)
    np.save(path("rows60.npy"), probs[:60])
    words, rows = [*st.STAGES, ""], [",".join("%.6f" % x for x in row) for row in probs]
    text("pairs.csv", "recording,label,%s\n" % ",".join(st.STAGES) +
         "".join("r%d,%s,%s\n" % (t // T, words[labels[t]], rows[t]) for t in range(N * T)))
    h5("unlabelled.h5", probs=probs, offsets=common["offsets"], ids=ids, site=common["site"])
    text("rules.json", json.dumps({k: model[k] for k in ("statepath_model", "name", "classes", "matrix")}))
    for words in ("unlabelled.h5 -o bare-paths.h5 -s argmax,viterbi",
                  "night.h5 -o paths.npz -s argmax,viterbi", "night.h5 -o paths.csv"):
        run("decode", *words.split(), "-m", "m.json")
    text("old.json", "{}")
    for name in ("old.h5", "old-night.h5"):
        h5(name, classes=None, x=[1])


# Their values are names that are made up.
FREE = {"--output", "--report", "--figures", "--json", "--csv", "--markdown", "--latex", "--name", "--types", "--classes"}
COMMAND_LINE = re.compile(r"statepath [a-z]+ [^\n\"<']*")  # as results keep it


def table():
    """{command or verb: {option: row}}"""
    rows = json.loads(subprocess.run([st.PROGRAM, "help", "options"], capture_output=True, text=True, check=True).stdout)
    taken = {}
    for row in rows:
        for command in row["commands"]:
            taken.setdefault(command, {})["--" + row["name"]] = row
    return taken


def out_of_range(row):
    """A value below the range, or at its open end."""
    if "range" not in row:
        return []
    least = float(row["range"][1:row["range"].index(",")])
    return ["%g" % (least - (row["range"][0] == "[")), "nan"][:2 if row["type"] == "number" else 1]


def law_of_every():
    return re.findall(r"^ +(?:! )?(--[\w-]+)", LAW[:LAW.index("\n\n")], re.M)


@functools.cache  # asked for by each case
def law():
    """{command: (words of its run, {option: (words, context, is refused)})}; words without a value: the sample."""
    blocks = {}
    for line in LAW.splitlines():
        if line and not line.startswith(" "):
            words = shlex.split(line)
            n = 2 if words[0] in ("model", "mask") else 1
            options = dict(blocks["every"][1]) if n == 1 and blocks else {}
            blocks[" ".join(words[:n])] = words[n:], options
        elif line.lstrip().startswith("..."):
            options.update(blocks[line.replace("...", "").strip() or "every"][1])
        elif line:
            given, _, context = line.strip().partition(";")
            words, context = shlex.split(given), shlex.split(context)
            refused = words[0] == "!"
            options[words[refused]] = words[refused:], context, refused
    del blocks["every"]
    return blocks


def numbers(item):
    return (item.shape, str(item[()].tolist()) if item.shape else item[()]) if isinstance(item, h5py.Dataset) else None


def content(path):
    """What a file says, but for the command line in it."""
    try:
        with h5py.File(path) as f:
            found = {}
            f.visititems(lambda name, item: found.update({name: (numbers(item), str(dict(item.attrs)))}))
            return COMMAND_LINE.sub("", repr(found) + str(dict(f.attrs)))
    except OSError:
        with open(path, "rb") as f:
            return COMMAND_LINE.sub("", f.read().decode("latin-1"))


class TestOptionLaw(st.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.made = tempfile.mkdtemp(prefix="statepath-law-")
        cls.addClassCleanup(shutil.rmtree, cls.made, ignore_errors=True)
        make_files(cls.made)
        cls.table, cls.threads, cls.kept, cls.lock = table(), threading.local(), {}, threading.Lock()
        text = subprocess.run([st.PROGRAM, "--help"], capture_output=True, text=True).stdout
        cls.offered = {}  # {command: {option: name of its value or ""}}
        for command in re.findall(r"^  (\w+)  +", text, re.M):
            said = subprocess.run([st.PROGRAM, command, "--help"], capture_output=True, text=True).stdout
            found = re.findall(r"^  (?:-\w, |    )(--[\w-]+)(?: (\S+))?(?: |$)", said, re.M)
            cls.offered[command] = {option: value for option, value in found if option not in ("--help", "--version")}

    def outcome_without(self, command, words):
        """Of many options the same; while one thread runs it the others that need it wait."""
        with self.lock:
            mine = self.kept.setdefault((command, words), types.SimpleNamespace(lock=threading.Lock(), found=None))
        with mine.lock:
            if mine.found is None:
                once, again = self.outcome(command, words), self.outcome(command, words)
                self.assertEqual(once, again, "two runs of %s %s differ" % (command, " ".join(words)))
                mine.found = once
        return mine.found

    def own_folder(self):
        """Of this thread, with links to the files that were made."""
        if not hasattr(self.threads, "folder"):
            self.threads.folder = tempfile.mkdtemp(prefix="statepath-law-")
            self.addClassCleanup(shutil.rmtree, self.threads.folder, ignore_errors=True)
            shutil.copytree(self.made, self.threads.folder, copy_function=os.link, dirs_exist_ok=True)
        return self.threads.folder

    def outcome(self, command, words):
        """Exit status, what is said, and the files that a run makes; then its folder is as it was."""
        folder, files = self.own_folder(), {}
        lines = [word[1:] for word in words if word.startswith("<")]
        with open(os.path.join(folder, lines[0]) if lines else os.devnull) as stdin:
            words = [word for word in words if not word.startswith("<")]
            done = subprocess.run([st.PROGRAM, *command.split(), *words], cwd=folder, stdin=stdin, capture_output=True, text=True,
                                  env=dict(os.environ, NO_COLOR="1"), timeout=300)
        for root, _, names in os.walk(folder, topdown=False):
            here = os.path.relpath(root, folder)
            for name in names:
                path = os.path.join(root, name)
                if os.stat(path).st_nlink == 1:  # it is none of those that were there
                    files[os.path.normpath(os.path.join(here, name))] = content(path)
                    os.remove(path)
            if not os.path.isdir(os.path.join(self.made, here)):
                os.rmdir(root)
        for name in files:
            if os.path.exists(os.path.join(self.made, name)):
                os.link(os.path.join(self.made, name), os.path.join(folder, name))
        return done.returncode, COMMAND_LINE.sub("", done.stdout), COMMAND_LINE.sub("", done.stderr), files

    def judge(self, command, option):
        """What is wrong with an option of a command: sentences."""
        base, lines = law()[command]
        row = self.table.get(command, {}).get(option)
        words, context, refused = lines.get(option, ([option], [], False))
        if len(words) == 1 and self.offered[command.split()[0]][option]:
            words = [option, row["sample"] if row else "1"]
        base = context[1:] if context[:1] == ["="] else [*base, *context]
        without, given = self.outcome_without(command, tuple(base)), self.outcome(command, [*base, *words])
        said = " ".join([command, *base, *words])
        wrong = []
        if given == without:
            wrong.append("%s: changes nothing" % said)
        elif row is None and "takes no " + option not in given[2]:
            wrong.append("%s: the table says that it is not taken: %s" % (said, given[:3]))
        elif row and refused != (given[0] in (1, 2)):
            wrong.append("%s: %s" % (said, given[:3]))
        for value in ["bogus", *out_of_range(row)] if row and len(words) > 1 and option not in FREE else []:
            bogus = self.outcome(command, [*base, option + "=" + value])
            if bogus[0] not in (1, 2) or bogus[3]:
                wrong.append("%s: %s is taken: %s" % (said, value, bogus[:3]))
        if row and "default" in row and row["default"] != "-1" and self.outcome(command, [*base, option, row["default"]]) != without:
            wrong.append("%s: its default, given by name, changes something" % said)
        return wrong

    def test_each_option_of_each_command_changes_something_or_is_refused(self):
        lines = law()
        self.assertEqual({name.split()[0] for name in lines}, set(self.offered))
        cases = []
        for command in lines:
            taken = self.table.get(command, {})
            self.assertEqual([o for o, row in taken.items() if row["type"] != "flag" and "sample" not in row], [], "options without a sample")
            self.assertLessEqual(set(taken), set(self.offered[command.split()[0]]))
            cases += [(command, option) for option in self.offered[command.split()[0]]]
        for command in self.offered:
            of_it = [options for name, (_, options) in lines.items() if name.split()[0] == command]
            own = set().union(*of_it) - set(law_of_every())
            self.assertEqual(own - set(self.offered[command]), set(), "lines in LAW that %s has no option for" % command)
        if os.environ.get("STATEPATH_LIGHT"):
            cases = cases[::4]
        with ThreadPoolExecutor(4) as pool:
            wrong = sum(pool.map(lambda case: self.judge(*case), cases), [])
        self.assertEqual(wrong, [], "\n" + "\n".join(wrong))

    def judge_pair(self, line, option):
        command, *base = line.split()
        row = self.table[command][option]
        words, context, _ = law()[command][1].get(option, ([option], [], False))
        if len(words) == 1 and self.offered[command][option]:
            words = [option, row["sample"]]
        base += [] if context[:1] == ["="] else context
        without, given = self.outcome_without(command, tuple(base)), self.outcome(command, [*base, *words])
        is_said = without[0] in (1, 2) or any((option, word) in SAID_BEFORE for word in base)
        is_said |= option == "--allow-external" and base[0].endswith("h5")  # a precaution there
        said = " ".join([command, *base, *words])
        return ["%s: changes nothing" % said] if given == without and not is_said else []

    def test_an_option_beside_what_leaves_it_nothing_to_do(self):
        lines = PAIRS.strip().split("\n")
        cases = [(line, option) for line in lines for option in self.table[line.split()[0]]
                 if option not in NOT_IN_PAIRS]
        if os.environ.get("STATEPATH_LIGHT"):
            cases = cases[::4]
        with ThreadPoolExecutor(4) as pool:
            wrong = sum(pool.map(lambda case: self.judge_pair(*case), cases), [])
        self.assertEqual(wrong, [], "\n" + "\n".join(wrong))

    def test_what_is_said(self):
        for words, status, said in (
                ("decode night.h5 -m m.json -o n.h5 -s argmax --temperature 2 --rule .", 0,
                 "note: argmax takes the best class of each step as the scores are: --temperature,"
                 " --rule change nothing"),
                ("compare night.h5 -m m.json -s argmax --transition-weight 2", 0,
                 "as the scores are: --transition-weight changes nothing"),
                ("decode night.h5 -m m.json -o n.csv --epoch-seconds 20", 0,
                 "note: --epoch-seconds changes nothing: no rule or duration is in time, and n.csv"
                 " does not say how long a step is"),
                ("decode night.h5 -m m.json -o n.csv --labels few", 0,
                 "note: --labels changes nothing: no labels are written to n.csv, and --clamp is "
                 "not given"),
                ("decode night.h5 -m m.json -o n.h5 --classes REM,Wake,N1,N2,N3", 0,
                 "note: --classes changes nothing: night.h5 names its columns itself (attribute "
                 "classes of /), Wake first"),
                ("fit night.h5 --labels other.h5 --method em -o n.json", 0,
                 "note: --labels changes nothing: --method em learns from the scores alone"),
                ("decode night.h5 -m rules.json -o n.h5 --transition-weight 2", 0,
                 "note: --transition-weight changes nothing: it multiplies log weights of transitions,"
                 " and model m has rules alone"),
                ("compare night.h5 -m m.json --label-confidence .9", 2,
                 "--label-confidence is of a file of labels that is decoded in place of scores, "
                 "and night.h5 holds scores; leave it out"),
                ("compare unlabelled.h5 -m m.json --margin .1", 2,
                 "--margin judges by labels, and unlabelled.h5 has none; --labels says where they "
                 "are, or leave it out"),
                ("fit numbers.h5 -r m.json -o n.json --floor .1", 2,
                 "--floor speaks of scores, and numbers.h5 has none; leave it out"),
                ("decode rows60.npy -m m.json -o n.h5 --allow-external", 2,
                 "--allow-external speaks of links of HDF5, and rows60.npy is of another format")):
            command, *rest = words.split()
            found = self.outcome(command, rest)
            self.assertEqual(found[0], status, found)
            self.assertIn(said, found[2])

    def test_the_library_names_options_as_rows(self):
        """A text of the library has `weighted_kappa`, which the program writes as --weighted-kappa and Python as weighted_kappa=."""
        options = set().union(*self.offered.values())
        wrong = []
        for file in sum((glob.glob(os.path.join(st.SOURCE, "lib", "**", "*." + kind), recursive=True) for kind in ("c", "h", "def")), []):
            with open(file, encoding="utf-8") as f:
                code = re.sub(r"/\*.*?\*/", "", f.read(), flags=re.S)
            named = {name for text in re.findall(r'"(?:[^"\\\n]|\\.)*"', code) for name in re.findall(r"--[a-z][\w-]*", text)}
            wrong += ["%s: %s" % (os.path.relpath(file, st.SOURCE), name) for name in sorted(named & options)]
        self.assertEqual(wrong, [])


if __name__ == "__main__":
    st.main()

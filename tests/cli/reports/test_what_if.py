"""The page that decodes: what it holds, and that the module decodes as the program does, under rules changed at random."""
import base64
import gzip
import json
import os
import random
import re
import shutil
import subprocess
import sys

import statepath_test as st
from statepath_test import h5py, np

MODULE = os.path.join(os.environ["STATEPATH_BUILD"], "statepath.wasm")
WRAPPER = os.path.join(st.SOURCE, "lib/wasm/statepath.js")
NODE = shutil.which("node") or shutil.which("nodejs")
CHANGES = int(os.environ.get("STATEPATH_CHANGES", "30" if os.environ.get("STATEPATH_WHOLE") else "15"))
EACH = ["argmax", "greedy", "viterbi", "beam:3", "posterior", "mea", "posterior-viterbi", "online:6"]

if not os.path.exists(MODULE):
    print("skipped: statepath.wasm was not built")
    sys.exit(77)
if not NODE:
    print("skipped: node is not installed")
    sys.exit(77)


# The digits of lib/core/base85.h, and those of base64.b85decode().
OURS = "()*+,-./0123456789:;=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_abcdefghijklmnopqrstuvwxyz{|}~!"
THEIRS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"


def bytes_of(letters):
    return base64.b85decode(letters.translate(str.maketrans(OURS, THEIRS)))


class Page:
    """What a page holds: settings, decoder, packed recordings."""

    def __init__(self, text):
        def part(name):
            return re.search(r'<script type="[a-z/]+" id="what-if-%s">(.*?)</script>' % name, text, re.S).group(1)

        self.text = text
        self.settings = json.loads(part("settings"))
        self.module = gzip.decompress(bytes_of(part("module")))
        self.packed = bytes_of(part("scores"))
        self.ids, self.steps, self.has_gaps, n_bytes = ([row[i] for row in self.settings["recordings"]] for i in range(4))
        assert sum(n_bytes) == len(self.packed)

    def take(self, data):
        """Scores, labels and gaps of each recording, as the module unpacks them; what follows."""
        self.scores, self.labels, self.gaps, at = [], [], [], 0
        K = len(self.settings["model"]["classes"])

        def take(dtype, n):
            nonlocal at
            at += n * np.dtype(dtype).itemsize
            return np.frombuffer(data, dtype, n, at - n * np.dtype(dtype).itemsize)

        for T, has_gaps in zip(self.steps, self.has_gaps):
            self.scores.append(take(np.float64, T * K).reshape(T, K))
            self.labels.append(take(np.int32, T) if self.settings["labels"] else None)
            self.gaps.append(take(np.uint8, T) if has_gaps else None)
        return np.frombuffer(data, np.int8, -1, at)

    def split(self, path):
        """Of each recording its part of a path, and its gaps."""
        ends = np.cumsum(self.steps)
        return [(path[end - T:end], gaps) for end, T, gaps in zip(ends, self.steps, self.gaps)]


def cells(model):
    """The rules as a dictionary of dictionaries: from -> to -> log weight, absent where forbidden."""
    states = list(model.get("states", {})) or model["classes"]
    weights = model.get("log_weights")
    return states, {a: {b: weights[i][states.index(b)] if weights else None for b in model["allow"][a]} for i, a in enumerate(states)}


def illegal_pairs(model, path, gaps):
    """Pairs of neighbours of which no state of the first may be followed by one of the second; none across gaps."""
    states, allowed = cells(model)
    class_of = model.get("states") or {name: name for name in model["classes"]}
    legal = {(class_of[a], class_of[b]) for a in states for b in allowed[a]}
    for name, duration in model.get("durations", {}).items(): # which says whether a class stays, whatever the matrix says
        legal -= {(name, name)}
        legal |= {(name, name)} if any(duration.get("pmf", [0, duration.get("max") != 1])[1:]) else set()
    names = [model["classes"][k] if k >= 0 else None for k in path]
    return sum(names[t - 1] is not None and names[t] is not None and (names[t - 1], names[t]) not in legal and (gaps is None or not gaps[t])
               for t in range(1, len(names)))


def change_duration(duration, draw):
    """Other bounds; None: no duration."""
    low, high = draw.randint(1, 6), draw.randint(3, 30)
    if draw.random() < 0.2 or (low > high and draw.random() < 0.9):
        return duration
    if duration and "pmf" in duration:
        return {"pmf": [p if low <= d <= high else 0 for d, p in enumerate(duration["pmf"], 1)]}
    made = dict({key: value for key, value in (duration or {}).items() if key not in ("min", "max")}, min=low, max=high)
    if draw.random() < 0.3:
        del made["max"]
    return made


def change(model, draw):
    """The model with some cells, starts, dwells and settings changed."""
    made = json.loads(json.dumps(model))
    states, allowed = cells(model)
    for _ in range(draw.randint(0, 4)):
        a, b = draw.choice(states), draw.choice(states)
        if b in allowed[a]:
            del allowed[a][b]
        else:
            allowed[a][b] = -1.25 if "log_weights" in model else None
    made["allow"] = {a: [b for b in states if b in allowed[a]] for a in states}
    if "log_weights" in model:
        made["log_weights"] = [[allowed[a].get(b) for b in states] for a in states]
    if draw.random() < 0.3:
        made.pop("start_log_weights", None)
        made["start"] = draw.sample(states, draw.randint(1, len(states)))
    if draw.random() < 0.5:
        made["min_dwell"] = {a: draw.randint(1, 6) for a in draw.sample(states, draw.randint(1, len(states)))}
    if "durations" in model:
        made["durations"] = {a: d for a, d in ((a, change_duration(model["durations"].get(a), draw)) for a in states) if d}
        made["min_dwell"] = {a: d for a, d in made.get("min_dwell", {}).items() if a not in made["durations"]}
        made["durations_at_ends"] = {side: draw.choice(["cut", "whole"]) for side in ("start", "end")}
    made["decoding"] = {
        "temperature": round(draw.choice([1, model["decoding"]["temperature"], draw.uniform(0.2, 5)]), 3),
        "transition_weight": round(draw.choice([1, draw.uniform(0, 3)]), 3),
        "prior_weight": round(draw.choice([0, draw.uniform(0, 1.5)]), 3) if "prior" in model else 0,
    }
    return made


def rules_of(model, key):
    """A part of a model's rules, with what may follow a class as a set."""
    if key == "allow":
        return {a: set(b) for a, b in model[key].items()}
    return model.get(key)


def kinds_of_change(model, *changed):
    """What change() may change of a model; of changed ones what one of them has changed."""
    held = {"allow", "start", "min_dwell"}
    decoding = {"temperature", "transition_weight"}
    if "durations" in model:
        held |= {"durations", "durations_at_ends"}
    if "prior" in model:
        decoding |= {"prior_weight"}
    if not changed:
        return held | decoding
    return ({key for key in held for one in changed
             if key in one and rules_of(one, key) != (rules_of(model, key) if key in model else None)}
            | {key for key in decoding for one in changed if one["decoding"][key] != model["decoding"][key]})


class TestWhatIf(st.TestCase):
    def page(self, *arguments, status=0):
        self.statepath("compare", *arguments, "--report", "page.html", "-f", "-q", status=status)
        return Page(self.read("page.html").decode())

    def module(self, page, models, strategies):
        """Paths [models][strategies] of all recordings, None where the rules are refused; and the sentences."""
        shutil.copy(WRAPPER, self.path("statepath.mjs"))
        for name, data in (("module.wasm", page.module), ("scores.bin", page.packed)):
            with open(self.path(name), "wb") as f:
                f.write(data)
        self.write("task.json", json.dumps({"settings": page.settings, "strategies": strategies, "models": models}))
        said = subprocess.run([NODE, os.path.join(st.SOURCE, "tests/cli/reports/what_if.mjs"), "statepath.mjs", "module.wasm", "scores.bin", "task.json",
                               "out.bin"], cwd=self.folder, capture_output=True, text=True, timeout=600)
        self.assertEqual((said.returncode, said.stderr), (0, ""))
        with open(self.path("out.bin"), "rb") as f:
            data, at, S, out = page.take(f.read()), 0, sum(page.steps), []
        for _ in models:
            refused, at = data[at], at + 1
            out.append(None if refused else {})
            for strategy in [] if refused else strategies:
                out[-1][strategy], at = data[at:at + S], at + S
        self.assertEqual(at, len(data))
        self.illegal = json.loads(said.stdout)["illegal"]
        return out, json.loads(said.stdout)["sentences"]

    def program(self, page, file, model, strategies, *options):
        """The program's paths of the recordings that the page holds, None where it refuses the model; and its sentence."""
        self.write("changed.json", json.dumps(model))
        done = subprocess.run([st.PROGRAM, "decode", file, "--model", "changed.json", "--strategies", ",".join(strategies), "-o", "paths.h5", "-f", "-q",
                               *options], cwd=self.folder, capture_output=True, text=True, timeout=100)
        if done.returncode not in (0, 3):
            self.assertIn("changed.json", done.stderr)
            return None, done.stderr
        with h5py.File(self.path("paths.h5")) as f:
            ids, offsets = [i if isinstance(i, str) else i.decode() for i in f["ids"][:]], f["offsets"][:]
            rows = np.concatenate([np.arange(offsets[ids.index(name)], offsets[ids.index(name) + 1]) for name in page.ids])
            return {s: f["paths"][s.split(":")[0]][:][rows] for s in strategies}, ""

    def held(self, page, file):
        """A file of those recordings alone that the page holds; the file itself where it names none."""
        with h5py.File(self.path(file)) as f, h5py.File(self.path("held.h5"), "w") as out:
            if not {"ids", "offsets"} <= f.keys():
                return file
            ids, offsets = [i if isinstance(i, str) else i.decode() for i in f["ids"][:]], f["offsets"][:]
            kept = [n for n, name in enumerate(ids) if name in page.ids]
            rows = np.concatenate([np.arange(offsets[n], offsets[n + 1]) for n in kept])
            out.attrs.update(f.attrs)
            for key, data in f.items():
                if key == "offsets":
                    out[key] = np.cumsum([0] + [offsets[n + 1] - offsets[n] for n in kept])
                else:
                    whose = rows if data.shape[:1] == (offsets[-1],) else kept if key == "ids" else ()
                    out[key] = data[()][whose]
        return "held.h5"

    def as_program(self, page, file, strategies, seed, *options, n=CHANGES):
        """The module and the program give the same paths of the file's recordings, by the run's rules and under n changed models. Of the paths
        of argmax, which break rules, the module counts the illegal transitions."""
        draw, file = random.Random(seed), self.held(page, file)
        model = dict(page.settings["model"], decoding=page.settings["decoding"])
        models = [model] + [change(model, draw) for _ in range(n)]
        if n >= 15:
            self.assertEqual(kinds_of_change(model), kinds_of_change(model, *models[1:]))
        strategies = [s for s in strategies if s != "argmax"] + ["argmax"]
        found, sentences = self.module(page, models, strategies)
        n_refused = 0
        for i, changed in enumerate(models):
            right, sentence = self.program(page, file, changed, strategies, *options)
            self.assertEqual(found[i] is None, right is None, "%s\n%s\n%s" % (changed, sentences[i], sentence))
            if right is None:
                n_refused += 1
                self.assertIn(sentences[i].replace("model: ", ""), re.sub(r"changed.json:\d+:\d+: |changed.json: ", "", sentence))
                continue
            for s in strategies:
                self.assertEqual(found[i][s].tolist(), right[s].tolist(), "%s under %s" % (s, changed))
            counts = [illegal_pairs(changed, path, gaps) for path, gaps in page.split(right["argmax"])]
            self.assertEqual([row[:2] for row in self.illegal[i]], [[n, n] for n in counts], changed)
        self.assertLess(n_refused, 0.7 * n)

    def short_nights(self, T):
        """The first T steps of three nights of the demo: models of many states decode them in a moment."""
        with h5py.File(os.path.join(st.SOURCE, "datasets/sleep-demo.h5")) as f:
            rows = np.concatenate([np.arange(first, first + T) for first in f["offsets"][:3]])
            self.h5("short.h5", log_probs=f["log_probs"][:][rows], labels=f["labels"][:][rows],
                    offsets=np.arange(0, 3 * T + 1, T), ids=f["ids"][:3], classes=f["classes"][:], epoch_seconds=30.)
        return "short.h5"

    def test_durations(self):
        demo = self.short_nights(150)
        lasts = {"Wake": {"min": 2, "max": 60}, "N1": {"pmf": [0.3, 0.3, 0.2, 0.1, 0.1]}, "N3": {"min": "1min"},
                 "N2": {"negative_binomial": {"mean": "8min", "dispersion": 1.5}}}
        self.write("m.json", json.dumps({"statepath_model": 1, "name": "lasts", "classes": ["Wake", "N1", "N2", "N3", "REM"], "forbid": {"Wake": ["N3"]},
                                         "durations": lasts}))
        page = self.page(demo, "--model", "m.json", "--strategies", "argmax,greedy,viterbi,beam:4")
        self.assertEqual(page.settings["model"]["durations"], dict(lasts, N3={"min": 2}, N2={"negative_binomial": {"mean": 16, "dispersion": 1.5}}))
        self.as_program(page, demo, EACH, 3, n=min(CHANGES, 40))

    def test_rules(self):
        """Rules over more than two steps stay whatever is changed; times are written as steps, since the page does
        not know how long one is."""
        demo = self.short_nights(200)
        rules = ["never REM Wake REM", {"name": "late", "rule": "not_before 20min REM from first [N1 N2 N3]"}, {"name": "deep", "rule": "at_least 1 N3", "cost": 2.5}]
        self.write("m.json", json.dumps({"statepath_model": 1, "name": "ruled", "classes": ["Wake", "N1", "N2", "N3", "REM"], "forbid": {"Wake": ["N3"]}, "rules": rules}))
        page = self.page(demo, "--model", "m.json", "--strategies", "argmax,greedy,viterbi,beam:40")
        self.assertEqual([rule["rule"] if isinstance(rule, dict) else rule for rule in page.settings["model"]["rules"]],
                         ["never REM Wake REM", "not_before 40 REM from first [N1 N2 N3]", "at_least 1 N3"])
        self.as_program(page, demo, [s.replace("beam:3", "beam:40") for s in EACH], 3, n=min(CHANGES, 40))
        self.statepath("compare", demo, "--model", "m.json", "--strategies", "argmax", "--json", "r.json", "-q")
        broken = {one["id"]: one["rules"] for one in json.loads(self.read("r.json"))["strategies"]["argmax"]["per_recording"]}
        names = list(broken[page.ids[0]])
        self.module(page, [dict(page.settings["model"], decoding=page.settings["decoding"])], ["argmax"])
        self.assertEqual([row[2:] for row in self.illegal[0]], [[broken[name][names[0]] + broken[name]["late"], broken[name]["deep"]] for name in page.ids])
        self.assertGreater(sum(row[2] for row in self.illegal[0]), 0)

    def test_windows(self):
        """Scores weighed with those of neighbouring steps, whatever the order of the model's classes."""
        demo = os.path.join(st.SOURCE, "datasets/sleep-demo.h5")
        rng = np.random.default_rng(6)
        side = lambda: np.round(rng.normal(size=(10, 5)) * 0.3, 3).tolist()
        windows = {"floor": -8, "scale": 0.9, "bias": [0, 0.25, 0, -0.5, 0.125],
                   "of": [{"steps": n, "before": side(), "after": side()} for n in (2, 18)]}
        self.write("m.json", json.dumps({"statepath_model": 1, "name": "weighs", "classes": ["REM", "Wake", "N3", "N1", "N2"], "forbid": {"Wake": ["N3"]},
                                         "decoding": {"temperature": 1.5}, "windows": windows}))
        page = self.page(demo, "--model", "m.json", "--strategies", "argmax,greedy,viterbi,mea", "--what-if", "60000")
        self.assertEqual(page.settings["model"]["classes"], ["Wake", "N1", "N2", "N3", "REM"])
        self.assertEqual(page.settings["model"]["windows"]["bias"], [0.25, -0.5, 0.125, 0, 0])
        self.as_program(page, demo, ["greedy", "viterbi", "mea", "argmax"], 3, n=min(CHANGES, 4))
        self.statepath("decode", demo, "--model", "m.json", "-o", "whole.h5", "-f", "-q")
        right, _ = self.program(page, demo, dict(page.settings["model"], decoding=page.settings["decoding"]), ["viterbi"])
        with h5py.File(self.path("whole.h5")) as f:
            ids, offsets = [i if isinstance(i, str) else i.decode() for i in f["ids"][:]], f["offsets"][:]
            rows = np.concatenate([np.arange(offsets[ids.index(name)], offsets[ids.index(name) + 1]) for name in page.ids])
            self.assertEqual(f["paths/viterbi"][:][rows].tolist(), right["viterbi"].tolist())

    def test_many_lengths(self):
        """A page holds as many lengths as its recordings can tell, and says so."""
        steps = 65536
        self.h5("few.h5", classes=["a", "b"], logits=np.random.default_rng(5).normal(size=(60, 2)))
        self.write("m.json", json.dumps({"statepath_model": 1, "name": "long", "classes": ["a", "b"], "forbid": {}, "durations": {"b": {"pmf": [1 / steps] * steps}}}))
        self.statepath("compare", "few.h5", "--model", "m.json", "--strategies", "argmax,viterbi", "--report", "page.html", "-f", "-q")
        page = Page(self.read("page.html").decode())
        held = page.settings["model"]["durations"]["b"]["pmf"]
        self.assertEqual(len(held), 2000)
        self.assertAlmostEqual(sum(held), 1, 9)
        self.assertLess(len(page.text), 1024 * 1024)
        self.assertIn("Probabilities of durations end at 2,000 steps", page.text)
        whole, cut = (self.program(page, "few.h5", model, ["viterbi"])[0]["viterbi"].tolist() for model in (json.loads(self.read("m.json")), page.settings["model"]))
        self.assertEqual(whole, cut)
        self.as_program(page, "few.h5", ["viterbi"], 4, n=3)

    def test_too_many_lengths(self):
        self.h5("few.h5", classes=["a", "b"], logits=np.random.default_rng(5).normal(size=(9000, 2)))
        self.write("m.json", json.dumps({"statepath_model": 1, "name": "long", "classes": ["a", "b"], "forbid": {}, "durations": {"b": {"max": 30000}}}))
        self.statepath("compare", "few.h5", "--model", "m.json", "--strategies", "argmax", "--report", "page.html", "-f", "-q")
        page = self.read("page.html").decode()
        self.assertIn("Rules cannot be changed here: durations of this model count lengths in 60000 states", page)
        self.assertNotIn('id="what-if-settings"', page)

    def test_durations_of_many_lengths_leave_recordings_out(self):
        """As many recordings as a page can decode in a few seconds."""
        self.h5("some.h5", classes=["a", "b"], logits=np.random.default_rng(5).normal(size=(9000, 2)), offsets=np.arange(0, 9001, 3000))
        self.write("m.json", json.dumps({"statepath_model": 1, "name": "long", "classes": ["a", "b"], "forbid": {}, "durations": {"b": {"max": 30000}}}))
        page = self.page("some.h5", "--model", "m.json", "--strategies", "argmax")
        self.assertIn("The page holds the scores of 2 of 3 recordings", page.text)
        self.assertEqual((page.settings["run_has"], page.settings["is_cut"]), (3, False))

    def test_all_recordings_are_held(self):
        """Up to 5,000,000 letters of scores, whatever else stands in the page; so much, of more."""
        draw = np.random.default_rng(3)
        self.write("m.json", '{"statepath_model": 1, "classes": ["a", "b", "c"], "matrix": [[1, 1, 0], [0, 1, 1], [1, 0, 1]]}')
        for name, n, held in (("fits.h5", 140, 140), ("more.h5", 500, None)):
            scores = draw.normal(0, 1, (n * 900, 3)).astype("f4")
            self.h5(name, scores=scores, labels=(scores + draw.normal(0, 1, (n * 900, 3))).argmax(1), offsets=np.arange(0, n * 900 + 1, 900), classes=[b"a", b"b", b"c"])
            page = self.page(name, "--model", "m.json")
            self.assertEqual(page.settings["run_has"], n)
            letters = len(re.search(r'id="what-if-scores">(.*?)<', page.text).group(1))
            if held:
                self.assertEqual((len(page.ids), len(set(page.ids))), (n, n))
                self.assertGreater(letters, 1000000)
            else:
                self.assertTrue(4900000 < letters <= 5000000, letters)
                self.assertEqual(self.page(name, "--model", "m.json", "--what-if", "5000000").ids, page.ids)
                self.assertIn("The page holds the scores of %d of %d recordings" % (len(page.ids), n), page.text)

    def test_demo(self):
        demo = os.path.join(st.SOURCE, "datasets/sleep-demo.h5")
        page = self.page(demo, "--model", "sleep-strict")
        with open(MODULE, "rb") as f:
            self.assertEqual(page.module, f.read())
        self.assertLess(len(page.text), 1100000)  # compilers make modules of other sizes
        self.assertEqual(len(page.ids), 20)
        self.as_program(page, demo, EACH, 1)
        with h5py.File(demo) as f:
            scores, offsets = f["log_probs"][:], f["offsets"][:]
            order, labels = [i.decode() for i in f["ids"][:]], f["labels"][:].astype(int)
        self.assertTrue((labels < 0).any())
        for name, held, held_labels in zip(page.ids, page.scores, page.labels):
            n = order.index(name)
            rows = slice(offsets[n], offsets[n + 1])
            self.assertEqual(held.tolist(), scores[rows].tolist())
            self.assertEqual(held_labels.tolist(), labels[rows].tolist())

    def draw_file(self, name, key, N, K, T, seed, classes, **more):
        draw = np.random.default_rng(seed)
        steps = draw.integers(T // 2, T, N)
        truth = np.concatenate([np.repeat(draw.integers(0, K, t // 5 + 1), 5)[:t] for t in steps])
        x = draw.normal(0, 1.5, (steps.sum(), K))
        x[np.arange(len(truth)), truth] += 1.5
        p = np.exp(x) / np.exp(x).sum(axis=1, keepdims=True)
        scores = {"probs": p, "log_probs": np.log(p).astype(np.float32), "logits": x}[key]
        labels = np.where(draw.random(len(truth)) < 0.05, -1, truth).astype(np.int16)
        self.h5(name, **{key: scores, "labels": labels, "offsets": np.concatenate([[0], np.cumsum(steps)]).astype(np.int64),
                         "ids": np.array(["rec <%d>" % n for n in range(N)], dtype="S"), "classes": [c.encode() for c in classes]}, **more)
        return int(steps.sum()), draw

    def test_weights_prior_dwell_and_gaps(self):
        """A weighted model whose classes stand in another order than the columns, a prior, a dwell, starts, gaps, missing steps, a mask."""
        S, draw = self.draw_file("probs.h5", "probs", 8, 4, 400, 2, ["d", "b", "a", "c"])
        with h5py.File(self.path("probs.h5"), "a") as f:
            rows = draw.choice(S, 40, replace=False)
            f["probs"][np.sort(rows)] = np.full((40, 4), np.nan)
            f["segments"] = np.cumsum(draw.random(S) < 0.01).astype(np.int64)
            f["mask"] = (draw.random((S, 4)) > 0.02).astype(np.uint8)
        w = np.log(draw.dirichlet(np.ones(4), 4))
        model = {"statepath_model": 1, "name": "weighted one", "classes": ["a", "b", "c", "d"], "aliases": {"a": ["alpha"]},
                 "forbid": {"a": ["d"], "c": ["b"]},
                 "log_weights": [[None if (i, j) in ((0, 3), (2, 1)) else w[i, j] for j in range(4)] for i in range(4)],
                 "start_log_weights": {"a": -0.5, "b": -1.5, "d": -2}, "end": ["a", "b", "c"], "min_dwell": {"a": 3},
                 "prior": {"a": 0.1, "b": 0.2, "c": 0.3, "d": 0.4}, "decoding": {"temperature": 1.5, "prior_weight": 0.7, "transition_weight": 0.8}}
        self.write("m.json", json.dumps(model))
        options = ("--missing", "uniform")
        page = self.page("probs.h5", "--model", "m.json", "--strategies", ",".join(EACH), *options, status=3)
        self.assertEqual(page.settings["strategies"], EACH)
        self.assertEqual(page.settings["model"]["classes"], ["d", "b", "a", "c"])
        self.assertEqual(page.settings["options"], " --missing 'uniform'")
        self.as_program(page, "probs.h5", EACH, 3, *options)
        self.assertTrue(any(np.isnan(scores).any() for scores in page.scores))

    def test_the_command_has_numbers_and_flags_and_no_rules_of_the_model(self):
        """Rules of the command line are in the model that the page saves; how many states it may have is not."""
        demo = os.path.join(st.SOURCE, "datasets", "sleep-demo.h5")
        self.statepath("compare", demo, "--model", "sleep-strict", "--rule", "n3=2: at_most 6 runs of N3", "--max-states", "500", "--floor", "1e-6", "--clamp",
                       "--report", "rules.html", status=3)
        page = Page(self.read("rules.html").decode())
        self.assertEqual(page.settings["options"], " --max-states '500' --floor '1e-06' --clamp")
        self.assertEqual(page.settings["model"]["rules"], [{"name": "n3", "rule": "at_most 6 runs of N3", "cost": 2}])

    def test_states(self):
        """States of their own: two of one class, and of logits."""
        self.draw_file("logits.h5", "logits", 6, 3, 500, 4, ["x", "y", "z"])
        model = {"statepath_model": 1, "classes": ["x", "y", "z"], "states": {"x1": "x", "y": "y", "x2": "x", "z": "z"},
                 "allow": {"x1": ["x1", "y"], "y": ["y", "x2"], "x2": ["x2", "z"], "z": ["z", "x1", "x2"]}, "start": ["x1", "y"]}
        self.write("m.json", json.dumps(model))
        page = self.page("logits.h5", "--model", "m.json")
        self.assertEqual(list(page.settings["model"]["states"]), ["x1", "x2", "y", "z"])
        self.as_program(page, "logits.h5", EACH, 5)

    def test_tags(self):
        tags = self.statepath("model", "new", "bio", "--types", "PER,LOC,ORG").stdout
        self.write("m.json", tags)
        classes = json.loads(tags)["classes"]
        self.draw_file("tags.h5", "log_probs", 60, len(classes), 40, 6, classes)
        page = self.page("tags.h5", "--model", "m.json")
        self.as_program(page, "tags.h5", EACH, 7)

    def test_votes(self):
        """Shares of five raters: thousands of paths tie mathematically, and only the last bits of each sum say which is taken."""
        draw = np.random.default_rng(9)
        votes = np.concatenate([draw.multinomial(5, p, 5) for p in draw.dirichlet(np.full(5, 0.5), 1000)])
        offsets = np.linspace(0, len(votes), 11).astype(np.int64)
        classes = ["Wake", "N1", "N2", "N3", "REM"]
        more = {"labels": votes.argmax(axis=1).astype(np.int8), "offsets": offsets, "ids": np.array(["n%d" % i for i in range(10)], dtype="S"),
                "classes": [c.encode() for c in classes]}
        # Weights that are sums of the scores' own logs, so that staying and leaving tie too.
        w = [[float(np.log(x / 10)) for x in row] for row in ([6, 2, 0, 1, 1], [2, 4, 2, 1, 1], [1, 2, 4, 2, 1], [0, 1, 2, 6, 1], [2, 1, 2, 0, 5])]
        weights = {"statepath_model": 1, "classes": classes, "matrix": [[int(x > -30) for x in row] for row in w], "prior": [0.2, 0.2, 0.2, 0.2, 0.2],
                   "log_weights": [[x if x > -30 else None for x in row] for row in w], "decoding": {"prior_weight": 0.5}}
        self.write("weights.json", json.dumps(weights))
        for model, scores in (("sleep-strict", {"probs": votes / 5}), ("weights.json", {"probs": (votes / 5).astype(np.float32)}),
                              ("weights.json", {"scores": votes / 5})):
            self.h5("votes.h5", **scores, **more)
            page = self.page("votes.h5", "--model", model, "--strategies", ",".join(EACH), "--on-infeasible", "relax")
            self.assertEqual(sorted(page.ids), sorted("n%d" % i for i in range(10)))
            self.assertLess(len(page.packed), 0.5 * votes.size)
            self.as_program(page, "votes.h5", EACH, 10, "--on-infeasible", "relax", n=CHANGES // 2)

    def test_numbers_as_they_are(self):
        """Scores that no float holds, of which a page may have less room; and what no room is left for."""
        draw = np.random.default_rng(11)
        scores = np.round(draw.normal(0, 1, (900, 3)), 3) * 10.0 ** draw.integers(-9, 9, (900, 1))
        self.h5("wide.h5", scores=scores, offsets=np.array([0, 300, 600, 900]), classes=[b"a", b"b", b"c"])
        self.write("m.json", '{"statepath_model": 1, "classes": ["a", "b", "c"], "matrix": [[1, 1, 0], [0, 1, 1], [1, 0, 1]]}')
        page = self.page("wide.h5", "--model", "m.json")
        self.as_program(page, "wide.h5", ["argmax", "viterbi"], 12, n=10)
        for name, held in zip(page.ids, page.scores):
            self.assertEqual(held.tolist(), scores[300 * int(name):300 * int(name) + 300].tolist())
        text = self.page("wide.h5", "--model", "m.json", "--what-if", str(len(page.packed))).text
        self.assertIn("The page holds the scores of 2 of 3 recordings", text)

    def test_samples(self):
        """Never none: of many recordings some, spread over the ranking; of long ones the stretches in which argmax breaks most rules."""
        draw = np.random.default_rng(4)
        self.write("m.json", '{"statepath_model": 1, "classes": ["a", "b", "c"], "matrix": [[1, 1, 0], [0, 1, 1], [1, 0, 1]]}')
        for name, lengths, asked, n_held in (("long.h5", [20000], "30000", 1), ("longs.h5", [20000] * 9, "40000", 4), ("mixed.h5", [20000, 300, 300, 300], "30000", 4)):
            T = sum(lengths)
            scores = draw.normal(0, 1, (T, 3)).astype("f4")
            labels = (scores + draw.normal(0, 2, (T, 3))).argmax(1)
            self.h5(name, scores=scores, labels=labels, offsets=np.cumsum([0] + lengths), classes=[b"a", b"b", b"c"], ids=[b"n%d" % i for i in range(len(lengths))])
            page = self.page(name, "--model", "m.json", "--what-if", asked)
            self.assertIn(len(page.ids), (n_held, n_held + 1), name)
            n_held = len(page.ids)
            self.assertRegex(page.text, "holds the scores of %d of %d recording" % (n_held, len(lengths)))
            self.assertIn("it holds the stretch in which argmax breaks most rules", page.text)
            self.assertEqual(len(page.steps), n_held)
            starts = np.cumsum([0] + lengths)
            self.module(page, [], [])
            for row, got in zip(page.settings["recordings"], page.scores):
                first = starts[int(row[0][1:])] + row[4]
                self.assertEqual(got.tolist(), scores[first:first + row[1]].tolist())
            cut = [row for row in page.settings["recordings"] if row[1] < 20000 and lengths[int(row[0][1:])] == 20000]
            self.assertTrue(cut)
            for row in cut:  # no other stretch of this length has more illegal transitions of argmax
                path = scores[starts[int(row[0][1:])]:starts[int(row[0][1:])] + 20000].argmax(1)
                broken = np.isin(path[:-1] * 3 + path[1:], [2, 3, 7])
                sums = np.convolve(broken, np.ones(row[1] - 1, int), "valid")
                self.assertEqual(sums[row[4]], sums.max())
        lengths = [40] * 400
        scores = draw.normal(0, 1, (16000, 3)).astype("f4")
        self.h5("many.h5", scores=scores, labels=(scores + draw.normal(0, np.repeat(np.linspace(0, 4, 400), 40)[:, None], (16000, 3))).argmax(1), offsets=np.arange(0, 16001, 40),
                classes=[b"a", b"b", b"c"], ids=[b"n%03d" % i for i in range(400)])
        page = self.page("many.h5", "--model", "m.json", "--what-if", "40000")
        places = sorted(int(name[1:]) for name in page.ids)
        self.assertGreater(len(places), 20)
        self.assertLess(places[len(places) // 4], 150)
        self.assertGreater(places[3 * len(places) // 4], 250)  # accuracy falls with the number

    def test_names(self):
        """Names that would end a script, or are not UTF-8 in the file."""
        classes = ["</script><b>", "<!--", "c\u00e4"]
        self.draw_file("names.h5", "log_probs", 3, 3, 30, 8, classes)
        self.write("m.json", json.dumps({"statepath_model": 1, "name": "</script>", "classes": classes, "matrix": [[1, 1, 0], [1, 1, 1], [1, 1, 1]]}))
        page = self.page("names.h5", "--model", "m.json")
        self.assertEqual(page.settings["model"]["classes"], classes)
        self.assertEqual(page.ids[0][:5], "rec <")
        self.assertNotIn("</script><b>", page.text)
        with h5py.File(self.path("names.h5"), "a") as f:
            del f["ids"]
            f["ids"] = np.array([b"\xff", b"b", b"c"], dtype="S")
        self.assertIn("\u00ff", self.page("names.h5", "--model", "m.json").ids)
        os.rename(self.path("names.h5"), self.path("n\udcc3\udcff.h5"))
        page = self.page("n\udcc3\udcff.h5", "--model", "m.json")
        self.assertEqual(page.settings["file"], "n\ufffd\ufffd.h5")

    def test_options(self):
        demo = os.path.join(st.SOURCE, "datasets/sleep-demo.h5")

        def held(*options):
            self.statepath("compare", demo, "--model", "sleep-strict", "--report", "page.html", "-f", "-q", *options)
            text = self.read("page.html").decode()
            return len(Page(text).ids) if 'id="what-if-settings"' in text else 0, text

        n, text = held("--what-if", "off")
        self.assertEqual(n, 0)
        self.assertNotIn("wasm-unsafe-eval", text)
        n, text = held("--what-if", "100000")
        self.assertEqual(n, 5)
        self.assertLessEqual(len(re.search(r'id="what-if-scores">(.*?)<', text).group(1)), 100000)
        self.assertIn("The page holds the scores of 5 of 20 nights, spread from the least to the most accurate: ", text)
        self.assertIn("makes room for more", text)
        self.assertIn("script-src 'sha256-", text)
        self.assertRegex(text, r"script-src 'sha256-[^ ]+' 'sha256-[^ ]+' 'wasm-unsafe-eval'; img-src data: blob:; base-uri")
        n, text = held("--what-if", "0")
        self.assertEqual(n, 0)
        self.assertNotIn('id="what-if"', text)
        n, text = held("--strategies", "posterior,mea")
        self.assertEqual((n, Page(text).settings["strategies"]), (20, ["posterior", "mea"]))
        n, text = held("--strategies", "mea,posterior", "--against", "other=" + demo) # whose scores are not in the page
        self.assertEqual(Page(text).settings["strategies"], ["mea", "posterior"])
        for options, why in ((("--cv", "2", "--method", "counts", "--tune", "none"), "each fold was decoded by a model of its own (--cv); a run with one model has them"),):
            n, text = held(*options)
            self.assertEqual(n, 0)
            self.assertIn("<p>Rules cannot be changed here: %s.</p>" % why, text)
            self.assertNotIn("wasm-unsafe-eval", text)
        self.refuses("compare", demo, "--model", "sleep-strict", "--report", "x.html", "--what-if", "maybe", sentence="--what-if maybe: it is off, or a number of bytes, 0 to 2147483647",
                     status=2)
        self.refuses("compare", demo, "--model", "sleep-strict", "--report", "x.html", "--what-if", "-7", status=2,
                     sentence="--what-if -7: it is off, or a number of bytes, 0 to 2147483647")


st.main()

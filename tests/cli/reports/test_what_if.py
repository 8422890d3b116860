"""The page that decodes: what it holds, and that the module decodes as the program does, under rules changed at random."""
import base64
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
CHANGES = int(os.environ.get("STATEPATH_CHANGES", "200"))
IMPOSSIBLE, SAYS_NOTHING = 0xFFFFFF, 0xFFFFFE

if not os.path.exists(MODULE):
    print("skipped: statepath.wasm was not built")
    sys.exit(77)
if not NODE:
    print("skipped: node is not installed")
    sys.exit(77)


class Page:
    """What a page holds: settings, and of each recording labels, gaps, codes [T,K]."""

    def __init__(self, text):
        def part(name):
            return re.search(r'<script type="[a-z/]+" id="what-if-%s">(.*?)</script>' % name, text, re.S).group(1)

        self.text = text
        self.settings = json.loads(part("settings"))
        self.module = base64.b64decode(part("module"))
        data, at = base64.b64decode(part("scores")), 0
        K = len(self.settings["model"]["classes"])
        self.ids, self.steps, self.labels, self.gaps, self.packed, self.codes = [], [], [], [], [], []

        def take(n):
            nonlocal at
            at += n
            return data[at - n:at]

        for name, T, has_gaps in self.settings["recordings"]:
            self.ids.append(name)
            self.steps.append(T)
            self.labels.append(np.frombuffer(take(T), np.uint8) if self.settings["labels"] else None)
            self.gaps.append(take(T) if has_gaps else None)
            self.packed.append(take(3 * K * T))
            b = np.frombuffer(self.packed[-1], np.uint8).reshape(T, K, 3).astype(np.int64)
            self.codes.append(b[..., 0] | b[..., 1] << 8 | b[..., 2] << 16)
        assert at == len(data)

    def split(self, path):
        """Of each recording its part of a path, and its gaps."""
        ends = np.cumsum(self.steps)
        return [(path[end - T:end], gaps) for end, T, gaps in zip(ends, self.steps, self.gaps)]

    def write_scores(self, path):
        """The scores that the page decodes, as a file for the program."""
        codes = np.concatenate(self.codes)
        scores = -codes / 2.0**18
        scores[codes == IMPOSSIBLE] = -np.inf
        nothing = (codes == SAYS_NOTHING).any(axis=1)
        scores[nothing] = np.nan
        with h5py.File(path, "w") as f:
            f["scores"] = scores
            f["mask"] = (codes != IMPOSSIBLE).astype(np.uint8)
            f["offsets"] = np.concatenate([[0], np.cumsum(self.steps)]).astype(np.int64)
            f["ids"] = np.array(self.ids, dtype="S")
            f.attrs["classes"] = [name.encode() for name in self.settings["model"]["classes"]]
            if any(g is not None for g in self.gaps):
                f["segments"] = np.concatenate([np.cumsum(np.frombuffer(g, np.uint8)) for g in self.gaps]).astype(np.int64)


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
    names = [model["classes"][k] if k >= 0 else None for k in path]
    return sum(names[t - 1] is not None and names[t] is not None and (names[t - 1], names[t]) not in legal and not (gaps and gaps[t])
               for t in range(1, len(names)))


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
    made["decoding"] = {
        "temperature": round(draw.choice([1, model["decoding"]["temperature"], draw.uniform(0.2, 5)]), 3),
        "transition_weight": round(draw.choice([1, draw.uniform(0, 3)]), 3),
        "prior_weight": round(draw.choice([0, draw.uniform(0, 1.5)]), 3) if "prior" in model else 0,
    }
    return made


class TestWhatIf(st.TestCase):
    def page(self, *arguments, status=0):
        self.statepath("compare", *arguments, "--report", "page.html", "-f", "-q", status=status)
        return Page(self.read("page.html").decode())

    def module(self, page, models, strategies):
        """Paths [models][strategies] of all recordings, None where the rules are refused; and the sentences."""
        def text(data):
            return None if data is None else base64.b64encode(data).decode()

        self.write("task.json", json.dumps({
            "classes": len(page.settings["model"]["classes"]), "log_prior": page.settings["log_prior"], "strategies": strategies, "models": models,
            "recordings": [[T, text(gaps), text(packed)] for T, gaps, packed in zip(page.steps, page.gaps, page.packed)]}))
        shutil.copy(WRAPPER, self.path("statepath.mjs"))
        self.write("module.wasm", "")
        with open(self.path("module.wasm"), "wb") as f:
            f.write(page.module)
        said = subprocess.run([NODE, os.path.join(st.SOURCE, "tests/cli/reports/what_if.mjs"), "statepath.mjs", "module.wasm", "task.json", "paths.bin"],
                              cwd=self.folder, capture_output=True, text=True, timeout=600)
        self.assertEqual((said.returncode, said.stderr), (0, ""))
        data, at, S, out = np.fromfile(self.path("paths.bin"), np.int8), 0, sum(page.steps), []
        for _ in models:
            refused, at = data[at], at + 1
            out.append(None if refused else {})
            for strategy in [] if refused else strategies:
                out[-1][strategy], at = data[at:at + S], at + S
        self.assertEqual(at, len(data))
        self.illegal = json.loads(said.stdout)["illegal"]
        return out, json.loads(said.stdout)["sentences"]

    def program(self, file, model, strategies, *options):
        """The program's paths of the same, None where it refuses the model; and its sentence."""
        self.write("changed.json", json.dumps(model))
        done = subprocess.run([st.PROGRAM, "decode", file, "--model", "changed.json", "--strategy", ",".join(strategies), "-o", "paths.h5", "-f", "-q",
                               *options], cwd=self.folder, capture_output=True, text=True, timeout=100)
        if done.returncode not in (0, 3):
            self.assertIn("changed.json", done.stderr)
            return None, done.stderr
        with h5py.File(self.path("paths.h5")) as f:
            return {s: f["paths"][s.split(":")[0]][:] for s in strategies}, ""

    def as_program(self, page, strategies, seed, n=CHANGES):
        """The module and the program give the same paths of what the page holds, under n changed models; how many were decoded. Of the
        paths of argmax, which break rules, the module counts the illegal transitions."""
        draw = random.Random(seed)
        model = dict(page.settings["model"], decoding=page.settings["decoding"])
        models = [model] + [change(model, draw) for _ in range(n)]
        strategies = [s for s in strategies if s != "argmax"] + ["argmax"]
        found, sentences = self.module(page, models, strategies)
        page.write_scores(self.path("held.h5"))
        n_refused = 0
        for i, changed in enumerate(models):
            right, sentence = self.program("held.h5", changed, strategies, "--missing", "uniform")
            self.assertEqual(found[i] is None, right is None, "%s\n%s\n%s" % (changed, sentences[i], sentence))
            n_refused += right is None
            for s in strategies if right else []:
                self.assertEqual(found[i][s].tolist(), right[s].tolist(), "%s under %s" % (s, changed))
            if right:
                counts = [illegal_pairs(changed, path, gaps) for path, gaps in page.split(right["argmax"])]
                self.assertEqual(self.illegal[i], [[n, n] for n in counts], changed)
        self.assertLess(n_refused, 0.7 * n)
        return found

    def untouched(self, page, paths, file_ids, offsets, run, strategies):
        """What the module gives under the run's rules is what the run gave."""
        for s in strategies:
            at = 0
            for name, T in zip(page.ids, page.steps):
                first = offsets[file_ids.index(name)]
                self.assertEqual(paths[s][at:at + T].tolist(), run[s][first:first + T].tolist(), (name, s))
                at += T

    def run_of(self, file, model, strategies, *options):
        self.statepath("decode", file, "--model", model, "--strategy", ",".join(strategies), "-o", "run.h5", "-f", "-q", *options)
        with h5py.File(self.path("run.h5")) as f:
            return [i if isinstance(i, str) else i.decode() for i in f["ids"][:]], f["offsets"][:], {s: f["paths"][s.split(":")[0]][:] for s in strategies}

    def test_demo(self):
        demo, strategies = os.path.join(st.SOURCE, "datasets/sleep-demo.h5"), ["argmax", "greedy", "viterbi"]
        page = self.page(demo, "--model", "sleep-strict")
        with open(MODULE, "rb") as f:
            self.assertEqual(page.module, f.read())
        self.assertLess(len(page.text), 1000 * 1000)
        self.assertEqual(len(page.ids), 20)
        found = self.as_program(page, strategies, 1)
        self.untouched(page, found[0], *self.run_of(demo, "sleep-strict", strategies), strategies)
        # 24 bits are enough: the scores of the file give the same path but where two are as good as equal.
        with h5py.File(demo) as f:
            scores, offsets = f["log_probs"][:].astype(float), f["offsets"][:]
            order, labels = [i.decode() for i in f["ids"][:]], f["labels"][:].astype(int)
        self.assertTrue((labels < 0).any())
        for name, codes, held in zip(page.ids, page.codes, page.labels):
            n = order.index(name)
            right = labels[offsets[n]:offsets[n + 1]]
            self.assertEqual(held.tolist(), np.where(right < 0, 255, right).tolist())
            e = scores[offsets[n]:offsets[n + 1]]
            below = np.minimum(e.max(axis=1, keepdims=True) - e, 60)
            self.assertLessEqual(np.abs(codes / 2.0**18 - below).max(), 2.0**-19 * 1.001)

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
        strategies, options = ["argmax", "greedy", "viterbi", "beam:3"], ("--missing", "uniform")
        page = self.page("probs.h5", "--model", "m.json", "--strategies", ",".join(strategies), *options, status=3)
        self.assertEqual(page.settings["model"]["classes"], ["d", "b", "a", "c"])
        self.assertEqual(page.settings["options"], " --missing 'uniform'")
        self.assertTrue(any((codes == SAYS_NOTHING).any() for codes in page.codes))
        found = self.as_program(page, strategies, 3)
        self.statepath("decode", "probs.h5", "--model", "m.json", "--strategy", ",".join(strategies), "-o", "run.h5", "-q", *options, status=3)
        with h5py.File(self.path("run.h5")) as f:
            run = [i if isinstance(i, str) else i.decode() for i in f["ids"][:]], f["offsets"][:], {s: f["paths"][s.split(":")[0]][:] for s in strategies}
        self.untouched(page, found[0], *run, strategies)

    def test_states(self):
        """States of their own: two of one class, and of logits."""
        self.draw_file("logits.h5", "logits", 6, 3, 500, 4, ["x", "y", "z"])
        model = {"statepath_model": 1, "classes": ["x", "y", "z"], "states": {"x1": "x", "y": "y", "x2": "x", "z": "z"},
                 "allow": {"x1": ["x1", "y"], "y": ["y", "x2"], "x2": ["x2", "z"], "z": ["z", "x1", "x2"]}, "start": ["x1", "y"]}
        self.write("m.json", json.dumps(model))
        page = self.page("logits.h5", "--model", "m.json")
        self.assertEqual(list(page.settings["model"]["states"]), ["x1", "x2", "y", "z"])
        strategies = ["argmax", "greedy", "viterbi"]
        found = self.as_program(page, strategies, 5)
        self.untouched(page, found[0], *self.run_of("logits.h5", "m.json", strategies), strategies)

    def test_tags(self):
        tags = self.statepath("model", "new", "bio", "--types", "PER,LOC,ORG").stdout
        self.write("m.json", tags)
        classes = json.loads(tags)["classes"]
        self.draw_file("tags.h5", "log_probs", 60, len(classes), 40, 6, classes)
        page = self.page("tags.h5", "--model", "m.json")
        strategies = ["argmax", "greedy", "viterbi"]
        found = self.as_program(page, strategies, 7)
        self.untouched(page, found[0], *self.run_of("tags.h5", "m.json", strategies), strategies)

    def test_ties_are_left_out_and_named(self):
        """Two paths that differ by less than the page can hold: that recording is left out by name, the others are there."""
        scores = np.log(np.tile([0.5, 0.5], (6, 1)))
        scores[:3, 1] += 1e-9
        self.h5("ties.h5", scores=scores, offsets=np.array([0, 3, 6]), ids=np.array(["near", "equal"], dtype="S"), classes=[b"a", b"b"])
        self.write("m.json", '{"statepath_model": 1, "classes": ["a", "b"], "matrix": [[1, 1], [1, 1]]}')
        page = self.page("ties.h5", "--model", "m.json")
        self.assertEqual(page.ids, ["equal"])
        with h5py.File(self.path("ties.h5"), "a") as f: # all of them
            f["scores"][3:, 1] += 1e-9
        self.statepath("compare", "ties.h5", "--model", "m.json", "--report", "all.html", "-f", "-q")
        text = self.read("all.html").decode()
        self.assertIn("The page holds the scores of 0 of 2 recordings. Left out, because their paths", text)
        self.assertNotIn('id="what-if-settings"', text)
        self.assertIn("Left out, because their paths would not be the run’s (scores are held in 24 bits a number): near.", page.text)

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

    def test_options(self):
        demo = os.path.join(st.SOURCE, "datasets/sleep-demo.h5")

        def held(*options):
            self.statepath("compare", demo, "--model", "sleep-strict", "--report", "page.html", "-f", "-q", *options)
            text = self.read("page.html").decode()
            return len(Page(text).ids) if 'id="what-if-settings"' in text else 0, text

        n, text = held("--what-if", "off")
        self.assertEqual(n, 0)
        self.assertNotIn("wasm-unsafe-eval", text)
        n, text = held("--what-if-bytes", "100000")
        self.assertEqual(n, 5)
        self.assertLessEqual(len(re.search(r'id="what-if-scores">(.*?)<', text).group(1)), 100000)
        self.assertIn("The page holds the scores of 5 of 20 nights: ", text)
        self.assertIn("More would make the page heavy", text)
        self.assertIn("script-src 'sha256-", text)
        self.assertRegex(text, r"script-src 'sha256-[^ ]+' 'sha256-[^ ]+' 'wasm-unsafe-eval'; img-src data: blob:; base-uri")
        self.assertEqual(held("--what-if-bytes", "0")[0], 0)
        self.assertEqual(held("--strategies", "posterior")[0], 0)
        self.assertEqual(held("--cv", "2", "--method", "counts", "--tune", "none")[0], 0)
        self.refuses("compare", demo, "--model", "sleep-strict", "--what-if", "maybe", sentence="--what-if maybe: it is on or off", status=2)
        self.refuses("compare", demo, "--model", "sleep-strict", "--what-if-bytes", "-7", status=2,
                     sentence="--what-if-bytes -7: a number of bytes, 0 or more")


st.main()

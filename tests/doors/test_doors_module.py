"""The module for pages (statepath.js): models of every form that the schema allows, good and spoiled, decode as by the program, or are
refused with its sentence; scores and options that mean nothing are refused."""
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
NODE = shutil.which("node") or shutil.which("nodejs")
EACH = ["viterbi", "greedy", "argmax", "beam:3", "posterior", "mea", "posterior-viterbi", "online:2"]
MODELS = int(os.environ.get("STATEPATH_MODELS", "400"))
if not os.path.exists(MODULE) or not NODE:
    print("skipped: %s" % ("node is not installed" if not NODE else "statepath.wasm was not built"))
    sys.exit(77)


def shares(draw, n):
    """n probabilities that sum to 1, some of them 0."""
    parts = [draw.choice([0, 1, 1, 2, 5]) for _ in range(n)]
    parts[draw.randrange(n)] += 1
    return [p / sum(parts) for p in parts]


def random_ends(draw, states, key, model):
    named = draw.sample(states, draw.randint(1, len(states)))
    form = draw.randrange(5)
    if form == 1:
        model[key] = named
    elif form == 2:
        model[key] = dict(zip(states, shares(draw, len(states)))) if key == "start" else {s: draw.random() for s in named}
    elif form >= 3:
        model[key + "_log_weights"] = {s: round(draw.uniform(-4, 1), 2) for s in named}
        if form == 4:
            model[key] = draw.sample(named, draw.randint(1, len(named)))
        elif draw.random() < 0.3:
            model[key + "_log_weights"].update((s, None) for s in states if s not in named)


def random_model(draw):
    K = draw.randint(1, 4)
    classes = draw.sample(["a", "b", "c", "d", "\u00e9 \"q\"", "Wake"], K)
    model = {"statepath_model": 1, "name": "m", "classes": classes}
    states = classes
    if draw.random() < 0.3:
        model["states"] = {"s%d%s" % (i, draw.choice(["", " x"])): draw.choice(classes) for i in range(draw.randint(1, 5))}
        states = list(model["states"])
    M = len(states)
    allow = [[draw.random() < 0.7 or i == j for j in range(M)] for i in range(M)]
    if draw.random() < 0.1:
        allow[draw.randrange(M)] = [False] * M
    form = draw.choice(["allow", "forbid", "matrix"])
    if form == "matrix":
        model["matrix"] = [[x if draw.random() < 0.2 else int(x) for x in row] for row in allow]
    else:
        model[form] = {a: [b for j, b in enumerate(states) if allow[i][j] == (form == "allow")] for i, a in enumerate(states)}
        if form == "forbid" and draw.random() < 0.5:
            model[form] = {a: listed for a, listed in model[form].items() if listed}
    weights = draw.choice([None, "log_weights", "probabilities"])
    if weights == "log_weights":
        model[weights] = [[round(draw.uniform(-3, 1), 2) if x else None for x in row] for row in allow]
    elif weights:
        rows = [[draw.randint(1, 9) * x for x in row] for row in allow]
        model[weights] = [[x / max(1, sum(row)) for x in row] for row in rows]
    random_ends(draw, states, "start", model)
    random_ends(draw, states, "end", model)
    if draw.random() < 0.4:
        model["min_dwell"] = {s: draw.randint(1, 4) for s in draw.sample(states, draw.randint(1, M)) if allow[states.index(s)][states.index(s)]}
    if draw.random() < 0.3:
        model["min_dwell_at_end"] = draw.random() < 0.5
    if draw.random() < 0.3:
        model["aliases"] = {classes[0]: draw.choice(["other", ["one", "two"]])}
    if draw.random() < 0.4:
        prior = [(p + 0.1) / (1 + 0.1 * K) for p in shares(draw, K)]
        model["prior"] = draw.choice([prior, dict(zip(classes, prior))])
    if draw.random() < 0.5:
        model["decoding"] = {"temperature": round(draw.uniform(0.3, 4), 2), "transition_weight": round(draw.uniform(0, 2), 2)}
        if "prior" in model or draw.random() < 0.1:
            model["decoding"]["prior_weight"] = round(draw.uniform(-0.5, 1), 2)
    if draw.random() < 0.1:
        model["labeller"] = {"classes": classes[::-1], "confusion": [[draw.randint(1, 9) for _ in classes] for _ in classes]}
    if draw.random() < 0.2:
        row = lambda: [draw.randint(-8, 8) / 8 for _ in classes]
        side = lambda: [row() for _ in range(2 * K)]
        model["windows"] = {"floor": -8, "scale": draw.choice([1, 0.5]), "bias": row(), "of": [{"steps": n, "before": side(), "after": side()} for n in (1, 4)]}
    if draw.random() < 0.2:
        model.update(description="of chance", source="the test")
    return model


def places(value, found):
    """All containers in it, as (container, key)."""
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else []:
        found.append((value, key))
        places(value[key], found)
    return found


def spoil(model, draw):
    """One place in it is another, or gone; or there is one too many."""
    container, key = draw.choice([place for place in places(model, []) if place[1] != "name"])
    way = draw.randrange(4)
    if way == 0:
        del container[key]
    elif way == 1:
        container[key] = draw.choice([None, True, -1, 0, 1, 0.5, 1e300, 1e15, 2 ** 40, "a", "nobody", "", [], {}, [1, 2], ["a", "a"], {"a": 1}])
    elif way == 2 and isinstance(container, list):
        container.insert(key, container[key])
    else:
        model[draw.choice(["clases", "log_weights", "matrix", "allow", "forbid", "end", "min_dwells"])] = draw.choice([[], {}, 1, None])


def told(sentence):
    """The program's sentence as the module says it: without file and place, options by the library's names."""
    sentence = re.sub(r"^statepath: (m\.json(:\d+:\d+)?|x\.h5): ", "", sentence.strip())
    sentence = re.sub(r"^/scores, recording x, ", "recording 0, ", re.sub(r"^statepath: ", "", sentence))
    return re.sub(r"--([a-z-]+)", lambda m: "`%s`" % m.group(1).replace("-", "_"), sentence)


class TestModule(st.TestCase):
    def module(self, decode=(), expressions=()):
        shutil.copy(os.path.join(st.SOURCE, "lib/wasm/statepath.js"), self.path("statepath.mjs"))
        self.write("tasks.json", json.dumps({"decode": list(decode), "expressions": list(expressions)}))
        done = subprocess.run([NODE, os.path.join(st.SOURCE, "tests/doors/module.mjs"), "statepath.mjs", MODULE, "tasks.json"], cwd=self.folder,
                              capture_output=True, text=True, timeout=300)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        answers = json.loads(done.stdout)
        return answers["decode"] if decode else answers["expressions"]

    def program(self, model, scores, strategy, *options, **more):
        """Path and status of the only recording, or the sentence."""
        self.write("m.json", json.dumps(model))
        self.h5("x.h5", scores=scores, **more)
        done = subprocess.run([st.PROGRAM, "decode", "x.h5", "--model", "m.json", "--strategies", strategy, "-o", "p.h5", "-f", "-q", *options],
                              cwd=self.folder, capture_output=True, text=True, timeout=60)
        if done.returncode not in (0, 3):
            return {"error": told(done.stderr)}
        with h5py.File(self.path("p.h5")) as f:
            name = strategy.split(":")[0]
            return {"path": f["paths"][name][:].tolist(), "status": ["ok", "no_path", "dead_end"][f["status"][name][0]]}

    def test_every_form_of_model(self):
        draw, tasks = random.Random(12), []
        for i in range(MODELS):
            model = random_model(draw)
            K = len(model["classes"])
            if i % 2:
                spoil(model, draw)
            scores = np.round([[draw.uniform(-4, 0) if draw.random() < 0.95 else -np.inf for _ in range(K)] for _ in range(draw.randint(1, 12))], 2)
            tasks.append((model, scores, draw.choice(["viterbi", *EACH])))
        found = self.module([{"model": model, "scores": base64.b64encode(scores.tobytes()).decode(), "strategy": s} for model, scores, s in tasks])
        seen = {}
        for (model, scores, strategy), ours in zip(tasks, found):
            right = self.program(model, scores, strategy)
            if right.get("error", "").startswith("the scores have"): # another number of classes: the module has no columns, only numbers
                continue
            if "error" in ours:
                ours["error"] = re.sub("^model: ", "", ours["error"])
            self.assertEqual(ours, right, "%s by %s" % (json.dumps(model), strategy))
            kind = "refused" if "error" in ours else ours["status"]
            seen[kind] = seen.get(kind, 0) + 1
        for kind, least in (("ok", 0.4), ("refused", 0.25), ("no_path", 0.02)):
            self.assertGreater(seen[kind], least * MODELS, seen)

    def test_gaps_and_missing_steps(self):
        """The program's path; with ties and zeros."""
        draw, tasks = random.Random(5), []
        for _ in range(MODELS // 8):
            K, T = draw.randint(2, 4), draw.randint(1, 25)
            allowed = [[i == j or draw.random() < 0.7 for j in range(K)] for i in range(K)]
            weights = [[draw.choice([0, -0.5, -1, round(draw.uniform(-3, 0), 2)]) if x else None for x in row]
                       for row in allowed]
            model = {"statepath_model": 1, "name": "m", "classes": list("abcd"[:K]), "log_weights": weights,
                     "matrix": [[int(x) for x in row] for row in allowed]}
            scores = np.array([[draw.choice([0, -1, -1, -np.inf, round(draw.uniform(-4, 0), 2)])
                                for _ in range(K)] for _ in range(T)], float)
            scores[scores.max(1) == -np.inf] = 0
            scores[np.array([draw.random() < 0.05 for _ in range(T)])] = np.nan
            gaps = [int(t > 0 and draw.random() < 0.1) for t in range(T)]
            tasks.append({"model": model, "scores": scores, "strategy": draw.choice(EACH), "gaps": gaps,
                          "missing": "uniform"})
        found = self.module([dict(task, scores=base64.b64encode(task["scores"].tobytes()).decode())
                             for task in tasks])
        for task, ours in zip(tasks, found):
            more = {"segments": np.cumsum(task["gaps"]), "classes": [k.encode() for k in task["model"]["classes"]]}
            right = self.program(task["model"], task["scores"], task["strategy"], "--missing", "uniform", **more)
            self.assertEqual(ours, right, task)

    def test_matrix_beside_log_weights(self):
        """What the matrix forbids stays forbidden, whatever it is said to weigh."""
        model = {"statepath_model": 1, "name": "m", "classes": ["a", "b"], "matrix": [[1, 0], [1, 1]], "log_weights": [[-0.1, 0], [-2, -0.25]]}
        task = {"model": model, "scores": base64.b64encode(np.zeros(4).tobytes()).decode(), "strategy": "viterbi"}
        self.assertEqual(self.module([task])[0]["error"], 'model: key "log_weights", row "a", column "b": a number, but a -> b is forbidden; '
                                                           "allow it, or make it null")

    def test_scores_are_refused_as_by_the_program(self):
        model = {"statepath_model": 1, "name": "m", "classes": ["a", "b"], "matrix": [[1, 0], [1, 1]]}
        for odd in (np.nan, np.inf, 1e301):
            scores = np.array([[0, -1], [odd, 0], [0, 0]])
            found, = self.module([{"model": model, "scores": base64.b64encode(scores.tobytes()).decode(), "strategy": "viterbi"}])
            self.assertEqual(found, self.program(model, scores, "viterbi", classes=[b"a", b"b"]))
            self.assertIn("recording 0, step 1, class a: ", found["error"])

    def test_what_means_nothing(self):
        decode = "statepath.rules(model).decode(%s)"
        array, whole = "scores: needs an array of numbers", "model: under \"%s\" stands %s, which JSON has not; use null"
        cases = [
            (decode % "{}", array), (decode % "", array), (decode % "null", array), (decode % "'0 0'", array),
            (decode % "[0, 0, 0]", "scores: 3 numbers are no steps of 2 classes; give a multiple of 2"),
            (decode % "[0, null]", "scores: number 1 is null"), (decode % "[[0, 0], [0, 0]]", "scores: number 0 is 0,0"),
            (decode % "[0, '1']", 'scores: number 1 is "1"'),
            (decode % "[0, 0], 'best'", 'unknown strategy "best": choose from argmax, greedy, beam:WIDTH, viterbi, posterior, mea, posterior-viterbi, online:LAG'),
            (decode % "[0, 0], 'viterbi', { gap: [0] }", "gap: there is no such option; there are gaps, missing, onInfeasible"),
            (decode % "[0, 0], 'viterbi', { gaps: [0, 1] }", "gaps: 2 numbers for 1 steps; give one for each"),
            (decode % "[0, 0], 'viterbi', { gaps: [2] }", "gaps: number 0 is 2; it is a whole number from 0 to 1"),
            (decode % "[0, 0], 'viterbi', { missing: 'zero' }", "missing zero: it is error or uniform"),
            (decode % "[0, 0], 'viterbi', { onInfeasible: 'error' }", "onInfeasible error: it is report or relax"),
            (decode % "statepath.recording(3, [0, 0, 0])",
             "the scores have 3 classes and the model has 2: take a model of the same classes"),
            (decode % "[0, 0], 'online:-1'", 'strategy "online:-1": LAG must be a whole number from 0 to 2147483647'),
            (decode % "[0, 0], 'mea:3'", 'strategy "mea:3": mea takes no parameter, write "mea"'),
            ("statepath.rules(model).countIllegal([0, 2])", "path: number 1 is 2; it is a whole number from -1 to 1"),
            ("statepath.rules({ ...model, log_weights: [[0, NaN], [0, 0]] })", whole % (1, "NaN")),
            ("statepath.rules({ ...model, min_dwell: { a: Infinity } })", whole % ("a", "Infinity")),
            ("statepath.rules({ ...model, matrix: [[1, undefined], [1, 1]] })", whole % (1, "undefined")),
            ("statepath.rules(null)", 'model: a model is a JSON object, {"key": ...}; this is null'),
            ("statepath.rules()", 'model: a model is a JSON object, {"key": ...}; this is null'),
            ("statepath.rules(['\\u{1F600}'])", 'model: a model is a JSON object, {"key": ...}; this is a list'),
            ("statepath.rules({ ...model, name: '\\0' })", "not valid JSON"),
            ("statepath.rules({ ...model, name: '\\uD800' })", "not valid JSON"),
            ("statepath.rules({ ...model, classes: Array(200).fill(0).reduce((list) => [list], []) })", "maximum parsing depth reached"),
        ]
        for (asked, sentence), found in zip(cases, self.module(expressions=[text for text, _ in cases])):
            self.assertIn(sentence, found["error"] if found else "nothing", asked)

    def test_what_means_something(self):
        cases = [
            ("[...statepath.rules(model).decode([]).path]", []),
            ("[...statepath.rules(model).decode(new Float32Array([0, -1, -3, 0])).path]", [1, 1]),
            ("[...statepath.rules(model).decode([0, -9, -9, 0], 'viterbi', { gaps: [0, 1] }).path]", [0, 1]),
            ("[...statepath.rules(model).decode([0, -9, NaN, 0, 0, -9], 'viterbi', { missing: 'uniform' }).path]", [0, 0, 0]),
            ("statepath.rules(model).decode([0, -Infinity, -Infinity, 0]).status", "no_path"),
            ("[...statepath.rules(model).decode([0, -Infinity, -Infinity, 0], 'viterbi', { onInfeasible: 'relax' }).path]", [0, 0]),
            ("[...statepath.rules(model).decode([0, -1, -3, 0], 'mea').path]", [1, 1]),
            ("statepath.rules({ ...model, description: undefined }).countIllegal([0, 1, -1, 1])", 1),
            ("statepath.rules({ ...model, log_weights: [[-0.1, null], [1e-7, 0]], start: ['b'] }).weights()",
             {"transitions": [[-0.1, None], [1e-7, 0]], "start": [None, 0]}),
        ]
        self.assertEqual(self.module(expressions=[text for text, _ in cases]), [right for _, right in cases])


st.main()

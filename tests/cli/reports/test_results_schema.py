"""The schema of the results' JSON (`statepath help schema`): what the program writes is good by it, whatever was asked for, and every key of it
is written by one of these runs; what was changed by hand is not good. Its definitions are those of `statepath help figures`."""
import copy
import json
import os
import re
import subprocess
import sys

import statepath_test as st

np = st.np
try:
    import jsonschema
    Validator = jsonschema.Draft202012Validator
except (ImportError, AttributeError):
    print("skipped: needs a python3-jsonschema that knows draft 2020-12")
    sys.exit(77)

STAGES = ["Wake", "N1", "N2", "N3", "REM"]
N, T = 6, 50
EVEN = dict(offsets=np.arange(0, N * T + 1, T), ids=["n%d" % i for i in range(N)])

# A line a run; after "?" the exit status, where it is not 0.
RUNS = """
compare night.h5 -m sleep-strict --strategies argmax,greedy,viterbi,posterior
compare night.h5 -m sleep-strict --against old=other.h5 --groups site --margin .1 --weighted-kappa linear --wake-trim 5 --epoch-seconds 30
compare night.h5 -m sleep-strict --collapse Sleep=N1,N2,N3,REM --rule-costs
compare night.h5 -m sleep-permissive --cv 3 --method counts --strategies argmax,viterbi,mea
compare night.h5 -m sleep-strict --labels labels.h5 --review 4%
compare unlabelled.h5 -m sleep-strict --strategies viterbi
compare dead.h5 -m sleep-strict --strategies argmax,greedy,viterbi,beam:2 ? 3
compare dead.h5 -m sleep-strict --strategies viterbi --on-infeasible relax
compare permuted.h5 -m sleep-permissive
compare shifted.h5 -m sleep-permissive
compare tags.h5 -m tags.json
compare actions.h5 -m actions.json
compare rules.h5 -m rules.json --strategies argmax,greedy,viterbi --rule-costs --epoch-seconds 1.5
compare lasts.h5 -m lasts.json --strategies argmax,viterbi --epoch-seconds 30
compare lasts.h5 -m ends.json --strategies argmax,viterbi
compare broken.h5 -m rules.json --strategies argmax
compare broken.h5 -m ends.json --strategies argmax
compare line.h5 -m line.json --strategies argmax,greedy ? 3
compare many.h5 -m many.json --strategies argmax,greedy
compare scorers.h5 -m sleep-strict
compare simulated.h5 -m abc.json --rule-costs
compare night.h5 -m fitted.json
compare folder -m sleep-strict --only only.txt
compare folder -m sleep-aasm --labels beside/{id}.txt ? 3
compare folder -m sleep-strict ? 3
compare night.h5 -m sleep-strict --codes nsrr --labels nsrr
compare night.h5 --clamp -m sleep-strict --strategies argmax,viterbi ? 3
decode night.h5 -m sleep-strict --strategies viterbi -o paths.h5
evaluate paths.h5 -m sleep-strict
evaluate paths.h5 --labels longer.h5 --trim-to-shortest -m sleep-strict
evaluate longer.h5 --paths labels --labels night.h5 --trim-to-shortest -m sleep-strict
evaluate codes.txt --labels labels.txt --codes nsrr -m sleep-strict
"""

# Needs more recordings and classes than a test should have.
UNSEEN = {"/other_metrics_left_out"}
# The JSON lists their ids.
NOT_IN_JSON = {"undecoded: recordings without a path"}
# What may be left out of the document that the tests of changes begin with.
OPTIONAL = set("""
/argmax_ties /argmax_ties/scored /calibration /collapsed /command /model/description /model/source /preset /reference/bouts
/reference/transition_counts /sleep /sleep/reference nights/agreement runs/count_ratio strategy/bouts strategy/changed_from_argmax
strategy/changed_from_argmax_by_class strategy/contexts/*/changed_from_argmax strategy/error_runs strategy/path_score
strategy/per_recording[]/path_score strategy/transition_counts
""".split())


def keys(schema, where):
    """All keys of objects that it describes, with their places; what it refers to apart."""
    for key, inner in schema.get("properties", {}).items():
        if not key.endswith("_undefined"):
            yield where + "/" + key
        yield from keys(inner, where + "/" + key)
    for word, sign in (("additionalProperties", "/*"), ("items", "[]")):
        if isinstance(schema.get(word), dict):
            yield from keys(schema[word], where + sign)


def all_keys(root):
    found = set(keys(root, ""))
    for name, schema in root["$defs"].items():
        found |= set(keys(schema, name))
    return found


def visit(schema, value, where, root, see):
    """see(place of the object's schema, object, schema by which the document holds it) for each object of a document."""
    by = schema
    while schema:
        if "properties" in schema and isinstance(value, dict):
            see(where, value, by)
            for key in sorted(value.keys() & schema["properties"].keys()):
                visit(schema["properties"][key], value[key], where + "/" + key, root, see)
        if isinstance(value, dict) and isinstance(schema.get("additionalProperties"), dict):
            for key in sorted(value.keys() - schema.get("properties", {}).keys()):
                visit(schema["additionalProperties"], value[key], where + "/*", root, see)
        if isinstance(value, list) and isinstance(schema.get("items"), dict):
            for item in value:
                visit(schema["items"], item, where + "[]", root, see)
        name = schema.get("$ref", "")[len("#/$defs/"):]
        where, schema = name, root["$defs"].get(name)


class TestSchema(st.TestCase):
    @classmethod
    def setUpClass(cls):
        done = subprocess.run([st.PROGRAM, "help", "schema"], capture_output=True, text=True, check=True)
        assert done.stderr == "", done.stderr
        cls.text, cls.schema = done.stdout, json.loads(done.stdout)
        Validator.check_schema(cls.schema)
        cls.validator = Validator(cls.schema)

    # ---- data ----

    def model(self, name, classes, matrix, **more):
        self.write(name + ".json", json.dumps({"statepath_model": 1, "name": name, "classes": classes, "matrix": np.array(matrix, int).tolist(), **more}))

    def make_files(self):
        rng = np.random.default_rng(5)

        def scores(labels, K):
            p = rng.dirichlet([.5] * K, len(labels)) + .4 * np.eye(K)[np.maximum(labels, 0)]
            return p / p.sum(1, keepdims=True)
        labels = np.concatenate([np.r_[[0] * 10, np.repeat(rng.integers(0, 5, 16), 2), [0] * 8] for _ in range(N)])
        labels[rng.integers(0, N * T, 8)] = -1
        probs, nsrr = scores(labels, 5), np.array([0, 1, 2, 3, 5, 9])
        night = dict(EVEN, classes=STAGES, probs=probs)
        self.h5("night.h5", **night, labels=labels, nsrr=nsrr[labels], site=["x", "x", "y", "y", "z", "z"])
        self.h5("unlabelled.h5", **night)
        self.h5("other.h5", **dict(night, probs=scores(labels, 5)))
        self.h5("labels.h5", **EVEN, classes=STAGES, labels=labels)
        longer = np.concatenate([np.r_[labels[i * T:i * T + T], [0]] for i in range(N)])
        self.h5("longer.h5", classes=STAGES, labels=longer, ids=EVEN["ids"], offsets=np.arange(0, N * T + N + 1, T + 1))
        dead = probs.copy()
        dead[:4] = np.eye(5)[[0, 3, 3, 0]]
        self.h5("dead.h5", **dict(night, probs=dead), labels=labels)
        self.h5("permuted.h5", classes=STAGES, probs=.9 * np.eye(5)[[1, 2, 0, 3, 4]][labels.clip(0)] + .02, labels=labels)
        runs = np.repeat(np.random.default_rng(1).integers(0, 5, 300), 4)
        self.h5("shifted.h5", classes=STAGES, probs=.9 * np.eye(5)[runs] + .02, labels=np.roll(runs, 1))
        self.h5("scorers.h5", **night, labels=labels, labels_ann=labels, labels_bob=np.roll(labels, 1))
        for name, classes in (("tags", ["O", "B-PER", "I-PER"]), ("actions", ["background", "a", "b"])):
            truth = np.repeat(rng.integers(0, 3, 40), 2)
            self.h5(name + ".h5", classes=classes, probs=scores(truth, 3), labels=truth, offsets=[0, 40, 80])
            self.model(name, classes, [[1, 1, 1]] * 3)
        abc, truth = ["a", "b", "c"], rng.integers(0, 3, 120)
        self.h5("rules.h5", classes=abc, probs=scores(truth, 3), labels=truth, offsets=[0, 60, 120])
        self.model("rules", abc, [[1, 1, 0], [1, 1, 1], [1, 1, 1]], min_dwell={"b": 2}, start=["a", "b"], end=["a", "c"], description="letters", source="here",
                   rules=[{"name": "few", "rule": "at_most 2 c"}, {"name": "dear", "rule": "never a b a", "cost": 2}])
        self.h5("lasts.h5", classes=abc, probs=scores(truth, 3), labels=truth, offsets=[0, 60, 120])
        self.model("lasts", abc, [[1, 1, 1]] * 3, durations={"a": {"min": 2, "max": 4}, "b": {"max": 20, "poisson": {"mean": 3}}})
        self.model("ends", abc, [[1, 1, 1]] * 3, durations={"a": {"min": 2, "max": 4}}, durations_at_ends="whole")
        long = np.tile([0, 1, 0, 2], 25000)
        self.h5("broken.h5", classes=abc, probs=.9 * np.eye(3)[long] + .1 / 3)
        self.model("line", abc, [[1, 1, 1], [0, 1, 0], [0, 0, 1]], end=["c"])
        self.h5("line.h5", classes=abc, probs=[[.9, .05, .05], [.1, .8, .1], [.2, .5, .3], [.1, .1, .8]])
        names = ["c%d" % k for k in range(300)]
        truth = rng.integers(0, 300, 400)
        self.h5("many.h5", classes=names, probs=np.full((400, 300), 1 / 300), labels=truth, offsets=[0, 200, 400])
        self.write("many.json", json.dumps({"statepath_model": 1, "name": "many", "classes": names, "forbid": {"c0": ["c1"]}}))
        self.model("abc", abc, [[1, 1, 1]] * 3)
        self.write("recipe.json", json.dumps({"statepath_recipe": 1, "seed": 3, "classes": abc, "recordings": 3, "steps": 60, "start": {"a": 1},
                                              "transitions": [[.9, .1, 0], [0, .9, .1], [.1, 0, .9]], "classifier": {"confusion": (.7 * np.eye(3) + .1).tolist()}}))
        self.statepath("simulate", "recipe.json", "-o", "simulated.h5", "-q")
        self.statepath("fit", "night.h5", "-r", "sleep-permissive", "-o", "fitted.json", "--method", "counts", "-q")
        os.mkdir(self.path("folder"))
        for i in range(3):
            with open(self.path("folder/r%d.npz" % i), "wb") as f:
                np.savez(f, probs=probs[i * T:i * T + T] if i < 2 else np.full((3, 5), np.nan), labels=labels[i * T:i * T + T] if i < 2 else labels[:3])
        os.mkdir(self.path("beside"))
        for i, words in enumerate(("N1\n" * T, "no stage\n", "N2\n" * 3)):
            self.write("beside/r%d.txt" % i, words)
        self.write("only.txt", "r0\nr1\n")
        self.write("codes.txt", "".join("%d\n" % k for k in nsrr[labels]))
        self.write("labels.txt", "".join("%d\n" % k for k in nsrr[np.roll(labels, 1)]))

    def runs(self):
        self.make_files()
        for line in RUNS.strip().splitlines():
            line, _, status = line.partition(" ? ")
            words = line.split() + ["-q"] + ([] if line.startswith("decode") else ["--json", "-"])
            said = self.statepath(*words, status=int(status or 0)).stdout
            if said:
                yield line, json.loads(said)

    # ---- what is written is good ----

    def test_every_key_is_written_and_good(self):
        seen = set()
        for line, document in self.runs():
            faults = ["%s: %s" % (list(e.absolute_path), e.message[:300]) for e in self.validator.iter_errors(document)]
            self.assertEqual(faults, [], line)
            visit(self.schema, document, "", self.schema, lambda where, value, _: seen.update(where + "/" + key for key in value))
        self.assertEqual(all_keys(self.schema) - seen, UNSEEN)

    def test_it_has_the_keys_of_the_writer(self):
        known = {place.split("/")[-1] for place in all_keys(self.schema)}
        folder, written = os.path.join(st.SOURCE, "lib/report/write"), set()
        for name in os.listdir(folder):
            if re.fullmatch(r"json(_(?!schema|tree)\w+)?[.]c", name):
                with open(os.path.join(folder, name), encoding="utf-8") as f:
                    written |= set(re.findall(r'(?:sp_json_\w+|add_\w+)\([^;"]*?, "(\w+)"', f.read()))
        self.assertGreater(len(written), 100)
        self.assertEqual(written - known - {"ok"}, set())

    # ---- what is not ----

    def small(self):
        """A document of little, with labels; and of each kind of object in it, by place, the one of most keys, with its schema."""
        labels = [0, 0, 1, 2, 3, 2, 4, 4, 0, -1]
        self.h5("small.h5", classes=STAGES, probs=.8 * np.eye(5)[np.roll(labels, 1)] + .04, labels=labels, offsets=[0, 6, 10])
        document = json.loads(self.statepath("compare", "small.h5", "-m", "sleep-strict", "--strategies", "argmax,viterbi", "--json", "-", "-q").stdout)
        places = {}
        def see(where, value, by):
            if where not in places or len(value) > len(places[where][0]):
                places[where] = value, by
        visit(self.schema, document, "", self.schema, see)
        return document, places

    def test_seeds_that_are_text(self):
        document, _ = self.small()
        for seed, is_valid in (2**63 - 1, True), (str(2**63), True), (str(2**64 - 1), True), (-1, False), ("7", False), ("-9223372036854775808", False):
            document["seed"] = seed
            self.assertEqual(self.validator.is_valid(document), is_valid, seed)

    def assert_refused(self, document, change):
        self.assertFalse(self.validator.is_valid(document), change)

    def test_changed_documents_are_refused(self):
        document, places = self.small()
        self.assertTrue(self.validator.is_valid(document))
        spared = set()
        for where, (there, by) in places.items():
            before, here = dict(there), self.validator.evolve(schema=by)  # what it refuses the document's schema refuses, much later
            self.assertTrue(here.is_valid(there), where)
            there["unknown"] = 1
            self.assert_refused(document, where + ": unknown key")
            self.assertFalse(here.is_valid(there), where)
            del there["unknown"]
            for key, value in before.items():
                if isinstance(value, (int, float)):  # a bool too
                    there[key] = str(value)
                    self.assertFalse(here.is_valid(there), "%s/%s as text" % (where, key))
                del there[key]
                if here.is_valid(there) and self.validator.is_valid(document):
                    spared.add(where + "/" + key)
                there[key] = value
        self.assertEqual(spared, OPTIONAL)

    def test_values_out_of_range_are_refused(self):
        document, _ = self.small()
        viterbi = document["strategies"]["viterbi"]
        for change, good in (({"accuracy": 1.5}, 0), ({"accuracy": -.1}, 0), ({"kappa": -1.1}, 0), ({"changes": -1}, 0), ({"changes": 1.5}, 0), ({"changes": True}, 0),
                             ({"kappa": None}, 0), ({"kappa": None, "kappa_undefined": "one class only"}, 1), ({"kappa_undefined": "one class only"}, 0),
                             ({"illegal_rate_ci": [0]}, 0), ({"recordings_with_illegal": None}, 0), ({"undecoded": None}, 0), ({"legal_by_construction": 1}, 0)):
            changed = copy.deepcopy(document)
            changed["strategies"]["viterbi"] = dict(viterbi, **change)
            self.assertEqual(self.validator.is_valid(changed), bool(good), change)
        for change in ({"zeros": "none"}, {"statepath": "0.1"}, {"strategies": []}, {"interval": None}):
            self.assert_refused(dict(document, **change), change)

    # ---- what it says ----

    def test_titles_and_descriptions_are_those_of_the_figures(self):
        """Of each key that has both; measures of sleep have titles alone."""
        listed = self.statepath("help", "figures").stdout.partition("\nMeasures of sleep")
        texts = re.findall(r"^  \w+ +(.*(?:\n {28}.*)*)", listed[0], re.M)
        figures = {" ".join(text.split()).removesuffix(" (per cent)") for text in texts}
        measures = set(re.findall(r"^  \w+ +(.*)", listed[2], re.M))
        said, titles = set(), set()

        def look(schema):
            for inner in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
                look(inner)
                if isinstance(inner, dict) and isinstance(inner.get("title"), str):
                    titles.add(inner["title"])
                    if "description" in inner:
                        said.add("%s: %s" % (inner["title"], inner["description"]))
        look(self.schema)
        self.assertGreater(len(said), 200)
        self.assertEqual(figures - said, NOT_IN_JSON)
        self.assertEqual(said - figures, set())
        self.assertEqual(measures - titles, set())

    def test_it_is_printed_as_it_stands(self):
        with open(os.path.join(st.SOURCE, "lib/report/write/statepath-results.schema.json"), encoding="utf-8") as f:
            self.assertEqual(f.read(), self.text)


if __name__ == "__main__":
    st.main()

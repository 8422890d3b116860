"""Operating points of a BIOES tagger: a model of six tied biases, and its paths against a decoder written out in numpy."""
import json

import h5py
import numpy as np

import statepath_test as st

TYPES = ["account", "address", "date", "email", "person", "phone", "secret", "url"]
TAGS = ["O"] + [letter + "-" + name for name in TYPES for letter in "BIES"]
KEYS = ["background_stay", "background_to_start", "end_to_background", "end_to_start", "inside_to_continue", "inside_to_end"]


def biases_of(tags, biases):
    """[K, K] log weights of the transitions by kind, -inf where there is none; may start, may end."""
    weight = np.full((len(tags), len(tags)), -np.inf)
    for i, a in enumerate(tags):
        for j, b in enumerate(tags):
            kinds, same = (a[0], b[0]), a[2:] == b[2:]
            key = ("background_stay" if kinds == ("O", "O") else "background_to_start" if a == "O" and b[0] in "BS"
                   else "end_to_background" if a[0] in "ES" and b == "O" else "end_to_start" if a[0] in "ES" and b[0] in "BS"
                   else "inside_to_continue" if a[0] in "BI" and b[0] == "I" and same else "inside_to_end" if a[0] in "BI" and b[0] == "E" and same else None)
            if key:
                weight[i, j] = biases["transition_bias_" + key]
    return weight, np.array([t[0] in "OBS" for t in tags]), np.array([t[0] in "OES" for t in tags])


def viterbi(scores, weight, start, end):
    value = np.where(start, scores[0], -np.inf)
    back = []
    for row in scores[1:]:
        reach = value[:, None] + weight
        back.append(reach.argmax(0))
        value = reach.max(0) + row
    path = [int(np.where(end, value, -np.inf).argmax())]
    for step in reversed(back):
        path.append(int(step[path[-1]]))
    return path[::-1]


class TestOperatingPoints(st.TestCase):
    def setUp(self):
        super().setUp()
        self.order = np.random.default_rng(2).permutation(len(TAGS))
        self.tags = [TAGS[i] for i in self.order]
        self.write("config.json", json.dumps({"model_type": "x", "id2label": {str(i): tag for i, tag in enumerate(self.tags)}}))

    def points(self, **points):
        self.write("points.json", json.dumps({"operating_points": {name: {"biases": biases} for name, biases in points.items()}}))

    def test_paths(self):
        rng = np.random.default_rng(7)
        lengths = rng.integers(1, 60, 300)
        logits = rng.normal(size=(lengths.sum(), len(TAGS))) * 2
        for name in ("default", "careful"):
            biases = {"transition_bias_" + key: float(round(x, 3)) for key, x in zip(KEYS, rng.normal(size=6) * 2)}
            self.points(**{name: biases, "unused": {}})
            words = () if name == "default" else ("--point", name)
            self.statepath("model", "new", "bioes", "--id2label", "config.json", "--calibration", "points.json", *words, "-o", "m.json", "-f", "-q")
            with h5py.File(self.path("x.h5"), "w") as f:
                f["logits"], f["offsets"] = logits, np.cumsum([0, *lengths])
                f.attrs["classes"] = self.tags
            self.statepath("decode", "x.h5", "-m", "m.json", "-o", "p.h5", "-f", "-q")
            with h5py.File(self.path("p.h5")) as f:
                path = f["paths/viterbi"][:].tolist()
            scores = logits - np.log(np.exp(logits).sum(1, keepdims=True))
            rules = biases_of(self.tags, biases)
            expected = [k for a, n in zip(np.cumsum([0, *lengths]), lengths) for k in viterbi(scores[a:a + n], *rules)]
            self.assertEqual(path, expected)

    def test_a_point_says_what_it_says(self):
        self.points(default={"transition_bias_end_to_start": 1.5})
        text = self.statepath("model", "new", "bilou", "--types", "PER", "--calibration", "points.json").stdout
        self.assertEqual(json.loads(text)["tied"], {key: 1.5 * (key == "end_to_start") for key in KEYS})
        self.assertNotIn("log_weights", text)

    def test_there_and_back(self):
        rng = np.random.default_rng(3)
        biases = {"transition_bias_" + key: float(x) for key, x in zip(KEYS, rng.normal(size=6))}
        self.points(default=biases, other={"transition_bias_end_to_start": 0.15})
        make = "model", "new", "bioes", "--types", "PER,LOC", "--calibration", "points.json"
        self.statepath(*make, "-o", "m.json", "-q")
        point = "model", "point", "m.json", "--point", "again", "-o", "points.json"
        self.assertEqual(self.statepath(*point).stderr, "wrote operating point again into points.json\n")
        points = json.loads(self.read("points.json"))["operating_points"]
        self.assertEqual(points, {"default": {"biases": biases}, "other": {"biases": {"transition_bias_end_to_start": 0.15}}, "again": {"biases": biases}})
        self.statepath(*make, "--point", "again", "-o", "again.json", "-q")
        self.assertEqual(self.read("m.json"), self.read("again.json"))
        self.refuses(*point, status=2, sentence='points.json:18:5: there is an operating point "again" already; --force replaces it')
        self.statepath(*make, "--point", "other", "-o", "m.json", "-f", "-q")
        self.statepath(*point, "-f", "-q")
        self.assertEqual(json.loads(self.read("points.json"))["operating_points"]["again"]["biases"]["transition_bias_end_to_start"], 0.15)
        self.assertEqual(json.loads(self.statepath("model", "point", "m.json", "-o", "-").stdout)["operating_points"].keys(), {"default"})
        self.refuses("model", "point", "m.json", status=2,
                     sentence="model point: -o FILE.json is missing: the file of operating points, which may be there already")
        self.refuses("model", "point", "sleep-aasm", "-o", "points.json", status=2,
                     sentence='model sleep-aasm has no weights by kind of transition ("tied"), which an operating point is; `statepath fit --tied` learns them')

    def test_refusals(self):
        self.points(default={}, careful={})
        self.refuses("model", "new", "bioes", "--types", "PER", "--calibration", "points.json", "--point", "bold", status=2,
                     sentence='points.json:1:2: there is no operating point "bold"; there are default, careful')
        self.refuses("model", "new", "bio", "--types", "PER", "--calibration", "points.json", status=2,
                     sentence="biases by kind of transition are of tags that say where an entity ends, such as BIOES; model bio allows B-PER -> O")
        self.points(default={"transition_bias_background_stays": 1})
        said = self.statepath("model", "new", "bioes", "--types", "PER", "--calibration", "points.json", status=2).stderr
        self.assertIn("transition_bias_background_stay", said)
        self.points(default={"transition_bias_end_to_start": "much"})
        said = self.statepath("model", "new", "bioes", "--types", "PER", "--calibration", "points.json", status=2).stderr
        self.assertIn('key "transition_bias_end_to_start": needs a number', said)
        self.write("points.json", '{"points": {}}')
        self.refuses("model", "new", "bioes", "--types", "PER", "--calibration", "points.json", status=2,
                     sentence='points.json:1:1: key "operating_points" is missing')
        self.refuses("model", "new", "bioes", "--types", "PER", "--id2label", "config.json", status=2,
                     sentence="--id2label does not go with --types: they are in it")
        self.write("config.json", '{"id2label": {"0": "cat", "1": "dog"}}')
        self.refuses("model", "new", "bioes", "--id2label", "config.json", status=2,
                     sentence="config.json: names no tag such as O or B-cat; `statepath model new bioes` makes tags of types")


st.main()

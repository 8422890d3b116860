"""Biases of a BIOES tagger learnt for an operating point: held against a decoder, a count and a search written out in numpy."""
import itertools
import json
import re

import h5py
import numpy as np

import statepath_test as st

TAGS = ["O"] + [letter + "-" + name for name in ("LOC", "PER") for letter in "BIES"]
KEYS = ["background_stay", "background_to_start", "end_to_background", "end_to_start", "inside_to_continue", "inside_to_end"]


def kind(a, b):
    """Number of the transition's kind; None: forbidden."""
    if a[0] in "OES":
        return None if b[0] in "IE" else (0 if a == "O" else 2) + (b != "O")
    return {"I": 4, "E": 5}.get(b[0]) if a[2:] == b[2:] else None


KINDS = [[kind(a, b) for b in TAGS] for a in TAGS]
START, END = np.array([t[0] in "OBS" for t in TAGS]), np.array([t[0] in "OES" for t in TAGS])


def viterbi(scores, biases):
    weight = np.array([[-np.inf if k is None else biases[k] for k in row] for row in KINDS])
    value, back = np.where(START, scores[0], -np.inf), []
    for row in scores[1:]:
        reach = value[:, None] + weight
        back.append(reach.argmax(0))
        value = reach.max(0) + row
    path = [int(np.where(END, value, -np.inf).argmax())]
    for step in reversed(back):
        path.append(int(step[path[-1]]))
    return path[::-1]


def entities(path):
    """Of a legal path: (first, last, type)."""
    found, begin = set(), 0
    for t, k in enumerate(path):
        begin = t if TAGS[k][0] in "BS" else begin
        if TAGS[k][0] in "ES":
            found.add((begin, t, TAGS[k][2:]))
    return found


def merit(aim, counts):
    reference, decoded, correct = counts
    recall, precision = correct / reference, correct / decoded if decoded else 0
    figure, _, number = aim.partition("=")
    if figure[0] == "f":
        weight = float(figure[1:]) ** 2
        return ((1 + weight) * correct / (weight * reference + decoded),)
    if figure == "cost":
        missed, false = (float(x) for x in number.removeprefix("fn:fp=").split(":"))
        return (-(missed * (reference - correct) + false * (decoded - correct)),)
    asked, other = (recall, precision) if figure == "recall" else (precision, recall)
    return (1, other, asked) if asked >= float(number) else (0, asked, other)


class Search:
    def __init__(self, recordings, aim):
        self.recordings, self.aim, self.known = recordings, aim, {}

    def counts(self, point):
        if point not in self.known:
            made = []
            for scores, labels in self.recordings:
                found, wanted = entities(viterbi(scores, [x / 8 for x in point])), entities(labels)
                made.append((len(wanted), len(found), len(found & wanted)))
            self.known[point] = np.array(made)
        return self.known[point]

    def best(self, use):
        best = None

        def attempt(point):
            nonlocal best
            value = merit(self.aim, self.counts(point)[use].sum(0).tolist()) if max(map(abs, point)) <= 128 else None
            if value and (best is None or value > best[0]):
                best = value, point
                return True
            return False

        ways = [tuple(int(i == way) for i in range(6)) for way in range(6)] + [(-1, 1, 0, 0, 0, 0)]
        attempt((0,) * 6)
        for by, sign in itertools.product(range(8, 65, 8), (-1, 1)):
            attempt(tuple(sign * by * w for w in ways[6]))
        for step in (32, 16, 8, 4, 2, 1):
            while any([attempt(tuple(p + sign * step * w for p, w in zip(best[1], way))) for way in ways for sign in (-1, 1)]):
                pass
        return best[1]


class TestTiedFit(st.TestCase):
    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(11)
        self.recordings = []
        for length in (60, 52, 46, 41, 33, 24):
            labels = []
            while len(labels) < length:
                name, n = rng.integers(2), rng.integers(1, 4)
                labels += [0] * rng.integers(1, 5) + ([4 + 4 * name] if n == 1 else [1 + 4 * name] + [2 + 4 * name] * (n - 2) + [3 + 4 * name])
            logits = rng.normal(size=(len(labels), 9)) + 2.2 * np.eye(9)[labels]
            logits[:, 0] += 1.5  # misses entities
            self.recordings.append((logits - np.log(np.exp(logits).sum(1, keepdims=True)), labels))
        self.data("x.h5", self.recordings, TAGS)

    def data(self, name, recordings, classes):
        with h5py.File(self.path(name), "w") as f:
            f["log_probs"] = np.concatenate([scores for scores, _ in recordings])
            f["labels"] = np.concatenate([labels for _, labels in recordings]).astype(np.int32)
            f["offsets"] = np.cumsum([0] + [len(labels) for _, labels in recordings])
            f.attrs["classes"] = classes

    def fit(self, aim, *words):
        return self.statepath("fit", "x.h5", "--tied", "bioes", "--at", aim, "--folds", "2", "-o", "m.json", "-f", "-q", *words).stdout

    def folds(self, recordings):
        """Of two folds that of each recording, which are from the longest on."""
        folds, load, lengths = [], [0, 0], [len(labels) for _, labels in recordings]
        self.assertEqual(lengths, sorted(lengths, reverse=True))
        for length in lengths:
            folds.append(int(load[1] < load[0]))
            load[folds[-1]] += length
        return np.array(folds)

    def test_against_the_search_written_out(self):
        folds = self.folds(self.recordings)
        for aim in ("f1", "f0.5", "recall=.9", "precision=.95", "cost=fn:fp=5:1", "recall=1"):
            with self.subTest(aim):
                text = self.fit(aim)
                search = Search(self.recordings, aim)
                point = search.best(folds >= 0)
                model = json.loads(self.read("m.json"))
                self.assertEqual(model["tied"], {key: x / 8 for key, x in zip(KEYS, point)})
                reference, decoded, correct = search.counts(point).sum(0)
                held = sum(search.counts(search.best(folds != f))[folds == f].sum(0) for f in (0, 1))
                for name, a, b in (("precision", 2, 1), ("recall", 2, 0)):
                    line = re.search(r"^%s +(\S+) +(\S+)" % name, text, re.M).groups()
                    all_of = {0: reference, 1: decoded, 2: correct}
                    self.assertEqual(line, ("%.4f" % (all_of[a] / all_of[b]), "%.4f" % (held[a] / held[b])))
                reached = merit(aim, (reference, decoded, correct))[0] != 0
                self.assertEqual("did not reach" in text, aim[0] in "rp" and not reached, text)
                self.assertIn(model["description"], text)
                self.assertIn("(%d settings tried, 2 folds)" % len(search.known), text)

    def held(self, aim, folds, search=None):
        """Entities in the labels, found and right, of two folds decoded by what is best on the other; of the best for the aim."""
        search = search or Search(self.recordings, aim)
        search.aim = aim
        return sum(search.counts(search.best(folds != f))[folds == f].sum(0) for f in (0, 1)).tolist()

    def test_curve(self):
        """Nine points on the curve; of `compare --cv` the same in JSON, and its paths are those of the aim."""
        folds, search = self.folds(self.recordings), Search(self.recordings, "f1")
        text = self.fit("recall=.8")
        self.statepath("model", "new", "bioes", "--types", "LOC,PER", "-o", "rules.json", "-q")
        cv = "compare", "x.h5", "-m", "rules.json", "--cv", "2", "--tied", "bioes", "--at", "recall=.8", "-f", "-q"
        self.statepath(*cv, "--json", "r.json", "--latex", "r.tex", "--report", "r.html")
        results = json.loads(self.read("r.json"))
        points = results["operating_points"]
        self.assertEqual([points["scheme"], points["aim"], results["folds"]], ["BIOES", "recall of entities at least 0.8", 2])
        lines = re.findall(r"^f(\S+) +(\d+)  (\d\.\d{4}) \((\S+)-(\S+)\) +(\d\.\d{4}).*$", text, re.M)
        self.assertEqual([float(line[0]) for line in lines], [.125, .25, .5, .75, 1, 1.5, 2, 4, 8])
        self.assertEqual(len(points["curve"]), 9)
        for line, point in zip(lines, points["curve"]):
            reference, decoded, correct = self.held("f" + line[0], folds, search)
            self.assertEqual([point["beta"], point["reference"], point["decoded"], point["correct"]], [float(line[0]), reference, decoded, correct])
            for name, share in (("precision", correct / decoded), ("recall", correct / reference), ("f1", 2 * correct / (reference + decoded))):
                self.assertAlmostEqual(point[name], share, delta=1e-12)
                low, high = point[name + "_interval"]
                self.assertTrue(low <= share <= high)
            self.assertEqual(list(line[1:]), [str(decoded), *("%.4f" % x for x in (point["precision"], *point["precision_interval"], point["recall"]))])
        reference, decoded, correct = self.held("recall=.8", folds, search)
        viterbi = results["strategies"]["viterbi"]["entities"]
        for found in (points, viterbi):
            self.assertEqual([found["reference"], found["decoded"], found["correct"]], [reference, decoded, correct])
        self.assertEqual([(one["type"], one["reference"]) for one in points["types"]], [("LOC", viterbi["types"]["LOC"]["reference"]), ("PER", viterbi["types"]["PER"]["reference"])])
        self.assertIn(b"Operating points", self.read("r.tex"))
        self.assertIn(b'data-file="operating-points"', self.read("r.html"))
        self.statepath(*cv, "--json", "r.json", "--level", "0.5")
        narrow = json.loads(self.read("r.json"))["operating_points"]
        self.assertLess(np.ptp(narrow["f1_interval"]), np.ptp(points["f1_interval"]))

    def test_folds_are_refused(self):
        self.statepath("model", "new", "bioes", "--types", "LOC,PER", "-o", "rules.json", "-q")
        self.write("free.json", json.dumps({"statepath_model": 1, "name": "free", "classes": TAGS, "matrix": [[1] * 9] * 9}))

        def refuses(sentence, model, *words, status=2):
            self.refuses("compare", "x.h5", "-m", model, "--cv", "2", "--tied", "bioes", *words, status=status, sentence=sentence)

        refuses("the rules of model free are not those of the scheme bioes, under which --tied learns; `statepath model new bioes` makes a model of them", "free.json", status=1)
        refuses("--folds changes nothing beside --cv and --tied: the folds of --cv are held out; leave it out", "rules.json", "--folds", "3")
        refuses("--at \"f0\": recall weighs from 0.01 to 100 times as much as precision, as in f0.5 or f2", "rules.json", "--at", "f0")
        refuses("--tied does not go with --method: it is a method of its own", "rules.json", "--method", "crf")

    def check_types(self, recordings, judged):
        self.data("types.h5", recordings, TAGS)
        text = self.statepath("fit", "types.h5", "--tied", "bioes", "--folds", "2", "-o", "m.json", "-f", "-q").stdout
        search, folds = Search(recordings, "f1"), self.folds(recordings)
        points = [search.best(folds != f) for f in (0, 1)]
        wanted = [entities(labels) for _, labels in recordings]
        found = [entities(viterbi(scores, [x / 8 for x in points[f]])) for (scores, _), f in zip(recordings, folds)]
        share = r" +(\d\.\d{4})(?: \((\d\.\d{4})-(\d\.\d{4})\))?"
        lines = re.findall(r"^(LOC|PER) +(\d+)" + 3 * share + "$", text, re.M)
        self.assertEqual([line[0] for line in lines], judged, text)
        for name, n, *shares in lines:
            a, b = ([{e for e in one if e[2] == name} for one in side] for side in (wanted, found))
            reference, decoded, correct = sum(map(len, a)), sum(map(len, b)), sum(len(x & y) for x, y in zip(a, b))
            self.assertGreaterEqual(reference, 20)
            self.assertEqual(n, str(reference))
            self.assertEqual(shares[::3], ["%.4f" % x for x in (correct / decoded, correct / reference, 2 * correct / (reference + decoded))])
            for value, low, high in zip(shares[::3], shares[1::3], shares[2::3]):
                self.assertTrue(not low or low <= value <= high, text)
            self.assertTrue(any(shares[1::3]), text)
        rare = "types with fewer than 20 entities in the labels are not judged by themselves: %d\n" % (2 - len(judged))
        self.assertEqual(rare in text, len(judged) < 2, text)

    def test_types(self):
        self.check_types(self.recordings, ["LOC", "PER"])
        self.check_types(self.recordings[:3], [])

    def test_threads_and_decoding(self):
        self.fit("f1", "--threads", "1")
        first = json.loads(self.read("m.json"))
        self.fit("f1", "--threads", "2")
        again = json.loads(self.read("m.json"))
        self.assertEqual([first["tied"], first["description"]], [again["tied"], again["description"]])
        self.statepath("decode", "x.h5", "-m", "m.json", "-o", "p.h5", "-q")
        with h5py.File(self.path("p.h5")) as f:
            path = f["paths/viterbi"][:].tolist()
        biases = [first["tied"][key] for key in KEYS]
        self.assertEqual(path, [k for scores, _ in self.recordings for k in viterbi(scores, biases)])
        self.statepath("model", "point", "m.json", "--point", "f1", "-o", "points.json", "-q")
        self.assertEqual(json.loads(self.read("points.json")),
                         {"operating_points": {"f1": {"biases": {"transition_bias_" + k: v for k, v in first["tied"].items()}}}})

    def refuses_fit(self, sentence, *words, file="x.h5"):
        self.refuses("fit", file, "-o", "new.json", *words, status=2, sentence=sentence)

    def test_refusals(self):
        tied = "--tied", "bioes"
        self.refuses_fit('--at "accuracy": there are recall=.98, precision=.95, f1, f2 and cost=fn:fp=5:1', *tied, "--at", "accuracy")
        self.refuses_fit('--at "recall=98": the figure that is to be reached is a share above 0, at most 1', *tied, "--at", "recall=98")
        self.refuses_fit('--at "cost=fn:fp=5": what a missed and what a false entity cost are two numbers from 0 on, as cost=fn:fp=5:1',
                         *tied, "--at", "cost=fn:fp=5")
        self.data("one.h5", self.recordings[:1], TAGS)
        self.refuses_fit("--tied says what biases do on recordings held out: there are no two labelled recordings (or groups)", *tied, file="one.h5")
        self.data("none.h5", [(scores, [0] * len(labels)) for scores, labels in self.recordings], TAGS)
        self.refuses_fit("--tied is judged by entities, and the labels have none", *tied, file="none.h5")
        self.data("plain.h5", self.recordings, list("abcdefghi"))
        self.refuses_fit('--tied needs classes that are tags of the scheme, such as O and B-PER; "a" is none', *tied, file="plain.h5")
        self.refuses_fit("--tied does not go with --method: it is a method of its own", *tied, "--method", "crf")
        self.refuses_fit("--features changes nothing beside --tied; leave it out", *tied, "--features", "windows")


st.main()

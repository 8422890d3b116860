"""Segments: edit score and F1@10, 25, 50 as the published evaluation of action segmentation gives them (Farha and Gall 2019), formed again
here from the written paths by its definition, on whole lists; which classes are left out; where the figures are shown."""
import json
import os
import random

import h5py
import numpy as np
import statepath_test as st

NAMES = ["background", "take", "pour", "stir", "put"]
OVERLAPS = {"10": 0.1, "25": 0.25, "50": 0.5}


# ---- the definition ----

def segments(steps, background):
    """[(class, first, end)] of the runs whose class is no background; -1 cuts."""
    out, first = [], 0
    for t in range(1, len(steps) + 1):
        if t == len(steps) or steps[t] != steps[first]:
            if steps[first] >= 0 and steps[first] not in background:
                out.append((steps[first], first, t))
            first = t
    return out


def edit(path, labels, background):
    """In per cent; None where neither has a segment: the published script divides 0 by 0 there."""
    a, b = [k for k, *_ in segments(path, background)], [k for k, *_ in segments(labels, background)]
    if not a and not b:
        return None
    table = [[i + j if i * j == 0 else 0 for j in range(len(b) + 1)] for i in range(len(a) + 1)]
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            table[i][j] = min(table[i - 1][j] + 1, table[i][j - 1] + 1, table[i - 1][j - 1] + (a[i - 1] != b[j - 1]))
    return (1 - table[-1][-1] / max(len(a), len(b))) * 100


def hits(path, labels, overlap, background):
    """True positives, false positives, false negatives: the best segment of the reference or none, even where another one is free."""
    found, wanted = segments(path, background), segments(labels, background)
    taken, tp, fp = [False] * len(wanted), 0, 0
    for k, first, end in found:
        scores = [(min(end, e) - max(first, f)) / (max(end, e) - min(first, f)) * (k == c) for c, f, e in wanted]
        best = int(np.argmax(scores)) if scores else None
        if best is not None and scores[best] >= overlap and not taken[best]:
            tp += 1
            taken[best] = True
        else:
            fp += 1
    return tp, fp, len(wanted) - sum(taken)


def f1(paths, labels, overlap, background):
    tp, fp, fn = (sum(x) for x in zip(*(hits(p, y, overlap, background) for p, y in zip(paths, labels))))
    precision, recall = (tp / (tp + n) if tp + n else 0 for n in (fp, fn))
    return 2 * precision * recall / (precision + recall) if tp else 0.0


# ---- the program ----

class TestActions(st.TestCase):
    def setUp(self):
        super().setUp()
        self.write("m.json", json.dumps({"statepath_model": 1, "name": "m", "classes": NAMES, "forbid": {}}))
        self.write("plain.json", json.dumps({"statepath_model": 1, "name": "m", "classes": list("abcde"), "forbid": {}}))

    def labelled(self, pairs, names=NAMES):
        """A file of scores whose argmax is the first of each pair, the second its labels."""
        path, labels = (np.concatenate([np.asarray(x, int) for x in side]) for side in zip(*pairs))
        self.h5("in.h5", scores=np.eye(len(names))[path] * 4, labels=labels, classes=names,
                offsets=np.concatenate([[0], np.cumsum([len(p) for p, _ in pairs])]))

    def compare(self, *options, model="m.json", strategies="argmax"):
        self.statepath("compare", "in.h5", "--model", model, "--kind", "scores", "--strategies", strategies, "--json", "r.json", "--csv", "r.csv",
                       "-o", "p.h5", "-f", *options)
        return json.loads(self.read("r.json"))

    def one(self, path, labels, *options, **more):
        self.labelled([(path, labels)])
        return self.compare(*options, **more)["strategies"]["argmax"]

    def test_by_hand(self):
        """take 10 steps, pour 10 steps; the path takes for 4, pours for 6, takes for 1 and pours for 9."""
        labels, path = [1] * 10 + [2] * 10, [1] * 4 + [2] * 6 + [1] + [2] * 9
        got = self.one(path, labels)
        self.assertEqual(got["segments"], {"matched_at_10": 2, "matched_at_25": 2, "matched_at_50": 1, "reference": 2, "decoded": 4})
        self.assertAlmostEqual(got["f1_at_10"], 2 * 2 / 6)
        self.assertAlmostEqual(got["f1_at_50"], 2 * 1 / 6)  # 0.4 of take, 0.9 of pour
        self.assertAlmostEqual(got["edit_score"], 1 - 2 / 4)

    def test_exactly_at_the_threshold(self):
        for length, n in ((1, (1, 0, 0)), (5, (1, 1, 1))):  # 1 of 10 and 5 of 10 are enough at 0.1 and 0.5
            got = self.one([1] * length + [0] * (10 - length), [1] * 10)["segments"]
            self.assertEqual(tuple(got[f"matched_at_{o}"] for o in OVERLAPS), n)

    def test_who_is_taken_first(self):
        """The second segment's best is taken by the first; that another one of its class would do is not looked at."""
        labels, path = [1] * 10 + [0] + [1] * 3, [1] * 5 + [2] + [1] * 7 + [0]
        self.assertEqual(hits(path, labels, 0.1, {0}), (1, 2, 1))
        got = self.one(path, labels)["segments"]
        self.assertEqual((got["matched_at_10"], got["decoded"], got["reference"]), (1, 3, 2))

    def test_background(self):
        """Left out it parts two segments of one class, and its own runs are neither right nor wrong."""
        path, labels = [0, 1, 1, 0, 1, 0], [0, 1, 1, 1, 1, 0]
        with_it, without = self.one(path, labels, "--background", ""), self.one(path, labels)
        self.assertEqual(with_it["segments"]["decoded"], 5)
        self.assertEqual(without["segments"], {"matched_at_10": 1, "matched_at_25": 1, "matched_at_50": 1, "reference": 1, "decoded": 2})
        self.assertAlmostEqual(without["edit_score"], 0.5)
        self.assertEqual(self.one(path, labels, "--background", "background,take")["f1_at_50_undefined"], "no segments")
        result = json.loads(self.read("r.json"))
        self.assertEqual((result["preset"], result["background"]), ("actions", ["background", "take"]))
        self.one(path, labels, "--preset", "none")
        self.assertFalse({"preset", "background"} & set(json.loads(self.read("r.json"))))

    def test_neither_side_has_segments(self):
        """Such a recording has no edit score; where the path alone has segments it is 0."""
        self.labelled([([0, 0], [0, 0]), ([1, 1], [1, 1]), ([0, 1], [0, 0])])
        got = self.compare()["strategies"]["argmax"]
        self.assertEqual((got["edit_score"], got["segments"]["decoded"], got["segments"]["reference"]), (0.5, 2, 1))

    def test_the_definition(self):
        """Random sequences of every roughness, with ties, several recordings, unscored steps, all strategies, with and without background."""
        rng = random.Random(5)

        def draw(n, stay):
            out = [rng.randrange(5)]
            while len(out) < n:
                out.append(out[-1] if rng.random() < stay else rng.randrange(5))
            return out
        for trial in range(25):
            stay, pairs = rng.choice([0.3, 0.7, 0.9, 0.97]), []
            for _ in range(rng.randrange(2, 7)):
                labels = draw(rng.randrange(1, 120), stay)
                late = rng.randrange(4)
                path = [labels[max(t - late, 0)] if rng.random() < 0.9 else rng.randrange(5) for t in range(len(labels))]
                if rng.random() < 0.4:
                    labels = [-1 if rng.random() < 0.1 else y for y in labels]
                pairs.append((path, labels))
            self.labelled(pairs)
            left_out = rng.choice([set(), {0}, {0, 3}])
            result = self.compare("--background", ",".join(NAMES[k] for k in sorted(left_out)), "--seed", str(trial), strategies="argmax,viterbi,mea")
            with h5py.File(self.path("p.h5")) as f:
                bounds, paths = f["offsets"][:], {s: f["paths"][s][:] for s in result["strategies"]}
            labels = [y for _, y in pairs]
            self.assertEqual(np.concatenate([p for p, _ in pairs]).tolist(), paths["argmax"].tolist())
            for name, whole in paths.items():
                cut = [[k if y >= 0 else -1 for k, y in zip(whole[a:b].tolist(), ys)] for a, b, ys in zip(bounds, bounds[1:], labels)]
                got = result["strategies"][name]
                edits = [x for x in (edit(p, y, left_out) for p, y in zip(cut, labels)) if x is not None]
                if edits:
                    self.assertAlmostEqual(100 * got["edit_score"], np.mean(edits), places=9)
                for key, overlap in OVERLAPS.items():
                    n = [sum(len(segments(x, left_out)) for x in side) for side in (cut, labels)]
                    self.assertEqual([got["segments"]["decoded"], got["segments"]["reference"]], n)
                    if sum(n):
                        self.assertAlmostEqual(got[f"f1_at_{key}"], f1(cut, labels, overlap, left_out), places=12, msg=(trial, name, key))

    def test_pairs(self):
        """Differences are those of the figures, with an interval; better and worse count recordings."""
        rng = np.random.default_rng(3)
        pairs, names = [], ["edit_score", "f1_at_10", "f1_at_25", "f1_at_50"]
        for _ in range(12):
            labels = np.repeat(rng.integers(0, 5, 30), rng.integers(3, 9, 30))
            pairs.append((np.where(rng.random(len(labels)) < 0.15, rng.integers(0, 5, len(labels)), labels), labels))
        self.labelled(pairs)
        self.write("sticky.json", json.dumps({"statepath_model": 1, "name": "m", "classes": NAMES, "forbid": {}, "min_dwell": {k: 3 for k in NAMES}}))
        result = self.compare(strategies="argmax,viterbi", model="sticky.json")
        got = {p["metric"]: p for p in result["comparisons"]}
        a, b = result["strategies"]["viterbi"], result["strategies"]["argmax"]
        with h5py.File(self.path("p.h5")) as f:
            paths, bounds = {s: f["paths"][s][:].tolist() for s in ("viterbi", "argmax")}, f["offsets"][:]
        for name in names:
            self.assertAlmostEqual(got[name]["difference"], a[name] - b[name], places=8)
            self.assertLess(got[name]["ci"][0], got[name]["difference"])
            self.assertGreater(got[name]["ci"][1], got[name]["difference"])
            self.assertGreater(got[name]["ci"][0], 0)
        one = {s: [edit(p[i:j], y.tolist(), {0}) for i, j, (_, y) in zip(bounds, bounds[1:], pairs)] for s, p in paths.items()}
        self.assertEqual(got["edit_score"]["better"], sum(x > y for x, y in zip(one["viterbi"], one["argmax"])))
        self.assertAlmostEqual(100 * got["edit_score"]["mean"], np.mean(one["viterbi"]) - np.mean(one["argmax"]), places=6)
        self.assertEqual(got["f1_at_50"]["n"], 12)
        self.assertNotIn("edit_score", {p["metric"] for p in self.compare("--preset", "none", strategies="argmax,viterbi")["comparisons"]})

    def test_tags_are_read_by_entities(self):
        """The figure stands first, and strategies are compared by it with an interval."""
        tags, rng = ["O", "B-PER", "I-PER"], np.random.default_rng(4)
        sentences = [rng.integers(0, 3, 20) for _ in range(15)]
        self.labelled([(np.where(rng.random(20) < 0.3, rng.integers(0, 3, 20), y), y) for y in sentences], tags)
        self.write("bio.json", json.dumps({"statepath_model": 1, "name": "m", "classes": tags, "forbid": {"O": ["I-PER"]}}))
        result = self.compare("--markdown", "r.md", model="bio.json", strategies="argmax,viterbi")
        pair = next(p for p in result["comparisons"] if p["metric"] == "entity_f1")
        figures = [result["strategies"][s]["entities"]["f1"] for s in ("viterbi", "argmax")]
        self.assertAlmostEqual(pair["difference"], figures[0] - figures[1], places=12)
        self.assertLessEqual(pair["ci"][0], pair["difference"])
        self.assertGreaterEqual(pair["ci"][1], pair["difference"])
        self.assertIn(b"| strategy | entity F1 | illegal |", self.read("r.md"))
        self.assertNotIn("entity_f1", {p["metric"] for p in self.compare("--preset", "none", model="bio.json", strategies="argmax,viterbi")["comparisons"]})

    def test_shown_first(self):
        rng = np.random.default_rng(1)
        self.labelled([(rng.integers(0, 5, 50), rng.integers(0, 5, 50)) for _ in range(9)])
        arguments = ["compare", "in.h5", "--model", "m.json", "--kind", "scores"]
        text = self.statepath(*arguments, "--report", "r.html", "--markdown", "r.md", "--latex", "r.tex").stdout
        head = next(line for line in text.splitlines() if line.startswith("strategy"))
        self.assertEqual(head.split()[:6], ["strategy", "F1@10", "F1@25", "F1@50", "edit", "illegal"])
        self.assertIn("Segments, of edit score and F1@10, 25, 50, are the runs of all classes but background.", " ".join(text.split()))
        page = self.read("r.html").decode()
        for name in ("r.md", "r.tex"):
            self.assertLess(self.read(name).replace(b"\\@", b"@").index(b"F1@50"), self.read(name).index(b"kappa"))
        self.assertLess(page.index("F1@50: viterbi"), page.index("illegal transition"))
        self.assertIn("<th scope=\"col\"", page)
        self.assertNotIn("F1@50", self.statepath(*arguments, "--preset", "none").stdout)

    def test_gates(self):
        labels, path = [1] * 10 + [2] * 10, [1] * 4 + [2] * 16
        self.labelled([(path, labels)])
        arguments = ["compare", "in.h5", "--model", "m.json", "--kind", "scores", "--strategies", "argmax"]
        self.statepath(*arguments, "--fail-if", "argmax.f1_at_50 < 0.5; argmax.edit_score < 1")
        self.statepath(*arguments, "--fail-if", "argmax.f1_at_50 < 0.51", status=4)

    def test_wrong_use(self):
        self.labelled([([1], [1])])
        arguments = ["compare", "in.h5", "--model", "m.json", "--kind", "scores"]
        for option, word, message in (
                ("--background", "backgroud", "--background: there is no class 'backgroud'; did you mean background?"),
                ("--background", "take,7", "--background: there is no class '7'; the classes are background, take, pour, stir, put"),
                ("--preset", "dance", "--preset dance: it is sleep, tags, actions or none"),
                ("--preset", "tags", "--preset tags needs classes such as O, B-PER and I-PER"),
                ("--preset", "sleep", "--preset sleep needs the classes Wake, N1, N2, N3 and REM (or names that `statepath model show sleep-aasm` knows)")):
            self.refuses(*arguments, option, word, status=2, sentence=message)


class TestFolder(st.TestCase):
    """MS-TCN's folder: mapping.txt, groundTruth/*.txt, splits/*.bundle, and scores of each video."""

    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(8)
        for folder in ("groundTruth", "splits", "scores"):
            os.mkdir(self.path(folder))
        self.write("mapping.txt", "".join(f"{k} {n}\n" for k, n in enumerate(NAMES)))
        self.videos = [f"S{i}_Tea_C1" for i in range(1, 9)]
        self.labels, self.scores = {}, {}
        for video in self.videos:
            y = np.repeat(rng.integers(0, 5, 20), rng.integers(3, 15, 20))
            p = np.where(rng.random(len(y)) < 0.2, rng.integers(0, 5, len(y)), y)
            self.labels[video], self.scores[video] = y, (3 * np.eye(5)[p] + rng.random((len(y), 5))).astype(np.float32)
            self.write(f"groundTruth/{video}.txt", "".join(NAMES[k] + "\n" for k in y))
            np.save(self.path(f"scores/{video}.npy"), self.scores[video])
        self.write("splits/test.split1.bundle", "".join(v + ".txt\n" for v in self.videos[:3]))
        self.write("splits/train.split1.bundle", "".join(v + ".txt\n" for v in self.videos[3:]))

    def packed(self, videos):
        steps = [self.labels[v] for v in videos]
        self.h5("all.h5", logits=np.concatenate([self.scores[v] for v in videos]), labels=np.concatenate(steps), ids=videos,
                offsets=np.concatenate([[0], np.cumsum([len(y) for y in steps])]), classes=NAMES)

    def results(self, *arguments):
        self.statepath("compare", *arguments, "--json", "r.json", "-f")
        result = json.loads(self.read("r.json"))
        del result["input"], result["command"]
        return result

    def test_as_from_hdf5(self):
        self.statepath("model", "new", "from-labels", "groundTruth", "--classes", "mapping.txt", "--only", "splits/train.split1.bundle", "-o", "rules.json")
        for model in ("rules.json", "mapping.txt"):
            for only, videos in (((), self.videos), (("--only", "splits/test.split1.bundle"), self.videos[:3])):
                self.packed(videos)
                folder = self.results("scores", "--labels", "groundTruth", "--kind", "logits", "--model", model, *only)
                self.assertEqual(folder, self.results("all.h5", "--model", model))
                self.assertEqual([r["id"] for r in folder["strategies"]["viterbi"]["per_recording"]], videos)
                pattern = self.results("scores/{id}.npy", "--labels", "groundTruth/{id}.txt", "--kind", "logits", "--model", model, *only)
                self.assertEqual(pattern, folder)

    def test_rules_come_from_the_split(self):
        self.statepath("model", "new", "from-labels", "groundTruth", "--classes", "mapping.txt", "--only", "splits/train.split1.bundle", "-o", "rules.json")
        rules = json.loads(self.read("rules.json"))
        seen = {(a, b) for v in self.videos[3:] for a, b in zip(self.labels[v], self.labels[v][1:])}
        self.assertEqual(rules["classes"], NAMES)
        allowed = rules["allow"] if "allow" in rules else {a: [b for b in NAMES if b not in rules["forbid"].get(a, [])] for a in NAMES}
        self.assertEqual({(a, b) for a in allowed for b in allowed[a]}, {(NAMES[a], NAMES[b]) for a, b in seen})
        self.write("some.txt", self.videos[0] + "\n")
        self.statepath("model", "new", "from-labels", "groundTruth", "--classes", ",".join(NAMES), "--only", "some.txt", "-o", "few.json")
        self.assertNotEqual(self.read("few.json"), self.read("rules.json"))

    def test_wrong_lists(self):
        arguments = ["compare", "scores", "--labels", "groundTruth", "--kind", "logits", "--model", "mapping.txt", "--only", "l.txt"]
        for text, sentence in ((f"{self.videos[0]}.txt\n\nS9.txt\n", "l.txt:3: none of the 8 files of scores is that of S9.txt"),
                               (" \n", "l.txt: names no recording; it has one a line")):
            self.write("l.txt", text)
            self.refuses(*arguments, sentence=sentence)
        arguments[1] = f"scores/{self.videos[0]}.npy"
        self.refuses(*arguments, status=2, sentence=f"--only chooses among the files of a folder, or several files; {arguments[1]} is one")
        os.remove(self.path("l.txt"))
        arguments[1] = "scores"
        done = self.statepath(*arguments, status=1)
        self.assertIn("l.txt", done.stderr)

    def test_results_as_ms_tcn_writes_them(self):
        """Files without ending, all labels on their second line: paths for `evaluate`, by the names of the videos."""
        for folder in ("results", "lists"):
            os.mkdir(self.path(folder))
        rng = random.Random(9)
        for video in self.videos:
            labels = self.read(f"groundTruth/{video}.txt").decode().split()
            path = [rng.choice(NAMES) if rng.random() < .1 else label for label in labels]
            self.write(f"results/{video}", "### Frame level recognition: ###\n" + " ".join(path))
            self.write(f"lists/{video}.txt", "\n".join(path) + "\n")

        def judged(folder, *options):
            done = self.statepath("evaluate", folder, "--labels", "groundTruth", "--model", "mapping.txt", "--json", "-", "-q", *options)
            return json.loads(done.stdout)["strategies"]
        self.assertEqual(judged("results"), judged("lists"))
        self.assertEqual(judged("results", "--only", "splits/test.split1.bundle"), judged("lists", "--only", "splits/test.split1.bundle"))
        self.assertEqual(judged("results/{id}"), judged("lists/{id}.txt"))
        self.write(f"results/{self.videos[0]}", "### Frame level recognition: ###\n" + " ".join([*path[:5], "dance", *path]))
        said = self.statepath("evaluate", "results", "--labels", "groundTruth", "--model", "mapping.txt", status=3).stderr
        self.assertIn('results/%s: line 2: label "dance" is no class of model mapping' % self.videos[0], said)

    def test_result_that_ends_in_blanks(self):
        """Read to its end, and no further: with labels, and without any."""
        first = "### Frame level recognition: ###\n"
        self.write("v", first + NAMES[0] + " \n \n")
        self.assertIn("1 frame", self.statepath("evaluate", "v", "--model", "mapping.txt").stdout)
        for text in (first + " ", first, first.strip()):
            self.write("v", text)
            self.refuses("evaluate", "v", "--model", "mapping.txt",
                         sentence="v: begins as a result of MS-TCN, but holds no label after that line")
        self.write("v.txt", NAMES[0] + "\n \n\n")
        self.assertIn("1 frame", self.statepath("evaluate", "v.txt", "--model", "mapping.txt").stdout)

    def test_wrong_mapping(self):
        for text, sentence in (("0 a\n1\n", 'm.txt:2: "1" is no number and name of a class, such as "0 background"'),
                               ("0 a\nb c\n", 'm.txt:2: "b c" is no number and name of a class, such as '
                                '"0 background"; names of columns? delete the line'),
                               ("0 a\n2 b\n", "m.txt:2: class 2, but there are 2 lines: the numbers go from 0 on without gaps"),
                               ("0 a\n\n0 b\n", "m.txt:3: a and b are both class 0"),
                               ("1 a\n0 a\n", "m.txt:2: a is class 1 already")):
            self.write("m.txt", text)
            self.refuses("model", "check", "m.txt", sentence=sentence)
        self.write("m.txt", "".join(f"{k} c{k}\n" for k in range(10001)))
        self.refuses("model", "check", "m.txt", sentence="m.txt: has 10001 lines of a number and a name, more than the 10000 classes that can be")
        self.write("m.txt", "1  put down \r\n0\ttake\r\n")
        self.statepath("model", "check", "m.txt", stdout="m.txt is a model of 2 classes and 4 allowed transitions; every class can be reached and left\n")
        self.assertIn("put down", self.statepath("model", "show", "m.txt").stdout)


if __name__ == "__main__":
    st.main()

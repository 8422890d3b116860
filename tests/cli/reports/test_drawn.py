"""Which recordings a page draws step by step, of files with more steps than it keeps: chosen over all, then fetched."""
import json
import os
import re
import xml.etree.ElementTree

import numpy as np

import statepath_test as st

N, T, K = 1000, 1100, 3
MODEL = {"statepath_model": 1, "name": "line", "classes": ["a", "b", "c"], "allow": {"a": ["a", "b"], "b": ["a", "b", "c"], "c": ["b", "c"]}}
STEPS = re.compile(r'<section aria-labelledby="steps">.*?</section>', re.S)
MARK = re.compile(r'<use href="#ill" x="([0-9.]+)%"><title>([0-9]+)(?: to ([0-9]+): ([0-9]+) illegal transitions|: [abc] → [abc])</title>')


class TestDrawn(st.TestCase):
    def setUp(self):
        super().setUp()
        self.write("line.json", json.dumps(MODEL))

    def make(self, labels, chosen, offsets, **more):
        """Scores that are sure of `chosen`."""
        scores = np.full((len(chosen), K), np.log(0.1), "f4")
        scores[np.arange(len(chosen)), chosen] = np.log(0.8)
        self.h5("in.h5", log_probs=scores, offsets=offsets, classes=MODEL["classes"], labels=labels, **more)

    def steps_of(self, page):
        return STEPS.search(self.read(page).decode()).group(0)

    def many(self):
        """Each recording has errors of its own number: 500 has the most, 700 none, and the rest between."""
        wrong = np.arange(N) % 500 + 10
        wrong[500], wrong[700] = 900, 0
        labels = np.tile(np.arange(T) // 100 % 2, (N, 1))
        chosen = labels.copy()
        for n in range(N):
            chosen[n, :wrong[n]] = 2 - 2 * labels[n, :wrong[n]]
        self.make(labels.ravel(), chosen.ravel(), np.arange(N + 1) * T, ids=["n%03d" % n for n in range(N)])
        return chosen

    def headings(self, steps):
        return re.findall(r"<h3>(Worst|Median|Best): (n[0-9]+) – accuracy of viterbi ([0-9.]+)", steps)

    def test_asked_for(self):
        """Those that --draw names come first, each once, and are fetched like the worst; an id may hold a comma."""
        self.many()
        self.statepath("compare", "in.h5", "--model", "line.json", "--strategies", "argmax,viterbi", "--report", "asked.html", "--draw",
                       "n123,n500,n124,n123", "-q")
        steps = self.steps_of("asked.html")
        self.assertEqual(re.findall(r"<h3>Asked for: (n[0-9]+) ", steps), ["n123", "n124"])
        held = re.findall(r'"r":([0-9]+),"id":"n[0-9]+"', steps)
        self.assertTrue({"123", "124", "500", "700"} <= set(held))
        self.refuses("compare", "in.h5", "--model", "line.json", "--report", "no.html", "--draw", "n1,n200", "-q",
                     sentence="--draw: there is no recording n1; `statepath inspect` names them", status=2)
        self.refuses("compare", "in.h5", "--model", "line.json", "--draw", "n123", "-q", sentence="--draw is of use with --report or --figures only", status=2)

    def test_figures(self):
        """The figures of the page, without a browser: each is XML that holds all it names."""
        rng = np.random.default_rng(1)
        labels = np.repeat(rng.integers(0, 3, 100), 5)
        self.make(labels, labels, np.arange(6) * 100, ids=["one", "Two, Three", "<&>", "two/three", "../Schläfer 4"])
        self.statepath("compare", "in.h5", "--model", "line.json", "--report", "page.html", "--figures", "figures", "-q")
        names, page = os.listdir(self.path("figures")), self.read("page.html").decode()
        matrices = ["confusion-%s" % name for name in ("argmax", "greedy", "viterbi")]  # in the page they are tables
        self.assertEqual(sorted(names), sorted(name + ".svg" for name in [*matrices, *re.findall('<figure[^>]* data-file="([^"]*)"', page)]))
        self.assertEqual(len(names), page.count("<figure") + 3)
        self.statepath("compare", "in.h5", "--model", "line.json", "--json", "o.json", "-q")
        for name, results in json.loads(self.read("o.json"))["strategies"].items():
            texts = [e.text for e in xml.etree.ElementTree.fromstring(self.read("figures/confusion-%s.svg" % name)).iter() if e.tag.endswith("}text")]
            self.assertEqual([int(text.replace(",", "")) for text in texts if re.fullmatch("[0-9,]+", text)], sum(results["confusion"], []), name)
        self.assertEqual(sorted(name for name in names if name.startswith("step-plot")),
                         ["step-plot-of-one.svg", "step-plot-of-schläfer-4.svg", "step-plot-of-two-three-2.svg", "step-plot-of-two-three.svg", "step-plot-of.svg"])
        for name in names:
            root = xml.etree.ElementTree.fromstring(self.read("figures/" + name))
            ids = {e.get("id") for e in root.iter()}
            text = self.read("figures/" + name).decode()
            if root.get("class") != "track": # what its style says of tracks is for none
                text = re.sub("<style>.*?</style>", "", text)
            self.assertTrue(set(re.findall(r'(?:href="#|url\(#)([a-z0-9-]+)', text)) <= ids, name)
        self.refuses("compare", "in.h5", "--model", "line.json", "--figures", "figures", "-q", sentence="--figures figures: the folder is not empty; --force replaces files in it")
        self.statepath("compare", "in.h5", "--model", "line.json", "--figures", "figures", "--force", "--draw", "two/three,<&>", "-q")
        self.refuses("compare", "in.h5", "--model", "line.json", "--figures", "page.html", "-q", sentence="--figures page.html: the folder cannot be made: File exists")

    def test_worst_median_and_best_of_all(self):
        chosen = self.many()
        self.statepath("compare", "in.h5", "--model", "line.json", "--strategies", "argmax,viterbi", "--report", "whole.html", "--json",
                       "all.json", "-o", "paths.h5", "-q")
        steps = self.steps_of("whole.html")
        with open(self.path("all.json"), encoding="utf-8") as f:
            accuracy = [row["accuracy"] for row in json.load(f)["strategies"]["viterbi"]["per_recording"]]
        order = sorted(range(N), key=lambda n: accuracy[n])
        self.assertEqual((order[0], order[-1]), (500, 700))
        self.assertEqual(self.headings(steps), [(word, "n%03d" % n, "%.3f" % accuracy[n]) for word, n in
                                                (("Worst", 500), ("Median", order[N // 2]), ("Best", 700))])
        folded = [int(n) for n in re.findall(r"<summary>n([0-9]+) ", steps)]
        self.assertEqual(folded, order[1:1 + len(folded)])
        self.assertIn("Drawn of 1,000 recordings: the least accurate, the median and the most accurate, and the %d next" % len(folded), steps)
        # The steps are the recording's own: changes are counted from what is drawn.
        shown = re.findall(r'<div class="name">argmax<small>[^<]*?([0-9]+) changes?</small>', steps)
        drawn = [500, order[N // 2], 700, *folded]
        self.assertEqual([int(n) for n in shown], [np.count_nonzero(np.diff(chosen[n])) for n in drawn])
        self.same_otherwise("whole.html", steps)

    def same_otherwise(self, page, steps):
        """From the file of paths the same pictures."""
        paths = re.sub(r'<div class="track"><div class="name">scores.*?</svg></div></div>\n', "", steps, flags=re.S)
        self.statepath("evaluate", "paths.h5", "--report", page, "-f", "-q")
        found = self.steps_of(page)
        self.assertEqual(self.headings(found), self.headings(steps))
        self.assertEqual(re.findall('class="run" d="([^"]*)', found)[:9], re.findall('class="run" d="([^"]*)', paths)[:9])

    def test_marks_of_a_long_recording(self):
        """A second a step, a day: illegal transitions to its end, all of them counted."""
        n = 86400
        random = np.random.default_rng(5)
        chosen = np.repeat(random.integers(0, 3, n // 4), 4)
        chosen[-2:] = 0, 2
        self.make(np.zeros(n, "i4"), chosen, [0, n])
        self.statepath("compare", "in.h5", "--model", "line.json", "--strategies", "argmax,viterbi", "--report", "page.html", "-q")
        illegal = int(np.sum(np.abs(np.diff(chosen)) == 2))
        steps = self.steps_of("page.html")
        self.assertEqual(MARK.findall(steps), [])
        [(path, total, most)] = re.findall(r'<path class="bars" d="([^"]*)"><title>([0-9,]+) illegal, at most (\d+) a bar</title>', steps)
        self.assertEqual(int(total.replace(",", "")), illegal)
        edges = np.arange(1001) * n // 1000  # of the places
        places = np.histogram(np.flatnonzero(np.abs(np.diff(chosen)) == 2) + 1, edges)[0]
        self.assertEqual(int(most), places.max())
        heights = {int(x): int(height) for x, height in re.findall(r"M(\d+) 8v-(\d+)h1v\2z", path)}
        self.assertEqual(heights, {c: -(-8 * int(count) // int(most)) for c, count in enumerate(places) if count})
        self.assertIn(999, heights)

    def page_of(self, labels, path, classes, allow=None, **more):
        """The page of a path from elsewhere."""
        K = len(classes)
        matrix = np.ones((K, K), int) if allow is None else allow
        model = {"statepath_model": 1, "name": "m", "classes": classes, "matrix": matrix.tolist()}
        self.write("m.json", json.dumps(model))
        more = {"offsets": [0, len(path)], **more}
        self.h5("p.h5", paths__argmax=path, labels=labels, classes=classes, **more)
        self.statepath("evaluate", "p.h5", "--model", "m.json", "--report", "p.html", "-q", "-f")
        return self.read("p.html").decode()

    def test_shares_of_errors(self):
        """The strip is the darker the more steps of a place are wrong: of three steps none, one, two or all."""
        path = np.zeros(3000, int)
        labels = path.copy()
        labels[30] = 1
        labels[60:62] = labels[90:93] = 1
        labels[50] = -1  # without a reference nothing is wrong
        page = self.page_of(labels, path, ["a", "b", "c"])
        for i in range(3):
            dashes = "0 %d 1 %d" % (10 * (i + 1), 1000 - 10 * (i + 1) - 1)
            strip = r'class="error share%d" stroke-width="1.08" d="M0 [0-9.]+h1000" stroke-dasharray="%s"/>'
            self.assertRegex(page, strip % (2 + i, dashes))
        self.assertNotIn('class="error share1"', page)

    def test_lanes_of_many_classes(self):
        """The most frequent classes of the reference have lanes, from the top in their order; others share one."""
        classes = ["class %d" % k for k in range(20)]
        labels = np.arange(800) % 20
        rare = np.where(np.isin(labels, (3, 7, 11)), -1, labels)
        page = self.page_of(rare, labels, classes, offsets=[0, 400, 800])
        self.assertIn('"lanes":[0,1,2,17,3,4,5,17,6,7,8,17,9,10,11,12,13,14,15,16],', page)
        self.assertIn('"styles":["0","1","2","-rest","3",', page)
        self.assertIn('>class 19</text><text y="204">3 others</text></g>', page)
        self.assertIn('<stop class="t-rest" offset="0.944"/><stop class="t-rest" offset="1.000"/></linearGradient>',
                      page)
        self.assertIn("The 17 most frequent classes have lanes of their own, the other 3 share the last one.",
                      page)
        page = self.page_of(np.arange(400) % 18, np.arange(400) % 18, classes[:18])
        self.assertIn('"lanes":[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17],', page)
        self.assertNotIn(" others</text>", page)

    def test_names_gaps_and_probabilities(self):
        """Names on runs that are long enough, gaps in every column that has one, probabilities as stacked areas."""
        labels = np.repeat([0, 1, 0, 2], [50, 10, 5, 35])
        page = self.page_of(labels, labels, ["po<ur", "stir", "\u5207\u5207"])
        self.assertIn('<text class="on-run" y="18" x="25.00%">po&lt;ur</text>'
                      '<text class="on-run wide-only" y="31" x="55.00%">stir</text>'
                      '<text class="on-run" y="44" x="82.50%">\u5207\u5207</text></svg>', page)
        n = 86400
        page = self.page_of(np.zeros(n, int), np.zeros(n, int), ["a", "b", "c"], segments=np.arange(n) // 100)
        gaps = [int(x) for x in re.findall(r"M(\d+)", re.search(r'<path class="gap" d="([^"]*)"', page)[1])]
        self.assertEqual((len(gaps), gaps[-1]), (n // 100 - 1, (n - 100) * 1000 // n))
        probs = np.eye(3)[[0, 0, 2, 1, 2, 2, 1, 0]]
        probs[[0, 3, 6]] = [[0.5, 0.5, 0], [0, 0.5, 0.5], [0, 0.5, 0.5]]
        self.h5("in.h5", probs=probs, labels=[0, 0, 1, 1, 2, 2, 1, 0], classes=["Wake", "NREM", "REM"])
        model = {"statepath_model": 1, "name": "m", "classes": ["Wake", "NREM", "REM"], "forbid": {}}
        self.write("m.json", json.dumps(model))
        self.statepath("compare", "in.h5", "--model", "m.json", "--report", "p.html", "-q", "-f")
        page = self.read("p.html").decode()
        self.assertEqual(page.count("<small>probabilities</small>"), 1)
        self.assertIn("probabilities of the classes over time, stacked; mean Wake 0.31, REM 0.50, NREM 0.19", page)
        self.assertRegex(page, r'<rect class="area s-wake" width="8" height="48"/>'
                               r'<path class="area s-rem" d="M0 48[vh0-9.V-]*H8V48z"/>')

    def test_four_plots_of_nights(self):
        """Bland-Altman plots of the strategy that leads: bias and each night are the JSON's."""
        demo = os.path.join(st.SOURCE, "datasets/sleep-demo.h5")
        outputs = ["--report", "p.html", "--json", "p.json"]
        self.statepath("compare", demo, "--model", "sleep-strict", *outputs, "-q")
        page, sleep = self.read("p.html").decode(), json.loads(self.read("p.json"))["sleep"]
        figure = r'data-file="bland-altman-([a-z-]+)-of-viterbi">(.*?)</figure>'
        plots = dict(re.findall(figure, page, re.S))
        self.assertEqual(list(plots), ["tst", "se", "waso", "rem-latency"])
        self.assertEqual(page.count("bland-altman-"), 4)
        nights = list(zip(sleep["reference"]["nights"], sleep["strategies"]["viterbi"]["nights"]))
        for name, plot in plots.items():
            key = name.replace("-", "_")
            agreement = sleep["strategies"]["viterbi"]["agreement"][key]
            caption = plot.partition("<figcaption>")[2]
            self.assertIn(": bias %+.1f" % agreement["bias"], caption)
            self.assertIn(", n = %d<" % agreement["n"], caption)
            titles = re.findall("<title>(r[0-9]+: [^<]*)</title>", plot)
            self.assertEqual(titles, ["%s: %.1f to %.1f" % (a["id"], a[key], b[key]) for a, b in nights])

    def test_too_long_to_be_drawn(self):
        n = 1000001
        self.make(np.zeros(n, "i4"), np.zeros(n, "i4"), [0, n])
        self.statepath("compare", "in.h5", "--model", "line.json", "--strategies", "argmax,viterbi", "--report", "page.html", "-q")
        self.assertIn("Not drawn: it has 1,000,001 steps, more than are kept for pictures.", self.steps_of("page.html"))


st.main()

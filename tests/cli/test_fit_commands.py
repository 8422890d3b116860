#!/usr/bin/env python3
"""statepath fit and compare --cv as a user would type them."""
import json
import os

import h5py
import numpy as np

import statepath_test as st

CLASSES = ["off", "on", "idle"]


def make(seed=1, n=8, unlabelled=False):
    rng = np.random.default_rng(seed)
    y, offsets = [], [0]
    for _ in range(n):
        k = 0
        for _ in range(60):
            k = int(rng.integers(3)) if rng.random() < 0.1 else k
            y.append(k)
        offsets.append(len(y))
    y = np.array(y)
    e = rng.normal(size=(len(y), 3)) + 1.2 * np.eye(3)[y]
    e -= np.log(np.exp(e).sum(axis=1, keepdims=True))
    return {"log_probs": e, "labels": np.full(len(y), -1) if unlabelled else y, "offsets": np.array(offsets), "classes": CLASSES,
            "ids": ["s%d_%d" % (i // 2, i % 2) for i in range(n)]}


class TestFit(st.TestCase):
    def setUp(self):
        super().setUp()
        self.h5("d.h5", **make())
        self.write("rules.json", json.dumps({"statepath_model": 1, "name": "rules", "classes": ["idle", "on", "off"],
                                             "forbid": {"off": ["idle"]}}))

    def test_every_method_gives_a_model_that_decodes_legally(self):
        for method in ("counts", "crf", "em"):
            said = self.statepath("fit", "d.h5", "--rules", "rules.json", "--method", method, "-o", method + ".json").stdout
            self.assertTrue(said.startswith(("fitted by " + method, "fitted by counts, no random field" if method == "crf" else "fitted by " + method)))
            self.statepath("model", "check", method + ".json")
            model = json.loads(self.read(method + ".json"))
            self.assertNotIn("idle", model["allow"]["off"])
            self.assertEqual(model["classes"], CLASSES)
            self.statepath("decode", "d.h5", "--model", method + ".json", "--strategies", "viterbi", "-o", method + ".h5")
            found = self.arrays(method + ".h5")
            path, offsets = found["paths/viterbi"], found["offsets"]
            for a, b in zip(offsets[:-1], offsets[1:]):
                p = path[a:b]
                self.assertFalse(np.any((p[:-1] == 0) & (p[1:] == 2)))

    def test_the_method_follows_from_what_is_there(self):
        self.assertTrue(self.statepath("fit", "d.h5", "-o", "m.json", "--penalty", "3").stdout.startswith("fitted by crf, penalty 3"))
        data = make()
        data.pop("log_probs")
        self.h5("labels.h5", **data)
        self.assertTrue(self.statepath("fit", "labels.h5", "-o", "l.json").stdout.startswith("fitted by counts"))
        data = make()
        data.pop("labels")
        self.h5("scores.h5", **data)
        self.assertTrue(self.statepath("fit", "scores.h5", "-o", "s.json").stdout.startswith("fitted by em"))

    def test_it_says_what_was_fitted(self):
        """Counts where no random field did better; classes that are not in the labels, and those that rules from labels never leave."""
        said = self.statepath("fit", "d.h5", "-o", "m.json").stdout
        self.assertTrue(said.startswith("fitted by counts, no random field tried being better by more than a standard error, scale "), said[:99])
        data = make()
        labels = np.array(data["labels"])
        labels[labels == 2] = 1
        self.h5("two.h5", **dict(data, labels=labels))
        said = self.statepath("fit", "two.h5", "-o", "t.json", "--tune", "none").stdout.splitlines()[0]
        self.assertIn("; classes without a label, of which nothing is known: %s" % CLASSES[2], said)
        labels = np.array(data["labels"])
        for begin in np.array(data["offsets"])[:-1]:
            at = begin + np.flatnonzero(labels[begin:] == 2)[0]
            end = np.array(data["offsets"])[np.searchsorted(data["offsets"], begin, side="right")]
            labels[at:end] = 2
        self.h5("end.h5", **dict(data, labels=labels))
        said = self.statepath("fit", "end.h5", "-o", "e.json", "--rules", "seen", "--tune", "none").stdout.splitlines()[0]
        self.assertIn("; classes that the labels never leave, so no path does: %s" % CLASSES[2], said)
        self.assertEqual(json.loads(self.read("e.json"))["description"], said)
        said = self.statepath("fit", "end.h5", "-o", "f.json", "--tune", "none").stdout.splitlines()[0]
        self.assertNotIn("never leave", said)

    def test_likelihood_judges_no_paths(self):
        warned = "; nll judges marginals, not the paths of viterbi, which may be worse for it"
        self.assertIn(warned, self.statepath("fit", "d.h5", "-o", "n.json", "--tune", "nll").stdout)
        self.assertNotIn("nll judges", self.statepath("fit", "d.h5", "-o", "p.json", "--tune", "nll", "--for", "posterior").stdout)

    def test_tags_are_tuned_by_entities(self):
        data = make()
        data["classes"] = ["O", "B-x", "I-x"]
        self.h5("tags.h5", **data)
        self.assertIn("\nentity_f1 of viterbi in the folds", self.statepath("fit", "tags.h5", "-o", "t.json").stdout)
        self.assertIn("\naccuracy of viterbi in the folds", self.statepath("fit", "tags.h5", "-o", "u.json", "--tune", "accuracy").stdout)

    def test_tuning_finds_what_it_is_asked_for(self):
        found = {}
        for tune in ("accuracy", "edit"):
            found[tune] = json.loads(self.statepath("compare", "d.h5", "--model", "rules.json", "--cv", "4", "--method", "counts", "--tune", tune,
                                                    "--strategies", "viterbi", "--json", "-").stdout)["strategies"]["viterbi"]
        self.assertGreater(found["edit"]["edit_score"], found["accuracy"]["edit_score"])
        self.assertGreater(found["accuracy"]["accuracy"], found["edit"]["accuracy"])

    def test_actions_are_tuned_by_segments_too(self):
        data = make()
        data["classes"] = ["background", "pour", "stir"]
        self.h5("actions.h5", **data)
        self.assertIn("\nsegments of viterbi in the folds", self.statepath("fit", "actions.h5", "-o", "a.json").stdout)
        self.assertIn("\naccuracy of viterbi in the folds", self.statepath("fit", "actions.h5", "-o", "b.json", "--tune", "accuracy").stdout)

    def test_nothing_to_choose_by_without_scores(self):
        data = make()
        data.pop("log_probs")
        self.h5("labels.h5", **data)
        for option, value in (("--tune", "kappa"), ("--cost", "on>off=2")):
            self.refuses("fit", "labels.h5", "-o", "x.json", option, value, status=2,
                         sentence="%s chooses settings by what is decoded, and there are no scores; leave it out" % option)
        self.statepath("fit", "labels.h5", "-o", "x.json", "--tune", "none")

    def test_costs_of_errors(self):
        """What costs more happens less; the figure is the mean cost."""
        said = self.statepath("fit", "d.h5", "-o", "c.json", "--method", "counts", "--cost", "on>off=20; on>idle=20").stdout
        self.assertRegex(said, "\ncost of viterbi in the folds that chose the settings: [0-9.]+, with plain settings [0-9.]+ ")
        self.assertIn("; cost with viterbi in the folds", said)
        rng, y = np.random.default_rng(2), [0]
        while len(y) < 24 * 60:
            y.append(int(rng.choice(3, p=[0.6, 0.1, 0.3])) if rng.random() < 0.15 else y[-1])
        e = rng.normal(size=(len(y), 3)) + np.eye(3)[y]
        self.h5("rare.h5", log_probs=e - np.log(np.exp(e).sum(axis=1, keepdims=True)), labels=np.array(y), offsets=np.arange(0, 24 * 60 + 1, 60), classes=CLASSES)
        lost = {}
        for name, cost in (("even", []), ("dear", ["--cost", "on>off=20;on>idle=20"])):
            r = json.loads(self.statepath("compare", "rare.h5", "--model", "rules.json", "--cv", "4", "--method", "counts", *cost, "--strategies", "viterbi", "--json", "-").stdout)
            confusion = r["strategies"]["viterbi"]["confusion"]
            on = CLASSES.index("on")
            lost[name] = sum(confusion[on]) - confusion[on][on]
        self.assertLess(lost["dear"], lost["even"] / 2)
        for cost in ("on>off", "on=2", "on>on=2", "on>far=2", "on>off=-1", "on>off=nan", "on>off=2x", "=2", "on>off=1e9", ">"):
            self.refuses("fit", "d.h5", "-o", "x.json", "--cost", cost, status=2,
                         sentence="--cost %s: what it costs to take one class for another, such as 'off>on=2', a number from 0 to 1e6; "
                                  "several with a semicolon between them" % cost)
        self.refuses("fit", "d.h5", "-o", "x.json", "--cost", "on>off=2", "--tune", "kappa", status=2,
                     sentence="--cost is what settings are chosen by, and so is --tune kappa; leave one of them out")
        self.refuses("fit", "d.h5", "-o", "x.json", "--tune", "cost", status=2, sentence="--tune cost needs --cost: what errors cost, such as 'N1>Wake=2'")

    def test_rules_of_several_states_a_class(self):
        """on, off, idle, off, on, ...: which of on and idle follows depends on what was before off, and two states of off remember it."""
        rng, y, offsets = np.random.default_rng(5), [], [0]
        for _ in range(12):
            for k in 20 * [1, 0, 2, 0]:
                y += int(rng.integers(2, 6)) * [k]
            offsets.append(len(y))
        y = np.array(y)
        e = rng.normal(size=(len(y), 3)) * 2 + np.array([[6, 0, 0], [0, 2, 1], [0, 1, 2]])[y]
        data = {"log_probs": e - np.log(np.exp(e).sum(axis=1, keepdims=True)), "labels": y, "offsets": np.array(offsets), "classes": CLASSES}
        self.h5("s.h5", **data)
        one = {"statepath_model": 1, "name": "one", "classes": ["idle", "on", "off"], "forbid": {"on": ["idle"], "idle": ["on"]}}
        two = {**one, "name": "two", "states": {"idle": "idle", "on": "on", "a": "off", "b": "off"},
               "forbid": {**one["forbid"], "a": ["b"], "b": ["a"]}}
        self.write("one.json", json.dumps(one))
        self.write("two.json", json.dumps(two))
        said = self.statepath("fit", "s.h5", "--rules", "two.json", "-o", "m.json").stdout
        self.assertTrue(said.startswith("fitted by counts, smoothing 0.5, states by expectation-maximisation, on %d labelled steps" % len(y)), said)
        model = self.json("m.json")
        self.assertEqual((model["classes"], list(model["states"])), (["off", "on", "idle"], ["a", "b", "on", "idle"]))
        a, b, on, idle = model["probabilities"]
        self.assertEqual(a[1], 0)
        self.assertLess(max(min(on[0], on[1]), min(idle[0], idle[1])), 0.01)  # each is followed by a state of its own,
        self.assertLess(max(min(a[2], a[3]), min(b[2], b[3])), 0.01)  # which leads to the other
        self.assertEqual(on[0] > on[1], a[3] > a[2])
        figures = {}
        for rules, method in ("one", "counts"), ("two", "counts"):
            r = self.results("compare", "s.h5", "--model", rules + ".json", "--cv", "4", "--method", method, "--features",
                             "none", "--strategies", "viterbi")["strategies"]["viterbi"]
            self.assertEqual(r["illegal"], 0)
            figures[rules] = r["accuracy"]
        self.assertGreater(figures["two"], figures["one"] + 0.03)
        # Labels are what paths are held to: few of them, and scores, are learnt from together.
        data["labels"] = np.where(rng.random(len(y)) < 0.8, -1, y)
        self.h5("few.h5", **data)
        for method in "em", "counts":
            said = self.statepath("fit", "few.h5", "--rules", "two.json", "--method", method, "-o", "few.json", "-f").stdout
            self.assertIn("on the scores and labels of 12 recordings" if method == "em" else "on %d labelled steps" % (data["labels"] >= 0).sum(), said)
            self.assertEqual(list(self.json("few.json")["states"]), ["a", "b", "on", "idle"])
        self.refuses("fit", "s.h5", "--rules", "two.json", "-o", "x.json", "--method", "crf", "--memory", "3", status=2,
                     sentence="--memory 3: model two has states or durations of its own that say how a class stays; leave it out")

    def test_broken_rules_are_counted_and_shown(self):
        said = self.statepath("fit", "d.h5", "--rules", "rules.json", "-o", "m.json").stdout
        y, offsets = make()["labels"], make()["offsets"]
        n = sum(np.sum((y[a:b - 1] == 0) & (y[a + 1:b] == 2)) for a, b in zip(offsets[:-1], offsets[1:]))
        self.assertGreater(n, 0)
        self.assertIn("The labels break the rules %d times in 472 transitions; these were not learnt:\n  off -> idle  %d\n" % (n, n), said)

    def test_same_bytes_for_any_number_of_threads(self):
        for method in ("counts", "crf", "em"):
            self.statepath("fit", "d.h5", "--method", method, "--threads", "1", "-o", "a.json", "-f")
            self.statepath("fit", "d.h5", "--method", method, "--threads", "3", "-o", "b.json", "-f")
            a, b = (json.loads(self.read(name)) for name in ("a.json", "b.json"))
            a.pop("source"), b.pop("source")
            self.assertEqual(a, b)

    def test_cross_validation(self):
        result = json.loads(self.statepath("compare", "d.h5", "--model", "rules.json", "--cv", "4", "--groups", "prefix:_", "--strategies",
                                           "argmax,viterbi,mea", "--json", "-").stdout)["strategies"]
        self.assertEqual(result["viterbi"]["illegal"], 0)
        self.assertGreater(result["viterbi"]["accuracy"], result["argmax"]["accuracy"] + 0.05)
        self.assertGreater(result["mea"]["accuracy"], result["argmax"]["accuracy"] + 0.05)
        plain = json.loads(self.statepath("compare", "d.h5", "--model", "rules.json", "--json", "-").stdout)["strategies"]
        self.assertEqual(result["argmax"]["accuracy"], plain["argmax"]["accuracy"])
        self.refuses("compare", "d.h5", "--model", "rules.json", "--cv", "5", "--groups", "prefix:_", status=2,
                     sentence="4 recordings that are not to be parted (groups) cannot be shared out into 5 folds; ask for at most 4")
        self.refuses("compare", "d.h5", "--model", "rules.json", "--cv", "4", "--clamp", status=2,
                     sentence="--cv fits temperature and weights itself, and --clamp would show it the answers; leave --temperature, "
                              "--transition-weight, --prior-weight and --clamp out")
        for option in ("--confidence",), ("--nbest", "2"), ("--review", "2%"):
            self.refuses("compare", "d.h5", "--model", "rules.json", "--cv", "4", "-o", "paths.h5", *option, status=2,
                         sentence="--confidence, --nbest and --review speak of one model, --cv decodes with a model a fold; leave them "
                                  "out, or fit a model and compare with that")
            self.assertFalse(os.path.exists(self.path("paths.h5")))

    def test_a_fold_is_decoded_by_what_never_saw_it(self):
        """Nonsense for labels of a fold changes paths of the others alone. Recordings are equally long, so they go to the folds in
        turn."""
        paths = []
        for name, data in (("kept.h5", make()), ("nonsense.h5", make())):
            fold = np.repeat(np.arange(8) % 4, 60)
            if paths:
                data["labels"][fold == 1] = np.arange(np.sum(fold == 1)) % len(CLASSES)
            self.h5(name, **data)
            self.statepath("compare", name, "--model", "rules.json", "--cv", "4", "--strategies", "viterbi", "-o", "p.h5",
                           "--force", "-q")
            paths.append(self.arrays("p.h5")["paths/viterbi"])
        self.assertEqual(paths[0][fold == 1].tolist(), paths[1][fold == 1].tolist())
        self.assertNotEqual(paths[0][fold != 1].tolist(), paths[1][fold != 1].tolist())

    def test_a_model_on_its_own_data_is_pointed_out(self):
        note, seen = "note: model fitted was fitted on this very file, so its figures here are too good; --cv 5", "The model was fitted on this very file"
        self.statepath("fit", "d.h5", "-o", "m.json")

        def compare(file, *more):
            done = self.statepath("compare", file, "--model", "m.json", "--report", "r.html", "--json", "r.json", "--markdown", "r.md", "-f", *more)
            texts = [" ".join(done.stdout.split()), *(self.read(name).decode() for name in ("r.md", "r.html"))]
            return done.stderr, texts, json.loads(self.read("r.json"))

        said, texts, result = compare("d.h5")
        self.assertIn(note, said)
        self.assertTrue(all(seen in text for text in texts))
        self.assertTrue(result["model"]["fitted_on_input"])
        self.assertNotIn("folds", result)
        with open(self.path("d.h5"), "rb") as f, open(self.path("renamed.h5"), "wb") as g:
            g.write(f.read())
        self.assertTrue(compare("renamed.h5")[2]["model"]["fitted_on_input"])
        self.h5("other.h5", **make(seed=2, n=7))
        said, texts, result = compare("other.h5")
        self.assertNotIn("very file", said)
        self.assertFalse(any(seen in text for text in texts))
        self.assertNotIn("fitted_on_input", result["model"])
        said, texts, result = compare("d.h5", "--cv", "4", "--method", "counts")
        self.assertNotIn("very file", said)
        self.assertFalse(any(seen in text for text in texts))
        self.assertTrue(all("Cross-validated in 4 folds: each recording was decoded with a model that was fitted without it" in text
                            for text in texts))
        self.assertEqual(result["folds"], 4)
        self.assertNotIn("fitted_on_input", result["model"])

    def test_calibration_before_and_after(self):
        data = make()
        e, y = data["log_probs"], data["labels"]

        def nll(x):
            return np.mean(np.log(np.exp(x - x.max(axis=1, keepdims=True)).sum(axis=1)) - (x - x.max(axis=1, keepdims=True))[np.arange(len(y)), y])

        def best_scale(x, labels):
            low, high = 0.01, 20
            for _ in range(200):
                a, b = low + (high - low) / 3, high - (high - low) / 3
                f = [np.mean(np.log(np.exp(s * x).sum(axis=1)) - s * x[np.arange(len(labels)), labels]) for s in (a, b)]
                low, high = (low, b) if f[0] < f[1] else (a, high)
            return low

        # A temperature, and a bias a class b carried by the prior exp(-b), leave exactly e / T + b.
        bias = np.array([0.3, -0.2, 0.1])
        prior = np.exp(-bias) / np.exp(-bias).sum()
        self.write("scaled.json", json.dumps({"statepath_model": 1, "name": "s", "classes": CLASSES, "forbid": {}, "prior": dict(zip(CLASSES, prior)),
                                              "decoding": {"temperature": 1.7, "prior_weight": 1}}))
        result = json.loads(self.statepath("compare", "d.h5", "--model", "scaled.json", "--json", "-").stdout)
        self.assertEqual(set(result["calibrations"]), {"given", "decoded"})
        self.assertAlmostEqual(result["calibrations"]["given"]["nll"], nll(e), 12)
        self.assertAlmostEqual(result["calibrations"]["decoded"]["nll"], nll(e / 1.7 + bias), 12)
        self.assertEqual(result["calibrations"]["given"]["ece"], result["calibration"]["ece"])
        # Nothing scales: nothing before and after.
        plain = json.loads(self.statepath("compare", "d.h5", "--model", "rules.json", "--json", "-").stdout)
        self.assertNotIn("calibrations", plain)
        self.assertAlmostEqual(result["calibrations"]["given"]["ece"], plain["calibration"]["ece"], 12)
        # Held out: recordings are equally long, so they go to the folds in turn.
        result = json.loads(self.statepath("compare", "d.h5", "--model", "rules.json", "--cv", "4", "--method", "counts", "--json", "-").stdout)
        fold = np.repeat(np.arange(8) % 4, 60)
        scaled = e.copy()
        for f in range(4):
            scaled[fold == f] *= best_scale(e[fold != f], y[fold != f])
        c = result["calibrations"]
        self.assertEqual(set(c), {"given", "decoded", "temperature", "vector"})
        self.assertAlmostEqual(c["temperature"]["nll"], nll(scaled), 5)
        self.assertAlmostEqual(c["given"]["nll"], nll(e), 12)
        self.assertEqual(c["given"]["ece"], result["calibration"]["ece"])
        self.assertNotEqual(c["vector"]["nll"], c["temperature"]["nll"])

    def test_calibration(self):
        said = self.statepath("fit", "d.h5", "-o", "m.json", "--calibrate").stdout
        self.assertIn("calibration (each step alone)", said)
        self.assertIn("a scale and a bias a class", said)

    def test_no_labels(self):
        self.h5("none.h5", **make(unlabelled=True))
        self.refuses("fit", "none.h5", "--method", "counts", "-o", "m.json", status=2,
                     sentence="no labelled step to learn from in 8 recordings; learn transitions from the scores alone with --method em")
        data = make()
        data.pop("labels")
        self.h5("scores.h5", **data)
        self.assertTrue(self.statepath("fit", "scores.h5", "-o", "m.json").stdout.startswith("fitted by em"))
        self.refuses("fit", "scores.h5", "--method", "crf", "-o", "x.json", status=2,
                     sentence="scores.h5 has no labels to learn from; --labels PATH says where they are, --method em does without")

    def test_wrong_use(self):
        for arguments, sentence in [
            (["fit", "d.h5"], "fit: -o MODEL.json is missing: where to write the model"),
            (["fit", "d.h5", "-o", "m.json", "--method", "magic"], "--method magic: it is counts, crf or em"),
            (["fit", "d.h5", "-o", "m.json", "--tune", "luck"],
             "--tune luck: it is none, accuracy, kappa, macro_f1, entity_f1, edit, nll, stages, segments or cost"),
            (["fit", "d.h5", "-o", "m.json", "--tune", "entity_f1"],
             "tuning by entity_f1 needs classes that are tags: O, B-TYPE, I-TYPE and, in BIOES, E-TYPE and S-TYPE; these are not all "
             "(off); tune by macro_f1 instead"),
            (["fit", "d.h5", "-o", "m.json", "--penalty", "-1"], "--penalty -1: a number above 0, or 0 to choose it by cross-validation"),
            (["fit", "d.h5", "-o", "m.json", "--folds", "1"], "--folds 1: cross-validation needs at least 2"),
            (["fit", "d.h5", "-o", "m.json", "--memory", "0"], "--memory 0: a number of steps from 1 to 1000"),
            (["fit", "d.h5", "-o", "m.json", "--tune", "none", "--for", "mea"], "--for changes nothing where --tune is none; leave it out"),
            (["fit", "d.h5", "-o", "m.json", "--tune", "none", "--groups", "prefix:_"], "--groups changes nothing where --tune is none; leave it out"),
            (["fit", "d.h5", "-o", "m.json", "--method", "em", "--groups", "prefix:_"], "--groups changes nothing where --method is em; leave it out"),
            (["fit", "d.h5", "-o", "m.json", "--tune", "none", "--folds", "3"], "--folds changes nothing where --tune is none; leave it out"),
        ]:
            self.refuses(*arguments, status=2, sentence=sentence)


st.main()

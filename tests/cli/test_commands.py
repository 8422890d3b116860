"""Every command once as a user would type it, and its wrong uses: exact output, exact status."""
import json
import os
import re
import signal
import subprocess
import time

import h5py
import numpy as np

import statepath_test as st

SHIPPED = sorted(name[:-len(".model.json")] for name in os.listdir(os.path.join(st.SOURCE, "models")) if name.endswith(".model.json"))
DOOR = {"statepath_model": 1, "name": "door", "classes": ["closed", "opening", "open"],
        "allow": {"closed": ["closed", "opening"], "opening": ["opening", "open", "closed"], "open": ["open", "closed"]}}

# argmax: closed open open | closed closed opening open; the first breaks closed -> open
PROBS = np.array([[.8, .1, .1], [.1, .4, .5], [.05, .05, .9],
                  [.9, .05, .05], [.6, .3, .1], [.2, .7, .1], [.1, .1, .8]])
LABELS = np.array([0, 1, 2, 0, 0, 1, -1])


class TestCommands(st.TestCase):
    def setUp(self):
        super().setUp()
        self.write("door.json", json.dumps(DOOR))
        self.h5("doors.h5", probs=PROBS, labels=LABELS, offsets=np.array([0, 3, 7]), ids=["front", "back"], classes=DOOR["classes"])

    # ---- the program ----

    def test_program(self):
        self.statepath("--version", stdout="statepath 1.0.0\n", stderr="")
        done = self.statepath("--help", stderr="")
        commands = re.findall(r"^  (\w+)  +", done.stdout, re.M)
        self.assertGreaterEqual(len(commands), 11)
        for command in commands:
            help_text = self.statepath(command, "--help", stderr="").stdout
            self.assertTrue(help_text.startswith("statepath %s: " % command))
            self.assertIn("\nUsage: statepath %s " % command, help_text)
            self.assertIn("\nExample:\n", help_text)
            self.statepath("help", command, stdout=help_text, stderr="")
        self.statepath(status=2, stdout="")
        self.refuses("comprae", sentence='"comprae" is not a command; did you mean "compare"?', status=2)
        self.refuses("help", "modle", sentence='"modle" is not a command; did you mean "model"?', status=2)
        self.refuses("--verison", sentence="there is no option --verison before a command, but --help and --version; what follows a "
                                           "command belongs to it", status=2)
        self.refuses("frobnicate", sentence='"frobnicate" is not a command; the commands are ' + ", ".join(commands), status=2)

    def test_wrong_use(self):
        for arguments, sentence in [
            (["compare", "doors.h5"], "--model is missing: a file, or a shipped model (`statepath model list`)"),
            (["compare", "--model", "door.json"], "compare: a word is missing; usage: statepath compare SCORES... --model M [OPTION...]"),
            (["predict", "a.h5", "b.h5"], 'predict: "b.h5" is one word too many; usage: statepath predict SIGNALS.h5 --weights WEIGHTS.h5 -o SCORES.h5 [OPTION...]'),
            (["compare", "doors.h5", "--modle", "x"], "compare: there is no option --modle; did you mean --model?"),
            (["compare", "doors.h5", "--temperature", "hot"], 'compare: --temperature needs a number, not "hot"'),
            (["compare", "doors.h5", "--model"], "compare: --model needs a value"),
            (["compare", "doors.h5", "-m", "door.json", "-s", "viterbi,viterbi"], "strategy viterbi is named twice"),
            (["compare", "doors.h5", "-m", "door.json", "--missing", "no"], "--missing no: it is error or uniform"),
            (["compare", "doors.h5", "-m", "door.json", "--on-infeasible", "no"], "--on-infeasible no: it is report, relax or error"),
            (["compare", "doors.h5", "-m", "door.json", "--threads", "-1"], "--threads -1: a number from 0 (all processors) to 4096"),
            (["compare", "doors.h5", "-m", "door.json", "--floor", "0"], "--floor 0: the smallest probability must lie between 0 and 1"),
            (["compare", "doors.h5", "-m", "door.json", "--seed", "-3"], "--seed -3: a whole number from 0 to 18446744073709551615"),
            (["compare", "doors.h5", "-m", "door.json", "--nbest", "3"], "--nbest is written beside the paths: -o PATHS.h5 says where"),
            (["decode", "doors.h5", "-m", "door.json", "-o", "p.csv", "--draws", "3"], "--draws is written in HDF5: -o PATHS.h5, not p.csv"),
            (["decode", "doors.h5", "-m", "door.json", "-o", "p.h5", "--draws", "3", "--strategies", "argmax,greedy"],
             "--draws stand beside a path that obeys the rules, and no strategy makes such; --strategies viterbi does"),
            (["decode", "doors.h5", "-m", "door.json", "-o", "p.h5", "--draws", "0"], "--draws 0: a number from 1 to 100000"),
            (["decode", "doors.h5", "-m", "door.json", "-o", "p.h5", "--seed", "3"], "--seed is of use with --draws only"),
            (["compare", "doors.h5", "-m", "door.json", "--prior-weight", "1"],
             '--prior-weight needs class frequencies: model door has no "prior"'),
            (["compare", "doors.h5", "-m", "door.json", "--json", "x", "--csv", "x"], "two results would be written to x; name two files"),
            (["compare", "doors.h5", "-m", "door.json", "--report", "x.md"],
             "x.md: --report writes a web page, and --markdown writes Markdown; name a file that ends in .html"),
            (["compare", "doors.h5", "-m", "door.json", "--json", "x.tex"],
             "x.tex: --json writes JSON, and --latex writes LaTeX; name a file that ends in .json"),
            (["decode", "doors.h5", "-m", "door.json"], "decode: -o PATHS.h5 is missing: where to write the paths"),
            (["stream", "-m", "door.json"], "stream: --lag L is missing: a number of steps, 0 decides at once; or --exact"),
            (["simulate", "r.json"], "simulate: -o DATA.h5 is missing: where to write the data"),
            (["mask", "leek", "doors.h5"], 'mask: "leek" is none of leak, softmax, apply'),
            (["model", "new", "boi"], '"boi" is no kind of model; the kinds are bio, bioes, iob1, iob2, ioe1, ioe2, bilou, bmes, left-right, cycle, band or from-labels'),
            (["model", "new", "bio"], "model new bio needs --types A,B,C, or --id2label config.json"),
        ]:
            with self.subTest(arguments=arguments):
                self.refuses(*arguments, sentence=sentence, status=2)
        said = self.statepath("compare", "doors.h5", "-m", "door.json", "-s", "viterbi,vitebi", status=2, stdout="").stderr
        self.assertRegex(said, r'^statepath: unknown strategy "vitebi": choose from argmax, greedy, beam:WIDTH, viterbi, .*\n$')

    def test_wrong_files(self):
        self.h5("nan.h5", probs=np.where(PROBS == .9, np.nan, PROBS), classes=DOOR["classes"])
        self.h5("logits.h5", probs=np.log(PROBS), classes=DOOR["classes"])
        self.h5("out.h5", out=PROBS * 2)
        self.h5("four.h5", probs=np.full((2, 4), .25))
        self.write("table.h5", "a,b\n1,2\n")
        for arguments, sentence in [
            (["compare", "gone.h5", "-m", "door.json"], "gone.h5: there is no such file"),
            (["compare", "doors.h5", "-m", "sleep-stict"],
             'there is no model "sleep-stict": no file of that name here, and the shipped models are %s; did you mean "sleep-strict"?'
             % ", ".join(SHIPPED)),
            (["compare", "doors.h5", "-m", "sleep-strict"],
             'model sleep-strict has no class "closed": the scores have 3 classes (closed, opening, open), the model 5 (Wake, N1, N2, N3, '
             'REM); use another model, or name it under "aliases" in the model'),
            (["compare", "nan.h5", "-m", "door.json"],
             "nan.h5: /probs, recording nan, step 2, class open: NaN; --missing uniform treats such steps as saying nothing"),
            (["compare", "logits.h5", "-m", "door.json"],
             "logits.h5: /probs, recording logits, step 0, class closed: -0.223144 is not a probability (probs): these look like log "
             "probabilities: --kind log_probs reads them so"),
            (["compare", "out.h5", "-m", "door.json"],
             "out.h5: found no scores (log_probs, probs, logits or scores, in the root or in /recordings/<id>); it holds /out float64 "
             "[7, 3]; say where they are with --scores PATH, for example --scores '/out'"),
            (["compare", "four.h5", "-m", "door.json"],
             "the scores have 4 columns without class names, model door has 3 classes; use a model of 4 classes, or write the names as "
             'attribute "classes"'),
            (["compare", "table.h5", "-m", "door.json"],
             "table.h5: table: no name says what it holds, and the first row sums to 3: are these logits? --kind "
             "logits applies the softmax, --kind scores uses them as they are"),
            (["compare", "doors.h5", "-m", "door.json", "--json", "no/where.json"],
             "no/where.json cannot be written: folder no/: No such file or directory"),
            (["mask", "leak", "doors.h5"], 'doors.h5 has no mask beside /probs; write a bool dataset "mask" of the same shape, or name a '
                                           "--model"),
        ]:
            with self.subTest(arguments=arguments):
                self.refuses(*arguments, sentence=sentence)

    def test_a_signal_leaves_nothing_behind(self):
        steps = 3_000_000
        self.h5("long.h5", probs=np.tile(np.float32([.5, .3, .2]), (steps, 1)), offsets=np.arange(0, steps + 1, 100), classes=DOOR["classes"])
        work = subprocess.Popen([st.PROGRAM, "compare", "long.h5", "-m", "door.json", "-o", "p.h5", "--threads", "1"], cwd=self.folder,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while work.poll() is None and not any(name.startswith(".") for name in self.files()):
            time.sleep(0.001)
        work.send_signal(signal.SIGTERM)
        _, said = work.communicate()
        if work.returncode == 0:
            self.skipTest("done before the signal came")
        self.assertEqual((work.returncode, said), (1, "statepath: stopped by a signal; nothing was written\n"))
        self.assertEqual(self.files(), ["door.json", "doors.h5", "long.h5"])

    def test_a_signal_ends_fitting(self):
        """Between two passes over the data, not once all folds are fitted."""
        recordings, steps = 60, 2000
        random = np.random.default_rng(7)
        labels = np.repeat(random.integers(0, 2, recordings * steps // 4), 4).astype(np.int8) * 2
        scores = random.normal(size=(recordings * steps, 3)).astype(np.float32)
        scores[np.arange(len(labels)), labels] += 1
        self.h5("long.h5", logits=scores, labels=labels, offsets=np.arange(0, recordings * steps + 1, steps), classes=DOOR["classes"])
        # EM is done with that in less than two seconds: it gets five times as much.
        self.h5("longer.h5", logits=np.tile(scores, (5, 1)), offsets=np.arange(0, 5 * recordings * steps + 1, steps), classes=DOOR["classes"])
        before = self.files()
        for arguments in (["fit", "long.h5", "-o", "fitted.json", "--memory", "20"],
                          ["fit", "longer.h5", "-o", "fitted.json", "--method", "em"],
                          ["compare", "long.h5", "-m", "door.json", "--cv", "20", "--report", "r.html", "-o", "p.h5"]):
            with self.subTest(arguments=arguments):
                work = subprocess.Popen([st.PROGRAM, *arguments, "--threads", "1"], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                time.sleep(1.5)
                work.send_signal(signal.SIGTERM)
                self.addCleanup(work.kill)
                _, said = work.communicate(timeout=30)
                self.assertEqual((work.returncode, said), (1, "statepath: stopped by a signal; nothing was written\n"))
                self.assertEqual(self.files(), before)

    # ---- compare ----

    def test_compare(self):
        done = self.statepath("compare", "doors.h5", "-m", "door.json", "--json", "r.json", "--csv", "r.csv", "--markdown", "r.md",
                              "--report", "r.html", stderr="wrote r.json\nwrote r.csv\nwrote r.md\nwrote r.html\n")
        lines = done.stdout.splitlines()
        self.assertEqual(lines[0], "doors.h5: 2 recordings, 7 steps, 6 with a reference")
        self.assertEqual(lines[1], "model door: 3 classes, 2 forbidden transitions")
        table = {line.split()[0]: line.split() for line in lines[3:7]}
        self.assertEqual(table["argmax"][1], "1")
        self.assertEqual(table["viterbi"][1], "0")
        result = json.loads(self.read("r.json"))
        self.assertEqual(result["statepath"], "1.0.0")
        self.assertEqual({k: result["input"][k] for k in ("file", "recordings", "steps", "scored_steps")},
                         {"file": "doors.h5", "recordings": 2, "steps": 7, "scored_steps": 6})
        self.assertEqual(result["model"]["forbidden"], [["closed", "open"], ["open", "opening"]])
        self.assertEqual(result["model"]["forbidden_count"], 2)
        self.assertEqual(result["reference"]["transitions"], 4)  # the unscored last step ends the chain
        self.assertEqual(result["reference"]["illegal"], 0)
        self.assertEqual(result["mask_ceiling"], 1)
        e = np.log(PROBS)
        self.assertAlmostEqual(result["nll"], -np.mean([e[t, k] for t, k in enumerate(LABELS) if k >= 0]), places=12)
        argmax, viterbi = result["strategies"]["argmax"], result["strategies"]["viterbi"]
        self.assertEqual(argmax["confusion"], [[3, 0, 0], [0, 1, 1], [0, 0, 1]])
        self.assertEqual(argmax["accuracy"], 5 / 6)
        self.assertEqual(argmax["illegal_pairs"], [{"from": "closed", "to": "open", "count": 1}])
        self.assertEqual((argmax["transitions"], argmax["changes"], argmax["illegal"], argmax["recordings_with_illegal"]), (5, 3, 1, 1))
        self.assertIsNone(argmax["path_score"])
        self.assertIn("path_score_undefined", argmax)
        self.assertEqual(viterbi["accuracy"], 1)
        self.assertEqual(viterbi["illegal"], 0)
        self.assertAlmostEqual(viterbi["path_score"], sum(e[t, k] for t, k in enumerate([0, 1, 2, 0, 0, 1, 2])), places=12)
        changes = viterbi["changed_from_argmax"]
        self.assertEqual((changes["fixed"], changes["broken"], changes["wrong_to_wrong"]), (1, 0, 0))
        self.assertEqual([r["id"] for r in viterbi["per_recording"]], ["front", "back"])
        self.assertEqual(viterbi["classes"]["opening"]["support"], 2)
        self.assertEqual({(c["a"], c["b"]) for c in result["comparisons"]}, {("greedy", "argmax"), ("viterbi", "argmax"), ("viterbi", "greedy")})
        self.assertTrue(self.read("r.csv").startswith(b"strategy,recording,class,metric,value,n,low,high\r\n"))
        self.assertIn(b"<!doctype html>", self.read("r.html")[:200].lower())
        self.refuses("compare", "doors.h5", "-m", "door.json", "--report", "r.html", sentence="r.html exists and is kept; --force replaces it")

    def test_json_to_stdout_is_nothing_else(self):
        done = self.statepath("compare", "doors.h5", "-m", "door.json", "--json", "-", stderr="")
        self.assertEqual(json.loads(done.stdout)["input"]["steps"], 7)

    def test_without_labels(self):
        self.h5("bare.h5", probs=PROBS[:3], classes=DOOR["classes"])
        done = self.statepath("compare", "bare.h5", "-m", "door.json", "--json", "-")
        result = json.loads(done.stdout)
        self.assertNotIn("reference", result)
        self.assertNotIn("accuracy", result["strategies"]["viterbi"])
        self.assertEqual(result["strategies"]["argmax"]["illegal"], 1)

    # ---- decode: confidence and the n best ----

    def test_draws(self):
        """Beside all else: allowed paths, as often as they are probable; one seed the same, whatever the threads, the number and what is beside."""
        self.h5("two.h5", probs=np.concatenate([PROBS[:3]] * 2 + [[[1, 0, 0], [0, 0, 1]]]), offsets=[0, 3, 6, 8], classes=DOOR["classes"])
        self.statepath("decode", "two.h5", "-m", "door.json", "-o", "p.h5", "--draws", "4000", "--confidence", "--nbest", "2", status=3)
        with h5py.File(self.path("p.h5")) as f:
            draws, nbest, z = f["draws"][:], f["nbest/paths"][:], f["log_partition"][0]
            self.assertEqual((draws.shape, draws.dtype, nbest.shape), ((4000, 8), np.int16, (2, 8)))
            self.assertTrue((draws[:, 6:] == -1).all())
            for n in range(2):
                p = np.exp(np.log(PROBS[range(3), nbest[0, :3]]).sum() - z)
                share = (draws[:, 3 * n:3 * n + 3] == nbest[0, :3]).all(axis=1).mean()
                self.assertLess(abs(share - p), 5 * np.sqrt(p * (1 - p) / 4000))
            self.assertFalse((draws[:, :3] == draws[:, 3:6]).all())  # the same scores, other draws
            legal = {(0, 0), (0, 1), (1, 1), (1, 2), (1, 0), (2, 2), (2, 0)}
            self.assertEqual({(a, b) for path in draws[:, :3].tolist() for a, b in zip(path, path[1:])} - legal, set())
        for n, status, options in ((7, 3, ["--threads", "1"]), (9, 0, ["--threads", "2", "-s", "argmax"])):
            self.statepath("decode", "two.h5", "-m", "door.json", "-o", "q.h5", "-f", "--draws", str(n), *options, status=status)
            np.testing.assert_array_equal(self.arrays("q.h5")["draws"], draws[:n])
        self.statepath("decode", "two.h5", "-m", "door.json", "-o", "q.h5", "-f", "--draws", "9", "--seed", "1", status=3)
        self.assertTrue((self.arrays("q.h5")["draws"][:, :6] != draws[:9, :6]).any())
        found = {draws[:9, :6].tobytes()}
        for seed in (2**31, 2**32, 2**63, 2**64 - 1):
            self.statepath("decode", "two.h5", "-m", "door.json", "-o", "q.h5", "-f", "--draws", "9", "--seed", str(seed), status=3)
            found.add(self.arrays("q.h5")["draws"][:, :6].tobytes())
        self.assertEqual(len(found), 5)
        for seed in (str(2**64), "-1", "+1", " 1", "", "1e3", "0x10"):
            self.refuses("decode", "two.h5", "-m", "door.json", "-o", "q.h5", "-f", "--draws", "9", "--seed", seed, status=2,
                         sentence="--seed %s: a whole number from 0 to 18446744073709551615" % seed)

    def test_large_seeds_of_intervals(self):
        """Said as they were given; in JSON as digits where few readers hold the number."""
        nights = os.path.join(st.SOURCE, "datasets", "sleep-demo.h5")
        for seed in (2**32, 2**63, 2**64 - 1):
            self.statepath("compare", nights, "-m", "sleep-aasm", "--strategies", "argmax,viterbi", "--seed", str(seed),
                           "--json", "r.json", "--report", "r.html", "-f", "-q")
            found = json.loads(self.read("r.json"))["seed"]
            self.assertEqual(found, seed if seed < 2**63 else str(seed))
            page = self.read("r.html")
            self.assertTrue(b", seed %d.</dd>" % seed in page and b"<dt>Seed</dt><dd>%d</dd>" % seed in page)

    def test_confidence_and_nbest(self):
        self.statepath("decode", "doors.h5", "-m", "door.json", "-o", "p.h5", "--confidence", "--nbest", "3")
        legal = {(0, 0), (0, 1), (1, 1), (1, 2), (1, 0), (2, 2), (2, 0)}
        paths = [(a, b, c) for a in range(3) for b in range(3) for c in range(3) if (a, b) in legal and (b, c) in legal]
        e = np.log(PROBS)
        ranked = sorted(((sum(e[t, k] for t, k in enumerate(p)), p) for p in paths),
                        key=lambda s: (-round(s[0], 12), s[1][::-1]))  # equal scores: the lower class at the last difference
        z = np.logaddexp.reduce([s for s, _ in ranked])
        with h5py.File(self.path("p.h5")) as f:
            self.assertEqual([tuple(f["nbest/paths"][r, :3]) for r in range(3)], [p for _, p in ranked[:3]])
            np.testing.assert_allclose(f["nbest/scores"][:, 0], [s for s, _ in ranked[:3]], atol=1e-12)
            marginal = [sum(np.exp(s - z) for s, p in ranked if p[t] == ranked[0][1][t]) for t in range(3)]
            np.testing.assert_allclose(f["confidence/viterbi"][:3], marginal, atol=1e-6)
            np.testing.assert_allclose(f["log_partition"][0], z, atol=1e-12)
            np.testing.assert_allclose(f["path_posteriors/viterbi"][0], np.exp(ranked[0][0] - z), atol=1e-12)
            np.testing.assert_allclose(f["margins/viterbi"][0], ranked[0][0] - ranked[1][0], atol=1e-12)

    # ---- evaluate ----

    def test_evaluate(self):
        self.statepath("compare", "doors.h5", "-m", "door.json", "-o", "p.h5", "--json", "c.json")
        done = self.statepath("evaluate", "p.h5", "--labels", "doors.h5", "-m", "door.json", "--json", "-", stderr="")
        judged, compared = json.loads(done.stdout), json.loads(self.read("c.json"))
        for strategy in ("argmax", "greedy", "viterbi"):
            for key in ("accuracy", "kappa", "mcc", "confusion", "illegal", "changes", "illegal_pairs", "short_runs"):
                self.assertEqual(judged["strategies"][strategy][key], compared["strategies"][strategy][key], key)
        self.assertEqual(judged["nll"], compared["nll"])  # the labels' file holds the scores too
        # without --labels and --model: both are inside
        again = json.loads(self.statepath("evaluate", "p.h5", "--json", "-").stdout)
        self.assertEqual(again["strategies"]["viterbi"]["accuracy"], 1)

    def test_evaluate_lengths_differ(self):
        self.statepath("decode", "doors.h5", "-m", "door.json", "-o", "p.h5")
        self.h5("short.h5", labels=LABELS[:6], offsets=np.array([0, 3, 6]), ids=["front", "back"], classes=DOOR["classes"])
        self.refuses("evaluate", "p.h5", "--labels", "short.h5",
                     sentence="p.h5 and short.h5 do not match; steps differ: back (4 and 3); see that both begin at the same step, then "
                              "--trim-to-shortest leaves out the last ones of the longer")

    # ---- inspect ----

    def test_inspect(self):
        size = len(self.read("doors.h5"))
        self.statepath("inspect", "doors.h5", stderr="", stdout="""doors.h5: {:,} bytes
scores      /probs: probs (probabilities, their logs are taken)
layout      packed
stored as   float64, contiguous
recordings  2: front, back
steps       7; the shortest recording has 3, the longest 4
classes     3: closed, opening, open (attribute classes of /)
beside      labels 
numbers     every row is as probs should be
labels      /labels: closed 3, opening 2, open 1, unscored 1

next: write the rules as a model, or take what the labels do: statepath model new from-labels doors.h5 -o rules.json
      then statepath compare doors.h5 --model rules.json
""".format(size))
        self.statepath("decode", "doors.h5", "-m", "door.json", "-o", "p.h5")
        done = self.statepath("inspect", "p.h5")
        self.assertIn("paths       viterbi\n", done.stdout)
        self.h5("night.h5", probs=np.full((2, 5), .2), classes=["W", "N1", "N2", "N3", "R"])
        done = self.statepath("inspect", "night.h5")
        self.assertIn("models      fitting: sleep-aasm, sleep-clinical, sleep-permissive, sleep-strict, sleep-textbook\n", done.stdout)
        self.assertIn("next: statepath compare night.h5 --model sleep-aasm\n", done.stdout)
        self.h5("tags.h5", probs=np.full((2, 3), 1 / 3), classes=["O", "B-PER", "I-PER"])
        self.assertIn("next: statepath model new bio --types PER -o tags.json\n", self.statepath("inspect", "tags.h5").stdout)
        self.h5("numbers.h5", labels=np.array([0, 9, 9, 1]))
        self.assertIn("note        label 9 is no class of sleep-aasm, which has 0 to 4; 2 steps have such a label: compare, evaluate and fit",
                      self.statepath("inspect", "numbers.h5", "--model", "sleep-aasm").stdout)
        many = np.full((3, 45), 1 / 45)
        self.h5("many.h5", probs=many, labels=np.array([2, 41, 44]))
        self.assertIn(" 38: 0, 39: 0, the other 5 classes 2, unscored 0\n", self.statepath("inspect", "many.h5").stdout)

    # ---- model ----

    def test_model(self):
        names = [line.split()[0] for line in self.statepath("model", "list", stderr="").stdout.splitlines()]
        self.assertEqual(names, SHIPPED)
        self.statepath("model", "show", "door.json", stderr="", stdout="""door: 3 classes

  closed
  opening
  open

from \\ to (1 allowed, . forbidden)
         closed  opening  open
closed        1        1     .
opening       1        1     1
open          1        .     1

forbidden: 2 of 9 pairs
  closed -> open
  open -> opening
""")
        self.statepath("model", "check", "door.json", stderr="",
                       stdout="door.json is a model of 3 classes and 7 allowed transitions; every class can be reached and left\n")
        self.write("bad.json", '{"statepath_model": 1,\n "classes": ["a", "b"],\n "allow": {"a": ["c"], "b": []}}')
        done = self.statepath("model", "check", "bad.json", status=1, stdout="")
        self.assertIn("bad.json:3:", done.stderr)
        self.assertIn('"c"', done.stderr)

    def test_model_new(self):
        for arguments, classes, allowed in [
            (["bio", "--types", "PER"], ["O", "B-PER", "I-PER"], 8),
            (["bioes", "--types", "PER"], ["O", "B-PER", "I-PER", "E-PER", "S-PER"], 13),
            (["left-right", "--classes", "a,b,c"], ["a", "b", "c"], 5),
            (["cycle", "--classes", "a,b,c"], ["a", "b", "c"], 6),
            (["band", "--classes", "a,b,c,d", "--step", "2"], ["a", "b", "c", "d"], 14),
            (["from-labels", "doors.h5"], DOOR["classes"], 5),
        ]:
            with self.subTest(arguments=arguments):
                self.statepath("model", "new", *arguments, "-o", "new.json", "-f", stdout="", stderr="wrote new.json\n")
                model = json.loads(self.read("new.json"))
                self.assertEqual(model["classes"], classes)
                self.assertEqual(sum(map(len, model["allow"].values())), allowed)
                self.statepath("model", "show", "new.json")

    # ---- stream ----

    def test_stream_trouble(self):
        stream = ["stream", "-m", "door.json", "--lag", "0"]
        self.statepath(*stream, stdin="1 0 0\n\n0 0 1\n", stdout="closed\n\nopen\n", stderr="")
        for text, sentence, status in [
            ("1 0\n", "standard input, line 1: 2 numbers, but model door has 3 classes", 1),
            ("1 0 x\n", 'standard input, line 1: "x" is not a number', 1),
            ("5 1 2\n", "standard input, line 1: recording 0, step 0: the row sums to 8, and its "
                        "exponentials to 158.52, not 1 (log_probs): are these logits? --kind "
                        "logits applies the softmax, --kind scores uses them as they are", 2),
        ]:
            self.statepath(*stream, stdin=text, stdout="", stderr="statepath: " + sentence + "\n", status=status)
        self.refuses("stream", "-m", "door.json", "--lag", "-1", sentence="--lag -1: a number of steps, 0 decides at once", status=2)
        self.statepath(*stream, "--on-infeasible", "relax", stdin="1 0 0\n0 0 1\n", stdout="closed\nopen\n",
                       stderr="statepath: 1 step broke a rule (--on-infeasible relax)\n")

    def test_stream_goes_on_after_a_recording_without_a_path(self):
        """One line out for each line in, whatever the lag: -1 for each step that was not written yet."""
        recordings = ["1 0 0\n0 0 1\n1 0 0\n", "0 0 1\n", "0 1 0\n0 1 0\n", "0 1 0\n", "1 0 0\n1 0 0\n"]  # 0: no step; 2, 3: no start
        text = "\n".join(recordings)
        self.write("starts.json", json.dumps(dict(DOOR, start=["closed", "open"])))
        for lag, out in [("0", "closed -1 -1 / open / -1 -1 / -1 / closed closed"), ("2", "-1 -1 -1 / open / -1 -1 / -1 / closed closed")]:
            done = self.statepath("stream", "-m", "starts.json", "--lag", lag, stdin=text, stdout=out.replace(" / ", "\n\n").replace(" ", "\n") + "\n", status=3)
            said = done.stderr.splitlines()
            self.assertEqual([line.split(": ")[1] for line in said[:-1]], ["standard input, line %d" % n for n in (2, 7, 10)], said)
            self.assertEqual(said[-1], "statepath: 3 of 5 recordings could not be decoded to their end")
            self.statepath("stream", "-m", "starts.json", "--lag", lag, "-q", stdin=text, stdout=done.stdout, stderr="", status=3)
        self.write("ends.json", json.dumps(dict(DOOR, end=["closed"])))
        self.statepath("stream", "-m", "ends.json", "--lag", "1", stdin="1 0 0\n1 0 0\n0 1 0\n\n1 0 0\n", stdout="closed\nclosed\n-1\n\nclosed\n", status=3)
        done = self.statepath("stream", "-m", "starts.json", "--lag", "0", "--on-infeasible", "error", stdin=text, stdout="closed\n", status=1)
        self.assertEqual(done.stderr.count("\n"), 1)


st.main()

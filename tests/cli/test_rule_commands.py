"""Rules over more than two steps from the command line: what they count and cost, what is refused, and how it is said."""
import itertools
import os
import re

import h5py
import numpy as np

import statepath_test as st

PROBS = np.array([[.8, .1, .1], [.1, .8, .1], [.6, .3, .1], [.1, .1, .8], [.7, .2, .1],
                  [.1, .1, .8], [.2, .6, .2], [.1, .2, .7]])
RULES = ["never a b a", {"name": "ends", "rule": "at_least 2 a", "cost": 1}]


class TestRuleCommands(st.TestCase):
    """Two recordings. Argmax: a b a c a and c b c; the reference: a b b c a and c ? c. With the rules Viterbi finds a b b c a and c a c; the
    second has no room for a second a: its 1 that is missing costs 1."""

    def setUp(self):
        super().setUp()
        with h5py.File(self.path("x.h5"), "w") as f:
            f["probs"], f["labels"] = PROBS, np.array([0, 1, 1, 2, 0, 2, -1, 2], np.int8)
            f["offsets"], f["ids"] = [0, 5, 8], np.array(["r1", "r2"], dtype="S")
            f.attrs["classes"] = ["a", "b", "c"]
        self.model("m.json", rules=RULES)

    def compare(self, *arguments, model="m.json", status=0):
        self.statepath("compare", "x.h5", "-m", model, "--json", "r.json", "-f", "-q", *arguments, status=status)
        return self.json("r.json")

    def paths(self, *arguments, strategy="viterbi", status=0):
        self.statepath("decode", "x.h5", "-m", "m.json", "-s", strategy, "-o", "p.h5", "-f", "-q", *arguments, status=status)
        return self.arrays("p.h5")["paths/" + strategy].tolist()

    def test_table(self):
        text = self.statepath("compare", "x.h5", "-m", "m.json", "-q").stdout
        self.assertIn("""
Rules over more than two steps: violations, and the recordings with any
rule   what it says   nats  reference  recordings  argmax  recordings  greedy  recordings  viterbi
rule1  never a b a   never          0           0       1           1       0           0        0
ends   at_least 2 a      1          2           1       2           1       """, text)
        self.assertIn("The reference itself breaks the model: 0 of its 4 transitions are illegal (0 %), 2 violations of", text)

    def first_tables(self, *arguments):
        """Of each report the first table, as rows of cells: terminal, Markdown, LaTeX, page."""
        text = self.statepath(*arguments, "--markdown", "r.md", "--latex", "r.tex", "--report", "r.html", "-q", "-f").stdout
        markdown, latex, page = (self.read("r." + ending).decode() for ending in ("md", "tex", "html"))
        text = re.search(r"^strategy .*?(?=\n\n|\n\*)", text, re.M | re.S).group(0)
        markdown = re.search(r"^\| strategy .*?(?=\n\n)", markdown, re.M | re.S).group(0)
        latex = re.sub(r"(?<=\w)\\\\(?=\w)", " ", re.search(r"toprule(.*?)bottomrule", latex, re.S).group(1)) # headings on two lines
        page = re.search(r"<h2 id=\"strategies\">.*?<table(.*?)</table>", page, re.S).group(1)
        terminal = [re.split(r"  +", line) for line in text.splitlines()]
        terminal[0].insert(2, "") # the share has no heading
        return (terminal, [[cell.strip() for cell in line.split("|")[1:-1]] for line in markdown.splitlines()],
                [re.findall(r"\\shortstack\[.\]\{(.*?)\}", line) or line.rstrip("\\ ").strip().split(" & ") for line in latex.splitlines() if " & " in line],
                [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in re.findall(r"<tr>(.*?)</tr>", page, re.S)])

    def test_first_tables(self):
        """No row that breaks a rule stands with illegal 0 alone, in any report; columns of rules that the model has not are not there."""
        heads = [("violations", "priced"), ("violations", "priced violations"), ("violations", "priced violations"),
                 ("violations of rules", "violations of priced rules")]
        self.paths(strategy="argmax")
        runs = {("compare", "x.h5"): {"argmax": ["1", "2"], "greedy": ["0", "2"], "viterbi": ["0", "2"]},
                ("compare", "x.h5", "--strategies", "argmax,viterbi", "--against", "two=x.h5"):
                    {"argmax": ["1", "2"], "viterbi": ["0", "2"], "two.argmax": ["1", "2"], "two.viterbi": ["0", "2"]},
                ("evaluate", "p.h5"): {"argmax": ["1", "2"]}}
        for arguments, wanted in runs.items():
            for head, table in zip(heads, self.first_tables(*arguments, "-m", "m.json")):
                places = [table[0].index(name) for name in head]
                found = {row[0]: [row[at] for at in places] for row in table[1:]}
                self.assertEqual({name: found[name] for name in wanted}, wanted, (arguments, table))
        for rules in (RULES[:1], RULES[1:], []):
            for head, table in zip(heads, self.first_tables("compare", "x.h5", "-m", self.model("some.json", rules=rules))):
                self.assertEqual([name in table[0] for name in head], [RULES[0] in rules, RULES[1] in rules], table[0])

    def test_figures(self):
        found = self.compare("--csv", "r.csv")
        self.assertEqual([(rule["name"], rule["rule"], rule.get("cost")) for rule in found["model"]["rules"]], [("rule1", "never a b a", None), ("ends", "at_least 2 a", 1)])
        self.assertEqual(found["reference"]["rules"], {"rule1": {"violations": 0, "recordings": 0}, "ends": {"violations": 2, "recordings": 1}})
        self.assertEqual(found["strategies"]["argmax"]["rules"], {"rule1": {"violations": 1, "recordings": 1}, "ends": {"violations": 2, "recordings": 1}})
        self.assertEqual(found["strategies"]["viterbi"]["rules"]["rule1"], {"violations": 0, "recordings": 0})
        self.assertEqual([(p["recording"], p["step"], p["rule"], p["by"]) for p in found["rule_places"] if p["by"] in ("argmax", "reference")],
                         [("r1", 2, "rule1", "argmax"), ("r2", 2, "ends", "argmax"), ("r2", 2, "ends", "reference")])
        table = self.read("r.csv").decode().splitlines()
        for line in ("reference,,rule ends,violations,2,,,", "reference,r2,rule ends,violations,2,,,", "reference,r1,rule ends,violations,0,,,",
                     "argmax,,rule rule1,recordings,1,,,"):
            self.assertIn(line, table)

    def test_paths(self):
        """Every sequence of classes, and a regular expression for what the rules say."""
        def best(rows, pattern):
            found = []
            for path in itertools.product("abc", repeat=len(rows)):
                word = "".join(path)
                if re.fullmatch(pattern, word) and "aba" not in word:
                    found.append((sum(np.log(row["abc".index(k)]) for row, k in zip(rows, word)) - max(0, 2 - word.count("a")), ["abc".index(k) for k in word]))
            return max(found)[1]

        for words, pattern in (((), ".*"), (("--rule", "x: order [a, b, c]"), "a+b+c+"), (("--rule", "x: every c preceded_by b"), "[^c]*|[^c]*b.*"),
                               (("--rule", "x: at_most 1 runs of b"), "[^b]*b*[^b]*"), (("--rule", "x: (a | b){2,3} c+ .*"), "(a|b){2,3}c+.*")):
            self.assertEqual(self.paths(*words), best(PROBS[:5], pattern) + best(PROBS[5:], pattern), words)

    def test_command_line_is_the_model(self):
        self.model("bare.json")
        bare = self.compare("--rule", "never a b a", "--rule", "ends=1: at_least 2 a", model="bare.json")
        whole = self.compare()
        for key in ("strategies", "reference", "model"):
            self.assertEqual({k: v for k, v in bare[key].items() if k != "path"}, {k: v for k, v in whole[key].items() if k != "path"})

    def test_gates(self):
        self.statepath("compare", "x.h5", "-m", "m.json", "-q", "--fail-if", "viterbi.rules.rule1.violations > 0")
        said = self.statepath("compare", "x.h5", "-m", "m.json", "-q", "--fail-if", "argmax.rules.ends.violations > 1", status=4).stderr
        self.assertEqual(said, "statepath: --fail-if: argmax.rules.ends.violations > 1 is true: argmax.rules.ends.violations is 2\n")
        self.statepath("compare", "x.h5", "-m", "m.json", "-q", "--fail-if", "argmax.rules.none.violations > 1", status=2)

    def test_rule_costs(self):
        """The model without each rule is the model without it."""
        costs = self.compare("--rule-costs")["rule_costs"]
        self.assertEqual([rule["rule"] for rule in costs["rules"]], ["rule1", "ends"])
        self.assertEqual([(rule["reference"], rule["argmax"]) for rule in costs["rules"]], [(0, 1), (2, 2)])
        for i, rule in enumerate(costs["rules"]):
            without = self.compare(model=self.model("without.json", rules=RULES[:i] + RULES[i + 1:]))
            self.assertAlmostEqual(rule["accuracy"], without["strategies"]["viterbi"]["accuracy"])
            self.assertAlmostEqual(rule["mask_ceiling"], without["mask_ceiling"])
        text = self.statepath("compare", "x.h5", "-m", "m.json", "--rule-costs", "-q").stdout
        self.assertRegex(text, r"\nrule1 +0 +1 +\+?-?\d+\.\d\d ")


    def test_fitted_models_keep_rules(self):
        """The default and another method, and the models of folds; tests/unit/learn/test_fitted_rules.c has all methods. The
        reference breaks the first rule in each recording; the second is priced."""
        rng = np.random.default_rng(9)
        with h5py.File(self.path("y.h5"), "w") as f:
            for r in range(9):
                labels = np.repeat(rng.integers(0, 3, 12), 5)
                labels[20:24] = [0, 1, 0, 0]
                probs = rng.dirichlet([.4] * 3, 60) * .6
                probs[np.arange(60), labels] += .4
                f["recordings/r%d/probs" % r], f["recordings/r%d/labels" % r] = probs, labels.astype(np.int8)
            f.attrs["classes"] = ["a", "b", "c"]
        rules = ["never a b a", {"name": "calm", "rule": "at_most 3 runs of c", "cost": 0.5}]
        self.model("m.json", rules=rules, aliases={"a": ["ay"], "c": ["see"]})
        for options in ([], ["--method", "em"]):
            self.statepath("fit", "y.h5", "--rules", "m.json", "-o", "f.json", "-f", *options)
            model = self.json("f.json")
            self.assertEqual(model["rules"], rules, options)
            self.assertEqual(model["aliases"], {"a": ["ay"], "c": ["see"]}, options)
            self.statepath("compare", "y.h5", "-m", "m.json", "--cv", "3", "--json", "r.json", "-f", "-q", *options)
            found = self.json("r.json")
            self.assertGreater(found["strategies"]["argmax"]["rules"]["rule1"]["violations"], 9)
            self.assertEqual(found["strategies"]["viterbi"]["rules"]["rule1"]["violations"], 0, options)

    def test_fit_with_a_rule_and_no_model(self):
        """Everything is allowed but what the rule forbids; --model is another name of --rules."""
        self.model("open.json", rules=["never a b a"])
        for given in ("--rule=never a b a", "--model=open.json", "--rules=open.json"):
            self.statepath("fit", "x.h5", given, "-o", "f.json", "-f", "--method", "counts")
            model = self.json("f.json")
            del model["source"], model["description"]
            wanted = model if given.startswith("--rule=") else wanted
            self.assertEqual(model, wanted, given)
        self.assertEqual((wanted["rules"], wanted["classes"]), (["never a b a"], ["a", "b", "c"]))
        self.h5("numbers.h5", labels=[0, 1, 1])
        for words, sentence in (
                ("x.h5 --model open.json --rules open.json", "--model and --rules both name the rules; give one"),
                ("x.h5 --rule . --rules seen",
                 "--rule is added to the rules of a model, and --rules is \"seen\"; leave one out"),
                ("numbers.h5 --rule .",
                 "numbers.h5 names no classes, of which --rule speaks; --rules M or --classes A,B,C names them")):
            self.refuses("fit", *words.split(), "-o", "n.json", status=2, sentence=sentence)

    def test_clinical_rules_across_folds(self):
        with h5py.File(os.path.join(st.SOURCE, "datasets", "sleep-demo.h5")) as f:
            end = f["offsets"][4]
            self.h5("demo.h5", log_probs=f["log_probs"][:end], labels=f["labels"][:end], offsets=f["offsets"][:5],
                    ids=f["ids"][:4], classes=f["classes"][:])
        self.statepath("compare", "demo.h5", "-m", "sleep-clinical", "--cv", "2", "--method", "counts", "--tune", "none",
                       "--strategies", "argmax,viterbi", "--epoch-seconds", "30", "--json", "r.json", "-q")
        found = self.json("r.json")["strategies"]
        self.assertGreater(sum(rule["violations"] for rule in found["argmax"]["rules"].values()), 0)
        self.assertEqual([rule["violations"] for rule in found["viterbi"]["rules"].values()], [0, 0])

    def test_page(self):
        """A triangle with the rule's name where a path breaks it, in the drawing and in what the script draws from."""
        self.statepath("compare", "x.h5", "-m", "m.json", "-q", "--report", "r.html")
        page = self.read("r.html").decode()
        self.assertIn("<title>2: breaks rule rule1</title>", page)
        self.assertIn("<title>2: breaks rule ends</title>", page)
        self.assertIn('"rules":["rule1","ends"]', page)
        self.assertIn('"v":[[[2,0]],[],[],[]]', page)
        self.assertIn("Rules over more than two steps", page)

    def test_bad_rules_are_shown(self):
        for rule, sentence, shown, caret in (
                ("never a b (", "rule rule3: line 1, column 12: a class is expected, but the rule ends here", "never a b (", 12),
                ("x: never z", 'rule x: line 1, column 7: "z" is no class of model m: a, b, c', "never z", 7),
                ("at_least 2 a from last b", "rule rule3: line 1, column 19: first is expected, but here is last", "at_least 2 a from last b", 19)):
            self.refuses("decode", "x.h5", "-m", "m.json", "-o", "p.h5", "--rule", rule, sentence="%s\n  %s\n  %s^" % (sentence, shown, " " * (caret - 1)))
        self.refuses("decode", "x.h5", "-m", "m.json", "-o", "p.h5", "--rule", "n3=abc: never a", status=2,
                     sentence="--rule 'n3=abc: never a': NAME=COST: RULE has a number of nats, not below 0, for its cost")

    def test_classes_called_like_keywords(self):
        """In quotes, in a model and on the command line; without, the sentence says how."""
        classes = ["first", "of", "from"]
        model = lambda *rules: self.model("k.json", classes, rules=rules)
        with h5py.File(self.path("k.h5"), "w") as f:
            f["probs"], f.attrs["classes"] = PROBS, classes
        run = ["decode", "k.h5", "-m", "k.json", "-f"]
        model("'first'+ 'of'+ 'from'+")
        self.statepath(*run, "-o", "a.h5")
        model()
        self.statepath(*run, "-o", "b.h5", "--rule", "x: 'first'+ 'of'+ 'from'+")
        path, other = (self.arrays(name)["paths/viterbi"].tolist() for name in ("a.h5", "b.h5"))
        self.assertEqual((path, path[0], path[-1], set(path)), (sorted(other), 0, 2, {0, 1, 2}))
        said = "rule %s: line 1, column 6: a class is expected, but here is +; first is a keyword here, and the class of that name stands in quotes: 'first'"
        self.refuses(*run, "-o", "c.h5", "--rule", "x: first+ of+", sentence=said % "x" + "\n  first+ of+\n       ^")
        model("first+ of+")
        self.assertIn(said % "rule1", self.statepath("model", "check", "k.json", status=1).stderr)

    def test_contradictions_name_a_smallest_set(self):
        self.refuses("decode", "x.h5", "-m", "m.json", "-o", "p.h5", "--rule", "x: at_least 1 a", "--rule", "y: at_most 0 a", "--rule", "z: first b",
                     sentence="model m: no path can keep the rules x and y at once, whatever the scores; change one of them, or give it a cost")

    def test_too_short(self):
        self.paths("--rule", "x: at_least 4 a", status=3)
        done = self.statepath("decode", "x.h5", "-m", "m.json", "-o", "p.h5", "-f", "--rule", "x: at_least 4 a", status=3)
        self.assertIn("recording r2 has no allowed path of finite score: no state reaches step 2: no path of 3 steps can keep the rules; the next longer one is 4",
                      done.stderr)

    def test_time(self):
        self.refuses("decode", "x.h5", "-m", "m.json", "-o", "p.h5", "--rule", "x: not_before 1min c",
                     sentence="rule x: a length is a time, 60 s, but how long a step of the scores is is not known; --epoch-seconds says it, or write the "
                              "length in steps")
        steps = self.paths("--rule", "x: not_before 2 c", status=0)
        self.assertEqual(self.paths("--rule", "x: not_before 1min c", "--epoch-seconds", "30", status=0), steps)

    def shown(self, *options):
        lines = self.statepath("model", "show", "m.json", *options, stderr="").stdout.splitlines()
        return [line for line in lines if line.startswith(("rule ", "states: "))]

    def test_show_says_which_rules_need_a_length(self):
        self.model("m.json", rules=["at_least 1 a", {"name": "t", "rule": "not_before 2min c"}, "never a c", {"name": "u", "rule": "never b{90s}"}])
        missing = ("(rule %s: a length is a time, %d s, but how long a step of the scores is is not known; --epoch-seconds says it, "
                   "or write the length in steps)")
        self.assertEqual(self.shown(), ["rule rule1: at least 1 step of a (5 states so far)",
                                        "rule t: no c in the first 2 min " + missing % ("t", 120),
                                        "rule rule3: no stretch of neighbouring steps is a c",
                                        "rule u: no stretch of neighbouring steps is b{90s} " + missing % ("u", 90)])
        lines = self.shown("--epoch-seconds", "30")
        self.assertTrue(all(line.endswith(" states so far)") for line in lines[:4]), lines)
        self.assertEqual(lines[4], "states: %s with its rules and durations" % lines[3].split("(")[1].split()[0])

    def test_show_says_once_what_is_contradictory(self):
        self.model("m.json", rules=["first a", {"name": "x", "rule": "first b"}, "never a c"])
        self.assertEqual(self.shown()[1:], ["rule x: it begins with b (model m: no path can keep the rules rule1 and x at once, whatever the scores; "
                                            "change one of them, or give it a cost)", "rule rule3: no stretch of neighbouring steps is a c"])

    def test_slow_models_say_so(self):
        said = "with its rules and durations"
        self.model("m.json", rules=["at_least 300 a"])
        # a and not yet, 0 to 300 of them: 301 states of each class that is not a, 300 of a
        self.assertEqual(self.shown(), ["rule rule1: at least 300 steps of a (902 states so far)",
                                        "states: 902 with its rules and durations; decoding takes some 300 times as long as with the matrix alone"])
        note = ("statepath: note: model m: with its rules and durations it has 902 states; decoding takes some 300 times as long as with the matrix "
                "alone\n")
        self.model("m.json", rules=[{"rule": "at_least 300 a", "cost": 0.01}])
        for command in (["decode", "x.h5", "-m", "m.json", "-o", "p.h5", "-f"], ["compare", "x.h5", "-m", "m.json"],
                        ["fit", "x.h5", "--rules", "m.json", "-o", "f.json", "-f"]):
            self.assertEqual(self.statepath(*command).stderr.count(note), 1, command)
            self.assertNotIn(said, self.statepath(*command, "-q").stderr)
        self.assertNotIn(said, self.statepath("decode", "x.h5", "-m", "m.json", "-o", "p.h5", "-f", "-s", "argmax").stderr)
        self.model("m.json", rules=["at_least 20 a"])
        self.assertNotIn("times", "".join(self.shown()))
        self.model("m.json", durations={k: {"max": 2000} for k in "abc"})
        self.assertRegex(self.shown()[0], "^states: [0-9,]+ with its rules and durations; decoding takes some [0-9]+ times as long as with the matrix alone$")
        self.model("m.json")
        self.assertEqual(self.shown(), [])

    def test_stream_whose_length_is_known(self):
        lines = "".join(" ".join(map(str, row)) + "\n" for row in PROBS[:3])
        self.model("m.json", rules=["last c"])
        self.statepath("stream", "-m", "m.json", "-L", "0", stdin=lines, status=3)
        self.statepath("stream", "-m", "m.json", "-L", "0", "--remaining", "3", stdin=lines, stdout="a\nb\nc\n", stderr="")
        self.statepath("stream", "-m", "m.json", "-L", "0", "--remaining", "2", stdin=lines, status=1, stdout="a\nc\n",
                       stderr="statepath: standard input, line 3: a recording of 2 steps was announced, and this is step 2, counted from 0: say how many "
                              "come, or nothing\n")
        said = self.statepath("stream", "-m", "m.json", "-L", "0", "--remaining", "5", stdin=lines, status=3).stderr
        self.assertIn("line 3: the recording ends after 3 steps, not 5 (--remaining)", said)


st.main()

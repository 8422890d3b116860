"""compare --rule-costs: an example worked out by hand, and each rule of the demo against the program with a model without it."""
import json
import os

import statepath_test as st
from statepath_test import np

DEMO = os.path.join(st.SOURCE, "datasets/sleep-demo.h5")


class TestRuleCosts(st.TestCase):
    def costs(self, *arguments):
        self.statepath("compare", *arguments, "--rule-costs", "--json", "r.json", "-f", "-q")
        with open(self.path("r.json"), encoding="utf-8") as f:
            return json.load(f)

    def by_hand(self, copies=1, **more):
        """a may not be followed by c. Classes a b c.

        recording  labels   with the rule   right  without it  right
        one        b a a c  b c c c         2      b a a c     4      (b a b c and b a a a cost 15)
        two        a b b c  a b b c         4      a b b c     4
        three      a b c c  a b c c         4      a a c c     3
        """
        no = -10.0
        one = [[no, 5, no], [5, no, 4.5], [5, no, 4.5], [no, no, 5]]
        two = [[5, no, no], [no, 5, no], [no, 5, no], [no, no, 5]]
        three = [[5, no, no], [1, 0.5, no], [no, no, 5], [no, no, 5]]
        labels = [1, 0, 0, 2, 0, 1, 1, 2, 0, 1, 2, 2]
        self.h5("in.h5", scores=np.array((one + two + three) * copies), labels=np.array(labels * copies, np.int8),
                offsets=np.arange(0, 12 * copies + 1, 4), ids=np.arange(3 * copies).astype("S"), classes=[b"a", b"b", b"c"], **more)
        self.write("m.json", '{"statepath_model": 1, "name": "m", "classes": ["a", "b", "c"], "forbid": {"a": ["c"]}}')

    def test_by_hand(self):
        self.by_hand()
        result = self.costs("in.h5", "--model", "m.json")
        costs = result["rule_costs"]
        self.assertAlmostEqual(costs["accuracy"], 10 / 12)
        self.assertEqual(costs["legal_changes"], 5)  # b a; a b, b c; a b, b c
        self.assertEqual(costs["rules_left_out"], 0)
        [rule] = costs["rules"]
        self.assertEqual((rule["from"], rule["to"], rule["reference"], rule["argmax"]), ("a", "c", 1, 2))
        self.assertAlmostEqual(rule["accuracy"], 11 / 12)
        self.assertAlmostEqual(rule["difference"], 1 / 12)
        self.assertAlmostEqual(result["mask_ceiling"], 11 / 12)
        self.assertEqual(rule["mask_ceiling"], 1)
        self.assertEqual((result["reference"]["illegal"], rule["reference_illegal"]), (1, 0))
        self.assertEqual((rule["erased"], rule["restored"]), (1, 2))  # b a of one; a b, b c of three
        self.assertAlmostEqual(rule["changes_difference"], -1 / 5)
        self.assertEqual(rule["interval_undefined"], "too few recordings differ")
        # Of c one transition is known (it stays): c a and c b are allowed and were never seen. 1 - 0.05^(1/1).
        self.assertEqual([(p["from"], p["to"], p["transitions"], round(p["rate_below"], 12)) for p in costs["proposals"]],
                         [("c", "a", 1, 0.95), ("c", "b", 1, 0.95)])
        text = self.statepath("compare", "in.h5", "--model", "m.json", "--rule-costs", "-q").stdout
        self.assertIn("rule   reference  argmax  accuracy  95 % interval  ceiling  changes lost, gained  changes\n", text)
        self.assertRegex(text, r"\na → c +1 +2 +\+8\.33 +– +1\.0000 +1, 2 +-20\.00\n")
        self.assertRegex(text, r"\nc → a +1 +95\.000 %\n")

    def test_intervals(self):
        """The same three recordings eight times: the same shares, with intervals about them."""
        self.by_hand(copies=8)
        [rule] = self.costs("in.h5", "--model", "m.json")["rule_costs"]["rules"]
        self.assertAlmostEqual(rule["difference"], 1 / 12)
        self.assertAlmostEqual(rule["changes_difference"], -1 / 5)
        for (low, high), between in ((rule["interval"], 1 / 12), (rule["changes_interval"], -1 / 5)):
            self.assertTrue(low < between < high, (low, high))
        # The greatest difference is recording one alone, the least is recording three alone.
        self.assertGreaterEqual(rule["interval"][0], -1 / 4)
        self.assertLessEqual(rule["interval"][1], 2 / 4)

    def test_subjects_are_units(self):
        self.by_hand(subjects=np.array(["s", "s", "s"], dtype="S"))
        rule = self.costs("in.h5", "--model", "m.json")["rule_costs"]["rules"][0]
        self.assertAlmostEqual(rule["difference"], 1 / 12)
        self.assertIsNone(rule["interval"])

    def test_level(self):
        self.by_hand()
        costs = self.costs("in.h5", "--model", "m.json", "--level", "0.5")["rule_costs"]
        self.assertAlmostEqual(costs["proposals"][0]["rate_below"], 0.5)

    def against_models(self, file, model, weights):
        """Each rule: the same figures as of a run by a model that allows the transition."""
        self.write("m.json", json.dumps(model))
        result = self.costs(file, "--model", "m.json")
        costs, classes = result["rule_costs"], model["classes"]
        self.assertAlmostEqual(costs["accuracy"], result["strategies"]["viterbi"]["accuracy"], 12)
        self.assertEqual(len(costs["rules"]), result["model"]["forbidden_count"])
        broken = [rule["reference"] + rule["argmax"] for rule in costs["rules"]]
        self.assertEqual(broken, sorted(broken, reverse=True))
        for rule in costs["rules"]:
            made = json.loads(json.dumps(model))
            made["allow"][rule["from"]].append(rule["to"])
            if weights:
                row = made["log_weights"][classes.index(rule["from"])]
                row[classes.index(rule["to"])] = min(w for w in row if w is not None)
            self.write("without.json", json.dumps(made))
            self.statepath("compare", file, "--model", "without.json", "--strategies", "viterbi", "--json", "w.json", "-f", "-q")
            with open(self.path("w.json"), encoding="utf-8") as f:
                without = json.load(f)
            self.assertAlmostEqual(rule["accuracy"], without["strategies"]["viterbi"]["accuracy"], 12)
            self.assertAlmostEqual(rule["mask_ceiling"], without["mask_ceiling"], 12)
            self.assertEqual(rule["reference_illegal"], without["reference"]["illegal"])
            self.assertAlmostEqual(rule["difference"], rule["accuracy"] - costs["accuracy"], 12)
            self.assertAlmostEqual(rule["changes_difference"], (rule["erased"] - rule["restored"]) / costs["legal_changes"], 12)

    def test_demo(self):
        with open(os.path.join(st.SOURCE, "models/sleep-strict.model.json"), encoding="utf-8") as f:
            self.against_models(DEMO, json.load(f), False)

    def test_weights(self):
        classes = ["REM", "N3", "Wake", "N1", "N2"]
        draw = np.random.default_rng(3)
        allow = {a: [b for b in classes if a == b or draw.random() < 0.6] for a in classes}
        weights = [[round(float(draw.normal(-1, 1)), 3) if b in allow[a] else None for b in classes] for a in classes]
        self.against_models(DEMO, {"statepath_model": 1, "classes": classes, "allow": allow, "log_weights": weights, "min_dwell": {"N2": 2}}, True)

    def test_many_rules(self):
        tags = self.statepath("model", "new", "bio", "--types", "A,B,C,D,E,F,G").stdout
        self.write("m.json", tags)
        classes = json.loads(tags)["classes"]
        draw = np.random.default_rng(1)
        labels = draw.integers(0, len(classes), 300)
        self.h5("in.h5", logits=draw.normal(0, 1, (300, len(classes))), labels=labels.astype(np.int16), offsets=np.array([0, 150, 300]),
                classes=[c.encode() for c in classes])
        result = self.costs("in.h5", "--model", "m.json", "--strategies", "viterbi")
        costs = result["rule_costs"]
        self.assertEqual(len(costs["rules"]), 50)
        self.assertEqual(costs["rules_left_out"], result["model"]["forbidden_count"] - 50)
        self.assertNotIn("argmax", costs["rules"][0])
        self.assertEqual([r["reference"] for r in costs["rules"]], [p["count"] for p in result["reference"]["illegal_pairs"]][:50])

    def test_page(self):
        self.statepath("compare", DEMO, "--model", "sleep-strict", "--rule-costs", "--report", "p.html", "--markdown", "p.md", "-q")
        page = self.read("p.html").decode()
        self.assertIn('<h2 id="rules">What rules cost</h2>', page)
        self.assertIn("N2 → Wake", page)
        self.assertIn("What each rule costs", self.read("p.md").decode())
        self.statepath("compare", DEMO, "--model", "sleep-strict", "--report", "p.html", "-f", "-q")
        self.assertNotIn('id="rules"', self.read("p.html").decode())

    def test_what_it_needs(self):
        self.h5("bare.h5", scores=np.zeros((4, 3)), offsets=np.array([0, 4]), classes=[b"a", b"b", b"c"])
        self.write("m.json", '{"statepath_model": 1, "classes": ["a", "b", "c"], "forbid": {}}')
        self.refuses("compare", "bare.h5", "--model", "m.json", "--rule-costs", status=2,
                     sentence="what rules cost shows against labels, but bare.h5 has none; --labels PATH says where they are")
        self.refuses("compare", DEMO, "--model", "sleep-strict", "--rule-costs", "--cv", "2", "--method", "counts", "--tune", "none", status=2,
                     sentence="--rule-costs speaks of one model, --cv decodes with a model a fold; leave one out")


st.main()

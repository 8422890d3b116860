"""Labels alone, as a file of hypnograms: how many of their transitions a model forbids, by pair, from `inspect` and `evaluate`. And the
matrix of a model with check marks, and the arrows below a hypnogram of the page."""
import json
import re

import statepath_test as st

np = st.np
CLASSES = ["Wake", "N1", "N2", "N3", "REM"]
# Two nights: Wake -> N3 twice, N3 -> Wake once and REM -> N3 once are forbidden by sleep-aasm or sleep-strict; a gap and an unscored step cut.
FIRST = [0, 0, 1, 2, 3, 3, 0, 3, -1, 4]
SECOND = [0, 3, 2, 4, 4, 3, 2]


class TestHypnograms(st.TestCase):
    def setUp(self):
        super().setUp()
        self.h5("labels.h5", labels=np.array(FIRST + SECOND), offsets=np.array([0, 10, 17]), ids=["a", "b"], classes=CLASSES)
        words = ["" if k < 0 else CLASSES[k] for k in FIRST]
        self.write("night.txt", "\n".join(words[:8]) + "\n")
        self.write("nights.csv", "recording,label\n" + "".join("a,%s\n" % w for w in words) + "".join("b,%s\n" % CLASSES[k] for k in SECOND))

    # ---- inspect ----

    def test_inspect_says_what_shipped_models_say(self):
        size = len(self.read("labels.h5"))
        self.statepath("inspect", "labels.h5", stderr="", stdout="""labels.h5: {:,} bytes
recordings  2: a, b
steps       17; the shortest recording has 7, the longest 10
classes     5: Wake, N1, N2, N3, REM (attribute classes of /)
beside      labels 
labels      /labels: Wake 4, N1 1, N2 3, N3 5, REM 3, unscored 1
validity    by sleep-aasm: 3 of 13 transitions are illegal (23 %): Wake -> N3 2, REM -> N3 1
            by sleep-clinical: 3 of 13 transitions are illegal (23 %): Wake -> N3 2, REM -> N3 1
            by sleep-permissive: none of 13 transitions is illegal
            by sleep-strict: 4 of 13 transitions are illegal (31 %): Wake -> N3 2, N3 -> Wake 1, REM -> N3 1
            by sleep-textbook: 3 of 13 transitions are illegal (23 %): Wake -> N3 2, REM -> N3 1
models      fitting: sleep-aasm, sleep-clinical, sleep-permissive, sleep-strict, sleep-textbook

next: statepath evaluate labels.h5 --model sleep-aasm
""".format(size))

    def test_inspect_by_a_model_and_text(self):
        for file in ("labels.h5", "nights.csv"):
            done = self.statepath("inspect", file, "--model", "sleep-aasm", stderr="")
            self.assertTrue(done.stdout.endswith("\nvalidity    by sleep-aasm: 3 of 13 transitions are illegal (23 %): Wake -> N3 2, "
                                                 "REM -> N3 1\n"), done.stdout)
        done = self.statepath("inspect", "night.txt", "--model", "sleep-aasm", stderr="")
        self.assertIn("\nvalidity    by sleep-aasm: 1 of 7 transitions is illegal (14 %): Wake -> N3 1\n", done.stdout)
        self.h5("unnamed.h5", labels=np.array(FIRST), segments=np.array([0] * 7 + [1] * 3))
        done = self.statepath("inspect", "unnamed.h5", "--model", "sleep-aasm", stderr="")
        self.assertIn("\nvalidity    by sleep-aasm: none of 6 transitions is illegal\n", done.stdout)
        done = self.statepath("inspect", "labels.h5", "--model", "nothing.json", status=1, stdout="")
        self.assertIn("nothing.json", done.stderr)

    def test_inspect_beside_scores(self):
        self.h5("scores.h5", probs=np.full((10, 5), 0.2), labels=np.array(FIRST), classes=CLASSES)
        done = self.statepath("inspect", "scores.h5", stderr="")
        self.assertIn("\nvalidity    by sleep-aasm: 1 of 7 transitions is illegal (14 %): Wake -> N3 1\n", done.stdout)
        self.assertTrue(done.stdout.endswith("\nnext: statepath compare scores.h5 --model sleep-aasm\n"))

    # ---- evaluate ----

    def test_evaluate_labels_alone(self):
        for file, name in (("labels.h5", "labels"), ("nights.csv", "nights")):
            done = self.statepath("evaluate", file, "--model", "sleep-aasm", "--json", "r.json", "-f", "-q", stderr="")
            self.assertIn("\n%s: 3 of 13 transitions are illegal (23.1 %%), in 2 of 2 nights.\n" % name, done.stdout)
            self.assertRegex(done.stdout, r"\nIllegal transitions, by pair\nillegal transition +%s\nWake → N3 +2\nREM → N3 +1\n" % name)
            with open(self.path("r.json"), encoding="utf-8") as f:
                (judged,) = json.load(f)["strategies"].values()
            self.assertEqual([judged[k] for k in ("transitions", "illegal", "undecoded")], [13, 3, []])
            self.assertEqual(judged["illegal_pairs"], [{"from": "Wake", "to": "N3", "count": 2}, {"from": "REM", "to": "N3", "count": 1}])
            self.assertNotIn("accuracy", judged)
        done = self.statepath("evaluate", "labels.h5", "--model", "sleep-permissive", "-q")
        self.assertIn("\nlabels: none of 13 transitions is illegal.\n", done.stdout)

    def test_an_unscored_recording_is_not_undecoded(self):
        self.h5("none.h5", labels=np.array([-1] * 4 + SECOND), offsets=np.array([0, 4, 11]), ids=["a", "b"], classes=CLASSES)
        self.statepath("evaluate", "none.h5", "--model", "sleep-aasm", "-q")

    def test_labels_against_labels(self):
        other = [0] + SECOND[1:]
        other[3] = 2
        self.h5("second.h5", labels=np.array(FIRST + other), offsets=np.array([0, 10, 17]), ids=["a", "b"], classes=CLASSES)
        done = self.statepath("evaluate", "labels.h5", "--labels", "second.h5", "--model", "sleep-aasm", "--json", "-", "-q")
        self.assertEqual(json.loads(done.stdout)["strategies"]["labels"]["accuracy"], 15 / 16)

    def test_scores_are_no_labels_alone(self):
        self.h5("scores.h5", probs=np.full((10, 5), 0.2), labels=np.array(FIRST), classes=CLASSES)
        done = self.statepath("evaluate", "scores.h5", "--model", "sleep-aasm", status=1, stdout="")
        self.assertIn("scores.h5: found no group /paths", done.stderr)

    # ---- model show --marks ----

    def test_check_marks(self):
        done = self.statepath("model", "show", "sleep-strict", "--marks", stderr="")
        self.assertIn("""
from \\ to (✓ allowed, · forbidden)
      Wake  N1  N2  N3  REM
Wake     ✓   ✓   ·   ·    ·
N1       ✓   ✓   ✓   ·    ·
N2       ·   ✓   ✓   ✓    ✓
N3       ·   ·   ✓   ✓    ·
REM      ✓   ·   ✓   ·    ✓

forbidden: 11 of 25 pairs
""", done.stdout)
        plain = self.statepath("model", "show", "sleep-strict").stdout
        self.assertEqual(done.stdout.replace("✓ allowed, · forbidden", "1 allowed, . forbidden").replace("✓", "1").replace("·", "."), plain)
        self.write("m.json", json.dumps({"statepath_model": 1, "name": "m", "classes": ["aé", "b"], "matrix": [[1, 1], [0, 1]],
                                         "probabilities": [[0.5, 0.5], [0, 1]]}))
        self.assertIn("\nfrom \\ to (✓ allowed, · forbidden)\n      aé  b\naé     ✓  ✓\nb      ·  ✓\n",
                      self.statepath("model", "show", "m.json", "--marks").stdout)

    # ---- arrows ----

    def arrows(self, labels, scores=True):
        """Texts and places of the arrows, of those that a narrow screen hides too, and the title."""
        p = np.full((len(labels), 5), 0.1)
        p[np.arange(len(labels)), np.maximum(labels, 0)] = 0.6
        self.h5("one.h5", **({"probs": p, "classes": CLASSES} | ({"labels": np.array(labels)} if scores else {})))
        self.statepath("compare", "one.h5", "--model", "sleep-permissive", "--report", "r.html", "-f", "-q")
        page = self.read("r.html").decode()
        found = re.findall(r'<svg class="events"[^>]*><title>([^<]*)</title>(.*?)</svg>', page)
        if not found:
            return None, []
        ((title, body),) = found
        return title, [(text, float(x), bool(wide)) for wide, x, text in
                       re.findall(r'<text y="10"( class="wide-only")?[^>]* x="([\d.]+)%"[^>]*>([^<]*)</text>', body)]

    def test_arrows_name_the_transitions(self):
        night = [0] * 10 + [1] * 2 + [2] * 28 + [3] * 20 + [2] * 10 + [4] * 20 + [2] * 10
        title, texts = self.arrows(night)
        self.assertEqual(title, "reference: sleep onset at epoch 11, deep sleep at epoch 41, REM at epoch 71")
        self.assertEqual(texts, [("↑ sleep onset", 10, False), ("↑ deep sleep", 40, False), ("↑ REM", 70, False)])
        title, texts = self.arrows(night, scores=False)
        self.assertTrue(title.startswith("viterbi: sleep onset at epoch 11,"), title)

    def test_arrows_without_room_are_left_out(self):
        title, texts = self.arrows([0] * 50 + [2, 3, 4] + [2] * 47)  # all at one place
        self.assertEqual(title, "reference: sleep onset at epoch 51, deep sleep at epoch 52, REM at epoch 53")
        self.assertEqual(texts, [("↑ sleep onset", 50, False)])
        title, texts = self.arrows([0] * 10 + [2] * 15 + [3] * 30 + [2] * 43 + [4] * 2)  # room on a wide screen only; at the right end
        self.assertEqual(texts, [("↑ sleep onset", 10, False), ("↑ deep sleep", 25, True), ("REM ↑", 98, False)])
        # A stage that comes back after a short while is not entered again.
        title, texts = self.arrows([0] * 5 + [4, 4, 2, 4, 4] + [2] * 40 + [4] * 30)
        self.assertEqual(title, "reference: sleep onset at epoch 6, REM at epoch 6, REM at epoch 51")
        self.assertEqual(self.arrows([0] * 20), (None, []))


if __name__ == "__main__":
    st.main()

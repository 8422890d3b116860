"""What recordings and steps are called: the presets and what the classes look like choose the words of every text; JSON, CSV and
the paths keep their names."""
import html
import json
import re

import numpy as np
import statepath_test as st

SLEEP = ["Wake", "N1", "N2", "N3", "REM"]
KINDS = {"sleep": (SLEEP, "night", "epoch"), "tags": (["O", "B-X", "I-X"], "sentence", "token"),
         "actions": (["background", "take", "pour"], "video", "frame"), "none": (["A", "B", "C"], "recording", "step")}
# Words that stay: fields of files, labels of LaTeX, the command.
STAYS = re.compile(r"epoch_seconds|tab:[\w-]+|% Command.*|Command .*")


def visible(page):
    """What is read or heard of a page without its script."""
    text = re.sub(r"<(script|style)\b.*?</\1>", " ", page, flags=re.S)
    labels = " ".join(re.findall(r'(?:aria-label|title)="([^"]*)"', text))
    return html.unescape(re.sub(r"<[^>]*>", " ", text) + " " + labels)


class TestUnit(st.TestCase):
    def make(self, classes, n=9, name="in.h5"):
        rng = np.random.default_rng(3)
        K = len(classes)
        labels = np.concatenate([np.repeat(rng.integers(0, K, 12), 5) for _ in range(n)])
        probs = rng.dirichlet([0.5] * K, len(labels)) * 0.6
        probs[np.arange(len(labels)), labels] += 0.4
        labels[::17] = -1
        self.h5(name, probs=probs, labels=labels, offsets=np.arange(n + 1) * 60, classes=classes)
        rules = {classes[0]: [classes[2]], classes[2]: [classes[0]]}
        self.write("m.json", json.dumps({"statepath_model": 1, "name": "m", "classes": classes, "forbid": rules}))

    def compare(self, *options, command="compare", inputs=("in.h5", "--model", "m.json"), **said):
        done = self.statepath(command, *inputs, *options, "--report", "r.html", "--json", "r.json", "--csv", "r.csv", "--markdown", "r.md",
                              "--latex", "r.tex", "-v", "-f", **said)
        texts = {name: self.read(name).decode() for name in ("r.html", "r.json", "r.csv", "r.md", "r.tex")}
        texts["stdout"] = done.stdout
        return texts

    def assertWords(self, texts, recording, step):
        """Every text has these words, and not the usual ones."""
        seen = [visible(texts["r.html"]), texts["r.md"], texts["r.tex"], texts["stdout"]]
        for text in seen:
            text = STAYS.sub(" ", text)
            self.assertRegex(text, rf"\b{recording}s\b")
            self.assertRegex(text, rf"\b{step}s\b")
            for other in {"recording", "step"} - {recording, step}:
                self.assertNotRegex(text, rf"(?i)\b{other}s?\b")
        self.assertNotIn("{", seen[0] + seen[1] + seen[3])

    def test_none_of_many(self):
        self.make(SLEEP)
        self.h5("none.h5", probs=np.zeros((0, 5)), labels=np.zeros(0, int), offsets=[0, 0], classes=SLEEP)
        said = self.statepath("compare", "none.h5", "--model", "m.json").stdout
        self.assertTrue(said.startswith("none.h5: 1 night, 0 epochs, 0 with a reference\n"), said[:80])

    def test_presets_choose_and_the_guess_is_said(self):
        for preset, (classes, recording, step) in KINDS.items():
            with self.subTest(preset):
                self.make(classes)
                guessed, asked = self.compare(), self.compare("--preset", preset)
                self.assertTrue(guessed["stdout"].startswith(f"in.h5: 9 {recording}s, 540 {step}s, 508 with a reference\n"), guessed["stdout"][:80])
                self.assertWords(guessed, recording, step)
                self.assertWords(asked, recording, step)
                said = f"Shown as {preset}, in {recording}s and {step}s, as the classes look (--preset says otherwise)."
                self.assertEqual(said in guessed["stdout"], preset != "none")
                self.assertEqual(said in visible(guessed["r.html"]), preset != "none")
                self.assertNotIn("Shown as", asked["stdout"] + asked["r.html"])

    def test_a_preset_comes_before_the_guess(self):
        self.make(SLEEP)
        texts = self.compare()
        self.assertIn('<main data-words="night|nights|epoch|epochs" data-first="1">', texts["r.html"])
        texts = self.compare("--preset", "none")
        self.assertTrue(texts["stdout"].startswith("in.h5: 9 recordings, 540 steps, "))
        self.assertIn("<main>", texts["r.html"])
        self.assertRegex(texts["r.html"], '<th scope="col" data-holds="recording">recording</th>')

    def test_data_with_braces_keep_them(self):
        self.make(["{step}", "background", "{a recording}"], name="{steps}.h5")
        texts = self.compare(inputs=["{steps}.h5", "--model", "m.json"])
        self.assertTrue(texts["stdout"].startswith("{steps}.h5: 9 videos, 540 frames, "))
        self.assertIn("{step} → {a recording}", texts["stdout"])
        self.assertIn("{step}", visible(texts["r.html"]))

    def test_evaluate_and_notices(self):
        self.make(SLEEP)
        self.statepath("compare", "in.h5", "--model", "m.json", "-o", "p.h5", "-q")
        evaluated = self.compare(command="evaluate", inputs=["p.h5", "--model", "m.json"])
        self.assertWords(evaluated, "night", "epoch")
        scores = np.full((4, 5), -1.0)
        scores[2] = -np.inf
        self.h5("bad.h5", scores=scores, offsets=np.array([0, 4]), classes=SLEEP)
        self.statepath("compare", "bad.h5", "--model", "m.json", "--strategies", "viterbi", status=3,
                       stderr="statepath: viterbi: night 0 has no allowed path of finite score: no state reaches epoch 3\n"
                              "statepath: viterbi: 1 of 1 nights could not be decoded; their paths are -1\n")


if __name__ == "__main__":
    st.main()

"""One small comparison as text and as JSON, as tests/report/golden keeps them: STATEPATH_UPDATE_GOLDEN=1
writes them again. What the other formats say: tests/laws/test_same_cells.py."""

import json
import math
import os
import re

import numpy as np

import statepath_test as st

GOLDEN = os.path.join(st.SOURCE, "tests", "report", "golden")
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?")
MODEL = {
    "statepath_model": 1,
    "name": "sample-rules",
    "description": "Rules made for a test.",
    "source": "A. Author 2020",
    "classes": ["Wake", "NREM", "REM"],
    "forbid": {"Wake": ["REM"]},
}
FILES = "--json r.json --csv r.csv --markdown r.md --latex r.tex --report r.html".split()
# Two nights: the first begins with a forbidden transition, the last step of the second has no reference.
LABELS = [0, 0, 1, 1, 2, 2, 1, 0, 0, 0, 2, 2, 2, -1]
TOP = [0, 0, 2, 1, 2, 2, 1, 0, 0, 0, 2, 2, 1, 1]


class TestGolden(st.TestCase):
    def setUp(self):
        super().setUp()
        self.write("sample.model.json", json.dumps(MODEL))
        probs = [[0.75 if k == top else 0.125 for k in range(3)] for top in TOP]
        other = [LABELS[i - 1] for i in range(len(LABELS))]
        self.h5(
            "scores.h5",
            probs=probs,
            labels=LABELS,
            labels_ann=LABELS,
            labels_bob=other,
            offsets=[0, 8, 14],
            ids=["night_1", "night_2"],
            classes=MODEL["classes"],
        )

    def check(self, name, text):
        """The same letters, and numbers to twelve digits, of which the last are the C library's."""
        path = os.path.join(GOLDEN, name)
        if os.environ.get("STATEPATH_UPDATE_GOLDEN") == "1":
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
        with open(path, encoding="utf-8") as f:
            golden = f.read()
        for n, (line, wanted) in enumerate(zip(text.splitlines(), golden.splitlines(), strict=True), 1):
            self.assertEqual(NUMBER.sub("#", line), NUMBER.sub("#", wanted), "%s:%d" % (name, n))
            for ours, theirs in zip(NUMBER.findall(line), NUMBER.findall(wanted)):
                close = math.isclose(float(ours), float(theirs), rel_tol=1e-12, abs_tol=1e-14)
                self.assertTrue(close, "%s:%d: %s, not %s" % (name, n, ours, theirs))

    def test_text_and_json(self):
        command = [
            "compare",
            "scores.h5",
            "--model",
            "sample.model.json",
            "--strategies",
            "argmax,viterbi",
            "--epoch-seconds",
            "30",
        ]
        text = self.statepath(*command, "--json", "r.json", "-q").stdout
        self.check("sample.txt", text)
        self.check("sample.json", re.sub(r'"bytes": \d+', '"bytes": 0', self.read("r.json").decode()))

    def test_the_same_bytes_twice(self):
        """In every format; and of recordings of few steps and of no class but one, too."""
        shapes = [(1, 1, 1), (1, 2, 3), (60, 2, 400), (100, 2, 50), (4, 1500, 4)]
        for K, N, T in shapes:
            classes = ["class %d" % k for k in range(K)]
            matrix = [[int(abs(i - j) <= 1) for j in range(K)] for i in range(K)]
            self.write(
                "band.json",
                json.dumps({"statepath_model": 1, "name": "band", "classes": classes, "matrix": matrix}),
            )
            labels = np.arange(N * T) // 5 % K
            probs = (np.eye(K, dtype="f4")[np.roll(labels, 1)] + np.float32(0.25)) / np.float32(1 + K / 4)
            self.h5("band.h5", probs=probs, labels=labels, offsets=np.arange(N + 1) * T, classes=classes)
            found = []
            for _ in range(2):
                self.statepath("compare", "band.h5", "--model", "band.json", "-q", "-f", *FILES)
                found.append([self.read("r." + end) for end in ("json", "csv", "md", "tex", "html")])
            self.assertEqual(found[0], found[1], (K, N, T))
            for text in found[0]:
                read = re.sub(rb'<script type="text/plain".*?</script>', b"", text, flags=re.S)
                self.assertNotRegex(read, rb"(?<![\w/])-?(nan|inf)(?![\w/])")
            page = found[0][4]
            self.assertIn(b"default-src 'none'", page)
            if K == 60:
                self.assertIn(b'<p class="small">The 15 most frequent of ', page)
            self.assertEqual(json.loads(found[0][0])["input"]["recordings"], N)

    def test_without_labels(self):
        self.h5("bare.h5", probs=[[0.75, 0.125, 0.125], [0.125, 0.125, 0.75]], classes=MODEL["classes"])
        text = self.statepath(
            "compare",
            "bare.h5",
            "--model",
            "sample.model.json",
            "--json",
            "r.json",
            "--report",
            "r.html",
            "-q",
        ).stdout
        self.assertNotRegex(text, "accuracy|kappa|reference")
        result, page = json.loads(self.read("r.json")), self.read("r.html").decode()
        self.assertFalse({"reference", "mask_ceiling", "comparisons"} & result.keys() - {"comparisons"})
        argmax = result["strategies"]["argmax"]
        self.assertFalse(
            {"accuracy", "kappa", "confusion", "classes", "changed_from_argmax"} & argmax.keys()
        )
        self.assertEqual(argmax["illegal"], 1)
        for gone in ("differences", "confusion", "classes", "changes", "probabilities"):
            self.assertNotIn('id="%s"' % gone, page)


st.main()

"""What --latex writes compiles: the demo, real tags where they are at hand, and names that LaTeX would take for commands. Skipped (77)
without pdflatex or booktabs."""
import json
import os
import re
import shutil
import subprocess
import sys

import numpy as np

import statepath_test as st

STRANGE = ["a_b%&#$~^\\{}<script>", "Tiefschlaf \u00e4\u00f6\u00fc\u00df \u0105\u0142\u0151 \u0127", "\u7761\u7720 \u03b1 \u2605 \U0001f634",
           '"quoted" -- `tick` [x] *', "--- | -1", "w" * 40]
DOCUMENT = r"""\documentclass{article}
\usepackage[T1]{fontenc}
\usepackage{booktabs}
\begin{document}
\input{%s}
\end{document}
"""


def has_latex():
    return bool(shutil.which("pdflatex")) and subprocess.run(["kpsewhich", "booktabs.sty"], stdout=subprocess.DEVNULL).returncode == 0


class TestLatex(st.TestCase):
    def compiles(self, name, tables):
        """pdfLaTeX stops at no error; returns by how much the widest table is too wide, in points."""
        self.write("document.tex", DOCUMENT % name)
        done = subprocess.run(["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "document.tex"], cwd=self.folder, stdout=subprocess.PIPE)
        log = done.stdout.decode("utf-8", "replace")
        self.assertEqual(done.returncode, 0, log[-3000:])
        self.assertEqual(self.read(name).count(b"\\begin{table}"), tables)
        return max([float(x) for x in re.findall(r"Overfull .hbox .([0-9.]+)pt too wide", log)], default=0.0)

    def test_demo(self):
        self.statepath("compare", os.path.join(st.SOURCE, "datasets", "sleep-demo.h5"), "--model", "sleep-strict", "--latex", "demo.tex")
        self.assertLess(self.compiles("demo.tex", self.read("demo.tex").count(b"\\label{tab:")), 5)
        self.assertGreaterEqual(self.read("demo.tex").count(b"\\label{tab:"), 10)

    def test_tags(self):
        tags = st.shared("data", "wnut17_linear.h5")
        if not tags:
            self.skipTest("real tags are absent")
        self.statepath("compare", tags, "--model", tags.replace(".h5", ".model.json"), "--latex", "tags.tex")
        self.assertLess(self.compiles("tags.tex", self.read("tags.tex").count(b"\\label{tab:")), 5)

    def test_strange_names(self):
        rng = np.random.default_rng(5)
        K, T = len(STRANGE), 200
        self.h5("a_b%&#$~^{}.h5", log_probs=np.log(rng.dirichlet(np.ones(K), T)), labels=rng.integers(0, K, T), offsets=np.array([0, 60, 130, T]),
                ids=np.array([s.encode() for s in STRANGE[:3]]), classes=STRANGE)
        self.write("strange.model.json", json.dumps({"statepath_model": 1, "name": STRANGE[0], "classes": STRANGE,
                                                     "forbid": {STRANGE[0]: [STRANGE[2]], STRANGE[1]: [STRANGE[4]]}}))
        self.statepath("compare", "a_b%&#$~^{}.h5", "--model", "strange.model.json", "--latex", "strange.tex")
        self.compiles("strange.tex", self.read("strange.tex").count(b"\\label{tab:"))
        text = self.read("strange.tex").decode()
        self.assertIn(r"a\_b\%\&\#\$\textasciitilde{}\textasciicircum{}\textbackslash{}\{\}\textless{}script\textgreater{}", text)
        self.assertIn("äöüß ąłő \\spchar{ħ}{0127}", text)
        self.assertIn("\\spchar{\U0001f634}{1F634}", text)


if __name__ == "__main__":
    if not has_latex():
        print("skipped: pdflatex or booktabs is not installed")
        sys.exit(77)
    st.main()

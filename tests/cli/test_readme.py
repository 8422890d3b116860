"""The README's examples are run: the Python one, the C one, the model, the commands' names."""
import json
import os
import re
import shlex
import subprocess
import sys

import statepath_test as st

with open(os.path.join(st.SOURCE, "README.md"), encoding="utf-8") as readme:
    TEXT = readme.read()


def block(language, containing):
    """The fenced block of that language that contains the words."""
    fenced = TEXT.split("```")[1::2]
    (found,) = [f[len(language) + 1:] for f in fenced if f.startswith(language + "\n") and containing in f]
    return found


class TestReadme(st.TestCase):
    def test_python_and_shell(self):
        """As pasted, one after the other in an empty folder."""
        self.write("example.py", block("python", "h5py.File"))
        path = os.path.dirname(st.PROGRAM) + os.pathsep + os.environ["PATH"]
        there = {"cwd": self.folder, "env": dict(os.environ, PATH=path), "capture_output": True, "text": True}
        done = subprocess.run([sys.executable, "-c", "exec(open('example.py').read()); print(len(paths), paths.min(), paths.max())"], **there)
        self.assertEqual((done.returncode, done.stdout), (0, "1750 0 4\n"), done.stderr)
        done = subprocess.run(["sh", "-e", "-c", block("sh", "statepath inspect night.h5")], **there)
        self.assertEqual((done.returncode, done.stderr), (0, "wrote night.html\n"))
        self.assertIn("model sleep-strict: 5 classes", done.stdout)

    def test_c(self):
        self.write("example.c", block("c", "#include <statepath.h>"))
        flags = shlex.split(os.environ.get("STATEPATH_CFLAGS", ""))
        build = os.environ["STATEPATH_BUILD"]
        subprocess.run([os.environ.get("CC", "cc"), "-std=c11", "-Wall", "-Wextra", "-Werror", *flags, "-I", os.path.join(st.SOURCE, "lib/include"),
                        "example.c", "-o", "example", os.path.join(build, "libstatepath.a"), "-lm", "-lpthread"], cwd=self.folder, check=True)
        done = subprocess.run(["./example"], cwd=self.folder, capture_output=True, text=True)
        said = re.search(r"It prints `([^`]*)`", TEXT).group(1)
        self.assertEqual((done.returncode, done.stdout), (0, said + "\n"))

    def test_model(self):
        self.write("door.json", block("json", "statepath_model"))
        done = self.statepath("model", "check", "door.json", stderr="")
        self.assertIn("model of 3 classes", done.stdout)

    def test_commands_are_those_of_the_program(self):
        named = set(re.findall(r"^statepath (\w+) ", block("", "statepath compare  SCORES.h5"), re.M))
        offered = set(re.findall(r"^  (\w+)  +", self.statepath("--help").stdout, re.M))
        self.assertEqual(named, offered)

    def test_demo_output_is_the_programs(self):
        shown = block("", "sleep-demo.h5: 20 recordings").splitlines()
        done = self.statepath("compare", os.path.join(st.SOURCE, "datasets/sleep-demo.h5"), "--model", "sleep-strict")
        self.assertEqual(shown, [line.rstrip() for line in done.stdout.splitlines()[:len(shown)]])


st.main()

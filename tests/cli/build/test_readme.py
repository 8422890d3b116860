"""The READMEs' examples are run: of README.md the Python one, the model, the commands' names and the demo's output; of lib/README.md the C one.
README.md stays short, and the links of all READMEs lead somewhere."""
import json
import os
import re
import shlex
import subprocess
import sys

import statepath_test as st

# Paths that Markdown names, and that are not files of ours.
ELSEWHERE = {
    "door.c",  # a user's
    "program.c",  # likewise
    "hdf5.h",  # HDF5's
}

def read(name):
    with open(os.path.join(st.SOURCE, name), encoding="utf-8") as readme:
        return readme.read()


def block(language, containing, name="README.md"):
    """The fenced block of that language that contains the words."""
    fenced = read(name).split("```")[1::2]
    (found,) = [f[len(language) + 1:] for f in fenced if f.startswith(language + "\n") and containing in f]
    return found


class TestReadme(st.TestCase):
    def test_python_and_shell(self):
        """The file that the second Python block writes, in an empty folder; the first block is run by tests/python."""
        self.write("example.py", block("python", "h5py.File"))
        path = os.path.dirname(st.PROGRAM) + os.pathsep + os.environ["PATH"]
        there = {"cwd": self.folder, "env": dict(os.environ, PATH=path), "capture_output": True, "text": True}
        (data,) = [line for line in block("python", "statepath as sp").splitlines() if line.startswith("probs = ")]
        done = subprocess.run([sys.executable, "-c", "import numpy as np\n" + data + "\nexec(open('example.py').read())"], **there)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        done = subprocess.run(["sh", "-e", "-c", block("sh", "statepath inspect night.h5")], **there)
        self.assertEqual((done.returncode, done.stderr), (0, "wrote paths.h5\nwrote night.html\n"))
        self.assertIn("model sleep-aasm: 5 classes", done.stdout)

    def test_c(self):
        self.write("example.c", block("c", "#include <statepath.h>", "lib/README.md"))
        flags = shlex.split(os.environ.get("STATEPATH_CFLAGS", ""))
        build = os.environ["STATEPATH_BUILD"]
        subprocess.run([os.environ.get("CC", "cc"), "-std=c11", "-Wall", "-Wextra", "-Werror", *flags, "-I", os.path.join(st.SOURCE, "lib/include"),
                        "example.c", "-o", "example", os.path.join(build, "libstatepath.a"), "-lm", "-lpthread"], cwd=self.folder, check=True)
        done = subprocess.run(["./example"], cwd=self.folder, capture_output=True, text=True)
        said = re.search(r"It prints `([^`]*)`", read("lib/README.md")).group(1)
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
        shown = block("", "sleep-demo.h5: 20 nights").splitlines()
        done = self.statepath("compare", os.path.join(st.SOURCE, "datasets/sleep-demo.h5"), "--model", "sleep-strict")
        self.assertEqual(shown, [line.rstrip() for line in done.stdout.splitlines()[:len(shown)]])

    def test_what_the_demo_forbids_beyond_sleep_aasm(self):
        """The README names the pairs that sleep-strict forbids and sleep-aasm does not, and only those."""
        forbidden = {name: set(re.findall(r"^  (\w+) -> (\w+)$", self.statepath("model", "show", name).stdout, re.M))
                     for name in ("sleep-strict", "sleep-aasm")}
        self.assertLess(forbidden["sleep-aasm"], forbidden["sleep-strict"])
        said = re.search(r"also forbids ([^,]*(?:, [^,]*)*), though", read("README.md")).group(1)
        self.assertEqual(set(re.findall(r"(\w+)→(\w+)", said)), forbidden["sleep-strict"] - forbidden["sleep-aasm"])

    def test_is_short(self):
        """Tables aside: a strategy adds a row to one of them, and need not take words from elsewhere for it."""
        prose = [line for line in read("README.md").splitlines() if not line.startswith("|")]
        self.assertLessEqual(len(" ".join(prose).split()), 975)

    def test_readmes_of_rooms_are_short(self):
        """What is here, how it flows, where to begin; the rest has pages of its own. lib/python is the page of the package, lib/install a manual."""
        listed = subprocess.run(["git", "ls-files", "lib/*README.md", "cli/README.md", "tests/README.md", "models/network/README.md"],
                                cwd=st.SOURCE, capture_output=True, text=True).stdout.split()
        for name in set(listed) - {"lib/python/README.md", "lib/install/README.md"}:
            prose = [line for line in read(name).splitlines() if not line.startswith("|")]
            self.assertLess(len(" ".join(prose).split()), 600, name)

    def test_links_lead_somewhere(self):
        """Of all Markdown that people read: the file is there, and has the heading that the link names."""
        names = subprocess.run(["git", "ls-files", "*.md"], cwd=st.SOURCE, capture_output=True, text=True).stdout.split()
        for name in names or ["README.md", "lib/README.md"]: # not a clone: at least these
            if "golden" in name:
                continue
            for link in re.findall(r"\]\(([^)]+)\)", read(name)):
                if link.startswith("http"):
                    continue
                target, _, heading = link.partition("#")
                file = os.path.normpath(os.path.join(os.path.dirname(name), target)) if target else name
                with self.subTest(file=name, link=link):
                    self.assertTrue(os.path.exists(os.path.join(st.SOURCE, file)), "no such file")
                    if heading:
                        titles = re.findall(r"^#+ (.*)$", read(file), re.M)
                        self.assertIn(heading, [re.sub(r"[^\w -]", "", t.lower()).replace(" ", "-") for t in titles])

    def test_named_paths_are_there(self):
        """In every Markdown file: what stands in backquotes, in a command too, and begins with a folder of ours (`lib/report/page.c`, `unit/<room>/`) or
        ends as a source does (`test_*browser.cjs`) is there. <...> and NAME stand for anything."""
        listed = subprocess.run(["git", "ls-files"], cwd=st.SOURCE, capture_output=True, text=True).stdout.split()
        if not listed:
            self.skipTest("not a clone")
        there = "\n".join({os.path.join("/", *name.split("/")[:n]) for name in listed for n in range(1, name.count("/") + 2)})
        ours = {name.split("/")[depth] for name in listed for depth in (0, 1) if name.count("/") > depth and (depth == 0 or name.startswith(("lib/", "tests/")))}
        for name in (name for name in listed if name.endswith(".md")):
            prose = re.sub(r"^```.*?^```", "", read(name), flags=re.S | re.M)
            for word in (word.rstrip(".,;:") for span in re.findall(r"`([^`]+)`", prose) for word in span.split()):
                path = word.removeprefix("./").rstrip("/")
                is_source = re.fullmatch(r"[\w*/<>-]+\.(c|h|py|cjs|js|css|cmake|def|md)", path)
                if word in ELSEWHERE or not (is_source or ("/" in word and path.split("/")[0] in ours)):
                    continue
                pattern = "[^/\n]*".join(re.escape(part) for part in re.split(r"<[^>]*>|NAME|[*]+", path))
                with self.subTest(file=name, path=word):
                    self.assertRegex(there, r"(?m)^(/.*)?/%s(\.[ch])?$" % pattern)


st.main()

"""What --help prints fits 80 columns and can be read; the manual page and the completion say the same as it does."""
import json
import os
import re
import shutil
import subprocess

import statepath_test as st

LEFT = 29  # columns before a description, at most


class TestHelp(st.TestCase):
    def setUp(self):
        super().setUp()
        self.usage = self.statepath("--help", stderr="").stdout
        self.commands = re.findall(r"^  (\w+)  +", self.usage, re.M)
        self.assertIn("compare", self.commands)

    def help_of(self, command):
        return self.statepath(command, "--help", stderr="").stdout

    def test_figures(self):
        """Every scalar of a strategy in the JSON is explained, in 80 columns, and can be named in a condition."""
        text = self.statepath("help", "figures", stderr="").stdout
        for line in text.splitlines():
            self.assertLessEqual(len(line), 80, line)
        explained = set(re.findall(r"^  (\w+) ", text, re.M))
        demo = os.path.join(st.SOURCE, "datasets", "sleep-demo.h5")
        self.statepath("compare", demo, "-m", "sleep-strict", "-q", "--json", "r.json")
        with open(self.path("r.json")) as f:
            strategy = json.load(f)["strategies"]["viterbi"]
        scalars = [k for k, v in strategy.items() if isinstance(v, (int, float))]
        self.assertGreater(len(scalars), 30)
        self.assertEqual([k for k in scalars if k not in explained], [])

    def test_nights_of_ones_own_are_decoded_with_sleep_aasm(self):
        self.assertIn("statepath compare SCORES.h5 --model sleep-aasm", self.usage)
        for command in self.commands:
            text = self.help_of(command)
            if "night.h5" in text or "nights.h5" in text:
                self.assertNotIn("sleep-strict", text, command)

    def test_no_line_is_wider_than_80_columns(self):
        for text in [self.usage, *map(self.help_of, self.commands)]:
            for line in text.splitlines():
                self.assertLessEqual(len(line), 80, line)
                self.assertEqual(line, line.rstrip())

    def test_the_left_column_is_narrow_and_descriptions_are_short(self):
        for command in self.commands:
            options = re.findall(r"^  (?:-\w, |    )(--[\w-]+(?: \S+)?)  +(\S.*(?:\n {%d,}\S.*)*)" % 12, self.help_of(command), re.M)
            self.assertGreater(len(options), 1, command)
            columns = set()
            for option, text in options:
                self.assertLessEqual(text.count("\n"), 3, "%s %s: %s" % (command, option, text))
                columns |= {len(re.match(" *", line).group()) for line in text.splitlines()[1:]}
            self.assertLessEqual(len(columns), 1, command)
            self.assertLessEqual(max(columns, default=0), LEFT, command)

    def test_every_option_stands_on_a_line_of_its_own_with_a_description(self):
        for command in self.commands:
            text = self.help_of(command)
            self.assertNotIn("|", "".join(re.findall(r"^ +--.{0,26}", text, re.M)), command)
            for line in re.findall(r"^  (?:-\w, |    )--.*", text, re.M):
                self.assertRegex(line, r"^.{6}--[\w-]+( \S+)?  +\S", command)

    def test_what_is_wanted_most_comes_first(self):
        text = self.help_of("compare")
        order = ["  -m, --model", "Results:", "Statistics:", "Reading, ", "Decoding:", "Learning:", "Messages:", "Help:", "Strategies:", "Example:"]
        places = [text.index("\n" + name) for name in order]
        self.assertEqual(places, sorted(places))

    def test_strategies_are_named(self):
        for command in ("compare", "decode"):
            self.assertIn("\n  online:LAG  ", self.help_of(command))

    def test_manual_page(self):
        page = self.statepath("help", "--man", stderr="").stdout
        for command in self.commands:
            self.assertIn('.SS "statepath %s"' % command, page)
            for option in re.findall(r"^.{6}(--[\w-]+)", self.help_of(command), re.M):
                if option not in ("--help", "--version"):
                    self.assertIn(option.replace("-", "\\-"), page)
        if not shutil.which("groff"):
            self.skipTest("no groff to read the page")
        self.write("statepath.1", page)
        done = subprocess.run(["groff", "-man", "-ww", "-Tutf8", "statepath.1"], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("EXIT STATUS", re.sub(r"\x1b\[[0-9;]*m|.\x08", "", done.stdout))

    def complete(self, *words):
        """What bash offers for the last of the words."""
        self.write("completion", self.statepath("help", "--completion", stderr="").stdout)
        script = '. ./completion; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _statepath; printf "%s\\n" "${COMPREPLY[@]}"'
        done = subprocess.run(["bash", "-c", script, "bash", st.PROGRAM, *words], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.split()

    def test_completion(self):
        if not shutil.which("bash"):
            self.skipTest("no bash")
        self.write("rules.json", "{}")
        self.assertEqual(self.complete("comp"), ["compare"])
        self.assertEqual(self.complete("help", "ins"), ["inspect"])
        self.assertEqual(self.complete("compare", "a.h5", "--on-infeasible", "re"), ["report", "relax"])
        self.assertEqual(self.complete("decode", "--strat"), ["--strategy"])
        self.assertEqual(self.complete("decode", "--model", "sleep-s"), ["sleep-strict"])
        self.assertEqual(self.complete("decode", "--model", "ru"), ["rules.json"])
        self.assertEqual(self.complete("model", ""), ["list", "show", "check", "new"])
        for command in self.commands:
            shown = re.findall(r"^.{6}(--[\w-]+)", self.help_of(command), re.M)
            self.assertEqual(self.complete(command, "x.h5", "--"), shown, command)


st.main()

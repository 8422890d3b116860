"""What --help prints fits 80 columns and can be read; the manual pages say the same as it does."""
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

    def page(self, *command):
        """A manual page, and what the reader of it sees; each reader at hand finds nothing to say of it."""
        name = "-".join(("statepath", *command)) + ".1"
        self.write(name, self.statepath("help", "man", *command, stderr="").stdout)
        if not shutil.which("groff"):
            self.skipTest("no groff to read the page")
        readers = [["groff", "-man", "-ww", "-Kutf8", "-Tutf8", name]]
        if shutil.which("man"):
            readers.append(["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", name])
        if shutil.which("mandoc"):
            readers.append(["mandoc", "-Tlint", "-Wall", name])
        shown = []
        for reader in readers:
            done = subprocess.run(reader, cwd=self.folder, capture_output=True, text=True, env=dict(os.environ, LC_ALL="C.UTF-8"))
            # A page has no date: the same sources give the same bytes.
            said = [line for line in (done.stdout if reader[0] == "mandoc" else done.stderr).splitlines() if "missing date" not in line]
            self.assertEqual(said, [], reader)
            shown.append(re.sub(r"\x1b\[[0-9;]*m|.\x08", "", done.stdout))
        self.assertNotEqual(shown[0], "")
        return self.read(name).decode(), shown[0]

    def test_manual_page_of_the_program(self):
        source, shown = self.page()
        for command in self.commands:
            self.assertIn(".BR statepath\\-%s (1)" % command, source)
        for part in ("SYNOPSIS", "STRATEGIES", "EXIT STATUS", "ENVIRONMENT", "SEE ALSO", "posterior-viterbi"):
            self.assertIn(part, shown)

    def test_manual_page_of_each_command(self):
        for command in self.commands:
            with self.subTest(command=command):
                source, shown = self.page(command)
                self.assertRegex(shown, r"(?m)^NAME\n +statepath-%s +- +\w" % command)
                options = re.findall(r"^.{6}(--[\w-]+)", self.help_of(command), re.M)
                self.assertEqual(re.findall(r"(?m)^ {7}(?:-\w, )?(--[\w-]+)", shown), options)
                example = self.help_of(command).split("\nExample:\n")[1].splitlines()[0].strip()
                self.assertIn(example, " ".join(shown.split()) if len(example) > 70 else shown)
        self.assertIn("KIND is bio, bioes,", " ".join(self.page("model")[1].split()))

    def test_manual_page_of_no_command(self):
        self.refuses("help", "man", "decod", sentence='"decod" is not a command; did you mean "decode"?', status=2)


st.main()

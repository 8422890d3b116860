"""The completion of bash, zsh and fish, by the shells themselves: what is typed, then the tabulator, then what the shell would run."""
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import time

import statepath_test as st

WITH_PROGRAM = os.path.dirname(st.PROGRAM) + os.pathsep + os.environ["PATH"]  # the shell's function asks it
MODELS = ["actions-coffee", "entities-conll", "membrane-helix", "sleep-aasm", "sleep-clinical", "sleep-permissive", "sleep-rodent", "sleep-strict", "sleep-textbook"]
SLEEP = [name for name in MODELS if name.startswith("sleep-")]


class Typed:
    """A shell on a terminal of its own. Its `statepath` writes its words to a file."""

    def __init__(self, folder, command, start):
        self.folder = folder
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.chdir(folder)
            environment = {"PATH": WITH_PROGRAM, "HOME": folder, "TERM": "dumb", "LC_ALL": "C.UTF-8", "PS1": "$ "}
            os.execvpe(command[0], command, environment)
        self.shown = b""
        self.send(start + "\nprintf 'be%s\\n' gun\n")
        self.wait_for(lambda: b"\nbegun" in self.shown.replace(b"\r", b""))

    def send(self, text):
        os.write(self.terminal, text.encode())

    def wait_for(self, is_there, seconds=60):
        end = time.monotonic() + seconds
        while not is_there():
            if select.select([self.terminal], [], [], 0.05)[0]:
                self.shown += os.read(self.terminal, 65536)
            elif time.monotonic() > end:
                raise AssertionError("the shell says nothing more; so far:\n" + self.shown.decode(errors="replace"))

    def run(self, line):
        """The words that `statepath` gets when `line` is typed, \\t in it being the tabulator."""
        file = os.path.join(self.folder, "words")
        if os.path.exists(file):
            os.remove(file)
        for part in re.split("(\t)", line):
            self.send(part)
        self.send("\n")
        self.wait_for(lambda: os.path.exists(file))
        with open(file, encoding="utf-8") as f:
            return f.read().split("\n")[:-1]

    def close(self):
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)
        os.close(self.terminal)


# A function of bash and zsh.
STAND_IN = "statepath() { printf '%s\\n' \"$@\" >words.part; mv words.part words; }"

# What is typed, and the words that come of it: alike in bash and zsh.
TYPED = [
    ("comp\t", ["compare"]),
    ("help comple\t ba\t", ["help", "completion", "bash"]),
    ("help man dec\t", ["help", "man", "decode"]),
    ("decode a.h5 --strat\t", ["decode", "a.h5", "--strategies"]),
    ("decode --model sleep-st\t", ["decode", "--model", "sleep-strict"]),
    ("decode -m sleep-st\t", ["decode", "-m", "sleep-strict"]),
    ("decode --model ru\t", ["decode", "--model", "rules.json"]),
    ("decode --on-infeasible rel\t", ["decode", "--on-infeasible", "relax"]),
    ("decode --strategies posterior-\t", ["decode", "--strategies", "posterior-viterbi"]),
    ("decode --strategies be\t8", ["decode", "--strategies", "beam:8"]),
    ("compare --strategies argmax,vi\t", ["compare", "--strategies", "argmax,viterbi"]),
    ("compare --strategies argmax,beam:8,vi\t", ["compare", "--strategies", "argmax,beam:8,viterbi"]),
    ("fit --rules se\t", ["fit", "--rules", "seen"]),
    ("fit --for me\t", ["fit", "--for", "mea"]),
    ("compare --fail-if mask_\t", ["compare", "--fail-if", "mask_ceiling"]),
    ("compare --fail-if 'viterbi.kappa < argmax.kap\t - 0.01'", ["compare", "--fail-if", "viterbi.kappa < argmax.kappa - 0.01"]),
    ("model ch\t ru\t", ["model", "check", "rules.json"]),
    ("model new left\t", ["model", "new", "left-right"]),
    ("mask soft\t ni\t", ["mask", "softmax", "night.h5"]),
    ("decode ni\t", ["decode", "night.h5"]),
    ("simulate ru\t", ["simulate", "rules.json"]),
]


class TestCompletion(st.TestCase):
    def setUp(self):
        super().setUp()
        self.commands = re.findall(r"^  (\w+)  +", self.statepath("--help", stderr="").stdout, re.M)
        self.write("rules.json", "{}")
        self.write("night.h5", "")

    def need(self, shell):
        if not shutil.which(shell):
            self.skipTest("no " + shell)
        self.script = self.statepath("help", "completion", shell, stderr="").stdout

    def options_of(self, command):
        return re.findall(r"^.{6}(--[\w-]+)", self.statepath(command, "--help", stderr="").stdout, re.M)

    def check_typed(self, shell):
        for line, words in TYPED:
            with self.subTest(line=line):
                got = shell.run("statepath " + line)
                got = [word.rstrip(", ") for word in got]  # zsh takes the comma away at a blank, not at the end of the line
                self.assertEqual(got, words)

    def test_unknown_shell(self):
        self.refuses("help", "completion", "ksh", sentence='there is no completion for "ksh"; the shells are bash, zsh and fish', status=2)
        self.refuses("help", "completion", sentence='there is no completion for ""; the shells are bash, zsh and fish', status=2)

    # ---- bash ----

    def bash(self, *words):
        """What bash offers for the last of the words, as its line editor would cut them."""
        self.write("script", self.script)
        ask = '. ./script; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _statepath; printf "%s\\n" "${COMPREPLY[@]}"'
        done = subprocess.run(["bash", "-c", ask, "bash", "statepath", *words], cwd=self.folder, capture_output=True, text=True,
                              env=dict(os.environ, PATH=WITH_PROGRAM))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.split()

    def test_bash_offers(self):
        self.need("bash")
        self.assertEqual(self.bash(""), [*self.commands, "help", "--help", "--version"])
        self.assertEqual(self.bash("compare", "a.h5", "--on-infeasible", "re"), ["report", "relax"])
        self.assertEqual(self.bash("decode", "--model", "sleep-"), SLEEP)
        self.assertEqual(self.bash("decode", "--model", "=", "sleep-s"), ["sleep-strict"])
        self.assertEqual(self.bash("decode", "--model", "="), [*MODELS, "rules.json"])
        self.assertEqual(self.bash("decode", "--nbest", ""), [])
        self.assertEqual(self.bash("model", ""), ["list", "show", "check", "new", "point"])
        self.assertEqual(self.bash("mask", ""), ["leak", "softmax", "apply"])
        self.assertEqual(self.bash("help", ""), [*self.commands, "figures", "schema", "man", "completion"])
        for command in self.commands:
            self.assertEqual(self.bash(command, "x.h5", "--"), self.options_of(command), command)

    def test_bash_typed(self):
        self.need("bash")
        self.write("script", self.script)
        shell = Typed(self.folder, ["bash", "--norc", "--noprofile", "-i"], "bind 'set enable-bracketed-paste off'; . ./script; " + STAND_IN)
        self.addCleanup(shell.close)
        self.check_typed(shell)

    # ---- zsh ----

    def test_zsh_typed(self):
        """The script lies in a folder of $fpath, as installed."""
        self.need("zsh")
        os.mkdir(self.path("functions"))
        self.write("functions/_statepath", self.script)
        shell = Typed(self.folder, ["zsh", "-f", "-i"],
                      "fpath=($PWD/functions $fpath); autoload -U compinit; compinit -u -D; unsetopt zle_bracketed_paste; " + STAND_IN)
        self.addCleanup(shell.close)
        self.check_typed(shell)
        for command in self.commands:  # each option that no other begins with, in turn
            options = self.options_of(command)
            alone = [o for o in options if not any(p != o and p.startswith(o[:-1]) for p in options)]
            for option in alone[:: max(1, len(alone) // 4)]:
                with self.subTest(command=command, option=option):
                    got = shell.run("statepath %s %s\t" % (command, option[:-1]))
                    self.assertEqual([word.rstrip("=") for word in got], [command, option])

    def test_zsh_sourced(self):
        self.need("zsh")
        self.write("script", self.script)
        shell = Typed(self.folder, ["zsh", "-f", "-i"], "autoload -U compinit; compinit -u -D; . ./script; " + STAND_IN)
        self.addCleanup(shell.close)
        self.assertEqual(shell.run("statepath decode --model sleep-st\t"), ["decode", "--model", "sleep-strict"])

    # ---- fish ----

    def fish(self, *lines):
        """What fish offers for the last word of each line."""
        self.write("script.fish", self.script)
        ask = "".join("complete -C %s; echo ----;" % ("'statepath %s'" % line.replace("'", "\\'")) for line in lines)
        environment = dict(os.environ, PATH=WITH_PROGRAM, HOME=self.folder, XDG_CONFIG_HOME=self.folder, XDG_DATA_HOME=self.folder, LC_ALL="C.UTF-8")
        done = subprocess.run(["fish", "--no-config", "-c", "source script.fish; " + ask], cwd=self.folder, env=environment,
                              capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return [[line.split("\t")[0] for line in part.splitlines()] for part in done.stdout.split("----\n")[:-1]]

    def test_fish(self):
        self.need("fish")
        expected = {
            "comp": ["compare"], "help comple": ["completion"], "help completion b": ["bash"], "help man dec": ["decode"],
            "decode --model sleep-": SLEEP, "decode -m sleep-s": ["sleep-strict"], "decode --model=sleep-s": ["--model=sleep-strict"],
            "decode --model ru": ["rules.json"], "decode --on-infeasible re": ["relax", "report"], "decode --nbest ": [],
            "decode --strategies posterior-": ["posterior-viterbi"], "decode --strategies be": ["beam:"],
            "compare --strategies argmax,vi": ["argmax,viterbi"], "fit --rules se": ["seen"], "fit --for me": ["mea"],
            "compare --fail-if mask_ceiling": ["mask_ceiling", "mask_ceiling_infeasible"],
            "compare --fail-if 'viterbi.kappa < argmax.kappa_s": ["viterbi.kappa < argmax.kappa_se"],
            "model ": ["check", "list", "new", "point", "show"], "model check ru": ["rules.json"], "model new left": ["left-right"],
            "mask soft": ["softmax"], "mask softmax ni": ["night.h5"], "decode ni": ["night.h5"],
        }
        for line, got in zip(expected, self.fish(*expected)):
            self.assertEqual(sorted(got), expected[line], line)

    def test_fish_offers_each_option(self):
        self.need("fish")
        for command, got in zip(self.commands, self.fish(*("%s x.h5 --" % command for command in self.commands))):
            self.assertEqual(sorted(got), sorted(self.options_of(command)), command)


st.main()

"""Outputs: whole or not at all, whatever call of the system fails; never an input; never wider permissions; nothing left over."""
import fcntl
import json
import os
import re
import resource
import shutil
import signal
import socket
import stat
import struct
import subprocess
import time
import unittest

import h5py
import numpy as np

import statepath_test as st

MODEL = {"statepath_model": 1, "name": "m", "classes": ["a", "b", "c"], "forbid": {"a": ["c"]}}
SCORES = {"statepath_recipe": 1, "seed": 3, "classes": ["a", "b", "c"], "recordings": 4, "steps": 100,
          "transitions": [[0.9, 0.1, 0], [0, 0.9, 0.1], [0.1, 0, 0.9]],
          "start": {"a": 1}, "classifier": {"confusion": [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]]}}
SIGNALS = {"statepath_recipe": 1, "seed": 3, "classes": ["a", "b", "c"], "recordings": 4, "steps": 12, "start": {"a": 0.5, "b": 0.5},
           "transitions": [[0.9, 0.1, 0], [0, 0.9, 0.1], [0.1, 0, 0.9]],
           "signals": {"rate": 50, "samples": 64, "tones": {"a": [[1, 3]], "b": [[1, 6]], "c": [[1, 10]]}, "channels": [{"noise": 0.3}], "test": 1}}
LIGHT = bool(os.environ.get("STATEPATH_LIGHT"))  # each tenth call
ENVIRONMENT = dict(os.environ, NO_COLOR="1", LC_ALL="C.UTF-8", ASAN_OPTIONS="detect_leaks=0")  # leaks are not looked for under ptrace
OLD = b"the old file\n"


STRACE = ["strace", "-f", "-qq"]
AT_THESE = ["--seccomp-bpf"]  # stops at the named calls only, which is faster, but strace then sends no signals


def has_strace():
    try:
        return subprocess.run([*STRACE, *AT_THESE, "-o", "/dev/null", "-e", "trace=fsync", "-e", "inject=fsync:error=EIO", "true"], capture_output=True).returncode == 0
    except OSError:
        return False


HAS_STRACE = has_strace()
needs_strace = unittest.skipUnless(HAS_STRACE, "needs strace, and the right to trace")


class TestCase(st.TestCase):
    def setUp(self):
        super().setUp()
        os.umask(0o022)
        rng = np.random.default_rng(1)
        self.write("m.json", json.dumps(MODEL))
        self.h5("in.h5", probs=rng.dirichlet([1] * 3, 40), labels=rng.integers(0, 3, 40), offsets=[0, 10, 25, 40], ids=["one", "two", "three"],
                mask=np.ones((40, 3), bool), classes=MODEL["classes"])

    def start(self, *arguments, inject=(), **how):
        """The program, with calls of the system that fail: inject "fsync:error=EIO:when=2"."""
        traced = STRACE + (AT_THESE if all(":error=" in one for one in inject) else []) + ["-o", self.path("trace"), "-e", "trace=" + ",".join(one.split(":")[0] for one in inject)]
        traced += [word for one in inject for word in ("-e", "inject=" + one)]
        return subprocess.Popen([*(traced if inject else []), st.PROGRAM, *arguments], cwd=self.folder, env=ENVIRONMENT, text=True, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, **how)

    def run_with(self, *arguments, inject=(), **how):
        process = self.start(*arguments, inject=inject, **how)
        process.stdout_text, process.stderr_text = process.communicate(timeout=300)
        return process

    def was_injected(self):
        return b"(INJECTED)" in self.read("trace")

    def one_sentence(self, done):
        said = [line for line in done.stderr_text.splitlines() if line.startswith("statepath: ")]
        self.assertEqual(len(said), 1, done.stderr_text)
        return said[0]

    def put_old(self, *names):
        for name in names:
            with open(self.path(name), "wb") as f:
                f.write(OLD)

    def left_over(self):
        return [name for name in self.files() if name.endswith(".tmp")]


@needs_strace
class TestFailingCalls(TestCase):
    """Each call of a kind fails in its turn: either the output is the same, byte by byte, or the old one stands and a sentence says why."""

    CALLS = [("pwrite64", "ENOSPC"), ("pwrite64", "EIO"), ("ftruncate", "EFBIG"), ("fsync", "EIO"), ("close", "EIO"), ("close", "EDQUOT"),
             ("rename", "ENOSPC"), ("lseek", "EIO")]
    BEFORE_MAIN = {}

    def calls_before_main(self, call):
        """How many such calls the loader and the sanitizers make: they are not the program's, and the sanitizers make 29 close() of them."""
        if call not in self.BEFORE_MAIN:
            subprocess.run([*STRACE, "-o", self.path("trace"), "-e", "trace=" + call, st.PROGRAM, "--version"], env=ENVIRONMENT, check=True, capture_output=True)
            self.BEFORE_MAIN[call] = self.read("trace").count(b" %s(" % call.encode())
        return self.BEFORE_MAIN[call]

    def check(self, command, outputs, calls=None, first=1):
        command = [*command, "--force"]
        self.put_old(*outputs)
        self.statepath(*command)
        wanted = {name: self.read(name) for name in outputs}
        before = [name for name in self.files() if name != "trace"]
        tried = 0
        for call, error in calls or self.CALLS:
            for n in range(max(first, self.calls_before_main(call)), 1000, 10 if LIGHT else 1):
                self.put_old(*outputs)
                done = self.run_with(*command, inject=["%s:error=%s:when=%d" % (call, error, n)])
                if not self.was_injected():
                    break
                if "error while loading shared libraries" in done.stderr_text:
                    continue  # the program did not start
                tried += 1
                said = "%s: %s number %d fails with %s: status %d, %s" % (command, call, n, error, done.returncode, done.stderr_text)
                found = {name: self.read(name) for name in outputs}
                self.assertGreaterEqual(done.returncode, 0, said)
                if done.returncode == 0:
                    self.assertEqual([name for name in outputs if found[name] != wanted[name]], [], said)
                else:
                    sentence = self.one_sentence(done)
                    self.assertNotRegex(sentence, "file descriptor|buf = ", said)
                    for name in outputs:
                        self.assertIn(found[name], (OLD,) if len(outputs) == 1 else (OLD, wanted[name]), said)
                    if call in ("pwrite64", "fsync", "rename"):
                        self.assertRegex(sentence, r"^statepath: (%s): cannot be written.*; the old file is untouched" % "|".join(outputs), said)
                self.assertEqual([name for name in self.files() if name != "trace"], before, said)
        self.assertGreater(tried, 0 if LIGHT else 1)

    def test_decode(self):
        self.check(["decode", "in.h5", "-m", "m.json", "-o", "out.h5"], ["out.h5"])

    def test_decode_with_everything(self):
        self.check(["decode", "in.h5", "-m", "m.json", "--confidence", "--nbest", "2", "-o", "out.h5"], ["out.h5"], self.CALLS[:2])

    def test_many_names(self):
        """So many that the names do not fit into what HDF5 keeps in memory until the end."""
        n = 3000
        self.h5("many.h5", probs=np.full((n, 3), 1 / 3), offsets=np.arange(n + 1), ids=["recording number %06d" % i for i in range(n)],
                classes=MODEL["classes"])
        self.check(["decode", "many.h5", "-m", "m.json", "-o", "out.h5"], ["out.h5"], self.CALLS[:1])

    def test_thread(self):
        """So much that a thread of its own writes; calls are counted for each thread, and the first makes some 14."""
        n = 2400000
        self.h5("long.h5", probs=np.full((n, 3), 1 / 3, np.float32), classes=MODEL["classes"])
        self.check(["decode", "long.h5", "-m", "m.json", "--confidence", "-o", "out.h5"], ["out.h5"], self.CALLS[:1], first=15)

    def test_simulate(self):
        self.write("r.json", json.dumps(SCORES))
        self.write("s.json", json.dumps(SIGNALS))
        self.check(["simulate", "r.json", "-o", "out.h5"], ["out.h5"])
        self.check(["simulate", "s.json", "-o", "out.h5"], ["out.h5"], self.CALLS[:4])

    def test_models(self):
        self.check(["fit", "in.h5", "--rules", "m.json", "-o", "out.json"], ["out.json"])
        self.check(["model", "new", "bio", "--types", "X", "-o", "out.json"], ["out.json"], self.CALLS[:4])

    def test_train_and_predict(self):
        self.write("s.json", json.dumps(SIGNALS))
        self.statepath("simulate", "s.json", "-o", "signals.h5")
        self.check(["train", "signals.h5", "--epochs", "1", "--threads", "1", "-o", "out.h5"], ["out.h5"], self.CALLS[:4])
        self.statepath("train", "signals.h5", "--epochs", "1", "--threads", "1", "-o", "w.h5")
        self.check(["predict", "signals.h5", "--weights", "w.h5", "-o", "out.h5"], ["out.h5"], self.CALLS[:4])

    def test_reports(self):
        compare = ["compare", "in.h5", "-m", "m.json", "-s", "viterbi"]
        outputs = {"--json": "o.json", "--csv": "o.csv", "--markdown": "o.md", "--latex": "o.tex", "-o": "o.h5"}
        for option, name in outputs.items():
            with self.subTest(option=option):
                self.check(compare + [option, name], [name], self.CALLS[:4])
        self.check(compare + ["--json", "o.json", "-o", "o.h5", "--csv", "o.csv"], ["o.json", "o.h5", "o.csv"], self.CALLS[:1] + self.CALLS[3:4])

    def test_pages(self):
        self.check(["compare", "in.h5", "-m", "m.json", "-s", "viterbi", "--report", "o.html"], ["o.html"], self.CALLS[:4])

    def test_masks(self):
        self.check(["mask", "softmax", "in.h5", "-o", "out.h5"], ["out.h5"], self.CALLS[:4])
        self.check(["mask", "leak", "in.h5", "--json", "o.json"], ["o.json"], self.CALLS[:4])

    def test_reasons(self):
        """What, why, and what is left."""
        for error, why in [("ENOSPC", "the disk is full (No space left on device); %s; free some space or write elsewhere"),
                           ("EIO", "the disk failed (Input/output error); %s"),
                           ("EDQUOT", "your share of the disk is used up (Disk quota exceeded); %s; free some of it or write elsewhere")]:
            for left in ("nothing was written", "the old file is untouched"):
                for n in (1, 2):
                    with self.subTest(error=error, left=left, n=n):
                        for name in ("out.h5", "o.json"):
                            if os.path.exists(self.path(name)):
                                os.remove(self.path(name))
                        if left.startswith("the old"):
                            self.put_old("out.h5", "o.json")
                        done = self.run_with("decode", "in.h5", "-m", "m.json", "-o", "out.h5", "-f", inject=["pwrite64:error=%s:when=%d" % (error, n)])
                        self.assertEqual((done.returncode, done.stderr_text), (1, "statepath: out.h5: cannot be written, %s\n" % (why % left)))
                        if n == 1:
                            done = self.run_with("compare", "in.h5", "-m", "m.json", "--json", "o.json", "-f", inject=["pwrite64:error=" + error])
                            self.assertEqual((done.returncode, done.stderr_text), (1, "statepath: o.json: cannot be written, %s\n" % (why % left)))


@needs_strace
class TestTogether(TestCase):
    """The outputs of a run become visible together, or none does."""

    NAMES = ["o.csv", "o.h5", "o.html", "o.json", "o.md", "o.tex"]
    COMPARE = ["compare", "in.h5", "-m", "m.json", "-s", "viterbi", "--json", "o.json", "--csv", "o.csv", "--markdown", "o.md", "--latex", "o.tex",
               "--report", "o.html", "-o", "o.h5", "--force"]

    def test_all_are_complete_before_the_first_is_renamed(self):
        done = self.run_with(*self.COMPARE, "--figures", "figures", inject=["fsync:delay_enter=0", "rename:delay_enter=0", "link:delay_enter=0"])
        self.assertEqual(done.returncode, 0, done.stderr_text)
        calls = re.findall(r"(fsync|rename|link)\(([^)]*)", self.read("trace").decode())
        names = [i for i, (call, _) in enumerate(calls) if call != "fsync"]
        figures = len(os.listdir(self.path("figures")))
        self.assertEqual(len(names), len(self.NAMES) + figures)
        self.assertGreater(figures, 2)
        self.assertEqual([call for call, _ in calls[:names[0]]], ["fsync"] * len(names))

    def test_none_is_seen_where_one_fails(self):
        for call, error in (("fsync", "EIO"), ("pwrite64", "ENOSPC")):
            for n in range(1, 100):
                self.put_old(*self.NAMES)
                done = self.run_with(*self.COMPARE, inject=["%s:error=%s:when=%d" % (call, error, n)])
                if not self.was_injected() or done.returncode == 0:
                    break
                self.assertEqual(done.returncode, 1, done.stderr_text)
                self.assertEqual([self.read(name) for name in self.NAMES], [OLD] * 6, done.stderr_text)
                self.assertNotIn("wrote", done.stderr_text)
            self.assertGreater(n, 6)
        self.assertEqual(self.left_over(), [])

    def test_a_rename_that_fails_says_what_is_new(self):
        self.put_old(*self.NAMES)
        done = self.run_with(*self.COMPARE, inject=["rename:error=EIO:when=3"])
        self.assertEqual(done.returncode, 1)
        self.assertRegex(self.one_sentence(done), r"^statepath: o\.\w+: cannot be written, the disk failed \(Input/output error\); the old file is "
                                                  r"untouched; 2 of the 5 other outputs are in place already$")
        self.assertEqual(sum(self.read(name) == OLD for name in self.NAMES), 4)
        self.assertEqual(self.left_over(), [])


class TestMessages(TestCase):
    def test_messages_come_after_the_results(self):
        """Also where both streams are one file: no message stands in the middle of a line of the table."""
        command = ["compare", "in.h5", "-m", "m.json", "--json", "o.json", "--csv", "o.csv", "--fail-if", "viterbi.accuracy < 2", "-f"]
        apart = self.statepath(*command, status=4)
        one = subprocess.run([st.PROGRAM, *command], cwd=self.folder, env=ENVIRONMENT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual((one.returncode, one.stdout), (4, apart.stdout + apart.stderr))
        self.assertEqual(apart.stderr.count("wrote"), 2)

    def test_messages_of_a_stream(self):
        text = "0.8 0.1 0.1\n0.1 0.8 0.1\n" * 3000 + "0.1 x 0.8\n"
        done = subprocess.run([st.PROGRAM, "stream", "-m", "m.json", "--lag", "0", "--kind", "probs"], cwd=self.folder, env=ENVIRONMENT, text=True, input=text,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, 1)
        lines = done.stdout.splitlines()
        self.assertTrue(lines[-1].startswith("statepath: "), lines[-1])
        self.assertEqual(sum("statepath: " in line for line in lines), 1)


class TestDisks(TestCase):
    def test_small_disk(self):
        """A real file system that is full."""
        os.mkdir(self.path("disk"))
        decode = '"%s" decode in.h5 -m m.json -o disk/out.h5 -f' % st.PROGRAM
        script = "mount -t tmpfs -o size=%dk none disk || exit 99\n%s"
        run = ["unshare", "-rm", "sh", "-c"]
        if not shutil.which("unshare") or subprocess.run([*run, script % (4, "true")], cwd=self.folder, capture_output=True).returncode != 0:
            self.skipTest("needs the right to mount a tmpfs")
        done = subprocess.run([*run, script % (4, 'printf old >disk/out.h5\n%s\nr=$?\ncat disk/out.h5; ls -A disk; exit $r' % decode)], cwd=self.folder,
                              env=ENVIRONMENT, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (1, "oldout.h5\n"), done.stderr)
        self.assertRegex(done.stderr, r"^statepath: disk/out.h5: cannot be written, .*; the old file is untouched; free some space or write elsewhere\n$")
        done = subprocess.run([*run, script % (400, decode)], cwd=self.folder, env=ENVIRONMENT, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_full_device(self):
        done = self.run_with("compare", "in.h5", "-m", "m.json", "--json", "/dev/full", "--csv", "o.csv")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(self.one_sentence(done), "statepath: /dev/full: cannot be written (No space left on device)")
        self.assertFalse(os.path.exists(self.path("o.csv")))  # nor the others

    def test_size_limit(self):
        self.put_old("out.h5")
        done = self.run_with("decode", "in.h5", "-m", "m.json", "-o", "out.h5", "-f",
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000)))
        self.assertEqual((done.returncode, done.stderr_text), (1, "statepath: out.h5: cannot be written, the file would be larger than allowed here "
                                                                  "(File too large); the old file is untouched; see ulimit -f\n"))
        self.assertEqual(self.read("out.h5"), OLD)


class TestInputs(TestCase):
    """What is read is never written, by whatever command, option and name."""

    def setUp(self):
        super().setUp()
        self.write("r.json", json.dumps(SCORES))
        self.write("s.json", json.dumps(SIGNALS))
        self.write("map.txt", "0=a,1=b,2=c")
        self.statepath("decode", "in.h5", "-m", "m.json", "-o", "p.h5")
        self.statepath("simulate", "s.json", "-o", "signals.h5")
        self.statepath("train", "signals.h5", "--epochs", "1", "-o", "w.h5")

    def test_every_input_of_every_command(self):
        compare = ["compare", "in.h5", "-m", "m.json"]
        evaluate = ["evaluate", "p.h5", "--labels", "in.h5", "-m", "m.json"]
        results = ["--report", "--json", "--csv", "--markdown", "--latex"]
        cases = [(compare, [*results, "-o"], ["in.h5", "m.json"]),
                 (compare + ["--map", "map.txt"], ["--json"], ["map.txt"]),
                 (compare + ["--cv", "2", "--rules", "copy.json"], ["--json", "-o"], ["copy.json"]),
                 (["decode", "in.h5", "-m", "m.json"], ["-o"], ["in.h5", "m.json"]),
                 (evaluate, results, ["p.h5", "in.h5", "m.json"]),
                 (evaluate + ["--map", "map.txt"], ["--csv"], ["map.txt"]),
                 (evaluate + ["--map", "map.txt"], ["--csv"], ["map.txt"]),
                 (["fit", "in.h5", "--rules", "m.json"], ["-o"], ["in.h5", "m.json"]),
                 (["fit", "in.h5", "--rules", "m.json", "--map", "map.txt"], ["-o"], ["map.txt"]),
                 (["mask", "leak", "in.h5"], ["--json"], ["in.h5"]), (["mask", "leak", "in.h5", "-m", "m.json"], ["--json"], ["m.json"]),
                 (["mask", "softmax", "in.h5"], ["-o"], ["in.h5"]), (["model", "new", "from-labels", "in.h5"], ["-o"], ["in.h5"]),
                 (["simulate", "r.json"], ["-o"], ["r.json"]), (["simulate", "s.json"], ["-o"], ["s.json"]),
                 (["train", "signals.h5", "--epochs", "1", "-m", "m.json", "--masking", "random-previous"], ["-o"], ["signals.h5", "m.json"]),
                 (["train", "signals.h5", "--epochs", "1", "-o", "new.h5"], ["--report"], ["signals.h5"]),
                 (["predict", "signals.h5", "--weights", "w.h5"], ["-o"], ["signals.h5", "w.h5"])]
        shutil.copy(self.path("m.json"), self.path("copy.json"))
        os.mkdir(self.path("folder"))
        kept = {name: self.read(name) for name in ("in.h5", "m.json", "copy.json", "r.json", "s.json", "map.txt", "p.h5", "signals.h5", "w.h5")}
        for command, options, inputs in cases:
            for option in options:
                for name in inputs:
                    names = [name, "./folder/../" + name, self.path(name), "soft", "hard"]
                    os.symlink(name, self.path("soft"))
                    os.link(self.path(name), self.path("hard"))
                    for output in names:
                        with self.subTest(command=command, option=option, output=output):
                            done = self.statepath(*command, option, output, "--force", status=2, stdout="")
                            by = "" if output == name else r" %s by another name" % re.escape(name)
                            self.assertRegex(done.stderr, r"^statepath: %s: is the [a-z ]*?%s, which is never written to; give the output another name\n$"
                                             % (re.escape(output), by))
                            self.assertEqual({one: self.read(one) for one in kept}, kept)
                    os.remove(self.path("soft"))
                    os.remove(self.path("hard"))
        self.assertFalse(os.path.exists(self.path("new.h5")))

    def test_two_outputs_are_two_files(self):
        compare = ["compare", "in.h5", "-m", "m.json"]
        os.mkdir(self.path("d"))
        os.symlink("d", self.path("e"))
        os.symlink("there", self.path("to-there"))
        self.put_old("there", "one")
        os.link(self.path("one"), self.path("two"))
        for a, b in [("d/x", "e/x"), ("x", "./x"), ("x", self.path("x")), ("to-there", "there"), ("one", "two")]:
            for first, second in [("--json", "--csv"), ("--report", "-o")]:
                with self.subTest(a=a, b=b, first=first):
                    self.refuses(*compare, first, a, second, b, "--force", status=2,
                                 sentence="two results would be written to one file, %s and %s; name two files" % (a, b))
        self.assertEqual((self.read("there"), self.read("one"), os.listdir(self.path("d"))), (OLD, OLD, []))
        self.refuses("train", "signals.h5", "-o", "x", "--report", "./x", status=2,
                     sentence="two results would be written to one file, ./x and x; name two files")
        self.statepath(*compare, "--json", "/dev/null", "--csv", "/dev/null", "--report", "d/x", "--latex", "x")

    def test_standard_output_is_an_output(self):
        for words, wanted in [("--json table >table", "statepath: two results would be written to one file, table and standard output; name two files\n"),
                              ("--json x >>in.h5", "statepath: standard output: is the input file in.h5 by another name, which is never written to; "
                                                   "give the output another name\n")]:
            kept = self.read("in.h5")
            done = subprocess.run('"%s" compare in.h5 -m m.json %s' % (st.PROGRAM, words), shell=True, cwd=self.folder, capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (2, wanted))
            self.assertEqual(self.read("in.h5"), kept)

    def test_models_go_to_standard_output(self):
        self.assertIn('"bio"', self.statepath("model", "new", "bio", "--types", "X", "-o", "-", stderr="").stdout)
        self.assertIn('"classes"', self.statepath("fit", "in.h5", "--rules", "m.json", "-o", "-").stdout)


class TestPermissions(TestCase):
    def mode(self, name):
        return stat.S_IMODE(os.stat(self.path(name)).st_mode)

    def test_mode_is_kept(self):
        outputs = [(["decode", "in.h5", "-m", "m.json", "-o"], "out.h5"), (["compare", "in.h5", "-m", "m.json", "--json"], "o.json"),
                   (["fit", "in.h5", "--rules", "m.json", "-o"], "fit.json")]
        for command, name in outputs:
            for mode in (0o600, 0o640, 0o664, 0o444, 0o666):
                for content in (OLD, b""):
                    with self.subTest(name=name, mode=oct(mode), empty=not content):
                        if os.path.exists(self.path(name)):
                            os.remove(self.path(name))
                        with open(self.path(name), "wb") as f:
                            f.write(content)
                        os.chmod(self.path(name), mode)
                        self.statepath(*command, name, "--force")
                        self.assertNotEqual(self.read(name), content)
                        self.assertEqual(oct(self.mode(name)), oct(mode))
        os.symlink("out.h5", self.path("link"))
        os.chmod(self.path("out.h5"), 0o600)
        self.statepath("decode", "in.h5", "-m", "m.json", "-o", "link", "--force")
        self.assertEqual(oct(self.mode("out.h5")), oct(0o600))

    def test_new_files_honour_umask(self):
        for umask in (0o022, 0o077, 0o002):
            os.umask(umask)
            self.addCleanup(os.umask, 0o022)
            self.statepath("decode", "in.h5", "-m", "m.json", "-o", "new%o.h5" % umask)
            self.statepath("compare", "in.h5", "-m", "m.json", "--json", "new%o.json" % umask)
            for name in ("new%o.h5" % umask, "new%o.json" % umask):
                self.assertEqual(oct(self.mode(name)), oct(0o666 & ~umask))

    @needs_strace
    def test_nobody_reads_it_meanwhile(self):
        self.put_old("out.h5")
        os.chmod(self.path("out.h5"), 0o600)
        self.run_with("decode", "in.h5", "-m", "m.json", "-o", "out.h5", "--force", inject=["fsync:signal=SIGKILL:when=1", "fchmod:error=EPERM"])
        (left,) = self.left_over()
        self.assertEqual(oct(self.mode(left)), oct(0o600))

    def test_access_lists(self):
        """Kept; and a folder's default list grants nobody what the old file did not."""
        def entries(*those):
            return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *one) for one in those)
        user, named, group, mask, other, nobody = 1, 2, 4, 16, 32, 2**32 - 1
        mine = entries((user, 6, nobody), (named, 4, 1234), (group, 0, nobody), (mask, 4, nobody), (other, 0, nobody))
        key = "system.posix_acl_access"
        for name in ("out.h5", "bare.h5"):
            self.put_old(name)
        try:
            os.setxattr(self.path("out.h5"), key, mine)
        except OSError:
            self.skipTest("needs a file system with access lists")
        os.chmod(self.path("bare.h5"), 0o640)
        self.statepath("decode", "in.h5", "-m", "m.json", "-o", "out.h5", "--force")
        self.assertEqual((os.getxattr(self.path("out.h5"), key), oct(self.mode("out.h5"))), (mine, oct(0o640)))
        os.setxattr(self.folder, "system.posix_acl_default", mine)
        self.statepath("decode", "in.h5", "-m", "m.json", "-o", "bare.h5", "--force")
        self.assertNotEqual(self.read("bare.h5"), OLD)
        self.assertEqual((os.listxattr(self.path("bare.h5")), oct(self.mode("bare.h5"))), ([], oct(0o640)))

    @unittest.skipUnless(os.geteuid() == 0, "needs the right to give files away")
    def test_owner_and_group(self):
        self.put_old("out.h5")
        os.chown(self.path("out.h5"), 1234, 4321)
        os.chmod(self.path("out.h5"), 0o640)
        self.statepath("decode", "in.h5", "-m", "m.json", "-o", "out.h5", "--force")
        info = os.stat(self.path("out.h5"))
        self.assertEqual((info.st_uid, info.st_gid, oct(stat.S_IMODE(info.st_mode))), (1234, 4321, oct(0o640)))

    @unittest.skipUnless(os.geteuid() == 0 and HAS_STRACE, "needs strace and the right to give files away")
    def test_another_group_gets_no_more_than_everybody(self):
        for mode, wanted in [(0o640, 0o600), (0o664, 0o644), (0o660, 0o600)]:
            self.put_old("out.h5")
            os.chown(self.path("out.h5"), 0, 4321)
            os.chmod(self.path("out.h5"), mode)
            done = self.run_with("decode", "in.h5", "-m", "m.json", "-o", "out.h5", "--force", inject=["fchown:error=EPERM"])
            self.assertEqual(done.returncode, 0, done.stderr_text)
            info = os.stat(self.path("out.h5"))
            self.assertEqual((info.st_gid, oct(stat.S_IMODE(info.st_mode))), (os.getegid(), oct(wanted)))
            os.remove(self.path("out.h5"))


class TestPipes(TestCase):
    """A reader that goes away costs no output file."""

    def run_unread(self, *arguments, stdout=True, stderr=True, ignored=False):
        """Both streams are pipes that nobody reads; returns the exit status and what was said on the stream that is read."""
        ends = {name: subprocess.PIPE if read else os.pipe() for name, read in (("stdout", stdout), ("stderr", stderr))}
        for pair in ends.values():
            if pair != subprocess.PIPE:
                os.close(pair[0])
        process = subprocess.Popen([st.PROGRAM, *arguments], cwd=self.folder, env=ENVIRONMENT, text=True, restore_signals=not ignored,
                                   **{name: pair if pair == subprocess.PIPE else pair[1] for name, pair in ends.items()})
        for pair in ends.values():
            if pair != subprocess.PIPE:
                os.close(pair[1])
        said = process.communicate(timeout=100)
        return process.returncode, said[0] if stdout else said[1]

    def test_files_are_completed(self):
        compare = ["compare", "in.h5", "-m", "m.json", "--latex", "o.tex", "--report", "o.html", "--json", "o.json", "-o", "o.h5", "--force"]
        outputs = ["o.tex", "o.html", "o.json", "o.h5"]
        self.statepath(*compare)
        wanted = {name: self.read(name) for name in outputs}
        for run in range(20):
            for streams, status in [({"stdout": False}, -signal.SIGPIPE), ({"stderr": False}, 0), ({"stdout": False, "stderr": False}, -signal.SIGPIPE)]:
                with self.subTest(run=run, streams=streams):
                    for name in outputs:
                        os.remove(self.path(name))
                    self.assertEqual(self.run_unread(*compare, **streams)[0], status)
                    self.assertEqual({name: self.read(name) for name in outputs}, wanted)
                    self.assertEqual(self.left_over(), [])

    def test_head(self):
        line = '"%s" compare in.h5 -m m.json --latex o.tex --report o.html 2>&1 | head -1' % st.PROGRAM
        for _ in range(20):
            subprocess.run(line, shell=True, cwd=self.folder, env=ENVIRONMENT, stdout=subprocess.DEVNULL, check=True)
            deadline = time.monotonic() + 20  # the shell waits for both
            while not os.path.exists(self.path("o.html")) and time.monotonic() < deadline:
                time.sleep(0.01)
            os.remove(self.path("o.html"))
            os.remove(self.path("o.tex"))

    def test_result_to_a_pipe(self):
        """--json - comes last, so its reader costs no file."""
        status, said = self.run_unread("compare", "in.h5", "-m", "m.json", "--json", "-", "--report", "o.html", "--csv", "o.csv", stdout=False)
        self.assertEqual((status, said), (-signal.SIGPIPE, "wrote o.csv\nwrote o.html\n"))
        self.assertTrue(self.read("o.html").rstrip().endswith(b"</html>"))

    def test_where_pipes_are_ignored(self):
        """nohup and services ignore SIGPIPE: then it is an error like any other."""
        status, said = self.run_unread("compare", "in.h5", "-m", "m.json", "--csv", "o.csv", stdout=False, ignored=True)
        self.assertEqual((status, said), (1, "wrote o.csv\nstatepath: standard output could not be written (Broken pipe)\n"))

    def test_other_statuses_stand(self):
        self.h5("bad.h5", scores=np.array([[0, -np.inf, -np.inf], [-np.inf, -np.inf, 0]]), labels=[0, 2], classes=MODEL["classes"])
        self.assertEqual(self.run_unread("compare", "bad.h5", "-m", "m.json", stdout=False)[0], 3)
        self.assertEqual(self.run_unread("compare", "in.h5", "-m", "m.json", "--fail-if", "viterbi.accuracy < 1", stdout=False)[0], 4)

    def test_stream_ends(self):
        """It does not go on for nobody."""
        line = 'yes "0.2 0.3 0.5" | "%s" stream -m m.json --lag 0 | head -3' % st.PROGRAM
        done = subprocess.run(line, shell=True, cwd=self.folder, env=ENVIRONMENT, capture_output=True, text=True, timeout=60)
        self.assertEqual((len(done.stdout.splitlines()), done.stderr), (3, ""))

    def test_training_goes_on(self):
        self.write("s.json", json.dumps(SIGNALS))
        self.statepath("simulate", "s.json", "-o", "signals.h5")
        train = ["train", "signals.h5", "--epochs", "3", "--threads", "1", "-o", "w.h5", "--force"]
        self.statepath(*train)
        wanted = self.read("w.h5")
        os.remove(self.path("w.h5"))
        self.assertEqual(self.run_unread(*train, stdout=False)[0], -signal.SIGPIPE)
        self.assertEqual(self.read("w.h5"), wanted)


class TestLeftOvers(TestCase):
    """What a killed program left is removed by the next that writes the same output, and nothing else is."""

    decode = ["decode", "in.h5", "-m", "m.json", "-o", "out.h5", "--force"]

    def temporary(self, target="out.h5", host=None):
        return ".%s.77-0@%s.tmp" % (target, host or re.sub(r"[^A-Za-z0-9_.-]", "_", socket.gethostname()))

    @needs_strace
    def test_killed(self):
        for command, name in [(self.decode, "out.h5"), (["compare", "in.h5", "-m", "m.json", "--json", "out.json", "-f"], "out.json"),
                              (["fit", "in.h5", "--rules", "m.json", "-o", "fit.json", "-f"], "fit.json")]:
            with self.subTest(command=command):
                for _ in range(2):
                    self.run_with(*command, inject=["fsync:signal=SIGKILL:when=1"])
                self.assertEqual(len(self.left_over()), 2)
                self.statepath("compare", "in.h5", "-m", "m.json", "--csv", "another", "--force")
                self.assertEqual(len(self.left_over()), 2)
                self.statepath(*command)
                self.assertEqual(self.left_over(), [])
                self.assertTrue(os.path.exists(self.path(name)))

    @needs_strace
    def test_running_writer(self):
        """Held up before it flushes, after HDF5 closed the file and dropped whatever locks closing drops."""
        slow = self.start(*self.decode, inject=["fsync:delay_enter=3000000:when=1"])
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline and not (self.left_over() and b"fsync" in self.read("trace")):
            time.sleep(0.01)
        (temporary,) = self.left_over()
        for _ in range(3):
            self.statepath(*self.decode)
            self.assertEqual(self.left_over(), [temporary])
        said = slow.communicate(timeout=60)
        self.assertEqual((slow.returncode, said), (0, ("", "wrote out.h5\n")))
        self.assertEqual(self.left_over(), [])

    @needs_strace
    def test_writer_between_close_and_rename(self):
        """The lock lasts until the file has its name."""
        slow = self.start(*self.decode, inject=["rename:delay_enter=3000000:when=1"])
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline and not (self.left_over() and b"rename" in self.read("trace")):
            time.sleep(0.01)
        self.statepath(*self.decode)
        self.assertEqual(len(self.left_over()), 1)
        said = slow.communicate(timeout=60)
        self.assertEqual((slow.returncode, said), (0, ("", "wrote out.h5\n")))

    def test_whose(self):
        ours, theirs, other = self.temporary(), self.temporary(host="elsewhere"), self.temporary("other.h5")
        unlike = [".out.h5.77-0.tmp", ".out.h5.x-0@%s.tmp" % socket.gethostname(), ours + "~", ours[1:]]
        for name in [ours, theirs, other, *unlike]:
            self.write(name, "x")
        self.statepath(*self.decode)
        self.assertEqual([name for name in [ours, theirs, other, *unlike] if not os.path.exists(self.path(name))], [ours])

    def test_locked(self):
        ours = self.temporary()
        with open(self.path(ours), "w") as held:
            fcntl.lockf(held, fcntl.LOCK_EX)
            self.statepath(*self.decode)
            self.assertEqual(self.left_over(), [ours])
        self.statepath(*self.decode)
        self.assertEqual(self.left_over(), [])

    def test_no_file(self):
        """Links, folders and pipes of such a name are nobody's left-over."""
        ours = self.temporary()
        self.put_old("kept")
        for make in (lambda p: os.symlink("kept", p), os.mkdir, os.mkfifo):
            make(self.path(ours))
            self.statepath(*self.decode)
            self.assertEqual((self.left_over(), self.read("kept")), ([ours], OLD))
            (os.rmdir if os.path.isdir(self.path(ours)) else os.remove)(self.path(ours))

    def test_long_names(self):
        name = "ä" * 120 + ".h5"
        self.statepath("decode", "in.h5", "-m", "m.json", "-o", name)
        self.assertIn(name, self.files())
        self.assertEqual(self.left_over(), [])

    def test_failed_run_removes_its_own(self):
        done = self.run_with(*self.decode, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000)))
        self.assertEqual(done.returncode, 1)
        self.assertEqual(self.left_over(), [])


@needs_strace
class TestKilled(TestCase):
    def test_text_leaves_nothing(self):
        """Paths as text are kept in a file without name meanwhile; what a kill leaves is removed by the next run, as of all outputs."""
        for ending in ("csv", "npz"):
            self.run_with("decode", "in.h5", "-m", "m.json", "-o", "out." + ending, inject=["fsync:signal=SIGKILL:when=1"])
            self.assertEqual(len(self.left_over()), 1, self.files())
            self.statepath("decode", "in.h5", "-m", "m.json", "-o", "out." + ending)
            self.assertEqual([name for name in self.files() if "out." in name], ["out." + ending])
            os.remove(self.path("out." + ending))


st.main()

"""What the command-line tests share: run the program in an empty folder, compare exactly.

    import statepath_test as st
    class TestDecode(st.TestCase):
        def test_x(self):
            self.statepath("decode", "in.h5", "--model", "m.json", "-o", "out.h5", status=0, stderr="wrote out.h5\n")
    st.main()

The program is $STATEPATH, built in $STATEPATH_BUILD, the project $STATEPATH_SOURCE, real data $STATEPATH_SHARED; CTest sets them. Exit
status 77 = skipped; a test that skips a part says so in a line that begins with "skipped: " (tests/support/skipped.py reads it).
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.environ["STATEPATH"]
SOURCE = os.environ["STATEPATH_SOURCE"]
SHARED = os.environ.get("STATEPATH_SHARED", os.path.join(SOURCE, "..", "shared"))

try:
    import h5py
    import numpy as np
except ImportError:
    print("skipped: needs python3-h5py and python3-numpy")
    sys.exit(77)


STAGES = ["Wake", "N1", "N2", "N3", "REM"]

# Of a file of labels where scores are asked for, after its name.
DECIDED = (' holds decided classes and no scores; --label-confidence P says how often they are right, or a model with a "labeller", which '
           "`statepath fit` learns from them and --labels REFERENCE, does")


class TestCase(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="statepath-test-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def statepath(self, *arguments, status=0, stdout=None, stderr=None, env=None, stdin=None):
        """Runs the program in the test's folder. What is given must be exactly so."""
        environment = dict(os.environ, NO_COLOR="1", LC_ALL="C.UTF-8", **(env or {}))
        done = subprocess.run([PROGRAM, *arguments], cwd=self.folder, env=environment, input=stdin, capture_output=True, text=True, timeout=300)
        said = "$ statepath %s\nstatus %d\n--- stdout\n%s--- stderr\n%s" % (" ".join(arguments), done.returncode, done.stdout, done.stderr)
        self.assertEqual(done.returncode, status, said)
        if stdout is not None:
            self.assertEqual(done.stdout, stdout, said)
        if stderr is not None:
            self.assertEqual(done.stderr, stderr, said)
        return done

    def refuses(self, *arguments, sentence, status=1):
        """The program fails with exactly one sentence on stderr and nothing on stdout."""
        return self.statepath(*arguments, status=status, stdout="", stderr="statepath: %s\n" % sentence)

    def memory(self, *arguments, status=0):
        """What the program says on stderr, and its memory at most, in MB beyond that of `--version`. This process's own counts as the
        program's, too, so nothing large may stand in it."""
        env = dict(os.environ, ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=0")  # freed memory counts as free

        def run(*words):
            done = subprocess.Popen([PROGRAM, *words], cwd=self.folder, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            said = done.stderr.read().decode()
            _, code, usage = os.wait4(done.pid, 0)
            done.stderr.close()
            done.returncode = os.waitstatus_to_exitcode(code)
            return done.returncode, said, usage.ru_maxrss / 1024
        code, said, most = run(*arguments)
        self.assertEqual(code, status, said)
        return said, most - run("--version")[2]

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as out:
            out.write(text)

    def read(self, name):
        with open(self.path(name), "rb") as f:
            return f.read()

    def h5(self, name, **datasets):
        """Writes datasets (a__b is /a/b); `classes` becomes an attribute of the root."""
        with h5py.File(self.path(name), "w") as f:
            if "classes" in datasets:
                f.attrs["classes"] = datasets.pop("classes")
            for key, value in datasets.items():
                f[key.replace("__", "/")] = value

    def arrays(self, name):
        """All that an HDF5 file holds: {"paths/viterbi": array}."""
        found = {}
        with h5py.File(self.path(name)) as f:
            def keep(key, item):
                if isinstance(item, h5py.Dataset):
                    found[key] = item[()]
            f.visititems(keep)
        return found

    def model(self, name, classes="abc", **keys):
        """Writes a model of these classes; without `allow`, `forbid` or the like everything is allowed."""
        says_what_follows = {"allow", "forbid", "matrix", "probabilities", "log_weights"} & set(keys)
        made = {"statepath_model": 1, "name": "m", "classes": list(classes)} | ({} if says_what_follows else {"forbid": {}})
        self.write(name, json.dumps(made | keys))
        return name

    def json(self, name):
        return json.loads(self.read(name))

    def results(self, *arguments, **how):
        """The JSON that a command prints."""
        return json.loads(self.statepath(*arguments, "--json", "-", **how).stdout)

    def files(self):
        return sorted(os.listdir(self.folder))


def shared(*names):
    """Path of a shared file, or None where it is absent."""
    path = os.path.join(SHARED, *names)
    return path if os.path.exists(path) else None


def skip_without_shared():
    if not shared("data"):
        print("skipped: no folder of real data at %s" % SHARED)
        sys.exit(77)


def main():
    result = unittest.main(argv=[sys.argv[0], *sys.argv[1:]], verbosity=1, exit=False).result
    for test, reason in result.skipped:
        print("skipped: %s: %s" % (test.id().split(".")[-1], reason))
    sys.exit(0 if result.wasSuccessful() else 1)

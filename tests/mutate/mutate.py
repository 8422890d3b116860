"""Puts one small bug after the other into a copy of the tree and lists those that no test notices: ./dev mutate.

The bugs stand in bugs.py. The copy and its build are build/mutate/tree and build/mutate/build; your files are only read. A bug is
noticed when a test fails, crashes or takes far too long. First run are the tests that bugs.py names for the file, then the other
compiled tests, last those of the program; each is built just before it is needed, and the first that fails ends the question. What was
noticed is written down in build/mutate/results.json: a second run goes on where the first was stopped, and asks again only about bugs
that survived.
"""
import argparse
import fcntl
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

import bugs

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WORK = os.path.join(ROOT, "build", "mutate")
TREE = os.path.join(WORK, "tree")
BUILD = os.path.join(WORK, "build")
RESULTS = os.path.join(WORK, "results.json")
CHECKED = os.path.join(WORK, "checked.json")
LAST = os.path.join(WORK, "last")  # the file of the last bug
LEFT_OUT = { # what they look at is none of these bugs
    "test_report_browser", "test_what_if_browser", "test_pages_browser", "test_install", "test_readme", "test_mutate_table"}
KERNELS = os.path.join(ROOT, "tests", "mutate", "kernels.cmake")


def say(text):
    print(text, flush=True)


def fail(text):
    sys.exit("mutate: " + text)


def run(command, limit=None, **more):
    """Exit status, all that was printed; status None when it took longer than `limit` seconds."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                               start_new_session=True, **more)
    try:
        out, _ = process.communicate(timeout=limit)
        return process.returncode, out.decode(errors="replace")
    except BaseException as error:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        if isinstance(error, subprocess.TimeoutExpired):
            return None, ""
        raise


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write(path, content):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(content)


def load(path):
    try:
        return json.loads(read(path))
    except (OSError, ValueError):
        return {}


# ---- the table ----

def check_table():
    """Each old text stands exactly once in its file, no bug is there twice, and the tests that are named are there."""
    there = {os.path.splitext(name)[0] for _, _, names in os.walk(os.path.join(ROOT, "tests")) for name in names}
    unknown = {name for _, names in bugs.FIRST for name in names} - there
    if unknown:
        fail("bugs.py names tests that there are not: " + ", ".join(sorted(unknown)))
    seen = set()
    for bug in bugs.BUGS:
        text = read(os.path.join(ROOT, bug.file)).decode()
        if text.count(bug.old) != 1:
            fail("%s (%s): the text stands there %d times, not once:\n%s" % (bug.file, bug.what, text.count(bug.old), bug.old))
        if bug.old == bug.new or (bug.file, bug.old, bug.new) in seen:
            fail("%s (%s): changes nothing, or is listed twice" % (bug.file, bug.what))
        seen.add((bug.file, bug.old, bug.new))


def key_of(bug):
    """A bug in this state of its file: another file is another question."""
    parts = [bug.file.encode(), bug.old.encode(), bug.new.encode(), read(os.path.join(ROOT, bug.file))]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:16]


# ---- the copy ----

def only_one():
    """Two runs at once would put their bugs into one copy."""
    os.makedirs(WORK, exist_ok=True)
    lock = open(os.path.join(WORK, "lock"), "w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        fail("another run is at work in build/mutate")
    return lock


def copy_tree():
    """Brings build/mutate/tree to the state of the tree; files that are the same keep their time, so little is built again.
    Returns what stands for that state."""
    names = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT, check=True,
                           stdout=subprocess.PIPE).stdout.decode().split("\0")
    wanted = {name for name in names if os.path.isfile(os.path.join(ROOT, name)) and not name.startswith("tests/mutate/")}
    for folder, _, files in os.walk(TREE):
        for file in files:
            path = os.path.join(folder, file)
            if os.path.relpath(path, TREE) not in wanted:
                os.remove(path)
    for name in wanted:
        source, target = os.path.join(ROOT, name), os.path.join(TREE, name)
        if not os.path.isfile(target) or read(source) != read(target):
            write(target, read(source))
            shutil.copymode(source, target)
    if os.path.isfile(LAST) and os.path.isfile(os.path.join(TREE, read(LAST).decode())):
        os.utime(os.path.join(TREE, read(LAST).decode()))  # the run was stopped: its object may hold the bug
    everything = b"\0".join(name.encode() + b"\0" + read(os.path.join(ROOT, name)) for name in sorted(wanted))
    return hashlib.sha256(everything).hexdigest()


def build(*targets):
    """Whether the targets were built, and what the compiler said."""
    status, out = run(["cmake", "--build", BUILD, "--target"] + list(targets))
    return status == 0, out


def build_for(tests):
    """Builds what these tests run."""
    good, out = build(*(["all"] if any(test.is_program for test in tests) else [test.name for test in tests]))
    if not good:
        fail("the copy does not compile:\n" + out[-2000:])


def configure():
    """No sanitizers and -O1: what is asked here is whether tests look, and that is asked often. ccache, where there is one, remembers the
    files without their bugs."""
    launcher = shutil.which("ccache") or ""
    linker = "-fuse-ld=lld" if shutil.which("ld.lld") else "" # programs are linked again and again
    status, out = run(["cmake", "-S", TREE, "-B", BUILD, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=None", "-DCMAKE_C_FLAGS=-O1",
                       "-DCMAKE_C_COMPILER_LAUNCHER=" + launcher, "-DCMAKE_EXE_LINKER_FLAGS=" + linker,
                       "-DCMAKE_PROJECT_statepath_INCLUDE=" + KERNELS,
                       "-DSTATEPATH_TESTS=ON", "-DSTATEPATH_SHARED=" + os.path.join(os.path.dirname(ROOT), "shared")])
    if status != 0:
        fail("the copy cannot be configured:\n" + out)


# ---- tests ----

class Test:
    def __init__(self, entry):
        self.name = entry["name"]
        self.command = entry["command"]
        self.folder = BUILD
        self.environment = dict(os.environ)
        for item in entry.get("properties", []):
            if item["name"] == "WORKING_DIRECTORY":
                self.folder = item["value"]
            elif item["name"] == "ENVIRONMENT":
                self.environment.update(pair.split("=", 1) for pair in item["value"])
        self.is_program = not self.command[0].endswith(self.name)
        self.seconds = 0.0

    def passes(self):
        limit = 60 + 20 * self.seconds if self.seconds else 1200
        status, out = run(self.command, limit, cwd=self.folder, env=self.environment)
        return status in (0, 77), "takes too long" if status is None else out


def find_tests():
    """Builds all of the copy, for ctest knows only commands that are there."""
    say("Building without a bug ...")
    good, out = build("all")
    if not good:
        fail("the copy does not build:\n" + out)
    status, out = run(["ctest", "--test-dir", BUILD, "--show-only=json-v1"])
    if status != 0:
        fail("ctest names no tests:\n" + out)
    return [Test(entry) for entry in json.loads(out[out.index("{"):])["tests"] if entry["name"] not in LEFT_OUT]


class Checks:
    """Which tests pass without a bug, in this state of the tree, and how long each takes."""

    def __init__(self, tests, state):
        self.seconds = load(CHECKED)
        if self.seconds.get("state") != state:
            self.seconds = {"state": state}
        for test in tests:
            test.seconds = self.seconds.get(test.name, 0.0)

    def make(self, tests):
        """Checks those that were not checked yet. The copy has no bug in it."""
        new = [test for test in tests if test.name not in self.seconds]
        if not new:
            return
        say("Running %d tests without a bug ..." % len(new))
        build_for(new)
        for test in new:
            start = time.monotonic()
            passed, out = test.passes()
            if not passed:
                fail("%s fails without a bug:\n%s" % (test.name, out))
            test.seconds = self.seconds[test.name] = time.monotonic() - start
            write(CHECKED, json.dumps(self.seconds, indent=1).encode())


def stages(bug, tests):
    """Likely tests, other compiled ones, those of the program; the quick ones first."""
    first = []
    for start, names in bugs.FIRST:
        if bug.file.startswith(start):
            first = names
            break
    quick = sorted(tests, key=lambda test: test.seconds)
    all_stages = [[test for name in first for test in tests if test.name == name],
                  [test for test in quick if not test.is_program and test.name not in first],
                  [test for test in quick if test.is_program and test.name not in first]]
    return [stage for stage in all_stages if stage]


# ---- one bug ----

def best_kernels():
    """The object of the kernels that tests run by themselves: those of the widest vectors this processor has."""
    status, out = run([os.path.join(BUILD, "statepath"), "--version", "--verbose"])
    found = re.search(r"instruction set: (\w+)", out)
    if status != 0 or not found:
        fail("the program does not name its instruction set:\n" + out)
    return "CMakeFiles/statepath-kernels-%s.dir/lib/decode/kernels/isa.c.o" % found[1]


def ask_kernels(bug, stage, kernels):
    """Asks `stage` about a bug in a header of the kernels with one instruction set compiled instead of three, which is most of the time.
    What notices it, or None: then ask all."""
    path = os.path.join(TREE, bug.file)
    sound = read(path)
    times = os.stat(path)

    def put(content):
        write(path, content)
        good, out = build(kernels)
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))  # the objects of the other sets stay as they are
        if not good:
            fail("%s (%s) does not compile:\n%s" % (bug.file, bug.what, out[-2000:]))

    try:
        put(sound.decode().replace(bug.old, bug.new).encode())
        for test in stage:
            build_for([test])
            if not test.passes()[0]:
                return test.name
    finally:
        put(sound)
    return None


def ask(bug, tests, checks, kernels, is_quick):
    """What notices the bug, or None."""
    path = os.path.join(TREE, bug.file)
    sound = read(path)
    write(LAST, bug.file.encode())
    if bug.file.endswith(".h"):
        first = stages(bug, tests)[0]
        checks.make(first)
        killer = ask_kernels(bug, first, kernels)
        if killer:
            return killer
    for number, stage in enumerate(stages(bug, tests)[:1 if is_quick else None]):
        checks.make(stage)
        try:
            write(path, sound.decode().replace(bug.old, bug.new).encode())
            for some in [[test] for test in stage] if number == 0 else [stage]:
                build_for(some)
                for test in some:
                    if not test.passes()[0]:
                        return test.name
        finally:
            write(path, sound)
    return None


def main():
    parser = argparse.ArgumentParser(prog="./dev mutate", description="small bugs, one at a time: which does no test notice?")
    parser.add_argument("--list", action="store_true", help="name the bugs and do nothing")
    parser.add_argument("--only", metavar="PATTERN", default="", help="bugs whose file or description matches this pattern")
    parser.add_argument("--quick", action="store_true", help="only the tests that bugs.py names for the file")
    parser.add_argument("--again", action="store_true", help="ask about those too that were killed before")
    parser.add_argument("--table", action="store_true",
                        help="which test noticed each bug first, as far as that is known, separated by tabs")
    parser.add_argument("--harmless", action="store_true", help="only those with a reason to survive: is it still true?")
    options = parser.parse_args()
    check_table()
    chosen = [bug for bug in bugs.BUGS if re.search(options.only, bug.file + " " + bug.what)]
    chosen = [bug for bug in chosen if bug.harmless or not options.harmless]
    if options.list:
        for bug in chosen:
            say("%s: %s%s" % (bug.file, bug.what, " (harmless: %s)" % bug.harmless if bug.harmless else ""))
        say("%d bugs" % len(chosen))
        return
    results = {} if options.again else load(RESULTS)
    if options.table:
        for bug in chosen:
            say("\t".join([bug.file, bug.what, "harmless" if bug.harmless else results.get(key_of(bug), "?")]))
        return
    asked = [bug for bug in chosen if options.harmless or (not bug.harmless and key_of(bug) not in results)]
    say("%d bugs, %d to ask about" % (len(chosen), len(asked)))
    asked.sort(key=lambda bug: bug.file.endswith(".h"))  # a kernel takes longer to compile than all else
    if asked:
        lock = only_one()
        state = copy_tree()
        configure()
        tests = find_tests()
        checks = Checks(tests, state)
        kernels = best_kernels()
    survivors = []
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the copy is left sound
    for number, bug in enumerate(asked, 1):
        start = time.monotonic()
        killer = ask(bug, tests, checks, kernels, options.quick)
        say("%3d/%d  %-28s %5.0f s  %s: %s" % (number, len(asked), killer or "SURVIVES", time.monotonic() - start, bug.file,
                                              bug.what))
        if killer:
            results[key_of(bug)] = killer
            write(RESULTS, json.dumps(results, indent=1).encode())
        else:
            survivors.append(bug)
    if options.harmless:
        wrong = [bug for bug in asked if bug not in survivors]
        for bug in wrong:
            say("Noticed after all: %s: %s" % (bug.file, bug.what))
        sys.exit(1 if wrong else 0)
    n_harmless = sum(1 for bug in chosen if bug.harmless)
    say("%d of %d bugs are noticed; %d are harmless, with a reason; %d survive" %
        (len(chosen) - n_harmless - len(survivors), len(chosen), n_harmless, len(survivors)))
    for bug in survivors:
        say("SURVIVES  %s: %s\n    - %s\n    + %s" % (bug.file, bug.what, bug.old.replace("\n", "\n      "),
                                                      bug.new.replace("\n", "\n      ")))
    sys.exit(1 if survivors else 0)


if __name__ == "__main__":
    main()

"""The recipes of CONTRIBUTING.md, done again: ./dev test --long recipes; some of them: python3 tests/recipes/recipes.py strategy format

Each NAME.patch beside this file is one of them carried out: a small addition of its own, with its tests. Above the patch stand the recipe's title
and the tests that the addition concerns. The patch is applied to a clone of the last commit (build/recipes/NAME), which is built with warnings as
errors and tested. The files that it adds or changes must be as many as the recipe's first word says.

A patch that no longer applies: git apply --3way, mend it, build and test it, and write what `git diff -U1 HEAD` says below the two lines again. One
line around each change is enough: more of them would break it where something else changes nearby.
"""
import glob
import os
import re
import subprocess
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(FOLDER))
NUMBERS = "No One Two Three Four Five Six Seven Eight Nine Ten Eleven Twelve".split()


class Failed(Exception):
    pass


def run(*words, folder=SOURCE):
    done = subprocess.run(words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise Failed("%s:\n%s" % (" ".join(words), done.stdout[-6000:]))
    return done.stdout


def clone(folder):
    """The last commit, as a clone that keeps what was built there before."""
    if not os.path.isdir(folder):
        run("git", "clone", "-q", "--shared", "--no-checkout", SOURCE, folder)
    run("git", "fetch", "-q", SOURCE, "HEAD", folder=folder)
    run("git", "reset", "-q", "--hard", "FETCH_HEAD", folder=folder)
    run("git", "clean", "-q", "-f", "-d", folder=folder)


def count_said(title):
    with open(os.path.join(SOURCE, "CONTRIBUTING.md"), encoding="utf-8") as text:
        found = re.search(r"^## %s\n\n(\w+) files\b" % re.escape(title), text.read(), re.M)
    if not found or found.group(1) not in NUMBERS:
        raise Failed('CONTRIBUTING.md has no recipe "%s" that begins with a number of files' % title)
    return NUMBERS.index(found.group(1))


def build_and_test(folder, tests):
    programs = [t for t in tests if glob.glob("%s/tests/unit/*/%s.c" % (folder, t)) or os.path.exists("%s/tests/property/%s.c" % (folder, t))]
    run("cmake", "--preset", "release", "-DSTATEPATH_TESTS=ON", "-DSTATEPATH_WERROR=ON", "-DSTATEPATH_SHARED=%s/../shared" % SOURCE, folder=folder)
    run("cmake", "--build", "build/release", "--target", "statepath-cli", *programs, "--", "--quiet", folder=folder)
    said = run("ctest", "--test-dir", "build/release", "--output-on-failure", "-j", "2", "-R", "^(%s)$" % "|".join(tests), folder=folder)
    missing = [t for t in tests if not re.search(r" %s \.+ +Passed " % t, said)]
    if missing:
        raise Failed("not run: %s\n%s" % (", ".join(missing), said))


def carry_out(name):
    """Returns the number of files."""
    patch = os.path.join(FOLDER, name + ".patch")
    folder = os.path.join(SOURCE, "build", "recipes", name)
    with open(patch, encoding="utf-8") as text:
        title, tests = (text.readline().strip().partition(": ")[2] for _ in range(2))
    clone(folder)
    run("git", "apply", "--index", patch, folder=folder)
    n = len(run("git", "apply", "--numstat", patch, folder=folder).splitlines())
    if n != count_said(title):
        raise Failed('the recipe "%s" of CONTRIBUTING.md says %d files, the patch has %d' % (title, count_said(title), n))
    build_and_test(folder, tests.split())
    return n


def main():
    os.nice(5)
    failed = False
    for name in sys.argv[1:] or sorted(os.path.basename(p)[:-len(".patch")] for p in glob.glob(FOLDER + "/*.patch")):
        try:
            print("recipe %s: %d files, passed" % (name, carry_out(name)), flush=True)
        except Failed as why:
            failed = True
            print("recipe %s: FAILED\n%s" % (name, why), flush=True)
    return failed


sys.exit(main())

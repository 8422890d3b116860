"""Runs the test suites of the packages that statepath.compat looks like, through the look-alikes: python peers.py FOLDER [PEER...]

The suites are fetched into FOLDER (of PyPI's sources where they hold tests, else of the project's repository), and used as they are where
they are there already. Prints pass, fail and not applicable of each; what is not applicable calls none of ours, or fails with the package itself
in the same way. Ends in 1 where a test fails.
"""
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))

# Where the sources are, and which files of them hold tests of what ours looks like.
SUITES = {
    "librosa": ("pip", "librosa", ["tests/test_sequence.py"]),
    "hmmlearn": ("https://github.com/hmmlearn/hmmlearn", "hmmlearn", ["src/hmmlearn/tests"]),
    "seqeval": ("pip", "seqeval", ["tests/test_metrics.py", "tests/test_v1.py"]),
    "pytorch-crf": ("https://github.com/kmkurn/pytorch-crf", "torchcrf", ["tests/test_crf.py"]),
}
OF_ITS_SOURCES = {"pytorch-crf"}  # whose tests are of a later state than what PyPI has: they run with the package beside them


def fetched(folder, peer):
    """The folder of a peer's sources; None where they cannot be had."""
    found = os.path.join(folder, peer)
    if os.path.isdir(found):
        return found
    where, package, _ = SUITES[peer]
    if where == "pip":
        way = ["pip", "download", "-q", "--no-deps", "--no-binary", ":all:", "-d", found + ".sdist", package]
        done = subprocess.run([sys.executable, "-m", *way], capture_output=True)
        archives = os.listdir(found + ".sdist") if done.returncode == 0 else []
        if archives:
            os.makedirs(found)
            subprocess.run(["tar", "xzf", os.path.join(found + ".sdist", archives[0]), "-C", found, "--strip-components=1"], check=True)
    else:
        subprocess.run(["git", "clone", "-q", "--depth", "1", where, found], capture_output=True)
    return found if os.path.isdir(found) else None


def is_installed(package):
    return subprocess.run([sys.executable, "-c", f"import {package}"], capture_output=True).returncode == 0


def outcomes(folder, peer, as_it_is):
    """Test: (outcome, why) of a suite, with ours or with the package's own functions."""
    file = os.path.join(folder, f"{peer}.json")
    if os.path.exists(file):
        os.unlink(file)
    tests = [os.path.join(folder, peer, test) for test in SUITES[peer][2]]
    beside = list(dict.fromkeys(test if os.path.isdir(test) else os.path.dirname(test) for test in tests))  # modules and data that tests share
    own = {"PEER": peer, "PEER_OUTCOMES": file, "PEER_AS_IT_IS": "1" if as_it_is else "", "PYTHONPATH": os.pathsep.join([HERE, *beside, *([os.path.join(folder, peer)] if peer in OF_ITS_SOURCES else [])])}
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "substitute", "-p", "no:cacheprovider", "--import-mode=importlib",
                           "--override-ini=addopts=", "-c", os.devnull, "--rootdir", os.path.join(folder, peer), *tests],
                          cwd=beside[0], env={**os.environ, **own}, capture_output=True, text=True)  # fmt: skip
    if not os.path.exists(file):
        raise SystemExit(f"{peer}: its tests did not run\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    with open(file) as f:
        return json.load(f)


def judge(folder, peer):
    """Counts of passed, failed and not applicable, and the failures."""
    ours = outcomes(folder, peer, False)
    own = outcomes(folder, peer, True) if any(outcome == "failed" for outcome, _ in ours.values()) else {}
    counts, failures = {"passed": 0, "failed": 0, "not applicable": 0}, []
    for test, (outcome, why) in ours.items():
        if outcome == "skipped" or (outcome == "failed" and own.get(test, [""])[0] in ("failed", "skipped")):
            outcome = "not applicable"
        if outcome == "failed":
            failures.append(f"{peer}: {test.rpartition('/')[2]}: {why}")
        counts[outcome] += 1
    return counts, failures


def main(folder, *peers):
    folder = os.path.abspath(folder)
    os.makedirs(folder, exist_ok=True)
    total = {"passed": 0, "failed": 0, "not applicable": 0}
    failed = []
    print(f"{'':12} {'pass':>6} {'fail':>6} {'not applicable':>15}")
    for peer in peers or SUITES:
        if not is_installed(SUITES[peer][1]) or fetched(folder, peer) is None:
            print(f"{peer:12} skipped: {SUITES[peer][1]} is not installed, or its sources cannot be had")
            continue
        counts, failures = judge(folder, peer)
        failed += failures
        total = {key: total[key] + counts[key] for key in total}
        print(f"{peer:12} {counts['passed']:6} {counts['failed']:6} {counts['not applicable']:15}")
    print(f"{'all':12} {total['passed']:6} {total['failed']:6} {total['not applicable']:15}")
    for line in failed:
        print(line)
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

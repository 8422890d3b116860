"""What passed, what was skipped, and why.

    skipped.py [--strict] SHARED JUNIT...

Reads the JUnit files of `ctest --output-junit` and of pytest. Prints a line for each test, or part of a test, that
was skipped without a reason named below, and at the end one sentence. With --strict it exits 1 if there was such a
line. SHARED is the folder of real data: without it more is expected. A test is skipped as a whole by exit status
77; parts are skipped by cmocka's skip(), by unittest's, or by a line "skipped: NAME: REASON". pytest gives its own
reasons.
"""
import collections
import os
import re
import sys
import xml.etree.ElementTree as tree

# Test or test:part, and why it may be skipped.
EXPECTED = {
    "test_torch_network": "PyTorch takes 1 GB",
    "test_torch_masks": "PyTorch takes 1 GB",
    "test_large_recordings": "sanitizers take more memory than is left to the program",
    "test_seqeval": "seqeval comes from PyPI; test_tags has fixed cases",
    "test_strategy_law_avx2": "the processor has no AVX2",
    "test_strategy_law_avx512": "the processor has no AVX-512",
    "test_source:test_file_that_may_not_be_read": "root may read every file",
    "test_commands:test_a_signal_leaves_nothing_behind": "the program may be done before the signal comes",
}
# These read the folder of real data and worked examples.
NEED_DATA = {
    "test_build", "test_eval_cases", "test_evaluation_real", "test_latex:test_tags", "test_model_json", "test_peer_cases_decode",
    "test_event_files:test_sleep_edf", "test_suspicions:test_honest_data", "test_raters", "test_real_data", "test_real_files", "test_report_browser:tags", "test_sleep_statistics", "test_tmbed_sample",
}

# These need what `./dev test --all` installs (more_test_needs() of dev), and run elsewhere where it is there.
OPTIONAL = {
    "test_report_browser": "Chromium", "test_what_if_browser": "Chromium", "test_pages_browser": "Chromium", "test_latex": "LaTeX",
    "test_completion:test_zsh_typed": "zsh", "test_completion:test_zsh_sourced": "zsh", "test_completion:test_fish": "fish",
    "test_completion:test_fish_offers_each_option": "fish", "test_help:test_manual_page_of_each_command": "groff",
    "test_help:test_manual_page_of_the_program": "groff", "test_outputs:test_small_disk": "the right to mount a tmpfs",
}

PARTS = [r"^\[  SKIPPED \] (\w+)$", r"^skipped: (\w+): .*$"]


def parts_skipped(output):
    return sorted({name for pattern in PARTS for name in re.findall(pattern, output, re.M)})


def cases(file):
    """(name, what it said, whether it is of pytest) of each test, and of each part of one, that was skipped;
    (name, None, None) of one that ran."""
    for case in tree.parse(file).getroot().iter("testcase"):
        name, output, skip = case.get("name"), case.findtext("system-out") or "", case.find("skipped")
        if (case.get("classname") or name).startswith("tests.python"):
            yield name, None if skip is None else "%s %s" % (skip.get("message"), skip.text), skip is not None
        elif skip is not None or case.get("status") in ("notrun", "disabled"):
            yield name, (output.strip().splitlines() or [""])[-1].replace("skipped: ", ""), False
        else:
            yield name, None, None
            for part in parts_skipped(output):
                yield "%s:%s" % (name, part), "".join(re.findall("^skipped: %s: (.*)$" % part, output, re.M)[:1]), False


def reason_of(name, said, is_pytest, has_data, strict):
    """Why it may be skipped, or None."""
    names = {name, name.split(":")[0]}
    if is_pytest:
        missing = re.search(r"could not import '([\w-]+)'|([\w-]+) is not installed", said)
        return (missing[1] or missing[2]) + " is not installed" if missing else said.split(" /")[0]
    if not has_data and names & NEED_DATA:
        return "there is no folder of real data"
    return EXPECTED.get(name) or (None if strict else name in OPTIONAL and OPTIONAL[name] + " is not installed") or None


def main(strict, shared, files):
    has_data = os.path.isdir(os.path.join(shared, "data"))
    n_passed, wrong, why = 0, 0, collections.Counter()
    for file in files:
        for name, said, is_pytest in cases(file):
            if said is None:
                n_passed += 1
                continue
            reason = reason_of(name, said, is_pytest, has_data, strict)
            if reason is None:
                wrong += 1
                print("skipped: %s: %s (not expected)" % (name, said))
            why[reason or "that must run here"] += 1
    skipped = "; ".join("%d, %s" % (n, reason) for reason, n in why.most_common())
    print("Tests that passed: %s. Skipped: %s." % (format(n_passed, ","), skipped or "none"))
    print("%d passed, 0 failed, %d skipped" % (n_passed, sum(why.values())))
    if strict and wrong:
        print("%d tests were skipped that must run here; install what they need, or say in %s why not" % (
            wrong, os.path.relpath(__file__)))
        return 1
    return 0


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if word != "--strict"]
    sys.exit(main("--strict" in sys.argv, words[0], words[1:]))

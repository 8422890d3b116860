"""What the tests left out, and whether they had a reason.

    skipped.py [--strict] SHARED JUNIT...

Reads the JUnit files of `ctest --output-junit`, prints one line for each test, or part of a test, that was skipped, and with --strict exits
1 if one of them is not expected below. SHARED is the folder of real data: without it more is expected. A test is skipped as a whole by exit
status 77; parts are skipped by cmocka's skip(), by unittest's, or by a line "skipped: NAME: REASON".
"""
import os
import re
import sys
import xml.etree.ElementTree as tree

# Test or test:part, and why it may be skipped.
EXPECTED = {
    "test_torch_network": "PyTorch takes 1 GB",
    "test_torch_masks": "PyTorch takes 1 GB",
    "test_seqeval": "seqeval comes from PyPI; test_tags has fixed cases",
    "test_program_kernels_avx2": "the processor has no AVX2",
    "test_program_kernels_avx512": "the processor has no AVX-512",
    "test_source:test_file_that_may_not_be_read": "root may read every file",
    "test_commands:test_a_signal_leaves_nothing_behind": "the program may be done before the signal comes",
}
# These read the folder of real data and worked examples.
NEED_DATA = {
    "test_build", "test_eval_cases", "test_evaluation_real", "test_latex:test_tags", "test_model_json", "test_peer_cases_decode",
    "test_event_files:test_sleep_edf", "test_raters", "test_real_data", "test_real_files", "test_report_browser:tags", "test_sleep_statistics", "test_tmbed_sample",
}

# These need what `./dev test` installs where CI is set (optional_packages() of dev), and run elsewhere where it is there.
OPTIONAL = {
    "test_report_browser": "Chromium", "test_what_if_browser": "Chromium", "test_pages_browser": "Chromium", "test_latex": "LaTeX", "test_mpi": "OpenMPI",
    "test_completion:test_zsh_typed": "zsh", "test_completion:test_zsh_sourced": "zsh", "test_completion:test_fish": "fish",
    "test_completion:test_fish_offers_each_option": "fish", "test_help:test_manual_page_of_each_command": "groff",
    "test_help:test_manual_page_of_the_program": "groff", "test_outputs:test_small_disk": "the right to mount a tmpfs",
}

PARTS = [r"^\[  SKIPPED \] (\w+)$", r"^skipped: (\w+): .*$"]


def parts_skipped(output):
    return sorted({name for pattern in PARTS for name in re.findall(pattern, output, re.M)})


def skipped(file):
    """Names: test, or test:part."""
    for case in tree.parse(file).getroot().iter("testcase"):
        output = case.findtext("system-out") or ""
        if case.find("skipped") is not None or case.get("status") in ("notrun", "disabled"):
            yield case.get("name"), [line.replace("skipped: ", "") for line in output.strip().splitlines()[-1:]]
        else:
            for part in parts_skipped(output):
                yield case.get("name") + ":" + part, re.findall("^skipped: %s: (.*)$" % part, output, re.M)[:1]


def main(strict, shared, files):
    has_data = os.path.isdir(os.path.join(shared, "data"))
    wrong = 0
    for file in files:
        for name, said in skipped(file):
            names = {name, name.split(":")[0]}
            reason = EXPECTED.get(name) or ("no folder of real data" if not has_data and names & NEED_DATA else None)
            if not reason and not strict and name in OPTIONAL:
                reason = OPTIONAL[name] + " is optional"
            wrong += reason is None
            print("skipped: %s: %s%s" % (name, reason or " ".join(said), "" if reason else " (not expected)"))
    if strict and wrong:
        print("%d tests were skipped that must run here; install what they need, or say in %s why not" % (wrong, os.path.relpath(__file__)))
        return 1
    return 0


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if word != "--strict"]
    sys.exit(main("--strict" in sys.argv, words[0], words[1:]))

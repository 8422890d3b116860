"""The programs of lib/mask/lessons.md, in C and in Python, print what it says."""
import os
import re
import shlex
import subprocess
import sys

import pytest

SOURCE = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))


def blocks():
    """{language: the fenced block of it}"""
    file = os.path.join(SOURCE, "lib", "mask", "lessons.md")
    if not os.path.exists(file):
        pytest.skip("the sources are not beside the tests")
    with open(file, encoding="utf-8") as f:
        return dict(re.findall(r"^```(\w+)\n(.*?)^```", f.read(), re.M | re.S))


def compiled(code, folder):
    """The C program, linked with the library of the build that made the program under test."""
    library = os.path.join(os.path.dirname(os.environ.get("STATEPATH", "")), "libstatepath.a")
    if not os.path.exists(library):
        pytest.skip("STATEPATH does not name a program in the folder that it was built in")
    (folder / "lessons.c").write_text(code)
    subprocess.run(
        [os.environ.get("CC", "cc"), "-std=c11", "-Wall", "-Wextra", "-Werror", "-I", SOURCE + "/lib/include"]
        + ["lessons.c", "-o", "lessons", library, "-lm", "-lpthread"]
        + shlex.split(os.environ.get("STATEPATH_CFLAGS", "")),
        cwd=folder,
        check=True,
    )
    return [str(folder / "lessons")]


@pytest.mark.parametrize("language", ["c", "python"])
def test_programs_print_the_digits(language, tmp_path):
    found = blocks()
    for digits in ("0.7210 0.0000 0.1083 0.1707 0.0000", " 0.1836\n", " 0.650\n", " 0.505\n"):
        assert digits in found["text"]
    code = found[language]
    command = compiled(code, tmp_path) if language == "c" else [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == (found["text"], "")

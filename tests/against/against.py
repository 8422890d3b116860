"""What differs between an older commit's program and ours: ./dev against COMMIT [PATTERN].

Runs the commands of commands.txt with both, each row in an empty folder, and compares exit statuses, what is
printed and all files written: JSON and arrays value by value, pages by the text of their cells, other files line
by line. Each difference is one line `row | command, place | what`. permitted.txt lists the differences that are
meant; others are printed, and make the exit status 1. So does a row of permitted.txt that permits nothing, when all
rows were run. Build and results are kept in build/against.
"""

import argparse
import html.parser
import json
import os
import re
import shutil
import subprocess
import sys

import h5py
import numpy as np

import inputs

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
WORK = os.path.join(ROOT, "build", "against")
STRATEGIES = "argmax,greedy,beam:8,viterbi,posterior,mea,posterior-viterbi,online:5"
MOST = 20  # differences of one row that are printed
ROW = re.compile(r"^\| `(.+?)` \| `(.+?)` \| (.+?) \|$", re.M)


def build(commit):
    """The program of that commit, built once."""
    found = subprocess.run(
        ["git", "rev-parse", "--verify", "-q", commit + "^{commit}"], cwd=ROOT, capture_output=True, text=True
    )
    if found.returncode:
        sys.exit("against: there is no commit %s here" % commit)
    folder = os.path.join(WORK, found.stdout.strip()[:12])
    program = os.path.join(folder, "build", "statepath")
    if not os.path.exists(program):
        print("Building %s ..." % commit, flush=True)
        shutil.rmtree(folder, ignore_errors=True)
        tree = os.path.join(folder, "tree")
        for words in (
            ["git", "clone", "-q", "--shared", "--no-checkout", ROOT, tree],
            ["git", "-C", tree, "checkout", "-q", found.stdout.strip()],
            [
                "cmake",
                "-S",
                tree,
                "-B",
                os.path.join(folder, "build"),
                "-G",
                "Ninja",
                "-DCMAKE_BUILD_TYPE=Release",
            ],
            ["cmake", "--build", os.path.join(folder, "build"), "--target", "statepath-cli"],
        ):
            done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            if done.returncode:
                sys.exit("against: %s:\n%s" % (" ".join(words), done.stdout[-3000:]))
    return program


def read_rows():
    """[(name, command, ...)] of commands.txt."""
    with open(os.path.join(HERE, "commands.txt"), encoding="utf-8") as file:
        text = file.read().replace("\\\n    ", "").replace("$ALL", STRATEGIES)
    rows = []
    for block in re.split(r"(?m)^# ", text)[1:]:
        name, *lines = [line.strip() for line in block.strip().splitlines()]
        choice = re.search(r"{(.*)}", name)
        for one in choice[1].split() if choice else [None]:
            row = [name.replace(choice[0], one) if choice else name]
            rows.append(row + [line.replace("{}", one) if choice else line for line in lines])
    return rows


# ---- one program ----


def run(program, row, folder):
    """Runs a row's commands. [(command, exit status, standard output, standard error)]"""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    for name, place in (
        ("in", os.path.join(WORK, "in")),
        ("data", os.path.join(ROOT, "datasets")),
        ("shared", SHARED),
    ):
        os.symlink(place, os.path.join(folder, name))
    said = []
    for words in row[1:]:
        done = subprocess.run(
            ["sh", "-c", 'statepath() { "$PROGRAM" "$@"; }; statepath ' + words],
            cwd=folder,
            text=True,
            errors="replace",
            env={**os.environ, "PROGRAM": program, "COLUMNS": "80"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=600,
        )
        said.append((words, done.returncode, done.stdout, done.stderr))
    return said


def files_of(folder):
    found = set()
    for place, names, files in os.walk(folder):
        names[:] = [name for name in names if not os.path.islink(os.path.join(place, name))]
        found.update(os.path.relpath(os.path.join(place, name), folder) for name in files)
    return found


# ---- values of a file: {place: value} ----


class Cells(html.parser.HTMLParser):
    """The text of headings and of cells of tables, in order."""

    KEPT = ("th", "td", "h1", "h2", "h3", "caption")

    def __init__(self):
        super().__init__()
        self.cells, self.depth = [], 0

    def handle_starttag(self, tag, attributes):
        if tag in self.KEPT:
            self.depth += 1
            self.cells.append("")

    def handle_endtag(self, tag):
        if tag in self.KEPT and self.depth:
            self.depth -= 1

    def handle_data(self, data):
        if self.depth:
            self.cells[-1] += data


def flat(value, place=""):
    if isinstance(value, dict):
        for key, one in value.items():
            yield from flat(one, "%s/%s" % (place, key))
    elif isinstance(value, list) and any(isinstance(one, (dict, list)) for one in value):
        for i, one in enumerate(value):
            yield from flat(one, "%s/%d" % (place, i))
    else:
        yield place, json.dumps(value)


def array_text(values):
    values = np.asarray(values)
    return "%s %s %s" % (values.dtype, values.shape, values.tolist())


def h5_values(path):
    found = {}

    def see(name, item):
        if isinstance(item, h5py.Dataset):
            found["/" + name] = array_text(item[()])
        found.update(("/%s@%s" % (name, key), array_text(value)) for key, value in item.attrs.items())

    with h5py.File(path) as file:
        file.visititems(see)
        found.update(("/@" + key, array_text(value)) for key, value in file.attrs.items())
    return found


def text_values(text):
    return {"line %d" % (n + 1): line for n, line in enumerate(text.splitlines())}


def values_of(path):
    with open(path, "rb") as file:
        begin = file.read(6)  # what a file is does not follow from its name
    if begin.startswith(b"\x89HDF"):
        return h5_values(path)
    if begin == b"\x93NUMPY":
        return {"": array_text(np.load(path))}
    if begin.startswith(b"PK"):
        return {name: array_text(values) for name, values in np.load(path).items()}
    with open(path, encoding="utf-8", errors="replace") as file:
        text = file.read()
    if path.endswith(".json"):
        return dict(flat(json.loads(text)))
    if path.endswith(".html"):
        page = Cells()
        page.feed(re.sub(r"<(script|style|svg)\b.*?</\1>", "", text, flags=re.S))
        return {"cell %d" % n: " ".join(cell.split()) for n, cell in enumerate(page.cells)}
    return text_values(text)


# ---- both ----


def differences(before, after):
    """Of two {place: value}; texts line by line where lines came or went."""
    if before == after:
        return []
    if len(before) != len(after) and all(
        place.startswith(("line ", "cell ")) for place in {**before, **after}
    ):
        import difflib

        lines = difflib.unified_diff(list(before.values()), list(after.values()), lineterm="", n=0)
        return [("", line) for line in list(lines)[2:] if not line.startswith("@@")]
    out = []
    for place in [*before, *[place for place in after if place not in before]]:
        was, now = before.get(place), after.get(place)
        if was != now:
            out.append((place, "%s -> %s" % (shorter(was, now), shorter(now, was))))
    return out


def shorter(one, other):
    """Around the first character in which they differ."""
    if one is None:
        return "(absent)"
    if other is None or len(one) < 120:
        return one[:120]
    at = next((i for i, (a, b) in enumerate(zip(one, other)) if a != b), min(len(one), len(other)))
    return "..." + one[max(at - 50, 0) : at + 60]


def compare(row, programs):
    """Lines `row | place | what` of all that differs."""
    folders = [os.path.join(WORK, "run", side, re.sub(r"\W+", "-", row[0])) for side in ("before", "after")]
    ran = [run(program, row, folder) for program, folder in zip(programs, folders)]
    for (words, *was), (_, *now) in zip(*ran):
        for what, a, b in zip(("exit status", "stdout", "stderr"), was, now):
            pairs = (
                differences({"": str(a)}, {"": str(b)})
                if what == "exit status"
                else differences(text_values(a), text_values(b))
            )
            for place, text in pairs:
                yield "%s | %s, %s | %s" % (
                    row[0],
                    words if len(words) < 80 else words[:77] + "...",
                    " ".join([what, place]).strip(),
                    text,
                )
    files = [files_of(folder) for folder in folders]
    for name in sorted(files[0] ^ files[1]):
        yield "%s | %s | %s" % (row[0], name, "no longer written" if name in files[0] else "new")
    for name in sorted(files[0] & files[1]):
        paths = [os.path.join(folder, name) for folder in folders]
        if open(paths[0], "rb").read() != open(paths[1], "rb").read():
            for place, text in differences(*map(values_of, paths)):
                yield "%s | %s %s | %s" % (row[0], name, place, text)


def permitted():
    """[(pattern of rows, pattern of what follows, why)], of permitted.txt."""
    with open(os.path.join(HERE, "permitted.txt"), encoding="utf-8") as file:
        table = [[cell.replace("\\|", "|") for cell in row] for row in ROW.findall(file.read())]
    return [(re.compile(row), re.compile(rest), why) for row, rest, why in table]


def main():
    parser = argparse.ArgumentParser(
        prog="./dev against", description="what differs between an older commit's program and ours"
    )
    parser.add_argument("commit")
    parser.add_argument(
        "pattern", nargs="?", default="", help="rows of commands.txt whose name matches this pattern"
    )
    options = parser.parse_args()
    programs = build(options.commit), os.path.join(ROOT, "build", "release", "statepath")
    shutil.rmtree(os.path.join(WORK, "in"), ignore_errors=True)
    inputs.make(os.path.join(WORK, "in"))
    rows = [row for row in read_rows() if re.search(options.pattern, row[0])]
    skipped = [row[0] for row in rows if "shared/" in row[1] and not os.path.isdir(SHARED)]
    meant, used, n_meant, n_other = permitted(), set(), 0, 0
    for row in rows:
        if row[0] in skipped:
            continue
        n_printed = 0
        for line in compare(row, programs):
            name, rest = line.split(" | ", 1)
            reasons = [
                i for i, (pattern, of, _) in enumerate(meant) if pattern.fullmatch(name) and of.search(rest)
            ]
            used.update(reasons)
            n_meant, n_other = n_meant + bool(reasons), n_other + (not reasons)
            if not reasons:
                n_printed += 1
                if n_printed <= MOST:
                    print(line, flush=True)
        if n_printed > MOST:
            print("%s | %d more" % (row[0], n_printed - MOST))
    idle = [i for i in range(len(meant)) if i not in used and not options.pattern and not skipped]
    for i in idle:
        print("permitted.txt: nothing differs for %s | %s" % (meant[i][0].pattern, meant[i][1].pattern))
    for name in skipped:
        print("skipped: %s: %s is not here" % (name, SHARED))
    n_commands = sum(len(row) - 1 for row in rows if row[0] not in skipped)
    print(
        "%d commands with %s and with this tree: %d differences that are meant, %d others"
        % (n_commands, options.commit, n_meant, n_other)
    )
    sys.exit(1 if n_other or idle else 0)


SHARED = os.environ.get("STATEPATH_SHARED", os.path.join(os.path.dirname(ROOT), "shared"))

if __name__ == "__main__":
    main()

"""How large the project is, room by room: ./dev size.

With --check, called by ./dev lint, it prints only what is over the budgets of lib/README.md. With --lower it
lowers there each budget whose figure fell; a budget is raised by hand, with the reason in the commit.

Code lines are lines of C without blanks, comments and lone brackets, in the house's format (110 columns). A
public header belongs to the room of most of its functions, as in rooms.py. All other figures are of files as
git lists them; lines are counted in text alone, without data and lock files.
"""

import collections
import os
import re
import subprocess
import sys

import rooms

COLUMNS = 110
README = "lib/README.md"
BUDGETS = re.compile(r"^\| what is counted \| at most \|\n\|[-| ]+\|\n((?:\|.*\n)+)", re.M)
GROUPS = [
    ("decoding", "core mask decode evaluate learn sleep tags models/network"),
    ("files and program", "io recordings pipeline options json cli"),
    ("report", "report wasm"),
]
DATA = re.compile(
    r"\.(h5|npy|npz|mat|gz|png|edf|ipynb|csv|tsv|xml|txt|wasm)$|package-lock|^tests/fuzz/corpus/"
    r"|/golden/|results\.json$|^LICENSE$|gpl"
)
NO_TESTS = re.compile(r"package-lock|/corpus/")  # below tests, but written by nobody
COMMENTS = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|//[^\n]*|/\*.*?\*/', re.S)
ROW = re.compile(
    r'^SP_(?:RUN|PLACE|MASKS|DECODE|FIT|PROGRAM|SHARED)'
    r'\(\w+, [\w.]+, [A-Z]+, "([\w-]+)"(.*?)(?=^SP_|\Z)',
    re.M | re.S,
)  # of the table of options
PAGE = (".js", ".mjs", ".css", ".html", ".ts")


def text_of(name):
    """None of data: a file with a byte 0, or bytes that are no UTF-8."""
    with open(name, "rb") as file:
        data = file.read()
    try:
        return None if b"\0" in data else data.decode()
    except UnicodeDecodeError:
        return None


def code_lines(text):
    """Lines of C that say something."""
    bare = COMMENTS.sub(lambda m: "\n" * m[0].count("\n") if m[0].startswith("/") else m[0], text)
    return sum(1 for line in bare.splitlines() if line.strip(" \t{}()[];,"))


def n_lines(texts):
    return sum(text.count("\n") for text in texts)


def room_of(name, sources):
    """The room's folder, whatever lib/README.md distinguishes inside it."""
    room = sources.rooms.get(name) or sources.home(name)
    if not room:
        return "options" if name.endswith(".def") else "core"  # headers that only include others
    return room if room.startswith("models/") else room.split("/")[0]


def options():
    """Names of all options, and of those that `compare` takes, from the table of options."""
    table = re.sub(r"/\*.*?\*/", "", text_of("lib/include/statepath/options.def"), flags=re.S)
    values = {}
    for name, value in re.findall(r"^#define (C_\w+) \(?(.*?)\)?\s*$", table, re.M):
        values[name] = eval(value.replace("1u", "1"), {}, values)  # numbers, << and | alone
    names, taken = set(), set()
    for name, row in ROW.findall(table):
        names.add(name)
        commands = re.search(r"\.commands = ([\w|()~&\s]+)", row)
        of = "(%s)" % commands[1].strip().removesuffix(")") if commands else "C_COMPARE"
        if eval(of, {}, values) & values["C_COMPARE"]:
            taken.add(name)
    return names, taken


def is_inside(name, text, names):
    """A program of tests that includes a header of lib outside lib/include."""
    return bool(re.match(r"tests/.*/test_\w+\.c$", name)) and any(
        "lib/" + header in names for header in re.findall(r'^#include "([^"]+)"', text, re.M)
    )


def rooms_of(written):
    """{room: [files, lines, code lines, bytes]} of the product's C, without Python's binding."""
    with open(README, encoding="utf-8") as readme:
        said = readme.read()
    sources = rooms.Sources(rooms.table(said), rooms.interfaces(said))
    found = collections.defaultdict(lambda: [0, 0, 0, 0])
    for name, text in written.items():
        if re.match(r"(lib|cli|models)/.*\.(c|h|def)$", name) and not name.startswith("lib/python/"):
            row = found[room_of(name, sources)]
            for i, n in enumerate((1, text.count("\n"), code_lines(text), len(text.encode()))):
                row[i] += n
    left = set(found) - {room for _, group in GROUPS for room in group.split()}
    if left:
        sys.exit("tests/lint/size.py: rooms of no group: " + ", ".join(sorted(left)))
    return found


def measure():
    """{what is counted: number} in the order in which it is printed, the rooms, {file of tests: its text}."""
    listed = subprocess.run(["git", "ls-files", "-z"], capture_output=True, text=True, check=True)
    names = {name for name in listed.stdout.split("\0") if os.path.isfile(name)}
    texts = {name: text for name in sorted(names) for text in [text_of(name)] if text is not None}
    written = {name: text for name, text in texts.items() if not DATA.search(name)}
    tests = {
        name: text for name, text in texts.items() if name.startswith("tests/") and not NO_TESTS.search(name)
    }
    by_room = rooms_of(written)
    documents = [text for name, text in written.items() if name.endswith(".md")]
    all_options, of_compare = options()
    counted = {
        "code lines of " + room: by_room[room][2]
        for _, group in GROUPS
        for room in group.split()
        if room in by_room
    }
    counted["lines of style and scripts of the page"] = n_lines(
        text for name, text in written.items() if re.match("lib/(report|wasm)/", name) and name.endswith(PAGE)
    )
    counted["lines of the Python package"] = n_lines(
        text for name, text in written.items() if re.match(r"lib/python/.*\.(py|pyi|c|h)$", name)
    )
    counted["lines of tests"] = n_lines(tests.values())
    counted["documents"] = len(documents)
    counted["words of documents"] = sum(len(text.split()) for text in documents)
    counted["options"] = len(all_options)
    counted["options of compare"] = len(of_compare)
    counted["files"] = len(names)
    counted["lines over 110 columns"] = sum(
        len(line) > COLUMNS for text in written.values() for line in text.splitlines()
    )
    counted["adaptors"] = sum(text.count("/* " + "ADAPTOR: ") for text in written.values())  # old behind new
    counted["tests that include private headers"] = sum(
        is_inside(name, text, names) for name, text in written.items()
    )
    return counted, by_room, tests


def budgets():
    with open(README, encoding="utf-8") as readme:
        found = BUDGETS.search(readme.read())
    if not found:
        sys.exit('%s: no table "| what is counted | at most |"' % README)
    rows = [[cell.strip() for cell in row.strip("|").split("|")] for row in found[1].splitlines()]
    return {what: int(most.replace(",", "")) for what, most in rows}


def check(counted, most):
    """Sentences of what is over its budget, has none, or one that is a twentieth too wide."""
    for what, n in counted.items():
        if what not in most:
            yield "%s: no budget for %s (%d)" % (README, what, n)
        elif n > most[what]:
            yield "%s: %d, over the budget of %d (%s): what stands twice?" % (what, n, most[what], README)
        elif most[what] > n + n // 20 + 10:
            yield "%s: %d; the budget of %d is too wide: ./dev size --lower" % (what, n, most[what])
    for what in most:
        if what not in counted:
            yield "%s: a budget for %s, which is not counted" % (README, what)


def lower(counted, most):
    """Writes the budgets that are wider than what they are of."""
    with open(README, encoding="utf-8") as readme:
        text = readme.read()
    for what in set(most) & set(counted):
        if counted[what] < most[what]:
            row = "| %s | %s |" % (what, format(counted[what], ","))
            text = re.sub(r"(?m)^\| %s \| [\d,]+ \|$" % re.escape(what), row, text)
    with open(README, "w", encoding="utf-8") as readme:
        readme.write(text)


def show(counted, by_room, tests, most):
    line = "%-32s %7s %9s %11s %11s"
    print(line % ("room", "files", "lines", "code lines", "bytes"))
    for title, group in GROUPS:
        rows = [(room, by_room[room]) for room in group.split() if room in by_room]
        for room, row in rows:
            print(line % ("  " + room, *row))
        print(line % (title, *[sum(row[i] for _, row in rows) for i in range(4)]))
    print(line % ("product", *[sum(row[i] for row in by_room.values()) for i in range(4)]))
    folders = collections.Counter()
    for name, text in tests.items():
        folders["/".join(name.split("/")[1:-1][:2]) or "."] += text.count("\n")
    print("\n%-32s %17s" % ("tests", "lines"))
    for folder, n in sorted(folders.items()):
        print("  %-30s %17d" % (folder, n))
    print("\n%-42s %7s %9s" % ("", "now", "at most"))
    for what, n in counted.items():
        if not what.startswith("code lines of "):
            print("%-42s %7d %9s" % (what, n, most.get(what, "")))


def main():
    counted, by_room, tests = measure()
    if "--lower" in sys.argv[1:]:
        lower(counted, budgets())
    elif "--check" in sys.argv[1:]:
        wrong = list(check(counted, budgets()))
        print("\n".join(wrong), end="\n" if wrong else "")
        sys.exit(1 if wrong else 0)
    else:
        show(counted, by_room, tests, budgets())


if __name__ == "__main__":
    main()

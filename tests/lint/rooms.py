"""Which room of the sources includes which. Called by ./dev lint.

The table of rooms in lib/README.md says what each room may include, its table of headers which headers outside lib/include are there for
other rooms; this walks all #include lines of lib, cli and models and prints
  file: may not include room/x.h             a room that the table does not give it
  file: room/x.h is private to its room      a header outside lib/include of another room that the table of headers does not name
  files that include each other in a circle across rooms (a .c file and its header count as one)
  folders with more than 40 sources
An exception stands below with its reason; one that is no longer needed is printed too. Exit status 1 if it printed anything."""
import collections
import fnmatch
import os
import re
import subprocess
import sys

# {file or pattern of files: {header as written: reason}}
ONE_DOOR = "one macro and no function, so that all sources leave by one door in one way"
ALLOWED = {"models/*": {"core/try.h": ONE_DOOR},
           "cli/*": {"core/try.h": ONE_DOOR}}
MOST_FILES = 40

INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)
DECLARED = re.compile(r"^(?!static|typedef)[a-z][\w *]*[ *](sp_\w+)\(", re.M)
DEFINED = re.compile(r"^(?!static|typedef)[a-z][\w *]*[ *](sp_\w+)\([^;{]*\)\s*\{", re.M)
PUBLIC = "lib/include/"


def table(readme):
    """{room: names it may include}, in the order of the table "| room | may include |"."""
    rows = re.search(r"^\| room \| may include \|\n\|[-| ]+\|\n((?:\|.*\n)+)", readme, re.M)
    if not rows:
        sys.exit('lib/README.md: no table "| room | may include |"')
    may = {}
    for row in rows.group(1).splitlines():
        new, names = ([name.strip() for name in re.sub(r"\([^)]*\)", "", cell).split(",")] for cell in row.strip("|").split("|"))
        names = set(may) if names == ["all of the above"] else set(names)
        may.update((room, names) for room in new)
    for room, names in may.items():
        for name in sorted(names - set(may) - {"the standard library", "public headers"}):
            sys.exit("lib/README.md: %s may include %s, which is no room of the table" % (room, name))
    return may


def interfaces(readme):
    """{room: headers outside lib/include that are there for other rooms, or None: all}, of the table "| room | headers for other rooms |"."""
    rows = re.search(r"^\| room \| headers for other rooms \|[^\n]*\n\|[-| ]+\|\n((?:\|.*\n)+)", readme, re.M)
    if not rows:
        sys.exit('lib/README.md: no table "| room | headers for other rooms |"')
    named = {}
    for row in rows.group(1).splitlines():
        rooms, headers = row.strip("|").split("|")[:2]
        for room in rooms.split(","):
            named[room.strip()] = None if headers.strip() == "all" else set(re.findall(r"`([^`]+)`", headers))
    return named


class Sources:
    def __init__(self, may, shown):
        self.may, self.shown = may, shown
        listed = subprocess.run(["git", "ls-files", "lib/*.[ch]", "cli/*.[ch]", "models/*.[ch]"], capture_output=True, text=True, check=True)
        self.text = {}
        for file in listed.stdout.split():
            if os.path.exists(file):
                with open(file, encoding="utf-8") as f:
                    self.text[file] = f.read()
        self.defined = {name: file for file, text in self.text.items() if file.endswith(".c") for name in DEFINED.findall(text)}
        self.rooms, self.homes = {}, {}
        for file in self.text: # a public header belongs to the room of most of its functions; one of types only to core
            homes = collections.Counter(self.home(self.defined[name]) for name in DECLARED.findall(self.text[file]) if name in self.defined)
            self.homes[file] = set(homes)
            self.rooms[file] = self.home(file) if not file.startswith(PUBLIC) else homes.most_common(1)[0][0] if homes else "core"

    def home(self, file):
        """The room of a file by its place: the most particular row of the table."""
        place = file[len("lib/"):] if file.startswith("lib/") else file
        found = [room for room in self.may if fnmatch.fnmatch(place, room + "*" if room.endswith("*") else room + "/*")]
        return max(found, key=len) if found else None

    def is_umbrella(self, file):
        """statepath.h and statepath-kit.h include others and declare nothing themselves."""
        return os.path.dirname(file) + "/" == PUBLIC

    def is_shown(self, header, room):
        """Is a header outside lib/include there for other rooms?"""
        headers = self.shown.get(room, set())
        return headers is None or header[len("lib/" + room + "/"):] in headers

    def found(self, file, name):
        for candidate in (PUBLIC + name, "lib/" + name, os.path.join(os.path.dirname(file), name), "models/network/" + name, "cli/" + name):
            if candidate in self.text:
                return candidate
        return None # generated

    def includes(self, file):
        """[(the name as written, the file behind it)]; an umbrella stands for all that it includes."""
        for name in INCLUDE.findall(self.text[file]):
            behind = self.found(file, name)
            for one in self.under(behind) if behind else []:
                yield name, one

    def under(self, file):
        if not self.is_umbrella(file):
            return [file]
        return [one for name in INCLUDE.findall(self.text[file]) for one in self.under(self.found(file, name))]

    def unit(self, file):
        """A .c file and its header, public or not, are one unit."""
        stem = os.path.splitext(file)[0]
        if file.startswith(PUBLIC):
            same = "lib/%s/%s" % (self.rooms[file], os.path.basename(stem))
            return same if same + ".c" in self.text else stem
        return stem


def violations(sources):
    """(file, header as written, sentence) of each include that the table does not give."""
    for file in sources.text:
        room = sources.rooms[file]
        if sources.is_umbrella(file):
            continue
        if room is None:
            yield file, "", "%s: its folder is in no row of the table" % file
            continue
        for name, header in sources.includes(file):
            other = sources.rooms[header]
            same_folder = room.split("/")[0] == other.split("/")[0]
            public = header.startswith(PUBLIC) or other == "models/network" and not re.search(r"/(pass|team)[.]h$", header)
            declares = header.startswith(PUBLIC) and room in sources.homes[header] # functions that the room defines
            if other != room and other not in sources.may[room] and not declares and not ("public headers" in sources.may[room] and public):
                yield file, name, "%s: may not include %s%s" % (file, name, "" if name in header else " (%s)" % header)
            elif not public and not same_folder and not sources.is_shown(header, other):
                yield file, name, "%s: %s is private to its room" % (file, name)


def circles(sources):
    """Sets of units of more than one room that reach each other."""
    edges, room = collections.defaultdict(set), {}
    for file in sources.text:
        if not sources.is_umbrella(file):
            room[sources.unit(file)] = sources.rooms[file]
            edges[sources.unit(file)].update(sources.unit(header) for _, header in sources.includes(file))

    def reached(start):
        seen, todo = set(), [start]
        while todo:
            for other in edges[todo.pop()] - seen:
                seen.add(other)
                todo.append(other)
        return seen

    reach = {unit: reached(unit) for unit in list(edges)}
    together = {frozenset(other for other in reach[unit] if unit in reach[other]) for unit in reach if unit in reach[unit]}
    return sorted(sorted(circle) for circle in together if len({room[unit] for unit in circle}) > 1)


def main():
    with open("lib/README.md", encoding="utf-8") as readme:
        text = readme.read()
    sources = Sources(table(text), interfaces(text))
    wrong, used = set(), set()
    for room, headers in sources.shown.items():
        wrong.update("lib/README.md: lib/%s/%s is not there" % (room, name) for name in sorted(headers or ())
                     if "lib/%s/%s" % (room, name) not in sources.text)
    for file, name, sentence in violations(sources):
        allowed = [pattern for pattern, headers in ALLOWED.items() if fnmatch.fnmatch(file, pattern) and name in headers]
        used.update((pattern, name) for pattern in allowed)
        if not allowed:
            wrong.add(sentence)
    for pattern, headers in ALLOWED.items():
        wrong.update("tests/lint/rooms.py: the exception for %s in %s is no longer needed" % (name, pattern)
                     for name in headers if (pattern, name) not in used)
    wrong.update("circle across rooms: " + ", ".join(circle) for circle in circles(sources))
    for folder, n in sorted(collections.Counter(map(os.path.dirname, sources.text)).items()):
        if n > MOST_FILES:
            wrong.add("%s: %d sources in one folder, more than %d" % (folder, n, MOST_FILES))
    for sentence in sorted(wrong):
        print(sentence)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()

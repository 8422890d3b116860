"""Rules over classes once more, plainly: each is a regular expression of Python's `re` over one character a class, and what breaks it is counted
as the table of models/rules.md says. Written from that document; nothing is compiled, nothing is shared with the library.

A path is a list of class numbers; -1 is a step without label. gaps: the steps before which the chain is broken."""

import itertools
import math
import re

LETTERS = "abcdefghijklmnopqrstuvwxyz"
TOKEN = re.compile(r"\s*('(?:[^']|'')*'|\[\^|[A-Za-z0-9_\-./]+|.)", re.S)


def tokens(text):
    return [t for t in TOKEN.findall(text) if t.strip() and t != ","]


class Rule:
    """One rule of a model with these classes; seconds: the length of a step."""

    def __init__(self, text, classes, may=False, seconds=None):
        self.classes, self.may, self.seconds = list(classes), may, seconds
        self.words = tokens(text)
        self.every = "[" + re.escape(LETTERS[: len(classes)]) + "]"
        self.n, self.of, self.other, self.runs = 0, set(), None, False
        self.form = self.words[0] if self.words[0] in ("never", "at_least", "at_most", "not_before", "not_after", "first", "last", "every", "order") else "whole"
        if self.form != "whole":
            self.take()
        getattr(self, "read_" + (self.form if self.form in ("never", "every", "order", "whole") else "plain"))()
        assert not self.words, self.words

    def peek(self):
        return self.words[0] if self.words else None

    def take(self, wanted=None):
        word = self.words.pop(0)
        assert wanted in (None, word), (wanted, word)
        return word

    def number(self, text=None):
        text = text or self.take()
        found = re.fullmatch(r"([0-9.]+)(s|min|h)?", text)
        value = float(found[1])
        if found[2] and value:
            value = max(1, math.floor(value * {"s": 1, "min": 60, "h": 3600}[found[2]] / self.seconds + 0.5))
        return int(value)

    def one_class(self):
        word = self.take()
        name = word[1:-1].replace("''", "'") if word.startswith("'") else word
        return self.classes.index(name)

    def class_set(self):
        if self.peek() not in ("[", "[^"):
            return {self.one_class()}
        is_but, found = self.take() == "[^", set()
        while self.peek() != "]":
            found.add(self.one_class())
        self.take("]")
        return set(range(len(self.classes))) - found if is_but else found

    # -- expressions --

    def expression(self):
        parts = [self.sequence()]
        while self.peek() == "|":
            self.take()
            parts.append(self.sequence())
        return "(?:" + "|".join(parts) + ")"

    def sequence(self):
        out = ""
        while self.peek() not in (None, ")", "|"):
            if self.peek() == "(":
                self.take()
                item = self.expression()
                self.take(")")
            elif self.peek() == ".":
                self.take()
                item = self.every
            else:
                item = "[" + "".join(LETTERS[k] for k in sorted(self.class_set())) + "]"
            if self.peek() in ("*", "+", "?"):
                item = f"(?:{item}){self.take()}"
            elif self.peek() == "{":
                bounds = ""
                self.take()
                while self.peek() != "}":
                    bounds += self.take()
                self.take()
                # Commas are blanks to tokens(): the text between the braces is asked again.
                item = f"(?:{item}){self.braces.pop(0)}"
            out += item
        return out

    def remember_braces(self, text):
        self.braces = []
        for inner in re.findall(r"\{([^}]*)\}", text):
            ends = [self.number(x.strip()) if x.strip() else None for x in inner.split(",")]
            self.braces.append("{%d}" % ends[0] if len(ends) == 1 else "{%d,%s}" % (ends[0], "" if ends[1] is None else ends[1]))

    # -- forms --

    def read_whole(self):
        self.pattern = re.compile(self.expression() + r"\Z")

    def read_never(self):
        self.pattern = re.compile(self.expression())

    def read_order(self):
        self.take("[")
        names = []
        while self.peek() != "]":
            names.append(self.one_class())
        self.take("]")
        self.form, self.pattern = "whole", re.compile("".join(LETTERS[k] + "+" for k in names) + r"\Z")

    def read_every(self):
        self.of = self.class_set()
        self.form = self.take()
        self.other = self.class_set()

    def read_plain(self):
        if self.form not in ("first", "last"):
            self.n = self.number()
            if self.form.startswith("at_") and self.peek() in ("runs", "run"):
                self.take()
                self.take("of")
                self.runs = True
        self.of = self.class_set()
        if self.peek() == "from":
            self.take()
            self.take("first")
            self.other = self.class_set()

    # -- counting --

    def violations(self, path, gaps=()):
        gaps = sorted(g for g in gaps if 0 < g < len(path))
        return getattr(self, "count_" + self.form)(list(path), gaps)

    def stretches(self, path, gaps):
        """Stretches that nothing hides a step of: gaps and steps without label end them."""
        ends = [0, *gaps, len(path)]
        for a, b in itertools.pairwise(ends):
            for known, group in itertools.groupby(range(a, b), key=lambda t: path[t] >= 0):
                if known:
                    yield list(group)

    def count_never(self, path, gaps):
        ends = set()
        for stretch in self.stretches(path, gaps):
            text = "".join(LETTERS[path[t]] for t in stretch)
            for last in range(len(text)):
                if any(self.pattern.fullmatch(text, first, last + 1) for first in range(last + 1)):
                    ends.add(stretch[last])
        return len(ends)

    def count_whole(self, path, gaps):
        parts = ["".join(LETTERS[path[t]] for t in stretch) for stretch in self.stretches(path, gaps)]
        if not self.may or len(parts) < 2:
            return 0 if self.pattern.match("".join(parts)) else 1
        # Something may have been in each gap: short words are enough for expressions of this size.
        words = ["".join(w) for n in range(WORD + 1) for w in itertools.product(LETTERS[: len(self.classes)], repeat=n)]
        for hidden in itertools.product(words, repeat=len(parts) - 1):
            if self.pattern.match("".join(x + y for x, y in zip(parts, (*hidden, ""), strict=True))):
                return 0
        return 1

    def begin(self, path):
        """The first step that counts; None: none does."""
        if self.other is None:
            return 0
        return next((t for t, k in enumerate(path) if k in self.other), None)

    def counted(self, path, gaps):
        begin = self.begin(path)
        if begin is None:
            return []
        steps = [t for t in range(begin, len(path)) if path[t] in self.of]
        if self.runs:
            steps = [t for t in steps if t == begin or t in gaps or path[t - 1] not in self.of]
        return steps

    def count_at_least(self, path, gaps):
        if self.may and gaps:
            return 0
        return max(0, self.n - len(self.counted(path, gaps)))

    def count_at_most(self, path, gaps):
        return max(0, len(self.counted(path, gaps)) - self.n)

    def count_not_before(self, path, gaps):
        begin = self.begin(path)
        before = len(path) if begin is None else begin + self.n
        if self.may and gaps:
            before = min(before, gaps[0])
        return sum(k in self.of for k in path[:before])

    def count_not_after(self, path, gaps):
        begin = self.begin(path)
        return 0 if begin is None else sum(k in self.of for k in path[begin + self.n + 1 :])

    def count_first(self, path, gaps):
        return int(path[0] >= 0 and path[0] not in self.of)

    def count_last(self, path, gaps):
        return int(path[-1] >= 0 and path[-1] not in self.of)

    def count_followed_by(self, path, gaps):
        n = 0
        for t, k in enumerate(path):
            later = path[t + 1 :]
            n += k in self.of and not any(x in self.other for x in later) and not (self.may and any(g > t for g in gaps))
        return n

    def count_preceded_by(self, path, gaps):
        n = 0
        for t, k in enumerate(path):
            n += k in self.of and not any(x in self.other for x in path[:t]) and not (self.may and any(g <= t for g in gaps))
        return n


WORD = 4


def rule_of(text, classes, may=False, seconds=None):
    rule = Rule.__new__(Rule)
    rule.seconds = seconds
    rule.remember_braces(text)
    rule.__init__(text, classes, may, seconds)
    return rule

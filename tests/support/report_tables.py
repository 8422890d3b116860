"""The tables of a report as its formats have them, read back to plain text: {title: [(heading, rows)]}."""

import html
import html.parser
import re

LATEX = {
    r"\textasciicircum{}": "^",
    r"\textasciitilde{}": "~",
    r"\textbackslash{}": "\\",
    r"\textless{}": "<",
    r"\textgreater{}": ">",
    r"\textbar{}": "|",
    r"\textasciigrave{}": "`",
    r"{''}": '"',
    r"{*}": "*",
    r"{[}": "[",
    r"{]}": "]",
    r"-{}": "-",
    r"$\to$": "→",
    r"$\pm$": "±",
    r"$-$": "−",
    r"$>$": ">",
    r"$<$": "<",
}


def split(line, at):
    """Parts between those `at` that no backslash stands before, without blanks."""
    return [part.strip() for part in re.split(r"(?<!\\)" + re.escape(at), line)]


def markdown(text):
    """A backslash before a sign is its escape; bold is the best of a row."""
    tables, title = {}, ""

    def cells(line):
        parts = [re.sub(r"^\*\*(.*)\*\*$", r"\1", part) for part in split(line, "|")[1:-1]]
        return [html.unescape(re.sub(r"\\(.)", r"\1", part)) for part in parts]

    for before, line in zip(["", *text.splitlines()], text.splitlines()):
        if line.startswith("### "):
            title = html.unescape(re.sub(r"\\(.)", r"\1", line[4:]))
        elif line.startswith("| :--"):
            tables.setdefault(title, []).append((cells(before), []))
        elif line.startswith("| ") and tables.get(title) and before.startswith("| "):
            tables[title][-1][1].append(cells(line))
    return tables


def latex_cell(text):
    """A dash for nothing, a placeholder for a letter that pdfLaTeX lacks, bold for the best."""
    text = re.sub(r"^\\textbf\{(.*)\}$", r"\1", text)
    text = re.sub(r"^\\shortstack\[.\]\{(.*)\}$", lambda m: m[1].replace(r"\\", " "), text)
    text = re.sub(r"\\spchar\{(.)\}\{[0-9A-F]+\}", r"\1", text)
    parts = re.split("(%s)" % "|".join(map(re.escape, LATEX)), text.replace("--", "–"))
    parts = [LATEX.get(p, re.sub(r"\\([_%#$&{}])", r"\1", p)) for p in parts]
    return re.sub(r"−(?=\d)", "-", "".join(parts))


def latex(text):
    tables = {}
    for table in re.findall(r"\\begin\{table\}.*?\\end\{table\}", text, re.S):
        title = latex_cell(re.search(r"\\caption\{(.*)\}\n", table)[1]).partition(": ")[2]
        for body in re.findall(r"\\begin\{tabular\}.*?\n(.*?)\\end\{tabular\}", table, re.S):
            lines = [line.strip()[:-2] for line in body.splitlines() if line.strip().endswith(r"\\")]
            head, *rows = [[latex_cell(cell) for cell in split(line, "&")] for line in lines]
            tables.setdefault(title, []).append((head, rows))
    return tables


class Page(html.parser.HTMLParser):
    """Tables with a caption. Columns of pictures have no text; stars and hints for hearing stand in spans
    of their own."""

    def __init__(self, text):
        super().__init__()
        self.tables, self.rows, self.cell, self.caption, self.skip = {}, None, None, None, 0
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "table":
            self.rows, self.caption = [], ""
        elif tag == "tr" and self.rows is not None:
            self.rows.append([])
        elif tag in ("td", "th") and self.rows is not None:
            self.cell = None if "strip" in attributes.get("class", "") else ""
        elif tag == "span" and self.rows is not None:
            self.skip += 1

    def handle_data(self, data):
        if self.rows is not None and not self.skip:
            if self.cell is not None:
                self.cell += data
            elif not self.rows:
                self.caption += data

    def handle_endtag(self, tag):
        if tag == "span" and self.skip:
            self.skip -= 1
        elif tag in ("td", "th") and self.rows and self.cell is not None:
            self.rows[-1].append(self.cell.strip().replace("\xa0", " "))
            self.cell = None
        elif tag == "table":
            if self.caption.strip() and self.rows:
                self.tables.setdefault(self.caption.strip(), []).append((self.rows[0], self.rows[1:]))
            self.rows = None


def page(text):
    return Page(re.sub(r"<(script|style|svg)\b.*?</\1>", "", text, flags=re.S)).tables


def terminal(text):
    """Every line as the cells of a table would stand in it."""
    return [re.split(r"  +", re.sub(r"(?<=[\d%])\*", "", line.strip())) for line in text.splitlines()]

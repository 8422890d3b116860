"""A report's tables hold the numbers of its JSON, cell by cell, in Markdown; LaTeX, the page and the
terminal have the same cells, and the CSV the same values; whatever the names are. A table that this does
not know is a failure."""

import re
import sys

import statepath_test as st

try:
    from figures import ABSENT, owners
except ImportError as missing:
    print("skipped: %s" % missing)
    sys.exit(77)
import report_cells
import report_csv
import report_tables
from random_comparisons import RUNS, make_run
from report_cells import is_shown, plain


class TestSameCells(st.TestCase):
    def check_values(self, run, tables, what, known=report_cells.TABLES):
        """Each cell against the JSON."""
        owner_of = {
            getattr(o, "name", "reference"): o for o in owners(run) if o.scope in ("strategy", "reference")
        }
        self.strategies = run.result["strategies"]
        for name, one in self.strategies.items():
            owner_of.setdefault(name, type("Other", (), {"scope": "strategy", "own": one, "name": name}))
        for title, copies in tables.items():
            check = next((how for pattern, how in known if re.fullmatch(pattern, plain(title))), None)
            if known is report_cells.PAGE_TABLES and not check:
                continue  # it has the cells of another
            self.assertIsNotNone(check, "a table that this law does not know: %s" % title)
            for head, rows in copies:
                self.assertTrue(rows, title)
                for row in rows:
                    self.assertEqual(len(row), len(head), (what, title, row))
                    for cell, value in check(plain(title), [plain(h) for h in head], row, run, owner_of):
                        self.assertTrue(is_shown(cell, value), (what, title, head, row, cell, value))
                        self.n_cells += 1

    def check_same(self, tables, others, what):
        """Tables of one title have the same cells, where the other format has all rows and columns."""
        for title, copies in others.items():
            for (head, rows), (other_head, other_rows) in zip(tables.get(title, ()), copies):
                columns = [
                    other_head.index(h) for h in head if other_head.count(h) == 1 and head.count(h) == 1
                ]
                mine = [head.index(other_head[c]) for c in columns]
                self.assertGreater(len(columns), len(head) // 2, (what, title, head, other_head))
                for row, other in zip(rows, other_rows):
                    self.assertEqual([row[c] for c in mine], [other[c] for c in columns], (what, title))
                    self.n_cells += len(columns)

    def check_terminal(self, run, tables):
        lines = report_tables.terminal(run.text)
        for title, copies in tables.items():
            for head, rows in copies if title and title != "Calibration before and after" else ():
                for row in rows:
                    cells = [cell for cell in row if cell]
                    is_there = any(
                        all(c in line for c in cells[:1]) and set(cells[1:]) & set(line) for line in lines
                    )
                    self.assertTrue(is_there or "too" in row, (title, row))

    def check_csv(self, run, text):
        """Each row is a value of the JSON, and what has a row somewhere has one of each of its kind."""
        rows, missing = report_csv.read(text), set()
        kinds = {(key[1] != "", key[2] != "", key[3]) for key in rows}
        for key, value, n, *ends in report_csv.rows_of(run):
            found_rows = rows.get(key, [])
            same = [row for row in found_rows if (float(row["value"]) if row["value"] else None) == value]
            if not same:
                missing.add((key, value))
                continue
            found_rows.remove(same[0])
            if n not in (None, ABSENT) and same[0]["n"]:
                self.assertEqual(int(same[0]["n"]), n, key)
            if ends:
                shown = [float(same[0][end]) if same[0][end] else None for end in ("low", "high")]
                self.assertEqual(shown, ends, key)
            self.n_cells += 1
        self.assertEqual([key for key, left in rows.items() if left], [])
        self.assertEqual([m for m in missing if (m[0][1] != "", m[0][2] != "", m[0][3]) in kinds], [])

    FILES = ("--markdown", "r.md", "--latex", "r.tex", "--csv", "r.csv", "--report", "r.html", "-v")

    def check_run(self, run, what):
        self.n_cells = 0
        texts = {name: self.read("r." + name).decode() for name in ("md", "tex", "csv", "html")}
        tables = report_tables.markdown(texts["md"])
        self.check_values(run, tables, what)
        latex, page = report_tables.latex(texts["tex"]), report_tables.page(texts["html"])
        self.check_values(run, latex, what + ", LaTeX")
        self.check_same(tables, latex, what + ", LaTeX")
        self.check_same(tables, page, what + ", page")
        self.check_values(run, page, what + ", page", report_cells.PAGE_TABLES)
        self.check_terminal(run, tables)
        self.check_csv(run, texts["csv"])
        self.assertGreater(self.n_cells, 200, what)
        for outside in ("http:", "https:", " src=", "@import", "<link", "<iframe", " style="):
            self.assertNotIn(outside, texts["html"].replace("http://www.w3.org/2000/svg", ""), what)
        for text in texts.values():
            read = re.sub(r'<script type="text/plain".*?</script>', "", text, flags=re.S)
            self.assertNotRegex(read, r"(?<![\w/])-?nan(?![\w/])", what)

    def test_all_kinds_of_tables(self):
        for name in RUNS:
            more = ["--rule-costs"] if name in ("tags", "rules") else []
            self.check_run(make_run(self, name, 6, *self.FILES, *more), name)


st.main()

"""Runs a notebook as Jupyter does, without Jupyter: python notebook.py FILE writes its outputs into it.

Of each cell what it prints, and what its last expression shows: text, and HTML where the value has it.
"""
import ast
import contextlib
import io
import json
import os
import sys


def lines(text):
    return text.splitlines(keepends=True)


def shown(value):
    """What a notebook keeps of a value."""
    data = {"text/plain": lines(repr(value))}
    page = getattr(value, "_repr_html_", None)
    return {**data, "text/html": lines(page())} if page else data


def run_cell(source, names, number):
    """The outputs of a cell."""
    tree, last = ast.parse(source), None
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        last = ast.Expression(tree.body.pop().value)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, f"cell {number}", "exec"), names)
        value = eval(compile(last, f"cell {number}", "eval"), names) if last else None
    outputs = []
    if printed.getvalue():
        outputs.append({"name": "stdout", "output_type": "stream", "text": lines(printed.getvalue())})
    if value is not None:
        outputs.append({"data": shown(value), "execution_count": number, "metadata": {}, "output_type": "execute_result"})
    return outputs


def run(file):
    """The notebook with the outputs of this run; in the notebook's folder."""
    with open(file, encoding="utf-8") as f:
        notebook = json.load(f)
    names, number, folder = {"__name__": "__main__"}, 0, os.getcwd()
    os.chdir(os.path.dirname(os.path.abspath(file)))
    try:
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                number += 1
                cell["execution_count"], cell["outputs"] = number, run_cell("".join(cell["source"]), names, number)
    finally:
        os.chdir(folder)
    return notebook


def write(file, notebook):
    with open(file, "w", encoding="utf-8") as f:
        json.dump(notebook, f, indent=1, ensure_ascii=False)
        f.write("\n")


if __name__ == "__main__":
    write(sys.argv[1], run(sys.argv[1]))

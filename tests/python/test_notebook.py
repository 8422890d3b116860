"""The notebooks run, and say what they said when they were written. STATEPATH_UPDATE_GOLDEN=1 writes what they say now."""
import json
import os
import sys
import tempfile

import notebook
import pytest

pytest.importorskip("h5py")
pytest.importorskip("pandas")
pytest.importorskip("statepath._evaluation", reason="built without GSL")

FOLDER = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", "lib", "python"))


def said(made):
    """What each cell prints and shows, as text; HTML is as each version of pandas writes it."""
    for cell in made["cells"]:
        for output in cell.get("outputs", []):
            yield cell["id"], "".join(output["text"] if output["output_type"] == "stream" else output["data"]["text/plain"])


@pytest.mark.parametrize("name", ["demo", "tags", "actions"])
def test_notebook(name):
    file = os.path.join(FOLDER, name + ".ipynb")
    if not os.path.exists(file):
        pytest.skip("the sources are not beside the tests")
    made = notebook.run(file)
    if os.environ.get("STATEPATH_UPDATE_GOLDEN"):
        notebook.write(file, made)
    with open(file, encoding="utf-8") as f:
        text = f.read()
    assert list(said(made)) == list(said(json.loads(text)))
    assert len(list(said(made))) >= 7 and len(text) < 100_000
    places = (os.getcwd(), os.path.expanduser("~"), tempfile.gettempdir(), sys.prefix)
    assert not any(place + "/" in text for place in places)


def test_the_runner_keeps_what_a_notebook_keeps():
    assert notebook.run_cell("a = 2\nprint(a)\na + 1", {}, 3) == [
        {"name": "stdout", "output_type": "stream", "text": ["2\n"]},
        {"data": {"text/plain": ["3"]}, "execution_count": 3, "metadata": {}, "output_type": "execute_result"},
    ]
    assert notebook.run_cell("a = 2", {}, 1) == []
    with pytest.raises(ZeroDivisionError):
        notebook.run_cell("1 / 0", {}, 1)

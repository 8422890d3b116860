"""Every example of the package and of its README runs; every public name, of methods and attributes too, has one."""
import doctest
import importlib
import inspect
import os
import pkgutil
import re

import pytest

import statepath as sp

FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def modules():
    yield sp
    for info in pkgutil.walk_packages(sp.__path__, "statepath."):
        if info.name in ("statepath._core", "statepath._evaluation"):
            continue
        try:
            yield importlib.import_module(info.name)
        except ModuleNotFoundError as error:  # those of other packages need them
            if error.name and error.name.startswith("statepath"):
                raise


@pytest.mark.parametrize("module", list(modules()), ids=lambda m: m.__name__)
def test_docstrings(module):
    failed, _ = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert not failed


def readme_of(*place):
    file = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", *place, "README.md"))
    if not os.path.exists(file):
        pytest.skip("the sources are not beside the tests")
    return file


def test_first_readme():
    """The project's README: what it calls four lines decodes."""
    with open(readme_of(), encoding="utf-8") as f:
        blocks = f.read().split("```python\n")[1:]
    (code,) = [b.split("```")[0] for b in blocks if "statepath as sp" in b]
    names = {}
    exec(code, names)
    assert len([line for line in code.splitlines() if line]) <= 4
    assert names["path"].shape == (1750,) and sp.Model.load("sleep-aasm").is_legal(names["path"])


def test_readme(tmp_path, monkeypatch):
    readme = readme_of("lib", "python")
    monkeypatch.chdir(tmp_path)
    failed, tried = doctest.testfile(readme, module_relative=False, optionflags=FLAGS, encoding="utf-8")
    assert tried > 20 and not failed


# Their packages are those of the doors; test_doors.py runs what these examples show.
OF_OTHER_PACKAGES = {
    "statepath.compat.hmmlearn.use",
    "statepath.compat.torchcrf.CRF",
    "statepath.nlp.pipeline",
    "statepath.sleep.decode_hypnogram",
    "statepath.sleep.to_annotations",
    "statepath.sleep.to_yasa",
}
MADE_ELSEWHERE = {"set_fit_request", "set_score_request"}  # by scikit-learn


def examples(thing):
    """Lines that run; what only imports a name is no example of it."""
    found = doctest.DocTestParser().get_examples(inspect.getdoc(thing) or "")
    lines = [line for e in found if not e.options.get(doctest.SKIP) for line in e.source.splitlines()]
    return [line for line in lines if not line.startswith(("import ", "from "))]


def names_of(kind):
    """Public methods, properties and attributes of a class of ours."""
    inherited = [c for c in kind.__mro__ if c.__module__.startswith("statepath")]
    named = {key for c in inherited for key in [*vars(c), *vars(c).get("__annotations__", {})]}
    return sorted(key for key in named - MADE_ELSEWHERE if not key.startswith("_"))


def members_without(kind):
    """Those that neither their own examples show nor those of their class."""
    of_class = " ".join(examples(kind))
    without = []
    for key in names_of(kind):
        own = examples(getattr(kind, key)) if callable(getattr(kind, key, None)) else []
        if not re.search(rf"[.]{key}\b", of_class + " ".join(own)):
            without.append(key)
    return without


@pytest.mark.parametrize("module", [m for m in modules() if getattr(m, "__all__", None) and "._" not in m.__name__], ids=lambda m: m.__name__)
def test_every_public_name_has_an_example(module):
    without = []
    for name in module.__all__:
        found, full = getattr(module, name), f"{module.__name__}.{name}"
        if name.startswith("__") or not callable(found) or full in OF_OTHER_PACKAGES:
            continue
        if not re.search(rf"\b{name}\b" if not inspect.isclass(found) else ".", " ".join(examples(found))):  # results are made by functions
            without.append(full)
        if inspect.isclass(found):
            without += [f"{full}.{key}" for key in members_without(found)]
    assert not without


def test_the_search_for_examples_finds_what_is_missing():
    class Thing:
        """
        >>> Thing().shown
        >>> Thing().skipped  # doctest: +SKIP
        """

        shown = skipped = 0

        def done(self):
            """>>> Thing().done()"""

        def undone(self):
            """Without."""

    Thing.__module__ = "statepath"
    assert members_without(Thing) == ["skipped", "undone"]

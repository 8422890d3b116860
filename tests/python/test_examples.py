"""Every example of the package and of its README runs, and every public name has one."""
import doctest
import importlib
import inspect
import os
import pkgutil

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


def test_every_public_name_has_an_example():
    without = []
    for name in sp.__all__:
        found = getattr(sp, name)
        if name.startswith("__") or name in ("StatepathWarning", "BugError"):
            continue
        if ">>> " not in (inspect.getdoc(found) or ""):
            without.append(name)
        if inspect.isclass(found) and not issubclass(found, Exception):
            for key, member in vars(found).items():
                simple = isinstance(member, property) or key.startswith("_")
                member = member.__func__ if isinstance(member, staticmethod) else member
                if not simple and callable(member) and not inspect.getdoc(member):
                    without.append(f"{name}.{key}")
    assert not without

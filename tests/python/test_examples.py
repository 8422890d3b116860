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
    for info in pkgutil.iter_modules(sp.__path__, "statepath."):
        if info.name != "statepath._core":
            yield importlib.import_module(info.name)


@pytest.mark.parametrize("module", list(modules()), ids=lambda m: m.__name__)
def test_docstrings(module):
    failed, _ = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert not failed


def test_readme(tmp_path, monkeypatch):
    readme = os.path.join(os.path.dirname(__file__), "..", "..", "lib", "python", "README.md")
    if not os.path.exists(readme):
        pytest.skip("the sources are not beside the tests")
    readme = os.path.abspath(readme)
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

"""The extension that compares, evaluates and fits. Not for users; there only where the package was built with GSL."""

from collections.abc import Callable
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

_Figures = tuple[list[str], list[int], list[str], list[str], list[str], bool, dict[str, float | str]]

@final
class Comparison:
    def text(self, form: str, /) -> str: ...
    def save(self, form: str, file: Any, force: bool, /) -> None: ...
    def figures(self) -> _Figures: ...

def compare(
    model: str,
    inputs: dict[str, Any],
    options: dict[str, Any],
    against: dict[str, dict[str, Any]],
    progress: Callable[[str, int, int], object] | None,
    notices: list[str],
    /,
) -> Comparison: ...
def evaluate(
    model: str,
    inputs: dict[str, Any],
    options: dict[str, Any],
    names: list[str],
    paths: list[NDArray[np.int32]],
    progress: Callable[[str, int, int], object] | None,
    notices: list[str],
    /,
) -> Comparison: ...
def read_files(
    file: bytes | str,
    options: dict[str, Any],
    model: str | None,
    more: list[str] | None,
    progress: Callable[[str, int, int], object] | None,
    notices: list[str],
    /,
) -> dict[str, Any]: ...
def judge(
    text: str,
    strategies: list[str],
    classifiers: list[int],
    classes: list[str],
    against: list[str],
    rules: list[str],
    has_labels: bool,
    figures: dict[str, float | str],
    /,
) -> list[tuple[bool, bool, str]]: ...
def fit(
    rules: str | None,
    inputs: dict[str, Any],
    options: dict[str, Any],
    groups: NDArray[np.int32] | None,
    progress: Callable[[str, int, int], object] | None,
    /,
) -> tuple[str, dict[str, Any]]: ...

"""Rules over more than two steps, as users write them: as the members of a model's JSON (models/rules.md)."""

from __future__ import annotations

import math
import reprlib
from collections.abc import Iterable, Mapping
from typing import Any, TypedDict

from ._errors import ModelError


class Rule(TypedDict, total=False):
    """A rule: "never REM Wake REM". Without `cost` no path breaks it; else each violation costs so many nats."""

    rule: str
    name: str
    cost: float | None
    at_gap: str


Rules = Iterable[str | Rule | Mapping[str, Any]]


def rules_of(given: Any) -> list[Any]:
    """`rules` of the JSON. What a rule is the reader of the JSON says."""
    if isinstance(given, (str, Mapping)) or not isinstance(given, Iterable) or getattr(given, "ndim", 1) != 1:
        raise ModelError(f'rules={reprlib.repr(given)}: give a list of rules, as ["never REM Wake REM", {{"name": "n3", "rule": "at_least 1 N3"}}]')
    return [_rule(one, i) for i, one in enumerate(given)]


def _rule(one: Any, i: int) -> Any:
    if isinstance(one, str):
        return one
    if not isinstance(one, Mapping):
        raise ModelError(f'rules[{i}]={reprlib.repr(one)}: a rule is a string, or a mapping as {{"name": "n3", "rule": "at_least 1 N3", "cost": 2.3}}')
    rule = {str(k): v for k, v in one.items() if v is not None}
    if "cost" in rule:
        try:
            cost = float(rule["cost"])
        except (TypeError, ValueError):
            raise ModelError(f"rules[{i}]: cost={reprlib.repr(rule['cost'])} is no number of nats") from None
        if math.isnan(cost):
            raise ModelError(f"rules[{i}]: cost={cost} is no number of nats")
        del rule["cost"]
        if cost != math.inf:  # which is the hard rule
            rule["cost"] = cost
    return rule

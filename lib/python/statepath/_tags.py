"""Tagging schemes: which tag may follow which."""

from __future__ import annotations

from typing import Any

from ._errors import ModelError

# Tags of a scheme: of a type, in the order in which they are listed.
_TAGS = {"BIO": "BI", "BIOES": "BIES", "BILOU": "BILU", "IOB1": "BI"}
_DESCRIPTIONS = {
    "BIO": "BIO tags: I-X only after B-X or I-X, never first",
    "BIOES": "BIOES tags: B-X and I-X are followed by I-X or E-X, all else by O, B or S; starts with O, B or S, ends with O, E or S",
    "BILOU": "BILOU tags: B-X and I-X are followed by I-X or L-X, all else by O, B or U; starts with O, B or U, ends with O, L or U",
    "IOB1": "IOB1 tags: B-X only after a tag of X",
}


def _split(tag: str) -> tuple[str, str]:
    """Letter and type; O has no type."""
    letter, _, kind = tag.partition("-")
    return letter, kind


def _is_tags(names: list[str], letters: str) -> bool:
    return "O" in names or any(len(n) > 2 and n[1] == "-" and n[0] in letters for n in names)


def _check(tags: list[str], scheme: str) -> None:
    letters = _TAGS[scheme]
    for tag in tags:
        letter, kind = _split(tag)
        if tag != "O" and (letter not in letters or len(letter) != 1 or not kind):
            raise ModelError(
                f'tag "{tag}" is none of the scheme {scheme}: tags are O and {", ".join(c + "-X" for c in letters)} '
                "(another scheme is named by scheme=; special tokens are no classes of the chain)"
            )


def _may_follow(scheme: str, before: str, after: str) -> bool:
    (b, kind_before), (a, kind_after) = _split(before), _split(after)
    same = kind_before == kind_after
    if scheme == "BIO":
        return a != "I" or (same and b in "BI")
    if scheme == "IOB1":
        return a != "B" or (same and b in "BI")
    last = {"BIOES": "E", "BILOU": "L"}[scheme]
    if b in "BI":  # the entity goes on
        return same and a in ("I", last)
    return a not in ("I", last)


def model_of(names: list[str], scheme: str) -> tuple[list[str], dict[str, list[str]], dict[str, Any]]:
    """Tags, what may follow each, and the model's other arguments."""
    if scheme not in _TAGS:
        raise ModelError(f'scheme="{scheme}": there are {", ".join(_TAGS)}')
    letters = _TAGS[scheme]
    if not names:
        raise ModelError("a model needs at least one entity type")
    tags = names if _is_tags(names, letters) else ["O"] + [f"{c}-{t}" for t in names for c in letters]
    _check(tags, scheme)
    rules = {b: [a for a in tags if _may_follow(scheme, b, a)] for b in tags}
    members: dict[str, Any] = {"name": scheme.lower(), "description": _DESCRIPTIONS[scheme]}
    first = {"BIO": "OB", "IOB1": "OI", "BIOES": "OBS", "BILOU": "OBU"}[scheme]
    members["start"] = [t for t in tags if t[0] in first]
    if scheme in ("BIOES", "BILOU"):
        members["end"] = [t for t in tags if t[0] in "OESLU"]
    return tags, rules, members

"""Random models in every form of the contract, and random files of scores in every layout, with what they mean."""
import re

import h5py
import numpy as np

GRID = 8  # scores and weights are multiples of 1/8: sums are exact, ties are frequent
NAMES = ["Wach", "b c", "I-PER", "ü", "0", "REM/1"]


def grid(rng, shape, spread, impossible=0.0):
    x = rng.integers(-spread * GRID, spread * GRID + 1, shape) / GRID
    return np.where(rng.random(shape) < impossible, -np.inf, x)


def random_model(rng, exact=True, plain=False):
    """A model as in its JSON. `exact`: only weights on the grid; `plain`: one state per class, no dwell."""
    k = int(rng.integers(1, 5))
    classes = [str(n) for n in rng.permutation(NAMES)[:k]]
    model = {"statepath_model": 1, "name": "random", "classes": classes}
    states = classes
    if not plain and rng.random() < 0.3:
        extra = int(rng.integers(0, 6 - k))
        emits = [str(c) for c in rng.permutation(classes + [str(rng.choice(classes)) for _ in range(extra)])]
        states = ["s%d" % i for i in range(len(emits))]
        model["states"] = dict(zip(states, emits))
    m = len(states)
    allow = rng.random((m, m)) < rng.uniform(0.3, 1)
    dwell = {}
    if not plain and rng.random() < 0.4:
        for s in range(m):
            if rng.random() < 0.5:
                dwell[states[s]] = int(rng.integers(1, 4))
                allow[s, s] |= dwell[states[s]] > 1
        if rng.random() < 0.5:
            model["min_dwell_at_end"] = True
        model["min_dwell"] = dwell
    weights = str(rng.choice(["", "log_weights", "" if exact else "probabilities"]))
    if weights == "probabilities":
        p = np.where(allow, rng.random((m, m)) + 0.01, 0)
        total = p.sum(axis=1, keepdims=True)
        model[weights] = (p / np.where(total, total, 1)).tolist()
    elif weights:
        model[weights] = [[float(w) if a else None for w, a in zip(row, ok)] for row, ok in zip(grid(rng, (m, m), 2), allow)]
    form = rng.integers(3)
    if form == 0:
        model["allow"] = {states[i]: [states[j] for j in rng.permutation(m) if allow[i, j]] for i in rng.permutation(m)}
    elif form == 1:
        model["forbid"] = {states[i]: [states[j] for j in range(m) if not allow[i, j]] for i in range(m) if not allow[i].all()}
    else:
        model["matrix"] = [[bool(a) if rng.random() < 0.5 else int(a) for a in row] for row in allow]
    for key in ("start", "end"):
        some = [s for s in states if rng.random() < 0.6] or [states[0]]
        how = rng.integers(4)
        if how == 1:
            model[key] = some
        elif how == 2 and not exact:
            p = rng.random(len(some)) + 0.01
            model[key] = dict(zip(some, (p / p.sum() if key == "start" else p / 2).tolist()))
        if how in (1, 3) and weights == "log_weights":
            model[key + "_log_weights"] = {s: float(w) for s, w in zip(some, grid(rng, len(some), 2))}
    decoding = {}
    if rng.random() < 0.2:
        decoding["temperature"] = float(rng.choice([0.5, 2]))
    if rng.random() < 0.2:
        decoding["transition_weight"] = float(rng.choice([0, 0.5, 2]))
    if not exact and rng.random() < 0.3:
        p = rng.random(k) + 0.05
        p = p / p.sum()
        model["prior"] = dict(zip(classes, p.tolist())) if rng.random() < 0.5 else p.tolist()
        decoding["prior_weight"] = 0.5
    if decoding:
        model["decoding"] = decoding
    if rng.random() < 0.3:
        model["aliases"] = {classes[0]: ["other-%d" % i for i in range(2)]}
    return model


class RandomFile:
    """Scores of recordings of 0..`longest` steps, written in some layout; what they mean stays in `recordings`."""

    def __init__(self, rng, model, kind, n, longest):
        k = len(model["classes"])
        self.kind = kind
        self.columns = [str(c) for c in rng.permutation(model["classes"])]
        named = "aliases" not in model or rng.random() < 0.5
        self.names = [c if named else model.get("aliases", {}).get(c, [c])[-1] for c in self.columns]
        self.layout = str(rng.choice(["packed", "padded", "groups"]))
        self.dtype = str(rng.choice(["f2", "f4", "f8", ">f4", ">f8", "<f8"])) if kind != "log_probs" else str(rng.choice(["f4", "f8"]))
        self.with_labels, self.with_segments, self.with_mask = rng.random(3) < (0.8, 0.4, 0.3)
        self.recordings = []
        spread = float(rng.choice([0.25, 1, 4]))
        for r in range(n):
            t = int(rng.integers(0, longest + 1))
            x = grid(rng, (t, k), spread, float(rng.choice([0, 0.2])))
            if kind != "scores":
                x = x + rng.random((t, k)) / GRID  # no ties: rounding would decide them
            if kind == "probs" or kind == "log_probs":
                x = np.exp(x)
                x = np.where(x.sum(axis=1, keepdims=True) > 0, x, 1)
                x = x / x.sum(axis=1, keepdims=True)
                with np.errstate(divide="ignore"):
                    x = np.log(x) if kind == "log_probs" else x
            x = x.astype(self.dtype)
            self.recordings.append({
                "id": "r%d" % r, "rows": x, "labels": rng.integers(-1, k, t), "segments": np.cumsum(rng.random(t) < 0.2),
                "mask": (rng.random((t, k)) < 0.85) | (rng.random((t, 1)) < 0.5)})
        if rng.random() < 0.2:
            for r in self.recordings:
                r["labels"][:] = -1 if rng.random() < 0.5 else r["labels"]

    def write(self, file, rng):
        parts = [self.kind] + [p for p, has in [("labels", self.with_labels), ("segments", self.with_segments), ("mask", self.with_mask)] if has]
        key = {self.kind: "rows"}
        lengths = [len(r["rows"]) for r in self.recordings]
        with h5py.File(file, "w") as f:
            where = f
            place = rng.integers(3)
            if self.layout == "packed":
                f["offsets"] = np.concatenate([[0], np.cumsum(lengths)]).astype("i8")
                f["ids"] = [r["id"] for r in self.recordings]
                for p in parts:
                    f[p] = np.concatenate([r[key.get(p, p)] for r in self.recordings])
            elif self.layout == "padded":
                width = max(lengths + [1])
                if rng.random() < 0.5:
                    f["lengths"] = np.array(lengths)
                else:
                    f["valid"] = np.arange(width) < np.array(lengths)[:, None]
                f["ids"] = np.array([r["id"].encode() for r in self.recordings])
                for p in parts:
                    one = [r[key.get(p, p)] for r in self.recordings]
                    full = np.full((len(one), width) + one[0].shape[1:], np.nan if p == self.kind else 0, dtype=one[0].dtype)
                    for i, a in enumerate(one):
                        full[i, :len(a)] = a
                    f.create_dataset(p, data=full, **({"compression": "gzip", "shuffle": True} if rng.random() < 0.5 else {}))
            else:
                for i in rng.permutation(len(self.recordings)):
                    r = self.recordings[i]
                    for p in parts:
                        f["recordings/%s/%s" % (r["id"], p)] = r[key.get(p, p)]
                where = f["recordings"]
            names = np.array([n.encode() for n in self.names]) if rng.random() < 0.5 else self.names
            if place == 0:
                f["classes"] = names
            elif place == 1 and self.layout != "groups":
                where[self.kind].attrs["classes"] = names
            else:
                f.attrs["classes"] = names


# ---- rules and durations ----


def class_name(rng, names, k):
    if rng.random() < 0.5 or not re.fullmatch(r"[A-Za-z][\w./-]*", names[k], re.ASCII):
        return "'" + names[k].replace("'", "''") + "'"
    return names[k]


def some_classes(rng, names):
    k = len(names)
    some = [class_name(rng, names, i) for i in rng.sample(range(k), rng.randint(1, min(2, k)))]
    if len(some) == 1 and rng.random() < 0.6:
        return some[0]
    return ("[^ " if len(some) < k and rng.random() < 0.3 else "[") + " ".join(some) + "]"


def expression(rng, names, depth):
    kind = rng.randrange(5) if depth else 0
    if kind <= 1:
        return "." if rng.random() < 0.2 else some_classes(rng, names)
    if kind == 2:
        return expression(rng, names, depth - 1) + rng.choice([" ", ", "]) + expression(rng, names, depth - 1)
    if kind == 3:
        return f"({expression(rng, names, depth - 1)} | {expression(rng, names, depth - 1)})"
    return f"({expression(rng, names, depth - 1)}){rng.choice(['*', '+', '?', '{2}', '{1,}', '{0,2}', '{30s,90s}'])}"


def random_rule(rng, names):
    """The text of a rule over some classes. rng: of `random`."""
    form = rng.randrange(10)
    start = f" from first {some_classes(rng, names)}" if rng.random() < 0.3 else ""
    if form < 2:
        return "never " + expression(rng, names, 3)
    if form < 4:
        return expression(rng, names, 4)
    if form < 7:
        word = rng.choice(["at_least", "at_most", "not_before", "not_after"])
        runs = "runs of " if word.startswith("at") and rng.random() < 0.4 else ""
        n = rng.choice(["0", "1", "2", "3"] if runs else ["0", "1", "2", "3", "60s", "1min"])
        return f"{word} {n} {runs}{some_classes(rng, names)}{start}"
    if form < 9:
        return f"every {some_classes(rng, names)} {rng.choice(['followed_by', 'preceded_by'])} {some_classes(rng, names)}"
    return f"{rng.choice(['first', 'last'])} {some_classes(rng, names)}"


def random_duration(rng):
    low = int(rng.integers(1, 4))
    high = low + int(rng.integers(0, 4))
    forms = [
        {"min": low}, {"max": high}, {"min": low, "max": high}, {"pmf": rng.random(high).tolist()}, {"pmf": [0.0, *rng.random(3).tolist()]},
        {"poisson": {"mean": 1 + 3 * float(rng.random())}}, {"negative_binomial": {"mean": 2.5, "dispersion": 1.5}, "max": high},
        {"negative_binomial": {"mean": 3, "dispersion": 2}, "min": low},
    ]  # fmt: skip
    return forms[rng.integers(len(forms))]


def add_durations_and_rules(rng, model, chance, has_gaps):
    """Durations of classes that have no minimum dwell, and rules; chance: of `random`."""
    states = model.get("states") or {c: c for c in model["classes"]}
    slow = {states[s] for s in model.get("min_dwell", {})}
    durations = {c: random_duration(rng) for c in model["classes"] if c not in slow and c in states.values() and rng.random() < 0.5}
    if durations and rng.random() < 0.6:
        model["durations"] = durations
        model["durations_at_ends"] = ["cut", "whole", {"start": "whole", "end": "cut"}, {"start": "cut", "end": "whole"}][rng.integers(4)]
    if len(model["classes"]) > 1 and rng.random() < 0.6:
        model["rules"] = []
        for _ in range(rng.integers(1, 3)):
            text = random_rule(chance, model["classes"])
            # A gap may hold anything: the reference tries short words, so expressions are left to the other meaning.
            is_counted = text.split()[0] in ("never", "at_least", "at_most", "not_before", "not_after", "first", "last", "every")
            may = chance.random() < 0.3 and (not has_gaps or is_counted)
            model["rules"].append({"rule": text, "cost": chance.choice([None, None, 0, 1, 2]), "at_gap": "may" if may else "must"})

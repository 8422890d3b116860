"""Random models in every form of the contract, and random files of scores in every layout, with what they mean."""
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

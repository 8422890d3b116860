#!/usr/bin/env python3
"""Are distributions of run lengths worth a strategy of their own? A semi-Markov Viterbi against what fit gives, as a Markdown table.

    tests/bench/segments.py [PROGRAM] [FOLDER] [SET ...]

Arguments as of learning.py. A path is a sequence of segments; a segment of class k that lasts d steps weighs log p_k(d), and the next
class j weighs log P(j | k is left). p_k is written as hazards: at age a the run ends with h_k(a), so
    p_k(d) = h_k(d) * prod over a < d of (1 - h_k(a)),
ages from D on share one hazard (a geometric tail), and a run that the end of the recording cuts weighs its survival, prod (1 - h_k(a)).
Runs begin with the recording. With one position of age for each of 1..D the best path is exact in O(T (K^2 + K D)). What the rules
forbid is -inf.

Hazards are learnt from labels, runs that are cut included as long as they were seen (Kaplan and Meier), in bins of age 1, 2, 3, 4, 5-6,
7-8, 9-12, ... and drawn to the constant hazard of the plain chain by M imaginary runs at risk. Temperature, prior weight, weight of the
changes, weight of the durations, M and minimum dwell are chosen by accuracy (entities: entity F1) in folds inside the training set, one
after the other, twice round, as `fit --method counts` does; the same search without durations is the column "plain chain", which is
there to show that this script and the program agree where they do the same.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import h5py
import numpy as np

import learning

POSITIONS = {"wnut17_linear": 8}  # D; 64 unless given
TEMPERATURES = [0.5, 0.7, 1, 1.5, 2, 3, 4, 6, 9, 14, 20, 30, 45, 70]
WEIGHTS = [0, 0.25, 0.5, 0.75, 1, 1.5, 2, 3, 4.5, 6]
PRIORS = [-0.5, -0.25, 0, 0.25, 0.5, 0.75, 1, 1.5]
DWELLS = [0, 0.01, 0.02, 0.05, 0.1, 0.2]
AT_RISK = [np.inf, 300, 100, 30, 10, 3, 1]  # M; infinite: the constant hazard
PLAIN = [("temperature", TEMPERATURES), ("prior", PRIORS), ("both", WEIGHTS), ("dwell", DWELLS)]
SEGMENTS = [("temperature", TEMPERATURES), ("prior", PRIORS), ("both", WEIGHTS), ("durations", WEIGHTS), ("at_risk", AT_RISK), ("dwell", DWELLS)]
START = {"temperature": 1, "prior": 0, "changes": 1, "durations": 1, "at_risk": np.inf, "dwell": 0}


class Data:
    """One set, its recordings padded to the longest: scores [N,T,K], labels [N,T] with -1 where there is none."""

    def __init__(self, name):
        self.name = name
        with h5py.File(learning.FOLDER / (name + ".h5"), "r") as f:
            groups = f["recordings"]
            self.ids = sorted(groups, key=lambda i: [int(x) if x.isdigit() else x for x in re.split(r"(\d+)", i)])
            scores = [np.asarray(groups[i]["log_probs"], float) for i in self.ids]
            labels = [np.asarray(groups[i]["labels"], int) for i in self.ids]
            self.classes = [c.decode() if isinstance(c, bytes) else str(c) for c in f.attrs["classes"]]
        self.N, self.K, self.length = len(self.ids), len(self.classes), np.array([len(y) for y in labels])
        self.scores = np.zeros((self.N, self.length.max(), self.K))
        self.labels = -np.ones((self.N, self.length.max()), int)
        for n in range(self.N):
            self.scores[n, :self.length[n]], self.labels[n, :self.length[n]] = scores[n], labels[n]
        # A step whose label is impossible by its scores teaches nothing.
        at_label = np.take_along_axis(self.scores, np.maximum(self.labels, 0)[:, :, None], 2)[:, :, 0]
        self.learnt = np.where((self.labels >= 0) & ~np.isneginf(at_label), self.labels, -1)
        self.spans = {}  # of the labels, for entities, once they are asked for
        self.is_split = name in learning.SPLIT
        self.group = [i.split("_")[0] for i in self.ids] if self.is_split else list(range(self.N))

    def rules(self, use):
        """allow [K,K], start [K], end [K]: of the model file, or, with published splits, what the labels of `use` show."""
        if not self.is_split:
            return file_rules(self)
        K = self.K
        pairs, start, end, seen = np.zeros((K, K)), np.zeros(K), np.zeros(K), np.zeros(K)
        for n in use:
            y = self.labels[n, :self.length[n]]
            both = (y[1:] >= 0) & (y[:-1] >= 0)
            np.add.at(pairs, (y[:-1][both], y[1:][both]), 1)
            np.add.at(seen, y[y >= 0], 1)
            start[y[0]] += y[0] >= 0
            end[y[-1]] += y[-1] >= 0
        allow = (pairs > 0) | np.eye(K, dtype=bool) | (seen == 0)[:, None] | (seen == 0)[None, :]
        return allow, (start > 0) | (not start.any()), (end > 0) | (not end.any())


def file_rules(data):
    model = json.loads((learning.FOLDER / (data.name + ".model.json")).read_text())
    at = {c: data.classes.index(c) for c in model["classes"]}
    allow = np.zeros((data.K, data.K), bool)
    if "matrix" in model:
        for a, row in zip(model["classes"], model["matrix"]):
            for b, is_allowed in zip(model["classes"], row):
                allow[at[a], at[b]] = is_allowed
    for a, others in model.get("allow", {}).items():
        allow[at[a], [at[b] for b in others]] = True
    if "forbid" in model:
        allow[:] = True
        for a, others in model["forbid"].items():
            allow[at[a], [at[b] for b in others]] = False
    return (allow, *(np.array([key not in model or c in model[key] for c in data.classes]) for key in ("start", "end")))


def bins_of(D):
    """Bin of each age 1..D: 1, 2, 3, 4, then two of each width 2, 4, 8, ..."""
    edges, age, width = [1, 2, 3, 4], 5, 2
    while age <= D:
        edges += [age, age + width]
        age, width = age + 2 * width, 2 * width
    return np.searchsorted(edges, np.arange(1, D + 1), side="right") - 1


class Counts:
    """What the labels of some recordings say."""

    def __init__(self, data, use, D, rules, smoothing=0.5):
        allow, may_start, may_end = rules
        K = data.K
        pairs, start, share = np.zeros((K, K)), np.zeros(K), np.zeros(K)
        ended, at_risk = np.zeros((K, D)), np.zeros((K, D))
        self.whole = [[] for _ in range(K)]
        for n in use:
            before, age, is_whole = -1, 0, False  # age 0: the begin of the run was not seen
            for t, k in enumerate(data.learnt[n, :data.length[n]]):
                if k >= 0:
                    share[k] += 1
                if t == 0:
                    age, is_whole = 1, False
                    if k >= 0:
                        start[k] += may_start[k]
                elif k < 0 or before < 0:
                    age = 0
                elif not allow[before, k]:
                    age, is_whole = 1, False
                else:
                    pairs[before, k] += 1
                    if age:
                        at_risk[before, min(age, D) - 1] += 1
                    if before == k:
                        age += age > 0
                    else:
                        if age:
                            ended[before, min(age, D) - 1] += 1
                            if is_whole:
                                self.whole[before].append(age)
                        age, is_whole = 1, True
                before = k
        with np.errstate(divide="ignore", invalid="ignore"):
            smooth = np.where(allow, pairs + smoothing, 0)
            leave = smooth - np.diag(np.diag(smooth))
            self.change = np.log(np.nan_to_num(leave / leave.sum(1, keepdims=True)))
            self.hazard = np.nan_to_num(leave.sum(1) / smooth.sum(1))
            smooth_start = np.where(may_start, start + smoothing, 0)
            self.start = np.log(smooth_start / smooth_start.sum())
            self.end = np.log(may_end.astype(float))
        self.may_stay = np.diag(allow)
        self.log_prior = np.log((share + smoothing) / (share + smoothing).sum())
        self.bins = bins_of(D)
        self.ended, self.at_risk = (np.stack([np.bincount(self.bins, row) for row in x]) for x in (ended, at_risk))

    def durations(self, m, quantile, weight):
        """log weights of staying and of leaving at each age [K,D]; a dwell is at most D."""
        D = len(self.bins)
        constant = np.repeat(self.hazard[:, None], D, 1)
        h = constant if np.isinf(m) else ((self.ended + m * self.hazard[:, None]) / (self.at_risk + m))[:, self.bins]
        h = np.where(self.may_stay[:, None], h, 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            stay, leave = np.log(1 - h), np.log(h)
            stay, leave = (np.where(np.isneginf(x), x, weight * x) for x in (stay, leave))
        for k, lengths in enumerate(self.whole):
            if quantile > 0 and lengths and self.may_stay[k]:
                leave[k, :min(sorted(lengths)[int(quantile * len(lengths))], D) - 1] = -np.inf
        return stay, leave


def viterbi(e, length, change, start, end, stay, leave):
    """Best paths [N,T] of all recordings at once. e [N,T,K], change [N,K,K], start, end [N,K], stay, leave [N,K,D].

        v[k,1] = start[k] + e[0,k];  out[t,k] = max over ages a of v[t,k,a] + leave[k,a]
        v[t,k,1] = max over j of out[t-1,j] + change[j,k] + e[t,k];  v[t,k,a+1] = v[t-1,k,a] + stay[k,a] + e[t,k]
    """
    order = np.argsort(-length, kind="stable")
    e, change, start, end, stay, leave = (x[order] for x in (e, change, start, end, stay, leave))
    N, T, K = e.shape
    D, lengths, live = stay.shape[2], length[order], N
    v = np.full((N, K, D), -np.inf)
    v[:, :, 0] = start + e[:, 0]
    tail = np.zeros((N, K), int)  # first step of the run that stands at position D
    left, came = np.zeros((N, T, K), int), np.zeros((N, T, K), int)  # first step of the run best left at t; class before
    last = [None] * N
    for t in range(1, T + 1):
        while live and lengths[live - 1] == t:
            final = v[live - 1] + end[live - 1][:, None]
            k, a = np.unravel_index(final.argmax(), final.shape)
            last[live - 1] = (k, t - 1 - a if a < D - 1 else tail[live - 1, k], final[k, a])
            live -= 1
        if not live:
            break
        v, tail = v[:live], tail[:live]
        out = v + leave[:live]
        a = out.argmax(2)
        left[:live, t - 1] = np.where(a < D - 1, t - 1 - a, tail)
        moves = np.take_along_axis(out, a[:, :, None], 2) + change[:live]
        came[:live, t] = moves.argmax(1)
        longer = v + stay[:live]
        v = np.empty_like(v)
        v[:, :, 0] = moves.max(1)
        v[:, :, 1:] = longer[:, :, :-1]
        arrives = v[:, :, -1] >= longer[:, :, -1]
        tail = np.where(arrives, t - D + 1, tail)
        v[:, :, -1] = np.maximum(v[:, :, -1], longer[:, :, -1])
        v += e[:live, t][:, :, None]
    paths = -np.ones((N, T), int)
    for n, (k, first, score) in enumerate(last):
        stop = lengths[n]
        while score > -np.inf:
            paths[order[n], first:stop] = k
            if first == 0:
                break
            stop, k = first, came[n, first, k]
            first = left[n, stop - 1, k]
    return paths


def decode(data, use, fold, counts, s):
    """Recordings `use`, each by the counts of its fold and settings s."""
    tables = [(c.log_prior * s["prior"], np.where(np.isneginf(c.change), c.change, s["changes"] * np.where(np.isneginf(c.change), 0, c.change)),
               c.start, c.end, *c.durations(s["at_risk"], s["dwell"], s["durations"])) for c in counts]
    prior, *rest = (np.stack(x)[fold[use]] for x in zip(*tables))
    return viterbi(data.scores[use] / s["temperature"] - prior[:, None, :], data.length[use], *rest)


def accuracy(data, use, paths):
    scored = data.labels[use] >= 0
    return np.mean((paths == data.labels[use])[scored])


def spans(tags):
    found, first, kind = set(), None, ""
    for t, tag in enumerate(list(tags) + ["O"]):
        if first is not None and not (tag[:2] == "I-" and tag[2:] == kind):
            found.add((first, t, kind))
            first = None
        if first is None and tag != "O":
            first, kind = t, tag[2:]
    return found


def entity_counts(data, use, paths):
    """[N,2]: twice the right entities, and all of both sides. Tags are BIO."""
    tags, rows = data.classes + ["O"], []
    for n, path in zip(use, paths):
        if n not in data.spans:
            data.spans[n] = spans([tags[k] for k in data.labels[n, :data.length[n]]])
        found = spans([tags[k] for k in path[:data.length[n]]])
        rows.append((2 * len(data.spans[n] & found), len(data.spans[n]) + len(found)))
    return np.array(rows)


def entity_f1(data, use, paths):
    right, of = entity_counts(data, use, paths).sum(0)
    return right / max(of, 1)


def folds_of(length, group, n):
    """As the program shares them out: the largest group first, to the fold of fewest steps so far."""
    members = {}
    for i, g in enumerate(group):
        members.setdefault(g, []).append(i)
    load, fold = [0] * n, np.zeros(len(length), int)
    for rows in sorted(members.values(), key=lambda r: (-sum(length[i] for i in r), r[0])):
        f = int(np.argmin(load))
        load[f] += sum(length[i] for i in rows)
        fold[rows] = f
    return fold


def search(judge, coordinates):
    best, value = dict(START), judge(START)
    for _ in range(2):
        for name, values in coordinates:
            base = dict(best)
            for x in values:
                s = {**base, **({"changes": x, "durations": x} if name == "both" else {name: x})}
                found = judge(s) if s != base else -np.inf
                if found > value + 1e-12:
                    best, value = s, found
    return best


def cross_validated(data, coordinates, D, n_folds=5):
    """Paths [N,T], each recording decoded by what the other folds teach."""
    metric = entity_f1 if data.name in learning.TUNE else accuracy
    outer, paths = folds_of(data.length, data.group, n_folds), -np.ones_like(data.labels)
    for f in range(n_folds):
        train, test = np.flatnonzero(outer != f), np.flatnonzero(outer == f)
        group = [data.group[i] for i in train]
        n_inner, inner, rules = min(5, len(set(group))), np.zeros(data.N, int), data.rules(train)
        inner[train] = folds_of(data.length[train], group, n_inner)
        counts = [Counts(data, train[inner[train] != i], D, rules) for i in range(n_inner)]
        s = search(lambda s: metric(data, train, decode(data, train, inner, counts, s)), coordinates)
        paths[test] = decode(data, test, np.zeros(data.N, int), [Counts(data, train, D, rules)], s)
    return paths


def positions(name):
    """Of age. The plain chain needs them too: a minimum dwell is held to D steps."""
    return POSITIONS.get(name, 64)


def segments_of(name):
    data = Data(name)
    return data, cross_validated(data, SEGMENTS, positions(name))


def write_paths(data, paths, file, name):
    """As a file that `statepath evaluate` reads."""
    with h5py.File(file, "w") as f:
        for place, x in (("paths/" + name, paths), ("labels", data.labels)):
            f[place] = np.concatenate([x[n, :data.length[n]] for n in range(data.N)]).astype("i2")
        f["offsets"] = np.concatenate([[0], np.cumsum(data.length)])
        f["ids"], f["classes"] = (np.array(x, dtype="S") for x in (data.ids, data.classes))


def by_program(data, method):
    """Paths of the program's cross-validation with Viterbi."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "p.h5"
        judge, how = learning.how_of(data.name, folder, learning.TUNE.get(data.name, "accuracy"))
        subprocess.run([learning.PROGRAM, "compare", str(learning.FOLDER / (data.name + ".h5")), "--model", str(judge), "--strategies", "viterbi",
                        "--method", method, "--quiet", "-o", str(out), *how], check=True, stdout=subprocess.DEVNULL)
        with h5py.File(out, "r") as f:
            flat, offsets = f["paths/viterbi"][:], f["offsets"][:]
    paths = -np.ones_like(data.labels)
    for n in range(data.N):
        paths[n, :data.length[n]] = flat[offsets[n]:offsets[n + 1]]
    return paths


def counts_of(data, paths):
    """[N,2]: accuracy or entity F1 is the sum of the first column by that of the second."""
    if data.name not in learning.TUNE:
        scored = data.labels >= 0
        return np.stack([((paths == data.labels) & scored).sum(1), scored.sum(1)], 1)
    return entity_counts(data, range(data.N), paths)


def difference(a, b):
    """Points, and their 95 % interval by bootstrap over recordings, both sides together."""
    draws = np.random.default_rng(1).multinomial(len(a), np.ones(len(a)) / len(a), 10000)
    of = lambda w: 100 * ((w @ a)[..., 0] / (w @ a)[..., 1] - (w @ b)[..., 0] / (w @ b)[..., 1])
    return "%+.2f (%+.2f to %+.2f)" % (of(np.ones(len(a))), *np.percentile(of(draws), [2.5, 97.5]))


def main():
    print("| set | counts | crf | plain chain | segments | segments against crf, 95 % | segments against plain chain, 95 % |")
    print("|---|---|---|---|---|---|---|")
    for name in sys.argv[3:] or learning.LABELLED:
        data, paths = segments_of(name)
        found = {"counts": by_program(data, "counts"), "crf": by_program(data, "crf"), "plain": cross_validated(data, PLAIN, positions(name)), "segments": paths}
        c = {key: counts_of(data, p) for key, p in found.items()}
        print("| %s | %s | %s | %s |" % (name, " | ".join("%.2f" % (100 * x[:, 0].sum() / x[:, 1].sum()) for x in c.values()),
                                       difference(c["segments"], c["crf"]), difference(c["segments"], c["plain"])), flush=True)


if __name__ == "__main__":
    main()

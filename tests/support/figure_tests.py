"""Tests of pairs of strategies, the quality of probabilities, scorers and nights of sleep, for the table of
tests/support/figures.py."""

import collections
import itertools

import numpy as np
import scipy.stats

from figure_counts import agreement, less, mean, ratio, sd

# ---- pairs of strategies ----


def all_units(o):
    """Differences of recordings, or the means of those of a subject, where they are defined, else None."""
    run, found = o.run, collections.defaultdict(list)
    for n in range(run.N):
        steps = run.recording == n
        if o.metric == "illegal_rate" or (run.scored & steps).any():
            d = less(o.metric_of(o.a, steps), o.metric_of(o.b, steps))
            found[n if run.subjects is None else run.subjects[n]].append(d)
    return [mean(values) for values in found.values()]


def units(o):
    return np.round(np.array([d for d in all_units(o) if d is not None]), 12)


def sign(o):
    return -1 if o.metric == "illegal_rate" else 1


def flips(values):
    """[2^n, n] all signs."""
    return np.array(list(itertools.product((1, -1), repeat=len(values))))


def signed_ranks(o):
    """Exact, of the very mid-ranks."""
    d = units(o)
    ranked = d[d != 0]
    ranks = scipy.stats.rankdata(np.abs(ranked))
    if not len(ranks):
        return None
    sums = flips(ranks) @ ranks
    return float(np.mean(np.abs(sums) >= abs(np.sign(ranked) @ ranks) - 1e-9))


def effect_size(o):
    d = units(o)
    ranked = d[d != 0]
    ranks = scipy.stats.rankdata(np.abs(ranked))
    return ratio(float(np.sign(ranked) @ ranks), float(ranks.sum()))


def sign_flips(o):
    d = units(o)
    d = d[d != 0]
    return float(np.mean(np.abs(flips(d) @ d) >= abs(d.sum()) * (1 - 1e-9))) if len(d) else None


def holm(o):
    """Adjusted over the tests of all pairs that have one."""
    ps = sorted(p for p in (signed_ranks(other) for other in o.tested_pairs) if p is not None)
    own = o["wilcoxon_p"]
    adjusted = [p * (len(ps) - i) for i, p in enumerate(ps) if own is not None and p <= own + 1e-12]
    return min(1, max(adjusted)) if adjusted else None


def discordant(o):
    """Scored steps that a alone has right, and b alone."""
    a, b, y = o.run.paths[o.a], o.run.paths[o.b], o.run.labels
    return int(((a == y) & (b != y) & o.run.scored).sum()), int(((a != y) & (b == y) & o.run.scored).sum())


def mcnemar_exact(o):
    b, c = discordant(o)
    return min(1.0, 2 * scipy.stats.binom.cdf(min(b, c), b + c, 0.5)) if b + c else None


def mcnemar_mid(o):
    """Fagerland 2013."""
    b, c = discordant(o)
    if b + c == 0:
        return None
    return float(mcnemar_exact(o) - scipy.stats.binom.pmf(b, b + c, 0.5) / (2 if b == c else 1))


def clusters(o):
    """Chi2, df of McNemar's test over units: differences of right steps."""
    run, d = o.run, collections.Counter()
    for n, p in enumerate(run.parts):
        right = [(run.paths[s][p] == run.labels[p])[run.scored[p]].sum() for s in (o.a, o.b)]
        d[n if run.subjects is None else run.subjects[n]] += int(right[0] - right[1])
    squares = sum(v * v for v in d.values())
    return ratio(sum(d.values()) ** 2, squares), 1


def said_by_both(o):
    a, b = o.run.paths[o.a], o.run.paths[o.b]
    n, both = np.zeros((o.run.K, o.run.K)), (a >= 0) & (b >= 0)
    np.add.at(n, (a[both], b[both]), 1)
    return n


def bowker_of(o):
    n = said_by_both(o)
    i, j = np.triu_indices(len(n), 1)
    some = n[i, j] + n[j, i] > 0
    used = int((n.sum(0) + n.sum(1) > 0).sum())
    terms = ((n[i, j] - n[j, i]) ** 2)[some] / (n[i, j] + n[j, i])[some]
    return (float(terms.sum()) if some.any() else None), used * (used - 1) // 2


def stuart_maxwell_of(o):
    n = said_by_both(o)
    d, s = n.sum(1) - n.sum(0), np.diag(n.sum(1) + n.sum(0)) - n - n.T
    rank = int(np.linalg.matrix_rank(s))
    return (float(d @ np.linalg.pinv(s) @ d) if rank else None), rank


def tail(test):
    """p of (chi2, degrees of freedom)."""
    return None if test[0] is None else float(scipy.stats.chi2.sf(*test))


# ---- probabilities ----

BINS, CELLS = 15, 40 * 256


def wilson(accuracy, n, level):
    z = scipy.stats.norm.ppf((1 + level) / 2)
    middle = accuracy + z * z / (2 * n)
    half = z * np.sqrt(accuracy * (1 - accuracy) / n + z * z / (4 * n * n))
    return max(0.0, (middle - half) / (1 + z * z / n)), min(1.0, (middle + half) / (1 + z * z / n))


def doubt_cell(doubt):
    """256 equal cells an octave, (1/2,1], (1/4,1/2] ... of 1 - confidence, as lib/evaluate says."""
    if doubt <= 0:
        return CELLS - 1
    octave = int(np.floor(-np.log2(doubt)))
    return min(octave * 256 + int((1 - doubt * 2.0**octave) * 512), CELLS - 1)


def cell_edge(least, edge):
    """The edge below the least confidence that is kept, which lies in the cell above it."""
    return edge if 0 <= least - edge + 1e-12 < 0.002 else least


def equal_width(p):
    return np.clip(np.digitize(p, np.arange(BINS + 1) / BINS) - 1, 0, BINS - 1)


class Probabilities:
    """What is told of probabilities [S,K] at steps that have a reference and a weight."""

    def __init__(self, run, probs):
        possible = probs.sum(1) > 0
        counted = run.scored & (run.weights > 0)
        self.n_impossible, counted = int((counted & ~possible).sum()), counted & possible
        with np.errstate(invalid="ignore"):
            p = (probs / probs.sum(1, keepdims=True))[counted]
        self.p, self.y, self.w, self.n = p, run.labels[counted], run.weights[counted], int(counted.sum())
        self.top = p.max(1) if self.n else np.zeros(0)
        self.right = (p.argmax(1) == self.y).astype(float) if self.n else self.top
        others = np.sort(p, axis=1)[:, :-1].sum(1)  # 1 - top would round
        self.cells = np.array([doubt_cell(d) for d in others], int)
        self.width = equal_width(self.top)
        self.mass = np.full(self.n, -1)
        before, used = 0.0, {}
        for cell in np.unique(self.cells):
            mass = self.w[self.cells == cell].sum()
            used.setdefault(min(int((before + mass / 2) / self.w.sum() * BINS), BINS - 1), []).append(cell)
            before += mass
        for b, cells in enumerate(used.values()):
            self.mass[np.isin(self.cells, cells)] = b

    def mean(self, x):
        return float(np.average(x, weights=self.w)) if self.n else None

    def gaps(self, index):
        """Share and |accuracy - confidence| of each bin."""
        bins, gap = [index == b for b in np.unique(index)], self.right - self.top
        shares = np.array([self.w[at].sum() for at in bins]) / self.w.sum()
        return shares, np.array([abs(np.average(gap[at], weights=self.w[at])) for at in bins])

    def classwise(self, k):
        index, d = equal_width(self.p[:, k]), self.w * ((self.y == k) - self.p[:, k])
        return sum(abs(d[index == b].sum()) for b in range(BINS)) / self.w.sum()

    def coverage(self):
        """Boolean [n] of what is kept, the surest first, at each cell that passes another twentieth."""
        kept = 0.0
        for cell in sorted(set(self.cells), reverse=True):
            at, last = self.cells >= cell, kept
            kept = self.w[at].sum() / self.w.sum()
            if at.all() or np.floor(kept * 20 + 1e-9) > np.floor(last * 20 + 1e-9):
                yield at


def of_bin(o, x):
    at = o.index == o.number
    return float(np.average(x[at], weights=o.p.w[at])) if at.any() else None


def bin_interval(o, side):
    at = o.index == o.number
    w = o.p.w[at]
    if not at.any():
        return None
    return wilson(o["accuracy"], w.sum() ** 2 / (w**2).sum(), o.run.result["level"])[side]


def of_reference(o):
    """Probabilities of the reference where it is not left out, and their weights."""
    counted = o.run.scored & (o.run.weights > 0) & (o.probs.sum(1) > 0)
    at = (o.probs / np.maximum(o.probs.sum(1, keepdims=True), 1e-300))[counted, o.run.labels[counted]]
    return at, o.run.weights[counted]


def likelihood(o, clip=0):
    at, w = of_reference(o)
    at = np.maximum(at, clip)
    return None if not len(at) or (at == 0).any() else float(-np.average(np.log(at), weights=w))


def ties(o):
    """Steps whose greatest probability several classes share."""
    p = o.run.probs
    return ((p == p.max(1, keepdims=True)).sum(1) > 1) & (p.sum(1) > 0)


# ---- raters, sleep ----


def with_rater(o, path, votes):
    """Where the rater decided; another that did not decide does not count there, a strategy is wrong."""
    both = (votes >= 0) & ((path >= 0) | o.undecided_is_wrong)
    return agreement(votes[both], path[both], o.run.K)


def soft(o):
    """Votes for what was said, in shares of those for the class of most votes, where others voted."""
    votes = np.zeros((o.run.S, o.run.K), int)
    for name, labels in o.run.raters.items():
        if name != o.name or not o.is_rater:
            np.add.at(votes, (np.flatnonzero(labels >= 0), labels[labels >= 0]), 1)
    counted = (votes.max(1) > 0) & ((o.path >= 0) | o.undecided_is_wrong)
    said = np.where(o.path >= 0, np.take_along_axis(votes, np.maximum(o.path, 0)[:, None], 1)[:, 0], 0)
    return (said / np.maximum(votes.max(1), 1))[counted]


def fleiss_of(o):
    labels = all_raters(o)
    n, S = labels.shape
    if n < 3 or not S:
        return None
    counts = np.array([(labels == k).sum(0) for k in range(o.run.K)])
    agreed, chance = ((counts**2).sum(0) - n).mean() / (n * (n - 1)), ((counts.sum(1) / (n * S)) ** 2).sum()
    return float((agreed - chance) / (1 - chance)) if chance < 1 else None


def with_raters(o, key):
    """Mean over the scorers but for itself."""
    others = [votes for name, votes in o.run.raters.items() if name != o.name or not o.is_rater]
    return mean([with_rater(o, o.path, votes)[key] for votes in others])


def rater_pairs(o, key):
    pairs = itertools.combinations(o.run.raters.values(), 2)
    return mean([agreement(a[(a >= 0) & (b >= 0)], b[(a >= 0) & (b >= 0)], o.run.K)[key] for a, b in pairs])


def all_raters(o):
    """[raters, steps] that all of them decided."""
    labels = np.array(list(o.run.raters.values()))
    return labels[:, (labels >= 0).all(0)]


def night(run, path, n):
    """The sleep statistics of a night of stages 0 Wake, 1 N1, 2 N2, 3 N3, 4 REM; None where undefined."""
    p = run.parts[n]
    counted = run.whole[p] >= 0 if run.has_labels else np.ones(p.stop - p.start, bool)
    seen, joined = np.where(counted, path[p], -1), run.joined[p]
    steps = np.flatnonzero(counted)
    keys = "tib tst se sol waso wake_within_sleep rem_latency wake n1 n2 n3 rem sfi".split()
    if not len(steps) or (len(steps) and (path[p] < 0).all()):
        return dict.fromkeys(keys)
    minute, begin, end = run.seconds / 60, steps[0], steps[-1]
    minutes = [float((seen == k).sum() * minute) for k in range(5)]
    asleep, out = np.flatnonzero(seen > 0), {"tib": (end - begin + 1) * minute, "tst": sum(minutes[1:])}
    out["se"] = 100 * out["tst"] / out["tib"]
    out.update(zip(("wake", "n1", "n2", "n3", "rem"), minutes, strict=True))
    wake = np.flatnonzero(seen == 0)
    awakenings = sum(1 for t in range(1, len(seen)) if joined[t] and seen[t - 1] > 0 and seen[t] == 0)
    rem = np.flatnonzero(seen == 4)
    first = asleep[0] if len(asleep) else None
    out["sol"] = (first - begin) * minute if len(asleep) else None
    out["waso"] = float((wake > first).sum() * minute) if len(asleep) else None
    out["wake_within_sleep"] = (
        float(((wake > first) & (wake < asleep[-1])).sum() * minute) if len(asleep) else None
    )
    out["rem_latency"] = (rem[0] - first) * minute if len(rem) else None
    out["sfi"] = awakenings / (out["tst"] / 60) if len(asleep) else None
    return out


def nights(o, path):
    return [night(o.run, path, n)[o.measure] for n in range(o.run.N)]


def night_differences(o):
    both = zip(nights(o, o.path), nights(o, o.run.whole), strict=True)
    return [a - b for a, b in both if a is not None and b is not None]


def limit(o, of, side=None):
    """The bias (of 0) or a limit of agreement (-1, 1); side: an end of its interval by Student's t."""
    d = night_differences(o)
    if len(d) < 2:
        return None
    n, s = len(d), sd(d)
    at = np.mean(d) + of * 1.96 * s
    if side:
        error = np.sqrt(1 / n + (1.96**2 / (2 * (n - 1)) if of else 0))
        at += side * scipy.stats.t.ppf((1 + o.run.result["level"]) / 2, n - 1) * s * error
    return float(at)

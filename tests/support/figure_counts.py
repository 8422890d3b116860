"""Agreement, errors, segments and entities of one path, for the table of tests/support/figures.py."""

import collections
import itertools

import numpy as np
import scipy.stats
from scipy.optimize import linear_sum_assignment

import reference

ABSENT = "absent"


def ratio(a, b):
    return None if a is None or not b else a / b


def mean(values):
    values = [v for v in values if v is not None]
    return float(np.mean(values)) if values else None


def sd(values):
    values = [v for v in values if v is not None]
    return float(np.std(values, ddof=1)) if len(values) > 1 else None


def median(values):
    return float(np.median(values)) if len(values) else None


def less(a, b):
    return None if a is None or b is None else a - b


# ---- agreement ----


def agreement(truth, path, n):
    """Of scored steps, with what tests/support/reference.py leaves out; -1 in the path: undecoded."""
    a = reference.agreement(truth, path, n)
    c, total = np.array(a["confusion"]), len(truth)
    for k, one in enumerate(a["classes"]):
        tp, fp, fn = int(c[k, k]), int(c[:, k].sum() - c[k, k]), one["support"] - int(c[k, k])
        tn = total - tp - fp - fn
        one.update(predicted=tp + fp, npv=ratio(tn, tn + fn), prevalence=ratio(tp + fn, total))
        one.update(pabak=ratio(2 * (tp + tn) - total, total), bias=ratio(fp - fn, total))
        one.update(prevalence_index=ratio(tp - tn, total))
    for key in ("precision", "recall", "f1"):
        values = [one[key] for one in a["classes"]]
        a["macro_" + key + "_classes"] = sum(v is not None for v in values)
        a["macro_" + key] = mean(values)
    a.update(scored=total, correct=int(np.trace(c)))
    return a


def by_steps(o, path=None):
    """Agreement of a path where there is a reference."""
    path, scored = o.path if path is None else path, o.run.scored
    return agreement(o.run.labels[scored], path[scored], o.run.K)


def kappa_error(o):
    """Fleiss, Cohen and Everitt 1969, eq. 14; undecoded is a column."""
    y, p = o.run.labels[o.run.scored], o.path[o.run.scored]
    n = o.run.K + 1
    if not len(y) or o["kappa"] is None:
        return None
    c = np.zeros((n, n))
    np.add.at(c, (y, np.where(p < 0, n - 1, p)), 1 / len(y))
    row, column = c.sum(1), c.sum(0)
    po, pe = np.trace(c), row @ column
    k, off = (po - pe) / (1 - pe), c * (1 - np.eye(n))
    a = np.sum(np.diag(c) * (1 - (row + column) * (1 - k)) ** 2)
    b = (1 - k) ** 2 * np.sum(off * (column[:, None] + row[None, :]) ** 2)
    return float(np.sqrt(max(0, a + b - (k - pe * (1 - k)) ** 2) / len(y)) / (1 - pe))


def kappa_of_weights(o):
    """Undecoded steps are as far as can be from every class."""
    y, p, K = o.run.labels[o.run.scored], o.path[o.run.scored], o.run.K
    w = np.abs(np.arange(K)[:, None] - np.arange(K + 1)[None, :]) / (K - 1)
    w[:, K] = 1
    w = w**2 if o.run.options["weighted_kappa"] == "quadratic" else w
    c = np.zeros((K, K + 1))
    np.add.at(c, (y, np.where(p < 0, K, p)), 1 / len(y))
    chance = (w * np.outer(c.sum(1), c.sum(0))).sum()
    return 1 - (w * c).sum() / chance if chance else None


def recordings_of(o, key):
    """A figure of agreement of each recording."""
    steps = [np.flatnonzero((o.run.recording == n) & o.run.scored) for n in range(o.run.N)]
    return [agreement(o.run.labels[t], o.path[t], o.run.K)[key] for t in steps]


def cycles(name_of):
    """Lists of the classes that a permutation moves among themselves."""
    left, found = set(np.flatnonzero(name_of != np.arange(len(name_of)))), []
    while left:
        found.append([min(left)])
        while (k := int(name_of[found[-1][-1]])) != found[-1][0]:
            found[-1].append(k)
        left -= set(found[-1])
    return found


def is_suspicious(cycle, n, runs, now, would, kappa):
    """By the recalls that its classes have and would have."""
    tested = [k for k in cycle if n[k] >= 20 and runs[k] >= 5]
    others = [k for k in range(len(n)) if k not in cycle and n[k] > 0]
    if len(tested) < 2 or 2 * len(tested) <= len(cycle) or not would[tested].all():
        return False
    shares = now[tested] / would[tested]
    return (
        shares.max() <= 2 / 3
        and np.prod(shares / 0.25) <= 1
        and would[tested].min() * len(others) >= would[others].sum() / 3
        and kappa >= (0.4 if len(others) < len(tested) else 0.2)
    )


def permuted(o, key):
    """Of the best names for the classes of the path, where that is suspicious."""
    y, p, K = o.run.labels, o.path, o.run.K
    both = o.run.scored & (p >= 0)
    c = np.zeros((K, K))
    np.add.at(c, (y[both], p[both]), 1)
    name_of = np.arange(K + 1)
    name_of[K] = -1
    rows, columns = linear_sum_assignment(-(c * (K + 1) + np.eye(K)))
    name_of[columns] = rows
    n, runs = c.sum(1), [0] * K
    for _, _, k in o.run.runs(o.run.seen(y)):
        runs[k] += 1
    now, would = np.diag(c) / np.maximum(n, 1), np.zeros(K)
    would[rows] = c[rows, columns] / np.maximum(n[rows], 1)
    kappa = by_steps(o, name_of[p])["kappa"] or 0
    for cycle in cycles(name_of[:K]):
        if not is_suspicious(cycle, n, runs, now, would, kappa):
            name_of[cycle] = cycle
    return by_steps(o, name_of[p])[key] if (name_of[:K] != np.arange(K)).any() else ABSENT


def shifted(o, key):
    """The lag at which the labels fit far better, where there is one."""
    if o.base is not None and o.base is not o.path:
        return ABSENT
    counts = {lag: np.zeros(5, int) for lag in range(-10, 11)}
    labels, bounds = o.run.seen(o.run.labels), np.append(np.flatnonzero(~np.array(o.run.joined)), o.run.S)
    for first, end in itertools.pairwise(bounds):
        y, p, most = labels[first:end], o.path[first:end], min(10, (end - first) // 4)
        for begin in range(most, len(y) - most, 50) if most and p.min() >= 0 else ():
            t = np.arange(begin, min(begin + 50, len(y) - most))
            t = t[y[t] >= 0]
            here = (p[t] == y[t]).sum()
            for lag in range(-most, most + 1):
                right = (p[t + lag] == y[t]).sum()
                counts[lag] += len(t), here, right, right > here, right < here
    scored, here, right, better, worse = (np.array(x) for x in zip(*counts.values()))
    gain = (right - here) / np.maximum(scored, 1)
    at = int(gain.argmax())
    p = 20 * scipy.stats.binomtest(int(better[at]), max(1, int(better[at] + worse[at]))).pvalue
    if gain[at] < 0.005 or better[at] <= worse[at] or p > 0.01:
        return ABSENT
    return {
        "steps": at - 10,
        "better": int(better[at]),
        "worse": int(worse[at]),
        "accuracy": right[at] / scored[at],
        "accuracy_here": here[at] / scored[at],
        "p": p,
    }[key]


# ---- transitions, runs, rules ----


def count_illegal(o, path=None):
    pairs = o.run.pairs(o.path if path is None else path)
    return int((~o.run.rules.legal[pairs[:, 0], pairs[:, 1]]).sum())


def illegal_by_recording(o):
    return [count_illegal(o, np.where(o.run.recording == n, o.path, -1)) for n in range(o.run.N)]


def rule_violations(o, priced):
    """Of all rules over more than two steps, those with a price or those without."""
    rules = [r for r in o.run.model.get("rules", ()) if ("cost" in r) == priced]
    return sum(o.run.violations(o.path, r) for r in rules) if rules else ABSENT


def path_scores(o):
    """Nats of the path of each decoded recording; -inf where a rule is broken."""
    r, e, scores = o.run.rules, o.run.prepared(), []
    for n, p in enumerate(o.run.parts):
        path, only = o.path[p], np.where(o.run.recording == n, o.path, -1)
        if o.run.status[o.name][n]:
            continue
        c, pairs = reference.transitions(r, path, o.run.segments[p])[0], o.run.pairs(only)
        broken = (
            count_illegal(o, only)
            + c["illegal_start"]
            + c["illegal_end"]
            + c["short_runs"]
            + len(list(o.run.outside(only)))
        )
        score = (
            e[p][np.arange(len(path)), path].sum()
            + r.weight[pairs[:, 0], pairs[:, 1]].sum()
            + (r.start[path[0]] + r.end[path[-1]] if len(path) else 0)
        )
        for rule in o.run.model.get("rules", ()):
            times = o.run.violations(only, rule)
            score -= rule.get("cost", np.inf) * times if times else 0
        scores.append(-np.inf if broken else score)
    return scores


def rules_broken_in(o):
    """Rules broken in each recording that was decoded by breaking some."""
    if "relax" not in o.run.options or o.name == "argmax":
        return [0] * o.run.N
    e, counts = o.run.prepared(), []
    for p in o.run.parts:
        only = np.where((np.arange(o.run.S) >= p.start) & (np.arange(o.run.S) < p.stop), o.path, -1)
        c = o.run.rule_counts(only)
        impossible = (
            np.isneginf(e[p][np.arange(p.stop - p.start), o.path[p]]).sum() if p.stop > p.start else 0
        )
        counts.append(
            int(
                count_illegal(o, only)
                + c["illegal_start"]
                + c["illegal_end"]
                + c["short_runs"]
                + impossible
            )
        )
    return counts


def regrets(o):
    """Of each decoded step; inf where the chosen class has probability 0."""
    e = o.run.prepared()
    top = e.max(1)
    with np.errstate(invalid="ignore"):
        chosen = (top - np.take_along_axis(e, np.maximum(o.path, 0)[:, None], 1)[:, 0])[o.path >= 0]
    return np.where(np.isnan(chosen), np.inf, chosen)


# ---- against argmax ----


def changed(o, where=None):
    y, a, p = (x[o.run.scored if where is None else where] for x in (o.run.labels, o.base, o.path))
    return {
        "same": int((a == p).sum()),
        "fixed": int(((a != p) & (p == y)).sum()),
        "broken": int(((a != p) & (a == y)).sum()),
        "wrong_to_wrong": int(((a != p) & (a != y) & (p != y)).sum()),
    }


def errors(o):
    """One list of broken steps and the end of its stretch for each error."""
    y, a, p = o.run.labels, o.base, o.path
    differs = (a >= 0) & (p >= 0) & (a != p)
    stretches = np.cumsum(differs & ~(o.run.joined & np.roll(differs, 1)))
    out = []
    for s in range(1, stretches.max(initial=0) + 1):
        steps = np.flatnonzero(differs & (stretches == s))
        bad = [t for t in steps if y[t] >= 0 and a[t] == y[t]]
        if bad:
            out.append((bad, steps[-1]))
    return out


def error_lengths(o):
    return [last - bad[0] + 1 for bad, last in errors(o)]


def forbidden_errors(o):
    n = 0
    for (t, *_), _ in errors(o):
        if o.run.joined[t] and o.path[t - 1] >= 0:
            n += not o.run.rules.legal[o.path[t - 1], o.run.labels[t]]
        elif t in o.run.offsets:
            n += not o.run.rules.legal_ends(o.run.rules.start)[o.run.labels[t]]
    return n


# ---- changes of class, segments, entities ----


def changes_of(o, path):
    """{(from, to): steps} of each change inside scored stretches."""
    seen, found = o.run.seen(path), collections.defaultdict(list)
    for t in np.flatnonzero(
        o.run.joined & (seen >= 0) & (np.roll(seen, 1) >= 0) & (seen != np.roll(seen, 1))
    ):
        found[seen[t - 1], seen[t]].append(t)
    return found


def matched_changes(o, within):
    """Most changes of the reference that one of the path each answers to, by augmenting paths."""
    theirs, n = changes_of(o, o.path), 0
    chain = np.cumsum(~o.run.joined)
    for kind, steps in changes_of(o, o.run.labels).items():
        near = [[u for u in theirs[kind] if abs(t - u) <= within and chain[t] == chain[u]] for t in steps]
        of = {}

        def augment(i, tried):
            for u in near[i]:
                if u not in tried:
                    tried.add(u)
                    if u not in of or augment(of[u], tried):
                        of[u] = i
                        return True
            return False

        n += sum(augment(i, set()) for i in range(len(steps)))
    return n


def segments_of(o, path, n=None):
    """[first, last + 1, class] of recording n, or of all; without the background."""
    found = [
        [first, first + length, k]
        for first, length, k in o.run.runs(o.run.seen(path))
        if o.run.classes[k] not in o.run.background
    ]
    return found if n is None else [s for s in found if o.run.recording[s[0]] == n]


def edit_distance(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        before, row[0] = row[:], i
        for j, y in enumerate(b, 1):
            row[j] = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (x != y))
    return row[-1]


def edit_scores(o):
    for n in range(o.run.N):
        a, b = ([k for _, _, k in segments_of(o, path, n)] for path in (o.path, o.run.labels))
        if a or b:
            yield 1 - edit_distance(a, b) / max(len(a), len(b))


def matched_segments(o, least):
    n = 0
    for r in range(o.run.N):
        theirs, taken = segments_of(o, o.run.labels, r), set()
        for a, b, k in segments_of(o, o.path, r):
            overlap = [
                (min(b, d) - max(a, c)) / (max(b, d) - min(a, c)) if j == k else -1 for c, d, j in theirs
            ]
            best = int(np.argmax(overlap)) if overlap else 0
            if overlap and overlap[best] >= least and best not in taken:
                taken.add(best)
                n += 1
    return n


def entities(o, path, strict=False):
    """(first, last, type) as conlleval reads them; strict: well-formed ones of BIO or BIOES."""
    seen, found, now = o.run.seen(path), set(), None
    is_bioes = any(c[0] in "ES" and c[1:2] == "-" for c in o.run.classes)

    def close(end):
        nonlocal now
        if now:
            letters = "".join(now[2])
            well = (
                letters[0] == "B" and set(letters[1:]) <= {"I"}
                if not is_bioes
                else letters == "S" or (letters[0] + letters[-1] == "BE" and len(letters) > 1)
            )
            if not strict or well:
                found.add((now[0], end, now[1]))
        now = None

    for t in range(o.run.S):
        letter, _, kind = o.run.classes[seen[t]].partition("-") if seen[t] >= 0 else ("O", "", "")
        goes_on = (
            now and o.run.joined[t] and letter in ("I", "E") and kind == now[1] and now[2][-1] in ("B", "I")
        )
        if goes_on:
            now[2].append(letter)
            continue
        close(t)
        if letter != "O":
            now = [t, kind, [letter]]
    close(o.run.S)
    return found


def entity_counts(o, strict=False):
    """Of the reference, of the path, of both."""
    a, b = (
        {e for e in entities(o, path, strict) if getattr(o, "type", None) in (None, e[2])}
        for path in (o.run.labels, o.path)
    )
    return len(a), len(b), len(a & b)

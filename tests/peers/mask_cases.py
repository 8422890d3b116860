"""Cases for tests/unit/mask/test_mask_peers.c: inputs, and answers computed by numpy, scipy and scikit-learn, as JSON on stdout.

-inf is written as the string "-inf". Exit 77 where one of the packages is missing.
"""
import json
import sys

try:
    import numpy as np
    from scipy.special import log_softmax, softmax
    from sklearn.metrics import log_loss
except ImportError:
    sys.exit(77)


def plain(array):
    return ["-inf" if x == -np.inf else x for x in np.asarray(array, dtype=float).ravel().tolist()]


def attention_case(rng, items, steps):
    lengths = rng.integers(1, steps + 1, items)
    scores = rng.normal(0, 2, (items, steps, steps))
    real = np.arange(steps)[None, :] < lengths[:, None]
    causal = np.where(np.tril(np.ones((steps, steps), bool)), 0.0, -np.inf)
    additive = causal[None] + np.where(real, 0.0, -np.inf)[:, None, :]
    return {"items": items, "steps": steps, "lengths": lengths.tolist(), "scores": plain(scores), "additive": plain(additive),
            "weights": plain(softmax(scores + additive, axis=2))}


def loss_case(rng, steps, classes, weighted):
    logits = rng.normal(0, 2, (steps, classes))
    labels = rng.integers(-1, classes, steps)
    weights = rng.exponential(1, steps) if weighted else np.ones(steps)
    losses = -log_softmax(logits, axis=1)[np.arange(steps), np.maximum(labels, 0)]
    scored = labels >= 0
    nll = log_loss(labels[scored], softmax(logits[scored], axis=1), labels=range(classes), sample_weight=weights[scored])
    return {"steps": steps, "classes": classes, "logits": plain(logits), "labels": labels.tolist(), "weights": plain(weights),
            "losses": plain(losses), "mean": float(np.average(losses, weights=weights * scored)), "nll": float(nll)}


rng = np.random.default_rng(20240229)
json.dump({"attention": [attention_case(rng, int(rng.integers(1, 4)), int(rng.integers(1, 9))) for _ in range(5)],
           "loss": [loss_case(rng, int(rng.integers(5, 60)), int(rng.integers(2, 9)), i % 2 == 1) for i in range(6)]}, sys.stdout)

"""A plugin of pytest (-p substitute) that puts our look-alikes in the place of the package that PEER names, before its own tests import it.

A test is applicable when it calls one of ours.
PEER_AS_IT_IS=1 counts which tests are applicable with the package's own functions: what fails there is no failure of ours.
"""
import functools
import importlib
import inspect
import json
import os

import pytest

PEER = os.environ["PEER"]
AS_IT_IS = bool(os.environ.get("PEER_AS_IT_IS"))
calls, outcomes = 0, {}

# Of each peer: where its functions are, and which of ours take their place there.
PLACES = {
    "librosa": {"librosa.sequence": ["viterbi", "viterbi_discriminative", "viterbi_binary", "transition_uniform", "transition_loop", "transition_cycle",
                                     "transition_local"]},
    "seqeval": {
        "seqeval.metrics": ["accuracy_score", "classification_report", "f1_score", "performance_measure", "precision_score", "recall_score"],
        "seqeval.metrics.sequence_labeling": ["get_entities", "precision_recall_fscore_support"],
    },
    "hmmlearn": {},
    "pytorch-crf": {"torchcrf": ["CRF"]},
}  # fmt: skip
ALIKE = {"pytorch-crf": "torchcrf"}


def counted(function):
    """The function, which counts its calls."""

    @functools.wraps(function)
    def call(*args, **options):
        global calls
        calls += 1
        return function(*args, **options)

    return call


def replace():
    ours = importlib.import_module("statepath.compat." + ALIKE.get(PEER, PEER))
    for module, names in PLACES[PEER].items():
        place = importlib.import_module(module)
        for name in names:
            chosen = getattr(place if AS_IT_IS else ours, name)
            if inspect.isclass(chosen):
                chosen.__init__ = counted(chosen.__init__)
                setattr(place, name, chosen)
            else:
                setattr(place, name, counted(chosen))
    if PEER == "librosa" and not AS_IT_IS:
        import librosa

        librosa.ParameterError = librosa.util.exceptions.ParameterError = ours.ParameterError
    if PEER == "hmmlearn":
        from hmmlearn import base, hmm

        if not AS_IT_IS:
            ours.use()
        kinds = [base.BaseHMM, getattr(base, "_AbstractHMM", base.BaseHMM), *(k for k in vars(hmm).values() if isinstance(k, type))]
        for kind in dict.fromkeys(kinds):
            for name in ("decode", "predict", "score", "score_samples"):
                if name in vars(kind):
                    setattr(kind, name, counted(vars(kind)[name]))


replace()


def pytest_runtest_setup(item):
    global calls
    calls = 0


def pytest_runtest_logreport(report):
    if report.when == "call":
        crash = getattr(report.longrepr, "reprcrash", None)
        outcomes[report.nodeid] = (report.outcome if calls else "not applicable", "" if crash is None else crash.message.partition("\n")[0])


def pytest_sessionfinish(session):
    seen = {item.nodeid: outcomes.get(item.nodeid, ("not applicable", "")) for item in session.items}
    with open(os.environ["PEER_OUTCOMES"], "w") as f:
        json.dump(seen, f)

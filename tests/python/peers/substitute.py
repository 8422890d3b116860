"""A plugin of pytest (-p substitute) that puts our look-alikes in the place of the package that PEER names, before its own tests import it.

A test is applicable when it calls one of ours. Of packages that are not installed there is a stand-in, in which only our functions are.
PEER_AS_IT_IS=1 counts which tests are applicable with the package's own functions: what fails there is no failure of ours.
"""
import functools
import importlib
import inspect
import json
import os
import sys
import types

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
    "seqlearn": {"seqlearn._decode": ["viterbi", "bestfirst"], "seqlearn.evaluation": ["bio_f_score", "whole_sequence_accuracy"]},
    "torbi": {"torbi": ["from_probabilities"]},
    "allennlp": {"allennlp.nn.util": ["viterbi_decode"], "allennlp.modules.conditional_random_field.conditional_random_field": ["allowed_transitions"]},
}  # fmt: skip
ALIKE = {"pytorch-crf": "torchcrf"}
STANDS_IN = {"seqlearn": ["seqlearn", "nose"], "torbi": ["torbi"], "allennlp": ["allennlp", "flaky", "torchtext"]}  # folders of modules that are not there


def counted(function):
    """The function, which counts its calls."""

    @functools.wraps(function)
    def call(*args, **options):
        global calls
        calls += 1
        return function(*args, **options)

    return call


class NotThere:
    """What a stand-in has under any other name: a test that looks at what it makes is not applicable."""

    def __init__(self, *args, **options):
        pass

    def __call__(self, *args, **options):
        return args[0] if len(args) == 1 and inspect.isroutine(args[0]) else NotThere()

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return NotThere()

    def __mro_entries__(self, bases):
        return ()

    def _look(self, *args):
        pytest.skip("not part of the look-alike")

    __eq__ = __lt__ = __len__ = __iter__ = __getitem__ = __float__ = __bool__ = _look
    __hash__ = None


class StandIn(types.ModuleType):
    """A module of which everything but what was put there is not there."""

    __path__ = []

    def __getattr__(self, name):
        if name.startswith(("__", "pytest", "setup", "setUp", "teardown", "tearDown")):  # what pytest asks modules for
            raise AttributeError(name)
        if name == "AllenNlpTestCase":
            return type(name, (), {"setup_method": lambda self: None})
        if name.endswith("Error"):
            return ValueError
        return NotThere()


class Finder:
    """Finds stand-ins for all modules of the folders that are not there."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] in STANDS_IN.get(PEER, ()):
            return importlib.machinery.ModuleSpec(name, Finder, is_package=True)
        return None

    create_module = staticmethod(lambda spec: StandIn(spec.name))
    exec_module = staticmethod(lambda module: None)


def nose():
    """The assertions of nose, which no longer runs."""
    import operator
    import unittest

    case = unittest.TestCase()
    tools = importlib.import_module("nose.tools")
    tools.assert_equal, tools.assert_true = case.assertEqual, case.assertTrue
    tools.assert_greater = lambda a, b: case.assertTrue(operator.gt(a, b))


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
    if PEER == "seqlearn":
        nose()


sys.meta_path.insert(0, Finder)
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

"""Look-alikes have the signatures of what they look like: these lists, which test_doors.py compares with the packages that are installed."""
import importlib
import inspect

import pytest

from statepath import StatepathWarning

# Module below statepath.compat: function: (where the original is, its signature). "self" of a method is our first argument.
SCORES = "(y_true, y_pred, *, average='micro', suffix=False, mode=None, sample_weight=None, zero_division='warn', scheme=None)"
DISCRIMINATIVE = "(prob, transition, *, p_state=None, p_init=None, return_logp=False, transition_min_prob=None)"
SIGNATURES = {
    "hmmlearn": {
        "decode": ("hmmlearn.base:BaseHMM.decode", "(self, X, lengths=None, algorithm=None)"),
        "predict": ("hmmlearn.base:BaseHMM.predict", "(self, X, lengths=None)"),
        "score": ("hmmlearn.base:BaseHMM.score", "(self, X, lengths=None)"),
        "score_samples": ("hmmlearn.base:BaseHMM.score_samples", "(self, X, lengths=None)"),
    },
    "librosa": {
        "viterbi": ("librosa.sequence:viterbi", "(prob, transition, *, p_init=None, return_logp=False, transition_min_prob=None)"),
        "viterbi_discriminative": ("librosa.sequence:viterbi_discriminative", DISCRIMINATIVE),
        "viterbi_binary": ("librosa.sequence:viterbi_binary", DISCRIMINATIVE),
        "transition_uniform": ("librosa.sequence:transition_uniform", "(n_states)"),
        "transition_loop": ("librosa.sequence:transition_loop", "(n_states, prob)"),
        "transition_cycle": ("librosa.sequence:transition_cycle", "(n_states, prob)"),
        "transition_local": ("librosa.sequence:transition_local", "(n_states, width, *, window='triangle', wrap=False)"),
    },
    "seqeval": {
        "f1_score": ("seqeval.metrics:f1_score", SCORES),
        "precision_score": ("seqeval.metrics:precision_score", SCORES),
        "recall_score": ("seqeval.metrics:recall_score", SCORES),
        "accuracy_score": ("seqeval.metrics:accuracy_score", "(y_true, y_pred)"),
        "classification_report": (
            "seqeval.metrics:classification_report",
            "(y_true, y_pred, digits=2, suffix=False, output_dict=False, mode=None, sample_weight=None, zero_division='warn', scheme=None)",
        ),
        "get_entities": ("seqeval.metrics.sequence_labeling:get_entities", "(seq, suffix=False)"),
        "performance_measure": ("seqeval.metrics:performance_measure", "(y_true, y_pred)"),
        "precision_recall_fscore_support": (
            "seqeval.metrics.sequence_labeling:precision_recall_fscore_support",
            "(y_true, y_pred, *, average=None, warn_for=('precision', 'recall', 'f-score'), beta=1.0, sample_weight=None, zero_division='warn', suffix=False)",
        ),
    },
    "torchcrf": {"CRF.decode": ("torchcrf:CRF.decode", "(self, emissions, mask=None)")},
}
ALL = [(module, name, *rest) for module, functions in SIGNATURES.items() for name, rest in functions.items()]


def found(module, name):
    """What a dotted name of a module stands for."""
    thing = importlib.import_module(module)
    for part in name.split("."):
        thing = getattr(thing, part)
    return thing


def shown(function):
    """The signature without types; the first argument of what is a method elsewhere is called self."""
    parameters = [p.replace(annotation=inspect.Parameter.empty) for p in inspect.signature(function).parameters.values()]
    parameters = [p.replace(name="self") if i == 0 and p.name == "hmm" else p for i, p in enumerate(parameters)]
    return str(inspect.Signature(parameters))


@pytest.mark.parametrize(("module", "name", "original", "signature"), ALL, ids=[f"{module}.{name}" for module, name, *_ in ALL])
def test_signature(module, name, original, signature):
    if module == "torchcrf":
        pytest.importorskip("torchcrf", reason="pytorch-crf is not installed")
    assert shown(found(f"statepath.compat.{module}", name)) == signature


@pytest.mark.parametrize("module", [m for m in SIGNATURES if m != "torchcrf"])
def test_every_function_has_its_signature_in_the_list(module):
    ours = found("statepath.compat", module)
    functions = {name for name in ours.__all__ if inspect.isfunction(getattr(ours, name))} - {"use"}
    assert functions == set(SIGNATURES[module])


def test_seqeval_ignores_sample_weight():
    """As seqeval does; but it says so."""
    from statepath.compat import seqeval

    tags = ([["B-A", "O"], ["B-B"]], [["B-A", "O"], ["O"]])
    for name in ("f1_score", "precision_score", "recall_score", "classification_report", "precision_recall_fscore_support"):
        function = getattr(seqeval, name)
        with pytest.warns(StatepathWarning, match="sample_weight=") as said:
            weighted = function(*tags, sample_weight=[1, 5], zero_division=0)
        assert str(weighted) == str(function(*tags, zero_division=0)) and said[0].filename == __file__
    with pytest.raises(ValueError, match="differ in length"):
        seqeval.accuracy_score([["O", "O"]], [["O"]])


def test_tags_beyond_ascii():
    from statepath.compat import seqeval

    with pytest.warns(UserWarning) as said:
        assert seqeval.get_entities(["B-PER", "é-PER", "O", "日PER"]) == [("PER", 0, 1), ("PER", 3, 3)]
        assert seqeval.get_entities(["PER-B", "PER-é", "O", "PER日"], suffix=True) == [("PER", 0, 1), ("PER", 3, 3)]
    assert [str(w.message).split()[0] for w in said] == ["é-PER", "日PER", "PER-é", "PER日"]
    assert seqeval.get_entities(["B-Ö", "I-Ö"]) == [("Ö", 0, 1)]


# What librosa 0.11 gives for (n_states, width, window, wrap).
LOCAL = {
    (3, 2, "ones", False): [[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.0, 0.5, 0.5]],
    (3, 2, "ones", True): [[0.5, 0.0, 0.5], [0.5, 0.5, 0.0], [0.0, 0.5, 0.5]],
    (4, 2, "ones", False): [[0.5, 0.5, 0.0, 0.0], [0.0, 0.5, 0.5, 0.0], [0.0, 0.0, 0.5, 0.5], [0.0, 0.0, 0.0, 1.0]],
}


@pytest.mark.parametrize("how", LOCAL)
def test_local_transitions_of_even_width(how):
    """The middle of an even window is where librosa puts it, which depends on the number of states."""
    from statepath.compat import librosa

    n, width, window, wrap = how
    assert librosa.transition_local(n, width, window=window, wrap=wrap).tolist() == LOCAL[how]


def test_seqeval_warns():
    """Without scikit-learn a UserWarning."""
    from statepath.compat import seqeval

    with pytest.warns(UserWarning, match="Precision is ill-defined and being set to 0.0 due to no predicted samples. Use `zero_division`") as said:
        assert seqeval.precision_score([["B-A"]], [["O"]]) == 0
    assert said[0].filename == __file__
    with pytest.warns(UserWarning, match="PER seems not to be NE tag."):
        seqeval.get_entities(["PER", "O"])


def test_small_transitions_of_librosa_are_zeros():
    """A transition matrix in which they are 0 gives the same, by an own search."""
    import itertools

    import numpy as np

    from statepath.compat import librosa

    rng = np.random.default_rng(1)
    for _ in range(10):
        prob, trans = rng.random((3, 5)), rng.dirichlet([0.5] * 3, 3)
        least = trans.max(axis=0).min() * rng.random()
        weight = {}
        for path in itertools.product(range(3), repeat=5):
            steps = [trans[i, j] for i, j in zip(path, path[1:])]
            weight[path] = 0 if min(steps) < least else np.prod(steps) * np.prod(prob[path, range(5)]) / 3
        best = max(weight, key=weight.get)
        states, logp = librosa.viterbi(prob, trans, return_logp=True, transition_min_prob=least)
        assert tuple(states.tolist()) == best and logp == pytest.approx(np.log(weight[best]))
    p = np.array([[0.9, 0.4, 0.9], [0.1, 0.6, 0.1]])
    loop = librosa.transition_loop(2, 0.9)
    assert librosa.viterbi_discriminative(p, loop, transition_min_prob=0.1 + 1e-9).tolist() == [0, 0, 0]
    assert librosa.viterbi_binary(p, librosa.transition_loop(2, 0.6), transition_min_prob=0.5).tolist() == [[1, 1, 1], [0, 0, 0]]
    for least in (-1, "x", float("nan"), True, 0.95):
        with pytest.raises(librosa.ParameterError, match="transition_min_prob="):
            librosa.viterbi(p, loop, transition_min_prob=least)
    assert np.array_equal(librosa.viterbi(p, loop, transition_min_prob=0), librosa.viterbi(p, loop))

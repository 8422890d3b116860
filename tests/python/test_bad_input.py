"""Whatever a function is given, it answers with one sentence: no crash, no other exception, nothing made up."""
import inspect
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from conftest import probabilities

import statepath as sp
import statepath.sleep
import statepath.video

pd = pytest.importorskip("pandas")

RNG = np.random.default_rng(3)
GOOD = probabilities(RNG, 6, 3)
MODEL = sp.Model(["a", "b", "c"], {"a": ["a", "b"], "b": ["a", "b", "c"], "c": ["c", "b"]})
PATH = np.array([0, 0, 1, 1, 2, 2])


class Strange:
    """Has an array that is none."""

    def __array__(self, *args, **options):
        raise ValueError("I am no array")


class Meta:
    """As torch.empty((6, 3), device="meta"): all but the numbers."""

    __module__ = "torch"
    ndim, shape, dtype = 2, (6, 3), "torch.float32"
    device = SimpleNamespace(type="meta")
    requires_grad = is_sparse = False

    def __len__(self):
        return 6

    def __getitem__(self, key):
        return Meta()

    def __array__(self, *args, **options):
        raise NotImplementedError("Cannot copy out of meta tensor; no data!")

    __dlpack__ = __dlpack_device__ = __array__


class Endless:
    """A sequence of sequences of itself."""

    def __len__(self):
        return 8

    def __getitem__(self, key):
        return Endless()


def masked():
    return np.ma.masked_array(GOOD, mask=GOOD > 0.5)


# Name, what is given for scores, and what the sentence says.
BAD_SCORES = {
    "one axis": (GOOD[0], r"shape \(3,\)"),
    "a number": (3.0, "shape"),
    "none": (None, "."),
    "four axes": (GOOD[None, None], "shape"),
    "transposed": (np.ascontiguousarray(GOOD.T), r"transpose: write scores\.T"),
    "padded and transposed": (np.swapaxes(GOOD[None], 1, 2), r"transpose: write numpy\.swapaxes\(scores, 1, 2\)"),
    "other classes": (probabilities(RNG, 6, 4), "4 classes .* 3"),
    "no classes": (np.empty((6, 0)), "."),
    "NaN": (np.where(np.arange(18).reshape(6, 3) == 7, np.nan, GOOD), "recording 0, step 2, class 1: NaN"),
    "infinity": (np.where(np.arange(18).reshape(6, 3) == 7, np.inf, GOOD), "recording 0, step 2, class 1: .infinity"),
    "neither kind": (np.log(GOOD) + 5, 'the first row .*kind="logits"'),
    "per cent": (GOOD * 100, r"sums to 100: per cent\? write x / 100 instead"),
    "negative probability": (np.concatenate([GOOD[:5], [[-0.2, 0.6, 0.6]]]), "not a probability"),
    "text": ([["a", "b", "c"]], "text"),
    "objects": (np.array([[object()] * 3]), "Python objects"),
    "none inside": ([[None, 0.5, 0.5]], "Python objects"),
    "complex": (GOOD.astype(complex), "complex"),
    "truth": (GOOD > 0.5, "true and false"),
    "dates": (np.zeros((6, 3), "M8[s]"), "datetime"),
    "masked": (masked(), r"masked array: write scores\.filled"),
    "ragged": ([[0.5, 0.5, 0.0], [1.0]], "."),
    "list of other classes": ([GOOD, GOOD[:, :2]], r"scores\[1\]"),
    "list with a vector": ([GOOD, GOOD[0]], r"scores\[1\]"),
    "no array": (Strange(), "no array"),
    "frame of text": (pd.DataFrame({"a": ["x"], "b": ["y"], "c": ["z"]}), "."),
    "frame of other classes": (pd.DataFrame(GOOD, columns=["a", "b", "z"]), "z"),
    "huge": (np.broadcast_to(np.float32(0), (2, 2**31)), "2147483648"),
}

BAD_SCORES |= {
    "the name of a file": ("probs.npy", r"'probs.npy': a file is read first, recordings = statepath.read\(file"),
    "a path": (Path("probs.npy"), r"statepath.read\(file"),
    "a meta tensor": (Meta(), "scores are on the device meta: a shape without numbers"),
    "a list of meta tensors": ([Meta(), Meta()], "on the device meta"),
}

BAD_MODELS = {
    "unknown name": ("sleep-asm", 'did you mean "sleep-aasm"'),
    "another type": (3, "give a statepath.Model"),
    "none": (None, "give a statepath.Model"),
    "other classes": (sp.Model(["x", "y"]), "2"),
}

BAD_OPTIONS = [
    ({"kind": "prob"}, "log_probs, probs, logits, scores"),
    ({"lengths": [3, 4]}, "add up to 7"),
    ({"lengths": [[6]]}, "shape"),
    ({"lengths": [-1, 7]}, "number of steps"),
    ({"lengths": [2.5, 3.5]}, "whole numbers"),
    ({"lengths": "six"}, "."),
    ({"offsets": [0, 3]}, "ascend from 0 to the 6"),
    ({"offsets": [0, 4, 3, 6]}, "ascend"),
    ({"offsets": [1, 6]}, "ascend"),
    ({"offsets": []}, "ascend"),
    ({"offsets": [0, 6], "lengths": [6]}, "one of lengths"),
    ({"mask": np.ones(6, bool)}, "step_mask="),
    ({"step_mask": np.ones((6, 2), bool)}, r"step_mask= has shape \(6, 2\)"),
    ({"step_mask": np.zeros((6, 3)) - np.inf}, "true where"),
    ({"step_mask": [["x"] * 3] * 6}, "true where"),
    ({"labels": [0, 1]}, "labels= has shape"),
    ({"labels": [0, 1, 2, 3, 0, 0]}, "step 3: 3 is none of the 3"),
    ({"labels": [0, 1, -2, 0, 0, 0]}, "step 2: -2 is none of"),
    ({"labels": ["a", "b", "q", "a", "a", "a"]}, '"q"'),
    ({"labels": [0.5] * 6}, "whole numbers"),
    ({"segments": [0, 1]}, "segments= has shape"),
    ({"segments": ["x"] * 6}, "whole numbers"),
    ({"classes": ["a", "b"]}, "classes= has 2 names"),
    ({"classes": ["a", "b", "q"]}, "q"),
    ({"classes": ["a", "b", "b"]}, "."),
    ({"temperature": 0}, "greater than 0"),
    ({"temperature": -1}, "greater than 0"),
    ({"temperature": float("nan")}, "finite"),
    ({"temperature": "hot"}, "a number is needed"),
    ({"transition_weight": float("inf")}, "finite"),
    ({"prior_weight": 1.0}, 'no "prior"'),
    ({"floor": 0}, "between 0 and 1"),
    ({"floor": 1.5}, "between 0 and 1"),
    ({"floor": 0.1, "kind": "scores"}, "floor"),
    ({"missing": "skip"}, '"error" or "uniform"'),
    ({"threads": -1}, "threads=-1"),
    ({"threads": 2.5}, "threads=2.5"),
    ({"threads": 10**9}, "threads="),
]


def one_sentence(error):
    text = str(error.value)
    assert text and "\n" not in text and "Traceback" not in text, text
    return text


def leak_of(scores, model, **options):
    return sp.leak(scores, model, **options)


def path_score_of(scores, model, **options):
    return sp.path_score(scores, model, PATH, **options)


FUNCTIONS = [sp.decode, sp.draw, sp.review, sp.marginals, sp.log_partition, path_score_of, leak_of]


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("name", BAD_SCORES)
def test_scores(function, name):
    scores, said = BAD_SCORES[name]
    with pytest.raises(sp.StatepathError, match=said) as error:
        function(scores, MODEL)
    one_sentence(error)


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("name", BAD_MODELS)
def test_models(function, name):
    model, said = BAD_MODELS[name]
    if function is leak_of and name in ("another type", "none"):
        said = "give a Model"
    with pytest.raises(sp.StatepathError, match=said) as error:
        function(GOOD, model)
    one_sentence(error)


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("number", range(len(BAD_OPTIONS)))
def test_options(function, number):
    options, said = BAD_OPTIONS[number]
    with pytest.raises(sp.StatepathError, match=said) as error:
        function(GOOD, MODEL, **options)
    one_sentence(error)


@pytest.mark.parametrize(
    "options, said",
    [
        ({"strategy": "viterbo"}, "choose from"),
        ({"strategy": "beam"}, "beam"),
        ({"strategy": "beam:0"}, "."),
        ({"strategy": "beam:99999999999"}, "."),
        ({"strategy": "viterbi:3"}, "."),
        ({"strategy": 3}, "give its name"),
        ({"strategy": "vit\0erbi"}, "."),
        ({"on_infeasible": "report"}, '"raise", "mark"'),
        ({"n_best": -1, "full": True}, "n_best=-1"),
        ({"n_best": 1.5, "full": True}, "n_best=1.5"),
        ({"n_best": 3}, "full=True"),
        ({"confidence": True}, "full=True"),
        ({"gaps": "skip"}, "."),
    ],
)
def test_arguments_of_decode(options, said):
    if "gaps" in options:
        options = {"mask": [[True, False, True] + [True] * 3], **options}
    with pytest.raises(sp.StatepathError, match=said) as error:
        sp.decode(GOOD[None] if "gaps" in options else GOOD, MODEL, **options)
    one_sentence(error)


def test_padded():
    padded = np.stack([GOOD, GOOD])
    for options, said in [
        ({"lengths": [6]}, r"shape \(1,\)"),
        ({"lengths": [6, 7]}, r"lengths\[1\] is 7"),
        ({"mask": np.ones((2, 5), bool)}, r"mask= has shape \(2, 5\)"),
        ({"mask": np.ones((2, 6, 3), bool)}, "step_mask="),
        ({"mask": np.zeros((2, 6)) - np.inf}, "additive"),
        ({"offsets": [0, 6, 12]}, "packed"),
        ({"labels": np.zeros((2, 5))}, "labels= has shape"),
    ]:
        with pytest.raises(sp.StatepathError, match=said) as error:
            sp.decode(padded, MODEL, **options)
        one_sentence(error)
    with pytest.raises(sp.StatepathError, match="leave lengths="):
        sp.decode([GOOD, GOOD], MODEL, lengths=[6, 6])
    with pytest.raises(sp.StatepathError, match="labels= has 1 recordings"):
        sp.decode([GOOD, GOOD], MODEL, labels=[PATH])
    with pytest.raises(sp.StatepathError, match=r"labels\[1\] has shape"):
        sp.decode([GOOD, GOOD], MODEL, labels=[PATH, PATH[:2]])
    with pytest.raises(sp.StatepathError, match="list of 2 arrays"):
        sp.decode([GOOD, GOOD], MODEL, labels=np.array(0))


@pytest.mark.parametrize(
    "path, said",
    [
        ([0, 1], "path= has shape"),
        ([0, 0, 0, 0, 0, 3], "step 5: 3 is none of the 3"),
        ([0, 0, -1, 0, 0, 0], "step 2 has no class"),
        (["z"] * 6, 'step 0: "z" is none of'),
        ([0.5] * 6, "whole numbers"),
        (None, "."),
        (object(), "."),
    ],
)
def test_paths(path, said):
    with pytest.raises(sp.StatepathError, match=said) as error:
        sp.path_score(GOOD, MODEL, path)
    one_sentence(error)


def test_online():
    for lag in (-1, 1.5, True, 2**40, None):
        with pytest.raises(sp.StatepathError, match="lag="):
            sp.OnlineDecoder(MODEL, lag)
    for options, said in BAD_OPTIONS:
        if set(options) <= set(inspect.signature(sp.OnlineDecoder).parameters) - {"lag"}:
            with pytest.raises(sp.StatepathError, match=said):
                sp.OnlineDecoder(MODEL, 1, **options).push(GOOD[0])
    online = sp.OnlineDecoder(MODEL, 1)
    for row, said in [(GOOD, "shape"), ([0.5, 0.5], "shape"), ([2, 2, 2], "kind="), (["a"] * 3, "text"), ([np.nan] * 3, "step 0.*NaN"), (None, ".")]:
        with pytest.raises(sp.StatepathError, match=said) as error:
            online.push(row)
        one_sentence(error)
    online = sp.OnlineDecoder(MODEL, 0, kind="probs")
    assert online.push([1.0, 0, 0]) == 0
    with pytest.raises(sp.NoPathError, match="step 1") as caught:
        online.push([0, 0, 1.0])
    assert caught.value.step == 1
    assert online.push([0, 1.0, 0]) == 1  # the step before was not taken
    with pytest.raises(TypeError, match="pickled"):
        __import__("pickle").dumps(online)


@pytest.mark.parametrize(
    "arguments, said",
    [
        ((GOOD, np.ones((6, 2), bool)), "does not fit"),
        ((GOOD, np.zeros((6, 3), bool)), "row|step|class"),
        ((np.full((1, 3), np.nan), None), "."),
        ((np.full((1, 3), -np.inf), None), "."),
        (("abc", None), "."),
        ((3.0, None), "last axis"),
        ((np.empty((3, 0)), None), "last axis"),
        ((GOOD, np.full((6, 3), -np.inf)), "additive"),
        ((masked(), None), "masked array"),
        ((np.array([[object()]]), None), "Python objects"),
    ],
)
def test_masked_softmax(arguments, said):
    with pytest.raises(sp.StatepathError, match=said) as error:
        sp.masked_softmax(*arguments)
    one_sentence(error)


def test_outputs_of_masks():
    for out in (np.empty((6, 2)), np.empty((6, 3), np.float32), np.empty((3, 6)).T, [0], np.broadcast_to(0.0, (6, 3))):
        with pytest.raises(sp.StatepathError, match="out="):
            sp.masked_softmax(GOOD, out=out)


@pytest.mark.parametrize(
    "arguments, said",
    [
        ((GOOD, [0, 1], MODEL), "previous has shape"),
        ((GOOD, [0, 1, 2, 3, 0, 0], MODEL), "class 3"),
        ((GOOD, ["a"] * 6, MODEL), "whole numbers"),
        ((GOOD, PATH, np.ones((2, 2), bool)), "does not fit"),
        ((GOOD, PATH, sp.Model(["x", "y"])), "2"),
        ((GOOD, PATH, "sleep-asm"), "did you mean"),
        ((GOOD, PATH, np.zeros((3, 3), bool)), "."),
    ],
)
def test_apply_logit_masking(arguments, said):
    with pytest.raises(sp.StatepathError, match=said) as error:
        sp.apply_logit_masking(*arguments)
    one_sentence(error)


def test_leak():
    with pytest.raises(sp.StatepathError, match="path= goes with a model"):
        sp.leak(GOOD, np.ones((6, 3), bool), PATH)
    with pytest.raises(sp.StatepathError, match="9 is none of"):
        sp.leak(GOOD, MODEL, [0, 0, 0, 0, 0, 9])
    with pytest.raises(sp.StatepathError, match="shape"):
        sp.leak(GOOD, np.ones((5, 3), bool))
    with pytest.raises(sp.StatepathError, match="."):
        sp.leak(GOOD, np.ones(3, bool))


@pytest.mark.parametrize("arguments", [([[1]],), ([-1],), ([1.5],), ("x",), ([3], 2), ([3], -1), ([3], 2.5), ([3], "x")])
def test_padding_mask(arguments):
    with pytest.raises(sp.StatepathError) as error:
        sp.padding_mask(*arguments)
    one_sentence(error)


@pytest.mark.parametrize("steps", [-1, 1.5, "x", None, True])
def test_causal_mask(steps):
    with pytest.raises(sp.StatepathError, match="T="):
        sp.causal_mask(steps)


ABC = ["a", "b", "c"]


@pytest.mark.parametrize(
    "arguments, options, said",
    [
        (([],), {}, "."),
        (("abc",), {}, "list of names"),
        ((["a", "a"],), {}, "."),
        ((["a", ""],), {}, "."),
        ((["a", "b\0c"],), {}, "."),
        ((ABC, {"a": ["b"]}), {}, '"b"'),
        ((ABC, {"a": "b", "b": [], "c": []}), {}, 'give a list of names'),
        ((ABC, np.ones((2, 2))), {}, r"shape \(2, 2\)"),
        ((ABC, np.full((3, 3), 0.5)), {}, "other numbers than 0 and 1"),
        ((ABC, [["x"] * 3] * 3), {}, "not numbers"),
        ((ABC, np.ones((3, 3))), {"forbid": np.ones((3, 3))}, "not both"),
        ((ABC,), {"log_weights": np.zeros((3, 3)), "probabilities": np.zeros((3, 3))}, "not both"),
        ((ABC,), {"log_weights": np.full((3, 3), np.nan)}, "log_weights=nan at"),
        ((ABC,), {"probabilities": np.full((3, 3), 0.5)}, "."),
        ((ABC,), {"probabilities": np.full((3, 3), np.nan)}, "NaN"),
        ((ABC,), {"start": "a"}, "list of names"),
        ((ABC,), {"start": ["q"]}, '"q"'),
        ((ABC,), {"start": [True, False]}, "start= has 2"),
        ((ABC,), {"start": []}, "."),
        ((ABC,), {"start": {"a": 0.5}}, "."),
        ((ABC,), {"end": {"q": 1.0}}, '"q"'),
        ((ABC,), {"min_dwell": {"a": 0}}, "."),
        ((ABC,), {"min_dwell": {"q": 2}}, '"q"'),
        ((ABC,), {"min_dwell": {"a": 1.5}}, "."),
        ((ABC,), {"states": {"s": "q"}}, '"q"'),
        ((ABC,), {"prior": [0.5, 0.5]}, "prior= has shape"),
        ((ABC,), {"prior": [0.5, 0.5, 0.5]}, "."),
        ((ABC,), {"aliases": {"a": "b"}}, "."),
        ((ABC,), {"temperature": 0}, "."),
        ((ABC,), {"temperature": float("nan")}, "NaN"),
        ((ABC,), {"start_log_weights": [0, 0]}, "shape"),
        ((ABC,), {"log_weights": np.zeros((3, 3)), "end_log_weights": [0, 0, np.nan]}, "end_log_weights=nan"),
    ],
)
def test_model_constructor(arguments, options, said):
    with pytest.raises(sp.StatepathError, match=said) as error:
        sp.Model(*arguments, **options)
    text = one_sentence(error)
    assert "<model>" not in text


def crf(**parts):
    return type("CRF", (), {"start_transitions": np.zeros(2), "transitions": np.zeros((2, 2)), "end_transitions": np.zeros(2), **parts})()


@pytest.mark.parametrize(
    "make, said",
    [
        (lambda: sp.Model.load("/nowhere/x.json"), "/nowhere/x.json"),
        (lambda: sp.Model.load("/"), "folder"),
        (lambda: sp.Model.from_json("{"), "."),
        (lambda: sp.Model.from_json("[]"), "."),
        (lambda: sp.Model.from_json('{"statepath_model": 1, "classes": ["a"], "alow": {}}'), "alow"),
        (lambda: sp.Model.bio([]), "at least one"),
        (lambda: sp.Model.bio("PER"), "list of names"),
        (lambda: sp.Model.bio(["PER"], "BIOX"), "BIOES"),
        (lambda: sp.Model.bio(["O", "B-PER", "[PAD]"]), r"\[PAD\]"),
        (lambda: sp.Model.bio(["O", "B-PER", "S-PER"]), "S-PER"),
        (lambda: sp.Model.left_right(ABC, 0), "step 0"),
        (lambda: sp.Model.band(ABC, -3), "."),
        (lambda: sp.Model.cycle([]), "."),
        (lambda: sp.Model.cycle(["a", "a"]), "twice"),
        (lambda: sp.Model.from_labels([-1, -1]), "no labelled step"),
        (lambda: sp.Model.from_labels([0, 1], min_count=0), "min_count=0"),
        (lambda: sp.Model.from_labels([0, 1], min_count=5), "lower min_count="),
        (lambda: sp.Model.from_labels(["a", "q"], ABC), '"q"'),
        (lambda: sp.Model.from_labels([0, 5], ABC), "5 is none of"),
        (lambda: sp.Model.from_labels([[[0]]]), "."),
        (lambda: sp.Model.from_labels([0, 1, 0], lengths=[2]), "add up"),
        (lambda: sp.Model.from_hmm([1, 0], [[1.0]]), "shape"),
        (lambda: sp.Model.from_hmm([1, 0], [[0.5, 0.5], [0.5, 0.6]]), "."),
        (lambda: sp.Model.from_hmm([1, 0], np.eye(2), ABC), "3 names"),
        (lambda: sp.Model.from_torchcrf(object()), "torchcrf.CRF"),
        (lambda: sp.Model.from_torchcrf(crf(transitions=np.zeros((3, 3)))), "shape"),
        (lambda: sp.Model.from_torchcrf(crf(), ABC), "."),
        (lambda: MODEL.with_(classes=ABC), "knows no classes="),
        (lambda: MODEL.with_(allow=np.ones((2, 2))), "shape"),
        (lambda: MODEL.is_legal([0, 7]), "7 is none of"),
        (lambda: MODEL.is_legal(["a", "q"]), '"q"'),
        (lambda: MODEL.is_legal([[0]]), "shape"),
        (lambda: MODEL.violations([0, 1], lengths=[3]), "add up"),
        (lambda: MODEL.save("/nowhere/x.json"), "/nowhere"),
        (lambda: sp.decode(GOOD, MODEL, full=True).save("/nowhere/x.h5"), "/nowhere"),
        (lambda: sp.decode(GOOD, MODEL, full=True).save("x.txt"), "end in .h5"),
    ],
)
def test_models_made(make, said):
    with pytest.raises(sp.StatepathError, match=said) as error:
        make()
    one_sentence(error)


def test_huge_models(rng):
    """Thousands of classes: decoded, or one sentence; never a crash."""
    n = 1000
    wide = sp.Model([f"c{k}" for k in range(n)], np.triu(np.ones((n, n), bool)))
    scores = rng.normal(size=(5, n)).astype(np.float32)
    path = sp.decode(scores, wide, kind="scores")
    assert np.all(np.diff(path) >= 0)
    assert sp.marginals(scores[:2], wide, kind="scores").sum(1) == pytest.approx([1, 1])
    assert repr(wide).startswith("Model 'model': 1000 classes")
    with pytest.raises(sp.StatepathError, match="1000"):
        sp.decode(scores[:, :-1], wide, kind="scores")


@pytest.mark.parametrize("name", ["a\0b", None, 3, object()])
def test_names_of_files(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    decoded = sp.decode(GOOD, MODEL, full=True)
    calls = [lambda: sp.Model.load(name), lambda: MODEL.save(name), lambda: decoded.save(name)]
    if isinstance(name, str):
        calls += [lambda: sp.decode(GOOD, name)]
    for call in calls:
        with pytest.raises(sp.StatepathError, match="file=") as error:
            call()
        one_sentence(error)
    assert not list(tmp_path.iterdir())


def test_strange_labels_and_masks():
    for labels in ({}, [{}], [[[1], {}]], [object()]):
        with pytest.raises(sp.StatepathError) as error:
            sp.fit(labels)
        one_sentence(error)
    for mask in ([[1, 2], [3]], [1, [2]], [object()], {}, object()):
        with pytest.raises(sp.StatepathError) as error:
            sp.leak(GOOD, mask)
        one_sentence(error)


ARRAY = np.full((3, 3), np.nan)  # shown with lines


@pytest.mark.parametrize("given", [None, 3, ARRAY, "\0", object(), [[1], [2, 3]]])
@pytest.mark.parametrize(
    "call",
    [
        sp.Model,
        sp.Model.bio,
        sp.Model.left_right,
        sp.Model.cycle,
        sp.Model.band,
        sp.Model.from_json,
        lambda x: sp.Model.from_hmm(x, [[1.0]]),
        lambda x: sp.causal_mask(x if x != 3 else 10**30) if not isinstance(x, np.ndarray) else sp.causal_mask(x),
        sp.sleep.compare_hypnograms.__get__(["W"]),
        sp.video.read_labels,
        lambda x: sp.video.segment_scores(x, [[0, 1]]),
        lambda x: sp.video.segment_scores([[0, 1]], x),
    ],
    ids=["Model", "bio", "left_right", "cycle", "band", "from_json", "from_hmm", "causal_mask", "hypnograms", "folder", "paths", "labels"],
)
def test_other_functions(call, given):
    with pytest.raises(sp.StatepathError) as error:
        call(given)
    one_sentence(error)


ODD = [0, 3, -1, 1.5, True, "x", b"x", [], [0], ["a"], [None], {}, {"a": None}, {"a": 3}, {0: "a"}, {"a": "b"}, object(), float("nan"), [[1]], [[1, 2], [3]],
       np.array(3), ARRAY, np.zeros((2, 2, 2)), Endless(), {"a": [None]}, [1, "a"], {"a": float("inf")}, {"a": [1, 2]}]  # fmt: skip


@pytest.mark.parametrize("argument", inspect.signature(sp.Model).parameters)
def test_every_argument_of_a_model(argument):
    for value in ODD:
        try:
            sp.Model(**{"classes": ["a", "b"], argument: value})
        except sp.StatepathError as error:
            assert "\n" not in str(error)


def test_torch_is_asked_for_by_name():
    code = "import sys; sys.modules['torch'] = None; import statepath.torch"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stderr.splitlines()[-1] == "ModuleNotFoundError: statepath.torch needs PyTorch, which is not installed: pip install torch"

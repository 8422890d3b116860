"""Look-alikes against the packages they look like, and the doors of the fields: each skipped where its package is not installed."""
import itertools
import subprocess
import sys
import textwrap
import warnings

import numpy as np
import pytest
from test_compat import ALL, found, shown

import statepath as sp


def hmm_parameters(rng, k):
    start, trans = rng.dirichlet(np.ones(k)), rng.dirichlet(np.ones(k), k)
    return start, trans


@pytest.mark.parametrize(("original", "signature"), [(original, signature) for *_, original, signature in ALL])
def test_signature_of_the_original(original, signature):
    module, name = original.split(":")
    pytest.importorskip(module.split(".")[0], reason=f"{module.split('.')[0]} is not installed")
    assert shown(found(module, name)) in (signature, signature.replace(", transition_min_prob=None", ""))  # librosa has it from 1.0 on


# ---- durations ----


@pytest.mark.parametrize("seed", range(8))
def test_explicit_durations(seed):
    """gaussian-hsmm, an explicit-duration Viterbi and forward recursion of another author: truncated shifted Poisson durations, whole at both ends."""
    hsmm = pytest.importorskip("gaussian_hsmm", reason="gaussian-hsmm is not installed")
    rng = np.random.default_rng(seed)
    k, longest, steps = 4, 12 + seed, 90
    theirs = hsmm.GaussianHSMM(n_components=k, max_duration=longest)
    theirs.startprob_ = rng.dirichlet(np.ones(k))
    trans = rng.dirichlet(np.ones(k), k)
    np.fill_diagonal(trans, 0)
    theirs.transmat_ = trans / trans.sum(1, keepdims=True)
    theirs.duration_means_ = 1 + rng.uniform(0, longest / 2, k)
    theirs._update_duration_probabilities()
    scores = np.log(rng.dirichlet(np.ones(k), steps))
    names = [str(i) for i in range(k)]
    model = sp.Model(names, probabilities=theirs.transmat_, start=dict(zip(names, theirs.startprob_, strict=True)), durations_at_ends="whole",
                     durations={name: {"poisson": {"mean": mean}, "max": longest} for name, mean in zip(names, theirs.duration_means_, strict=True)})  # fmt: skip
    path, score = theirs._viterbi(scores)
    ours = sp.decode(scores, model, kind="scores")
    np.testing.assert_array_equal(ours, path)
    assert sp.path_score(scores, model, ours, kind="scores") == pytest.approx(score, abs=1e-8)
    assert sp.log_partition(scores, model, kind="scores") == pytest.approx(theirs._forward(scores)[1], abs=1e-8)


# ---- librosa ----


@pytest.fixture
def librosa():
    return pytest.importorskip("librosa.sequence", reason="librosa is not installed")


@pytest.mark.parametrize("seed", range(5))
def test_librosa_viterbi(librosa, seed):
    from statepath.compat import librosa as ours

    rng = np.random.default_rng(seed)
    start, trans = hmm_parameters(rng, 5)
    prob = rng.random((3, 5, 40)) * 0.9 + 0.05
    for name, p in (("viterbi", prob), ("viterbi_discriminative", prob / prob.sum(-2, keepdims=True))):
        theirs, logp = getattr(librosa, name)(p, trans, p_init=start, return_logp=True)
        found, mine = getattr(ours, name)(p, trans, p_init=start, return_logp=True)
        assert found.dtype == theirs.dtype and np.array_equal(found, theirs)
        np.testing.assert_allclose(mine, logp, rtol=1e-9)
        assert np.array_equal(getattr(ours, name)(p[0], trans, p_init=start), theirs[0])
    theirs, logp = librosa.viterbi_binary(prob[0], librosa.transition_loop(2, 0.8), return_logp=True)
    found, mine = ours.viterbi_binary(prob[0], ours.transition_loop(2, 0.8), return_logp=True)
    assert np.array_equal(found, theirs)
    np.testing.assert_allclose(mine, logp, rtol=1e-9)


def test_librosa_transitions(librosa):
    from statepath.compat import librosa as ours

    for name, args in (("transition_uniform", (4,)), ("transition_loop", (4, [0.1, 0.5, 0.9, 1.0])), ("transition_cycle", (4, 0.9)),
                       ("transition_local", (5, 3)), ("transition_local", (6, [1, 2, 3, 4, 5, 3]))):
        np.testing.assert_allclose(getattr(ours, name)(*args), getattr(librosa, name)(*args), atol=1e-12)
    np.testing.assert_allclose(ours.transition_local(6, 3, window="ones", wrap=True), librosa.transition_local(6, 3, window="ones", wrap=True))


@pytest.mark.filterwarnings("ignore")
def test_librosa_local_transitions(librosa):
    from librosa.util import exceptions

    from statepath.compat import librosa as ours

    windows = ["triangle", "ones", "hann", "hamming", "bartlett", "blackman", ("gaussian", 2.0), ("tukey", 0.5), np.hanning]
    for n, width, window, wrap in itertools.product(range(1, 13), range(1, 13), windows, (False, True)):
        found = []
        for one in (ours, librosa):
            try:
                found.append(one.transition_local(n, width, window=window, wrap=wrap))
            except (ours.ParameterError, exceptions.ParameterError) as error:
                found.append(type(error).__name__)
        if isinstance(found[1], str):
            assert found[0] == found[1]
        else:
            np.testing.assert_allclose(*found, atol=1e-12)


def test_librosa_zeros_are_exact():
    from statepath.compat import librosa as ours

    with pytest.raises(sp.NoPathError):
        ours.viterbi(np.array([[1.0, 0.0], [0.0, 1.0]]), np.eye(2))


# ---- hmmlearn ----


@pytest.mark.parametrize("algorithm", ["viterbi", "map"])
def test_hmmlearn(algorithm):
    hmm = pytest.importorskip("hmmlearn.hmm", reason="hmmlearn is not installed")
    from statepath.compat import hmmlearn as ours

    rng = np.random.default_rng(1)
    model = hmm.GaussianHMM(3, "diag", algorithm=algorithm)
    model.startprob_, model.transmat_ = hmm_parameters(rng, 3)
    model.means_, model.covars_ = rng.normal(size=(3, 2)), np.full((3, 2), 0.8)
    X, lengths = rng.normal(size=(90, 2)), [30, 50, 10]
    logp, states = model.decode(X, lengths)
    found, path = ours.decode(model, X, lengths)
    assert np.array_equal(path, states)
    np.testing.assert_allclose(found, logp, rtol=1e-9)
    logp, posteriors = model.score_samples(X, lengths)
    found, mine = ours.score_samples(model, X, lengths)
    np.testing.assert_allclose(found, logp, rtol=1e-9)
    np.testing.assert_allclose(mine, posteriors, atol=1e-9)
    np.testing.assert_allclose(ours.score(model, X, lengths), model.score(X, lengths), rtol=1e-9)


def test_hmmlearn_uses_ours():
    """In a process of its own, since it changes hmmlearn."""
    pytest.importorskip("hmmlearn.hmm", reason="hmmlearn is not installed")
    code = """
    import numpy as np
    from hmmlearn import hmm
    from statepath.compat import hmmlearn as ours
    model = hmm.CategoricalHMM(2)
    model.startprob_, model.transmat_ = np.array([1.0, 0.0]), np.array([[0.9, 0.1], [0.0, 1.0]])
    model.emissionprob_ = np.array([[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]])
    X = np.array([[0], [1], [2], [0]])
    theirs = model.decode(X), model.predict(X), model.score(X), model.score_samples(X)
    ours.use()
    assert type(model).decode is ours.decode
    mine = model.decode(X), model.predict(X), model.score(X), model.score_samples(X)
    np.testing.assert_allclose(mine[0][0], theirs[0][0])
    assert mine[1].tolist() == theirs[1].tolist() == mine[0][1].tolist()
    np.testing.assert_allclose(mine[2], theirs[2])
    np.testing.assert_allclose(mine[3][1], theirs[3][1], atol=1e-12)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


# ---- seqeval ----


@pytest.mark.parametrize("seed", range(20))
def test_seqeval(seed):
    theirs = pytest.importorskip("seqeval.metrics", reason="seqeval is not installed")
    from statepath.compat import seqeval as ours

    rng = np.random.default_rng(seed)
    tags = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC", "E-LOC", "S-PER"]
    y_true = [rng.choice(tags, n).tolist() for n in rng.integers(1, 15, 6)]
    y_pred = [[t if rng.random() < 0.7 else str(rng.choice(tags)) for t in s] for s in y_true]
    from seqeval.metrics.sequence_labeling import get_entities
    from seqeval.metrics.sequence_labeling import precision_recall_fscore_support as prfs

    assert ours.get_entities(y_true) == get_entities(y_true)
    for average in (None, "micro", "macro", "weighted"):
        for name in ("f1_score", "precision_score", "recall_score"):
            np.testing.assert_allclose(getattr(ours, name)(y_true, y_pred, average=average), getattr(theirs, name)(y_true, y_pred, average=average))
    assert ours.accuracy_score(y_true, y_pred) == theirs.accuracy_score(y_true, y_pred)
    assert ours.performance_measure(y_true, y_pred) == theirs.performance_measure(y_true, y_pred)
    outside = [["O"] * len(s) for s in y_true]
    for average in (None, "micro", "macro", "weighted"):
        for beta in (0.5, 1, 3, float("inf")):
            for truth, said in ((y_true, y_pred), (outside, y_pred), (y_true, outside)):
                for zero in (0, 1):
                    how = {"average": average, "beta": beta, "zero_division": zero}
                    for a, b in zip(ours.precision_recall_fscore_support(truth, said, **how), prfs(truth, said, **how), strict=True):
                        np.testing.assert_allclose(a, b)
    assert ours.classification_report(y_true, y_pred) == theirs.classification_report(y_true, y_pred)


def test_seqeval_warnings():
    """What seqeval warns of where a figure is 0 / 0, word for word, and where the call stands."""
    theirs = pytest.importorskip("seqeval.metrics", reason="seqeval is not installed")
    from seqeval.metrics.sequence_labeling import get_entities
    from seqeval.metrics.sequence_labeling import precision_recall_fscore_support as prfs

    from statepath.compat import seqeval as ours

    def said(call):
        with warnings.catch_warnings(record=True) as caught, np.errstate(all="ignore"):
            warnings.simplefilter("always")
            call()
        caught = [w for w in caught if w.category is not RuntimeWarning]
        return [(w.category.__name__, str(w.message)) for w in caught], {w.filename for w in caught}

    tags = [["B-A", "O", "B-B"]], [["O", "O", "B-B"]], [["O", "O", "O"]], [["X-A", "O", "B-B"]]
    for truth, found in itertools.product(tags, tags):
        for average, zero in itertools.product((None, "micro", "macro", "weighted"), ("warn", 0, 1)):
            how = {"average": average, "zero_division": zero}
            for name in ("f1_score", "precision_score", "recall_score"):
                mine, where = said(lambda: getattr(ours, name)(truth, found, **how))
                assert sorted(set(mine)) == sorted(set(said(lambda: getattr(theirs, name)(truth, found, **how))[0])) and where <= {__file__}
            assert set(said(lambda: ours.precision_recall_fscore_support(truth, found, **how))[0]) == set(said(lambda: prfs(truth, found, **how))[0])
        if any(tag != "O" for tag in truth[0] + found[0]):
            assert set(said(lambda: ours.classification_report(truth, found))[0]) == set(said(lambda: theirs.classification_report(truth, found))[0])
    for tags in (["MISC", "O"], ["B-A", "PER"], ["B", "I"]):
        for suffix in (False, True):
            assert set(said(lambda: ours.get_entities(tags, suffix))[0]) == set(said(lambda: get_entities(tags, suffix))[0])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("scheme", ["IOB1", "IOB2", "IOE1", "IOE2", "IOBES", "BILOU"])
def test_seqeval_strict(scheme):
    theirs = pytest.importorskip("seqeval.metrics", reason="seqeval is not installed")
    import seqeval.scheme

    from statepath.compat import seqeval as ours

    rng = np.random.default_rng(1)
    letters = {"IOB": "BI", "IOE": "IE", "IOBES": "BIES", "BILOU": "BILU"}[scheme.rstrip("12")]
    tags = ["O", *(f"{c}-{t}" for t in ("PER", "LOC") for c in letters)]
    for _ in range(30):
        y_true = [rng.choice(tags, n).tolist() for n in rng.integers(1, 15, 6)]
        y_pred = [[t if rng.random() < 0.7 else str(rng.choice(tags)) for t in s] for s in y_true]
        for given in (scheme, getattr(seqeval.scheme, scheme)):
            how = {"mode": "strict", "scheme": given}
            right = how | {"scheme": getattr(seqeval.scheme, scheme)}
            assert ours.classification_report(y_true, y_pred, **how) == theirs.classification_report(y_true, y_pred, **right)
            for name in ("f1_score", "precision_score", "recall_score"):
                assert getattr(ours, name)(y_true, y_pred, **how) == pytest.approx(getattr(theirs, name)(y_true, y_pred, **right), abs=1e-15)
    with pytest.raises(ValueError, match="scheme"):
        ours.f1_score([["X-A"]], [["X-A"]], mode="strict", scheme=scheme)


def test_entities():
    """The readings, without seqeval."""
    from statepath.compat import seqeval as ours

    truth, found = [["I-A", "B-A", "I-A", "O", "B-B"]], [["I-A", "B-A", "O", "O", "B-B"]]
    assert ours.get_entities(truth) == [("A", 0, 0), ("A", 1, 2), ("B", 4, 4)]
    assert ours.get_entities(["PER-B", "PER-I", "O", "B"], suffix=True) == [("PER", 0, 1), ("_", 3, 3)]
    assert ours.f1_score(truth, found) == pytest.approx(2 / 3)
    # strictly, IOB2: I-A begins nothing; IOB1: the last B-B follows no B
    assert ours.recall_score(truth, found, mode="strict", scheme="IOB2") == 1 / 2
    assert ours.recall_score(truth, found, mode="strict", scheme="IOB1") == 1 / 2
    assert ours.f1_score([["B-A", "E-A", "S-B"]], [["B-A", "E-A", "B-B"]], mode="strict", scheme="BIOES") == 2 / 3
    assert ours.f1_score([["B-A", "M-A", "E-A"]], [["B-A", "M-A", "E-A"]], mode="strict", scheme="BMES") == 1
    with pytest.raises(ValueError, match="IOE2"):
        ours.f1_score(truth, found, mode="strict", scheme="IOE3")


# ---- torch ----


@pytest.mark.parametrize("batch_first", [True, False])
def test_torchcrf(batch_first):
    torch = pytest.importorskip("torch", reason="torch is not installed")
    pytest.importorskip("torchcrf", reason="pytorch-crf is not installed")
    import torchcrf

    from statepath.compat.torchcrf import CRF

    torch.manual_seed(1)
    crf = CRF(4, batch_first=batch_first)
    emissions = torch.randn(3, 12, 4) * 2
    mask = torch.arange(12)[None, :] < torch.tensor([12, 5, 9])[:, None]
    if not batch_first:
        emissions, mask = emissions.transpose(0, 1), mask.transpose(0, 1)
    expected = torchcrf.CRF.decode(crf, emissions, mask)
    assert crf.decode(emissions, mask) == expected
    assert crf.decode(emissions) == torchcrf.CRF.decode(crf, emissions)
    assert crf.decode_tensor(emissions, mask)[1, :5].tolist() == expected[1]
    assert torch.allclose(crf.marginals(emissions, mask)[0].sum(-1), torch.ones(12, dtype=torch.float64))
    assert [p[0][0] for p in crf.n_best(emissions, mask)] == expected


def test_torchcrf_refuses_what_it_refuses():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    pytest.importorskip("torchcrf", reason="pytorch-crf is not installed")
    from statepath.compat.torchcrf import CRF

    crf = CRF(3, batch_first=True)
    emissions = torch.randn(2, 3, 3)
    for call in (crf.decode, crf.decode_tensor, crf.marginals, crf.n_best):
        with pytest.raises(ValueError, match="mask of the first timestep must all be on"):
            call(emissions, torch.tensor([[1, 1, 1], [0, 1, 1]], dtype=torch.bool))
        with pytest.raises(ValueError, match="emissions must have dimension of 3, got 2"):
            call(emissions[0])


def test_transformers(tmp_path):
    pytest.importorskip("torch", reason="torch is not installed")
    transformers = pytest.importorskip("transformers", reason="transformers is not installed")
    from statepath import nlp

    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "anna", "##lena", "went", "to", "ber", "##lin", "today"]
    (tmp_path / "vocab.txt").write_text("\n".join(words))
    tokenizer = transformers.BertTokenizerFast(str(tmp_path / "vocab.txt"))
    id2label = dict(enumerate(["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]))
    config = transformers.BertConfig(vocab_size=len(words), hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16,
                                     id2label=id2label, label2id={v: k for k, v in id2label.items()}, initializer_range=2.0)
    model = transformers.BertForTokenClassification(config).eval()
    rules = sp.Model.bio(list(id2label.values()))
    ner = nlp.pipeline(transformers.pipeline("token-classification", model=model, tokenizer=tokenizer, ignore_labels=[]))
    sentence = "annalena went to berlin today to berlin"
    found = ner(sentence)
    first = [e for e in found if not e["word"].startswith("##")]
    assert len(first) == 7 and rules.is_legal([e["entity"] for e in first])
    assert all(0 < e["score"] <= 1 for e in found)
    again = ner([sentence, "anna went"])
    assert [e["entity"] for e in again[0]] == [e["entity"] for e in found]


# ---- scikit-learn ----


def test_flatten():
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    from statepath.sklearn import flatten

    rng = np.random.default_rng(1)
    X = rng.random((3, 4, 2))
    assert np.array_equal(flatten(X, [4, 0, 2]), np.concatenate([X[0], X[2, :2]])) and np.array_equal(flatten(X), X.reshape(12, 2))
    assert flatten([["a", "b"], ["c"]], [1, 1]).tolist() == ["a", "c"] and flatten([X[0], X[1, :1]]).shape == (5, 2)
    for x, lengths, word in ((3, None, "must be sequences"), ([], None, "must be sequences"), ([1, 2], None, "must be sequences"), ("ab", None, "must be sequences"),
                             (X, [4, 4], "lengths= has shape"), (X, [4, 5, 0], r"lengths\[1\] is 5, and X\[1\] has 4"), (X, [4, -1, 0], "is -1"),
                             ([X[0], X[0, :, :1]], None, "different shapes"), (X, [0.5] * 3, "whole numbers")):  # fmt: skip
        with pytest.raises(sp.StatepathError, match=word):
            flatten(x, lengths)


def test_sklearn_protocol():
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    from sklearn.base import clone
    from sklearn.exceptions import NotFittedError
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score

    from statepath.sklearn import SequenceDecoder, Stack

    rng = np.random.default_rng(1)
    y = [np.repeat(rng.integers(0, 3, 9), 5) for _ in range(8)]
    X = [rng.normal(np.eye(3)[t], 0.8) for t in y]
    P = [np.exp(x) / np.exp(x).sum(1, keepdims=True) for x in X]
    decoder = SequenceDecoder(smoothing=0.3, kind="probs")
    assert clone(decoder).get_params() == decoder.get_params()
    with pytest.raises(NotFittedError):
        decoder.predict(P)
    groups = [0, 0, 1, 1, 2, 2, 3, 3]
    search = GridSearchCV(decoder, {"smoothing": [0.1, 1.0], "strategy": ["viterbi", "mea"]}, cv=GroupKFold(2)).fit(P, y, groups=groups)
    assert search.best_score_ > 0.6
    assert len(cross_val_score(decoder, P, y, cv=2)) == 2
    named = [np.array(["a", "b", "c"])[t] for t in y]
    fitted = SequenceDecoder(kind="probs").fit(P, named)
    assert set(np.concatenate(fitted.predict(P))) <= {"a", "b", "c"} and fitted.score(P, named) > 0.6
    stack = Stack(LogisticRegression(), cv=3).fit(X, y, groups)
    assert clone(stack).get_params(deep=False)["cv"] == 3
    assert all(p.shape == (45, 3) for p in stack.out_of_fold_) and stack.score(X, y) > 0.6
    held_out = LogisticRegression().fit(np.concatenate(X[2:]), np.concatenate(y[2:]))
    assert not np.allclose(stack.out_of_fold_[0], stack.estimator_.predict_proba(X[0]))
    assert held_out.classes_.tolist() == stack.classes_.tolist()


# ---- other people's processes ----


class Nights:
    """A data set of torch: an item is the path of a night."""

    def __init__(self, scores):
        self.scores = scores

    def __len__(self):
        return len(self.scores)

    def __getitem__(self, i):
        return sp.decode(self.scores[i], "sleep-aasm", threads=2)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_data_loader(method):
    torch = pytest.importorskip("torch", reason="torch is not installed")
    scores = np.random.default_rng(1).dirichlet(np.ones(5), (6, 3000)).astype(np.float32)
    expected = sp.decode(scores, "sleep-aasm")  # threads have run before the fork
    loader = torch.utils.data.DataLoader(Nights(scores), batch_size=2, num_workers=2, multiprocessing_context=method)
    assert torch.cat(list(loader)).numpy().tolist() == expected.tolist()
    assert sp.decode(torch.from_numpy(scores), "sleep-aasm").tolist() == expected.tolist()


@pytest.mark.parametrize("scheduler", ["threads", "processes"])
def test_dask(scheduler):
    dask = pytest.importorskip("dask", reason="dask is not installed")
    da = pytest.importorskip("dask.array", reason="dask has no arrays here")
    scores = np.random.default_rng(2).dirichlet(np.ones(5), (8, 500))
    model = sp.Model.load("sleep-aasm")
    paths = da.from_array(scores, chunks=(2, 500, 5)).map_blocks(sp.decode, model, kind="probs", drop_axis=2, dtype=np.int32)
    tasks = dask.delayed([dask.delayed(sp.decode)(night, model, threads=1) for night in scores])
    expected = sp.decode(scores, model).tolist()
    with dask.config.set(scheduler=scheduler, num_workers=2):
        assert paths.compute().tolist() == expected and [p.tolist() for p in tasks.compute()] == expected


# ---- sleep ----


def test_yasa():
    yasa = pytest.importorskip("yasa", reason="YASA is not installed")
    import pandas as pd

    from statepath import sleep

    rng = np.random.default_rng(1)
    columns = ["N1", "N2", "N3", "R", "W"]
    proba = pd.DataFrame(rng.dirichlet(np.ones(5) * 0.5, 120), columns=columns)
    names = proba.idxmax(axis=1).map({"N1": "N1", "N2": "N2", "N3": "N3", "R": "REM", "W": "WAKE"})
    hyp = yasa.Hypnogram(names.tolist(), freq="30s", start="2026-01-01 23:00:00", proba=proba.rename(columns={"R": "REM", "W": "WAKE"}))
    legal = sleep.decode_hypnogram(hyp)
    numbers = [["Wake", "N1", "N2", "N3", "REM"].index({"WAKE": "Wake"}.get(s, s)) for s in legal.hypno]
    assert sp.Model.load("sleep-aasm").is_legal(numbers)
    assert legal.start == hyp.start and legal.freq == hyp.freq and np.allclose(legal.proba.sum(axis=1), 1)
    report = sleep.compare_hypnograms(hyp, {"legal": legal})
    assert report.data["strategies"]["legal"]["illegal"] == 0 and report.data["reference"]["illegal"] > 0


def test_to_yasa():
    yasa = pytest.importorskip("yasa", reason="YASA is not installed")
    from statepath import sleep

    rng = np.random.default_rng(1)
    nights = [rng.dirichlet(np.ones(5) * 0.5, n) for n in (60, 40)]
    decoded = sp.decode(nights, "sleep-aasm", full=True)
    hyp = sleep.to_yasa(decoded, 1, start="2026-01-01 23:00:00")
    assert isinstance(hyp, yasa.Hypnogram) and hyp.n_epochs == 40 and hyp.scorer == "statepath viterbi"
    assert sp.evaluate(hyp, decoded[1], "sleep-aasm").data["strategies"]["path"]["accuracy"] == 1 and str(hyp.start) == "2026-01-01 23:00:00"
    marked = sp.decode([[1.0, 0, 0, 0, 0], [0, 0, 0, 1.0, 0]], "sleep-aasm", full=True, on_infeasible="mark")
    assert sleep.to_yasa(marked).hypno.tolist() == ["UNS", "UNS"]
    with pytest.raises(sp.StatepathError, match="class a is no sleep stage"):
        sleep.to_yasa(sp.decode([[0.5, 0.5]], sp.Model(["a", "b"]), full=True))


def test_mne():
    pytest.importorskip("mne", reason="MNE is not installed")
    from statepath import sleep

    path = np.array([0, 0, 1, 2, 2, -1, -1, 4, 3, 3])
    annotations = sleep.to_annotations(path, onset=60.0)
    assert list(annotations.description) == ["Sleep stage W", "Sleep stage N1", "Sleep stage N2", "Sleep stage R", "Sleep stage N3"]
    assert np.array_equal(sleep.from_annotations(annotations, start=60.0, n_steps=10), path)

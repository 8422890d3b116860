"""Threads, processes, signals, memory: what a library inside somebody else's program must stand."""
import concurrent.futures
import gc
import multiprocessing
import os
import pickle
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
from conftest import probabilities

import statepath as sp

MODEL = sp.Model.load("sleep-strict")
CALLS = int(os.environ.get("STATEPATH_CALLS", "4000"))  # of each kind, when looking for leaks; ./dev test --long python makes more


def memory():
    """Bytes of this process that are in memory."""
    with open("/proc/self/statm", encoding="ascii") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def grows_by(call, n):
    for _ in range(n // 10):
        call()
    gc.collect()
    before = memory()
    for _ in range(n):
        call()
    gc.collect()
    return memory() - before


def leaves_nothing(call, n, most=1 << 20):
    """Twice, since what grows once is a cache."""
    return grows_by(call, n) < most or grows_by(call, n) < most


def test_no_leak_in_short_calls(rng):
    p = probabilities(rng, 1, 5)
    assert leaves_nothing(lambda: sp.decode(p, MODEL), 100_000)


def attempt(call):
    try:
        call()
    except sp.StatepathError:
        pass


@pytest.mark.parametrize("name", ["full", "list", "error", "no path", "model", "bad model", "marginals", "draws", "review", "score", "online", "softmax", "leak", "pickle"])
def test_no_leak(rng, name):
    p = probabilities(rng, 30, 5)
    broken = np.where(np.arange(150).reshape(30, 5) == 77, np.nan, p)
    stuck = np.array([[1.0, 0, 0, 0, 0], [0, 0, 0, 1.0, 0]])
    online = sp.OnlineDecoder(MODEL, 3, kind="probs")
    calls = {
        "full": lambda: sp.decode(p, MODEL, "mea", full=True, confidence=True, n_best=2),
        "list": lambda: sp.decode([p, p], MODEL, labels=[[-1] * 30] * 2, step_mask=[p > -1] * 2, temperature=2.0),
        "error": lambda: attempt(lambda: sp.decode(broken, MODEL)),
        "no path": lambda: attempt(lambda: sp.decode(stuck, MODEL)),
        "model": lambda: sp.Model(["a", "b"], {"a": ["b"], "b": ["a"]}, aliases={"a": "x"}).check(),
        "bad model": lambda: attempt(lambda: sp.Model(["a", "b"], {"a": ["q"], "b": ["a"]})),
        "marginals": lambda: sp.marginals(p, MODEL),
        "draws": lambda: sp.draw(p, MODEL, 3),
        "review": lambda: sp.review([p, p], MODEL, 0.2),
        "score": lambda: sp.path_score(p, MODEL, [0] * 30),
        "online": lambda: list(online.stream(p[:5])),
        "softmax": lambda: sp.masked_softmax(p, p > 0),
        "leak": lambda: sp.leak(p, MODEL),
        "pickle": lambda: pickle.loads(pickle.dumps(MODEL)),
    }
    assert leaves_nothing(calls[name], CALLS)


@pytest.mark.parametrize("name", ["compare", "cv", "evaluate", "fit", "report", "bad scores"])
def test_no_leak_of_evaluation(rng, name):
    pytest.importorskip("statepath._evaluation", reason="built without GSL")
    p, labels = probabilities(rng, 4, 20, 5), rng.integers(0, 5, (4, 20))
    broken = np.where(np.arange(400).reshape(4, 20, 5) == 77, np.nan, p)
    report = sp.compare(p, labels, MODEL, ["viterbi"], kind="probs")
    calls = {
        "compare": lambda: sp.compare(p, labels, MODEL, ["argmax", "viterbi"], kind="probs", against={"other": p}, on_infeasible="relax"),
        "cv": lambda: sp.compare(p, labels, MODEL, ["viterbi"], kind="probs", cv=2),
        "evaluate": lambda: sp.evaluate({"a": labels, "b": labels}, labels, MODEL),
        "fit": lambda: sp.fit(labels, p, rules=MODEL, method="counts", tune="none", kind="probs"),
        "report": lambda: (report.to_json(), str(report), report.check("viterbi.illegal == 0")),
        "bad scores": lambda: attempt(lambda: sp.compare(broken, labels, MODEL, kind="probs")),
    }
    assert leaves_nothing(calls[name], CALLS // 40)


def test_references_are_given_back(rng):
    p = probabilities(rng, 3000, 5)
    before = sys.getrefcount(p), sys.getrefcount(MODEL)
    for _ in range(20):
        sp.decode(p, MODEL)
        sp.decode(p[:5], MODEL)
        attempt(lambda: sp.decode(p, MODEL, "nothing"))
    gc.collect()
    assert (sys.getrefcount(p), sys.getrefcount(MODEL)) == before


def test_large_calls_give_their_memory_back(rng):
    """What one large call needed is not kept for the next."""
    x = np.zeros((150_000, 40), np.float32)
    model = sp.Model([f"c{k}" for k in range(40)])
    sp.decode(x[:100], model, kind="scores")
    before = memory()
    sp.decode(x, model, "mea", kind="scores")
    gc.collect()
    assert memory() - before < 32 << 20


def test_many_threads(rng):
    parts = [probabilities(rng, n, 5, dtype=np.float32) for n in (1, 50, 3000, 20000)]
    expected = [sp.decode(p, MODEL).tolist() for p in parts]
    wrong = []

    def work(seed):
        for i in np.random.default_rng(seed).integers(0, len(parts), 40):
            if sp.decode(parts[i], MODEL, threads=int(i) % 3).tolist() != expected[i]:
                wrong.append(i)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_the_gil_is_released():
    """While one thread decodes, another one runs Python code."""
    x = np.zeros((600, 300), np.float32)
    model = sp.Model([f"c{k}" for k in range(300)], log_weights=np.random.default_rng(0).normal(size=(300, 300)))
    sp.marginals(x[:1], model, kind="scores")
    done = threading.Event()

    def work():
        sp.marginals(x, model, kind="scores", threads=1)
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    ticks = 0
    while not done.is_set():
        time.sleep(0.001)
        ticks += 1
    thread.join()
    assert ticks >= 3


def decode_here(p):
    return sp.decode(p, MODEL, threads=2).tolist(), pickle.loads(pickle.dumps(MODEL)) == MODEL


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_processes(rng, method):
    """A process that has used threads of ours, and its children too."""
    parts = list(probabilities(rng, 6, 4000, 5, dtype=np.float32))
    expected = [(sp.decode(p, MODEL, threads=2).tolist(), True) for p in parts]
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map(decode_here, parts) == expected
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(method)) as pool:
        assert list(pool.map(decode_here, parts)) == expected


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("backend", ["loky", "threading", "multiprocessing"])
def test_joblib(rng, backend):
    joblib = pytest.importorskip("joblib", reason="joblib is not installed")
    parts = list(probabilities(rng, 6, 4000, 5, dtype=np.float32))
    expected = [decode_here(p) for p in parts]
    assert joblib.Parallel(2, backend=backend)(joblib.delayed(decode_here)(p) for p in parts) == expected


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_fork_while_a_thread_decodes(rng):
    p = probabilities(rng, 200, 2000, 5, dtype=np.float32)
    stop = threading.Event()

    def work():
        while not stop.is_set():
            sp.decode(p, MODEL, threads=2)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        for _ in range(10):
            child = os.fork()
            if child == 0:
                code = 0 if sp.decode(p[:3], MODEL, threads=2).shape == (3, 2000) else 1
                os._exit(code)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    finally:
        stop.set()
        thread.join()


def interrupted(code, after):
    """Runs the code in another process, sends it Ctrl-C, and says what it printed and how long it took to stop."""
    # Where the tests run in the background Ctrl-C is ignored, and so it would be there.
    program = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n" + textwrap.dedent(code)
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout.readline() == "begun\n"
        time.sleep(after)
        sent = time.monotonic()
        child.send_signal(signal.SIGINT)
        try:
            said, _ = child.communicate(timeout=60)
        finally:
            child.kill()
        return said, time.monotonic() - sent


def test_ctrl_c_between_recordings():
    said, seconds = interrupted(
        """
        import numpy as np, statepath as sp
        x = np.zeros((3000, 200, 64), np.float32)
        model = sp.Model([f"c{k}" for k in range(64)], log_weights=np.zeros((64, 64)))
        print("begun", flush=True)
        try:
            while True:
                sp.decode(x, model, "mea", kind="scores", threads=1)
        except KeyboardInterrupt:
            print("stopped", flush=True)
        """,
        0.5,
    )
    assert said == "stopped\n" and seconds < 10


@pytest.mark.parametrize("call", ["marginals(x, model, kind='scores')", "decode(x, model, 'mea', kind='scores')", "log_partition(x, model, kind='scores')"])
def test_ctrl_c_in_one_long_recording(call):
    """It takes minutes; the exception comes at once, and so does the end of the process."""
    said, seconds = interrupted(
        f"""
        import numpy as np, statepath as sp
        x = np.zeros((100_000, 500), np.float32)
        model = sp.Model([f"c{{k}}" for k in range(500)], forbid={{}}, prior=np.full(500, 1 / 500))
        print("begun", flush=True)
        try:
            sp.{call}
        except KeyboardInterrupt:
            print("stopped", sp.decode(x[:3], model, kind="scores").tolist(), flush=True)
        """,
        1.0,
    )
    assert said == "stopped [0, 0, 0]\n" and seconds < 10


@pytest.mark.parametrize("part", [0.1, 1.0])
def test_ctrl_c_in_a_comparison(part):
    """While it decodes, and in the bootstrap that follows the last step; that takes about a second, however many recordings there are."""
    pytest.importorskip("statepath._evaluation", reason="built without GSL")
    said, seconds = interrupted(
        f"""
        import numpy as np, statepath as sp
        n, has_begun = 60_000, []
        labels = np.random.default_rng(0).integers(0, 2, n * 2)
        p = np.full((n * 2, 2), 0.5)

        def progress(what, done, total):
            if done >= {part} * total and not has_begun:
                has_begun.append(print("begun", flush=True))

        try:
            while True:
                sp.compare(p, labels, sp.Model(["a", "b"]), ["argmax", "viterbi", "mea"], lengths=[2] * n, kind="probs", progress=progress)
        except KeyboardInterrupt:
            print("stopped", flush=True)
        """,
        0.2,
    )
    assert said == "stopped\n" and seconds < 20


def test_no_temporary_files_and_clean_exit(tmp_path):
    code = "import numpy as np, statepath as sp; sp.decode(np.zeros((9, 999, 5), 'f4'), 'sleep-aasm', kind='scores')"
    done = subprocess.run([sys.executable, "-W", "error", "-X", "dev", "-c", code], cwd=tmp_path, capture_output=True, text=True,
                          env={**os.environ, "TMPDIR": str(tmp_path)})  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "") and not list(tmp_path.iterdir())


def test_no_second_hdf5():
    """h5py brings HDF5; the extension links none, and no GSL."""
    listed = subprocess.run(["ldd", sp._core.__file__], capture_output=True, text=True).stdout
    assert "libm." in listed and "hdf5" not in listed and "gsl" not in listed


def test_errors_survive_pickling(door):
    with pytest.raises(sp.NoPathError) as caught:
        sp.decode(np.array([[1.0, 0, 0], [0, 0, 1.0]]), door)
    again = pickle.loads(pickle.dumps(caught.value))
    assert type(again) is sp.NoPathError and str(again) == str(caught.value)
    assert (again.recording, again.step, again.class_, again.blocking) == (0, 1, 2, [("closed", "open")])


WITHOUT_GSL = """
import numpy as np, statepath as sp, statepath.compat, statepath.nlp, statepath.sleep, statepath.video
from statepath.compat import hmmlearn, librosa, seqeval
probs = np.eye(5)[[0, 1, 2]]
assert sp.decode(probs, "sleep-aasm").tolist() == [0, 1, 2]
assert seqeval.get_entities(["B-PER"]) == [("PER", 0, 0)]
for call in (lambda: sp.compare(probs, [0, 1, 2], "sleep-aasm"), lambda: sp.evaluate([0], [0], "sleep-aasm"), lambda: sp.fit([[0, 1]], classes=["a", "b"])):
    try:
        call()
    except sp.StatepathError as error:
        assert "built without GSL" in str(error)
    else:
        raise AssertionError("it has no library to call")
"""


def test_without_gsl(tmp_path):
    """The package as it is built where GSL is not: all but evaluation, reports and learning."""
    shutil.copytree(os.path.dirname(sp.__file__), tmp_path / "statepath", ignore=shutil.ignore_patterns("_evaluation*.so", "__pycache__"))
    done = subprocess.run([sys.executable, "-W", "error", "-c", WITHOUT_GSL], cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(tmp_path)}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


WITHOUT_PACKAGES = """
import sys
sys.modules |= dict.fromkeys(("pandas", "h5py", "yasa", "mne"))
import numpy as np, statepath as sp, statepath.sleep
decoded = sp.decode(np.eye(5)[[0, 1, 2]], "sleep-aasm", full=True)
for package, call in [
    ("pandas", decoded.to_frame),
    ("pandas", sp.Model.load("sleep-aasm").to_frame),
    ("h5py", lambda: decoded.save("paths.h5")),
    ("yasa", lambda: sp.sleep.to_yasa(decoded)),
    ("mne", lambda: sp.sleep.to_annotations([0, 0, 1])),
]:
    try:
        call()
    except sp.StatepathError as error:
        assert str(error).endswith(f"by {package}, which is not installed: pip install {package}"), error
    else:
        raise AssertionError(package)
"""


def test_without_other_packages(tmp_path):
    """What needs a package that is not here says which."""
    done = subprocess.run([sys.executable, "-W", "error", "-c", WITHOUT_PACKAGES], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert not os.listdir(tmp_path)

"""statepath-mpi: the bytes of one run for every number of ranks; each failure ends the job, and the same command goes on."""
import os
import shutil
import signal
import subprocess
import time

import statepath_test as st

np, h5py = st.np, st.h5py
MPI = os.path.join(os.path.dirname(st.PROGRAM), "statepath-mpi")
RESULTS = ["r.json", "r.csv", "r.md", "r.html"]
OUTPUTS = ["--json", "r.json", "--csv", "r.csv", "--markdown", "r.md", "--report", "r.html"]
MODEL = ["--model", "sleep-strict"]

if not os.path.exists(MPI) or not shutil.which("mpirun"):
    print("skipped: needs OpenMPI (libopenmpi-dev when statepath is built, openmpi-bin)")
    raise SystemExit(77)


class TestMpi(st.TestCase):
    def write_scores(self, name, seed, n, low=20, high=90, **more):
        rng = np.random.default_rng(seed)
        lengths = rng.integers(low, high, n)
        labels = np.repeat(rng.integers(0, 5, lengths.sum() // 4 + 1), 4)[:lengths.sum()]
        x = rng.normal(0, 1, (len(labels), 5)) + 1.5 * np.eye(5)[labels]
        self.h5(name, log_probs=(x - np.log(np.exp(x).sum(1, keepdims=True))).astype("f4"), labels=labels,
                offsets=np.cumsum([0, *lengths]), classes=["Wake", "N1", "N2", "N3", "REM"], **more)

    def mpirun(self, *contexts):
        """The words that start a job: [(ranks, folder, words)], the folder below that of the test."""
        words = ["mpirun", "--oversubscribe", "--allow-run-as-root"]
        for i, (n, folder, of) in enumerate(contexts):
            words += [":"] * (i > 0) + ["-n", str(n), "-wdir", self.path(folder), MPI, *of]
        return words

    def environment(self):
        """MPI keeps some memory to its end."""
        return dict(os.environ, NO_COLOR="1", LC_ALL="C.UTF-8", ASAN_OPTIONS="detect_leaks=0")

    def job(self, *contexts, status=0):
        """Standard output, and what statepath-mpi says on stderr, in order of its lines."""
        done = subprocess.run(self.mpirun(*contexts), env=self.environment(), capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        said = [line for line in done.stderr.splitlines() if line.startswith(("statepath", "wrote"))]
        return done.stdout.replace("\r\n", "\n"), sorted(said)

    def ranks(self, n, *words, status=0):
        return self.job((n, ".", words), status=status)

    def whole(self, *words):
        """One run, in a folder of its own; the same from then on is wanted of ranks."""
        os.mkdir(self.path("whole"))
        return self.statepath(*[os.path.join("whole", w) if w in RESULTS + ["r.h5"] else w for w in words]).stdout

    def same(self, folder=".", names=(*RESULTS, "r.h5")):
        for name in names:
            self.assertTrue(self.read(os.path.join(folder, name)) == self.read(os.path.join("whole", name)), name)

    def test_same_bytes(self):
        self.write_scores("in.h5", 1, 13, subjects=np.array([b"s%d" % (i // 2) for i in range(13)]))
        words = ["compare", "in.h5", *MODEL, *OUTPUTS, "-o", "r.h5"]
        out = self.whole(*words)
        for n in (1, 2, 4):
            text, said = self.ranks(n, *words, "--parts", "parts", "--threads", "1", "--force")
            self.assertEqual(text, out)
            self.assertEqual(said, sorted(["statepath-mpi: rank %d: wrote parts/P-%d-of-%d.h5" % (r, r + 1, n) for r in range(n)]
                                          + ["wrote " + name for name in ["r.h5", *RESULTS]]))
            self.same()

    def test_many_files_and_evaluate(self):
        for i in (1, 2, 10):
            self.write_scores("n%d.h5" % i, i, 3)
        words = ["compare", "n10.h5", "n2.h5", "n1.h5", *MODEL, *OUTPUTS, "-o", "r.h5"]
        self.whole(*words)
        self.ranks(4, *words, "--parts", "parts")
        self.same()
        shutil.rmtree(self.path("whole"))
        words = ["evaluate", "r.h5", *MODEL, *OUTPUTS]
        self.statepath("compare", "n1.h5", "n2.h5", "n10.h5", *MODEL, "-o", "paths.h5")
        words[1] = "paths.h5"
        self.whole(*words)
        self.ranks(3, *words, "--parts", "others", "--force", "-q")
        self.same(names=RESULTS)

    def test_decode(self):
        self.write_scores("in.h5", 8, 7)
        words = ["decode", "in.h5", *MODEL, "-o", "r.h5"]
        self.whole(*words)
        for n in (1, 3):
            self.ranks(n, *words, "--parts", "parts", "--force")
            self.same(names=["r.h5"])

    def test_without_a_common_file_system(self):
        """Each rank has a folder of its own; rank 0 gets the parts of the others."""
        self.write_scores("in.h5", 2, 9)
        source = self.path("in.h5")
        words = ["compare", source, *MODEL, *OUTPUTS, "-o", "r.h5"]
        self.whole(*words)
        for folder in "abc":
            os.mkdir(self.path(folder))
        words += ["--parts", "parts"]
        self.job((1, "a", words), (1, "b", words), (1, "c", words))
        self.same("a")
        self.assertEqual([os.listdir(self.path(f + "/parts")) for f in "bc"], [["P-2-of-3.h5"], ["P-3-of-3.h5"]])
        self.assertEqual(self.read("a/parts/P-2-of-3.h5"), self.read("b/parts/P-2-of-3.h5"))
        words += ["--force"]
        said = self.job((1, "a", words), (1, "b", words), (1, "c", words))[1]
        self.assertEqual(said[:3], ["statepath-mpi: rank %d: shard %d/3 is done: parts/P-%d-of-3.h5 is kept" % (r, r + 1, r + 1) for r in range(3)])
        self.same("a")

    def test_going_on(self):
        self.write_scores("in.h5", 3, 9)
        words = ["compare", "in.h5", *MODEL, *OUTPUTS, "-o", "r.h5"]
        self.whole(*words)
        words += ["--parts", "parts"]
        self.ranks(3, *words)
        os.remove(self.path("parts/P-2-of-3.h5"))
        said = self.ranks(3, *words, "--force")[1]
        self.assertEqual(said[:3], ["statepath-mpi: rank 0: shard 1/3 is done: parts/P-1-of-3.h5 is kept",
                                    "statepath-mpi: rank 1: wrote parts/P-2-of-3.h5",
                                    "statepath-mpi: rank 2: shard 3/3 is done: parts/P-3-of-3.h5 is kept"])
        self.same()
        said = self.ranks(3, *words[:2], *MODEL, "--level", "0.9", "--parts", "parts", "-q", status=1)[1]
        self.assertEqual(said[0], "statepath-mpi: 3 of 3 parts could not be made; the others are in parts, and the same command goes on")
        self.assertRegex(said[1], "rank 0: parts/P-1-of-3.h5 exists and is kept: it is a part of another run .*; --force replaces it")
        self.ranks(3, *words[:2], *MODEL, "--level", "0.9", "--parts", "parts", "-q", "--force")

    def test_a_rank_fails(self):
        """Recordings of one rank cannot be read: it says so, the parts of the others are there, nothing else is written."""
        for i in range(4):
            self.write_scores("n%d.h5" % i, i, 2, low=50, high=51)
        files = ["n%d.h5" % i for i in range(4)]
        words = ["compare", *files, *MODEL, *OUTPUTS, "-o", "r.h5"]
        self.whole(*words)
        with h5py.File(self.path("n2.h5"), "r+") as f:
            good = f["log_probs"][7, 1]
            f["log_probs"][7, 1] = np.nan
        _, said = self.ranks(4, *words, "--parts", "parts", "-q", status=1)
        self.assertEqual(said[0], "statepath-mpi: 1 of 4 parts could not be made; the others are in parts, and the same command goes on")
        self.assertRegex(said[1], r"\Astatepath-mpi: rank 2: n2\.h5: .*NaN")
        self.assertEqual(len(said), 2)
        self.assertEqual(sorted(os.listdir(self.path("parts"))), ["P-1-of-4.h5", "P-2-of-4.h5", "P-4-of-4.h5"])
        self.assertFalse(os.path.exists(self.path("r.json")))
        with h5py.File(self.path("n2.h5"), "r+") as f:
            f["log_probs"][7, 1] = good
        self.ranks(4, *words, "--parts", "parts", "-q")
        self.same()

    def kill_a_rank(self, words, number):
        """kill -9 of rank `number` of 4 while it works. Returns the status of the job."""
        job = subprocess.Popen(self.mpirun((4, ".", words)), env=self.environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wanted = b"\0OMPI_COMM_WORLD_RANK=%d\0" % number
        killed = False
        while not killed and job.poll() is None:
            with open("/proc/%d/task/%d/children" % (job.pid, job.pid), encoding="ascii") as f:
                children = f.read().split()
            for child in children:
                try:
                    with open("/proc/%s/environ" % child, "rb") as f:
                        environment = f.read()
                    with open("/proc/%s/comm" % child, encoding="utf-8") as f:
                        is_program = f.read().strip() == "statepath-mpi"
                except OSError:
                    continue
                if is_program and wanted in environment:
                    time.sleep(0.1 * number)
                    os.kill(int(child), signal.SIGKILL)
                    killed = True
            time.sleep(0.005)
        self.assertTrue(killed)
        return job.wait(timeout=120)

    def test_a_rank_is_killed(self):
        self.write_scores("in.h5", 4, 600, low=300, high=900)
        words = ["compare", "in.h5", *MODEL, *OUTPUTS, "-o", "r.h5"]
        self.whole(*words)
        words += ["--parts", "parts", "-q"]
        for number in (0, 1, 3):
            self.assertNotEqual(self.kill_a_rank(words, number), 0)
            self.assertFalse(os.path.exists(self.path("r.json")))
        self.ranks(4, *words)
        self.same()

    def test_exit_statuses(self):
        self.write_scores("in.h5", 5, 6)
        with h5py.File(self.path("in.h5"), "r+") as f:
            f["scores"] = f["log_probs"][:]
            del f["log_probs"]
            f["scores"][1] = -np.inf
        words = ["compare", "in.h5", *MODEL, "--parts", "parts"]
        said = self.ranks(3, *words, status=3)[1]
        self.assertEqual([line for line in said if "could not be decoded" in line][0].split(": ")[1], "rank 0")
        said = self.ranks(3, *words, "--fail-if", "viterbi.illegal == 0", "-q", "--force", status=4)[1]
        self.assertEqual(len(said), 1)
        said = self.ranks(3, *words, "--fail-if", "viterbi.nothing > 0", "-q", "--force", status=2)[1]
        self.assertRegex("\n".join(said), r"\Astatepath-mpi: --fail-if: [^\n]*nothing[^\n]*\Z")

    def test_mistakes_are_said_once(self):
        self.write_scores("in.h5", 6, 3)
        def once(status, sentence, *words):
            self.assertEqual(self.ranks(3, *words, status=status)[1], ["statepath-mpi: " + sentence])
        once(2, "--parts DIR is missing: the folder where each rank keeps its part", "compare", "in.h5", *MODEL)
        once(2, "compare: there is no option --part; did you mean --parts?", "compare", "in.h5", "--part", "P.h5")
        once(2, '"merge" is not a command; the commands are compare, decode, evaluate', "merge", "P.h5")
        once(1, "gone.h5: there is no such file", "compare", "gone.h5", *MODEL, "--parts", "parts")
        once(2, "in.h5: is the input file, which is never written to; give the output another name", "compare", "in.h5", *MODEL, "--parts",
             "parts", "--force", "-o", "in.h5")
        text, said = self.ranks(2, "compare", "--help")
        self.assertEqual(text.count("Usage: statepath-mpi compare"), 1)
        self.assertIn("--parts DIR", text)
        self.assertNotIn("--shard", text)
        self.assertEqual(said, [])

    def test_manual_page(self):
        """Of the program alone, made where no job is; a reader of it finds nothing to say."""
        page = subprocess.run([MPI, "help", "man"], capture_output=True, text=True, check=True).stdout
        self.assertIn("\n.BR statepath\\-compare (1)", page)
        self.assertIn("\\-\\-parts", page)
        if shutil.which("groff"):
            said = subprocess.run(["groff", "-man", "-ww", "-Kutf8", "-Tutf8"], input=page, capture_output=True, text=True, check=True)
            self.assertEqual(said.stderr, "")


st.main()

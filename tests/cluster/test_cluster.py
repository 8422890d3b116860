"""The recipes of datasets/cluster, each run where its programs are installed: the bytes of one run come out. `./dev test --long cluster`."""
import glob
import json
import os
import shutil
import subprocess
import unittest

import numpy as np

import statepath_test as st

RECIPES = os.path.join(st.SOURCE, "datasets", "cluster")
SLURM = os.path.join(st.SOURCE, "tests", "cluster", "slurm.sh")
MPI = os.path.join(os.path.dirname(st.PROGRAM), "statepath-mpi")
N = 20


def needs(*programs):
    missing = [name for name in programs if not shutil.which(name) and not os.path.exists("/usr/sbin/" + name)]
    return unittest.skipIf(missing, "needs " + ", ".join(missing))


class TestCluster(st.TestCase):
    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(5)
        os.mkdir(self.path("nights"))
        os.mkdir(self.path("bin"))
        os.mkdir(self.path("whole"))
        for program in (st.PROGRAM, MPI):
            os.symlink(program, self.path("bin/" + os.path.basename(program)))
        for n in range(N):
            steps = int(rng.integers(100, 400))
            self.h5("nights/n%d.h5" % n, probs=rng.dirichlet([.5] * 5, steps), labels=rng.integers(-1, 5, steps),
                    classes=["Wake", "N1", "N2", "N3", "REM"])
        self.nights = sorted(glob.glob("nights/*.h5", root_dir=self.folder))
        self.statepath("compare", *self.nights, "--model", "sleep-aasm", "--json", "whole/nights.json", "--report", "whole/nights.html")

    def run_in(self, *command, status=0, **env):
        env = dict(os.environ, PATH=self.path("bin") + ":" + os.environ["PATH"] + ":/usr/sbin", NO_COLOR="1", LC_ALL="C.UTF-8", **env)
        done = subprocess.run(command, cwd=self.folder, env=env, capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, status, "%s\n%s\n%s" % (command, done.stdout, done.stderr))
        return done

    def same(self):
        for ending in ("json", "html"):
            self.assertEqual(self.read("nights." + ending), self.read("whole/nights." + ending))

    def recipe(self, name):
        return os.path.join(RECIPES, name)

    @needs("parallel")
    def test_parallel(self):
        for n in ("1", "3", "7"):
            shutil.rmtree(self.path("parts"), ignore_errors=True)
            self.run_in("sh", self.recipe("parallel.sh"), n)
            self.assertEqual(len(os.listdir(self.path("parts"))), int(n))
            self.same()

    @needs("mpirun")
    def test_mpirun(self):
        self.run_in("sh", self.recipe("mpirun.sh"), "3", MPIRUN_OPTIONS="--oversubscribe --allow-run-as-root")
        self.assertEqual(sorted(os.listdir(self.path("parts"))), ["P-%d-of-3.h5" % i for i in (1, 2, 3)])
        self.same()

    @needs("mpirun", MPI)
    def test_ranks(self):
        self.run_in("sh", self.recipe("ranks.sh"), "3", MPIRUN_OPTIONS="--oversubscribe --allow-run-as-root")
        self.assertEqual(sorted(os.listdir(self.path("parts"))), ["P-%d-of-3.h5" % i for i in (1, 2, 3)])
        self.same()

    @needs("snakemake")
    def test_snakemake(self):
        make = ["snakemake", "--cores", "2", "--snakefile", self.recipe("Snakefile")]
        self.run_in(*make)
        self.same()
        os.remove(self.path("parts/P-2-of-4.h5"))
        self.run_in(*make)
        self.same()

    @needs("nextflow")
    def test_nextflow(self):
        self.run_in("nextflow", "run", self.recipe("main.nf"))
        self.assertEqual(json.loads(self.read("nights.json"))["strategies"], json.loads(self.read("whole/nights.json"))["strategies"])

    @needs("sbatch", "slurmctld", "slurmd", "munged", "unshare")
    def test_slurm_array(self):
        """A task fails, so the merge does not begin; the same command again counts what is missing only."""
        bad = self.path("nights/n7.h5")
        good = self.read("nights/n7.h5")
        with open(bad, "wb") as f:
            f.write(good[:2000])
        slurm = ["sh", SLURM, self.folder, "sh", self.recipe("submit.sh")]
        self.run_in(*slurm)
        self.assertFalse(os.path.exists(self.path("nights.json")))
        with open(bad, "wb") as f:
            f.write(good)
        self.run_in(*slurm)
        self.assertEqual(len(os.listdir(self.path("parts"))), 16)
        self.same()

    @needs("srun", "slurmctld", "slurmd", "munged", "unshare")
    def test_srun(self):
        self.run_in("sh", SLURM, self.folder, "sbatch", "-n", "4", self.recipe("srun.sh"))
        self.assertEqual(len(os.listdir(self.path("parts"))), 4)
        self.same()


st.main()

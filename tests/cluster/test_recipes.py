"""The recipes of lib/pipeline/shards.md, each run where its programs are installed: the figures of one run come
out. `./dev test --long shards`."""
import glob
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import unittest

import numpy as np

import statepath_test as st

HERE = os.path.join(st.SOURCE, "tests", "cluster")
N, SHARDS = 20, 16
EVALUATE = ["--labels", "labels.h5", "--model", "sleep-aasm", "--quiet", "--force", "--json"]
MPI = {"OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_ALLOW_RUN_AS_ROOT": "1",
       "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def recipes():
    """The block of each heading below "Recipes"."""
    with open(os.path.join(st.SOURCE, "lib", "pipeline", "shards.md"), encoding="utf-8") as file:
        text = file.read().split("## Recipes")[1]
    return dict(re.findall(r"^### (.*?)\n\n```\w+\n(.*?)^```", text, re.S | re.M))


def needs(*programs):
    missing = [name for name in programs
               if not shutil.which(name) and not os.path.exists("/usr/sbin/" + name)]
    return unittest.skipIf(missing, "needs " + ", ".join(missing))


def needs_module(name):
    return unittest.skipIf(importlib.util.find_spec(name) is None, "needs " + name)


class TestRecipes(st.TestCase):
    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(5)
        os.mkdir(self.path("nights"))
        os.mkdir(self.path("bin"))
        os.symlink(st.PROGRAM, self.path("bin/statepath"))
        ids, lengths = ["n%02d" % n for n in range(N)], rng.integers(100, 400, N)
        labels = rng.integers(-1, 5, lengths.sum())
        for name, steps in zip(ids, lengths):
            np.save(self.path("nights/%s.npy" % name), rng.dirichlet([.5] * 5, steps))
        self.h5("labels.h5", labels=labels, ids=ids, offsets=np.cumsum([0, *lengths]))
        self.statepath("decode", "nights/", "--model", "sleep-aasm", "--strategies", "argmax,greedy,viterbi",
                       "-o", "whole.h5", "--quiet")
        self.statepath("evaluate", "whole.h5", *EVALUATE, "whole.json")

    def run_in(self, *command, **env):
        env = dict(os.environ, PATH=self.path("bin") + ":" + os.environ["PATH"] + ":/usr/sbin", NO_COLOR="1",
                   LC_ALL="C.UTF-8", **env)
        done = subprocess.run(command, cwd=self.folder, env=env, capture_output=True, text=True, timeout=600)
        self.assertEqual(done.returncode, 0, "%s\n%s\n%s" % (command, done.stdout, done.stderr))

    def recipe(self, heading, file):
        self.write(file, recipes()[heading])
        return file

    def same(self):
        shares = sorted(glob.glob("paths-*.h5", root_dir=self.folder))
        self.assertEqual(len(shares), SHARDS)
        self.statepath("evaluate", *shares, *EVALUATE, "nights.json")
        shards, whole = json.loads(self.read("nights.json")), json.loads(self.read("whole.json"))
        for key in ("strategies", "comparisons", "reference"):
            self.assertEqual(shards[key], whole[key])

    @needs("parallel")
    def test_parallel(self):
        self.run_in("sh", self.recipe("GNU parallel", "parallel.sh"))
        self.same()

    @needs("mpirun")
    def test_mpi(self):
        self.run_in("sh", self.recipe("MPI", "mpi.sh"), **MPI)
        self.same()

    @needs("snakemake")
    def test_snakemake(self):
        self.run_in("snakemake", "--cores", "2", "--snakefile", self.recipe("Snakemake", "Snakefile"))
        self.same()

    @needs("nextflow")
    def test_nextflow(self):
        self.run_in("nextflow", "run", self.recipe("Nextflow", "main.nf"))
        self.same()

    @needs_module("distributed")
    def test_dask(self):
        self.run_in(sys.executable, self.recipe("Dask", "dask_recipe.py"))
        self.same()

    @needs_module("ray")
    def test_ray(self):
        self.run_in(sys.executable, self.recipe("Ray", "ray_recipe.py"))
        self.same()

    @needs("java")
    @needs_module("pyspark")
    def test_spark(self):
        self.run_in(sys.executable, self.recipe("Spark", "spark_recipe.py"), PYSPARK_PYTHON=sys.executable)
        self.same()

    @needs("sbatch", "slurmctld", "slurmd", "munged", "unshare")
    def test_slurm(self):
        self.write("decode.sbatch", "#!/bin/sh\n" + recipes()["Slurm"])
        self.run_in("sh", os.path.join(HERE, "slurm.sh"), self.folder, "sbatch", "--wait", "decode.sbatch")
        self.same()


if __name__ == "__main__":
    st.main()

"""A cluster decodes shards, and one `evaluate` of all the paths gives the comparison of one run."""
import json
import os

import numpy as np

import statepath_test as st

STAGES = ["Wake", "N1", "N2", "N3", "REM"]
MODEL = ["--model", "sleep-aasm"]
STRATEGIES = "argmax,greedy,viterbi"
N = 7
SCHEDULERS = ("SLURM_", "SGE_", "LSB_", "PBS_", "OMPI_", "PMI_")


class TestShards(st.TestCase):
    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(23)
        self.lengths = rng.integers(30, 200, N)
        probs = [rng.dirichlet([.5] * 5, n) for n in self.lengths]
        labels = [rng.integers(-1, 5, n) for n in self.lengths]
        self.ids = ["n%d" % n for n in range(N)]
        self.h5("in.h5", probs=np.concatenate(probs), labels=np.concatenate(labels), ids=self.ids,
                classes=STAGES, offsets=np.cumsum([0, *self.lengths]),
                subjects=["a", "a", "b", "c", "c", "d", "e"])
        os.mkdir(self.path("nights"))
        for name, rows in zip(self.ids, probs):
            np.save(self.path("nights/%s.npy" % name), rows)
        for name in [name for name in os.environ if name.startswith(SCHEDULERS)]:
            self.addCleanup(os.environ.__setitem__, name, os.environ.pop(name))

    def decode(self, name, *words, output="p%i.h5", **how):
        return self.statepath("decode", name, *MODEL, "-s", STRATEGIES, "-o", output, "-q", *words, **how)

    def evaluate(self, *words, **how):
        self.statepath("evaluate", *words, "--json", "r.json", "-f", "-q", **how)
        with open(self.path("r.json"), encoding="utf-8") as file:
            return json.load(file)

    def test_shards_are_one_run(self):
        self.decode("in.h5", output="whole.h5")
        for n in (1, 2, 3):
            names = ["s%d-of-%d.h5" % (i, n) for i in range(1, n + 1)]
            for i in range(1, n + 1):
                self.decode("in.h5", "--shard", "%d/%d" % (i, n), output="s%i-of-%n.h5")
            with st.h5py.File(self.path("whole.h5")) as whole:
                for key in ("paths/argmax", "paths/greedy", "paths/viterbi", "path_scores/viterbi", "labels",
                            "ids", "subjects"):
                    shares = []
                    for name in names:
                        with st.h5py.File(self.path(name)) as share:
                            shares.append(share[key][:])
                    np.testing.assert_array_equal(np.concatenate(shares), whole[key][:], key)
            one, all_of_them = (self.evaluate(*files, "--labels", "in.h5") for files in (["whole.h5"], names))
            for key in ("strategies", "reference", "comparisons"):
                self.assertEqual(one[key], all_of_them[key], (n, key))

    def test_eight_shards_are_one_compare(self):
        """One of them has no recording. What differs needs scores (lib/pipeline/shards.md)."""
        for i in range(1, 9):
            self.decode("in.h5", "--shard", "%d/8" % i)
        shards = self.evaluate(*("p%d.h5" % i for i in range(1, 9)), *MODEL)
        one = self.results("compare", "in.h5", *MODEL)
        self.assertEqual(set(one) - set(shards),
                         {"argmax_ties", "calibration", "nll", "nll_impossible_steps", "nll_steps"})
        self.assertEqual(set(shards) - set(one), set())
        for name, found in shards["strategies"].items():
            expected = one["strategies"][name]
            for key in ("regret", "regret_steps", "zero_probability_steps"):
                del expected[key]
            for figures in (expected, found):
                for key in ("legal_by_construction", "illegal_rate_ci_undefined"):
                    figures.pop(key, None)
            self.assertEqual(found, expected)
        by_construction = [pair for pair in shards["comparisons"] if pair not in one["comparisons"]]
        self.assertEqual({pair["metric"] for pair in by_construction}, {"illegal_rate"})
        for key in set(one) & set(shards) - {"command", "input", "strategies", "comparisons"}:
            self.assertEqual(shards[key], one[key], key)

    def test_files_of_a_folder(self):
        self.decode("nights", output="whole.h5")
        for i in (1, 2):
            self.decode("nights", "--shard", "%d/2" % i)
        one, both = (self.evaluate(*files, "--labels", "in.h5")
                     for files in (["whole.h5"], ["p1.h5", "p2.h5"]))
        self.assertEqual(one["strategies"], both["strategies"])

    def test_draws_do_not_depend_on_the_shard(self):
        words = ["decode", "in.h5", *MODEL, "--draws", "3", "-q", "-o"]
        self.statepath(*words, "whole.h5")
        for i in (1, 2):
            self.statepath(*words, "p%i.h5", "--shard", "%d/2" % i)
        draws = []
        for name in ("p1.h5", "p2.h5", "whole.h5"):
            with st.h5py.File(self.path(name)) as file:
                draws.append(file["draws"][:])
        np.testing.assert_array_equal(np.concatenate(draws[:2], axis=1), draws[2])

    def test_scheduler(self):
        array = {"SLURM_ARRAY_TASK_ID": "2", "SLURM_ARRAY_TASK_MIN": "1", "SLURM_ARRAY_TASK_MAX": "3"}
        for variables, name in (({**array, "SLURM_ARRAY_TASK_COUNT": "3"}, "p2.h5"),
                                ({"SGE_TASK_ID": "1", "SGE_TASK_FIRST": "1", "SGE_TASK_LAST": "2"}, "p1.h5"),
                                ({"OMPI_COMM_WORLD_RANK": "2", "OMPI_COMM_WORLD_SIZE": "3"}, "p3.h5"),
                                ({"SLURM_PROCID": "3", "SLURM_NTASKS": "4"}, "p4.h5")):
            self.decode("in.h5", "--shard", "auto", env=variables)
            self.assertTrue(os.path.exists(self.path(name)), name)
        said = self.decode("in.h5", "--shard", "auto", status=2).stderr
        self.assertIn("--shard auto: this is no task of an array or rank", said)
        gaps = {**array, "SLURM_ARRAY_TASK_COUNT": "2"}
        said = self.decode("in.h5", "--shard", "auto", env=gaps, status=2).stderr
        self.assertIn("have gaps (SLURM_ARRAY_TASK_COUNT)", said)

    def test_what_does_not_add_up(self):
        for i in (1, 2):
            self.decode("in.h5", "--shard", "%d/2" % i)
        said = self.statepath("evaluate", "p1.h5", "--labels", "in.h5", "-q", status=1).stderr
        self.assertIn("p1.h5 and in.h5 do not match; only in in.h5: n", said)
        self.decode("in.h5", "--shard", "1/1", output="whole.h5")
        said = self.statepath("evaluate", "p1.h5", "whole.h5", "--labels", "in.h5", "-q", status=1).stderr
        self.assertRegex(said, "p1.h5 and whole.h5 both hold paths of recording n[0-9];"
                               " leave one of them out")

    def test_two_models(self):
        self.decode("in.h5", "--shard", "1/2")
        self.statepath("decode", "in.h5", "-m", "sleep-strict", "-s", STRATEGIES, "-o", "p%i.h5", "-q",
                       "--shard", "2/2")
        self.refuses("evaluate", "p1.h5", "p2.h5", "--labels", "in.h5", "-q",
                     sentence="p1.h5 and p2.h5 hold paths of one input by two models; decode all of its "
                              "recordings with one")

    def test_refusals(self):
        for shard, more, output, sentence in (
                ("4/3", [], "p%i.h5", "--shard 4/3: it is i/n with i from 1 to n, such as 3/16, or auto"),
                ("1/2", [], "p.h5", "-o p.h5: 2 shards would all write this file; put %i into its name"),
                ("1/2", [], "{id}.h5", "an output with {id} is one for each input"),
                ("1/2", ["--review", "2%"], "p%i.h5", "--review")):
            said = self.decode("in.h5", "--shard", shard, *more, output=output, status=2).stderr
            self.assertIn(sentence, said)
        said = self.statepath("compare", "in.h5", *MODEL, "--shard", "1/2", status=2).stderr
        self.assertIn("there is no option --shard", said)


if __name__ == "__main__":
    st.main()

"""Real scores: the figures that an independent float64 implementation found (README of the folder of real data)."""
import json

import h5py
import numpy as np

import statepath_test as st

st.skip_without_shared()


class TestRealData(st.TestCase):
    def compare(self, name, *options):
        done = self.statepath("compare", st.shared("data", name + ".h5"), "--model", st.shared("data", name + ".model.json"), "--json", "-",
                              "-o", "paths.h5", "--force", *options)
        self.paths = h5py.File(self.path("paths.h5"))
        self.addCleanup(self.paths.close)
        return json.loads(done.stdout)

    def figures(self, name, recordings, scored, argmax, argmax_illegal, greedy, viterbi, reference_illegal=None):
        result = self.compare(name)
        self.assertEqual(result["input"]["recordings"], recordings)
        self.assertEqual(result["input"]["scored_steps"], scored)
        right = {s: int(np.trace(np.array(r["confusion"]))) for s, r in result["strategies"].items()}
        self.assertEqual(right, {"argmax": argmax, "greedy": greedy, "viterbi": viterbi})
        illegal = {s: r["illegal"] for s, r in result["strategies"].items()}
        self.assertEqual(illegal, {"argmax": argmax_illegal, "greedy": 0, "viterbi": 0})
        if reference_illegal is not None:
            self.assertEqual(result["reference"]["illegal"], reference_illegal)
        for strategy, r in result["strategies"].items():
            self.assertAlmostEqual(r["accuracy"], right[strategy] / scored, places=12)
            self.assertEqual(sum(map(sum, r["confusion"])), scored)
        return result

    def test_dodh_votes(self):
        self.figures("dodh_votes", 25, 24665, 21859, 26, 21791, 21862, 17)

    def test_applewatch_balanced(self):
        self.figures("applewatch_balanced", 31, 25393, 11721, 393, 11818, 11833, 45)

    def test_applewatch_with_dwell(self):
        model = json.load(open(st.shared("data", "applewatch_balanced.model.json")))
        model["min_dwell"] = {name: 16 for name in model["classes"]}
        self.write("dwell.json", json.dumps(model))
        done = self.statepath("compare", st.shared("data", "applewatch_balanced.h5"), "--model", "dwell.json", "--strategies", "viterbi",
                              "--json", "-")
        result = json.loads(done.stdout)["strategies"]["viterbi"]
        self.assertEqual(result["illegal"], 0)
        self.assertEqual(result["short_runs"], 0)
        self.assertEqual(round(100 * result["accuracy"], 2), 48.82)

    def test_salads_eval_edtcn(self):
        self.figures("salads_eval_edtcn", 50, 20737, 15256, 46, 15198, 15241, 0)

    def test_salads_mid_dilated(self):
        self.figures("salads_mid_dilated", 50, 9966, 5839, 235, 5753, 5855, 0)

    def test_wnut17(self):
        result = self.figures("wnut17_linear", 1287, 23394, 21696, 49, 21695, 21705)
        self.assertEqual(result["strategies"]["viterbi"]["illegal_start"], 0)
        f1 = {s: round(100 * r["entities"]["f1"], 2) for s, r in result["strategies"].items()}
        self.assertEqual(f1, {"argmax": 9.22, "greedy": 9.5, "viterbi": 10.17})
        # Strictly read, argmax loses what it never began; paths that obey the rules lose nothing.
        entities = {s: r["entities"] for s, r in result["strategies"].items()}
        self.assertEqual((entities["argmax"]["reference"], entities["argmax"]["strict"]["correct"]), (1079, 59))
        self.assertEqual(entities["viterbi"]["strict"]["correct"], entities["viterbi"]["correct"])
        self.assertEqual((result["reference"]["illegal"], result["mask_ceiling"], result["mask_ceiling_infeasible"]), (0, 1, 0))

    def test_wnut17_packed_is_the_same(self):
        packed = ["--scores", "/packed/log_probs", "--offsets", "/packed/offsets", "--labels", "/packed/labels"]
        result = self.compare("wnut17_linear", *packed)
        self.assertEqual(result["input"]["recordings"], 1287)
        self.assertEqual(int(np.trace(np.array(result["strategies"]["viterbi"]["confusion"]))), 21705)

    def test_accusleep(self):
        result = self.compare("accusleep_mouse")
        self.assertEqual({s: r["illegal"] for s, r in result["strategies"].items()}, {"argmax": 23, "greedy": 0, "viterbi": 0})
        self.assertNotIn("accuracy", result["strategies"]["viterbi"])
        paths = {s: self.paths["paths"][s][:] for s in ("argmax", "greedy", "viterbi")}
        self.assertEqual(int((paths["greedy"] != paths["argmax"]).sum()), 160)
        self.assertEqual(int((paths["viterbi"] != paths["argmax"]).sum()), 23)

    def test_tmbed_topologies(self):
        name = "tmbed_sample"
        self.statepath("decode", st.shared("data", name + ".h5"), "--model", st.shared("data", name + ".model.json"), "--scores",
                       "/recordings/{id}/probs", "--kind", "scores", "-o", "paths.h5", stderr="wrote paths.h5\n")
        class_of = {"B": 0, "b": 0, "H": 1, "h": 1, "S": 2, "i": 3, "o": 4}
        differences = []
        with h5py.File(st.shared("data", name + ".h5")) as f, h5py.File(self.path("paths.h5")) as out:
            ids, offsets = [i.decode() for i in out["ids"][:]], out["offsets"][:]
            for n, recording in enumerate(ids):
                published = np.array([class_of["BbHhSio"[i]] for i in f["recordings"][recording]["decoded_by_tmbed"][:]])
                ours = out["paths/viterbi"][offsets[n]:offsets[n + 1]]
                differences.append(int((published != ours).sum()))
        self.assertEqual(len(differences), 5)
        self.assertEqual(sorted(differences)[:4], [0, 0, 0, 0])
        self.assertLessEqual(max(differences), 1)


st.main()

"""The program against the contract written once more in Python (tests/support/reference.py), on random models and files."""
import json
import os
import subprocess

import h5py
import numpy as np

import random_contract
import reference
import statepath_test as st

STRATEGIES = ["argmax", "greedy", "beam:{width}", "viterbi", "posterior", "mea", "posterior-viterbi", "online:{lag}"]
STATUS = {"ok": 0, "no_path": 1, "dead_end": 2}
CLOSE = 1e-9


class TestCase(st.TestCase):
    def run_any(self, *arguments):
        return subprocess.run([st.PROGRAM, *arguments], cwd=self.folder, capture_output=True, text=True, timeout=300,
                              env=dict(os.environ, NO_COLOR="1", ASAN_OPTIONS="detect_leaks=0"))  # HDF5 leaks over damaged files


class TestFiles(TestCase):
    def setUp(self):
        super().setUp()
        self.rules = {"statepath_model": 1, "name": "m", "classes": ["a", "b", "c"], "forbid": {"a": ["c"]}}
        self.write("m.json", json.dumps(self.rules))
        self.probs = np.array([[0.7, 0.2, 0.1], [0.1, 0.2, 0.7], [0.1, 0.8, 0.1]])
        self.h5("in.h5", probs=self.probs, labels=np.array([0, 1, 1]), mask=np.ones((3, 3), bool), classes=self.rules["classes"])

    def test_what_is_read_is_never_written(self):
        self.statepath("decode", "in.h5", "-m", "m.json", "-o", "p.h5")
        self.write("r.json", json.dumps({"statepath_recipe": 1}))
        os.symlink("in.h5", self.path("link"))
        os.link(self.path("in.h5"), self.path("hard"))
        before = {name: self.read(name) for name in ("in.h5", "m.json", "p.h5", "r.json")}
        compare, evaluate = ["compare", "in.h5", "-m", "m.json"], ["evaluate", "p.h5", "--labels", "in.h5", "-m", "m.json"]
        for command in [compare + ["--json", "in.h5"], compare + ["--csv", "link"], compare + ["--report", "hard"],
                        compare + ["--markdown", "./m.json"], compare + ["-o", "m.json"], compare + ["-o", "in.h5"],
                        ["decode", "in.h5", "-m", "m.json", "-o", "link"], ["decode", "in.h5", "-m", "m.json", "-o", "m.json"],
                        evaluate + ["--json", "p.h5"], evaluate + ["--csv", "in.h5"], evaluate + ["--json", "m.json"],
                        ["mask", "leak", "in.h5", "--json", "in.h5"], ["mask", "softmax", "in.h5", "-o", "hard"],
                        ["model", "new", "from-labels", "in.h5", "-o", "in.h5"], ["simulate", "r.json", "-o", "r.json"]]:
            with self.subTest(command=command):
                done = self.statepath(*command, "--force", status=2, stdout="")
                self.assertIn("never written to", done.stderr)
                self.assertEqual(before, {name: self.read(name) for name in before})

    def test_names_do_not_speak_to_the_terminal(self):
        evil = "x\x1b[31m\x9b2J\ny"
        self.h5("evil.h5", probs=np.vstack([self.probs, 0 * self.probs]), labels=np.zeros(6, int), offsets=[0, 3, 6], ids=["one", evil],
                classes=self.rules["classes"])
        model = dict(self.rules, name=evil, description=evil, classes=["a", "b", evil], forbid={})
        self.write("evil.json", json.dumps(model))
        for status, command in [(0, ["inspect", "evil.h5"]), (3, ["compare", "evil.h5", "-m", "m.json"]), (0, ["model", "show", "evil.json"]),
                                (1, ["compare", "evil.h5", "-m", "evil.json"]), (0, ["model", "check", "evil.json"])]:
            with self.subTest(command=command):
                done = self.statepath(*command, status=status)
                for c in "\x1b\x9b\x7f":
                    self.assertNotIn(c, done.stdout + done.stderr)
                self.assertTrue(all(line.startswith(("statepath: ", "wrote ")) for line in done.stderr.splitlines()), done.stderr)

    def test_names_that_are_no_utf8(self):
        """A byte such as 0x9b alone begins a sequence on terminals of 8 bits: an array of a damaged archive, which counts as encrypted,
        and names in an HDF5 file."""
        evil = b"e\x9b1mx\xff"
        with h5py.File(self.path("evil.h5"), "w") as f:
            f[evil] = self.probs
            f["probs"] = self.probs
            f.attrs[evil] = 1
        np.savez(self.path("evil.npz"), probs=self.probs, NAMEXX=self.probs)
        archive = bytearray(self.read("evil.npz").replace(b"NAMEXX", evil))
        archive[archive.rindex(b"PK\x01\x02") + 8] |= 1
        with open(self.path("encrypted.npz"), "wb") as out:
            out.write(archive)
        for name, said in {"evil.h5": "attribute e?1mx? of /", "encrypted.npz": "array e?1mx? is encrypted"}.items():
            done = subprocess.run([st.PROGRAM, "inspect", name], cwd=self.folder, capture_output=True, timeout=300)
            self.assertIn(said, (done.stdout + done.stderr).decode("utf-8"), name)

    def test_closed_streams(self):
        """Messages about a recording that cannot be decoded do not end up in a file that took the number of a closed stream."""
        self.h5("bad.h5", scores=np.array([[0, -np.inf, -np.inf], [-np.inf, -np.inf, 0]]), classes=self.rules["classes"])
        before = self.read("bad.h5")
        for closed in ("<&-", ">&-", "2>&-", "<&- 2>&-", ">&- 2>&-", "<&- >&- 2>&-"):
            with self.subTest(closed=closed):
                line = '"%s" decode bad.h5 -m m.json -o p.h5 --force %s' % (st.PROGRAM, closed)
                self.assertEqual(subprocess.run(line, shell=True, cwd=self.folder, stderr=subprocess.DEVNULL).returncode, 3)
                self.assertEqual(list(self.arrays("p.h5")["paths/viterbi"]), [-1, -1])
                self.assertEqual(before, self.read("bad.h5"))

    def test_outputs_that_do_not_fit(self):
        """A limit on the size of files is an error with a sentence; nothing half-written stays."""
        for command, out in [("decode in.h5 -m m.json -o big.h5", "big.h5"), ("compare in.h5 -m m.json --report big.html", "big.html")]:
            with self.subTest(command=command):
                done = subprocess.run('ulimit -f 1; "%s" %s >/dev/null' % (st.PROGRAM, command), shell=True, cwd=self.folder, text=True,
                                      stderr=subprocess.PIPE, executable="/bin/sh")
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn("statepath: %s: cannot be written, the file would be larger than allowed" % out, done.stderr)
                self.assertEqual(self.files(), ["in.h5", "m.json"])
        for command in ("--help", "--version", "compare --help", "inspect in.h5", "model list", "model show m.json", "compare in.h5 -m m.json"):
            with self.subTest(command=command):
                done = subprocess.run('"%s" %s >/dev/full' % (st.PROGRAM, command), shell=True, cwd=self.folder, text=True, stderr=subprocess.PIPE)
                self.assertEqual((done.returncode, done.stderr), (1, "statepath: standard output could not be written (No space left on device)\n"))

    def test_damaged_files(self):
        """One sentence, whatever HDF5 makes of the bytes."""
        rng = np.random.default_rng(7)
        with h5py.File(self.path("whole.h5"), "w") as f:
            f.create_dataset("log_probs", data=np.log(rng.dirichlet([1] * 3, 50)), chunks=(20, 3), compression="gzip")
            f.attrs["classes"] = self.rules["classes"]
            f["labels"] = rng.integers(-1, 3, 50)
        whole = self.read("whole.h5")
        chunk, wide = np.array([20, 3, 8], "<u4").tobytes(), np.array([20, 65283, 8], "<u4").tobytes()
        self.assertEqual(whole.count(chunk), 1)
        damaged = [whole.replace(chunk, wide)] + [whole[:int(len(whole) * share)] for share in (0.01, 0.3, 0.5, 0.9, 0.99)]
        for _ in range(60):
            bad = bytearray(whole)
            for at in rng.integers(0, 3000, 3):
                bad[at] ^= 1 << rng.integers(8)
            damaged.append(bytes(bad))
        with h5py.File(self.path("latest.h5"), "w", libver="latest") as f:  # its metadata carry checksums
            f["recordings/a/log_probs"] = np.log(rng.dirichlet([1] * 3, 5))
            f.attrs["classes"] = np.array(self.rules["classes"], "S")  # HDF5 1.10 itself falls over damaged heaps of variable strings
        latest = self.read("latest.h5")
        for at in range(60, len(latest), 97):
            damaged.append(latest[:at] + bytes([latest[at] ^ 4]) + latest[at + 1:])
        for i, data in enumerate(damaged):
            with self.subTest(i=i):
                with open(self.path("bad.h5"), "wb") as out:
                    out.write(data)
                done = self.run_any("compare", "bad.h5", "-m", "m.json", "-q")
                self.assertIn(done.returncode, (0, 1, 3), done.stderr)
                lines = done.stderr.splitlines()
                self.assertTrue(all(line.startswith("statepath: ") for line in lines), done.stderr)
                self.assertEqual(len(lines) == 0, done.returncode == 0, done.stderr)

    def test_link_to_nowhere(self):
        for name, command in [("p.h5", ["decode", "in.h5", "-m", "m.json", "-o"]), ("r.json", ["compare", "in.h5", "-m", "m.json", "--json"])]:
            os.symlink("nowhere", self.path(name))
            self.statepath(*command, name, stderr="wrote %s\n" % name)
            self.assertGreater(len(self.read(name)), 100)
        self.assertEqual(self.files(), ["in.h5", "m.json", "p.h5", "r.json"])

    def test_not_a_number_is_no_option(self):
        for option in ("--temperature", "--floor", "--transition-weight", "--prior-weight"):
            for given in ([option, "nan"], [option + "=NaN"], [option, "-nan"]):
                self.statepath("decode", "in.h5", "-m", "m.json", "-o", "p.h5", *given, status=2, stdout="")
        for option in ("--level", "--epoch-seconds", "--margin", "--wake-trim"):
            self.statepath("compare", "in.h5", "-m", "m.json", option, "nan", status=2, stdout="")


class TestContract(TestCase):
    def one_case(self, seed, exact, n=12, longest=5):
        """A random model and file: all strategies, n best, confidence, all counts."""
        rng = np.random.default_rng([seed, exact])
        plain = bool(rng.random() < 0.5)
        model = random_contract.random_model(rng, exact, plain)
        kind = "scores" if exact else str(rng.choice(["probs", "log_probs", "logits"]))
        data = random_contract.RandomFile(rng, model, kind, n, longest)
        options, prep = [], dict(model.get("decoding", {}))
        weight = prep.pop("transition_weight", None)
        if rng.random() < 0.2:
            prep["temperature"] = 4.0
            options += ["--temperature", "4"]
        if rng.random() < 0.2:
            weight = 1.5
            options += ["--transition-weight", "1.5"]
        clamp = data.with_labels and rng.random() < 0.15
        if clamp:
            options += ["--clamp"]
        if kind != "scores" and rng.random() < 0.2:
            prep["floor"] = 0.01
            options += ["--floor", "0.01"]
        relax = rng.random() < 0.3
        if relax:
            options += ["--on-infeasible", "relax"]
        lag, width = int(rng.integers(0, 4)), int(rng.integers(1, 4))
        strategies = [s.format(width=width if plain else 1000, lag=lag) for s in STRATEGIES]
        if rng.random() < 0.2:
            options += ["--missing", "uniform"]
            for record in data.recordings:
                gone = rng.random(record["rows"].shape) < 0.1
                record["rows"] = np.where(gone, np.nan, record["rows"]).astype(data.dtype)
        self.write("m.json", json.dumps(model))
        data.write(self.path("in.h5"), rng)
        before = self.read("in.h5")
        done = self.run_any("compare", "in.h5", "-m", "m.json", "-s", ",".join(strategies), "-o", "p.h5", "--json", "r.json", "-f", "--confidence",
                            "--nbest", "4", "--threads", str(rng.integers(1, 4)), *options)
        said = "seed %d exact %d: %s\n%s\n%s" % (seed, exact, options, done.stderr, json.dumps(model))
        self.assertIn(done.returncode, (0, 3), said)
        self.assertEqual(before, self.read("in.h5"), said)

        rules = reference.Rules(model, data.columns, weight)
        result = json.loads(self.read("r.json"), parse_constant=lambda c: self.fail("%s in JSON" % c))
        with h5py.File(self.path("p.h5")) as f:
            paths = {s: f["paths/" + s.split(":")[0]][:] for s in strategies}
            scores = {s: f["path_scores/" + s.split(":")[0]][:] for s in strategies}
            status = {s: f["status/" + s.split(":")[0]][:] for s in strategies}
            confidence = {s: f["confidence/" + s.split(":")[0]][:] for s in strategies}
            broken = {s: f["broken/" + s.split(":")[0]][:] for s in strategies} if relax else None
            best, best_scores = f["nbest/paths"][:], f["nbest/scores"][:]
            offsets = f["offsets"][:]
            self.assertEqual(paths["viterbi"].dtype, np.int16, said)
            self.assertEqual(best.shape[0], 4, said)
        lengths = [len(r["rows"]) for r in data.recordings]
        self.assertEqual(list(offsets), [0] + list(np.cumsum(lengths)), said)
        failed = False
        for r, record in enumerate(data.recordings):
            labels = record["labels"] if data.with_labels else None
            e = reference.prepare(kind, record["rows"], prior=rules.prior, mask=record["mask"] if data.with_mask else None,
                                  labels=labels if clamp else None, **prep)
            own = reference.prepare(kind, record["rows"], mask=record["mask"] if data.with_mask else None, labels=labels if clamp else None,
                                    **dict(prep, prior_weight=0, temperature=1))
            every = reference.Paths(rules, e, record["segments"] if data.with_segments else None, own)
            marginals = every.marginals()[0] if every.failure is None else None
            for s in strategies:
                where = "%s recording %d %s\ne = %s\n%s" % (s, r, record, e.tolist(), said)
                got = list(paths[s][offsets[r]:offsets[r + 1]])
                self.one_answer(every, s, got, scores[s][r], status[s][r], relax and broken[s][r], relax, exact, marginals, where)
                failed |= status[s][r] != 0
                if len(got):
                    sure = confidence[s][offsets[r]:offsets[r + 1]]
                    want = [marginals[t, k] if marginals is not None and k >= 0 else np.nan for t, k in enumerate(got)]
                    np.testing.assert_allclose(sure, want, atol=1e-6, err_msg=where)
            nbest = every.nbest(4)
            for i in range(4):
                got = list(best[i, offsets[r]:offsets[r + 1]])
                if i < len(nbest):
                    self.close(best_scores[i, r], nbest[i][1], where)
                    if exact:
                        self.assertEqual(got, nbest[i][0], "nbest %d %s" % (i, where))
                    else:
                        self.close(every.score(got), nbest[i][1], where)
                else:
                    self.assertEqual(got, [-1] * len(got), where)
                    self.assertEqual(best_scores[i, r], -np.inf, where)
        self.assertEqual(done.returncode, 3 if failed else 0, said)
        self.counts(rules, data, strategies, paths, status, scores, result, offsets, said)

    def close(self, got, want, where):
        if np.isinf(want) or want != want:
            self.assertEqual(got, want, where)
        else:
            self.assertLessEqual(abs(got - want), CLOSE * max(1, abs(want)), "%r is not %r: %s" % (got, want, where))

    def one_answer(self, every, strategy, got, score, status, broken, relax, exact, marginals, where):
        name, _, value = strategy.partition(":")
        if name in ("posterior", "mea", "posterior-viterbi"):
            want = every.viterbi()
        elif name == "beam" and value == "1000":
            want = every.viterbi()
        else:
            want = getattr(every, name)(*([int(value)] if value else []))
        if want.status != "ok":
            if not relax:
                self.assertEqual((status, got, score), (STATUS[want.status], want.path, -np.inf), where)
            elif name not in ("argmax", "greedy"):
                path, count = every.relaxed()
                self.assertEqual((status, broken), (0, count), where)
                if exact:
                    self.assertEqual(got, path, where)
                self.close(score, every.score(path), where)
            return
        self.assertEqual(status, 0, where)
        self.close(score, every.score(got), where)
        if relax:
            self.assertEqual(broken, 0, where)
        if name == "posterior":
            for t, k in enumerate(got):
                self.assertGreaterEqual(marginals[t, k], marginals[t].max() - CLOSE, where)
                self.assertFalse((marginals[t, :k] > marginals[t, k] - 1e-14).any(), "tie: " + where)
        elif name in ("mea", "posterior-viterbi"):
            c, total = every.by_marginals((lambda m: m) if name == "mea" else reference.log)
            mine = total[(c == np.array(got, dtype=int)).all(axis=1)]
            self.assertEqual(len(mine), 1, where)
            self.assertGreaterEqual(mine[0], total.max() - CLOSE, where)
        elif exact:
            self.assertEqual(got, want.path, where)
        elif got != want.path:
            self.close(every.score(got), want.score, where)

    def counts(self, rules, data, strategies, paths, status, scores, result, offsets, said):
        n = rules.n_classes
        labels = np.concatenate([r["labels"] for r in data.recordings]) if data.with_labels else None
        segments = [r["segments"] if data.with_segments else None for r in data.recordings]
        self.assertEqual(result["input"]["steps"], offsets[-1], said)
        self.assertEqual(result["input"]["recordings"], len(data.recordings), said)
        self.assertEqual(result["model"]["forbidden_count"], int((~rules.legal).sum()), said)
        self.assertEqual({tuple(p) for p in result["model"]["forbidden"]},
                         {(rules.classes[i], rules.classes[j]) for i in range(n) for j in range(n) if not rules.legal[i, j]}, said)
        if labels is None:
            self.assertNotIn("reference", result, said)
        else:
            scored = labels >= 0
            self.assertEqual(result["input"]["scored_steps"], scored.sum(), said)
            self.same_counts(result["reference"], [reference.transitions(rules, r["labels"], s) for r, s in zip(data.recordings, segments)], said)
            best = [reference.ceiling(rules, r["labels"], s) for r, s in zip(data.recordings, segments)]
            if scored.any():
                self.same(result, "mask_ceiling", sum(b or 0 for b in best) / scored.sum(), said)
            else:
                self.same(result, "mask_ceiling", None, said)
        for s in strategies:
            got, where = result["strategies"][s], s + " " + said
            cut = [paths[s][offsets[r]:offsets[r + 1]] for r in range(len(data.recordings))]
            counted = [reference.transitions(rules, p, g) for p, g in zip(cut, segments)]
            self.same_counts(got, counted, where)
            self.assertEqual(got["recordings_with_illegal"], sum(c["illegal"] > 0 for c, _ in counted), where)
            self.assertEqual([u["id"] if isinstance(u, dict) else u for u in got["undecoded"]],
                             [data.recordings[r]["id"] for r in range(len(cut)) if status[s][r]], where)
            if np.isfinite(scores[s]).all():
                self.close(got["path_score"], scores[s].sum(), where)
            self.assertEqual([r["id"] for r in got["per_recording"]], [r["id"] for r in data.recordings], where)
            for record, truth, (c, _) in zip(got["per_recording"], data.recordings, counted):
                self.assertEqual((record["steps"], record["illegal"]), (len(truth["labels"]), c["illegal"]), where)
            if labels is None:
                self.assertNotIn("accuracy", got, where)
                continue
            want = reference.agreement(labels[scored], paths[s][scored], n)
            self.assertEqual(got["confusion"], want.pop("confusion"), where)
            for k, figures in enumerate(want.pop("classes")):
                for key, value in figures.items():
                    self.same(got["classes"][rules.classes[k]], key, value, "%s %s %s" % (rules.classes[k], key, where))
            for key, value in want.items():
                self.same(got, key, value, "%s %s" % (key, where))
            for record, truth, p in zip(got["per_recording"], data.recordings, cut):
                known = truth["labels"] >= 0
                one = reference.agreement(truth["labels"][known], p[known], n)
                self.assertEqual(record["scored"], known.sum(), where)
                self.same(record, "accuracy", one["accuracy"], where)
                self.same(record, "kappa", one["kappa"], where)
            a, b, t = paths["argmax"][scored], paths[s][scored], labels[scored]
            if s != "argmax":
                flips = got["changed_from_argmax"]
                self.assertEqual(flips["fixed"], ((a != t) & (b == t)).sum(), where)
                self.assertEqual(flips["broken"], ((a == t) & (b != t)).sum(), where)
                self.assertEqual(flips["wrong_to_wrong"], ((a != t) & (b != t) & (a != b)).sum(), where)

    def same(self, got, key, want, where):
        if want is None:
            self.assertIsNone(got[key], where)
            self.assertTrue(got[key + "_undefined"], where)
        else:
            self.assertIsNotNone(got[key], where)
            self.close(got[key], want, where)

    def same_counts(self, got, counted, where):
        for key in ("transitions", "changes", "illegal", "illegal_start", "illegal_end", "short_runs"):
            self.assertEqual(got[key], sum(c[key] for c, _ in counted), key + " " + where)
        pairs = sum((p for _, p in counted), start=type(counted[0][1])() if counted else {})
        self.assertEqual({(p["from"], p["to"]): p["count"] for p in got["illegal_pairs"]}, dict(pairs), where)

    def test_threads_change_no_byte(self):
        rng = np.random.default_rng(5)
        self.write("m.json", json.dumps({"statepath_model": 1, "classes": ["a", "b", "c"], "forbid": {"a": ["c"]}, "min_dwell": {"b": 2}}))
        self.h5("in.h5", probs=rng.dirichlet([0.5] * 3, 3000), labels=rng.integers(-1, 3, 3000), offsets=[0, 7, 7, 1000, 2999, 3000],
                classes=["a", "b", "c"])
        every = []
        for threads in (["--threads", "1"], ["--threads=2"], ["--threads", "7"], []):
            self.statepath("compare", "in.h5", "-m", "m.json", *threads, "-s", "greedy,viterbi,mea", "-o", "p.h5", "--json", "r.json", "--csv", "r.csv",
                           "--markdown", "r.md", "--report", "r.html", "--confidence", "--nbest", "2", "-f", "-q")
            every.append([self.read(name) for name in ("p.h5", "r.json", "r.csv", "r.md", "r.html")])
        self.assertEqual(every[1:], every[:-1])

    def test_ties_of_marginals(self):
        """Scores of 0 and -inf: marginals are counts of paths, ties are exact, and the lowest class of the last step has it."""
        rng = np.random.default_rng(3)
        for _ in range(12):
            k = int(rng.integers(2, 4))
            allow = (rng.random((k, k)) < 0.8) | np.eye(k, dtype=bool)
            model = {"statepath_model": 1, "classes": list("abc"[:k]), "matrix": allow.astype(int).tolist()}
            lengths = rng.integers(1, 7, 30)
            e = np.where(rng.random((lengths.sum(), k)) < 0.1, -np.inf, 0)
            offsets = np.concatenate([[0], np.cumsum(lengths)])
            self.write("m.json", json.dumps(model))
            self.h5("in.h5", scores=e, offsets=offsets, classes=model["classes"])
            self.run_any("compare", "in.h5", "-m", "m.json", "-s", "posterior,mea,posterior-viterbi", "-o", "p.h5", "-f")
            rules = reference.Rules(model, model["classes"])
            with h5py.File(self.path("p.h5")) as f:
                for r in range(30):
                    every = reference.Paths(rules, e[offsets[r]:offsets[r + 1]])
                    c, _ = every.classes()  # all of score 0, in the order of the tie rule
                    if not len(c):
                        continue
                    count = np.array([np.bincount(c[:, t], minlength=k) for t in range(every.length)])
                    at = count[np.arange(every.length), c]
                    got = {s: list(f["paths/" + s][offsets[r]:offsets[r + 1]]) for s in ("posterior", "mea", "posterior-viterbi")}
                    self.assertEqual(got["posterior"], list(count.argmax(axis=1)))
                    self.assertEqual(got["mea"], list(c[at.sum(axis=1).argmax()]))
                    self.assertEqual(got["posterior-viterbi"], list(c[max(range(len(c)), key=lambda i: (int(np.prod(at[i])), -i))]))

    def test_evaluate(self):
        """Paths of others, labels in another file, in another order of classes and recordings."""
        for seed in range(15):
            with self.subTest(seed=seed):
                rng = np.random.default_rng(seed)
                model = random_contract.random_model(rng)
                model.pop("decoding", None)
                n, k = int(rng.integers(1, 8)), len(model["classes"])
                lengths = rng.integers(0, 9, n)
                paths = [rng.integers(0, k, t) if rng.random() < 0.9 else np.full(t, -1) for t in lengths]
                labels = [np.where(rng.random(t) < 0.5, p, rng.integers(-1, k, t)) for t, p in zip(lengths, paths)]
                columns = [str(c) for c in rng.permutation(model["classes"])]
                others = [str(c) for c in rng.permutation(columns)]
                translate = np.array([others.index(c) for c in columns] + [-1])
                with h5py.File(self.path("p.h5"), "w") as f:
                    for i in range(n):
                        f["recordings/n%d/pred" % i] = paths[i].astype(str(rng.choice(["i1", ">i4", "i8"])))
                    f.attrs["classes"] = columns
                order = rng.permutation(n)
                with h5py.File(self.path("l.h5"), "w") as f:
                    f["labels"] = np.concatenate([translate[labels[i]] for i in order]).astype("i2")
                    f["offsets"] = np.concatenate([[0], np.cumsum(lengths[order])])
                    f["ids"] = ["n%d" % i for i in order]
                    f["classes"] = others
                self.write("m.json", json.dumps(model))
                done = self.run_any("evaluate", "p.h5", "--paths", "/recordings/{id}/pred", "--labels", "l.h5", "-m", "m.json", "--json", "-")
                lost = any(len(p) and p[0] < 0 for p in paths)
                self.assertEqual(done.returncode, 3 if lost else 0, done.stderr)
                rules = reference.Rules(model, columns)
                result = json.loads(done.stdout, parse_constant=self.fail)
                (got,) = result["strategies"].values()
                path, truth = np.concatenate(paths), np.concatenate(labels)
                want = reference.agreement(truth[truth >= 0], path[truth >= 0], k)
                self.assertEqual(got["confusion"], want["confusion"], done.stdout)
                for key in ("accuracy", "kappa", "mcc", "macro_f1", "balanced_accuracy", "weighted_f1"):
                    self.same(got, key, want[key], key + done.stdout)
                self.same_counts(got, [reference.transitions(rules, p) for p in paths], done.stdout)
                self.same_counts(result["reference"], [reference.transitions(rules, p) for p in labels], done.stdout)

    def test_exact(self):
        for seed in range(18):
            with self.subTest(seed=seed):
                self.one_case(seed, True)

    def test_inexact(self):
        for seed in range(18):
            with self.subTest(seed=seed):
                self.one_case(seed, False)


if __name__ == "__main__":
    st.main()

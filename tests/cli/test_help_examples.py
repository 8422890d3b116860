"""Every example of every --help runs as it is written, by the shell, in a folder with files of the names that it uses."""
import json
import os
import re
import subprocess

import h5py
import numpy as np

import statepath_test as st

RULES = '{"statepath_model": 1, "name": "door", "classes": ["closed", "open"], "matrix": [[1, 1], [1, 1]]}'


class TestExamples(st.TestCase):
    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(2)
        labels = np.concatenate([np.repeat([0, 1, 2, 3, 2, 4, 0], rng.integers(1, 9, 7)) for _ in range(6)])
        lengths = np.full(6, len(labels) // 6)
        lengths[-1] += len(labels) - lengths.sum()
        offsets, ids = np.r_[0, np.cumsum(lengths)], ["n%d" % n for n in range(6)]
        probs = rng.dirichlet([.4] * 5, len(labels)) + np.eye(5)[labels]
        probs /= probs.sum(1, keepdims=True)
        night = dict(probs=probs, labels=labels, offsets=offsets, ids=ids, before=np.r_[-1, labels[:-1]], classes=st.STAGES)
        for name in ("night", "nights", "new", "old", "other"):
            self.h5(name + ".h5", **night)
        self.h5("moves.h5", logits=rng.normal(size=(9, 4)), mask=np.tile([True, True, False, True], (9, 1)))
        np.savez(self.path("export.npz"), softmax=probs, stage=labels)
        for folder in ("nights", "stages", "labels", "out"):
            os.mkdir(self.path(folder))
        with h5py.File(self.path("others.h5"), "w") as f:
            for n, name in enumerate(ids):
                part = slice(offsets[n], offsets[n + 1])
                f["night/%s/softmax" % name], f["nights/%s/pred" % name] = probs[part], labels[part]
                np.save(self.path("nights/%s.npy" % name), probs[part])
                self.write("labels/%s.txt" % name, "".join("%s\n" % st.STAGES[k] for k in labels[part]))
                self.write("stages/%s.txt" % name, "".join("%s\n" % st.STAGES[k] for k in labels[part]))
        rows = ["%s,%d,%s\n" % (name, t, st.STAGES[labels[offsets[n] + t]]) for n, name in enumerate(ids) for t in range(lengths[n])]
        for name in ("others.csv", "hypnograms.csv"):
            self.write(name, "recording,step,label\n" + "".join(rows))
        self.write("ours.txt", "".join("%d\n" % k for k in labels))
        self.write("true.txt", "".join("%d\n" % [0, 1, 2, 3, 5][k] for k in labels))
        self.write("train.conll", "EU B-ORG\nrejects O\nPeter B-PER\nBlackburn I-PER\n\nGerman B-ORG\n\n")
        self.write("my-rules.json", RULES)
        self.write("config.json", json.dumps({"id2label": {"0": "O", "1": "B-PER", "2": "I-PER", "3": "E-PER", "4": "S-PER"}}))
        np.save(self.path("logits.npy"), rng.normal(size=(4, 5)))
        np.savez(self.path("predictions.npz"), predictions=rng.normal(size=(3, 4, 5)), label_ids=np.where(np.arange(4) < 3, rng.integers(0, 5, (3, 4)), -100))
        self.statepath("model", "new", "bioes", "--types", "PER", "-o", "bio.json", "-q")
        self.write("text.txt", "Ann sings in Nome\n")
        self.write("viterbi_calibration.json", json.dumps({"operating_points": {"default": {"biases": {"transition_bias_background_stay": -0.25}}}}))
        self.statepath("compare", "night.h5", "-m", "sleep-aasm", "-o", "paths.h5", "-q")
        os.mkdir(self.path("datasets"))
        for name in ("sleep-demo", "sleep-signals"):
            with open(os.path.join(st.SOURCE, "datasets", name + ".recipe.json")) as f:
                recipe = dict(json.load(f), recordings=6, steps=20)
            if "signals" in recipe:
                recipe["signals"].update(samples=300, test=2)
            self.write("datasets/%s.recipe.json" % name, json.dumps(recipe))
        os.mkdir(self.path("bin"))
        os.symlink(st.PROGRAM, self.path("bin/statepath"))
        self.write("bin/classifier", "#!/bin/sh\nprintf '.9 .1 0 0 0\\n.1 .8 .1 0 0\\n'\n")
        os.chmod(self.path("bin/classifier"), 0o755)

    def test_each_example_runs(self):
        text = self.statepath("--help", stderr="").stdout
        for command in re.findall(r"^  (\w+)  +", text, re.M):
            example = self.statepath(command, "--help").stdout.split("\nExample:\n")[1].replace("\\\n", "")
            lines = re.findall(r"^  (\S.*)", example, re.M)
            self.assertGreater(len(lines), 0, command)
            for line in lines:
                with self.subTest(line):
                    self.run_line(line)

    def run_line(self, line):
        for output in re.findall(r"-o (\S+\.h5|\S+\.json)", line):  # whoever reads the example has none
            if os.path.exists(self.path(output)):
                os.remove(self.path(output))
        environment = dict(os.environ, PATH=self.path("bin") + ":" + os.environ["PATH"], NO_COLOR="1")
        done = subprocess.run(["bash", "-c", line], cwd=self.folder, env=environment, capture_output=True, text=True, timeout=300)
        self.assertIn(done.returncode, (0, 3), "%s\n%s" % (line, done.stderr))
        if done.returncode == 3:  # done, but greedy met a dead end
            self.assertIn("dead end", done.stderr, line)


st.main()

"""STATEPATH_ISA: the program itself on files of 1 to 70 recordings, a process for each instruction set, all of the same
bytes. That they are right is what tests/kernels proves."""
import re

import statepath_test as st

h5py, np = st.h5py, st.np

RULES = {"Wake": ["Wake", "N1"], "N1": ["Wake", "N1", "N2"], "N2": ["N1", "N2", "N3", "REM"], "N3": ["N2", "N3"], "REM": ["Wake", "N2", "REM"]}
STRATEGIES = "argmax,greedy,beam:3,viterbi,posterior,mea,posterior-viterbi,online:4"
COUNTS = [1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 18, 24, 25, 31, 32, 33, 40, 47, 48, 49, 63, 64, 65, 66, 70]


class TestIsa(st.TestCase):
    def setUp(self):
        super().setUp()
        said = self.statepath("--version", "--verbose", stderr="").stdout
        self.here = re.search(r"this processor has ([a-z0-9, ]+)\)", said).group(1).split(", ")
        self.write("m.json", '{"statepath_model": 1, "name": "m", "classes": %s, "allow": %s}' % (str(st.STAGES).replace("'", '"'), str(RULES).replace("'", '"')))

    def make(self, name, n, dtype, seed):
        draw = np.random.default_rng(seed)
        lengths = draw.integers(0, 60, n)
        lengths[0] = 25
        scores = draw.normal(0, 2, (lengths.sum(), 5)).astype(dtype)
        if seed % 3 == 0:
            scores = np.round(scores * 2).astype(dtype) / dtype(2)  # ties
        self.h5(name, scores=scores, offsets=np.concatenate([[0], np.cumsum(lengths)]), classes=st.STAGES)

    def test_version_names_the_one_in_use(self):
        self.assertEqual(self.here, ["base", "avx2", "avx512"][: len(self.here)])
        for isa in self.here:
            self.statepath("--version", "--verbose", env={"STATEPATH_ISA": isa}, stderr="",
                           stdout="statepath 1.0.0\ninstruction set: %s (this processor has %s)\n" % (isa, ", ".join(self.here)))
        self.statepath("--version", "--verbose", env={"STATEPATH_ISA": ""}, stderr="",
                       stdout="statepath 1.0.0\ninstruction set: %s (this processor has %s)\n" % (self.here[-1], ", ".join(self.here)))

    def test_wrong_values(self):
        self.statepath("model", "list", status=2, stdout="", env={"STATEPATH_ISA": "sse9"},
                       stderr='statepath: STATEPATH_ISA: unknown instruction set "sse9": choose base, avx2 or avx512\n')
        self.statepath("model", "list", status=2, stdout="", env={"STATEPATH_ISA": "plain"},
                       stderr='statepath: STATEPATH_ISA: unknown instruction set "plain": choose base, avx2 or avx512\n')
        for isa in {"base", "avx2", "avx512"} - set(self.here):
            self.statepath("model", "list", status=1, stdout="", env={"STATEPATH_ISA": isa},
                           stderr="statepath: STATEPATH_ISA: this processor does not have the instruction set %s: its best is %s\n" % (isa, self.here[-1]))

    def test_manual_page(self):
        self.assertIn("STATEPATH_ISA", self.statepath("help", "man", stderr="").stdout)

    def decode(self, isa, n, threads):
        """compare with every strategy, and decode with confidence; the outputs without the command line are the bytes compared."""
        environment = {"STATEPATH_ISA": isa}
        self.statepath("compare", "in.h5", "-m", "m.json", "--strategies", STRATEGIES, "-o", "paths.h5", "--json", "r.json", "--force", "--quiet",
                       "--threads", str(threads), env=environment)
        self.statepath("decode", "in.h5", "-m", "m.json", "-s", "mea", "--confidence", "-o", "mea.h5", "--force", "--quiet", "--threads",
                       str(threads), env=environment)
        return {name: self.read(name) for name in ("paths.h5", "mea.h5", "r.json")}

    def test_files_of_1_to_70_recordings(self):
        for i, n in enumerate(COUNTS):
            self.make("in.h5", n, [np.float32, np.float64, np.float16][i % 3], n)
            outputs = {isa: self.decode(isa, n, (1, 2, 7)[(i + k) % 3]) for k, isa in enumerate(self.here)}
            for isa in self.here[1:]:
                for name in outputs[isa]:
                    self.assertEqual(outputs[isa][name], outputs["base"][name], "%s of %d recordings: %s differs from base" % (name, n, isa))


st.main()

"""Archives of numpy and files of MATLAB as users bring them: any names, damaged bytes, sizes that lie."""
import numpy as np

import statepath_test as st

K = 5
MODEL = ["--model", "sleep-aasm"]


class TestArrays(st.TestCase):
    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(7)
        self.a, self.b = rng.dirichlet([.5] * K, 300), rng.dirichlet([.5] * K, 200)

    def decode(self, name, *options):
        self.statepath("decode", name, *MODEL, "--strategy", "viterbi", "-o", "out.npz", "-f", "--quiet", *options)
        return dict(np.load(self.path("out.npz")))

    def same(self, one, other):
        self.assertEqual(one.keys(), other.keys())
        for name in one.keys() - {"input", "command"}:
            self.assertTrue(np.array_equal(one[name], other[name]), name)

    def test_names_from_the_root(self):
        np.savez(self.path("plain.npz"), a=self.a, b=self.b)
        plain = self.decode("plain.npz")
        for root in ("/", "//"):
            np.savez(self.path("rooted.npz"), **{root + "a": self.a, root + "b": self.b})
            self.same(self.decode("rooted.npz"), plain)
            self.same(self.decode("rooted.npz", "--scores", "/{id}", "--kind", "probs"), plain)
            self.statepath("compare", "rooted.npz", *MODEL, "--quiet")
            self.assertIn("recordings  2: a, b", self.statepath("inspect", "rooted.npz").stdout)
        np.savez(self.path("labelled.npz"), **{"/probs": self.a, "/labels": self.a.argmax(1)})
        self.assertIn("labels", self.statepath("inspect", "labelled.npz").stdout)

    def test_names_that_are_none(self):
        np.savez(self.path("twice.npz"), **{"/a": self.a, "a": self.b})
        self.refuses("inspect", "twice.npz", sentence="twice.npz: holds two arrays called a; write it again with one of each name")
        for name in ("", "/"):
            np.savez(self.path("nameless.npz"), **{name: self.a, "b": self.b})
            self.refuses("inspect", "nameless.npz",
                         sentence="nameless.npz: holds an array without a name; write it again with a name for each")


st.main()

"""Names of classes in forms that others write: numbers that count the columns name nothing; label2id is
id2label turned; what is no list of classes is refused with what to type, which is tried."""
import json
import subprocess

import statepath_test as st
from statepath_test import h5py, np

K, T = 5, 30
rng = np.random.default_rng(5)
P = rng.dirichlet(np.ones(K), T)
BEST = [st.STAGES[k] for k in P.argmax(1)]
NUMBERED = ("where these are numbers of its classes in its order, --classes Wake,N1,N2,N3,REM names "
            "them")
TEXTS = ("%s holds float64, but must hold texts; write them with .astype(str), numbers of classes with "
         ".astype(int)")
SUCH = ' is no number and name of a class, such as "0 background"'
AWK = "; the number comes first: awk -F'[[:blank:],:=;]+' '{n = $NF; $NF = \"\"; print n, $0}' OLD > NEW"
TR = "; a blank parts them: tr ',:=;' ' ' < OLD > NEW"
# mapping.txt in other forms, and what is said of its line.
MAPPINGS = {
    "%s %d": '"Wake 0"' + SUCH + AWK, "%s,%d": '"Wake,0"' + SUCH + AWK, "%s\t%d": '"Wake 0"' + SUCH + AWK,
    "{1},{0}": '"0,Wake"' + SUCH + TR, "{1}: {0}": '"0: Wake"' + SUCH + TR, "{1}={0}": '"0=Wake"' + SUCH + TR,
    "{0}": '"Wake"' + SUCH + "; of names alone: nl -v 0 OLD > NEW",
    '"{1}" "{0}"': '""0" "Wake""' + SUCH + "; without quotes: tr -d '\"' < OLD > NEW",
}


class TestClassNames(st.TestCase):
    def decoded(self, file, *options, model="sleep-aasm", status=0):
        done = self.statepath("decode", file, "-m", model, "-s", "argmax", "-o", "p.csv", "-f", *options,
                              status=status)
        lines = self.read("p.csv").decode().splitlines()[1:] if not status else []
        return done.stderr if status else [line.split(",")[2] for line in lines]

    def test_counted(self):
        forms = {"int": np.arange(5), "bytes": np.array([b"%d" % k for k in range(5)]), "decimals": np.array(
            ["%d.0" % k for k in range(5)])}
        for what, names in forms.items():
            with self.subTest(what):
                np.savez(self.path("s.npz"), probs=P, classes=names, labels=P.argmax(1))
                self.assertEqual(self.decoded("s.npz"), BEST)
                with h5py.File(self.path("s.h5"), "w") as f:
                    f["probs"] = P
                    f.attrs["classes"] = names.astype("S") if names.dtype.kind == "U" else names
                self.assertEqual(self.decoded("s.h5"), BEST)
                report = self.results("compare", "s.npz", "-m", "sleep-aasm", "-s", "argmax")
                self.assertEqual(report["strategies"]["argmax"]["accuracy"], 1)
        np.savez(self.path("s.npz"), probs=P, classes=forms["int"])
        self.model("digits.json", "01234")
        self.assertEqual(self.decoded("s.npz", model="digits.json"), ["%d" % k for k in P.argmax(1)])

    def test_other_numbers(self):
        """Numbers that do not count from 0 may be codes: the option says what they are."""
        for names in ([1, 2, 3, 4, 5], [0, 1, 2, 3, 5], list("12345")):
            with self.subTest(names):
                np.savez(self.path("s.npz"), probs=P, classes=names)
                self.refuses("decode", "s.npz", "-m", "sleep-aasm", "-o", "p.h5",
                             sentence='model sleep-aasm has no class "%s": the scores have 5 classes (%s), '
                             "the model 5 (Wake, N1, N2, N3, REM); %s" % (
                                 names[0], ", ".join(map(str, names)), NUMBERED))
                self.assertEqual(self.decoded("s.npz", "--classes", ",".join(st.STAGES)), BEST)
                self.assertEqual(self.decoded("s.npz", "--classes", "REM,N3,N2,N1,Wake"),
                                 [st.STAGES[4 - st.STAGES.index(word)] for word in BEST])

    def test_floats(self):
        self.h5("s.h5", probs=P, classes=np.arange(5.))
        self.assertEqual(self.decoded("s.h5", status=1), "statepath: s.h5: %s\n" % TEXTS % "attribute "
                                                                                           "classes of /")

    def test_label2id(self):
        np.savez(self.path("s.npz"), probs=P)
        number = {word: k for k, word in enumerate(st.STAGES)}
        texts = {word: str(k) for word, k in number.items()}
        for entries in ({"label2id": number}, number, {"label2id": texts}):
            self.write("c.json", json.dumps(entries))
            self.assertEqual(self.decoded("s.npz", "--classes", "c.json"), BEST)
        for entries, said in (({"a": 0, "b": 2}, '"2" is no number of a class; 2 classes are "0" to "1"'),
                              ({"a": 0, "b": 0}, "class 0 is named twice"),
                              ({"a": 0, "b": .5}, '"" is no number of a class; 2 classes are "0" to "1"')):
            self.write("c.json", json.dumps({"label2id": entries}))
            self.refuses("decode", "s.npz", "--classes", "c.json", "-m", "sleep-aasm", "-o", "p.h5",
                         sentence='c.json:1:23: key "label2id": ' + said)
        self.write("c.json", json.dumps(st.STAGES))
        self.refuses("decode", "s.npz", "--classes", "c.json", "-m", "sleep-aasm", "-o", "p.h5",
                     sentence="c.json:1:1: a file of names of classes (a list of them is --classes A,B,C) is "
                              "a JSON "
                              'object, {"key": ...}; this is a list')

    def test_mappings(self):
        np.savez(self.path("s.npz"), probs=P)
        for form, said in MAPPINGS.items():
            with self.subTest(form):
                lines = [form % (word, k) if "%" in form else form.format(word, k)
                         for k, word in enumerate(st.STAGES)]
                self.write("OLD", "".join(line + "\n" for line in lines))
                for words in (["--classes", "OLD", "-m", "sleep-aasm"], ["-m", "./OLD"]):
                    self.refuses("decode", "s.npz", *words, "-o", "p.h5", sentence="%s:1: "
                                                                                   "%s" % (words[1], said))
                command = said.rsplit(": ", 1)[1] if "awk" not in said else said[said.index("awk"):]
                subprocess.run(command, shell=True, cwd=self.folder, check=True)
                self.assertEqual(self.decoded("s.npz", "--classes", "NEW"), BEST)
        for text, said in (("id name\n0 a\n", '1: "id name"' + SUCH + "; names of columns? delete the line"),
                           ("0 a\n# b\n", '2: "# b"' + SUCH + "; a comment? delete the line")):
            self.write("m.txt", text)
            self.refuses("model", "check", "m.txt", sentence="m.txt:" + said)

    def test_folder_of_labels_is_no_recording(self):
        with h5py.File(self.path("s.h5"), "w") as f:
            for n in range(3):
                f["n%d/probs" % n] = P
                f["hyp/n%d" % n] = P.argmax(1)
        report = self.results("compare", "s.h5", "--scores", "/{id}/probs", "--labels", "/hyp/{id}",
                              "-m", "sleep-aasm", "-s", "argmax")
        self.assertEqual((report["input"]["recordings"], report["strategies"]["argmax"]["accuracy"]), (3, 1))
        self.refuses("compare", "s.h5", "--scores", "/{id}/probs", "-m", "sleep-aasm",
                     sentence="s.h5: recording hyp has no dataset /hyp/probs; write it, or take the group "
                              "out of /")


if __name__ == "__main__":
    st.main()

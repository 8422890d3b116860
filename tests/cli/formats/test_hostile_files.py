"""Files made to harm: each is refused with one sentence, quickly, and gives away nothing of other files."""
import json
import os
import resource
import subprocess
import unittest

import h5py
import numpy as np
import statepath_test as st

TEXT = h5py.string_dtype()
MODEL = '{"statepath_model": 1, "classes": ["a", "b", "c"], "allow": {"a": ["a", "b"], "b": ["a", "b", "c"], "c": ["b", "c"]}}'


def probabilities(steps, seed=0):
    return np.random.default_rng(seed).dirichlet([1, 1, 1], steps).astype("f4")


class TestHostile(st.TestCase):
    def setUp(self):
        super().setUp()
        self.write("m.json", MODEL)

    def make(self, name="x.h5", mode="w"):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        return h5py.File(self.path(name), mode, libver="latest" if name.startswith("latest") else None)

    def decode(self, *words, file="x.h5"):
        return ("decode", file, "-m", "m.json", "-o", "p.h5", "-f", "-q") + words

    def sources(self, name="o.h5", **more):
        with self.make(name) as f:
            f["probs"] = probabilities(20)
            for key, values in more.items():
                f[key] = values

    def virtual(self, name, key, sources, steps=20):
        """A virtual dataset whose rows come from [(file, dataset, rows)]."""
        layout, row = h5py.VirtualLayout((steps, 3), dtype="f4"), 0
        for file, dataset, rows in sources:
            layout[row:row + rows] = h5py.VirtualSource(file, dataset, shape=(rows, 3))
            row += rows
        with self.make(name, "a") as f:
            f.create_virtual_dataset(key, layout)

    # ---- chunks ----

    def test_fewer_values_than_the_shape_says(self):
        """HDF5 reads what lies behind the values of a compact dataset that is shorter than its shape, and gives it as numbers."""
        texts = np.array([b"a", b"b", b"c"], "S4")
        for key, values in (("probs", probabilities(20)), ("labels", np.arange(20, dtype="i1") % 3), ("classes", texts)):
            with self.make() as f:
                for name, right in (("probs", probabilities(20)), ("labels", np.zeros(20, "i1")), ("classes", texts)):
                    if name != key:
                        f[name] = right
                how = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
                how.set_layout(h5py.h5d.COMPACT)
                space = h5py.h5s.create_simple(values.shape)
                h5py.h5d.create(f.id, key.encode(), h5py.h5t.py_create(values.dtype), space, how).write(h5py.h5s.ALL, h5py.h5s.ALL, values)
            self.statepath(*self.decode())
            with open(self.path("x.h5"), "rb") as file:
                whole = file.read()
            size, at = values.nbytes, whole.index(values.tobytes())
            self.assertEqual(whole[at - 2:at], size.to_bytes(2, "little"))
            for shorter in (size // 2, size - 1, 0):
                with open(self.path("x.h5"), "wb") as file:
                    file.write(whole[:at - 2] + shorter.to_bytes(2, "little") + whole[at:])
                self.refuses(*self.decode(), sentence="x.h5: dataset /%s holds %d bytes, but its shape and type ask for %d; the file is "
                             "damaged: copy or write it again" % (key, shorter, size))

    def test_chunk_longer_or_shorter_than_it_is(self):
        """HDF5 reads a chunk without filters in the length that the file says into memory of the length it should have."""
        for length in (100000, 20, 401):
            for key in ("probs", "recordings/n1/probs"):
                with self.make() as f:
                    d = f.create_dataset(key, (20, 5), "f4", chunks=(20, 5))
                    d.id.write_direct_chunk((0, 0), b"A" * length)
                place = "/recordings/{id}/probs" if "/" in key else "/probs"
                self.write("m5.json", '{"statepath_model": 1, "classes": ["a", "b", "c", "d", "e"], "forbid": {"a": ["b"]}}')
                sentence = ("x.h5: dataset %s cannot be read (a chunk has fewer values than it should, or more); the file is "
                            "damaged: copy or write it again")
                done = self.statepath("decode", "x.h5", "-m", "m5.json", "-o", "p.h5", "-f", "-q", status=1)
                self.assertIn(done.stderr, ["statepath: " + sentence % p + "\n" for p in (place, "/recordings/n1/probs")])

    def test_chunk_of_small_datasets(self):
        for length in (100000, 8):
            with self.make() as f:
                f["probs"] = probabilities(20)
                d = f.create_dataset("offsets", (3,), "i8", chunks=(3,), maxshape=(None,))
                d.id.write_direct_chunk((0,), b"\0" * length)
            self.refuses(*self.decode(), sentence="x.h5: dataset /offsets cannot be read (a chunk has fewer values than it should, "
                         "or more); the file is damaged: copy or write it again")

    def test_more_steps_than_can_be_counted(self):
        """Chunks that were never written take no room in a file, so it can claim any shape."""
        for name in ("x.h5", "y.h5"):
            with self.make(name) as f:
                for recording in ("n1", "n2") if name == "x.h5" else ("n1",):
                    f.create_dataset("recordings/%s/probs" % recording, (6 * 10 ** 18, 3), "f4", chunks=(20, 3))
        sentence = "%s: its recordings have more steps than can be counted; the file is damaged: copy or write it again"
        self.refuses("inspect", "x.h5", sentence=sentence % "x.h5")
        self.refuses(*self.decode(), sentence=sentence % "x.h5")
        self.refuses("decode", "y.h5", "y.h5", "-m", "m.json", "-o", "p.h5", "-f", "-q", sentence=sentence % "y.h5")

    # ---- links and virtual datasets ----

    def test_links_beside_and_below(self):
        self.sources("o.h5")
        self.sources("below/deep/o.h5")
        for target in ("o.h5", "below/deep/o.h5", self.path("o.h5")):
            with self.make() as f:
                f["probs"] = h5py.ExternalLink(target, "/probs")
                f["offsets"] = [0, 20]
            self.statepath(*self.decode())
            with self.make() as f:
                f["recordings/n1"] = h5py.ExternalLink(target, "/")
            self.statepath(*self.decode())
            os.remove(self.path("x.h5"))
            self.virtual("x.h5", "probs", [(target, "probs", 20)])
            self.statepath(*self.decode())

    def outside(self):
        os.makedirs(self.path("in"), exist_ok=True)
        self.sources("o.h5")
        return (("in", "../o.h5"), ("in", self.path("o.h5")))

    def test_links_outside(self):
        why = "lies outside the folder of this file; put it beside this one, or follow links to anywhere with --allow-external"
        for folder, target in self.outside():
            with self.make("in/x.h5") as f:
                f["probs"] = h5py.ExternalLink(target, "/probs")
            self.refuses(*self.decode(file="in/x.h5"), sentence="in/x.h5: /probs is a link to /probs in the file %s, which %s" % (target, why))
            self.statepath(*self.decode("--allow-external", file="in/x.h5"))
            os.remove(self.path("in/x.h5"))
            self.virtual("in/x.h5", "probs", [(target, "probs", 20)])
            self.refuses(*self.decode(file="in/x.h5"), sentence="in/x.h5: dataset /probs is virtual, and its source probs in the file %s %s" % (target, why))
            self.statepath(*self.decode("--allow-external", file="in/x.h5"))

    def test_link_out_by_a_symbolic_link(self):
        self.outside()
        os.symlink("../o.h5", self.path("in/s.h5"))
        with self.make("in/x.h5") as f:
            f["probs"] = h5py.ExternalLink("s.h5", "/probs")
        done = self.statepath(*self.decode(file="in/x.h5"), status=1)
        self.assertIn("lies outside the folder of this file", done.stderr)

    def test_a_file_reached_by_a_symbolic_link(self):
        """Where it really lies counts."""
        self.sources("there/o.h5")
        with self.make("there/x.h5") as f:
            f["probs"] = h5py.ExternalLink("o.h5", "/probs")
        os.symlink("there/x.h5", self.path("x.h5"))
        self.statepath(*self.decode())

    def test_prefixes_and_the_working_folder_are_not_searched(self):
        self.outside()
        self.sources("in/sub/o.h5")
        environment = {"HDF5_EXT_PREFIX": self.path("in/sub"), "HDF5_VDS_PREFIX": self.path("in/sub")}
        with self.make("in/x.h5") as f:
            f["probs"] = h5py.ExternalLink("o.h5", "/probs")
        self.virtual("in/v.h5", "probs", [("o.h5", "probs", 20)])
        for env in ({}, environment):
            for more in ((), ("--allow-external",)):
                done = self.statepath(*self.decode(*more, file="in/x.h5"), status=1, env=env)
                self.assertIn("cannot be opened; put that file beside this one", done.stderr)
                done = self.statepath(*self.decode(*more, file="in/v.h5"), status=1, env=env)
                self.assertIn("cannot be opened; put that file beside this one", done.stderr)

    def test_fifo(self):
        os.mkfifo(self.path("fifo.h5"))
        with self.make() as f:
            f["probs"] = h5py.ExternalLink("fifo.h5", "/probs")
        for more in ((), ("--allow-external",)):
            self.refuses(*self.decode(*more), sentence="x.h5: /probs is a link to /probs in the file fifo.h5, which is not an ordinary file; "
                         "link to an HDF5 file")
        self.virtual("v.h5", "probs", [("fifo.h5", "probs", 20)])
        self.refuses(*self.decode(file="v.h5"), sentence="v.h5: dataset /probs is virtual, and its source probs in the file fifo.h5 is not an "
                     "ordinary file; link to an HDF5 file")

    def test_external_raw_storage(self):
        """The bytes of another file shall not come back as numbers or names."""
        self.write("secret", "root:x:0:0:secret!" * 20)
        os.mkfifo(self.path("fifo"))
        for target in ("secret", "fifo"):
            for key, values in (("probs", "f4"), ("labels", "i1"), ("ids", "S18"), ("classes", "S18"), ("classes", TEXT)):
                with self.make() as f:
                    for name, right in (("probs", probabilities(20)), ("offsets", [0, 7, 14, 20])):
                        if name != key:
                            f[name] = right
                    shape = {"probs": (20, 3), "labels": (20,)}.get(key, (3,))
                    f.create_dataset(key, shape, values, external=[(self.path(target), 0, h5py.h5f.UNLIMITED)])
                for more in ((), ("--allow-external",)):
                    done = self.statepath(*self.decode(*more), status=1)
                    self.assertRegex(done.stderr, r"^statepath: x\.h5: dataset /%s has (its values outside HDF5 files|texts of variable length in a "
                                     r"compact, virtual or external)" % key)
                    self.assertNotIn("secret!", done.stderr)
        with self.make("o.h5") as f:
            f.create_dataset("probs", (20, 3), "f4", external=[(self.path("fifo"), 0, h5py.h5f.UNLIMITED)])
        self.virtual("v.h5", "probs", [("o.h5", "probs", 20)])
        done = self.statepath(*self.decode(file="v.h5"), status=1)
        self.assertIn("external raw storage", done.stderr)

    def test_virtual_datasets_that_never_end(self):
        self.virtual("x.h5", "probs", [(".", "probs", 20)])
        own = "dataset /probs is virtual and its own source; write it again as an ordinary one"
        self.refuses(*self.decode(), sentence="x.h5: " + own)
        self.virtual("a.h5", "probs", [("b.h5", "probs", 10), ("b.h5", "probs", 10)])
        self.virtual("b.h5", "probs", [("a.h5", "probs", 20)])
        self.refuses(*self.decode(file="a.h5"), sentence="a.h5: " + own)
        with self.make("u.h5") as f:
            layout = h5py.VirtualLayout((20, 3), dtype="f4", maxshape=(None, 3))
            layout[:h5py.h5s.UNLIMITED] = h5py.VirtualSource(".", "probs", shape=(20, 3), maxshape=(None, 3))[:h5py.h5s.UNLIMITED]
            f.create_virtual_dataset("probs", layout)
        self.refuses(*self.decode(file="u.h5"), sentence="u.h5: " + own)
        self.statepath("inspect", "u.h5", status=1)
        with self.make("other.h5") as f:
            f.create_virtual_dataset("other", layout)
        self.statepath("inspect", "other.h5", status=1)

    def test_long_chains(self):
        self.sources("c0.h5")
        for i in range(1, 21):
            self.virtual("c%d.h5" % i, "probs", [("c%d.h5" % (i - 1), "probs", 20)])
        self.statepath(*self.decode(file="c15.h5"))
        done = self.statepath(*self.decode(file="c20.h5"), status=1)
        self.assertIn("more than 16 one behind the other", done.stderr)
        with self.make("l0.h5") as f:
            f["probs"] = probabilities(20)
        for i in range(1, 21):
            with self.make("l%d.h5" % i) as f:
                f["probs"] = h5py.ExternalLink("l%d.h5" % (i - 1), "/probs")
        self.statepath(*self.decode(file="l15.h5"))
        self.statepath(*self.decode(file="l20.h5"), status=1)
        with self.make("cycle.h5") as f:
            f["probs"] = h5py.ExternalLink("cycle.h5", "/probs")
        self.statepath(*self.decode(file="cycle.h5"), status=1)

    def test_sources_that_double(self):
        """Each level has two sources of the level below: 2^15 if they were looked at one by one."""
        self.sources("d0.h5")
        for i in range(1, 15):
            self.virtual("d%d.h5" % i, "probs", [("d%d.h5" % (i - 1), "probs", 10), ("./d%d.h5" % (i - 1), "probs", 10)])
        self.refused_at_once(*self.decode(file="d14.h5"))

    def test_missing_sources_are_not_zeros(self):
        self.sources("o.h5")
        self.virtual("x.h5", "probs", [("o.h5", "probs", 10), ("gone.h5", "probs", 10)])
        self.refuses(*self.decode(), sentence="x.h5: dataset /probs is virtual, and its source probs in the file gone.h5 cannot be opened; put "
                     "that file beside this one")
        self.virtual("y.h5", "probs", [("o.h5", "probs", 10), ("o.h5", "nothing", 10)])
        self.refuses(*self.decode(file="y.h5"), sentence="y.h5: dataset /probs is virtual, and its source nothing in the file o.h5 is not there; "
                     "write it again")

    def test_at_most_64_files(self):
        for i in range(70):
            self.sources("s%d.h5" % i)
        self.virtual("x.h5", "probs", [("s%d.h5" % i, "probs", 1) for i in range(64)], steps=64)
        self.statepath(*self.decode())
        self.virtual("y.h5", "probs", [("s%d.h5" % i, "probs", 1) for i in range(65)], steps=65)
        done = self.statepath(*self.decode(file="y.h5"), status=1)
        self.assertIn("is one file too many: at most 64 that are linked to are open at once", done.stderr)

    def test_group_by_an_external_link_with_its_own_classes(self):
        for variable in (True, False):
            with self.make("o.h5") as f:
                g = f.create_group("g")
                g["probs"] = probabilities(20)
                g.attrs["classes"] = ["a", "b", "c"] if variable else np.array([b"a", b"b", b"c"])
            with self.make() as f:
                f["recordings/n1"] = h5py.ExternalLink("o.h5", "/g")
            self.statepath(*self.decode())
            self.assertIn("attribute classes of /recordings/n1", self.statepath("inspect", "x.h5").stdout)

    # ---- texts of variable length ----

    def test_texts_in_every_storage(self):
        for chunks, compression in ((None, None), ((2,), None), ((2,), "gzip"), ((2,), "lzf")):
            for version in ("x.h5", "latest.h5"):
                with self.make(version) as f:
                    f["probs"] = probabilities(6)
                    f["offsets"] = [0, 2, 4, 6]
                    f.create_dataset("ids", data=["n" * 5000, "", "n\u00e4chte"], dtype=TEXT, chunks=chunks, compression=compression)
                    for i in range(12): # many attributes are kept in another way
                        f.attrs["more%d" % i] = "text %d" % i
                    f.attrs["classes"] = ["a", "b", "c"]
                self.statepath(*self.decode(file=version))
                with h5py.File(self.path("p.h5")) as f:
                    self.assertEqual([i.decode() for i in f["ids"][:]], ["n" * 5000, "", "n\u00e4chte"])
        with self.make() as f:
            f["probs"] = probabilities(6)
            f.create_dataset("classes", (3,), TEXT)
        done = self.statepath(*self.decode(), status=1)
        self.assertIn("are both called ''", done.stderr)

    def test_user_block(self):
        with h5py.File(self.path("x.h5"), "w", userblock_size=1024) as f:
            f["probs"] = probabilities(6)
            f["classes"] = ["a", "b", "c"]
            f.attrs["more"] = "text"
        self.statepath(*self.decode())

    def seed(self, name):
        with self.make(name) as f:
            f["probs"] = probabilities(6)
            f["offsets"] = [0, 2, 4, 6]
            f["labels"] = np.array([0, 1, 2, 0, 1, 2], "i1")
            f["classes"] = ["a", "b", "c"]
            f["ids"] = ["night one", "night two", "night three"]
            f.attrs["classes"] = ["a", "b", "c"]
            f.attrs["made_by"] = "h5py"
            f["probs"].attrs["classes"] = ["a", "b", "c"]

    def test_flipped_bytes(self):
        """Some hundred here, 10,000 with STATEPATH_FLIPS=10000: no crash, no hang."""
        total, rng = int(os.environ.get("STATEPATH_FLIPS", "300")), np.random.default_rng(int(os.environ.get("STATEPATH_SEED", "1")))
        seeds = []
        for name in ("x.h5", "latest.h5"):
            self.seed(name)
            with open(self.path(name), "rb") as f:
                seeds.append(f.read())
        bad = []
        for i in range(total):
            data = bytearray(seeds[i % 2])
            heap = data.find(b"GCOL")
            for _ in range(int(rng.integers(1, 4))):
                at = int(rng.integers(heap, heap + 400)) if rng.random() < 0.5 else int(rng.integers(len(data)))
                data[at] = int(rng.integers(256))
            with open(self.path("flip.h5"), "wb") as f:
                f.write(data)
            for words in (("inspect", "flip.h5"), self.decode(file="flip.h5"))[:1 + (i % 2)]:
                try:
                    done = subprocess.run([st.PROGRAM, *words], cwd=self.folder, capture_output=True, timeout=10)
                    status = done.returncode
                except subprocess.TimeoutExpired:
                    status = "hang"
                if status not in (0, 1, 3):
                    bad.append((i, status, words[0]))
                    kept = os.environ.get("STATEPATH_KEEP")
                    if kept:
                        with open(os.path.join(kept, "flip%d.h5" % i), "wb") as f:
                            f.write(data)
        self.assertEqual(bad, [])

    # ---- too much ----

    def refused_at_once(self, *words):
        """In a minute of the processor: before there were limits these took many."""
        limits = lambda: resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
        done = subprocess.run([st.PROGRAM, *words], cwd=self.folder, capture_output=True, text=True, preexec_fn=limits)
        self.assertEqual(done.returncode, 1, done.stderr)
        return done

    def test_nested_groups(self):
        with self.make() as f:
            g = f
            for _ in range(3000):
                g = g.create_group("g")
            g["x"] = np.zeros((3, 3), "f4")
        self.assertIn("groups within groups", self.refused_at_once("inspect", "x.h5").stderr)

    def test_models(self):
        long_name, many = "x" * 3_000_000, ["c%d" % i for i in range(70000)]
        for model, said in (({"classes": [long_name, "b"], "allow": {long_name: ["b"], "b": [long_name]}}, "a text of more than 1 MiB begins here"),
                            ({"name": long_name, "classes": ["a", "b"], "forbid": {}}, "a text of more than 1 MiB begins here"),
                            ({"classes": many, "forbid": {}}, 'key "classes": 70000 classes; at most 65536 can be read'),
                            ({"classes": many[:20000], "forbid": {}}, 'key "forbid": allows more than 268435456 transitions')):
            self.write("big.json", json.dumps({"statepath_model": 1, **model}))
            self.assertIn(said, self.refused_at_once("model", "check", "big.json").stderr)


st.main()

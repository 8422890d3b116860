"""Archives of numpy and files of MATLAB as users bring them: any names, damaged bytes, sizes that lie."""
import io
import os
import struct
import zipfile
import zlib

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
        self.statepath("decode", name, *MODEL, "--strategies", "viterbi", "-o", "out.npz", "-f", "--quiet", *options)
        return dict(np.load(self.path("out.npz")))

    # ---- damage ----

    def test_flipped_bits_of_stored_arrays(self):
        """Whatever is read of an archive has the bytes that its checksums speak of, also where only a part of it is read."""
        rng = np.random.default_rng(11)
        np.savez(self.path("x.npz"), probs=np.r_[self.a, self.b], labels=rng.integers(0, K, 500), offsets=[0, 300, 500], ids=["n1", "n2"])
        whole = self.read("x.npz")
        commands = [["compare", "x.npz"], ["decode", "x.npz", "-o", "out.h5", "-f"]]
        for name in ("probs", "labels", "offsets", "ids"):
            at = whole.index(name.encode() + b".npy") + 30
            size = zipfile.ZipFile(self.path("x.npz")).getinfo(name + ".npy").file_size
            for n, place in enumerate([at + 2, at + size - 1, *rng.integers(at, at + size, 6)]):
                broken = bytearray(whole)
                broken[place] ^= 1 << int(rng.integers(8))
                with open(self.path("x.npz"), "wb") as out:
                    out.write(broken)
                self.statepath(*commands[n % 2], *MODEL, "-q", status=1, stdout="")
            with open(self.path("x.npz"), "wb") as out:
                out.write(whole)
        broken = bytearray(whole)
        broken[whole.index(b"probs.npy") + 5000] ^= 1
        with open(self.path("x.npz"), "wb") as out:
            out.write(broken)
        self.refuses("decode", "x.npz", *MODEL, "-o", "x.h5",
                     sentence="x.npz: array probs, byte %d: its bytes do not have the checksum that the archive says; the archive is damaged: "
                              "write or copy it again" % (whole.index(b"\x93NUMPY")))
        os.makedirs(self.path("folder"))  # of several files the damaged one is left out, as others that cannot be read
        np.savez(self.path("folder/good.npz"), probs=self.a)
        os.rename(self.path("x.npz"), self.path("folder/bad.npz"))
        self.assertIn("bad.npz", self.statepath("compare", "folder", *MODEL, status=3).stderr)

    # ---- sizes that lie ----

    def archive(self, name, member, n_zeros, level):
        """x.npz with one deflated member, and zeros after it; written in pieces, because this process's memory counts as the program's."""
        with zipfile.ZipFile(self.path(name), "w", zipfile.ZIP_DEFLATED, compresslevel=level) as archive:
            with archive.open("probs.npy", "w") as out:
                out.write(member)
                for _ in range(n_zeros >> 20):
                    out.write(bytes(1 << 20))

    def npy(self, array):
        out = io.BytesIO()
        np.save(out, array)
        return out.getvalue()

    def test_members_that_overlap(self):
        """The same bytes, named by a thousand entries of the directory."""
        one = self.npy(np.full((1 << 17, 5), .2))
        packer = zlib.compressobj(9, zlib.DEFLATED, -15)
        packed = packer.compress(one) + packer.flush()
        local = struct.pack("<4s5H3I2H", b"PK\3\4", 20, 0, 8, 0, 33, zlib.crc32(one), len(packed), len(one), 5, 0) + b"a.npy"
        entries = b"".join(struct.pack("<4s6H3I5H2I", b"PK\1\2", 20, 20, 0, 8, 0, 33, zlib.crc32(one), len(packed), len(one), 8, 0, 0, 0, 0, 0, 0)
                           + b"%04d.npy" % n for n in range(1000))
        end = struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, 1000, 1000, len(entries), len(local + packed), 0)
        with open(self.path("x.npz"), "wb") as out:
            out.write(local + packed + entries + end)
        for command in (["inspect", "x.npz"], ["compare", "x.npz", *MODEL]):
            said, most = self.memory(*command, status=1)
            self.assertEqual(said, "statepath: x.npz: byte %d: a member begins here inside another one; the archive is damaged or cut short: "
                                   "write or copy it again\n" % len(local))
            self.assertLess(most, 64)

    def test_headers_of_large_members(self):
        """A member that unpacks to more than its header speaks of is refused before it is unpacked."""
        rng = np.random.default_rng(2)
        for level in (0, 1, 9):
            self.archive("x.npz", self.npy(self.a), 1 << 28 if level else 1 << 27, level)
            said, most = self.memory("compare", "x.npz", *MODEL, status=1)
            self.assertIn("array probs: its header speaks of float64 [300, 5], 12000 bytes, but ", said)
            self.assertLess(most, 64)
            self.archive("x.npz", b"", 1 << 27, level)
            said, most = self.memory("compare", "x.npz", *MODEL, status=1)
            self.assertIn("array probs has no whole header of numpy", said)
            self.assertLess(most, 64)
            for probs in (rng.dirichlet([.5] * K, 30000), np.full((30000, K), .2)):
                np.savez(self.path("plain.npz"), probs=probs)
                self.archive("x.npz", self.npy(probs), 0, level)
                self.assertEqual(*(self.decode(name)["paths/viterbi"].tolist() for name in ("x.npz", "plain.npz")))

    # ---- MATLAB ----

    def mat5(self, *elements):
        """scipy.io.savemat's form, with sizes of our own: an element is (type, bytes)."""
        with open(self.path("x.mat"), "wb") as out:
            out.write(b"MATLAB 5.0 MAT-file".ljust(124) + struct.pack("<H", 0x100) + b"IM" + b"".join(elements))

    def element(self, kind, data):
        return struct.pack("<II", kind, len(data)) + data + bytes(-len(data) % 8)

    def matrix(self, kind, shape, body, name=b"probs"):
        head = self.element(6, struct.pack("<II", kind, 0)) + self.element(5, struct.pack("<%di" % len(shape), *shape))
        return self.element(14, head + self.element(1, name) + body)

    def packed(self, data):
        data = zlib.compress(data, 9)
        return struct.pack("<II", 15, len(data)) + data

    def test_sizes_of_matrices(self):
        """A small file of MATLAB takes no more memory than its bytes can hold, whatever sizes it speaks of."""
        CELL, CHAR, DOUBLE, UTF8, F8 = 1, 4, 6, 16, 9
        empty = self.element(14, b"")
        letters = self.matrix(CHAR, (1, 1 << 20), self.element(UTF8, b"a" * (1 << 20)), b"")
        letter = self.matrix(CHAR, (1, 1), self.element(UTF8, b"a"), b"")
        for what in ([self.matrix(CHAR, (1 << 28, 1), self.element(UTF8, b"a"), b"x")],
                     [self.matrix(CHAR, (16, 1 << 26), self.element(UTF8, b""), b"x")],
                     [self.matrix(DOUBLE, (1 << 20, 1 << 10), self.element(F8, bytes(64)))],
                     [self.packed(self.matrix(DOUBLE, (1 << 20, 1 << 10), self.element(F8, bytes(1 << 19))))],
                     [self.packed(self.matrix(CELL, (1, 1 << 17), empty * (1 << 17), b"x"))] * 8,
                     [self.packed(self.matrix(CELL, (1, 3001), letter * 3000 + letters, b"x"))],
                     [self.packed(self.matrix(CELL, (1, 1 << 30), empty, b"x"))]):
            self.mat5(*what)
            said, most = self.memory("compare", "x.mat", *MODEL, status=1)
            self.assertIn("statepath: x.mat: ", said)
            self.assertLess(most, 64 + os.path.getsize(self.path("x.mat")) * 1032 / 2 ** 20)

    def test_sizes_of_matrices_in_hdf5(self):
        """The same of version 7.3: values that were never written, one matrix for each of many references."""
        def file(write):
            with st.h5py.File(self.path("x.mat"), "w", userblock_size=512) as f:
                write(f)
            with open(self.path("x.mat"), "r+b") as f:
                f.write(b"MATLAB 7.3 MAT-file".ljust(124) + b"\0\2IM")

        def unwritten(f):
            f.create_dataset("probs", (K, 1 << 25), "f8", chunks=(K, 1 << 16))
            f["probs"].attrs["MATLAB_class"] = np.bytes_("double")

        def shared(f):
            f["#refs#/a"] = np.zeros((K, 3000))
            f["#refs#/a"].attrs["MATLAB_class"] = np.bytes_("double")
            f["probs"] = np.array([[f["#refs#/a"].ref] * 2000], st.h5py.ref_dtype)
            f["probs"].attrs["MATLAB_class"] = np.bytes_("cell")

        for write in (unwritten, shared):
            file(write)
            said, most = self.memory("compare", "x.mat", *MODEL, status=1)
            self.assertIn(" bytes of the file can hold; save it again\n", said)
            self.assertLess(most, 64 + os.path.getsize(self.path("x.mat")) * 1032 / 2 ** 20)


st.main()

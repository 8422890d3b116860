"""Parts in files, taken apart and put together again by the words of lib/parts/container.c, with h5py: to look at one, to edit one."""
import json

import h5py
import numpy as np

MAGIC = b"statepath part 1\n"
LISTS = ["sums", "recordings", "values", "margins", "sequences", "places", "runs", "steps", "run", "origins", "holes", "folds"]


class Reader:
    def __init__(self, block):
        self.block, self.at = block, 0

    def take(self, n):
        self.at += n
        assert self.at <= len(self.block)
        return self.block[self.at - n:self.at]

    def whole(self):
        number, shift = 0, 0
        while True:
            byte = self.take(1)[0]
            number |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return number

    def texts(self):
        return [self.take(self.whole()) for _ in range(self.whole())]

    def signed(self):
        number = self.whole()
        return number >> 1 if number % 2 == 0 else -(number >> 1) - 1


def whole(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def texts(names):
    return whole(len(names)) + b"".join(whole(len(name)) + name for name in names)


def numbers(values):
    if values.dtype.kind == "f":
        return whole(len(values)) + values.astype("<f8").tobytes()
    return whole(len(values)) + b"".join(whole(2 * v if v >= 0 else -2 * v - 1) for v in map(int, values))


def checksum(block):
    total = 14695981039346656037
    for byte in block:
        total = (total ^ byte) * 1099511628211 % 2**64
    return total


def load(part):
    """{"checksum": whole number, "header": text, "ids", "subjects": lists of bytes, and each of LISTS: an array}."""
    with h5py.File(part) as f:
        r = Reader(f["bytes"][:].tobytes())
    assert r.take(len(MAGIC)) == MAGIC
    content = {"checksum": int.from_bytes(r.take(8), "little"), "header": r.take(r.whole()).decode(), "ids": r.texts(), "subjects": r.texts()}
    for name in LISTS:
        n = r.whole()
        content[name] = np.frombuffer(r.take(8 * n), "<f8") if name == "values" else np.array([r.signed() for _ in range(n)], "i8")
    assert r.at == len(r.block)
    return content


def save(part, content, signed=True):
    """Writes what load() gives, edited, with the checksum of what it holds now; signed=False: with the one it came with. A list that is not
    there is left out altogether."""
    header = content["header"].encode()
    block = whole(len(header)) + header + texts(content["ids"]) + texts(content["subjects"])
    block += b"".join(numbers(content[name]) for name in LISTS if name in content)
    said = checksum(block) if signed else content["checksum"]
    with h5py.File(part, "w") as f:
        f.attrs["statepath_part"] = np.int32(2)
        f["bytes"] = np.frombuffer(MAGIC + said.to_bytes(8, "little") + block, "u1")


def edit_header(part, key, value):
    """Changes a member, and leaves the rest of the text as it is."""
    content = load(part)
    member = lambda value: json.dumps({key: value}, separators=(",", ":"), ensure_ascii=False)[1:-1]
    before = member(json.loads(content["header"])[key])
    assert content["header"].count(before) == 1, before
    save(part, dict(content, header=content["header"].replace(before, member(value))))

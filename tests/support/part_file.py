"""Parts in files, edited by h5py: the checksum of one, by the words of lib/pipeline/parts/part_bytes.c, and its header."""
import json

import h5py
import numpy as np

LISTS = ["sums", "recordings", "values", "margins", "sequences", "places", "steps", "run", "origins", "holes", "folds"]


def whole(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return out


def texts(names):
    return whole(len(names)) + b"".join(bytes(whole(len(name))) + name for name in names)


def numbers(values):
    if values.dtype.kind == "f":
        return whole(len(values)) + values.astype("<f8").tobytes()
    return whole(len(values)) + b"".join(bytes(whole(2 * v if v >= 0 else -2 * v - 1)) for v in map(int, values))


def checksum(f):
    header = f["header"][0]
    block = whole(len(header)) + header + texts(list(f["ids"])) + texts(list(f["subjects"]) if "subjects" in f else [])
    total = 14695981039346656037
    for byte in block + b"".join(bytes(numbers(f[name][:])) for name in LISTS):
        total = (total ^ byte) * 1099511628211 % 2**64
    return total


def sign(part):
    """Gives an edited part the checksum of what it holds now."""
    with h5py.File(part, "r+") as f:
        if "checksum" in f:
            del f["checksum"]
        f["checksum"] = np.array([checksum(f)], "u8").view("i8")


def edit_header(part, key, value):
    """Changes a member, and leaves the rest of the text as it is."""
    with h5py.File(part, "r+") as f:
        text = f["header"][0].decode()
        member = lambda value: json.dumps({key: value}, separators=(",", ":"), ensure_ascii=False)[1:-1]
        before = member(json.loads(text)[key])
        assert text.count(before) == 1, before
        del f["header"]
        f["header"] = np.array([text.replace(before, member(value)).encode()])
    sign(part)

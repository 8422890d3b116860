"""What a page holds of a file, as a file of its own: held.py PAGE.html FILE.h5 OUT.h5. FILE.h5 is as `statepath simulate` writes it."""
import json
import re
import sys

import h5py
import numpy as np

page, file, out = sys.argv[1:]
with open(page, encoding="utf-8") as text:
    settings = json.loads(re.search(r'id="what-if-settings"[^>]*>(.*?)</script>', text.read(), re.S).group(1))
held = sorted(settings["recordings"], key=lambda one: one[5])  # in the order of the file
with h5py.File(file) as given, h5py.File(out, "w") as written:
    first = dict(zip((name.decode() for name in given["ids"][:]), given["offsets"][:]))
    stretches = [slice(first[one[0]] + one[4], first[one[0]] + one[4] + one[1]) for one in held]
    for name in ("log_probs", "labels"):
        written[name] = np.concatenate([given[name][stretch] for stretch in stretches])
    written["offsets"] = np.cumsum([0] + [one[1] for one in held])
    written["ids"] = np.array([one[0].encode() for one in held])
    written["classes"] = given["classes"][:]

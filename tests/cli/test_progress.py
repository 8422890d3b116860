"""The line of progress: on a terminal only, only for work that takes longer than half a second, gone when it is done."""
import json
import os
import pty
import re
import select
import subprocess
import time

import statepath_test as st

import numpy as np  # is there where statepath_test goes on

K = 40  # more classes than the fast kernels take
NAMES = ["c%d" % k for k in range(K)]
MODEL = {"statepath_model": 1, "name": "any", "classes": NAMES, "allow": {name: NAMES for name in NAMES}}
DECODE = ["decode", "in.h5", "--model", "any.json", "-s", "mea", "-o", "out.h5", "--threads", "1", "--force"]
LINE = re.compile(r"^([0-9,]+) of ([0-9,]+) steps  +([0-9]+) %  ([0-9]+) s left$")
CLEAR = "\033[K"


class TestProgress(st.TestCase):
    def on_terminal(self, *arguments):
        """Runs the program with a terminal for standard error; what it wrote there."""
        ours, theirs = pty.openpty()
        self.addCleanup(os.close, ours)
        process = subprocess.Popen([st.PROGRAM, *arguments], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=theirs,
                                   stdin=subprocess.DEVNULL, env=dict(os.environ, NO_COLOR="1", LC_ALL="C.UTF-8"))
        os.close(theirs)
        said, end = b"", time.monotonic() + 300
        while time.monotonic() < end:
            if select.select([ours], [], [], 1)[0]:
                try:
                    more = os.read(ours, 65536)
                except OSError:  # nobody writes to the terminal any more
                    break
                said += more
        self.assertEqual(process.wait(timeout=60), 0, said)
        return said.decode().replace("\r\n", "\n")

    def data(self, n_recordings):
        """Recordings of 1,000 steps."""
        self.write("any.json", json.dumps(MODEL))
        self.h5("in.h5", scores=np.zeros((1000 * n_recordings, K), dtype=np.float32), offsets=1000 * np.arange(n_recordings + 1))

    def test_line(self):
        n_recordings = 100
        while True:  # as many as take this machine longer than the line waits
            self.data(n_recordings)
            said = self.on_terminal(*DECODE)
            if "%" in said or n_recordings >= 1600:
                break
            n_recordings *= 4
        parts = said.split("\r")
        self.assertEqual(parts[0], "", said)
        lines, last = parts[1:-1], parts[-1]
        self.assertGreater(len(lines), 0, said)
        self.assertEqual(last, CLEAR + "wrote out.h5\n")  # nothing of the line is left
        before = 0
        for line in lines:
            self.assertTrue(line.endswith(CLEAR), said)
            found = LINE.match(line[:-len(CLEAR)])
            self.assertIsNotNone(found, said)
            done, total = (int(found.group(i).replace(",", "")) for i in (1, 2))
            self.assertEqual(total, 1000 * n_recordings)
            self.assertTrue(before < done <= total, said)
            self.assertEqual(int(found.group(3)), round(100 * done / total))
            before = done
        # Not where nobody watches, and not where it was not wanted.
        self.statepath(*DECODE, stdout="", stderr="wrote out.h5\n")
        self.assertEqual(self.on_terminal(*DECODE, "--quiet"), "")

    def test_quick_work_has_none(self):
        self.data(1)
        said = [self.on_terminal(*DECODE) for _ in range(5)]  # a busy machine may hold one of them up
        self.assertIn("wrote out.h5\n", said)


st.main()

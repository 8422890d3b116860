"""Installing where something is missing: the last lines say what, and how to get it."""
import os
import re
import shutil
import subprocess
import tempfile
import unittest

SOURCE = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))


class Install(unittest.TestCase):
    @unittest.skipUnless(shutil.which("cmake") and shutil.which("pkg-config"), "no cmake or no pkg-config")
    def test_without_jansson(self):
        """As `pip install .` configures, where pkg-config knows no library."""
        with tempfile.TemporaryDirectory() as build:
            made = subprocess.run(["cmake", "-S", SOURCE, "-B", build, "-DSTATEPATH_PYTHON=ON"], capture_output=True, text=True,
                                  env={**os.environ, "PKG_CONFIG_LIBDIR": "/nowhere", "PKG_CONFIG_PATH": ""})  # fmt: skip
        said = re.sub(r"\s+", " ", made.stderr)
        self.assertNotEqual(made.returncode, 0)
        self.assertIn("jansson, a library that reads JSON, is needed to build statepath, and pkg-config, which finds it.", said)
        self.assertIn("apt-get install libjansson-dev pkg-config", said)
        self.assertLess(len(made.stderr.splitlines()), 15)


if __name__ == "__main__":
    unittest.main()

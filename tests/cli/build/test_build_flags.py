"""Whoever builds decides the optimization: CMAKE_C_FLAGS, the CFLAGS of the environment and the flags of a build type reach the compiler as
they are given, and nothing of ours adds an -O, -march or -mtune. Where cmocka is missing the rest can be built. Configures only; compiles
nothing."""
import json
import os
import shlex
import shutil
import subprocess
import sys

import statepath_test as st


class TestBuildFlags(st.TestCase):
    def configure(self, *options, cflags=None):
        environment = {name: value for name, value in os.environ.items() if name not in ("CFLAGS", "CMAKE_BUILD_TYPE")}
        if cflags is not None:
            environment["CFLAGS"] = cflags
        return subprocess.run(["cmake", "-G", "Ninja", "-S", st.SOURCE, "-B", "build", "-DCMAKE_C_COMPILER=" + os.environ.get("CC", "cc"), *options],
                              cwd=self.folder, env=environment, capture_output=True, text=True)

    def commands(self, *options, cflags=None):
        """{source: arguments of its compilation} of a build configured with `options`"""
        done = self.configure("-DSTATEPATH_TESTS=OFF", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", *options, cflags=cflags)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        with open(os.path.join(self.folder, "build", "compile_commands.json"), encoding="utf-8") as f:
            commands = {os.path.relpath(c["file"], st.SOURCE): shlex.split(c["command"]) for c in json.load(f)}
        self.assertGreater(len(commands), 200)
        return commands

    def check(self, commands, flags):
        """Each compilation has `flags` in their order, no other -O, and no -march or -mtune of ours after them."""
        for source, command in commands.items():
            with self.subTest(source=source):
                begin = command.index(flags[0])
                self.assertEqual(command[begin:begin + len(flags)], flags, command)
                self.assertEqual([a for a in command if a.startswith("-O")], [a for a in flags if a.startswith("-O")], command)
                tuned = [a for a in command if a.startswith(("-march", "-mtune", "-mcpu"))]
                self.assertEqual(tuned, [a for a in flags if a.startswith(("-march", "-mtune", "-mcpu"))], command)

    def test_flags_of_a_packager(self):
        self.check(self.commands("-DCMAKE_C_FLAGS=-O2 -g -march=x86-64-v2", "-DCMAKE_BUILD_TYPE=None"), ["-O2", "-g", "-march=x86-64-v2"])

    def test_flags_of_the_environment(self):
        self.check(self.commands("-DCMAKE_BUILD_TYPE=None", cflags="-O2 -g -fstack-protector-strong"), ["-O2", "-g", "-fstack-protector-strong"])

    def test_flags_of_the_release_build(self):
        self.check(self.commands("-DCMAKE_C_FLAGS_RELEASE=-O1 -DNDEBUG", "-DCMAKE_BUILD_TYPE=Release"), ["-O1", "-DNDEBUG"])

    def test_optimized_where_nothing_is_said(self):
        self.check(self.commands(), ["-O3", "-DNDEBUG"])

    def without_cmocka(self):
        """The option of a build whose pkg-config knows all packages but cmocka."""
        self.write("pkg-config", "#!/bin/sh\ncase \"$*\" in *cmocka*) exit 1 ;; esac\nexec %s \"$@\"\n" % shlex.quote(shutil.which("pkg-config")))
        os.chmod(self.path("pkg-config"), 0o755)
        return "-DPKG_CONFIG_EXECUTABLE=" + self.path("pkg-config")

    def test_there_are_no_tests_where_cmocka_is_missing(self):
        done = self.configure(self.without_cmocka())
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertEqual([line for line in done.stdout.splitlines() if "ests" in line],
                         ["-- No tests are built: they need cmocka, which is not installed (Debian, Ubuntu: apt-get install libcmocka-dev)"])
        self.assertFalse(os.path.exists(self.path("build/tests")))

    def test_tests_that_are_asked_for_need_cmocka(self):
        done = self.configure(self.without_cmocka(), "-DSTATEPATH_TESTS=ON")
        self.assertNotEqual(done.returncode, 0)
        said = " ".join(done.stderr.split())
        self.assertIn("STATEPATH_TESTS is ON, but no tests can be built: they need cmocka, which is not installed (Debian, Ubuntu: apt-get install "
                      "libcmocka-dev). Install it, or build with -DSTATEPATH_TESTS=OFF.", said)
        self.assertNotIn("required package", said)


if not shutil.which("cmake") or not shutil.which("ninja"):
    print("skipped: needs cmake and ninja")
    sys.exit(77)
st.main()

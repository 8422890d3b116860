"""Whoever builds decides the optimization: CMAKE_C_FLAGS, the CFLAGS of the environment and the flags of a build type reach the compiler as
they are given, and nothing of ours adds an -O, -march or -mtune. Configures only; compiles nothing."""
import json
import os
import shlex
import shutil
import subprocess
import sys

import statepath_test as st


class TestBuildFlags(st.TestCase):
    def commands(self, *options, cflags=None):
        """{source: arguments of its compilation} of a build configured with `options`"""
        environment = {name: value for name, value in os.environ.items() if name not in ("CFLAGS", "CMAKE_BUILD_TYPE")}
        if cflags is not None:
            environment["CFLAGS"] = cflags
        configure = ["cmake", "-G", "Ninja", "-S", st.SOURCE, "-B", "build", "-DSTATEPATH_TESTS=OFF",
                     "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", "-DCMAKE_C_COMPILER=" + os.environ.get("CC", "cc"), *options]
        done = subprocess.run(configure, cwd=self.folder, env=environment, capture_output=True, text=True)
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


if not shutil.which("cmake") or not shutil.which("ninja"):
    print("skipped: needs cmake and ninja")
    sys.exit(77)
st.main()

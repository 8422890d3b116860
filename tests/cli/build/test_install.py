"""What `cmake --install` puts into an empty folder works there: the program, its manual page, and each library in a project of its own,
found by pkg-config and by CMake's find_package."""
import os
import re
import shlex
import shutil
import subprocess
import sys

import statepath_test as st

BUILD = os.environ["STATEPATH_BUILD"]
CC = os.environ.get("CC", "cc")
FLAGS = shlex.split(os.environ.get("STATEPATH_CFLAGS", ""))
STRICT = ["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]

with open(os.path.join(st.SOURCE, "lib/README.md"), encoding="utf-8") as readme:
    CORE = [f for f in readme.read().split("```")[1::2] if f.startswith("c\n")][0][2:]

# A shipped model from the kit: jansson and GSL are linked for this, HDF5 is not.
KIT = """
#include <stdio.h>
#include <statepath/model_json.h>
#include <statepath/pipeline.h>

int main(void)
{
    sp_error err;
    sp_model *model = NULL;
    if (sp_model_load("sleep-strict", &model, &err)) {
        fprintf(stderr, "%s\\n", err.message);
        return 1;
    }
    printf("%s: %d classes\\n", model->name, (int)model->n_classes);
    sp_model_free(model);
    return 0;
}
"""

# The recordings of a file: HDF5.
IO = """
#include <stdio.h>
#include <statepath-kit.h>

int main(int argc, char **argv)
{
    sp_error err;
    sp_source *source = NULL;
    sp_source_options how = sp_source_options_default();
    if (argc < 2 || sp_source_open(argv[1], &how, &source, &err)) {
        fprintf(stderr, "%s\\n", err.message);
        return 1;
    }
    const sp_source_info *info = sp_source_info_of(source);
    printf("%lld recordings\\n", (long long)info->n_recordings);
    sp_source_close(source);
    return 0;
}
"""

NETWORK = """
#include <stdio.h>
#include <statepath-network/network.h>

int main(void)
{
    sp_error err;
    sp_network *network = NULL;
    const sp_network_shape shape = sp_network_shape_default(2, 300, 5);
    if (sp_network_new(&shape, 1, &network, &err)) {
        fprintf(stderr, "%s\\n", err.message);
        return 1;
    }
    printf("%d classes\\n", (int)network->shape.n_classes);
    sp_network_free(network);
    return 0;
}
"""

PROJECT = """
cmake_minimum_required(VERSION 3.22)
project(consumer LANGUAGES C)
set(CMAKE_C_STANDARD 11)
find_package(statepath 1.0 REQUIRED COMPONENTS %(component)s)
add_executable(consumer consumer.c)
target_link_libraries(consumer PRIVATE statepath::%(component)s)
"""

MODULES = {"core": ("statepath", CORE), "shared": ("statepath-shared", CORE), "kit": ("statepath-kit", KIT), "io": ("statepath-io", IO),
           "network": ("statepath-network", NETWORK)}


class TestInstall(st.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.prefix = os.path.realpath(st.tempfile.mkdtemp(prefix="statepath-install-"))
        cls.addClassCleanup(shutil.rmtree, cls.prefix, ignore_errors=True)
        subprocess.run(["cmake", "--install", BUILD, "--prefix", cls.prefix], check=True, stdout=subprocess.DEVNULL)

    def run_here(self, *command, **more):
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, **more)
        self.assertEqual(done.returncode, 0, "%s\n%s%s" % (" ".join(command), done.stdout, done.stderr))
        return done.stdout

    def check(self, component, program):
        """The program prints what is expected, and needs the shared library if it was linked with it, else not."""
        door = "closed opening open: -1.2\n"
        expected = {"core": door, "shared": door, "kit": "sleep-strict: 5 classes\n", "io": "20 recordings\n", "network": "5 classes\n"}
        arguments = [os.path.join(st.SOURCE, "datasets/sleep-demo.h5")] if component == "io" else []
        there = dict(os.environ, LD_LIBRARY_PATH=os.path.dirname(self.shared_library()))
        self.assertEqual(self.run_here(program, *arguments, env=there), expected[component])
        self.assertEqual("libstatepath.so.1" in self.needed(program), component == "shared")

    def shared_library(self):
        (found,) = [os.path.join(folder, name) for folder, _, names in os.walk(self.prefix) for name in names if name == "libstatepath.so.1"]
        return found

    def needed(self, binary):
        """The shared libraries that a program or library names."""
        return set(re.findall(r"\(NEEDED\).*\[(.*)\]", self.run_here("readelf", "-d", binary)))

    def test_the_program_runs_where_it_was_put(self):
        program = os.path.join(self.prefix, "bin", "statepath")
        self.assertEqual(self.run_here(program, "--version"), "statepath 1.0.0\n")
        self.assertIn("sleep-strict", self.run_here(program, "model", "list"))
        commands = re.findall(r"^  (\w+)  +", self.run_here(program, "--help"), re.M)
        made = {"man/man1/statepath.1": ["man"], "bash-completion/completions/statepath": ["completion", "bash"],
                "zsh/site-functions/_statepath": ["completion", "zsh"], "fish/vendor_completions.d/statepath.fish": ["completion", "fish"]}
        made.update(("man/man1/statepath-%s.1" % command, ["man", command]) for command in commands)
        for name, words in made.items():
            with open(os.path.join(self.prefix, "share", name), encoding="utf-8") as f:
                self.assertEqual(f.read(), self.run_here(program, "help", *words))
        pages = [page for page in os.listdir(os.path.join(self.prefix, "share/man/man1"))]
        self.assertEqual(len(pages), len(commands) + 1)

    def test_nothing_speaks_of_the_place_where_it_was_built(self):
        for folder, _, names in os.walk(self.prefix):
            for name in names:
                if name.endswith((".cmake", ".pc", ".h", ".json")) or "/man" in folder or "completion" in folder or "zsh" in folder:
                    with open(os.path.join(folder, name), encoding="utf-8") as f:
                        self.assertNotIn(st.SOURCE, f.read(), os.path.join(folder, name))

    def test_pkg_config(self):
        if not shutil.which("pkg-config"):
            self.skipTest("no pkg-config")
        found = [os.path.join(folder, "pkgconfig") for folder, names, _ in os.walk(self.prefix) if "pkgconfig" in names]
        environment = dict(os.environ, PKG_CONFIG_PATH=os.pathsep.join(found))
        for component, (package, text) in MODULES.items():
            with self.subTest(package=package):
                self.write("consumer.c", text)
                self.assertEqual(self.run_here("pkg-config", "--modversion", package, env=environment), "1.0.0\n")
                cflags, libs = (shlex.split(self.run_here("pkg-config", what, package, env=environment)) for what in ("--cflags", "--libs"))
                self.run_here(CC, *STRICT, *FLAGS, *cflags, "consumer.c", "-o", "consumer", *libs)
                self.check(component, "./consumer")

    def test_find_package(self):
        for component, (_, text) in MODULES.items():
            with self.subTest(component=component):
                self.write("consumer.c", text)
                self.write("CMakeLists.txt", PROJECT % {"component": component})
                build = "build-" + component
                self.run_here("cmake", "-S", ".", "-B", build, "-DCMAKE_PREFIX_PATH=" + self.prefix, "-DCMAKE_C_COMPILER=" + CC,
                              "-DCMAKE_C_FLAGS=" + " ".join(STRICT[1:] + FLAGS))
                self.run_here("cmake", "--build", build)
                self.check(component, "./%s/consumer" % build)

    def exported(self):
        symbols = [line.split() for line in self.run_here("nm", "-D", "--defined-only", self.shared_library()).splitlines()]
        return {name.split("@")[0] for _, kind, name in symbols if kind != "A"}

    def test_the_shared_library_exports_what_its_headers_declare(self):
        """Declared: what the compiler sees of statepath.h, its bodies and types taken away."""
        include = os.path.join(self.prefix, "include")
        text = self.run_here(CC, "-E", "-P", "-I" + include, os.path.join(include, "statepath.h"))
        while re.search(r"\{[^{}]*\}", text):
            text = re.sub(r"\{[^{}]*\}", ";", text)
        declarations = [d for d in text.split(";") if not re.search(r"\b(static|typedef)\b", d)]
        declared = {name for d in declarations for name in re.findall(r"\b(sp_\w+) *\(", d)[:1]}
        self.assertEqual(self.exported(), declared)
        self.assertGreater(len(declared), 50)

    def test_the_symbols_of_the_debian_package_are_those_of_the_shared_library(self):
        """A function that is new gets a line with the next version in the list; one that goes away, or changes, a new SOVERSION."""
        with open(os.path.join(st.SOURCE, "lib/install/debian/libstatepath1.symbols"), encoding="utf-8") as f:
            listed = re.findall(r"^ (sp_\w+)@STATEPATH_1 \d+[.]\d+[.]\d+$", f.read(), re.M)
        self.assertEqual(listed, sorted(self.exported()))

    def test_the_shared_library_needs_libm_and_threads_only(self):
        allowed = r"lib(c|m|pthread|asan|ubsan|tsan|gcc_s)[.]so.*|ld-linux.*" # the sanitizers' where they are on
        self.assertEqual([name for name in self.needed(self.shared_library()) if not re.fullmatch(allowed, name)], [])
        self.assertIn("[libstatepath.so.1]", self.run_here("readelf", "-d", self.shared_library()))

    def test_the_schema_of_results_is_there(self):
        with open(os.path.join(self.prefix, "share/statepath/statepath-results.schema.json"), encoding="utf-8") as f:
            self.assertEqual(f.read(), self.run_here(os.path.join(self.prefix, "bin/statepath"), "help", "schema"))

    def test_the_module_decodes_in_node(self):
        """share/statepath is a package of its own: wrapper and module."""
        folder, node = os.path.join(self.prefix, "share/statepath"), shutil.which("node") or shutil.which("nodejs")
        if not os.path.exists(os.path.join(folder, "statepath.wasm")):
            self.skipTest("statepath.wasm was not built")
        if not node:
            self.skipTest("no node")
        self.write("decode.mjs", """
import fs from "node:fs";
const folder = process.argv[2], { load } = await import(folder + "/statepath.js");
const statepath = await load(fs.readFileSync(folder + "/statepath.wasm"));
const rules = statepath.rules({ statepath_model: 1, classes: ["closed", "opening", "open"], matrix: [[1, 1, 0], [1, 1, 1], [1, 0, 1]] });
const { path, score, status } = rules.decode([-0.1, -3, -3, -2, -1, -0.7, -3, -3, -0.1]);
console.log(statepath.version, status, [...path].join(" "), score.toFixed(1), rules.countIllegal([0, 2, 2]));
const dead = statepath.rules({ statepath_model: 1, classes: ["a", "b"], forbid: { a: ["b"], b: ["a"] } });
console.log(dead.decode([0, -Infinity, -Infinity, 0]).status, dead.decode([0, -1, -2, -Infinity, -Infinity, 0], "greedy").step);
try {
  dead.decode([0, 0], "best");
} catch (error) {
  console.log(error.message);
}
""")
        self.assertEqual(self.run_here(node, "decode.mjs", folder),
                         "1.0.0 ok 0 1 2 -1.2 1\nno_path 2\nunknown strategy \"best\": choose from argmax, greedy, beam:WIDTH, viterbi, "
                         "posterior, mea, posterior-viterbi, online:LAG\n")

    def test_find_package_names_what_it_does_not_know(self):
        self.write("consumer.c", CORE)
        self.write("CMakeLists.txt", PROJECT % {"component": "python"})
        done = subprocess.run(["cmake", "-S", ".", "-B", "build", "-DCMAKE_PREFIX_PATH=" + self.prefix, "-DCMAKE_C_COMPILER=" + CC],
                              cwd=self.folder, capture_output=True, text=True)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("core, shared, kit, io and network, not python", " ".join(done.stderr.split()))

    def test_headers_in_cxx(self):
        compiler = shutil.which("c++")
        if not compiler:
            self.skipTest("no C++ compiler")
        self.write("consumer.cc", "#include <statepath.h>\n#include <statepath-kit.h>\n#include <statepath-network/train.h>\n"
                                  "#include <statepath-network/weights.h>\n#include <statepath-network/blas.h>\n")
        self.run_here(compiler, "-std=c++11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-I" + os.path.join(self.prefix, "include"), "consumer.cc")


if not shutil.which("cmake"):
    print("skipped: needs cmake")
    sys.exit(77)
st.main()

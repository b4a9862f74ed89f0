#!/usr/bin/env python3
"""The recipes for vcpkg, conda-forge and Flatpak are well-formed, have the current version, and contain every library that the build
needs. They are not built here, see docs/packaging.md. Also tests the bill of materials of a release."""
import importlib.util
import json
import os
import re
import shutil
import tempfile
import unittest
from pathlib import Path

import made

# CMake's package: (port of vcpkg or None, package of conda-forge, module of the Flatpak or None if its SDK contains it)
NAMES = {"imgui": ("imgui", "imgui", "imgui"), "glfw3": ("glfw3", "glfw", "glfw"), "glm": ("glm", "glm", "glm"),
         "nlohmann_json": ("nlohmann-json", "nlohmann_json", "nlohmann_json"), "libzip": ("libzip", "libzip", "libzip"),
         "SQLite3": ("sqlite3", "sqlite", None), "ZLIB": ("zlib", "zlib", None), "LibLZMA": ("liblzma", "liblzma-devel", None),
         "BZip2": ("bzip2", "bzip2", None), "zstd": ("zstd", "zstd", None), "PNG": ("libpng", "libpng", None), "CLI11": ("cli11", "cli11", "CLI11"),
         "httplib": ("cpp-httplib", "cpp-httplib", "cpp-httplib"), "fmt": ("fmt", "fmt", "fmt"), "re2": ("re2", "libre2", "re2"),
         "libseccomp": (None, "libseccomp", "libseccomp"), "Fontconfig": ("fontconfig", "fontconfig", None), "DBus1": ("dbus", "dbus", None), "EGL": ("egl", "libegl-devel", None)}
OF_TESTS = {"GTest": "gtest", "benchmark": "benchmark"}
FOLDER = made.ROOT / "packaging"
FLATPAK = FOLDER / "flatpak" / "io.github.snapviewer.snapviewer.yaml"
NEEDS_YAML = unittest.skipIf(importlib.util.find_spec("yaml") is None, "needs PyYAML")


def parsed(path):
    import yaml
    return yaml.safe_load(path.read_text(encoding="utf-8"))


class Recipes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.version = re.search(r"project\(snapviewer VERSION (\S+)", (made.ROOT / "CMakeLists.txt").read_text()).group(1)

    def test_the_table_has_every_library(self):
        text = (made.ROOT / "third_party" / "CMakeLists.txt").read_text(encoding="utf-8")
        found = set(re.findall(r"^ *snapviewer_find\(third_party::\S+ +(\S+)", text, re.MULTILINE))
        self.assertEqual(found, set(NAMES) | set(OF_TESTS))

    def test_vcpkg(self):
        manifest = json.loads((FOLDER / "vcpkg" / "vcpkg.json").read_text(encoding="utf-8"))
        self.assertEqual(manifest["version"], self.version)
        ports = {each if isinstance(each, str) else each["name"] for each in manifest["dependencies"]}
        self.assertEqual(ports, {port for port, _, _ in NAMES.values() if port} | {"stb"})      # needed by Dear ImGui's fonts
        self.assertEqual(set(manifest["features"]["tests"]["dependencies"]), set(OF_TESTS.values()))

    @NEEDS_YAML
    def test_conda(self):
        recipe = parsed(FOLDER / "conda" / "recipe.yaml")
        self.assertEqual(recipe["context"]["version"], self.version)
        host = set(recipe["requirements"]["host"])
        self.assertLessEqual({package for _, package, _ in NAMES.values()}, host)
        self.assertLessEqual({"glad2", "font-ttf-jetbrains-mono", "font-ttf-opensans"}, host)
        options = re.findall(r"-D(SNAPVIEWER_\w+)=", " ".join(recipe["build"]["script"]))
        self.assertEqual(options, ["SNAPVIEWER_TESTS", "SNAPVIEWER_UI_FONT", "SNAPVIEWER_HEADLINE_FONT", "SNAPVIEWER_CODE_FONT"])

    @unittest.skipIf(importlib.util.find_spec("rattler_build") is None, "needs py-rattler-build")
    def test_rattler_build_renders_it(self):
        import rattler_build
        variants = rattler_build.VariantConfig.from_yaml('python: ["3.10", "3.12"]\nc_stdlib: [sysroot]\nc_stdlib_version: ["2.17"]')
        rendered = rattler_build.Stage0Recipe.from_file(FOLDER / "conda" / "recipe.yaml").render(variants)
        self.assertEqual([variant.recipe.package.version for variant in rendered], [self.version] * 2)

    @NEEDS_YAML
    def test_flatpak(self):
        manifest = parsed(FLATPAK)
        self.assertEqual(manifest["id"], FLATPAK.stem)
        modules = [module["name"] for module in manifest["modules"]]
        self.assertEqual(set(modules), {module for _, _, module in NAMES.values() if module} | {"glad2", "jetbrains-mono", "open-sans", "snapviewer"})
        self.assertEqual(modules[-1], "snapviewer")
        self.assertTrue((FOLDER / manifest["rename-desktop-file"]).exists())
        self.assertIn(f"<id>{manifest['id']}</id>", (FOLDER / f"{manifest['id']}.metainfo.xml").read_text(encoding="utf-8"))
        self.assertTrue((FOLDER / f"{manifest['rename-icon']}.svg").exists())

    @unittest.skipIf(shutil.which("flatpak-builder") is None, "needs flatpak-builder")
    def test_flatpak_builder_reads_it(self):
        with tempfile.TemporaryDirectory() as state:  # the command leaves a folder in its working directory
            shown = json.loads(made.result("env", f"--chdir={state}", "flatpak-builder", "--show-manifest", FLATPAK))
        self.assertEqual(shown["id"], FLATPAK.stem)
        self.assertEqual(len(shown["modules"]), 12)


class BillOfMaterials(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.folder = Path(holder.name)
        cls.files = [cls.make("first"), cls.make("second")]

    @classmethod
    def make(cls, name):
        out = cls.folder / name
        out.mkdir()
        made.result(FOLDER / "sbom.py", out, "1.0.0", "0" * 40, env={**os.environ, "SOURCE_DATE_EPOCH": "1795737600"})
        return {path.name: path.read_bytes() for path in out.iterdir()}

    def test_it_lists_what_is_inside_and_no_tests(self):
        components = json.loads(self.files[0]["snapviewer-1.0.0.cdx.json"])["components"]
        names = {component["name"] for component in components}
        self.assertLessEqual({"Dear ImGui", "SQLite", "libzstd", "JetBrains Mono", "OpenSSL's libcrypto"}, names)
        self.assertFalse(names & {"GoogleTest", "Google Benchmark", "Xlib"})
        sqlite = next(component for component in components if component["name"] == "SQLite")
        self.assertEqual(sqlite["version"], made.result("dpkg-query", "--show", "--showformat=${Version}", "libsqlite3-dev"))
        for component in components:
            self.assertRegex(component["licenses"][0]["expression"], r"^[(A-Z0-9a-z]", component["name"])

    def test_it_is_the_same_again(self):
        self.assertEqual(*self.files)

    @unittest.skipIf(importlib.util.find_spec("cyclonedx") is None, "needs cyclonedx-python-lib[json-validation]")
    def test_it_is_valid(self):
        from cyclonedx.schema import SchemaVersion
        from cyclonedx.validation.json import JsonStrictValidator
        text = self.files[0]["snapviewer-1.0.0.cdx.json"].decode()
        self.assertIsNone(JsonStrictValidator(SchemaVersion.V1_5).validate_str(text))


if __name__ == "__main__":
    unittest.main()

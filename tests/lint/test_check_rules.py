#!/usr/bin/env python3
"""Shows for each rule of check_rules.py that it rejects a violation and accepts valid code."""
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
import check_rules


class Rules(unittest.TestCase):
    def findings(self, path, text):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / path
            file.parent.mkdir(parents=True)
            file.write_text(text, encoding="utf-8")
            return [(line, rule) for _, line, rule, _ in check_rules.check_tree(Path(folder))]

    def test_own_names_differ_within_a_library(self):
        def two(first, second, own):
            with tempfile.TemporaryDirectory() as folder:
                for path in (first, second):
                    file = Path(folder) / path
                    file.parent.mkdir(parents=True, exist_ok=True)
                    file.write_text(f"namespace {{\n\n{own}\n}}  // namespace\n", encoding="utf-8")
                return [(path, line, rule) for path, line, rule, _ in check_rules.check_tree(Path(folder))]

        for own in ("constexpr int k_most = 3;\n", "constexpr std::array<int, 2> k_most = {1,\n                                  2};\n",
                    "struct Row {\n};\n", "class Row final : public Base {\n};\n", "enum class Row { a };\n"):
            with self.subTest(own=own):
                self.assertEqual(two("core/base/a.cpp", "core/trace/b.cpp", own), [("core/trace/b.cpp", 3, "own names")])
                self.assertEqual(two("core/system/posix/a.cpp", "core/system/windows/a.cpp", own), [])
                self.assertEqual(two("core/base/a.cpp", "app/ui/b.cpp", own), [])
                self.assertEqual(two("core/base/a.cpp", "core/capi/b.cpp", own), [])
                self.assertEqual(two("core/query/a.cpp", "core/mesh/b.cpp", own), [])
                self.assertEqual(two("core/query/a.cpp", "core/query/b.cpp", own), [("core/query/b.cpp", 3, "own names")])
                self.assertEqual(two("core/base/a.cpp", "core/trace/b.cpp", f"int f() {{\n    {own}}}\n"), [])
        self.assertEqual(two("core/base/a.cpp", "core/trace/b.cpp", "struct Row;\n"), [])

    def test_own_names_are_not_those_of_headers(self):
        def findings(header, body, path, own):
            with tempfile.TemporaryDirectory() as folder:
                for name, text in ((header, body), (path, f"namespace {{\n\n{own}\n}}  // namespace\n")):
                    file = Path(folder) / name
                    file.parent.mkdir(parents=True, exist_ok=True)
                    file.write_text(text, encoding="utf-8")
                return [(path, line, rule) for path, line, rule, _ in check_rules.check_tree(Path(folder))]

        own = "struct Row {\n};\n"
        for shared in ("/// A row.\nstruct Row {\n};\n", "using Row = int;\n", "enum class Row { a };\n"):
            with self.subTest(shared=shared):
                body = f"\nnamespace snapviewer {{\n{shared}}}  // namespace snapviewer\n"
                self.assertEqual(findings("core/timeline/a.h", body, "core/trace/b.cpp", own), [("core/trace/b.cpp", 3, "own names")])
                self.assertEqual(findings("core/timeline/a.h", body, "app/ui/b.cpp", own), [("app/ui/b.cpp", 3, "own names")])
                self.assertEqual(findings("core/timeline/a.h", body, "core/mesh/b.cpp", own), [])
                self.assertEqual(findings("app/ui/a.h", body, "core/trace/b.cpp", own), [])
                self.assertEqual(findings("core/timeline/a.h", body.replace("snapviewer {", "snapviewer::deeper {"), "core/trace/b.cpp", own), [])
        constant = "inline constexpr int k_most = 3;\n"
        body = f"\nnamespace snapviewer {{\n{constant}}}  // namespace snapviewer\n"
        self.assertEqual(findings("core/timeline/a.h", body, "core/trace/b.cpp", constant[7:]), [("core/trace/b.cpp", 3, "own names")])

    def test_folders_are_namespaces(self):
        def rules(path, *names, body="int f();"):
            return self.findings(path, "\n".join(f"namespace {name} {{\n{body}\n}}  // namespace {name}" for name in names) + "\n")

        declared = "class Row;"
        for path, right, wrongs in (("core/base/a.cpp", "snapviewer", ["snapviewer::query", "snapviewer::render"]),
                                    ("core/system/posix/a.cpp", "snapviewer", ["snapviewer::bytes"]),
                                    ("core/query/a.cpp", "snapviewer::query", ["snapviewer", "snapviewer::mesh"]),
                                    ("core/load/profilers/ascend/a.cpp", "snapviewer::profilers", ["snapviewer", "snapviewer::ascend"]),
                                    ("core/fleet/series/a.cpp", "snapviewer::series", ["snapviewer::fleet"]),
                                    ("render/gl/a.cpp", "snapviewer::render", ["snapviewer", "snapviewer::gl"]),
                                    ("app/main.cpp", "snapviewer", ["snapviewer::cli"]),
                                    ("app/features/session.h", "snapviewer", ["snapviewer::query"]),
                                    ("app/features/table/a.cpp", "snapviewer::table", ["snapviewer", "snapviewer::shell"]),
                                    ("app/serve/a.cpp", "snapviewer::serve", ["snapviewer", "snapviewer::cli"]),
                                    ("tools/bench/a.cpp", "snapviewer::bench", ["snapviewer", "snapviewer::render"])):
            with self.subTest(path=path):
                self.assertEqual(rules(path, right, right + "::inner"), [])
                for wrong in wrongs:
                    self.assertEqual(rules(path, right, wrong), [(4, "namespace")])
                    self.assertEqual(rules(path, wrong, right, body=declared), [])
        self.assertEqual(rules("app/ui/a.cpp", "snapviewer"), [])
        for line in ("int growth();", "std::uint64_t compare(Row row);", "const Row& kinds(int a) {"):
            with self.subTest(line=line):
                self.assertEqual(rules("app/ui/a.cpp", "snapviewer", body=line), [(2, "namespace")])
                self.assertEqual(rules("core/base/a.cpp", "snapviewer", body=line), [(2, "namespace")])
                self.assertEqual(rules("core/query/a.cpp", "snapviewer::query", body=line), [])
        for line in ("int growth_of();", "    int growth();", "return growth(1);"):
            self.assertEqual(rules("app/ui/a.cpp", "snapviewer", body=line.replace("return", "   return")), [])

    def test_types_are_defined_once(self):
        def findings(first, second, one="struct Row {\n};", other="struct Row {\n};"):
            with tempfile.TemporaryDirectory() as folder:
                for path, body in ((first, one), (second, other)):
                    file = Path(folder) / path
                    file.parent.mkdir(parents=True, exist_ok=True)
                    name = check_rules.namespace_of(path)
                    file.write_text(f"namespace {name} {{\n/// A row.\n{body}\n}}  // namespace {name}\n", encoding="utf-8")
                return [(path, rule) for path, _, rule, _ in check_rules.check_tree(Path(folder))]

        twice = [("core/base/b.h", "one definition")]
        self.assertEqual(findings("app/ui/a.h", "core/base/b.h"), twice)
        self.assertEqual(findings("app/ui/a.h", "core/base/b.h", one="class Row final : public Base {\n};", other="enum class Row : int {\n};"), twice)
        self.assertEqual(findings("app/ui/a.h", "core/query/b.h"), [])
        self.assertEqual(findings("app/ui/a.h", "core/base/b.h", one="struct Row;"), [])
        self.assertEqual(findings("app/ui/a.cpp", "core/base/b.h", one="namespace {\nstruct Row {\n};\n}  // namespace"), [])
        self.assertEqual(findings("core/system/posix/a.cpp", "core/system/web/b.cpp"), [])

    def test_json_values_do_not_hide_json(self):
        line = "using nlohmann::json;\n"
        self.assertEqual(self.findings("app/features/a.cpp", line), [(1, "own names")])
        self.assertEqual(self.findings("app/features/a.cpp", "using JsonValue = nlohmann::json;\n"), [])
        self.assertEqual(self.findings("tests/unit/a.cpp", line), [])

    def test_core_includes_core_alone(self):
        self.assertEqual(self.findings("core/mesh/a.cpp", '#include "core/trace/stack_table.h"\n#include <vector>\n'), [])
        self.assertEqual(self.findings("core/mesh/a.cpp", '\n#include "render/framebuffer.h"\n'), [(2, "layers")])
        self.assertEqual(self.findings("core/mesh/a.cpp", '#include "app/shell/window.h"\n'), [(1, "layers")])

    def test_calls_that_have_one_place(self):
        button = 'bool clicked = ImGui::InvisibleButton("x", size);\n'
        self.assertEqual(self.findings("app/ui/a.cpp", button), [(1, "calls")])
        self.assertEqual(self.findings("app/ui/widgets.cpp", button), [])
        self.assertEqual(self.findings("app/ui/a.cpp", 'click_area("x", size);  // as ImGui::InvisibleButton()\n'), [])

    def test_files_are_opened_in_one_place(self):
        for line in ("int file = ::open(path.c_str(), 0);\n", "std::ifstream file(path);\n", 'std::FILE* file = std::fopen(path, "r");\n'):
            self.assertEqual(self.findings("app/ui/a.cpp", line), [(1, "calls")], line)
            self.assertEqual(self.findings("core/system/posix/files.cpp", line), [])
            self.assertEqual(self.findings("tests/unit/a.cpp", line), [])
        self.assertEqual(self.findings("app/ui/a.cpp", "file = SqliteFile::open(path); opener_.open(path);\n"), [])

    def test_calls_of_a_system_lie_in_its_folder(self):
        for header in ("sys/mman.h", "unistd.h", "fcntl.h", "poll.h", "spawn.h", "dlfcn.h", "dirent.h", "signal.h", "csignal", "linux/landlock.h", "windows.h"):
            with self.subTest(header=header):
                line = f"#include <{header}>\n"
                for path in ("core/base/a.cpp", "core/system/a.h", "render/a.cpp", "app/features/a.cpp", "app/system/a.cpp"):
                    self.assertEqual(self.findings(path, line), [(1, "systems")], path)
                for path in ("core/system/posix/a.cpp", "core/system/windows/a.cpp", "app/system/linux/a.cpp", "tests/unit/a.cpp"):
                    self.assertEqual(self.findings(path, line), [], path)
        call = "::setenv(name, value, 0);\n"
        self.assertEqual(self.findings("app/ui/a.cpp", call), [(1, "systems")])
        self.assertEqual(self.findings("core/system/posix/a.cpp", call), [])
        self.assertEqual(self.findings("app/system/a.cpp", "#include <semaphore>\n#include <system_error>\n#include <thread>\n"), [])

    def test_systems_are_told_apart_by_cmake(self):
        for line in ("#ifdef _WIN32\n", "#if defined(__linux__)\n", "#ifndef __APPLE__\n", "constexpr bool k_here = __linux__;\n"):
            with self.subTest(line=line):
                self.assertEqual(self.findings("core/system/a.cpp", line), [(1, "systems")])
                self.assertEqual(self.findings("app/ui/a.h", line), [(1, "systems")])
                self.assertEqual(self.findings("core/system/posix/a.cpp", line), [])
        self.assertEqual(self.findings("core/base/a.cpp", "#if defined(__x86_64__)\n"), [])

    def test_headers_of_a_system_stay_with_it(self):
        line = '#include "core/system/posix/files.h"\n'
        self.assertEqual(self.findings("core/base/a.cpp", line), [(1, "systems")])
        self.assertEqual(self.findings("app/system/posix/a.cpp", line), [(1, "systems")])
        self.assertEqual(self.findings("core/system/linux/a.cpp", line), [])
        self.assertEqual(self.findings("tests/unit/a.cpp", line), [])
        self.assertEqual(self.findings("core/base/a.cpp", '#include "core/system/files.h"\n'), [])

    def test_numbers_are_read_in_one_place(self):
        for line in ("std::from_chars(begin, end, number);\n", "double number = std::stod(text);\n", "double number = std::strtod(text, nullptr);\n"):
            with self.subTest(line=line):
                self.assertEqual(self.findings("core/load/a.cpp", line), [(1, "calls")])
                self.assertEqual(self.findings("core/base/text.cpp", line), [])
                self.assertEqual(self.findings("tests/unit/a.cpp", line), [])

    def test_exceptions_are_caught_at_entry_points(self):
        line = "    } catch (const Failure& failure) {\n"
        for path in ("core/analysis/a.cpp", "core/document/a.cpp", "app/features/files/a.cpp"):
            self.assertEqual(self.findings(path, line), [(1, "catch")])
        for path in ("core/load/a.cpp", "tests/unit/a.cpp"):
            self.assertEqual(self.findings(path, line), [])

    def test_entry_points_have_tests(self):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            (root / "core/base").mkdir(parents=True)
            (root / "tests/unit").mkdir(parents=True)
            (root / "core/base/context.h").write_text("    } catch (const Failure& failure) {\n", encoding="utf-8")
            test = root / "tests/unit/a_test.cpp"
            test.write_text("TEST(Doors, Other) {\n", encoding="utf-8")
            self.assertEqual([(path, rule) for path, _, rule, _ in check_rules.check_tree(root)], [("core/base/context.h", "catch")])
            test.write_text("TEST(Doors, ReturnWhatWorkThrows) {\n", encoding="utf-8")
            self.assertEqual(check_rules.check_tree(root), [])

    def test_order_inside_core(self):
        includes = {folder: f'#include "core/{folder}/a.h"\n' for folder in check_rules.CORE_ORDER}
        for folder, below in check_rules.CORE_ORDER.items():
            for other, line in includes.items():
                with self.subTest(folder=folder, includes=other):
                    allowed = other == folder or other in below
                    self.assertEqual(self.findings(f"core/{folder}/b.cpp", line), [] if allowed else [(1, "core order")])
        self.assertEqual(self.findings("core/load/deeper/b.cpp", includes["timeline"]), [(1, "core order")])
        self.assertEqual(self.findings("core/elsewhere/b.cpp", includes["base"]), [(1, "core order")])

    def test_order_inside_app(self):
        for i, folder in enumerate(check_rules.APP_ORDER):
            for j, other in enumerate(check_rules.APP_ORDER):
                with self.subTest(folder=folder, other=other):
                    is_shared = folder == "features" and other.startswith("features/")
                    is_refused = folder == "shell" and other.startswith("features/")
                    found = self.findings(f"app/{folder}/b.cpp", f'#include "app/{other}/a.h"\n')
                    self.assertEqual(found, [] if (j <= i or is_shared) and not is_refused else [(1, "app order")])
        self.assertEqual(self.findings("app/elsewhere/b.cpp", '#include "app/ui/a.h"\n'), [(1, "app order")])
        self.assertEqual(self.findings("app/main.cpp", '#include "app/cli/a.h"\n'), [])

    def test_a_feature_without_a_place_is_included_by_none(self):
        for folder in check_rules.APP_ORDER:
            with self.subTest(folder=folder):
                is_below = check_rules.APP_ORDER.index(folder) < check_rules.APP_ORDER.index("picture")
                refused = [(1, "app order")]
                self.assertEqual(self.findings("app/features/new/b.cpp", f'#include "app/{folder}/a.h"\n'), [] if is_below else refused)
                is_refused = (is_below and folder != "features") or folder == "shell"
                self.assertEqual(self.findings(f"app/{folder}/b.cpp", '#include "app/features/new/a.h"\n'), refused if is_refused else [])
        self.assertEqual(self.findings("app/features/new/b.cpp", '#include "app/features/other/a.h"\n'), [(1, "app order")])

    def test_the_shell_knows_features_in_one_file(self):
        self.assertEqual(self.findings("app/shell/features.cpp", '#include "app/features/new/a.h"\n'), [])
        self.assertEqual(self.findings("app/shell/panels.cpp", '#include "app/features/session.h"\n'), [])

    def test_plain_logic_does_not_draw(self):
        for name in ("state.h", "growth.cpp", "growth.h", "growth_rows.h", "ui.cpp"):
            self.assertEqual(self.findings(f"app/features/growth/{name}", "#include <imgui.h>\n"), [(1, "plain logic")], name)
        for path in ("app/features/growth/growth_ui.cpp", "app/features/growth/growth_ui.h", "app/ui/table_state.cpp"):
            self.assertEqual(self.findings(path, "#include <imgui.h>\n"), [], path)

    def test_plain_logic_includes_nothing_that_draws(self):
        def findings(texts):
            with tempfile.TemporaryDirectory() as folder:
                for path, text in texts.items():
                    file = Path(folder) / path
                    file.parent.mkdir(parents=True, exist_ok=True)
                    file.write_text(text, encoding="utf-8")
                return [(path, line, rule) for path, line, rule, _ in check_rules.check_tree(Path(folder))]

        state = {"app/features/growth/state.h": '#include <string>\n\n#include "app/ui/tooltip.h"\n', "app/ui/tooltip.h": '#include "app/ui/theme.h"\n'}
        self.assertEqual(findings(state | {"app/ui/theme.h": "#include <imgui.h>\n"}), [("app/features/growth/state.h", 3, "plain logic")])
        self.assertEqual(findings(state | {"app/ui/theme.h": '#include "app/ui/tooltip.h"\n'}), [])

    def test_order_inside_core_has_no_circle(self):
        for folder, below in check_rules.CORE_ORDER.items():
            for other in below:
                self.assertNotIn(folder, check_rules.CORE_ORDER[other], f"{folder} and {other} include each other")

    def test_render_does_not_reach_up(self):
        self.assertEqual(self.findings("render/a.cpp", '#include "core/mesh/mesh.h"\n#include <glad/gl.h>\n'), [])
        self.assertEqual(self.findings("render/a.cpp", '#include "app/shell/window.h"\n'), [(1, "layers")])

    def test_nothing_includes_tools(self):
        self.assertEqual(self.findings("tools/bench/a.cpp", '#include "app/shell/window.h"\n#include "tools/bench/b.h"\n'), [])
        self.assertEqual(self.findings("tools/bench/a.cpp", '#include "tests/bench/b.h"\n'), [(1, "layers")])
        for layer in ("core/base", "render", "app/cli"):
            self.assertEqual(self.findings(f"{layer}/a.cpp", '#include "tools/bench/b.h"\n'), [(1, "layers")])

    def test_unit_tests_need_core_alone(self):
        self.assertEqual(self.findings("tests/unit/a.cpp", '#include "render/framebuffer.h"\n'), [(1, "layers")])
        self.assertEqual(self.findings("tests/golden/a.cpp", '#include "render/framebuffer.h"\n'), [])

    def test_third_party_headers_stay_with_their_owners(self):
        for header, allowed, refused in [
                ("sqlite3.h", "core/sqlite/a.cpp", "core/load/a.cpp"), ("zip.h", "core/load/a.cpp", "app/a.cpp"),
                ("zlib.h", "core/load/a.cpp", "render/a.cpp"), ("lzma.h", "core/load/a.cpp", "core/exports/a.cpp"),
                ("bzlib.h", "core/load/a.cpp", "app/a.cpp"), ("zstd.h", "core/load/a.cpp", "core/base/a.cpp"),
                ("nlohmann/json.hpp", "core/load/a.cpp", "render/a.cpp"),
                ("png.h", "render/a.cpp", "app/a.cpp"), ("GLFW/glfw3.h", "app/a.cpp", "render/a.cpp"),
                ("imgui.h", "app/a.cpp", "render/a.cpp"), ("glad/gl.h", "render/a.cpp", "core/mesh/a.cpp"),
                ("CLI/CLI.hpp", "app/a.cpp", "core/base/a.cpp"), ("EGL/egl.h", "app/system/linux/a.cpp", "app/a.cpp"), ("seccomp.h", "core/system/linux/a.cpp", "core/base/a.cpp"),
                ("glm/glm.hpp", "render/a.cpp", "core/mesh/a.cpp"), ("gtest/gtest.h", "tests/unit/a.cpp", "core/a.cpp"),
                ("X11/Xlib.h", "tests/gui/a.cpp", "app/a.cpp"), ("fmt/format.h", "core/base/a.cpp", "shaders/a.cpp")]:
            with self.subTest(header=header):
                self.assertEqual(self.findings(allowed, f"#include <{header}>\n"), [])
                self.assertEqual(self.findings(refused, f"#include <{header}>\n"), [(1, "headers")])
        self.assertEqual(self.findings("render/a.cpp", "#include <GL/gl.h>\n"), [(1, "headers")])

    def test_window_names_stay_out(self):
        self.assertEqual(self.findings("core/a.cpp", "GLuint buffer = 0;\n"), [(1, "layers")])
        self.assertEqual(self.findings("core/a.cpp", "glBindBuffer(1, 2);\n"), [(1, "layers")])
        self.assertEqual(self.findings("render/a.cpp", "GLuint buffer = 0;\n"), [])
        self.assertEqual(self.findings("render/a.cpp", "ImGui::Text(name);\n"), [(1, "layers")])
        self.assertEqual(self.findings("core/a.cpp", "int global = 0;  // ImGui draws it\n"), [])

    def test_length(self):
        for path in ["app/a.cpp", "app/a.h", "scripts/a.py", "scripts/a.sh", "tests/unit/a.cpp"]:
            with self.subTest(path=path):
                self.assertEqual(self.findings(path, "\n" * 600), [])
                self.assertEqual(self.findings(path, "\n" * 601), [(601, "length")])
        self.assertEqual(self.findings("docs/a.md", "\n" * 601), [])

    def test_oracles_are_kept_as_they_were_written(self):
        text = "\n" * 600 + "open('/ho" "me/someone/f') \n"
        self.assertEqual(self.findings("tests/oracles/a.py", text), [])
        self.assertEqual(self.findings("tests/a.py", text), [(601, "length"), (601, "white space"), (601, "paths")])
        self.assertEqual(self.findings("tests/oracles/a.py", f"x = 1  # {'TO' 'DO'}\n"), [(1, "left-over")])

    def test_left_overs(self):
        for word in ["TO" + "DO", "FIX" + "ME"]:
            self.assertEqual(self.findings("app/a.cpp", f"int x;  // {word} later\n"), [(1, "left-over")])
        self.assertEqual(self.findings("app/a.cpp", "int todos;\n"), [])

    def test_white_space(self):
        self.assertEqual(self.findings("app/a.cpp", "\tint x;\n"), [(1, "white space")])
        self.assertEqual(self.findings("app/a.cpp", "int x; \n"), [(1, "white space")])
        self.assertEqual(self.findings("app/a.cpp", "int x;"), [(1, "white space")])

    def test_paths_of_one_machine(self):
        for folder in ["home/someone", "tmp/x", "root/x", "Users/someone"]:
            self.assertEqual(self.findings("app/a.cpp", f'open("/{folder}/f");\n'), [(1, "paths")])
        self.assertEqual(self.findings("app/a.cpp", 'open("/usr/share/fonts/x.ttf"); open("core/tmp/x");\n'), [])
        self.assertEqual(self.findings("app/a.h", '// "/home' '/me/train.py"\n'), [])

    def test_headers_say_what_a_type_gives(self):
        self.assertEqual(self.findings("core/a.h", "struct A {\n};\n"), [(1, "documentation")])
        self.assertEqual(self.findings("render/a.h", "\nclass A final : public B {\n};\n"), [(2, "documentation")])
        self.assertEqual(self.findings("core/a.h", "/// What it is.\ntemplate <typename T>\nclass [[nodiscard]] A {\n};\n"), [])
        self.assertEqual(self.findings("core/a.h", "struct Declared;\n"), [])
        self.assertEqual(self.findings("app/a.h", "struct A {\n};\n"), [])

    def test_the_list_of_what_is_not_emulated_stays_short(self):
        path, line = "packaging/arm64/not_emulated.txt", "Sandbox\\..*: the emulator has no filter of system calls\n"
        self.assertEqual(self.findings(path, "# Why\n" + line), [])
        self.assertEqual(self.findings(path, line * 26), [(26, "emulator")])
        self.assertEqual(self.findings(path, "Sandbox\\..*\n"), [(1, "emulator")])
        self.assertEqual(self.findings(path, "Sandbox\\..*: fails\n"), [(1, "emulator")])
        self.assertEqual(self.findings("docs/not_emulated.txt", line * 26), [])

    def test_build_folders_are_not_looked_at(self):
        self.assertEqual(self.findings("build/release/a.cpp", "\tint x;\n"), [])


if __name__ == "__main__":
    unittest.main()

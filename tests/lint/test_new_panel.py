#!/usr/bin/env python3
"""Adds a panel to a copy of app/ as CONTRIBUTING.md says, and has the compiler read the files that it touches.

    test_new_panel.py --compiler CXX --includes DIR:DIR:...

Fails when the manual names other files than the ones that are needed, or when what it says does not compile.
"""
import argparse
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NAME = "sample"

HEADER = '''#pragma once

#include <string>

#include "app/state/requests.h"

namespace snapviewer {

struct SampleState {
    std::string note;
};

void draw_sample_view(SampleState& state, bool& is_open, Requests& requests);

}  // namespace snapviewer
'''
SOURCE = '''#include "app/views/sample_view.h"

#include <imgui.h>

namespace snapviewer {

void draw_sample_view(SampleState& state, bool& is_open, Requests& requests) {
    if (!is_open) return;
    if (ImGui::Begin("Sample", &is_open)) {
        ImGui::TextUnformatted(state.note.c_str());
        if (ImGui::Button("Fit")) requests.ask(Command::fit);
    }
    ImGui::End();
}

}  // namespace snapviewer
'''
INCLUDE = '#include "app/views/sample_view.h"\n'
# File -> what it becomes, given what it is; None for a new file.
EDITS = {
    "app/views/sample_view.h": lambda text: HEADER,
    "app/views/sample_view.cpp": lambda text: SOURCE,
    "app/state/app_state.h": lambda text: after(
        after(text, '#include "app/views/query_pane.h"\n', INCLUDE),
        "    bool show_about = false;\n", "    bool show_sample = false;\n    SampleState sample;\n"),
    "app/window/panels.cpp": lambda text: after(
        after(text, '#include "app/views/offer_banner.h"\n', INCLUDE),
        "    draw_about_window\\(state_.show_about\\);\n",
        "    draw_sample_view(state_.sample, state_.show_sample, requests_);\n"),
    "app/state/actions.cpp": lambda text: after(
        text, '    all.push_back\\({"help_about",[^;]*;\n',
        '    all.push_back({"help_sample", Menu::help, "Sample", "", OpenWindow{&AppState::show_sample}, always});\n'),
}


def after(text, pattern, addition):
    """`text` with an addition behind the first place that matches."""
    found = re.search(pattern, text)
    if not found:
        raise AssertionError(f"nothing like {pattern!r} any more")
    return text[:found.end()] + addition + text[found.end():]


def listed_files():
    manual = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = manual.split("## A new panel", 1)[1].split("\n## ", 1)[0]
    return re.findall(r"^\d+\. `([^`]+)`", section, re.MULTILINE)


class NewPanel(unittest.TestCase):
    def test_the_manual_names_every_file(self):
        self.assertEqual([name.replace("NAME", NAME) for name in listed_files()], list(EDITS))

    def test_what_the_manual_says_compiles(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(ROOT / "app", Path(folder) / "app")
            for name, edit in EDITS.items():
                path = Path(folder) / name
                path.write_text(edit(path.read_text(encoding="utf-8") if path.exists() else None), encoding="utf-8")
            for name in filter(lambda name: name.endswith(".cpp"), EDITS):
                # The copy comes before the tree that it was made of.
                command = [OPTIONS.compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", f"-I{folder}",
                           '-DSNAPVIEWER_VERSION="0"']
                command += [f"-idirafter{include}" for include in OPTIONS.includes.split(":") if include]
                compiled = subprocess.run([*command, str(Path(folder) / name)], capture_output=True, text=True)
                self.assertEqual(compiled.returncode, 0, compiled.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--includes", required=True)
    OPTIONS = parser.parse_args()
    unittest.main(argv=["test_new_panel.py"])

#!/usr/bin/env python3
"""Adds a panel to a copy of app/ as CONTRIBUTING.md says, and has the compiler read the files that it touches.

    test_new_panel.py --compiler CXX --includes DIR:DIR:...

Fails when the manual names other files than the ones that are needed, or when what it says does not compile.
"""
import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
import check_rules

ROOT = Path(__file__).resolve().parents[2]
NAME = "sample"

HEADER = '''#pragma once

#include <string>

#include "app/features/app_state.h"
#include "app/ui/feature.h"

namespace snapviewer {

class SampleWindow : public Feature {
public:
    explicit SampleWindow(const AppState& state) : state_(state) {}

    void connect(Switchboard& board) override;
    void draw(Requests& requests) override;

private:
    const AppState& state_;
    bool is_open_ = false;
};

}  // namespace snapviewer
'''
SOURCE = '''#include "app/features/sample/sample.h"

#include <imgui.h>

namespace snapviewer {

void SampleWindow::connect(Switchboard& board) {
    board.commands.add(
        {.id = "help_sample", .menu = Menu::help, .place = 120, .words = "Sample", .run = [this] { is_open_ = true; }});
}

void SampleWindow::draw(Requests& requests) {
    if (!is_open_) return;
    if (ImGui::Begin("Sample", &is_open_)) {
        ImGui::TextUnformatted(state_.document ? state_.document->path.c_str() : "No file open");
        if (ImGui::Button("All of the picture")) requests.ask(RunCommand{"view_fit"});
    }
    ImGui::End();
}

}  // namespace snapviewer
'''
# File -> what it becomes, given what it is; None for a new file.
EDITS = {
    "app/features/sample/sample.h": lambda text: HEADER,
    "app/features/sample/sample_ui.cpp": lambda text: SOURCE,
    "app/shell/application.cpp": lambda text: after(
        after(text, '#include "app/features/reports/[^\n]*\n|#include "app/features/query/[^\n]*\n', '#include "app/features/sample/sample.h"\n'),
        r"    put_up<PictureSaver>\(state_.*\n", "    put_up<SampleWindow>(state_);\n"),
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


def add_panel(folder):
    """Edits a copy of app/ as the manual says."""
    shutil.copytree(ROOT / "app", folder / "app")
    for name, edit in EDITS.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(edit(path.read_text(encoding="utf-8") if path.exists() else None), encoding="utf-8")


class NewPanel(unittest.TestCase):
    def test_the_manual_names_every_file(self):
        self.assertEqual([name.replace("NAME", NAME) for name in listed_files()], list(EDITS))

    def test_what_the_manual_says_compiles(self):
        with tempfile.TemporaryDirectory() as folder:
            add_panel(Path(folder))
            for name in filter(lambda name: name.endswith(".cpp"), EDITS):
                # The copy comes before the tree that it was made of.
                command = [OPTIONS.compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", f"-I{folder}",
                           '-DSNAPVIEWER_VERSION="0"']
                command += [f"-idirafter{include}" for include in OPTIONS.includes.split(":") if include]
                compiled = subprocess.run([*command, str(Path(folder) / name)], capture_output=True, text=True)
                self.assertEqual(compiled.returncode, 0, compiled.stderr)

    def test_what_the_manual_says_keeps_the_rules(self):
        with tempfile.TemporaryDirectory() as folder:
            add_panel(Path(folder))
            self.assertEqual(check_rules.check_tree(Path(folder)), [])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--includes", required=True)
    OPTIONS = parser.parse_args()
    unittest.main(argv=["test_new_panel.py"])

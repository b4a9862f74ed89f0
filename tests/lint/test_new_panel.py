#!/usr/bin/env python3
"""Adds a window and a docked page to a copy of app/ as CONTRIBUTING.md describes, and compiles the changed files.

    test_new_panel.py --compiler CXX --includes DIR:DIR:...

Fails if the manual names other files than the needed ones, or if the result does not compile.
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
NAMES = ["sample_page", "sample_window"]

HEADER = '''#pragma once

#include <string>

#include "app/features/session.h"
#include "app/ui/feature.h"

namespace snapviewer::NAME {

class CLASS : public Feature {
public:
    explicit CLASS(const Session& session) : session_(session) {}

    void connect(Switchboard& board) override;

private:
    void draw(Requests& requests);

    const Session& session_;
    bool is_open_ = false;
};

}  // namespace snapviewer::NAME
'''
PAGE = '''#include <imgui.h>

#include "app/features/sample_page/sample_page.h"

namespace snapviewer::NAME {

void SamplePage::connect(Switchboard& board) {
    board.docked.push_back({.dock = Dock::page,
                            .id = "sample",
                            .command = CommandId::page_sample,
                            .draw = [this](const Area& /*area*/, Requests& requests) { draw(requests); }});
}

void SamplePage::draw(Requests& requests) {
    ImGui::TextUnformatted(session_.document->path.c_str());
    if (ImGui::Button("All of the picture")) requests.ask(RunCommand{CommandId::view_fit});
}

}  // namespace snapviewer::NAME
'''
WINDOW = '''#include <imgui.h>

#include "app/features/sample_window/sample_window.h"

namespace snapviewer::NAME {

void SampleWindow::connect(Switchboard& board) {
    board.docked.push_back(
        {.dock = Dock::window,
         .command = CommandId::tools_sample,
         .is_open = &is_open_,
         .draw = [this](const Area& /*area*/, Requests& requests) { draw(requests); }});
}

void SampleWindow::draw(Requests& requests) {
    if (!is_open_) return;
    if (ImGui::Begin("Sample", &is_open_)) {
        ImGui::TextUnformatted(session_.document ? session_.document->path.c_str() : "No file open");
        if (ImGui::Button("All of the picture")) requests.ask(RunCommand{CommandId::view_fit});
    }
    ImGui::End();
}

}  // namespace snapviewer::NAME
'''
# Name -> the class and the source of the feature, its command, the command above it in the menu, and the rest of the command's row.
FEATURES = {"sample_page": ("SamplePage", PAGE, "page_sample", "page_allocation", 'Menu::panels, "Sample", "example"'),
            "sample_window": ("SampleWindow", WINDOW, "tools_sample", "tools_stack_rules", 'Menu::panels, "Sample…"')}


def edits_for(name):
    """Returns for each file a function that edits its text; the text is None for a new file."""
    type_name, source, command, above, row = FEATURES[name]
    return {
        "app/ui/commands.h": lambda text: after(text, rf"    {above},\n", f"    {command},\n"),
        "app/ui/commands.cpp": lambda text: after(text, rf"\{{{above}, .*\}},\n", f'         {{{command}, "{command}", {row}}},\n'),
        f"app/features/{name}/{name}.h": lambda text: HEADER.replace("CLASS", type_name).replace("NAME", name),
        f"app/features/{name}/{name}_ui.cpp": lambda text: source.replace("NAME", name),
        "app/shell/features.cpp": lambda text: after(
            after(text, '#include "app/features/query/[^\n]*\n', f'#include "app/features/{name}/{name}.h"\n'),
            r"    add<table::AllocationList>\(session_.*\n", f"    add<{name}::{type_name}>(session_);\n"),
    }


def after(text, pattern, addition):
    """Returns `text` with an addition after the first match of a pattern."""
    found = re.search(pattern, text)
    if not found:
        raise AssertionError(f"nothing like {pattern!r} any more")
    return text[:found.end()] + addition + text[found.end():]


def listed_files():
    manual = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = manual.split("## A new window or page", 1)[1].split("\n## ", 1)[0]
    return re.findall(r"^\d+\. `([^`]+)`", section, re.MULTILINE)


def add_features(folder):
    """Edits a copy of app/ as the manual says, and returns the edited files."""
    shutil.copytree(ROOT / "app", folder / "app")
    edited = {}
    for feature in NAMES:
        for name, edit in edits_for(feature).items():
            path = folder / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(edit(path.read_text(encoding="utf-8") if path.exists() else None), encoding="utf-8")
            edited[name] = path
    return edited


class NewPanel(unittest.TestCase):
    def test_the_manual_names_every_file(self):
        for feature in NAMES:
            self.assertEqual([name.replace("NAME", feature) for name in listed_files()], list(edits_for(feature)))

    def test_what_the_manual_says_compiles(self):
        with tempfile.TemporaryDirectory() as folder:
            for path in add_features(Path(folder)).values():
                if path.suffix != ".cpp":
                    continue
                # The edited copy precedes the original tree in the include path.
                command = [OPTIONS.compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", f"-I{folder}",
                           '-DSNAPVIEWER_VERSION="0"']
                command += [f"-idirafter{include}" for include in OPTIONS.includes.split(":") if include]
                compiled = subprocess.run([*command, str(path)], capture_output=True, text=True)
                self.assertEqual(compiled.returncode, 0, compiled.stderr)

    def test_what_the_manual_says_keeps_the_rules(self):
        with tempfile.TemporaryDirectory() as folder:
            add_features(Path(folder))
            self.assertEqual(check_rules.check_tree(Path(folder)), [])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--includes", required=True)
    OPTIONS = parser.parse_args()
    unittest.main(argv=["test_new_panel.py"])

"""The stack of the selected allocation: the program's own lines first, with source code, and a command that opens an editor."""
import os
import pickle
import stat
import unittest
from collections import Counter

from driver import SAMPLE, WindowTest, window_only

OWN = "/workspace/minigpt/"


def sample_allocs():
    """Returns (index among the events, event) for each alloc."""
    trace = pickle.loads(SAMPLE.read_bytes())["device_traces"][0]
    return [(i, event) for i, event in enumerate(trace) if event["action"] == "alloc"]


def key_of(event):
    return tuple((frame["filename"], frame["line"], frame["name"]) for frame in event["frames"])


def is_own(frame):
    return frame["filename"].startswith(OWN)


def expected_rows(frames):
    """Folds frames by the program's default rules, computed from the file alone."""
    rows = []
    for frame in frames:
        if is_own(frame):
            rows.append(f"{frame['filename']}:{frame['line']}:{frame['name']}")
        elif rows and isinstance(rows[-1], int):
            rows[-1] += 1
        else:
            rows.append(1)
    return [f"fold {row}" if isinstance(row, int) else row for row in rows]


class Stacks(WindowTest):
    def setUp(self):
        super().setUp()
        self.allocs = sample_allocs()
        # The first alloc whose stack has own lines before and after others.
        self.number, event = next((i, e) for i, e in self.allocs if len(expected_rows(e["frames"])) >= 8
                                  and any(f["filename"].endswith("model.py") for f in e["frames"]))
        self.frames = event["frames"]

    def select(self, window):
        """Selects by a query, whose rows lead to allocations."""
        window.answer(f"SELECT id FROM allocations WHERE alloc_event = {self.number}")
        window.click("query_row_0")
        return window.wait("its stack", lambda s: s["stack"] and s["stack"]["frames"] == len(self.frames))

    def first_own(self):
        return next(i for i, frame in enumerate(self.frames) if is_own(frame))

    def give(self, window, rect, key, text):
        window.click(rect)
        window.key("ctrl+a", "Delete")
        for i, line in enumerate(text.split("\n")):
            if i:
                window.key("Return")
            window.type(line)
        window.wait("the text", lambda s: s["stack_rules"][key] == text)

    def open_rules(self, window):
        window.click("menu_panels")
        window.click("menu_tools_stack_rules")
        window.wait("the window of rules", lambda s: s.get("stack_rules"))

    def use(self, window):
        window.click("stack_rules_use")
        window.wait("no window of rules", lambda s: "stack_rules" not in s)

    def test_own_lines_stand_alone_and_a_click_shows_the_others(self):
        window = self.open_on_start(SAMPLE)
        state = self.select(window)
        self.assertEqual(state["stack"]["rows"], expected_rows(self.frames))
        own = self.frames[self.first_own()]
        self.assertEqual(state["stack"]["headline"], f"{own['filename']}:{own['line']}:{own['name']}")
        self.assertNotIn("frame_0", state["rects"])
        window.click("folded_0")
        window.wait("the frames of the run", lambda s: s["rects"]["frame_0"] and s["stack"]["opened"] == 1)
        window.click("folded_0")
        window.wait("none of them", lambda s: "frame_0" not in s["rects"])

    def test_all_of_the_stack_stand_out(self):
        window = self.open_on_start(SAMPLE)
        state = self.select(window)
        same = Counter(key_of(event) for _, event in self.allocs)[tuple(key_of({"frames": self.frames}))]
        self.assertEqual(state["stack"]["same"], same)
        window.click("details_same_stack")
        window.wait("all of them", lambda s: s["search"]["hits"] == same)

    def test_rules_are_edited_tried_and_remembered(self):
        window = self.open_on_start(SAMPLE)
        self.select(window)
        self.open_rules(window)
        self.give(window, "stack_rules_text", "rules", "hide me")
        window.click("stack_rules_use")
        window.wait("what is wrong with it", lambda s: "Line 1" in s["stack_rules"]["error"])
        self.give(window, "stack_rules_text", "rules", "fold minigpt\nimportant site-packages")
        self.use(window)
        important = next(f for f in self.frames if "site-packages" in f["filename"])
        wanted = f"{important['filename']}:{important['line']}:{important['name']}"
        state = window.wait("the other headline", lambda s: s["stack"]["headline"] == wanted)
        self.assertFalse([row for row in state["stack"]["rows"] if row.startswith(OWN)])
        self.assertEqual(window.close(), 0)
        again = self.open_on_start(SAMPLE)
        self.assertEqual(self.select(again)["stack"]["headline"], wanted)

    def make_sources(self):
        """Writes a copy of the program in another folder, in which each line contains its number."""
        sources = self.folder / "my sources"
        for name in {frame["filename"] for frame in self.frames if is_own(frame)}:
            path = sources / os.path.relpath(name, OWN)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("".join(f"    line = {i}  # of {path.name}\n" for i in range(1, 400)), encoding="utf-8")
        return sources

    def make_editor(self):
        """Writes an editor that records its arguments."""
        editor = self.folder / "an editor"
        editor.write_text('#!/bin/sh\nfor each in "$@"; do printf "%s\\n" "$each" >> "$0.told.part"; done\n'
                          'mv "$0.told.part" "$0.told"\n', encoding="utf-8")
        editor.chmod(editor.stat().st_mode | stat.S_IXUSR)
        return editor

    def double_click_frame(self, window, frame, what, condition):
        window.point_at(f"frame_{frame}")
        window.press_button()
        window.fresh()
        return window.double_click(what, condition)

    @window_only("a page can read no sources and start no editor")
    def test_a_frame_shows_its_source_and_opens_in_the_editor(self):
        sources, editor = self.make_sources(), self.make_editor()
        window = self.open_on_start(SAMPLE)
        self.assertEqual(set(self.select(window)["stack"]["sources"]), {""}, "there are none here")
        own = self.first_own()
        self.double_click_frame(window, own, "the question which editor", lambda s: s.get("stack_rules"))
        self.give(window, "stack_rules_editor", "editor", "vim")
        window.click("stack_rules_use")
        window.wait("what is missing", lambda s: "{file}" in s["stack_rules"]["error"])
        self.give(window, "stack_rules_editor", "editor", f"'{editor}' --at {{line}} '{{file}}; $(touch oops)'")
        self.give(window, "stack_rules_folders", "folders", f"{OWN}={sources}")
        self.use(window)
        state = window.wait("the sources", lambda s: any(s["stack"]["sources"]))
        for frame, source in zip(self.frames, state["stack"]["sources"]):
            name = os.path.basename(frame["filename"])
            self.assertEqual(source, f"line = {frame['line']}  # of {name}" if is_own(frame) else "")
        told = editor.with_name("an editor.told")
        self.double_click_frame(window, own, "the editor", lambda s: told.exists() and "editor" in s["said"])
        path = sources / os.path.relpath(self.frames[own]["filename"], OWN)
        self.assertEqual(told.read_text(encoding="utf-8").splitlines(),
                         ["--at", str(self.frames[own]["line"]), f"{path}; $(touch oops)"])
        self.assertFalse((self.folder / "oops").exists())

    def test_calls_that_repeat_stand_once(self):
        frame = {"filename": "/me/tree.py", "line": 7, "name": "walk"}
        frames = [{"filename": "/me/tree.py", "line": 3, "name": "leaf"}] + 12 * [frame] + \
            [{"filename": "/me/tree.py", "line": 20, "name": "main"}]
        trace = [{"action": "alloc", "addr": 1 << 20, "size": 1 << 20, "stream": 0, "frames": frames}]
        path = self.folder / "tree.pickle"
        path.write_bytes(pickle.dumps({"segments": [], "device_traces": [trace]}))
        window = self.open_on_start(path)
        state = window.state()
        window.click_on_canvas(state["timeline"], state["timeline"]["view"][1] / 2, 1 << 19)
        state = window.wait("the stack", lambda s: s["stack"])
        self.assertEqual(state["stack"]["rows"], ["/me/tree.py:3:leaf", "x 12", "/me/tree.py:7:walk", "/me/tree.py:20:main"])
        self.assertNotIn("frame_12", state["rects"])
        window.click("repeat_1")
        window.wait("each of them", lambda s: s["rects"]["frame_12"])


if __name__ == "__main__":
    unittest.main()

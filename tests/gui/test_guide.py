"""Makes the pictures of docs/guide.md, with the keys and clicks that the guide describes for each scene.

The pictures are written to a folder of the build, or with SNAPVIEWER_WRITE_DOCS=1 to docs/images.
"""
import json
import os
import pickle
import re
import struct
import unittest
import zlib
from pathlib import Path

from driver import FAILURES, SAMPLE, WindowTest

DOCS = SAMPLE.parents[1] / "docs"
IS_WRITING = bool(os.environ.get("SNAPVIEWER_WRITE_DOCS"))
FOLDER = DOCS / "images" if IS_WRITING else FAILURES.parent / "guide"
WIDTH, HEIGHT = 1360, 850
MIN_COLOURS = 100  # the picture of a window with content has hundreds


def write_png(path, rows, width, height):
    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    pixels = zlib.compress(b"".join(b"\0" + row for row in rows), 9)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) +
                     chunk(b"IDAT", pixels) + chunk(b"IEND", b""))


class Guide(WindowTest):
    def open_sample(self):
        window = self.start(SAMPLE)
        window.xdotool("windowsize", window.window_id, WIDTH, HEIGHT)
        window.wait_drawn(SAMPLE)
        window.wait("the findings", lambda s: s["findings"]["state"] == "ready")
        return window

    def save(self, window, name, hides_tooltip=True):
        """Saves the window's picture once nothing moves in it."""
        if hides_tooltip:
            window.point(WIDTH - 80, HEIGHT - 10)
        state = window.fresh()
        for _ in range(20):
            before, state = state, window.fresh()
            if {**before, "frames": 0} == {**state, "frames": 0}:
                break
        rows = [row[:3 * WIDTH] for row in self.display.screen()[2][:HEIGHT]]
        colours = {row[at:at + 3] for row in rows for at in range(0, 3 * WIDTH, 3)}
        self.assertGreater(len(colours), MIN_COLOURS)
        FOLDER.mkdir(parents=True, exist_ok=True)
        write_png(FOLDER / f"guide-{name}.png", rows, WIDTH, HEIGHT)

    def inside(self, state, across, up):
        left, top, right, bottom = state["timeline"]["canvas"]
        return left + across * (right - left), bottom - up * (bottom - top)

    def test_opened(self):
        self.save(self.open_sample(), "opened")

    def test_a_finding(self):
        window = self.open_sample()
        window.click("finding_1")
        window.wait("what it is about", lambda s: s["search"] and s["findings"]["chosen"] == 1)
        self.save(window, "finding")

    def test_an_allocation(self):
        window = self.open_sample()
        window.click_at(*self.inside(window.state(), 0.6, 0.1))
        window.wait("the allocation", lambda s: s["timeline"]["selected"])
        self.save(window, "allocation", hides_tooltip=False)

    def test_a_ruler(self):
        window = self.open_sample()
        state = window.state()
        window.point(*self.inside(state, 0.05, 0.5))
        window.xdotool("keydown", "ctrl")
        window.drag(*self.inside(state, 0.05, 0.5), *self.inside(state, 0.3, 0.7))
        window.xdotool("keyup", "ctrl")
        window.wait("the ruler", lambda s: s["ruler"])
        self.save(window, "ruler")

    def test_a_search(self):
        window = self.open_sample()
        window.key("ctrl+f")
        window.wait("the search", lambda s: s["search"] and s["rects"]["search_field"])
        window.fresh()
        window.type("model.py > 100 MiB")
        window.wait("hits", lambda s: s["search"]["text"] == "model.py > 100 MiB" and s["search"]["hits"])
        window.key("Return")
        window.wait("the first hit", lambda s: s["timeline"]["selected"])
        self.save(window, "search")

    def test_growth(self):
        window = self.open_sample()
        window.click("tab_growth")
        window.wait("the rows", lambda s: s["growth"] and s["growth"]["rows"])
        self.save(window, "growth")

    def test_a_flame_graph(self):
        window = self.open_sample()
        window.key("g")
        window.wait("the flame graph", lambda s: s["icicle"] and s["icicle"]["shown"] == "flame graph")
        self.save(window, "flame")

    def test_an_address_map(self):
        window = self.open_sample()
        window.key("m")
        window.wait("the map", lambda s: s["address_map"] and s["address_map"]["lines"] > 0)
        window.point(*self.inside(window.fresh(), 0.8, 0.3))
        self.save(window, "map", hides_tooltip=False)

    def test_a_table(self):
        window = self.open_sample()
        window.key("ctrl+l")
        window.wait("the table", lambda s: s["table"] and s["table"]["rows"])
        self.save(window, "table")

    def test_a_query(self):
        window = self.open_sample()
        window.answer("SELECT kind, count(*) AS allocations, sum(size) AS bytes FROM kinds JOIN allocations "
                      "ON kinds.allocation_id = allocations.id GROUP BY kind ORDER BY bytes DESC")
        self.save(window, "query")

    def test_queries(self):
        folder = self.folder / "config" / "snapviewer"
        folder.mkdir(parents=True)
        (folder / "settings.json").write_text(json.dumps({
            "query_fraction": 0.42,
            "saved_queries": ["-- Largest of each kind\nSELECT kind, max(size) AS largest, count(*) AS allocations\nFROM kinds "
                              "JOIN allocations ON kinds.allocation_id = allocations.id\nGROUP BY kind"],
            "query_history": ["SELECT size, count(*) FROM allocations GROUP BY size ORDER BY size DESC",
                              "SELECT * FROM markers WHERE kind = 'oom'"]}), encoding="utf-8")
        window = self.open_sample()
        window.open_query_pane()
        window.click("query_input")
        window.key("ctrl+a")
        window.type("SELECT human(size) AS size, origin -- of one kind")
        window.key("Return")
        window.type("FROM allocations WHERE size > 4096 AND alloc_step < :step")
        window.wait("the cards", lambda s: s["query"]["cards"] and "card_0" in s["rects"] and "parameter_step" in s["rects"])
        self.save(window, "queries")

    def test_tables(self):
        window = self.open_sample()
        window.answer("SELECT count(*), human(sum(size)) FROM allocations WHERE alloc_step <= :step")
        window.click("query_tables")
        window.click("schema_open_allocations")
        window.rect("schema_allocations_id")
        window.click("query_input")
        window.key("Home")
        self.save(window, "tables")

    def ask_for_chart(self, window, sql):
        window.answer(sql)
        window.click("query_as_chart")
        return window.wait("the chart", lambda s: s["rects"]["query_chart"])

    def test_a_chart(self):
        window = self.open_sample()
        self.ask_for_chart(window, "SELECT s.top_frame, sum(a.size) AS bytes FROM allocations a JOIN stacks s ON s.id = a.stack_id "
                                   "GROUP BY 1 ORDER BY 2 DESC LIMIT 8")
        left, top, right, bottom = window.rect("query_chart")
        window.point(left + 0.19 * (right - left), top + 0.7 * (bottom - top))
        window.wait("its values", lambda s: s["query"]["chart"]["hovered"])
        self.save(window, "chart", hides_tooltip=False)

    def test_a_track_of_a_query(self):
        window = self.open_sample()
        window.answer("SELECT alloc_step AS step, sum(size) OVER (ORDER BY alloc_step) AS made_bytes FROM allocations")
        window.click("query_as_track")
        window.wait("the track", lambda s: s["overlays"]["query_tracks"] and s["rects"]["track_made_bytes"])
        left, top, right, bottom = window.rect("track_made_bytes")
        window.point(left + 0.6 * (right - left), (top + bottom) / 2)
        window.wait("its value", lambda s: "tooltip" in s["rects"])
        self.save(window, "track", hides_tooltip=False)

    def test_what_if(self):
        window = self.open_sample()
        window.key("ctrl+p")
        window.wait("the palette", lambda s: s["palette"])
        window.type("what if")
        window.wait("the command", lambda s: s["palette"]["typed"] == "what if" and s["palette"]["first_matches"])
        window.key("Return")
        window.wait("all that is tried", lambda s: s["what_if"]["tried"] and not s["what_if"]["status"])
        self.save(window, "what-if")

    def test_a_box(self):
        window = self.open_sample()
        state = window.fresh()
        window.point(*self.inside(state, 0.55, 0.95))
        window.xdotool("mousedown", 3)
        window.fresh()
        window.point(*self.inside(state, 0.7, 0.6))
        window.point(*self.inside(state, 0.8, 0.45))
        self.save(window, "box", hides_tooltip=False)
        window.xdotool("mouseup", 3)

    def test_the_palette(self):
        window = self.open_sample()
        window.key("ctrl+p")
        window.wait("the palette", lambda s: s["palette"] and s["palette"]["has_stacks"])
        window.type("peak")
        window.wait("what fits", lambda s: s["palette"]["typed"] == "peak" and s["palette"]["first_matches"])
        self.save(window, "palette")

    def test_what_is_alive(self):
        window = self.open_sample()
        window.click("tab_live")
        window.wait("the list", lambda s: s["live"] and "live_row_0" in s["rects"])
        window.click("live_row_0")
        window.wait("all that this line made", lambda s: s["search"] and s["search"]["hits"])
        self.save(window, "live")

    def test_colours_by_kind(self):
        window = self.open_sample()
        window.click("menu_picture")
        window.click("menu_colour")
        window.click("menu_colour_Kind")
        window.wait("the legend", lambda s: any(group["bytes"] for group in s["overlays"]["groups"]))
        self.save(window, "kinds")

    def test_a_note(self):
        window = self.open_sample()
        window.point(*self.inside(window.fresh(), 0.42, 0.35))
        window.key("k")
        window.wait("the window of a note", lambda s: s["notes"]["edited"] is not None and "note_text" in s["rects"])
        window.fresh()
        window.type("logits of the whole batch: chunk the loss")
        window.key("Return")
        window.wait("the note", lambda s: s["notes"]["list"] and s["notes"]["edited"] is None)
        window.point_at("note_0")
        window.wait("its text", lambda s: "tooltip" in s["rects"])
        self.save(window, "note", hides_tooltip=False)

    def test_a_picture_is_saved(self):
        window = self.open_sample()
        window.key("ctrl+s")
        window.click("save_picture_svg")
        window.click("save_picture_path")
        window.key("ctrl+a")
        window.type("/home/me/oom.svg")
        self.save(window, "save")

    def without_the_leak(self):
        """Writes the sample without its leak: it lacks the leaked allocations and the out-of-memory error."""
        run = pickle.loads(SAMPLE.read_bytes())

        def is_leak(frames):
            return any((frame["name"], frame["line"]) == ("GPT.forward", 179) for frame in frames or ())
        trace = run["device_traces"][0]
        freed = {event["addr"]: at for at, event in enumerate(trace) if event["action"] == "free_completed"}
        run["device_traces"][0] = [event for at, event in enumerate(trace) if event["action"] != "oom" and not (
            event["action"] == "alloc" and is_leak(event["frames"]) and freed.get(event["addr"], -1) < at)]
        for block in (block for segment in run["segments"] for block in segment["blocks"]):
            if block["state"] == "active_allocated" and is_leak(block.get("frames")):
                block["state"] = "inactive"
        path = self.folder / "mended.pickle"
        path.write_bytes(pickle.dumps(run))
        return path

    def test_a_comparison(self):
        window = self.open_sample()
        window.key("ctrl+shift+o")
        window.choose_file(self.without_the_leak())
        window.wait("the comparison", lambda s: s["compare"] and s["compare"]["shown"] and not s["compare"]["status"]
                    and s["compare"]["pictures"])
        window.click("compare_row_0")
        window.wait("what it is about", lambda s: s["compare"]["chosen"])
        self.save(window, "compare")

    def test_two_files(self):
        window = self.open_sample()
        path = self.without_the_leak()
        window.key("ctrl+t")
        window.choose_file(path)
        window.wait_drawn(path)
        window.wait("the findings", lambda s: s["findings"]["state"] == "ready")
        self.save(window, "tabs")

    def test_the_guide_shows_these_pictures_and_no_others(self):
        shown = set(re.findall(r"\(images/guide-([a-z-]+)\.png\)", (DOCS / "guide.md").read_text(encoding="utf-8")))
        made = set(re.findall(r'self\.save\([^"\n]*, "([a-z-]+)"[,)]', Path(__file__).read_text(encoding="utf-8")))
        self.assertEqual(shown, made)
        for name in shown:
            head = (DOCS / "images" / f"guide-{name}.png").read_bytes()[:24]
            self.assertEqual(struct.unpack(">II", head[16:24]), (WIDTH, HEIGHT))


if __name__ == "__main__":
    unittest.main()

"""Results of queries as charts, and as tracks below the picture."""
import reference
from driver import SAMPLE, WindowTest


class Charts(WindowTest):
    may_remain = frozenset({"query", "query_history"})

    def show_chart(self, window, sql):
        query = window.answer(sql)
        self.assertEqual(query["chart"]["why_not"], "")
        if not query["chart"]["is_shown"]:
            window.click("query_as_chart")
        return window.wait("the chart", lambda s: s["query"]["chart"]["is_shown"] and s["rects"]["query_chart"])

    def test_a_line_tells_its_values(self):
        sizes, _ = reference.allocations(SAMPLE)
        window = self.open(SAMPLE)
        sql = "SELECT id, size FROM allocations"
        chart = self.show_chart(window, sql)["query"]["chart"]
        self.assertFalse(chart["has_bars"])
        self.assertEqual(chart["points"], len(sizes))
        left, top, right, bottom = window.rect("query_chart")
        self.assertGreater(self.display.colours_in(left + 2, top + 2, right - 2, bottom - 2), 3, "something is drawn")
        window.point(left + 1, (top + bottom) / 2)
        hovered = window.wait("the values", lambda s: s["query"]["chart"]["hovered"])["query"]["chart"]["hovered"]
        place, value = hovered.split("\n")
        self.assertLess(int(place), len(sizes) / 50, "near the left edge")
        wanted = int(window.answer(f"SELECT size FROM allocations WHERE id = {place}")["first_rows"][0][0])
        number, unit = value.removeprefix("size  ").split()
        self.assertAlmostEqual(float(number) * 1024 ** ("B", "KiB", "MiB", "GiB").index(unit), wanted, delta=wanted * 0.06)
        window.answer(sql)
        window.click("query_as_table")
        window.wait("the rows", lambda s: "query_chart" not in s["rects"] and not s["query"]["chart"]["is_shown"])

    def test_text_is_bars(self):
        window = self.open(SAMPLE)
        chart = self.show_chart(window, "SELECT 'a', 3 AS n UNION ALL SELECT 'b', 5 UNION ALL SELECT 'c', 4")["query"]["chart"]
        self.assertTrue(chart["has_bars"])
        left, top, right, bottom = window.rect("query_chart")
        for place, (name, number) in enumerate((("a", 3), ("b", 5), ("c", 4))):
            window.point(left + (place + 0.5) * (right - left) / 3, bottom - 3)
            window.wait(name, lambda s: s["query"]["chart"]["hovered"] == f"{name}\nn  {number}")

    def test_what_has_no_chart_says_why(self):
        window = self.open(SAMPLE)
        query = window.answer("SELECT id, size, device, stream FROM allocations")
        self.assertIn("two or three columns", query["chart"]["why_not"])
        window.click("query_as_chart")
        state = window.fresh()
        self.assertFalse(state["query"]["chart"]["is_shown"])
        self.assertIn("query_row_0", state["rects"])
        self.assertIn("needs steps as its first column", window.answer("SELECT size, count(*) FROM allocations GROUP BY size")["chart"]["why_no_track"])

    def test_a_hundred_thousand_rows_cost_no_more_than_the_pixels(self):
        window = self.open(SAMPLE)
        self.show_chart(window, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100000) SELECT i, i * 7919 % 1000 FROM n")
        window.fresh()
        dense = min(window.fresh()["frame_ms"] for _ in range(8))
        few = self.show_chart(window, "SELECT 1, 2 UNION SELECT 2, 3")
        self.assertTrue(few["query"]["chart"]["has_bars"])
        window.fresh()
        plain = min(window.fresh()["frame_ms"] for _ in range(8))
        print(f"{dense:.0f} ms with 100,000 points, {plain:.0f} ms with two")
        self.assertLess(dense, plain + 60)

    def add_track(self, window, sql):
        window.answer(sql)
        before = len(window.state()["overlays"]["query_tracks"])
        window.click("query_as_track")
        return window.wait("the track", lambda s: len(s["overlays"]["query_tracks"]) == before + 1)

    def test_a_track_below_the_picture(self):
        sizes, _ = reference.allocations(SAMPLE)
        window = self.open(SAMPLE)
        # Computed in another way: the database adds up the live bytes after each allocation.
        sql = ("SELECT alloc_step AS step, sum(size) OVER (ORDER BY alloc_step ROWS UNBOUNDED PRECEDING) AS made_bytes "
               "FROM allocations ORDER BY alloc_step")
        track = self.add_track(window, sql)["overlays"]["query_tracks"][0]
        self.assertEqual((track["name"], track["curves"], track["highest"]), ("made_bytes", 1, sum(sizes)))
        state = window.wait("its lane", lambda s: s["rects"]["track_made_bytes"] and s["rects"]["track_remove_made_bytes"])
        lane, canvas = state["rects"]["track_made_bytes"], state["timeline"]["canvas"]
        self.assertEqual((lane[0], lane[2]), (canvas[0], canvas[2]), "its steps lie under those of the picture")
        window.point((lane[0] + lane[2]) / 2, (lane[1] + lane[3]) / 2)
        window.wait("its tooltip", lambda s: s["rects"]["tooltip"])
        self.assertGreater(self.display.colours_in(*lane), 2, "a curve in the lane")
        before = window.state()["timeline"]["view"]
        window.wheel((lane[0] + lane[2]) / 2, (lane[1] + lane[3]) / 2, 3, "ctrl")
        window.wait("the picture to follow", lambda s: s["timeline"]["view"] != before)
        # A second track with the same name is distinguishable; each has its own button to close it.
        second = self.add_track(window, sql)["overlays"]["query_tracks"][1]
        self.assertEqual(second["name"], "made_bytes (2)")
        window.click("track_remove_made_bytes")
        state = window.wait("one to be left", lambda s: len(s["overlays"]["query_tracks"]) == 1)
        self.assertEqual(state["overlays"]["query_tracks"][0]["name"], "made_bytes (2)")
        window.drop(SAMPLE)
        window.wait("them to go with the file", lambda s: not s["overlays"]["query_tracks"])

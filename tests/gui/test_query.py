"""SQL typed into the window, its answers read back."""
import unittest

import reference
from driver import SAMPLE, WindowTest

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"


class Query(WindowTest):
    def test_rows_agree_with_the_file(self):
        sizes, _ = reference.allocations(SAMPLE)
        window = self.open_on_start(SAMPLE)
        query = window.answer("SELECT count(*), sum(size) FROM allocations WHERE size > 1000000")
        large = [size for size in sizes if size > 1000000]
        self.assertIsNone(query["error"])
        self.assertEqual(query["first_rows"], [[str(len(large)), str(sum(large))]])

        query = window.answer("SELECT size FROM allocs ORDER BY size DESC LIMIT 15")
        self.assertEqual(query["columns"], ["size"])
        self.assertEqual([row[0] for row in query["first_rows"]], [str(size) for size in sorted(sizes, reverse=True)[:15]])

    def test_a_wrong_query_says_what_and_where(self):
        window = self.open_on_start(SAMPLE)
        query = window.answer("SELECT size FROM nowhere")
        self.assertIn("no such table: nowhere", query["error"])
        query = window.answer("SELECT size FORM allocs x")
        self.assertIn("syntax error", query["error"])
        self.assertIn("query_error", window.fresh()["rects"])
        self.assertEqual(window.answer("SELECT 1")["rows"], 1)

    def test_a_write_is_refused(self):
        window = self.open_on_start(SAMPLE)
        self.assertIsNotNone(window.answer("CREATE TABLE t(x)")["error"])

    def test_clicked_row_is_selected_and_revealed(self):
        window = self.open_on_start(SAMPLE)
        query = window.answer("SELECT id, size, alloc_step, free_step FROM allocations WHERE free_step NOT NULL "
                                    "ORDER BY size DESC LIMIT 3")
        id, size, start, end = map(int, query["first_rows"][1])
        canvas = window.state()["timeline"]["canvas"]
        window.wheel(canvas[0] + 5, canvas[1] + 5, 25)  # far from where the row leads
        window.click("query_row_1")
        state = window.wait("a selection", lambda s: s["timeline"]["selected"])
        self.assertEqual(state["timeline"]["selected"]["id"], id)
        self.assertEqual(state["timeline"]["selected"]["size"], size)
        x_begin, x_end, _, _ = window.fresh()["timeline"]["view"]
        self.assertLess(x_begin, end)
        self.assertGreater(x_end, start)

    def test_header_click_sorts_numbers_as_numbers(self):
        window = self.open_on_start(SAMPLE)
        window.answer("SELECT 10 AS n UNION ALL SELECT 9 UNION ALL SELECT 100")
        left, top, right, _ = window.rect("query_row_0")
        window.click_at(left + 12, top - 8)
        window.wait("ascending rows", lambda s: s["query"]["first_rows"] == [["9"], ["10"], ["100"]])
        window.click_at(left + 12, top - 8)
        window.wait("descending rows", lambda s: s["query"]["first_rows"] == [["100"], ["10"], ["9"]])

    def test_arrows_walk_the_history(self):
        window = self.open_on_start(SAMPLE)
        for sql in ("SELECT 1", "SELECT 2"):
            window.answer(sql)
        window.key("Up")
        window.wait("the last query", lambda s: s["query"]["sql"] == "SELECT 2")
        window.key("Up")
        window.wait("the one before", lambda s: s["query"]["sql"] == "SELECT 1")
        window.key("Down")
        window.wait("the last query", lambda s: s["query"]["sql"] == "SELECT 2")

    def test_stop_ends_an_endless_query_while_frames_go_on(self):
        window = self.open_on_start(SAMPLE)
        state = window.ask(ENDLESS)
        state = window.wait("the query to run", lambda s: s["query"]["running"])
        first = state["frames"]
        state = window.wait("twenty more frames", lambda s: s["frames"] >= first + 20)
        self.assertTrue(state["query"]["running"])
        window.click("query_stop")
        state = window.wait("the end of it", lambda s: not s["query"]["running"], 5)
        self.assertIsNotNone(state["query"]["error"])
        self.assertEqual(window.answer("SELECT 3")["first_rows"], [["3"]])

    def test_many_rows_cost_no_more_than_few(self):
        window = self.open_on_start(SAMPLE)
        query = window.answer("SELECT a.id, b.id AS other FROM allocations a, allocations b")
        self.assertEqual(query["rows"], 100000)
        self.assertTrue(query["truncated"])
        shown = [name for name in window.fresh()["rects"] if name.startswith("query_row_")]
        self.assertLess(len(shown), 100)


if __name__ == "__main__":
    unittest.main()

"""SQL queries in the window, and their results."""
import csv
import io
import json
import unittest

import reference
from driver import SAMPLE, WindowTest

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"


class Query(WindowTest):
    may_remain = frozenset({"query", "query_history"})

    def test_rows_agree_with_the_file(self):
        sizes, _ = reference.allocations(SAMPLE)
        window = self.open(SAMPLE)
        query = window.answer("SELECT count(*), sum(size) FROM allocations WHERE size > 1000000")
        large = [size for size in sizes if size > 1000000]
        self.assertIsNone(query["error"])
        self.assertEqual(query["first_rows"], [[str(len(large)), str(sum(large))]])

        query = window.answer("SELECT size FROM allocs ORDER BY size DESC LIMIT 15")
        self.assertEqual(query["columns"], ["size"])
        self.assertEqual([row[0] for row in query["first_rows"]], [str(size) for size in sorted(sizes, reverse=True)[:15]])

    def test_a_wrong_query_says_what_and_where(self):
        window = self.open(SAMPLE)
        query = window.answer("SELECT size FROM nowhere")
        self.assertIn("no such table: nowhere", query["error"])
        query = window.answer("SELECT size FORM allocs x")
        self.assertIn("syntax error", query["error"])
        self.assertIn("query_error", window.fresh()["rects"])
        self.assertEqual(window.answer("SELECT 1")["rows"], 1)

    def test_a_write_is_refused(self):
        window = self.open(SAMPLE)
        self.assertIsNotNone(window.answer("CREATE TABLE t(x)")["error"])

    def test_clicked_row_is_selected_and_revealed(self):
        window = self.open(SAMPLE)
        query = window.answer("SELECT id, size, alloc_step, free_step FROM allocations WHERE free_step NOT NULL "
                                    "ORDER BY size DESC LIMIT 3")
        id, size, start, end = map(int, query["first_rows"][1])
        canvas = window.state()["timeline"]["canvas"]
        window.wheel(canvas[0] + 5, canvas[1] + 5, 25)  # far from the place to which the row leads
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

    def test_columns_fit_the_result_that_is_shown(self):
        """Columns fit the current result, independent of previous results with the same names, and even if the widest
        number is far below."""
        def widths(*names):
            rects = window.fresh()["rects"]
            return [rects[f"query_header_{name}"][2] - rects[f"query_header_{name}"][0] for name in names]
        window = self.open_on_start(SAMPLE)
        window.answer("SELECT 7 AS a, 'x' AS b")
        narrow = widths("a", "b")
        window.answer("SELECT 8406335176484063 AS a, 'x' AS b")
        wide = widths("a", "b")
        self.assertGreater(wide[0], narrow[0])
        window.answer("SELECT 8406335176484063 AS c, 'x' AS d")
        self.assertEqual(widths("c", "d"), wide)
        window.answer("SELECT 7 AS a, 'x' AS b")
        self.assertEqual(widths("a", "b"), narrow)
        window.answer("SELECT a, b FROM (SELECT id AS a, 'x' AS b FROM allocations) UNION ALL SELECT 8406335176484063, 'x'")
        self.assertEqual(widths("a", "b"), wide)

    def test_another_result_of_the_same_columns_stays_sorted(self):
        window = self.open_on_start(SAMPLE)
        window.answer("SELECT 10 AS n UNION ALL SELECT 9 UNION ALL SELECT 100")
        left, top, _, _ = window.rect("query_row_0")
        window.click_at(left + 12, top - 8)
        window.wait("ascending rows", lambda s: s["query"]["first_rows"] == [["9"], ["10"], ["100"]])
        window.answer("SELECT 8406335176484063 AS n UNION ALL SELECT 5")
        window.wait("ascending rows", lambda s: s["query"]["first_rows"] == [["5"], ["8406335176484063"]])

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
        window = self.open(SAMPLE)
        state = window.ask(ENDLESS)
        state = window.wait("the query to run", lambda s: s["query"]["running"])
        first = state["frames"]
        state = window.wait("twenty more frames", lambda s: s["frames"] >= first + 20)
        self.assertTrue(state["query"]["running"])
        window.click("query_stop")
        state = window.wait("the end of it", lambda s: not s["query"]["running"], 5)
        self.assertIsNotNone(state["query"]["error"])
        self.assertEqual(window.answer("SELECT 3")["first_rows"], [["3"]])

    def put(self, window, sql):
        window.open_query_pane()
        window.click("query_input")
        window.key("ctrl+a")
        window.type(sql)
        window.wait("the text in the input", lambda s: s["query"]["sql"] == sql)

    def test_the_pane_is_one_line_until_it_is_used(self):
        window = self.open_on_start(SAMPLE)
        state = window.fresh()
        self.assertFalse(state["query"]["is_open"])
        _, top, _, bottom = state["rects"]["query_input"]
        self.assertLess(bottom - top, 40)
        canvas = state["timeline"]["canvas"]
        window.click("query_input")
        state = window.wait("the pane", lambda s: s["query"]["is_open"] and s["focused"] == "query")
        state = window.wait("its room", lambda s: s["rects"]["query_input"][3] - s["rects"]["query_input"][1] > 60)
        self.assertLess(state["timeline"]["canvas"][3], canvas[3])

    def test_the_old_rows_stay_when_a_statement_fails(self):
        window = self.open(SAMPLE)
        window.answer("SELECT 42 AS x")
        query = window.answer("SELECT nowhere")
        self.assertIn("no such column", query["error"])
        self.assertEqual(query["first_rows"], [["42"]])
        self.assertIsNone(window.answer("SELECT 43")["error"])

    def test_the_statement_under_the_caret_and_all_in_one_go(self):
        window = self.open(SAMPLE)
        sql = "SELECT 1 AS a; SELECT 2 AS b; SELECT 3 AS c"
        self.put(window, sql)
        window.key("ctrl+Return")
        window.wait("the last", lambda s: s["query"]["first_rows"] == [["3"]] and s["query"]["answers"] == 1)
        window.key("Home")
        window.key("ctrl+Return")
        window.wait("the first", lambda s: s["query"]["first_rows"] == [["1"]])
        window.key("ctrl+shift+Return")
        window.wait("all of them", lambda s: s["query"]["answers"] == 3 and s["query"]["columns"] == ["c"])
        window.click("query_answer_1")
        window.wait("the second", lambda s: s["query"]["first_rows"] == [["2"]])

    def test_parameters_are_what_the_window_shows(self):
        window = self.open(SAMPLE)
        window.click("tab_live")
        window.wait("the list of what is live", lambda s: s["live"])
        query = window.answer("SELECT :selected, :view_begin, :view_end, :step")
        view = window.state()["timeline"]["view"]
        live = window.state()["live"]["step"]
        self.assertEqual(query["first_rows"][0][0], "NULL")
        self.assertEqual(query["first_rows"][0][3], str(live))
        self.assertAlmostEqual(float(query["first_rows"][0][2]), view[1], delta=(view[1] - view[0]) / 20)
        self.assertIn("parameter_step", window.fresh()["rects"])
        window.answer("SELECT id FROM allocations ORDER BY size DESC LIMIT 1")
        window.click("query_row_0")
        id = window.wait("a selection", lambda s: s["timeline"]["selected"])["timeline"]["selected"]["id"]
        self.assertEqual(window.answer("SELECT :selected")["first_rows"], [[str(id)]])
        self.assertIn("the parameter :nothing has no value", window.answer("SELECT :nothing")["error"])
        left, top, right, bottom = window.state()["timeline"]["canvas"]
        window.point((left + right) / 2, (top + bottom) / 2)
        step = int(window.answer("SELECT :cursor_step")["first_rows"][0][0])
        begin, end = window.state()["timeline"]["view"][:2]
        self.assertAlmostEqual(step, (begin + end) / 2, delta=(end - begin) / 20)

    def test_tab_completes_a_name(self):
        window = self.open_on_start(SAMPLE)
        self.put(window, "SELECT count(*) FROM alloca")
        window.wait("the table", lambda s: s["query"]["completions"] == ["allocations"])
        window.key("Tab")
        window.wait("it written", lambda s: s["query"]["sql"] == "SELECT count(*) FROM allocations")
        window.type(" WHERE alloc_s")
        window.wait("the column", lambda s: s["query"]["completions"][:1] == ["alloc_step"])
        window.click("completion_0")
        window.wait("it written", lambda s: s["query"]["sql"].endswith("WHERE alloc_step"))

    def test_more_rows_are_a_button_away(self):
        window = self.open(SAMPLE)
        query = window.answer("SELECT a.id FROM allocations a, allocations b LIMIT 250000")
        self.assertEqual((query["rows"], query["truncated"]), (100000, True))
        window.click("query_more")
        query = window.wait("all", lambda s: s["query"]["rows"] == 250000)["query"]
        self.assertFalse(query["truncated"])

    def save_rows(self, window, format, name):
        path = self.folder / name
        window.click("query_save")
        window.rect(f"save_format_{format}")
        window.fresh()  # a popup gets its position in its second frame
        window.click(f"save_format_{format}")
        window.fresh()
        window.click("save_path")
        window.key("ctrl+a")
        window.type(window.named(path))
        window.fresh()
        window.click("save_rows")
        window.wait_saved(path)
        window.wait("the popup to go", lambda s: "save_rows" not in s["rects"])
        return path.read_text(encoding="utf-8")

    def test_rows_are_saved(self):
        window = self.open(SAMPLE)
        window.answer("SELECT 1 AS a, 'x,y' AS b UNION ALL SELECT 2, 'z'")
        table = list(csv.reader(io.StringIO(self.save_rows(window, 0, "rows.csv"))))
        self.assertEqual(table, [["a", "b"], ["1", "x,y"], ["2", "z"]])
        rows = json.loads(self.save_rows(window, 1, "rows.json"))
        self.assertEqual(rows, [{"a": 1, "b": "x,y"}, {"a": 2, "b": "z"}])
        self.assertEqual(self.save_rows(window, 2, "rows.md"), "| a | b |\n| ---: | --- |\n| 1 | x,y |\n| 2 | z |\n")

    def test_the_split_can_be_dragged(self):
        window = self.open_on_start(SAMPLE)
        window.answer("SELECT 1")
        left, top, right, bottom = window.rect("query_split")
        before = window.rect("query_input")
        window.drag((left + right) / 2, (top + bottom) / 2, (left + right) / 2 + 120, (top + bottom) / 2)
        after = window.rect("query_input")
        self.assertAlmostEqual(after[2] - before[2], 120, delta=6)

    def test_many_rows_cost_no_more_than_few(self):
        window = self.open(SAMPLE)
        query = window.answer("SELECT a.id, b.id AS other FROM allocations a, allocations b")
        self.assertEqual(query["rows"], 100000)
        self.assertTrue(query["truncated"])
        shown = [name for name in window.fresh()["rects"] if name.startswith("query_row_")]
        self.assertLess(len(shown), 100)


if __name__ == "__main__":
    unittest.main()

"""The input of the query pane: its colours, tabs, parameters and tables, and the suggested queries."""
import json
import unittest

from driver import SAMPLE, WindowTest

# Colours of app/ui/theme.cpp: keyword, table, function, text, number, comment, parameter.
COLOURS = {"dark": [0x6cb6ff, 0x7ee2a8, 0xd2a8ff, 0xf0c674, 0xffa657, 0x7d8797, 0x76e3ea],
           "light": [0x0b62bd, 0x12783e, 0x7d2ec9, 0x8f5a00, 0xb33b00, 0x6a7382, 0x007a8c]}
PIECES = ["SELECT", "allocations", "human(1)", "'text text'", "12345678", "/* comment */", ":parameter"]
COLOUR_TOLERANCE = 24  # tolerance out of 255: letters are smoothed, so few of their pixels have the exact colour


class QueryEditor(WindowTest):
    def open_pane(self, **settings):
        folder = self.folder / "config" / "snapviewer"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
        window = self.open_on_start(SAMPLE)
        window.open_query_pane()
        return window

    def stored(self):
        self.window.keep_settings()
        return json.loads((self.folder / "config" / "snapviewer" / "settings.json").read_text(encoding="utf-8"))

    def put(self, window, sql):
        window.click("query_input")
        window.key("ctrl+a")
        window.type(sql)
        window.wait("the text in the input", lambda s: s["query"]["sql"] == sql)

    def colours_of_input(self, window):
        return self.display.colours(*window.rect("query_input"))

    def is_drawn(self, colours, colour):
        wanted = colour.to_bytes(3, "big")
        return any(all(abs(a - b) <= COLOUR_TOLERANCE for a, b in zip(each, wanted)) for each in colours)

    def look_at_every_kind_of_word(self, theme):
        window = self.open_pane(theme=theme)
        for piece, colour in zip(PIECES, COLOURS[theme]):
            self.put(window, piece)
            window.key("Home")  # moves the caret away
            window.fresh()
            self.assertTrue(self.is_drawn(self.colours_of_input(window), colour), piece)
        self.put(window, "size")
        window.key("Home")
        window.fresh()
        drawn = self.colours_of_input(window)
        # The edges of plain letters have the same grey as a comment.
        found = [piece for piece, colour in zip(PIECES, COLOURS[theme]) if self.is_drawn(drawn, colour)]
        self.assertEqual(set(found) - {"/* comment */"}, set(), "the name of a column is plain")

    def test_every_kind_of_word_has_its_colour_in_the_dark(self):
        self.look_at_every_kind_of_word("dark")

    def test_every_kind_of_word_has_its_colour_in_the_light(self):
        self.look_at_every_kind_of_word("light")

    def test_a_long_text_scrolls_after_the_caret(self):
        window = self.open_pane()
        sql = "SELECT " + ", ".join(f"size + {i}" for i in range(80)) + " FROM allocations"
        self.put(window, sql)
        left, top, right, bottom = window.rect("query_input")
        shown = window.fresh()["rects"]["query_caret"]
        self.assertTrue(top <= shown[1] and shown[3] <= bottom, "the caret is in sight")
        window.click_at(left + 30, top + 12)
        caret = window.wait("the caret in what is in sight", lambda s: s["query"]["caret"] < len(sql))["query"]["caret"]
        self.assertGreater(caret, 60, "the beginning is out of sight")
        window.key("ctrl+Home")
        window.wait("the beginning", lambda s: s["query"]["caret"] == 0)
        window.click_at(left + 60, top + 12)    # at another place, because it would be a double click otherwise
        window.wait("the beginning in sight", lambda s: 0 < s["query"]["caret"] < 12)

    def test_tabs_keep_their_texts_and_answers(self):
        window = self.open_pane()
        window.answer("SELECT 1 AS a")
        window.click("query_tab_new")
        window.wait("an empty tab", lambda s: s["query"]["front"] == 1 and s["query"]["sql"] == "" and s["query"]["rows"] == 0)
        window.answer("SELECT 2 AS b UNION ALL SELECT 3")
        state = window.fresh()
        self.assertEqual(state["query"]["tabs"], ["SELECT 1 AS a", "SELECT 2 AS b UNION ALL SELECT 3"])
        window.click("query_tab_0")
        state = window.wait("the first", lambda s: s["query"]["front"] == 0)
        self.assertEqual((state["query"]["sql"], state["query"]["first_rows"]), ("SELECT 1 AS a", [["1"]]))
        window.fresh()
        window.type(" -- more")  # the input has the keyboard, and its caret has not moved
        window.wait("it written", lambda s: s["query"]["sql"] == "SELECT 1 AS a -- more")
        window.key("ctrl+shift+j")
        state = window.wait("the second", lambda s: s["query"]["front"] == 1)
        self.assertEqual(state["query"]["first_rows"], [["2"], ["3"]])
        window.click("query_tab_close_0")
        state = window.wait("one tab", lambda s: len(s["query"]["tabs"]) == 1 and "query_tab_0" not in s["rects"])
        self.assertEqual(state["query"]["sql"], "SELECT 2 AS b UNION ALL SELECT 3")
        self.assertEqual(state["query"]["first_rows"], [["2"], ["3"]])

    def test_an_answer_goes_to_the_tab_that_asked(self):
        window = self.open_pane()
        slow = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 3000000) SELECT max(i) FROM n"
        window.ask(slow)
        window.key("ctrl+shift+t")
        window.wait("another tab", lambda s: s["query"]["front"] == 1)
        window.fresh()
        window.key("ctrl+shift+j")
        window.wait("the answer", lambda s: s["query"]["front"] == 0 and s["query"]["first_rows"] == [["3000000"]])
        window.key("ctrl+shift+j")
        state = window.wait("the other", lambda s: s["query"]["front"] == 1)
        self.assertEqual(state["query"]["rows"], 0)

    def card(self, window, words, source=None):
        """Returns the index of a card with these words in its name or SQL."""
        state = window.wait(f"a card of {words}", lambda s: any(self.is_card(each, words, source) for each in s["query"]["cards"]))
        return next(i for i, each in enumerate(state["query"]["cards"]) if self.is_card(each, words, source))

    def is_card(self, card, words, source):
        return words in card["name"] + card["sql"] and source in (None, card["source"])

    def test_queries_to_choose_from_stand_where_no_answer_is(self):
        window = self.open_pane(query_history=["SELECT 5 AS five", "SELECT 6 AS six"], saved_queries=["-- mine\nSELECT 7 AS seven"])
        cards = window.wait("the cards", lambda s: s["query"]["cards"])["query"]["cards"]
        self.assertEqual([(each["source"], each["name"], each["sql"]) for each in cards[:3]],
                         [("saved", "mine", "-- mine\nSELECT 7 AS seven"), ("history", "", "SELECT 6 AS six"),
                          ("history", "", "SELECT 5 AS five")])
        self.assertEqual({each["source"] for each in cards[3:]}, {"ready"})
        window.click("card_1")
        state = window.wait("it in the input", lambda s: s["query"]["sql"] == "SELECT 6 AS six")
        self.assertEqual(state["query"]["ran_sql"], "", "a click does not run it")
        window.click("query_wanted")
        window.type("seven")
        window.wait("what has the word", lambda s: len(s["query"]["cards"]) == 1)
        window.point_at("card_0")
        window.click("card_run_0")
        window.wait("its answer", lambda s: s["query"]["first_rows"] == [["7"]] and "card_0" not in s["rects"])
        window.click("query_ready")
        window.rect("card_0")
        window.click("query_wanted")
        window.key("ctrl+a")
        window.type("five")
        window.wait("what has the word", lambda s: "five" in s["query"]["cards"][0]["sql"])
        window.point_at("card_0")
        window.xdotool("keydown", "ctrl")
        window.fresh()
        window.press_button()
        window.wait("its answer", lambda s: s["query"]["first_rows"] == [["5"]])
        window.xdotool("keyup", "ctrl")

    def test_an_empty_pane_offers_queries(self):
        window = self.open_on_start(SAMPLE)
        self.assertEqual(window.fresh()["query"]["sql"], "")
        window.open_query_pane()
        cards = window.wait("the cards", lambda s: s["query"]["cards"] and "card_0" in s["rects"])["query"]["cards"]
        self.assertEqual({each["source"] for each in cards}, {"ready"})
        window.click("query_input")
        window.type("SELECT 1")
        window.wait("what was typed alone", lambda s: s["query"]["sql"] == "SELECT 1")

    def test_the_buttons_of_the_closed_pane_open_it(self):
        for button, page, rect in (("query_ready", "cards", "card_0"), ("query_tables", "tables", "schema_wanted")):
            window = self.open_on_start(SAMPLE)
            window.click(button)
            state = window.wait("the page", lambda s: s["query"]["is_open"] and rect in s["rects"])
            self.assertEqual(state["query"]["page"], page)
            window.stop()

    def caret(self, window):
        """Returns the caret's byte position, and its line on the screen."""
        state = window.fresh()
        left, top, right, bottom = state["rects"]["query_caret"]
        return state["query"]["caret"], round((top - state["rects"]["query_input"][1]) / (bottom - top)), left

    def test_long_lines_go_on_in_the_next(self):
        window = self.open_pane()
        words = [f"word{i:03d}" for i in range(25)]
        sql = "SELECT '" + " ".join(words) + "'\nAS a"
        window.click("query_input")
        for line in sql.split("\n")[:1]:
            window.type(line)
        window.key("Return")
        window.type("AS a")
        state = window.wait("the text", lambda s: s["query"]["sql"] == sql)
        left, top, right, bottom = state["rects"]["query_input"]
        end, last_line, _ = self.caret(window)
        self.assertEqual(end, len(sql))
        self.assertGreater(last_line, 2, "the long line takes several")
        window.key("ctrl+Home")
        self.assertEqual(self.caret(window)[:2], (0, 0))
        starts = []
        for line in range(1, last_line + 1):
            window.key("Down")
            at, shown, x = self.caret(window)
            self.assertEqual(shown, line)
            self.assertLess(x, right)
            starts.append(at)
        self.assertEqual(starts[-1], sql.index("\n") + 1, "the line feed begins the last")
        for begin in starts[:-1]:
            self.assertEqual((sql[begin - 1], sql[begin:begin + 4]), (" ", "word"), "broken between two words")
        window.key("Up")
        self.assertEqual(self.caret(window)[:2], (starts[-2], last_line - 1))
        window.key("shift+Up", "BackSpace")
        window.wait("a whole line of the screen gone", lambda s: s["query"]["sql"] == sql[:starts[-3]] + sql[starts[-2]:])
        window.key("ctrl+z")
        window.wait("it back", lambda s: s["query"]["sql"] == sql)

    def test_clicks_find_their_place_in_a_long_line(self):
        window = self.open_pane()
        sql = "SELECT '" + " ".join(f"word{i:03d}" for i in range(25)) + "'"
        self.put(window, sql)
        window.key("ctrl+Home", "Down")
        begin, line, x = self.caret(window)
        _, top, _, bottom = window.state()["rects"]["query_caret"]
        self.assertEqual(line, 1)
        letter = None
        window.key("Right")
        letter = self.caret(window)[2] - x
        window.click_at(x + 9.8 * letter, (top + bottom) / 2)
        self.assertEqual(self.caret(window)[:2], (begin + 10, 1))
        window.drag(x + 2, (top + bottom) / 2, x + 4.1 * letter, (top + bottom) / 2 + (bottom - top))
        window.fresh()
        window.key("BackSpace")
        state = window.wait("what was dragged over gone", lambda s: len(s["query"]["sql"]) < len(sql))
        gone = len(sql) - len(state["query"]["sql"])
        self.assertEqual(state["query"]["sql"], sql[:begin] + sql[begin + gone:])
        self.assertIn("word", sql[begin:begin + gone])
        self.assertEqual(sql[begin + gone - 4:begin + gone], "word", "four letters of the next line on the screen")
        window.click_at(x + 1 * letter, (top + bottom) / 2)
        place, line, _ = self.caret(window)
        self.assertEqual(line, 1)
        before = window.double_click("its word selected", lambda s: s["query"]["caret"] != place)["query"]["sql"]
        begin = before.rindex(" ", 0, place) + 1
        window.key("BackSpace")
        after = window.wait("the word gone", lambda s: s["query"]["sql"] != before)["query"]["sql"]
        self.assertEqual(after, before[:begin] + before[before.index(" ", begin):])

    def test_a_star_saves_a_query(self):
        window = self.open_pane()
        self.put(window, "SELECT 8")
        window.click("query_star")
        window.wait("it saved", lambda s: s["said"] == "Query saved")
        self.assertEqual(self.stored()["saved_queries"], ["SELECT 8"])
        window.click("query_ready")
        place = self.card(window, "SELECT 8", "saved")
        window.click(f"card_star_{place}")
        window.wait("it taken out", lambda s: all(each["source"] != "saved" for each in s["query"]["cards"]))
        self.assertEqual(self.stored()["saved_queries"], [])

    def test_tables_and_what_they_hold(self):
        window = self.open_pane()
        self.put(window, "SELECT ")
        window.click("query_tables")
        window.click("schema_wanted")
        window.type("alloc_step")
        window.wait("the column", lambda s: "schema_allocations_alloc_step" in s["rects"])
        window.click("schema_allocations_alloc_step")
        window.wait("it in the query", lambda s: s["query"]["sql"] == "SELECT alloc_step")
        window.fresh()
        window.type(" FROM allocations LIMIT 1")  # the input has the keyboard again
        window.wait("the rest", lambda s: s["query"]["sql"] == "SELECT alloc_step FROM allocations LIMIT 1")
        window.key("ctrl+Return")
        window.wait("the answer in place of the tables", lambda s: s["query"]["rows"] == 1 and "query_row_0" in s["rects"])

    def test_the_name_at_the_caret_is_explained(self):
        window = self.open_pane()
        self.put(window, "SELECT size FROM allocations")
        window.wait("the table", lambda s: s["query"]["name_at_caret"] == "allocations" and "query_told" in s["rects"])
        window.key("Home", "ctrl+Right")    # within a word, the completion is offered instead
        window.wait("the column", lambda s: s["query"]["name_at_caret"] == "size")

    def test_a_parameter_takes_another_value(self):
        window = self.open_pane()
        shown = window.answer("SELECT :step, :own IS NULL AS none")
        self.assertIn("the parameter :own has no value", shown["error"])
        window.click("parameter_own")
        window.type("12 MiB")
        window.wait("the value", lambda s: s["query"]["given"] == {":own": "12 MiB"})
        self.assertEqual(window.answer("SELECT :step, :own")["first_rows"][0][1], "12 MiB")
        step = window.state()["query"]["parameters"][":step"]
        self.assertEqual(window.state()["query"]["first_rows"][0][0], step)
        window.click("parameter_step")
        window.type("77")
        window.wait("the value", lambda s: s["query"]["given"].get(":step") == "77")
        self.assertEqual(window.answer("SELECT :step + 1")["first_rows"], [["78"]])


if __name__ == "__main__":
    unittest.main()

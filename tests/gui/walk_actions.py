"""Runs every command by its menu, by its key and by the palette, and checks that each has an effect.

SNAPVIEWER_ACTIONS=view_fit,view_time restricts this to these commands."""
import json
import os
import unittest

from driver import SAMPLE, WindowTest

NOT_IN_THE_SAMPLE = {"file_open_with", "page_range", "view_next_picture", "tools_compare", "view_pools", "tools_fleet", "tools_series", "tools_devices", "colour_Category", "colour_Pool"}
HANDLED_SEPARATELY = {"file_close", "file_quit", "query_stop", "view_callers", "edit_undo_note", "help_sample", "go_next_tab", "go_previous_tab"}
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
# Parts of the state that change without a command.
RESTLESS = {"frames", "frame_ms", "rects", "drawn_pictures", "gl", "actions", "palette", "fonts", "toasts"}
MENUS = {"File": "menu_file", "View": "menu_view", "Picture": "menu_picture", "Panels": "menu_panels", "Tools": "menu_tools", "Help": "menu_help",
         "Theme": "menu_theme", "Interface size": "menu_scale", "Colour by": "menu_colour", "Query": "menu_query"}
WITHIN = {"Theme": "menu_view", "Interface size": "menu_view", "Colour by": "menu_picture", "Query": "menu_tools"}
NAMED_BY_THEIR_MENU = ("Colour by", "Theme")
X_KEYS = {"Esc": "Escape", "Enter": "Return", "Backspace": "BackSpace", "+": "plus", "-": "minus", "0": "0"}


def x_key(chord):
    """Converts "Ctrl+Shift+P" to xdotool's spelling."""
    mods, key = [], chord
    for prefix in ("Ctrl+", "Shift+", "Alt+"):
        if key.startswith(prefix):
            mods.append(prefix[:-1].lower())
            key = key[len(prefix):]
    return "+".join([*mods, X_KEYS.get(key, key.lower() if len(key) == 1 else key)])


class Actions(WindowTest):
    def actions(self, window):
        window.key("F1")
        actions = window.wait("the list", lambda s: s["actions"])["actions"]
        window.key("Escape")
        window.wait("no list", lambda s: s["actions"] is None)
        return actions

    def rest(self, window):
        """Moves the mouse to the same place after every command, so that it causes no difference."""
        window.point(500, 400)

    def prepare(self, window, id):
        """Returns a state in which the command has an effect."""
        self.rest(window)
        state = window.fresh()
        if id in ("go_next_hit", "go_previous_hit", "go_list_hits", "go_search_sql", "edit_dismiss"):
            if not (state["search"] and state["search"]["hits"]):
                window.key("ctrl+f")
                window.rect("search_field")
                window.fresh()
                window.type("py")
                window.wait("hits", lambda s: s["search"]["hits"])
        elif state["search"]:
            window.click("search_close")
            window.wait("no search", lambda s: not s["search"])
        if id in ("view_zoom", "edit_copy", "edit_dismiss"):
            left, top, right, bottom = window.state()["timeline"]["canvas"]
            for share in (0.9, 0.7, 0.95, 0.5):
                window.click_at((left + right) / 2, top + (bottom - top) * share)
                if window.fresh()["timeline"]["selected"]:
                    break
        if id in ("view_back", "view_forward", "view_fit"):
            window.key("p")
            window.key("plus")
            window.fresh()
        if id == "view_forward":
            window.key("BackSpace")
            window.fresh()
        if id == "view_allocations":
            self.by_menu(window, "Picture", "menu_view_segments")
            window.wait("segments", lambda s: s["timeline"]["shows"] == "segments")
        if id == "tools_findings":
            self.by_menu(window, "Panels", "menu_tools_growth")
        if id == "view_normal_size":
            window.key("ctrl+plus")
        if id in ("query_run", "query_run_all", "query_save") and not state["query"]["sql"]:
            window.open_query_pane()
            window.click("query_input")
            window.type("SELECT 1")
            window.wait("a query", lambda s: s["query"]["sql"])
        if id in ("query_next_tab", "query_close_tab") and len(state["query"]["tabs"]) < 2:
            window.key("ctrl+shift+t")
            window.wait("two query tabs", lambda s: len(s["query"]["tabs"]) == 2)
        if id.startswith("theme_"):
            self.by_menu(window, "Theme", "menu_theme_dark" if id == "theme_light" else "menu_theme_light")
        if id.startswith("colour_"):
            other = "menu_colour_Size" if id == "colour_Stack" else "menu_colour_Stack"
            self.by_menu(window, "Colour by", other)

    def seen(self, window):
        state = window.fresh()
        shown = {key: value for key, value in state.items() if key not in RESTLESS}
        # An opened window is visible only by its rectangles.
        shown["rects"] = sorted(name for name in state["rects"] if not name.startswith(("menu", "palette", "band", "marker", "live", "tooltip", "toast")))
        return json.dumps(shown, sort_keys=True), state["actions"] is not None, state["palette"] is not None

    def by_menu(self, window, menu, rect):
        window.click(WITHIN.get(menu, MENUS[menu]))
        if menu in WITHIN:
            window.point_at(MENUS[menu])
        window.wait(f"{rect} in its menu", lambda s: s["rects"][rect])
        window.click(rect)
        if rect != "menu_file_quit":
            window.wait(f"the menu of {rect} to close", lambda s: rect not in s["rects"])
            self.rest(window)

    def assert_does(self, window, action, way, do):
        self.prepare(window, action["id"])
        before = self.seen(window)
        do()
        for _ in range(10):
            if self.seen(window) != before:
                break
        else:
            self.fail(f"{action['id']} by {way} does nothing")
        self.undo(window, action["id"])

    def undo(self, window, id):
        if id == "view_full_screen":
            window.key("F11")
            window.wait("a window again", lambda s: not s["full_screen"])
        if id in ("view_larger", "view_smaller"):
            window.key("ctrl+0")
        if id == "view_flame":
            window.key("g")
            window.wait("the timeline again", lambda s: "canvas" in s["rects"])
        if id == "view_query" and "query_input" not in window.fresh()["rects"]:
            window.key("ctrl+j")
        if id == "edit_note":
            window.key("Escape")  # the field first releases the keyboard
        if id in ("edit_note", "log_show", "tools_stack_rules", "file_open", "file_open_tab", "file_save_picture", "help_keys", "help_about", "tools_settings", "tools_kind_rules", "tools_table", "tools_what_if", "file_open_fleet", "file_compare", "go_list_hits", "edit_palette"):
            window.key("Escape")
        window.fresh()

    def by_key(self, window, action, chord):
        if action["id"] in ("query_run", "query_run_all"):
            window.open_query_pane()
            window.click("query_input")
        window.key(x_key(chord))

    def by_palette(self, window, action):
        words = (action["menu"] + " " if action["menu"] in NAMED_BY_THEIR_MENU else "") + action["words"]
        window.key("ctrl+p")
        window.wait("the palette", lambda s: s["palette"])
        typed = words.rstrip("…")
        window.type(typed)
        matches = window.wait("what answers", lambda s: s["palette"]["typed"] == typed
                              and any(each["words"] == words for each in s["palette"]["first_matches"]))["palette"]
        place = [each["words"] for each in matches["first_matches"]].index(words)
        window.key(*["Down"] * place, "Return")

    def walk(self, ways_of):
        """Runs the commands. ways_of: returns for a command pairs of a name and a function that runs it in a given window."""
        window = self.open_on_start(SAMPLE)
        actions = self.actions(window)
        self.assertGreater(len(actions), 35)
        only = set(filter(None, os.environ.get("SNAPVIEWER_ACTIONS", "").split(",")))
        for action in actions:
            if action["id"] in NOT_IN_THE_SAMPLE | HANDLED_SEPARATELY or (only and action["id"] not in only):
                continue
            for way, do in ways_of(action):
                with self.subTest(action=action["id"], way=way):
                    try:
                        self.assert_does(window, action, way, lambda: do(window))
                    except Exception:
                        # The next command gets a new window, independent of the state that this one left.
                        window.stop()
                        window = self.open_on_start(SAMPLE)
                        raise

    def test_every_menu_entry_does_something(self):
        self.walk(lambda action: [
            ("menu", lambda window: self.by_menu(window, action["menu"], f"menu_{action['id']}"))])

    def test_every_key_does_something(self):
        self.walk(lambda action: [
            (chord, lambda window, chord=chord: self.by_key(window, action, chord))
            for chord in filter(None, action["keys"].split(", "))])

    def test_every_entry_of_the_palette_does_something(self):
        self.walk(lambda action: [("palette", lambda window: self.by_palette(window, action))])

    def test_what_ends_something_ends_it(self):
        def ways(action):
            yield lambda window: self.by_menu(window, action["menu"], f"menu_{action['id']}")
            for chord in action["keys"].split(", "):
                yield lambda window, chord=chord: self.by_key(window, action, chord)
            yield lambda window: self.by_palette(window, action)

        window = self.open_on_start(SAMPLE)
        actions = {action["id"]: action for action in self.actions(window)}
        for do in ways(actions["query_stop"]):
            window.ask(ENDLESS)
            window.wait("it to run", lambda s: s["query"]["running"])
            do(window)
            window.wait("the end of it", lambda s: not s["query"]["running"], 10)
        for do in ways(actions["file_close"]):
            do(window)
            window.wait("no file", lambda s: s["file"] is None)
            window.stop()
            window = self.open_on_start(SAMPLE)
        for do in ways(actions["file_quit"]):
            do(window)
            self.assertEqual(window.process.wait(20), 0)
            window = self.open_on_start(SAMPLE)


if __name__ == "__main__":
    unittest.main()

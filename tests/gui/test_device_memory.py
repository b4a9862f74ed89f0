"""The bar of a whole card: beside the verdict if the recorder's facts exist, and for an error's text from the clipboard. Bars
of memory pools."""
import unittest

from driver import WindowTest, window_only
import snapshots

gen_card = snapshots.oracle("gen_card")
gen_pools = snapshots.oracle("gen_pools")
GiB = 1 << 30
ERROR = ("CUDA out of memory. Tried to allocate 2.00 GiB. GPU {} has a total capacity of 8.00 GiB of which 1.00 GiB is free. Process 9 has 4.00 GiB memory in use. "
         "Including non-PyTorch memory, this process has 3.00 GiB memory in use. Of the allocated memory 2.00 GiB is allocated by PyTorch, and 0 bytes is "
         "reserved by PyTorch but unallocated.")


class DeviceMemory(WindowTest):
    def open_with_findings(self, path):
        window = self.open_on_start(path)
        return window, window.wait("the findings", lambda s: s["findings"]["state"] == "ready")

    def read_error(self, window, text):
        """Typed in the query pane and cut, so that the text is in the clipboard."""
        window.open_query_pane()
        window.click("query_input")
        window.key("ctrl+a")
        window.type(text)
        window.wait("the text in the input", lambda s: s["query"]["sql"] == text)
        window.key("ctrl+a")
        window.key("ctrl+x")
        window.click("menu_tools")
        window.click("menu_tools_read_error")

    @window_only("a page cannot look for the files beside the one that it is given")
    def test_a_verdict_shows_the_whole_card(self):
        planted = gen_card.make(self.folder)
        window, state = self.open_with_findings(self.folder / "node_rank1_device0_oom1.pickle")
        card, = [row["card"] for row in state["findings"]["rows"] if row["card"]]
        others = sum(size for part, size, _ in planted["rows"] if part == "other_processes")
        expected = sorted([size for part, size, _ in planted["rows"] if part != "other_processes"] + [others])
        self.assertEqual(sorted(part["bytes"] for part in card["parts"]), expected)
        self.assertEqual(sum(part["bytes"] for part in card["parts"]), planted["total"])
        self.assertIn({"name": "2 other processes", "bytes": others}, card["parts"])
        window.rect("oom_bar")

    def test_idle_pools_have_bars(self):
        planted = gen_pools.make(self.folder)
        window, state = self.open_with_findings(self.folder / "pools.pickle")
        finding, = [row for row in state["findings"]["rows"] if row["code"] == "private_pool_idle"]
        expected = {pool: {"used": held["used"], "idle": held["reserved"] - held["used"]} for pool, held in planted["at_end"].items() if pool != "(0, 0)"}
        self.assertEqual({pool: {part["name"]: part["bytes"] for part in parts} for pool, parts in finding["pools"].items()},
                         {pool: {name: size for name, size in parts.items() if size} for pool, parts in expected.items()})
        wide, narrow = window.rect("pool_bar_(0, 1)"), window.rect("pool_bar_(1, 0)")
        self.assertEqual(wide[0], narrow[0])

    def test_an_error_from_the_clipboard_makes_the_same_bar(self):
        snapshots.make("gen_planted.py", self.folder, "oom-outside")
        window, state = self.open_with_findings(self.folder / "oom-outside.pickle")
        self.assertEqual(state["findings"]["cards"], [])
        self.read_error(window, "no such thing")
        window.wait("that there is none", lambda s: any("no out-of-memory error" in toast for toast in s["toasts"]))
        self.read_error(window, ERROR.format(5))
        window.wait("that it is about another", lambda s: any("about device 5" in toast for toast in s["toasts"]))
        self.assertEqual(window.state()["findings"]["cards"], [])
        self.read_error(window, ERROR.format(0))
        state = window.wait("the card", lambda s: s["findings"]["cards"])
        self.assertEqual(state["findings"]["page"], "findings")
        self.assertEqual(state["findings"]["cards"], [[{"name": "allocated by PyTorch", "bytes": 2 * GiB},
                                                       {"name": "this process outside PyTorch's allocator", "bytes": 1 * GiB},
                                                       {"name": "process 9", "bytes": 4 * GiB}, {"name": "free", "bytes": 1 * GiB}]])


if __name__ == "__main__":
    unittest.main()

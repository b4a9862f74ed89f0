"""Annotations of allocations by the program and by the allocator, and frees that the recording lacks."""
import json
import pickle

from harness import CommandLine, main


def event(action, addr, size=0, **more):
    return {"action": action, "addr": addr, "size": size, "stream": 0, "time_us": 1, "frames": [], **more}


def block(size, state):
    return {"size": size, "requested_size": size, "state": state, "frames": []}


def segment(address, blocks):
    return {"device": 0, "address": address, "total_size": sum(b["size"] for b in blocks), "stream": 0, "segment_type": "small", "blocks": blocks}


class Annotated(CommandLine):
    def of(self, events, segments=()):
        return self.write("notes.pickle", pickle.dumps({"segments": list(segments), "device_traces": [events]}, 4))

    def notes(self, path):
        return self.ask(path, "SELECT size, annotation FROM allocations WHERE annotation IS NOT NULL ORDER BY size")

    def test_a_note_belongs_to_what_is_live_at_its_address(self):
        path = self.of([event("annotate", 0x5000, user_metadata="of what is freed later"), event("annotate", 0x6000, user_metadata="of what stands"),
                        event("free_completed", 0x5000, 50), event("annotate", 0x5000, user_metadata="of nothing, as an alloc follows"),
                        event("alloc", 0x5000, 70), event("annotate", 0x5000, user_metadata="first"), event("annotate", 0x5000, user_metadata="second"),
                        event("free_completed", 0x5000, 70), event("alloc", 0x5000, 90), event("annotate", 0x7000, user_metadata="of nowhere")],
                       [segment(0x6000, [block(512, "active_allocated")])])
        self.assertEqual(self.notes(path), [(50, "of what is freed later"), (70, "first\nsecond"), (512, "of what stands")])
        report = json.loads(self.succeed("report", path, "--json"))["devices"][0]
        self.assertEqual([note["text"] for note in report["annotated"]], ["of what stands", "of what is freed later", "first", "second"],
                         "in drawing order")
        self.assertIn("of what stands", self.succeed("report", path))

    def test_a_report_without_notes_does_not_mention_them(self):
        path = self.of([event("alloc", 0x5000, 70)])
        self.assertNotIn("annotated", self.succeed("report", path, "--json") + self.succeed("report", path))

    def test_rules_see_notes(self):
        path = self.of([event("alloc", 0x5000, 70), event("annotate", 0x5000, user_metadata="kv cache")])
        rules = self.write("rules.json", json.dumps([{"kind": "optimizer_state", "metadata": "^kv"}]))
        kinds = json.loads(self.succeed("report", path, "--json", "--rules", rules))["devices"][0]["kinds"]
        self.assertEqual(kinds["at_peak"]["optimizer_state"]["bytes"], 70)

    def test_many_notes_of_one_allocation_are_cut_with_a_count(self):
        path = self.of([event("alloc", 0x5000, 70), *[event("annotate", 0x5000, user_metadata=f"{i:04} " + "x" * 95) for i in range(100)]])
        (_, text), = self.notes(path)
        self.assertEqual(len(text.splitlines()), 41)
        self.assertEqual(text.splitlines()[-1], "... 60 more notes in the table events")

    def test_the_allocators_tag_is_no_text_of_the_user(self):
        for said, user in (("mallocWithAddress", None), ("step 3\nmallocWithAddress", "step 3"), ("my mallocWithAddress", "my mallocWithAddress")):
            with self.subTest(said=said):
                path = self.of([event("alloc", 0x5000, 70, user_metadata=said)])
                own = None if user == said else "mallocWithAddress"
                self.assertEqual(self.ask(path, "SELECT user_metadata, internal_metadata FROM allocations"), [(user, own)])

    def test_frees_that_were_left_out_are_where_they_were_requested(self):
        """Allocations of 100 and 300 bytes. The first is freed before the second comes, so the peak is 300. The segments show that the
        last requested free is still pending."""
        path = self.of([event("alloc", 0x5000, 100), event("free_requested", 0x5000, 100), event("alloc", 0x5000, 300), event("free_requested", 0x5000, 300)],
                       [segment(0x5000, [block(512, "active_pending_free")])])
        self.assertEqual(self.ask(path, "SELECT peak_bytes, live_bytes_at_end FROM devices"), [(300, 300)])
        self.assertEqual(self.ask(path, "SELECT size, state FROM allocations ORDER BY size"), [(100, "freed"), (300, "awaiting_free")])
        self.assertEqual(self.ask(path, "SELECT DISTINCT action FROM events ORDER BY 1"), [("alloc",), ("free_requested",)], "as in the file")
        self.assertEqual(self.info_and_entries(path)[1]["frees_not_recorded"], 1)
        out = self.folder / "out.db"
        self.succeed("export", path, "--out", out)
        self.assertEqual(self.ask(out, "SELECT peak_bytes, live_bytes_at_end FROM devices"), [(300, 300)], "an exported database says the same")
        self.assertEqual(self.info_and_entries(out)[1]["frees_not_recorded"], 1)


if __name__ == "__main__":
    main()

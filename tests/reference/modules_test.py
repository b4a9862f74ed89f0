#!/usr/bin/env python3
"""Memory by module: compares `snapviewer query` and `report --json` with the reference, and both with the planted values.

modules_test.py --snapviewer BINARY
"""
import argparse
import json
import pathlib
import pickle
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import snapshots

analysis, modules, generator = (snapshots.oracle(name) for name in ("reference_analysis", "reference_modules", "gen_modules"))
SNAPVIEWER = None
JOBS = {"plain": [], "wrapped": ["--wrapped", "--seed", "2"], "annotations alone": ["--no-stamps", "--leaks", ""],
        "leak in a layer": ["--leaks", "layers.0.attn", "--seed", "3", "--layers", "3", "--steps", "9"],
        "no leak": ["--leaks", "", "--seed", "4"], "many layers": ["--layers", "40", "--steps", "2", "--seed", "5", "--leaks", ""]}
TEXTS = ["parameter: a.b.weight", "parameter: weight", "parameter:a.b", "parameter: a..b", "parameter: a.b c", "gradient: module.module.a.w", "gradient: module", "buffer: a.module.b",
         "optimizer: a.w.exp_avg", "optimizer: w.exp_avg", "optimizer: exp_avg", "optimizer: group 0, parameter 12.step", "optimizer: group 0, parameter 12", "optimizer", "optimizer.x",
         "layers.31.mlp", "lm_head", "7", "7.5", "v2.1", "0.weight", "layers.2", "layers.10", "layers.02", "module", "module.encoder._orig_mod", "_fsdp_wrapped_module",
         "a." * 63 + "a", "a." * 64 + "a", "a" * 1022 + ".b", "a" * 1023 + ".b", "parameter: " + "a" * 1022 + ".b", "parameter: " + "a" * 1023 + ".b", "train.py:17", "a.b\n", "a.b ", "", "N/A", "ä.b", "other: a.b", "Parameter: a.b", "a-b.c"]


def program(*command):
    done = subprocess.run([SNAPVIEWER, *map(str, command)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{command}: exit {done.returncode}: {done.stderr}")
    return done.stdout


def ask(path, sql):
    return json.loads(program("query", path, sql, "--format", "json"))


def annotate_texts(texts, stamp):
    """Annotates allocations with each text: as metadata, as an annotation, and in pairs of annotations of one allocation. `stamp` is the
    metadata of these allocations, and of frees."""
    events, address = [], 0x1000

    def event(action, size, text=""):
        events.append({"action": action, "addr": address, "size": size, "stream": 0, "time_us": len(events), "frames": [], "user_metadata": text})

    for number, text in enumerate(texts):
        for notes in ([], [text], [text, texts[(7 * number + 3) % len(texts)]], ["a note", text]):
            event("alloc", 100 + len(events), text if not notes else stamp)
            for note in notes:
                event("annotate", 0, note)
            if number % 3 == 0:
                event("free_completed", events[-1 - len(notes)]["size"], stamp)
            address += 4096
    address = 0x100
    event("free_completed", 77, stamp)                            # an allocation that is known only by its free
    return {"segments": [], "device_traces": [events, [dict(each) for each in events[:40]]]}


class ModulesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def compare(self, path):
        """Compares all output about modules with the reference."""
        trace = analysis.Trace(str(path))
        report = json.loads(program("report", path, "--json"))["devices"]
        rows = ask(path, "SELECT m.*, (SELECT path FROM modules u WHERE u.device = m.device AND u.id = m.parent) AS above FROM modules m")
        told = {row["id"]: row["module"] for row in ask(path, "SELECT id, module FROM allocations")}
        kinds = {row["allocation_id"]: (row["kind"], row["because"]) for row in ask(path, "SELECT * FROM kinds")}
        for device, ours in zip(modules.of_trace(trace), report):
            text = lambda path: None if path is None else ".".join(path)
            self.assertEqual({a.id: told[a.id] for a in device.of}, {a.id: text(found[1]) if found else None for a, found in device.of.items()})
            listed = [row for row in rows if row["device"] == device.device.index]
            self.check_table(device, listed)
            self.check_kinds(device, kinds)
            if not device.is_told:
                self.assertNotIn("modules", ours)
                continue
            self.check_report(device, ours)
            step = device.device.allocations[len(device.device.allocations) // 2].alloc_step or 0
            alive = [a for a in device.device.allocations if a.alloc_step <= step and (a.free_step is None or a.free_step > step)]
            at = ask(path, f"SELECT path, bytes FROM modules({step}) WHERE device = {device.device.index}")
            self.assertEqual({row["path"]: row["bytes"] for row in at}, {text(p): row["bytes"] for p, row in device.totals(alive).items()}, f"at step {step}")
        return trace

    def check_table(self, device, listed):
        theirs = {None if path is None else ".".join(path): row for path, row in device.at_peak().items()}
        self.assertEqual({row["path"]: {key: row[key] for key in ("own", "bytes", "count", *modules.ROLES)} for row in listed}, theirs)
        for row in listed:
            if not row["path"]:
                self.assertIsNone(row["parent"])
            else:
                self.assertEqual((row["above"], row["depth"]), (row["path"].rpartition(".")[0], row["path"].count(".") + 1))
        order = [row["path"].split(".") for row in listed if row["path"]]
        sort_key = lambda names: [(0, int(name), name) if name.isdigit() else (1, 0, name) for name in names]
        plain = [names for names in order if all(name.isdigit() or name.isalpha() and name.islower() for name in names)]
        self.assertEqual(plain, sorted(plain, key=sort_key), "depth first, layers.2 before layers.10")

    def check_kinds(self, device, kinds):
        """The kind comes from an annotation; the kind without it must also be reported."""
        theirs = dict(zip((a.id for a in device.device.allocations), analysis.classify(device.device)))
        for allocation in device.device.allocations:
            kind, because = kinds[allocation.id]
            self.assertEqual((kind, because.partition(";")[0]), theirs[allocation.id])
            if because.startswith("annotated;"):
                self.assertNotEqual(because, f"annotated; otherwise {kind.replace('_', ' ')}")

    def check_report(self, device, ours):
        theirs, told = device.at_peak(), ours["modules"]
        self.assertEqual(told["peak_bytes"], sum(row["bytes"] for path, row in theirs.items() if path in ((), None)))
        self.assertEqual({key: told["no_module"][key] for key in ("bytes", "count", *modules.ROLES)}, {key: theirs[None][key] for key in ("bytes", "count", *modules.ROLES)})
        self.assertEqual(told["telling_depth"], device.telling_depth())
        least = max(1, int(0.01 * device.device.peak))
        self.assertEqual({row["path"]: row["bytes"] for row in told["tree"]}, {".".join(p): row["bytes"] for p, row in theirs.items() if p is not None and row["bytes"] >= least})
        self.assertEqual(sorted(told["growing"], key=str), sorted(device.growing(), key=str))
        self.assertEqual(told["growing_without_steps"], device.growing_without_steps())

    def test_jobs_with_planted_truth(self):
        for name, options in JOBS.items():
            with self.subTest(job=name):
                path = self.folder / "job.pickle"
                truth = generator.main([str(path), *options])
                self.compare(path)
                rows = ask(path, "SELECT m.* FROM modules m")
                children = {}
                for row in rows:
                    if row["parent"] is not None:
                        children.setdefault(row["parent"], []).append(row)
                own = {}
                for row in rows:
                    left = {role: row[role] - sum(child[role] for child in children.get(row["id"], []) if row["id"] is not None) for role in modules.ROLES}
                    own["-" if row["path"] is None else row["path"]] = {role: bytes_ for role, bytes_ in left.items() if bytes_}
                self.assertEqual({path: row for path, row in own.items() if row}, {path: dict(row) for path, row in truth["own_at_peak"].items()})
                self.check_findings(path, truth, rows)

    def check_findings(self, path, truth, rows):
        report = json.loads(program("report", path, "--json"))["devices"][0]
        self.assertEqual(report["peak_bytes"], truth["peak_bytes"])
        found = {finding["code"]: finding for finding in report["findings"]}
        for finding in report["findings"]:
            if finding["code"] in ("largest_module", "module_leak"):
                self.assertEqual(ask(path, finding["sql"])[0]["bytes"], finding["bytes"])
        leaks = [row["path"] for row in report["modules"]["growing"] if row["state"] == "leak"]
        self.assertEqual(leaks, [truth["leaks"]] if truth["leaks"] else [])
        self.assertEqual("module_leak" in found, bool(truth["leaks"]))
        if truth["leaks"]:
            self.assertIn(f"The module {truth['leaks']} grows by", found["module_leak"]["sentence"])
        depth = report["modules"]["telling_depth"]
        level = [row["own"] if row["depth"] < depth else row["bytes"] for row in rows if row["path"] is not None and row["depth"] <= depth]
        self.assertEqual(found["largest_module"]["bytes"], max(level))
        self.assertIn("by module at the peak", program("report", path))

    def test_a_server_without_steps(self):
        """The leak is found from the whole recording; memory for requests of random sizes is not reported."""
        for leaks, seed in (("layers.2.mlp", 1), ("layers.0.attn", 2), ("", 3)):
            path = self.folder / "server.pickle"
            generator.main([str(path), "--requests", "80", "--leaks", leaks, "--seed", str(seed)])
            self.compare(path)
            found = [f for f in json.loads(program("report", path, "--json"))["devices"][0]["findings"] if f["code"] in ("module_growth", "module_leak")]
            self.assertEqual([finding["code"] for finding in found], ["module_growth"] if leaks else [])
            for finding in found:
                self.assertIn(f"The module {leaks} grew over the whole recording, from ", finding["sentence"])
                self.assertEqual(ask(path, finding["sql"])[0]["bytes"], finding["bytes"])

    def test_two_files_compared_by_module(self):
        own = []
        for name, options in (("a", ["--leaks", "", "--steps", "4"]), ("b", ["--leaks", "layers.1.mlp", "--steps", "6", "--layers", "5"])):
            generator.main([str(self.folder / f"{name}.pickle"), *options])
            rows = modules.of_trace(analysis.Trace(str(self.folder / f"{name}.pickle")))[0].at_peak()
            words = {None: "(no module)", (): "(the model itself)"}
            own.append({words.get(path) or ".".join(path): row["own"] for path, row in rows.items() if row["own"]})
        ours = json.loads(program("compare", self.folder / "a.pickle", self.folder / "b.pickle", "--by", "module", "--json"))
        rows = [row for box in ("only_a", "both", "only_b") for row in ours["rows"][box]]
        self.assertEqual([{row["key"]: row[side] for row in rows if row[side]} for side in ("bytes_a", "bytes_b")], own)

    def test_the_tree_of_modules(self):
        """`tree --frames modules`: memory without a module, or of the model itself, is listed beside the modules."""
        generator.main([str(self.folder / "job.pickle")])
        rows = modules.of_trace(analysis.Trace(str(self.folder / "job.pickle")))[0].at_peak()
        short = lambda path: ".".join(path[-2:] if len(path) > 1 and path[-1].isdigit() else path[-1:])
        expected = {";".join(short(path[:k]) for k in range(1, len(path) + 1)): row["own"] for path, row in rows.items() if path and row["own"]}
        folded = program("tree", self.folder / "job.pickle", "--frames", "modules", "--folded").splitlines()
        ours = {path: int(size) for path, _, size in (line.rpartition(" ") for line in folded)}
        self.assertEqual(ours, expected | {"(no module)": rows[None]["own"], "(the model itself)": rows[()]["own"]})
        tree = json.loads(program("tree", self.folder / "job.pickle", "--frames", "modules", "--json"))
        self.assertEqual(tree["bytes"], rows[()]["bytes"] + rows[None]["bytes"])

    def test_texts(self):
        # So that no single name counts as a module.
        without_paths = [text for text in TEXTS if not modules.is_path(text) or "." not in text]
        for texts, stamp in ((TEXTS, "metadata.of.it"), (without_paths, "word"), ([text for text in TEXTS if modules.read_text(text, True) is None], "my text")):
            path = self.folder / "texts.pickle"
            path.write_bytes(pickle.dumps(annotate_texts(texts, stamp), 4))
            self.compare(path)

    def test_a_file_without_texts_has_no_modules(self):
        path = self.folder / "none.pickle"
        path.write_bytes(pickle.dumps({"segments": [], "device_traces": [[{"action": "alloc", "addr": 512, "size": 7, "stream": 0, "time_us": 1, "frames": [], "user_metadata": ""}]]}, 4))
        self.compare(path)
        self.assertEqual(ask(path, "SELECT * FROM modules"), [])
        self.assertNotIn("module", program("report", path))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--snapviewer", required=True)
    options, rest = parser.parse_known_args()
    SNAPVIEWER = options.snapviewer
    unittest.main(argv=[sys.argv[0], *rest])

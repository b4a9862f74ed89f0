"""Lists the interfaces that scripts rely on, as lines of text from the program, the module or the header. A contract is a file NAME.txt
here and a function in CONTRACTS. docs/compatibility.md lists the promises; accept.py writes the files, and
tests/cli/test_contracts.py compares them.
"""
import collections
import contextlib
import json
import pickle
import re
import sqlite3
import subprocess
import sys
import xml.etree.ElementTree
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]
sys.path[:0] = [str(FOLDER), str(ROOT / "packaging"), str(FOLDER.parent)]
import interfaces  # noqa: E402
import manual  # noqa: E402
import snapshots  # noqa: E402

SAMPLE = snapshots.SAMPLE

# Objects whose keys are data, such as ranks or settings.
KEYS_ARE_DATA = re.compile(r"compare: settings\[\]\.[ab]|replay: agreement\.problems|"
                           r"report: devices\[\]\.(kinds\.(allocated|at_peak|unknown_because)|oom\.verdicts\[\]\.pending_by_stream)")
WHAT_TO_DO = ("Scripts rely on them. Keep the old beside the new and deprecate it: for an option with a row in app/cli/arguments.cpp, for "
              "anything else with a line in CHANGELOG.md. Only a new major version takes it away, with tests/contracts/accept.py PROGRAM --removing.")


def idle_later():
    """Makes a snapshot with the least idle memory before the first event, and the highest requested memory later."""
    allocator = snapshots.oracle("gen_allocator").Allocator()
    blocks = [allocator.malloc(1) for _ in range(3)]
    before = len(allocator.trace)
    for block in blocks:
        allocator.free(block)
    allocator.malloc(1000)
    return allocator.snapshot(len(allocator.trace) - before)


class Program:
    """Runs the program in a folder with every kind of file that the contracts need."""

    def __init__(self, binary, folder, environment):
        self.binary, self.folder, self.environment = binary, folder, environment
        snapshots.make("gen_card.py", folder / "card")
        snapshots.make("gen_pools.py", folder / "pools")
        snapshots.make("gen_modules.py", folder / "modules.pickle", "--leaks", "layers.1.mlp", "--layers", 2, "--steps", 6)
        snapshots.make("gen_fleet.py", folder / "fleet", "--ranks", 8, "--damaged", 1)
        snapshots.make("gen_series.py", folder / "series", "--ranks", 4, "--blocks", 4)
        snapshots.make("gen_planted.py", folder, "oom-fragmentation", "oom-outside", "leak-steps", "late-zero-grad", "host-like-a-device", "lines-a", "lines-b")
        (folder / "cut.pickle").write_bytes(SAMPLE.read_bytes()[:1_000_000])
        (folder / "idle-later.pickle").write_bytes(pickle.dumps(idle_later()))
        (folder / "damaged.pickle").write_bytes(b"no snapshot")

    def run(self, *arguments):
        return subprocess.run([self.binary, *map(str, arguments)], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=120)

    def said(self, *arguments, status=0):
        done = self.run(*arguments)
        if done.returncode != status:
            raise AssertionError(f"{arguments}: exit status {done.returncode}\n{done.stderr}")
        return done.stdout


STATUSES = [("0", "done", ["info", SAMPLE]), ("1", "a file is wrong", ["info", "damaged.pickle"]), ("2", "wrong usage", ["info"]),
            ("3", "no display for the window", [SAMPLE]), ("4", "check: a limit is broken", ["check", SAMPLE, "--max-peak", "1"]),
            ("5", "check: a limit is unknown", ["check", "cut.pickle", "--max-peak", "1TiB"])]


def option(name):
    """Returns an entry of --help without its explanation: `--limit VALUE`, `FILE...`, `--theme {light,dark}`."""
    words = name.split()
    rest = " ".join(words[1:]).removesuffix("REQUIRED").strip()
    required = " (required)" if words[-1] == "REQUIRED" else ""
    if words[0].startswith("-"):
        choice = re.search(r"\{.*\}", rest)
        return f"{words[0].split(',')[-1]}{' ' + choice.group() if choice else ' VALUE' if rest else ''}{required}"
    return f"{words[0]}{'...' if '...' in rest else ''}{required}"


def command_line(program):
    _, _, lists = manual.sections(program.said("--help"))
    for command in ["", *(name for name, _ in lists["Subcommands"])]:
        _, _, of_command = manual.sections(program.said(*([command] if command else []), "--help"))
        for title in ("Positionals", "Options"):
            yield from (f"snapviewer {command} {option(name)}".replace("  ", " ") for name, _ in of_command.get(title, []))
    for status, meaning, arguments in STATUSES:
        yield f"exit status {program.run(*arguments).returncode}: {meaning}"


def tables_of(path):
    """Returns the tables, columns and types of a written database."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        yield from connection.execute("SELECT m.name, p.name, p.type FROM sqlite_schema m JOIN pragma_table_info(m.name) p WHERE m.type IN ('table', 'view')")


def sql(program):
    page = (ROOT / "docs" / "sql.md").read_text(encoding="utf-8")   # generated from the program's schema, which a unit test checks
    functions = page[page.index("## Functions"):]
    made = re.findall(r"^### (\w+)\((.*)\)$", page, re.MULTILINE)
    names = " UNION ALL ".join(["SELECT name FROM sqlite_schema", *(f"SELECT '{name}'" for name, _ in made)])
    columns = f"SELECT t.name AS of, c.name, c.type FROM ({names}) t, pragma_table_xinfo(t.name) c WHERE c.hidden = 0"
    for row in json.loads(program.said("query", SAMPLE, columns, "--format", "json")):
        yield f"{row['of']}.{row['name']} {row['type']}".rstrip()
    yield from (f"{name}({arguments})" for name, arguments in made)
    yield from re.findall(r"^\| `(\w+\(.*?\))`", functions, re.MULTILINE)
    notes = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")     # a unit test compares this table with the program, too
    yield from (f"import_log.code = '{code}'" for code in re.findall(r"^\| .* \| \w+ \| `(\w+)` \|$", notes, re.MULTILINE))
    for what, arguments in [("fleet", ["fleet", "fleet", "--write", "fleet.db", "--totals"]), ("series", ["series", "series", "--db", "series.db"]),
                            ("export", ["export", SAMPLE, "--out", "export.db"])]:
        program.said(*arguments)
        yield from (f"{what}.db: {table}.{column} {kind}".rstrip() for table, column, kind in tables_of(program.folder / f"{what}.db"))


JSON_RUNS = [
    ("info", [["info", file, "--json"] for file in (SAMPLE, "cut.pickle", "oom-outside.pickle")]),
    ("report", [["report", file, "--json"] for file in (SAMPLE, "cut.pickle", "modules.pickle", "pools/pools.pickle", "oom-fragmentation.pickle",
                                                        "leak-steps.pickle", "late-zero-grad.pickle", "host-like-a-device.pickle", "idle-later.pickle")]),
    ("report", [["report", "card/node_rank1_device0_oom1.pickle", "--log", "card/job.log", "--json"]]),
    ("compare", [["compare", SAMPLE, "modules.pickle", "--json"], ["compare", "leak-steps.pickle", "late-zero-grad.pickle", "--by", "source", "--json"],
                 ["compare", "lines-a.pickle", "lines-b.pickle", "--json"]]),
    ("replay", [["replay", "oom-fragmentation.pickle", "--json"], ["replay", "oom-fragmentation.pickle", "--set", "expandable_segments=true", "--json"],
                ["replay", SAMPLE, "--smallest", "--json"]]),
    ("fleet", [["fleet", "fleet", "--json"]]),
    ("fleet --list", [["fleet", "fleet", "--list"]]),
    ("series", [["series", "series", "--json"]]),
]


def paths(value, path):
    """Returns (path, type) for every key below a value."""
    if isinstance(value, dict):
        yield path, "object"
        for key, below in value.items():
            yield from paths(below, f"{path}.{'KEY' if KEYS_ARE_DATA.fullmatch(path) else key}".replace(": .", ": "))
    elif isinstance(value, list):
        yield path, "array"
        for below in value:
            yield from paths(below, f"{path}[]")
    else:
        yield path, {str: "string", bool: "boolean", int: "number", float: "number", type(None): "null"}[type(value)]


def json_fields(program):
    types = collections.defaultdict(set)
    for command, runs in JSON_RUNS:
        for arguments in runs:
            said = json.loads(program.said(*arguments))
            for path, kind in paths(said, f"{command}: "):
                types[path].add(kind)
            if command == "report":
                yield from (f"report: the finding {finding['code']}" for device in said["devices"] for finding in device["findings"])
    yield from (f"{path} {' or '.join(sorted(kinds))}".replace(":  ", ": ") for path, kinds in types.items())
    program.said("check", SAMPLE, "--max-peak", "1", "--max-growth", "1TiB", "--junit", "junit.xml", status=4)
    for element in xml.etree.ElementTree.parse(program.folder / "junit.xml").iter():
        yield from (f"check --junit: {element.tag} {name}" for name in element.keys())


CONTRACTS = {"command_line": command_line, "sql": sql, "json": json_fields, "python": lambda program: interfaces.python_names(),
             "c": lambda program: interfaces.c_declarations()}


def now(name, program):
    return sorted(set(CONTRACTS[name](program)))


def path_of(name):
    return FOLDER / f"{name}.txt"


def promised(name):
    return path_of(name).read_text(encoding="utf-8").splitlines() if path_of(name).exists() else []

"""Rows about SQL, the analyses and exports."""
import json

from benchmark.inputs import progress
from benchmark.meter import rival
from benchmark.table import Line, against, at_most, milliseconds, row, size_text

SECTION = "Queries"
QUESTIONS = ("alive at T", "stack contains X", "largest first", "group by stack")
WHOLE_TABLES = ("count of allocations", "count of events", "sum over allocations", "sum over events", "allocations by stack", "events by stack")


def query_figures(bench, path, name):
    return min((figures["query_ms"][name] for figures in bench.meter.only("queries", path)), key=lambda query: query["median"])


def question(bench, name, on, make, limit_ms):
    figures = query_figures(bench, make(bench.inputs), name)
    return at_most(f'"{name}"', f"{on}, {figures['rows']:,} rows", figures["median"], limit_ms, milliseconds)


for name in QUESTIONS[:3]:
    row(SECTION, f"query {name} 220 MB", name, "220 MB", lambda inputs: inputs.repeated(50), 50)(question)


def search(bench, on, make):
    took = min(figures["search_ms"]["median"] for figures in bench.meter.only("lookups", make(bench.inputs)))
    return at_most("search of all stacks, for each letter that is typed", on, took, 16, milliseconds)


row(SECTION, "search 220 MB", "220 MB", lambda inputs: inputs.repeated(50))(search)
row(SECTION, "search 10 M", "10 M events", lambda inputs: inputs.generated(10**7))(search)

for name in QUESTIONS:
    row(SECTION, f"query {name} 10 M", name, "10 M events", lambda inputs: inputs.generated(10**7), 100)(question)


def whole_table(bench, name):
    path = bench.inputs.generated(10**7)
    figures = query_figures(bench, path, name)

    def ask_sqlite():
        progress(f"SQLite's answers over {path.stem}.db")
        asked = {each: query_figures(bench, path, each)["sql"] for each in WHOLE_TABLES}
        return rival("ask", bench.inputs.export(path, ".db"), json.dumps(asked))
    theirs = bench.remember(("SQLite", path), ask_sqlite)
    return against(f"`{figures['sql']}`", "10 M events", figures["median"], theirs[name], 0.5, "SQLite, rows stored")


for name in WHOLE_TABLES:
    row(SECTION, f"query {name}", name)(whole_table)


EXPORTS = "Exports"


@row(EXPORTS, "export db")
def export_database(bench):
    path = bench.inputs.repeated(50)
    database = bench.inputs.export(path, ".db")
    ours = 1000 * bench.meter.beyond_opening_s("export", path, "--out", bench.inputs.scratch / "written.db")
    progress("SQLite's own inserts")
    theirs = rival("fill", database)
    line = against("to .db, beyond opening", f"220 MB, {theirs['rows']:,} rows, {size_text(database.stat().st_size)} written", ours,
                   theirs["insert_select_ms"], 1.3, "SQLite's INSERT ... SELECT")
    line.rival += f"; executemany: {milliseconds(theirs['executemany_ms'])}"
    return line


@row(EXPORTS, "export zip")
def export_zip(bench):
    """The file of 220 MB becomes several gigabytes of JSON, more than Python can hold, so json.dumps writes two of its
    fifty repetitions."""
    path = bench.inputs.repeated(50)
    ours_s = bench.meter.beyond_opening_s("export", path, "--out", bench.inputs.scratch / "written.zip")
    import zipfile
    with zipfile.ZipFile(bench.inputs.scratch / "written.zip") as archive:
        written = sum(entry.file_size for entry in archive.infolist() if entry.filename.endswith(".json"))
    theirs = rival("dump_json", bench.inputs.zipped(2))
    ours_rate, their_rate = written / ours_s, 1000 * theirs["bytes"] / theirs["ms"]
    return Line("to a SnapViewer zip, beyond opening", f"220 MB, {size_text(written)} of JSON",
                f"{milliseconds(1000 * ours_s)}, {size_text(ours_rate)} of JSON a second = {ours_rate / their_rate:.2f} x", "3 x as fast",
                ours_rate >= 3 * their_rate, f"json.dumps, nothing packed: {size_text(their_rate)} a second")


ANALYSES = "Analyses"
ANSWERS = [  # name, the answers of `snapviewer_bench --json` to add up, their figure, the budget in milliseconds
    ("holes at every event", ("address space", "holes"), "max", 500),
    ("training steps", ("steps",), "max", 300),
    ("what grows", ("growth",), "max", 300),
    ("kinds", ("kinds",), "max", 300),
    ("layout at any event, p95", ("layout",), "p95", 1),
    ("which blocks pin what, p95", ("pins",), "p95", 50),
    ("call tree of a moment, p95", ("call tree",), "p95", 50),
    ("flame graph around a function, p95", ("callers and callees",), "p95", 50),
    ("what came and went, p95", ("changes between",), "p95", 50)]


def analysis(bench, what, names, figure, limit_ms, on, make):
    all_runs = [figures["answer_ms"] for figures in bench.meter.only("answers", make(bench.inputs))]
    if not all(name in answers for answers in all_runs for name in names):
        return None    # a file without stacks has no function for the flame graph
    took = min(sum(answers[name][figure] for name in names) for answers in all_runs)
    return at_most(what, on, took, limit_ms, milliseconds) if limit_ms else Line(what, on, milliseconds(took))


for what, names, figure, limit_ms in ANSWERS:
    row(ANALYSES, f"{what} 220 MB", what, names, figure, limit_ms, "220 MB", lambda inputs: inputs.repeated(50))(analysis)
for what, names, figure, _ in ANSWERS:     # without budgets, which are for the other file
    row(ANALYSES, f"{what} 10 M", what, names, figure, None, "10 M events", lambda inputs: inputs.generated(10**7))(analysis)


def whole_process(bench, what, limit_s, command):
    path = bench.inputs.repeated(50)
    took = bench.meter.beyond_opening_s(*[path if part == "FILE" else part for part in command])
    return at_most(what, "220 MB, beyond opening", 1000 * took, 1000 * limit_s, milliseconds)


row(ANALYSES, "report", "the whole report", 2, ("report", "FILE", "--json"))(whole_process)
row(ANALYSES, "compare itself", "comparing it with itself", 3, ("compare", "FILE", "FILE", "--json"))(whole_process)


@row(ANALYSES, "compare two")
def comparison(bench):
    """Compares two large files of different programs: the time beyond opening both, and the memory for both together."""
    paths = bench.inputs.repeated(50), bench.inputs.generated(3_200_000)
    alone = [bench.meter.cost("query", path, "SELECT 1") for path in paths]
    took, peak = bench.meter.cost("compare", *paths, "--json")
    took -= sum(seconds for seconds, _ in alone)
    both = sum(most for _, most in alone)
    return Line("comparing two files", " and ".join(size_text(path.stat().st_size) for path in paths),
                f"{milliseconds(1000 * took)} beyond opening, {size_text(peak)}; opened alone {size_text(both)} together",
                "3 s, the memory of both", took <= 3 and peak <= both)

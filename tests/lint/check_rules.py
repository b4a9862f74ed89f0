#!/usr/bin/env python3
"""Checks rules of this project that a compiler does not check: layers, lengths, left-overs, documentation of headers.

    check_rules.py [ROOT]        prints "path:line: [rule] what is wrong" and exits with 1 if there is anything

ARCHITECTURE.md gives the reasons for the layer rules. Each rule has a test in test_check_rules.py that breaks it.
"""
import itertools
import re
import sys
from pathlib import Path

SKIPPED_FOLDERS = {"build", "__pycache__"}
SOURCE_ENDINGS = {".cpp", ".h"}
TEXT_ENDINGS = SOURCE_ENDINGS | {".c", ".py", ".sh", ".cmake", ".vert", ".frag", ".glsl", ".sql", ".md", ".json", ".txt"}
COUNTED_ENDINGS = SOURCE_ENDINGS | {".c", ".py", ".sh"}
MAX_LINES = 600
FREE_FOLDERS = {"tests/oracles": {"length", "paths", "white space"}}   # exempt, see the README there

# The folders from which each folder may include.
LAYERS = {"core": {"core"}, "render": {"core", "render"}, "app": {"core", "render", "app"},
          "tools": {"core", "render", "app", "tools"},
          "tests/unit": {"core", "tests"}, "tests/bench": {"core", "tests"}, "tests/fuzz": {"core", "tests"}}
# The folders of core from which each of its folders may include, besides itself. A folder that is not named here
# belongs to its parent.
MODEL = {"system", "base", "trace"}
LOADING = {"load/bytes", "load/profilers", "load/pytorch", "load/remote", "load/converted"}
ANALYSES = {f"analysis/{name}" for name in ["compare", "findings", "growth", "kinds", "oom", "report", "space", "stacks", "steps"]}
BELOW_EXPORTS = MODEL | LOADING | ANALYSES | {"load", "sqlite", "timeline", "mesh", "query"}
CORE_ORDER = {"system": set(),
              "base": {"system"},
              "trace": {"system", "base"},
              "sqlite": {"system", "base"},
              "timeline": MODEL,
              "mesh": MODEL | {"timeline"},
              "load/bytes": {"system", "base"},
              "load/remote": {"system", "base", "load/bytes"},
              "load/pytorch": MODEL | {"load/bytes"},
              "load/converted": MODEL | {"sqlite", "load/bytes", "load/pytorch"},
              "load/profilers": MODEL | {"sqlite", "load/bytes"},
              "load": MODEL | LOADING | {"sqlite"},
              "query": MODEL | {"timeline", "sqlite"},
              "analysis/steps": MODEL | {"timeline"},
              "analysis/stacks": MODEL | {"timeline", "analysis/steps"},
              "analysis/kinds": MODEL | {"timeline", "analysis/steps"},
              "analysis/growth": MODEL | {"timeline", "analysis/steps", "analysis/stacks"},
              "analysis/space": MODEL | {"timeline"},
              "analysis/oom": MODEL | {"timeline", "analysis/space", "analysis/stacks"},
              "analysis/findings": MODEL | {"timeline"} | ANALYSES - {"analysis/findings", "analysis/compare", "analysis/report"},
              "analysis/compare": MODEL | {"timeline"} | ANALYSES - {"analysis/compare", "analysis/report"},
              "analysis/report": MODEL | {"timeline"} | ANALYSES - {"analysis/report"},
              "exports": BELOW_EXPORTS,
              "replay": MODEL | {"analysis/space", "analysis/oom"},
              "document": BELOW_EXPORTS | {"replay"},
              "fleet": BELOW_EXPORTS | {"exports", "document"},
              "fleet/series": BELOW_EXPORTS | {"exports", "document", "fleet"},
              "capi": BELOW_EXPORTS | {"exports", "document", "fleet", "fleet/series"}}
# Folders of core whose declarations are in namespace snapviewer itself, because all others use them. Every other folder
# has a namespace.
SHARED_NAMES = MODEL | {"timeline", "document", "capi"}
# The order inside app: a folder includes only from earlier ones. The files directly in app/features are shared by all features: the
# window's state, which consists of theirs, and requests. A feature that is not named here comes after those that are, and no other
# feature includes it.
APP_ORDER = ["system", "ui", "features", *(f"features/{name}" for name in [
    "answers", "timeline", "reports", "live", "selection", "details", "kinds", "files", "findings", "moments", "address_map", "compare",
    "fleet", "query", "notes", "navigation", "save_picture"]),
    "picture", "shell", "serve", "cli"]
# The file of app/shell that knows the features. The others include only what features share, which is directly in app/features.
CREATES_FEATURES = "app/shell/features.cpp"
# Folders of app whose declarations are in namespace snapviewer itself, because all features use them.
SHARED_IN_APP = {"system", "ui", "web", "features", "features/timeline"}
# The folders that may include a third-party header, by the beginning of its name.
HEADER_OWNERS = {
    "sqlite3.h": ["core/sqlite", "core/query", "core/exports", "tests/unit", "tests/fuzz"],
    "re2": ["core/timeline"],
    "seccomp.h": ["core/system/linux", "tests/unit/posix"],
    "zip.h": ["core/load", "core/exports"],
    "zlib.h": ["core/load", "core/exports", "tests/fuzz"],
    "lzma.h": ["core/load", "tests/fuzz", "tests/unit"],
    "bzlib.h": ["core/load", "tests/fuzz", "tests/unit"],
    "zstd": ["core/load", "core/exports", "tests/fuzz", "tests/unit"],
    "nlohmann/": ["core", "app", "tools", "tests"],
    "fmt/": ["core", "render", "app", "tools", "tests"],
    "png.h": ["render", "tests/golden"],
    "glm/": ["render", "app", "tests"],
    "glad/": ["render", "app", "tools", "tests/golden", "tests/gui", "tests/window"],
    "dbus/": ["app/system/linux"],
    "GL/": [],
    "EGL/": ["app/system/linux"],
    "GLFW/": ["app", "tools", "tests/app", "tests/window"],
    "imgui": ["app", "tests/golden", "tests/window"],
    "CLI/": ["app"],
    "httplib.h": ["app/serve"],
    "fontconfig/": ["app/system/linux"],
    "X11/": ["tests/gui"],
    "gtest/": ["tests"],
    "benchmark/": ["tests/bench"],
}
WINDOW_NAMES = r"ImGui\w*|Im(?:Vec|Draw|Font|Gui)\w*|GLFW\w*|glfw[A-Z]\w*"
FORBIDDEN_NAMES = {"core": re.compile(rf"\b(?:{WINDOW_NAMES}|gl[A-Z]\w*|GL(?:u?int|enum|float|sizei|boolean)\b)"),
                   "render": re.compile(rf"\b(?:{WINDOW_NAMES})")}

# Functions that only one file may call -> that file.
CALLED_IN_ONE_PLACE = {"ImGui::InvisibleButton": "app/ui/widgets.cpp"}   # it aborts the program for an empty size
# Functions that open a path, which block forever on a FIFO, and the files that may call them: PlainFile, which all readers use;
# writers; and readers of the kernel's files.
OPENS_PATHS = re.compile(r"(?<![\w.>])(?:::open(?:at)?\(|(?:std::)?(?:ifstream|fopen)\b|sqlite3_open_v2\()")
MAY_OPEN_PATHS = {"core/system/posix/files.cpp", "core/system/linux/system.cpp", "core/system/linux/sandbox.cpp",
                  "core/sqlite/sqlite_file.cpp", "core/sqlite/vfs.cpp", "core/query/database.cpp", "core/exports/database_file.cpp",
                  "app/system/posix/crash_handler.cpp"}

# The entry points convert exceptions to errors. Readers also catch exceptions, to say which part of a file is wrong.
CATCHES = re.compile(r"\bcatch \(")
# The entry points, each with a test that throws an exception through it: a GoogleTest, or a command-line test by the
# name of its file.
MAY_CATCH = {
    "core/base/context.h": "Doors.ReturnWhatWorkThrows",
    "core/base/context.cpp": "Doors.ReturnWhatWorkThrows",
    "core/base/job.h": "JobTest.WhatTheWorkThrowsIsItsError",
    "core/base/hash.cpp": None,  # cannot be tested, because it needs a system without random numbers
    "core/replay/what_if.cpp": "FailingMemory.IsAnErrorAtEveryDoor",
    "core/fleet/read_in_order.h": "InOrderReader.EndsIfAFileThrows",
    "core/sqlite/connection.h": "Doors.CallbacksOfSqliteReturnItsCodes",
    "core/load/bytes/zip_callback.h": "Doors.CallbacksOfLibzipReturnItsCodes",
    "core/capi/snapviewer.cpp": "FailingMemory.IsAnErrorAtEveryDoor",
    "core/capi/library.cpp": "FailingMemory.IsAnErrorAtEveryDoor",
    "app/cli/command_line.cpp": "cli.messages",
    "app/cli/arguments.cpp": "cli.usage",
    "app/features/notes/note_file.cpp": "NoteFile.ADamagedFileIsSetAside",
    "app/serve/server.cpp": "cli.serve_hostile",
    "app/serve/answer_cache.cpp": "AnswerCacheTest.AFailureInsideIsAnAnswer",
}

# Folders that may call the operating system: one per system, chosen by CMake, each implementing the same headers.
SYSTEMS = ["posix", "linux", "macos", "windows", "web"]
SYSTEM_FOLDERS = [f"{layer}/system/{system}" for layer in ("core", "app") for system in SYSTEMS]
SYSTEM_HEADER = re.compile(r"(?:sys|linux|mach|mach-o|arpa|netinet|net)/|csignal$|(?:dirent|dlfcn|execinfo|fcntl|ifaddrs|link|mqueue|netdb|poll|pthread|pwd|grp|"
                           r"sched|semaphore|signal|spawn|syslog|termios|ucontext|unistd|windows|winsock2|winioctl|shellapi|shlobj|psapi|dwrite|io)\.h$")
SYSTEM_MACRO = re.compile(r"\b(?:_WIN32|_WIN64|__linux__|__APPLE__|__unix__|__MINGW\w*|__EMSCRIPTEN__)\b")
# POSIX functions that are also declared by headers of the standard library.
SYSTEM_CALL = re.compile(r"\b(?:clock_gettime|(?:un)?setenv|(?:gm|local)time_r|mkstemp|mkdtemp|realpath|readlink|popen|fileno|fdopen)\(")
# Functions that parse numbers. Only one place uses them, because some depend on the locale, and some standard libraries cannot parse
# floating-point numbers with from_chars.
READS_NUMBERS = re.compile(r"\b(?:from_chars|strto(?:d|f|ld)|sto(?:d|f|ld)|atof)\(")
MAY_READ_NUMBERS = {"core/base/text.h", "core/base/text.cpp"}

# Lists of the tests that fail in a port's emulator: their maximum length and the form of a line, which must give a reason.
NOT_EMULATED = re.compile(r"packaging/\w+/not_emulated\.txt$")
MAX_NOT_EMULATED = 25
NOT_EMULATED_LINE = re.compile(r"(?:#.*|\S+: \w.{15,})$")

# The logic of features, which is tested without a window: only files whose name ends in _ui include ImGui.
PLAIN_LOGIC = re.compile(r"app/features/(?!.*_ui\.(?:cpp|h)$).*\.(?:cpp|h)$")
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')
LEFT_OVER = re.compile(r"\b(?:TO" r"DO|FIX" r"ME)\b")
PERSONAL_PATH = re.compile(r"(?<![\w.])/(?:home|Users|root|tmp)/(?!(?:me|somebody)\b)")   # except in examples
# The names in unnamed namespaces of .cpp files, and the types and constants that headers declare.
LIBRARIES = ["core/capi", "core", "render", "app", "tools/bench"]
OWN_NAMES = re.compile(r"^namespace \{\n(.*?)^\}  // namespace$", re.MULTILINE | re.DOTALL)
LIBRARY_NAME = re.compile(r"^(?:(?:class|struct|enum class) (\w+)\b(?! *;)|using (\w+) =|inline constexpr [^=({]*\b(k_\w+)(?:\[\])? *[={(])", re.MULTILINE)
OWN_NAME = re.compile(r"^(?:(?:class|struct|enum class) (\w+)\b(?! *;)|constexpr [^=({]*\b(k_\w+)(?:\[\])? *[={(])", re.MULTILINE)
ANY_NAMESPACE = re.compile(r"namespace ?([\w:]*) \{$")
DEFINED_TYPE = re.compile(r"(?:template <.*> ?)?(?:class|struct|enum class|enum|union) (\w+)(?: final)?(?: :(?!:).*)? ?\{")
NAMESPACE = re.compile(r"namespace (snapviewer[\w:]*) \{$")
TYPE_DECLARATION = re.compile(r"(?:(?:class|struct|enum class|template) ?[^{]*;(?: *//.*)?)?$")
TYPE_DEFINITION = re.compile(r"^(?:class|struct)\s+(?:\[\[\w+\]\]\s+)?(\w+)[^;]*$")


def inside(path, folder):
    return path == folder or path.startswith(folder + "/")


def is_ours(path):
    return any(inside(path, library) for library in LIBRARIES)


def is_of_a_system(path):
    return any(inside(path, folder) for folder in SYSTEM_FOLDERS)


def core_folder(path):
    """Returns the folder of a file of core/, as CORE_ORDER spells it; None if it has none."""
    folder = path.removeprefix("core/").rpartition("/")[0]
    while folder and folder not in CORE_ORDER:
        folder = folder.rpartition("/")[0]
    return folder or None


def app_folder(path):
    """Returns the folder of a file of app/, as APP_ORDER spells it; None outside of app/ and for main.cpp."""
    parts = path.split("/")
    if parts[0] != "app" or len(parts) < 3:
        return None
    return "/".join(parts[1:3]) if parts[1] == "features" and len(parts) > 3 else parts[1]


def namespace_of(path):
    """Returns the namespace of a source, which is that of its folder."""
    if inside(path, "render"):
        return "snapviewer::render"
    if inside(path, "tools"):
        return "snapviewer::" + path.split("/")[1]
    if inside(path, "app"):
        folder, shared = app_folder(path), SHARED_IN_APP
    else:
        folder, shared = core_folder(path) if inside(path, "core") else None, SHARED_NAMES
    return "snapviewer" if folder is None or folder in shared else "snapviewer::" + folder.rpartition("/")[2]


FOLDER_NAMESPACES = {namespace_of(f"core/{folder}/a.h") for folder in CORE_ORDER} | {"snapviewer::render"} | {
    namespace_of(f"app/{folder}/a.h") for folder in APP_ORDER}
# A function whose name equals one of these namespaces. It would be ambiguous in a file that is compiled together with that folder.
NAMED_LIKE_A_NAMESPACE = re.compile(rf"\w[\w:<>,&* ]*[ &*]({'|'.join(name.rpartition('::')[2] for name in sorted(FOLDER_NAMESPACES))})\(")


def check_namespaces(path, lines):
    """A source is in the namespace of its folder or in a nested one. In other namespaces it only declares types."""
    own = namespace_of(path)
    for number, line in enumerate(lines, 1):
        found = NAMED_LIKE_A_NAMESPACE.match(line) if own == "snapviewer" and is_ours(path) else None
        if found:
            yield number, "namespace", f"a namespace is called {found.group(1)}, too"
    if not any(inside(path, layer) for layer in ("core", "render", "app", "tools")):
        return
    for number, line in enumerate(lines, 1):
        found = NAMESPACE.match(line)
        if not found or found.group(1) == own:
            continue
        name = found.group(1)
        nested = name.startswith(own + "::") and name not in FOLDER_NAMESPACES
        body = itertools.takewhile(lambda other: other != f"}}  // namespace {name}", lines[number:])
        if not nested and not all(TYPE_DECLARATION.match(other) for other in body):
            yield number, "namespace", f"what {path} defines is in namespace {own}"


def check_core_order(path, header):
    if not inside(path, "core") or not inside(header, "core") or header.count("/") < 2:
        return
    folder, wanted = core_folder(path), core_folder(header)
    if folder is None:
        yield "core order", f"{path} is in no folder of core that CORE_ORDER knows"
    elif wanted != folder and wanted not in CORE_ORDER[folder]:
        yield "core order", f"core/{folder} must not include {header}"


def position_in_app(folder):
    """Returns the position of a folder of app/ in its order; None if it has none."""
    if folder in APP_ORDER:
        return APP_ORDER.index(folder)
    return APP_ORDER.index("picture") - 0.5 if folder.startswith("features/") else None


def check_app_order(path, header):
    folder, wanted = app_folder(path), app_folder(header)
    if folder is None or wanted is None or folder == wanted:
        return
    for name in (folder, wanted):
        if position_in_app(name) is None:
            yield "app order", f"APP_ORDER knows no app/{name}"
            return
    is_shared = folder == "features" and wanted.startswith("features/")
    if not is_shared and position_in_app(wanted) >= position_in_app(folder):
        yield "app order", f"app/{folder} must not include {header}"
    if folder == "shell" and wanted.startswith("features/") and path != CREATES_FEATURES:
        yield "app order", f"only {CREATES_FEATURES} may name a feature; the rest of app/shell knows them as Feature and DockRow"


def check_include(path, header):
    yield from check_core_order(path, header)
    yield from check_app_order(path, header)
    for layer, allowed in LAYERS.items():
        first = header.split("/")[0]
        if inside(path, layer) and first in {"core", "render", "app", "tools", "tests"} and first not in allowed:
            yield "layers", f"{layer}/ must not include {header}"
    if is_ours(path) and SYSTEM_HEADER.match(header) and not is_of_a_system(path):
        yield "systems", f"{header} may be included only in core/system and app/system, in the folder of a system"
    if is_ours(path) and is_of_a_system(header) and not inside(path, "/".join(header.split("/")[:2])):
        yield "systems", f"{header} is for the files of its own system; the headers one folder up say the same for all"
    for start, owners in HEADER_OWNERS.items():
        if header.startswith(start) and not any(inside(path, owner) for owner in owners):
            yield "headers", f"{header} may be included only in {', '.join(owners) or 'no folder (use glad)'}"


def check_source_line(path, line):
    include = INCLUDE.match(line)
    if include:
        yield from check_include(path, include.group(1))
        return
    code = line.split("//")[0]
    for layer, names in FORBIDDEN_NAMES.items():
        found = names.search(code)
        if inside(path, layer) and found:
            yield "layers", f"the name {found.group()} does not belong in {layer}/"
    if is_ours(path) and SYSTEM_MACRO.search(code) and not is_of_a_system(path):
        yield "systems", "CMake chooses the files of a system: core/system, app/system"
    if is_ours(path) and SYSTEM_CALL.search(code) and not is_of_a_system(path):
        yield "systems", "the system is called in core/system and app/system, in the folder of a system"
    if is_ours(path) and READS_NUMBERS.search(code) and path not in MAY_READ_NUMBERS:
        yield "calls", "texts become numbers in core/base/text alone"
    if code.startswith("using nlohmann::json;") and is_ours(path):
        yield "own names", "values called json of files compiled together with this one would hide it: using JsonValue = nlohmann::json;"
    if OPENS_PATHS.search(code) and is_ours(path) and path not in MAY_OPEN_PATHS:
        yield "calls", "files are opened by PlainFile::open() or read_plain_file(), which never wait"
    if CATCHES.search(code) and is_ours(path) and path not in MAY_CATCH and not inside(path, "core/load") and not is_of_a_system(path):
        yield "catch", "exceptions are caught at entry points alone, by caught(); a new entry point and its test stand in MAY_CATCH"
    for name, place in CALLED_IN_ONE_PLACE.items():
        if name + "(" in code and path != place:
            yield "calls", f"{name} is called in {place} alone"


def check_text_line(path, line):
    if LEFT_OVER.search(line):
        yield "left-over", "finish it, or write an issue"
    if "\t" in line:
        yield "white space", "tab"
    if line != line.rstrip():
        yield "white space", "spaces at the end of the line"
    if PERSONAL_PATH.search(line):
        yield "paths", "a path that exists on one machine only"


def check_documentation(path, lines):
    """Every class and struct at namespace level of a public header has a comment."""
    if not (path.endswith(".h") and (inside(path, "core") or inside(path, "render"))):
        return
    for number, line in enumerate(lines, 1):
        found = TYPE_DEFINITION.match(line)
        above = number - 2
        while above >= 0 and lines[above].startswith("template"):
            above -= 1
        if found and not lines[above].startswith("///"):
            yield number, "documentation", f"{found.group(1)} has no /// comment"


def check_not_emulated(path, lines):
    """The list of tests that an emulator cannot run is short, and each has a reason."""
    if not NOT_EMULATED.match(path):
        return
    for number, line in enumerate(lines, 1):
        if not NOT_EMULATED_LINE.match(line):
            yield number, "emulator", "a line is a regular expression for names of tests, a colon and why the emulator fails them"
    if len(lines) > MAX_NOT_EMULATED:
        yield len(lines), "emulator", f"{len(lines)} lines; where that many fail, the port does"


def check_file(root, path):
    ending = "." + path.rsplit(".", 1)[-1]
    if ending not in TEXT_ENDINGS:
        return
    text = (root / path).read_text(encoding="utf-8")
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    else:
        yield len(lines), "white space", "no line end at the end of the file"
    if ending in COUNTED_ENDINGS and len(lines) > MAX_LINES:
        yield len(lines), "length", f"{len(lines)} lines; more than {MAX_LINES} is where a reader gets lost"
    for number, line in enumerate(lines, 1):
        findings = list(check_text_line(path, line))
        if ending in SOURCE_ENDINGS:
            findings += check_source_line(path, line)
        for rule, message in findings:
            yield number, rule, message
    yield from check_documentation(path, lines)
    yield from check_namespaces(path, lines)
    yield from check_not_emulated(path, lines)


def names_of_headers(root, paths):
    """Returns {(namespace, name): headers} for all names that headers declare at namespace level."""
    names = {}
    for path in paths:
        if path.endswith(".h"):
            text = (root / path).read_text(encoding="utf-8")
            namespace = namespace_of(path)
            if f"\nnamespace {namespace} {{" in text:
                for found in LIBRARY_NAME.finditer(text):
                    names.setdefault((namespace, next(filter(None, found.groups()))), []).append(path)
    return names


def check_own_names(root, paths):
    """The files of a library are compiled together. A name in the unnamed namespace of one must therefore not occur in the unnamed
    namespace of another, nor in a header that another includes."""
    first = {}
    of_headers = names_of_headers(root, paths)
    for path in paths:
        library = next((name for name in LIBRARIES if inside(path, name)), None)
        if library is None or not path.endswith(".cpp") or "/system/windows/" in path:  # Windows' files are compiled alone
            continue
        text = (root / path).read_text(encoding="utf-8")
        for part in OWN_NAMES.finditer(text):
            for found in OWN_NAME.finditer(text, part.start(1), part.end(1)):
                name = found.group(1) or found.group(2)
                other = first.setdefault((library, namespace_of(path), name), path)
                layer = LAYERS[library.split("/")[0]]
                for header in of_headers.get((namespace_of(path), name), []):
                    if header.split("/")[0] in layer:
                        other = header
                if other != path:
                    line = text.count("\n", 0, found.start()) + 1
                    yield path, line, "own names", f"{other} has a {name}, too, and is compiled together with this file"


def check_one_definition(root, paths):
    """A type of a namespace is defined in one file. If there were two definitions, the linker would keep one version of each member
    function for both."""
    defined = {}
    for path in paths:
        if not is_ours(path) or is_of_a_system(path) or not path.endswith((".h", ".cpp")):
            continue
        namespaces = []
        for number, line in enumerate((root / path).read_text(encoding="utf-8").split("\n"), 1):
            opened, found = ANY_NAMESPACE.match(line), DEFINED_TYPE.match(line)
            if opened:
                namespaces.append(opened.group(1))
            elif line.startswith("}  // namespace") and namespaces:
                namespaces.pop()
            elif found and "" not in namespaces:
                name = "::".join([*namespaces, found.group(1)])
                if defined.setdefault(name, path) != path:
                    yield path, number, "one definition", f"{defined[name]} defines {name}, too"


def includes_of(root, path):
    """Returns {line: header} of a file's includes."""
    lines = (root / path).read_text(encoding="utf-8").split("\n")
    return {number: found.group(1) for number, line in enumerate(lines, 1) if (found := INCLUDE.match(line))}


def include_chain_to_imgui(header, includes, seen):
    """Returns the chain of includes from a header to ImGui, beginning with the header; empty if there is none, or if the header was
    examined before."""
    if header.startswith("imgui"):
        return [header]
    if header in seen:
        return []
    seen.add(header)
    ways = (include_chain_to_imgui(other, includes, seen) for other in includes.get(header, {}).values())
    return next(([header, *way] for way in ways if way), [])


def check_plain_logic(root, paths):
    """Files of plain logic do not include ImGui, directly or through headers."""
    includes = {path: includes_of(root, path) for path in paths if inside(path, "app") and path.endswith((".cpp", ".h"))}
    for path in filter(PLAIN_LOGIC.match, includes):
        seen = set()
        for line, header in includes[path].items():
            way = include_chain_to_imgui(header, includes, seen)
            if way:
                yield path, line, "plain logic", f"{path} includes {', which includes '.join(way)}: what is drawn has files of its own"


def check_entry_points(paths, root):
    """Each entry point has the test that MAY_CATCH names. Not checked in a tree without unit tests."""
    if not any(path.startswith("tests/unit/") for path in paths):
        return
    tests = "".join((root / path).read_text(encoding="utf-8") for path in paths if path.startswith("tests/") and path.endswith("_test.cpp"))
    for path, test in MAY_CATCH.items():
        if path not in paths or test is None:
            continue
        suite, name = test.split(".")
        is_there = f"tests/cli/test_{name}.py" in paths if suite == "cli" else re.search(rf"\bTEST(?:_F)?\({suite}, {name}\)", tests)
        if not is_there:
            yield path, 1, "catch", f"{path} is tested by {test}, which does not exist"


def project_files(root):
    for path in sorted(root.rglob("*")):
        parts = path.relative_to(root).parts
        if path.is_file() and not any(part in SKIPPED_FOLDERS or part.startswith(".") for part in parts):
            yield "/".join(parts)


def is_free(path, rule):
    return any(inside(path, folder) and rule in rules for folder, rules in FREE_FOLDERS.items())


def check_tree(root):
    """Returns all findings under a root as (path, line, rule, message)."""
    paths = list(project_files(root))
    findings = [(path, line, rule, message) for path in paths for line, rule, message in check_file(root, path)
                if not is_free(path, rule)]
    return (findings + list(check_own_names(root, paths)) + list(check_one_definition(root, paths)) + list(check_plain_logic(root, paths))
            + list(check_entry_points(paths, root)))


def main():
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2]
    findings = check_tree(root)
    for path, line, rule, message in findings:
        print(f"{path}:{line}: [{rule}] {message}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())

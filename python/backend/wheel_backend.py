"""Builds the wheel: the program, its library and the module, with the shared libraries that they need. Used by pip
(`pip wheel ./python`) and by scripts/wheel.sh.

The environment variable SNAPVIEWER_BUILD names a finished build folder; without it, scripts/build.sh is run. If the build folder
was built against the root of packaging/portable, SNAPVIEWER_PORTABLE names that root: most libraries are then linked into the
program, and the rest come from the root instead of the system. SNAPVIEWER_WINDOWS does so for Windows, where all libraries are
linked statically.
"""
from __future__ import annotations

import base64
import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
BUILT_AT = (1980, 1, 1, 0, 0, 0)   # the earliest time that a zip can store; equal inputs make equal wheels

# Libraries of the system that are never bundled: those of the C library, the graphics drivers and the display. Every system has them,
# or cannot show the window anyway.
NEVER_BUNDLED = re.compile(r"(ld-linux.*|lib(c|m|dl|rt|pthread|stdc\+\+|gcc_s|X.*|xcb.*|GL.*|EGL.*|wayland.*|fontconfig))\.so\..*")
OPENED_LATE = ["libglfw.so.3"]     # loaded by the program itself at run time; EGL, OpenGL and fontconfig come from the system

# Versions of libstdc++'s symbols, each with the first glibc whose distributions have them, according to the manylinux policies.
GLIBC_OF_LIBSTDCXX = [((3, 4, 28), (2, 31)), ((3, 4, 29), (2, 34)), ((3, 4, 30), (2, 35)), ((3, 4, 32), (2, 39))]

# Debian's packages with code that is linked into the program, including the C++ runtime; their licences are added to the wheel.
BUILT_IN = ["gcc-12-base", "libimgui-dev", "nlohmann-json3-dev", "libcli11-dev", "libglm-dev", "fonts-open-sans", "fonts-jetbrains-mono",
            "python3-glad"]


def run(*command: str | Path) -> str:
    return subprocess.run([str(part) for part in command], check=True, stdout=subprocess.PIPE, text=True).stdout


def needed(binary: Path) -> list[str]:
    """Returns the names of the shared libraries that a binary needs."""
    return re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "--wide", "--dynamic", binary))


def system_libraries() -> dict[str, Path]:
    """Maps the name of each library of this machine's architecture to its path, as the loader finds it."""
    bits = {"x86_64": "x86-64", "aarch64": "AArch64"}.get(platform.machine(), "")
    lines = re.findall(r"^\t(\S+) \((.*?)\) => (.*)$", run("/sbin/ldconfig", "-p"), flags=re.MULTILINE)
    return {name: Path(path) for name, kind, path in reversed(lines) if bits in kind}


def known_libraries() -> dict[str, Path]:
    """Maps the names of the libraries that may be bundled to their paths."""
    portable = os.environ.get("SNAPVIEWER_PORTABLE")
    return {path.name: path for path in Path(portable).glob("root/usr/lib/*/*.so.*")} if portable else system_libraries()


def set_names(binary: Path, names: dict[str, str], *, libraries_at: str, soname: str = "") -> None:
    """Changes a binary so that it finds the bundled libraries under their new names, and no library of the system instead. Makes one
    change per call, because patchelf 0.14 confuses the names if it gets several."""
    for old in needed(binary):
        if old in names:
            run("patchelf", "--replace-needed", old, names[old], binary)
    if soname:
        run("patchelf", "--set-soname", soname, binary)
    run("patchelf", "--set-rpath", libraries_at, binary)


def bundle(package: Path) -> list[Path]:
    """Copies into the package the libraries that the program, its library and the libraries loaded at run time need. Each gets a unique
    name; otherwise a Python that has loaded another version of a library would use that one. Returns the original paths."""
    library, program, folder = package / "libsnapviewer.so", package / "bin" / "snapviewer", package / "lib"
    opened_late = list(program.parent.glob("*.so"))
    folder.mkdir()
    sources: dict[str, Path] = {}
    known = known_libraries()
    waiting = [name for binary in (library, program, *opened_late) for name in needed(binary)] + OPENED_LATE
    while waiting:
        name = waiting.pop()
        if name not in sources and not NEVER_BUNDLED.fullmatch(name):
            sources[name] = known[name]
            waiting += needed(known[name])
    names = {}
    for name, source in sources.items():
        stem, _, version = name.partition(".so")
        digest = hashlib.sha256(source.read_bytes()).hexdigest()[:8]
        names[name] = name if name in OPENED_LATE else f"{stem}-{digest}.so{version}"
    for name, source in sources.items():
        copy = folder / names[name]
        shutil.copy(source.resolve(), copy)
        copy.chmod(0o755)
        set_names(copy, names, libraries_at="$ORIGIN", soname=names[name])
    set_names(library, names, libraries_at="$ORIGIN/lib")
    for binary in (program, *opened_late):
        set_names(binary, names, libraries_at="$ORIGIN/../lib")
    return list(sources.values())


def newest(symbols: str, prefix: str) -> tuple[int, ...]:
    versions = re.findall(rf"\b{prefix}_([0-9.]+[0-9])\b", symbols)
    return max((tuple(map(int, version.split("."))) for version in versions), default=())


def needed_glibc(binary: Path) -> tuple[int, ...]:
    """Returns the oldest glibc with which a binary runs, from the versions of the symbols that it needs."""
    asked = re.split(r"Version needs section", run("readelf", "--wide", "--version-info", binary))[-1]
    libstdcxx = newest(asked, "GLIBCXX")
    brought = next((glibc for version, glibc in GLIBC_OF_LIBSTDCXX if libstdcxx <= version), None)
    if brought is None:
        sys.exit(f"{binary} needs libstdc++ {libstdcxx}, newer than this script knows: add it to GLIBC_OF_LIBSTDCXX")
    return max(newest(asked, "GLIBC"), brought if libstdcxx else ())


def is_elf(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def processor_of(binary: Path) -> str:
    """Returns the processor of a binary in the spelling of Python's tags. It may differ from that of this machine."""
    machine = re.findall(r"Machine:\s+(.*)", run("readelf", "--file-header", binary))[0]
    return {"Advanced Micro Devices X86-64": "x86_64", "AArch64": "aarch64"}[machine]


def platform_tag(package: Path) -> str:
    """Returns the tag with the lowest possible glibc, and prints the files that prevent a lower one to standard error."""
    if "SNAPVIEWER_WINDOWS" in os.environ:
        return "win_amd64"
    glibc = {path: needed_glibc(path) for path in sorted(package.rglob("*")) if path.is_file() and is_elf(path)}
    top = max(glibc.values())
    held_by = ", ".join(path.name for path, version in glibc.items() if version == top)
    print(f"wheel: glibc {'.'.join(map(str, top))} or newer, because of {held_by}", file=sys.stderr)
    return f"manylinux_{top[0]}_{top[1]}_{processor_of(package / 'bin' / 'snapviewer')}"


def licences(libraries: list[Path]) -> Iterator[tuple[str, Path]]:
    """Yields the licences of the bundled libraries, from Debian's packages."""
    portable = os.environ.get("SNAPVIEWER_PORTABLE") or os.environ.get("SNAPVIEWER_WINDOWS")
    if portable:
        yield from ((path.stem, path) for path in sorted(Path(portable, "licenses").iterdir()))
        return
    packages = set(BUILT_IN)
    for library in libraries if shutil.which("dpkg-query") else []:
        for path in (library, library.resolve()):
            found = subprocess.run(["dpkg-query", "--search", str(path)], capture_output=True, text=True).stdout
            packages.update(line.split(":")[0] for line in found.splitlines())
    for package in sorted(packages):
        path = Path("/usr/share/doc") / package / "copyright"
        if path.exists():
            yield package, path


def metadata(project: dict[str, Any], version: str) -> str:
    """Returns the core metadata that pip reads."""
    lines = ["Metadata-Version: 2.1", f"Name: {project['name']}", f"Version: {version}", f"Summary: {project['description']}",
             f"Requires-Python: {project['requires-python']}", f"License: {project['license']}",
             f"Keywords: {','.join(project['keywords'])}"]
    lines += [f"Classifier: {classifier}" for classifier in project["classifiers"]]
    for extra, requirements in project["optional-dependencies"].items():
        lines += [f"Provides-Extra: {extra}"] + [f"Requires-Dist: {name}; extra == '{extra}'" for name in requirements]
    lines += ["Description-Content-Type: text/markdown", "", (ROOT / "python" / "README.md").read_text(encoding="utf-8")]
    return "\n".join(lines)


def entry_points(project: dict[str, Any]) -> str:
    groups = {"console_scripts": project["scripts"], **project.get("entry-points", {})}
    text = ""
    for group, entries in groups.items():
        text += f"[{group}]\n" + "".join(f"{name} = {target}\n" for name, target in entries.items())
    return text


def write_description(stage: Path, version: str, tag: str, libraries: list[Path]) -> Path:
    """Writes the .dist-info folder, which describes the wheel."""
    project = tomllib.loads((ROOT / "python" / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    folder = stage / f"snapviewer-{version}.dist-info"
    (folder / "licenses").mkdir(parents=True)
    (folder / "METADATA").write_text(metadata(project, version), encoding="utf-8")
    (folder / "WHEEL").write_text(f"Wheel-Version: 1.0\nGenerator: snapviewer\nRoot-Is-Purelib: false\nTag: {tag}\n", encoding="utf-8")
    (folder / "entry_points.txt").write_text(entry_points(project), encoding="utf-8")
    shutil.copy(ROOT / "LICENSE", folder / "licenses" / "LICENSE")
    for package, path in licences(libraries):
        shutil.copy(path, folder / "licenses" / f"{package}.txt")
    return folder


def write_wheel(stage: Path, description: Path, out: Path) -> None:
    """Zips the package. RECORD, with the hashes of all files, comes last."""
    record = ""
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        def add(name: str, data: bytes, mode: int) -> None:
            info = zipfile.ZipInfo(name, BUILT_AT)
            info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, (0o100000 | mode) << 16
            archive.writestr(info, data)
        for path in sorted(path for path in stage.rglob("*") if path.is_file()):
            name, data = path.relative_to(stage).as_posix(), path.read_bytes()
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record += f"{name},sha256={digest},{len(data)}\n"
            add(name, data, 0o755 if is_elf(path) else 0o644)
        name = f"{description.name}/RECORD"
        add(name, f"{record}{name},,\n".encode(), 0o644)


def built() -> Path:
    """Returns a folder with a finished build."""
    named = os.environ.get("SNAPVIEWER_BUILD")
    if not named:
        subprocess.run([ROOT / "scripts" / "build.sh", "snapviewer", "snapviewer_capi"], check=True, stdout=sys.stderr)
    return Path(named).resolve() if named else ROOT / "build" / "release"


def build_wheel(wheel_directory: str, config_settings: object = None, metadata_directory: object = None) -> str:
    """Called by pip (PEP 517): writes the wheel into a folder and returns its name."""
    build = built()
    version = re.findall(r"project\(snapviewer VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))[0]
    with tempfile.TemporaryDirectory(prefix="snapviewer-wheel-") as folder:
        stage = Path(folder)
        package = stage / "snapviewer"
        shutil.copytree(ROOT / "python" / "snapviewer", package, ignore=shutil.ignore_patterns("__pycache__"))
        if "SNAPVIEWER_WINDOWS" not in os.environ:
            run("cmake", "--build", build, "--target", "wheel_files")
        run("cmake", "--install", build, "--strip", "--component", "wheel", "--prefix", package)
        libraries = [] if "SNAPVIEWER_WINDOWS" in os.environ else bundle(package)
        tag = f"py3-none-{platform_tag(package)}"
        description = write_description(stage, version, tag, libraries)
        name = f"snapviewer-{version}-{tag}.whl"
        write_wheel(stage, description, Path(wheel_directory) / name)
    return name


def get_requires_for_build_wheel(config_settings: object = None) -> list[str]:
    return []


if __name__ == "__main__":
    os.makedirs(sys.argv[1], exist_ok=True)
    print(Path(sys.argv[1]) / build_wheel(sys.argv[1]))

"""Shared code of the packaging tests: the packages, made from the folder that SNAPVIEWER_BUILD names, and root folders in
which to test them."""
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "assets" / "sample.pickle"
BUILD = Path(os.environ.setdefault("SNAPVIEWER_BUILD", str(ROOT / "build" / "release")))
PROGRAM = BUILD / "snapviewer"
PAGE = ROOT / "build" / "page"      # part of all packages if scripts/web.sh has made it
PORTABLE = "SNAPVIEWER_PORTABLE" in os.environ      # true to test the portable wheel, made in the folder that this variable names
RELEASE = os.environ.get("SNAPVIEWER_RELEASE")      # output of scripts/release.sh, for the tests of other systems' packages
SKIPPED = 77
SQL = "SELECT id, size, alloc_step, free_step FROM allocations ORDER BY id"
# Libraries that only drawing may load.
DESKTOP_LIBRARIES = ("libX11", "libxcb", "libGL", "libEGL", "libglfw", "libfontconfig", "libwayland")


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def run(*command, **options):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)


def result(*command, **options):
    """Runs a command that must succeed; returns its output."""
    done = run(*command, **options)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def make_wheel(folder):
    return Path(result("bash", ROOT / "scripts" / "wheel.sh", *(["--portable"] if PORTABLE else []), folder).strip().splitlines()[-1])


def make_deb(folder):
    return Path(result("bash", ROOT / "scripts" / "deb.sh", folder).strip().splitlines()[-1])


def skip_without_release():
    if RELEASE is None:
        skip("SNAPVIEWER_RELEASE names no folder that scripts/release.sh wrote")


def released(pattern):
    """Returns the only package of RELEASE whose name matches."""
    found = sorted(Path(RELEASE).glob(pattern))
    if len(found) != 1:
        raise AssertionError(f"{RELEASE} has {len(found)} of {pattern}")
    return found[0]


def check_export(test, command, folder, **options):
    """Checks that an installed program finds its page."""
    if not PAGE.is_dir():
        test.skipTest("there is no build/page: scripts/web.sh makes it")
    one_file = folder / "one.html"
    result(command, "export", SAMPLE, "--out", one_file, **options)
    test.assertEqual(result(PROGRAM, "query", one_file, SQL), result(PROGRAM, "query", SAMPLE, SQL))
    test.assertIn('id="embedded-program"', one_file.read_text(encoding="utf-8"))


def mirror():
    """Returns the mirror from which apt gets packages on this machine."""
    sites = result("apt-get", "indextargets", "--format", "$(SITE)", "Created-By: Packages").split()
    return next((site for site in sites if "security" not in site), None)


def skip_without_roots(*tools):
    missing = [tool for tool in ("debootstrap", *tools) if not shutil.which(tool)]
    if os.geteuid() != 0 or missing:
        skip(f"needs root and {', '.join(('debootstrap', *tools))}")
    if mirror() is None:
        skip("apt is configured with no mirror")


class BareRoot:
    """A Debian with only Python, and an empty folder `trial` in it. Created for a test class and removed at its end. One for another
    processor runs in an emulator, which the kernel must be able to start.

    SNAPVIEWER_BARE_ROOTS names a folder with Debians, each named after its suite and processor. They are copied instead of created; a
    missing one is created there."""

    def __init__(self, test_class, suite="bookworm", processor=None):
        self.folder = Path(tempfile.mkdtemp(prefix="snapviewer-bare-root-"))
        test_class.addClassCleanup(shutil.rmtree, self.folder)
        kept = os.environ.get("SNAPVIEWER_BARE_ROOTS")
        made = Path(kept, suite if processor is None else f"{suite}-{processor}") if kept else self.folder
        if not Path(made, "usr/bin/python3").exists():
            result("debootstrap", *([f"--arch={processor}"] if processor else []), "--variant=minbase", "--include=python3,python3-venv",
                   suite, made, mirror())
        if kept:
            result("cp", "--archive", f"{made}/.", self.folder)
        result("mount", "-t", "proc", "proc", self.folder / "proc")
        test_class.addClassCleanup(result, "umount", self.folder / "proc")
        self.trial = self.folder / "trial"
        self.trial.mkdir()
        shutil.copy(SAMPLE, self.trial)

    def command(self, *command, **environment):
        clean = {"PATH": "/trial/venv/bin:/usr/bin:/usr/sbin:/bin:/sbin", "HOME": "/root", "LC_ALL": "C.UTF-8",
                 "DEBIAN_FRONTEND": "noninteractive", **environment}
        return ["chroot", str(self.folder), "env", "-i", *(f"{name}={value}" for name, value in clean.items()), *map(str, command)]

    def status(self, *command, **environment):
        return run(*self.command(*command, **environment))

    def inside(self, *command, **environment):
        """Runs a command there that must succeed; returns its output."""
        return result(*self.command(*command, **environment))

    def install(self, *packages):
        self.inside("apt-get", "install", "--yes", "--quiet", "--no-install-recommends", *packages)

#!/usr/bin/env python3
"""What long runs of the fuzz targets learned, kept beside them: learned/KIND.tar.xz has the smallest inputs of each kind that reach
something of their own, learned/spent.json what all runs together took.

    learned.py CORPUS        takes both from where fuzz.py left them
"""
import io
import pathlib
import shutil
import sys
import tarfile

sys.dont_write_bytecode = True
FOLDER = pathlib.Path(__file__).resolve().parent / "learned"
SPENT = FOLDER / "spent.json"
MOST_BYTES_OF_A_KIND = 1_000_000   # before they are packed


def unpack(folder, kind):
    """Writes the inputs of one kind into a folder that is there."""
    packed = FOLDER / f"{kind}.tar.xz"
    if packed.exists():
        with tarfile.open(packed) as archive:
            archive.extractall(folder, filter="data")


def smallest(folder):
    room = MOST_BYTES_OF_A_KIND
    for path in sorted(folder.iterdir(), key=lambda path: (path.stat().st_size, path.name)):
        content = path.read_bytes()
        room -= len(content)
        if room < 0:
            return
        yield path.name, content


def pack(folder, kind):
    with tarfile.open(FOLDER / f"{kind}.tar.xz", "w:xz", preset=9) as archive:
        for name, content in smallest(folder):
            entry = tarfile.TarInfo(name)   # of no time and no owner: what did not change packs to the same bytes
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))


def main():
    corpus = pathlib.Path(sys.argv[1])
    FOLDER.mkdir(exist_ok=True)
    for folder in sorted(path for path in corpus.iterdir() if path.is_dir() and path.name != "finds"):
        pack(folder, folder.name)
    shutil.copyfile(corpus / "spent.json", SPENT)


if __name__ == "__main__":
    main()

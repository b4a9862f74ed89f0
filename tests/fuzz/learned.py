#!/usr/bin/env python3
"""Stores the results of long runs of the fuzz targets: in learned/KIND.tar.xz the smallest inputs of each kind that each reach code of their
own, in learned/spent.json the totals of all runs.

    learned.py CORPUS        reads both from the folder that fuzz.py wrote
"""
import io
import pathlib
import sys
import tarfile

sys.dont_write_bytecode = True
import make_corpus  # noqa: E402

FOLDER = pathlib.Path(__file__).resolve().parent / "learned"
SPENT = FOLDER / "spent.json"
MAX_BYTES_OF_A_KIND = 1_000_000    # before compression


def unpack(folder, kind, at_most=None):
    """Writes the inputs of one kind, or a selection of all sizes, into an existing folder."""
    packed = FOLDER / f"{kind}.tar.xz"
    if packed.exists():
        with tarfile.open(packed) as archive:
            members = archive.getmembers()
            every = 1 if at_most is None else max(1, -(-len(members) // at_most))
            archive.extractall(folder, members[::every], filter="data")


def smallest(folder):
    room = MAX_BYTES_OF_A_KIND
    for path in sorted(folder.iterdir(), key=lambda path: (path.stat().st_size, path.name)):
        content = path.read_bytes()
        room -= len(content)
        if room < 0:
            return
        yield path.name, content


def pack(folder, kind):
    with tarfile.open(FOLDER / f"{kind}.tar.xz", "w:xz", preset=9) as archive:
        for name, content in smallest(folder):
            entry = tarfile.TarInfo(name)   # without a time and an owner, so that unchanged inputs give the same archive
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))


def main():
    corpus = pathlib.Path(sys.argv[1])
    FOLDER.mkdir(exist_ok=True)
    for kind in make_corpus.SEEDS:
        if (corpus / kind).is_dir():
            pack(corpus / kind, kind)
    SPENT.write_text((corpus / "spent.json").read_text().rstrip() + "\n")


if __name__ == "__main__":
    main()

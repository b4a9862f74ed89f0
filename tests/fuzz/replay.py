#!/usr/bin/env python3
"""A fuzz target on inputs made anew and some mutations of each; passes if it takes them all.

    replay.py PROGRAM KIND
"""
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import make_corpus  # noqa: E402

MUTATIONS = 3
LAST_WORDS = 3000


def main():
    program, kind = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        make_corpus.make(os.path.join(folder, "corpus"), kind)
        done = subprocess.run([program, "--mutations", str(MUTATIONS), os.path.join(folder, "corpus")], env={**os.environ, "TMPDIR": folder},
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    print(done.stdout.decode(errors="replace"))
    if done.returncode != 0:
        print(f"ended with {done.returncode}; its last words:", done.stderr[-LAST_WORDS:].decode(errors="backslashreplace"))
    return done.returncode != 0


if __name__ == "__main__":
    sys.exit(main())

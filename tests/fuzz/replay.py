#!/usr/bin/env python3
"""Runs a fuzz target on new inputs, some mutations of each and a selection of learned inputs. Passes if the target accepts all of them.

    replay.py PROGRAM KIND
"""
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import learned  # noqa: E402
import make_corpus  # noqa: E402

MUTATIONS = 3
MAX_LEARNED = 100    # a selection, because sanitizers are slow
LAST_WORDS = 3000


def main():
    program, kind = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        made, kept = os.path.join(folder, "made"), os.path.join(folder, "kept")
        make_corpus.make(made, kind)
        os.mkdir(kept)
        learned.unpack(kept, kind, MAX_LEARNED)
        done = subprocess.run([program, kept, "--mutations", str(MUTATIONS), made], env={**os.environ, "TMPDIR": folder},
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    print(done.stdout.decode(errors="replace"))
    if done.returncode != 0:
        print(f"ended with {done.returncode}; its last words:", done.stderr[-LAST_WORDS:].decode(errors="backslashreplace"))
    return done.returncode != 0


if __name__ == "__main__":
    sys.exit(main())

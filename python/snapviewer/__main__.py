"""python -m snapviewer: the same as the command snapviewer."""
from __future__ import annotations

from snapviewer._program import main

if __name__ == "__main__":
    main()

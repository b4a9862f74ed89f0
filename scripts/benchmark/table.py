"""Rows of the page, and how figures are written."""
from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Line:
    """What the page says in one row. `met`: None where there is no budget."""
    what: str
    on: str
    ours: str
    budget: str = "-"
    met: bool | None = None
    rival: str = "-"


SECTIONS = {}   # heading -> name -> function(bench), which gives a Line, or None where it does not apply


def row(section, name, *arguments):
    """Puts a function into the table, below `section`; `arguments` come after `bench`."""
    def keep(measure):
        SECTIONS.setdefault(section, {})[name] = lambda bench: measure(bench, *arguments)
        return measure
    return keep


def milliseconds(value):
    return f"{value / 1000:.2f} s" if value >= 1000 else f"{value:.1f} ms" if value >= 10 else f"{value:.2f} ms"


def microseconds(value):
    return f"{value:.1f} us" if value < 1000 else milliseconds(value / 1000)


def size_text(value):
    return f"{value / 1e9:.2f} GB" if value >= 1e9 else f"{value / 1e6:.0f} MB"


def percent(share):
    return f"{100 * share:.2f} %"


def at_most(what, on, value, limit, form, more="", rival="-"):
    """A figure that may be so large."""
    return Line(what, on, form(value) + more, form(limit), value <= limit, rival)


def against(what, on, ours, theirs, most, rival, form=milliseconds, more=""):
    """A figure that may be so many times the rival's of the same run."""
    return Line(what, on, f"{form(ours)} = {ours / theirs:.3g} x{more}", f"{most:g} x", ours <= most * theirs, f"{rival}: {form(theirs)}")


def markdown(lines):
    head = ("what", "on", "snapviewer", "budget", "", "rival, same run")
    words = {True: "met", False: "**missed**", None: "-"}
    rows = [head, ("---",) * len(head), *((line.what, line.on, line.ours, line.budget, words[line.met], line.rival) for line in lines)]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)

"""The rows of the page, and the formatting of figures."""
from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Line:
    """One row of the page. `met` is None if there is no budget."""
    what: str
    on: str
    ours: str
    budget: str = "-"
    met: bool | None = None
    rival: str = "-"


SECTIONS = {}   # heading -> name -> function(bench), which returns a Line, or None if the row does not apply


def row(section, name, *arguments):
    """Decorator that adds a function to `section` of the table. It is called with `bench`, then `arguments`."""
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
    """Returns a row for a figure with an absolute maximum."""
    return Line(what, on, form(value) + more, form(limit), value <= limit, rival)


def against(what, on, ours, theirs, most, rival, form=milliseconds, more=""):
    """Returns a row for a figure whose maximum is a multiple of the rival's figure in the same run."""
    return Line(what, on, f"{form(ours)} = {ours / theirs:.3g} x{more}", f"{most:g} x", ours <= most * theirs, f"{rival}: {form(theirs)}")


def markdown(lines):
    head = ("what", "on", "snapviewer", "budget", "", "rival, same run")
    words = {True: "met", False: "**missed**", None: "-"}
    rows = [head, ("---",) * len(head), *((line.what, line.on, line.ours, line.budget, words[line.met], line.rival) for line in lines)]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)

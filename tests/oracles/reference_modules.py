#!/usr/bin/env python3
"""Memory by module, computed slowly by the rules in docs/long-jobs.md.

    reference_modules.py FILE        the modules of each device at its peak, as JSON

Meaning of a text:

* "ROLE: PATH" with a role parameter, gradient, buffer or optimizer. The last name of the path is the tensor's; of an optimizer's
  path the last two are the tensor's and the state's. "optimizer: group 1, parameter 2.exp_avg" has only a role.
* "PATH" is a module, unless all of its names are numbers. A single name is one only if the file also has a path of several
  names, outside of "ROLE: PATH". The word "optimizer" always is the optimizer.
* A name is an identifier or a number; at most 63 dots and 1024 letters. Names of wrappers are removed.

Module and role of an allocation come from its annotations, else from the metadata of its alloc (never from its free, nor from a block
that the allocator made for itself). With several annotations, the module is the one that contains all of theirs, and the role is used
if all annotations with a role agree.
"""
import itertools
import json
import re
import sys

ROLES = ("parameter", "gradient", "buffer", "optimizer", "other")
NAME = r"(?:[A-Za-z_][A-Za-z0-9_]*|[0-9]+)"
PATH = re.compile(rf"{NAME}(?:\.{NAME}){{0,63}}", re.ASCII)
STATE = re.compile(r"group [0-9]+, parameter [0-9]+\.[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
WRAPPERS = {"_fsdp_wrapped_module", "_orig_mod", "_checkpoint_wrapped_module"}
KINDS = {"parameter": "parameter", "gradient": "gradient", "optimizer": "optimizer_state"}


def bare(names):
    names = [name for name in names if name not in WRAPPERS]
    while names and names[0] == "module":
        names = names[1:]
    return tuple(names)


def is_path(text):
    return len(text) <= 1024 and PATH.fullmatch(text) is not None and re.search("[A-Za-z_]", text) is not None


def read_text(text, single):
    """Returns (role, module as a tuple of names or None), or None for a text that has neither."""
    if not isinstance(text, str):
        return None
    for role in ROLES[:4]:
        if text.startswith(role + ": "):
            rest = text[len(role) + 2:]
            if role == "optimizer" and STATE.fullmatch(rest):
                return role, None
            names, own = rest.split("."), 2 if role == "optimizer" else 1
            return (role, bare(names[:-own])) if len(rest) <= 1024 and PATH.fullmatch(rest) and len(names) >= own else None
    if text == "optimizer":
        return "optimizer", ("optimizer",)
    if is_path(text) and ("." in text or single):
        return "other", bare(text.split("."))
    return None


def has_single_names(trace):
    texts = {e.get("user_metadata") for d in trace.devices.values() for e in d.events}
    return any(isinstance(text, str) and "." in text and is_path(text) for text in texts)


def by_notes(notes, single):
    told = [found for found in (read_text(text, single) for _, text in notes) if found]
    if not told:
        return None
    roles, paths = {role for role, _ in told if role != "other"}, [path for _, path in told if path is not None]
    common = paths[0] if paths else None
    for path in paths:
        while path[:len(common)] != common:
            common = common[:-1]
    return (roles.pop() if len(roles) == 1 else "other"), common


def module_of(allocation, single):
    """Returns (role, module or None, source of the information), or None."""
    told = by_notes(allocation.notes, single)
    if told:
        return (*told, "annotation")
    if allocation.origin != "alloc" or allocation.internal:
        return None
    told = read_text(allocation.metadata, single)
    return (*told, "metadata") if told else None


def kind_by_annotation(allocation):
    told = by_notes(allocation.notes, False)
    return KINDS.get(told[0]) if told else None


class DeviceModules:
    def __init__(self, trace, device):
        single = has_single_names(trace)
        self.device, self.of = device, {a: module_of(a, single) for a in device.allocations}
        self.is_told = any(self.of.values())
        self.paths = {()} if self.is_told else set()
        for allocation in device.allocations:
            for _, text in allocation.notes:
                self._add(read_text(text, single))
            told = self.of[allocation]
            self._add(told and told[:2])

    def _add(self, told):
        if told and told[1] is not None:
            self.paths |= {told[1][:k] for k in range(len(told[1]) + 1)}

    def totals(self, alive):
        """Returns the live bytes by path, None for memory without a module: {"own", "bytes", "count", and each role}."""
        rows = {path: dict.fromkeys(("own", "bytes", "count", *ROLES), 0) for path in [*self.paths, None]}
        if not self.is_told:
            return {}
        for a in alive:
            role, path = self.of[a][:2] if self.of[a] else ("other", None)
            rows[path]["own"] += a.size
            for above in [None] if path is None else [path[:k] for k in range(len(path) + 1)]:
                rows[above]["bytes"] += a.size
                rows[above]["count"] += 1
                rows[above][role] += a.size
        return rows

    def at_peak(self):
        return self.totals([a for a in self.device.allocations if a.live_after(self.device.peak_event)])

    def telling_depth(self):
        rows = {path: row for path, row in self.at_peak().items() if path is not None}
        levels = {}
        deepest = max(map(len, rows))
        for depth in range(1, max(1, deepest) + 1):
            level = [path for path in rows if len(path) == depth or
                     (len(path) < depth and not any(len(p) > len(path) and p[:len(path)] == path for p in rows))]
            if depth > 1 and len(level) > 128:
                break
            levels[depth] = max(row["bytes"] if len(path) == depth else row["own"] for path, row in rows.items() if len(path) <= depth)
            if 4 * levels[depth] <= rows[()]["bytes"]:
                return depth
        return min(levels, key=lambda depth: (levels[depth], depth))

    def growing(self):
        """Returns leaks and possible leaks: (path, state, slope, grown, rises, changes), most grown first."""
        import reference_analysis as analysis
        growth = analysis.analyse_growth(self.device)
        edges, found = growth.get("edges"), []
        for path in self.paths if edges else ():
            members = [a for a, told in self.of.items() if told and told[1] == path]
            held = [sum(a.size for a in members if a.live_after(edge - 1)) for edge in edges][growth["warmup"]:]
            state, _, change = analysis.judge(held, 4096)
            if state in ("leak", "possible"):
                found.append({"path": ".".join(path), "state": state, "slope": round(analysis.least_squares(held), 1), "grown": held[-1] - held[0],
                              "rises": sum(c > 0 for c in change), "changes": len(change)})
        return sorted(found, key=lambda row: (-row["grown"], row["path"]))


    def growing_without_steps(self):
        """If no steps are found: returns modules that held more in each eighth of the events than before: (path, from, to)."""
        import statistics

        import reference_analysis as analysis
        events, found = len(self.device.events), []
        if analysis.analyse_growth(self.device).get("edges") or events < 16:
            return found
        bounds = [events * window // 8 for window in range(9)]
        places = [(a + b) / 2 for a, b in zip(bounds, bounds[1:])]
        for path in self.paths:
            change = [0] * (events + 2)          # by the number of events so far
            for a, told in self.of.items():
                if told and told[1] == path:
                    change[0 if a.alloc is None else a.alloc + 1] += a.size
                    change[events + 1 if a.free is None else a.free + 1] -= a.size
            held = list(itertools.accumulate(change))
            floors = [min(held[a:b]) for a, b in zip(bounds, bounds[1:])]
            pairs = [(a, b) for a in range(8) for b in range(a + 1, 8)]
            slope = statistics.median((floors[b] - floors[a]) / (places[b] - places[a]) for a, b in pairs)
            off = [floors[i] - slope * (places[i] - places[0]) for i in range(8)]
            scatter = statistics.median(abs(each - statistics.median(off)) for each in off)
            grown = slope * (places[7] - places[0])
            if sum(floors[b] > floors[a] for a, b in pairs) >= 0.9 * len(pairs) and grown >= max(8 << 20, 4 * scatter) and floors[7] > floors[0]:
                found.append({"path": ".".join(path), "from_bytes": floors[0], "to_bytes": floors[7]})
        return sorted(found, key=lambda row: (row["from_bytes"] - row["to_bytes"], row["path"]))


def of_trace(trace):
    return [DeviceModules(trace, device) for device in trace.devices.values()]


def main():
    import reference_analysis
    for modules in of_trace(reference_analysis.Trace(sys.argv[1])):
        rows = modules.at_peak()
        print(json.dumps({"device": modules.device.index, "modules": {"(none)" if path is None else ".".join(path): row for path, row in rows.items()},
                          "telling_depth": modules.telling_depth() if rows else None, "growing": modules.growing()}, indent=1))


if __name__ == "__main__":
    main()

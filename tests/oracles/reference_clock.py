#!/usr/bin/env python3
"""Reference for clocks that were set back and for stray times, computed slowly and simply.

    mended(times) -> times

The arguments are the times of a trace's events in order (None: not recorded). A few times far from all others become None. After a
jump back, times continue from the last one before it. Times that are out of order by less than a hundredth of the recording are kept.
"""
DAY = 24 * 3600 * 10**6
FEW = 16


def mended(times):
    known = [(n, t) for n, t in enumerate(times) if t is not None]
    if all(0 <= b - a <= DAY for (_, a), (_, b) in zip(known, known[1:])):
        return list(times)
    few = min(FEW, max(1, len(known) // 20)) if len(known) >= 10 else 0
    if few == 0:
        return list(times)
    middle = sorted(t for _, t in known)[len(known) // 2]
    nearer = lambda a, b: abs(a - middle) < abs(b - middle)
    first = max([i for i in range(1, few + 1) if known[i][1] - max(t for _, t in known[:i]) > DAY and nearer(known[i][1], known[i - 1][1])], default=0)
    end = min([len(known) - i for i in range(1, few + 1) if min(t for _, t in known[len(known) - i:]) - known[-i - 1][1] > DAY
               and nearer(known[-i - 1][1], known[-i][1])], default=len(known))
    strays = {n for n, _ in known[:first] + known[end:]}
    known = known[first:end]
    steps = [b - a for (_, a), (_, b) in zip(known, known[1:])]
    visible = max(1, sum(s for s in steps if 0 < s < DAY) // 100)
    kept, jumps, shift = [], 0, 0                      # kept: (event, time)
    latest = lambda rows: max(t for _, t in rows)
    for i, (n, raw) in enumerate(known):
        if not kept or raw >= latest(kept):
            shift = 0
        now = raw + shift
        if not kept or latest(kept) - now < visible:
            kept.append((n, now))
            continue
        ahead = 0                                      # number of the last kept ones that would be removed
        while ahead <= few and len(kept) > ahead and latest(kept[:len(kept) - ahead]) > now:
            ahead += 1
        behind = 0                                     # number of following ones that are before the kept ones
        while behind <= few and i + behind < len(known) and known[i + behind][1] + shift < latest(kept):
            behind += 1
        if ahead <= few and (behind > few or abs(latest(kept) - middle) > abs(now - middle)):
            strays |= {event for event, _ in kept[len(kept) - ahead:]}
            kept = kept[:len(kept) - ahead] + [(n, now)]
        elif behind > few:
            jumps, back = jumps + 1, latest(kept) - now
            shift += back
            kept.append((n, now + back))
        elif now < kept[0][1]:
            strays.add(n)
        else:
            kept.append((n, now))
        if len(strays) > few:
            break
    if len(strays) > few or jumps > few:               # so many stray times or jumps cannot come from a clock that was set back
        return list(times)
    out = list(times)
    for n, t in kept:
        out[n] = t
    for n in strays:
        out[n] = None
    return out


def correct_clocks(traces):
    """Returns the traces of a snapshot with corrected times."""
    out = []
    for trace in traces:
        times = [event.get("time_us") for event in trace]
        new = mended(times)
        out.append(trace if new == times else [dict(event, time_us=t) for event, t in zip(trace, new)])
    return out

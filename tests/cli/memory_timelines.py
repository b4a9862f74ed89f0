"""Makes memory timelines in the format of torch.profiler's export_memory_timeline: tensors are created, freed and change their category."""
import json
import random

CATEGORIES = ["Parameter", "Optimizer state", "Input", "Temporary", "Activation", "Gradient", "Autograd detail", "Unknown"]
START_NS = 1_700_000_000_000_000_000
PREEXISTING, CREATE, INCREMENT_VERSION, DESTROY = 1, 2, 3, 4    # PyTorch's numbers; Ascend's begin at 0


def raw_events(count, seed=7):
    """Returns rows of [time in ns, action, change in bytes, category]. Tensors from before the recording have the time -1."""
    dice = random.Random(seed)
    live = [(dice.randrange(1, 9) << 20, dice.choice([0, 1])) for _ in range(10)]
    events = [[-1, PREEXISTING, size, category] for size, category in live]
    time = START_NS
    while len(events) < count:
        time += dice.choice([0, 300, 1000, 250_000])
        chance = dice.random()
        if chance < 0.5 or not live:
            live.append((dice.randrange(1, 1 << 24), dice.choice([2, 3, 4, 4, 4, 6, 7])))
            events.append([time, CREATE, *live[-1]])
        elif chance < 0.6:
            place = dice.randrange(len(live))
            size, category = live[place]
            live[place] = (size, 5)
            events += [[time, INCREMENT_VERSION, -size, category], [time, INCREMENT_VERSION, size, 5]]
        else:
            size, category = live.pop(dice.randrange(len(live)))
            events.append([time, DESTROY, -size, category])
    return events[:count]


def totals_of(events):
    """Converts events to the other layout: [times in us, [[0, bytes of each category], ...]]."""
    times, sizes = [], []
    first = next((time // 1000 for time, *_ in events if time >= 0), -1)
    for time, _, size, category in events:
        time = time // 1000 if time >= 0 else -1
        if not times or time != times[-1]:
            times.append(time)
            sizes.append(list(sizes[-1]) if sizes else [0] * (len(CATEGORIES) + 1))
        sizes[-1][category + 1] += size
    return [[first if time < 0 else time for time in times], sizes]


def curves_of(times, sizes):
    """Returns name -> [(time, bytes)] for each change. If several changes have the same time, the last one counts."""
    at = dict(zip(times, sizes))
    rows = {name: [(time, row[i + 1]) for time, row in at.items()] for i, name in enumerate(CATEGORIES)}
    rows["Total"] = [(time, sum(row)) for time, row in at.items()]
    changes = {name: [point for i, point in enumerate(points) if i == 0 or point[1] != points[i - 1][1]] for name, points in rows.items()}
    return {name: points for name, points in changes.items() if name == "Total" or any(value for _, value in points)}


def page(png):
    """Returns the HTML page around a picture. Ascend's page lacks the word GPU."""
    return ('<html>\n<head><meta charset="utf-8" /><title>GPU Memory Timeline HTML</title></head>\n<body>\n'
            f"  <img src='data:image/png;base64,{png}'>\n</body>\n</html>")


def write(path, value):
    path.write_text(json.dumps(value))
    return path

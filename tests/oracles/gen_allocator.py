#!/usr/bin/env python3
"""Writes snapshots of programs that use several pools and changing settings of PyTorch's allocator.

    gen_allocator.py OUT_DIR [NAME...] [--seed N] [--steps N]

A small program allocates and frees at random, with an allocator modelled on c10/cuda/CUDACachingAllocator.cpp that searches plain
lists. It supports graph pools, MemPools, expandable segments, and a setting that changes during the run. It shares no code with
reference_allocator.py, so the segments in the file are an independent reference for a replay. NAMES describes each recording. Every
run writes the same bytes.
"""
import argparse
import pathlib
import pickle
import random

KIB, MIB = 1 << 10, 1 << 20
SMALL, LARGE = 2 * MIB, 20 * MIB
PUBLIC = (0, 0)
RESERVED = 1 << 36               # address space that an expandable segment reserves


class Block:
    def __init__(self, address, size, stream, pool, mapped=True, expandable=None):
        self.address, self.size, self.stream, self.pool, self.mapped, self.expandable = address, size, stream, pool, mapped, expandable
        self.requested, self.used, self.waits, self.before, self.after = 0, False, False, None, None

    def idle(self):
        return not self.used and not self.waits


class Pool:
    def __init__(self, owner, small):
        self.owner, self.small, self.free, self.unmapped = owner, small, [], []


class Allocator:
    """The allocator of one device. `events_tell_pools`: events have pool ids, as since PyTorch 2.12. `native_pools`: private pools never
    grow by mapping, as before 2.5."""

    def __init__(self, expandable=False, native_pools=False, events_tell_pools=True, max_split=1 << 62, capacity=1 << 62,
                 skipped=(), reuses_addresses=False):
        self.expandable, self.native_pools, self.tells, self.max_split = expandable, native_pools, events_tell_pools, max_split
        self.capacity, self.skipped, self.reuses_addresses, self.given_back = capacity, skipped, reuses_addresses, {}
        self.pools, self.current, self.unsplit, self.custom = {}, PUBLIC, set(), set()
        self.freeable, self.trace, self.heads, self.live = set(), [], [], {}
        self.waiting, self.reserved, self.top, self.clock, self.stack = [], 0, 0x7f0000000000, 0, "run"

    def event(self, action, address, size, stream, owner, **more):
        self.clock += 5
        if action in self.skipped:
            return
        frames = [{"name": self.stack, "filename": "/workspace/program.py", "line": 7}]
        row = {"action": action, "addr": address, "size": size, "stream": stream, "time_us": self.clock, "frames": frames, **more}
        if action == "oom":
            del row["addr"]
        if self.tells:
            row["pool_id"] = owner
        self.trace.append(row)

    def pool(self, size, owner):
        small = size <= MIB
        return self.pools.setdefault((owner, small), Pool(owner, small))

    # Allocation.

    def malloc(self, requested, stream=0):
        size = max(512, -(-requested // 512) * 512)
        pool = self.pool(size, self.current)
        block = self.get_free_block(pool, size, stream)
        if block is None:
            block = self.alloc_block(pool, size, stream)
        if block is None and self.max_split < 1 << 62 and self.release_available(pool, size, stream):
            block = self.alloc_block(pool, size, stream)
        if block is None and self.current == PUBLIC:             # skipped while a graph is captured or a MemPool is in use
            self.release_cached()
            block = self.alloc_block(pool, size, stream)
        if block is None:
            self.event("oom", None, size, stream, self.current, device_free=self.capacity - self.reserved)
            return None
        rest = block.size - size
        if pool.owner in self.unsplit:
            splits = False
        elif pool.small or self.expandable:
            splits = rest >= 512
        else:
            splits = size < self.max_split and rest > MIB
        if splits:
            remaining = Block(block.address + size, rest, stream, pool, True, block.expandable)
            block.size = size
            self.splice(block, remaining)
            pool.free.append(remaining)
        block.used, block.requested = True, requested
        self.live[block.address] = block
        self.event("alloc", block.address, requested, stream, pool.owner)
        return block.address

    @staticmethod
    def splice(block, following):
        following.before, following.after = block, block.after
        if block.after:
            block.after.before = following
        block.after = following

    def get_free_block(self, pool, size, stream):
        row = sorted((b for b in pool.free if b.stream == stream and b.size >= size), key=lambda b: (b.size, b.address))
        if not row:
            return None
        at = 0
        if row[0].expandable:
            reach = lambda b: b.size + (b.after.size if b.after and not b.after.mapped else 0)
            if self.expandable:
                while row[at].expandable and at + 1 < len(row) and reach(row[at + 1]) < reach(row[at]):
                    at += 1
            else:
                while at < len(row) and row[at].expandable:
                    at += 1
                if at == len(row):
                    return None
        if size < self.max_split <= row[at].size or size >= self.max_split and row[at].size >= size + LARGE:
            return None
        pool.free.remove(row[at])
        return row[at]

    def alloc_block(self, pool, size, stream):
        native = pool.owner in self.custom or self.native_pools and pool.owner != PUBLIC
        if self.expandable and not native:
            return self.expand(pool, size, stream)
        wanted = SMALL if size <= MIB else LARGE if size < 10 * MIB else -(-size // (2 * MIB)) * 2 * MIB
        if self.reserved + wanted > self.capacity:
            return None
        block = Block(self.address_for(wanted), wanted, stream, pool)
        self.heads.append(block)
        self.reserved += wanted
        self.event("segment_alloc", block.address, wanted, stream, pool.owner)
        return block

    def address_for(self, size):
        """Returns the address of a new segment: a new one, or, as with real drivers, that of a released segment."""
        fitting = [(there, address) for address, there in self.given_back.items() if self.reuses_addresses and there >= size]
        if fitting:
            del self.given_back[min(fitting)[1]]
            return min(fitting)[1]
        self.top += size + 2 * MIB
        return self.top - size - 2 * MIB

    # Expandable segments.

    def expand(self, pool, size, stream):
        candidate = self.find_expandable(pool, size, stream)
        if not candidate.mapped and not self.map(candidate, min(candidate.size, size)):
            return None
        while candidate.size < size:
            following = candidate.after
            if not self.map(following, min(size - candidate.size, following.size)):
                return None
            candidate = following
        pool.free.remove(candidate)
        return candidate

    def find_expandable(self, pool, size, stream):
        for candidate in sorted((b for b in pool.unmapped if b.stream == stream), key=lambda b: b.address):
            if candidate.before and candidate.before.idle():
                candidate = candidate.before
            room, walk = 0, candidate
            while walk and walk.idle() and room < size:
                room, walk = room + walk.size, walk.after
            if room >= size:
                return candidate
        self.top = -(-self.top // RESERVED) * RESERVED + 5 * RESERVED
        block = Block(self.top, RESERVED, stream, pool, False, (self.top, SMALL if pool.small else LARGE))
        self.top += RESERVED
        self.heads.append(block)
        pool.unmapped.append(block)
        return block

    def map(self, block, size):
        base, page = block.expandable
        mapped = min(base + -(-(block.address + size - base) // page) * page - block.address, block.size)
        if self.reserved + mapped > self.capacity:
            return False
        block.pool.unmapped.remove(block)
        address = block.address
        if mapped < block.size:
            rest = Block(block.address + mapped, block.size - mapped, block.stream, block.pool, False, block.expandable)
            block.size = mapped
            self.splice(block, rest)
            block.pool.unmapped.append(rest)
        block.mapped = True
        self.merge(block)
        block.pool.free.append(block)
        self.reserved += mapped
        self.event("segment_map", address, mapped, block.stream, block.pool.owner)
        return True

    def unmap(self, block):
        base, page = block.expandable
        first = base + -(-(block.address - base) // page) * page
        last = base + (block.address + block.size - base) // page * page
        if first >= last:
            return
        pool = block.pool
        pool.free.remove(block)
        if first > block.address:
            front, end = block, block.address + block.size
            block = Block(first, end - first, front.stream, pool, True, front.expandable)
            front.size = first - front.address
            self.splice(front, block)
            pool.free.append(front)
        if last < block.address + block.size:
            rest = Block(last, block.address + block.size - last, block.stream, pool, True, block.expandable)
            block.size = last - block.address
            self.splice(block, rest)
            pool.free.append(rest)
        block.mapped, size = False, block.size
        self.merge(block)
        pool.unmapped.append(block)
        self.reserved -= size
        self.event("segment_unmap", first, size, block.stream, pool.owner)
        if not block.before and not block.after:
            pool.unmapped.remove(block)
            self.heads.remove(block)

    def merge(self, block):
        """Merges a block with its free neighbours of the same kind. `block` remains, but is in no free list."""
        for other in (block.before, block.after):
            if other is None or not other.idle() or other.mapped != block.mapped:
                continue
            (block.pool.free if other.mapped else block.pool.unmapped).remove(other)
            if other is block.before:
                block.address, block.before = other.address, other.before
                if block.before:
                    block.before.after = block
                else:
                    self.heads[self.heads.index(other)] = block
            else:
                block.after = other.after
                if block.after:
                    block.after.before = block
            block.size += other.size

    # Releasing memory.

    def free(self, address, waits=False):
        block = self.live[address]
        block.used, block.waits = False, True
        self.event("free_requested", address, block.requested, block.stream, block.pool.owner)
        if waits:
            self.waiting.append(address)
        else:
            self.complete(address)

    def complete(self, address):
        block = self.live.pop(address)
        if address in self.waiting:
            self.waiting.remove(address)
        self.event("free_completed", address, block.requested, block.stream, block.pool.owner)
        block.waits = False
        self.merge(block)
        block.pool.free.append(block)

    def release_available(self, pool, size, stream):
        wanted, row = max(size, self.max_split), sorted((b for b in pool.free if b.stream == stream), key=lambda b: (b.size, b.address))
        large = [b for b in row if b.size >= wanted]
        if large:
            self.release_block(large[0])
            return True
        freed = 0
        for block in reversed([b for b in row if b.size >= self.max_split]):
            if freed < wanted:
                freed += block.size
                self.release_block(block)
        return freed >= wanted

    def release_block(self, block):
        block.pool.free.remove(block)
        self.heads.remove(block)
        self.given_back[block.address] = block.size
        self.reserved -= block.size
        self.event("segment_free", block.address, block.size, block.stream, block.pool.owner)

    def release_blocks(self, owner, small):
        pool = self.pools.get((owner, small))
        if pool is None:
            return
        row = sorted(pool.free, key=lambda b: (b.stream, b.size, b.address))
        for block in row:
            if not block.expandable and not block.before and not block.after:
                self.release_block(block)
        for block in row:
            if block.expandable:
                self.unmap(block)

    def release_cached(self, only=None):
        """empty_cache(); with `only`, for one MemPool, whose destructor calls it since PyTorch 2.7."""
        for address in list(self.waiting):
            if only is None or self.live[address].pool.owner == only:
                self.complete(address)
        if only is None:
            self.release_blocks(PUBLIC, False)
            self.release_blocks(PUBLIC, True)
        for owner in sorted(self.freeable if only is None else self.freeable & {only}):
            self.release_blocks(owner, True)
            self.release_blocks(owner, False)

    def empty_cache(self):
        self.stack = "empty_cache"
        self.release_cached()
        self.stack = "run"

    # Writing the file.

    def snapshot(self, keep=None):
        segments = []
        for head in self.heads:
            run, walk = [], head
            while walk:
                if walk.mapped:
                    run.append(walk)
                if run and (not walk.mapped or walk.after is None):
                    segments.append(self.segment(run))
                    run = []
                walk = walk.after
        settings = {"PYTORCH_CUDA_ALLOC_CONF": "", "max_split_size": self.max_split if self.max_split < 1 << 62 else -1, "garbage_collection_threshold": 0.0,
                    "expandable_segments": self.expandable, "roundup_power2_divisions": {str(1 << k): 0 for k in range(16)}}
        return {"segments": sorted(segments, key=lambda s: s["address"]), "device_traces": [self.trace[-keep:] if keep else self.trace],
                "allocator_settings": settings, "external_annotations": []}

    @staticmethod
    def segment(run):
        state = lambda b: "active_allocated" if b.used else "active_pending_free" if b.waits else "inactive"
        blocks = [{"address": b.address, "size": b.size, "requested_size": 0 if b.idle() else b.requested, "state": state(b), "frames": []} for b in run]
        active = [b for b in blocks if b["state"] != "inactive"]
        return {"device": 0, "address": run[0].address, "total_size": sum(b.size for b in run), "stream": run[0].stream,
                "segment_type": "small" if run[0].pool.small else "large", "segment_pool_id": run[0].pool.owner, "is_expandable": run[0].expandable is not None,
                "allocated_size": sum(b["size"] for b in active if b["state"] == "active_allocated"), "active_size": sum(b["size"] for b in active),
                "requested_size": sum(b["requested_size"] for b in active), "frames": [], "blocks": blocks}


class Program:
    """Allocates at random. Remembers its blocks by the pool in which they were allocated."""

    def __init__(self, allocator, seed):
        self.a, self.rng, self.held, self.waits = allocator, random.Random(seed), {}, 0.1

    def size(self):
        kind = self.rng.random()
        if kind < 0.45:
            return self.rng.randrange(1, 900 * KIB)
        if kind < 0.8:
            return self.rng.randrange(MIB, 9 * MIB)
        return self.rng.randrange(10 * MIB, 70 * MIB)

    def act(self, steps, streams=(0,), grows=0.55):
        mine = self.held.setdefault(self.a.current, [])
        for _ in range(steps):
            waiting = self.a.waiting
            if waiting and self.rng.random() < 0.2:
                self.a.complete(waiting[0])
            elif mine and self.rng.random() > grows:
                self.a.free(mine.pop(self.rng.randrange(len(mine))), self.rng.random() < self.waits)
            else:
                address = self.a.malloc(self.size(), self.rng.choice(streams))
                if address is not None:
                    mine.append(address)
                elif mine:
                    self.a.free(mine.pop())

    def within(self, pool, steps, **more):
        self.a.current = pool
        self.act(steps, **more)
        self.a.current = PUBLIC

    def give_all(self, pool):
        for address in self.held.pop(pool, []):
            self.a.free(address)


def ordinary(p, steps):
    for number in range(3):
        p.act(steps // 3, streams=(0, 7))
        if number < 2:
            p.a.empty_cache()


def one_stream(p, steps):
    """No block waits for another stream, so blocks are free as soon as they are released."""
    p.waits = 0
    ordinary(p, steps)


def pools(p, steps):
    """Two captures and a MemPool between ordinary work; their pools remain."""
    p.act(steps // 4)
    p.within((0, 1), steps // 4, streams=(7,))
    p.a.empty_cache()
    p.act(steps // 4)
    p.within((0, 2), steps // 8)
    p.within((1, 0), steps // 8)
    p.a.empty_cache()
    p.act(steps // 8, grows=0.3)


def captured(p, steps):
    """Capturing a graph empties the cache first, so that its pool gets addresses that ordinary memory had before."""
    p.act(steps // 2, grows=0.35)
    p.a.empty_cache()
    p.within((0, 1), steps // 4)
    p.act(steps // 4)


def pools_gone(p, steps):
    """A graph that is destroyed before the cache is emptied, and a MemPool that releases only its own memory."""
    p.act(steps // 4)
    p.within((0, 1), steps // 6)
    p.within((1, 0), steps // 6)
    p.act(steps // 6, grows=0.3)
    p.give_all((1, 0))
    p.a.freeable.add((1, 0))
    p.a.release_cached((1, 0))
    p.act(steps // 6)
    p.give_all((0, 1))
    p.a.freeable.add((0, 1))
    p.a.empty_cache()
    p.act(steps // 6)


def switching(p, steps):
    """The program switches expandable segments off and on again."""
    p.act(steps // 4)
    for chosen in (not p.a.expandable, p.a.expandable):
        p.a.expandable = chosen
        p.act(steps // 4)
        p.a.empty_cache()
        p.act(steps // 8)


def unsplit(p, steps):
    p.act(steps // 3)
    p.a.unsplit.add((1, 0))
    p.within((1, 0), steps // 3, grows=0.5)
    p.act(steps // 3)
    p.within((1, 0), steps // 3, grows=0.5)


def library(p, steps):
    """A MemPool with a custom allocator (ncclMemAlloc) in a program with expandable segments."""
    p.a.custom.add((1, 0))
    pools(p, steps)


# name: the work of the program, the settings of its allocator, the number of last events to keep
NAMES = {
    "plain": (ordinary, {}, None),
    "expandable": (ordinary, {"expandable": True}, None),
    "graphs": (pools, {}, None),
    "graphs-untold": (pools, {"events_tell_pools": False}, None),
    "captured-untold": (captured, {"events_tell_pools": False, "reuses_addresses": True}, None),
    "graphs-expandable": (pools, {"expandable": True}, None),
    "graphs-expandable-untold": (pools, {"expandable": True, "events_tell_pools": False}, None),
    "graphs-native": (pools, {"expandable": True, "native_pools": True}, None),
    "graphs-native-untold": (pools, {"expandable": True, "native_pools": True, "events_tell_pools": False}, None),
    "library": (library, {"expandable": True}, None),
    "pools-gone": (pools_gone, {}, None),
    "pools-gone-untold": (pools_gone, {"events_tell_pools": False}, None),
    "pools-gone-expandable": (pools_gone, {"expandable": True}, None),
    "switch-on": (switching, {}, None),
    "switch-off": (switching, {"expandable": True}, None),
    "unsplit": (unsplit, {}, None),
    "graphs-full": (pools, {"capacity": 700 * MIB}, None),
    "graphs-full-expandable": (pools, {"capacity": 700 * MIB, "expandable": True}, None),
    "graphs-oversize": (pools, {"max_split": 32 * MIB}, None),
    "skipped": (one_stream, {"skipped": ("free_completed",)}, None),
    "skipped-late": (one_stream, {"skipped": ("free_completed",)}, 0.6),
    "skipped-waiting": (ordinary, {"skipped": ("free_completed",)}, None),
    "skipped-requested": (ordinary, {"skipped": ("free_requested",)}, None),
    "graphs-late": (pools, {}, 0.6),
    "graphs-expandable-late": (pools, {"expandable": True}, 0.6),
    "graphs-native-late": (pools, {"expandable": True, "native_pools": True}, 0.6),
    "switch-late": (switching, {}, 0.6),
    "library-late": (library, {"expandable": True}, 0.6),
}


def make(folder, name, seed=1, steps=900):
    act, settings, kept = NAMES[name]
    allocator = Allocator(**settings)
    act(Program(allocator, f"{name} {seed}"), steps)
    keep = int(len(allocator.trace) * kept) if kept else None
    path = pathlib.Path(folder) / f"{name}.pickle"
    path.write_bytes(pickle.dumps(allocator.snapshot(keep), protocol=4))
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(NAMES)}; all by default")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--steps", type=int, default=900)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for name in options.names or NAMES:
        make(options.folder, name, options.seed, options.steps)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Writes a snapshot of a training job whose program names its modules, with the expected answers.

    gen_modules.py OUT.pickle [--layers 4] [--steps 12] [--leaks layers.2.mlp] [--hours 6] [--seed 1] [--stamps/--no-stamps] [--wrapped] [--requests N]

Parameters, buffers, gradients and the optimizer's state are annotated as `sv.annotate` does it, and activations get the metadata of
the module that allocates them, as with component tracking. The backward pass runs on another thread, so its allocations have no
metadata. One module leaks at every step. OUT.json contains the bytes of each module at the peak (its own, by role; "-" for memory
without a module) and the leak.
"""
import argparse
import collections
import json
import pickle
import random

from gen_planted import Code, GiB, KiB, Machine, MiB

WRAPPERS = ("_fsdp_wrapped_module", "_orig_mod", "_checkpoint_wrapped_module")


class NamedRun:
    def __init__(self, arguments):
        self.random, self.machine, self.code, self.arguments = random.Random(arguments.seed), Machine(64 * GiB), Code(), arguments
        self.books, self.total, self.peak, self.largest = {}, 0, 0, {}
        self.weights, self.gradients, self.states = [], {}, {}

    def alloc(self, size, frames, module=None, role="other", stamp=None):
        """Allocates memory whose true module and role are given; `stamp` is the metadata of the thread."""
        address = self.machine.alloc(size, frames, user_metadata=stamp or "")
        self.books[address] = [module, role, size]
        self.total += size
        if self.total > self.peak:
            self.peak, self.largest = self.total, dict(self.books)
        return address

    def free(self, address, frames):
        self.total -= self.books.pop(address)[2]
        self.machine.free(address, frames)

    def say(self, address, text):
        """Annotates an allocation, which may give it a more precise module."""
        self.machine.event("annotate", address, 0, self.code.line(200, "annotate"), user_metadata=text)

    def know(self, address, module, role, text):
        self.books[address][:2] = module, role          # corrects the true values at the peak, too
        self.say(address, text)

    def written(self, path):
        """Returns a module's path as written in the recording, including the names of wrappers."""
        if not self.arguments.wrapped:
            return path
        names = ["module"]
        for name in path.split("."):
            if self.random.random() < 0.4:
                names.append(self.random.choice(WRAPPERS))
            names.append(name)
        return ".".join(names)

    def build(self):
        hidden, code = 64 * KiB, self.code
        shapes = [("embed", "weight", 6 * hidden)]
        for layer in range(self.arguments.layers):
            shapes += [(f"layers.{layer}.attn.qkv", "weight", 3 * hidden), (f"layers.{layer}.attn.out", "weight", hidden),
                       (f"layers.{layer}.mlp", "weight", 8 * hidden), (f"layers.{layer}.norm", "weight", 4 * KiB)]
        shapes += [("norm", "weight", 4 * KiB), ("", "scale", 2 * KiB), ("lm_head", "weight", 6 * hidden)]
        for number, (module, tensor, size) in enumerate(shapes):
            address = self.alloc(size, code.build(number, number % 4))
            self.weights.append((address, module, tensor, size))
        for address, module, tensor, _ in self.weights:
            self.know(address, module, "parameter", f"parameter: {self.written('.'.join(filter(None, [module, tensor])))}")
        mask = self.alloc(512 * KiB, code.line(91, "make_mask"))
        self.know(mask, "rope", "buffer", f"buffer: {self.written('rope.inv_freq')}")
        self.say(mask, "packed by autograd")                       # a text that names no module
        both = self.alloc(128 * KiB, code.line(92, "flat_buffer"))  # one allocation that contains two tensors
        self.say(both, "buffer: layers.0.attn.qkv.scale")
        self.know(both, "layers.0.attn", "buffer", "buffer: layers.0.attn.out.scale")

    def forward(self):
        kept = []
        for layer in range(self.arguments.layers):
            for part, size in (("attn", 2 * MiB), ("mlp", 3 * MiB)):
                module = f"layers.{layer}.{part}"
                stamp = self.written(module) if self.arguments.stamps else None
                kept.append(self.alloc(size + 512 * self.random.randrange(8), self.code.forward(1 + (part == "mlp")), module if stamp else None, stamp=stamp))
                scratch = self.alloc(256 * KiB, self.code.forward(3, "add"), module if stamp else None, stamp=stamp)
                self.free(scratch, self.code.forward(3, "add"))
        kept.append(self.alloc(MiB, self.code.line(101, "cross_entropy", "loss.py"), stamp="3.5"))     # a number is not a module
        return kept

    def backward(self, kept):
        for address in reversed(kept):
            scratch = self.alloc(512 * KiB, self.code.backward("Mm"))
            self.free(address, self.code.backward("Mm"))
            self.free(scratch, self.code.backward("Mm"))
        for weight, module, tensor, size in self.weights:
            if weight not in self.gradients:
                self.gradients[weight] = self.alloc(size, self.code.backward("Addmm"))

    def optimizer(self):
        for weight, module, tensor, size in self.weights:
            stamp = "optimizer" if self.arguments.stamps else None
            if weight not in self.states:
                self.states[weight] = [self.alloc(size, self.code.optimizer(160, "_init_group"), stamp, "optimizer" if stamp else "other", stamp) for _ in range(2)]
            scratch = self.alloc(size, self.code.optimizer(400), stamp, "optimizer" if stamp else "other", stamp)
            self.free(scratch, self.code.optimizer(400))

    def annotate_remaining(self):
        """Annotates the remaining tensors after the first step, like `sv.annotate`."""
        for weight, module, tensor, size in self.weights:
            path = self.written(".".join(filter(None, [module, tensor])))
            self.know(self.gradients[weight], module, "gradient", f"gradient: {path}")
            for address, key in zip(self.states[weight], ("exp_avg", "exp_avg_sq")):
                self.know(address, module, "optimizer", f"optimizer: {path}.{key}")
        lost = self.alloc(64 * KiB, self.code.line(93, "ema"))
        self.know(lost, None, "optimizer", "optimizer: group 1, parameter 0.exp_avg")

    def step(self, number):
        self.machine.mark(f"ProfilerStep#{number}", "START")
        kept = self.forward()
        leaks = self.arguments.leaks
        if leaks:
            size = 96 * KiB + 512 * self.random.randrange(16)
            self.alloc(size, self.code.forward(9, "cat"), leaks if self.arguments.stamps else None, stamp=self.written(leaks) if self.arguments.stamps else None)
        self.backward(kept)
        self.optimizer()
        self.machine.mark(f"ProfilerStep#{number}", "END")
        if number == 0:
            self.annotate_remaining()
        self.machine.clock += self.arguments.hours * 3_600_000_000 // self.arguments.steps

    def serve(self, requests):
        """Serves requests of random sizes with some of the layers in random order. Nothing repeats, so there are no steps. Every
        second request leaks."""
        line = lambda: self.code.line(self.random.randrange(1000, 9000), f"handle_{self.random.randrange(1000)}", "server.py")
        for _ in range(requests):
            kept = []
            for layer in self.random.sample(range(self.arguments.layers), self.random.randrange(1, self.arguments.layers + 1)):
                module = f"layers.{layer}.{self.random.choice(['attn', 'mlp'])}"
                kept += [self.alloc(self.random.randrange(4 * KiB, 3 * MiB), line(), module, stamp=self.written(module)) for _ in range(self.random.randrange(1, 5))]
            if self.arguments.leaks and self.random.random() < 0.5:
                self.alloc(self.random.randrange(700 * KiB, 900 * KiB), line(), self.arguments.leaks, stamp=self.written(self.arguments.leaks))
            self.random.shuffle(kept)
            for address in kept:
                self.free(address, line())

    def truth(self):
        own = collections.defaultdict(lambda: collections.defaultdict(int))
        for module, role, size in self.largest.values():
            own["-" if module is None else module][role] += size
        return {"peak_bytes": self.peak, "own_at_peak": own, "leaks": self.arguments.leaks if self.arguments.stamps else None}


def options(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out")
    for name, usual in (("layers", 4), ("steps", 12), ("hours", 6), ("seed", 1)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    parser.add_argument("--leaks", default="layers.2.mlp", help="the module; empty for none")
    parser.add_argument("--stamps", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--wrapped", action="store_true")
    parser.add_argument("--requests", type=int, default=0, help="a server of so many requests in place of steps")
    return parser.parse_args(arguments)


def main(arguments=None):
    asked = options(arguments)
    run = NamedRun(asked)
    run.build()
    for number in range(0 if asked.requests else asked.steps):
        run.step(number)
    run.serve(asked.requests)
    with open(asked.out, "wb") as file:
        pickle.dump(run.machine.snapshot(), file, protocol=4)
    truth = run.truth()
    with open(asked.out.rsplit(".", 1)[0] + ".json", "w") as file:
        json.dump(truth, file, indent=1)
    return truth


if __name__ == "__main__":
    main()

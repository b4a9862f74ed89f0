#!/usr/bin/env python3
"""Writes assets/sample.pickle: a simulated memory snapshot of a small language model's training run.

    make_sample.py [OUT.pickle]

A 12-layer GPT trains in bfloat16 with AdamW on a 24 GiB card. Recording begins after the model was created, and keeps only the
newest events, so the trace starts in the middle of a backward pass. In each step the script appends an auxiliary loss to a list
without detaching it; its graph keeps that step's float logits alive, until the memory is full. The snapshot is taken by the
out-of-memory observer.

Every run writes the same bytes, because random numbers come from a seeded generator.
"""
import argparse
import bisect
import pickle
import random
from collections import deque
from pathlib import Path

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30

# Constants of the card and the allocator.
CAPACITY_BYTES = 23 * GIB + 300 * MIB       # memory that the driver leaves of 24 GiB
MAX_ENTRIES = 6500                          # size of _record_memory_history's ring buffer
START_TIME_US = 1_767_225_600_000_000       # 2026-01-01 00:00:00 UTC
COPY_STREAM = 94_702_318_415_872            # handle of the stream that copies batches

# Constants of the model.
LAYERS, WIDTH, HEADS, VOCABULARY = 12, 1280, 20, 50304
BATCH, LENGTH = 6, 1024
TOKENS = BATCH * LENGTH
HIDDEN_BYTES = TOKENS * WIDTH * 2           # size of a bfloat16 activation
SCORES_BYTES = BATCH * HEADS * LENGTH * LENGTH * 2
LAYER_PARAMETERS = [WIDTH, WIDTH, 3 * WIDTH * WIDTH, 3 * WIDTH, WIDTH * WIDTH, WIDTH,
                    WIDTH, WIDTH, 4 * WIDTH * WIDTH, 4 * WIDTH, 4 * WIDTH * WIDTH, WIDTH]
PARAMETER_BYTES = [2 * n for n in [VOCABULARY * WIDTH, LENGTH * WIDTH] + LAYER_PARAMETERS * LAYERS + [WIDTH, WIDTH]]

TORCH = "/opt/conda/lib/python3.11/site-packages/torch/"
MODEL, TRAIN = "/workspace/minigpt/model.py", "/workspace/minigpt/train.py"


class OutOfMemory(Exception):
    pass


class Once:
    """Reuses one object per value, so that the pickle refers to earlier objects instead of repeating them."""

    def __init__(self):
        self.strings, self.frames, self.stacks = {}, {}, {}

    def string(self, text):
        return self.strings.setdefault(text, text)

    def frame(self, frame):
        file, line, name = frame
        return self.frames.setdefault(frame, {"filename": self.string(file), "line": line, "name": self.string(name)})

    def stack(self, frames):
        return self.stacks.setdefault(frames, [self.frame(frame) for frame in frames])


# ---- Call stacks, innermost frame first -------------------------------------------------------------------------------

def cpp(*names):
    return tuple(("??", 0, name) for name in names)


def python(file, line, name):
    return ((TORCH + file if not file.startswith("/") else file, line, name),)


MODULE_CALL = python("nn/modules/module.py", 1562, "_call_impl") + python("nn/modules/module.py", 1553, "_wrapped_call_impl")
MALLOC = cpp("c10::cuda::CUDACachingAllocator::Native::NativeCachingAllocator::allocate(unsigned long)",
             "at::detail::empty_generic(c10::ArrayRef<long>, c10::Allocator*, c10::DispatchKeySet, c10::ScalarType)")
MAIN = python(TRAIN, 188, "fit") + python(TRAIN, 231, "main") + python(TRAIN, 236, "<module>")
STEP_FORWARD = python(TRAIN, 151, "training_step") + MAIN
GPT = MODULE_CALL + STEP_FORWARD
THREAD = cpp("torch::autograd::Node::operator()(std::vector<at::Tensor>&&)",
             "torch::autograd::Engine::evaluate_function(std::shared_ptr<torch::autograd::GraphTask>&, torch::autograd::Node*)",
             "torch::autograd::Engine::thread_main(std::shared_ptr<torch::autograd::GraphTask> const&)",
             "torch::autograd::Engine::thread_init(int, std::shared_ptr<torch::autograd::ReadyQueue> const&, bool)",
             "torch::autograd::python::PythonEngine::thread_init(int, std::shared_ptr<torch::autograd::ReadyQueue> const&, bool)",
             "execute_native_thread_routine", "start_thread", "clone3")


def kernel(name):
    return MALLOC + cpp(f"at::native::{name}", f"at::_ops::{name.split('(')[0].lower()}::call")


def backward(node, name):
    """The autograd thread has no Python frames."""
    return kernel(name) + cpp(f"torch::autograd::generated::{node}::apply(std::vector<at::Tensor>&&)") + THREAD


def gpt(line):
    return python(MODEL, line, "GPT.forward") + GPT


def in_block(line):
    return python(MODEL, line, "Block.forward") + MODULE_CALL + gpt(174)


def in_part(part, line, block_line):
    return python(MODEL, line, f"{part}.forward") + MODULE_CALL + in_block(block_line)


def linear(inside):
    return kernel("addmm(at::Tensor const&)") + python("nn/modules/linear.py", 125, "forward") + MODULE_CALL + inside


def layer_norm(inside):
    return (kernel("layer_norm_cuda(at::Tensor const&)") + python("nn/functional.py", 2900, "layer_norm")
            + python("nn/modules/normalization.py", 217, "forward") + MODULE_CALL + inside)


def dropout(inside):
    return (kernel("native_dropout_cuda(at::Tensor const&)") + python("nn/functional.py", 1425, "dropout")
            + python("nn/modules/dropout.py", 70, "forward") + MODULE_CALL + inside)


def optimizer(name, line):
    return (kernel(name) + python("optim/adamw.py", line, "_multi_tensor_adamw") + python("optim/adamw.py", 695, "adamw")
            + python("optim/adamw.py", 220, "step") + python("optim/optimizer.py", 91, "_use_grad")
            + python("optim/optimizer.py", 487, "wrapper") + python("optim/lr_scheduler.py", 130, "wrapper")
            + python(TRAIN, 158, "training_step") + MAIN)


# ---- The caching allocator of one device ------------------------------------------------------------------------------

class Block:
    def __init__(self, segment, address, size, previous, following):
        self.segment, self.address, self.size = segment, address, size
        self.previous, self.following = previous, following
        self.state, self.requested, self.stack = "inactive", 0, ()


class Segment:
    def __init__(self, address, size, stream, kind, stack):
        self.address, self.size, self.stream, self.kind, self.stack = address, size, stream, kind, stack
        self.first = Block(self, address, size, None, None)

    def blocks(self):
        block = self.first
        while block:
            yield block
            block = block.following


class Allocator:
    """Best fit in a small and a large pool per stream; blocks are split, and merged when freed, as in PyTorch."""

    def __init__(self):
        self.once = Once()
        self.random = random.Random(20260101)
        self.trace = None                    # None until recording begins
        self.time_us = START_TIME_US
        self.metadata = self.context = ""
        self.segments, self.pools = [], {}
        self.next_address, self.reserved = 0x7F2A_4000_0000, 0

    def record(self, action, stream, size, stack, **more):
        self.time_us += 2 + int(self.random.random() * 9)
        if self.trace is None:
            return
        event = {"action": self.once.string(action), "size": size, "stream": stream, "time_us": self.time_us,
                 "compile_context": self.once.string(self.context or "N/A"), "user_metadata": self.once.string(self.metadata),
                 "frames": self.once.stack(stack)}
        self.trace.append({**more, **event})

    def work(self, size):
        """Advances the clock by the time of the kernel that fills `size` bytes."""
        self.time_us += 4 + size // 400_000 + int(self.random.random() * 12)

    def pool(self, stream, kind):
        return self.pools.setdefault((stream, kind), [])

    def put(self, block):
        bisect.insort(self.pool(block.segment.stream, block.segment.kind), (block.size, block.address, id(block), block))

    def take(self, block):
        pool = self.pool(block.segment.stream, block.segment.kind)
        pool.pop(bisect.bisect_left(pool, (block.size, block.address)))

    def find(self, size, kind, stream):
        pool = self.pool(stream, kind)
        at = bisect.bisect_left(pool, (size, 0))
        return pool[at][-1] if at < len(pool) else None

    def alloc(self, requested, stack, stream=0):
        size = max(512, -(-requested // 512) * 512)
        kind = "small" if size <= MIB else "large"
        block = self.find(size, kind, stream)
        if block is None:
            self.grow(size, kind, stream, stack)
            block = self.find(size, kind, stream)
        self.take(block)
        rest = block.size - size
        if rest >= 512 if kind == "small" else rest > MIB:
            tail = Block(block.segment, block.address + size, rest, block, block.following)
            if block.following:
                block.following.previous = tail
            block.following, block.size = tail, size
            self.put(tail)
        # Allocations from before the recording have no stack.
        block.state, block.requested, block.stack = "active_allocated", requested, stack if self.trace is not None else ()
        self.record("alloc", stream, requested, stack, addr=block.address)
        self.work(requested)
        return block

    def grow(self, size, kind, stream, stack):
        reserve = 2 * MIB if kind == "small" else 20 * MIB if size < 10 * MIB else -(-size // (2 * MIB)) * 2 * MIB
        if self.reserved + reserve > CAPACITY_BYTES:
            self.release_cached()
        if self.reserved + reserve > CAPACITY_BYTES:
            self.record("oom", stream, size, stack, device_free=CAPACITY_BYTES - self.reserved)
            raise OutOfMemory
        segment = Segment(self.next_address, reserve, stream, kind, stack if self.trace is not None else ())
        self.next_address += reserve + 2 * MIB
        self.reserved += reserve
        self.segments.append(segment)
        self.put(segment.first)
        self.record("segment_alloc", stream, reserve, stack, addr=segment.address)
        self.time_us += 300 + reserve // (4 * MIB)

    def release_cached(self):
        for segment in [s for s in self.segments if s.first.state == "inactive" and s.first.following is None]:
            self.take(segment.first)
            self.segments.remove(segment)
            self.reserved -= segment.size
            self.record("segment_free", segment.stream, segment.size, segment.stack, addr=segment.address)

    def free(self, block, stack):
        self.request_free(block, stack)
        self.complete_free(block, stack)

    def request_free(self, block, stack):
        self.record("free_requested", block.segment.stream, block.requested, stack, addr=block.address)
        block.state = "active_pending_free"

    def complete_free(self, block, stack):
        self.record("free_completed", block.segment.stream, block.requested, stack, addr=block.address)
        block.state, block.requested, block.stack = "inactive", 0, ()
        if block.following and block.following.state == "inactive":
            self.take(block.following)
            block = self.merge(block, block.following)
        if block.previous and block.previous.state == "inactive":
            self.take(block.previous)
            block = self.merge(block.previous, block)
        self.put(block)

    @staticmethod
    def merge(low, high):
        low.size += high.size
        low.following = high.following
        if high.following:
            high.following.previous = low
        return low

    def snapshot_segments(self):
        rows = []
        for segment in sorted(self.segments, key=lambda s: s.address):
            blocks = list(segment.blocks())
            active = [b for b in blocks if b.state != "inactive"]
            rows.append({
                "device": 0, "address": segment.address, "total_size": segment.size,
                "allocated_size": sum(b.size for b in active if b.state == "active_allocated"),
                "active_size": sum(b.size for b in active), "requested_size": sum(b.requested for b in active),
                "stream": segment.stream, "segment_type": segment.kind, "segment_pool_id": (0, 0), "is_expandable": False,
                "frames": self.once.stack(segment.stack),
                "blocks": [{"address": b.address, "size": b.size, "requested_size": b.requested,
                            "state": self.once.string(b.state), "frames": self.once.stack(b.stack)} for b in blocks]})
        return rows


# ---- The training run -------------------------------------------------------------------------------------------------

class Training:
    def __init__(self, memory):
        self.memory = memory
        self.annotations = []
        self.moments, self.gradients, self.leaked = [], [], []
        self.batch = None

    def annotate(self, name, stage):
        once = self.memory.once
        self.annotations.append({"device": 0, "name": once.string(name), "stage": once.string(stage),
                                 "time_us": self.memory.time_us})

    def make_model(self):
        stack = kernel("empty_cuda(c10::ArrayRef<long>)") + python(TRAIN, 215, "main")
        self.weights = [self.memory.alloc(size, stack) for size in PARAMETER_BYTES]

    def run(self):
        """Runs steps until the memory is full."""
        step = 0
        while True:
            self.memory.metadata = f"step {step}"
            self.annotate(f"ProfilerStep#{step}", "START")
            self.next_batch()
            self.annotate("## forward ##", "START")
            saved, logits = self.forward()
            self.annotate("## forward ##", "END")
            self.annotate("## backward ##", "START")
            self.backward(saved, logits)
            self.annotate("## backward ##", "END")
            self.optimizer_step()
            self.annotate(f"ProfilerStep#{step}", "END")
            self.memory.time_us += 9_000
            step += 1

    def next_batch(self):
        """Copied on another stream, so the old batch is returned only after the main stream has passed this point."""
        stack = (kernel("_to_copy(at::Tensor const&)") + python("utils/data/_utils/pin_memory.py", 77, "to_device")
                 + python(TRAIN, 97, "prefetch") + python(TRAIN, 104, "__next__") + MAIN)
        old, self.batch = self.batch, [self.memory.alloc(TOKENS * 8, stack, COPY_STREAM) for _ in range(2)]
        for tensor in old or []:
            self.memory.request_free(tensor, stack)
        self.retired = (old or [], stack)

    def retire_batch(self):
        tensors, stack = self.retired
        for tensor in tensors:
            self.memory.complete_free(tensor, stack)

    def temporary(self, block, stack):
        self.memory.free(block, stack)

    def attention(self, saved, block_line):
        alloc, inside = self.memory.alloc, lambda line: in_part("CausalSelfAttention", line, block_line)
        saved.append(("AddmmBackward0", alloc(3 * HIDDEN_BYTES, linear(inside(52)))))
        for line in (58, 58):
            saved.append(("BmmBackward0", alloc(HIDDEN_BYTES, kernel("clone(at::Tensor const&)") + inside(line))))
        scores = alloc(SCORES_BYTES, kernel("bmm_cuda(at::Tensor const&)") + inside(58))
        scaled = alloc(SCORES_BYTES, kernel("mul_Tensor(at::Tensor const&)") + inside(58))
        self.temporary(scores, inside(58))
        masked = alloc(SCORES_BYTES, kernel("masked_fill(at::Tensor const&)") + inside(59))
        self.temporary(scaled, inside(59))
        saved.append(("SoftmaxBackward0", alloc(SCORES_BYTES, kernel("softmax_cuda(at::Tensor const&)")
                                                + python("nn/functional.py", 1888, "softmax") + inside(60))))
        self.temporary(masked, inside(60))
        saved.append(("NativeDropoutBackward0", alloc(SCORES_BYTES // 2, dropout(inside(61)))))
        saved.append(("BmmBackward0", alloc(SCORES_BYTES, dropout(inside(61)))))
        mixed = alloc(HIDDEN_BYTES, kernel("bmm_cuda(at::Tensor const&)") + inside(62))
        saved.append(("AddmmBackward0", alloc(HIDDEN_BYTES, kernel("clone(at::Tensor const&)") + inside(63))))
        self.temporary(mixed, inside(63))
        projected = alloc(HIDDEN_BYTES, linear(inside(64)))
        saved.append(("NativeDropoutBackward0", alloc(HIDDEN_BYTES // 2, dropout(inside(64)))))
        dropped = alloc(HIDDEN_BYTES, dropout(inside(64)))
        self.temporary(projected, inside(64))
        return dropped

    def mlp(self, saved, block_line):
        alloc, inside = self.memory.alloc, lambda line: in_part("MLP", line, block_line)
        saved.append(("AddmmBackward0", alloc(4 * HIDDEN_BYTES, linear(inside(82)))))
        self.memory.context = "Torch-Compiled Region: 0/0"
        compiled = (cpp("inductor_kernel_0") + python("_inductor/output_code.py", 466, "__call__")
                    + python("_dynamo/eval_frame.py", 574, "_fn") + inside(83))
        saved.append(("CompiledFunctionBackward", alloc(4 * HIDDEN_BYTES, MALLOC + compiled)))
        self.memory.context = ""
        projected = alloc(HIDDEN_BYTES, linear(inside(84)))
        saved.append(("NativeDropoutBackward0", alloc(HIDDEN_BYTES // 2, dropout(inside(85)))))
        dropped = alloc(HIDDEN_BYTES, dropout(inside(85)))
        self.temporary(projected, inside(85))
        return dropped

    def norm(self, saved, inside):
        saved.append(("NativeLayerNormBackward0", self.memory.alloc(HIDDEN_BYTES, layer_norm(inside))))
        for _ in range(2):   # mean and reciprocal standard deviation
            saved.append(("NativeLayerNormBackward0", self.memory.alloc(TOKENS * 4, layer_norm(inside))))

    def residual(self, saved, branch, inside):
        saved.append(("AddBackward0", self.memory.alloc(HIDDEN_BYTES, kernel("add_Tensor(at::Tensor const&)") + inside)))
        self.temporary(branch, inside)

    def forward(self):
        alloc, saved = self.memory.alloc, []
        embedding = kernel("embedding(at::Tensor const&)") + python("nn/modules/sparse.py", 190, "forward") + MODULE_CALL
        tokens, positions = (alloc(HIDDEN_BYTES, embedding + gpt(line)) for line in (168, 169))
        saved.append(("EmbeddingBackward0", alloc(HIDDEN_BYTES, dropout(gpt(170)))))
        saved.append(("NativeDropoutBackward0", alloc(HIDDEN_BYTES // 2, dropout(gpt(170)))))
        self.temporary(tokens, gpt(170))
        self.temporary(positions, gpt(170))
        self.retire_batch()
        for _ in range(LAYERS):
            self.norm(saved, in_block(104))
            self.residual(saved, self.attention(saved, 104), in_block(104))
            self.norm(saved, in_block(105))
            self.residual(saved, self.mlp(saved, 105), in_block(105))
        self.norm(saved, gpt(176))
        logits = alloc(TOKENS * VOCABULARY * 2, linear(gpt(178)))
        floats = alloc(TOKENS * VOCABULARY * 4, kernel("_to_copy(at::Tensor const&)") + gpt(179))
        self.temporary(logits, gpt(179))
        loss = kernel("log_softmax_cuda(at::Tensor const&)") + python("nn/functional.py", 3053, "cross_entropy") + gpt(181)
        saved.append(("LogSoftmaxBackward0", alloc(TOKENS * VOCABULARY * 4, loss)))
        saved.append(("NllLossBackward0", alloc(4, loss)))
        # The leak: self.z_losses.append(z_loss(logits)) keeps logits through its graph.
        z_loss = (kernel("logsumexp(at::Tensor const&)") + python(TRAIN, 126, "z_loss") + python(TRAIN, 153, "training_step") + MAIN)
        self.leaked += [floats, alloc(TOKENS * 4, z_loss), alloc(4, z_loss)]
        return saved, floats

    def backward(self, saved, logits):
        """Computes gradients from the last saved tensor to the first; each saved tensor is freed after its use."""
        alloc = self.memory.alloc
        parameter = len(PARAMETER_BYTES)
        wanted = {"AddmmBackward0": 2, "NativeLayerNormBackward0": 1, "EmbeddingBackward0": 2}
        flow = alloc(logits.requested, backward("LogSoftmaxBackward0", "log_softmax_backward_cuda(at::Tensor const&)"))
        for node, tensor in reversed(saved):
            stack = backward(node, f"{node.removesuffix('0')}_cuda(at::Tensor const&)")
            if tensor.requested > 64 * KIB:
                gradient = alloc(min(tensor.requested, SCORES_BYTES), stack)
                self.temporary(flow, stack)
                flow = gradient
            for _ in range(min(wanted.get(node, 0), parameter)):
                parameter -= 1
                accumulate = kernel("new_empty_strided(at::Tensor const&)") + cpp("torch::autograd::AccumulateGrad::apply") + THREAD
                self.gradients.append(alloc(PARAMETER_BYTES[parameter], accumulate))
            self.temporary(tensor, stack)
        self.temporary(flow, stack)

    def optimizer_step(self):
        alloc = self.memory.alloc
        self.annotate("Optimizer.step#AdamW.step", "START")
        if not self.moments:
            for line in (131, 135):
                self.moments += [alloc(size, optimizer("zeros_like(at::Tensor const&)", line)) for size in PARAMETER_BYTES]
        roots = [alloc(size, optimizer("_foreach_sqrt(c10::ArrayRef<at::Tensor>)", 613)) for size in PARAMETER_BYTES]
        for root in roots:
            self.temporary(root, optimizer("_foreach_addcdiv_(c10::ArrayRef<at::Tensor>)", 622))
        self.annotate("Optimizer.step#AdamW.step", "END")
        zero_grad = (python("optim/optimizer.py", 973, "zero_grad") + python("_compile.py", 32, "inner")
                     + python(TRAIN, 160, "training_step") + MAIN)
        for gradient in self.gradients:
            self.temporary(gradient, zero_grad)
        self.gradients = []


def main():
    root = Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", nargs="?", type=Path, default=root / "assets" / "sample.pickle", metavar="OUT.pickle")
    out = parser.parse_args().out
    memory = Allocator()
    training = Training(memory)
    training.make_model()
    memory.trace = deque(maxlen=MAX_ENTRIES)
    try:
        training.run()
    except OutOfMemory:
        pass
    segments = memory.snapshot_segments()
    memory.record("snapshot", 0, sum(s["active_size"] for s in segments), (), addr=0)
    settings = {"PYTORCH_CUDA_ALLOC_CONF": "", "max_split_size": -1, "garbage_collection_threshold": 0.0,
                "expandable_segments": False, "roundup_power2_divisions": {}}
    snapshot = {"segments": segments, "device_traces": [list(memory.trace)], "allocator_settings": settings,
                "external_annotations": training.annotations}
    out.write_bytes(pickle.dumps(snapshot, protocol=4))


if __name__ == "__main__":
    main()

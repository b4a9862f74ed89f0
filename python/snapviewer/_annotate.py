"""Names a model's tensors in a recording, with the functions that the installed PyTorch has for it."""
from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Callable, Optional

NEEDS_2_14 = "PyTorch can name memory that is already there only since 2.14"
FIRST_STEP = "what the optimizer's first step makes"
NOT_YET = "is not there yet; it is named after the optimizer's first step, where annotate() was given one"


@dataclass
class Annotated:
    """The names that annotate() set, and those that it could not set. Both lists grow once more after the optimizer's first step."""

    #: Names that were set, such as "parameter: layers.0.weight", "gradient: layers.0.weight", "buffer: mask" or "optimizer:
    #: layers.0.weight.exp_avg".
    named: list[str] = field(default_factory=list)
    #: Names that were not set, with the reason for each.
    not_named: dict[str, str] = field(default_factory=dict)

    def _add(self, name: str, reason: Optional[str]) -> None:
        if reason is not None:
            self.not_named[name] = reason
        else:
            self.not_named.pop(name, None)
            self.named.append(name)


def annotate(model: Any, optimizer: Any = None) -> Annotated:
    """Names parameters, gradients, buffers and optimizer state in the recording by their module path.

        with sv.record("out/"):
            named = sv.annotate(model, optimizer)
            train(model, optimizer)

    Call it while recording, once model and optimizer exist. Each tensor is named once, by an event in the recording
    (`torch.cuda.memory._annotate_tensor`, PyTorch 2.14). Gradients and optimizer state that do not exist yet are named after the
    optimizer's first step. PyTorch 2.10 to 2.13 can only mark later allocations (`_set_memory_metadata`): with them, the allocations
    of the optimizer's first step are marked "optimizer", and nothing else is named. Older versions cannot name anything.

    Raises ImportError without PyTorch; the result lists the tensors that cannot be named.
    """
    import torch
    memory, result = torch.cuda.memory, Annotated()
    name_tensor: Optional[Callable[[Any, str], object]] = getattr(memory, "_annotate_tensor", None)
    while hasattr(optimizer, "optimizer"):   # accelerate, DeepSpeed and Lightning wrap them like this
        optimizer = optimizer.optimizer
    if name_tensor is None:
        for name, _ in _tensors(model, optimizer):
            result._add(name, NEEDS_2_14)
    else:
        _name_all(name_tensor, model, optimizer, result)
    try:
        if name_tensor is not None:
            _once(optimizer, "register_step_post_hook", functools.partial(_name_all, name_tensor, model, optimizer, result))
        elif hasattr(memory, "_set_memory_metadata"):
            _mark_first_step(memory, optimizer, result)
    except Exception as failure:   # raised by an optimizer that is not PyTorch's
        result._add(FIRST_STEP, str(failure))
    return result


def _name_all(say: Callable[[Any, str], object], model: Any, optimizer: Any, result: Annotated) -> None:
    done = set(result.named)
    for name, tensor in _tensors(model, optimizer):
        if name not in done:
            result._add(name, _name_one(say, tensor, name))


def _tensors(model: Any, optimizer: Any) -> Iterator[tuple[str, Any]]:
    """Yields the name and tensor of everything that can be named; the tensor is None for a gradient that does not exist yet."""
    paths = {}
    for path, parameter in model.named_parameters():
        paths[id(parameter)] = path
        yield f"parameter: {path}", parameter
        if parameter.requires_grad:
            yield f"gradient: {path}", parameter.grad
    for path, buffer in model.named_buffers():
        yield f"buffer: {path}", buffer
    state = getattr(optimizer, "state", {})
    for group_number, group in enumerate(getattr(optimizer, "param_groups", [])):
        for number, parameter in enumerate(group["params"]):
            path = paths.get(id(parameter), f"group {group_number}, parameter {number}")
            for key, value in state.get(parameter, {}).items():
                if hasattr(value, "is_cuda"):
                    yield f"optimizer: {path}.{key}", value


def _name_one(say: Callable[[Any, str], object], tensor: Any, name: str) -> Optional[str]:
    """Names a tensor. Returns None, or the reason why it could not be named."""
    if tensor is None:
        return NOT_YET
    try:
        # The memory of a sharded tensor is that of its shard on this process.
        local = tensor.detach().to_local() if hasattr(tensor, "to_local") else tensor
        if not local.is_cuda:
            return f"is on {local.device}"
        if local.untyped_storage().data_ptr() == 0:
            return "has no memory of its own just now"
        say(local, name)
    except Exception as failure:   # for example of another library's tensor; the job must continue
        return str(failure) or type(failure).__name__
    return None


def _mark_first_step(memory: Any, optimizer: Any, result: Annotated) -> None:
    before: list[str] = []

    def begin() -> None:
        before.append(memory._get_memory_metadata())
        memory._set_memory_metadata("optimizer")

    def end() -> None:
        memory._set_memory_metadata(before.pop() if before else "")
        result._add("optimizer", None)

    _once(optimizer, "register_step_pre_hook", begin)
    _once(optimizer, "register_step_post_hook", end)


def _once(optimizer: Any, register: str, work: Callable[[], None]) -> None:
    """Registers a hook that does `work` once. It stays registered, because PyTorch iterates over its hooks while they run."""
    if optimizer is None:
        return
    left = [work]

    def hook(*_arguments: Any) -> None:
        if left:
            left.pop()()

    getattr(optimizer, register)(hook)

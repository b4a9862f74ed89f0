"""Names a model's tensors in a recording, with what PyTorch has for it."""
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
    """What annotate() named, and what it could not. Both grow once more after the optimizer's first step."""

    #: Such as "parameter: layers.0.weight", "gradient: layers.0.weight", "buffer: mask", "optimizer: layers.0.weight.exp_avg".
    named: list[str] = field(default_factory=list)
    #: The same names, and why each could not be given.
    not_named: dict[str, str] = field(default_factory=dict)

    def _add(self, name: str, reason: Optional[str]) -> None:
        if reason is not None:
            self.not_named[name] = reason
        else:
            self.not_named.pop(name, None)
            self.named.append(name)


def annotate(model: Any, optimizer: Any = None) -> Annotated:
    """Names parameters, gradients, buffers and optimizer state by their module path, so that a recording says what they are.

        with sv.record("out/"):
            named = sv.annotate(model, optimizer)
            train(model, optimizer)

    Call it while recording, when model and optimizer exist. Each tensor is named once, by an event in the recording
    (`torch.cuda.memory._annotate_tensor`, PyTorch 2.14). Gradients and optimizer state that are not there yet are named after the
    optimizer's first step. PyTorch 2.10 to 2.13 can only mark what is allocated from now on (`_set_memory_metadata`): there, what
    the optimizer's first step allocates is marked "optimizer", and nothing else is named. Older ones cannot name anything.

    Raises ImportError without PyTorch; what cannot be named is told in what is returned.
    """
    import torch
    memory, result = torch.cuda.memory, Annotated()
    name_tensor: Optional[Callable[[Any, str], object]] = getattr(memory, "_annotate_tensor", None)
    while hasattr(optimizer, "optimizer"):   # as accelerate, DeepSpeed and Lightning wrap them
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
    except Exception as failure:   # of an optimizer that is not PyTorch's
        result._add(FIRST_STEP, str(failure))
    return result


def _name_all(say: Callable[[Any, str], object], model: Any, optimizer: Any, result: Annotated) -> None:
    done = set(result.named)
    for name, tensor in _tensors(model, optimizer):
        if name not in done:
            result._add(name, _name_one(say, tensor, name))


def _tensors(model: Any, optimizer: Any) -> Iterator[tuple[str, Any]]:
    """All there is to name, with None for a gradient that is not there."""
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
    """Why not, or None if it was named."""
    if tensor is None:
        return NOT_YET
    try:
        # A sharded tensor has its memory in the part that lies here.
        local = tensor.detach().to_local() if hasattr(tensor, "to_local") else tensor
        if not local.is_cuda:
            return f"is on {local.device}"
        if local.untyped_storage().data_ptr() == 0:
            return "has no memory of its own just now"
        say(local, name)
    except Exception as failure:   # of a tensor of another library, for instance: the job goes on
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
    """The hook stays and does nothing more: PyTorch goes over its hooks just then, so none may be taken out."""
    if optimizer is None:
        return
    left = [work]

    def hook(*_arguments: Any) -> None:
        if left:
            left.pop()()

    getattr(optimizer, register)(hook)

"""annotate() on handmade models and optimizers, and if PyTorch is installed, on PyTorch's own."""
import importlib.util
import unittest

import torch_signatures
from module import main
from recording import RecorderCase

# The parts of torch.nn.Module and torch.optim.Optimizer that annotate() uses.
MODEL = """
import torch
class Storage:
    def __init__(self, address): self.address = address
    def data_ptr(self): return self.address
class Tensor:
    def __init__(self, name, device="cuda:1", address=4096, grad=None):
        self.name, self.device, self.is_cuda, self.address = name, device, device.startswith("cuda"), address
        self.grad, self.requires_grad = grad, True
    def untyped_storage(self): return Storage(self.address)
    def detach(self): return self
class Sharded(Tensor):
    def to_local(self): return Tensor("part of " + self.name)
class Model:
    def __init__(self, parameters, buffers): self.parameters, self.buffers = parameters, buffers
    def named_parameters(self): return iter(self.parameters.items())
    def named_buffers(self): return iter(self.buffers.items())
class Optimizer:
    def __init__(self, parameters):
        self.param_groups, self.state, self.before, self.after = [{"params": list(parameters)}], {}, [], []
    def register_step_pre_hook(self, hook): self.before.append(hook)
    def register_step_post_hook(self, hook): self.after.append(hook)
    def step(self):
        for hook in self.before: hook(self, (), {})
        for parameter in self.param_groups[0]["params"]:
            self.state.setdefault(parameter, {"step": 1, "exp_avg": Tensor("average of " + parameter.name)})
        self.allocated_as = torch.state["metadata"]
        for hook in self.after: hook(self, (), {})
weight, bias = Tensor("w", grad=Tensor("dw")), Tensor("b")
model = Model({"layer.weight": weight, "layer.bias": bias}, {"mask": Tensor("m")})
optimizer = Optimizer([weight, bias])
def said(): return [(text, tensor.name) for text, tensor in torch.named]
"""


class Annotate(RecorderCase):
    def run_code(self, code, **options):
        return super().run_code(MODEL + "import textwrap\nexec(textwrap.dedent('''" + code + "'''))\n", **options)

    def test_what_is_there_and_what_comes_with_the_first_step(self):
        self.run_code("""
            found = sv.annotate(model, optimizer)
            assert said() == [("parameter: layer.weight", "w"), ("gradient: layer.weight", "dw"), ("parameter: layer.bias", "b"),
                              ("buffer: mask", "m")], said()
            assert found.named == [text for text, _ in said()]
            assert list(found.not_named) == ["gradient: layer.bias"] and "not there yet" in found.not_named["gradient: layer.bias"]
            bias.grad = Tensor("db")
            optimizer.step()
            optimizer.step()
            assert said()[4:] == [("gradient: layer.bias", "db"), ("optimizer: layer.weight.exp_avg", "average of w"),
                                  ("optimizer: layer.bias.exp_avg", "average of b")], said()
            assert found.named == [text for text, _ in said()] and not found.not_named
        """)

    def test_what_cannot_be_named(self):
        self.run_code("""
            class Odd(Tensor):
                def untyped_storage(self): raise NotImplementedError("no storage")
            odd = {"cpu": Tensor("c", device="cpu"), "away": Tensor("a", address=0), "odd": Odd("o"), "sharded": Sharded("s")}
            for tensor in odd.values(): tensor.requires_grad = False
            found = sv.annotate(Model(odd, {}))
            assert said() == [("parameter: sharded", "part of s")], said()
            assert found.not_named == {"parameter: cpu": "is on cpu", "parameter: away": "has no memory of its own just now",
                                       "parameter: odd": "no storage"}, found.not_named
            stranger = Tensor("x")
            other = Optimizer([stranger])
            other.step()
            assert sv.annotate(model, other).named[-1] == "optimizer: group 0, parameter 0.exp_avg"

            class Foreign: pass
            found = sv.annotate(model, Foreign())
            assert len(found.named) == 4 and "register_step_post_hook" in found.not_named["what the optimizer's first step makes"], found
        """)

    def test_an_optimizer_in_others(self):
        self.run_code("""
            class Wrapped: pass
            inner, outer = Wrapped(), Wrapped()
            outer.optimizer, inner.optimizer = inner, optimizer
            found = sv.annotate(model, outer)
            optimizer.step()
            assert found.named[-1] == "optimizer: layer.bias.exp_avg", found
        """)

    def test_what_each_version_can(self):
        for version in torch_signatures.VERSIONS:
            minor = torch_signatures.number(version)[1]
            with self.subTest(version=version):
                self.run_code(f"""
                    if {minor} >= 10: torch.cuda.memory._set_memory_metadata("mine")
                    found = sv.annotate(model, optimizer)
                    optimizer.step()
                    if {minor} >= 14:
                        assert len(found.named) == 6 and list(found.not_named) == ["gradient: layer.bias"], found
                        assert optimizer.allocated_as == "mine"
                    else:
                        assert "2.14" in found.not_named["parameter: layer.weight"] and not said()
                        assert found.named == (["optimizer"] if {minor} >= 10 else []), found
                        assert optimizer.allocated_as == ("optimizer" if {minor} >= 10 else "")
                        optimizer.step()
                        assert optimizer.allocated_as == ("mine" if {minor} >= 10 else "")
                """, version=version)


@unittest.skipUnless(importlib.util.find_spec("torch"), "needs PyTorch")
class RealPyTorch(unittest.TestCase):
    def test_its_own_modules_and_optimizers(self):
        """Without a GPU nothing can be named, but all tensors are found, including those that the first step creates."""
        import torch

        import snapviewer as sv
        model = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.BatchNorm1d(2))
        optimizer = torch.optim.AdamW(model.parameters())
        found = sv.annotate(model, optimizer)
        for _ in range(2):
            model(torch.ones(4, 3)).sum().backward()
            optimizer.step()
        names = [f"{kind}: {path}" for path in ("0.weight", "0.bias", "1.weight", "1.bias") for kind in ("parameter", "gradient")]
        names += [f"buffer: 1.{name}" for name in ("running_mean", "running_var", "num_batches_tracked")]
        names += [f"optimizer: {path}.{key}" for path in ("0.weight", "0.bias", "1.weight", "1.bias") for key in ("step", "exp_avg", "exp_avg_sq")]
        if hasattr(torch.cuda.memory, "_annotate_tensor"):
            self.assertEqual(found.not_named, {name: "is on cpu" for name in names})
        self.assertEqual(len(optimizer.state), 4)


if __name__ == "__main__":
    main()

"""record() against a stand-in for torch whose functions have the signatures of PyTorch's own, and write what it was told."""
import os
import socket
import tempfile
import textwrap
import unittest
from pathlib import Path

from module import main, run_python

# torch/cuda/memory.py, PyTorch 2.x: _record_memory_history() passes all it is given to _record_memory_history_impl().
TORCH = textwrap.dedent('''
    import sys, types
    calls, observers, state = [], [], {"available": True, "broken": False, "recording": None}
    class cuda:
        @staticmethod
        def is_available(): return state["available"]
        @staticmethod
        def current_device(): return 1
        class memory:
            @staticmethod
            def _record_memory_history(enabled="all", context="all", stacks="all", max_entries=sys.maxsize, device=None,
                                       clear_history=False, compile_context=False, global_record_annotations=False,
                                       skip_actions=None, record_pinned_host_memory=False, record_cuda=True):
                assert enabled in (None, "state", "all") and context in (None, "state", "alloc", "all")
                assert stacks in ("python", "all") and isinstance(max_entries, int)
                state["recording"] = enabled
                calls.append((enabled, stacks, max_entries))
            @staticmethod
            def _dump_snapshot(filename="dump_snapshot.pickle", augment_with_fx_traces=False):
                assert state["recording"] == "all", "nothing is recorded"
                with open(filename, "wb") as file:
                    file.write(b"half")
                    if state["broken"]: raise OSError("disk full")
                    file.write(b" a snapshot")
    class _C:
        @staticmethod
        def _cuda_attach_out_of_memory_observer(observer): observers.append(observer)
    def run_out(device):
        for observer in observers: observer(device, 1 << 30, 2 << 30, 1 << 20)
''')
NAME = f"{socket.gethostname()}_rank7_device1"


class Recorder(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)
        self.out = self.folder / "new" / "out"
        (self.folder / "stand-in" ).mkdir()
        (self.folder / "stand-in" / "torch.py").write_text(TORCH)
        os.environ["RANK"] = "7"

    def run_code(self, code, path=True):
        done = run_python(f"import snapviewer as sv\nout = {str(self.out)!r}\n" + textwrap.dedent(code), cwd=self.folder,
                          path=[str(self.folder / "stand-in")] if path else [])
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def written(self):
        return sorted(path.name for path in self.out.iterdir())

    def test_a_block(self):
        self.run_code("""
            import sys
            recorder = sv.record(out, max_entries=1000)
            assert "torch" not in sys.modules
            with recorder as same:
                assert same is recorder and not recorder.files
            import torch
            assert torch.calls == [("all", "python", 1000), (None, "all", sys.maxsize)], torch.calls
            assert [str(path) for path in recorder.files] == [out + "/NAME.pickle"], recorder.files
        """.replace("NAME", NAME))
        self.assertEqual(self.written(), [f"{NAME}.pickle"])
        self.assertEqual((self.out / f"{NAME}.pickle").read_bytes(), b"half a snapshot")

    def test_what_is_there_is_kept(self):
        self.run_code("""
            @sv.record(out, stacks="all")
            def train(step):
                return step * 2
            assert [train(1), train(step=2)] == [2, 4] and train.__name__ == "train"
        """)
        self.assertEqual(self.written(), [f"{NAME}.pickle", f"{NAME}_run2.pickle"])

    def test_an_exception_goes_on(self):
        self.run_code("""
            try:
                with sv.record(out):
                    raise KeyError("mine")
            except KeyError as error:
                assert error.args == ("mine",)
            import torch
            assert torch.state["recording"] is None
        """)
        self.assertEqual(self.written(), [f"{NAME}.pickle"])

    def test_out_of_memory(self):
        self.run_code("""
            import torch
            for _ in range(2):
                with sv.record(out):
                    torch.run_out(3)
            with sv.record(out, on_oom=False):
                torch.run_out(3)
            torch.run_out(3)
            with sv.record(out) as recorder:
                for _ in range(9): torch.run_out(0)
            assert len(torch.observers) == 1 and len(recorder.files) == 4
        """)
        names = self.written()
        device_3 = NAME.replace("device1", "device3")
        device_0 = NAME.replace("device1", "device0")
        self.assertEqual([name for name in names if "_oom" in name],
                         [f"{device_0}_oom{n}.pickle" for n in (1, 2, 3)] + [f"{device_3}_oom1.pickle", f"{device_3}_oom1_run2.pickle"])

    def test_a_full_disk(self):
        done = self.run_code("""
            import torch
            torch.state["broken"] = True
            try:
                with sv.record(out): pass
                raise SystemExit("no error")
            except OSError as error:
                assert "disk full" in str(error)
            try:
                with sv.record(out):
                    torch.run_out(0)
                    raise KeyError("mine")
            except KeyError:
                pass
            assert torch.state["recording"] is None
            torch.state["broken"] = False
            with sv.record(out): pass
        """)
        self.assertEqual(done.stderr.count("the snapshot could not be written"), 2)
        self.assertEqual(self.written(), [f"{NAME}.pickle"])

    def test_refusals(self):
        self.run_code("""
            import torch
            for arguments in ({"max_entries": 0}, {"stacks": "some"}):
                try:
                    sv.record(out, **arguments)
                    raise SystemExit("no error")
                except ValueError:
                    pass
            torch.state["available"] = False
            try:
                with sv.record(out): pass
                raise SystemExit("no error")
            except sv.Error as error:
                assert "GPU" in str(error)
            torch.state["available"] = True
            try:
                with sv.record(out), sv.record(out): pass
                raise SystemExit("no error")
            except sv.Error as error:
                assert "already" in str(error)
        """)
        self.run_code("""
            import sys
            sys.modules["torch"] = None
            try:
                with sv.record(out): pass
                raise SystemExit("no error")
            except ImportError as error:
                assert "pip install torch" in str(error)
        """, path=False)


if __name__ == "__main__":
    main()

"""The pytest plugin, tested with pytester: marked tests run in a pytest of their own, with a stand-in for torch that
writes real snapshots."""
import importlib.util
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path

from module import SKIPPED, main, run_python

if importlib.util.find_spec("pytest") is None:
    print("skipped: needs the package pytest")
    sys.exit(SKIPPED)

# An allocation is a number of bytes. _dump_snapshot() writes a snapshot like PyTorch's: the events, and the allocations that are
# live at the end.
TORCH = textwrap.dedent('''
    import pickle, sys
    class cuda:
        available, live, events, recording = True, {}, [], False
        address = 1 << 40
        @classmethod
        def is_available(cls): return cls.available
        @classmethod
        def current_device(cls): return 0
        class memory:
            @staticmethod
            def _record_memory_history(enabled="all", context="all", stacks="all", max_entries=sys.maxsize):
                cuda.recording, cuda.events = enabled is not None, []
            @staticmethod
            def _dump_snapshot(filename):
                blocks = [{"address": at, "size": size, "requested_size": size, "state": "active_allocated", "frames": []}
                          for at, size in cuda.live.items()]
                segments = [{"device": 0, "address": block["address"], "total_size": block["size"], "allocated_size": block["size"],
                             "active_size": block["size"], "requested_size": block["size"], "stream": 0, "segment_type": "large",
                             "segment_pool_id": (0, 0), "is_expandable": False, "frames": [], "blocks": [block]} for block in blocks]
                with open(filename, "wb") as file:
                    pickle.dump({"segments": segments, "device_traces": [cuda.events], "allocator_settings": {}}, file)
    def note(action, at, size, line):
        if cuda.recording:
            cuda.events.append({"action": action, "addr": at, "size": size, "stream": 0,
                                "frames": [{"filename": "model.py", "name": "forward", "line": line}]})
    def empty(size, line=1):
        at = cuda.address
        cuda.address += 1 << 30
        cuda.live[at] = size
        note("segment_alloc", at, size, line)
        note("alloc", at, size, line)
        return at
    def free(at):
        size = cuda.live.pop(at)
        note("free_requested", at, size, 0)
        note("free_completed", at, size, 0)
        note("segment_free", at, size, 0)
''')
TESTS = {
    "within": '''
        @pytest.mark.limit_gpu_memory("3 MiB")
        def test(tmp_path):
            torch.free(torch.empty(2 << 20))
    ''',
    "broken": '''
        @pytest.mark.limit_gpu_memory("3 MiB")
        def test():
            a, b = torch.empty(2 << 20, 7), torch.empty(2 << 20, 8)
            torch.free(a), torch.free(b)
    ''',
    "grows": '''
        @pytest.mark.limit_gpu_growth("1 MiB")
        def test():
            torch.empty(2 << 20, 9)
    ''',
    "keeps": '''
        kept = []
        @pytest.mark.limit_gpu_growth("1 MiB", warmups=2)
        def test(tmp_path):
            if len(kept) < 2:
                kept.append(torch.empty(2 << 20))
    ''',
    "nothing": '''
        @pytest.mark.limit_gpu_memory("3 MiB")
        @pytest.mark.limit_gpu_growth(0)
        def test():
            pass
    ''',
    "frees_what_was_there": '''
        before = torch.empty(2 << 20)
        @pytest.mark.limit_gpu_memory("3 MiB")
        def test():
            torch.free(before)
    ''',
    "replaces": '''
        kept = [torch.empty(2 << 20)]
        @pytest.mark.limit_gpu_growth(0)
        def test():
            torch.free(kept.pop())
            kept.append(torch.empty(2 << 20))
    ''',
    "fails_itself": '''
        @pytest.mark.limit_gpu_memory("3 MiB")
        def test():
            assert torch.empty(2 << 20) == "mine"
    ''',
    "no_gpu": '''
        @pytest.mark.limit_gpu_memory("3 MiB")
        def test():
            torch.cuda.available = False
        test_again = test
    ''',
    "unwritten": '''
        @pytest.mark.limit_gpu_memory("3 MiB")
        def test():
            def full(filename): raise OSError("disk full")
            torch.cuda.memory._dump_snapshot = full
    ''',
    "nonsense": '''
        @pytest.mark.limit_gpu_memory("a lot")
        def test():
            pass
    ''',
}
OUTCOMES = {"within": {"passed": 1}, "broken": {"failed": 1}, "grows": {"failed": 1}, "keeps": {"passed": 1}, "replaces": {"passed": 1},
            "nothing": {"passed": 1}, "frees_what_was_there": {"passed": 1},
            "fails_itself": {"failed": 1}, "no_gpu": {"passed": 2, "warnings": 1}, "nonsense": {"errors": 1},
            "unwritten": {"failed": 1, "warnings": 1}}
SAID = {"broken": ["*broken: max-peak: The peak is 4.0 MiB, 1.0 MiB above the limit of 3.0 MiB.*", "*forward@model.py:8*"],
        "grows": ["*broken: growth: The test leaves 2,097,152 bytes allocated, 1,048,576 above the limit of 1,048,576.*", "*model.py:9*"],
        "unwritten": ["*unknown: the snapshot could not be written: disk full*"],
        "fails_itself": ["*assert*mine*"], "no_gpu": ["*without a GPU memory limit*"], "nonsense": ["*'a lot' is not a number of bytes*"]}


class Plugin(unittest.TestCase):
    def test_marks(self):
        """Runs each case as a test of pytest, in which pytester runs another pytest."""
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            (folder / "torch.py").write_text(TORCH)
            (folder / "test_cases.py").write_text(textwrap.dedent(f'''
                import sys, textwrap, pytest
                TESTS, OUTCOMES, SAID = {TESTS!r}, {OUTCOMES!r}, {SAID!r}
                @pytest.mark.parametrize("name", TESTS)
                def test_case(name, pytester):
                    pytester.makepyfile("import pytest, torch\\n" + textwrap.dedent(TESTS[name]))
                    result = pytester.runpytest_subprocess("-p", "snapviewer._pytest_plugin", "--strict-markers")
                    outcomes = result.parseoutcomes()
                    assert outcomes == OUTCOMES[name] or name == "nonsense" and not outcomes.get("passed")
                    result.stdout.fnmatch_lines(SAID.get(name, []))
                def test_snapshots_are_kept(pytester):
                    pytester.makepyfile("import pytest, torch\\n" + textwrap.dedent(TESTS["within"]))
                    result = pytester.runpytest_subprocess("-p", "snapviewer._pytest_plugin", "--gpu-snapshots", "kept", "-q")
                    assert result.ret == 0 and len(list((pytester.path / "kept").glob("*.pickle"))) == 1
            '''))
            done = run_python("import sys, pytest\nsys.exit(pytest.main(['-q', '-p', 'pytester', '-p', 'no:cacheprovider', 'test_cases.py']))",
                              cwd=folder, path=[str(folder)])
            self.assertEqual(done.returncode, 0, done.stdout[-6000:] + done.stderr[-2000:])
            self.assertIn(f"{len(TESTS) + 1} passed", done.stdout)


if __name__ == "__main__":
    main()

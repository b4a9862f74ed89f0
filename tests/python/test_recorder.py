"""record() with a stand-in for torch, whose functions have the signatures of PyTorch and record their arguments."""
import importlib.util
import inspect
import os
import socket
import sys
import unittest

import torch_signatures
from module import main
from recording import NAME, RecorderCase


class Recorder(RecorderCase):
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
            with sv.record(out) as recorder: pass
            assert (recorder.failures, recorder.files) == (1, []) and "disk full" in recorder.problems[0]
            try:
                with sv.record(out) as recorder:
                    torch.run_out(0)
                    raise KeyError("mine")
            except KeyError:
                pass
            assert torch.state["recording"] is None and recorder.failures == 2
            torch.state["broken"] = False
            with sv.record(out): pass
        """)
        self.assertEqual(done.stderr.count("the snapshot could not be written"), 2, "each recorder warns once")
        self.assertEqual(self.written(), [f"{NAME}.pickle"])
        self.assertEqual([name for name in self.files() if "failed" in name],
                         [f"{NAME.replace('device1', 'device0')}_oom1_failed.about.json", f"{NAME}_failed.about.json",
                          f"{NAME}_failed_run2.about.json"])
        told = self.about(f"{NAME}_failed_run2")
        self.assertEqual((told["file"], told["failed"], told["failures"], told["why"]), (None, "disk full", 2, "end"))

    def test_a_sidecar_that_cannot_be_written(self):
        """`keep` still applies, so that the disk does not fill up."""
        self.run_code("""
            import torch
            from snapviewer import _record_files
            def fail(facts): raise OSError("no room for the sidecar")
            _record_files._as_json = fail
            recorder = sv.record(out, keep=2).start()
            for _ in range(5): recorder._dump("time", 1)
            assert len(recorder.files) == 2 and recorder.failures == 0, recorder.files
            assert "no room for the sidecar" in recorder.problems[0], recorder.problems
            recorder.stop()
        """)
        self.assertEqual(self.files(), [f"{NAME}.pickle", f"{NAME}_time4.pickle", f"{NAME}_time5.pickle"])

    def test_texts_that_are_not_utf_8(self):
        """Each byte that is not UTF-8 is escaped, in the environment and in messages that name files."""
        self.run_code("""
            import os, torch
            os.environb[b"PYTORCH_ALLOC_CONF"] = b"caf\\xe9 caf\\xc3\\xa9"
            with sv.record(os.fsdecode(os.fsencode(out) + b"/\\xff")) as recorder:
                recorder._tell("test", os.fsdecode(b"/\\xfe is full"))
        """)
        folder = os.fsdecode(os.fsencode(self.out) + b"/\xff")
        self.assertEqual(sorted(os.listdir(folder)), [f"{NAME}.about.json", f"{NAME}.pickle"])
        told = self.about(NAME, folder)
        self.assertEqual(told["allocator"]["PYTORCH_ALLOC_CONF"], "caf\\xe9 caf\u00e9")
        self.assertEqual(told["problems"], ["/\\xfe is full"])

    def test_facts_of_others_are_kept(self):
        """Files of facts are kept when the snapshot of another run has been packed or moved."""
        self.out.mkdir(parents=True)
        for name in (NAME, f"{NAME}_run2"):
            (self.out / f"{name}.about.json").write_text("mine")
        (self.out / f"{NAME}_run3.about.json").symlink_to(self.folder / "nowhere")
        self.run_code("with sv.record(out): pass")
        self.assertEqual(self.written(), [f"{NAME}_run4.pickle"])
        self.assertEqual(self.about(f"{NAME}_run4")["file"], f"{NAME}_run4.pickle")
        self.assertEqual([(self.out / f"{name}.about.json").read_text() for name in (NAME, f"{NAME}_run2")], ["mine", "mine"])

    def test_facts_that_another_program_writes_meanwhile(self):
        self.run_code(f"""
            import torch
            from snapviewer import _record_files
            def write_too(facts):
                with open(out + "/{NAME}.about.json", "w") as file: file.write("mine")
                return "{{}}"
            _record_files._as_json = write_too
            with sv.record(out) as recorder: pass
            assert len(recorder.files) == len(recorder.problems) == 1, recorder.problems
        """)
        self.assertEqual((self.out / f"{NAME}.about.json").read_text(), "mine")
        self.assertEqual(self.files(), [f"{NAME}.about.json", f"{NAME}.pickle"])

    def test_odd_ranks_and_hosts(self):
        """Whatever a scheduler sets, the file is in the folder, and its name has no blanks and distinguishes ranks."""
        ranks = ["../../x", "a/b", "", " ", "two words", "\u00b2", "007", "..", "-", "/etc/passwd", "x" * 500]
        wanted = ["x", "a_b", "5", "5", "two_words", "5", "7", "5", "5", "etc_passwd", "x" * 64]
        hosts = ["../node", "", "my host", "n\n1", "node-1.example"]
        self.run_code(f"""
            import os, socket
            os.environ["SLURM_PROCID"] = "5"
            for rank in {ranks!r}:
                os.environ["RANK"] = rank
                with sv.record(out): pass
            os.environ["RANK"] = "1"
            for host in {hosts!r}:
                socket.gethostname = lambda: host
                with sv.record(out): pass
        """)
        host = socket.gethostname()
        counted = {}
        for rank in wanted:
            counted[rank] = counted.get(rank, 0) + 1
        names = [f"{host}_rank{rank}_device1{f'_run{run}' if run > 1 else ''}.pickle" for rank, count in counted.items() for run in range(1, count + 1)]
        names += [f"{name}_rank1_device1.pickle" for name in ("node", "host", "my_host", "n_1", "node-1.example")]
        self.assertEqual(self.written(), sorted(names))
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["new", "stand-in"])

    def test_what_others_put_there_is_not_written_to(self):
        """Follows neither a link with the next name, nor one with a predictable name."""
        self.out.mkdir(parents=True)
        precious = self.folder / "precious"
        precious.write_text("mine")
        (self.out / f"{NAME}.pickle").symlink_to(precious)
        self.run_code(f"""
            import os
            os.symlink({str(precious)!r}, os.path.join(out, ".{NAME}." + str(os.getpid()) + ".part"))
            old = os.umask(0o027)
            with sv.record(out) as recorder: pass
            assert [path.name for path in recorder.files] == ["{NAME}_run2.pickle"], recorder.files
        """)
        self.assertEqual(precious.read_text(), "mine")
        self.assertEqual((self.out / f"{NAME}_run2.pickle").read_bytes(), b"half a snapshot")
        self.assertEqual((self.out / f"{NAME}_run2.pickle").stat().st_mode & 0o777, 0o640)

    def test_refusals(self):
        self.run_code("""
            import torch
            for arguments in ({"max_entries": 0}, {"stacks": "some"}, {"on_signal": "TERM"}, {"every": "often"}, {"series": 0},
                              {"keep": 0}, {"disk": "20 boxes"}, {"disk": -1}):
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

    def test_every_version_of_pytorch(self):
        """Each call is valid in its PyTorch version, because Python rejects calls with other arguments."""
        for version in torch_signatures.VERSIONS:
            with self.subTest(version=version):
                self.run_code("""
                    import torch, time
                    recorder = sv.record(out + "/" + torch.__version__, every=0.05, series=0.05, on_signal="USR1").start()
                    torch.run_out(1)
                    while recorder._numbers.get("time", 0) < 1 or recorder._numbers.get("series", 0) < 1: time.sleep(0.01)
                    recorder.stop()
                    assert not recorder.problems and len(recorder.files) >= 3, recorder.problems
                """, version=version)
                told = self.about(f"{NAME}_oom1", version)
                self.assertEqual((told["versions"]["torch"], told["problems"]), (version, []))


@unittest.skipUnless(importlib.util.find_spec("torch"), "needs PyTorch")
class RealSignatures(unittest.TestCase):
    def test_they_are_what_the_stand_in_has(self):
        import torch
        for name in torch_signatures.MEMORY:
            wanted = torch_signatures.arguments_of(name, torch.__version__)
            found = getattr(torch.cuda.memory, name, None)
            self.assertEqual(found is None, wanted is None, name)
            if found is not None:
                signature = inspect.signature(eval(f"lambda {wanted}: 0", {"sys": sys}))
                self.assertEqual([(each.name, each.default) for each in inspect.signature(found).parameters.values()],
                                 [(each.name, each.default) for each in signature.parameters.values()], name)


if __name__ == "__main__":
    main()

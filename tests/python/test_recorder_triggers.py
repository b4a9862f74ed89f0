"""Automatic snapshots of record(), their disk space, and that recording does not disturb a job: signals, time, threads, forks."""
import os
import unittest

from module import main
from recording import ABOUT, NAME, RecorderCase

import snapviewer as sv

HELPERS = """
import os, signal, sys, threading, time, torch
def wait_for(what, seconds=30):
    until = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < until, "it never came"
        time.sleep(0.005)
def kill(): os.kill(os.getpid(), signal.SIGUSR1)
"""


class Triggers(RecorderCase):
    def run_code(self, code, **options):
        return super().run_code(HELPERS + "import textwrap\nexec(textwrap.dedent('''" + code + "'''))\n", **options)

    def test_without_a_block(self):
        self.run_code("""
            recorder = sv.record(out)
            recorder.stop()
            assert recorder.start() is recorder
            recorder.stop()
            recorder.stop()
            assert [path.name for path in recorder.files] == ["NAME.pickle"]
            recorder.start()
            recorder.stop()
            assert len(recorder.files) == 2
        """.replace("NAME", NAME))
        self.assertEqual(self.written(), [f"{NAME}.pickle", f"{NAME}_run2.pickle"])

    def test_a_signal(self):
        self.run_code("""
            with sv.record(out, on_signal="SIGUSR1") as recorder:
                for wanted in (1, 2):
                    kill()
                    wait_for(lambda: len(recorder.files) == wanted)
            kill()
            time.sleep(0.1)
            assert len(recorder.files) == 3
        """)
        self.assertEqual(self.written(), [f"{NAME}.pickle", f"{NAME}_signal1.pickle", f"{NAME}_signal2.pickle"])
        self.assertEqual(self.about(f"{NAME}_signal2")["why"], "signal")

    def test_who_was_there_before_is_called_too(self):
        self.run_code("""
            came = []
            mine = lambda number, frame: came.append(number)
            signal.signal(signal.SIGUSR1, mine)
            for _ in range(3):
                with sv.record(out, on_signal="USR1", keep=9) as recorder:
                    kill()
                    wait_for(lambda: recorder.files)
                assert signal.getsignal(signal.SIGUSR1) is mine
            assert came == [signal.SIGUSR1] * 3, came

            # Who comes afterwards stays, and whoever he calls does no harm.
            with sv.record(out, on_signal="USR1"):
                ours = signal.getsignal(signal.SIGUSR1)
                signal.signal(signal.SIGUSR1, lambda *given: (came.append("later"), ours(*given)))
            kill()
            assert came[3:] == ["later", signal.SIGUSR1], came
        """)

    def test_handlers_do_not_pile_up(self):
        self.run_code("""
            from snapviewer._record_triggers import SignalWatch
            came = []
            for number in range(sys.getrecursionlimit() + 10):
                watch = SignalWatch("USR1", lambda: came.append(number))
                watch.start()
                watch.stop()
            kill()
            assert came == [number], "only the last one is called"
        """)

    def test_another_thread_cannot_listen(self):
        done = self.run_code("""
            def train():
                global problems
                with sv.record(out, on_signal="USR1") as recorder: pass
                problems = recorder.problems
            thread = threading.Thread(target=train)
            thread.start()
            thread.join()
            assert len(problems) == 1 and "main thread" in problems[0], problems
        """)
        self.assertIn("main thread", done.stderr)
        self.assertIn("main thread", self.about(NAME)["problems"][0])

    def test_every_so_often(self):
        self.run_code("""
            with sv.record(out, every="0.02s", keep=2) as recorder:
                wait_for(lambda: recorder._numbers.get("time", 0) >= 5)
            numbers = [int(path.stem.rsplit("_time")[1]) for path in recorder.files[:-1]]
            assert len(numbers) == 2 and numbers[1] == numbers[0] + 1 == recorder._numbers["time"], numbers
        """)
        self.assertEqual(len(self.written()), 3)
        self.assertEqual(len(self.files()), 6, "what lies beside a snapshot goes with it")

    def test_a_series_is_small_and_elsewhere(self):
        self.run_code("""
            import pickle
            for version in ("new", "old"):
                with sv.record(out + "/" + version, series=0.01) as recorder:
                    wait_for(lambda: recorder._numbers.get("series", 0) >= 3)
                assert len(recorder.files) == 1
                with open(f"{out}/{version}/series/NAME_series000002.pickle", "rb") as file: snapshot = pickle.load(file)
                assert snapshot["segments"] == torch.SEGMENTS and snapshot["device_traces"] == [], snapshot
                asked = [call for call in torch.calls if call[0] == "memory_snapshot"]
                assert asked and all(call == ("memory_snapshot", False) for call in asked), asked
                del torch.cuda.memory_snapshot
                torch.cuda.memory_snapshot = lambda: 1 / 0
                torch.calls.clear()
                torch.calls.append(("memory_snapshot", False))
        """.replace("NAME", NAME))
        self.assertEqual(self.written("new"), [f"{NAME}.pickle"])
        self.assertEqual(self.written("new/series")[:3], [f"{NAME}_series{number:06}.pickle" for number in (1, 2, 3)])
        for version in ("new", "old"):
            with sv.open(self.out / version / "series" / f"{NAME}_series000001.pickle") as sample:
                self.assertEqual([(row["device"], row["live_bytes_at_end"]) for row in sample.devices], [(1, 400)])
        told = self.about(f"{NAME}_series000001", "new/series")
        self.assertEqual((told["why"], told["device"], told["torch"]["reserved_bytes"]), ("series", 1, 3 << 30))
        self.assertNotIn("device_free_bytes", told["torch"], "the driver is not asked for a series")

    def test_a_series_that_is_slow_waits(self):
        """Samples that take 50 ms may come every 5 s, not every 10 ms; the first one does not count."""
        self.run_code("""
            torch.state["seconds"] = 0.05
            with sv.record(out, series=0.01) as recorder:
                wait_for(lambda: recorder._numbers.get("series", 0) >= 2)
                time.sleep(0.5)
                assert recorder._numbers["series"] == 2, recorder._numbers
        """)

    def test_a_first_sample_that_is_slow_keeps_none_waiting(self):
        """A slow first sample, which loads modules, does not delay the next ones. Without that, a job of ten seconds on a GPU had one
        sample instead of twenty."""
        self.run_code("""
            torch.state["seconds"] = 0.2
            with sv.record(out, series=0.01) as recorder:
                wait_for(lambda: recorder._numbers.get("series", 0) >= 1)
                torch.state["seconds"] = 0.0
                wait_for(lambda: recorder._numbers.get("series", 0) >= 4, 5)
        """)

    def test_a_series_that_waits_for_a_disk_goes_on(self):
        """Waiting costs the job nothing, so it does not lengthen the period."""
        self.run_code("""
            slow = torch.cuda.memory_snapshot
            def wait(include_traces=True):
                time.sleep(0.05)
                return slow(include_traces=include_traces)
            torch.cuda.memory_snapshot = wait
            with sv.record(out, series=0.01) as recorder:
                wait_for(lambda: recorder._numbers.get("series", 0) >= 4, 5)
        """)

    def test_a_thread_starts_no_cuda(self):
        self.run_code("""
            torch.state["initialized"] = False
            with sv.record(out, series=0.01, every=0.01, on_signal="USR1") as recorder:
                kill()
                time.sleep(0.2)
                assert not recorder._numbers
                torch.state["initialized"] = True
                wait_for(lambda: len(recorder._numbers) == 2)
        """)

    def test_memory_runs_out_again_much_later(self):
        self.run_code("""
            from snapviewer import _recorder
            with sv.record(out, keep=2) as recorder:
                for _ in range(5): torch.run_out(1)
                _recorder.OUT_OF_MEMORY_PAUSE_S = 0
                torch.run_out(1)
        """)
        self.assertEqual(self.written(), [f"{NAME}.pickle", f"{NAME}_oom2.pickle", f"{NAME}_oom3.pickle"])

    def test_a_job_that_ends_without_stop(self):
        done = self.run_code("""
            recorder = sv.record(out, series=0.01, every=0.01, on_signal="USR1").start()
            wait_for(lambda: recorder._numbers.get("series", 0) >= 2)
        """)
        self.assertEqual(done.stderr, "")
        self.assertNotIn(f"{NAME}.pickle", self.written())
        self.assertFalse([name for name in os.listdir(self.out / "series") if name.endswith(".part")])

    def test_a_block_in_another_thread_leaves_no_thread(self):
        self.run_code("""
            def train():
                with sv.record(out, every=0.01) as recorder: wait_for(lambda: recorder.files)
            thread = threading.Thread(target=train)
            thread.start()
            thread.join()
            assert threading.enumerate() == [threading.main_thread()]
        """)

    def test_a_forked_child_is_not_recorded(self):
        """A forked child does not write when its copy of the block ends, can be recorded by itself, and ignores our signal."""
        self.run_code("""
            with sv.record(out, series=0.01, on_signal="USR1") as recorder:
                wait_for(lambda: recorder._numbers.get("series", 0) >= 1)
                child = os.fork()
                if child == 0:
                    try:
                        kill()
                        recorder.stop()
                        with sv.record(out + "/child") as own: pass
                        os._exit(0 if len(own.files) == 1 and not recorder.files else 1)
                    except BaseException:
                        os._exit(2)
                assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
                assert torch.state["recording"] == "all"
        """)
        self.assertEqual(self.written(), [f"{NAME}.pickle"])
        self.assertEqual(self.written("child"), [f"{NAME}.pickle"])


class Disk(RecorderCase):
    def test_the_oldest_make_room(self):
        """Each snapshot has 15 bytes and a file of facts of about a hundred. Three of them fit, and the newest always stays."""
        self.run_code("""
            import os, torch
            from snapviewer import _recorder
            _recorder.OUT_OF_MEMORY_PAUSE_S = 0
            with sv.record(out): pass
            size = sum(os.path.getsize(os.path.join(out, name)) for name in os.listdir(out))
            with sv.record(out + "/three", disk=int(size * 3.8), keep=99) as recorder:
                for _ in range(9): torch.run_out(1)
            assert len(recorder.files) == 3, recorder.files
            with sv.record(out + "/one", disk=1) as recorder: torch.run_out(2)
            assert len(recorder.files) == 1
        """)
        self.assertEqual(self.written("three"), [f"{NAME}.pickle", f"{NAME}_oom8.pickle", f"{NAME}_oom9.pickle"])
        self.assertEqual(self.files("one"), [f"{NAME}{ABOUT}", f"{NAME}.pickle"])

    def test_only_its_own_files_go(self):
        """Files of another recorder are kept, and files that replaced one of its own."""
        self.run_code("""
            import os, torch
            from snapviewer import _recorder
            _recorder.OUT_OF_MEMORY_PAUSE_S = 0
            with sv.record(out) as recorder: torch.run_out(1)
            with sv.record(out, keep=1) as recorder:
                torch.run_out(1)
                first = recorder.files[0]
                os.unlink(first)
                first.write_text("mine")
                torch.run_out(1)
                os.unlink(recorder.files[0])
                torch.run_out(1)
            assert not recorder.problems, recorder.problems
        """)
        self.assertEqual(self.written(), [f"{NAME}.pickle", f"{NAME}_oom1.pickle", f"{NAME}_oom1_run2.pickle", f"{NAME}_oom3.pickle",
                                          f"{NAME}_run2.pickle"])
        self.assertEqual((self.out / f"{NAME}_oom1_run2.pickle").read_text(), "mine")

    def test_a_folder_that_goes_away(self):
        """Nothing is raised, even if warnings are errors, and earlier problems are reported afterwards."""
        self.run_code("""
            import shutil, torch, warnings
            warnings.simplefilter("error")
            with sv.record(out) as recorder:
                shutil.rmtree(out)
                open(out, "w").close()
                torch.run_out(1)
                assert recorder.failures == 1 and recorder.files == [], recorder.problems
                import os
                os.unlink(out)
        """)
        told = self.about(NAME)
        self.assertEqual(told["failures"], 1)
        self.assertIn("could not be written", told["problems"][0])


if __name__ == "__main__":
    main()

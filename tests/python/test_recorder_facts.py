"""The file of facts beside a snapshot: its origin, PyTorch's figures, and those of a stand-in for NVIDIA's library, compiled here."""
import datetime
import os
import platform
import shutil
import socket
import subprocess
import unittest

from module import main
from recording import HERE, NAME, RecorderCase

GIB = 1 << 30


class Facts(RecorderCase):
    def test_who_when_and_why(self):
        before = datetime.datetime.now(datetime.timezone.utc)
        self.run_code("""
            import torch
            with sv.record(out) as recorder:
                recorder.step(41)
                recorder.step()
                torch.run_out(3)
        """, LOCAL_RANK="3", PYTORCH_CUDA_ALLOC_CONF="expandable_segments:True")
        told = self.about(f"{NAME.replace('device1', 'device3')}_oom1")
        self.assertEqual({name: told[name] for name in ("version", "file", "why", "host", "rank", "local_rank", "device", "step")},
                         {"version": 1, "file": f"{NAME.replace('device1', 'device3')}_oom1.pickle", "why": "oom",
                          "host": socket.gethostname(), "rank": 7, "local_rank": 3, "device": 3, "step": 42})
        self.assertTrue(before <= datetime.datetime.fromisoformat(told["time"].replace("Z", "+00:00")) <= datetime.datetime.now(datetime.timezone.utc))
        self.assertEqual((told["versions"]["torch"], told["versions"]["python"]), ("2.15", platform.python_version()))
        self.assertEqual(told["allocator"]["PYTORCH_CUDA_ALLOC_CONF"], "expandable_segments:True")
        self.assertIsNone(told["allocator"]["PYTORCH_ALLOC_CONF"])
        self.assertEqual(told["oom"], {"wanted_bytes": GIB, "limit_bytes": 2 * GIB, "free_bytes": 1 << 20})
        self.assertEqual(told["torch"], {"allocated_bytes": 2 * GIB, "reserved_bytes": 0, "peak_allocated_bytes": 5 * GIB // 2,
                                         "device_free_bytes": 10 * GIB, "device_total_bytes": 80 * GIB})
        self.assertTrue(0 < told["took_ms"] < 60_000 and told["facts_took_ms"] > 0)
        self.assertEqual((told["failures"], told["problems"]), (0, []))
        at_end = self.about(NAME)
        self.assertEqual((at_end["why"], at_end["oom"], at_end["torch"]["reserved_bytes"]), ("end", None, 3 * GIB))

    def test_how_long_it_took(self):
        self.run_code("""
            import torch
            torch.state["seconds"] = 0.2
            with sv.record(out): pass
        """)
        self.assertGreaterEqual(self.about(NAME)["took_ms"], 200)

    def test_what_cannot_be_had_is_null_and_says_why(self):
        self.run_code("""
            import torch
            torch.state["initialized"] = False
            with sv.record(out): pass
        """)
        told = self.about(NAME)
        self.assertEqual((told["torch"], told["step"], told["local_rank"]), (None, None, None))
        self.assertIn("not used the device yet", told["torch_missing"])

    @unittest.skipIf(shutil.which("nvidia-smi"), "has NVIDIA's driver")
    def test_without_nvidias_library(self):
        self.run_code("with sv.record(out): pass")
        told = self.about(NAME)
        self.assertIsNone(told["nvml"])
        self.assertIn("libnvidia-ml.so.1", told["nvml_missing"])


@unittest.skipUnless(shutil.which("gcc"), "needs gcc")
class Nvml(RecorderCase):
    def setUp(self):
        super().setUp()
        subprocess.run(["gcc", "-shared", "-fPIC", "-Wall", "-Werror", "-o", str(self.folder / "libnvidia-ml.so.1"),
                        str(HERE / "nvml_stand_in.c")], check=True)

    def told(self, setup="", **environment):
        shutil.rmtree(self.out, ignore_errors=True)
        self.run_code(f"import torch\n{setup}\nwith sv.record(out): pass", LD_LIBRARY_PATH=str(self.folder), **environment)
        return self.about(NAME)

    def used(self, setup="", **environment):
        return self.told(setup, **environment)["nvml"]["used_bytes"]

    def test_whose_memory_it_is(self):
        self.assertEqual(self.told()["nvml"], {"total_bytes": 80 * GIB, "used_bytes": 2 * GIB, "this_process_bytes": GIB // 2,
                                               "other_processes_bytes": 3 * GIB // 2, "other_processes": 2})

    def test_which_device_it_is(self):
        """If the job sees only some devices, the driver numbers PyTorch's device 1 differently."""
        self.assertEqual(self.used(CUDA_VISIBLE_DEVICES="6, 3"), 4 * GIB)
        self.assertEqual(self.used(CUDA_VISIBLE_DEVICES="GPU-0000-2,GPU-0000-5"), 10 * GIB)
        self.assertEqual(self.used("torch.state['uuid'] = True", CUDA_VISIBLE_DEVICES="6,3"), 6 * GIB, "its own name says best")
        self.assertIn("has no device 1", self.told(CUDA_VISIBLE_DEVICES="6")["nvml_missing"])

    def test_in_a_container_nobody_knows_himself(self):
        told = self.told(NVML_STAND_IN="container")["nvml"]
        self.assertEqual((told["used_bytes"], told["this_process_bytes"], told["other_processes_bytes"]), (2 * GIB, None, None))

    def test_what_the_driver_may_not_tell(self):
        told = self.told(NVML_STAND_IN="hidden")["nvml"]
        self.assertEqual((told["this_process_bytes"], told["other_processes_bytes"]), (GIB // 2, None))
        for wrong, said in (("denied", "nvmlDeviceGetMemoryInfo: Insufficient Permissions"), ("no driver", "nvmlInit_v2: Not Found")):
            told = self.told(NVML_STAND_IN=wrong)
            self.assertEqual((told["nvml"], told["nvml_missing"], told["problems"]), (None, said, []))


if __name__ == "__main__":
    os.environ.pop("CUDA_VISIBLE_DEVICES", None)
    main()

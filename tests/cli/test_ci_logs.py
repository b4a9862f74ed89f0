"""Text from a file never becomes a command for the server that reads the log of a CI job."""
import json
import pickle
import re

from harness import CommandLine, main

# https://docs.github.com/actions: "::" after blanks at the beginning of a line, "##[" anywhere. Azure: "##vso[" anywhere, in either case.
COMMAND = re.compile(r"^[ \t\u00a0\u2003]*::|##\[|##vso\[", re.IGNORECASE)
EVIL = ["::error::owned", " ::set-output name=a::b", "\u00a0::add-mask::x", "##vso[task.setvariable variable=a]b", "x ##[command]y", "###[error]z",
        "##VsO[task.complete]", "a\n::error::next line", "a\r::error::next line", "a\u2028::error::"]


def snapshot(text):
    frames = [{"filename": text, "line": 7, "name": text}, {"filename": "train.py", "line": 9, "name": text}]
    trace = [{"action": "alloc", "addr": number << 21, "size": 1 << 20, "stream": 0, "frames": frames, "user_metadata": text, "time_us": number} for number in range(1, 60)]
    settings = {"PYTORCH_CUDA_ALLOC_CONF": text, "expandable_segments": False}
    return pickle.dumps({"segments": [], "device_traces": [trace], "allocator_settings": settings, "external_annotations": [
        {"stage": "START", "name": text, "device": 0, "time_us": 5}]})


class LogsOfJobs(CommandLine):
    def lines(self, *arguments):
        done = self.run_program(*arguments)
        self.assertIn(done.returncode, (0, 1, 4, 5), done.stderr)
        return (done.stdout + done.stderr).split("\n")

    def test_no_line_is_a_command(self):
        for number, text in enumerate(EVIL):
            path = self.write(f"{number}.pickle", snapshot(text))
            other = self.write("other.pickle", snapshot("b" + text))
            for command in (["info"], ["info", "--json"], ["report"], ["report", "--json"], ["check", "--max-peak", "1MiB", "--max-growth", "1"], ["tree"],
                            ["check", "--max-peak", "1GiB", "--baseline", other], ["replay"], ["compare", other], ["compare", other, "--by", "function"],
                            ["query", "SELECT text FROM stacks"], ["query", "SELECT text FROM stacks", "--format", "json"]):
                with self.subTest(text=text, command=command):
                    for line in self.lines(command[0], path, *command[1:]):
                        self.assertIsNone(COMMAND.search(line), line)

    def test_names_of_files(self):
        for name in ("::error::x", "##vso[task.complete]", "##[error]x"):
            for content in (snapshot("f"), b"nothing"):
                path = self.write(name, content)
                for command in ("info", "report"):
                    for line in self.lines(command, path.name):
                        self.assertIsNone(COMMAND.search(line), line)

    def test_json_stays_the_same_json(self):
        text = "##vso[task.setvariable variable=a]b ##[error] ::x"
        path = self.write("a.pickle", snapshot(text))
        rows = json.loads(self.succeed("query", path, "SELECT DISTINCT function AS name FROM frames WHERE function LIKE '%vso%'", "--format", "json"))
        self.assertEqual(rows, [{"name": text}])

    def test_data_stays_data(self):
        """CSV is for programs, not for logs, so it is exact."""
        path = self.write("a.pickle", snapshot("::error::x"))
        self.assertEqual(self.succeed("query", path, "SELECT DISTINCT file FROM frames ORDER BY 1 LIMIT 1", "--format", "csv"), "file\n::error::x\n")


if __name__ == "__main__":
    main()

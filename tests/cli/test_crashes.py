"""After a signal caused by a crash, the program writes a report to stderr and to a file on this machine, and nowhere else."""
import signal
import subprocess
import unittest

from harness import BINARY, SAMPLE, CommandLine, headless_environment, is_sanitized, main

ENDLESS = "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT count(*) FROM t"


class Crashes(CommandLine):
    @classmethod
    def setUpClass(cls):
        if is_sanitized():
            raise unittest.SkipTest("a sanitizer reports instead")

    def end_by(self, number, environment):
        """Ends the program with a signal during a query."""
        program = subprocess.Popen([BINARY, "query", SAMPLE, ENDLESS, "--format", "csv"], cwd=self.folder, env=environment,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            program.communicate(timeout=1)
            self.fail("the query was to have no end")
        except subprocess.TimeoutExpired:
            program.send_signal(number)
        out, err = program.communicate(timeout=60)
        self.assertEqual((program.returncode, out), (-number, ""), err)
        return err

    def reports(self):
        return [path for path in self.home.rglob("*") if path.is_file()]

    def test_a_report_says_what_was_done_and_where_it_ended(self):
        for number in (signal.SIGSEGV, signal.SIGABRT, signal.SIGFPE):
            with self.subTest(number.name):
                before = self.reports()
                err = self.end_by(number, headless_environment(self.home))
                [path] = [path for path in self.reports() if path not in before]
                self.assertEqual(path.parent, self.home / "snapviewer")
                self.assertEqual(path.stat().st_mode & 0o777, 0o600)
                text = path.read_text()
                self.assertIn(text, err)
                self.assertIn(str(path), err)
                self.assertIn(f"ended by {number.name}", text)
                self.assertIn(f"  run query {SAMPLE} WITH RECURSIVE", text)
                self.assertRegex(text, r"backtrace:\n(.*\n)*.*libsqlite3.*\n")

    def test_nothing_is_written_without_a_crash(self):
        self.succeed("info", SAMPLE)
        self.assertEqual(self.reports(), [])

    def test_without_a_home_the_report_is_on_stderr_alone(self):
        environment = headless_environment(self.home)
        for name in [name for name in environment if name.startswith("XDG_") or name == "HOME"]:
            del environment[name]
        err = self.end_by(signal.SIGSEGV, environment)
        self.assertIn("backtrace:", err)
        self.assertNotIn("kept in", err)


if __name__ == "__main__":
    main()

"""Help, version and errors in the command line."""
import re

from harness import ENVIRONMENT, SAMPLE, WRONG_USAGE, CommandLine, main

SUBCOMMANDS = ["info", "query", "render", "export", "pack", "report", "layout", "tree", "compare", "fleet", "series", "check", "replay", "serve"]


class Usage(CommandLine):
    def test_help_everywhere(self):
        text = self.succeed("--help")
        for name in SUBCOMMANDS:
            self.assertIn(name, text)
            self.assertIn("FILE", self.succeed(name, "--help").upper())

    def test_version(self):
        first, *others = self.succeed("--version").splitlines()
        self.assertRegex(first, r"\Asnapviewer \d+\.\d+\.\d+\Z")
        facts = dict(line.split(": ", 1) for line in others)
        self.assertEqual(list(facts), ["commit", "built for", "built with", "can", "sandbox"])
        self.assertRegex(facts["commit"], r"\A([0-9a-f]{12}\+?|unknown)\Z")
        for library in ["SQLite3", "imgui", "libzip", "zstd"]:
            self.assertRegex(facts["built with"], rf"\b{library} \d+\.\d+")

    def test_version_knows_the_sqlite_that_answers(self):
        built_with = re.search(r"SQLite3 ([\d.]+)", self.succeed("--version"))[1]
        self.assertEqual(self.ask(SAMPLE, "SELECT sqlite_version()"), [(built_with,)])

    def test_wrong_usage(self):
        for arguments in [
                ["--nonsense"], ["info"], ["info", SAMPLE, "--nonsense"], ["query", SAMPLE], ["query"],
                ["query", SAMPLE, "SELECT 1", "--format", "xml"], ["query", SAMPLE, "SELECT 1", "--limit", "some"],
                ["query", SAMPLE, "SELECT 1", "--limit", "-1"],
                ["render", SAMPLE], ["render", SAMPLE, "--out", "x.png", "--size", "large"],
                ["render", SAMPLE, "--out", "x.png", "--size", "0x900"], ["render", SAMPLE, "--out", "x.png", "--axis", "bytes"],
                ["render", SAMPLE, "--out", "x.png", "--view", "left:right"], ["render", SAMPLE, "--out", "x.png", "--view", "9:1"],
                ["render", SAMPLE, "--out", "x.png", "--theme", "pencil"], ["--size", "large"], ["tree", SAMPLE, "--frames", ""],
                ["replay", SAMPLE, "--set", "colour=red"], ["replay", SAMPLE, "--set", "capacity_bytes"], ["export", SAMPLE], ["export", SAMPLE, "--out", "x.unknown"]]:
            with self.subTest(arguments=arguments):
                self.assertNotEqual(self.refuse(*arguments, status=WRONG_USAGE), "")

    def test_a_limit_below_nothing(self):
        for arguments in [["--limit", "-1"], ["--limit=-1"], ["--limit", "1e3"], ["--limit", "9" * 30]]:
            text = self.refuse("query", SAMPLE, "SELECT 1", *arguments, status=WRONG_USAGE, mentions=["--limit", "number of rows"])
            self.assertLess(len(text), 200)

    def test_a_mistyped_command_opens_no_window(self):
        for word, meant in [("inof", "info"), ("infos", "info"), ("qurey", "query"), ("Render", "render"), ("exprot", "export"),
                            ("exp", "export"), ("seires", "series")]:
            for more in [[], [SAMPLE], [SAMPLE, "--json"], ["--help"]]:
                with self.subTest(word=word, more=more):
                    self.refuse(word, *more, status=WRONG_USAGE, mentions=[f"'{word}'", f"'{meant}'"])
        text = self.refuse("frobnicate", SAMPLE, status=WRONG_USAGE, mentions=["'frobnicate'"])
        for name in SUBCOMMANDS:
            self.assertIn(name, text)

    def test_a_file_named_like_a_mistyped_command_opens(self):
        self.write("inof", SAMPLE.read_bytes())
        (self.folder / "qurey").mkdir()
        for arguments in [["inof"], ["./inof"], ["./infp"], ["qurey"], ["nowhere.pickle"], ["--size", "800x600", "inof"]]:
            with self.subTest(arguments=arguments):
                self.refuse(*arguments, status=ENVIRONMENT, mentions=["display"])

    def test_a_window_needs_a_display(self):
        self.refuse(SAMPLE, status=ENVIRONMENT, mentions=["display"])


if __name__ == "__main__":
    main()

"""Help, version and what happens to a command line that makes no sense."""
from harness import ENVIRONMENT, SAMPLE, WRONG_USAGE, CommandLine, main

SUBCOMMANDS = ["info", "query", "render", "export"]


class Usage(CommandLine):
    def test_help_everywhere(self):
        text = self.succeed("--help")
        for name in SUBCOMMANDS:
            self.assertIn(name, text)
            self.assertIn("FILE", self.succeed(name, "--help").upper())

    def test_version(self):
        self.assertRegex(self.succeed("--version"), r"\Asnapviewer \d+\.\d+\.\d+\n\Z")

    def test_wrong_usage(self):
        for arguments in [
                ["--nonsense"], ["info"], ["info", SAMPLE, "--nonsense"], ["query", SAMPLE], ["query"],
                ["query", SAMPLE, "SELECT 1", "--format", "xml"], ["query", SAMPLE, "SELECT 1", "--limit", "some"],
                ["query", SAMPLE, "SELECT 1", "--limit", "-1"],
                ["render", SAMPLE], ["render", SAMPLE, "--out", "x.png", "--size", "large"],
                ["render", SAMPLE, "--out", "x.png", "--size", "0x900"], ["render", SAMPLE, "--out", "x.png", "--axis", "bytes"],
                ["render", SAMPLE, "--out", "x.png", "--view", "left:right"], ["render", SAMPLE, "--out", "x.png", "--view", "9:1"],
                ["export", SAMPLE], ["export", SAMPLE, "--out", "x.unknown"]]:
            with self.subTest(arguments=arguments):
                self.assertNotEqual(self.refuse(*arguments, status=WRONG_USAGE), "")

    def test_a_window_needs_a_display(self):
        self.refuse(SAMPLE, status=ENVIRONMENT, mentions=["display"])


if __name__ == "__main__":
    main()

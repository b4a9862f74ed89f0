"""The examples of README.md work as printed: every SQL example returns rows of the sample."""
import json
import re

from harness import ROOT, SAMPLE, CommandLine, main, snapshots


class Readme(CommandLine):
    def test_sql_examples_find_something(self):
        examples = re.findall(r"```sql\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
        self.assertGreater(len(examples), 3)
        for sql in examples:
            with self.subTest(sql=sql):
                self.assertNotEqual(json.loads(self.succeed("query", SAMPLE, sql, "--format", "json")), [])

    def test_who_ran_out_of_memory_is_a_line_of_the_program(self):
        examples = re.findall(r"```sql\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
        about_oom, = (sql for sql in examples if "'oom'" in sql)
        snapshots.make("gen_planted.py", self.folder, "oom-pending")
        for path, line in ((self.folder / "oom-pending.pickle", r"^\w+@train\.py:\d+$"), (SAMPLE, r"^\w+Backward0$")):
            for row in json.loads(self.succeed("query", path, about_oom, "--format", "json")):
                self.assertRegex(row["top_frame"], line)


if __name__ == "__main__":
    main()

"""snapviewer-mcp with the official client, using only the information in the tools' descriptions."""
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from module import MODULE, SAMPLE, SKIPPED, main

import snapviewer as sv

if importlib.util.find_spec("mcp.server.mcpserver" if importlib.util.find_spec("mcp") else "mcp") is None:
    print("skipped: needs the package mcp, 2 or newer")
    sys.exit(SKIPPED)

from mcp import Client, StdioServerParameters  # noqa: E402
from mcp.client.stdio import stdio_client  # noqa: E402


class Assistant(unittest.IsolatedAsyncioTestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name).resolve()

    @staticmethod
    def client(*options, root=Path(SAMPLE).parent, folder=None):
        """Starts a server for a root, or without one for its working directory, and returns a client."""
        arguments = ["-m", "snapviewer._mcp", *options, *(["--root", str(root)] if folder is None else [])]
        return Client(stdio_client(StdioServerParameters(command=sys.executable, args=arguments, cwd=folder,
                                                         env={**os.environ, "PYTHONPATH": str(MODULE)})))

    async def refused(self, client, tool, **arguments):
        """Calls a tool that must fail; returns its message."""
        answer = await client.call_tool(tool, arguments)
        self.assertTrue(answer.is_error, (tool, arguments))
        return answer.content[0].text

    @staticmethod
    def value(answer):
        """Returns the value of a tool's answer, which must not be an error."""
        assert not answer.is_error, answer.content
        structured = answer.structured_content
        return structured.get("result", structured) if structured is not None else json.loads(answer.content[0].text)

    async def test_why_memory_ran_out_and_what_grew(self):
        async with self.client() as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            self.assertEqual(set(tools), {"open_file", "findings", "query", "compare", "picture"})
            # Finds the tools by their descriptions: the one to begin with, then the one for out-of-memory errors and growth.
            first = next(name for name, tool in tools.items() if "Do this first" in tool.description)
            second = next(name for name, tool in tools.items() if "why memory ran out" in tool.description and "grows" in tool.description)
            opened = self.value(await client.call_tool(first, {"path": SAMPLE}))
            self.assertEqual(opened["kind"], "pytorch_pickle")
            self.assertEqual(len(opened["oom"]), len(sv.open(SAMPLE).ooms))
            self.assertIn("stack_id", opened["tables"]["allocations"])
            found = self.value(await client.call_tool(second, {"path": SAMPLE}))
            why = next(finding for finding in found if finding["code"].startswith("oom"))
            self.assertIn("Live memory fills ", why["sentence"])
            grown = [finding["sentence"] for finding in found if finding["code"] == "leak"]
            self.assertTrue(any("z_loss@train.py:126" in sentence for sentence in grown), grown)
            more = self.value(await client.call_tool("query", {"path": SAMPLE, "sql": why["sql"]}))
            self.assertEqual(more["columns"][:2], ["bytes", "size"])
            self.assertEqual([row[0] for row in more["rows"]], [sv.open(SAMPLE).ooms[0]["demand_bytes"]])

    async def test_queries_end_at_the_limit_and_write_nothing(self):
        async with self.client() as client:
            answer = self.value(await client.call_tool("query", {"path": SAMPLE, "sql": "SELECT id, x'00ff', NULL FROM allocations ORDER BY id",
                                                                 "limit": 2}))
            self.assertEqual(answer, {"columns": ["id", "x'00ff'", "NULL"], "rows": [[0, "00ff", None], [1, "00ff", None]], "has_more": True})
            answer = self.value(await client.call_tool("query", {"path": SAMPLE, "sql": "SELECT 1 AS one", "limit": 1}))
            self.assertFalse(answer["has_more"])
            for arguments, words in (({"sql": "DELETE FROM allocations"}, "SELECT"), ({"sql": "SELECT nothing"}, "nothing"),
                                     ({"sql": "SELECT 1", "limit": 0}, "limit is 0")):
                answer = await client.call_tool("query", {"path": SAMPLE, **arguments})
                self.assertTrue(answer.is_error)
                self.assertIn(words, answer.content[0].text)
            self.assertIn("No such file", await self.refused(client, "open_file", path="nowhere.pickle"))

    async def test_a_file_is_read_once_until_it_changes(self):
        path, other = self.folder / "file.pickle", self.folder / "other.pickle"
        shutil.copy(SAMPLE, path)
        async with self.client(root=self.folder) as client:
            first = self.value(await client.call_tool("open_file", {"path": str(path)}))
            # The content is changed but size and time are not, which shows that the file is not read again.
            other.write_bytes(bytes(path.stat().st_size))
            shutil.copystat(path, other)
            os.replace(other, path)
            self.assertEqual(self.value(await client.call_tool("open_file", {"path": str(path)})), first)
            path.write_bytes(b"no snapshot any more")
            await self.refused(client, "open_file", path=str(path))

    async def test_a_picture_and_a_comparison(self):
        async with self.client() as client:
            answer = await client.call_tool("picture", {"path": SAMPLE, "width": 320, "height": 200})
            self.assertFalse(answer.is_error, answer.content)
            self.assertEqual((answer.content[0].type, answer.content[0].mime_type), ("image", "image/png"))
            self.assertEqual(self.value(await client.call_tool("compare", {"a": SAMPLE, "b": SAMPLE}))["delta"], 0)

    async def test_files_outside_of_the_root_are_refused(self):
        root, elsewhere = self.folder / "root", self.folder / "root of another"
        (root / "run" / "parts").mkdir(parents=True)
        elsewhere.mkdir()
        inside, outside = root / "run" / "a.pickle", elsewhere / "b.pickle"
        shutil.copy(SAMPLE, inside)
        shutil.copy(SAMPLE, outside)
        (root / "way out").symlink_to(outside)
        (root / "folder out").symlink_to(elsewhere)
        (root / "way in").symlink_to(inside)
        (root / "run" / "parts" / "elements.json").symlink_to(outside)
        async with self.client(root=root) as client:
            for path in (inside, "run/a.pickle", "run/../run/a.pickle", root / "way in"):
                self.assertEqual(self.value(await client.call_tool("open_file", {"path": str(path)}))["kind"], "pytorch_pickle", path)
            for path in (outside, "../root of another/b.pickle", "way out", "folder out/b.pickle", "run/parts", "/etc/passwd", "~/b.pickle",
                         elsewhere / "nothing", elsewhere, "/"):
                with self.subTest(path):
                    for tool, arguments in (("open_file", {}), ("findings", {}), ("query", {"sql": "SELECT 1"}), ("picture", {})):
                        said = await self.refused(client, tool, path=str(path), **arguments)
                        self.assertIn(f"outside {root}, the folder that this server was started for", said)
                    for pair in ({"a": str(path), "b": str(inside)}, {"a": str(inside), "b": str(path)}):
                        self.assertIn(f"outside {root}", await self.refused(client, "compare", **pair))

    async def test_the_root_is_the_working_directory_unless_given(self):
        shutil.copy(SAMPLE, self.folder / "a.pickle")
        async with self.client(folder=self.folder) as client:
            self.assertEqual(self.value(await client.call_tool("compare", {"a": "a.pickle", "b": str(self.folder / "a.pickle")}))["delta"], 0)
            self.assertIn(f"outside {self.folder}", await self.refused(client, "open_file", path=SAMPLE))

    async def test_a_long_answer_is_cut_and_says_so(self):
        most = 4096
        async with self.client("--max-bytes", str(most)) as cut, self.client() as whole:
            for tool, arguments in (("open_file", {"path": SAMPLE}), ("compare", {"a": SAMPLE, "b": SAMPLE}), ("findings", {"path": SAMPLE})):
                with self.subTest(tool):
                    answer = await cut.call_tool(tool, arguments)
                    all_of_it = await whole.call_tool(tool, arguments)
                    sizes = [sum(len(part.text.encode()) for part in one.content) for one in (answer, all_of_it)]
                    self.assertGreater(sizes[1], most, "nothing to be cut")
                    self.assertLessEqual(sizes[0], most)
                    said = self.value(answer)
                    said = said["cut"] if isinstance(said, dict) else said[-1]["sentence"]
                    self.assertRegex(said, rf"^Cut to {most} bytes.* query")
                    self.assertNotIn("Cut to", all_of_it.content[-1].text)

    async def test_rows_beyond_the_bytes_are_for_the_next_question(self):
        most, sql = 8192, "SELECT id, printf('%.*c', 100, 'x') AS name FROM allocations ORDER BY id LIMIT 300"
        async with self.client("--max-bytes", str(most)) as client:
            rows, answer = [], {"has_more": True}
            while answer["has_more"]:
                told = await client.call_tool("query", {"path": SAMPLE, "sql": f"{sql} OFFSET {len(rows)}".replace("300", str(300 - len(rows))),
                                                        "limit": 1000})
                self.assertLessEqual(len(told.content[0].text.encode()), most)
                answer = self.value(told)
                rows += answer["rows"]
                if answer["has_more"]:
                    self.assertIn(f"OFFSET {len(answer['rows'])} goes on", answer["cut"])
                    self.assertIn("select fewer columns", answer["cut"])
            self.assertEqual(rows, [[number, f"\u00ab{name}\u00bb"] for number, name in sv.open(SAMPLE).query(sql)])
            self.assertNotIn("cut", answer)
            answer = self.value(await client.call_tool("query", {"path": SAMPLE, "sql": "SELECT printf('%.*c', 5000, 'x'), zeroblob(5000)"}))
            self.assertEqual(answer["rows"], [["\u00ab" + "x" * 1024 + "\u00bb... (3976 more characters)", "00" * 1024]])
            self.assertIn("substr(TEXT, 1025, 1000)", answer["cut"])
            columns = ", ".join(f"1 AS {'a' * 100}{number}" for number in range(100))
            self.assertIn("100 columns alone", await self.refused(client, "query", path=SAMPLE, sql=f"SELECT {columns}"))

    async def test_a_picture_too_long_is_refused(self):
        async with self.client("--max-bytes", "4000") as client:
            self.assertFalse((await client.call_tool("picture", {"path": SAMPLE, "width": 320, "height": 200})).is_error)
            self.assertIn("ask for less than 3000 x 2000 pixels", await self.refused(client, "picture", path=SAMPLE, width=3000, height=2000))

    def test_what_clients_of_other_languages_send_and_take(self):
        """Lone surrogates in a path get an answer, and no answer contains values that JSON does not support."""
        calls = [("open_file", {"path": "\ud800"}), ("open_file", {"path": "/a\udc80\ud83d\ude00.pickle"}), ("compare", {"a": SAMPLE, "b": "\\ud800\udfff"}),
                 ("query", {"path": SAMPLE, "sql": "SELECT 9e999, '\U0001f600', '\\ud800'"})]
        start = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
        messages = [{"id": 0, "method": "initialize", "params": start}, {"method": "notifications/initialized"},
                    *({"id": number, "method": "tools/call", "params": {"name": name, "arguments": arguments}} for number, (name, arguments) in enumerate(calls, 1))]
        server = subprocess.Popen([sys.executable, "-m", "snapviewer._mcp", "--root", str(Path(SAMPLE).parent)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  env={**os.environ, "PYTHONPATH": str(MODULE)}, text=True)
        self.addCleanup(server.communicate)
        answers = {}
        for message in messages:
            server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
            server.stdin.flush()
            while "id" in message and message["id"] not in answers:
                answer = json.loads(server.stdout.readline(), parse_constant=self.fail)
                answers[answer.get("id")] = answer.get("result")
        for number in (1, 2, 3):
            self.assertTrue(answers[number]["isError"], calls[number - 1])
        told = json.loads(answers[4]["content"][0]["text"], parse_constant=self.fail)
        self.assertEqual(told["rows"], [["Infinity", "\u00ab\U0001f600\u00bb", "\u00ab\\ud800\u00bb"]])
        self.assertEqual(answers[4]["structuredContent"], told)

    def test_what_it_cannot_be_started_with(self):
        for options, words in ((["--root", "/nowhere"], "/nowhere is not a folder"), (["--root", SAMPLE], "is not a folder"),
                               (["--max-bytes", "12"], "12 is not a number of bytes from 4000 on"), (["--max-bytes", "-5000"], "-5000")):
            done = subprocess.run([sys.executable, "-m", "snapviewer._mcp", *options], env={**os.environ, "PYTHONPATH": str(MODULE)},
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 2)
            self.assertIn(words, done.stderr)


if __name__ == "__main__":
    main()

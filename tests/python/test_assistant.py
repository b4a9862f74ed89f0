"""snapviewer-mcp, by the official client: what one learns who knows nothing but the tools' own descriptions."""
import importlib.util
import json
import os
import shutil
import sys
import tempfile
import time
import unittest
from pathlib import Path

from module import MODULE, SAMPLE, SKIPPED, main

import snapviewer as sv

if importlib.util.find_spec("mcp.server.mcpserver" if importlib.util.find_spec("mcp") else "mcp") is None:
    print("skipped: needs the package mcp, 2 or newer")
    sys.exit(SKIPPED)

from mcp import Client, StdioServerParameters  # noqa: E402
from mcp.client.stdio import stdio_client  # noqa: E402

SECOND_ANSWER_MS = 50


class Assistant(unittest.IsolatedAsyncioTestCase):
    def setUp(self):
        environment = {**os.environ, "PYTHONPATH": str(MODULE)}
        self.server = StdioServerParameters(command=sys.executable, args=["-m", "snapviewer._mcp"], env=environment)

    def client(self):
        return Client(stdio_client(self.server))

    @staticmethod
    def value(answer):
        """What a tool gave, which must not be an error."""
        assert not answer.is_error, answer.content
        structured = answer.structured_content
        return structured.get("result", structured) if structured is not None else json.loads(answer.content[0].text)

    async def test_why_memory_ran_out_and_what_grew(self):
        async with self.client() as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            self.assertEqual(set(tools), {"open_file", "findings", "query", "compare", "picture"})
            # The way there by the descriptions alone: the one to begin with, then the one that tells why memory ran out and what grows.
            first = next(name for name, tool in tools.items() if "Do this first" in tool.description)
            second = next(name for name, tool in tools.items() if "why memory ran out" in tool.description and "grows" in tool.description)
            opened = self.value(await client.call_tool(first, {"path": SAMPLE}))
            self.assertEqual(opened["kind"], "pytorch_pickle")
            self.assertEqual(len(opened["oom"]), len(sv.open(SAMPLE).ooms))
            self.assertIn("stack_id", opened["tables"]["allocations"])
            found = self.value(await client.call_tool(second, {"path": SAMPLE}))
            why = next(finding for finding in found if finding["code"].startswith("oom"))
            self.assertIn("Live memory fills the device", why["sentence"])
            grown = [finding["sentence"] for finding in found if finding["code"] == "leak"]
            self.assertTrue(any("z_loss@train.py:126" in sentence for sentence in grown), grown)
            more = self.value(await client.call_tool("query", {"path": SAMPLE, "sql": why["sql"]}))
            self.assertEqual(more["rows"], [[sv.open(SAMPLE).ooms[0]["demand_bytes"]]])

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
            answer = await client.call_tool("open_file", {"path": "/nowhere.pickle"})
            self.assertTrue(answer.is_error)

    async def test_a_second_question_is_quick_and_a_changed_file_is_read_anew(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "file.pickle"
            shutil.copy(SAMPLE, path)
            async with self.client() as client:
                await client.call_tool("open_file", {"path": str(path)})
                times_ms = []
                for _ in range(5):
                    began = time.perf_counter()
                    await client.call_tool("query", {"path": str(path), "sql": "SELECT count(*) FROM allocations"})
                    times_ms.append((time.perf_counter() - began) * 1000)
                self.assertLess(min(times_ms), SECOND_ANSWER_MS)
                path.write_bytes(b"no snapshot any more")
                answer = await client.call_tool("open_file", {"path": str(path)})
                self.assertTrue(answer.is_error)

    async def test_a_picture_and_a_comparison(self):
        async with self.client() as client:
            answer = await client.call_tool("picture", {"path": SAMPLE, "width": 320, "height": 200})
            self.assertFalse(answer.is_error, answer.content)
            self.assertEqual((answer.content[0].type, answer.content[0].mime_type), ("image", "image/png"))
            self.assertEqual(self.value(await client.call_tool("compare", {"a": SAMPLE, "b": SAMPLE}))["delta"], 0)


if __name__ == "__main__":
    main()

"""Files on other machines: over ssh from a private server, and over http from a server on this machine. The answers equal those
for the local file."""
import base64
import contextlib
import gzip
import http.server
import json
import os
import shutil
import signal
import socket
import subprocess
import threading
import time

from containers import containers_of, load_plain, snapviewer_members, snapviewer_trace, zip_bytes, zstd_frames
from harness import AT_FAULT, BINARY, DONE, ENVIRONMENT, SAMPLE, CommandLine, main
from ssh_server import TOOLS, SshServer

RUN_DEPENDENT_KEYS = ("timings_ms", "peak_rss_bytes")
PATIENCE_S = 60
SOON_S = 30


def info_of(text):
    info = json.loads(text)
    for key in RUN_DEPENDENT_KEYS:
        del info[key]
    return info


class Remote(CommandLine):
    server = None

    def environment_for(self, arguments):
        base = super().environment_for(arguments)
        return self.server.environment(base) if self.server else base

    def serve(self, **options):
        self.server = self.entered(SshServer(**options))

    def entered(self, manager):
        entered = manager.__enter__()
        self.addCleanup(manager.__exit__, None, None, None)
        return entered

    def wait_until(self, is_so):
        end = time.monotonic() + SOON_S
        while not is_so():
            self.assertLess(time.monotonic(), end, "waited in vain")
            time.sleep(0.05)

    def files_of_all_kinds(self):
        yield from ((name, content) for name, content, _, _ in containers_of(load_plain(SAMPLE)))
        polygons, elements = snapviewer_trace([{"action": "alloc", "addr": 4096, "size": 512, "stream": 0, "frames": []}])
        yield "snapviewer.zip", zip_bytes(snapviewer_members(polygons, elements))
        self.succeed("export", SAMPLE, "--out", "exported.db")
        yield "exported.db", (self.folder / "exported.db").read_bytes()

    def compare_with_local(self, name, path, address):
        local = self.succeed("info", path, "--json")
        fetched = self.succeed("info", address, "--json")
        self.assertEqual(info_of(fetched), info_of(local), name)


class OverSsh(Remote):
    def test_answers_as_for_the_file(self):
        self.serve()
        for name, content in self.files_of_all_kinds():
            with self.subTest(name=name):
                path = self.write(name, content)
                self.compare_with_local(name, path, f"node:{path}")

    def test_every_command(self):
        self.serve()
        path = self.write("run.pickle", SAMPLE.read_bytes())
        address = f"node:{path}"
        for command in (["report", address], ["tree", address], ["check", address, "--max-peak", "1TiB"], ["compare", address, SAMPLE],
                        ["compare", SAMPLE, address], ["compare", address, address], ["query", address, "SELECT count(*) FROM events"],
                        ["check", SAMPLE, "--baseline", address], ["fleet", address, address], ["render", address, "--out", "a.svg"]):
            with self.subTest(command=command):
                expected = self.run_program(*(path if word == address else word for word in command))
                found = self.run_program(*command)
                self.assertEqual(found.returncode, expected.returncode, found.stderr)
                self.assertEqual(found.stdout.replace("node:", ""), expected.stdout)
        self.succeed("pack", address, "--out", "a.zst")
        self.assertEqual(zstd_frames.decompress((self.folder / "a.zst").read_bytes(), path.stat().st_size), path.read_bytes())
        self.refuse("info", address, "--with", SAMPLE, mentions=["cannot be opened together"])

    def test_ways_to_spell_it(self):
        self.serve()
        for name in ("it's $(touch x); `touch y`.pickle", "-n", "a b\n c.pickle", "Größe %41.pickle", "*?[a]~.pickle", '"\\"'):
            with self.subTest(name=name):
                path = self.write(name, SAMPLE.read_bytes())
                self.compare_with_local(name, path, f"node:{path}")
                link = str(path).replace("%", "%25")
                self.compare_with_local(name, path, f"ssh://node{link}")
        self.compare_with_local("port", SAMPLE, f"ssh://node:{self.server.port}{SAMPLE}")
        self.assertFalse([name for name in ("x", "y") if list(self.folder.rglob(name)) or os.path.exists(os.path.expanduser(f"~/{name}"))])

    def test_what_is_there_to_pack_with(self):
        path = self.write("run.pickle", SAMPLE.read_bytes())
        for tools in (TOOLS, [tool for tool in TOOLS if tool != "zstd"], [tool for tool in TOOLS if tool not in ("zstd", "gzip")]):
            with self.subTest(tools=tools), SshServer(tools=tools) as self.server:
                used = self.count_of_tools(tools)
                self.compare_with_local("run", path, f"node:{path}")
                expected = next((tool for tool in ("zstd", "gzip") if tool in tools), "cat")
                self.assertEqual(used(), {expected})
                packed = self.write("run.pickle.gz", gzip.compress(path.read_bytes()))
                self.compare_with_local("packed before", packed, f"node:{packed}")
                self.assertEqual(used(), {expected, "cat"}, "what is packed is not packed again")

    def count_of_tools(self, tools):
        """Counts the uses of compression tools on the server. Returns a function that returns the tools used so far."""
        counts = {tool: self.server.count_of_tool(tool) for tool in set(tools) & {"zstd", "gzip", "cat"}}
        return lambda: {tool for tool, count in counts.items() if count()}

    def test_what_cannot_be_read(self):
        self.serve()
        for address, mentions in [(f"node:{self.folder}/nothing.pickle", "no such file on that machine"), (f"node:{self.folder}", "it is a folder; with a / behind its name it is opened as a fleet"),
                                  ("node:/dev/null", "it is not a regular file"), (f"wrong-key:{SAMPLE}", "Permission denied"),
                                  ("nowhere.invalid:/a.pickle", "Could not resolve hostname"), (f"ssh://node:1{SAMPLE}", "refused")]:
            with self.subTest(address=address):
                self.refuse("info", address, mentions=["cannot be fetched: ", mentions])
        self.refuse("info", f"node:{self.folder}/", mentions=["is a folder on another machine; snapviewer fleet reads"])
        self.refuse("fleet", f"node:{self.folder}/nothing/", mentions=["cannot be fetched: no such folder on that machine"])
        text = self.write("a.txt", b"just text")
        self.refuse("info", f"node:{text}", mentions=["is not a file that snapviewer can read"])
        empty = self.write("empty", b"")
        self.refuse("info", f"node:{empty}", mentions=["is empty"])
        database = self.write_database("a.db", "CREATE TABLE t (a)")
        self.write("a.db-wal", b"changes")
        self.refuse("info", f"node:{database}", mentions=["-wal file"])

    def make_ranks(self):
        """Makes files with unusual names, an unreadable one, one that only a local fleet accepts, and some that do not
        belong to the job."""
        ranks = self.folder / "it's a job"
        for name in ("rank10.pickle", "rank2 $(touch x)\\.pickle", "-n.pickle", "iteration_7/rank_3/a.pickle", "Größe\nrank5.pickle",
                     ".hidden/rank6.pickle", "rank7.txt", "broken.pickle"):
            path = ranks / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(SAMPLE.read_bytes() if "broken" not in name else b"\x80\x04broken")
        (ranks / "rank8.pickle.gz").write_bytes(gzip.compress(SAMPLE.read_bytes()))
        (ranks / "rank9.zip").write_bytes(zip_bytes({"a.pickle": SAMPLE.read_bytes()}))
        return ranks

    def test_a_folder_is_a_fleet(self):
        """The answer equals that for the local folder, except for a name of two lines. If the machine has snapviewer, it reads the files
        there and sends only the results; otherwise each file is transferred."""
        ranks = self.make_ranks()
        local = json.loads(self.succeed("fleet", f"{ranks}/", "--json"))
        local["ranks"] = [rank for rank in local["ranks"] if "\n" not in rank["file"]]
        (self.folder / "empty").mkdir()
        for tools in (TOOLS, [tool for tool in TOOLS if tool not in ("zstd", "gzip", "mktemp")], [*TOOLS, BINARY]):
            with self.subTest(tools=tools), SshServer(tools=tools) as self.server:
                fetched = json.loads(self.succeed("fleet", f"node:{ranks}/", "--json").replace(f"node:{ranks}/", f"{ranks}/"))
                self.assertEqual([(rank["run"], rank["rank"], rank["peak_bytes"]) for rank in fetched["ranks"]],
                                 [(rank["run"], rank["rank"], rank["peak_bytes"]) for rank in local["ranks"]])
                self.assertEqual(fetched["ranks"], local["ranks"])
                self.wait_until(lambda: not list(self.server.made.iterdir()))   # all temporary files are removed
                self.refuse("fleet", f"node:{self.folder}/empty/", mentions=["holds no files with the endings of snapshots"])
                self.succeed("fleet", f"node:{ranks}/", "--write", "kept.db")
                self.assertIn(f"node:{ranks}/rank10.pickle", self.succeed("fleet", "kept.db", "--json"))
        self.assertEqual(list(self.folder.rglob("x")), [])

    def test_a_host_that_does_not_answer(self):
        """The host accepts the connection and sends nothing."""
        self.serve()
        with socket.create_server(("127.0.0.1", 0)) as silent:
            self.refuse("info", f"ssh://node:{silent.getsockname()[1]}{SAMPLE}", mentions=["cannot be fetched: ", "timed out"])

    def test_a_folder_whose_machine_lies(self):
        """The machine lies about names, sizes and content of files, ends in the middle, or sends far too much."""
        script = self.write("forced.sh", b"")
        self.serve(forced=f"sh {script}", tools=[*TOOLS, "sed"])
        ready, one = "say 'ready'; read asked; say list; ", "echo '5 6 ./rank0.pickle'; say 'end 0'; read name; read asked; "
        whole, half = f"say 'plain {SAMPLE.stat().st_size}'; cat {SAMPLE}; ", f"say 'plain {SAMPLE.stat().st_size}'; head -c 300000 {SAMPLE}; "
        refused = [("say 'ready'; cat /dev/zero", "cannot be fetched"), ("cat /dev/zero", "something else than was asked for"),
                   (f"{ready} cat /dev/zero", "more files than any real folder"), (ready, "the connection ended"),
                   (f"{ready} echo '5 6 ./../a.pickle'; say 'end 0'", "holds no files"), (f"{ready}{one} say 'error no luck today'; read more", "no luck today"),
                   (f"{ready}{one}{half} exit 9", "the connection broke off"), (f"{ready}{one} say 'rot13 9'; read more", "'rot13', which is not known")]
        for says, mentions in refused:
            with self.subTest(says=says):
                self.say(script, says)
                self.refuse("fleet", f"node:{self.folder}/", mentions=[mentions])
        for says in (f"{ready}{one}{whole} say 'end 0'; read more", f"{ready} echo '5 6'; echo '99999999999999999999 1 ./b.pickle'; {one}{whole} say 'end 1'; read more"):
            with self.subTest(says=says):
                self.say(script, says)
                ranks = json.loads(self.succeed("fleet", f"node:{self.folder}/", "--json"))["ranks"]
                self.assertEqual([rank["file"] for rank in ranks], [f"node:{self.folder}/rank0.pickle"])

    def say(self, script, what):
        """Writes a server script that skips the input up to the request for a greeting, then does `what`."""
        until_asked = ("while read line; do case $line in greeting=*) g=${line#greeting=} ;; 'say \"ready'*) ended= ;;\n"
                       "done) ended=$ended.; [ \"$ended\" = .. ] && break ;; esac; done\n")     # ends after two nested loops
        script.write_text(f"{until_asked}say() {{ printf '\\n%s %s\\n' \"$g\" \"$1\"; }}\n{what}\n", encoding="utf-8")

    def test_what_login_scripts_print(self):
        script = self.write("forced.sh", b'echo Welcome to this machine\necho "all is watched" >&2\nexec sh -c "$SSH_ORIGINAL_COMMAND"\n')
        self.serve(forced=f"sh {script}")
        self.compare_with_local("noise", SAMPLE, f"node:{SAMPLE}")
        script.write_bytes(b"cat /dev/zero\n")
        self.refuse("info", f"node:{SAMPLE}", mentions=["cannot be fetched"])
        script.write_bytes(b"echo This account is closed >&2; exit 9\n")
        self.refuse("info", f"node:{SAMPLE}", mentions=["cannot be fetched: This account is closed"])

    def test_a_connection_that_breaks_off(self):
        """The received part is shown, and every answer begins with a warning that it is incomplete."""
        script = self.write("forced.sh", b'sh -c "$SSH_ORIGINAL_COMMAND" | (head -c 300000; echo > "$TMPDIR/sent"; sleep 60)\n')
        self.serve(forced=f"sh {script}", tools=[tool for tool in TOOLS if tool not in ("zstd", "gzip")])
        sent = self.server.made / "sent"
        process = subprocess.Popen([BINARY, "info", f"node:{SAMPLE}", "--json"], env=self.environment_for([]), stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.kill)
        self.wait_until(sent.exists)
        time.sleep(0.5)     # time for the program to read the sent part
        self.assertIsNone(process.poll(), "ended before the connection did")
        self.server.cut()
        out, err = process.communicate(timeout=SOON_S)
        self.assertEqual(process.returncode, DONE, err)
        info = json.loads(out)
        self.assertIn("cut_short", [entry["code"] for entry in info["import_log"]])
        self.assertIn("the connection broke off", json.dumps(info["import_log"]))
        self.assertTrue(info["devices"][0]["recording"]["peak_is_lower_bound"])

    def test_a_machine_that_says_goodbye_badly(self):
        """The complete file arrives, even though the connection then fails."""
        script = self.write("forced.sh", b'sh -c "$SSH_ORIGINAL_COMMAND"\nexit 9\n')
        self.serve(forced=f"sh {script}")
        self.compare_with_local("status 9", SAMPLE, f"node:{SAMPLE}")

    def test_a_machine_that_promises_more_than_it_sends(self):
        script = self.write("forced.sh", b"")
        self.serve(forced=f"sh {script}", tools=[*TOOLS, "sed"])
        whole = json.loads(self.succeed("info", SAMPLE, "--json"))
        for says, sends in [(f"plain {2**62}", "cat"), (f"zstd {2**40}", "zstd -qc")]:
            with self.subTest(says=says):
                script.write_text(f"g=$(sed -n 's/^greeting=//p')\nprintf '\\n%s {says}\\n' \"$g\"\n{sends} {SAMPLE}\n", encoding="utf-8")
                info = json.loads(self.succeed("info", f"node:{SAMPLE}", "--json"))
                self.assertEqual(info["devices"], whole["devices"])
                added = [entry for entry in info["import_log"] if entry not in whole["import_log"]]
                self.assertEqual([(entry["code"], entry["severity"]) for entry in added], [("damaged_packing", "data_loss")])

    def test_a_machine_that_lies(self):
        """The machine lies about sizes, compression and content. The program spends no memory or time on such claims."""
        script = self.write("forced.sh", b"")
        self.serve(forced=f"sh {script}", tools=[*TOOLS, "sed"])
        for says, sends, mentions in [("zstd 3", "zstd -qc", None), ("zstd abc", "zstd -qc", None), ("zstd -1", "zstd -qc", None), ("rot13 9", "cat", "'rot13', which is not known"),
                                      ("zstd 9", "cat", "was damaged on its way or before"), ("zstd 999", "zstd -qc /dev/zero | head -c 9; true", "cannot be fetched"),
                                      (f"zstd {10**12}", "head -c 2000000000 /dev/zero | zstd -qc -", "is not a file that snapviewer can read")]:
            with self.subTest(says=says, sends=sends):
                script.write_text(f"g=$(sed -n 's/^greeting=//p')\nprintf '\\n%s {says}\\n' \"$g\"\n"
                                  f"{sends if '|' in sends else f'{sends} {SAMPLE}'}\n", encoding="utf-8")
                if mentions is None:
                    self.compare_with_local(says, SAMPLE, f"node:{SAMPLE}")
                else:
                    self.refuse("info", f"node:{SAMPLE}", mentions=[mentions])

    def test_ctrl_c_ends_ssh_too(self):
        script = self.write("forced.sh", b"sleep 60\n")
        self.serve(forced=f"sh {script}")
        process = subprocess.Popen([BINARY, "info", f"node:{SAMPLE}"], env=self.environment_for([]), stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        self.addCleanup(process.communicate)
        self.wait_until(self.server.connections)
        os.killpg(process.pid, signal.SIGINT)
        self.assertEqual(process.wait(timeout=SOON_S), -signal.SIGINT)
        self.wait_until(lambda: not self.server.connections())

    def test_messages_without_end(self):
        """If ssh writes messages endlessly, before or after the complete file, the program soon ends it and itself."""
        flood = "while :; do cat {block} >&2 || exit; done"
        block = self.write("block", (b"x" * 99 + b"\n") * 1000)
        for name, script in (("before", flood), ("after its output", "exec >&-; " + flood)):
            with self.subTest(name=name):
                ssh = self.write("ssh", f"#!/bin/sh\n{script.format(block=block)}\n".encode())
                ssh.chmod(0o755)
                self.environment_for = lambda arguments: {**super(OverSsh, self).environment_for(arguments), "PATH": f"{self.folder}:{os.environ['PATH']}"}
                for command in (["info", "node:/a.pickle"], ["fleet", "node:/runs/"]):
                    done = self.run_program(*command)
                    self.assertEqual(done.returncode, AT_FAULT, done.stderr)
                    self.assertIn("16.0 MiB of messages", done.stderr)
                    self.assertLess(len(done.stderr), 1000)

    def test_without_ssh(self):
        done = subprocess.run([BINARY, "info", "node:/a.pickle"], env={**self.environment_for([]), "PATH": str(self.folder)}, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=PATIENCE_S)
        self.assertEqual((done.returncode, done.stdout), (ENVIRONMENT, ""))
        self.assertEqual(done.stderr, "snapviewer: node:/a.pickle: ssh is not installed\n")

    def test_a_file_here_that_looks_like_an_address(self):
        (self.folder / "node:").mkdir()
        path = self.write("node:/a.pickle", SAMPLE.read_bytes())
        self.assertEqual(info_of(self.succeed("info", "node:/a.pickle", "--json")), info_of(self.succeed("info", path, "--json")))

    def test_what_is_no_host(self):
        """Names that look like options or commands for ssh are names of local files, which do not exist."""
        for address in ("-oProxyCommand=touch x:/a", "$(touch x):/a", "ssh://-oProxyCommand=touch%20x/a", "a b:/c", "ssh://node:99999/a", "ssh://node"):
            self.refuse("info", address, mentions=["cannot be opened"]) if not address.startswith("-") else self.run_program("info", "--", address)
        self.assertEqual(list(self.folder.iterdir()), [])


class Web(http.server.BaseHTTPRequestHandler):
    """Serves the files of a folder, and malformed answers."""
    folder = asked = passwords = None
    odd = {"header-without-end": b"HTTP/1.1 200 OK\r\nX: " + b"y" * (1 << 20), "no-http": b"just text\n" * 100, "nothing": b"",
           "many-headers": b"HTTP/1.1 100 Continue\r\n\r\n" * 3000, "too-long": b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % 2**62,
           "database-too-long": b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\nSQLite format 3\0" % 2**50 + bytes(1000)}

    def do_GET(self):
        self.asked.append(self.path)
        if "Authorization" in self.headers:
            self.passwords.append(base64.b64decode(self.headers["Authorization"].split()[1]).decode())
        name = self.path.lstrip("/").split("?")[0]
        if name.startswith("moved/"):
            self.send_response(302)
            self.send_header("Location", "/" + name.removeprefix("moved/"))
            self.end_headers()
        elif name == "round":
            self.send_response(302)
            self.send_header("Location", "/round")
            self.end_headers()
        elif name == "elsewhere":
            self.send_response(302)
            self.send_header("Location", "file:///etc/passwd")
            self.end_headers()
        elif name in self.odd:
            self.wfile.write(self.odd[name])
        elif not (self.folder / name.removeprefix("half/")).is_file():
            self.send_error(404, "Not Found")
        else:
            content = (self.folder / name.removeprefix("half/")).read_bytes()
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content[:len(content) // 2] if name.startswith("half/") else content)

    def log_message(self, *_):
        pass


class OverHttp(Remote):
    def setUp(self):
        super().setUp()
        self.asked, self.passwords = [], []
        web = type("WebOfTest", (Web,), {"folder": self.folder, "asked": self.asked, "passwords": self.passwords})
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), web)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        self.addCleanup(server.server_close)
        self.addCleanup(thread.join)
        self.addCleanup(server.shutdown)
        self.site = f"http://127.0.0.1:{server.server_port}"

    def test_answers_as_for_the_file(self):
        for name, content in self.files_of_all_kinds():
            with self.subTest(name=name):
                path = self.write(name, content)
                self.compare_with_local(name, path, f"{self.site}/{name}")
        self.compare_with_local("moved", SAMPLE, f"{self.site}/moved/{self.write('a.pickle', SAMPLE.read_bytes()).name}?token=1")

    def test_what_cannot_be_read(self):
        for name, mentions in [("nothing.pickle", "404"), ("round", "redirect"), ("elsewhere", "rotocol")]:
            with self.subTest(name=name):
                self.refuse("info", f"{self.site}/{name}", mentions=["cannot be fetched", mentions])
        self.refuse("info", "http://127.0.0.1:1/a.pickle", mentions=["cannot be fetched"])

    def test_a_server_that_lies(self):
        for name in Web.odd:
            with self.subTest(name=name):
                self.refuse("info", f"{self.site}/{name}", mentions=["64.0 GiB that are read from a link" if "too-long" in name else "cannot be fetched"])

    def test_half_of_it(self):
        self.write("a.pickle", SAMPLE.read_bytes())
        info = json.loads(self.succeed("info", f"{self.site}/half/a.pickle", "--json"))
        self.assertIn("cut_short", [entry["code"] for entry in info["import_log"]])
        self.assertIn("the connection broke off", json.dumps(info["import_log"]))

    def test_a_password_is_on_no_command_line(self):
        """curl receives the URL on its standard input, with every character unchanged."""
        self.write("a.pickle", SAMPLE.read_bytes())
        curl = self.write("curl", f'#!/bin/sh\necho "$@" > {self.folder}/words\ntee {self.folder}/input | {shutil.which("curl")} "$@"\n'.encode())
        curl.chmod(0o755)
        self.environment_for = lambda arguments: {**super(OverHttp, self).environment_for(arguments), "PATH": f"{self.folder}:{os.environ['PATH']}"}
        link = f"{self.site}/a.pickle?it's=\\n$(x)`\"&#{{a,b}}[1-2]".replace("//", '//me:se"cret\\t@')
        self.compare_with_local("a", SAMPLE, link)
        self.assertEqual(self.asked, [f"/a.pickle?it's=\\n$(x)`\"&"])
        self.assertEqual(self.passwords, ['me:se"cret\\t'])
        self.assertIn("cret", (self.folder / "input").read_text())
        self.assertNotIn("cret", (self.folder / "words").read_text())

    def test_nothing_of_the_users(self):
        """Neither the user's settings of curl nor the user's passwords for this host are used."""
        self.write("a.pickle", SAMPLE.read_bytes())
        (self.home / ".curlrc").write_text("output = stolen\nuser = me:secret\n", encoding="utf-8")
        (self.home / ".netrc").write_text("machine 127.0.0.1 login me password secret\n", encoding="utf-8")
        self.compare_with_local("a", SAMPLE, f"{self.site}/a.pickle")
        self.assertFalse((self.folder / "stolen").exists())


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        main()

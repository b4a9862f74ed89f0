"""A private ssh server for a test: it listens only on this machine and uses its own keys and configuration.

with SshServer() as server:
    run(program, "node:/runs/a.pickle", env=server.environment(os.environ))
"""
import contextlib
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

START_S = 20
TOOLS = ("sh", "cat", "wc", "head", "printf", "mktemp", "rm", "gzip", "zstd", "sleep", "find", "stat")


def find_sshd():
    found = shutil.which("sshd", path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin")
    if found is None or shutil.which("ssh") is None:
        raise unittest.SkipTest("there is no ssh server (openssh-server)")
    return found


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class SshServer:
    """The server is called node. Its sessions have only `tools` in their PATH. `forced` replaces the requested command, which it
    finds in $SSH_ORIGINAL_COMMAND. Clients connect through the ssh command `proxy`, if given. Temporary files of sessions are in
    the folder `made`."""

    def __init__(self, tools=TOOLS, forced=None, proxy=None):
        self._sshd = find_sshd()
        self._holder = tempfile.TemporaryDirectory()
        self.folder = Path(self._holder.name)
        self.port = free_port()
        self._make_keys()
        self._make_tools(tools)
        self._configure(forced, proxy)
        self.process = None

    def _make_keys(self):
        for name in ("host", "user", "stranger"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.folder / name], check=True)
        shutil.copy(self.folder / "user.pub", self.folder / "authorized_keys")

    def _make_tools(self, tools):
        self.made = self.folder / "made"
        self.made.mkdir()
        (self.folder / "tools").mkdir()
        for tool in tools:
            (self.folder / "tools" / Path(tool).name).symlink_to(shutil.which(tool))

    def _configure(self, forced, proxy):
        lines = [f"Port {self.port}", "ListenAddress 127.0.0.1", f"HostKey {self.folder}/host", f"AuthorizedKeysFile {self.folder}/authorized_keys",
                 f"PidFile {self.folder}/pid", "StrictModes no", "UsePAM no", "PasswordAuthentication no", "KbdInteractiveAuthentication no",
                 f"SetEnv PATH={self.folder}/tools TMPDIR={self.made}"]
        if forced:
            lines.append(f"ForceCommand {forced}")
        (self.folder / "sshd_config").write_text("\n".join(lines) + "\n", encoding="utf-8")
        (self.folder / "known_hosts").write_text(f"node {(self.folder / 'host.pub').read_text()}", encoding="utf-8")
        common = [f"  UserKnownHostsFile {self.folder}/known_hosts", "  GlobalKnownHostsFile /dev/null", "  StrictHostKeyChecking yes",
                  "  HostName 127.0.0.1", "  HostKeyAlias node", f"  Port {self.port}", "  IdentitiesOnly yes",
                  f"  User {pwd.getpwuid(os.getuid()).pw_name}",
                  # Settings that users have for interactive logins, and that would disturb the transfer of a file.
                  "  RemoteCommand echo hello", "  RequestTTY yes", f"  LocalForward {self.port} localhost:1", "  ExitOnForwardFailure yes"]
        if proxy:
            common.append(f"  ProxyCommand {proxy}")
        blocks = ["Host node", *common, f"  IdentityFile {self.folder}/user", "Host wrong-key", *common, f"  IdentityFile {self.folder}/stranger"]
        (self.folder / "ssh_config").write_text("\n".join(blocks) + "\n", encoding="utf-8")
        (self.folder / "bin").mkdir()
        wrapper = self.folder / "bin" / "ssh"
        wrapper.write_text(f'#!/bin/sh\nexec {shutil.which("ssh")} -F {self.folder}/ssh_config "$@"\n', encoding="utf-8")
        wrapper.chmod(0o755)

    def environment(self, base):
        """Returns an environment in which `ssh` knows this server."""
        return {**base, "PATH": f"{self.folder}/bin:{base.get('PATH', '')}"}

    def __enter__(self):
        if os.getuid() == 0:
            Path("/run/sshd").mkdir(exist_ok=True)      # required by sshd if it runs as root
        with open(self.folder / "log", "wb") as log:
            self.process = subprocess.Popen([self._sshd, "-D", "-e", "-f", self.folder / "sshd_config"], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        end = time.monotonic() + START_S
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
                return self
            except OSError:
                if self.process.poll() is not None or time.monotonic() > end:
                    raise RuntimeError((self.folder / "log").read_text(errors="replace")) from None
                time.sleep(0.02)

    def connections(self):
        """Returns the process ids of the current sessions."""
        listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(self.process.pid)], capture_output=True, text=True, check=False)
        return [int(word) for word in listed.stdout.split()]

    def count_of_tool(self, tool):
        """Replaces a tool of sessions with a wrapper that counts its uses; returns a function that returns the count."""
        noted = self.folder / f"{tool}.used"
        noted.touch()
        link = self.folder / "tools" / tool
        real = os.readlink(link)
        link.unlink()
        link.write_text(f'#!/bin/sh\necho >> {noted}\nexec {real} "$@"\n', encoding="utf-8")
        link.chmod(0o755)
        return lambda: len(noted.read_text().splitlines())

    def cut(self):
        """Ends all connections abruptly, as if the network failed."""
        for process in self.connections():
            with contextlib.suppress(ProcessLookupError):   # it has just ended
                os.kill(process, 9)

    def __exit__(self, *_):
        self.cut()
        self.process.terminate()
        self.process.wait()
        self._holder.cleanup()

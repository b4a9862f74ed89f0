"""Pages of a file for a browser, by the command `serve`: what a notebook shows instead of a window."""
from __future__ import annotations

import atexit
import html
import importlib.util
import os
import socket
import subprocess
import sys
import tempfile
import urllib.parse

from snapviewer import _program
from snapviewer._errors import ProgramError


def is_notebook() -> bool:
    """Whether this is the kernel of one."""
    ipython = sys.modules.get("IPython")
    return ipython is not None and hasattr(ipython.get_ipython(), "kernel")


class Pages:
    """Pages that `snapviewer serve` shows until the kernel ends, stop() is called, or nobody has asked for eight hours. A notebook
    shows the link to them."""

    def __init__(self, path: str) -> None:
        names = {socket.gethostname(), socket.getfqdn()}   # under which a proxy may be asked for them
        command = [_program._program(), "serve", os.path.abspath(path), *(f"--host={name}" for name in sorted(names))]
        with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as messages:   # a pipe could fill up, as nobody reads it later
            self._server = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=messages, encoding="utf-8",
                                            start_new_session=True)
            atexit.register(self.stop)
            self._output = self._server.stdout
            self.link = self._output.readline().strip() if self._output else ""
            if not self.link:
                self.stop()
                messages.seek(0)
                raise ProgramError(messages.read().strip() or "snapviewer serve ended without a link")

    @property
    def path_behind_proxy(self) -> str | None:
        """Where jupyter-server-proxy shows them, on the address of the notebook itself; None where it is not installed."""
        if importlib.util.find_spec("jupyter_server_proxy") is None:
            return None
        link = urllib.parse.urlsplit(self.link)
        return f"{os.environ.get('JUPYTERHUB_SERVICE_PREFIX', '/')}proxy/{link.port}{link.path}"

    def stop(self) -> None:
        """Ends them now."""
        atexit.unregister(self.stop)
        self._server.terminate()
        self._server.wait()
        if self._output:
            self._output.close()

    def __repr__(self) -> str:
        return f"<snapviewer pages at {self.link}>"

    def _repr_html_(self) -> str:
        behind = self.path_behind_proxy
        link = html.escape(behind or self.link)
        port = urllib.parse.urlsplit(self.link).port
        hint = "" if behind else f" (from another machine: <code>ssh -L {port}:127.0.0.1:{port} {html.escape(socket.gethostname())}</code>)"
        return f'<a href="{link}" target="_blank" rel="noreferrer">{html.escape(self.link)}</a>{hint}'

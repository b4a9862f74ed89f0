"""Serves a file's pages to a browser with the command `serve`. Notebooks show these pages instead of a window."""
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
    """True if this process is the kernel of a notebook."""
    ipython = sys.modules.get("IPython")
    return ipython is not None and hasattr(ipython.get_ipython(), "kernel")


class Pages:
    """Runs `snapviewer serve` until the kernel ends, stop() is called, or no request came for eight hours. A notebook shows the object
    as a link to the pages."""

    def __init__(self, path: str) -> None:
        names = {socket.gethostname(), socket.getfqdn()}   # host names under which a proxy may request the pages
        command = [_program._program(), "serve", os.path.abspath(path), *(f"--host={name}" for name in sorted(names))]
        with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as messages:   # a file, because a pipe could fill up
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
        """Returns the address of the pages through jupyter-server-proxy, relative to the notebook; None if it is not installed."""
        if importlib.util.find_spec("jupyter_server_proxy") is None:
            return None
        link = urllib.parse.urlsplit(self.link)
        return f"{os.environ.get('JUPYTERHUB_SERVICE_PREFIX', '/')}proxy/{link.port}{link.path}"

    def stop(self) -> None:
        """Ends the server."""
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

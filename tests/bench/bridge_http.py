# Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
"""Other programs that put a stdio server on HTTP: mcp-proxy 6.7.19 and supergateway 4.0.0."""

import contextlib
import pathlib
import shlex
import socket

import benchlib

MODULES = pathlib.Path(__file__).parent / "npm/bridge/node_modules"


def free_port():
    """Neither can be told to take any port: one that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def listens(port):
    def is_ready(_):
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", port)) == 0
    return is_ready


@contextlib.contextmanager
def peers(work, server):
    """Both in front of `server`; yields how bk_mcp_load names them."""
    proxy, gateway = free_port(), free_port()
    commands = {
        "mcp-proxy": (proxy, ["node", MODULES / "mcp-proxy/dist/bin/mcp-proxy.mjs", "--host", "127.0.0.1",
                              "--port", str(proxy), "--server", "stream", "--", *server]),
        "supergateway": (gateway, ["node", MODULES / "supergateway/dist/index.js", "--stdio", shlex.join(server),
                                   "--outputTransport", "streamableHttp", "--stateful", "--sessionTimeout", "60000",
                                   "--port", str(gateway), "--logLevel", "none"]),
    }
    with contextlib.ExitStack() as running:
        ways = []
        for name, (port, command) in commands.items():
            process, _ = running.enter_context(
                benchlib.program([str(word) for word in command], work / f"{name}.log", listens(port)))
            ways.append(f"{name}=http://127.0.0.1:{port}/mcp#{process.pid}")
        yield ways

# Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
"""Idle sessions of `keeper-bridge serve`: what they take, and how long until all of them have
heard of a change of the policy. The client is this process, the bridge another one."""

import json
import resource
import select
import socket
import time

import benchlib
from benchlib import BenchError

CHANGED = b"notifications/tools/list_changed"


def message(method, number=None, **params):
    return json.dumps({"jsonrpc": "2.0", **({} if number is None else {"id": number}), "method": method,
                       "params": params}).encode()


class Client:
    """One client of the bridge, as bytes."""

    def __init__(self, port):
        self.port = port
        self.fields = ""
        self.stream = None

    def connect(self):
        line = socket.create_connection(("127.0.0.1", self.port), benchlib.DEADLINE_S)
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return line

    def send(self, line, method, body=b""):
        head = (f"{method} /mcp HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nAccept: application/json, "
                f"text/event-stream\r\n{self.fields}")
        if method == "POST":
            head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        line.sendall(head.encode() + b"\r\n" + body)

    def post(self, line, body):
        self.send(line, "POST", body)
        answer = b""
        while b"\r\n\r\n" not in answer:
            answer += self.receive(line)
        head, rest = answer.split(b"\r\n\r\n", 1)
        fields = dict(field.split(b": ", 1) for field in head.lower().split(b"\r\n")[1:])
        while len(rest) < int(fields.get(b"content-length", 0)):
            rest += self.receive(line)
        return fields, rest

    @staticmethod
    def receive(line):
        got = line.recv(1 << 20)
        if not got:
            raise BenchError("the bridge has closed a connection")
        return got

    def begin(self, lists):
        with self.connect() as line:
            fields, answer = self.post(line, message("initialize", 0, protocolVersion="2025-06-18", capabilities={},
                                                     clientInfo={"name": "bench", "version": "1"}))
            if b"mcp-session-id" not in fields:
                raise BenchError(f"no session was begun: {answer.decode()}")
            self.fields = f"Mcp-Session-Id: {fields[b'mcp-session-id'].decode()}\r\n"
            self.post(line, message("notifications/initialized"))
            if lists and b"stdio__echo" not in self.post(line, message("tools/list", 1))[1]:
                raise BenchError("the tool is not listed")
        self.stream = self.connect()
        self.send(self.stream, "GET")
        head = b""
        while b": keep-alive" not in head:
            head += self.receive(self.stream)


def hear(clients):
    """When each client was told of a change."""
    poll = select.poll()
    by_fd = {}
    for client in clients:
        by_fd[client.stream.fileno()] = client
        poll.register(client.stream, select.POLLIN)
    times = []
    while by_fd:
        ready = poll.poll(benchlib.DEADLINE_S * 1000)
        if not ready:
            raise BenchError(f"{len(by_fd)} sessions were told of no change")
        for number, _ in ready:
            if CHANGED in Client.receive(by_fd[number].stream):
                times.append(time.monotonic())
                poll.unregister(number)
                del by_fd[number]
    return times


def measure_sessions(keeperd, count, tools):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < count + 100:
        raise BenchError(f"the limit of open files is {hard}, want {count + 100}")
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    server = [str(benchlib.BIN / "bk_mcp_echo"), str(tools)]
    figures = {"sessions": count, "tools": tools}
    with benchlib.folder() as work, benchlib.serve(keeperd, work, server) as (bridge, port):
        first = Client(port)
        first.begin(lists=True)
        before = benchlib.rss_mib(bridge.pid)
        clients = [Client(port) for _ in range(count)]
        began = time.monotonic()
        for client in clients:
            client.begin(lists=tools > 0)
        figures["begin_ms"] = (time.monotonic() - began) * 1000 / count
        figures["rss_mib"] = benchlib.rss_mib(bridge.pid)
        figures["kib_per_session"] = (figures["rss_mib"] - before) * 1024 / count
        what = f"with a list of {tools} tools" if tools else "with no list"
        print(f"{count} idle sessions {what}: {figures['rss_mib']:.0f} MiB, {figures['kib_per_session']:.1f} KiB a "
              f"session; beginning one takes {figures['begin_ms']:.2f} ms, the client's part included")
        if tools:
            write = time.monotonic()
            keeperd.keeper("catalog", "put", "-f", "-",
                           stdin=json.dumps({**benchlib.ECHO_TOOL, "risk": "ELEVATED"}))
            written = time.monotonic()
            times = sorted(when - write for when in hear(clients))
            figures["change_ms"] = {"first": times[0] * 1000, "median": times[count // 2] * 1000,
                                    "last": times[-1] * 1000, "write": (written - write) * 1000}
            print(f"a change of the policy reaches the first of them after {times[0] * 1000:.0f} ms, the last after "
                  f"{times[-1] * 1000:.0f} ms; the command that writes it takes {(written - write) * 1000:.0f} ms of them")
            benchlib.guard_echo(keeperd)
        for client in (first, *clients):
            client.stream.close()
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return figures

# SPDX-License-Identifier: Apache-2.0
"""A forwarding HTTP proxy that delays, breaks and counts requests. Uploads go past it."""

import asyncio
import contextlib
import dataclasses
import threading
import time

ERROR_BODY = (
    b'<?xml version="1.0" encoding="UTF-8"?><Error><Code>%s</Code><Message>made by the test'
    b"</Message><Resource>/</Resource><RequestId>0</RequestId></Error>"
)


@dataclasses.dataclass
class Behaviour:
    """What happens to requests. `fault(number, method, path)` names one of "reset", "500", "503",
    "cut", or is None; it is asked once a request, with numbers from 0."""

    latency: float = 0.0  # seconds before a request is forwarded
    fault: callable = lambda number, method, path: None


@dataclasses.dataclass(frozen=True)
class Request:
    method: str
    path: str
    start: float
    end: float
    fault: str | None
    bytes: int  # of the answer


class Proxy:
    """Runs in a thread of its own. `behaviour` may be replaced while it runs."""

    def __init__(self, upstream):
        host, port = upstream.split(":")
        self._upstream = (host, int(port))
        self.behaviour = Behaviour()
        self._requests = []
        self._number = 0
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def __enter__(self):
        self._thread.start()
        start = asyncio.start_server(self._connection, "127.0.0.1", 0)
        self._server = asyncio.run_coroutine_threadsafe(start, self._loop).result()
        port = self._server.sockets[0].getsockname()[1]
        self.address = f"127.0.0.1:{port}"
        return self

    def __exit__(self, *_):
        asyncio.run_coroutine_threadsafe(self._stop(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    async def _stop(self):
        self._server.close()
        open_connections = asyncio.all_tasks() - {asyncio.current_task()}
        for task in open_connections:
            task.cancel()
        await asyncio.gather(*open_connections, return_exceptions=True)

    def reset(self, behaviour):
        """A new behaviour; forgets the requests so far."""
        self.behaviour = behaviour
        self._requests = []
        self._number = 0

    @property
    def requests(self):
        return list(self._requests)

    async def _connection(self, reader, writer):
        ended = (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError)
        with contextlib.suppress(*ended):
            while await self._request(reader, writer):
                pass
        writer.close()

    async def _request(self, reader, writer):
        head = await _read_head(reader)
        if head is None:
            return False
        started = time.monotonic()
        method, path, _ = head[0].decode().split(" ", 2)
        body = await reader.readexactly(int(_header(head, b"content-length") or 0))
        number, self._number = self._number, self._number + 1
        fault = self.behaviour.fault(number, method, path)
        await asyncio.sleep(self.behaviour.latency)
        sent = _Counted(writer)
        try:
            return await self._answer(head, body, method, fault, sent)
        finally:
            end = time.monotonic()
            self._requests.append(Request(method, path, started, end, fault, sent.bytes))

    async def _answer(self, head, body, method, fault, writer):
        if fault == "reset":
            writer.transport.abort()
            return False
        if fault in ("500", "503"):
            code = b"SlowDown" if fault == "503" else b"InternalError"
            error = b"" if method == "HEAD" else ERROR_BODY % code
            writer.write(
                b"HTTP/1.1 %s %s\r\nContent-Type: application/xml\r\nContent-Length: %d\r\n\r\n%s"
                % (fault.encode(), code, len(error), error)
            )
            await writer.drain()
            return True
        answer_head, answer = await self._forward(head, body, method)
        if fault == "cut" and len(answer) > 1:
            writer.write(answer_head + answer[: len(answer) // 2])
            await writer.drain()
            return False  # closing in the middle of the body
        writer.write(answer_head + answer)
        await writer.drain()
        return True

    async def _forward(self, head, body, method):
        reader, writer = await asyncio.open_connection(*self._upstream)
        writer.write(b"\r\n".join(head) + b"\r\n\r\n" + body)
        answer_head = await _read_head(reader)
        answer = b"" if method == "HEAD" else await _read_body(answer_head, reader)
        writer.close()
        kept = [line for line in answer_head if not line.lower().startswith(b"transfer-encoding")]
        if method != "HEAD" and _header(kept, b"content-length") is None:
            kept.append(b"Content-Length: %d" % len(answer))
        return b"\r\n".join(kept) + b"\r\n\r\n", answer


class _Counted:
    """A connection that counts what is written to it."""

    def __init__(self, writer):
        self.transport, self.drain = writer.transport, writer.drain
        self._writer = writer
        self.bytes = 0

    def write(self, content):
        self.bytes += len(content)
        self._writer.write(content)


async def _read_head(reader):
    """Lines of a message's head, or None at the end of the connection."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    return head[:-4].split(b"\r\n")


def _header(head, name):
    for line in head[1:]:
        key, _, value = line.partition(b":")
        if key.strip().lower() == name:
            return value.strip()
    return None


async def _read_body(head, reader):
    if (_header(head, b"transfer-encoding") or b"").lower() != b"chunked":
        return await reader.readexactly(int(_header(head, b"content-length") or 0))
    body = b""
    while size := int(await reader.readline(), 16):
        body += await reader.readexactly(size)
        await reader.readline()
    await reader.readline()
    return body


def dependent_rounds(requests):
    """The longest chain of requests of which each began after the one before it had ended: what a
    store far away would make a reader wait for."""
    rounds, free_at = 0, float("-inf")
    for request in sorted(requests, key=lambda r: r.end):
        if request.start >= free_at:
            rounds, free_at = rounds + 1, request.end
    return rounds

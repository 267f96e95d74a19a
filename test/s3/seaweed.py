# SPDX-License-Identifier: Apache-2.0
"""A SeaweedFS server with its S3 gateway, for as long as the tests run."""

import contextlib
import json
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

ACCESS_KEY = "firth-test-key"
SECRET_KEY = "firth-test-secret-47"
BUCKET = "lake"


def command():
    """The `weed` binary, beside this Python or on the path; None when it isn't installed."""
    beside = Path(sys.executable).with_name("weed")
    return str(beside) if beside.exists() else shutil.which("weed")


def free_ports(count):
    """Ports that were free a moment ago, below the range that the kernel hands out. SeaweedFS also
    takes each one plus 10,000 for its own protocol."""
    found = []
    for port in range(20_000, 22_000, 7):
        with contextlib.ExitStack() as stack:
            try:
                for number in (port, port + 10_000):
                    probe = stack.enter_context(socket.socket())
                    probe.bind(("127.0.0.1", number))
            except OSError:
                continue
        found.append(port)
        if len(found) == count:
            return found
    raise RuntimeError("no free ports between 20000 and 22000")


def wait_until_answering(url, process, seconds=60):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"weed ended with {process.returncode}")
        try:
            urllib.request.urlopen(url, timeout=2)
            return
        except urllib.error.HTTPError:
            return  # 403: the gateway is up and wants a signature
        except OSError:
            time.sleep(0.1)
    raise RuntimeError(f"{url} did not answer within {seconds} s")


@contextlib.contextmanager
def server(folder):
    """Yields "host:port" of the S3 gateway."""
    identity = {
        "name": "firth",
        "credentials": [{"accessKey": ACCESS_KEY, "secretKey": SECRET_KEY}],
        "actions": ["Admin", "Read", "Write", "List", "Tagging"],
    }
    config = folder / "s3.json"
    config.write_text(json.dumps({"identities": [identity]}))
    master, volume, filer, s3 = free_ports(4)
    arguments = [
        command(), "server", "-ip=127.0.0.1", f"-dir={folder}", f"-master.port={master}",
        f"-volume.port={volume}", f"-filer.port={filer}", "-s3", f"-s3.port={s3}",
        f"-s3.config={config}", "-volume.max=50", "-master.volumeSizeLimitMB=64",
    ]  # fmt: skip
    with open(folder / "weed.log", "wb") as log:
        process = subprocess.Popen(arguments, stdout=log, stderr=log)
        try:
            wait_until_answering(f"http://127.0.0.1:{s3}/", process)
            yield f"127.0.0.1:{s3}"
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

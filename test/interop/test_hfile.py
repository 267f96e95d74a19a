# SPDX-License-Identifier: Apache-2.0
"""HFiles: what firth writes is read by Hudi's native reader, and the other way round."""

import pathlib
import random
import subprocess

import pytest

TOOL = pathlib.Path(__file__).parents[2] / "build/src/firth/testing/firth_hfile_tool"


def lines(entries):
    return "".join(f"{key} {value}\n" for key, value in entries)


def random_entries(kind):
    rng = random.Random(kind)
    count = {"empty": 0, "one": 1}.get(kind, 50)
    lengths = {"long": [1, 113, 114, 126, 200, 5000, 32000]}.get(kind, [0, 1, 8, 36])
    alphabet = "abé漢\U0001f600k"
    entries = {}
    while len(entries) < count:
        key = "".join(rng.choice(alphabet) for _ in range(rng.choice(lengths))).encode()[:32000]
        key = key.decode(errors="ignore") + str(rng.randrange(10**6))
        value = rng.randbytes(0 if kind == "no_values" else rng.randrange(80))
        entries[key.encode().hex()] = value.hex()
    return sorted(entries.items())


KINDS = ["empty", "one", "short", "long", "no_values"]


@pytest.mark.parametrize("block_bytes", [512, 8192, 1 << 20])
@pytest.mark.parametrize("codec", ["gzip", "none"])
@pytest.mark.parametrize("kind", KINDS)
def test_hudi_reads_what_firth_writes(hudi, tmp_path, kind, codec, block_bytes):
    entries, path = random_entries(kind), str(tmp_path / "f.hfile")
    command = [TOOL, "write", path, codec, str(block_bytes), "filter"]
    subprocess.run(command, input=lines(entries), text=True, check=True)
    absent = [key + "00" for key, _ in entries]
    answer = hudi("hfile", path=path, keys=[key for key, _ in entries] + absent)
    assert [tuple(entry) for entry in answer["entries"]] == entries
    assert answer["found"] == dict(entries) | dict.fromkeys(absent)
    assert answer["bloom"]


@pytest.mark.parametrize("codec", ["GZIP", "NONE"])
@pytest.mark.parametrize("kind", KINDS)
def test_firth_reads_what_hudi_writes(hudi, tmp_path, kind, codec):
    entries, path = random_entries(kind), str(tmp_path / "f.hfile")
    hudi("write_hfile", path=path, entries=entries, codec=codec, block_bytes=2000)
    read = subprocess.run([TOOL, "read", path], capture_output=True, text=True, check=True)
    assert read.stdout == lines(entries)

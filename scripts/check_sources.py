#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that every source file begins with its licence and that no file outgrows a reader."""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LICENCE = "SPDX-License-Identifier: Apache-2.0"
SUFFIXES = {".h", ".cc", ".cmake", ".py", ".pyi", ".sh"}
MAX_LINES = 800


def problems():
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.splitlines()
    for name in listed:
        path = ROOT / name
        if path.name != "CMakeLists.txt" and path.suffix not in SUFFIXES or not path.exists():
            continue
        lines = path.read_text().splitlines()
        if not any(LICENCE in line for line in lines[:2]):
            yield f"{name}: no '{LICENCE}' in the first two lines"
        if len(lines) > MAX_LINES:
            yield f"{name}: {len(lines)} lines; at most {MAX_LINES}"


def main():
    found = list(problems())
    for line in found:
        print(line, file=sys.stderr)
    print(f"sources: {'ok' if not found else f'{len(found)} problems'}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

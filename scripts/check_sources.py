#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that every source file begins with its licence, that no file outgrows a reader, and that
C++ keeps to what both compilers take: clang 14 cannot use the ranges that GCC's library returns."""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LICENCE = "SPDX-License-Identifier: Apache-2.0"
SUFFIXES = {".h", ".cc", ".cmake", ".py", ".pyi", ".sh"}
MAX_LINES = 500
ONE_COMPILER_ONLY = re.compile(
    r"ranges::(unique|remove|remove_if|equal_range|search|rotate|partition)\(|\bviews::"
)


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
        if path.suffix in (".h", ".cc"):
            for number, line in enumerate(lines, 1):
                if ONE_COMPILER_ONLY.search(line):
                    yield f"{name}:{number}: clang 14 does not compile this use of ranges"


def main():
    found = list(problems())
    for line in found:
        print(line, file=sys.stderr)
    print(f"sources: {'ok' if not found else f'{len(found)} problems'}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

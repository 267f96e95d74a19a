#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that an #include of src/firth points only to a layer at or below its own.

The order is that of docs/architecture.md. A file may include its own folder, any folder further
left, and include/firth; `testing` may include everything and only *_test.cc, *_test_util.h,
*_benchmark.cc, fuzz/, bench/ and test/ may include it. The edges (cli/, python/) see include/firth
only.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
ORDER = [
    ["common"],
    ["io"],
    ["format/avro", "format/hfile", "format/parquet"],
    ["format/log"],
    ["timeline"],
    ["table"],
    ["read"],
    ["metadata"],
    ["index"],
    ["index/text", "index/vector"],
    ["scan", "write"],
    ["service"],
    ["search"],
    ["api"],
]
LEVEL = {name: level for level, names in enumerate(ORDER) for name in names}
INCLUDE = re.compile(r'^\s*#\s*include\s+"(firth/[^"]+)"', re.M)


def module_of(path):
    """`firth/index/text/analyzer.h` -> `index/text`; None for public headers."""
    folder = "/".join(path.split("/")[1:-1])
    return folder or None


def problems():
    for source in sorted((ROOT / "src" / "firth").rglob("*.*")):
        if source.suffix not in (".h", ".cc"):
            continue
        relative = source.relative_to(ROOT / "src").as_posix()
        own = module_of(relative)
        is_test = source.stem.endswith(("_test", "_test_util", "_benchmark")) or own == "testing"
        for included in INCLUDE.findall(source.read_text()):
            target = module_of(included)
            if target is None or target == own:
                continue
            if target == "testing":
                if not is_test:
                    yield f"src/{relative}: only tests may include {included}"
            elif own == "testing":
                continue
            elif target not in LEVEL or own not in LEVEL:
                yield f"src/{relative}: {included} is in no layer of scripts/check_layers.py"
            elif LEVEL[target] >= LEVEL[own]:
                yield f"src/{relative}: layer {own} may not include {included}"
    for edge in ("cli", "python"):
        for source in sorted((ROOT / edge).rglob("*.cc")) + sorted((ROOT / edge).rglob("*.h")):
            for included in INCLUDE.findall(source.read_text()):
                if module_of(included) is not None:
                    name = source.relative_to(ROOT)
                    yield f"{name}: edges include public headers only, not {included}"


def main():
    found = list(problems())
    for line in found:
        print(line, file=sys.stderr)
    print(f"layers: {'ok' if not found else f'{len(found)} problems'}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Adds up the results of GoogleTest, ctest and pytest: what was skipped and why, what failed.

    scripts/summarize_tests.py FOLDER_OF_XML

Exit status 1 when a test failed or when there was none.
"""

import collections
import pathlib
import sys
import xml.etree.ElementTree as ElementTree


def outcome(case):
    """(kind, reason) of one <testcase>: passed, failed or skipped."""
    for child in case:
        if child.tag in ("failure", "error"):
            return "failed", ""
        if child.tag == "skipped":
            return "skipped", (child.get("message") or child.text or "").strip().split("\n")[-1]
    if case.get("status") in ("disabled", "notrun"):
        return "skipped", "disabled"
    return "passed", ""


def cases(folder):
    """(name, kind, reason) of every test; ctest entries count only where no finer result exists."""
    finer = {p.stem for p in folder.glob("*.xml")} - {"ctest", "pytest"}
    for path in sorted(folder.glob("*.xml")):
        for case in ElementTree.parse(path).getroot().iter("testcase"):
            name = case.get("name", "")
            kind, reason = outcome(case)
            if path.stem == "ctest" and name in finer and kind != "failed":
                continue
            owner = case.get("classname", "")
            yield f"{owner}.{name}" if owner != name else name, kind, reason


def main():
    counts = collections.Counter()
    skipped = collections.defaultdict(list)
    for name, kind, reason in cases(pathlib.Path(sys.argv[1])):
        counts[kind] += 1
        if kind == "failed":
            print(f"FAILED  {name}")
        elif kind == "skipped":
            skipped[reason].append(name)
    for reason, names in sorted(skipped.items()):
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        print(f"SKIPPED {names[0]}{more}: {reason}")
    line = f"tests: {counts['passed']} passed, {counts['failed']} failed"
    print(line + (f", {counts['skipped']} skipped" if counts["skipped"] else ""))
    return 1 if counts["failed"] or not counts["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""The `firth` command of an installed wheel: the program beside this package."""

import os
import pathlib
import sys


def main() -> None:
    """Becomes the program; does not return."""
    program = pathlib.Path(__file__).parent / "bin" / "firth"
    os.execv(program, [str(program), *sys.argv[1:]])

# SPDX-License-Identifier: Apache-2.0
"""Makes sure that pyarrow brings the Arrow libraries that the core was compiled against."""

import pathlib

import pyarrow

ARROW_MAJOR = 26


def check(folder: pathlib.Path, version: str) -> None:
    """Raises ImportError when the libraries in `folder` have another soname."""
    wanted = f"libarrow.so.{ARROW_MAJOR}00"
    if not (folder / wanted).exists():
        raise ImportError(
            f"firth needs {wanted}, and pyarrow {version} does not have it: "
            f"pip install 'pyarrow>={ARROW_MAJOR},<{ARROW_MAJOR + 1}'"
        )


check(pathlib.Path(pyarrow.__file__).parent, pyarrow.__version__)

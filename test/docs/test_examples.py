# SPDX-License-Identifier: Apache-2.0
"""Every example of README.md and docs/guide is run, and must print what the page shows.

A ```console block holds commands behind `$ ` and their output; a line `...` stands for any number
of lines. A ```python block is a doctest. Commands run in a folder with the golden tables unpacked.
With FIRTH_UPDATE_DOCS=1 the pages are rewritten with what the commands print.
"""

import doctest
import os
import pathlib
import re
import subprocess
import zipfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIRTH = pathlib.Path(os.environ.get("FIRTH_COMMAND", ROOT / "build" / "firth"))
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(console|python)\n(.*?)^```$", re.M | re.S)
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)(?:#[^)]*)?\)")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("examples")
    for archive in sorted((ROOT / "test" / "data" / "tables").glob("*.zip")):
        with zipfile.ZipFile(archive) as content:
            content.extractall(path)
    return path


def run(command, folder):
    path = f"{FIRTH.parent}:{ROOT / '.venv' / 'bin'}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=os.environ | {"PATH": path, "COLUMNS": "100", "TERM": "dumb"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=60,
        check=False,
    )
    return done.stdout.rstrip("\n")


def steps(block):
    """[(command, expected output)] of a console block; `\\` continues a command."""
    found = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append([line[2:], []])
        elif found[-1][0].endswith("\\") and not found[-1][1]:
            found[-1][0] += "\n" + line
        else:
            found[-1][1].append(line)
    return [(command, "\n".join(output).rstrip("\n")) for command, output in found]


def matches(expected, found):
    parts = [re.escape(part) for part in re.split(r"^\.\.\.$", expected, flags=re.M)]
    return re.fullmatch("(?s:.*)".join(parts), found) is not None


def blocks(page, kind):
    return [match[2] for match in BLOCK.finditer(page.read_text()) if match[1] == kind]


def with_kind(kind):
    return [
        pytest.param(page, id=str(page.relative_to(ROOT))) for page in PAGES if blocks(page, kind)
    ]


@pytest.mark.parametrize("page", with_kind("console"))
def test_commands_print_what_the_page_shows(page, folder):
    for block in blocks(page, "console"):
        shown = []
        for command, expected in steps(block):
            found = run(command, folder)
            keep = matches(expected, found)
            shown.append(f"$ {command}\n" + (expected if keep else found))
            if not keep and not os.environ.get("FIRTH_UPDATE_DOCS"):
                pytest.fail(f"$ {command}\nshown:\n{expected}\nfound:\n{found}", pytrace=False)
        if os.environ.get("FIRTH_UPDATE_DOCS"):
            text = "\n".join(part.rstrip("\n") for part in shown) + "\n"
            page.write_text(page.read_text().replace(block, text))


@pytest.mark.parametrize("page", with_kind("python"))
def test_python_examples_print_what_the_page_shows(page, folder, monkeypatch):
    monkeypatch.chdir(folder)
    text = "\n".join(blocks(page, "python"))
    example = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    report = []
    runner.run(example, out=report.append)
    assert runner.tries > 0
    assert runner.failures == 0, "".join(report)


@pytest.mark.parametrize("page", [pytest.param(p, id=str(p.relative_to(ROOT))) for p in PAGES])
def test_links_lead_somewhere(page):
    for target in LINK.findall(page.read_text()):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{page.name} links to {target}"

# SPDX-License-Identifier: Apache-2.0
"""Help, exit codes, error lines and pipes."""

import fcntl
import os
import pty
import shutil
import struct
import subprocess
import termios

import pytest

VERBS = ["show", "read", "timeline", "files", "schema", "stats"]
SEARCHES = [["search", "text"], ["search", "vector"]]
INDEXES = [["index", "list"], ["index", "show"], ["index", "lookup"]]


def assert_one_line(result, code, *parts):
    assert result.code == code, result.err
    assert result.out == b""
    assert result.err.startswith("firth: ") and result.err.count("\n") == 1, result.err
    for part in parts:
        assert part in result.err


def test_help_lists_every_verb(firth):
    result = firth("--help")
    assert result.code == 0 and result.err == ""
    for verb in [*VERBS, "search", "index"]:
        assert f"\n  {verb} " in result.text


@pytest.mark.parametrize("verb", [*([v] for v in VERBS), *SEARCHES, *INDEXES], ids=" ".join)
def test_help_of_a_verb_names_what_all_verbs_take(firth, verb):
    result = firth(*verb, "--help")
    assert result.code == 0
    for option in ["TABLE", "--json", "--storage-option"]:
        assert option in result.text
    options = result.text[: result.text.find("Examples:")]
    assert max(map(len, options.splitlines())) <= 100


def test_version(firth):
    assert firth("--version").text.startswith("firth 0.")


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        ([], "a verb is missing; verbs are show, "),
        (["search"], "a verb is missing; verbs are text, vector; see firth search --help"),
        (["show", "t", "extra"], 'unexpected argument "extra"; see firth show --help'),
        (["read", "t", "--explain", "-o", "x.csv"], "--output excludes --explain"),
        (["read", "t", "--explain", "--format", "csv"], "--format excludes --explain"),
        (["frobnicate"], 'unknown verb "frobnicate"; verbs are show, '),
        (["search", "sound", "t"], 'unknown verb "sound"; verbs are text, vector'),
        (
            ["search", "vector", "t", "--column", "v", "--nope"],
            'unknown option "--nope"; see firth',
        ),
        (["read", "t", "--nope"], 'unknown option "--nope"; see firth read --help'),
        (["read"], "TABLE"),
        (["read", "t", "--limit", "many"], "--limit"),
        (["read", "t", "--limit", "-1"], "--limit: -1 is no number of rows: 0 to "),
        (["read", "t", "--limit", "99999999999999999999"], "is no number of rows"),
        (["read", "t", "--limit", ""], "is no number of rows"),
        (["search", "text", "t", "a", "--column", "b", "-k", "-1"], "-k: -1 is no number of rows"),
        (["search", "text", "t", "a", "--column", "b", "--phrase", "--slop", "-1"], "--slop"),
        (["read", "file://elsewhere/t"], 'host "elsewhere"'),
        (["read", "t", "--format", "xml"], "--format"),
        (["read", "t", "--memory-budget", "lots"], "lots"),
        (["read", "t", "--end", "2026"], "--incremental"),
        (["read", "t", "--incremental", "000", "--read-optimized"], "--read-optimized"),
        (["read", "t", "--json", "--format", "csv"], "--json"),
        (["read", "t", "-o", "rows.dat"], "rows.dat"),
        (["read", "t", "--storage-option", "secret"], "--storage-option"),
        (["schema", "t", "--history", "--as-of", "2026-01-01"], "--history"),
        (["search", "text", "t", "word"], "--column"),
        (["search", "vector", "t", "--column", "v"], "--vector"),
        (["search", "vector", "t", "--column", "v", "--vector", "[1, x]"], "--vector"),
        (["search", "vector", "t", "--column", "v", "--vector", "[]"], "--vector"),
        (
            ["search", "vector", "t", "--column", "v", "--vector", "[1]", "--metric", "m"],
            "--metric",
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_bad_usage_is_code_2_and_one_line(firth, arguments, part):
    assert_one_line(firth(*arguments), 2, part)


def test_a_secret_without_its_key_is_not_repeated(firth):
    assert "hunter2" not in firth("read", "t", "--storage-option", "hunter2").err


@pytest.mark.parametrize("verb", VERBS)
def test_a_missing_table_is_code_3(firth, verb, tmp_path):
    assert_one_line(firth(verb, tmp_path / "absent"), 3, "absent")


def test_a_folder_that_is_no_table_is_code_3(firth, tmp_path):
    (tmp_path / "file.parquet").write_bytes(b"PAR1")
    assert_one_line(firth("read", tmp_path), 3, str(tmp_path))


def test_an_unsupported_table_is_code_1(firth, golden):
    assert_one_line(firth("read", golden("v9_cow_orc").path), 1, "orc")


def test_damaged_properties_are_code_5(firth, tmp_path):
    (tmp_path / ".hoodie").mkdir()
    (tmp_path / ".hoodie" / "hoodie.properties").write_text(
        "hoodie.table.name=t\nhoodie.table.version=nine\n"
    )
    assert_one_line(firth("show", tmp_path), 5, 'hoodie.table.version is "nine"')


def test_a_damaged_base_file_is_code_5_and_named(firth, basic, tmp_path):
    shutil.copytree(basic.path, tmp_path / "t")
    damaged = next((tmp_path / "t" / "p1").glob("*.parquet"))
    damaged.write_bytes(damaged.read_bytes()[:1000])
    result = firth("read", tmp_path / "t", "-o", tmp_path / "rows.csv")
    assert_one_line(result, 5, damaged.name)
    assert not list(tmp_path.glob("rows*"))


def test_a_bad_predicate_names_position_and_columns(firth, basic):
    result = firth("read", basic.path, "--where", "id > 1 AND prcie < 3")
    assert_one_line(result, 2, 'where: position 12: no column "prcie"', 'did you mean "price"')


def test_an_unknown_column_is_named(firth, basic):
    result = firth("read", basic.path, "--columns", "id,nmae")
    assert result.code in (2, 3) and result.out == b""
    assert "nmae" in result.err and result.err.count("\n") == 1


@pytest.mark.parametrize("time", ["yesterday", "2026-02-30", "123"])
def test_a_bad_as_of_is_code_2(firth, basic, time):
    assert_one_line(firth("read", basic.path, "--as-of", time), 2, time)


def test_before_the_first_commit_there_are_no_rows_and_no_columns(firth, basic):
    result = firth("read", basic.path, "--as-of", "2020-01-01")
    assert (result.code, result.out, result.err) == (0, b"", "")
    result = firth("read", basic.path, "--as-of", "2020-01-01", "--columns", "id")
    assert_one_line(result, 2, 'no column "id": nothing has been written yet')


@pytest.mark.parametrize(
    ("option", "part"),
    [("--as-of", "--as-of is empty"), ("--incremental", "begin is empty")],
)
def test_an_empty_time_is_code_2(firth, basic, option, part):
    assert_one_line(firth("read", basic.path, option, ""), 2, part)
    result = firth("read", basic.path, "--incremental", "earliest", "--end", "")
    assert_one_line(result, 2, "end is empty")


def test_a_metadata_table_is_code_1_and_short(firth, basic):
    result = firth("read", basic.path + "/.hoodie/metadata")
    assert_one_line(result, 1, "is the metadata table of another table")
    assert len(result.err) < 400


def test_a_file_that_cannot_be_written_is_named(firth, basic, tmp_path):
    target = tmp_path / "absent" / "rows.csv"
    assert_one_line(
        firth("read", basic.path, "-o", target),
        2,
        f"{target} cannot be written: No such file or directory",
    )


@pytest.mark.parametrize("form", ["jsonl", "csv", "table", "arrow", "parquet"])
def test_a_closed_pipe_ends_quietly(command, basic, form):
    read_end, write_end = os.pipe()
    os.close(read_end)
    try:
        done = subprocess.run(
            [command, "read", basic.path, "--format", form],
            stdout=write_end,
            stderr=subprocess.PIPE,
            timeout=60,
            check=False,
        )
    finally:
        os.close(write_end)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_full_disk_is_an_error(command, basic):
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [command, "read", basic.path],
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=60,
            check=False,
        )
    assert done.returncode == 1
    assert b"No space left" in done.stderr


@pytest.mark.parametrize("form", ["jsonl", "arrow", "parquet"])
def test_a_full_disk_is_an_error_that_names_the_file(firth, basic, form):
    result = firth("read", basic.path, "-o", "/dev/full", "--format", form)
    assert_one_line(result, 1, "/dev/full cannot be written: No space left on device")


def on_a_terminal(command, *arguments):
    """(exit code, what the terminal shows, standard error), on a terminal of 40 columns."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 40, 0, 0))
    with subprocess.Popen([command, *arguments], stdout=slave, stderr=subprocess.PIPE) as process:
        os.close(slave)
        shown = b""
        try:
            while piece := os.read(master, 1 << 16):
                shown += piece
        except OSError:  # how Linux says that the other end is closed
            pass
        os.close(master)
        errors = process.stderr.read().decode()
        return process.wait(timeout=60), shown.decode().replace("\r\n", "\n"), errors


def test_a_terminal_gets_a_table_that_fits(command, basic):
    code, shown, errors = on_a_terminal(command, "read", basic.path, "--limit", "3", "--meta")
    assert (code, errors) == (0, "")
    assert shown.endswith("(3 rows)\n") and "…" in shown
    code, shown, errors = on_a_terminal(command, "read", basic.path, "--columns", "id,name,price")
    assert max(map(len, shown.splitlines())) <= 40


def test_binary_is_not_shown_on_a_terminal(command, basic):
    code, shown, errors = on_a_terminal(command, "read", basic.path, "--format", "parquet")
    assert (code, shown) == (2, "")
    assert errors.count("\n") == 1 and "-o FILE" in errors

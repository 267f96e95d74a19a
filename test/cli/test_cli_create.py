# SPDX-License-Identifier: Apache-2.0
"""firth create."""

import json
import subprocess

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

SCHEMA = (
    "id bigint not null, name string, price decimal(10,2), ts bigint, day string, emb vector(3)"
)


@pytest.fixture
def create(command, tmp_path):
    def run(*arguments, path="t"):
        return subprocess.run(
            [command, "create", str(tmp_path / path), *arguments],
            capture_output=True,
            text=True,
            check=False,
        )

    return run


@pytest.fixture
def ask(command, tmp_path):
    def run(verb, path="t"):
        done = subprocess.run(
            [command, verb, str(tmp_path / path), "--json"], capture_output=True, check=True
        )
        return json.loads(done.stdout or "null")

    return run


def test_a_table_is_created_and_shown(create, ask, tmp_path):
    done = create("--schema", SCHEMA, "--key", "id", "--partition", "day", "--ordering", "ts")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"created COPY_ON_WRITE table t, version 9, in {tmp_path}/t\n"
    shown = ask("show")
    assert shown["record_key_fields"] == ["id"]
    assert shown["partition_fields"] == ["day"]
    assert shown["merge_mode"] == "EVENT_TIME_ORDERING"
    assert [column["type"] for column in shown["schema"]] == [
        "bigint", "string", "decimal(10,2)", "bigint", "string", "vector(3)",
    ]  # fmt: skip
    assert [column["nullable"] for column in shown["schema"]][:2] == [False, True]


def test_options_say_what_the_table_is(create, ask):
    done = create(
        "--schema", SCHEMA, "--key", "id,day", "--type", "mor", "--name", "orders",
        "--table-version", "8", "--set", "hoodie.table.cdc.enabled=true", "--json",
    )  # fmt: skip
    answer = json.loads(done.stdout)
    assert (answer["name"], answer["type"], answer["version"]) == ("orders", "MERGE_ON_READ", 8)
    assert answer["properties"]["hoodie.table.cdc.enabled"] == "true"
    assert answer["properties"] == ask("show")["properties"]


@pytest.mark.parametrize("kind", ["parquet", "arrow", "stream", "table"])
def test_columns_are_taken_from_what_is_there(create, ask, tmp_path, kind):
    columns = pa.schema(
        [
            ("_hoodie_commit_time", pa.string()),
            ("id", pa.int16()),
            ("at", pa.timestamp("ns")),
            ("words", pa.dictionary(pa.int32(), pa.string())),
        ]
    )
    file = tmp_path / "like"
    if kind == "parquet":
        pyarrow.parquet.write_table(columns.empty_table(), file)
    elif kind == "arrow":
        pyarrow.feather.write_feather(columns.empty_table(), str(file))
    elif kind == "stream":
        with pa.ipc.new_stream(str(file), columns) as stream:
            stream.write_table(columns.empty_table())
    else:
        create("--schema", "id int, at timestamp_ntz, words string", path="like")
    done = create("--like", str(file))
    assert done.returncode == 0, done.stderr
    assert [(column["name"], column["type"]) for column in ask("schema")] == [
        ("id", "int"),
        ("at", "timestamp_ntz"),
        ("words", "string"),
    ]


def test_a_table_that_is_there_stays(create, ask):
    create("--schema", "id int")
    again = create("--schema", "other string")
    assert again.returncode == 4
    assert again.stderr.startswith("firth: ") and "is a Hudi table already" in again.stderr
    assert [column["name"] for column in ask("schema")] == ["id"]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ((), 2, "give --schema or --like"),
        (("--schema", "id text"), 2, 'the schema has "text" at position 4'),
        (("--schema", "id int", "--like", "x"), 2, "--like"),
        (("--schema", "id int", "--key", "no"), 2, 'key column "no" is not in the schema'),
        (("--schema", "id int", "--type", "delta"), 2, "delta"),
        (("--schema", "id int", "--table-version", "6"), 1, "firth writes 8 and 9"),
        (("--schema", "id int", "--set", "x"), 2, "--set x has no KEY="),
        (("--schema", "id int", "--set", "x=1"), 2, "begin with"),
        (("--like", "/no/such/file"), 3, "/no/such/file"),
        (("--like", "x" * 5000), 3, "no such file"),
        (("--like", __file__), 2, "is no Parquet file, no Arrow file and no table"),
    ],
)
def test_bad_definitions_are_refused_and_leave_nothing(create, tmp_path, arguments, code, message):
    done = create(*arguments)
    assert done.returncode == code, done.stderr
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "t").exists()


def test_object_stores_are_refused(command):
    done = subprocess.run(
        [command, "create", "s3://bucket/t", "--schema", "id int", "--storage-option",
         "region=eu-west-1", "--storage-option", "anonymous=true"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "local folders only" in done.stderr

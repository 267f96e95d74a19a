# SPDX-License-Identifier: Apache-2.0
import pyarrow as pa
import pytest

import firth


def test_a_created_table_is_empty_and_open(tmp_path):
    table = firth.create(
        tmp_path / "orders",
        "id bigint not null, name string, ts bigint, day string",
        key="id",
        partition_by=["day"],
        ordering="ts",
        type="mor",
        properties={"hoodie.datasource.write.hive_style_partitioning": True},
    )
    assert table.info.name == "orders"
    assert table.info.type == "MERGE_ON_READ"
    assert table.info.record_key_fields == ["id"]
    assert table.info.properties["hoodie.datasource.write.hive_style_partitioning"] == "true"
    assert table.read().to_arrow().num_rows == 0
    assert firth.open(tmp_path / "orders").schema == table.schema


@pytest.mark.parametrize(
    "schema",
    [
        pa.schema([("id", pa.int64()), ("at", pa.timestamp("us"))]),
        pa.schema([("id", pa.uint32()), ("at", pa.timestamp("ns"))]),
        pa.table({"id": pa.array([1], pa.int64()), "at": pa.array([0], pa.timestamp("s"))}),
    ],
    ids=["schema", "other types", "table"],
)
def test_anything_with_an_arrow_schema_will_do(tmp_path, schema):
    table = firth.create(tmp_path / "t", schema)
    assert table.schema == pa.schema([("id", pa.int64()), ("at", pa.timestamp("us"))])


def test_a_data_frame_will_do(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"id": [1], "name": ["a"]})
    assert firth.create(tmp_path / "t", frame).schema.names == ["id", "name"]


def test_a_table_that_is_there_stays(tmp_path):
    firth.create(tmp_path, "id int")
    with pytest.raises(firth.AlreadyExistsError, match="is a Hudi table already"):
        firth.create(tmp_path, "name string")
    assert firth.open(tmp_path).schema.names == ["id"]


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"schema": 7}, TypeError, "schema is 7"),
        ({"schema": "id text"}, firth.InvalidArgumentError, "position 4"),
        ({"schema": pa.schema([("id", pa.uint64())])}, firth.InvalidArgumentError, "uint64"),
        ({"key": "no"}, firth.InvalidArgumentError, "key column"),
        ({"key": 7}, TypeError, "key is 7"),
        ({"type": "delta"}, firth.InvalidArgumentError, "cow, mor"),
        ({"version": 6}, firth.UnsupportedError, "firth writes 8 and 9"),
        ({"version": "9"}, TypeError, "version"),
        ({"properties": ["x"]}, TypeError, "properties"),
        ({"properties": {"hoodie.x": None}}, TypeError, "hoodie.x"),
        ({"properties": {"hoodie.table.name": "x"}}, firth.InvalidArgumentError, "the name"),
    ],
)
def test_bad_arguments_are_refused_and_leave_nothing(tmp_path, change, error, message):
    arguments = {"schema": "id int"} | change
    with pytest.raises(error, match=message):
        firth.create(tmp_path / "t", **arguments)
    assert not (tmp_path / "t").exists()

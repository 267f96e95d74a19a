# SPDX-License-Identifier: Apache-2.0
"""Failures reach Python as typed exceptions that say what, where and what to do."""

import shutil

import pytest

import firth
from firth import _arrow


def test_missing_table_is_not_found(tmp_path):
    with pytest.raises(firth.NotFoundError) as caught:
        firth.open(tmp_path / "nothing")
    assert caught.value.code == "not found"
    assert "nothing" in caught.value.message
    assert isinstance(caught.value, firth.FirthError)


def test_unknown_column_is_found_before_reading(tickets):
    with pytest.raises(firth.FirthError, match="prcie"):
        tickets.read(columns=["prcie"])


def test_bad_predicate_names_the_place(tickets):
    with pytest.raises(firth.InvalidArgumentError, match="position"):
        tickets.read(where="priority <")


def test_bad_instant_is_an_invalid_argument(tickets):
    with pytest.raises(firth.InvalidArgumentError, match="yesterday"):
        tickets.snapshot(as_of="yesterday")


def test_orc_base_files_are_unsupported_by_name(unpack):
    with pytest.raises(firth.UnsupportedError, match="(?i)orc"):
        firth.open(unpack("v9_cow_orc")).read().to_arrow()


def test_damage_met_while_streaming_keeps_its_type(unpack, tmp_path):
    path = tmp_path / "tickets"
    shutil.copytree(unpack("tickets"), path)
    base_file = sorted(path.glob("de/*.parquet"))[0]
    base_file.write_bytes(base_file.read_bytes()[:200])
    with pytest.raises(firth.CorruptError) as caught:
        firth.open(path).read().to_arrow()
    assert base_file.name in str(caught.value)


def test_errors_have_a_code_a_message_and_a_remedy():
    error = firth.errors.from_status("conflict", "commit lost", "retry")
    assert isinstance(error, firth.ConflictError)
    assert (error.code, error.message, error.remedy) == ("conflict", "commit lost", "retry")
    assert str(error) == "commit lost; retry"
    assert isinstance(firth.errors.from_status("new kind", "x", ""), firth.InternalError)


def test_another_arrow_is_refused_by_its_soname(tmp_path):
    with pytest.raises(ImportError, match=r"libarrow\.so\.2600.*pyarrow 27.*pip install"):
        _arrow.check(tmp_path, "27.0.0")

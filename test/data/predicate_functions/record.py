# SPDX-License-Identifier: Apache-2.0
"""What Spark SQL says of the functions that predicates know, over awkward values.

    python record.py        needs pyspark 3.5; writes spark_3_5.json beside this file

Columns: `s` strings, `n` bigints, `i` ints, `t` timestamps as microseconds, `d` dates as days. Every
function has one result a row. The session's time zone is UTC.
"""

import json
import pathlib
import random

from pyspark.sql import SparkSession

NOTABLE = [
    None,
    "",
    " ",
    "a",
    "ABC",
    "Straße",
    "STRASSE",
    "ẞßİΣ",
    "İstanbul",
    "ıI",
    "ΑΣ",
    "ΑΣΒ",
    "ΌΔΟΣ ΌΔΟΣ",
    "Σ",
    "aΣ",
    "aΣ b",
    "ΣΑΣ",
    "ﬁnal ﬃ",
    "ŉ ǰ",
    "Ǆ ǅ ǆ",
    "ΐ ΰ",
    "ᾳ ᾼ",
    "K k Å å",
    "ſ",
    "ᲀ ᏸ Ꭰ",
    "𐐀 𐐨",
    "日本語",
    "😀 x",
    "e\u0301",
    "É",
    "\u00a0a\u00a0",
    " \t a b \n",
    "  lead and trail  ",
    "\u0000x",
    "o'hara",
    "\u2003wide\u2003",
    "a\u0345",
    "Ა ა",
    "Þórr",
    "ЁЖ ёж",
    "x" * 300 + "É",
]
# Without capital sigma: how it ends a word next to punctuation is for Java's own rules to say.
POOL = (
    "aZz I\u0130\u0131\u00df\u1e9e\u03c3\u03c2\u0391.\u0301\u0307jJ\u00cc\ufb01\u01c5 k\u212a9_😀é"
)
NUMBERS = [
    None,
    0,
    1,
    -1,
    59,
    86399,
    86400,
    -86400,
    -86401,
    951782400,
    1709164800,
    1704067199,
    2147483647,
    -2147483648,
    253402300799,
    253402300800,
    -62135596800,
    -62135596801,
    -62167219200,
    -62167219201,
    10**12,
    -(10**13),
    9223372036854,
    9223372036855,
    10**17,
    9223372036854775807,
    -9223372036854775808,
]
MICROS = [
    None,
    0,
    1,
    -1,
    999999,
    -1000000,
    -1000001,
    1709164799999999,
    1709164800000000,
    253402300799999999,
    253402300800000000,
    -62135596800000000,
    -62135596800000001,
    -12219292800000001,
    -2208988800000000,
    9223372036854775807,
    -9223372036854775808,
    1700000000123456,
]
DAYS = [
    None,
    0,
    1,
    -1,
    58,
    59,
    11016,
    19782,
    2932896,
    2932897,
    -719162,
    -719163,
    -719528,
    -719529,
    -141428,
    -141427,
    -25567,
    100000,
    106751991,
    -106751991,
]
FORMATS = [
    "yyyy-MM-dd",
    "yyyy-MM-dd HH:mm:ss",
    "yyyyMMdd",
    "dd.MM.yyyy",
    "HH",
    "yyyy",
    "yyyy-MM",
    "MM/dd HH:mm",
    "yyyy-MM-dd'T'HH:mm:ss'Z'",
    "ss mm",
    "yyyy ' '' ' dd",
    "yyyy年MM月",
    "-:- ",
    "",
]


def strings():
    draw = random.Random(5)
    return NOTABLE + [
        "".join(draw.choice(POOL) for _ in range(draw.randrange(1, 9))) for _ in range(300)
    ]


def functions():
    quoted = ["'" + f.replace("'", "\\'") + "'" for f in FORMATS]
    of_text = ["lower(s)", "upper(s)", "length(s)", "trim(s)", "lower(trim(s))"]
    for position in (-2147483648, -400, -3, -1, 0, 1, 2, 5, 2147483647):
        of_text.append(f"substring(s, {position})")
        of_text += [
            f"substring(s, {position}, {n})" for n in (-2147483648, -1, 0, 1, 3, 2147483647)
        ]
    parts = [f"{f}({c})" for c in "td" for f in ("year", "month", "day", "hour")]
    return {
        "s": of_text,
        "n": ["abs(n)", "from_unixtime(n)"] + [f"from_unixtime(n, {f})" for f in quoted],
        "i": ["abs(i)", "from_unixtime(i)"],
        "t": [f for f in parts if "(t)" in f] + [f"date_format(t, {f})" for f in quoted],
        "d": [f for f in parts if "(d)" in f] + [f"date_format(d, {f})" for f in quoted],
    }


def main():
    spark = (
        SparkSession.builder.master("local[1]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .getOrCreate()
    )
    values = {
        "s": strings(),
        "n": NUMBERS,
        "i": [v for v in NUMBERS if v is None or -(2**31) <= v < 2**31],
        "t": MICROS,
        "d": DAYS,
    }
    types = {"s": "string", "n": "bigint", "i": "int", "t": "bigint", "d": "int"}
    casts = {"t": "timestamp_micros(t) t", "d": "date_from_unix_date(d) d"}
    results = {}
    for column, expressions in functions().items():
        frame = spark.createDataFrame(
            list(enumerate(values[column])), f"r int, {column} {types[column]}"
        )
        frame = frame.selectExpr("r", casts.get(column, column))
        rows = frame.selectExpr("r", *expressions).orderBy("r").collect()
        for position, expression in enumerate(expressions, start=1):
            results[expression] = [row[position] for row in rows]
    answer = {"spark": spark.version, "values": values, "results": results}
    path = pathlib.Path(__file__).with_name("spark_3_5.json")
    path.write_text(
        json.dumps(answer, ensure_ascii=True, indent=None, separators=(",", ":")) + "\n"
    )


main()

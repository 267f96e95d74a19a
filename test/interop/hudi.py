# SPDX-License-Identifier: Apache-2.0
"""Stock Apache Hudi on a local Spark, as a process that answers JSON lines.

Started by hudi_process.py with the Python of the interop environment. One request a line on
standard input, one answer a line on standard output: {"ok": ...} or {"error": "..."}.
"""

import base64
import datetime
import decimal
import json
import math
import os
import sys
import time

os.environ["TZ"] = "UTC"
time.tzset()
JAVA_OPTIONS = "-Duser.timezone=UTC -XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
SETTINGS = {
    "spark.serializer": "org.apache.spark.serializer.KryoSerializer",
    "spark.kryo.registrator": "org.apache.spark.HoodieSparkKryoRegistrar",
    "spark.sql.extensions": "org.apache.spark.sql.hudi.HoodieSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.hudi.catalog.HoodieCatalog",
    "spark.sql.session.timeZone": "UTC",
    "spark.driver.extraJavaOptions": JAVA_OPTIONS,
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.memory": "2g",
    "spark.sql.codegen.wholeStage": "false",  # compiling tiny queries costs more than it saves
    "spark.sql.shuffle.partitions": "2",
    "spark.default.parallelism": "2",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
PARALLELISM = {f"hoodie.{kind}.shuffle.parallelism": "2" for kind in ("insert", "upsert", "delete")}


def session(jar, warehouse):
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").appName("firth-interop")
    builder = builder.config("spark.jars", jar).config("spark.sql.warehouse.dir", warehouse)
    for key, value in SETTINGS.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    return spark


def to_json(value):
    """A value of Spark as `firth read --format jsonl` writes it, but for the Z of zoned times."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        if math.isfinite(value):
            return value
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, decimal.Decimal):
        return format(value, "f")
    if isinstance(value, datetime.datetime):
        return value.strftime("%Y-%m-%dT%H:%M:%S.") + f"{value.microsecond:06d}"
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, (bytes, bytearray)):
        return base64.b64encode(bytes(value)).decode()
    if hasattr(value, "asDict"):
        return {key: to_json(item) for key, item in value.asDict(recursive=False).items()}
    if isinstance(value, dict):
        return {str(key): to_json(value[key]) for key in sorted(value)}
    return [to_json(item) for item in value]


class Hudi:
    def __init__(self, spark):
        self._spark = spark

    def read(self, path, options):
        frame = self._spark.read.format("hudi").options(**options).load(path)
        rows = [{name: to_json(row[name]) for name in frame.columns} for row in frame.collect()]
        return {"fields": json.loads(frame.schema.json())["fields"], "rows": rows}

    def write(self, path, schema, rows, options):
        from pyspark.sql import functions
        from pyspark.sql.types import _parse_datatype_string

        lines = self._spark.createDataFrame([(json.dumps(row),) for row in rows], "line string")
        parsed = functions.from_json("line", _parse_datatype_string(schema), {"mode": "FAILFAST"})
        frame = lines.coalesce(1).select(parsed.alias("row")).select("row.*")
        frame.write.format("hudi").options(**PARALLELISM, **options).mode("append").save(path)

    def hfile(self, path, keys):
        """All entries that Hudi's native reader scans, and the values that it finds for keys."""
        jvm = self._spark.sparkContext._jvm
        with open(path, "rb") as file:
            content = file.read()
        stream = jvm.org.apache.hudi.io.ByteArraySeekableDataInputStream(
            jvm.org.apache.hudi.io.ByteBufferBackedInputStream(content)
        )
        reader = jvm.org.apache.hudi.io.hfile.HFileReaderImpl(stream, len(content))
        reader.initializeMetadata()

        def entry():
            cell = reader.getKeyValue().get()
            data, at = bytes(cell.getBytes()), cell.getKeyContentOffset()
            value = cell.getValueOffset()
            key = data[at : at + cell.getKeyContentLength()]
            return key.hex(), data[value : value + cell.getValueLength()].hex()

        entries = []
        more = reader.seekTo()
        while more:
            entries.append(entry())
            more = reader.next()
        found = {}
        if reader.seekTo():
            for key in sorted(keys):
                wanted = jvm.org.apache.hudi.io.hfile.UTF8StringKey(bytes.fromhex(key))
                found[key] = entry()[1] if reader.seekTo(wanted) == 0 else None
        bloom = reader.getMetaBlock("bloomFilter").isPresent()
        return {"entries": entries, "found": found, "bloom": bloom}

    def write_hfile(self, path, entries, codec, block_bytes):
        """An HFile by Hudi's native writer; keys are UTF-8."""
        jvm = self._spark.sparkContext._jvm
        hfile, codecs = jvm.org.apache.hudi.io.hfile, jvm.org.apache.hudi.io.compress
        context = hfile.HFileContext.builder().blockSize(block_bytes)
        context = context.compressionCodec(codecs.CompressionCodec.valueOf(codec)).build()
        writer = hfile.HFileWriterImpl(context, jvm.java.io.FileOutputStream(path))
        for key, value in entries:
            writer.append(bytes.fromhex(key).decode(), bytes.fromhex(value))
        writer.close()

    def call(self, statement):
        self._spark.sql(statement).collect()


def main():
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what the JVM prints goes to standard error
    hudi = Hudi(session(sys.argv[1], sys.argv[2]))
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = {"ok": getattr(hudi, request.pop("do"))(**request)}
        except Exception as error:  # every failure is an answer
            answer = {"error": str(error)[:2000]}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads generated tables with firth and its peers, side by side, and prints rates and ratios.

    .venv/bin/python bench/read_tables.py [--rows 5000000] [--dir build/bench-data] [--repeat 3]

Tables are made by build/firth-bench-table when missing. Each engine reads in a process of its own,
pinned to one core or two; engines take turns within a round, and the fastest of the rounds counts.
Every result is held in memory as Arrow batches: the data columns, or two of them. Peers: hudi-rs
(PyPI `hudi`), and for copy-on-write tables `pyarrow.dataset` over the same base files.
"""

import argparse
import importlib
import json
import os
import pathlib
import resource
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
TWO_COLUMNS = ["c_int", "c_double"]


def tables(rows):
    """(name, arguments of firth-bench-table)."""
    common = ["--rows", str(rows), "--files", "8"]
    return {
        "cow": ["--type", "cow", "--columns", "10", *common],
        "cow20": ["--type", "cow", "--columns", "20", *common],
        "mor10": ["--type", "mor", "--columns", "10", "--update-fraction", "0.1", *common],
        "mor50": ["--type", "mor", "--columns", "10", "--update-fraction", "0.5", *common],
    }


def base_files(path):
    return sorted(str(p) for p in pathlib.Path(path).rglob("*.parquet") if ".hoodie" not in p.parts)


def read_firth(path, columns, threads):
    import firth

    table = firth.open(path).read(columns=columns, threads=threads).to_arrow()
    return table.num_rows, table.nbytes


def read_hudi_rs(path, columns, threads):
    from hudi import HudiReadOptions, HudiTableBuilder

    table = HudiTableBuilder.from_base_uri(path).build()
    if columns is None:
        columns = [n for n in table.get_schema().names if not n.startswith("_hoodie_")]
    batches = table.read(HudiReadOptions(projection=columns))
    return sum(b.num_rows for b in batches), sum(b.nbytes for b in batches)


def read_pyarrow(path, columns, threads):
    import pyarrow
    import pyarrow.dataset

    pyarrow.set_cpu_count(threads)
    dataset = pyarrow.dataset.dataset(base_files(path), format="parquet")
    if columns is None:
        columns = [n for n in dataset.schema.names if not n.startswith("_hoodie_")]
    table = dataset.to_table(columns=columns, use_threads=threads > 1)
    return table.num_rows, table.nbytes


ENGINES = {"firth": read_firth, "hudi-rs": read_hudi_rs, "pyarrow": read_pyarrow}


MODULES = {
    "firth": ["firth"],
    "hudi-rs": ["hudi", "pyarrow"],
    "pyarrow": ["pyarrow", "pyarrow.dataset"],
}


def measure_here(engine, path, columns, threads):
    """One timed read in this process; loading the libraries is not timed."""
    for module in MODULES[engine]:
        importlib.import_module(module)
    started, cpu = time.perf_counter(), time.process_time()
    rows, size = ENGINES[engine](path, columns, threads)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return {
        "seconds": time.perf_counter() - started,
        "cpu_seconds": time.process_time() - cpu,
        "rows": rows,
        "bytes": size,
        "peak_rss": peak,
    }


def measure(engine, path, columns, threads):
    """The same in a process of its own, on `threads` cores."""
    request = json.dumps([engine, str(path), columns, threads])
    cores = ",".join(map(str, range(threads)))
    environment = dict(
        os.environ,
        TOKIO_WORKER_THREADS=str(threads),
        RAYON_NUM_THREADS=str(threads),
        OMP_NUM_THREADS=str(threads),
    )
    done = subprocess.run(
        ["taskset", "-c", cores, sys.executable, __file__, "--child", request],
        capture_output=True, text=True, env=environment, check=False,
    )  # fmt: skip
    if done.returncode != 0:
        return {"error": done.stderr.strip().splitlines()[-1] if done.stderr else "died"}
    return json.loads(done.stdout)


def cases(names):
    for name in names:
        engines = ["firth", "hudi-rs"] + (["pyarrow"] if name.startswith("cow") else [])
        for threads in (1, 2):
            yield name, None, threads, engines
            if name in ("cow20", "mor10"):
                yield name, TWO_COLUMNS, threads, engines


def best(found):
    """The fastest of several measurements, or the error of the last."""
    good = [m for m in found if "error" not in m]
    return min(good, key=lambda m: m["seconds"]) if good else found[-1]


def make_tables(folder, rows):
    for name, arguments in tables(rows).items():
        path = folder / f"{name}-{rows}"
        if not path.exists():
            print(f"making {path}", file=sys.stderr)
            tool = ROOT / "build" / "firth-bench-table"
            subprocess.run([tool, *arguments, "--out", path], check=True)
        yield name, path


def report(name, columns, threads, found):
    what = f"{name}{' 2 cols' if columns else ''}"
    ours = found["firth"]
    for engine, m in found.items():
        if "error" in m:
            print(f"{what:14} {threads} thr  {engine:8} {m['error'][:90]}")
            continue
        ratio = m["seconds"] / ours["seconds"] if "error" not in ours else float("nan")
        print(
            f"{what:14} {threads} thr  {engine:8} {m['seconds']:7.2f} s  {m['cpu_seconds']:7.2f} cpu s"
            f"  {m['rows'] / m['seconds'] / 1e6:6.2f} M rows/s  peak {m['peak_rss'] / 2**20:6.0f} MiB"
            f"  firth is {ratio:5.2f} x as fast",
            flush=True,
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--dir", type=pathlib.Path, default=ROOT / "build" / "bench-data")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--only", help="names of tables, comma-separated")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "build" / "bench-results.json")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        print(json.dumps(measure_here(*json.loads(arguments.child))))
        return
    arguments.dir.mkdir(parents=True, exist_ok=True)
    paths = dict(make_tables(arguments.dir, arguments.rows))
    names = arguments.only.split(",") if arguments.only else list(paths)
    results = []
    for name, columns, threads, engines in cases(names):
        found = {engine: [] for engine in engines}
        for _ in range(arguments.repeat):
            for engine in engines:
                found[engine].append(measure(engine, paths[name], columns, threads))
        fastest = {engine: best(m) for engine, m in found.items()}
        report(name, columns, threads, fastest)
        results.append({"table": name, "columns": columns, "threads": threads, "engines": found})
    arguments.out.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()

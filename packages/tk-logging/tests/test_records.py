from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from tk_logging import ClosedRecordError, InvalidArgumentError, RecordWriter, read_records


def test_records_come_back_in_order(tmp_path: Path) -> None:
    record = {"loss": 0.5, "step": 3, "name": "grüße"}
    with RecordWriter(tmp_path / "new" / "scalars.json") as writer:
        writer.write(record)
        writer.write({"step": 4})

    assert list(read_records(writer.path)) == [record, {"step": 4}]
    assert writer.path.read_text(encoding="utf-8").splitlines()[0].endswith('"grüße"}')


def test_numpy_tensors_and_what_is_not_finite_are_kept(tmp_path: Path) -> None:
    given = {
        "a": np.int64(3),
        "b": np.float32(0.5),
        "c": np.arange(2),
        "d": math.nan,
        "e": math.inf,
    }
    before = dict(given)
    with RecordWriter(tmp_path / "scalars.json") as writer:
        writer.write(given)
    (record,) = read_records(writer.path)

    assert math.isnan(record.pop("d"))
    assert record == {"a": 3, "b": 0.5, "c": [0, 1], "e": math.inf}
    assert list(given) == list(before)


def test_what_json_cannot_say_becomes_text(tmp_path: Path) -> None:
    with RecordWriter(tmp_path / "scalars.json") as writer:
        writer.write({"path": tmp_path, "set": {2, 1}, "kind": Path, "bad": "\ud800"})
    (record,) = read_records(writer.path)

    assert record["path"] == str(tmp_path)
    assert record["set"] == [1, 2]
    assert "Path" in record["kind"]


def test_the_first_record_of_an_interval_is_flushed_at_once(tmp_path: Path) -> None:
    with RecordWriter(tmp_path / "scalars.json", flush_interval_s=3600) as writer:
        for number in range(3):
            writer.write({"n": number})
        assert [record["n"] for record in read_records(writer.path)] == [0]
        writer.flush()
        assert [record["n"] for record in read_records(writer.path)] == [0, 1, 2]


def test_many_bytes_are_flushed_before_the_interval_is_over(tmp_path: Path) -> None:
    with RecordWriter(tmp_path / "scalars.json", flush_interval_s=3600) as writer:
        for _ in range(100):
            writer.write({"text": "x" * 1000})

        assert len(list(read_records(writer.path))) > 50


KILLED = """
import os, signal, sys
from tk_logging import RecordWriter
writer = RecordWriter(sys.argv[1], flush_interval_s=3600)
for number in range(50_000):
    writer.write({"n": number})
    if number == 20_000:
        writer.flush()
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_after_kill_9_every_line_up_to_the_last_flush_is_there(tmp_path: Path) -> None:
    path = tmp_path / "scalars.json"
    done = subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False)
    numbers = [record["n"] for record in read_records(path)]

    assert done.returncode == -signal.SIGKILL
    assert len(numbers) > 20_000
    assert numbers == list(range(len(numbers)))
    assert path.read_bytes().endswith(b"}\n")


def test_at_exit_everything_is_flushed(tmp_path: Path) -> None:
    path = tmp_path / "scalars.json"
    code = KILLED.replace("os.kill(os.getpid(), signal.SIGKILL)", "")
    subprocess.run([sys.executable, "-c", code, str(path)], check=True)

    assert len(list(read_records(path))) == 50_000


def test_a_torn_line_is_left_out_and_cut_off_by_the_next_writer(tmp_path: Path) -> None:
    path = tmp_path / "scalars.json"
    path.write_bytes(b'{"n": 0}\n{"n": 1}\n' + b'{"n": "' + b"x" * 10_000)
    assert [record["n"] for record in read_records(path)] == [0, 1]
    with RecordWriter(path) as writer:
        writer.write({"n": 2})

    assert [record["n"] for record in read_records(path)] == [0, 1, 2]


def test_a_file_of_one_torn_line_is_begun_anew(tmp_path: Path) -> None:
    path = tmp_path / "scalars.json"
    path.write_bytes(b'{"n"')
    with RecordWriter(path) as writer:
        writer.write({"n": 2})

    assert [record["n"] for record in read_records(path)] == [2]


def test_a_forked_child_does_not_write_its_parent_s_records(tmp_path: Path) -> None:
    with RecordWriter(tmp_path / "scalars.json", flush_interval_s=3600) as writer:
        writer.write({"n": 0})
        writer.write({"n": 1})
        child = os.fork()
        if child == 0:
            writer.close()
            os._exit(0)
        os.waitpid(child, 0)

    assert [record["n"] for record in read_records(writer.path)] == [0, 1]


def test_records_from_threads_are_whole(tmp_path: Path) -> None:
    with RecordWriter(tmp_path / "scalars.json", flush_interval_s=0) as writer:
        threads = [
            threading.Thread(target=lambda: [writer.write({"text": "x" * 100}) for _ in range(100)])
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert len(list(read_records(writer.path))) == 400


def test_a_record_after_the_end_is_refused(tmp_path: Path) -> None:
    writer = RecordWriter(tmp_path / "scalars.json")
    writer.close()
    writer.close()

    with pytest.raises(ClosedRecordError, match="was closed; open another RecordWriter"):
        writer.write({"n": 0})


def test_a_record_is_a_dict(tmp_path: Path) -> None:
    with (
        RecordWriter(tmp_path / "s.json") as writer,
        pytest.raises(InvalidArgumentError, match="dict"),
    ):
        writer.write([1])  # type: ignore[arg-type]

"""Writes the first inputs of the fuzzer: a record of each kind, to be framed, and a small file."""

import sys
from pathlib import Path

from tests.store import event_file_builder as build

PAYLOADS = [
    build.event(1, build.summary(build.simple("loss", 0.5))),
    build.event(2, build.summary(build.simple("loss", 1), build.simple("acc", 2))),
    build.event(0, build.summary(build.tensor("note", build.text_tensor("hello"), plugin="text"))),
    build.event(3, build.summary(build.tensor("x", b"\x08\x02" + build.field(6, bytes(8)), plugin="scalars"))),
    build.event(
        3,
        build.summary(
            build.tensor("x", b"\x08\x01" + build.field(2, build.field(2, b"\x08\x01")) + build.field(4, bytes(4)))
        ),
    ),
    build.event(4, build.summary(build.field(1, b"w") + build.field(5, b"\x09" + bytes(8)))),
    build.event(
        0, build.summary(build.field(1, b"_hparams_/session_start_info") + build.metadata("hparams", b"\x1a\x00"))
    ),
    build.event(5, build.field(7, b"\x08\x01")),
    build.event(0, build.field(4, b"graph")),
]

if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    everything = b"".join(bytes([len(payload)]) + payload for payload in PAYLOADS)
    (folder / "framed").write_bytes(b"\x01\x80" + everything * 2)
    for i, payload in enumerate(PAYLOADS):
        (folder / f"payload_{i}").write_bytes(b"\x01\x40" + bytes([len(payload)]) + payload)
    file = (
        build.version() + build.scalar("loss", 1, 1) + b"garbage" + build.session_start(1) + build.scalar("loss", 0, 2)
    )
    (folder / "file").write_bytes(b"\x00\x80" + file)

"""Writes the first inputs of the fuzzer: a record of each kind, to be framed, and a small file."""

import sys
from pathlib import Path

from tests.store.event_file_builder import (
    event,
    field,
    metadata,
    scalar,
    session_start,
    simple,
    summary,
    tensor,
    text_tensor,
    version,
)

PAYLOADS = [
    event(1, summary(simple("loss", 0.5))),
    event(2, summary(simple("loss", 1), simple("acc", 2))),
    event(0, summary(tensor("note", text_tensor("hello"), plugin="text"))),
    event(3, summary(tensor("x", b"\x08\x02" + field(6, bytes(8)), plugin="scalars"))),
    event(3, summary(tensor("x", b"\x08\x01" + field(2, field(2, b"\x08\x01")) + field(4, bytes(4))))),
    event(4, summary(field(1, b"w") + field(5, b"\x09" + bytes(8)))),
    event(0, summary(field(1, b"_hparams_/session_start_info") + metadata("hparams", b"\x1a\x00"))),
    event(5, field(7, b"\x08\x01")),
    event(0, field(4, b"graph")),
]

if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    everything = b"".join(bytes([len(payload)]) + payload for payload in PAYLOADS)
    (folder / "framed").write_bytes(b"\x01\x80" + everything * 2)
    for i, payload in enumerate(PAYLOADS):
        (folder / f"payload_{i}").write_bytes(b"\x01\x40" + bytes([len(payload)]) + payload)
    file = version() + scalar("loss", 1, 1) + b"garbage" + session_start(1) + scalar("loss", 0, 2)
    (folder / "file").write_bytes(b"\x00\x80" + file)

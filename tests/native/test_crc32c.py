import random

import crc32c as peer
import pytest

from lossboard import _core

KNOWN = [(b"", 0), (b"123456789", 0xE3069283), (bytes(32), 0x8A9136AA), (b"\xff" * 32, 0x62A8AB43)]


@pytest.mark.parametrize(("data", "crc"), KNOWN)
def test_known_values(data: bytes, crc: int) -> None:
    assert _core.crc32c(data) == crc == _core.crc32c_portable(data)


def test_every_length_agrees_with_the_tables_and_a_peer() -> None:
    data = random.Random(1).randbytes(3000)
    for size in [*range(80), *range(760, 780), 1535, 1536, 1537, 2999]:
        part = data[size % 7 : size % 7 + size]
        assert _core.crc32c(part) == _core.crc32c_portable(part) == peer.crc32c(part)

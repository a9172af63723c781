from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lossboard.kinds.hparams.decode import START_TAG, Session, sessions
from lossboard.kinds.json_numbers import number
from lossboard.kinds.registry import EventKind
from lossboard.kinds.series import Series

if TYPE_CHECKING:
    from lossboard.store.run import Run


def _visible_tag(tag: str) -> str | None:
    return tag if tag == START_TAG else None


def _series(run: Run, tag: str, *, attempts: bool = False) -> Series[Session]:
    return sessions(run, attempts=attempts)


def _fields(point: Session) -> dict[str, Any]:
    hparams = {name: number(value) if isinstance(value, float) else value for name, value in point.hparams.items()}
    return {"hparams": hparams, "status": point.status, "group": point.group}


KIND = EventKind(
    name="hparams", plugins=frozenset({"hparams"}), visible_tag=_visible_tag, series=_series, fields=_fields
)

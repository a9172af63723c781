"""Comparable contents of an event file, read with TensorBoard's own protobuf messages. Current times are left out."""

from __future__ import annotations

import io
import time
from pathlib import Path
from typing import Any

import numpy as np
from google.protobuf import text_format
from PIL import Image, ImageSequence
from tensorboard.backend.event_processing.event_file_loader import RawEventFileLoader
from tensorboard.compat.proto.event_pb2 import Event, SessionLog
from tensorboard.plugins.hparams.plugin_data_pb2 import HParamsPluginData
from tensorboard.plugins.projector.projector_config_pb2 import ProjectorConfig
from tensorboard.util import tensor_util


def contents(folder: Path) -> dict[str, Any]:
    """Returns the events of each directory and the contents of each other file."""
    found: dict[str, Any] = {}
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        name = str(path.relative_to(folder))
        if "tfevents" in path.name:
            found.setdefault(str(path.parent.relative_to(folder)), []).extend(_events(path))
        else:
            found[name] = _file(path)
    return found


def _events(path: Path) -> list[Any]:
    found: list[Any] = []
    for data in RawEventFileLoader(str(path)).Load():
        event = Event.FromString(data)
        given_time = "now" if abs(event.wall_time - time.time()) < 3600 else repr(event.wall_time)
        if event.HasField("summary"):
            found += [(event.step, *_value(value), given_time) for value in event.summary.value]
        elif event.HasField("session_log") and event.session_log.status != SessionLog.STOP:
            start = (event.step, text_format.MessageToString(event.session_log))
            found += [start] if found[-1:] != [start] else []  # a second START changes nothing for EventAccumulator
    return found


def _value(value: Any) -> tuple[Any, ...]:
    metadata = value.metadata
    content: Any = metadata.plugin_data.content
    if metadata.plugin_data.plugin_name == "hparams":
        content = text_format.MessageToString(HParamsPluginData.FromString(content))
    what = value.WhichOneof("value")
    data = _DATA[what](getattr(value, what)) if what else None
    return (value.tag, metadata.plugin_data.plugin_name, metadata.display_name, content, what, data)


def _histogram(histogram: Any) -> Any:
    moments = (histogram.min, histogram.max, histogram.num, histogram.sum, histogram.sum_squares)
    # The order of summation differs.
    return [f"{moment:.9g}" for moment in moments], list(histogram.bucket_limit), list(histogram.bucket)


def _image(image: Any) -> Any:
    picture = Image.open(io.BytesIO(image.encoded_image_string))
    frames = [np.asarray(frame).tolist() for frame in ImageSequence.Iterator(picture)]
    return image.height, image.width, image.colorspace, picture.format, picture.mode, frames


def _tensor(tensor: Any) -> Any:
    array = tensor_util.make_ndarray(tensor)
    return str(array.dtype), array.shape, repr(array.tolist())


_DATA = {"simple_value": repr, "histo": _histogram, "image": _image, "audio": repr, "tensor": _tensor}


def _file(path: Path) -> Any:
    if path.suffix == ".png":
        return np.asarray(Image.open(path)).tolist()
    if path.name == "tensors.tsv":
        return [[_number(cell) for cell in line.split("\t")] for line in path.read_text().splitlines()]
    if path.suffix == ".pbtxt":
        return text_format.MessageToString(text_format.Parse(path.read_text(), ProjectorConfig()))
    return path.read_text()


def _number(cell: str) -> str:
    try:
        return repr(np.float32(cell))
    except ValueError:
        return cell

"""Replacement for tensorboardX: `from lossboard.tensorboardX import SummaryWriter`.

The writer of `lossboard.writer` with tensorboardX's order of arguments, tags and sub-runs, so that new curves line up
with old ones. docs/compatibility.md lists what differs.
"""

from __future__ import annotations

import multiprocessing
import os
import re
from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any

from lossboard.events.conversions import as_mapping, as_tag
from lossboard.events.file_writer import FileWriter
from lossboard.kinds.meshes import encode as meshes
from lossboard.writer import SummaryWriter as TorchSummaryWriter

__all__ = ["FileWriter", "GlobalSummaryWriter", "SummaryWriter"]

_INVALID_IN_TAGS = re.compile(r"[^-/\w\.]")


class SummaryWriter(TorchSummaryWriter):
    """Logs one run, with the arguments of tensorboardX's SummaryWriter. `comet_config` has no effect."""

    def __init__(
        self,
        logdir: str | os.PathLike[str] | None = None,
        comment: str = "",
        purge_step: int | None = None,
        max_queue: int = 10,
        flush_secs: int = 120,
        filename_suffix: str = "",
        write_to_disk: bool = True,
        log_dir: str | os.PathLike[str] | None = None,
        comet_config: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        self._cleaned_tags: dict[Any, str] = {}
        super().__init__(
            logdir or log_dir, comment, purge_step, max_queue, flush_secs, filename_suffix, write_to_disk, **kwargs
        )

    def add_scalar(  # type: ignore[override] # tensorboardX's arguments
        self,
        tag: str,
        scalar_value: Any,
        global_step: int | None = None,
        walltime: float | None = None,
        display_name: str | None = "",
        summary_description: str | None = "",
    ) -> None:
        """Logs one point of a series."""
        tag = self._clean(tag)
        if display_name or summary_description:
            self._add_scalar(
                tag,
                scalar_value,
                global_step,
                walltime,
                display_name=display_name,
                summary_description=summary_description,
            )
        else:
            super().add_scalar(tag, scalar_value, global_step, walltime)

    def add_scalars(
        self,
        main_tag: str,
        tag_scalar_dict: Mapping[str, Any],
        global_step: int | None = None,
        walltime: float | None = None,
    ) -> None:
        """Logs several series in one chart. Each becomes a sub-run named <main_tag>/<key>."""
        self._log_sub_runs(self._clean(main_tag), f"{as_tag(main_tag)}/", tag_scalar_dict, global_step, walltime)

    def add_histogram(self, tag: str, *args: Any, **kwargs: Any) -> None:
        """Logs the distribution of values."""
        super().add_histogram(self._clean(tag), *args, **kwargs)

    def add_image(self, tag: str, *args: Any, **kwargs: Any) -> None:
        """Logs an image: uint8, or floats from 0 to 1."""
        super().add_image(self._clean(tag), *args, **kwargs)

    def add_video(self, tag: str, *args: Any, **kwargs: Any) -> None:
        """Logs videos side by side, as an animated GIF."""
        super().add_video(self._clean(tag), *args, **kwargs)

    def add_mesh(
        self,
        tag: str,
        vertices: Any,
        colors: Any = None,
        faces: Any = None,
        config_dict: Mapping[str, Any] | None = None,
        global_step: int | None = None,
        walltime: float | None = None,
    ) -> None:
        """Logs a mesh or point cloud under tensorboardX's tags: <tag>_1 for vertices, _2 for faces, _3 for colors."""
        values = meshes.encode(as_tag(tag), vertices, colors, faces, config_dict, numbered=True)
        self._summary(values, global_step, walltime)

    def add_hparams(  # type: ignore[override] # tensorboardX's arguments
        self,
        hparam_dict: Mapping[str, Any],
        metric_dict: Mapping[str, Any],
        name: str | None = None,
        global_step: int | None = None,
    ) -> None:
        """Logs hyperparameters and the resulting metrics as a sub-run named `name` (by default the time)."""
        metrics = {self._clean(tag): value for tag, value in as_mapping(metric_dict, "metric_dict").items()}
        self._log_trial(hparam_dict, metrics, None, name, None, global_step)

    def add_onnx_graph(self, onnx_model_file: str | os.PathLike[str]) -> None:  # type: ignore[override]
        """Logs the graph of an ONNX file."""
        super().add_onnx_graph(onnx_model_file)

    def _clean(self, tag: Any) -> str:
        """Returns the tag that tensorboardX writes: other characters than letters, digits, - / . become _."""
        if tag not in self._cleaned_tags:
            text = tag if isinstance(tag, str) else as_tag(tag)
            self._cleaned_tags[tag] = _INVALID_IN_TAGS.sub("_", text).lstrip("/")
        return self._cleaned_tags[tag]


class GlobalSummaryWriter:
    """One writer for several processes, which counts the steps of each tag by itself.

    Create it before the other processes are forked. As in tensorboardX, `coalesce_process` and other keyword arguments
    have no effect.
    """

    def __init__(
        self,
        logdir: str | os.PathLike[str] | None = None,
        comment: str = "",
        purge_step: int | None = None,
        max_queue: int = 10,
        flush_secs: int = 120,
        filename_suffix: str = "",
        write_to_disk: bool = True,
        log_dir: str | os.PathLike[str] | None = None,
        coalesce_process: bool = True,
        **kwargs: Any,
    ) -> None:
        self.smw = SummaryWriter(
            logdir, comment, purge_step, max_queue, flush_secs, filename_suffix, write_to_disk, log_dir
        )
        self.lock: AbstractContextManager[Any] = multiprocessing.Lock()
        self._manager = multiprocessing.Manager()
        self._steps = self._manager.dict()

    def add_scalar(self, tag: str, scalar_value: Any, walltime: float | None = None) -> None:
        """Logs one point of a series at its next step."""
        with self.lock:
            self.smw.add_scalar(tag, scalar_value, self._next_step("scalar", tag), walltime)

    def add_image(self, tag: str, img_tensor: Any, walltime: float | None = None, dataformats: str = "CHW") -> None:
        """Logs an image at the next step of its tag."""
        with self.lock:
            self.smw.add_image(tag, img_tensor, self._next_step("image", tag), walltime, dataformats)

    def add_text(self, tag: str, text_string: str, walltime: float | None = None) -> None:
        """Logs text at the next step of its tag."""
        with self.lock:
            self.smw.add_text(tag, text_string, self._next_step("text", tag), walltime)

    @staticmethod
    def getSummaryWriter() -> GlobalSummaryWriter:
        """Returns the writer of this program. The first call creates it."""
        global _global_writer
        if _global_writer is None:
            _global_writer = GlobalSummaryWriter()
        return _global_writer

    @property
    def file_writer(self) -> FileWriter:
        return self.smw._get_file_writer()

    def close(self) -> None:
        self.smw.close()

    def _next_step(self, kind: str, tag: str) -> int:
        step: int = self._steps.get((kind, tag), -1) + 1
        self._steps[kind, tag] = step
        return step


_global_writer: GlobalSummaryWriter | None = None

"""The methods of a writer that log numbers: scalars, histograms and tensors."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy.typing as npt

from lossboard._core import bin_edges
from lossboard.events.conversions import Array, as_mapping, as_real, as_scalar, as_tag
from lossboard.kinds.histograms.encode import Bins, Histogram
from lossboard.kinds.scalars import encode as scalars
from lossboard.kinds.tensors import encode as tensors
from lossboard.writer.read_scalars import read_scalars
from lossboard.writer.run_files import RunFiles


class SeriesMethods(RunFiles):
    """A part of SummaryWriter."""

    _tags_of_sub_runs: dict[str, str]

    def _add_scalar(
        self,
        tag: str,
        scalar_value: Any,
        global_step: int | None = None,
        walltime: float | None = None,
        new_style: bool | str = False,
        double_precision: bool | str = False,
        *,
        display_name: str | None = "",
        summary_description: str | None = "",
    ) -> None:
        if isinstance(new_style, str):  # tensorboardX's order: display_name, summary_description
            display_name, new_style = new_style, False
        if isinstance(double_precision, str):
            summary_description, double_precision = double_precision, False
        if new_style or display_name or summary_description:
            number = as_scalar(scalar_value)
            labels = {"display_name": display_name or "", "description": summary_description or ""}
            if new_style:
                value = scalars.encode(as_tag(tag), number, double_precision=bool(double_precision), **labels)
            else:
                value = scalars.encode_simple(as_tag(tag), number, **labels)
            self._summary([value], global_step, walltime)
            return
        step, walltime = self._at(global_step, walltime)
        if self._file.scalar(as_tag(tag), scalar_value, step, walltime):
            self._report_error()

    _add_scalar.__qualname__ = "SummaryWriter.add_scalar"  # the name in Python's messages about wrong arguments

    def add_scalars(
        self,
        main_tag: str,
        tag_scalar_dict: Mapping[str, Any],
        global_step: int | None = None,
        walltime: float | None = None,
    ) -> None:
        """Logs several series in one chart. Each becomes a sub-run named <main_tag>_<key>."""
        main_tag = as_tag(main_tag)
        self._log_sub_runs(main_tag, f"{main_tag.replace('/', '_')}_", tag_scalar_dict, global_step, walltime)

    def _log_sub_runs(
        self, tag: str, prefix: str, values: Mapping[str, Any], step: int | None, walltime: float | None
    ) -> None:
        given = as_mapping(values, "tag_scalar_dict")
        points = {f"{self._folder}/{prefix}{as_tag(key)}": as_scalar(value) for key, value in given.items()}
        step, walltime = self._at(step, walltime)
        walltime = time.time() if walltime is None else walltime
        for run, value in points.items():
            self._tags_of_sub_runs[run] = tag
            file = self._files.sub_run(run)
            if file.scalar(tag, value, step, walltime):
                self._files.report_error(file.fault)

    def export_scalars_to_json(self, path: str | os.PathLike[str]) -> None:
        """Writes the series that `add_scalars` logged: sub-run → [[wall time, step, value], …].

        This method comes from tensorboardX. `lossboard export` also exports other data.
        """
        self.flush()
        exported = {run: read_scalars(self._files.path_of(run), tag) for run, tag in self._tags_of_sub_runs.items()}
        Path(path).write_text(json.dumps(exported))

    def add_scalars_dict(
        self, values: Mapping[str, Any], global_step: int | None = None, walltime: float | None = None
    ) -> None:
        """Logs one point for each of several series of this run, in one record: {"train/loss": …, "train/lr": …}."""
        if type(values) is not dict:
            values = dict(as_mapping(values, "The values"))
        step, walltime = self._at(global_step, walltime)
        if self._file.scalars(values, step, walltime):
            self._report_error()

    def add_tensor(self, tag: str, tensor: Any, global_step: int | None = None, walltime: float | None = None) -> None:
        """Logs a tensor as it is."""
        self._summary([tensors.encode(as_tag(tag), tensor)], global_step, walltime)

    @property
    def default_bins(self) -> list[float]:
        """The bin edges of `add_histogram`."""
        return [float(edge) for edge in bin_edges()]

    def add_histogram(
        self,
        tag: str,
        values: Any,
        global_step: int | None = None,
        bins: Bins = "tensorflow",
        walltime: float | None = None,
        max_bins: int | None = None,
    ) -> None:
        """Logs the distribution of values. `bins` is "tensorflow" or anything that `numpy.histogram` accepts."""
        histogram = Histogram.of(values, bins=bins, max_bins=max_bins)
        self._summary([histogram.encode(as_tag(tag))], global_step, walltime)

    def add_histogram_raw(
        self,
        tag: str,
        min: float,
        max: float,
        num: float,
        sum: float,
        sum_squares: float,
        bucket_limits: npt.ArrayLike,
        bucket_counts: npt.ArrayLike,
        global_step: int | None = None,
        walltime: float | None = None,
    ) -> None:
        """Logs a histogram that is already computed. `bucket_limits` are the right edges."""
        limits, counts = _as_row(bucket_limits, "bucket_limits"), _as_row(bucket_counts, "bucket_counts")
        if limits.shape != counts.shape:
            raise ValueError(f"bucket_limits has {limits.size} values and bucket_counts {counts.size}; they must match")
        moments = {"min": min, "max": max, "num": num, "sum": sum, "sum_squares": sum_squares}
        numbers = {name: 0.0 if value is None else as_scalar(value, name) for name, value in moments.items()}
        histogram = Histogram(**numbers, limits=limits, counts=counts)
        self._summary([histogram.encode(as_tag(tag))], global_step, walltime)


def _as_row(values: Any, what: str) -> Array:
    """Returns numbers on one axis. Any iterable will do."""
    return as_real(values if hasattr(values, "shape") else list(values), what).reshape(-1)

"""SummaryWriter, the public logging API. Names, arguments and defaults match torch's SummaryWriter.

A call that works with torch's or tensorboardX's writer works with this one; docs/compatibility.md lists differences.
When a call returns, its record survives the death of the process. After `flush` it also survives a power failure. An
invalid argument (a wrong shape, a tag that is a number) raises TypeError or ValueError and writes nothing. An I/O
error (disk full, directory deleted, drive gone) raises only in the constructor. Later, records that cannot be written
are buffered in memory, and lost records are counted and reported.
"""

from __future__ import annotations

import json
import os
import time
import weakref
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from lossboard.events.conversions import as_mapping, as_scalar, as_tag
from lossboard.events.event_files import default_run_dir
from lossboard.kinds.custom_scalars import encode as custom_scalars
from lossboard.kinds.hparams import encode as hparams
from lossboard.kinds.text import encode as text
from lossboard.writer.media import MediaMethods
from lossboard.writer.models import ModelMethods
from lossboard.writer.system_metrics import Sampler, SystemMonitor


class SummaryWriter(MediaMethods, ModelMethods):
    """Logs one run into event files that Lossboard and TensorBoard read.

    `log_dir` is the run directory, by default runs/<date>_<host><comment>. `purge_step` supersedes the points that an
    earlier, crashed process logged from that step on. `max_queue` and `flush_secs` exist for compatibility with torch
    and have no effect, because nothing is queued. `filename_suffix` is appended to the file's name. The rest comes from
    tensorboardX: `write_to_disk` tells whether anything is written at all (only one of several equal processes should
    write), `logdir` is another name for `log_dir`, and `comet_config` has no effect.
    """

    def __init__(
        self,
        log_dir: str | os.PathLike[str] | None = None,
        comment: str = "",
        purge_step: int | None = None,
        max_queue: int = 10,
        flush_secs: int = 120,
        filename_suffix: str = "",
        write_to_disk: bool = True,
        logdir: str | os.PathLike[str] | None = None,
        comet_config: Mapping[str, Any] | None = None,
    ) -> None:
        self.max_queue = max_queue
        self.flush_secs = flush_secs
        self._tags_of_sub_runs: dict[str, str] = {}
        self._monitor: SystemMonitor | None = None
        self._sampler: Sampler | None = None
        super().__init__(
            log_dir or logdir or default_run_dir(comment),
            purge_step=purge_step,
            filename_suffix=filename_suffix,
            write_to_disk=write_to_disk,
        )

    def close(self, *, finished: bool = True) -> None:
        """Closes the event files. `finished` marks the run as finished. Logging again starts new files."""
        if self._sampler is not None:
            self._sampler.stop()
            self._sampler = None
        super().close(finished=finished)

    def add_hparams(
        self,
        hparam_dict: Mapping[str, Any],
        metric_dict: Mapping[str, Any],
        hparam_domain_discrete: Mapping[str, Sequence[Any]] | str | None = None,
        run_name: str | os.PathLike[str] | int | None = None,
        global_step: int | None = None,
        *,
        name: str | None = None,
    ) -> None:
        """Logs hyperparameters and the resulting metrics as a sub-run named `run_name` (by default the time).

        `name` is tensorboardX's name for `run_name`. Its positional order, name and step, works too.
        """
        if isinstance(hparam_domain_discrete, str):
            name, hparam_domain_discrete = hparam_domain_discrete, None
        if isinstance(run_name, int):
            run_name, global_step = None, run_name
        self._log_trial(hparam_dict, metric_dict, hparam_domain_discrete, run_name or name, global_step, global_step)

    def _log_trial(
        self,
        hparam_dict: Mapping[str, Any],
        metric_dict: Mapping[str, Any],
        domains: Mapping[str, Sequence[Any]] | None,
        run_name: str | os.PathLike[str] | None,
        hparams_step: int | None,
        metrics_step: int | None,
    ) -> None:
        given = as_mapping(metric_dict, "metric_dict")
        metrics = {as_tag(tag): as_scalar(value, f"Metric {tag!r}") for tag, value in given.items()}
        values = hparams.encode(as_mapping(hparam_dict, "hparam_dict"), metrics, domains)
        self._reopen()
        file = self._files.sub_run(str(Path(self._folder) / (run_name or str(time.time()))))
        file.summary(values, hparams_step, None)
        for tag, value in metrics.items():
            file.scalar(tag, value, metrics_step, None)
        file.close(finished=True)
        if file.fault:
            self._files.report_error(file.fault)

    def add_config(
        self, config: Mapping[str, Any], metrics: Sequence[str] = (), global_step: int | None = None
    ) -> None:
        """Logs the settings of this run, which may be nested, as text and as hyperparameters named `a.b`.

        `metrics` are the tags of scalars that TensorBoard shows with them in its table of hyperparameters.
        """
        as_mapping(config, "A config")
        shown = json.dumps(config, indent=2, default=str, ensure_ascii=False)
        settings = hparams.flatten(config)
        values = hparams.encode(settings, metrics) if metrics else [hparams.encode_session_start(settings)]
        self._summary([text.encode("config", f"```json\n{shown}\n```"), *values], global_step, None)

    def add_system_metrics(
        self, global_step: int | None = None, walltime: float | None = None, *, every_secs: float | None = None
    ) -> None:
        """Logs CPU, memory and GPU use as series `system/…`.

        With `every_secs`, a small thread keeps sampling until `close`. Its steps are seconds since it started.
        """
        if every_secs is not None and not as_scalar(every_secs, "every_secs") > 0:
            raise ValueError(f"every_secs must be positive, got {every_secs}")
        self._monitor = self._monitor or SystemMonitor()
        self.add_scalars_dict(self._monitor.sample(), global_step, walltime)
        if every_secs is not None and self._sampler is None:
            self._sampler = Sampler(every_secs, partial(_sample, weakref.ref(self), self._monitor, time.monotonic()))

    def add_custom_scalars(self, layout: custom_scalars.Layout) -> None:
        """Defines charts by category: {"loss": {"both": ["Multiline", ["loss/train", "loss/val"]]}}, or "Margin"."""
        self._summary([custom_scalars.encode(layout)], None, None)

    def add_custom_scalars_multilinechart(
        self, tags: Sequence[str], category: str = "default", title: str = "untitled"
    ) -> None:
        """Defines one chart with the series of several tags."""
        self.add_custom_scalars({category: {title: ["Multiline", tags]}})

    def add_custom_scalars_marginchart(
        self, tags: Sequence[str], category: str = "default", title: str = "untitled"
    ) -> None:
        """Defines one chart with a margin around a series. The tags are value, lower bound and upper bound."""
        self.add_custom_scalars({category: {title: ["Margin", tags]}})


def _sample(writer: weakref.ref[SummaryWriter], monitor: SystemMonitor, started: float) -> bool:
    # A weak reference, so that the thread does not keep an unused writer alive, and ends with it.
    target = writer()
    if target is not None:
        target.add_scalars_dict(monitor.sample(), int(time.monotonic() - started))
    return target is not None

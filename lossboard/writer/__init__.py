"""The public logging API, and the metrics that it can collect by itself."""

from lossboard.events.event_files import default_run_dir
from lossboard.writer.model_watch import ModelWatch
from lossboard.writer.summary_writer import SummaryWriter

__all__ = ["ModelWatch", "SummaryWriter", "default_run_dir"]

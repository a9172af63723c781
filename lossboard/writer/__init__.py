"""The public logging API, and the metrics that it can collect by itself."""

from lossboard.writer.summary_writer import SummaryWriter

__all__ = ["SummaryWriter"]

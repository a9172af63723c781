"""`lossboard plot`: a line figure for a paper, of runs or of groups of runs."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from lossboard.cli.facts import explain_errors, open_facts
from lossboard.errors import UsageError
from lossboard.export.atomic_write import atomic_write
from lossboard.figures.line_figure import FigureOptions, line_figure
from lossboard.figures.matplotlib_output import write_with_matplotlib
from lossboard.figures.run_curves import Curves, group_curves, run_curves
from lossboard.figures.svg import to_svg
from lossboard.select.query.run_query import run_query
from lossboard.select.select_fields import select_groups
from lossboard.series_math.group_curves import Band, Center

if TYPE_CHECKING:
    from lossboard.select.facts.table import FactTable

FORMATS = ("svg", "png", "pdf")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("logdir", metavar="LOGDIR", help="directory your training writes to")
    parser.add_argument("tags", metavar="TAG", nargs="+", help="scalar tags; several differ in their dashes")
    parser.add_argument("-o", "--output", metavar="FILE", type=Path, required=True, help="an SVG, PNG or PDF file")
    parser.add_argument("--query", metavar="QUERY", default="", help="only runs for which this is true")
    parser.add_argument("--group", metavar="FACTS", default="", help="one line per group of runs with equal FACTS")
    parser.add_argument("--center", choices=get_args(Center), default="mean", help="line of a group (default: mean)")
    parser.add_argument("--band", choices=get_args(Band), help="band of a group (default: t for the mean)")
    parser.add_argument("--smoothing", metavar="WEIGHT", type=float, default=0.0, help="EMA weight (default: 0)")
    parser.add_argument("--log-x", action="store_true", help="logarithmic x axis")
    parser.add_argument("--log-y", action="store_true", help="logarithmic y axis")
    parser.add_argument("--y-range", metavar=("LOW", "HIGH"), type=float, nargs=2, help="range of the y axis")
    parser.add_argument("--title", default="", help="title above the figure (default: none)")
    parser.add_argument("--y-name", metavar="NAME", help="name of the y axis (default: the tags)")
    parser.add_argument(
        "--size", metavar=("WIDTH", "HEIGHT"), type=float, nargs=2, default=(5.0, 3.2), help="inches (default: 5 3.2)"
    )
    parser.add_argument("--font-size", metavar="POINTS", type=float, default=8.0, help="font size (default: 8)")
    parser.add_argument("--dpi", type=int, default=300, help="pixels per inch of a PNG (default: 300)")
    parser.add_argument("--no-legend", action="store_true", help="leave out the legend")


def run(options: argparse.Namespace) -> None:
    form = options.output.suffix.lower().removeprefix(".")
    if form not in FORMATS:
        raise UsageError(f"Expected -o to end in .svg, .png or .pdf, got {options.output.name}.")
    _check_numbers(options)
    curves = _curves(open_facts(options.logdir)[1].table(), options)
    figure = line_figure(curves.curves, [] if options.no_legend else curves.legend, _figure_options(options, curves))
    with atomic_write(options.output) as draft:
        if form == "svg":
            draft.write_text(to_svg(figure), "utf-8")
        else:
            write_with_matplotlib(figure, draft, form=form, dpi=options.dpi)


def _check_numbers(options: argparse.Namespace) -> None:
    if not 0 <= options.smoothing < 1:
        raise UsageError(f"Expected --smoothing to be at least 0 and below 1, got {options.smoothing}.")
    if not all(0.5 <= inches <= 100 for inches in options.size):
        raise UsageError(
            f"Expected --size to be between 0.5 and 100 inches, got {options.size[0]:g} {options.size[1]:g}."
        )
    if options.y_range and not (
        options.y_range[0] < options.y_range[1] and (options.y_range[0] > 0 or not options.log_y)
    ):
        raise UsageError("Expected --y-range to be LOW HIGH with LOW below HIGH, and above 0 for --log-y.")


def _curves(facts: FactTable, options: argparse.Namespace) -> Curves:
    explain_errors(options.query, lambda query: run_query(facts, query))
    if not options.group:
        return run_curves(facts, options.tags, query=options.query, weight=options.smoothing)
    explain_errors(options.group, lambda names: select_groups(facts, names))
    return group_curves(
        facts,
        options.tags,
        by=options.group,
        query=options.query,
        weight=options.smoothing,
        center=options.center,
        band=options.band,
    )


def _figure_options(options: argparse.Namespace, curves: Curves) -> FigureOptions:
    return FigureOptions(
        size=tuple(options.size),
        font_size=options.font_size,
        title=options.title,
        y_name=curves.y_name if options.y_name is None else options.y_name,
        log_x=options.log_x,
        log_y=options.log_y,
        y_range=tuple(options.y_range) if options.y_range else None,
    )

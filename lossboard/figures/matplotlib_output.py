"""Figures as PNG and PDF, drawn by matplotlib: an extra that many users have anyway, and that embeds its fonts.

Only its renderers are used. Layout, ticks and colors are those of the SVG.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lossboard.errors import UsageError
from lossboard.figures.shapes import Area, Figure, Line, Shape
from lossboard.figures.style import SURFACE

_POINTS_PER_INCH = 72
_FONTS = ["Helvetica", "Arial", "Liberation Sans", "DejaVu Sans"]
_TRUETYPE = 42
"""Conferences refuse PDFs with Type 3 fonts, which matplotlib writes by default."""


def write_with_matplotlib(figure: Figure, path: Path, *, form: str, dpi: int) -> None:
    """Writes a figure as `png` or `pdf`."""
    try:
        import matplotlib
        from matplotlib.figure import Figure as Canvas
    except ImportError:
        raise UsageError(f"A {form.upper()} needs matplotlib. Install it with: pip install 'lossboard[plot]'") from None
    inches = (figure.width / _POINTS_PER_INCH, figure.height / _POINTS_PER_INCH)
    with matplotlib.rc_context({"pdf.fonttype": _TRUETYPE, "font.sans-serif": _installed_fonts()}):
        canvas = Canvas(figsize=inches, facecolor=SURFACE)
        axes = _axes(canvas, figure)
        for shape in figure.shapes:
            _draw(axes, figure, shape)
        metadata = {"CreationDate": None} if form == "pdf" else {}  # the same runs give the same file
        canvas.savefig(path, format=form, dpi=dpi, metadata=metadata)


def _installed_fonts() -> list[str]:
    """Returns those fonts of the SVG that this machine has. matplotlib comes with the last one."""
    from matplotlib.font_manager import fontManager

    installed = {font.name for font in fontManager.ttflist}
    return [name for name in _FONTS if name in installed]


def _axes(canvas: Any, figure: Figure) -> Any:
    """Returns axes as large as the figure, in points from the upper left corner, without any decoration."""
    axes = canvas.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set_xlim(0, figure.width)
    axes.set_ylim(figure.height, 0)
    return axes


def _draw(axes: Any, figure: Figure, shape: Shape) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Polygon, Rectangle

    data = axes.transData
    left, top, right, bottom = figure.plot
    plot = Rectangle((left, top), right - left, bottom - top, transform=data)
    if isinstance(shape, Line):
        dashes = (0, [length / shape.width for length in shape.dash]) if shape.dash else "-"
        style: dict[str, Any] = {
            "color": shape.color,
            "linewidth": shape.width,
            "alpha": shape.alpha,
            "linestyle": dashes,
        }
        line = Line2D(shape.x, shape.y, transform=data, solid_joinstyle="round", dash_joinstyle="round", **style)
        axes.add_line(line).set_clip_path(plot if shape.is_clipped else None)
    elif isinstance(shape, Area):
        points = list(zip(shape.x.tolist(), shape.y.tolist(), strict=True))
        area = Polygon(points, facecolor=shape.color, alpha=shape.alpha, linewidth=0, transform=data)
        axes.add_patch(area).set_clip_path(plot)
    else:
        weight = "bold" if shape.is_bold else "normal"
        axes.text(
            shape.x, shape.y, shape.text.replace("$", r"\$"), size=shape.size, color=shape.color, weight=weight,
            family="sans-serif", horizontalalignment=shape.align, verticalalignment="center_baseline",
        )  # fmt: skip

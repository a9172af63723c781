"""`lossboard plot`: figures of runs and groups in each format, and what it refuses."""

from __future__ import annotations

import math
import re
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from PIL import Image

from lossboard.cli.main import main
from lossboard.figures.style import RUN_COLORS
from sweep import write_run

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def logdir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    logs: Path = tmp_path_factory.mktemp("plot")
    for seed, offset in enumerate((0.0, 1.0)):
        write_run(logs / f"a_{seed}", {"lr": 0.1, "seed": seed}, loss=[2 + offset, 1 + offset], eval__loss=[4.0, 3.0])
    write_run(logs / "b", {"lr": 0.01, "seed": 0}, loss=[5.0, 4.0, math.nan, 2.0, 1.0], zero=[0.0, -1.0])
    return logs


class Drawing:
    """An SVG as texts and paths."""

    def __init__(self, path: Path) -> None:
        root = ElementTree.parse(path).getroot()
        self.size = root.get("width"), root.get("height")
        self.texts = [element.text for element in root.iter(f"{SVG}text")]
        paths = list(root.iter(f"{SVG}path"))
        self.areas = [element for element in paths if element.get("fill") != "none"]
        self.lines = [element for element in paths if element.get("clip-path") and element.get("fill") == "none"]

    def points(self, element: ElementTree.Element) -> list[tuple[float, float]]:
        numbers = [float(number) for number in re.findall(r"-?[\d.]+", element.get("d", ""))]
        return list(zip(numbers[::2], numbers[1::2], strict=True))


def plot(logdir: Path, out: Path, *words: str) -> Drawing:
    assert main(["plot", str(logdir), *words, "-o", str(out)]) == 0
    return Drawing(out)


def test_group_is_a_mean_with_a_band(logdir: Path, tmp_path: Path) -> None:
    drawing = plot(logdir, tmp_path / "x.svg", "loss", "--group", "lr", "--band", "sd", "--size", "4", "2.5")
    assert drawing.size == ("288pt", "180pt")
    assert {"lr = 0.01 (n = 1)", "lr = 0.1 (n = 2)", "loss (mean, standard deviation)", "step"} <= set(drawing.texts)
    (area,) = drawing.areas  # the group of one run has no standard deviation
    assert area.get("fill") == RUN_COLORS[1]
    band = drawing.points(area)
    line = drawing.points(next(line for line in drawing.lines if line.get("stroke") == RUN_COLORS[1]))
    assert line[0][1] == pytest.approx((band[0][1] + band[-1][1]) / 2, abs=0.02)
    # The values fall by 1 from step 0 to 1, and the standard deviation is sqrt(0.5).
    assert (band[0][1] - band[-1][1]) / (line[1][1] - line[0][1]) == pytest.approx(2 * math.sqrt(0.5), abs=0.01)


def test_line_is_broken_at_nan(logdir: Path, tmp_path: Path) -> None:
    drawing = plot(logdir, tmp_path / "x.svg", "loss", "--query", "lr = 0.01")
    assert [len(drawing.points(line)) for line in drawing.lines] == [2, 2]


def test_several_tags_differ_in_dashes_and_runs_in_colors(logdir: Path, tmp_path: Path) -> None:
    drawing = plot(logdir, tmp_path / "x.svg", "loss", "eval/loss", "--query", "lr = 0.1", "--no-legend")
    looks = {(line.get("stroke"), line.get("stroke-dasharray")) for line in drawing.lines}
    assert looks == {(color, dash) for color in RUN_COLORS[:2] for dash in (None, "4 2")}
    assert "a_0" not in drawing.texts
    assert {"a_0", "a_1", "loss", "eval/loss"} <= set(plot(logdir, tmp_path / "y.svg", "loss", "eval/loss").texts)


def test_smoothing_shows_raw_values_faintly(logdir: Path, tmp_path: Path) -> None:
    drawing = plot(logdir, tmp_path / "x.svg", "loss", "--query", "a_0", "--smoothing", "0.5")
    raw, smoothed = drawing.lines
    assert (raw.get("stroke-opacity"), smoothed.get("stroke-opacity")) == ("0.3", "1")
    assert drawing.points(raw)[0] == drawing.points(smoothed)[0]
    assert drawing.points(raw)[1][1] > drawing.points(smoothed)[1][1]


def test_log_axes_have_powers_and_equal_ratios_are_equally_far(logdir: Path, tmp_path: Path) -> None:
    drawing = plot(logdir, tmp_path / "x.svg", "loss", "--query", "a_0", "--log-y", "--y-range", "1", "100")
    (first, second) = drawing.points(drawing.lines[0])
    assert {"1", "10", "100"} <= set(drawing.texts)
    height = drawing.points(drawing.lines[0])[1][1]
    assert second[1] - first[1] == pytest.approx(math.log10(2) / 2 * (height - 12.4), rel=0.01)


def test_long_series_is_thinned_to_what_print_shows(tmp_path: Path) -> None:
    values = [math.sin(step / 3) for step in range(20_000)]
    values[12_345] = 50.0
    write_run(tmp_path / "logs" / "long", loss=values)
    (line,) = plot(tmp_path / "logs", tmp_path / "x.svg", "loss").lines
    points = Drawing(tmp_path / "x.svg").points(line)
    assert len(points) < 8000
    assert min(y for _, y in points) < 20  # the spike is still there


def test_png_and_pdf_have_the_size_and_embedded_fonts(logdir: Path, tmp_path: Path) -> None:
    words = ("loss", "--group", "lr", "--size", "3", "2", "--dpi", "100", "--title", "Cost in $ and $")
    assert main(["plot", str(logdir), *words, "-o", str(tmp_path / "x.png")]) == 0
    with Image.open(tmp_path / "x.png") as image:
        assert image.size == (300, 200)
        assert len(image.convert("RGB").getcolors(1 << 20) or []) > 50
    assert main(["plot", str(logdir), *words, "-o", str(tmp_path / "x.pdf")]) == 0
    content = (tmp_path / "x.pdf").read_bytes()
    assert b"/FontFile2" in content
    assert b"/Type3" not in content
    assert re.search(rb"/MediaBox \[ ?0 0 216 144 ?\]", content)


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["los"], "No run has logged the scalar los. Did you mean 'loss'?"),
        (["loss", "--group", "lrr"], "\n  lrr\n  ^^^\n"),
        (["loss", "--query", "lr <"], "\n  lr <\n"),
        (["loss", "--query", "nothing"], "The runs have no points to draw."),
        (["zero", "--log-y"], "No run has values above 0"),
        (["loss", "--smoothing", "1"], "Expected --smoothing to be at least 0 and below 1, got 1.0."),
        (["loss", "--y-range", "0", "1", "--log-y"], "Expected --y-range"),
        (["loss", "--size", "0.6", "0.6"], "Set a larger --size"),
        (["loss", "--size", "0", "1"], "Expected --size"),
        (["loss", "--group", "lr", "--center", "median", "--band", "sd"], "belongs to the mean"),
    ],
)
def test_invalid_arguments_are_reported(
    logdir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], error: str
) -> None:
    assert main(["plot", str(logdir), *words, "-o", str(tmp_path / "x.svg")]) == 1
    assert error in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_unknown_format_and_missing_matplotlib(
    logdir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["plot", str(logdir), "loss", "-o", str(tmp_path / "x.gif")]) == 1
    assert "Expected -o to end in .svg, .png or .pdf, got x.gif." in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert main(["plot", str(logdir), "loss", "-o", str(tmp_path / "x.pdf")]) == 1
    assert "pip install 'lossboard[plot]'" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []

"""Positions and labels of ticks, by the same rules as the charts of the board (`ui/src/charts/ticks.ts`)."""

from __future__ import annotations

import math

THIN_SPACE = "\N{THIN SPACE}"
_UNITS = ((1e9, "G"), (1e6, "M"), (1e3, "k"))
_UNITS_FROM = 1e5


def linear_ticks(low: float, high: float, wanted: int) -> list[tuple[float, str]]:
    """Returns round numbers between two numbers, about as many as wanted, with their labels."""
    if not high > low:
        return [(low, _compact(low))]
    step = _linear_step(high - low, wanted)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    at = [number * step or 0.0 for number in range(first, last + 1)]
    return list(zip(at, _labels(at, step), strict=True))


def log_ticks(low: float, high: float, wanted: int) -> list[tuple[float, str]]:
    """Returns powers of ten, and numbers between them where there are few."""
    decades = math.log10(high / low)
    if decades < 0.7:
        return linear_ticks(low, high, wanted)
    leads = (1, 2, 3, 5) if decades < 1.5 else (1, 3) if decades < 2.5 else (1,)
    every = max(1, math.ceil(decades / wanted))
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    at = [lead * 10.0**power for power in powers if power % every == 0 for lead in leads]
    return [(tick, _compact(tick)) for tick in at if low * 0.9999 <= tick <= high * 1.0001]


def _linear_step(span: float, wanted: int) -> float:
    rough = span / max(1, wanted)
    power = 10.0 ** math.floor(math.log10(rough))
    lead = rough / power
    return power * (1 if lead < 1.5 else 2 if lead < 3.5 else 5 if lead < 7.5 else 10)


def _labels(ticks: list[float], step: float) -> list[str]:
    """Returns labels with the same unit, and with the decimals that tell them apart."""
    size = max(map(abs, ticks), default=0.0)
    if size < 1e-3 or size >= 1e12:
        return ["0" if abs(tick) < step * 1e-6 else _exponential(tick, step) for tick in ticks]
    plain = [_grouped(f"{tick:.{_decimals(step)}f}") if tick else "0" for tick in ticks]
    unit, name = next((found for found in _UNITS if size >= max(found[0], _UNITS_FROM)), (1.0, ""))
    decimals = _decimals(step / unit)
    short = [_signed(f"{tick / unit:.{decimals}f}") + name if tick else "0" for tick in ticks]
    return short if decimals <= 3 and max(map(len, short)) < max(map(len, plain)) else plain


def _decimals(step: float) -> int:
    return min(20, max(0, -_magnitude(step)))


def _magnitude(value: float) -> int:
    return math.floor(math.log10(abs(value)) + 1e-9)


def _exponential(value: float, step: float) -> str:
    return _short_exponent(f"{value:.{min(20, max(0, _magnitude(value) - _magnitude(step)))}e}")


def _short_exponent(text: str) -> str:
    digits, _, exponent = text.partition("e")
    return _signed((digits.rstrip("0").rstrip(".") if "." in digits else digits) + f"e{int(exponent)}")


def _compact(value: float) -> str:
    size = abs(value)
    if size == 0:
        return "0"
    if size >= 1e12 or size < 1e-3:
        return _short_exponent(f"{value:.2e}")
    for unit, name in _UNITS:
        if size >= unit and (unit > 1e3 or size >= 1e4):
            return _signed(f"{float(f'{value / unit:.3g}'):g}") + name
    return _signed(f"{value:.4g}")


def _grouped(text: str) -> str:
    whole, point, decimals = text.partition(".")
    spaced = f"{int(whole):,}".replace(",", THIN_SPACE) if len(whole.lstrip("-")) > 4 else whole
    return _signed(spaced + point + decimals)


def _signed(text: str) -> str:
    return text.replace("-", "−", 1) if text.startswith("-") else text

"""Every kind of data that Lossboard knows. To add one, copy `_skeleton` to a folder of its name and name it here."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lossboard.kinds.registry import Kind

NAMES = (
    "scalars",
    "histograms",
    "images",
    "audio",
    "text",
    "graphs",
    "hparams",
    "pr_curves",
    "meshes",
    "custom_scalars",
    "embeddings",
    "profiles",
    "attention",
    "tensors",
)


@cache
def kinds() -> dict[str, Kind]:
    """Name → kind. Imported when first asked for, so that a writer of scalars need not load the rest."""
    return {name: import_module(f"lossboard.kinds.{name}.kind").KIND for name in NAMES}


def kind_of(plugin: str) -> Kind:
    """The kind that a series belongs to, by the core's plugin name; `tensors` where nobody knows the plugin."""
    return _by_plugin().get(plugin) or kinds()["tensors"]


@cache
def _by_plugin() -> dict[str, Kind]:
    return {plugin: kind for kind in kinds().values() for plugin in kind.plugins}

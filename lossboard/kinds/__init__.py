"""Registry of kinds. To add a kind, copy `_skeleton` to a folder with the kind's name and add the name here."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lossboard.kinds.registry import AssetKind, Kind
    from lossboard.store.run import Run

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
    "findings",
    "attention",
    "tensors",
)


@cache
def kinds() -> dict[str, Kind]:
    """Returns all kinds by name. They are imported on first use, so a writer of scalars does not load the rest."""
    return {name: import_module(f"lossboard.kinds.{name}.kind").KIND for name in NAMES}


def kind_of(plugin: str) -> Kind:
    """Returns the kind of a series by the core's plugin name: `tensors` if the plugin is unknown."""
    return _by_plugin().get(plugin) or kinds()["tensors"]


def is_known(plugin: str) -> bool:
    """Returns whether a kind reads the series of this plugin. Tensors without a plugin have an empty name."""
    return plugin == "" or plugin in _by_plugin()


def asset_kinds() -> tuple[AssetKind, ...]:
    """Returns the kinds that read files next to event files, for `Logdir`."""
    from lossboard.kinds.registry import AssetKind

    return tuple(kind for kind in kinds().values() if isinstance(kind, AssetKind))


def visible_tag(plugin: str, tag: str) -> str | None:
    """Returns the tag that users see for a stored series, or None if they do not see it."""
    return kind_of(plugin).visible_tag(tag)


def visible_tags(run: Run) -> dict[str, list[str]]:
    """Returns the tags that users see in a run, by kind, in the order of the kinds."""
    tags: dict[str, dict[str, None]] = {name: {} for name in kinds()}
    for plugin, stored in run.series():
        kind = kind_of(plugin)
        if (tag := kind.visible_tag(stored)) is not None:
            tags[kind.name][tag] = None
    return {name: list(found) for name, found in tags.items() if found}


@cache
def _by_plugin() -> dict[str, Kind]:
    return {plugin: kind for kind in kinds().values() for plugin in kind.plugins}

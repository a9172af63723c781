"""The kind registry: names, kinds of plugins, and the tags that users see."""

import pytest

from lossboard.kinds import NAMES, asset_kinds, kind_of, kinds, visible_tag
from lossboard.kinds._skeleton.kind import KIND as SKELETON
from lossboard.kinds.registry import AssetKind, EventKind


def test_every_kind_is_named_as_its_folder() -> None:
    assert [kind.name for kind in kinds().values()] == list(NAMES)


@pytest.mark.parametrize("kind", [*kinds().values(), SKELETON], ids=lambda kind: kind.name)
def test_kind_exports_its_points(kind: EventKind | AssetKind) -> None:
    has_fields = kind.fields is not EventKind.fields
    assert has_fields != (isinstance(kind, EventKind) and kind.encoded is not None)


def test_asset_kinds_are_those_that_read_files() -> None:
    assert [kind.name for kind in asset_kinds()] == ["embeddings", "profiles", "findings"]


@pytest.mark.parametrize(
    ("plugin", "name"),
    [
        ("scalars", "scalars"),
        ("mesh", "meshes"),
        ("graph_keras_model", "graphs"),
        ("asset:profiles", "profiles"),
        ("profiles", "tensors"),
        ("", "tensors"),
        ("mine", "tensors"),
    ],
)
def test_kind_of_returns_the_kind_of_a_plugin(plugin: str, name: str) -> None:
    assert kind_of(plugin).name == name


@pytest.mark.parametrize(
    ("plugin", "stored", "visible"),
    [
        ("scalars", "loss_1", "loss_1"),
        ("mesh", "bunny_VERTEX", "bunny"),
        ("hparams", "_hparams_/session_start_info", "_hparams_/session_start_info"),
        ("hparams", "_hparams_/experiment", None),
        ("asset:embeddings", "words:00000", "words:00000"),
    ],
)
def test_visible_tag_of_a_stored_series(plugin: str, stored: str, visible: str | None) -> None:
    assert visible_tag(plugin, stored) == visible

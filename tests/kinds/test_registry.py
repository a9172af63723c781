"""The one door: every kind is whole, and every series finds its kind."""

import pytest

from lossboard.kinds import NAMES, kind_of, kinds
from lossboard.kinds._skeleton.kind import KIND as SKELETON


def test_every_kind_is_named_as_its_folder() -> None:
    assert [kind.name for kind in kinds().values()] == list(NAMES)


@pytest.mark.parametrize("kind", [*kinds().values(), SKELETON], ids=lambda kind: kind.name)
def test_a_kind_is_in_event_files_or_beside_them(kind) -> None:
    assert (kind.series is None) != (kind.beside is None)
    assert (kind.fields is None) != (kind.encoded is None)


@pytest.mark.parametrize(
    ("plugin", "name"),
    [("scalars", "scalars"), ("mesh", "meshes"), ("graph_keras_model", "graphs"), ("", "tensors"), ("mine", "tensors")],
)
def test_the_kind_of_a_plugin(plugin: str, name: str) -> None:
    assert kind_of(plugin).name == name

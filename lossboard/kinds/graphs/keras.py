"""Graph of layers from the JSON of a Keras model.

    {"class_name", "config": {"name", "layers": [layer …], "input_layers", "output_layers"}, "inbound_nodes"}

A model is itself a layer, so models nest. Layers of a Sequential model follow one another. Layers of a functional one
name their inputs in `inbound_nodes`: Keras 3 as {"args": [tensor or list of them]}, a tensor's config holding
`keras_history: [layer, call, output]`; Keras 2 as [[layer, call, output, {}] …]. Tensors passed by keyword (masks) are
left out, as TensorBoard does.

A node is a layer, named `model/layer`, and its op is the class. The inputs of a nested model become inputs of its input
layers. Layers after a nested model have its output layers as inputs.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, TypeAlias

from lossboard.errors import DecodeError
from lossboard.kinds.graphs.node import Node

Layer: TypeAlias = dict[str, Any]


def keras_nodes(text: bytes) -> tuple[Node, ...]:
    """Returns the layers in the JSON of a model."""
    try:
        return tuple(_walk(json.loads(text), scope="", feeds=[], outputs={}))
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError) as error:
        raise DecodeError(f"The JSON of the Keras model is not understood: {error!r}") from None


def _walk(layer: Layer, *, scope: str, feeds: list[str], outputs: dict[str, list[str]]) -> Iterator[Node]:
    """Yields the nodes of a layer and its sublayers. `feeds` are its inputs. Adds its output nodes to `outputs`."""
    name = scope + layer["config"]["name"]
    if not isinstance(layer["config"].get("layers"), list):
        outputs[name] = [name]
        yield Node(name, layer.get("class_name") or "", tuple(feeds))
    elif layer["config"].get("output_layers"):
        yield from _functional(layer["config"], name, feeds, outputs)
    else:
        yield from _sequential(layer["config"], name, feeds, outputs)


def _sequential(config: Layer, name: str, feeds: list[str], outputs: dict[str, list[str]]) -> Iterator[Node]:
    for layer in config["layers"]:
        yield from _walk(layer, scope=f"{name}/", feeds=feeds, outputs=outputs)
        feeds = outputs[f"{name}/{layer['config']['name']}"][-1:]
    outputs[name] = feeds


def _functional(config: Layer, name: str, feeds: list[str], outputs: dict[str, list[str]]) -> Iterator[Node]:
    entrances = [layer for layer, _ in _ends(config.get("input_layers"))]
    for layer in config["layers"]:
        own = layer["config"]["name"]
        inbound = [_output(outputs, f"{name}/{source}", index) for source, index in _inbound(layer)]
        if own in entrances:  # the inputs of the model go to its input layers in turn, for each call
            inbound += feeds[entrances.index(own) :: len(entrances)]
        yield from _walk(layer, scope=f"{name}/", feeds=inbound, outputs=outputs)
    outputs[name] = [_output(outputs, f"{name}/{layer}", index) for layer, index in _ends(config["output_layers"])]


def _output(outputs: dict[str, list[str]], name: str, index: int) -> str:
    """Returns the node of a layer's output: one of the output layers of a model, or else the layer itself."""
    found = outputs.get(name) or [name]
    return found[min(index, len(found) - 1)]


def _ends(ends: Any) -> list[tuple[str, int]]:
    """Reads `input_layers` or `output_layers`: one [layer, call, output], or a list or dict of them."""
    if not ends:
        return []
    if isinstance(ends, dict):
        return [end for each in ends.values() for end in _ends(each)]
    if isinstance(ends[0], str):
        return [(ends[0], ends[2])]
    return [end for each in ends for end in _ends(each)]


def _inbound(layer: Layer) -> Iterator[tuple[str, int]]:
    for call in layer.get("inbound_nodes") or []:
        if isinstance(call, dict):
            yield from _histories(call.get("args"))
        else:
            yield from ((source[0], source[2]) for source in call)


def _histories(args: Any) -> Iterator[tuple[str, int]]:
    if isinstance(args, list):
        for arg in args:
            yield from _histories(arg)
    elif isinstance(args, dict):
        config = args.get("config")
        history = config.get("keras_history") if isinstance(config, dict) else None
        if history:
            yield history[0], history[2]
        elif args.get("class_name") is None:
            yield from _histories(list(args.values()))

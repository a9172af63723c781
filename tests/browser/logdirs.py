"""Logdirs for the browser tests: `python logdirs.py RECIPE FOLDER`. The same bytes each time, so that screens match."""

import gzip
import json
import math
import os
import random
import struct
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from lossboard._core import crc32c
from lossboard.events.summary import TENSOR, encode_event, encode_metadata, encode_simple_value, encode_value
from lossboard.events.tensors import encode_array, encode_strings
from lossboard.findings import Finding, Location, append_finding
from lossboard.kinds.attention.encode import encode as encode_attention
from lossboard.kinds.attention.measures import measure_all
from lossboard.kinds.attention.weights import as_maps
from lossboard.kinds.audio.decode import samples as audio_samples
from lossboard.kinds.audio.encode import encode as encode_audio
from lossboard.kinds.embeddings.encode import Embedding
from lossboard.kinds.graphs.encode import GraphNode, encode_graph
from lossboard.kinds.histograms.encode import Histogram
from lossboard.kinds.hparams.encode import encode as encode_hparams
from lossboard.kinds.images.decode import samples as image_samples
from lossboard.kinds.images.encode import encode_image, encode_video
from lossboard.kinds.meshes.encode import encode as encode_mesh
from lossboard.kinds.pr_curves.encode import encode_curve, encode_raw
from lossboard.kinds.text.encode import encode as encode_text

# The browser's clock is set to this time, so that "2d" stays "2d".
NOW = 1_770_000_000.0

Point = tuple[str, int, float]

NAMES = [
    "bert-lr3e-5-s1",
    "bert-lr3e-5-s2",
    "bert-lr2e-5-s1",
    "roberta-lr3e-5-s1",
    "search/lr/trial-1",
    "search/lr/trial-2",
    "search/lr/trial-10",
    "search/wd/trial-1",
]


def few(root: Path) -> None:
    """Eight runs, some in folders, one of them with two damaged records."""
    for index, name in enumerate(NAMES):
        write_run(root / name, start=NOW - 86_400 * (index + 1), steps=200, seed=index)
    damage(root / "search/wd/trial-1")


def one(root: Path) -> None:
    write_run(root / "only", start=NOW - 600, steps=50, seed=1)


def thousand(root: Path) -> None:
    for index in range(1000):
        write_run(root / f"sweep-{index // 100}" / f"trial-{index}", start=NOW - 60 * index, steps=3, seed=index)


def charts(root: Path) -> None:
    """Three runs with what charts must show: many points, NaN, infinity, a restart, validation, a tag of one point."""
    for index, name in enumerate(["base", "large", "diverged"]):
        write_file(root / name, chart_points(seed=index), start=NOW - 7200 * (index + 1))
    again = [("eval/loss", step, 0.3 + 0.1 * math.exp(-step / 300)) for step in range(600, 1000, 20)]
    write_file(root / "large", again, start=NOW - 3000)


def chart_points(*, seed: int) -> Iterator[Point]:
    rng = random.Random(seed)
    yield "final/score", 1000, 0.9 - 0.05 * seed
    for step in range(4000):
        loss = 0.2 + 0.03 * seed + math.exp(-step / 600) + rng.gauss(0, 0.05)
        yield "train/loss", step, math.nan if seed == 2 and step >= 3000 else loss
        if step % 20 == 0 and step < 1000:
            yield "eval/loss", step, loss + 0.1
            yield "train/lr", step, 1e-4 * (1 - step / 1000)
            yield "train/grad_norm", step, math.inf if seed == 2 and step == 500 else 10 ** rng.uniform(-1, 2)


def many_tags(root: Path) -> None:
    points = [
        (f"layer{tag // 100}/weight{tag % 100}", step, float(tag + step)) for tag in range(10_000) for step in range(2)
    ]
    write_file(root / "wide", points, start=NOW - 600)


def none(root: Path) -> None:
    root.mkdir(parents=True, exist_ok=True)


def things(root: Path) -> None:
    """Two runs with what is logged at steps: tensors, images, clips, texts."""
    rng = np.random.default_rng(0)
    for name in ("bert-s1", "bert-s2"):
        events = [encode_event(NOW - 600, file_version="brain.Event:2")]
        for step in range(0, 1000, 50):
            values = [
                Histogram.of(rng.normal(0, 0.05, 500)).encode("layer.0.weight"),
                Histogram.of(rng.normal(0, 0.05 + step / 5000, 500)).encode("layer.1.weight"),
                encode_image("samples/wave", wave(step), dataformats="CHW"),
                encode_audio("beep", np.sin(np.arange(4000) * (step + 100) / 2000), sample_rate=8000),
                encode_text(
                    "report", f"# Step {step}\n\nAccuracy **{0.5 + step / 2500:.3f}** <script>alert(1)</script>"
                ),
                encode_text("config", json.dumps({"model": {"layers": 6, "name": name}, "lr": 3e-5})),
            ]
            events.append(encode_event(NOW - 600 + step / 10, step, values=values))
        (root / name).mkdir(parents=True)
        (root / name / "events.out.tfevents.1769999400.host").write_bytes(b"".join(map(frame, events)))


def batches(root: Path) -> None:
    """A run with several samples at a step, labels, a film and no real image; and one of nothing but numbers."""
    clips = [np.sin(np.arange(4000) * pitch) for pitch in (0.1, 0.3)]
    events = [encode_event(NOW - 600, file_version="brain.Event:2")]
    for step in (0, 100):
        images = [data_of_image(np.full((3, 32, 32), share)) for share in (0.1, 0.5, 0.9)]
        labelled = [
            part
            for clip, label in zip(clips, (b"a cat", b"a dog"), strict=True)
            for part in (data_of_clip(clip), label)
        ]
        film = np.stack([np.full((3, 32, 32), frame / 3) for frame in range(4)])[None]
        values = [
            tensor_value("samples", "images", encode_strings([b"32", b"32", *images])),
            tensor_value("speech", "audio", encode_strings(labelled, (2, 2))),
            encode_video("film", film, fps=10, dataformats="NTCHW"),
            tensor_value("bad", "images", encode_strings([b"32", b"32", b"<svg onload=alert(1)>"])),
            encode_text("note", "yaml:\n  list:\n    - 1\n    - 2\n  word: yes"),
            tensor_value("table", "text", encode_strings([b"**loss**", b"0.1", b"accuracy", b"0.9"], (2, 2))),
            Histogram.of(np.linspace(-1, 1, 50)).encode("weight"),
        ]
        events.append(encode_event(NOW - 600 + step / 10, step, values=values))
    (root / "batch").mkdir(parents=True)
    (root / "batch" / "events.out.tfevents.1769999400.host").write_bytes(b"".join(map(frame, events)))
    write_run(root / "plain", start=NOW - 700, steps=3, seed=1)


def embeddings(root: Path) -> None:
    """Two runs with three steps of an embedding whose classes move apart, and one with images and unreadable labels."""
    rng = np.random.default_rng(0)
    labels = [("joy", "anger", "fear")[row % 3] for row in range(240)]
    metadata = [[f"sentence {row} on {label}", label, str(row / 240)] for row, label in enumerate(labels)]
    for name in ("bert-s1", "bert-s2"):
        write_run(root / name, start=NOW - 600, steps=30, seed=1)
        centers, noise = rng.normal(0, 1, (3, 16)), rng.normal(0, 0.4, (240, 16))
        for step in (0, 50, 100):
            rows = noise + np.array([centers[row % 3] * step / 100 for row in range(240)])
            embedding = Embedding.of(
                rows, metadata=metadata, label_img=None, step=str(step), tag="cls", header=["text", "label", "score"]
            )
            embedding.write(root / name)
    thumbnails = rng.random((9, 3, 8, 8))
    sprites = Embedding.of(
        rng.normal(size=(9, 4)), metadata=list("abcdefghi"), label_img=thumbnails, step="0", tag="images", header=None
    )
    sprites.write(root / "pixels")
    labeled = Embedding.of(
        rng.normal(size=(9, 4)), metadata=list("abc") * 3, label_img=None, step="0", tag="short", header=None
    )
    labeled.write(root / "pixels")
    (root / "pixels/00000/short/metadata.tsv").write_text("a\nb\n")
    for path in root.rglob("*"):
        os.utime(path, (NOW - 600, NOW - 600))


TEXT = "[CLS] a charm ##ing and often affect ##ing journey , never quite dull . [SEP]"
SENTENCE = TEXT.split()


def attention(root: Path) -> None:
    """Two runs of a model with 6 × 8 heads on the same sentence, and one with cross attention, patches and damage."""
    for seed, name in enumerate(["bert-s1", "bert-s2"]):
        points = [
            (step, value)
            for step in range(0, 101, 20)
            for value in attention_values("probe", head_patterns(6, 8, SENTENCE, step=step, seed=seed), SENTENCE)
        ]
        other = ["[CLS]", *("good" if seed else "bad", "film"), "[SEP]"]
        points += [(0, value) for value in attention_values("short", head_patterns(6, 8, other, step=0, seed=0), other)]
        write_values(root / name, sorted(points, key=lambda point: point[0]), start=NOW - 600)
    patches = ["[CLS]", *(f"patch {i}" for i in range(49))]
    words, target = ["Das", "ist", "gut", "</s>"], ["<s>", "That", "is"]
    lines = [f"line{i}" for i in range(100)]
    shapes = [
        attention_values("vit", head_patterns(2, 3, patches, step=50, seed=3), patches, grid=(7, 7)),
        attention_values(
            "cross", head_patterns(2, 4, words, step=9, seed=4)[:, :, :3], target, keys=words, kind="cross"
        ),
        attention_values("long", head_patterns(2, 2, lines, step=90, seed=5), lines, keep="summary"),
        attention_values("gqa", causal(head_patterns(2, 8, SENTENCE, step=90, seed=6)), SENTENCE, kv_heads=2),
        [tensor_value("lies", "attention", encode_strings([b'{"layers": 9, "heads": 9, "tokens": ["a"]}', b"x"]))],
        attention_values("damaged", head_patterns(2, 2, SENTENCE, step=90, seed=7), SENTENCE)[1:],
    ]
    write_values(root / "shapes", [(0, value) for values in shapes for value in values], start=NOW - 600)


def attention_values(
    tag: str, weights: np.ndarray, tokens: list[str], *, keep: str = "auto", **shape: Any
) -> list[bytes]:
    maps = as_maps(weights, tokens, **shape)
    return list(encode_attention(tag, maps, measure_all(maps), keep=keep))


def head_patterns(layers: int, heads: int, tokens: list[str], *, step: int, seed: int) -> np.ndarray:
    """Returns weights of heads that become sharper with the steps: previous, next, same, first, last, near or broad."""
    size = len(tokens)
    i, j = np.indices((size, size))
    kinds = [j == i - 1, j == i + 1, j == i, j == 0, j == size - 1, abs(i - j) < 3, i < 0]
    rng, own = np.random.default_rng(0), np.random.default_rng(seed + 1)
    weights = np.empty((layers, heads, size, size), np.float32)
    for layer, head in np.ndindex(layers, heads):
        sharpness = (0.3 + rng.random() * 5) * (0.2 + 0.8 * step / 100)
        noise = rng.normal(0, 0.4, (size, size)) + own.normal(0, 0.5, (size, size)) * step / 100
        scores = sharpness * kinds[int(rng.integers(len(kinds)))] + noise
        odds = np.exp(scores)
        weights[layer, head] = odds / odds.sum(-1, keepdims=True)
    return weights


def causal(weights: np.ndarray) -> np.ndarray:
    lower = np.tril(weights)
    return lower / lower.sum(-1, keepdims=True)


def graphs(root: Path) -> None:
    """Two runs with the graph of a real BERT, as two writers log it, and one with graphs that are odd."""
    for name, writer in (("bert-s1", "lossboard"), ("bert-s2", "torch")):
        packed = Path(__file__).parents[1] / "data" / "graphs" / f"bert12-{writer}.pb.gz"
        write_graph(root / name, gzip.decompress(packed.read_bytes()))
    chain = [GraphNode(f"n{i}", ("Relu", "Tanh")[i % 2], [f"n{i - 1}", "gone"]) for i in range(1200)]
    write_graph(root / "wide", encode_graph(chain))
    cycle = [GraphNode(f"loop/{name}", "Merge", [f"loop/{before}"]) for name, before in ("ab", "bc", "ca")]
    write_graph(root / "odd", encode_graph([*cycle, GraphNode("<b>" + "x" * 3000, "Relu", ["loop/a"])]))
    write_graph(root / "broken", b"\x0a\xff\x01")


def write_graph(folder: Path, graph: bytes) -> None:
    events = [encode_event(NOW - 600, file_version="brain.Event:2"), encode_event(NOW - 600, graph_def=graph)]
    folder.mkdir(parents=True)
    (folder / "events.out.tfevents.1769999400.host").write_bytes(b"".join(map(frame, events)))


def unknown_plugin(root: Path) -> None:
    """A run with nothing but the data of a plugin that Lossboard does not know."""
    value = tensor_value("thing", "my_plugin", encode_strings([b"a", b"b"]))
    events = [encode_event(NOW - 600, file_version="brain.Event:2"), encode_event(NOW - 600, 1, values=[value])]
    (root / "strange").mkdir(parents=True)
    (root / "strange" / "events.out.tfevents.1769999400.host").write_bytes(b"".join(map(frame, events)))


def findings(root: Path) -> None:
    """A healthy run, and two of the fine-tuning kit: one that diverged, one that used less memory than planned."""
    runs = {"healthy": [], "2026-01-31_001_lr1e-2": DIVERGED, "2026-01-31_002_long": SMALLER_BATCH}
    for index, (name, reported) in enumerate(runs.items()):
        write_run(root / name / "logs/tensorboard", start=NOW - 7200 * (index + 1), steps=200, seed=index)
        for finding in reported:
            append_finding(root / name / "findings.jsonl", finding)


def sweep(root: Path) -> None:
    """Twelve runs of two models by learning rate and seed. One diverges, one ends early, two have no dropout."""
    runs = [("bert", lr, seed) for lr in ("2e-5", "3e-5", "1e-4") for seed in (1, 2, 3)]
    runs += [("roberta", "3e-5", seed) for seed in (1, 2, 3)]
    for index, (model, lr, seed) in enumerate(runs):
        folder = root / f"{model}-lr{lr}-s{seed}"
        diverges, ends_early = (lr, seed) == ("1e-4", 1), (model, lr, seed) == ("bert", "2e-5", 3)
        points = sweep_points(model, float(lr), seed, diverges=diverges, ends_early=ends_early)
        write_file(folder, points, start=NOW - 7200 * (index + 1))
        config = {"model": model, "lr": float(lr), "seed": seed, "epochs": 3, "dropout": 0.1 * seed}
        if model == "roberta" and seed > 1:
            del config["dropout"]
        (folder / "config.json").write_text(json.dumps(config))


def pages(root: Path) -> None:
    """The sweep, with what the page of a run shows: environments, console output, checkpoints, findings."""
    sweep(root)
    for index, folder in enumerate(sorted(root.iterdir())):
        config = json.loads((folder / "config.json").read_text())
        nested = {"optimizer": {"name": "adamw", "betas": "[0.9, 0.999]", "weight_decay": 0.01}, "data": {"workers": 8}}
        schedule = {"scheduler": {"name": "linear" if index < 7 else "cosine", "warmup": 0.06}}
        (folder / "config.json").write_text(json.dumps(config | nested | schedule))
        command = f"python train.py --model {config['model']} --lr {config['lr']} --seed {config['seed']} --workers 8"
        environment = {
            "command": command.split(),
            "git": {"commit": "3f9c2e1" if index < 5 else "a07d4b8", "branch": "main"},
            "host": f"node-{index % 3:02}",
            "python": "3.12.7",
            "packages": {"torch": "2.13.0"},
        }
        (folder / "environment.json").write_text(json.dumps(environment))
        (folder / "checkpoint-900").mkdir()
        (folder / "checkpoint-900" / "model.safetensors").write_bytes(bytes(200_000))
        lines = [f"11:{step // 60:02}:{step % 60:02} step {step} loss {2 / (step + 1):.4f}" for step in range(1000)]
        (folder / "console.log").write_text("\n".join([*lines, "saved checkpoint-900"]) + "\n")
    append_finding(root / "bert-lr1e-4-s1" / "findings.jsonl", DIVERGED[-1])
    for path in root.rglob("*"):
        os.utime(path, (NOW - 600, NOW - 600))


def sweep_points(model: str, lr: float, seed: int, *, diverges: bool, ends_early: bool) -> Iterator[Point]:
    rng = random.Random(f"{model} {lr} {seed}")
    level = (0.25 if model == "bert" else 0.2) + 0.05 * abs(math.log10(lr / 3e-5)) + 0.01 * rng.gauss(0, 1)
    for step in range(0, 700 if ends_early else 1000, 10):
        loss = level + math.exp(-step / 150) + 0.004 * rng.gauss(0, 1)
        yield "train/loss", step, math.nan if diverges and step >= 600 else loss
        if step % 50 == 0:
            yield "eval/accuracy", step, 1 - loss / 2


# Their own texts, so that the screens do not change with the messages of the kit.
DIVERGED = [
    Finding(
        code="not-finite",
        severity="warning",
        message="The loss was nan and the gradient norm inf. The step was skipped, so the weights did not change.",
        why="One NaN or infinite gradient would make all weights NaN.",
        advice=f"The examples of the batch are in bad-batch-{step:06d}.json.",
        evidence={"loss": math.nan, "grad_norm": math.inf},
        location=Location(first_step=step, last_step=step),
    )
    for step in (120, 121)
] + [
    Finding(
        code="diverged",
        severity="error",
        message="10 consecutive steps had a non-finite loss or gradient, so training stopped.",
        why="Once every step is non-finite, the model no longer learns.",
        advice="Lower the learning rate (it was 0.01, try 0.001), or increase --warmup.",
        evidence={"steps": 10, "learning_rate": 0.01},
        location=Location(first_step=160, last_step=169),
    )
]
SMALLER_BATCH = [
    Finding(
        code="memory",
        severity="note",
        message="A micro-batch of 32 did not fit in memory. The step was repeated with a micro-batch of 16.",
        location=Location(first_step=40, last_step=40),
    )
]


def pr_curves(root: Path) -> None:
    """Three runs with curves of four classes that improve by step, a curve without counts, and one that is none."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 4, 800)
    for index, name in enumerate(["bert-s1", "bert-s2", "distilbert"]):
        values = []
        for step in range(0, 1000, 100 if index < 2 else 200):
            for number, label in enumerate(["negative", "neutral", "positive", "sarcastic"]):
                margin = (0.3 - 0.06 * number) * (1 - 0.25 * index) * (1 - math.exp(-(step + 60) / 250))
                is_class = truth == number if number < 3 else (truth == 3) & (np.arange(800) % 5 == 0)
                scores = np.clip(0.5 + margin * (2 * is_class - 1) + rng.normal(0, 0.14, 800), 0, 1)
                values.append((step, encode_curve(f"eval/{label}", is_class, scores, num_thresholds=127, weights=None)))
        counts = [[0.0] * 4] * 4
        values.append(
            (0, encode_raw("raw/paper", [*counts, [0.3, 0.6, 0.9, 1.0], [1, 0.7, 0.4, 0.1]], num_thresholds=4))
        )
        values.append((0, tensor_value("raw/table", "pr_curves", encode_array(np.zeros((5, 3), np.float32)))))
        write_values(root / name, values, start=NOW - 3600 * (index + 1))


def meshes(root: Path) -> None:
    """Two runs with a knot of points and a torus that change by step, and meshes that cannot be shown as a whole."""
    rng = np.random.default_rng(0)
    camera = {"camera": {"cls": "PerspectiveCamera", "fov": 40}, "material": {"roughness": 0.4}}
    for index, name in enumerate(["pointnet-a", "pointnet-b"]):
        values: list[tuple[int, bytes]] = []
        for step in range(0, 500, 100):
            points, colors = knot(20_000, noise=(0.05 + 0.4 * math.exp(-step / 150)) * (1 + index), rng=rng)
            values += [(step, value) for value in encode_mesh("eval/knot", points, colors, None, None)]
            vertices, faces, shades = torus(40, 24, bumps=step / 500)
            batch = [np.stack([part] * 2) for part in (vertices, shades, faces)]
            batch[0][1] *= [1, 1, 2]
            values += [(step, value) for value in encode_mesh("eval/torus", *batch, camera)]
        if index == 0:
            vertices, faces, _ = torus(12, 8, bumps=0)
            vertices[3] = np.nan
            faces[5] = 10_000
            hostile = encode_mesh("odd/holes", vertices[None], np.zeros((1, 7, 3)), faces[None], {"lights": "none"})
            values += [(0, value) for value in hostile]
            values += [(0, value) for value in encode_mesh("odd/no-vertices", np.zeros((1, 0, 3)), None, None, None)]
        write_values(root / name, values, start=NOW - 3600 * (index + 1))


def knot(count: int, *, noise: float, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Points around a trefoil knot, colored by their distance from its tube."""
    t, around = rng.uniform(0, 2 * np.pi, (2, count))
    off = rng.normal(0, noise, count)
    radius = 0.5 + off
    ring = 2 + np.cos(3 * t) + radius * np.cos(around)
    points = np.stack([ring * np.cos(2 * t), ring * np.sin(2 * t), np.sin(3 * t) + radius * np.sin(around)], -1)
    share = np.clip(np.abs(off), 0, 1)[:, None]
    return points[None], (np.array([80, 180, 240]) * (1 - share) + np.array([60, 20, 90]) * share)[None]


def torus(rings: int, sides: int, *, bumps: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Vertices, faces and colors of a torus with bumps."""
    u, v = (a.ravel() for a in np.mgrid[0:rings, 0:sides])
    around, across = u * 2 * np.pi / rings, v * 2 * np.pi / sides
    radius = 0.4 + 0.2 * bumps * np.sin(5 * around)
    ring = 1 + radius * np.cos(across)
    vertices = np.stack([ring * np.cos(around), radius * np.sin(across), ring * np.sin(around)], -1)
    right, up = (u + 1) % rings * sides + v, u * sides + (v + 1) % sides
    corner = (u + 1) % rings * sides + (v + 1) % sides
    faces = np.concatenate([np.stack([u * sides + v, up, right], -1), np.stack([right, up, corner], -1)])
    colors = np.stack([128 + 100 * np.cos(around), 128 + 100 * np.sin(around), np.full(len(u), 140.0)], -1)
    return vertices, faces.astype(float), colors


def tensors(root: Path) -> None:
    """Two runs with tensors of a plugin that no kind knows: attention by layer and head, texts, NaN, a large one."""
    rng = np.random.default_rng(0)
    y, x = np.mgrid[0:48, 0:48]
    for index, name in enumerate(["bert-s1", "bert-s2"]):
        values = []
        for step in range(0, 500, 100):
            width = 4 + 400 / (step + 50) + 3 * index
            noise = rng.random((3, 4, 48, 48)) * 0.2
            attention = (np.exp(-(((x - y) / width) ** 2)) + noise).astype(np.float32)
            values.append((step, tensor_value("debug/attention", "debug", encode_array(attention))))
            logits = rng.normal(0, 1 + step / 100, (32, 2)).astype(np.float32)
            logits[3, 1] = np.nan
            values.append((step, tensor_value("debug/logits", "debug", encode_array(logits))))
        values.append(
            (0, tensor_value("debug/large", "debug", encode_array(np.sin(np.arange(600 * 500)).reshape(600, 500))))
        )
        values.append((0, tensor_value("label_names", "debug", encode_strings([b"joy", b"<b>anger</b>"]))))
        values.append((0, encode_value("only_metadata", None, metadata=encode_metadata("debug", b"x"))))
        write_values(root / name, values, start=NOW - 3600 * (index + 1))


def search(root: Path) -> None:
    """A search over 36 runs in which the learning rate matters most. One run diverged, and four have no dropout."""
    rng = random.Random(3)
    for index in range(36):
        lr = round(10 ** rng.uniform(-5, -2.5), 7)
        hparams = {
            "model": rng.choice(["bert-base", "bert-base", "roberta-base", "distilbert"]),
            "lr": lr,
            "batch_size": rng.choice([16, 32, 64]),
            "amp": rng.random() < 0.5,
            "seed": index % 5,
            "epochs": 3,
        }
        if index % 9:
            hparams["dropout"] = rng.choice([0.1, 0.2])
        final = 0.25 + 0.1 * (math.log10(lr) + 3.6) ** 2 + rng.gauss(0, 0.01)
        start = NOW - 7200 - 3600 * index
        points = []
        for step in range(0, 1000, 100):
            loss = final + math.exp(-step / 150) + 0.0002 * abs(step - 700)
            diverged = index == 7 and step > 500
            points += [("eval/loss", step, math.nan if diverged else loss), ("eval/accuracy", step, 1 - loss / 2)]
        settings = [(0, value) for value in encode_hparams(hparams, ["eval/loss", "eval/accuracy"])]
        write_values(root / f"trial-{index:02}", settings, start=start)
        write_file(root / f"trial-{index:02}", points, start=start + 1)


def settings_in_names(root: Path) -> None:
    """Three runs whose hyperparameters are only in the names of their folders."""
    for index, name in enumerate(["lr_0.1_bs_16", "lr_0.01_bs_16", "lr_0.01_bs_32"]):
        write_run(root / name, start=NOW - 3600 * (index + 1), steps=5, seed=index)


def write_values(folder: Path, values: Iterable[tuple[int, bytes]], *, start: float) -> None:
    """One event file of (step, Summary.Value)."""
    events = [encode_event(start, file_version="brain.Event:2")]
    events += [encode_event(start, step, values=[value]) for step, value in values]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"events.out.tfevents.{start:.0f}.host").write_bytes(b"".join(map(frame, events)))


def tensor_value(tag: str, plugin: str, tensor: bytes) -> bytes:
    return encode_value(tag, TENSOR, tensor, metadata=encode_metadata(plugin))


def data_of_image(image: np.ndarray) -> bytes:
    return image_samples(encode_image("", image, dataformats="CHW"))[0].data


def data_of_clip(sound: np.ndarray) -> bytes:
    return audio_samples(encode_audio("", sound, sample_rate=8000))[0].data


def wave(step: int) -> np.ndarray:
    y, x = np.mgrid[0:48, 0:64]
    return np.stack([np.sin(x / 6 + step / 200), np.cos(y / 5), np.sin((x + y) / 9)]) / 2 + 0.5


def write_run(folder: Path, *, start: float, steps: int, seed: int) -> None:
    rng = random.Random(seed)
    losses = [0.2 + 0.02 * seed / 8 + math.exp(-step / 40) + rng.gauss(0, 0.02) for step in range(steps)]
    points = [
        point
        for step, loss in enumerate(losses)
        for point in (("train/loss", step, loss), ("eval/accuracy", step, 1 - loss / 2))
    ]
    write_file(folder, points, start=start)


def write_file(folder: Path, points: Iterable[Point], *, start: float) -> None:
    """One event file; a point a second and step."""
    events = [encode_event(start, file_version="brain.Event:2")]
    events += [
        encode_event(start + step, step, values=[encode_simple_value(tag, value)]) for tag, step, value in points
    ]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"events.out.tfevents.{start:.0f}.host").write_bytes(b"".join(map(frame, events)))


def frame(data: bytes) -> bytes:
    length = struct.pack("<Q", len(data))
    return length + masked_crc(length) + data + masked_crc(data)


def masked_crc(data: bytes) -> bytes:
    crc = crc32c(data)
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFF_FFFF)


def damage(folder: Path) -> None:
    """Flips one byte in the data of two records far apart."""
    path = next(folder.glob("*tfevents*"))
    data = bytearray(path.read_bytes())
    for share in (0.3, 0.6):
        at = data.index(b"train/loss", int(len(data) * share))
        data[at] ^= 0xFF
    path.write_bytes(data)


def seeds(root: Path) -> None:
    """Four learning rates with three to five seeds. One run diverges, two are shorter, one has no rate."""
    counts = {"2e-5": 3, "3e-5": 5, "5e-5": 4, "1e-4": 3}
    number = 0
    for lr, count in counts.items():
        for seed in range(1, count + 1):
            number += 1
            last = 180 if (lr, seed) in (("3e-5", 1), ("3e-5", 2)) else 240
            nan_from = 93 if (lr, seed) == ("1e-4", 1) else math.inf
            points = seed_points(float(lr), number, last=last, nan_from=nan_from)
            write_file(root / f"bert-lr{lr}-seed{seed}", points, start=NOW - 3600 * number)
    write_file(root / "baseline", seed_points(1e-5, 99, last=240, nan_from=math.inf), start=NOW - 90_000)


def seed_points(lr: float, seed: int, *, last: int, nan_from: float) -> Iterator[Point]:
    rng = random.Random(seed)
    level, pace, overfit = 0.01 * rng.gauss(0, 1), 15 + 2e-4 / lr, max(0.0, lr - 2.5e-5) * 18
    for i in range(last + 1):
        noise = rng.gauss(0, 0.004)
        step, decay, rise = i * 100, math.exp(-i / pace), overfit * (i / 240) ** 1.5 * 100
        loss = 0.25 + level + 0.5 * decay + noise + rise
        yield "eval/loss", step, math.nan if i >= nan_from else loss
        yield "train/loss", step, math.nan if i >= nan_from else 0.08 + level + 0.7 * decay + 2 * noise
        yield "train/lr", step, lr * (1 - i / 240)
        if i % 5 == 0 and i < nan_from:
            yield "eval/accuracy", step, 0.92 - 0.3 * decay - 0.3 * rise / 3 + level / 3 + noise / 2


RECIPES: dict[str, Callable[[Path], None]] = {
    "few": few,
    "one": one,
    "thousand": thousand,
    "none": none,
    "things": things,
    "charts": charts,
    "many-tags": many_tags,
    "batches": batches,
    "unknown-plugin": unknown_plugin,
    "findings": findings,
    "embeddings": embeddings,
    "attention": attention,
    "pr-curves": pr_curves,
    "meshes": meshes,
    "tensors": tensors,
    "graphs": graphs,
    "sweep": sweep,
    "pages": pages,
    "search": search,
    "settings-in-names": settings_in_names,
    "seeds": seeds,
}

if __name__ == "__main__":
    RECIPES[sys.argv[1]](Path(sys.argv[2]))

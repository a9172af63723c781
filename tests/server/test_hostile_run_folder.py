"""Files that the board reads next to event files: traps and hostile contents in their place return no 5xx, take no long
time, and reveal nothing from outside of the logdir."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

import hostile_files
from board_client import ServedBoard
from hostile_files import put, tree, with_contents
from lossboard import SummaryWriter
from lossboard.store.run_ids import run_id

BUDGET_CPU_SECS = 5.0
"""For all requests of a test together."""
SECRET = "a secret from outside"
RUN = run_id("a")
VECTORS = {"run": RUN, "tag": "v", "step": 0}
REQUESTS: list[tuple[str, Any]] = [
    ("board", None),
    ("tags?kind=scalars", None),
    (f"runs/files?run={RUN}", None),
    *(
        (f"runs/console{path}?run={RUN}&file={name}", None)
        for path in ("", "/download")
        for name in ("console.log", "workers/0.log")
    ),
    ("runs/details", {"runs": [RUN]}),
    ("facts", {"fields": ["lr", "hp.lr", "last(loss)"]}),
    ("facts/fields", {}),
    ("query", {"query": "lr < 1"}),
    ("groups", {"by": "lr"}),
    ("groups/seeds", {}),
    ("hparams/table", {}),
    ("findings/list", {}),
    ("embeddings/series", {}),
    ("embeddings/metadata", VECTORS),
    ("embeddings/neighbors", {**VECTORS, "row": 0}),
    (f"embeddings/sprite?run={RUN}&tag=v&step=0", None),
    ("graphs/series", {}),
]
LONG = b"9" * 5000
DEEP_JSON = b'{"x":' + b"[" * 900 + b"]" * 900 + b"}"
JSON = {
    "empty": b"",
    "not UTF-8": b"\xff\xfe\0",
    "list": b"[]",
    "number": b"7",
    "deep": DEEP_JSON,
    "deeper": b"[" * 200_000,
    "lone surrogates": rb'{"lr":"\ud800","\udfff":1,"command":"\ud800","program":"\ud800","args":["\ud800"]}',
    "wrong types": b'{"lr":[1,{}],"args":5,"program":"x","command":{},"packages":[],"git":7,"gpu":[[]]}',
    "odd numbers": b'{"lr":1e999,"a":NaN,"b":-Infinity,"c":1e-320,"d":' + b"9" * 4000 + b',"e":[' + b"9" * 4000 + b"]}",
    "long number": b'{"x":' + LONG + b"}",
    "many keys": json.dumps({f"key{i}": i for i in range(10_000)}).encode(),
    "large": b'{"x":"' + b"x" * (2 << 20) + b'"}',
}
TOML = {
    "long number": b"lr = " + LONG,
    "long hexadecimal number": b"lr = 0x" + b"f" * 50_000,
    "long numbers in a list": b"lr = [0x" + b"f" * 50_000 + b"]",
    "deep list": b"lr = " + b"[" * 900 + b"]" * 900,
    "deeper list": b"lr = " + b"[" * 60_000,
    "deep name": b".".join([b"a"] * 10_000) + b" = 1",
    "deep quoted name": b'"=".' * 10_000 + b"a = 1",
    "deep table": b"[" + b"a." * 10_000 + b"a]",
    "deep inline table": b"lr = {" + b"a." * 10_000 + b"a = 1}",
    "many tables": b"".join(b"[[a]]\n[a.b%d]\n" % i for i in range(3_000)),
    "deep tables": b"\n".join(b"[" + b".".join([b"a"] * depth) + b"]" for depth in range(1, 200)),
    "dates": b"lr = 1979-05-27T07:32:00Z\nb = [1979-05-27]\nc = 07:32:00",
    "not UTF-8": b"lr = '\xff'",
    "no end": b'lr = """' + b"x" * 60_000,
}
DOCTOR = {
    "wrong types": b"doctor = 1",
    "list of lists": b"[doctor]\nsilence = [[]]",
    "list of tables": b"[doctor]\nsilence = [{a = 1}]",
    "long code": b"[doctor]\nsilence = ['" + b"x" * 60_000 + b"']",
    "role of the wrong type": b"[doctor.roles]\ntrain_loss = [1]",
    "odd role": b"[doctor.roles]\ntrain_loss = '\\ud800'\nval_loss = ''",
    **{
        f"threshold {number}": f"[doctor.thresholds.spike]\nheight = {number}\npoints = {number}".encode()
        for number in ("nan", "inf", "-1", "0", "0x" + "f" * 400, "9" * 4000, "1e308", "true", "[1]")
    },
}
YAML = {
    "alias bomb": b"a: &a [x,x,x,x,x,x,x,x,x]\n"
    + b"".join(b"%c: &%c [*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c]\n" % ((i + 1, i + 1) + (i,) * 8) for i in range(97, 110)),
    "recursive": b"lr: &a [*a]",
    "tag": b"lr: !!python/object/apply:os.system ['true']",
    "deep": b"[" * 60_000,
    "deep mapping": b"".join(b" " * i + b"a:\n" for i in range(300)),
    "long number": b"lr: " + LONG,
    "odd keys": b"? [1, {a: b}]\n: 1\n? {}\n: 2\n~: 3\n",
    "deep sequence": b"- " * 120_000,
    "open mappings": b"{a: " * 60_000,
    "open keys": b"? " * 120_000,
    "long key": b"a" * 250_000 + b": 1",
    "many anchors": b"".join(b"a%d: &a%d 1\n" % (i, i) for i in range(15_000)),
    "several documents": b"lr: 1\n---\nlr: 2\n",
    "control characters": b'lr: "\\0\\uD800"\n\x01: 1',
}
FINDINGS = {
    "many": b'{"code":"x","what":"w"}\n' * 150_000,
    "one long line": b'{"code":"x","what":"' + b"w" * (3 << 20) + b'"}',
    **{
        f"odd {i}": b'{"code":"x",%s}' % fields
        for i, fields in enumerate(
            (
                b'"step":9223372036854775807',
                b'"step":1e400',
                b'"step":-1',
                b'"step":NaN',
                b'"code":7',
                b'"runs":5',
                b'"evidence":[1]',
                b'"evidence":{"a":1e999,"b":null}',
                b'"runs":["../../etc","b"],"tag":"\\ud800"',
            )
        )
    },
}


def embedding(fields: str) -> bytes:
    return f'embeddings {{ tensor_name: "v" {fields} }}\n'.encode()


def linked(path: str, shape: str = "") -> bytes:
    """Every file of the embedding is at `path`."""
    sprite = f'sprite {{ image_path: "{path}" single_image_dim: 1 single_image_dim: 1 }}'
    return embedding(f'tensor_path: "{path}" {shape} metadata_path: "{path}" {sprite}')


PROJECTOR = {
    "outside": linked("../../outside/precious.json"),
    "absolute": linked("/etc/passwd"),
    "itself": linked("projector_config.pbtxt"),
    "huge shape": linked("loss", "tensor_shape: 4000000000 tensor_shape: 4000000000"),
    "sparse": linked("sparse", "tensor_shape: 1048576 tensor_shape: 1024"),
    "checkpoint": b'model_checkpoint_path: "../../outside/precious" ' + embedding(""),
    "deep": b"a { " * 60_000,
    "many": embedding('tensor_path: "x"') * 20_000,
    "many tags": b"".join(b'embeddings { tensor_name: "v%d" tensor_path: "x" }\n' % i for i in range(20_000)),
}
CONSOLE = {
    "escapes": b"\x1b[" * 500_000,
    "unfinished escape": b"\x1b]" + b"0" * (1 << 20),
    "parameters": b"\x1b[" + b"0;" * 500_000,
    "one line of returns": b"x\r" * 500_000,
    "control characters": bytes(range(256)) * 4096,
    "many lines": b"\n" * (1 << 20),
}
CONTENTS = {
    "lossboard.toml": TOML | DOCTOR,
    "a/config.toml": TOML,
    "a/config.json": JSON,
    "a/hparams.yaml": YAML,
    "a/environment.json": JSON,
    "a/wandb-metadata.json": JSON,
    "a/findings.jsonl": JSON | FINDINGS,
    "a/projector_config.pbtxt": JSON | PROJECTOR,
    "a/checkpoint": PROJECTOR,
    "a/console.log": CONSOLE,
    "a/workers": {},
    "a/workers/0.log": {},
    "a/events.out.tfevents.1": {},
    "a/x.pt.trace.json": {},
}
CASES = [
    pytest.param(name, shape, id=f"{name}: {title}")
    for name, contents in CONTENTS.items()
    for title, shape in (hostile_files.SHAPES | with_contents(contents)).items()
]


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    folder = tmp_path / "outside"
    folder.mkdir()
    for name in ("precious.json", "console.log", "0.log", "config.json"):
        (folder / name).write_text(json.dumps({"lr": SECRET, "command": SECRET, "code": SECRET, "what": SECRET}))
    return folder


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    folder = tmp_path / "logs"
    with SummaryWriter(folder / "a") as log:
        for step in range(200):
            log.add_scalar("loss", [1.0, 3.0, float("nan")][step % 3], step)
    (folder / "a" / "workers").mkdir()
    with (folder / "a" / "sparse").open("wb") as sparse:
        sparse.truncate(4 << 30)
    return folder


@pytest.mark.parametrize(("name", "shape"), CASES)
def test_board_serves_a_run_beside_a_trap(logdir: Path, outside: Path, name: str, shape: hostile_files.Shape) -> None:
    before = tree(outside)
    put(logdir / name, shape, outside)
    started = time.process_time()
    board = ServedBoard(logdir)
    board.poll()
    for path, body in REQUESTS:
        if "download" in path and shape is hostile_files.SHAPES["huge file"]:
            continue  # a terabyte is streamed, which only this client keeps in memory
        response = board.get(f"/api/{path}") if body is None else board.post(f"/api/{path}", body)
        assert response.status < 500, (path, response.body)
        assert SECRET.encode() not in response.body, path
    assert [run["name"] for run in board.get("/api/board").json()["runs"]] == ["a"]
    assert time.process_time() - started < BUDGET_CPU_SECS
    assert tree(outside) == before
    board.context.jobs.close()

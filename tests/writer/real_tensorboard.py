"""A real TensorBoard server, and its comparable responses about a logdir."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import numpy as np
from PIL import Image, ImageSequence

EVERYTHING = "scalars=100000,images=100000,audio=100000,histograms=100000,text=100000,pr_curves=100000,mesh=100000"


@contextmanager
def serve(logdir: Path, *, fast: bool) -> Iterator[TensorBoard]:
    command = [sys.executable, "-m", "tensorboard.main", "--logdir", str(logdir), "--host", "127.0.0.1", "--port", "0"]
    options = [f"--load_fast={str(fast).lower()}", "--reload_interval", "1", "--samples_per_plugin", EVERYTHING]
    log = logdir.parent / f"tensorboard_{'fast' if fast else 'slow'}.log"
    with log.open("w") as out, subprocess.Popen([*command, *options], stdout=out, stderr=out) as process:
        try:
            yield TensorBoard(_address(process, log))
        finally:
            process.terminate()


def _address(process: subprocess.Popen[bytes], log: Path) -> str:
    for _ in range(2400):
        if found := re.search(r"at (http://\S+?)/? \(", log.read_text()):
            return found[1]
        assert process.poll() is None, log.read_text()
        time.sleep(0.1)
    raise AssertionError(f"TensorBoard did not start: {log.read_text()}")


class TensorBoard:
    def __init__(self, address: str) -> None:
        self.http = httpx.Client(base_url=address, timeout=60)

    def wait_for(self, runs: set[str]) -> None:
        """Waits until all runs are listed and two responses about them agree."""
        before = None
        for _ in range(300):
            tags = [self.get(f"{plugin}/tags") for plugin in ("scalars", "images", "histograms", "text", "mesh")]
            now = json.dumps(tags, sort_keys=True)
            if now == before and runs <= set(self.http.get("/data/runs").json()):
                return
            before = now
            time.sleep(0.5)
        raise AssertionError(f"not all loaded: {runs - set(self.http.get('/data/runs').json())}")

    def get(self, path: str, **params: Any) -> Any:
        return self._ask(path, params).json()

    def bytes(self, path: str, **params: Any) -> bytes:
        return self._ask(path, params).content

    def _ask(self, path: str, params: dict[str, Any]) -> httpx.Response:
        answer = self.http.get(f"/data/plugin/{path}", params=params or None)
        answer.raise_for_status()
        return answer

    def everything(self, folder: str) -> dict[str, Any]:
        """Returns everything served about the runs in `folder`, by kind, run and tag, without times."""
        kinds = {
            "scalars": self._scalars,
            "histograms": self._histograms,
            "images": self._images,
            "audio": self._audio,
            "text": self._text,
            "mesh": self._mesh,
            "pr_curves": self._pr_curve,
        }
        found: dict[str, Any] = {}
        for kind, answer in kinds.items():
            for run, tags in self.get(f"{kind}/tags").items():
                if run == folder or run.startswith(f"{folder}/"):
                    for tag in tags:
                        about = tags[tag] if isinstance(tags, dict) else None
                        found[kind, run.removeprefix(folder), tag] = (about, answer(run, tag))
        found["graph"] = self._graph(folder)
        found["projector"] = self._projector(folder)
        return found

    def _scalars(self, run: str, tag: str) -> Any:
        return [[step, value] for _, step, value in self.get("scalars/scalars", run=run, tag=tag)]

    def _histograms(self, run: str, tag: str) -> Any:
        return [[step, buckets] for _, step, buckets in self.get("histograms/histograms", run=run, tag=tag)]

    def _images(self, run: str, tag: str) -> Any:
        found = []
        for item in self.get("images/images", run=run, tag=tag, sample=0):
            image = Image.open(io.BytesIO(self.bytes(f"images/individualImage?{item['query']}")))
            frames = [np.asarray(frame.convert("RGB")).tolist() for frame in ImageSequence.Iterator(image)]
            found.append((item["step"], image.format, frames))
        return found

    def _audio(self, run: str, tag: str) -> Any:
        found = []
        for item in self.get("audio/audio", run=run, tag=tag, sample=0):
            sound = self.bytes(f"audio/individualAudio?{item['query']}")
            found.append((item["step"], item["contentType"], sound))
        return found

    def _text(self, run: str, tag: str) -> Any:
        return [[item["step"], item["text"]] for item in self.get("text/text", run=run, tag=tag)]

    def _mesh(self, run: str, tag: str) -> Any:
        found = []
        for item in self.get("mesh/meshes", run=run, tag=tag):
            item = {key: value for key, value in item.items() if key != "wall_time"}
            kind = {1: "VERTEX", 2: "FACE", 3: "COLOR"}[item["content_type"]]
            data = self.bytes("mesh/data", run=run, tag=tag, content_type=kind, step=item["step"], sample=0)
            found.append((sorted(item.items(), key=str), data))
        return sorted(found, key=str)

    def _pr_curve(self, run: str, tag: str) -> Any:
        curves = self.get("pr_curves/pr_curves", run=run, tag=tag)[run]
        return [{key: value for key, value in curve.items() if key != "wall_time"} for curve in curves]

    def _graph(self, folder: str) -> Any:
        found = {}
        for run, about in self.get("graphs/info").items():
            if run == folder or run.startswith(f"{folder}/"):
                graph = self.bytes("graphs/graph", run=run, conceptual="false").decode() if about["run_graph"] else ""
                found[run.removeprefix(folder)] = (about["tags"], graph)
        return found

    def _projector(self, folder: str) -> Any:
        found = {}
        for run in self.get("projector/runs"):
            if run != folder:
                continue
            for entry in self.get("projector/info", run=run)["embeddings"]:
                name = entry["tensorName"]
                found[name] = (entry["tensorShape"], self.bytes("projector/tensor", run=run, name=name))
                if "metadataPath" in entry:
                    found[name] += (self.bytes("projector/metadata", run=run, name=name),)
                if "sprite" in entry:
                    sprite = Image.open(io.BytesIO(self.bytes("projector/sprite_image", run=run, name=name)))
                    pixels = np.asarray(sprite.convert("RGB")).tolist()
                    found[name] += (entry["sprite"]["singleImageDim"], pixels)
        return found

"""Projections of real embeddings, side by side: Lossboard, scikit-learn's PCA, umap-learn and openTSNE.

CPU seconds on the same rows, and what each layout keeps of the neighbors in full dimension: trustworthiness and recall
of the 15 nearest, on 1000 rows. Each peer runs on one thread in a process of its own, in an environment that this
program sets up (400 MB), and is warmed up first: umap-learn compiles for most of a minute in every new process. Times
of Lossboard include all that the server does: preparing rows, neighbors, PCA and every layout that a page gets to see.

Then the neighbors of one row among 100,000, in milliseconds, and the steps of a fine-tuning: how far rows move on
screen compared with the full dimension, and how much worse each aligned step is than a projection of that step alone.

    python bench/project.py [pca umap tsne neighbors steps]
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

os.environ.update(
    dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
)

import numpy as np
from make_embeddings import make

from lossboard import _core
from lossboard.kinds.embeddings.alignment import displacements
from lossboard.kinds.embeddings.projection import Options, Projection
from lossboard.kinds.embeddings.sources import Source, Vectors

ROOT = Path(__file__).resolve().parent.parent
PEERS = ROOT / ".cache" / "projection-peers"
PACKAGES = ["umap-learn==0.5.12", "openTSNE==1.0.4", "scikit-learn==1.7.2"]
K, SAMPLES = 15, 1000

PEER = """
import sys, time, warnings
warnings.simplefilter("ignore")
import numpy as np
method, source, target, rows = sys.argv[1:]
data = np.ascontiguousarray(np.load(source)[: int(rows)], np.float32)
def project(data):
    if method == "pca":
        from sklearn.decomposition import PCA
        return PCA(10, random_state=0).fit_transform(data)[:, :2]
    if method == "umap":
        from umap import UMAP
        return UMAP(random_state=0, n_jobs=1).fit_transform(data)
    from openTSNE import TSNE
    return np.asarray(TSNE(n_jobs=1, random_state=0).fit(data))
project(data[:5000])  # umap-learn takes another way below 4096 rows
begin = time.process_time()
layout = project(data)
print(time.process_time() - begin)
np.save(target, layout.astype(np.float32))
"""


@dataclass(frozen=True)
class Shown:
    """A layout, and the CPU seconds until it was there."""

    cpu_secs: float
    layout: Any


def peer_python() -> Path:
    python = PEERS / "bin" / "python"
    if not (PEERS / "ready").exists():
        print("Setting up the environment of the peers (400 MB, once) …", flush=True)
        subprocess.run([sys.executable, "-m", "venv", PEERS], check=True)
        subprocess.run([python, "-m", "pip", "install", "-qq", *PACKAGES], check=True)
        (PEERS / "ready").touch()
    return python


def theirs(method: str, source: Path, rows: int) -> Shown:
    target = PEERS / f"{method}-{rows}.npy"
    command = [peer_python(), "-c", PEER, method, source, target, str(rows)]
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return Shown(float(out), np.load(target))


def ours(method: str, *steps: Any) -> list[list[Shown]]:
    """Projects as the server does. Returns every layout of each step that a page gets to see, and the last one."""
    sources: list[Any] = [Source("run", "tag", step, None) for step in range(len(steps))]  # type: ignore[arg-type]
    vectors = [Vectors(rows, np.isfinite(rows).all(1)) for rows in steps]
    begin = time.process_time()
    projection = Projection(sources, vectors, Options(method=method))  # type: ignore[arg-type]
    thread = threading.Thread(target=projection.run)
    thread.start()
    shown: list[list[Shown]] = [[] for _ in steps]
    version = 0
    while thread.is_alive() or version != projection.frame().version:
        frame = projection.frame()
        if frame.version != version:
            version = frame.version
            for layouts, layout in zip(shown, frame.layouts, strict=True):
                if layout is not None:
                    layouts.append(Shown(time.process_time() - begin, layout))
        thread.join(0.02)
    return shown


def quality(rows: Any, layout: Any) -> tuple[float, float]:
    return _core.layout_quality(rows, np.ascontiguousarray(layout), k=K, samples=SAMPLES, seed=5)


def verdict(holds: bool) -> str:
    return "ok" if holds else "MISSED"


def compare_pca(folder: Path) -> None:
    rows = np.ascontiguousarray(np.load(folder / "tokens.npy")[:50_000])
    (shown,) = ours("pca", rows)
    peer = theirs("pca", folder / "tokens.npy", 50_000)
    cpu = min(shown[-1].cpu_secs, *(ours("pca", rows)[0][-1].cpu_secs for _ in range(4)))
    print(
        f"pca   50,000 × 384: {cpu:.2f} s   scikit-learn {peer.cpu_secs:.2f} s   {peer.cpu_secs / cpu:.1f}× less CPU"
        f"   wanted ≤ 0.3 s: {verdict(cpu <= 0.3)}",
        flush=True,
    )


def compare_layout(method: str, peer_name: str, max_secs: float, folder: Path) -> None:
    rows = np.load(folder / "sentences.npy")
    (shown,) = ours(method, rows)
    peer = theirs(method, folder / "sentences.npy", len(rows))
    peer_trust, peer_recall = quality(rows, peer.layout)
    first, *rest = shown
    pca_trust, pca_recall = quality(rows, first.layout)
    print(f"{method:5} 10,000 × 384   PCA at {first.cpu_secs:.2f} s: trust {pca_trust:.3f} recall {pca_recall:.3f}")
    better = []
    for one in rest:
        trust, recall = quality(rows, one.layout)
        print(f"      at {one.cpu_secs:5.2f} s: trust {trust:.3f} recall {recall:.3f}")
        if trust > pca_trust and recall > pca_recall:
            better.append(one.cpu_secs)
    last = shown[-1].cpu_secs
    holds = trust >= peer_trust - 0.01 and recall >= peer_recall - 0.01
    print(
        f"      {peer_name} {peer.cpu_secs:.1f} s: trust {peer_trust:.3f} recall {peer_recall:.3f}"
        f"   {peer.cpu_secs / last:.1f}× less CPU"
        f"   better than PCA within 2 s: {verdict(bool(better) and better[0] <= 2)}"
        f"   final within {max_secs:g} s: {verdict(last <= max_secs)}   quality: {verdict(holds)}",
        flush=True,
    )


def measure_neighbors(folder: Path) -> None:
    rows = np.load(folder / "tokens.npy")
    times = []
    for row in range(20):
        begin = time.perf_counter()
        distances = _core.distances(rows, np.ascontiguousarray(rows[row]), cosine=True)
        np.sort(np.argpartition(distances, 100)[:100])
        times.append(1000 * (time.perf_counter() - begin))
    median = sorted(times)[10]
    print(f"neighbors of a row, 100,000 × 384: {median:.0f} ms   wanted < 50 ms: {verdict(median < 50)}", flush=True)


def measure_steps(folder: Path) -> None:
    steps = list(np.load(folder / "steps.npy"))
    moved = [float(np.median(displacements(a, b))) for a, b in pairwise(steps)]
    for method in ("pca", "umap", "tsne"):
        layouts = [shown[-1].layout for shown in ours(method, *steps)]
        on_screen = [float(np.median(displacements(a, b))) for a, b in pairwise(layouts)]
        ratio = sum(on_screen) / sum(moved)
        single = [one / other for one, other in zip(on_screen, moved, strict=True)]
        gaps = [
            quality(rows, layout)[0] - quality(rows, ours(method, rows)[0][-1].layout)[0]
            for rows, layout in zip(steps, layouts, strict=True)
        ]
        worst = f"worst trust against a fresh one {min(gaps):+.3f} ({verdict(min(gaps) >= -0.02)})"
        print(
            f"steps {method:4}: moves on screen ÷ in full dimension {ratio:.2f} ({verdict(0.8 <= ratio <= 1.25)}; "
            f"single steps {min(single):.2f}–{max(single):.2f})   {worst}",
            flush=True,
        )


BENCHES = {
    "pca": compare_pca,
    "umap": lambda folder: compare_layout("umap", "umap-learn", 10, folder),
    "tsne": lambda folder: compare_layout("tsne", "openTSNE", 16, folder),
    "neighbors": measure_neighbors,
    "steps": measure_steps,
}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("benches", nargs="*", metavar="|".join(BENCHES))
    data = make()
    for name in parser.parse_args().benches or BENCHES:
        BENCHES[name](data)

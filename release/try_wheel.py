"""Installs a wheel in a clean environment without compiler and Node, and uses it there.

    python release/try_wheel.py dist/lossboard-….whl

Logs a run and reads it back, serves the board, and fine-tunes a tiny BERT for a few steps. Uses only the standard
library. Takes a few minutes, nearly all of them for installing torch.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import urllib.request
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

LOG_AND_READ = """
import sys, lossboard
assert "site-packages" in lossboard.__file__, lossboard.__file__
with lossboard.SummaryWriter("runs/first") as writer:
    for step in range(100):
        writer.add_scalar("train/loss", 1 / (step + 1), step)
    writer.add_histogram("weights", [1.0, 2.0, 3.0], 0)
points = lossboard.open("runs")["first"].scalars("train/loss")
assert points.steps.tolist() == list(range(100))
"""

# The tests' own tiny checkpoint and data; tests/ is on the path, the source of the package is not.
MAKE_TINY_BERT = """
from pathlib import Path
from train.tiny_bert import make_checkpoint, make_data
make_checkpoint(Path("model"))
make_data(Path("data.csv"))
"""


class CleanEnvironment:
    """A virtual environment in which nothing but its own programs can be found."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._bin = folder / "env/bin"
        venv.create(folder / "env", with_pip=True)
        kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        self.variables = {**kept, "PATH": str(self._bin), "PYTHONPATH": str(ROOT / "tests")}

    def run(self, program: str, *words: str) -> str:
        command = [str(self._bin / program), *words]
        done = subprocess.run(
            command, cwd=self.folder, env=self.variables, stdout=subprocess.PIPE, text=True, check=False
        )
        if done.returncode:
            sys.exit(f"{program} {' '.join(words)[:200]} failed with status {done.returncode}:\n{done.stdout}")
        return done.stdout

    def start(self, program: str, *words: str) -> subprocess.Popen[str]:
        command = [str(self._bin / program), *words]
        return subprocess.Popen(command, cwd=self.folder, env=self.variables, stdout=subprocess.PIPE, text=True)


def try_board(environment: CleanEnvironment) -> None:
    board = environment.start("lossboard", "runs", "--port", "0")
    try:
        assert board.stdout is not None
        link = re.search(r"http://\S+", board.stdout.readline())
        assert link, "The board printed no address"
        address = link[0].rstrip("/")
        page = fetch(f"{address}/")
        for script in re.findall(r'src="\.?/?([^"]+\.js)"', page):
            fetch(f"{address}/{script}")
        runs = json.loads(fetch(f"{address}/api/board"))["runs"]
        assert len(runs) == 1, runs
    finally:
        board.terminate()
        board.wait(timeout=30)


def fetch(address: str) -> str:
    with urllib.request.urlopen(address, timeout=30) as response:
        return str(response.read().decode())


def main(wheel: Path) -> None:
    pip = ["install", "-qq", "--disable-pip-version-check", "--only-binary", ":all:"]
    with tempfile.TemporaryDirectory() as folder:
        environment = CleanEnvironment(Path(folder))
        print("Installing the wheel …", flush=True)
        environment.run("pip", *pip, str(wheel.resolve()))
        print(environment.run("lossboard", "--version").strip())
        environment.run("python", "-c", LOG_AND_READ)
        environment.run("lossboard", "inspect", "runs")
        try_board(environment)
        print("The writer and the board work. Installing torch …", flush=True)
        torch = str(ROOT / "requirements-torch.txt")
        environment.run("pip", *pip, "-c", torch, f"{wheel.resolve()}[train]")
        environment.run("python", "-c", MAKE_TINY_BERT)
        environment.run("lossboard", "plan", "--model", "model", "--max-length", "48")
        settings = ["--max-length", "48", "--max-steps", "4", "--runs-dir", "runs"]
        environment.run("lossboard", "finetune", "--model", "model", "--data", "data.csv", *settings)
        print("Fine-tuning works.")


if __name__ == "__main__":
    main(Path(sys.argv[1]))

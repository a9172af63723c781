"""Progress in a real kernel, as a notebook runs it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import KernelManager, start_new_kernel

from train.tiny_bert import tiny_config


@pytest.fixture
def kernel(tmp_path: Path) -> Iterator[BlockingKernelClient]:
    manager: KernelManager
    manager, client = start_new_kernel(cwd=str(tmp_path))
    try:
        yield client
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def run_cell(kernel: BlockingKernelClient, code: str) -> list[dict[str, Any]]:
    """Returns the messages that a cell sends to the notebook. Fails if it raises."""
    messages: list[dict[str, Any]] = []
    reply = kernel.execute_interactive(code, output_hook=messages.append, timeout=300)
    assert reply["content"]["status"] == "ok", reply["content"]
    return messages


def test_one_display_is_updated_in_place_and_links_the_board(kernel: BlockingKernelClient, tmp_path: Path) -> None:
    config = tiny_config(tmp_path, epochs=1)
    run_cell(kernel, "import lossboard\nfrom lossboard.train import Hooks, finetune\nboard = lossboard.launch('runs')")
    settings = {name: value for name, value in config.as_dict().items() if value is not None}
    messages = run_cell(kernel, f"result = finetune(**{settings!r}, hooks=Hooks(board=board))")
    (shown,) = [each for each in messages if each["msg_type"] == "display_data"]
    updates = [each for each in messages if each["msg_type"] == "update_display_data"]
    assert {each["content"]["transient"]["display_id"] for each in updates} == {
        shown["content"]["transient"]["display_id"]
    }
    # tqdm warns on stderr if ipywidgets is missing.
    printed = [each["content"] for each in messages if each["msg_type"] == "stream"]
    assert [each["text"] for each in printed if each["name"] == "stdout"] == []
    html = updates[-1]["content"]["data"]["text/html"]
    assert 'value="8" max="8"' in html and "validation loss" in html and "samples/s" in html
    assert 'href="http://localhost:' in html and "<script" not in html
    run_cell(kernel, "from urllib.request import urlopen\nassert urlopen(board.url).status == 200\nboard.stop()")
    (log,) = (tmp_path / "runs").glob("*/console.log")
    assert "validation loss" in log.read_text() and "<" not in log.read_text()

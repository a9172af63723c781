"""Routes of text. HTML is sanitized."""

from __future__ import annotations

from pathlib import Path

from lossboard.store.logdir import Logdir
from lossboard.writer import SummaryWriter
from tests.kinds.views import RUN, call_route


def test_text_has_source_and_sanitized_html(logdir: Logdir) -> None:
    tag = call_route(logdir, "text", "series").document["series"][0]["tag"]
    (text,) = call_route(logdir, "text", "texts", texts=[{"run": RUN, "tag": tag, "step": 3}]).document["texts"]
    assert text["texts"][0].startswith("# Step 3")
    assert "<h1>Step 3</h1>" in text["html"] and "<script>" not in text["html"]


def test_text_that_takes_too_long_to_render_has_only_its_source(tmp_path: Path) -> None:
    slow = "[" * 100_000
    with SummaryWriter(tmp_path / "run") as log:
        log.add_text("slow", slow)
        log.add_text("fast", "*fast*")
    logdir = Logdir.parse(str(tmp_path))
    logdir.poll()
    places = [{"run": RUN, "tag": f"{name}/text_summary", "step": 0} for name in ("slow", "fast", "slow")]
    texts = call_route(logdir, "text", "texts", texts=places).document["texts"]
    assert [text["html"] for text in texts] == [None, "<p><em>fast</em></p>\n", None]
    assert texts[0]["texts"] == [slow]


def test_missing_run_tag_or_step_does_not_fail_the_batch(logdir: Logdir) -> None:
    tag = call_route(logdir, "text", "series").document["series"][0]["tag"]
    there = {"run": RUN, "tag": tag, "step": 3}
    missing = [{**there, "run": "gone"}, {**there, "tag": "gone"}, {**there, "step": 999}]
    texts = call_route(logdir, "text", "texts", texts=[*missing, there]).document["texts"]
    assert [("error" in text) for text in texts] == [True, True, True, False]
    assert "deleted" in texts[0]["error"]
    assert texts[3]["texts"][0].startswith("# Step 3")


def test_search_finds_text_at_every_step(logdir: Logdir) -> None:
    hits = call_route(logdir, "text", "search", words="STEP 4").document["hits"]
    assert [hit["step"] for hit in hits] == [4]

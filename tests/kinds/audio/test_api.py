"""Routes of audio."""

from __future__ import annotations

import pytest

from lossboard.errors import DecodeError
from lossboard.kinds.audio.waveform import read_wav
from lossboard.kinds.routes import JsonResult
from lossboard.store.logdir import Logdir
from tests.kinds.views import RUN, call_route


def test_missing_run_does_not_fail_the_batch(logdir: Logdir) -> None:
    (series, *_) = call_route(logdir, "audio", "series").document["series"]
    there = {"run": RUN, "tag": series["tag"], "step": series["steps"][0]}
    response = call_route(logdir, "audio", "waveforms", clips=[{**there, "run": "gone"}, there])
    assert [("error" in clip) for clip in response.head["clips"]] == [True, False]
    assert [len(table["low"]) > 0 for table in response.tables] == [False, True]


def test_waveform_has_columns_and_duration(logdir: Logdir) -> None:
    clip = {"run": RUN, "tag": "beep", "step": 0}
    response = call_route(logdir, "audio", "waveforms", clips=[clip], columns=50)
    (head,), (table,) = response.head["clips"], response.tables
    assert (head["rate_hz"], head["channels"], head["seconds"]) == (8000, 1, 0.5)
    assert len(table["low"]) == 50 and table["high"].max() == pytest.approx(1, abs=0.01)


def test_truncated_clip_is_drawn_and_empty_clip_has_an_error(logdir: Logdir) -> None:
    response = call_route(logdir, "audio", "blob", run=RUN, tag="beep", step="0")
    assert read_wav(response.body[:4044]).seconds == pytest.approx(0.25)
    for cut in (response.body[:30], b"RIFF", b"", b"OggS"):
        with pytest.raises(DecodeError):
            read_wav(cut)


def test_spectrogram_has_its_maximum_at_the_frequency_of_the_clip(logdir: Logdir) -> None:
    clip = {"run": RUN, "tag": "beep", "step": 9}  # a sine of 1 radian per sample: 1273 Hz of at most 4000
    response = call_route(logdir, "audio", "spectrograms", clips=[clip], columns=10, rows=40)
    levels = response.tables[0]["level"].reshape(10, 40)
    assert levels.argmax(axis=1).tolist() == [12] * 10 and levels.max() == 255


def test_series_have_labels(logdir: Logdir) -> None:
    response = call_route(logdir, "audio", "series")
    assert isinstance(response, JsonResult)
    assert response.document["series"][0]["labels"] == [""]

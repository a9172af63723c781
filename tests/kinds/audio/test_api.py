"""Clips as the board asks for them."""

from __future__ import annotations

import pytest

from lossboard.errors import DecodeError
from lossboard.kinds.audio.waveform import read_wav
from lossboard.kinds.routes import JsonResult
from lossboard.store.logdir import Logdir
from tests.kinds.views import RUN, ask


def test_a_waveform_has_the_outline_and_the_length(logdir: Logdir) -> None:
    clip = {"run": RUN, "tag": "beep", "step": 0}
    answer = ask(logdir, "audio", "waveforms", clips=[clip], columns=50)
    (head,), (table,) = answer.head["clips"], answer.tables
    assert (head["rate_hz"], head["channels"], head["seconds"]) == (8000, 1, 0.5)
    assert len(table["low"]) == 50 and table["high"].max() == pytest.approx(1, abs=0.01)


def test_a_cut_clip_is_shown_as_far_as_it_goes_and_an_empty_one_says_so(logdir: Logdir) -> None:
    answer = ask(logdir, "audio", "blob", run=RUN, tag="beep", step="0")
    assert read_wav(answer.body[:4044]).seconds == pytest.approx(0.25)
    for cut in (answer.body[:30], b"RIFF", b"", b"OggS"):
        with pytest.raises(DecodeError):
            read_wav(cut)


def test_a_spectrogram_is_loudest_at_the_pitch_of_the_clip(logdir: Logdir) -> None:
    clip = {"run": RUN, "tag": "beep", "step": 9}  # a sine of 1 radian a sample: 1273 Hz of at most 4000
    answer = ask(logdir, "audio", "spectrograms", clips=[clip], columns=10, rows=40)
    levels = answer.tables[0]["level"].reshape(10, 40)
    assert levels.argmax(axis=1).tolist() == [12] * 10 and levels.max() == 255


def test_series_carry_labels(logdir: Logdir) -> None:
    answer = ask(logdir, "audio", "series")
    assert isinstance(answer, JsonResult)
    assert answer.document["series"][0]["labels"] == [""]

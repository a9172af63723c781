import pytest
from tensorboard.compat.proto.summary_pb2 import Summary

from fake_run import tensor_value
from lossboard.errors import DecodeError
from lossboard.events.tensors import encode_strings
from lossboard.kinds.audio.decode import Clip, samples

WAV = b"RIFF\x00\x00\x00\x00WAVE"


def test_mime_of_an_old_style_clip_is_detected() -> None:
    audio = Summary.Audio(sample_rate=8000, encoded_audio_string=WAV, content_type="text/html")
    clips = samples(Summary.Value(tag="t", audio=audio).SerializeToString())
    assert clips == (Clip(WAV, "", 8000.0),)
    assert clips[0].mime == "audio/wav"


def test_clips_with_labels_are_decoded() -> None:
    data = tensor_value("t", "audio", encode_strings([WAV, b"one", b"x", "zwei\xff".encode("latin-1")], (2, 2)))
    assert samples(data) == (Clip(WAV, "one"), Clip(b"x", "zwei\ufffd"))


def test_clips_without_labels_are_decoded() -> None:
    assert samples(tensor_value("t", "audio", encode_strings([WAV, WAV]))) == (Clip(WAV), Clip(WAV))


def test_matrix_of_another_width_raises() -> None:
    with pytest.raises(DecodeError, match=r"\[n, 2\]"):
        samples(tensor_value("t", "audio", encode_strings([WAV] * 3, (1, 3))))

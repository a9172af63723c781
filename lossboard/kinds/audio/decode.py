"""Audio clips.

old  Summary.Audio {sample_rate 1, num_channels 2, length_frames 3, encoded_audio_string 4, content_type 5}: one clip
new  string tensor [n, 2] of (clip, label) rows, or [n] of clips
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lossboard.errors import DecodeError
from lossboard.events.summary import AUDIO, Value
from lossboard.events.tensors import Tensor
from lossboard.events.wire import Message
from lossboard.kinds.samples import Sample, SampledPoint
from lossboard.kinds.series import Series, series_of
from lossboard.store.run import NO_LIMIT

if TYPE_CHECKING:
    from lossboard.kinds.audio.waveform import Pcm
    from lossboard.store.run import Run


@dataclass(frozen=True, slots=True)
class Clip(Sample):
    """One encoded clip. `sample_rate_hz` is 0 if the record does not state it."""

    label: str = ""
    sample_rate_hz: float = 0.0

    def pcm(self) -> Pcm:
        """Returns the decoded WAV clip: `frames` [frames, channels] from −1 to 1, `rate_hz` and `seconds`."""
        from lossboard.kinds.audio.waveform import read_wav

        return read_wav(self.data)


class AudioStep(SampledPoint[Clip]):
    """The clips of a tag at one step."""

    __slots__ = ()

    @classmethod
    def parse(cls, data: bytes, step: int = 0, wall_time: float = 0.0, hidden: bool = False) -> AudioStep:
        return cls(step, wall_time, hidden, samples(data))


def samples(data: bytes) -> tuple[Clip, ...]:
    """Returns the clips in a Summary.Value."""
    value = Value.parse(data)
    if value.data_field == AUDIO:
        audio = Message(value.body)
        return (Clip(audio.blob(4), sample_rate_hz=audio.float32(1)),)
    tensor = Tensor.of(value)
    strings = tensor.strings()
    if len(tensor.shape) != 2:
        return tuple(Clip(clip) for clip in strings)
    if tensor.shape[1] != 2:
        raise DecodeError(f"Expected an audio tensor of shape [n, 2], got {list(tensor.shape)}")
    return tuple(
        Clip(clip, str(label, "utf-8", "replace")) for clip, label in zip(strings[::2], strings[1::2], strict=True)
    )


def audio(run: Run, tag: str, *, attempts: bool = False, max_bytes: int = NO_LIMIT) -> Series[AudioStep]:
    return series_of(run, "audio", tag, AudioStep.parse, attempts=attempts, max_bytes=max_bytes)

"""The methods of a writer that log images, video, audio, text and meshes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lossboard.events.conversions import as_tag
from lossboard.events.warn_once import warn_once
from lossboard.kinds.audio import encode as audio
from lossboard.kinds.images import encode as images
from lossboard.kinds.meshes import encode as meshes
from lossboard.kinds.text import encode as text
from lossboard.writer.run_files import RunFiles


class MediaMethods(RunFiles):
    """A part of SummaryWriter."""

    def add_image(
        self,
        tag: str,
        img_tensor: Any,
        global_step: int | None = None,
        walltime: float | None = None,
        dataformats: str = "CHW",
    ) -> None:
        """Logs an image: uint8, or floats from 0 to 1. `dataformats` names the axes: CHW, HWC, HW …"""
        self._summary([images.encode_image(as_tag(tag), img_tensor, dataformats=dataformats)], global_step, walltime)

    def add_images(
        self,
        tag: str,
        img_tensor: Any,
        global_step: int | None = None,
        walltime: float | None = None,
        dataformats: str = "NCHW",
    ) -> None:
        """Logs a batch of images as one grid with eight images per row. A list may contain images, as CHW or HWC.

        As in tensorboardX, a list that does not fit is not logged.
        """
        has_one_format = isinstance(img_tensor, (list, tuple)) and len(dataformats) == 3
        try:
            self.add_image(tag, img_tensor, global_step, walltime, f"N{dataformats}" if has_one_format else dataformats)
        except ValueError as error:
            if not isinstance(img_tensor, list) or has_one_format:
                raise
            warn_once(f"add_images with a list logged nothing: {error}")

    def add_image_with_boxes(
        self,
        tag: str,
        img_tensor: Any,
        box_tensor: Any,
        global_step: int | None = None,
        walltime: float | None = None,
        rescale: float | str = 1,
        dataformats: Any = "CHW",
        labels: str | Sequence[str] | None = None,
    ) -> None:
        """Logs an image with boxes (x1, y1, x2, y2 in pixels). Labels are ignored unless there is one per box."""
        if isinstance(rescale, str):  # tensorboardX's order: dataformats, labels
            labels = dataformats if dataformats != "CHW" else labels
            rescale, dataformats = 1, rescale
        names = [labels] if isinstance(labels, str) else labels
        value = images.encode_boxes(
            as_tag(tag), img_tensor, box_tensor, rescale=rescale, dataformats=dataformats, labels=names
        )
        self._summary([value], global_step, walltime)

    def add_figure(
        self,
        tag: str,
        figure: Any,
        global_step: int | None = None,
        close: bool = True,
        walltime: float | None = None,
    ) -> None:
        """Logs a matplotlib figure, or a list of figures as a grid."""
        if isinstance(figure, list):
            pixels = images.figures_pixels(figure, close=close)
            self.add_image(tag, pixels, global_step, walltime, dataformats="NHWC")
        else:
            self.add_image(tag, images.figure_pixels(figure, close=close), global_step, walltime, dataformats="HWC")

    def add_video(
        self,
        tag: str,
        vid_tensor: Any,
        global_step: int | None = None,
        fps: float = 4,
        walltime: float | None = None,
        dataformats: str = "NTCHW",
    ) -> None:
        """Logs videos [N, T, C, H, W] side by side, as an animated GIF."""
        value = images.encode_video(as_tag(tag), vid_tensor, fps=fps, dataformats=dataformats)
        self._summary([value], global_step, walltime)

    def add_audio(
        self,
        tag: str,
        snd_tensor: Any,
        global_step: int | None = None,
        sample_rate: int = 44100,
        walltime: float | None = None,
    ) -> None:
        """Logs audio with values from −1 to 1: one channel, or two channels as [frames, 2]."""
        self._summary([audio.encode(as_tag(tag), snd_tensor, sample_rate=sample_rate)], global_step, walltime)

    def add_text(
        self, tag: str, text_string: str, global_step: int | None = None, walltime: float | None = None
    ) -> None:
        """Logs text, shown as Markdown."""
        self._summary([text.encode(as_tag(tag), text_string)], global_step, walltime)

    def add_mesh(
        self,
        tag: str,
        vertices: Any,
        colors: Any = None,
        faces: Any = None,
        config_dict: Mapping[str, Any] | None = None,
        global_step: int | None = None,
        walltime: float | None = None,
    ) -> None:
        """Logs a mesh or point cloud. Vertices, colors and faces have the shape [batch, N, 3]."""
        self._summary(meshes.encode(as_tag(tag), vertices, colors, faces, config_dict), global_step, walltime)

"""Encoding of images, image grids, boxes, figures and videos as Summary.Image.

    Summary.Image  height 1 · width 2 · colorspace 3 · encoded 4

Arrays come in any order of axes, named by letters: N (which image), C (channels), H, W. Floats are 0 … 1 and clipped,
uint8 is not changed. As in torch, one channel becomes three, and N images become one grid of eight columns.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from lossboard.events.conversions import Array, as_real, as_scalar
from lossboard.events.summary import IMAGE, encode_value
from lossboard.events.warn_once import warn_once
from lossboard.events.wire import bytes_field, uint_field
from lossboard.kinds.images.png import encode_png

Pixels = npt.NDArray[np.uint8]

_COLUMNS = 8
_AXES = {2: "HW", 3: "HWC", 4: "NHWC"}


def encode(tag: str, encoded: bytes, shape: tuple[int, ...]) -> bytes:
    """`shape` is height, width, channels."""
    sizes = b"".join(uint_field(i, size) for i, size in enumerate(shape, 1))
    return encode_value(tag, IMAGE, sizes + bytes_field(4, encoded))


def encode_image(tag: str, image: object, *, dataformats: str) -> bytes:
    pixels = as_pixels(image, dataformats)
    return encode(tag, encode_png(pixels), pixels.shape)


def encode_boxes(
    tag: str, image: object, boxes: object, *, rescale: float, dataformats: str, labels: Sequence[str] | None
) -> bytes:
    """Encodes boxes, rows of x1, y1, x2, y2 in pixels. The stated size is the one before rescaling, as in torch."""
    from lossboard.kinds.images.boxes import draw_boxes

    pixels = as_pixels(image, dataformats)
    rows = as_real(boxes, "Boxes")
    if rows.ndim != 2 or rows.shape[1] < 4:
        raise ValueError(f"Boxes must have the shape [N, 4] (x1, y1, x2, y2), got {list(rows.shape)}")
    rows = rows[:, :4]  # more columns, such as a score and a class, are ignored
    if min(pixels.shape[:2]) * as_scalar(rescale, "rescale") < 1:
        raise ValueError(f"rescale must leave a pixel of {pixels.shape[1]} × {pixels.shape[0]}, got {rescale}")
    if labels is not None and len(labels) != len(rows):
        labels = None
    return encode(tag, encode_png(draw_boxes(pixels, rows, labels, rescale)), pixels.shape)


def encode_video(tag: str, video: object, *, fps: float, dataformats: str) -> bytes:
    """Encodes N × T × C × H × W as an animated GIF. The N videos of a batch play next to each other."""
    array = as_real(video, "A video")
    axes = str(dataformats).upper()
    if sorted(axes) != sorted("NTCHW"):
        raise ValueError(f"dataformats must name each axis of a video once, as NTCHW, got {dataformats!r}")
    if array.ndim == 5:
        array = array.transpose([axes.index(axis) for axis in "NTCHW"])
    if array.ndim != 5 or array.shape[2] not in (1, 3, 4) or 0 in array.shape:
        raise ValueError(f"A video must have the shape [N, T, C, H, W] with C 1, 3 or 4, got {list(array.shape)}")
    fps = as_scalar(fps, "fps")
    if not fps > 0:
        raise ValueError(f"fps must be positive, got {fps}")
    frames = _to_uint8(_video_grid(array))
    return encode(tag, _encode_gif(frames, fps), frames.shape[1:])


def figure_pixels(figure: Any, *, close: bool) -> Pixels:
    """Draws a matplotlib figure. Returns height × width × RGB."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    if not hasattr(figure, "set_canvas"):
        raise TypeError(f"A figure must be matplotlib's, got {type(figure).__name__}: {figure!r:.60}")
    canvas: Any = FigureCanvasAgg(figure)
    canvas.draw()
    pixels: Pixels = np.array(canvas.buffer_rgba())[:, :, :3]
    if close:
        import matplotlib.pyplot

        matplotlib.pyplot.close(figure)
    return pixels


def figures_pixels(figures: Sequence[Any], *, close: bool) -> Pixels:
    """Draws matplotlib figures of equal size. Returns figures × height × width × RGB."""
    drawn = [figure_pixels(figure, close=close) for figure in figures]
    if len({pixels.shape for pixels in drawn}) != 1:
        sizes = [f"{pixels.shape[1]} × {pixels.shape[0]}" for pixels in drawn]
        raise ValueError(f"A list of figures must have some, of one size, got {sizes or 'none'}")
    return np.stack(drawn)


def as_pixels(image: object, dataformats: str) -> Pixels:
    """Returns an image, or a grid of a batch of images, as height × width × channels in bytes."""
    array = as_real(image, "An image")
    order = _axis_order(dataformats)
    if array.ndim != len(order):
        raise ValueError(f"An image of the shape {list(array.shape)} does not fit dataformats={dataformats!r}")
    if array.size == 0:
        raise ValueError(f"An image needs pixels, got the shape {list(array.shape)}")
    is_batch = array.ndim == 4
    pixels = _to_uint8(array).transpose(order)
    if array.ndim == 2:
        pixels = pixels[..., np.newaxis]
    channels = pixels.shape[-1]
    if channels not in ((1, 3, 4) if is_batch else (1, 2, 3, 4)):
        raise ValueError(
            f"An image has 1 to 4 channels (a batch 1, 3 or 4), got {channels}: is dataformats={dataformats!r} right?"
        )
    if channels == 1:
        pixels = np.repeat(pixels, 3, axis=-1)
    return np.ascontiguousarray(make_grid(pixels) if is_batch else pixels)


def _axis_order(dataformats: str) -> list[int]:
    """Returns the axes in the order HW, HWC or NHWC. An unknown last letter is the missing axis, as in torch."""
    axes = str(dataformats).upper()
    order = [axes.find(axis) % len(axes) for axis in _AXES.get(len(axes), "")]
    if not order or sorted(order) != list(range(len(axes))) or len(set(dataformats)) != len(axes):
        raise ValueError(f"dataformats must name each axis once, as HW, CHW, HWC, NCHW, NHWC …, got {dataformats!r}")
    return order


def make_grid(images: Pixels, columns: int = _COLUMNS) -> Pixels:
    """Arranges N × H × W × C in one image, row by row. Empty cells are black."""
    count, height, width, channels = images.shape
    columns = min(count, columns)
    rows = -(-count // columns)
    missing = rows * columns - count
    images = np.concatenate([images, np.zeros((missing, height, width, channels), images.dtype)])
    grid = images.reshape(rows, columns, height, width, channels).swapaxes(1, 2)
    return grid.reshape(rows * height, columns * width, channels)


def _to_uint8(array: Array) -> Pixels:
    if array.dtype == np.uint8:
        return array
    if array.dtype.kind in "iu" and array.max() > 1:
        warn_once(
            "An image of integers other than uint8 is multiplied by 255 and clipped, as in torch. "
            "Pass uint8 (0 to 255) or floats (0 to 1)"
        )
    scaled = np.multiply(array, np.float32(255), dtype=np.float32)
    np.clip(scaled, 0, 255, out=scaled)
    with np.errstate(invalid="ignore"):  # NaN has no color; it is drawn black
        return scaled.astype(np.uint8)


def _video_grid(videos: Array) -> Array:
    """Arranges videos in one grid, T × H × W × C. Their number is padded to a power of two."""
    count, frames, channels, height, width = videos.shape
    cells = 1 << (count - 1).bit_length()
    rows = 1 << ((count.bit_length() - 1) // 2)
    padded = np.zeros((cells, *videos.shape[1:]), videos.dtype)
    padded[:count] = videos
    grid = padded.reshape(rows, cells // rows, frames, channels, height, width).transpose(2, 0, 4, 1, 5, 3)
    return grid.reshape(frames, rows * height, cells // rows * width, channels)


def _encode_gif(frames: Pixels, fps: float) -> bytes:
    from PIL import Image

    first, *rest = (Image.fromarray(frame.squeeze(-1) if frame.shape[-1] == 1 else frame) for frame in frames)
    out = io.BytesIO()
    first.save(out, format="GIF", save_all=True, append_images=rest, duration=1000 / fps, loop=0)
    return out.getvalue()

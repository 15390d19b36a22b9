"""`ImageDrawing`: an image with methods that draw on it, each of which can be chained."""

from __future__ import annotations

from collections.abc import Mapping
from types import NoneType
from typing import Any, TypeVar

import numpy as np

from tk_dist import is_main_process

from ..errors import InvalidSettingsError
from . import geometry
from .canvas import Canvas
from .feature_maps import draw_featmap
from .fonts import anchor, default_font_size, font
from .png import checked_image
from .styles import colors_for_each, one_for_each, opacities_for_each, rgb
from .window import show_image

Self = TypeVar("Self", bound="ImageDrawing")
_MARKER_AREA = 36
_FRAME_KEYS = ("facecolor", "edgecolor", "alpha", "pad", "linewidth")


class ImageDrawing:
    """Draws on the image that was set last; on other ranks than 0 nothing is drawn.

    Coordinates are pixels, x to the right and y downwards; arrays, tensors on any
    device and lists are taken, and one item may leave out its leading dimension. A
    style is one value for all items or a list with one for each. Colours are names
    (``red``, ``#ff0000``, ``g``, ``C0``), whole numbers of 0 to 255 for red, green and
    blue, or ``none``. What lies outside of the image is cut off, with a warning.

    Args:
        image: an image to begin with; see `set_image`.
    """

    def __init__(self, image: np.ndarray | None = None) -> None:
        self._image: np.ndarray | None = None
        self._canvas: Canvas | None = None
        if image is not None:
            self.set_image(image)

    def set_image(self, image: np.ndarray) -> None:
        """Begin anew with an image: ``(h, w, 3)`` or ``(h, w)``, RGB, uint8.

        Raises:
            InvalidSettingsError: it is something else; floats would become black.
        """
        self._image = checked_image(image)
        self._canvas = None

    def get_image(self) -> np.ndarray:
        """The image with all that was drawn: ``(h, w, 3)``, RGB, uint8.

        Raises:
            InvalidSettingsError: no image was set.
        """
        if self._image is None:
            raise InvalidSettingsError("there is no image yet; call set_image first")
        if self._canvas is not None:
            return self._canvas.pixels()
        return self._image if self._image.ndim == 3 else np.stack([self._image] * 3, axis=-1)

    def show(
        self,
        drawn_img: np.ndarray | None = None,
        win_name: str = "image",
        wait_time: float = 0.0,
        continue_key: str = " ",
        backend: str = "matplotlib",
    ) -> Any:
        """Show an image in a window of matplotlib; a notebook gets the figure.

        Args:
            drawn_img: the image; by default the one that is drawn on.
            win_name: title of the window.
            wait_time: seconds until the window closes; 0 waits for the key.
            continue_key: closes the window.
            backend: ``matplotlib``, the only one.

        Raises:
            InvalidSettingsError: another backend.
            MissingExtraError: matplotlib is not installed.
        """
        image = self.get_image() if drawn_img is None else checked_image(drawn_img)
        return show_image(image, win_name, wait_time, continue_key, backend)

    def draw_points(
        self: Self, positions: Any, colors: Any = "g", marker: Any = None, sizes: Any = None
    ) -> Self:
        """Draw points ``(n, 2)``.

        Args:
            positions: of the points.
            colors: of the points.
            marker: ``o`` (also None), ``.``, ``s``, ``D``, ``^``, ``v``, ``x`` or ``+``.
            sizes: area of a marker in square pixels; its width is the square root.
        """
        points = geometry.rows("positions", positions, 2)
        canvas = self._checked_canvas("positions", points)
        count = len(points)
        kinds = one_for_each("marker", marker or "o", count, str)
        areas = one_for_each("sizes", sizes or _MARKER_AREA, count, (int, float))
        for point, kind, area, color in zip(
            points, kinds, areas, colors_for_each("colors", colors, count), strict=True
        ):
            if canvas is not None:
                canvas.marker(tuple(point), kind, area, color)
        return self

    def draw_texts(
        self: Self,
        texts: Any,
        positions: Any,
        font_sizes: Any = None,
        colors: Any = "g",
        vertical_alignments: Any = "top",
        horizontal_alignments: Any = "left",
        font_families: Any = "sans-serif",
        bboxes: Any = None,
        font_properties: Any = None,
    ) -> Self:
        """Draw texts, one at each position ``(n, 2)``.

        Args:
            texts: one text or a list.
            positions: where the texts stand.
            font_sizes: in pixels; by default by the size of the image, at least 10.
            colors: of the letters.
            vertical_alignments: which part of a text lies at its position: ``top``,
                ``center``, ``bottom`` or ``baseline``.
            horizontal_alignments: likewise ``left``, ``center`` or ``right``.
            font_families: ``sans-serif``, or the name or path of a font file.
            bboxes: frames behind the texts: dicts with ``facecolor``, ``edgecolor``,
                ``alpha``, ``pad`` (in parts of the font's size) and ``linewidth``.
            font_properties: font files in place of families, for other scripts; or
                objects with ``get_file()``.
        """
        points = geometry.rows("positions", positions, 2)
        count = len(points)
        written = one_for_each("texts", texts, count, str)
        canvas = self._checked_canvas("positions", points)
        size = default_font_size(self._size)
        sizes = one_for_each("font_sizes", font_sizes or size, count, (int, float))
        vertical = one_for_each("vertical_alignments", vertical_alignments, count, str)
        horizontal = one_for_each("horizontal_alignments", horizontal_alignments, count, str)
        families = one_for_each("font_families", font_families, count, str)
        frames = one_for_each("bboxes", bboxes, count, (Mapping, NoneType))
        properties = one_for_each("font_properties", font_properties, count, object)
        for place, color in enumerate(colors_for_each("colors", colors, count)):
            if canvas is None:
                break
            point, text = tuple(points[place]), written[place]
            letters = font(families[place], sizes[place], properties[place])
            stands = anchor(horizontal[place], vertical[place])
            if (frame := frames[place]) is not None:
                corners = canvas.text_frame(point, text, letters, stands)
                _draw_frame(canvas, corners, frame, sizes[place])
            canvas.text(point, text, letters, color, stands)
        return self

    def draw_lines(
        self: Self,
        x_datas: Any,
        y_datas: Any,
        colors: Any = "g",
        line_styles: Any = "-",
        line_widths: Any = 2,
    ) -> Self:
        """Draw lines.

        Args:
            x_datas: ``(n, 2)``, the x of both ends.
            y_datas: ``(n, 2)``, the y of both ends.
            colors: of the lines.
            line_styles: ``-``, ``--``, ``:`` or ``-.``.
            line_widths: in pixels.
        """
        xs, ys = geometry.rows("x_datas", x_datas, 2), geometry.rows("y_datas", y_datas, 2)
        if len(xs) != len(ys):
            raise InvalidSettingsError(f"x_datas has {len(xs)} lines and y_datas {len(ys)}")
        ends = np.stack([xs, ys], axis=-1)
        canvas = self._checked_canvas("x_datas, y_datas", ends)
        count = len(ends)
        for line, color, style, width in zip(
            ends,
            colors_for_each("colors", colors, count),
            one_for_each("line_styles", line_styles, count, str),
            one_for_each("line_widths", line_widths, count, (int, float)),
            strict=True,
        ):
            if canvas is not None:
                canvas.line([tuple(end) for end in line], color, style, width, 1.0)
        return self

    def draw_circles(
        self: Self,
        center: Any,
        radius: Any,
        edge_colors: Any = "g",
        line_styles: Any = "-",
        line_widths: Any = 2,
        face_colors: Any = "none",
        alpha: Any = 0.8,
    ) -> Self:
        """Draw circles with centres ``(n, 2)`` and radii ``(n,)`` in pixels."""
        centers = geometry.rows("center", center, 2)
        radii = geometry.numbers("radius", radius, len(centers))
        canvas = self._checked_canvas("center", centers)
        shapes = _outlines(len(centers), edge_colors, face_colors, line_styles, line_widths, alpha)
        for middle, size, outline in zip(centers, radii, shapes, strict=True):
            if canvas is not None:
                canvas.circle(tuple(middle), float(size), *outline)
        return self

    def draw_bboxes(
        self: Self,
        bboxes: Any,
        edge_colors: Any = "g",
        line_styles: Any = "-",
        line_widths: Any = 2,
        face_colors: Any = "none",
        alpha: Any = 0.8,
    ) -> Self:
        """Draw boxes ``(n, 4)`` as x1, y1, x2, y2; the pixels of both corners belong to them."""
        corners = geometry.boxes(bboxes)
        canvas = self._checked_canvas("bboxes", corners.reshape(-1, 2, 2))
        shapes = _outlines(len(corners), edge_colors, face_colors, line_styles, line_widths, alpha)
        for box, outline in zip(corners, shapes, strict=True):
            if canvas is not None:
                canvas.box(tuple(box), *outline)
        return self

    def draw_polygons(
        self: Self,
        polygons: Any,
        edge_colors: Any = "g",
        line_styles: Any = "-",
        line_widths: Any = 2,
        face_colors: Any = "none",
        alpha: Any = 0.8,
    ) -> Self:
        """Draw one polygon ``(m, 2)`` or a list of them."""
        given = polygons if isinstance(polygons, list) else [polygons]
        corners = [geometry.rows("polygons", polygon, 2) for polygon in given]
        points = np.concatenate([*corners, np.empty((0, 2))])
        canvas = self._checked_canvas("polygons", points)
        shapes = _outlines(len(corners), edge_colors, face_colors, line_styles, line_widths, alpha)
        for polygon, outline in zip(corners, shapes, strict=True):
            if canvas is not None and len(polygon):
                canvas.polygon([tuple(corner) for corner in polygon], *outline)
        return self

    def draw_binary_masks(
        self: Self, binary_masks: Any, colors: Any = "g", alphas: Any = 0.8
    ) -> Self:
        """Colour the pixels of masks ``(n, h, w)`` or ``(h, w)``, booleans of the image's size."""
        canvas = self._checked_canvas("binary_masks", np.empty((0, 2)))
        masks = geometry.masks(binary_masks, self._size)
        for mask, color, opacity in zip(
            masks,
            colors_for_each("colors", colors, len(masks)),
            opacities_for_each("alphas", alphas, len(masks)),
            strict=True,
        ):
            if canvas is not None:
                canvas.mask(mask, color, opacity)
        return self

    draw_featmap = staticmethod(draw_featmap)

    @property
    def _size(self) -> tuple[int, int]:
        height, width = self.get_image().shape[:2]
        return height, width

    def _checked_canvas(self, name: str, points: np.ndarray) -> Canvas | None:
        """What to draw on, or None where another rank draws."""
        geometry.warn_outside(name, points, self._size)
        if not is_main_process():
            return None
        if self._canvas is None:
            self._canvas = Canvas(self.get_image())
        return self._canvas


def _outlines(
    count: int, edges: Any, faces: Any, styles: Any, widths: Any, opacity: Any
) -> list[tuple[Any, ...]]:
    """Edge, face, line style, width and opacity of each of ``count`` closed shapes."""
    return list(
        zip(
            colors_for_each("edge_colors", edges, count),
            colors_for_each("face_colors", faces, count),
            one_for_each("line_styles", styles, count, str),
            one_for_each("line_widths", widths, count, (int, float)),
            opacities_for_each("alpha", opacity, count),
            strict=True,
        )
    )


def _draw_frame(
    canvas: Canvas,
    corners: tuple[float, float, float, float],
    style: Mapping[str, Any],
    font_size: float,
) -> None:
    if unknown := [key for key in style if key not in _FRAME_KEYS]:
        raise InvalidSettingsError(
            f"the frame of a text has no {unknown[0]!r}; known: {', '.join(_FRAME_KEYS)}"
        )
    pad = style.get("pad", 0.3) * font_size
    x1, y1, x2, y2 = corners
    canvas.box(
        (x1 - pad, y1 - pad, x2 + pad, y2 + pad),
        rgb(style.get("edgecolor", "none")),
        rgb(style.get("facecolor", "none")),
        "-",
        style.get("linewidth", 1),
        float(style.get("alpha", 1.0)),
    )

# SPDX-License-Identifier: MIT
"""Pictures made by code: drawings in SVG and gray images in PNG, with nothing but NumPy."""

import struct
import zlib

import numpy as np

COLOURS = ["#cfe2f3", "#fce5cd", "#d9ead3", "#f4cccc", "#d9d2e9", "#fff2cc", "#d0e0e3", "#ead1dc"]
INK = "#1b1b1b"


class Drawing:
    """An SVG that notebooks show."""

    def __init__(self, width, height, parts):
        head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        head += f'height="{height}" style="max-width:100%" font-family="sans-serif" font-size="12">'
        ground = f'<rect width="{width}" height="{height}" rx="6" fill="#ffffff"/>'
        self.text = head + ground + "".join(parts) + "</svg>"

    def _repr_svg_(self):
        return self.text


class Picture:
    """A PNG that notebooks show."""

    def __init__(self, data):
        self.data = data

    def _repr_png_(self):
        return self.data


def _rectangle(x, y, width, height, colour, stroke="#7a7a7a"):
    place = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"'
    return f'<rect {place} fill="{colour}" stroke="{stroke}"/>'


def _text(x, y, text, anchor="middle", size=12):
    text = str(text).replace("&", "&amp;").replace("<", "&lt;")
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="{INK}">{text}</text>'


def _short(value):
    return f"{value:.3g}" if isinstance(value, (float, np.floating)) else str(value)


def cells(values, colour_by=None, title="", size=30):
    """Draw an array of one or two dimensions as squares with their values, coloured by the integers `colour_by`."""
    values = np.atleast_2d(np.asarray(values))
    colour_by = np.zeros(values.shape, int) if colour_by is None else np.atleast_2d(np.asarray(colour_by)).astype(int)
    top = 26 if title else 6
    rows, columns = values.shape
    parts = [_text(8, 18, title, "start", 13)] if title else []
    for row in range(rows):
        for column in range(columns):
            x, y = 8 + column * size, top + row * size
            parts.append(_rectangle(x, y, size, size, COLOURS[colour_by[row, column] % len(COLOURS)]))
            parts.append(_text(x + size / 2, y + size / 2 + 4, _short(values[row, column].item()), size=size * 0.38))
    return Drawing(max(columns * size, 8 * len(title) - 8) + 16, top + rows * size + 8, parts)


def bars(values, labels=None, title="", unit=""):
    """Draw horizontal bars with their values."""
    values = np.asarray(values, float)
    labels = [str(place) for place in range(len(values))] if labels is None else labels
    margin = 16 + 7 * max(len(label) for label in labels)
    longest = max(float(values.max()), 1e-30)
    top = 30 if title else 8
    parts = [_text(8, 19, title, "start", 13)] if title else []
    for place, (value, label) in enumerate(zip(values, labels)):
        y = top + place * 24
        parts.append(_text(margin - 6, y + 14, label, "end"))
        parts.append(_rectangle(margin, y, 380 * value / longest, 18, COLOURS[place % len(COLOURS)]))
        parts.append(_text(margin + 6 + 380 * value / longest, y + 14, f"{value:.3g} {unit}", "start"))
    return Drawing(margin + 500, top + len(values) * 24 + 8, parts)


def histogram_bars(counts, title=""):
    """Draw counts as thin upright bars."""
    counts = np.asarray(counts, float)
    width = max(2.0, 560 / len(counts))
    highest = max(float(counts.max()), 1)
    parts = [_text(8, 18, title, "start", 13)] if title else []
    for place, count in enumerate(counts):
        height = 130 * count / highest
        parts.append(_rectangle(8 + place * width, 160 - height, width, height, COLOURS[0], "#37629b"))
    return Drawing(16 + width * len(counts), 168, parts)


def timeline(rows, title=""):
    """Draw rows of bars: `rows` maps a name to a list of (start, end, label); times in any unit."""
    last = max(end for bars_ in rows.values() for _, end, _ in bars_)
    scale = 520 / last
    top = 30 if title else 8
    parts = [_text(8, 19, title, "start", 13)] if title else []
    for number, (name, row) in enumerate(rows.items()):
        y = top + number * 30
        parts.append(_text(84, y + 17, name, "end"))
        for start, end, label in row:
            parts.append(_rectangle(92 + start * scale, y, (end - start) * scale, 24, COLOURS[number % len(COLOURS)]))
            parts.append(_text(92 + (start + end) / 2 * scale, y + 16, label))
    return Drawing(630, top + len(rows) * 30 + 8, parts)


def memory_lines(indices, title="", item=4, line=128):
    """Draw which 128-byte lines of memory the elements `indices` lie in, accessed together by a warp."""
    indices = np.asarray(indices)
    numbers = indices * item // line
    lines = np.unique(numbers)
    shown = lines[:16]
    top = 30
    parts = [_text(8, 19, f"{title}: {len(lines)} line(s) of {line} bytes for {len(indices)} threads", "start", 13)]
    per_line = line // item
    for row, number in enumerate(shown):
        used = set((indices[numbers == number] % per_line).tolist())
        y = top + row * 16
        for place in range(per_line):
            parts.append(_rectangle(8 + place * 17, y, 17, 12, "#f3b95f" if place in used else "#f1f1f1"))
    if len(lines) > len(shown):
        parts.append(_text(8, top + len(shown) * 16 + 12, f"... and {len(lines) - len(shown)} more lines", "start"))
    return Drawing(17 * per_line + 24, top + len(shown) * 16 + (24 if len(lines) > len(shown) else 8), parts)


def image(array, scale=3):
    """Show an array of two dimensions with values from 0 to 1 as a gray picture."""
    array = array.get() if hasattr(array, "get") else np.asarray(array)
    gray = (np.clip(np.nan_to_num(array), 0, 1) * 255).astype(np.uint8)
    gray = gray.repeat(scale, axis=0).repeat(scale, axis=1)
    rows = b"".join(b"\0" + row.tobytes() for row in gray)
    head = struct.pack(">IIBBBBB", gray.shape[1], gray.shape[0], 8, 0, 0, 0, 0)

    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    return Picture(
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b"")
    )

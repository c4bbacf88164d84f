# SPDX-License-Identifier: MIT
"""Writes the gallery's pictures, without a package for images."""

import os
import struct
import zlib

import numpy as np
from numpy.typing import NDArray


def save(path: str | os.PathLike[str], pixels: NDArray[np.uint8]) -> None:
    """Write a PNG file.

    Parameters
    ----------
    path : str or path-like
    pixels : ndarray of uint8
        Of shape (height, width) for grey, or (height, width, 3) for red, green and blue.
    """
    if pixels.dtype != np.uint8 or pixels.ndim not in (2, 3) or pixels.shape[2:] not in ((), (3,)):
        raise ValueError(
            f"a picture is uint8 of shape (height, width) or (height, width, 3), not {pixels.dtype} of {pixels.shape}"
        )

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    height, width = pixels.shape[:2]
    # Each row starts with the number of its filter: none.
    rows = np.concatenate([np.zeros((height, 1), np.uint8), pixels.reshape(height, -1)], axis=1)
    header = struct.pack(">IIBBBBB", width, height, 8, 0 if pixels.ndim == 2 else 2, 0, 0, 0)
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header))
        file.write(chunk(b"IDAT", zlib.compress(rows.tobytes(), 9)) + chunk(b"IEND", b""))

# SPDX-License-Identifier: MIT
"""The photograph that the course works on: a night sky, computed so that no file is needed."""

import numpy as np


def night_sky(height=120, width=180, stars=60, seed=1):
    """A gray picture of stars, a band of the Milky Way and noise: float32 from 0 to 1."""
    random = np.random.default_rng(seed)
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    picture = 0.18 * np.exp(-(((y - height * 0.5) - 0.35 * (x - width * 0.5)) ** 2) / (2 * (height * 0.12) ** 2))
    for _ in range(stars):
        row, column = random.uniform(0, height), random.uniform(0, width)
        size, light = random.uniform(0.6, 1.8), random.uniform(0.2, 0.9)
        picture += light * np.exp(-((y - row) ** 2 + (x - column) ** 2) / (2 * size**2))
    picture += random.normal(0, 0.02, picture.shape)
    return np.clip(picture, 0, 1).astype(np.float32)

# SPDX-License-Identifier: MIT
"""The exercises of the lessons about kernels, grids and memory."""

import numpy as np

from .checks import NotYet, answer, compare, exercise, returned
from .own_context import ToDevice, run_checked
from .photos import night_sky


@exercise("square", "each thread reads in[i] and writes out[i] once")
def _square(squared):
    numbers = np.arange(10, dtype=np.float32) - 4  # not the threads' own numbers
    compare(run_checked(squared, numbers).result, numbers**2)


@exercise("stretch", "0.2f is a float; 0.2 would be a double")
def _stretch(stretched):
    photo = night_sky()
    compare(run_checked(stretched, photo).result, photo / (photo + 0.2))


answer(
    "threads",
    21600,
    "One thread for each pixel: 120 launches of 180 threads.",
    "one launch has a thread for each pixel of a row",
)


@exercise("invert", "combine blockIdx.x, blockDim.x and threadIdx.x, and compare with n")
def _invert(inverted):
    photo = night_sky()
    compare(run_checked(inverted, photo).result, 1 - photo)


@exercise("flip", "only the row of the pixel that is read changes")
def _flip(flipped):
    photo = night_sky(123, 181)  # the last blocks of both axes are not full
    compare(run_checked(flipped, photo).result, photo[::-1])


@exercise("stride", "gridDim.x blocks have blockDim.x threads each")
def _stride(doubled):
    flat = night_sky().ravel()
    compare(run_checked(doubled, flat).result, 2 * flat)
    for blocks, threads in ((3, 64), (2, 96)):
        try:
            compare(run_checked(doubled, flat, blocks, threads).result, 2 * flat)
        except NotYet as problem:
            raise NotYet(
                f"Right for 2 blocks of 64 threads, but not for {blocks} of {threads}: compute how many threads the "
                f"grid has. {problem}"
            ) from problem


answer(
    "blocks",
    2816,
    "32 blocks along x (1000 / 32 rounded up) times 88 along y (700 / 8 rounded up).",
    "count the blocks along each axis: where the last one is not full, it is still a block",
)

answer(
    "bytes",
    20,
    "Five copies of 4 MB; launches on data that stays on the device copy nothing.",
    "a float32 has 4 bytes; count the arrays that go to the device, and those that come back",
)


def _stays_on_device(run):
    """Raise NotYet if the result is not an array on the device, or something went through the host on its way."""
    returned(run.result)
    if not run.on_device:
        raise NotYet(f"The result is a {type(run.result).__name__} on the host, expected is a GPUArray.")
    copied = [one for one in run.work if one.kind == "copy" and one.name == "device to host"]
    if copied:
        raise NotYet(
            f"{sum(one.nbytes for one in copied):,} bytes were copied to the host on the way: compute on the device."
        )


@exercise("average", "arrays add and divide as NumPy's do")
def _average(average_of):
    first, second = night_sky(seed=1), night_sky(seed=2)
    run = run_checked(average_of, ToDevice(first), ToDevice(second))
    _stays_on_device(run)
    compare(run.result, (first + second) / 2)


@exercise("stack", "np.mean takes axis=")
def _stack(mean_of):
    exposures = np.random.default_rng(0).normal(0.5, 0.2, (16, 120, 180)).astype(np.float32)
    run = run_checked(mean_of, ToDevice(exposures))
    _stays_on_device(run)
    compare(run.result, exposures.mean(axis=0))

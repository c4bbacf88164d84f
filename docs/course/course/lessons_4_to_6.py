# SPDX-License-Identifier: MIT
"""The exercises of the lessons about what the threads of a block share: tiles, reductions, counters."""

import numpy as np

from .checks import NotYet, answer, compare, exercise
from .own_context import run_checked
from .photos import night_sky
from .traffic import threads_at


def _run_with_shared_memory(function, *arguments):
    """The run, and whether one of its kernels has shared memory; the compiler removes unused one."""

    def sizes(kernels):
        return [one.shared_size_bytes for one in kernels.values()]

    run = run_checked(function, *arguments, look=sizes, count=True)
    return run, run.seen == [] or any(run.seen)


@exercise("rotate", "thread 7 needs element 0: use % 8; the barrier stands between storing and reading")
def _rotate(rotated):
    numbers = 300 - 7 * np.arange(24, dtype=np.int32)  # not the indices
    compare(run_checked(rotated, numbers).result, np.roll(numbers.reshape(3, 8), -1, axis=1).ravel())


@exercise(
    "tiled",
    "this thread's neighbourhood starts at tile[threadIdx.y][threadIdx.x]; the barrier is __syncthreads(), "
    "and every thread of the block reaches it",
)
def _tiled(smoothed):
    noise = np.random.default_rng(3).normal(0, 0.1, (120, 180))
    photo = (night_sky() + noise).clip(0, 1).astype(np.float32)
    padded = np.pad(photo, 1, mode="edge")
    parts = [padded[dy : dy + 120, dx : dx + 180] for dy in range(3) for dx in range(3)]
    run, is_shared = _run_with_shared_memory(smoothed, photo)
    compare(run.result, sum(parts) / 9)
    # Each block loads a tile.
    reads, needed = threads_at(run.counted, "load"), 8 * 12 * 18 * 18
    if not is_shared or reads > 2 * needed:
        how_often = f": global memory is read {reads:,} times, {needed:,} would do" if run.counted else ""
        raise NotYet(f"The result is right, but the kernel does not read the tile for each pixel{how_often}.")


answer(
    "reads",
    (2304, 324),
    "Seven times fewer reads of the slow memory.",
    "each thread of mean_simple reads all pixels of its mean; mean_tiled reads each element of the tile once",
)


@exercise("tree", "only the threads below half add, and all of them reach the barrier behind it")
def _tree(sums_of_blocks):
    photo = night_sky()
    blocks = (photo.size + 255) // 256
    padded = np.zeros(blocks * 256, np.float32)
    padded[: photo.size] = photo.ravel()
    compare(run_checked(sums_of_blocks, photo).result, padded.reshape(blocks, 256).sum(axis=1), tolerance=1e-3)


answer(
    "launches",
    3,
    "10,000,000 -> 39,063 -> 153 -> 1.",
    "divide by 256, and round up, until one number is left",
)


@exercise("maximum", "keep the larger value in the loop, and in the tree")
def _maximum(maximum_of):
    photo = night_sky()
    compare(run_checked(maximum_of, photo).result, photo.max())
    try:
        negative = (photo - 2) * np.float32(1e30)  # below whatever number `largest` might begin with
        compare(run_checked(maximum_of, negative).result, negative.max())
    except NotYet as problem:
        raise NotYet(f"Right for the picture, but not for numbers that are all negative. {problem}") from problem


def _pixels():
    pixels = np.minimum(night_sky(240, 360, stars=150) * 256, 255).astype(np.uint8)
    pixels[7, 11:17] = 199, 200, 201, 200, 0, 255  # on both sides of the limits
    return pixels


def _compare_counts(histogram_of):
    pixels = _pixels()
    run, is_shared = _run_with_shared_memory(histogram_of, pixels)
    compare(run.result, np.bincount(pixels.ravel(), minlength=256))
    return run, is_shared


@exercise("histogram", "the counter is counts[pixels[i]]; its address is &counts[pixels[i]]")
def _histogram(histogram_of):
    _compare_counts(histogram_of)


@exercise("shared", "both places need atomicAdd: several threads, or several blocks, meet at a counter")
def _shared(histogram_by_blocks):
    run, is_shared = _compare_counts(histogram_by_blocks)
    # Each block adds its counters; loops of atomicCAS may take several turns.
    atomics, needed = threads_at(run.counted, "atomic", "reduction"), 8 * 256
    if not is_shared or atomics > 4 * needed:
        how_many = f", {atomics:,} in all where {needed:,} would do" if run.counted else ""
        raise NotYet(
            f"The result is right, but each pixel is an atomic in global memory{how_many}: count in `own` first."
        )


answer(
    "additions",
    (1_000_000, 2048),
    "8 blocks times 256 counters.",
    "histogram adds to global memory for each pixel, histogram_shared for each counter of each block",
)


@exercise("collect", "place is what atomicAdd(length, 1) returns")
def _collect(bright_pixels):
    pixels = _pixels()
    compare(run_checked(bright_pixels, pixels).result, np.flatnonzero(pixels > 200))

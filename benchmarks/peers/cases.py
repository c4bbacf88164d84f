# SPDX-License-Identifier: MIT
"""The rows of the CPU benchmark: kernels, their launches and inputs, how results are compared, and the goals."""

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np


@dataclasses.dataclass(frozen=True)
class Case:
    label: str
    kernel: str
    grid: tuple[int, int]
    block: tuple[int, int]
    #: Arrays go to the device, NumPy scalars are passed as they are.
    arguments: Callable[[np.random.Generator], list[Any]]
    #: Which argument is the result.
    result: int
    #: Relative to the largest result; None: only the sum of the results counts, exactly.
    tolerance: float | None = 0.0
    #: The share of results that may differ more: compilers contract to fused multiply-adds as they like.
    may_differ: float = 0.0
    #: How many times faster than g++ -O3, than the better of PoCL and Intel; None: no goal.
    goals: tuple[float | None, float | None] = (None, None)
    #: The C++ program, if it has another name, and what it takes beyond the kernel's arguments.
    native: str = ""
    native_extra: tuple[Any, ...] = ()
    #: Not written in OpenCL: it has no warp shuffles.
    opencl: bool = True
    #: Whether the runtime may choose other blocks.
    free_blocks: bool = False


def f32(random, n):
    return random.random(n, dtype=np.float32)


def one_d(n, block=256):
    return (-(-n // block), 1), (block, 1)


def matmul(tile, goals):
    n = 1024

    def arguments(random):
        return [random.random((n, n)), random.random((n, n)), np.zeros((n, n)), np.int32(n)]

    label = f"matmul f64 {n}, tiles of {tile}"
    return Case(
        label, f"matmul{tile}", (n // tile,) * 2, (tile, tile), arguments, 2, 1e-10, goals=goals, native="matmul"
    )


def saxpy(label, kernel, n, goals, grid=None, **more):
    def arguments(random):
        return [np.float32(2), f32(random, n), f32(random, n), np.int32(n)]

    blocks = (grid, 1) if grid else one_d(n)[0]
    return Case(label, kernel, blocks, (256, 1), arguments, 2, 1e-6, goals=goals, native="saxpy", **more)


def reduction(label, kernel, n, goals, **more):
    def arguments(random):
        return [f32(random, n), np.zeros(n // 256, np.float32), np.int32(n)]

    return Case(label, kernel, *one_d(n), arguments, 1, 1e-5, goals=goals, native="reduce", **more)


def options(label, kernel, n, goals):
    def arguments(random):
        prices, strikes, years = f32(random, n) * 25 + 5, f32(random, n) * 99 + 1, f32(random, n) * 9 + 1
        return [prices, strikes, years, np.zeros(n, np.float32), np.zeros(n, np.float32), np.int32(n)]

    return Case(label, kernel, *one_d(n), arguments, 3, 1e-5, goals=goals, free_blocks=True)


def picture(label, kernel, n, item, goals=(None, None), extra=()):
    def arguments(random):
        return [np.zeros((n, n), item), np.int32(n), *extra]

    return Case(label, kernel, (n // 16,) * 2, (16, 16), arguments, 0, 1e-3, goals=goals, may_differ=0.03)


def over_pixels(label, kernel, n, item):
    def arguments(random):
        return [(f32(random, n * n) * 255).astype(item), np.zeros(n * n, item), np.int32(n)]

    return Case(label, kernel, (n // 16,) * 2, (16, 16), arguments, 1, 1e-5)


def goal_cases():
    """Those with goals."""
    bodies, points, text = 8192, 1 << 25, 1 << 24
    yield matmul(32, (2.2, 1.2))
    yield matmul(16, (2.2, 1.2))
    yield picture("mandelbrot 1024, 256 steps", "mandelbrot", 1024, np.int32, (15, 1.2), (np.int32(256),))
    yield Case(
        "n-body 8192, shared tiles",
        "nbody",
        *one_d(bodies),
        lambda random: [*(f32(random, bodies) for _ in range(3)), np.zeros(bodies, np.float32), np.int32(bodies)],
        3,
        1e-3,
        goals=(10, 1.3),
    )
    yield options("Black-Scholes 8M", "black_scholes", 1 << 23, (12, 1.05))
    yield Case(
        "pi map 32M",
        "pi_map",
        *one_d(points),
        lambda random: [np.zeros(points, np.float32), np.int32(points)],
        0,
        1e-6,
        goals=(1.05, 1.1),
        free_blocks=True,
    )
    yield saxpy("saxpy 64M", "saxpy", 1 << 26, (1.0, 1.0), free_blocks=True)
    yield saxpy("saxpy 16K, in cache", "saxpy", 1 << 14, (0.95, 3), free_blocks=True)
    yield saxpy("grid-stride saxpy 64M", "saxpy_stride", 1 << 26, (0.8, 7), grid=256)
    yield reduction("tree reduction 4M", "reduce", 1 << 22, (2.0, 30))
    yield reduction("tree reduction 64M", "reduce", 1 << 26, (1.5, 30))
    yield reduction("shuffle reduction 4M", "shuffle_reduce", 1 << 22, (0.7, None), opencl=False)
    yield reduction("shuffle reduction 64M", "shuffle_reduce", 1 << 26, (0.9, None), opencl=False)
    yield Case(
        "shared-atomic histogram 16M",
        "histogram",
        (256, 1),
        (256, 1),
        lambda random: [random.integers(0, 256, text, np.uint8), np.zeros(256, np.int32), np.int32(text)],
        1,
        goals=(0.75, 1.8),
    )


def sparse_arguments(random):
    rows = 1 << 19
    lengths = random.integers(0, 33, rows)
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    columns = random.integers(0, rows, starts[-1], np.int32)
    return [starts, columns, f32(random, starts[-1]), f32(random, rows), np.zeros(rows, np.float32), np.int32(rows)]


def hash_arguments(random):
    keys = random.permutation(1 << 22)[: 1 << 20].astype(np.int32) + 1
    return [keys, np.zeros(1 << 21, np.int32), np.int32(keys.size), np.int32(1 << 21)]


def fft_arguments(random):
    turns = np.exp(-2j * np.pi * np.arange(128) / 256).astype(np.complex64)
    numbers = f32(random, 512 * (1 << 14))
    return [numbers, np.zeros_like(numbers), turns.view(np.float32)]


def search_arguments(random):
    text = random.integers(97, 101, 1 << 24, np.uint8)
    word = np.frombuffer(b"abcabdab", np.uint8).copy()
    return [text, word, np.zeros(text.size, np.uint8), np.int32(text.size), np.int32(word.size)]


def harder_cases():
    """No goals but these: not slower than the better of PoCL and Intel, and a reason where slower than g++ -O3."""
    at_least = (None, 1.0)
    pixels, numbers, threads = 1 << 22, 1 << 22, 1 << 16
    n, draws = np.int32(12), np.int32(256)
    side = 4096
    cases = [
        over_pixels("stencil 4096, 16x16", "stencil", side, np.float32),
        over_pixels("transpose 4096, 16x16", "transpose", side, np.float32),
        Case(
            "scan of blocks 16M, shuffles",
            "scan",
            *one_d(1 << 24),
            lambda random: [random.integers(0, 9, 1 << 24, np.int32), np.zeros(1 << 24, np.int32)],
            1,
            native_extra=(np.int32(1 << 24),),
            opencl=False,
        ),
        Case("sparse matrix x vector", "sparse", *one_d(1 << 19), sparse_arguments, 4, 1e-5),
        Case(
            "12 queens",
            "queens",
            *one_d(12**3, 64),
            lambda random: [np.zeros(12**3, np.int32), n],
            0,
        ),
        Case("hash table, atomics", "hash_insert", *one_d(1 << 20), hash_arguments, 1, None),
        Case(
            "FFT 256 in shared memory",
            "fft",
            (1 << 14, 1),
            (256, 1),
            fft_arguments,
            1,
            1e-4,
            native_extra=(np.int32(1 << 14),),
        ),
        Case("string search 16 MB", "string_search", *one_d(1 << 24), search_arguments, 2),
        picture("ray marching 1024", "ray_march", 1024, np.float32),
        Case(
            "gray from RGB bytes",
            "gray",
            *one_d(pixels),
            lambda random: [
                random.integers(0, 256, 3 * pixels, np.uint8),
                np.zeros(pixels, np.uint8),
                np.int32(pixels),
            ],
            1,
        ),
        over_pixels("blur of bytes 4096, 16x16", "blur_bytes", side, np.uint8),
        Case(
            "exp, cos of doubles 4M",
            "doubles",
            *one_d(numbers),
            lambda random: [random.random(numbers) * 4 - 2, np.zeros(numbers), np.int32(numbers)],
            1,
            1e-12,
        ),
        picture("complex doubles 1024", "julia", 1024, np.float64),
        Case(
            "Monte Carlo, XORWOW",
            "monte_carlo",
            *one_d(threads),
            lambda random: [np.zeros(threads, np.int32), draws],
            0,
            may_differ=0.01,
            native_extra=(np.int32(threads),),
        ),
        options("Black-Scholes 8M with erfcf", "black_scholes_erfc", 1 << 23, (None, None)),
    ]
    for case in cases:
        yield dataclasses.replace(case, goals=at_least if case.opencl else (None, None))


def fronts(random):
    """A graph of 2^20 places with up to 16 edges each, a quarter of them in the front."""
    places = 1 << 20
    starts = np.concatenate([[0], np.cumsum(random.integers(0, 17, places))]).astype(np.int32)
    edges = random.integers(0, places, starts[-1], np.int32)
    levels = random.integers(-1, 3, places, np.int32)
    return [starts, edges, levels, np.zeros(places, np.int32), np.int32(places), np.int32(2)]


def merge_arguments(random):
    parts = [np.sort(random.integers(0, 1 << 30, 1 << 20, np.int32)) for _ in range(2)]
    return [*parts, np.zeros(1 << 21, np.int32), np.int32(1 << 20)]


def search_arguments_sorted(random):
    keys, wanted = (random.integers(0, 1 << 30, 1 << 20, np.int32) for _ in range(2))
    return [np.sort(keys), wanted, np.zeros(1 << 20, np.int32), np.int32(1 << 20), np.int32(1 << 20)]


def matrices(random):
    """Of 32 x 32, well conditioned."""
    numbers = f32(random, 4096 * 1024).reshape(4096, 32, 32) + 32 * np.eye(32, dtype=np.float32)
    return [numbers, np.zeros_like(numbers)]


def varied_cases():
    """Small blocks, wrapping borders, lists, tables, structures, integers, functions."""
    side, rows, bodies, places, tables = 2048, 2000, 1 << 16, 1 << 18, 1 << 14
    cases = [
        Case(
            "alignment, blocks of 16",
            "align",
            (tables, 1),
            (16, 1),
            lambda random: [
                random.integers(-9, 9, tables * 256, np.int32),
                np.zeros(tables * 256, np.int32),
                np.int32(4),
            ],
            1,
            native_extra=(np.int32(tables),),
        ),
        Case("breadth-first search, a step", "search_step", *one_d(1 << 20), fronts, 3),
        Case(
            "cosine transforms, 8x8",
            "cosines",
            (side // 8, side // 8),
            (8, 8),
            lambda random: [
                f32(random, side * side),
                np.zeros(side * side, np.float32),
                f32(random, 64),
                np.int32(side),
            ],
            1,
            1e-5,
        ),
        Case(
            "game of life 2048, torus",
            "life",
            (side // 16,) * 2,
            (16, 16),
            lambda random: [
                random.integers(0, 2, side * side, np.uint8),
                np.zeros(side * side, np.uint8),
                np.int32(side),
            ],
            1,
        ),
        Case(
            "rotations of integers",
            "rotations",
            *one_d(places),
            lambda random: [np.zeros(places, np.uint32), np.int32(100)],
            0,
            native_extra=(np.int32(places),),
        ),
        Case(
            "hue of RGB floats",
            "hue",
            *one_d(1 << 21),
            lambda random: [f32(random, 3 << 21), np.zeros(3 << 21, np.float32), np.int32(1 << 21)],
            1,
            1e-5,
        ),
        Case(
            "softmax of 4096 rows",
            "softmax",
            (4096, 1),
            (256, 1),
            lambda random: [f32(random, 1 << 22), np.zeros(1 << 22, np.float32), np.int32(1024)],
            1,
            1e-5,
            native_extra=(np.int32(4096),),
        ),
        Case(
            "matrix x vector, row a thread",
            "rows_product",
            *one_d(rows),
            lambda random: [
                f32(random, rows * rows),
                f32(random, rows),
                np.zeros(rows, np.float32),
                np.int32(rows),
            ],
            2,
            1e-5,
        ),
        Case(
            "forces of listed neighbours",
            "neighbours",
            *one_d(bodies),
            lambda random: [
                f32(random, 3 * bodies),
                random.integers(0, bodies, 64 * bodies, np.int32),
                np.zeros(3 * bodies, np.float32),
                np.int32(bodies),
            ],
            2,
            1e-3,
        ),
        Case("binary search of 1M", "binary_search", *one_d(1 << 20), search_arguments_sorted, 2),
        Case("LU of 32x32, blocks of 32", "lu", (4096, 1), (32, 1), matrices, 1, 1e-5, native_extra=(np.int32(4096),)),
        Case(
            "checksums by a table",
            "checksums",
            *one_d(tables),
            lambda random: [
                random.integers(0, 256, 256 * tables, np.uint8),
                random.integers(0, 1 << 32, 256, np.uint32),
                np.zeros(tables, np.uint32),
                np.int32(256),
            ],
            2,
            native_extra=(np.int32(tables),),
        ),
        Case("merge of 2 x 1M", "merge_path", *one_d(1 << 17), merge_arguments, 2),
        Case(
            "sparse rows of 16, ELLPACK",
            "ellpack",
            *one_d(places),
            lambda random: [
                f32(random, 16 * places),
                random.integers(0, places, 16 * places, np.int32),
                f32(random, places),
                np.zeros(places, np.float32),
                np.int32(places),
            ],
            3,
            1e-5,
        ),
        Case(
            "powf of 4M",
            "powers",
            *one_d(1 << 22),
            lambda random: [
                f32(random, 1 << 22) * 2 + np.float32(0.1),
                f32(random, 1 << 22) * 4,
                np.zeros(1 << 22, np.float32),
                np.int32(1 << 22),
            ],
            2,
            1e-5,
        ),
        Case(
            "log of doubles 4M",
            "logarithms",
            *one_d(1 << 22),
            lambda random: [random.random(1 << 22) * 9 + 0.1, np.zeros(1 << 22), np.int32(1 << 22)],
            1,
            1e-12,
        ),
    ]
    for case in cases:
        yield dataclasses.replace(case, goals=(None, 1.0))


#: A block of 256 threads meets so many.
BARRIERS = 20000


def barrier_case():
    """No row: no rival has it. Its cost is told a barrier."""
    numbers = [np.zeros(256, np.int32), np.int32(BARRIERS)]
    return Case("barrier, 256 threads", "barriers", (1, 1), (256, 1), lambda random: numbers, 0)


def all_cases():
    yield from goal_cases()
    yield from harder_cases()
    yield from varied_cases()

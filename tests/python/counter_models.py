# SPDX-License-Identifier: MIT
"""The kernels of tests/counters as models: which thread accesses what, in which order. See warp_model."""

import pathlib

import tomllib
from warp_model import number

CORPUS = pathlib.Path(__file__).resolve().parents[1] / "counters"
LAUNCHES = {
    (stem, kernel): launch
    for stem, kernels in tomllib.loads((CORPUS / "launches.toml").read_text()).items()
    for kernel, launch in kernels.items()
}


def launched(kernel):
    """The grid, block, n and bytes of dynamic shared memory of a kernel's launch."""
    launch = next(launch for (_, name), launch in LAUNCHES.items() if name == kernel)
    grid, block = (tuple((launch[name] + [1, 1])[:3]) for name in ("grid", "block"))
    return grid, block, launch["n"], launch.get("shared", 0)


def _copy(m, load, size=4, store=lambda t: t.place, active=lambda t: True):
    m.access("global", "ld", size, load, active)
    m.access("global", "st", size, store, active)


def _exchange(m, stride, size=4, other=lambda t: t.x ^ 32):
    m.access("global", "ld", size, lambda t: t.place)
    m.access("shared", "st", size, lambda t: t.x * stride)
    m.access("shared", "ld", size, lambda t: other(t) * stride)
    m.access("global", "st", size, lambda t: t.place)


def _block_of_16x16(m, n):
    _copy(m, lambda t: t.y * 64 + t.place, store=lambda t: t.y * 64 + t.place)


def _columns_of_8x8(m, n):
    _copy(m, lambda t: t.x * 8 + t.y, store=lambda t: t.ctaid[0] * 64 + t.x * 8 + t.y)


def _transpose(m, n, padding):
    m.access("global", "ld", 4, lambda t: (t.ctaid[1] * 32 + t.y) * n + t.place)
    m.access("shared", "st", 4, lambda t: t.y * (32 + padding) + t.x)
    m.access("shared", "ld", 4, lambda t: t.x * (32 + padding) + t.y)
    m.access("global", "st", 4, lambda t: (t.ctaid[0] * 32 + t.y) * n + t.ctaid[1] * 32 + t.x)


def _transpose_without_tile(m, n):
    _copy(
        m,
        lambda t: (t.ctaid[1] * 8 + t.y) * n + t.place,
        store=lambda t: t.place * n + t.ctaid[1] * 8 + t.y,
    )


def _three_components(m, n):
    for i in range(3):
        m.access("global", "ld", 4, lambda t, i=i: 3 * t.place + i)
    m.access("global", "st", 4, lambda t: t.place)


def _tree_sum(m, at, steps, step_of):
    """`at(thread, step)`: which sum the thread adds to, or None."""
    m.access("global", "ld", 4, lambda t: t.place)
    m.access("shared", "st", 4, lambda t: t.x)
    for step in steps:

        def active(t, step=step):
            return at(t, step) is not None

        m.branch(active)
        for op, extra in (("ld", 0), ("ld", step), ("st", 0)):
            m.access("shared", op, 4, lambda t, step=step, extra=extra: at(t, step) + extra, active)
    _first_thread_stores(m)


def _first_thread_stores(m):
    m.access("shared", "ld", 4, lambda t: 0, lambda t: t.x == 0)
    m.access("global", "st", 4, lambda t: t.ctaid[0], lambda t: t.x == 0)


def _shared_half(m, n):
    def even(t):
        return t.x % 2 == 0

    m.access("global", "ld", 4, lambda t: t.place, even)
    m.access("shared", "st", 4, lambda t: t.x, even)
    m.access("shared", "ld", 4, lambda t: t.x ^ 32, even)
    m.access("global", "st", 4, lambda t: t.place, even)


def _shared_broadcast(m, n):
    m.access("global", "ld", 4, lambda t: t.place)
    m.access("shared", "st", 4, lambda t: t.x)
    m.access("global", "ld", 4, lambda t: 0)
    m.access("shared", "ld", 4, lambda t: number(0))
    m.access("global", "st", 4, lambda t: t.place)


def _shared_quad_for_all(m, n):
    m.access("global", "ld", 16, lambda t: t.place)
    m.access("shared", "st", 16, lambda t: t.x)
    m.access("shared", "ld", 16, lambda t: n & 63)
    m.access("global", "st", 16, lambda t: t.place)


def _shared_dynamic(m, n):
    m.access("global", "ld", 4, lambda t: t.place)
    m.access("shared", "st", 4, lambda t: 2 * t.x)
    m.access("shared", "ld", 4, lambda t: 2 * t.x ^ 64)
    m.access("global", "st", 4, lambda t: t.place)


def _atomic(m, op, element, active=lambda t: True):
    m.access("global", "ld", 4, lambda t: t.place)
    m.access("global", op, 4, element, active)


def _fetch(m, element):
    _atomic(m, "atom", element)
    m.access("global", "st", 4, lambda t: t.place)


def _shared_histogram(m, n):
    m.access("shared", "st", 4, lambda t: t.x)
    m.access("global", "ld", 4, lambda t: t.place)
    m.access("shared", "red", 4, lambda t: number(t.place) % 64)
    m.access("shared", "ld", 4, lambda t: t.x)
    m.access("global", "st", 4, lambda t: t.place)


def _two_ways(m, n, first):
    """The compiler makes one store of both, at an address that it selects."""
    m.access("global", "ld", 4, lambda t: 2 * t.place, first)
    m.access("global", "ld", 4, lambda t: t.place, lambda t: not first(t))
    m.access("global", "st", 4, lambda t: t.place if first(t) else n + t.place)


def _nested_ways(m, n):
    m.access("global", "ld", 4, lambda t: t.place)
    _copy(m, lambda t: n + t.place, active=lambda t: number(t.place) & 3 == 3)
    _copy(m, lambda t: n + 2 * t.place, store=lambda t: 2 * t.place, active=lambda t: number(t.place) & 3 == 1)
    m.access("global", "st", 4, lambda t: n + t.place)


def _early_exit(m, n):
    m.access("global", "ld", 4, lambda t: t.place, lambda t: t.place < n)
    m.access("global", "st", 4, lambda t: t.place, lambda t: t.place < n and number(t.place) % 3 != 0)


def _four_cases(m, n):
    def case(i):
        return lambda t: number(t.place) & 3 == i

    m.access("global", "ld", 4, lambda t: t.place)
    _copy(m, lambda t: n + t.place, active=case(0))
    _copy(m, lambda t: number(t.place), store=lambda t: n + t.place, active=case(1))
    m.access("global", "red", 4, lambda t: number(t.place), case(2))
    m.access("global", "st", 4, lambda t: 2 * n + t.place, case(3))


def _predicated_load(m, n):
    m.access("global", "ld", 4, lambda t: t.place)
    m.access("global", "ld", 4, lambda t: n + number(t.place), lambda t: number(t.place) > 511)
    m.access("global", "st", 4, lambda t: t.place)


def _loops_by_lane(m, n):
    for i in range(8):
        m.access("global", "ld", 4, lambda t, i=i: t.place + 64 * i, lambda t, i=i: i < t.x % 8)
    m.access("global", "st", 4, lambda t: t.place)


def _nested_loops_by_lane(m, n):
    for i in range(3):
        for j in range(4):
            m.access(
                "global",
                "ld",
                4,
                lambda t, i=i, j=j: t.place + 64 * i + j,
                lambda t, i=i, j=j: j < (t.x + i) % 4,
            )
        m.access("global", "st", 4, lambda t, i=i: t.place + 256 * i)


def _left_loop(m, n):
    at = {t: t.x for warp in m.warps for t in warp}
    inside = set(at)
    while inside:
        m.access("global", "ld", 4, at.get, inside.__contains__)
        inside = {t for t in inside if number(at[t]) >= 100}
        even = {t for t in inside if number(at[t]) % 2 == 0}
        m.access("global", "st", 4, at.get, even.__contains__)
        for t in inside:
            at[t] += 32 if t in even else 64
    m.access("global", "st", 4, lambda t: t.place)


def _grid_stride(m, n):
    for first in range(0, n, 128):
        _copy(
            m,
            lambda t, first=first: first + t.place,
            store=lambda t, first=first: first + t.place,
            active=lambda t, first=first: first + t.place < n,
        )


def _local_array(m, n):
    for i in range(16):
        m.access("global", "ld", 4, lambda t, i=i: 64 * i + t.x)
        m.access("local", "st", 4, lambda t, i=i: i)
    sums = {t: 0 for warp in m.warps for t in warp}
    for i in range(4):
        place = {t: (total + i) & 15 for t, total in sums.items()}
        m.access("local", "ld", 4, place.get)
        sums = {t: number(64 * at + t.x) for t, at in place.items()}
    m.access("global", "st", 4, lambda t: t.place)


def _in_a_function(m, n):
    def calls(t):
        return number(t.place) & 4 != 0

    m.access("global", "ld", 4, lambda t: t.place)
    m.access("global", "ld", 4, lambda t: number(t.place), calls)
    m.access("global", "ld", 4, lambda t: 2 * number(t.place), calls)
    m.access("global", "st", 4, lambda t: t.place)


def _two_loads(m, size=4):
    m.access("global", "ld", size, lambda t: t.place)
    m.access("global", "ld", size, lambda t: t.place + 64)
    m.access("global", "st", size, lambda t: t.place)


def _some_lanes_multiply(m, n):
    """The compiler moves the first load to where its value is used."""
    for first in (0, 64):
        m.access("global", "ld", 4, lambda t, first=first: t.place + first, lambda t: t.x % 4 == 1)
    m.access("global", "st", 4, lambda t: t.place, lambda t: t.x % 4 == 1)


def _horner(m, n):
    m.access("global", "ld", 4, lambda t: t.place)
    for i in range(n):
        m.access("global", "ld", 4, lambda t, i=i: i)
    m.access("global", "st", 4, lambda t: t.place)


MODELS = {
    "coalesced": lambda m, n: _copy(m, lambda t: t.place),
    "stride_2": lambda m, n: _copy(m, lambda t: 2 * t.place),
    "stride_8": lambda m, n: _copy(m, lambda t: 8 * t.place),
    "stride_32": lambda m, n: _copy(m, lambda t: 32 * t.place),
    "strided_store": lambda m, n: _copy(m, lambda t: t.place, store=lambda t: 3 * t.place),
    "misaligned_by_1": lambda m, n: _copy(m, lambda t: t.place + 1),
    "misaligned_store": lambda m, n: _copy(m, lambda t: t.place, store=lambda t: t.place + 5),
    "one_for_the_block": lambda m, n: _copy(m, lambda t: t.ctaid[0]),
    "one_for_the_warp": lambda m, n: _copy(m, lambda t: t.place // 32 * 32),
    "one_for_two": lambda m, n: _copy(m, lambda t: t.place // 2),
    "reversed": lambda m, n: _copy(m, lambda t: n - 1 - t.place),
    "permuted": lambda m, n: _copy(m, lambda t: 37 * t.place & (n - 1)),
    "looked_up": lambda m, n: (m.access("global", "ld", 4, lambda t: t.place), _copy(m, lambda t: number(t.place))),
    "scattered": lambda m, n: _copy(m, lambda t: t.place, store=lambda t: number(t.place)),
    "bytes": lambda m, n: _copy(m, lambda t: t.place, 1),
    "bytes_stride_3": lambda m, n: _copy(m, lambda t: 3 * t.place, 1),
    "halves": lambda m, n: _copy(m, lambda t: t.place, 2),
    "doubles": lambda m, n: _copy(m, lambda t: t.place, 8),
    "pairs": lambda m, n: _copy(m, lambda t: t.place, 8),
    "quads": lambda m, n: _copy(m, lambda t: t.place, 16),
    "quads_stride_2": lambda m, n: _copy(m, lambda t: 2 * t.place, 16),
    "quads_for_all": lambda m, n: _copy(m, lambda t: t.ctaid[0], 16),
    "three_components": _three_components,
    "read_only": lambda m, n: _copy(m, lambda t: t.place + 2),
    "guarded": lambda m, n: _copy(m, lambda t: t.place, active=lambda t: t.place < n),
    "every_second_lane": lambda m, n: _copy(m, lambda t: t.place, active=lambda t: t.x % 2 == 0),
    "block_of_16x16": _block_of_16x16,
    "columns_of_8x8": _columns_of_8x8,
    "block_of_5x3x3": lambda m, n: _copy(m, lambda t: t.linear, store=lambda t: 45 * t.ctaid[0] + t.linear),
    "transpose_without_tile": _transpose_without_tile,
    **{
        f"shared_stride_{stride}": lambda m, n, stride=stride: _exchange(m, stride)
        for stride in (1, 2, 3, 4, 8, 16, 32, 33)
    },
    "shared_broadcast": _shared_broadcast,
    "shared_bytes": lambda m, n: _exchange(m, 1, 1, lambda t: 63 - t.x),
    "shared_doubles": lambda m, n: _exchange(m, 1, 8, lambda t: 63 - t.x),
    "shared_doubles_stride_2": lambda m, n: _exchange(m, 2, 8, lambda t: 63 - t.x),
    "shared_quads": lambda m, n: _exchange(m, 1, 16, lambda t: 63 - t.x),
    "shared_quads_stride_2": lambda m, n: _exchange(m, 2, 16, lambda t: 63 - t.x),
    "shared_quad_for_all": _shared_quad_for_all,
    "shared_half_of_the_lanes": _shared_half,
    "shared_dynamic": _shared_dynamic,
    "transpose": lambda m, n: _transpose(m, n, 0),
    "transpose_padded": lambda m, n: _transpose(m, n, 1),
    "tree_sum": lambda m, n: _tree_sum(
        m, lambda t, step: t.x if t.x < step else None, [1 << i for i in range(7, -1, -1)], None
    ),
    "tree_sum_interleaved": lambda m, n: _tree_sum(
        m, lambda t, step: 2 * step * t.x if 2 * step * t.x < 256 else None, [1 << i for i in range(8)], None
    ),
    "add_to_many": lambda m, n: _atomic(m, "red", lambda t: t.place),
    "add_to_looked_up": lambda m, n: _atomic(m, "red", lambda t: number(t.place) // 8),
    "add_float_to_one": lambda m, n: _atomic(m, "red", lambda t: t.ctaid[0]),
    "fetch_of_many": lambda m, n: _fetch(m, lambda t: n + t.place),
    "compare_and_swap": lambda m, n: _fetch(m, lambda t: n + 2 * t.place),
    "some_lanes_add": lambda m, n: _atomic(m, "red", lambda t: t.place, lambda t: number(t.place) & 1),
    "shared_histogram": _shared_histogram,
    "two_ways": lambda m, n: _two_ways(m, n, lambda t: t.x % 4 == 0),
    "ways_by_warp": lambda m, n: _two_ways(m, n, lambda t: t.x // 32 % 2 == 0),
    "nested_ways": _nested_ways,
    "early_exit": _early_exit,
    "four_cases": _four_cases,
    "predicated_load": _predicated_load,
    "loops_by_lane": _loops_by_lane,
    "nested_loops_by_lane": _nested_loops_by_lane,
    "left_loop": _left_loop,
    "grid_stride": _grid_stride,
    "local_array": _local_array,
    "in_a_function": _in_a_function,
    "warp_sum": lambda m, n: (
        m.access("global", "ld", 4, lambda t: t.place),
        m.access("global", "st", 4, lambda t: t.place // 32, lambda t: t.lane == 0),
    ),
    "floats": lambda m, n: _two_loads(m),
    "double_numbers": lambda m, n: _two_loads(m, 8),
    "half_numbers": lambda m, n: _two_loads(m),
    "conversions": lambda m, n: _two_loads(m),
    "some_lanes_multiply": _some_lanes_multiply,
    "horner": _horner,
    "bytes_by_dot_products": lambda m, n: _two_loads(m),
}

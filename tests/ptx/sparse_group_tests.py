# SPDX-License-Identifier: MIT
"""File tests of wgmma with a sparse left factor, in the layouts of wgmma_tests.py."""

import random

from sparse_tests import ORDERED, UNORDERED, chunk_of, metadata
from wgmma_tests import TYPES, drawn, product_of


def sparse(name, kinds, columns, selector=0, *, patterns=ORDERED, **options):
    kind, kind_b = kinds
    depth = 2 * TYPES[kind][1]
    numbers = random.Random(name)
    values, b = drawn(numbers, 64, depth, kind), drawn(numbers, columns, depth, kind_b)
    size, _ = chunk_of(kind)
    a, held, words = [], [], []
    places = []
    for row in values:
        options_of_chunk = [(0,), (1,)] if kind == "tf32" else patterns
        chosen = [numbers.choice(options_of_chunk) for _ in range(depth // size)]
        named = [chunk * size + place for chunk, pair in enumerate(chosen) for place in pair]
        a.append([value if at in set(named) else 0 for at, value in enumerate(row)])
        held.append([row[at] for at in named])
        places.append(chosen)
    for warp in range(4):
        words += metadata(places[16 * warp : 16 * warp + 16], kind, selector, 5 + warp)
    return product_of(name, kinds, (a, b), held, numbers, metadata=(words, selector), **options)


def sparse_warp_groups(suite):
    kernels = []
    for kind in ("f16", "bf16", "tf32"):
        for selector in (0, 1):
            kernels.append(sparse(f"{kind}_from_memory_{selector}", (kind, kind), 16, selector))
            kernels.append(sparse(f"{kind}_from_registers_{selector}", (kind, kind), 8, selector, in_registers=True))
    for kind in ("e4m3", "e5m2"):
        for kind_b in ("e4m3", "e5m2"):
            kernels.append(sparse(f"{kind}_by_{kind_b}", (kind, kind_b), 24))
        kernels.append(sparse(f"{kind}_from_registers", (kind, kind), 8, in_registers=True))
    for kind in ("f16", "e4m3", "e5m2"):
        kernels.append(sparse(f"{kind}_to_f16", (kind, kind), 16, result="f16"))
    kernels.append(sparse("unordered", ("f16", "f16"), 8, 1, patterns=UNORDERED))
    kernels.append(sparse("without_sum", ("bf16", "bf16"), 8, adds=False))
    kernels.append(sparse("factors", ("f16", "f16"), 8, factors=(-1, 1)))
    kernels.append(sparse("widest", ("bf16", "bf16"), 256, 1))
    suite.add("wgmma/sparse_floats", "wgmma of sparse floats", kernels, target="sm_90a")

    kernels = [
        sparse(
            f"{kind}_by_{kind_b}{'_from_registers' if held else ''}",
            (kind, kind_b),
            16,
            result="s32",
            in_registers=held,
        )
        for kind in ("s8", "u8")
        for kind_b in ("s8", "u8")
        for held in (False, True)
    ]
    kernels.append(sparse("saturated", ("s8", "s8"), 24, result="s32", satfinite=True))
    suite.add("wgmma/sparse_integers", "wgmma of sparse bytes", kernels, target="sm_90a")

    kernels = []
    # Columns of b have 64 bytes along k, those of a 32.
    for swizzle in ((32, 64), (64, 128), (128, 128)):
        kernels.append(sparse(f"swizzled_{swizzle[0]}", ("f16", "f16"), 16, swizzle=swizzle))
        kernels.append(sparse(f"bytes_swizzled_{swizzle[0]}", ("s8", "s8"), 16, result="s32", swizzle=swizzle))
    for swizzle in (0, 32, 64, 128):
        options = {"swizzle": (swizzle, swizzle), "transposed": (True, True)}
        kernels.append(sparse(f"transposed_{swizzle}", ("f16", "f16"), 64, **options))
    kernels.append(sparse("b_transposed", ("bf16", "bf16"), 32, 1, swizzle=(128, 64), transposed=(False, True)))
    kernels.append(sparse("a_transposed", ("f16", "f16"), 8, swizzle=(64, 0), transposed=(True, False)))
    suite.add("wgmma/sparse_layouts", "wgmma of sparse, swizzled and transposed matrices", kernels, target="sm_90a")

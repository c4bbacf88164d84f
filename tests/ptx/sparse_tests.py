# SPDX-License-Identifier: MIT
"""File tests of products with a sparse left factor: mma.sp.

The left factor is drawn as a whole matrix that has zeros where it must, and the product is that of whole matrices. What
the instruction is given, the compressed matrix and its metadata, is made of it as the manual's figures say. Lanes whose
metadata does not count hold other bits.
"""

import random

from file_tests import Kernel, samples
from matrix_tests import BITS, lane_registers, listed, product, registers, sums, whole_numbers

ORDERED = [(first, second) for first in range(4) for second in range(first + 1, 4)]
UNORDERED = [(second, first) for first, second in ORDERED]
NAN = {"f16": 0x7E01, "bf16": 0x7FC1, "tf32": 0x7FC00000, "e4m3": 0x7F, "e5m2": 0x7E}


def chunk_of(kind):
    """Elements of a chunk, and how many that are next to each other share a place."""
    return {"tf32": (2, 1), "s4": (8, 2), "u4": (8, 2)}.get(kind, (4, 1))


def sparse_matrix(rows, depth, kind, seed, patterns=ORDERED, same_for_rows=False):
    """A matrix, the compressed one, and for each row the places in each chunk."""
    values = whole_numbers(rows, depth, kind, seed)
    numbers = random.Random(seed)
    size, together = chunk_of(kind)
    whole, compressed, places = [], [], []
    for row in range(rows):
        if row == 0 or not same_for_rows:
            options = [(0,), (1,)] if kind == "tf32" else patterns
            chosen = [numbers.choice(options) for _ in range(depth // size)]
        places.append(chosen)
        dense, held = [0] * depth, []
        for chunk, pair in enumerate(chosen):
            for place in pair:
                for part in range(together):
                    at = chunk * size + place * together + part
                    dense[at] = values[row][at]
                    held.append(values[row][at])
        whole.append(dense)
        compressed.append(held)
    return whole, compressed, places


def nibble(pair):
    if len(pair) == 1:  # the two halves of an element of 32 bits
        return 0b1110 if pair[0] else 0b0100
    return pair[0] | pair[1] << 2


def metadata(places, kind, selector, seed):
    """What each lane holds."""
    words = samples(32, 38, seed)[6:]
    bits = {}
    wide = BITS[kind] >= 16
    chunks = len(places[0])
    holders = chunks // 4 if wide else chunks // 8 * 2
    for row, chosen in enumerate(places):
        for chunk, pair in enumerate(chosen):
            if wide:
                member, shift = chunk // 4, 16 * (row // 8) + 4 * (chunk % 4)
            else:
                member, shift = chunk // 8 * 2 + row // 8, 4 * (chunk % 8)
            lane = row % 8 * 4 + selector * holders + member
            bits[lane] = bits.get(lane, 0) | nibble(pair) << shift
    for lane, word in bits.items():
        words[lane] = word
    return words


def kernel_of(name, form, kinds, words, selector):
    """`words`: what lanes hold of a, b, metadata, c, and what comes out."""
    kind, sum_kind = kinds
    words_a, words_b, words_e, words_c, words_d = words
    lines_a, names_a = lane_registers("a", words_a, 32, 3)
    lines_b, names_b = lane_registers("b", words_b, 32, 8)
    lines_c, names_c = lane_registers("c", words_c, 32, 12)
    lines_e, names_e = lane_registers("e", words_e, 32, 16)
    count = len(words_d) // 32
    held, moves, back = names_c, [], []
    if sum_kind == "f32":
        held = [f"%f{i}" for i in range(count)]
        moves = [f"mov.b32 {held[i]}, {names_c[i]};" for i in range(count)]
        back = [f"mov.b32 {names_c[i]}, {held[i]};" for i in range(count)]
    store = [f"mad.wide.u32 %d, %i, {count * 4}, %d;"]
    store += [f"st.global.b32 [%d+{i * 4}], {names_c[i]};" for i in range(count)]
    operands = ", ".join(listed(names) for names in (held, names_a, names_b, held))
    return Kernel(
        name,
        32,
        [
            ("IN", "a", "u32", words_a),
            ("IN", "b", "u32", words_b),
            ("IN", "e", "u32", words_e),
            ("IN", "c", "u32", words_c),
            ("OUT", "d", "u32", words_d),
        ],
        "\n".join(
            lines_a
            + lines_b
            + lines_c
            + lines_e
            + moves
            + [f"{form} {operands}, {names_e[0]}, {selector};"]
            + back
            + store
        ),
    )


def product_of(depth, kind, sum_kind, selector, *, kind_b=None, form="sp", patterns=ORDERED, suffix="", start=3):
    kind_b = kind_b or kind
    seed = depth + 10 * selector + len(kind)
    a, compressed, places = sparse_matrix(16, depth, kind, seed, patterns)
    b = whole_numbers(8, depth, kind_b, seed + 1)
    result = product(a, b, start)
    if "satfinite" in suffix:
        result = [[max(-(2**31), min(2**31 - 1, value)) for value in row] for row in result]
    words = (
        registers(compressed, kind),
        registers(b, kind_b),
        metadata(places, kind, selector, seed),
        sums([[start] * 8] * 16, sum_kind),
        sums(result, sum_kind),
    )
    text = f"mma.{form}.sync.aligned.m16n8k{depth}.row.col{suffix}.{sum_kind}.{kind}.{kind_b}.{sum_kind}"
    kinds = kind if kind == kind_b else f"{kind}_{kind_b}"
    unordered = "_unordered" if patterns is UNORDERED else ""
    sign = "_low" if start < 0 else ""
    name = f"m16n8k{depth}_{kinds}_{sum_kind}_{form}_{selector}{suffix}{unordered}{sign}"
    return kernel_of(name, text, (kind, sum_kind), words, selector)


def beside_nan(depth, kind, selector):
    """Elements of b that no place names are NaN and do not count."""
    a, compressed, places = sparse_matrix(16, depth, kind, 77, same_for_rows=True)
    b = whole_numbers(8, depth, kind, 78)
    size, _ = chunk_of(kind)
    named = {chunk * size + place for chunk, pair in enumerate(places[0]) for place in pair}
    words_b = registers(b, kind)
    bits, packed = BITS[kind], max(32 // BITS[kind], 1)
    at = 0
    for lane in range(32):
        member = lane % 4
        for first in range(0, depth, 4 * packed):
            for part in range(packed):
                if first + member * packed + part not in named:
                    mask = ((1 << bits) - 1) << bits * part
                    words_b[at] = words_b[at] & ~mask | NAN[kind] << bits * part
            at += 1
    words = (
        registers(compressed, kind),
        words_b,
        metadata(places, kind, selector, 79),
        sums([[3] * 8] * 16, "f32"),
        sums(product(a, b, 3), "f32"),
    )
    text = f"mma.sp::ordered_metadata.sync.aligned.m16n8k{depth}.row.col.f32.{kind}.{kind}.f32"
    return kernel_of(f"beside_nan_m16n8k{depth}_{kind}", text, (kind, "f32"), words, selector)


FORMS = ("sp", "sp::ordered_metadata")


def floats():
    kernels = []
    for kind, kinds_of_sums in (("f16", ("f32", "f16")), ("bf16", ("f32",))):
        for sum_kind in kinds_of_sums:
            kernels += [product_of(16, kind, sum_kind, n, form=FORMS[n % 2]) for n in range(4)]
            kernels += [product_of(32, kind, sum_kind, n, form=FORMS[n]) for n in range(2)]
    kernels += [product_of(8, "tf32", "f32", n, form=FORMS[n % 2]) for n in range(4)]
    kernels += [product_of(16, "tf32", "f32", n, form=FORMS[n]) for n in range(2)]
    kernels += [
        product_of(32, "f16", "f32", 1, patterns=UNORDERED),
        product_of(16, "bf16", "f32", 2, patterns=UNORDERED),
    ]
    kernels += [beside_nan(16, "f16", 1), beside_nan(32, "bf16", 1), beside_nan(16, "tf32", 0)]
    return kernels


def integers():
    kernels = []
    for bits, shapes in ((8, (32, 64)), (4, (64, 128))):
        for kind in (f"s{bits}", f"u{bits}"):
            for kind_b in (f"s{bits}", f"u{bits}"):
                kernels += [product_of(shapes[0], kind, "s32", n, kind_b=kind_b, form=FORMS[n]) for n in range(2)]
                kernels.append(product_of(shapes[1], kind, "s32", 0, kind_b=kind_b))
        signed = f"s{bits}"
        kernels.append(product_of(shapes[1], signed, "s32", 0, patterns=UNORDERED))
        kernels += [
            product_of(depth, signed, "s32", 0, form=FORMS[1], suffix=".satfinite", start=start)
            for depth, start in zip(shapes, (2**31 - 20, 20 - 2**31), strict=True)
        ]
    return kernels


def small_floats():
    kernels = [
        product_of(64, a, "f32", 0, kind_b=b, form=form)
        for a in ("e4m3", "e5m2")
        for b, form in (("e4m3", FORMS[0]), ("e5m2", FORMS[1]))
    ]
    return kernels + [
        product_of(64, "e4m3", "f32", 0, patterns=UNORDERED),
        beside_nan(64, "e4m3", 0),
        beside_nan(64, "e5m2", 0),
    ]


def sparse_matrices(suite):
    suite.add("matrix/sparse_floats", "mma.sp of f16, bf16 and tf32", floats())
    suite.add("matrix/sparse_integers", "mma.sp of bytes and of 4 bits", integers())
    suite.add("small_floats/sparse", "mma.sp of floats of 8 bits", small_floats(), target="sm_89")

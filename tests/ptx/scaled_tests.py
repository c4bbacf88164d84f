# SPDX-License-Identifier: MIT
"""File tests of mma.sync of floats of 8, 6 and 4 bits (.kind), with scales along k and without.

The numbers are small, and so are the exponents of the scales, so that sums are exact whatever their order. Lane 4 g + t
holds rows and columns as in matrix_tests; the scales of rows g and 8 + g lie in two neighbours of group g, those of
column n in one lane of group n (the manual's section on block scaling).
"""

import struct
from fractions import Fraction

from file_tests import Kernel, samples
from matrix_tests import lane_registers, listed, sums
from narrow_tests import E2M1, E2M3, E3M2, E4M3, E5M2

FORMATS = {"e4m3": E4M3, "e5m2": E5M2, "e2m3": E2M3, "e3m2": E3M2, "e2m1": E2M1}
NUMBERS = [0, 0.5, 1, 1.5, 2, 3, -0.5, -1, -1.5, -2, -3, 1]
NAN = 0x7FFFFFFF


def code_of(kind, number):
    """In a byte, or of packed e2m1 (kind "packed") in four bits."""
    target = FORMATS["e2m1" if kind == "packed" else kind]
    code = target.nearest(abs(number)) | (number < 0) << target.bits - 1
    return code << 2 if kind == "e2m1" else code


def matrix(rows, depth, seed):
    drawn = iter(samples(32, rows * depth + 6, seed)[6:])
    return [[NUMBERS[(next(drawn) >> 9) % 12] for _ in range(depth)] for _ in range(rows)]


def words_of(rows, kind):
    bits = 4 if kind == "packed" else 8
    packed = 32 // bits
    words = []
    for lane in range(32):
        group, member = divmod(lane, 4)
        for start in range(0, len(rows[0]), 4 * packed):
            for row in range(group, len(rows), 8):
                parts = rows[row][start + member * packed :][:packed]
                words.append(sum(code_of(kind, part) << bits * i for i, part in enumerate(parts)))
    return words


def bits_of_float(number):
    return int.from_bytes(struct.pack("<f", number), "little")


def exact(number):
    """A sum as a float that is exactly it."""
    result = float(number)
    assert Fraction(struct.unpack("<f", struct.pack("<f", result))[0]) == number
    return result


class Scales:
    """Codes of scales of 16 rows and 8 columns, and where they lie."""

    def __init__(self, kind, blocks, seed, selectors, codes):
        drawn = iter(samples(32, 24 * blocks + 6, seed)[6:])
        self.kind, self.blocks, self.selectors = kind, blocks, selectors
        self.rows, self.columns = (
            [[codes[(next(drawn) >> 11) % len(codes)] for _ in range(blocks)] for _ in range(count)]
            for count in (16, 8)
        )

    def value(self, code):
        """None for NaN."""
        if self.kind == "ue8m0":
            return None if code == 0xFF else Fraction(2) ** (code - 127)
        value = E4M3.values[code & 0x7F]
        return None if value == "NaN" else Fraction(value)

    def words(self):
        """Of each lane the registers of the rows' and of the columns' scales; the rest of both is something else."""
        byte_a, member_a, byte_b, member_b = self.selectors
        words = samples(32, 70, 77)[6:]

        def put(place, byte, codes):
            for i, code in enumerate(codes):
                shift = 8 * (byte + i)
                words[place] = words[place] & ~(0xFF << shift) | code << shift

        for row, codes in enumerate(self.rows):
            put(2 * (4 * (row % 8) + 2 * member_a + row // 8), byte_a, codes)
        for column, codes in enumerate(self.columns):
            put(2 * (4 * column + member_b) + 1, byte_b, codes)
        return words


def product(a, b, initial, scales):
    """The bits of each sum in f32, or the sums themselves where there are no scales."""

    def one(i, j):
        total = Fraction(initial)
        for k, (x, y) in enumerate(zip(a[i], b[j], strict=True)):
            term = Fraction(x) * Fraction(y)
            if scales:
                block = k * scales.blocks // len(a[i])
                left, right = scales.value(scales.rows[i][block]), scales.value(scales.columns[j][block])
                if left is None or right is None:
                    return NAN
                term *= left * right
            total += term
        return bits_of_float(exact(total)) if scales else exact(total)

    return [[one(i, j) for j in range(len(b))] for i in range(len(a))]


def mma(depth, words, kind_a, kind_b, sum_kind="f32", scales=None, registers=False):
    """`words` are the instruction's between its layouts and its types; selectors are constants or in registers."""
    a, b = matrix(16, depth, depth + len(kind_a)), matrix(8, depth, depth + len(words))
    initial = [[3] * 8] * 16
    found = product(a, b, 3, scales)
    of_lane = sums(found, "s32" if scales else sum_kind)
    lines, names = [], {}
    inputs = [("a", words_of(a, kind_a), 3), ("b", words_of(b, kind_b), 8), ("c", sums(initial, sum_kind), 12)]
    if scales:
        inputs.append(("s", scales.words(), 17))
    for name, values, first in inputs:
        more, names[name] = lane_registers(name, values, 32, first)
        lines += more
    held = names["c"]
    if sum_kind == "f32":
        held = [f"%f{i}" for i in range(len(held))]
        lines += [f"mov.b32 {f}, {t};" for f, t in zip(held, names["c"], strict=True)]
    operands = [listed(names_of) for names_of in (held, names["a"], names["b"], held)]
    if scales:
        chosen = [str(selector) for selector in scales.selectors]
        if registers:
            lines += [f"mov.u16 %h{i}, {selector};" for i, selector in enumerate(chosen)]
            chosen = [f"%h{i}" for i in range(4)]
        operands += [names["s"][0], listed(chosen[:2]), names["s"][1], listed(chosen[2:])]
    types = [kind if kind != "packed" else "e2m1" for kind in (sum_kind, kind_a, kind_b, sum_kind)]
    text = ".".join(
        ["mma.sync.aligned", f"m16n8k{depth}", "row.col", words, *types] + ([scales.kind] if scales else [])
    )
    store = ["mad.wide.u32 %d, %i, " + f"{4 * len(held)}, %d;"]
    store += [f"st.global.b32 [%d+{4 * i}], {name};" for i, name in enumerate(held)]
    suffix = "_".join(map(str, scales.selectors)) + "r" * registers if scales else ""
    return Kernel(
        f"mma_k{depth}_{words}_{'_'.join(types)}_{scales.kind if scales else ''}{suffix}",
        32,
        [("IN", name, "u32", values) for name, values, _ in inputs] + [("OUT", "d", "u32", of_lane)],
        "\n".join([*lines, f"{text} {', '.join(operands)};", *store]),
    )


def extreme():
    """Scales that no float has as their product, and terms of ordinary size; a NaN."""
    a, b = [[0.5] + [0] * 31 for _ in range(16)], [[1] + [0] * 31 for _ in range(8)]
    scales = Scales("ue8m0", 1, 5, (0, 0, 0, 0), [127])
    scales.rows = [[254], [0], [255], [130]] * 4
    scales.columns = [[0], [254], [127], [255], [1], [253], [126], [128]]
    wanted = []
    for row in scales.rows:
        for column in scales.columns:
            exponent = row[0] + column[0] - 255
            if 255 in (row[0], column[0]):
                wanted.append(NAN)
            else:
                wanted.append(0x7F800000 if exponent > 127 else 0 if exponent < -149 else bits_of_float(2.0**exponent))
    found = [wanted[8 * i : 8 * i + 8] for i in range(16)]
    lines = []
    names = {}
    inputs = [("a", words_of(a, "e5m2"), 3), ("b", words_of(b, "e4m3"), 8), ("s", scales.words(), 17)]
    for name, values, first in inputs:
        more, names[name] = lane_registers(name, values, 32, first)
        lines += more
    lines += [f"mov.f32 %f{i}, 0f00000000;" for i in range(4)]
    held = listed([f"%f{i}" for i in range(4)])
    operands = f"{held}, {listed(names['a'])}, {listed(names['b'])}, {held}"
    scale_operands = f"{{{names['s'][0]}}}, {{0, 0}}, {{{names['s'][1]}}}, {{0, 0}}"
    text = "mma.sync.aligned.kind::mxf8f6f4.block_scale.scale_vec::1X.m16n8k32.row.col.f32.e5m2.e4m3.f32.ue8m0"
    lines += [f"{text} {operands}, {scale_operands};", "mad.wide.u32 %d, %i, 16, %d;"]
    lines += [f"st.global.f32 [%d+{4 * i}], %f{i};" for i in range(4)]
    return Kernel(
        "extreme_scales",
        32,
        [("IN", name, "u32", values) for name, values, _ in inputs] + [("OUT", "d", "u32", sums(found, "s32"))],
        "\n".join(lines),
    )


POWERS = [124, 125, 126, 127, 128, 129]
FOURTHS = [0x30, 0x38, 0x3C, 0x40, 0x28, 0x34, 0xB8]  # 0.5, 1, 1.5, 2, 0.25, 0.75; of the last bit 7 does not count


def scaled_matrices(suite):
    kinds = list(FORMATS)
    plain = [mma(32, "kind::f8f6f4", a, b, total) for a in kinds for b in kinds for total in ("f32", "f16")]
    suite.add("matrix_kinds/mma_f8f6f4", "mma.sync of floats of 8, 6 and 4 bits", plain, target="sm_120a")
    scaled = []
    for i, (a, b) in enumerate((a, b) for a in kinds for b in kinds):
        scales = Scales("ue8m0", 1, 40 + i, (i % 4, i % 2, i // 4 % 4, i // 2 % 4), POWERS)
        scaled.append(mma(32, "kind::mxf8f6f4.block_scale.scale_vec::1X", a, b, scales=scales, registers=i % 3 == 0))
    for kind, letters in (("mxf4", ""), ("mxf4", ".scale_vec::2X"), ("mxf4nvf4", ".scale_vec::2X")):
        for i, selectors in enumerate(((0, 0, 0, 0), (2, 1, 2, 3), (0, 1, 2, 2), (2, 0, 0, 1))):
            scales = Scales("ue8m0", 2, 70 + i, selectors, POWERS)
            words = f"kind::{kind}.block_scale{letters}"
            scaled.append(mma(64, words, "packed", "packed", scales=scales, registers=i == 3))
    for i, selectors in enumerate(((0, 0, 0, 0), (0, 1, 0, 3))):
        scales = Scales("ue4m3", 4, 90 + i, selectors, FOURTHS)
        scaled.append(mma(64, "kind::mxf4nvf4.block_scale.scale_vec::4X", "packed", "packed", scales=scales))
    idea = "mma.sync of floats of 8, 6 and 4 bits with scales"
    suite.add("matrix_kinds/mma_scaled", idea, [*scaled, extreme()], target="sm_120a")
    scales = Scales("ue8m0", 4, 95, (0, 1, 0, 2), POWERS)
    newer = [mma(64, "kind::mxf4nvf4.block_scale.scale_vec::4X", "packed", "packed", scales=scales)]
    suite.add("matrix_kinds/mma_four_powers", f"{idea}, four exponents each", newer, target="sm_120a", version="9.1")

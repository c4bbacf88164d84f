# SPDX-License-Identifier: MIT
"""File tests of cvt to halves that stays finite, or rounds by random bits.

What must come out is found on the grid of the target's numbers, in exact fractions.
"""

from bisect import bisect
from fractions import Fraction
from math import frexp, ldexp

from file_tests import Kernel, at, samples
from narrow_tests import BF16, BLOCK, F16, INFINITY, NAN, decode_f32, filled, partner, to_16_bits

TARGETS = {"f16": (F16, 13), "bf16": (BF16, 16)}
CORNERS = [0, 0x80000000, 1, 0x80000001, 0x7F7FFFFF, 0xFF7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00001]
# Around the largest half and bfloat and what follows them, the least normal numbers, and the least of all.
CORNERS += [0x477FE000, 0x477FEFFF, 0x477FF000, 0xC77FFFFF, 0x47800000, 0x47801FFF, 0x7F7F0000, 0x7F7F8000, 0xFF7F7FFF]
CORNERS += [0x387FFFFF, 0x38800000, 0x387FE000, 0x33800000, 0x337FFFFF, 0xB3000001, 0x32FFFFFF, 0x007FFFFF, 0x00800000]
RANDOM = [0, 0xFFFF, 0x1FFF, 0x1000, 0x0FFF, 0x8000, 0x7FFF, 1, 0xE000, 0xFFFE]


def inputs():
    """Corners and numbers of all sizes, among them many that halves have room for."""
    words = CORNERS + samples(32, 100, 5)
    words += [word & 0x807FFFFF | (98 + i % 48) << 23 for i, word in enumerate(samples(32, 150, 6))]
    return filled(words)


def toward_zero(target, magnitude):
    """The code of the largest finite number up to a magnitude."""
    return target.finite[bisect(target.finite, (magnitude, 1 << 16)) - 1][1]


def at_random(name, number, random, relu, saturates):
    """Away from zero if what is left out, in steps of the last of its upper bits, has a carry with the random bits."""
    target, bits = TARGETS[name]
    negative, magnitude = number
    if magnitude == NAN:
        return 0x7FFF
    if relu and negative:
        return 0
    if magnitude == INFINITY:
        return negative << 15 | target.infinite - saturates
    exponent = max(frexp(magnitude)[1] - 1, 1 - target.bias) if magnitude else 1 - target.bias
    rest = Fraction(magnitude) / Fraction(ldexp(1, exponent - target.mantissa_bits)) % 1
    carry = int(rest * (1 << bits)) + random % (1 << bits) >> bits
    code = toward_zero(target, magnitude) + carry
    return negative << 15 | min(code, target.infinite - saturates)


def pairs(form, name, result, random=None):
    """`form` of pairs of f32, with random bits for both halves."""
    lower = inputs()
    upper = partner(lower)
    chance = [(0, 0)] * len(lower)
    if random:
        chance = [(random[i % 10], random[i // 10 % 10]) for i in range(len(lower))]
    words = [
        result(decode_f32(a), high) << 16 | result(decode_f32(b), low)
        for a, b, (high, low) in zip(upper, lower, chance, strict=True)
    ]
    parameters = [("IN", "a", "u32", upper), ("IN", "b", "u32", lower)]
    if random:
        parameters.append(("IN", "c", "u32", [high << 16 | low for high, low in chance]))
    return Kernel(
        f"{form}.{name}x2",
        BLOCK,
        [*parameters, ("OUT", "r", "u32", words)],
        f"""
        {at("a", 32)} {at("b", 32)} {at("r", 32)} {at("c", 32) if random else ""}
        ld.global.f32 %f0, [%a]; ld.global.f32 %f1, [%b];
        {"ld.global.b32 %t3, [%c];" if random else ""}
        cvt.{form}.{name}x2.f32 %t9, %f0, %f1{", %t3" if random else ""};
        st.global.u32 [%r], %t9;""",
        grid=len(words) // BLOCK,
    )


def single(form, name, result):
    lower = inputs()
    return Kernel(
        f"{form}.{name}",
        BLOCK,
        [("IN", "a", "u32", lower), ("OUT", "r", "u32", [result(decode_f32(word)) for word in lower])],
        f"""
        {at("a", 32)} {at("r", 32)}
        ld.global.f32 %f0, [%a];
        cvt.{form}.{name}.f32 %h1, %f0;
        cvt.u32.u16 %t9, %h1;
        st.global.u32 [%r], %t9;""",
        grid=len(lower) // BLOCK,
    )


def finite(name, number, up_to_half, relu):
    """Rounded to the nearest, or toward zero; never infinite."""
    target, _ = TARGETS[name]
    if up_to_half or number[1] in (NAN, INFINITY):
        return to_16_bits(target, number, relu, True)
    negative, magnitude = number
    return 0 if relu and negative else negative << 15 | toward_zero(target, magnitude)


def half_rounding(suite):
    saturating, random = [], []
    for name in TARGETS:
        for relu in (False, True):
            for rounding in ("rn", "rz"):

                def result(number, _=0, name=name, nearest=rounding == "rn", relu=relu):
                    return finite(name, number, nearest, relu)

                form = rounding + ".satfinite" + ".relu" * relu
                saturating.append(single(form, name, result))
                saturating.append(pairs(form, name, result))
            for saturates in (False, True):

                def by_chance(number, bits, name=name, relu=relu, saturates=saturates):
                    return at_random(name, number, bits, relu, saturates)

                form = "rs" + ".satfinite" * saturates + ".relu" * relu
                random.append(pairs(form, name, by_chance, RANDOM))
    idea = "cvt to halves and pairs of them that are never infinite"
    suite.add("syntax/finite_halves", idea, saturating, target="sm_80")
    suite.add("blackwell/random_rounding", "cvt.rs to pairs of halves", random, target="sm_100a")

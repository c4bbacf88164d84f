# SPDX-License-Identifier: MIT
"""File tests of cvt to and from floats of 8, 6 and 4 bits, exponents alone and fixed-point numbers.

What must come out is found among all codes of a format; Python's floats have each of their values exactly, and what
lies halfway between two.
"""

import struct
from bisect import bisect
from math import ldexp

from file_tests import Kernel, at, samples

NAN, INFINITY = "NaN", "infinity"


class Format:
    """Sign, exponent, mantissa."""

    def __init__(self, exponent_bits, mantissa_bits, specials="none", container=8):
        self.mantissa_bits, self.bits = mantissa_bits, 1 + exponent_bits + mantissa_bits
        self.bias, self.specials, self.container = (1 << exponent_bits - 1) - 1, specials, container
        self.codes = range(1 << self.bits - 1)
        self.values = [self.magnitude(code) for code in self.codes]
        self.infinite = self.values.index(INFINITY) if specials == "ieee" else None
        self.finite = [(value, code) for code, value in enumerate(self.values) if isinstance(value, float)]

    def magnitude(self, code):
        exponent, fraction = code >> self.mantissa_bits, code & ((1 << self.mantissa_bits) - 1)
        if self.specials == "ieee" and exponent == len(self.codes) - 1 >> self.mantissa_bits:
            return NAN if fraction else INFINITY
        if self.specials == "one NaN" and code == len(self.codes) - 1:
            return NAN
        hidden = (exponent > 0) << self.mantissa_bits
        return ldexp(hidden + fraction, max(exponent, 1) - self.bias - self.mantissa_bits)

    def decode(self, code):
        """Whether it is negative, and its magnitude."""
        return bool(code >> self.bits - 1 & 1), self.values[code & len(self.codes) - 1]

    def nearest(self, magnitude):
        """The finite code next to a magnitude, the even one of two."""
        at = bisect(self.finite, (magnitude, 0))
        return min(self.finite[max(at - 1, 0) : at + 1], key=lambda one: (abs(one[0] - magnitude), one[1] & 1))[1]


F16, BF16 = Format(5, 10, "ieee"), Format(8, 7, "ieee")
E4M3, E5M2 = Format(4, 3, "one NaN"), Format(5, 2, "ieee")
E2M3, E3M2, E2M1 = Format(2, 3), Format(3, 2), Format(2, 1, container=4)
POWERS = [ldexp(1, code - 127) for code in range(256)]
FORMATS = {"e4m3": E4M3, "e5m2": E5M2, "e2m3": E2M3, "e3m2": E3M2, "e2m1": E2M1}


def decode_f32(word):
    exponent, fraction = word >> 23 & 0xFF, word & 0x7FFFFF
    if exponent == 0xFF:
        return bool(word >> 31), NAN if fraction else INFINITY
    hidden = (exponent > 0) << 23
    return bool(word >> 31), ldexp(hidden + fraction, max(exponent, 1) - 150)


def to_narrow(name, number, relu):
    """The code of a number; NaN is the largest one, or the format's own."""
    target = FORMATS[name]
    negative, magnitude = number
    if relu and negative and magnitude != NAN:
        return 0
    sign = negative << target.bits - 1
    largest = target.finite[-1][1]
    if magnitude == NAN:
        return 0x7F if target.specials != "none" else largest
    if magnitude == INFINITY or magnitude > target.values[largest]:
        return sign | largest
    return sign | target.nearest(magnitude)


def to_exponent(number, up, saturates):
    _, magnitude = number
    if magnitude == NAN:
        return 0xFF
    if magnitude == INFINITY:
        return 0xFE if saturates else 0xFF
    code = max(bisect(POWERS, magnitude) - 1, 0)
    if up and POWERS[code] < magnitude:
        code += 1
    return min(code, 0xFE) if saturates else code


def to_16_bits(target, number, relu, saturates):
    negative, magnitude = number
    if magnitude == NAN:
        return 0x7FFF
    if relu and negative:
        return 0
    sign = negative << 15
    infinite = target.infinite
    # Half a step beyond the largest number all is infinity.
    step = target.values[infinite - 1] - target.values[infinite - 2]
    if magnitude == INFINITY or magnitude >= target.values[infinite - 1] + step / 2:
        return sign | infinite - saturates
    return sign | target.nearest(magnitude)


def f32_inputs(formats):
    """Codes, what lies halfway between them, and their neighbours; what is too large, too small or none."""
    words = [0, 0x80000000, 1, 0x80000001, 0x007FFFFF, 0x00800000, 0x7F7FFFFF, 0xFF7FFFFF, 0x7F800000, 0xFF800000]
    words += [
        0x7FC00000,
        0xFFC00001,
        0x7F800001,
        0x7FFFFFFF,
        0x3F800000,
        0xBF800000,
        0x00400000,
        0x00400001,
        0x00200000,
    ]
    for one in formats:
        values = [value for value, _ in one.finite]
        for low, high in zip(values, values[1:]):
            for value in (low, (low + high) / 2):
                word = int.from_bytes(struct.pack("<f", float(value)), "little")
                words += [word, max(word - 1, 0), word + 1, word | 0x80000000]
        top = int.from_bytes(struct.pack("<f", float(values[-1] + (values[-1] - values[-2]) / 2)), "little")
        words += [top - 1, top, top + 1, top | 0x80000000]
    return filled(words)


def inputs_16(source, name):
    wanted = [
        0,
        0x8000,
        1,
        0x8001,
        0x7FFF,
        0xFFFF,
        source.infinite,
        source.infinite | 0x8000,
    ]
    values = [value for value, _ in FORMATS[name].finite]
    for low, high in zip(values, values[1:]):
        for value in (low, (low + high) / 2):
            word = source.nearest(value)
            wanted += [word, max(word - 1, 0), word + 1, word | 0x8000]
    return filled(wanted + samples(16, 160, 3))


def partner(values):
    """Other values for the other half of pairs."""
    return values[5:] + values[:5]


BLOCK = 64


def filled(values):
    """As many as whole blocks have."""
    return values + values[: -len(values) % BLOCK]


def from_floats(form, target, inputs, result):
    """`form` of pairs of f32."""
    upper, lower = partner(inputs), inputs
    words = [result(decode_f32(a)) << target.container | result(decode_f32(b)) for a, b in zip(upper, lower)]
    return kernel(form, [("a", "u32", upper), ("b", "u32", lower)], words, target.container, "%f0, %f1")


def from_halves(form, source, target, inputs, result):
    upper, lower = partner(inputs), inputs
    words = [result(source.decode(a)) << target.container | result(source.decode(b)) for a, b in zip(upper, lower)]
    pairs = [a << 16 | b for a, b in zip(upper, lower)]
    return kernel(form, [("a", "u32", pairs)], words, target.container, "%t3")


def kernel(form, inputs, words, container, operands):
    assert len(words) % BLOCK == 0
    loads = "mov.u32 %t3, 0;"
    for name, _, _ in inputs:
        loads += f" {at(name, 32)}"
    if len(inputs) == 2:
        loads += " ld.global.f32 %f0, [%a]; ld.global.f32 %f1, [%b];"
    else:
        loads += " ld.global.u32 %t3, [%a];"
    narrow = container == 4
    result = "%c0" if narrow else "%h1"
    spread = "mov.b16 %h1, {%c0, %c1};" if narrow else ""
    return Kernel(
        form,
        BLOCK,
        [("IN", name, kind, values) for name, kind, values in inputs] + [("OUT", "r", "u32", words)],
        f"""
        {loads} {at("r", 32)}
        cvt.{form} {result}, {operands};
        {spread}
        cvt.u32.u16 %t9, %h1;
        st.global.u32 [%r], %t9;""",
        grid=len(words) // BLOCK,
        before=".reg .b8 %c<2>; mov.b16 {%c0, %c1}, 0;" if narrow else "",
    )


def to_pairs(form, target, container, codes, words, scales=None):
    inputs = [("IN", "a", "u32", codes)] + ([("IN", "b", "u32", scales)] if scales else [])
    scale = f"{at('b', 32)} ld.global.u16 %h2, [%b];" if scales else ""
    source = "%c0" if container == 4 else "%h1"
    return Kernel(
        form,
        len(codes),
        inputs + [("OUT", "r", "u32", words)],
        f"""
        {at("a", 32)} {at("r", 32)} {scale}
        ld.global.u16 %h1, [%a];
        {"mov.b16 {%c0, %c1}, %h1;" if container == 4 else ""}
        cvt.{form} %t9, {source}{", %h2" if scales else ""};
        st.global.u32 [%r], %t9;""",
        before=".reg .b8 %c<2>;" if container == 4 else "",
    )


def narrowing():
    """By the least version of PTX that has them."""
    old, new = [], []
    for name in FORMATS:
        target = FORMATS[name]
        for relu in (False, True):
            text = "rn.satfinite.relu" if relu else "rn.satfinite"

            def result(number, name=name, relu=relu):
                return to_narrow(name, number, relu)

            if name[:2] != "e4" and name != "e5m2":
                old.append(from_floats(f"{text}.{name}x2.f32", target, f32_inputs([target]), result))
                new.append(from_halves(f"{text}.{name}x2.f16x2", F16, target, inputs_16(F16, name), result))
            new.append(from_halves(f"{text}.{name}x2.bf16x2", BF16, target, inputs_16(BF16, name), result))
    for rounding in ("rz", "rp"):
        for saturates in (False, True):
            text = f"{rounding}.satfinite" if saturates else rounding

            def exponent(number, up=rounding == "rp", saturates=saturates):
                return to_exponent(number, up, saturates)

            words = filled(f32_inputs([E2M1]) + samples(32, 60, 9))
            old.append(from_floats(f"{text}.ue8m0x2.f32", E4M3, words, exponent))
            halves = [0, 0x3F, 0x40, 0x41, 0x80, 0x7F, 0x7F7F, 0x7F80, 0x7F81, 0xFF80, 0xFFFF] + samples(16, 117, 4)
            old.append(from_halves(f"{text}.ue8m0x2.bf16x2", BF16, E4M3, halves, exponent))
    return old, new


def widening():
    old, new = [], []
    for name in FORMATS:
        source = FORMATS[name]
        lower = list(range(1 << source.bits))
        upper = partner(lower)
        # Bits beyond the codes do not count.
        unused = 0xC0C0 if source.bits == 6 else 0
        codes = [a << source.container | b | unused for a, b in zip(upper, lower)]
        for relu in (False, True):
            for kind, target, kernels in (("f16x2", F16, old), ("bf16x2", BF16, new)):
                for saturates in (False, True) if kind == "bf16x2" else (False,):
                    form = "rn" + ".satfinite" * saturates + ".relu" * relu
                    words = [
                        to_16_bits(target, source.decode(a), relu, saturates) << 16
                        | to_16_bits(target, source.decode(b), relu, saturates)
                        for a, b in zip(upper, lower)
                    ]
                    if kind == "bf16x2" or source.bits < 8:
                        kernels.append(to_pairs(f"{form}.{kind}.{name}x2", target, source.container, codes, words))
            new.append(scaled(name, source.decode, lower, source.container, relu, not relu))
    powers = [0x7FFF if code == 255 else BF16.nearest(ldexp(1, code - 127)) for code in range(256)]
    upper = partner(list(range(256)))
    codes = [a << 8 | b for a, b in zip(upper, range(256))]
    words = [powers[a] << 16 | powers[b] for a, b in zip(upper, range(256))]
    old.append(to_pairs("rn.bf16x2.ue8m0x2", BF16, 8, codes, words))
    fixed = [to_16_bits(BF16, fixed_point(code), False, False) for code in range(256)]
    new.append(
        to_pairs("rn.bf16x2.s2f6x2", BF16, 8, codes, [fixed[a] << 16 | fixed[b] for a, b in zip(upper, range(256))])
    )
    new.append(scaled("s2f6", fixed_point, list(range(256)), 8, False, True))
    return old, new


def fixed_point(code):
    signed = code - 256 if code > 127 else code
    return signed < 0, abs(signed) / 64


def scaled(name, decode, lower, container, relu, saturates):
    """Numbers times powers of two, of which 255 is NaN."""
    exponents = [0, 1, 7, 100, 127, 128, 133, 200, 251, 254, 255]
    lower = (lower * (1 + 160 // len(lower)))[:256]
    upper = partner(lower)
    codes = [a << container | b for a, b in zip(upper, lower)]
    scales, words = [], []
    for i, pair in enumerate(zip(lower, upper)):
        both = [exponents[i % 11], exponents[i // 11 % 11]]
        scales.append(both[0] | both[1] << 8)
        word = 0
        for part, (code, exponent) in enumerate(zip(pair, both)):
            negative, magnitude = decode(code)
            if exponent == 255:
                magnitude = NAN
            elif isinstance(magnitude, float):
                magnitude = ldexp(magnitude, exponent - 127)
            word |= to_16_bits(BF16, (negative, magnitude), relu, saturates) << 16 * part
        words.append(word)
    form = "rn" + ".satfinite" * saturates + ".relu" * relu
    return to_pairs(f"{form}.scaled::n2::ue8m0.bf16x2.{name}x2", BF16, container, codes, words, scales)


def narrow_numbers(suite):
    for path, idea, (old, new) in (
        ("narrowing", "cvt to floats of 8, 6 and 4 bits and to exponents", narrowing()),
        ("widening", "cvt of floats of 8, 6 and 4 bits, exponents and fixed-point numbers", widening()),
    ):
        suite.add(f"blackwell/{path}", idea, old, target="sm_100a")
        suite.add(f"blackwell/{path}_bf16", f"{idea}, also with bf16", new, target="sm_100a", version="9.2")

# SPDX-License-Identifier: MIT
"""File tests of what compute capability 10.0 adds to arithmetic: pairs of f32, reductions of f32 over a warp."""

import struct

from file_tests import FULL, Kernel, at

NAN = 0x7FFFFFFF


def bits(number):
    return int.from_bytes(struct.pack("<f", number), "little")


def pair(low, high):
    return bits(low) | bits(high) << 32


def pairs_of_floats():
    """Each half is an operation of its own."""
    a = [(1.5, -2.0), (0.25, 1024.0), (-3.0, 0.0), (1e30, -1e-30)]
    b = [(2.0, 4.0), (-0.25, 0.5), (7.0, -1.0), (2.0, 2.0)]
    c = [(0.5, 1.0), (8.0, -512.0), (21.0, 5.0), (0.0, 0.0)]
    operations = {
        "add.rn.f32x2 %u5, %u2, %u3;": lambda x, y, z: x + y,
        "add.f32x2 %u5, %u2, %u3;": lambda x, y, z: x + y,
        "sub.rn.f32x2 %u5, %u2, %u3;": lambda x, y, z: x - y,
        "mul.rn.f32x2 %u5, %u2, %u3;": lambda x, y, z: x * y,
        "mul.rz.ftz.f32x2 %u5, %u2, %u3;": lambda x, y, z: x * y,
        "fma.rn.f32x2 %u5, %u2, %u3, %u4;": lambda x, y, z: x * y + z,
        "fma.rn.ftz.f32x2 %u5, %u2, %u3, %u4;": lambda x, y, z: x * y + z,
    }

    def single(number):
        return struct.unpack("<f", struct.pack("<f", number))[0]

    kernels = []
    for text, function in operations.items():
        results = [
            pair(*(function(*(single(number) for number in numbers)) for numbers in zip(x, y, z, strict=True)))
            for x, y, z in zip(a, b, c, strict=True)
        ]
        name = "".join(letter if letter.isalnum() else "_" for letter in text.split()[0])
        kernels.append(
            Kernel(
                name,
                4,
                [
                    ("IN", "a", "u64", [pair(*x) for x in a]),
                    ("IN", "b", "u64", [pair(*x) for x in b]),
                    ("IN", "c", "u64", [pair(*x) for x in c]),
                    ("OUT", "r", "u64", results),
                ],
                f"""
                {at("a", 64)} {at("b", 64)} {at("c", 64)} {at("r", 64)}
                ld.global.b64 %u2, [%a]; ld.global.b64 %u3, [%b]; ld.global.b64 %u4, [%c];
                {text}
                st.global.b64 [%r], %u5;""",
            )
        )
    return kernels


def reductions():
    """redux.sync of f32: NaN loses or wins, -0 is below 0, magnitudes with .abs."""
    numbers = [((n * 37) % 32 - 16) / 4 for n in range(32)]
    cases = {
        "numbers": [bits(n) for n in numbers],
        "some_nan": [NAN if n % 5 == 0 else bits(x) for n, x in enumerate(numbers)],
        "all_nan": [0xFFC00001 if n % 2 else NAN for n in range(32)],
        "zeros": [0x80000000 if n % 3 else 0 for n in range(32)],
        "infinities": [0xFF800000 if n == 7 else 0x7F800000 if n == 9 else bits(x) for n, x in enumerate(numbers)],
    }

    def key(word):
        return word ^ 0x7FFFFFFF if word >> 31 else word | 1 << 32

    kernels = []
    for name, values in cases.items():
        for operation in ("min", "max"):
            for modifiers in ("", ".abs", ".NaN", ".abs.NaN"):
                for mask in (FULL, 0x0000FF0F):
                    words = [w & 0x7FFFFFFF if ".abs" in modifiers else w for w in values]
                    taken = [w for lane, w in enumerate(words) if mask >> lane & 1]
                    finite = [w for w in taken if w & 0x7FFFFFFF <= 0x7F800000]
                    if not finite or (".NaN" in modifiers and len(finite) < len(taken)):
                        result = NAN
                    else:
                        result = (min if operation == "min" else max)(finite, key=key)
                    label = f"{operation}{modifiers}_{name}_{mask:x}".replace(".", "_")
                    kernels.append(
                        Kernel(
                            label,
                            32,
                            [
                                ("IN", "a", "u32", values),
                                ("OUT", "r", "u32", [result if mask >> n & 1 else 0 for n in range(32)]),
                            ],
                            f"""
                            {at("a", 32)} {at("r", 32)}
                            ld.global.f32 %f1, [%a]; mov.f32 %f2, 0f00000000;
                            shr.u32 %t4, {mask}, %t2; and.b32 %t4, %t4, 1; setp.ne.u32 %p1, %t4, 0;
                            @%p1 redux.sync.{operation}{modifiers}.f32 %f2, %f1, {mask};
                            st.global.f32 [%r], %f2;""",
                        )
                    )
    return kernels


def exact_conversions():
    """A rounding changes nothing where the result has every value of the source."""
    numbers = [0x3F80, 0xC2F7, 0x0001, 0x8000, 0x7F7F, 0x7F80, 0x00FF, 0xBE99] * 4
    kernels = []
    for rounding in ("rn", "rz", "rm", "rp"):
        kernels.append(
            Kernel(
                f"f32_{rounding}",
                32,
                [
                    ("IN", "a", "u32", numbers),
                    ("OUT", "r", "u32", [n << 16 for n in numbers]),
                ],
                f"""
                .reg .b16 %v<2>;
                {at("a", 32)} {at("r", 32)}
                ld.global.u16 %v0, [%a]; cvt.{rounding}.f32.bf16 %f1, %v0;
                st.global.f32 [%r], %f1;""",
            )
        )
    return kernels


def blackwell(suite):
    suite.add("blackwell/exact_conversions", "cvt of bf16 with a rounding", exact_conversions(), target="sm_100")
    suite.add("blackwell/pairs", "arithmetic on pairs of f32", pairs_of_floats(), target="sm_100")
    suite.add("blackwell/redux", "redux.sync of f32", reductions(), target="sm_100a")

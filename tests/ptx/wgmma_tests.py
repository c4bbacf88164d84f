# SPDX-License-Identifier: MIT
"""File tests of wgmma: products of small integers, exact in every type, in all layouts of shared memory."""

import random
import struct
from pathlib import Path

from file_tests import Kernel

TYPES = {  # bits of an element, elements along k, and how numbers are encoded
    "f16": (16, 16, lambda n: int.from_bytes(struct.pack("<e", n), "little")),
    "bf16": (16, 16, lambda n: int.from_bytes(struct.pack("<f", n), "little") >> 16),
    "tf32": (32, 8, lambda n: int.from_bytes(struct.pack("<f", n), "little")),
    "e4m3": (8, 32, lambda n: {0: 0, 1: 0x38, 2: 0x40, 3: 0x44, -1: 0xB8, -2: 0xC0}[n]),
    "e5m2": (8, 32, lambda n: {0: 0, 1: 0x3C, 2: 0x40, 3: 0x42, -1: 0xBC, -2: 0xC0}[n]),
    "s8": (8, 32, lambda n: n & 0xFF),
    "u8": (8, 32, lambda n: n & 0xFF),
    "b1": (1, 256, lambda n: n & 1),
}
# The descriptor's number of a swizzle, and the bytes of a row in it.
SWIZZLES = {0: (0, 16), 32: (3, 32), 64: (2, 64), 128: (1, 128)}


def encoded(rows, kind):
    """Rows of numbers as rows of bytes."""
    bits, _, encode = TYPES[kind]
    result = []
    for row in rows:
        whole = sum(encode(value) << (bits * k) for k, value in enumerate(row))
        result.append(whole.to_bytes(len(row) * bits // 8, "little"))
    return result


def image(rows, swizzle, transposed):
    """The bytes of a matrix in shared memory, and the leading and the stride offset of its descriptor.

    As CUTLASS's canonical layouts have it, which are in units of 16 bytes.
    """
    places = {}
    width = SWIZZLES[swizzle][1] // 16
    groups = -(-len(rows) // 8)
    if not transposed:
        leading, stride = (groups * 128, 128) if swizzle == 0 else (16, width * 128)
        for r, row in enumerate(rows):
            for part in range(len(row) // 16):
                at = r // 8 * stride + r % 8 * width * 16 + (part * leading if swizzle == 0 else part * 16)
                places[at] = row[16 * part : 16 * part + 16]
    else:
        # Eight rows side by side, for each k.
        depth = len(rows[0]) // 2
        if swizzle == 0:
            stride, leading = 128, groups * 128
        else:
            stride, leading = width * 128, width * 128 * (depth // 8)
        for unit in range(groups):
            for k in range(depth):
                if swizzle == 0:
                    at = unit * stride + k % 8 * 16 + k // 8 * leading
                else:
                    at = unit % width * 16 + unit // width * leading + k % 8 * width * 16 + k // 8 * stride
                places[at] = b"".join(rows[8 * unit + i][2 * k : 2 * k + 2] for i in range(8))
    size = -(-(max(places) + 16) // 1024) * 1024
    data = bytearray(size)
    mask = (width - 1) << 4 if swizzle else 0
    for at, piece in places.items():
        at ^= at >> 3 & mask
        data[at : at + 16] = piece
    return bytes(data), leading, stride


def descriptor_bits(leading, stride, swizzle):
    return leading >> 4 << 16 | stride >> 4 << 32 | SWIZZLES[swizzle][0] << 62


def words(data):
    return list(struct.unpack(f"<{len(data) // 4}I", data))


def places(columns):
    """(row, column) of each element of each thread's part of the product."""
    for thread in range(128):
        for i in range(columns // 2):
            row = thread // 32 * 16 + thread % 32 // 4 + i // 2 % 2 * 8
            yield thread, i, row, i // 4 * 8 + thread % 4 * 2 + i % 2


CHOICES = {"b1": (0, 1), "u8": (0, 1, 2, 3)}
SIGNED_CHOICES = (-2, -1, 0, 1, 2, 3)


def drawn(numbers, rows, depth, kind):
    options = CHOICES.get(kind, SIGNED_CHOICES)
    return [[numbers.choice(options) for _ in range(depth)] for _ in range(rows)]


def product(name, kinds, columns, **options):
    a_kind, b_kind = kinds
    depth = TYPES[a_kind][1]
    numbers = random.Random(name)
    a, b = drawn(numbers, 64, depth, a_kind), drawn(numbers, columns, depth, b_kind)
    return product_of(name, kinds, (a, b), a, numbers, **options)


def product_of(name, kinds, matrices, held_a, numbers, *, satfinite=False, **options):
    """The product of `matrices`, rows of a and columns of b, of which a is given as `held_a`."""
    a_kind, b_kind = kinds
    a, b = matrices
    columns = len(b)
    result, factors = options.get("result", "f32"), options.get("factors", (1, 1))
    c = [[numbers.randrange(-50, 50) for _ in range(columns)] for _ in range(64)]
    if satfinite:
        c = [[2**31 - 1 - n % 3 if n > 0 else -(2**31) + n % 3 for n in row] for row in c]
    d = []
    for r in range(64):
        sums = []
        for j in range(columns):
            total = factors[0] * factors[1] * sum(x * y for x, y in zip(a[r], b[j], strict=True))
            total += c[r][j] if options.get("adds", True) else 0
            sums.append(max(min(total, 2**31 - 1), -(2**31)) if satfinite else total)
        d.append(sums)
    halves = result == "f16"

    def bits(number):
        if result == "s32":
            return number & 0xFFFFFFFF
        return int.from_bytes(struct.pack("<e" if halves else "<f", number), "little")

    per_thread = columns // (4 if halves else 2)
    before, after = [0] * (128 * per_thread), [0] * (128 * per_thread)
    for thread, i, row, column in places(columns):
        at, shift = (thread * per_thread + i // 2, 16 * (i % 2)) if halves else (thread * per_thread + i, 0)
        before[at] |= bits(c[row][column]) << shift
        after[at] |= bits(d[row][column]) << shift
    rows = encoded(held_a, a_kind), encoded(b, b_kind)
    return kernel_of(name, kinds, columns, rows, (before, after), satfinite=satfinite, **options)


def kernel_of(
    name,
    kinds,
    columns,
    matrices,
    words_of_product,
    *,
    result="f32",
    swizzle=(0, 0),
    transposed=(False, False),
    in_registers=False,
    factors=(1, 1),
    adds=True,
    satfinite=False,
    metadata=None,
):
    """Of `matrices` as rows of bytes, and the product's words before and after. `metadata`: of a sparse a, what each
    thread holds and the selector."""
    a_kind, b_kind = kinds
    a_rows, b_rows = matrices
    before, after = words_of_product
    depth = TYPES[a_kind][1] * (2 if metadata else 1)
    per_thread = len(before) // 128
    b_data, *b_offsets = image(b_rows, swizzle[1], transposed[1])
    if in_registers:
        a_data = b"".join(
            a_rows[t // 32 * 16 + t % 32 // 4 + w % 2 * 8][w // 2 * 16 + t % 4 * 4 :][:4]
            for t in range(128)
            for w in range(4)
        )
        a_offsets = (16, 16)
    else:
        a_data, *a_offsets = image(a_rows, swizzle[0], transposed[0])
    a_words, b_words = len(a_data) // 4, len(b_data) // 4
    registers = ", ".join(f"%d{i}" for i in range(per_thread))
    load = "\n".join(f"ld.global.b32 %d{i}, [%c+{4 * i}];" for i in range(per_thread))
    store = "\n".join(f"st.global.b32 [%r+{4 * i}], %d{i};" for i in range(per_thread))
    shape = f"m64n{columns}k{depth}"
    kind = ".s32.b1.b1.and.popc" if a_kind == "b1" else f".{result}.{a_kind}.{b_kind}"
    form = shape + kind + (".satfinite" if satfinite else "")
    constants = "" if result == "s32" else f", {factors[0]}, {factors[1]}"
    if a_kind in ("f16", "bf16"):
        constants += f", {int(transposed[1])}" if in_registers else f", {int(transposed[0])}, {int(transposed[1])}"
    sparse, sparse_operands = "", ""
    given, hold = [], ""
    if metadata:
        sparse, sparse_operands = ".sp", f", %t24, {metadata[1]}"
        given = [("IN", "e", "u32", metadata[0])]
        hold = "mad.wide.u32 %e, %t2, 4, %e; ld.global.u32 %t24, [%e];"
    a_operand = "{%t20, %t21, %t22, %t23}" if in_registers else "%u1"
    fill = f"""
        mov.u32 %t4, %t2;
    a_next:
        mad.wide.u32 %u4, %t4, 4, %a; ld.global.u32 %t6, [%u4];
        mad.lo.u32 %t5, %t4, 4, %t8; st.shared.u32 [%t5], %t6;
        add.u32 %t4, %t4, 128; setp.lt.u32 %p1, %t4, {a_words}; @%p1 bra a_next;"""
    take = "mad.wide.u32 %u4, %t2, 16, %a;\nld.global.v4.u32 {%t20, %t21, %t22, %t23}, [%u4];"
    kernel = Kernel(
        name,
        128,
        [
            ("IN", "a", "u32", words(a_data)),
            ("IN", "b", "u32", words(b_data)),
            ("IN", "c", "u32", before),
            *given,
            ("OUT", "r", "u32", after),
        ],
        f"""
        mov.u32 %t8, a_data; mov.u32 %t9, b_data;
        {take if in_registers else fill}
        mov.u32 %t4, %t2;
    b_next:
        mad.wide.u32 %u4, %t4, 4, %b; ld.global.u32 %t6, [%u4];
        mad.lo.u32 %t5, %t4, 4, %t9; st.shared.u32 [%t5], %t6;
        add.u32 %t4, %t4, 128; setp.lt.u32 %p1, %t4, {b_words}; @%p1 bra b_next;
        fence.proxy.async;
        bar.sync 0;
        and.b32 %t4, %t8, 0x3ffff; shr.u32 %t4, %t4, 4; cvt.u64.u32 %u1, %t4;
        or.b64 %u1, %u1, {descriptor_bits(*a_offsets, swizzle[0])};
        and.b32 %t4, %t9, 0x3ffff; shr.u32 %t4, %t4, 4; cvt.u64.u32 %u2, %t4;
        or.b64 %u2, %u2, {descriptor_bits(*b_offsets, swizzle[1])};
        mad.wide.u32 %c, %t2, {4 * per_thread}, %c; mad.wide.u32 %r, %t2, {4 * per_thread}, %r;
        {load}
        {hold}
        setp.{"ne" if not adds else "eq"}.u32 %p2, %t1, 128;
        wgmma.fence.sync.aligned;
        wgmma.mma_async{sparse}.sync.aligned.{form} {{{registers}}}, {a_operand}, %u2{sparse_operands}, %p2{constants};
        wgmma.commit_group.sync.aligned;
        wgmma.wait_group.sync.aligned 0;
        {store}""",
        before=f".shared .align 1024 .b8 a_data[{max(len(a_data), 16)}]; "
        f".shared .align 1024 .b8 b_data[{len(b_data)}]; .reg .b32 %d<{per_thread}>;",
    )
    return kernel


RECORDED = {  # what the H100 was given, in the order of the recordings: types, and how its bytes were made
    "f16": ("f16", "f16", "f32"),
    "bf16": ("bf16", "bf16", "f32"),
    "tf32": ("tf32", "tf32", "f32"),
    "e4m3": ("e4m3", "e4m3", "f32"),
    "e5m2": ("e5m2", "e5m2", "f32"),
    "s8": ("s8", "s8", "s32"),
    "u8s8sat": ("u8", "s8", "s32"),
    "b1": ("b1", "b1", "s32"),
    "f16f16": ("f16", "f16", "f16"),
}


def recorded_inputs(number, small):
    """The bytes of a and b and the words of c that the recordings are of: random bits, or numbers near 1."""
    state = 12345 + number

    def take():
        nonlocal state
        state = (state * 1664525 + 1013904223) % 2**32
        return state >> 8

    a = bytearray(take() & 0xFF for _ in range(2048))
    b = bytearray(take() & 0xFF for _ in range(256))
    for data in (a, b) if small else ():
        if number in (0, 8):
            for i in range(1, len(data), 2):
                data[i] = data[i] & 0x83 | 0x38 | (take() & 1) << 2
        elif number in (1, 2):
            step = 2 * number
            for i in range(step - 1, len(data), step):
                data[i] = data[i] & 0x80 | 0x3F
        elif number in (3, 4):
            keep, exponent, flip = (0x87, 0x30, 8) if number == 3 else (0x83, 0x38, 4)
            for i in range(len(data)):
                data[i] = data[i] & keep | exponent | take() & flip
    c = []
    for _ in range(512):
        value = take()
        word = int.from_bytes(struct.pack("<f", (value % 1000) / 64), "little")
        if number >= 5 and number != 8:
            word = take() * 300 % 2**32
        if number == 6:
            word |= 0x7FFF0000
        if number == 8:
            word = take() & 0x83FF83FF | 0x38003800
        c.append(word)
    return a, b, c


def recordings():
    """Products of random bits and of numbers near 1: the bits that an H100 gives, sums that are not exact included."""
    kernels = []
    results = (Path(__file__).parent / "golden" / "wgmma_h100.txt").read_text().splitlines()
    lines = {tuple(line.split()[:2]): line.split()[2:] for line in results if not line.startswith("#")}
    for number, (name, (a_kind, b_kind, result)) in enumerate(RECORDED.items()):
        for small in (0, 1):
            a, b, c = recorded_inputs(number, small)
            matrices = [[bytes(m[i : i + 32]) for i in range(0, len(m), 32)] for m in (a, b)]
            after = [int(word, 16) for word in lines[name, str(small)]]
            if result == "f16":
                c = [word for i, word in enumerate(c) if i % 4 < 2]
            kernels.append(
                kernel_of(
                    f"recorded_{name}_{small}",
                    (a_kind, b_kind),
                    8,
                    matrices,
                    (c, after),
                    result=result,
                    satfinite=name == "u8s8sat",
                )
            )
    return kernels


def warp_groups(suite):
    suite.add("wgmma/recorded", "wgmma with the results of an H100", recordings(), target="sm_90a")
    kernels = []
    for kind in ("f16", "bf16", "tf32", "e4m3", "e5m2"):
        kernels.append(product(f"{kind}_from_memory", (kind, kind), 16))
        kernels.append(product(f"{kind}_from_registers", (kind, kind), 8, in_registers=True))
    kernels.append(product("e4m3_by_e5m2", ("e4m3", "e5m2"), 8))
    kernels.append(product("e5m2_by_e4m3", ("e5m2", "e4m3"), 24, in_registers=True))
    for kind in ("f16", "e4m3", "e5m2"):
        kernels.append(product(f"{kind}_to_f16", (kind, kind), 16, result="f16"))
    kernels.append(product("without_sum", ("f16", "f16"), 8, adds=False))
    for factors in ((-1, 1), (1, -1), (-1, -1)):
        name = "_".join("minus" if f < 0 else "plus" for f in factors)
        kernels.append(product(f"factors_{name}", ("f16", "f16"), 8, factors=factors))
    kernels.append(product("widest", ("bf16", "bf16"), 256))
    suite.add("wgmma/floats", "wgmma of every type of floats", kernels, target="sm_90a")

    kernels = [
        product("s8_by_s8", ("s8", "s8"), 16, result="s32"),
        product("u8_by_u8", ("u8", "u8"), 8, result="s32"),
        product("s8_by_u8", ("s8", "u8"), 24, result="s32", in_registers=True),
        product("u8_by_s8", ("u8", "s8"), 8, result="s32"),
        product("saturated", ("s8", "s8"), 8, result="s32", satfinite=True),
        product("bits", ("b1", "b1"), 16, result="s32"),
        product("bits_from_registers", ("b1", "b1"), 8, result="s32", in_registers=True),
    ]
    suite.add("wgmma/integers", "wgmma of bytes and bits", kernels, target="sm_90a")

    kernels = []
    for swizzle in (32, 64, 128):
        kernels.append(product(f"swizzled_{swizzle}", ("f16", "f16"), 16, swizzle=(swizzle, swizzle)))
        kernels.append(product(f"bytes_swizzled_{swizzle}", ("s8", "s8"), 16, result="s32", swizzle=(swizzle, swizzle)))
    for swizzle in (0, 32, 64, 128):
        kernels.append(
            product(f"transposed_{swizzle}", ("f16", "f16"), 64, swizzle=(swizzle, swizzle), transposed=(True, True))
        )
    kernels.append(product("b_transposed", ("bf16", "bf16"), 16, swizzle=(128, 32), transposed=(False, True)))
    kernels.append(product("a_transposed", ("f16", "f16"), 8, swizzle=(64, 0), transposed=(True, False)))
    kernels.append(
        product(
            "b_transposed_a_in_registers",
            ("f16", "f16"),
            32,
            swizzle=(0, 64),
            transposed=(False, True),
            in_registers=True,
        )
    )
    suite.add("wgmma/layouts", "wgmma of swizzled and transposed matrices", kernels, target="sm_90a")

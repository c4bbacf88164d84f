# SPDX-License-Identifier: MIT
"""File tests of matrices that a warp holds: mma, wmma, ldmatrix, movmatrix.

Elements are small whole numbers, so that sums are exact whatever their order. Lane 4 g + t holds, of the rows of a and
the columns of b that g numbers, the elements along k that t numbers (the manual's figures of mma's fragments).
"""

import struct

from file_tests import FULL, Kernel, samples, signed

BITS = {"e4m3": 8, "e5m2": 8, "f16": 16, "bf16": 16, "tf32": 32, "f64": 64, "s8": 8, "u8": 8, "s4": 4, "u4": 4, "b1": 1}


def whole_numbers(rows, columns, kind, seed):
    """A matrix that fits the type."""
    bits = min(BITS[kind], 8) if kind[0] in "su" else 3
    drawn = iter(samples(32, rows * columns + 6, seed)[6:])

    def one():
        drawn_bits = next(drawn) >> 7 & ((1 << bits) - 1)
        return drawn_bits & 1 if kind == "b1" else drawn_bits if kind[0] == "u" else signed(drawn_bits, bits)

    return [[one() for _ in range(columns)] for _ in range(rows)]


def small_float(kind, number):
    """A whole number of up to 3 bits with its sign, or NaN, as a float of 8 bits."""
    mantissa, bias = (3, 7) if kind == "e4m3" else (2, 15)
    if number != number:
        return 0x7F
    if number == 0:
        return 0
    exponent = abs(number).bit_length() - 1
    fraction = (abs(number) << mantissa >> exponent) - (1 << mantissa)
    return (number < 0) << 7 | exponent + bias << mantissa | fraction


def encoded(kind, number):
    if kind in ("e4m3", "e5m2"):
        return small_float(kind, number)
    if kind == "f16":
        return int.from_bytes(struct.pack("<e", number), "little")
    if kind == "bf16":
        return int.from_bytes(struct.pack("<f", number), "little") >> 16
    if kind in ("tf32", "f32"):
        return int.from_bytes(struct.pack("<f", number), "little")
    if kind == "f64":
        return int.from_bytes(struct.pack("<d", number), "little")
    return number & ((1 << BITS.get(kind, 32)) - 1)


def registers(matrix, kind):
    """What each lane holds of a, or of b given by its columns."""
    bits = BITS[kind]
    packed = max(32 // bits, 1)
    words = []
    for lane in range(32):
        group, member = divmod(lane, 4)
        for start in range(0, len(matrix[0]), 4 * packed):
            for row in range(group, len(matrix), 8):
                first = start + member * packed
                parts = matrix[row][first : first + packed]
                words.append(sum(encoded(kind, part) << bits * i for i, part in enumerate(parts)))
    return words


def sums(matrix, kind):
    """What each lane holds of c or d."""
    words = []
    for lane in range(32):
        group, member = divmod(lane, 4)
        for row in range(group, len(matrix), 8):
            pair = [encoded(kind, matrix[row][2 * member + column]) for column in (0, 1)]
            words += [pair[0] | pair[1] << 16] if kind == "f16" else pair
    return words


def product(a, b_columns, initial, operation=None):
    def one(row, column):
        if operation is None:
            return initial + sum(x * y for x, y in zip(row, column))
        return initial + sum((x ^ y) if operation == "xor" else (x & y) for x, y in zip(row, column))

    return [[one(row, column) for column in b_columns] for row in a]


def lane_registers(name, words, width, first):
    """Code that loads a lane's words into registers, and their names."""
    count = len(words) // 32
    prefix, kind = ("u", "b64") if width == 64 else ("t", "b32")
    names = [f"%{prefix}{first + i}" for i in range(count)]
    lines = [f"mad.wide.u32 %{name}, %i, {count * width // 8}, %{name};"]
    lines += [f"ld.global.{kind} {names[i]}, [%{name}+{i * width // 8}];" for i in range(count)]
    return lines, names


def listed(names):
    return "{" + ", ".join(names) + "}"


def mma(rows, depth, kind, sum_kind, suffix="", operation=None, kind_b=None):
    columns = 8
    kind_b = kind_b or kind
    a = whole_numbers(rows, depth, kind, rows + depth)
    b = whole_numbers(columns, depth, kind_b, rows + depth + 1)
    width = 64 if kind == "f64" else 32
    words_a, words_b = registers(a, kind), registers(b, kind_b)
    words_c = sums([[3] * columns] * rows, sum_kind)
    words_d = sums(product(a, b, 3, operation), sum_kind)
    lines_a, names_a = lane_registers("a", words_a, width, 3)
    lines_b, names_b = lane_registers("b", words_b, width, 8)
    lines_c, names_c = lane_registers("c", words_c, width, 12)
    count = len(words_d) // 32
    store = [f"mad.wide.u32 %d, %i, {count * width // 8}, %d;"]
    store += [f"st.global.b{width} [%d+{i * width // 8}], {names_c[i]};" for i in range(count)]
    # Floats are held in registers of their type.
    letter = {"f32": "f", "f64": "g"}.get(sum_kind)
    moves, back, held = [], [], names_c
    if letter:
        held = [f"%{letter}{i}" for i in range(count)]
        moves = [f"mov.b{width} {held[i]}, {names_c[i]};" for i in range(count)]
        back = [f"mov.b{width} {names_c[i]}, {held[i]};" for i in range(count)]
    factors_a, factors_b = names_a, names_b
    if kind == "f64":
        factors_a, factors_b = ([f"%g{first + i}" for i in range(len(n))] for first, n in ((4, names_a), (9, names_b)))
        for names, factors in ((names_a, factors_a), (names_b, factors_b)):
            moves += [f"mov.b64 {factor}, {name};" for factor, name in zip(factors, names)]
    kinds = kind if kind == kind_b else f"{kind}_{kind_b}"
    text = f"mma.sync.aligned.m{rows}n8k{depth}.row.col.{sum_kind}.{kind}.{kind_b}.{sum_kind}{suffix}"
    operands = ", ".join(listed(names) for names in (held, factors_a, factors_b, held))
    memory = f"u{width}"
    return Kernel(
        f"mma_m{rows}n8k{depth}_{kinds}_{sum_kind}{suffix}",
        32,
        [
            ("IN", "a", memory, words_a),
            ("IN", "b", memory, words_b),
            ("IN", "c", memory, words_c),
            ("OUT", "d", memory, words_d),
        ],
        "\n".join(lines_a + lines_b + lines_c + moves + [f"{text} {operands};"] + back + store),
    )


def number_of_byte(kind, byte):
    """What a float of 8 bits stands for, as the bits of an f32; NaN is the one that sums have."""
    mantissa, bias = (3, 7) if kind == "e4m3" else (2, 15)
    exponent, fraction = byte >> mantissa & (0x7F >> mantissa), byte & ((1 << mantissa) - 1)
    sign = byte >> 7 << 31
    if kind == "e4m3" and byte & 0x7F == 0x7F or kind == "e5m2" and byte & 0x7F > 0x7C:
        return 0x7FFFFFFF
    if kind == "e5m2" and byte & 0x7F == 0x7C:
        return sign | 0x7F800000
    scale = 2.0 ** (max(exponent, 1) - bias - mantissa)
    number = (fraction + (exponent > 0) * (1 << mantissa)) * scale
    # A zero is added to a positive one.
    return encoded("f32", number) | (sign if number else 0)


def every_small_float(kind):
    """Each byte times 1: tile n has the bytes 32 n and on, 16 in column 0 of its product, 16 in column 1."""
    one = small_float(kind, 1)
    words_a, words_b, words_d = [], [], []
    for tile in range(8):
        # a: row r, k = 0 is the byte 32 tile + r for k = 0, and 32 tile + 16 + r for k = 1.
        for lane in range(32):
            group, member = divmod(lane, 4)
            first = 32 * tile + group
            pairs = [first | first + 16 << 8, first + 8 | first + 24 << 8] if member == 0 else [0, 0]
            words_a += pairs
            # b: column 0 takes k = 0, column 1 takes k = 1.
            words_b.append({0: one, 1: one << 8}.get(group, 0) if member == 0 else 0)
            for row in (group, group + 8):
                both = [number_of_byte(kind, 32 * tile + row + at) for at in (0, 16)]
                # Zero times infinity or NaN is NaN.
                is_odd = [bits & 0x7F800000 == 0x7F800000 for bits in both]
                for column in (2 * member, 2 * member + 1):
                    met = is_odd[1 - column] if column < 2 else any(is_odd)
                    words_d.append(0x7FFFFFFF if met else both[column] if column < 2 else 0)
    sums = ["%f0", "%f1", "%f2", "%f3"]
    return Kernel(
        f"every_{kind}",
        256,
        [("IN", "a", "u32", words_a), ("IN", "b", "u32", words_b), ("OUT", "d", "u32", words_d)],
        f"""
        mad.wide.u32 %a, %i, 8, %a; mad.wide.u32 %b, %i, 4, %b; mad.wide.u32 %d, %i, 16, %d;
        ld.global.v2.b32 {{%t3, %t4}}, [%a];
        ld.global.b32 %t5, [%b];
        mov.f32 %f0, 0.0; mov.f32 %f1, 0.0; mov.f32 %f2, 0.0; mov.f32 %f3, 0.0;
        mma.sync.aligned.m16n8k16.row.col.f32.{kind}.{kind}.f32 {listed(sums)}, {{%t3, %t4}}, {{%t5}}, {listed(sums)};
        st.global.v4.f32 [%d], {listed(sums)};""",
    )


def wmma(order_a, order_b):
    """s8: 16 x 16 x 16, from matrices whose rows (or columns) are 32 elements apart."""
    a, b = whole_numbers(16, 16, "s8", 5), whole_numbers(16, 16, "s8", 6)
    d = product(a, [list(column) for column in zip(*b)], 0)

    def bytes_of(matrix, order):
        lines = matrix if order == "row" else [list(column) for column in zip(*matrix)]
        return [value & 0xFF for line in lines for value in line + [0x55] * 16]

    def names(first, count):
        return listed([f"%t{first + i}" for i in range(count)])

    return Kernel(
        f"wmma_{order_a}_{order_b}",
        32,
        [
            ("IN", "a", "u8", bytes_of(a, order_a)),
            ("IN", "b", "u8", bytes_of(b, order_b)),
            ("OUT", "d", "u32", [value & FULL for line in d for value in line]),
        ],
        f"""
        mov.u32 %t16, 32;
        wmma.load.a.sync.aligned.{order_a}.m16n16k16.global.s8 {names(3, 2)}, [%a], %t16;
        wmma.load.b.sync.aligned.{order_b}.m16n16k16.global.s8 {names(5, 2)}, [%b], %t16;
        mov.u32 %t17, 0;
        wmma.mma.sync.aligned.{order_a}.{order_b}.m16n16k16.s32.s8.s8.s32 {names(8, 8)}, {names(3, 2)}, {names(5, 2)},
          {listed(["%t17"] * 8)};
        wmma.store.d.sync.aligned.row.m16n16k16.global.s32 [%d], {names(8, 8)};""",
    )


def ldmatrix(tiles, transposed):
    rows = [samples(16, 8, row + 1) for row in range(32)]
    expected = [[0] * tiles for _ in range(32)]
    for tile in range(tiles):
        matrix = rows[8 * tile : 8 * tile + 8]
        if transposed:
            matrix = [list(column) for column in zip(*matrix)]
        for lane in range(32):
            group, member = divmod(lane, 4)
            expected[lane][tile] = matrix[group][2 * member] | matrix[group][2 * member + 1] << 16
    names = [f"%t{4 + i}" for i in range(tiles)]
    store = "\n".join(f"st.global.b32 [%r+{4 * i}], {names[i]};" for i in range(tiles))
    return Kernel(
        f"ldmatrix_x{tiles}{'_trans' if transposed else ''}",
        32,
        [
            ("IN", "a", "u16", [value for row in rows for value in row]),
            ("OUT", "r", "u32", [word for lane in expected for word in lane]),
        ],
        f"""
        mad.wide.u32 %a, %i, 16, %a;
        ld.global.v4.b32 {{%t8, %t9, %t10, %t11}}, [%a];
        mov.u32 %t12, cells;
        mad.lo.u32 %t12, %i, 32, %t12;
        st.shared.v4.b32 [%t12], {{%t8, %t9, %t10, %t11}};
        bar.warp.sync {FULL};
        ldmatrix.sync.aligned.m8n8.x{tiles}{".trans" if transposed else ""}.shared.b16 {listed(names)}, [%t12];
        mad.wide.u32 %r, %i, {4 * tiles}, %r;
        {store}""",
        before=".shared .align 16 .b8 cells[1024];",
    )


def movmatrix():
    halves = samples(16, 64, 3)
    turned = [halves[8 * column + row] for row in range(8) for column in range(8)]

    def words(values):
        return [values[i] | values[i + 1] << 16 for i in range(0, 64, 2)]

    return Kernel(
        "movmatrix",
        32,
        [("IN", "a", "u32", words(halves)), ("OUT", "r", "u32", words(turned))],
        """
        mad.wide.u32 %a, %i, 4, %a;
        mad.wide.u32 %r, %i, 4, %r;
        ld.global.b32 %t3, [%a];
        movmatrix.sync.aligned.m8n8.trans.b16 %t4, %t3;
        st.global.b32 [%r], %t4;""",
    )


def matrices(suite):
    kernels = [mma(16, depth, kind, "f32") for kind in ("f16", "bf16") for depth in (8, 16)]
    kernels += [mma(16, depth, "f16", "f16") for depth in (8, 16)]
    kernels += [mma(16, depth, "tf32", "f32") for depth in (4, 8)] + [mma(8, 4, "f64", "f64")]
    kernels += [
        mma(rows, depth, kind, "s32")
        for sign in "su"
        for kind, shapes in ((f"{sign}8", ((8, 16), (16, 16), (16, 32))), (f"{sign}4", ((8, 32), (16, 32), (16, 64))))
        for rows, depth in shapes
    ]
    kernels += [
        mma(rows, depth, "b1", "s32", f".{operation}.popc", operation)
        for rows, depth in ((8, 128), (16, 128), (16, 256))
        for operation in ("xor", "and")
    ]
    suite.add("matrix/mma", "mma.sync: every shape and type of compute capability 8.0", kernels)
    kernels = [
        mma(16, depth, a, sums, kind_b=b)
        for depth in (16, 32)
        for a in ("e4m3", "e5m2")
        for b in ("e4m3", "e5m2")
        for sums in ("f32", "f16")
    ]
    kernels += [every_small_float(kind) for kind in ("e4m3", "e5m2")]
    suite.add("small_floats/mma", "mma.sync of floats of 8 bits", kernels, target="sm_89")
    kernels = [wmma(a, b) for a in ("row", "col") for b in ("row", "col")]
    suite.add("matrix/wmma", "wmma.load, wmma.mma, wmma.store of bytes, by rows and by columns", kernels)
    kernels = [ldmatrix(tiles, transposed) for tiles in (1, 2, 4) for transposed in (False, True)]
    suite.add("matrix/tiles", "ldmatrix and movmatrix: tiles of 8 x 8 halves", kernels + [movmatrix()], target="sm_80")

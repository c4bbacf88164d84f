# SPDX-License-Identifier: MIT
"""File tests of atom and red."""

from file_tests import BITS, Kernel, at, bits_of, number_of, register, samples, signed


def combined(operation, kind, old, operand, extra=0):
    bits = BITS[kind]
    mask = (1 << bits) - 1
    if kind in ("f32", "f64"):
        return bits_of(kind, number_of(kind, old) + number_of(kind, operand)) if operation == "add" else operand

    def order(value):
        return signed(value, bits) if kind[0] == "s" else value

    return {
        "add": (old + operand) & mask,
        "and": old & operand,
        "or": old | operand,
        "xor": old ^ operand,
        "exch": operand,
        "min": min(old, operand, key=order),
        "max": max(old, operand, key=order),
        "inc": 0 if old >= operand else old + 1,
        "dec": operand if old == 0 or old > operand else old - 1,
        "cas": extra if old == operand else old,
    }[operation]


ATOMICS = [
    ("add", ["u32", "s32", "u64", "f32", "f64"]),
    ("and", ["b32", "b64"]),
    ("or", ["b32", "b64"]),
    ("xor", ["b32", "b64"]),
    ("exch", ["b32", "b64"]),
    ("min", ["u32", "s32", "u64", "s64"]),
    ("max", ["u32", "s32", "u64", "s64"]),
    ("inc", ["u32"]),
    ("dec", ["u32"]),
    ("cas", ["b32", "b64"]),
]


def atomic_kernel(opcode, operation, kind, space, order=""):
    bits, count = BITS[kind], 12
    if kind in ("f32", "f64"):
        memory_values = [bits_of(kind, n) for n in (0, 1, -2, 0.5, 100, -7, 3, 2**20, -0.25, 12, 9, 1)]
        operands = [bits_of(kind, n) for n in (1, -1, 2, 0.25, 1, 7, 0, 1, -0.25, 5, 6, 8)]
    else:
        memory_values = samples(bits, count, 3)
        operands = [
            memory_values[n] if operation == "cas" and n % 2 else value
            for n, value in enumerate(samples(bits, count, 5))
        ]
    extra = samples(bits, count, 7)
    after = [combined(operation, kind, *three) for three in zip(memory_values, operands, extra)]
    group = {"b32": "t", "b64": "u", "f32": "f", "f64": "g"}[register(kind)]
    old, operand, swap = f"%{group}8", f"%{group}9", f"%{group}10"
    third = f", {swap}" if operation == "cas" else ""
    where = {"global": "%m", "shared": "%t4", "generic": "%u2", "generic_shared": "%u2"}[space]
    form = "" if space.startswith("generic") else f".{space}"
    body = [
        at("m", bits),
        at("a", bits),
        at("c", bits),
        at("r", bits),
        f"ld.global.{kind} {operand}, [%a];",
        f"ld.global.{kind} {swap}, [%c];",
    ]
    in_shared = space in ("shared", "generic_shared")
    if in_shared:
        body += [
            "mov.u32 %t4, cells;",
            f"mad.lo.u32 %t4, %t2, {bits // 8}, %t4;",
            f"ld.global.{kind} {old}, [%m];",
            f"st.shared.{kind} [%t4], {old};",
            "cvt.u64.u32 %u2, %t4;",
            "cvta.shared.u64 %u2, %u2;",
        ]
    elif space == "generic":
        body.append("cvta.global.u64 %u2, %m;")
    if opcode == "atom":
        body += [
            f"atom{order}{form}.{operation}.{kind} {old}, [{where}], {operand}{third};",
            f"st.global.{kind} [%r], {old};",
        ]
    else:
        body += [f"red{order}{form}.{operation}.{kind} [{where}], {operand};"]
    if in_shared:
        body += [f"ld.shared.{kind} {old}, [%t4];", f"st.global.{kind} [%m], {old};"]
    unsigned = f"u{bits}"
    parameters = [
        ("INOUT", "m", unsigned, memory_values, after),
        ("IN", "a", unsigned, operands),
        ("IN", "c", unsigned, extra),
        ("OUT", "r", unsigned, memory_values if opcode == "atom" else [0] * count),
    ]
    before = f".shared .align 16 .b8 cells[{count * bits // 8}];" if in_shared else ""
    if opcode == "red":
        parameters = parameters[:3] + [("INOUT", "r", unsigned, [0] * count, [0] * count)]
    return Kernel(f"{opcode}_{space}_{operation}_{kind}{order}", count, parameters, "\n".join(body), before=before)


def contended(operation, kind, space, threads=96, blocks=3):
    """All threads of all blocks change one cell; the order does not matter for the result."""
    bits = BITS[kind]
    blocks = 1 if space == "shared" else blocks
    total = threads * blocks

    def number(n):
        return bits_of(kind, n) if kind[0] == "f" else n & ((1 << bits) - 1)

    operands = [number(1 + n % 5) for n in range(total)]
    first = number(3)
    if operation in ("inc", "dec"):
        operands = [99] * total
    after = first
    for operand in operands:
        after = combined(operation, kind, after, operand)
    group = {"b32": "t", "b64": "u", "f32": "f", "f64": "g"}[register(kind)]
    body = [at("a", bits), f"ld.global.{kind} %{group}9, [%a];"]
    if space == "shared":
        body += [
            "setp.eq.u32 %p1, %t2, 0;",
            f"@%p1 ld.global.{kind} %{group}8, [%m];",
            f"@%p1 st.shared.{kind} [cell], %{group}8;",
            "bar.sync 0;",
            f"atom.shared.{operation}.{kind} %{group}8, [cell], %{group}9;",
            "bar.sync 0;",
            f"@%p1 ld.shared.{kind} %{group}8, [cell];",
            f"@%p1 st.global.{kind} [%m], %{group}8;",
        ]
    else:
        body.append(f"red.{space}.{operation}.{kind} [%m], %{group}9;")
    parameters = [("INOUT", "m", f"u{bits}", [first], [after]), ("IN", "a", f"u{bits}", operands)]
    return Kernel(
        f"all_{space}_{operation}_{kind}",
        threads,
        parameters,
        "\n".join(body),
        grid=blocks,
        before=".shared .align 8 .b64 cell;" if space == "shared" else "",
    )


def atomics(suite):
    forms = [(operation, kind) for operation, kinds in ATOMICS for kind in kinds]
    for space in ("global", "shared", "generic", "generic_shared"):
        suite.add(
            f"atomic/atom_{space}",
            f"atom of every kind and type in {space} memory: old and new value",
            [atomic_kernel("atom", operation, kind, space) for operation, kind in forms],
        )
        suite.add(
            f"atomic/red_{space}",
            f"red of every kind and type in {space} memory",
            [
                atomic_kernel("red", operation, kind, space)
                for operation, kind in forms
                if operation not in ("exch", "cas")
            ],
        )
    orders = [
        f".{order}.{scope}" for order in ("relaxed", "acquire", "release", "acq_rel") for scope in ("cta", "gpu", "sys")
    ]
    suite.add(
        "atomic/orders",
        "atom with every ordering and scope",
        [
            atomic_kernel("atom", operation, kind, "global", order)
            for order in orders
            for operation, kind in (("add", "u32"), ("cas", "b64"), ("exch", "b32"))
        ],
    )
    suite.add(
        "atomic/contended",
        "no update is lost among threads and blocks",
        [
            contended(operation, kind, space)
            for space in ("global", "shared")
            for operation, kind in forms
            if operation not in ("exch", "cas")
        ],
    )

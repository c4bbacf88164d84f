#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes tests/ptx/run/<group>/*.ptx for what touches memory and other threads: every family in every type.

    tests/ptx/generate_threads.py [folder]

What must come out stands in the files: it follows from the PTX manual and is computed here. generate.py does the same
for arithmetic, whose results are recorded on a GPU.
"""

import struct
import sys
from pathlib import Path

BITS = {"b8": 8, "u8": 8, "s8": 8, "b16": 16, "u16": 16, "s16": 16, "b32": 32, "u32": 32, "s32": 32, "f32": 32,
        "b64": 64, "u64": 64, "s64": 64, "f64": 64, "pred": 1}
FULL = 0xFFFFFFFF


def register(kind):
    return {8: "b16", 16: "b16"}.get(BITS[kind], kind if kind in ("f32", "f64") else f"b{BITS[kind]}")


def signed(value, bits):
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def samples(bits, count, seed=1):
    """Limits first, then a fixed sequence of mixed bits."""
    mask = (1 << bits) - 1
    values = [0, 1, mask, mask >> 1, (mask >> 1) + 1, 0x5A & mask]
    state = seed * 2654435761 % 2**64
    while len(values) < count:
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        values.append((state >> 11) & mask)
    return values[:count]


def bits_of(kind, number):
    return struct.unpack("<I" if kind == "f32" else "<Q", struct.pack("<f" if kind == "f32" else "<d", number))[0]


class Kernel:
    """`parameters`: (IN | OUT | INOUT, name, type, values[, results]); `body` finds their addresses in %<name>."""

    def __init__(self, name, block, parameters, body, grid=1, shared=0, before=""):
        self.name, self.block, self.grid, self.shared = name.replace(".", "_").replace("::", "_"), block, grid, shared
        self.parameters, self.body, self.before = parameters, body, before

    def text(self):
        lines = [f"// TEST {self.name}", f"// GRID {self.grid}", f"// BLOCK {self.block}"]
        if self.shared:
            lines.append(f"// SHARED {self.shared}")
        for kind, name, value_type, values, *results in self.parameters:
            words = " ".join(hex(value) for value in values)
            after = " = " + " ".join(hex(value) for value in results[0]) if results else ""
            lines.append(f"// {kind} {name} {value_type} {len(values)} {'= ' if kind == 'OUT' else ''}{words}{after}")
        names = [parameter[1] for parameter in self.parameters]
        lines.append(f".visible .entry {self.name}({', '.join(f'.param .u64 {name}_' for name in names)})\n{{")
        lines.append("  .reg .pred %p<16>; .reg .b16 %h<16>; .reg .b32 %t<32>; .reg .b64 %u<32>;")
        lines.append("  .reg .f32 %f<16>; .reg .f64 %g<16>; .reg .b32 %i, %lane;")
        lines += [f"  .reg .b64 %{name};" for name in names]
        if self.before:
            lines.append("  " + self.before)
        lines.append("  mov.u32 %t0, %ctaid.x; mov.u32 %t1, %ntid.x; mov.u32 %t2, %tid.x; mad.lo.u32 %i, %t0, %t1, %t2;")
        lines.append("  and.b32 %lane, %t2, 31;")
        for name in names:
            lines.append(f"  ld.param.u64 %{name}, [{name}_]; cvta.to.global.u64 %{name}, %{name};")
        lines += [f"  {line.strip()}" for line in self.body.strip().splitlines()]
        return "\n".join(lines) + "\n  ret;\n}\n"


def at(name, bits):
    """Moves %<name> to the thread's element."""
    return f"mad.wide.u32 %{name}, %i, {bits // 8}, %{name};"


class Suite:
    def __init__(self):
        self.files = {}

    def add(self, path, idea, kernels, target="sm_80", before=""):
        text = f"// SPDX-License-Identifier: MIT\n// {idea}\n.version 8.6\n.target {target}\n.address_size 64\n{before}\n"
        self.files[path + ".ptx"] = text + "\n".join(kernel.text() for kernel in kernels)

    def write(self, folder):
        for path, text in self.files.items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)


# --- memory -----------------------------------------------------------------------------------------------------------

LOAD_FORMS = ["", ".volatile", ".relaxed.cta", ".relaxed.gpu", ".relaxed.sys", ".acquire.cta", ".acquire.gpu", ".acquire.sys"]
STORE_FORMS = ["", ".volatile", ".relaxed.cta", ".relaxed.gpu", ".relaxed.sys", ".release.cta", ".release.gpu", ".release.sys"]
TYPES = ["b8", "u8", "s8", "b16", "u16", "s16", "b32", "u32", "s32", "f32", "b64", "u64", "s64", "f64"]


def round_trip(kind, vector, space, load="", store=""):
    """Each thread sends its values through memory of `space` and back."""
    count, bits, reg = 8, BITS[kind], register(kind)
    bare = load == store == ""
    name = f"through_{space}_{kind}{'_v%d' % vector if vector > 1 else ''}" + ("" if bare else f"{load}{store}")
    values = samples(bits, count * vector)
    group = {"b16": "h", "b32": "t", "b64": "u", "f32": "f", "f64": "g"}[reg]
    first = [f"%{group}{8 + n}" for n in range(vector)]
    second = [f"%{group}{12 + n}" for n in range(vector)]
    tuple_of = (lambda regs: regs[0]) if vector == 1 else (lambda regs: "{" + ", ".join(regs) + "}")
    form = f".v{vector}" if vector > 1 else ""
    step = bits // 8 * vector
    body = [at("a", bits * vector), at("r", bits * vector), f"ld.global{form}.{kind} {tuple_of(first)}, [%a];"]
    before = ""
    if space == "global":
        body += [f"st{store}.global{form}.{kind} [%r], {tuple_of(first)};", f"ld{load}.global{form}.{kind} {tuple_of(second)}, [%r];"]
    elif space == "generic":
        body += ["cvta.global.u64 %u1, %r;", f"st{store}{form}.{kind} [%u1], {tuple_of(first)};",
                 f"ld{load}{form}.{kind} {tuple_of(second)}, [%u1];"]
    else:
        before = f".{space} .align 16 .b8 cells[{step * count}];"
        width = 32 if space == "shared" else 64
        place, wide = (("%t4", "mad.lo.u32 %t4, %t2, {0}, %t4;") if width == 32 else ("%u2", "mad.wide.u32 %u2, %t2, {0}, %u2;"))
        body += [f"mov.u{width} {place}, cells;", wide.format(step), f"st{store}.{space}{form}.{kind} [{place}], {tuple_of(first)};",
                 f"ld{load}.{space}{form}.{kind} {tuple_of(second)}, [{place}];"]
    body.append(f"st.global{form}.{kind} [%r], {tuple_of(second)};")
    out = {"f32": "b32", "f64": "b64"}.get(kind, kind).replace("b", "u") if kind[0] in "bf" else kind
    out = {"s8": "u8", "s16": "u16", "s32": "u32", "s64": "u64"}.get(out, out)
    return Kernel(name, count, [("IN", "a", out, values), ("OUT", "r", out, values)], "\n".join(body), before=before)


def memory(suite):
    for space in ("global", "shared", "local", "generic"):
        kernels = [round_trip(kind, vector, space) for kind in TYPES for vector in (1, 2, 4) if BITS[kind] * vector <= 128]
        suite.add(f"memory/{space}", f"ld and st of every type in {space} memory, also as vectors", kernels)
    for space in ("global", "shared", "generic"):
        kernels = [round_trip(kind, 1, space, load, store) for kind in ("u32", "b64", "f32", "f64", "u16", "u8")
                   for load, store in zip(LOAD_FORMS[1:], STORE_FORMS[1:])]
        suite.add(f"memory/ordered_{space}", f"volatile, relaxed, acquire and release accesses of {space} memory", kernels)
    hints = [".ca", ".cg", ".cs", ".lu", ".cv", ".nc", ".ca.nc", ".nc.L1::no_allocate", ".L1::evict_last", ".L2::128B"]
    kernels = []
    for hint in hints:
        values = samples(32, 8)
        kernels.append(Kernel("load" + hint, 8, [("IN", "a", "u32", values), ("OUT", "r", "u32", values)],
                              f"{at('a', 32)}\n{at('r', 32)}\nld.global{hint}.u32 %t4, [%a];\nst.global.u32 [%r], %t4;"))
    for hint in (".wb", ".cg", ".cs", ".wt", ".L1::no_allocate"):
        kernels.append(Kernel("store" + hint, 8, [("IN", "a", "u32", values), ("OUT", "r", "u32", values)],
                              f"{at('a', 32)}\n{at('r', 32)}\nld.global.u32 %t4, [%a];\nst.global{hint}.u32 [%r], %t4;"))
    kernels.append(Kernel("hints_and_fences", 8, [("IN", "a", "u32", values), ("OUT", "r", "u32", values)], f"""
        {at('a', 32)}
        {at('r', 32)}
        prefetch.global.L1 [%a];
        prefetch.global.L2 [%a];
        prefetchu.L1 [%a];
        ld.global.u32 %t4, [%a];
        st.global.u32 [%r], %t4;
        membar.cta;
        membar.gl;
        membar.sys;
        fence.acq_rel.cta;
        fence.acq_rel.gpu;
        fence.acq_rel.sys;
        fence.sc.cta;
        fence.sc.gpu;
        fence.sc.sys;
        nanosleep.u32 20;"""))
    suite.add("memory/hints", "cache operators, prefetches and fences change no value", kernels)
    kernels = []
    for wide in ("u32", "s32", "u64", "s64"):
        for narrow in ("u8", "s8", "u16", "s16", "u32", "s32"):
            if BITS[narrow] >= BITS[wide]:
                continue
            values = samples(BITS[narrow], 8)
            extended = [(signed(v, BITS[narrow]) if narrow[0] == "s" else v) & ((1 << BITS[wide]) - 1) for v in values]
            reg = "%t4" if BITS[wide] == 32 else "%u4"
            kernels.append(Kernel(f"load_{narrow}_to_{wide}", 8,
                                  [("IN", "a", "u" + narrow[1:], values), ("OUT", "r", "u" + wide[1:], extended)],
                                  f"{at('a', BITS[narrow])}\n{at('r', BITS[wide])}\nld.global.{narrow} {reg}, [%a];\n"
                                  f"st.global.b{BITS[wide]} [%r], {reg};"))
            stored = samples(BITS[wide], 8)
            cut = [v & ((1 << BITS[narrow]) - 1) for v in stored]
            kernels.append(Kernel(f"store_{wide}_as_{narrow}", 8,
                                  [("IN", "a", "u" + wide[1:], stored), ("OUT", "r", "u" + narrow[1:], cut)],
                                  f"{at('a', BITS[wide])}\n{at('r', BITS[narrow])}\nld.global.b{BITS[wide]} {reg}, [%a];\n"
                                  f"st.global.{narrow} [%r], {reg};"))
    suite.add("memory/widths", "ld extends to wider registers and st cuts them off", kernels)
    tables, kernels = [], []
    for space in ("const", "global"):
        for kind in TYPES:
            bits = BITS[kind]
            values = samples(bits, 5)
            if kind in ("f32", "f64"):
                words = ", ".join(f"0{kind[0] if bits == 32 else 'd'}{value:0{bits // 4}X}" for value in values)
            else:
                words = ", ".join(str(signed(value, bits) if kind[0] == "s" else value) for value in values)
            tables.append(f".{space} .align 8 .{kind} {space}_{kind}[7] = {{{words}}};")
            group = {"b16": "%h4", "b32": "%t4", "b64": "%u4", "f32": "%f4", "f64": "%g4"}[register(kind)]
            out = f"u{bits}"
            kernels.append(Kernel(f"{space}_{kind}_values", 7, [("OUT", "r", out, values + [0, 0])],
                                  f"{at('r', bits)}\nmov.u64 %u1, {space}_{kind};\nmad.wide.u32 %u1, %t2, {bits // 8}, %u1;\n"
                                  f"ld.{space}.{kind} {group}, [%u1];\nst.global.{kind} [%r], {group};"))
    suite.add("memory/initialisers", "variables of every type hold their initial values, and zeros behind them", kernels,
              before="\n".join(tables))
    kernels = []
    for size, operator in ((4, "ca"), (8, "ca"), (16, "ca"), (16, "cg")):
        words = size // 4
        values = samples(32, 8 * words)
        for form, keep in (("", size), (", %t5", None), (", %p2", 0)):
            kept = [size, 0, size // 2, size, size, 1, size, size] if keep is None else [keep] * 8
            expected = []
            for thread in range(8):
                raw = b"".join(struct.pack("<I", v) for v in values[thread * words:(thread + 1) * words])
                raw = raw[:kept[thread]] + bytes(size - kept[thread])
                expected += list(struct.unpack(f"<{words}I", raw))
            if form == ", %p2":
                setup = "setp.ge.u32 %p2, %t2, 0;"
            else:
                setup = "ld.global.u32 %t5, [%k];"
            name = f"cp_async_{operator}_{size}" + {"": "", ", %t5": "_part", ", %p2": "_ignored"}[form]
            parameters = [("IN", "a", "u32", values), ("IN", "k", "u32", kept), ("OUT", "r", "u32", expected)]
            kernels.append(Kernel(name, 8, parameters, f"""
                {at('a', size * 8)}
                {at('k', 32)}
                {at('r', size * 8)}
                {setup}
                mov.u32 %t4, cells;
                mad.lo.u32 %t4, %t2, {size}, %t4;
                cp.async.{operator}.shared.global [%t4], [%a], {size}{form};
                cp.async.commit_group;
                cp.async.wait_group 0;
                cp.async.wait_all;
                bar.sync 0;
                """ + "\n".join(f"ld.shared.u32 %t6, [%t4+{4 * n}];\nst.global.u32 [%r+{4 * n}], %t6;" for n in range(words)),
                before=f".shared .align 16 .b8 cells[{8 * size}];"))
    suite.add("memory/cp_async", "cp.async of every size, whole, in part and not at all", kernels)


# --- atomics ----------------------------------------------------------------------------------------------------------


def combined(operation, kind, old, operand, extra=0):
    bits = BITS[kind]
    mask = (1 << bits) - 1
    if kind in ("f32", "f64"):
        number = lambda raw: struct.unpack("<f" if bits == 32 else "<d", raw.to_bytes(bits // 8, "little"))[0]
        return bits_of(kind, number(old) + number(operand)) if operation == "add" else operand
    order = (lambda value: signed(value, bits)) if kind[0] == "s" else (lambda value: value)
    return {"add": (old + operand) & mask, "and": old & operand, "or": old | operand, "xor": old ^ operand,
            "exch": operand, "min": min(old, operand, key=order), "max": max(old, operand, key=order),
            "inc": 0 if old >= operand else old + 1, "dec": operand if old == 0 or old > operand else old - 1,
            "cas": extra if old == operand else old}[operation]


ATOMICS = [("add", ["u32", "s32", "u64", "f32", "f64"]), ("and", ["b32", "b64"]), ("or", ["b32", "b64"]),
           ("xor", ["b32", "b64"]), ("exch", ["b32", "b64"]), ("min", ["u32", "s32", "u64", "s64"]),
           ("max", ["u32", "s32", "u64", "s64"]), ("inc", ["u32"]), ("dec", ["u32"]), ("cas", ["b32", "b64"])]


def atomic_kernel(opcode, operation, kind, space, order=""):
    bits, count = BITS[kind], 12
    if kind in ("f32", "f64"):
        memory_values = [bits_of(kind, n) for n in (0, 1, -2, 0.5, 100, -7, 3, 2**20, -0.25, 12, 9, 1)]
        operands = [bits_of(kind, n) for n in (1, -1, 2, 0.25, 1, 7, 0, 1, -0.25, 5, 6, 8)]
    else:
        memory_values = samples(bits, count, 3)
        operands = [memory_values[n] if operation == "cas" and n % 2 else value for n, value in enumerate(samples(bits, count, 5))]
    extra = samples(bits, count, 7)
    after = [combined(operation, kind, *three) for three in zip(memory_values, operands, extra)]
    group = {"b32": "t", "b64": "u", "f32": "f", "f64": "g"}[register(kind)]
    old, operand, swap = f"%{group}8", f"%{group}9", f"%{group}10"
    third = f", {swap}" if operation == "cas" else ""
    where = {"global": "%m", "shared": "%t4", "generic": "%u2", "generic_shared": "%u2"}[space]
    form = "" if space.startswith("generic") else f".{space}"
    body = [at("m", bits), at("a", bits), at("c", bits), at("r", bits), f"ld.global.{kind} {operand}, [%a];",
            f"ld.global.{kind} {swap}, [%c];"]
    in_shared = space in ("shared", "generic_shared")
    if in_shared:
        body += ["mov.u32 %t4, cells;", f"mad.lo.u32 %t4, %t2, {bits // 8}, %t4;", f"ld.global.{kind} {old}, [%m];",
                 f"st.shared.{kind} [%t4], {old};", "cvt.u64.u32 %u2, %t4;", "cvta.shared.u64 %u2, %u2;"]
    elif space == "generic":
        body.append("cvta.global.u64 %u2, %m;")
    if opcode == "atom":
        body += [f"atom{order}{form}.{operation}.{kind} {old}, [{where}], {operand}{third};", f"st.global.{kind} [%r], {old};"]
    else:
        body += [f"red{order}{form}.{operation}.{kind} [{where}], {operand};"]
    if in_shared:
        body += [f"ld.shared.{kind} {old}, [%t4];", f"st.global.{kind} [%m], {old};"]
    unsigned = f"u{bits}"
    parameters = [("INOUT", "m", unsigned, memory_values, after), ("IN", "a", unsigned, operands), ("IN", "c", unsigned, extra),
                  ("OUT", "r", unsigned, memory_values if opcode == "atom" else [0] * count)]
    before = f".shared .align 16 .b8 cells[{count * bits // 8}];" if in_shared else ""
    if opcode == "red":
        parameters = parameters[:3] + [("INOUT", "r", unsigned, [0] * count, [0] * count)]
    return Kernel(f"{opcode}_{space}_{operation}_{kind}{order}", count, parameters, "\n".join(body), before=before)


def contended(operation, kind, space, threads=96, blocks=3):
    """All threads of all blocks change one cell; the order does not matter for the result."""
    bits = BITS[kind]
    blocks = 1 if space == "shared" else blocks
    total = threads * blocks
    number = (lambda n: bits_of(kind, n)) if kind[0] == "f" else (lambda n: n & ((1 << bits) - 1))
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
        body += ["setp.eq.u32 %p1, %t2, 0;", f"@%p1 ld.global.{kind} %{group}8, [%m];", f"@%p1 st.shared.{kind} [cell], %{group}8;",
                 "bar.sync 0;", f"atom.shared.{operation}.{kind} %{group}8, [cell], %{group}9;", "bar.sync 0;",
                 f"@%p1 ld.shared.{kind} %{group}8, [cell];", f"@%p1 st.global.{kind} [%m], %{group}8;"]
    else:
        body.append(f"red.{space}.{operation}.{kind} [%m], %{group}9;")
    parameters = [("INOUT", "m", f"u{bits}", [first], [after]), ("IN", "a", f"u{bits}", operands)]
    return Kernel(f"all_{space}_{operation}_{kind}", threads, parameters, "\n".join(body), grid=blocks,
                  before=".shared .align 8 .b64 cell;" if space == "shared" else "")


def atomics(suite):
    forms = [(operation, kind) for operation, kinds in ATOMICS for kind in kinds]
    for space in ("global", "shared", "generic", "generic_shared"):
        suite.add(f"atomic/atom_{space}", f"atom of every kind and type in {space} memory: old and new value",
                  [atomic_kernel("atom", operation, kind, space) for operation, kind in forms])
        suite.add(f"atomic/red_{space}", f"red of every kind and type in {space} memory",
                  [atomic_kernel("red", operation, kind, space) for operation, kind in forms if operation not in ("exch", "cas")])
    orders = [f".{order}.{scope}" for order in ("relaxed", "acquire", "release", "acq_rel") for scope in ("cta", "gpu", "sys")]
    suite.add("atomic/orders", "atom with every ordering and scope",
              [atomic_kernel("atom", operation, kind, "global", order) for order in orders
               for operation, kind in (("add", "u32"), ("cas", "b64"), ("exch", "b32"))])
    suite.add("atomic/contended", "no update is lost among threads and blocks",
              [contended(operation, kind, space) for space in ("global", "shared") for operation, kind in forms
               if operation not in ("exch", "cas")])


# --- warps ------------------------------------------------------------------------------------------------------------


def shuffled(mode, values, b, c):
    """shfl of PTX: the lane's new value and its predicate, for one warp."""
    clamp, segment = c & 31, (c >> 8) & 31
    result = []
    for lane in range(32):
        last = (lane & segment) | (clamp & ~segment)
        first = lane & segment
        source, inside = {"up": (lane - b, lane - b >= last), "down": (lane + b, lane + b <= last),
                          "bfly": (lane ^ b, (lane ^ b) <= last), "idx": (first | (b & ~segment & 31), None)}[mode]
        if inside is None:
            inside = source <= last
        result.append((values[source if inside else lane], int(inside)))
    return result


def warps(suite):
    values = samples(32, 64, 9)
    kernels = []
    for mode in ("up", "down", "bfly", "idx"):
        for width in (32, 8):
            c = ((32 - width) << 8) | (0 if mode == "up" else 31)
            for b in (0, 1, 3, 7, 16, 31):
                pairs = shuffled(mode, values[:32], b, c) + shuffled(mode, values[32:], b, c)
                kernels.append(Kernel(f"shfl_{mode}_{width}_{b}", 64,
                                      [("IN", "a", "u32", values), ("OUT", "r", "u32", [v for v, _ in pairs]),
                                       ("OUT", "s", "u32", [p for _, p in pairs])], f"""
                    {at('a', 32)}
                    {at('r', 32)}
                    {at('s', 32)}
                    ld.global.u32 %t4, [%a];
                    shfl.sync.{mode}.b32 %t5|%p1, %t4, {b}, {c}, {FULL};
                    selp.u32 %t6, 1, 0, %p1;
                    st.global.u32 [%r], %t5;
                    st.global.u32 [%s], %t6;"""))
    suite.add("warp/shuffle", "shfl.sync in every mode, over whole and divided warps", kernels)

    kernels = []
    for name, predicate in (("none", lambda n: False), ("all", lambda n: True), ("third", lambda n: n % 3 == 0),
                            ("first_warp", lambda n: n < 32)):
        bits = [int(predicate(n)) for n in range(64)]
        for mask in (FULL, 0x0000FFFF, 0x80000001):
            members = [lane for lane in range(32) if mask >> lane & 1]
            expected = {"all": [], "any": [], "uni": [], "ballot": []}
            for thread in range(64):
                warp = [bits[thread // 32 * 32 + lane] for lane in members]
                inside = mask >> (thread % 32) & 1
                ballot = sum(bit << lane for bit, lane in zip(warp, members))
                for mode, value in (("all", all(warp)), ("any", any(warp)), ("uni", len(set(warp)) == 1), ("ballot", ballot)):
                    expected[mode].append(int(value) if inside else 77)
            for mode, results in expected.items():
                write = "mov.u32 %t5, %t6;" if mode == "ballot" else "selp.u32 %t5, 1, 0, %p2;"
                vote = (f"vote.sync.ballot.b32 %t6, %p1, {mask};" if mode == "ballot" else f"vote.sync.{mode}.pred %p2, %p1, {mask};")
                kernels.append(Kernel(f"vote_{mode}_{name}_{mask:x}", 64,
                                      [("IN", "a", "u32", bits), ("OUT", "r", "u32", results)], f"""
                    {at('a', 32)}
                    {at('r', 32)}
                    ld.global.u32 %t4, [%a];
                    setp.ne.u32 %p1, %t4, 0;
                    mov.u32 %t5, 77;
                    shr.u32 %t7, {mask}, %lane;
                    and.b32 %t7, %t7, 1;
                    setp.eq.u32 %p3, %t7, 0;
                    @%p3 bra outside;
                    {vote}
                    {write}
                outside:
                    st.global.u32 [%r], %t5;"""))
    suite.add("warp/vote", "vote.sync in every mode, for whole warps and for some of their lanes", kernels)

    kernels = []
    for kind in ("b32", "b64"):
        bits = BITS[kind]
        reg = "%t4" if bits == 32 else "%u4"
        for name, values_of in (("five", lambda n: (n * 7) % 5), ("same", lambda n: 1 << (bits - 1)), ("own", lambda n: n),
                                ("high", lambda n: (n % 2) << (bits - 1))):
            numbers = [values_of(n) for n in range(64)]
            any_masks, all_masks, all_flags = [], [], []
            for thread in range(64):
                warp = numbers[thread // 32 * 32:thread // 32 * 32 + 32]
                any_masks.append(sum(1 << lane for lane in range(32) if warp[lane] == numbers[thread]))
                equal = len(set(warp)) == 1
                all_masks.append(FULL if equal else 0)
                all_flags.append(int(equal))
            load = f"{at('a', bits)}\n{at('r', 32)}\nld.global.{kind} {reg}, [%a];"
            kernels.append(Kernel(f"match_any_{kind}_{name}", 64, [("IN", "a", f"u{bits}", numbers), ("OUT", "r", "u32", any_masks)],
                                  f"{load}\nmatch.any.sync.{kind} %t5, {reg}, {FULL};\nst.global.u32 [%r], %t5;"))
            kernels.append(Kernel(f"match_all_{kind}_{name}", 64,
                                  [("IN", "a", f"u{bits}", numbers), ("OUT", "r", "u32", all_masks), ("OUT", "s", "u32", all_flags)],
                                  f"{load}\n{at('s', 32)}\nmatch.all.sync.{kind} %t5|%p1, {reg}, {FULL};\nselp.u32 %t6, 1, 0, %p1;\n"
                                  "st.global.u32 [%r], %t5;\nst.global.u32 [%s], %t6;"))
    suite.add("warp/match", "match.any and match.all of 32 and 64 bits", kernels)

    kernels = []
    for operation, kinds in (("add", ["u32", "s32"]), ("min", ["u32", "s32"]), ("max", ["u32", "s32"]), ("and", ["b32"]),
                             ("or", ["b32"]), ("xor", ["b32"])):
        for kind in kinds:
            for mask in (FULL, 0x00FF00FF):
                results = []
                for thread in range(64):
                    members = [values[thread // 32 * 32 + lane] for lane in range(32) if mask >> lane & 1]
                    total = members[0]
                    for value in members[1:]:
                        total = combined(operation, kind, total, value)
                    results.append(total if mask >> (thread % 32) & 1 else 77)
                kernels.append(Kernel(f"redux_{operation}_{kind}_{mask:x}", 64,
                                      [("IN", "a", "u32", values), ("OUT", "r", "u32", results)], f"""
                    {at('a', 32)}
                    {at('r', 32)}
                    ld.global.u32 %t4, [%a];
                    mov.u32 %t5, 77;
                    shr.u32 %t7, {mask}, %lane;
                    and.b32 %t7, %t7, 1;
                    setp.eq.u32 %p3, %t7, 0;
                    @%p3 bra outside;
                    redux.sync.{operation}.{kind} %t5, %t4, {mask};
                outside:
                    st.global.u32 [%r], %t5;"""))
    suite.add("warp/redux", "redux.sync of every operation, for whole warps and for some of their lanes", kernels)

    lanes = list(range(64))
    kernels = [
        Kernel("activemask_of_whole_warps", 64, [("OUT", "r", "u32", [FULL] * 64)],
               f"{at('r', 32)}\nactivemask.b32 %t4;\nst.global.u32 [%r], %t4;"),
        Kernel("activemask_of_a_short_warp", 40, [("OUT", "r", "u32", [FULL] * 32 + [0xFF] * 8)],
               f"{at('r', 32)}\nactivemask.b32 %t4;\nst.global.u32 [%r], %t4;"),
        Kernel("bar_warp_sync_orders_shared_memory", 64, [("OUT", "r", "u32", [n ^ 1 for n in lanes])], f"""
            {at('r', 32)}
            mov.u32 %t4, cells;
            mad.lo.u32 %t5, %t2, 4, %t4;
            st.shared.u32 [%t5], %t2;
            bar.warp.sync {FULL};
            xor.b32 %t6, %t2, 1;
            mad.lo.u32 %t6, %t6, 4, %t4;
            ld.shared.u32 %t7, [%t6];
            st.global.u32 [%r], %t7;""", before=".shared .align 4 .b8 cells[256];"),
        # Even lanes go one way and odd lanes the other; each side shuffles among itself, then all do.
        Kernel("divergent_shuffles_meet_again", 64,
               [("OUT", "r", "u32", [n // 32 * 32 + ((n % 32) ^ 2) + (1000 if n % 2 == 0 else 2000) + n // 32 * 32 + (n % 32 ^ 1)
                                     for n in lanes])], f"""
            {at('r', 32)}
            and.b32 %t4, %t2, 1;
            setp.eq.u32 %p1, %t4, 0;
            @%p1 bra even;
            shfl.sync.bfly.b32 %t5, %t2, 2, 31, 0xaaaaaaaa;
            add.u32 %t5, %t5, 2000;
            bra together;
        even:
            shfl.sync.bfly.b32 %t5, %t2, 2, 31, 0x55555555;
            add.u32 %t5, %t5, 1000;
        together:
            shfl.sync.bfly.b32 %t6, %t2, 1, 31, {FULL};
            add.u32 %t5, %t5, %t6;
            st.global.u32 [%r], %t5;"""),
        # A loop whose trip count differs from lane to lane, with a vote of those that are still in.
        Kernel("votes_in_a_divergent_loop", 32, [("OUT", "r", "u32", [sum(32 - k for k in range(n + 1)) for n in range(32)])], f"""
            {at('r', 32)}
            mov.u32 %t4, 0;
            mov.u32 %t5, 0;
            mov.u32 %t9, {FULL};
        again:
            vote.sync.ballot.b32 %t6, 1, %t9;
            popc.b32 %t7, %t6;
            add.u32 %t5, %t5, %t7;
            setp.eq.u32 %p1, %t4, %t2;
            @%p1 bra done;
            add.u32 %t4, %t4, 1;
            shl.b32 %t9, {FULL}, %t4;
            bra again;
        done:
            st.global.u32 [%r], %t5;"""),
        Kernel("lanes_that_exited_are_not_waited_for", 32, [("OUT", "r", "u32", [0] * 16 + [0xFFFF0000] * 16)], f"""
            {at('r', 32)}
            setp.lt.u32 %p1, %t2, 16;
            mov.u32 %t4, 0;
            @%p1 st.global.u32 [%r], %t4;
            @%p1 exit;
            vote.sync.ballot.b32 %t4, 1, 0xffff0000;
            st.global.u32 [%r], %t4;"""),
    ]
    suite.add("warp/divergence", "active lanes, diverging warps and bar.warp.sync", kernels)
    suite.add("warp/elect", "elect.sync chooses one lane of the mask", [
        Kernel("elect_one_of_the_mask", 64, [("OUT", "r", "u32", [1, 1])], f"""
            setp.ge.u32 %p3, %lane, 4;
            @%p3 bra outside;
            elect.sync %t4|%p1, 0x0000000f;
            shr.u32 %t5, %t2, 5;
            mad.wide.u32 %r, %t5, 4, %r;
            @%p1 red.global.add.u32 [%r], 1;
        outside:
            bar.warp.sync {FULL};""")], target="sm_90")


# --- barriers ---------------------------------------------------------------------------------------------------------


def barriers(suite):
    threads = 96
    kernels = []
    for form in ("bar.sync 0;", "barrier.sync 0;", "barrier.sync.aligned 0;", "bar.cta.sync 0;", "barrier.cta.sync.aligned 0;",
                 "bar.sync 5, 96;", "barrier.sync 15, 96;"):
        name = "reverse_" + "".join(c if c.isalnum() else "_" for c in form)
        kernels.append(Kernel(name, threads, [("OUT", "r", "u32", [threads - 1 - n for n in range(threads)])], f"""
            {at('r', 32)}
            mov.u32 %t4, cells;
            mad.lo.u32 %t5, %t2, 4, %t4;
            st.shared.u32 [%t5], %t2;
            {form}
            sub.u32 %t6, {threads - 1}, %t2;
            mad.lo.u32 %t6, %t6, 4, %t4;
            ld.shared.u32 %t7, [%t6];
            st.global.u32 [%r], %t7;""", before=f".shared .align 4 .b8 cells[{4 * threads}];"))
    for name, predicate in (("none", "setp.lt.u32 %p1, %t2, 0;"), ("all", "setp.ge.u32 %p1, %t2, 0;"),
                            ("some", "setp.lt.u32 %p1, %t2, 37;")):
        count = {"none": 0, "all": threads, "some": 37}[name]
        for spelling in ("bar.red", "barrier.red", "barrier.cta.red.aligned"):
            for operation, value in (("popc.u32", count), ("and.pred", int(count == threads)), ("or.pred", int(count > 0))):
                write = "mov.u32 %t5, %t6;" if operation == "popc.u32" else "selp.u32 %t5, 1, 0, %p2;"
                target = "%t6" if operation == "popc.u32" else "%p2"
                kernels.append(Kernel(f"{spelling}_{operation}_{name}", threads, [("OUT", "r", "u32", [value] * threads)],
                                      f"{at('r', 32)}\n{predicate}\n{spelling}.{operation} {target}, 0, %p1;\n{write}\n"
                                      "st.global.u32 [%r], %t5;"))
    kernels.append(Kernel("producers_arrive_and_consumers_wait", 64, [("OUT", "r", "u32", [1000 + n for n in range(32)])], f"""
        mov.u32 %t4, cells;
        setp.lt.u32 %p1, %t2, 32;
        @%p1 bra consumer;
        sub.u32 %t5, %t2, 32;
        mad.lo.u32 %t6, %t5, 4, %t4;
        add.u32 %t7, %t5, 1000;
        st.shared.u32 [%t6], %t7;
        bar.arrive 3, 64;
        bra done;
    consumer:
        bar.sync 3, 64;
        {at('r', 32)}
        mad.lo.u32 %t6, %t2, 4, %t4;
        ld.shared.u32 %t7, [%t6];
        st.global.u32 [%r], %t7;
    done:""", before=".shared .align 4 .b8 cells[128];"))
    kernels.append(Kernel("warps_use_barriers_of_their_own", 64, [("OUT", "r", "u32", [n ^ 31 for n in range(64)])], f"""
        {at('r', 32)}
        mov.u32 %t4, cells;
        mad.lo.u32 %t5, %t2, 4, %t4;
        shr.u32 %t8, %t2, 5;
        add.u32 %t8, %t8, 1;
        st.shared.u32 [%t5], %t2;
        bar.sync %t8, 32;
        xor.b32 %t6, %t2, 31;
        mad.lo.u32 %t6, %t6, 4, %t4;
        ld.shared.u32 %t7, [%t6];
        st.global.u32 [%r], %t7;""", before=".shared .align 4 .b8 cells[256];"))
    kernels.append(Kernel("a_tree_of_sums", 128, [("IN", "a", "u32", list(range(256))), ("OUT", "r", "u32", [8128, 24512])], f"""
        {at('a', 32)}
        ld.global.u32 %t4, [%a];
        mov.u32 %t5, dynamic;
        mad.lo.u32 %t6, %t2, 4, %t5;
        st.shared.u32 [%t6], %t4;
        mov.u32 %t7, 64;
    half:
        bar.sync 0;
        setp.ge.u32 %p1, %t2, %t7;
        @%p1 bra next;
        mad.lo.u32 %t8, %t7, 4, %t6;
        ld.shared.u32 %t9, [%t8];
        ld.shared.u32 %t10, [%t6];
        add.u32 %t10, %t10, %t9;
        st.shared.u32 [%t6], %t10;
    next:
        shr.u32 %t7, %t7, 1;
        setp.ne.u32 %p1, %t7, 0;
        @%p1 bra half;
        setp.ne.u32 %p1, %t2, 0;
        @%p1 bra done;
        mad.wide.u32 %r, %t0, 4, %r;
        st.global.u32 [%r], %t10;
    done:""", grid=2, shared=512))
    suite.add("barrier/barriers", "barriers of every kind: whole blocks, parts of them, reductions, arrivals", kernels,
              before=".extern .shared .align 16 .b8 dynamic[];")


# --- control and calls ------------------------------------------------------------------------------------------------

FUNCTIONS = """
.extern .func (.param .b64 memory) malloc(.param .b64 bytes);
.extern .func free(.param .b64 memory);
.func (.param .b32 r) twice(.param .b32 x) { .reg .b32 %r<2>; ld.param.u32 %r0, [x]; add.u32 %r1, %r0, %r0; st.param.b32 [r], %r1; ret; }
.func (.param .b32 r) square(.param .b32 x) { .reg .b32 %r<2>; ld.param.u32 %r0, [x]; mul.lo.u32 %r1, %r0, %r0; st.param.b32 [r], %r1; ret; }
.func (.param .b32 r) negative(.param .b32 x) { .reg .b32 %r<2>; ld.param.u32 %r0, [x]; neg.s32 %r1, %r0; st.param.b32 [r], %r1; ret; }
.global .align 8 .u64 functions[3] = {twice, square, negative};
.func (.param .b32 r) fibonacci(.param .b32 n)
{
  .reg .pred %p; .reg .b32 %r<6>;
  ld.param.u32 %r0, [n];
  setp.lt.u32 %p, %r0, 2;
  @%p bra small;
  sub.u32 %r1, %r0, 1;
  sub.u32 %r2, %r0, 2;
  { .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call.uni (b), fibonacci, (a); ld.param.b32 %r3, [b]; }
  { .param .b32 a; .param .b32 b; st.param.b32 [a], %r2; call.uni (b), fibonacci, (a); ld.param.b32 %r4, [b]; }
  add.u32 %r0, %r3, %r4;
small:
  st.param.b32 [r], %r0;
  ret;
}
.func (.param .b32 r) block_sum(.param .b32 x)
{
  .shared .align 4 .u32 total;
  .reg .pred %p; .reg .b32 %r<4>;
  ld.param.u32 %r0, [x];
  mov.u32 %r1, %tid.x;
  setp.eq.u32 %p, %r1, 0;
  @%p st.shared.u32 [total], 0;
  bar.sync 0;
  atom.shared.add.u32 %r2, [total], %r0;
  bar.sync 0;
  ld.shared.u32 %r3, [total];
  st.param.b32 [r], %r3;
  ret;
}
.func leave_if_odd(.param .b32 x)
{
  .reg .pred %p; .reg .b32 %r<2>;
  ld.param.u32 %r0, [x];
  and.b32 %r1, %r0, 1;
  setp.eq.u32 %p, %r1, 1;
  @%p exit;
  ret;
}
.func (.param .align 8 .b8 r[16]) swap_pair(.param .align 8 .b8 pair[16])
{
  .reg .b64 %u<2>;
  ld.param.u64 %u0, [pair];
  ld.param.u64 %u1, [pair+8];
  st.param.u64 [r], %u1;
  st.param.u64 [r+8], %u0;
  ret;
}
"""


def call(target, argument, result, extra="", prefix=""):
    return (f"{{ .param .b32 ca; .param .b32 cr; st.param.b32 [ca], {argument}; "
            f"{prefix}call {'' if prefix else '(cr), '}{target}, (ca){extra}; ld.param.b32 {result}, [cr]; }}")


def control(suite):
    lanes = list(range(40))
    apply = [lambda x: 2 * x, lambda x: x * x, lambda x: -x & FULL]
    fibonacci = [0, 1, 1, 2, 3, 5, 8, 13, 21, 34]
    prologue = f"{at('r', 32)}\n"
    kernels = [
        Kernel("direct_call", 40, [("OUT", "r", "u32", [n * n for n in lanes])],
               prologue + call("square", "%t2", "%t4") + "\nst.global.u32 [%r], %t4;"),
        Kernel("call_through_a_pointer", 40, [("OUT", "r", "u32", [apply[n % 3](n) for n in lanes])], prologue + """
            rem.u32 %t5, %t2, 3;
            mov.u64 %u1, functions;
            mad.wide.u32 %u1, %t5, 8, %u1;
            ld.global.u64 %u2, [%u1];
            """ + call("%u2", "%t2", "%t4", ", shape") + "\nst.global.u32 [%r], %t4;",
            before="shape: .callprototype (.param .b32 _) _ (.param .b32 _);"),
        Kernel("call_of_listed_targets", 40, [("OUT", "r", "u32", [apply[n % 2](n) for n in lanes])], prologue + """
            and.b32 %t5, %t2, 1;
            setp.eq.u32 %p1, %t5, 0;
            mov.u64 %u1, twice;
            mov.u64 %u2, square;
            selp.b64 %u3, %u1, %u2, %p1;
            """ + call("%u3", "%t2", "%t4", ", choices") + "\nst.global.u32 [%r], %t4;",
            before="choices: .calltargets twice, square;"),
        Kernel("recursion", 10, [("OUT", "r", "u32", fibonacci)],
               prologue + call("fibonacci", "%t2", "%t4") + "\nst.global.u32 [%r], %t4;"),
        Kernel("a_barrier_in_a_function", 40, [("OUT", "r", "u32", [sum(lanes)] * 40)],
               prologue + call("block_sum", "%t2", "%t4") + "\nst.global.u32 [%r], %t4;"),
        Kernel("exit_in_a_function", 40, [("INOUT", "r", "u32", [7] * 40, [7 if n % 2 else n for n in lanes])], prologue + """
            { .param .b32 ca; st.param.b32 [ca], %t2; call leave_if_odd, (ca); }
            st.global.u32 [%r], %t2;"""),
        Kernel("structs_in_and_out", 8, [("OUT", "r", "u64", [v for n in range(8) for v in (2 * n, n)])], f"""
            {at('r', 128)}
            cvt.u64.u32 %u1, %t2;
            add.u64 %u2, %u1, %u1;
            {{
              .param .align 8 .b8 ca[16]; .param .align 8 .b8 cr[16];
              st.param.u64 [ca], %u1; st.param.u64 [ca+8], %u2;
              call (cr), swap_pair, (ca);
              ld.param.v2.u64 {{%u3, %u4}}, [cr];
            }}
            st.global.v2.u64 [%r], {{%u3, %u4}};"""),
        Kernel("device_memory_of_kernels", 40, [("OUT", "r", "u32", [n + 5 for n in lanes])], prologue + """
            { .param .b64 ca; .param .b64 cr; st.param.b64 [ca], 64; call (cr), malloc, (ca); ld.param.b64 %u1, [cr]; }
            add.u32 %t4, %t2, 5;
            st.u32 [%u1+60], %t4;
            bar.sync 0;
            ld.u32 %t5, [%u1+60];
            { .param .b64 ca; st.param.b64 [ca], %u1; call free, (ca); }
            st.global.u32 [%r], %t5;"""),
        Kernel("branch_by_index", 40, [("OUT", "r", "u32", [[11, 22, 33][n % 3] for n in lanes])], prologue + """
            rem.u32 %t5, %t2, 3;
            brx.idx %t5, ways;
        one:
            mov.u32 %t4, 11;
            bra done;
        two:
            mov.u32 %t4, 22;
            bra done;
        three:
            mov.u32 %t4, 33;
        done:
            st.global.u32 [%r], %t4;""", before="ways: .branchtargets one, two, three;"),
        Kernel("loops_in_loops", 40, [("OUT", "r", "u32", [n * (n + 1) // 2 for n in lanes])], prologue + """
            mov.u32 %t4, 0;
            mov.u32 %t5, 0;
        outer:
            setp.ge.u32 %p1, %t5, %t2;
            @%p1 bra done;
            mov.u32 %t6, 0;
        inner:
            add.u32 %t4, %t4, 1;
            add.u32 %t6, %t6, 1;
            setp.le.u32 %p2, %t6, %t5;
            @%p2 bra inner;
            add.u32 %t5, %t5, 1;
            bra outer;
        done:
            st.global.u32 [%r], %t4;"""),
        Kernel("guards_and_exits", 40, [("INOUT", "r", "u32", [9] * 40, [9 if n > 20 else n for n in lanes])], prologue + """
            setp.gt.u32 %p1, %t2, 20;
            @%p1 exit;
            @!%p1 st.global.u32 [%r], %t2;"""),
    ]
    suite.add("control/calls_and_branches", "calls of every kind, recursion, branches, loops, exits", kernels, before=FUNCTIONS)
    kernels = []
    for name, value in (("tid.x", lambda n: n % 40), ("tid.y", lambda n: 0), ("ntid.x", lambda n: 40), ("ntid.z", lambda n: 1),
                        ("ctaid.x", lambda n: n // 40), ("nctaid.x", lambda n: 2), ("nctaid.y", lambda n: 1),
                        ("laneid", lambda n: n % 40 % 32), ("lanemask_eq", lambda n: 1 << n % 40 % 32),
                        ("lanemask_lt", lambda n: (1 << n % 40 % 32) - 1), ("lanemask_le", lambda n: (2 << n % 40 % 32) - 1),
                        ("lanemask_gt", lambda n: FULL & ~((2 << n % 40 % 32) - 1)),
                        ("lanemask_ge", lambda n: FULL & ~((1 << n % 40 % 32) - 1)), ("dynamic_smem_size", lambda n: 256)):
        kernels.append(Kernel("register_" + name, 40, [("OUT", "r", "u32", [value(n) for n in range(80)])],
                              f"{at('r', 32)}\nmov.u32 %t4, %{name};\nst.global.u32 [%r], %t4;", grid=2, shared=256))
    kernels.append(Kernel("clocks_go_forward", 40, [("OUT", "r", "u32", [1] * 40)], prologue + """
        mov.u64 %u1, %clock64;
        mov.u64 %u2, %globaltimer;
        mov.u32 %t4, %clock;
        nanosleep.u32 1000;
        mov.u64 %u3, %clock64;
        mov.u64 %u4, %globaltimer;
        mov.u32 %t5, %smid;
        mov.u32 %t6, %nsmid;
        setp.lt.u32 %p1, %t5, %t6;
        setp.gt.and.u64 %p1, %u3, %u1, %p1;
        setp.ge.and.u64 %p1, %u4, %u2, %p1;
        selp.u32 %t7, 1, 0, %p1;
        st.global.u32 [%r], %t7;"""))
    kernels.append(Kernel("spaces_of_addresses", 40, [("OUT", "r", "u32", [1 + 16 + 256] * 40)], prologue + """
        mov.u64 %u1, mine;
        cvta.local.u64 %u1, %u1;
        mov.u64 %u2, ours;
        cvta.shared.u64 %u2, %u2;
        isspacep.local %p1, %u1;
        isspacep.local %p2, %u2;
        isspacep.shared %p3, %u2;
        isspacep.shared %p4, %r;
        isspacep.global %p5, %r;
        isspacep.global %p6, %u1;
        mov.u32 %t4, 0;
        @%p1 add.u32 %t4, %t4, 1;
        @%p2 add.u32 %t4, %t4, 2;
        @%p3 add.u32 %t4, %t4, 16;
        @%p4 add.u32 %t4, %t4, 32;
        @%p5 add.u32 %t4, %t4, 256;
        @%p6 add.u32 %t4, %t4, 512;
        st.global.u32 [%r], %t4;""", before=".local .align 4 .b8 mine[16]; .shared .align 4 .b8 ours[16];"))
    suite.add("control/registers", "special registers, clocks, and the space that an address lies in", kernels)
    suite.add("control/alloca", "memory from alloca, given back by stackrestore and on return", [
        Kernel("alloca_in_a_loop", 40, [("OUT", "r", "u32", [sum(range(n, n + 50)) for n in lanes])], prologue + """
            mov.u32 %t4, 0;
            mov.u32 %t5, 0;
        again:
            stacksave.u64 %u1;
            alloca.u64 %u2, 64, 16;
            cvta.local.u64 %u3, %u2;
            add.u32 %t6, %t5, %t2;
            st.u32 [%u3+60], %t6;
            ld.local.u32 %t7, [%u2+60];
            add.u32 %t4, %t4, %t7;
            stackrestore.u64 %u1;
            add.u32 %t5, %t5, 1;
            setp.lt.u32 %p1, %t5, 50;
            @%p1 bra again;
            st.global.u32 [%r], %t4;""")])


def main():
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "run"
    suite = Suite()
    for group in (memory, atomics, warps, barriers, control):
        group(suite)
    suite.write(folder)


if __name__ == "__main__":
    main()

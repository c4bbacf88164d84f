# SPDX-License-Identifier: MIT
"""File tests of ld, st, cp.async, initial values and cache hints."""

import struct

from file_tests import BITS, Kernel, at, register, samples, signed

LOAD_FORMS = [
    "",
    ".volatile",
    ".relaxed.cta",
    ".relaxed.gpu",
    ".relaxed.sys",
    ".acquire.cta",
    ".acquire.gpu",
    ".acquire.sys",
]
STORE_FORMS = [
    "",
    ".volatile",
    ".relaxed.cta",
    ".relaxed.gpu",
    ".relaxed.sys",
    ".release.cta",
    ".release.gpu",
    ".release.sys",
]
TYPES = ["b8", "u8", "s8", "b16", "u16", "s16", "b32", "u32", "s32", "f32", "b64", "u64", "s64", "f64"]


def round_trip(kind, vector, space, load="", store=""):
    """Each thread sends its values through memory of `space` and back."""
    count, bits, reg = 8, BITS[kind], register(kind)
    bare = load == store == ""
    name = f"through_{space}_{kind}{f'_v{vector}' if vector > 1 else ''}" + ("" if bare else f"{load}{store}")
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
        body += [
            f"st{store}.global{form}.{kind} [%r], {tuple_of(first)};",
            f"ld{load}.global{form}.{kind} {tuple_of(second)}, [%r];",
        ]
    elif space == "generic":
        body += [
            "cvta.global.u64 %u1, %r;",
            f"st{store}{form}.{kind} [%u1], {tuple_of(first)};",
            f"ld{load}{form}.{kind} {tuple_of(second)}, [%u1];",
        ]
    else:
        before = f".{space} .align 16 .b8 cells[{step * count}];"
        width = 32 if space == "shared" else 64
        place, wide = (
            ("%t4", "mad.lo.u32 %t4, %t2, {0}, %t4;") if width == 32 else ("%u2", "mad.wide.u32 %u2, %t2, {0}, %u2;")
        )
        body += [
            f"mov.u{width} {place}, cells;",
            wide.format(step),
            f"st{store}.{space}{form}.{kind} [{place}], {tuple_of(first)};",
            f"ld{load}.{space}{form}.{kind} {tuple_of(second)}, [{place}];",
        ]
    body.append(f"st.global{form}.{kind} [%r], {tuple_of(second)};")
    out = {"f32": "b32", "f64": "b64"}.get(kind, kind).replace("b", "u") if kind[0] in "bf" else kind
    out = {"s8": "u8", "s16": "u16", "s32": "u32", "s64": "u64"}.get(out, out)
    return Kernel(name, count, [("IN", "a", out, values), ("OUT", "r", out, values)], "\n".join(body), before=before)


def memory(suite):
    for space in ("global", "shared", "local", "generic"):
        kernels = [
            round_trip(kind, vector, space) for kind in TYPES for vector in (1, 2, 4) if BITS[kind] * vector <= 128
        ]
        suite.add(f"memory/{space}", f"ld and st of every type in {space} memory, also as vectors", kernels)
    for space in ("global", "shared", "generic"):
        kernels = [
            round_trip(kind, 1, space, load, store)
            for kind in ("u32", "b64", "f32", "f64", "u16", "u8")
            for load, store in zip(LOAD_FORMS[1:], STORE_FORMS[1:])
        ]
        suite.add(
            f"memory/ordered_{space}", f"volatile, relaxed, acquire and release accesses of {space} memory", kernels
        )
    hints = [".ca", ".cg", ".cs", ".lu", ".cv", ".nc", ".ca.nc", ".nc.L1::no_allocate", ".L1::evict_last", ".L2::128B"]
    kernels = []
    for hint in hints:
        values = samples(32, 8)
        kernels.append(
            Kernel(
                "load" + hint,
                8,
                [("IN", "a", "u32", values), ("OUT", "r", "u32", values)],
                f"{at('a', 32)}\n{at('r', 32)}\nld.global{hint}.u32 %t4, [%a];\nst.global.u32 [%r], %t4;",
            )
        )
    for hint in (".wb", ".cg", ".cs", ".wt", ".L1::no_allocate"):
        kernels.append(
            Kernel(
                "store" + hint,
                8,
                [("IN", "a", "u32", values), ("OUT", "r", "u32", values)],
                f"{at('a', 32)}\n{at('r', 32)}\nld.global.u32 %t4, [%a];\nst.global{hint}.u32 [%r], %t4;",
            )
        )
    kernels.append(
        Kernel(
            "hints_and_fences",
            8,
            [("IN", "a", "u32", values), ("OUT", "r", "u32", values)],
            f"""
        {at("a", 32)}
        {at("r", 32)}
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
        nanosleep.u32 20;""",
        )
    )
    suite.add("memory/hints", "cache operators, prefetches and fences change no value", kernels)
    kernels = []
    for wide in ("u32", "s32", "u64", "s64"):
        for narrow in ("u8", "s8", "u16", "s16", "u32", "s32"):
            if BITS[narrow] >= BITS[wide]:
                continue
            values = samples(BITS[narrow], 8)
            extended = [(signed(v, BITS[narrow]) if narrow[0] == "s" else v) & ((1 << BITS[wide]) - 1) for v in values]
            reg = "%t4" if BITS[wide] == 32 else "%u4"
            kernels.append(
                Kernel(
                    f"load_{narrow}_to_{wide}",
                    8,
                    [("IN", "a", "u" + narrow[1:], values), ("OUT", "r", "u" + wide[1:], extended)],
                    f"{at('a', BITS[narrow])}\n{at('r', BITS[wide])}\nld.global.{narrow} {reg}, [%a];\n"
                    f"st.global.b{BITS[wide]} [%r], {reg};",
                )
            )
            stored = samples(BITS[wide], 8)
            cut = [v & ((1 << BITS[narrow]) - 1) for v in stored]
            kernels.append(
                Kernel(
                    f"store_{wide}_as_{narrow}",
                    8,
                    [("IN", "a", "u" + wide[1:], stored), ("OUT", "r", "u" + narrow[1:], cut)],
                    f"{at('a', BITS[wide])}\n{at('r', BITS[narrow])}\nld.global.b{BITS[wide]} {reg}, [%a];\n"
                    f"st.global.{narrow} [%r], {reg};",
                )
            )
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
            kernels.append(
                Kernel(
                    f"{space}_{kind}_values",
                    7,
                    [("OUT", "r", out, values + [0, 0])],
                    f"{at('r', bits)}\nmov.u64 %u1, {space}_{kind};\nmad.wide.u32 %u1, %t2, {bits // 8}, %u1;\n"
                    f"ld.{space}.{kind} {group}, [%u1];\nst.global.{kind} [%r], {group};",
                )
            )
    suite.add(
        "memory/initialisers",
        "variables of every type hold their initial values, and zeros behind them",
        kernels,
        before="\n".join(tables),
    )
    kernels = []
    for size, operator in ((4, "ca"), (8, "ca"), (16, "ca"), (16, "cg")):
        words = size // 4
        values = samples(32, 8 * words)
        for form, keep in (("", size), (", %t5", None), (", %p2", 0)):
            kept = [size, 0, size // 2, size, size, 1, size, size] if keep is None else [keep] * 8
            expected = []
            for thread in range(8):
                raw = b"".join(struct.pack("<I", v) for v in values[thread * words : (thread + 1) * words])
                raw = raw[: kept[thread]] + bytes(size - kept[thread])
                expected += list(struct.unpack(f"<{words}I", raw))
            if form == ", %p2":
                setup = "setp.ge.u32 %p2, %t2, 0;"
            else:
                setup = "ld.global.u32 %t5, [%k];"
            name = f"cp_async_{operator}_{size}" + {"": "", ", %t5": "_part", ", %p2": "_ignored"}[form]
            parameters = [("IN", "a", "u32", values), ("IN", "k", "u32", kept), ("OUT", "r", "u32", expected)]
            kernels.append(
                Kernel(
                    name,
                    8,
                    parameters,
                    f"""
                {at("a", size * 8)}
                {at("k", 32)}
                {at("r", size * 8)}
                {setup}
                mov.u32 %t4, cells;
                mad.lo.u32 %t4, %t2, {size}, %t4;
                cp.async.{operator}.shared.global [%t4], [%a], {size}{form};
                cp.async.commit_group;
                cp.async.wait_group 0;
                cp.async.wait_all;
                bar.sync 0;
                """
                    + "\n".join(
                        f"ld.shared.u32 %t6, [%t4+{4 * n}];\nst.global.u32 [%r+{4 * n}], %t6;" for n in range(words)
                    ),
                    before=f".shared .align 16 .b8 cells[{8 * size}];",
                )
            )
    suite.add("memory/cp_async", "cp.async of every size, whole, in part and not at all", kernels)

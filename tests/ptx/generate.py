#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes tests/ptx/run/<group>/*.ptx: every arithmetic instruction in every form, on special values.

    tests/ptx/generate.py [folder]

One file holds the forms of one opcode and type, a kernel each. The values come from the runner's tables and what must
come out was recorded on a GPU (tests/ptx/golden), so a change here that renames or adds a kernel needs a new recording.
"""

import sys
import zlib
from pathlib import Path

COUNT = 200  # no multiple of the block, so that the last block is ragged
BLOCK = 128

REGISTER = {
    "u8": "b16",
    "s8": "b16",
    "b8": "b16",
    "b8x2": "b16",
    "u16": "b16",
    "s16": "b16",
    "b16": "b16",
    "f16": "b16",
    "bf16": "b16",
    "u32": "b32",
    "s32": "b32",
    "b32": "b32",
    "f16x2": "b32",
    "bf16x2": "b32",
    "u16x2": "b32",
    "s16x2": "b32",
    "b8x4": "b32",
    "u64": "b64",
    "s64": "b64",
    "b64": "b64",
    "f32": "f32",
    "f64": "f64",
}
MEMORY = {
    "b8x2": "b16",
    "f16": "b16",
    "bf16": "b16",
    "f16x2": "b32",
    "bf16x2": "b32",
    "u16x2": "b32",
    "s16x2": "b32",
    "b8x4": "b32",
}
BITS = {
    "u8": 8,
    "s8": 8,
    "b8": 8,
    "b8x2": 16,
    "u16": 16,
    "s16": 16,
    "b16": 16,
    "f16": 16,
    "bf16": 16,
    "u32": 32,
    "s32": 32,
    "b32": 32,
    "f16x2": 32,
    "bf16x2": 32,
    "u16x2": 32,
    "s16x2": 32,
    "b8x4": 32,
    "u64": 64,
    "s64": 64,
    "b64": 64,
    "f32": 32,
    "f64": 64,
}

SCRATCH = """  .reg .pred %p<8>;
  .reg .b16 %h<8>;
  .reg .b32 %t<8>;
  .reg .b64 %u<8>;
  .reg .f32 %f<8>;
  .reg .f64 %g<8>;
"""


class Kernel:
    """One form: `body` uses {a} {b} {c} {d} for the inputs and {r} {s} for the results."""

    def __init__(self, name, inputs, outputs, body, allowed="", sources=None):
        self.name, self.inputs, self.outputs, self.body, self.allowed = name, inputs, outputs, body, allowed
        self.sources = sources or {}

    def directives(self):
        seed = zlib.crc32(self.name.encode()) % 100000
        lines = [f"// TEST {self.name}", f"// GRID {-(-COUNT // BLOCK)}", f"// BLOCK {BLOCK}"]
        for index, kind in enumerate(self.inputs):
            letter = "abcd"[index]
            unary = "each" if len(self.inputs) == 1 and BITS[kind] < 32 else f"mix:{seed + index}"
            lines.append(f"// IN {letter} {kind} {COUNT} {self.sources.get(letter, unary)}")
        for index, kind in enumerate(self.outputs):
            lines.append(f"// OUT {'rs'[index]} {kind} {COUNT} golden{self.allowed}")
        lines.append(f"// SCALAR n u32 {COUNT}")
        return "\n".join(lines)

    def text(self):
        names = list(zip("abcd", self.inputs)) + list(zip("rs", self.outputs))
        params = ",\n".join(f"  .param .u64 {n}_" for n, _ in names)
        declared = "".join(f"  .reg .{REGISTER[k]} %{n};\n  .reg .b64 %{n}_at;\n" for n, k in names)
        out = f".visible .entry {self.name}(\n{params},\n  .param .u32 n_)\n{{\n{declared}{SCRATCH}"
        out += "  .reg .pred %beyond;\n  .reg .b32 %i, %w, %x, %n;\n"
        out += "  mov.u32 %i, %ctaid.x;\n  mov.u32 %w, %ntid.x;\n  mov.u32 %x, %tid.x;\n"
        out += "  mad.lo.s32 %i, %i, %w, %x;\n  ld.param.u32 %n, [n_];\n  setp.ge.u32 %beyond, %i, %n;\n"
        out += "  @%beyond bra done;\n"
        for n, k in names:
            out += f"  ld.param.u64 %{n}_at, [{n}_];\n  cvta.to.global.u64 %{n}_at, %{n}_at;\n"
            out += f"  mad.wide.u32 %{n}_at, %i, {BITS[k] // 8}, %{n}_at;\n"
        for n, k in names[: len(self.inputs)]:
            out += f"  ld.global.{MEMORY.get(k, k)} %{n}, [%{n}_at];\n"
        body = self.body.format(a="%a", b="%b", c="%c", d="%d", r="%r", s="%s")
        out += "".join(f"  {line.strip().rstrip(';')};\n" for line in body.split(";") if line.strip())
        for n, k in names[len(self.inputs) :]:
            out += f"  st.global.{MEMORY.get(k, k)} [%{n}_at], %{n};\n"
        return out + "done:\n  ret;\n}\n"


class Suite:
    def __init__(self):
        self.files = {}

    def add(self, path, idea, target, kernels):
        assert path not in self.files, path
        self.files[path] = (idea, target, kernels)

    def write(self, root):
        for path, (idea, target, kernels) in self.files.items():
            file = root / f"{path}.ptx"
            file.parent.mkdir(parents=True, exist_ok=True)
            text = f"// SPDX-License-Identifier: MIT\n// {idea}\n// Written by generate.py.\n"
            text += f".version 8.6\n.target {target}\n.address_size 64\n"
            for kernel in kernels:
                text += f"\n{kernel.directives()}\n{kernel.text()}"
            file.write_text(text)


def form(opcode, *parts):
    """The mnemonic of an opcode with those of its modifiers that are not empty."""
    return ".".join([opcode] + [p.strip(".") for p in parts if p])


def named(mnemonic):
    return mnemonic.replace(".", "_").replace("::", "_")


def simple(mnemonic, inputs, output, allowed="", sources=None, prefix=""):
    """A kernel of one instruction whose operands are the inputs in order."""
    operands = ", ".join("{" + c + "}" for c in "abcd"[: len(inputs)])
    return Kernel(prefix + named(mnemonic), inputs, [output], f"{mnemonic} {{r}}, {operands}", allowed, sources)


INTS = ["u16", "s16", "u32", "s32", "u64", "s64"]


def integers(suite):
    group = "arith_int/"
    for t in INTS:
        n = BITS[t]
        wide = f"{t[0]}{2 * n}"
        kernels = [
            simple(form("add", t), [t, t], t),
            simple(form("sub", t), [t, t], t),
            simple(form("mul.lo", t), [t, t], t),
            simple(form("mul.hi", t), [t, t], t),
            simple(form("mad.lo", t), [t, t, t], t),
            simple(form("mad.hi", t), [t, t, t], t),
        ]
        if n < 64:
            kernels += [simple(form("mul.wide", t), [t, t], wide), simple(form("mad.wide", t), [t, t, wide], wide)]
        suite.add(f"{group}add_mul_{t}", f"add, sub, mul and mad on {t}", "sm_80", kernels)
        kernels = [simple(form("div", t), [t, t], t), simple(form("rem", t), [t, t], t)]
        suite.add(f"{group}div_{t}", f"div and rem on {t}, by zero and by -1 too", "sm_80", kernels)
        kernels = [
            simple(form("min", t), [t, t], t),
            simple(form("max", t), [t, t], t),
            simple(form("sad", t), [t, t, t], t),
        ]
        if t[0] == "s":
            kernels += [simple(form("abs", t), [t], t), simple(form("neg", t), [t], t)]
        suite.add(f"{group}min_sad_{t}", f"min, max, sad, abs, neg on {t}", "sm_80", kernels)
    s = "s32"
    suite.add(
        f"{group}saturating_s32",
        "The saturating forms of s32",
        "sm_80",
        [simple("add.sat.s32", [s, s], s), simple("sub.sat.s32", [s, s], s), simple("mad.hi.sat.s32", [s, s, s], s)],
    )
    for t in ["u32", "s32"]:
        kernels = [
            simple(f"mul24.lo.{t}", [t, t], t),
            simple(f"mul24.hi.{t}", [t, t], t),
            simple(f"mad24.lo.{t}", [t, t, t], t),
            simple(f"mad24.hi.{t}", [t, t, t], t),
        ]
        if t == "s32":
            kernels.append(simple("mad24.hi.sat.s32", [t, t, t], t))
        suite.add(f"{group}mul24_{t}", f"24-bit multiplication on {t}", "sm_80", kernels)
    for t in ["u32", "s32", "u64", "s64"]:
        chains = {
            "add_cc_addc": "add.cc.T {r}, {a}, {b}; addc.T {s}, {c}, {d}",
            "add_cc_addc_cc": "add.cc.T {r}, {a}, {b}; addc.cc.T {s}, {c}, {d}; addc.T {r}, {r}, 0",
            "sub_cc_subc": "sub.cc.T {r}, {a}, {b}; subc.T {s}, {c}, {d}",
            "sub_cc_subc_cc": "sub.cc.T {r}, {a}, {b}; subc.cc.T {s}, {c}, {d}; subc.T {r}, {r}, 0",
            "sub_cc_addc": "sub.cc.T {r}, {a}, {b}; addc.cc.T {s}, {c}, {d}; subc.T {r}, {r}, {a}",
            "mad_cc_madc": "mad.lo.cc.T {r}, {a}, {b}, {c}; madc.hi.T {s}, {a}, {b}, {d}",
            "madc_lo_cc": "mad.hi.cc.T {r}, {a}, {b}, {c}; madc.lo.cc.T {s}, {a}, {b}, {d};addc.T {r}, {r}, {a}",
            "madc_hi_cc": "add.cc.T {r}, {a}, {b}; madc.hi.cc.T {r}, {a}, {b}, {c};madc.lo.T {s}, {a}, {b}, {d}",
        }
        kernels = [
            Kernel(f"{name}_{t}", [t] * 4, [t] * 2, text.replace("T ", f"{t} ")) for name, text in chains.items()
        ]
        suite.add(f"{group}carry_{t}", f"The carry chain on {t}", "sm_80", kernels)
    kernels = []
    for a in ["u32", "s32"]:
        for b in ["u32", "s32"]:
            c = "s32" if "s32" in (a, b) else "u32"
            kernels.append(simple(f"dp4a.{a}.{b}", ["b8x4", "b8x4", c], c))
            kernels += [simple(f"dp2a.{h}.{a}.{b}", ["u16x2", "b8x4", c], c) for h in ("lo", "hi")]
    suite.add(f"{group}dot_product", "dp4a and dp2a in all signs", "sm_80", kernels)
    kernels = []
    for t in ["u16x2", "s16x2"]:
        kernels += [simple(f"{o}.{t}", [t, t], t) for o in ("add", "min", "max")]
    kernels += [
        simple("min.relu.s16x2", ["s16x2"] * 2, "s16x2"),
        simple("max.relu.s16x2", ["s16x2"] * 2, "s16x2"),
        simple("min.relu.s32", [s, s], s),
        simple("max.relu.s32", [s, s], s),
    ]
    suite.add(f"{group}packed_16", "Packed 16-bit integers and .relu (sm_90)", "sm_90", kernels)


def bits(suite):
    group = "bits/"
    for t in ["b16", "b32", "b64"]:
        kernels = [simple(f"{o}.{t}", [t, t], t) for o in ("and", "or", "xor")]
        kernels += [simple(f"not.{t}", [t], t), simple(f"cnot.{t}", [t], t)]
        suite.add(f"{group}logic_{t}", f"and, or, xor, not, cnot on {t}", "sm_80", kernels)
    body = "setp.lt.s32 %p0, {a}, {b}; setp.eq.u32 %p1, {b}, {c}; mov.u32 {r}, 0;"
    for i, op in enumerate(
        [
            "and.pred %p2, %p0, %p1",
            "or.pred %p2, %p0, %p1",
            "xor.pred %p2, %p0, %p1",
            "not.pred %p2, %p0",
            "mov.pred %p2, %p1",
        ]
    ):
        body += f"{op}; @%p2 or.b32 {{r}}, {{r}}, {1 << i};"
    suite.add(
        f"{group}logic_pred",
        "and, or, xor, not, mov on predicates",
        "sm_80",
        [Kernel("logic_pred", ["s32", "s32", "u32"], ["u32"], body)],
    )
    for t in ["b16", "b32", "b64", "u16", "u32", "u64", "s16", "s32", "s64"]:
        kernels = [simple(f"shr.{t}", [t, "u32"], t)]
        if t[0] == "b":
            kernels.append(simple(f"shl.{t}", [t, "u32"], t))
        suite.add(f"{group}shift_{t}", f"Shifts of {t}, by more than its width too", "sm_80", kernels)
    suite.add(
        f"{group}shf",
        "Funnel shifts",
        "sm_80",
        [simple(f"shf.{d}.{m}.b32", ["b32", "b32", "u32"], "b32") for d in "lr" for m in ("clamp", "wrap")],
    )
    kernels = [
        Kernel(f"lop3_{lut:02x}", ["b32"] * 3, ["b32"], f"lop3.b32 {{r}}, {{a}}, {{b}}, {{c}}, {lut}")
        for lut in (0x00, 0x01, 0x1A, 0x3C, 0x80, 0x96, 0xCA, 0xE8, 0xF8, 0xFE, 0xFF)
    ]
    kernels += [
        Kernel(
            f"lop3_{op}_80",
            ["b32"] * 3,
            ["b32", "u32"],
            f"setp.lt.u32 %p1, {{c}}, 1000; lop3.{op}.b32 {{r}}|%p0, {{a}}, {{b}}, {{c}}, 0x80, %p1;"
            "selp.u32 {s}, 1, 0, %p0",
        )
        for op in ("or", "and")
    ]
    suite.add(f"{group}lop3", "lop3 with several tables and with a predicate", "sm_80", kernels)
    kernels = [simple("prmt.b32", ["b32", "b32", "u32"], "b32")]
    kernels += [
        simple(f"prmt.b32.{m}", ["b32", "b32", "u32"], "b32") for m in ("f4e", "b4e", "rc8", "ecl", "ecr", "rc16")
    ]
    suite.add(f"{group}prmt", "prmt in all modes", "sm_80", kernels)
    for t in ["u32", "s32", "u64", "s64"]:
        suite.add(
            f"{group}bfe_{t}",
            f"bfe on {t}, with positions and lengths beyond it",
            "sm_80",
            [
                simple(f"bfe.{t}", [t, "u32", "u32"], t),
                Kernel(
                    f"bfe_{t}_inside",
                    [t, "u32", "u32"],
                    [t],
                    f"and.b32 %t0, {{b}}, 63; and.b32 %t1, {{c}}, 63; bfe.{t} {{r}}, {{a}}, %t0, %t1",
                ),
            ],
        )
        suite.add(
            f"{group}bfind_{t}",
            f"bfind on {t}",
            "sm_80",
            [simple(f"bfind.{t}", [t], "u32"), simple(f"bfind.shiftamt.{t}", [t], "u32")],
        )
    for t in ["b32", "b64"]:
        suite.add(
            f"{group}bfi_{t}",
            f"bfi on {t}, with positions and lengths beyond it",
            "sm_80",
            [
                simple(f"bfi.{t}", [t, t, "u32", "u32"], t),
                Kernel(
                    f"bfi_{t}_inside",
                    [t, t, "u32", "u32"],
                    [t],
                    f"and.b32 %t0, {{c}}, 63; and.b32 %t1, {{d}}, 63; bfi.{t} {{r}}, {{a}}, {{b}}, %t0, %t1",
                ),
            ],
        )
        suite.add(
            f"{group}count_{t}",
            f"clz, popc, brev on {t}",
            "sm_80",
            [simple(f"clz.{t}", [t], "u32"), simple(f"popc.{t}", [t], "u32"), simple(f"brev.{t}", [t], t)],
        )
    suite.add(
        f"{group}bmsk",
        "bmsk, both modes",
        "sm_80",
        [simple(f"bmsk.{m}.b32", ["u32", "u32"], "b32") for m in ("clamp", "wrap")],
    )
    suite.add(
        f"{group}szext",
        "szext, both modes and signs",
        "sm_80",
        [simple(f"szext.{m}.{t}", [t, "u32"], t) for m in ("clamp", "wrap") for t in ("u32", "s32")],
    )
    suite.add(
        f"{group}fns",
        "fns: the n-th set bit",
        "sm_80",
        [
            Kernel(
                "fns_b32",
                ["b32", "u32", "u32"],
                ["b32"],
                "and.b32 %t0, {b}, 31; and.b32 %t1, {c}, 7; sub.s32 %t1, %t1, 3; fns.b32 {r}, {a}, %t0, %t1",
            )
        ],
    )


INT_COMPARES = {
    "u": ["eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs"],
    "s": ["eq", "ne", "lt", "le", "gt", "ge"],
    "b": ["eq", "ne"],
}
FLOAT_COMPARES = ["eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"]


def all_compares(opcode_of, compares):
    body = "mov.u32 {r}, 0;"
    for i, c in enumerate(compares):
        body += f"{opcode_of(c)} %p0, {{a}}, {{b}}; @%p0 or.b32 {{r}}, {{r}}, {1 << i};"
    return body


def comparisons(suite):
    group = "compare/"
    for t in INTS + ["b16", "b32", "b64"]:
        compares = INT_COMPARES[t[0]]
        kernels = [Kernel(f"setp_{t}", [t, t], ["u32"], all_compares(lambda c: f"setp.{c}.{t}", compares))]
        body = "setp.lt.s32 %p3, {c}, 100;" + "mov.u32 {r}, 0;"
        for i, op in enumerate(["and", "or", "xor"]):
            body += (
                f"setp.ne.{op}.{t} %p0|%p1, {{a}}, {{b}}, %p3; @%p0 or.b32 {{r}}, {{r}}, {1 << 2 * i};"
                f"@%p1 or.b32 {{r}}, {{r}}, {2 << 2 * i};"
            )
            body += f"setp.eq.{op}.{t} %p0, {{a}}, {{b}}, !%p3; @%p0 or.b32 {{r}}, {{r}}, {64 << i};"
        kernels.append(Kernel(f"setp_two_{t}", [t, t, "s32"], ["u32"], body))
        if BITS[t] >= 16:
            for d in ["u32", "s32", "f32"]:
                kernels.append(simple(f"set.{compares[-1]}.{d}.{t}", [t, t], d))
        suite.add(f"{group}setp_{t}", f"setp and set on {t}", "sm_80", kernels)
    for t, ftz in [("f32", ""), ("f32", "ftz"), ("f64", "")]:
        kernels = [
            Kernel(
                named(form("setp", ftz, t)),
                [t, t],
                ["u32"],
                all_compares(lambda c: form("setp", c, ftz, t), FLOAT_COMPARES),
            )
        ]
        kernels += [
            Kernel(
                named(form("setp_two", ftz, t)),
                [t, t, "s32"],
                ["u32", "u32"],
                f"setp.lt.s32 %p3, {{c}}, 100; {form('setp', 'ltu', 'xor', ftz, t)} %p0|%p1, {{a}}, {{b}}, %p3;"
                "selp.u32 {r}, 1, 0, %p0; selp.u32 {s}, 1, 0, %p1",
            )
        ]
        kernels += [simple(form("set", "geu", ftz, d, t), [t, t], d) for d in ("u32", "s32", "f32")]
        suite.add(f"{group}setp_{t}{ftz}", f"setp and set on {t} {ftz}".rstrip(), "sm_80", kernels)
    for t, target in [("f16", "sm_80"), ("bf16", "sm_90")]:
        for ftz in ["", "ftz"] if t == "f16" else [""]:
            pair = t + "x2"
            kernels = [
                Kernel(
                    named(form("setp", ftz, t)),
                    [t, t],
                    ["u32"],
                    all_compares(lambda c: form("setp", c, ftz, t), FLOAT_COMPARES),
                )
            ]
            both = "mov.u32 {r}, 0; mov.u32 {s}, 0;"
            for i, c in enumerate(FLOAT_COMPARES):
                both += (
                    f"{form('setp', c, ftz, pair)} %p0|%p1, {{a}}, {{b}}; @%p0 or.b32 {{r}}, {{r}}, {1 << i};"
                    f"@%p1 or.b32 {{s}}, {{s}}, {1 << i};"
                )
            kernels.append(Kernel(named(form("setp", ftz, pair)), [pair, pair], ["u32", "u32"], both))
            kernels += [simple(form("set", "geu", ftz, d, t), [t, t], d) for d in (t, "u16", "s16", "u32", "s32")]
            kernels += [simple(form("set", c, ftz, pair, pair), [pair, pair], pair) for c in ("gt", "nan", "neu")]
            kernels += [simple(form("set", "leu", ftz, d, pair), [pair, pair], "b32") for d in ("u32", "s32")]
            suite.add(f"{group}setp_{t}{ftz}", f"setp and set on {t} and {pair} {ftz}".rstrip(), target, kernels)
    kernels = [simple(f"set.{c}.{k}.{k}", [k, k], k) for c in ("eq", "nan", "num", "lt") for k in ("f16", "f16x2")]
    kernels += [
        simple("set.eq.u32.f16x2", ["f16x2", "f16x2"], "b32"),
        Kernel(
            "set_and_f16",
            ["f16", "f16", "s32"],
            ["f16"],
            "setp.lt.s32 %p0, {c}, 100; set.ltu.and.f16.f16 {r}, {a}, {b}, %p0",
        ),
    ]
    suite.add(f"{group}set_f16", "set with f16 results", "sm_80", kernels)
    kernels = []
    for t in INTS + ["b16", "b32", "b64", "f32", "f64"]:
        kernels.append(
            Kernel(f"selp_{t}", [t, t, "s32"], [t], f"setp.lt.s32 %p0, {{c}}, 77; selp.{t} {{r}}, {{a}}, {{b}}, %p0")
        )
        kernels.append(simple(f"slct.{t}.s32", [t, t, "s32"], t))
        kernels.append(simple(f"slct.{t}.f32", [t, t, "f32"], t))
        kernels.append(simple(f"slct.ftz.{t}.f32", [t, t, "f32"], t))
    suite.add(f"{group}select", "selp and slct on all types", "sm_80", kernels)
    for t in ["f32", "f64"]:
        body = "mov.u32 {r}, 0;"
        for i, p in enumerate(["finite", "infinite", "number", "notanumber", "normal", "subnormal"]):
            body += f"testp.{p}.{t} %p0, {{a}}; @%p0 or.b32 {{r}}, {{r}}, {1 << i};"
        suite.add(f"{group}testp_{t}", f"testp on {t}", "sm_80", [Kernel(f"testp_{t}", [t], ["u32"], body)])


def holds(d, source):
    """Whether every value of an integer type is one of `d` (.sat is then not allowed)."""
    return BITS[d] >= BITS[source] if d[0] == source[0] else d[0] == "s" and BITS[d] > BITS[source]


def conversions(suite):
    group = "convert/"
    all_ints = ["u8", "s8"] + INTS
    for source in all_ints:
        kernels = [simple(f"cvt.{d}.{source}", [source], d) for d in all_ints if d != source]
        kernels += [simple(f"cvt.sat.{d}.{source}", [source], d) for d in all_ints if not holds(d, source)]
        suite.add(f"{group}from_{source}", f"cvt between {source} and the other integers", "sm_80", kernels)
        kernels = []
        for d in ["f16", "f32", "f64"]:
            kernels += [simple(f"cvt.{r}.{d}.{source}", [source], d) for r in ("rn", "rz", "rm", "rp")]
        kernels.append(simple(f"cvt.rn.sat.f32.{source}", [source], "f32"))
        suite.add(f"{group}float_from_{source}", f"cvt from {source} to floats", "sm_80", kernels)
    for source in ["f16", "f32", "f64"]:
        for d in all_ints:
            kernels = [simple(f"cvt.{r}.{d}.{source}", [source], d) for r in ("rni", "rzi", "rmi", "rpi")]
            kernels.append(simple(f"cvt.rzi.sat.{d}.{source}", [source], d))
            if source == "f32":
                kernels += [simple(f"cvt.rzi.ftz.{d}.f32", [source], d), simple(f"cvt.rpi.ftz.{d}.f32", [source], d)]
            suite.add(f"{group}{d}_from_{source}", f"cvt from {source} to {d}", "sm_80", kernels)
    kernels = [
        simple("cvt.f32.f16", ["f16"], "f32"),
        simple("cvt.ftz.f32.f16", ["f16"], "f32"),
        simple("cvt.sat.f32.f16", ["f16"], "f32"),
        simple("cvt.f64.f16", ["f16"], "f64"),
        simple("cvt.f64.f32", ["f32"], "f64"),
        simple("cvt.ftz.f64.f32", ["f32"], "f64"),
        simple("cvt.sat.f64.f32", ["f32"], "f64"),
        simple("cvt.f32.bf16", ["bf16"], "f32"),
        simple("cvt.sat.f32.f32", ["f32"], "f32"),
        simple("cvt.ftz.sat.f32.f32", ["f32"], "f32"),
        simple("cvt.ftz.f32.f32", ["f32"], "f32"),
        simple("cvt.f32.f32", ["f32"], "f32"),
        simple("cvt.f64.f64", ["f64"], "f64"),
        simple("cvt.f16.f16", ["f16"], "f16"),
        simple("cvt.sat.f64.f64", ["f64"], "f64"),
        simple("cvt.sat.f16.f16", ["f16"], "f16"),
    ]
    for d, s in [("f16", "f32"), ("f16", "f64"), ("f32", "f64")]:
        kernels += [simple(f"cvt.{r}.{d}.{s}", [s], d) for r in ("rn", "rz", "rm", "rp")]
        kernels.append(simple(f"cvt.rn.sat.{d}.{s}", [s], d))
    kernels += [
        simple("cvt.rn.ftz.f16.f32", ["f32"], "f16"),
        simple("cvt.rn.ftz.f32.f64", ["f64"], "f32"),
        simple("cvt.rm.ftz.f32.f64", ["f64"], "f32"),
    ]
    suite.add(f"{group}float_from_float", "cvt between floats", "sm_90", kernels)
    kernels = []
    for t in ["f16", "f32", "f64"]:
        for r in ("rni", "rzi", "rmi", "rpi"):
            kernels.append(simple(f"cvt.{r}.{t}.{t}", [t], t))
            if t != "f64":
                kernels.append(
                    simple(f"cvt.{r}.ftz.{t}.{t}", [t], t) if t == "f32" else simple(f"cvt.{r}.sat.{t}.{t}", [t], t)
                )
    suite.add(f"{group}integral", "cvt to integral values of the same float type", "sm_80", kernels)
    kernels = []
    for d in ["f16", "bf16"]:
        for r in ("rn", "rz"):
            for relu in ("", "relu"):
                kernels.append(simple(form("cvt", r, relu, d, "f32"), ["f32"], d))
                kernels.append(simple(form("cvt", r, relu, d + "x2", "f32"), ["f32", "f32"], d + "x2"))
    kernels += [simple("cvt.rna.tf32.f32", ["f32"], "b32")]
    suite.add(f"{group}to_half", "cvt from f32 to f16, bf16 (also packed, .relu) and tf32", "sm_80", kernels)
    kernels = [simple(f"cvt.{r}.tf32.f32", ["f32"], "b32") for r in ("rn", "rz", "rn.relu", "rz.relu")]
    kernels.append(simple("cvt.rna.satfinite.tf32.f32", ["f32"], "b32"))
    kernels += [
        simple(f"cvt.{r}.{d}.bf16", ["bf16"], d)
        for r in ("rni", "rzi", "rmi", "rpi")
        for d in ("s32", "u32", "s64", "u16", "s16")
    ]
    kernels += [
        simple(f"cvt.{r}.bf16.{s}", [s], "bf16")
        for r in ("rn", "rz", "rm", "rp")
        for s in ("s32", "u64", "s16", "u16", "f64", "f16")
    ]
    kernels += [
        simple("cvt.f64.bf16", ["bf16"], "f64"),
        simple("cvt.rn.f16.bf16", ["bf16"], "f16"),
        simple("cvt.rni.bf16.bf16", ["bf16"], "bf16"),
    ]
    suite.add(f"{group}sm90_forms", "cvt forms of sm_90: tf32 roundings, bf16 with integers", "sm_90", kernels)
    kernels = []
    for t in ["e4m3x2", "e5m2x2"]:
        for relu in ("", "relu"):
            kernels.append(simple(form("cvt.rn.satfinite", relu, t, "f32"), ["f32", "f32"], "b16"))
            kernels.append(simple(form("cvt.rn.satfinite", relu, t, "f16x2"), ["f16x2"], "b16"))
            kernels.append(simple(form("cvt.rn", relu, "f16x2", t), ["b8x2"], "f16x2"))
    suite.add(f"{group}fp8", "cvt to and from 8-bit floats", "sm_90", kernels)


def floats(suite):
    group = "float/"
    roundings = ["rn", "rz", "rm", "rp"]
    for o, arity in [("add", 2), ("sub", 2), ("mul", 2), ("fma", 3)]:
        kernels = []
        for r in (["", "rn"] if o != "fma" else ["rn"]) + roundings[1:]:
            for ftz in ("", "ftz"):
                for sat in ("", "sat"):
                    kernels.append(simple(form(o, r, ftz, sat, "f32"), ["f32"] * arity, "f32"))
        suite.add(f"{group}{o}_f32", f"{o}.f32 with all roundings, .ftz, .sat", "sm_80", kernels)
        plain = [""] if o != "fma" else []
        kernels = [simple(form(o, r, "f64"), ["f64"] * arity, "f64", " nans") for r in roundings + plain]
        suite.add(f"{group}{o}_f64", f"{o}.f64 with all roundings", "sm_80", kernels)
    suite.add(
        f"{group}mad",
        "mad on floats is fma",
        "sm_80",
        [simple(f"mad.{r}.{t}", [t] * 3, t, " nans" if t == "f64" else "") for r in roundings for t in ("f32", "f64")],
    )
    for o, arity in [("div", 2), ("rcp", 1), ("sqrt", 1)]:
        kernels = [simple(form(o, r, ftz, "f32"), ["f32"] * arity, "f32") for r in roundings for ftz in ("", "ftz")]
        suite.add(f"{group}{o}_f32", f"{o}.f32 with all roundings", "sm_80", kernels)
        kernels = [simple(form(o, r, "f64"), ["f64"] * arity, "f64", " nans") for r in roundings]
        suite.add(f"{group}{o}_f64", f"{o}.f64 with all roundings", "sm_80", kernels)
    for t in ["f32", "f64"]:
        kernels = []
        for ftz in ("", "ftz") if t == "f32" else ("",):
            kernels += [simple(form(o, ftz, t), [t], t) for o in ("abs", "neg")]
            kernels += [
                simple(form(o, ftz, nan, t), [t, t], t, " nans" if t == "f64" else "")
                for o in ("min", "max")
                for nan in (("", "NaN") if t == "f32" else ("",))
            ]
        kernels.append(simple(f"copysign.{t}", [t, t], t))
        suite.add(f"{group}min_abs_{t}", f"min, max, abs, neg, copysign on {t}", "sm_80", kernels)
    suite.add(
        f"{group}xorsign",
        "min and max with .xorsign.abs",
        "sm_90",
        [
            simple(form(o, ftz, nan, "xorsign.abs.f32"), ["f32"] * 2, "f32")
            for o in ("min", "max")
            for ftz in ("", "ftz")
            for nan in ("", "NaN")
        ],
    )


def halves(suite):
    group = "half/"
    for t, target in [("f16", "sm_80"), ("bf16", "sm_90")]:
        for kind in (t, t + "x2"):
            kernels = []
            for ftz in ("", "ftz") if t == "f16" else ("",):
                for sat in ("", "sat") if t == "f16" else ("",):
                    kernels += [
                        simple(form(o, r, ftz, sat, kind), [kind] * 2, kind)
                        for o in ("add", "sub", "mul")
                        for r in ("", "rn")
                    ]
                    kernels.append(simple(form("fma.rn", ftz, sat, kind), [kind] * 3, kind))
                kernels.append(simple(form("fma.rn", ftz, "relu", kind), [kind] * 3, kind))
                kernels += [simple(form(o, ftz, kind), [kind], kind) for o in ("abs", "neg")]
                kernels += [
                    simple(form(o, ftz, nan, kind), [kind] * 2, kind) for o in ("min", "max") for nan in ("", "NaN")
                ]
            suite.add(f"{group}{kind}", f"Arithmetic on {kind}", target, kernels)
            suite.add(
                f"{group}{kind}_xorsign",
                f"min and max with .xorsign.abs on {kind}",
                "sm_90",
                [
                    simple(form(o, nan, "xorsign.abs", kind), [kind] * 2, kind)
                    for o in ("min", "max")
                    for nan in ("", "NaN")
                ],
            )
    kernels = []
    for kind in ("f16", "f16x2"):
        kernels += [
            simple(f"ex2.approx.{kind}", [kind], kind, " ulp 2"),
            simple(f"tanh.approx.{kind}", [kind], kind, " ulp 8"),
        ]
    suite.add(f"{group}approx_f16", "ex2 and tanh on f16", "sm_80", kernels)
    kernels = []
    for kind in ("bf16", "bf16x2"):
        kernels += [
            simple(f"ex2.approx.ftz.{kind}", [kind], kind, " ulp 2"),
            simple(f"tanh.approx.{kind}", [kind], kind, " ulp 8"),
        ]
    suite.add(f"{group}approx_bf16", "ex2 and tanh on bf16", "sm_90", kernels)


def math(suite):
    group = "math/"
    allowed = {
        "rcp": " ulp 2",
        "sqrt": " ulp 4",
        "rsqrt": " ulp 4",
        "ex2": " ulp 4",
        "lg2": " ulp 4 abs 3e-7",
        "sin": " abs 4e-5",
        "cos": " abs 4e-5",
        "tanh": " abs 1e-3",
    }
    kernels = []
    for o in ["rcp", "sqrt", "rsqrt", "ex2", "lg2"]:
        kernels += [simple(form(o, "approx", ftz, "f32"), ["f32"], "f32", allowed[o]) for ftz in ("", "ftz")]
    kernels.append(simple("tanh.approx.f32", ["f32"], "f32", allowed["tanh"]))
    for o in ["sin", "cos"]:
        for ftz in ("", "ftz"):
            m = form(o, "approx", ftz, "f32")
            # Hardware reduces the angle in f32, so its error grows with the angle: keep to small ones.
            kernels.append(
                Kernel(
                    named(m),
                    ["f32"],
                    ["f32"],
                    f"abs.f32 %f0, {{a}}; setp.gt.f32 %p0, %f0, 0f43800000; @%p0 mul.f32 {{a}}, {{a}}, 0f00000000;"
                    f"{m} {{r}}, {{a}}",
                    allowed[o],
                )
            )
    for ftz in ("", "ftz"):
        kernels.append(simple(form("div.approx", ftz, "f32"), ["f32"] * 2, "f32", " ulp 4"))
        kernels.append(simple(form("div.full", ftz, "f32"), ["f32"] * 2, "f32", " ulp 4"))
    suite.add(f"{group}approx_f32", "Approximate functions on f32", "sm_80", kernels)
    # The low words of these results are unspecified; a relative error of 2^-20 is 2^32 steps of an f64.
    suite.add(
        f"{group}approx_f64",
        "rcp and rsqrt approximations on f64",
        "sm_80",
        [
            simple("rcp.approx.ftz.f64", ["f64"], "f64", " ulp 8589934592"),
            simple("rsqrt.approx.ftz.f64", ["f64"], "f64", " ulp 8589934592"),
            simple("rsqrt.approx.f64", ["f64"], "f64", " ulp 8589934592"),
        ],
    )


def video(suite):
    group = "video/"
    for n in (2, 4):
        kind = "u16x2" if n == 2 else "b8x4"
        for o in ["vadd", "vsub", "vabsdiff", "vmin", "vmax", "vavrg"]:
            kernels = []
            for d in ("u32", "s32"):
                for a, b in (("u32", "u32"), ("s32", "s32"), ("u32", "s32")):
                    for tail in ("", "sat", "add"):
                        m = form(f"{o}{n}", d, a, b, tail)
                        kernels.append(
                            Kernel(
                                named(m),
                                [kind, kind, "u32" if tail == "add" else kind],
                                [d],
                                f"{m} {{r}}, {{a}}, {{b}}, {{c}}",
                            )
                        )
            suite.add(f"{group}{o}{n}", f"{o}{n}: {n} lanes in 32 bits", "sm_80", kernels)
    kernels = []
    for a in ("u32", "s32"):
        for b in ("u32", "s32"):
            m = form("vmad", "s32" if "s32" in (a, b) else "u32", a, b)
            kernels.append(Kernel(named(m), ["u32", "u32", "u32"], ["u32"], f"{m} {{r}}, {{a}}, {{b}}, {{c}}"))
            kernels.append(
                Kernel(named(m) + "_parts", ["u32", "u32", "u32"], ["u32"], f"{m} {{r}}, {{a}}.h1, {{b}}.b2, {{c}}")
            )
    suite.add(f"{group}vmad", "vmad: multiply and add", "sm_80", kernels)
    kernels = []
    for a, b in (("u32", "u32"), ("s32", "s32"), ("u32", "s32")):
        for c in ("eq", "ne", "lt", "le", "gt", "ge"):
            m = form("vset", a, b, c)
            kernels.append(Kernel(named(m), ["u32", "u32"], ["u32"], f"{m} {{r}}, {{a}}, {{b}}"))
        kernels.append(
            Kernel(
                named(form("vset", a, b)) + "_parts_add",
                ["u32", "u32", "u32"],
                ["u32"],
                f"vset.{a}.{b}.lt.add {{r}}, {{a}}.b3, {{b}}.h0, {{c}}",
            )
        )
        for n in (2, 4):
            kind = "u16x2" if n == 2 else "b8x4"
            for tail in ("", "add"):
                m = form(f"vset{n}", a, b, "lt", tail)
                kernels.append(Kernel(named(m), [kind, kind, "u32"], ["u32"], f"{m} {{r}}, {{a}}, {{b}}, {{c}}"))
    suite.add(f"{group}vset", "vset, vset2, vset4: comparisons as numbers", "sm_80", kernels)
    kernels = []
    for d in ("u32", "s32"):
        for m in ("vshl", "vshr"):
            for mode in ("clamp", "wrap"):
                name = form(m, d, d, "u32", mode)
                kernels.append(Kernel(named(name), ["u32", "u32"], ["u32"], f"{name} {{r}}, {{a}}, {{b}}"))
                kernels.append(
                    Kernel(named(name) + "_parts", ["u32", "u32"], ["u32"], f"{name} {{r}}, {{a}}.h1, {{b}}.b0")
                )
    suite.add(f"{group}vshift", "vshl and vshr", "sm_80", kernels)
    for o in ["vadd", "vsub", "vabsdiff", "vmin", "vmax"]:
        kernels = []
        for d in ("u32", "s32"):
            for a, b in (("u32", "u32"), ("s32", "s32"), ("u32", "s32")):
                for sat in ("", "sat"):
                    m = form(o, d, a, b, sat)
                    kernels.append(Kernel(named(m), ["u32", "u32"], [d], f"{m} {{r}}, {{a}}, {{b}}"))
                    kernels.append(Kernel(named(m) + "_parts", ["u32", "u32"], [d], f"{m} {{r}}, {{a}}.b1, {{b}}.h1"))
                    kernels.append(
                        Kernel(named(m) + "_add", ["u32", "u32", "u32"], [d], f"{m}.add {{r}}, {{a}}, {{b}}, {{c}}")
                    )
        suite.add(f"{group}{o}", f"{o}: scalar video instruction", "sm_80", kernels)


def main():
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "run"
    suite = Suite()
    for family in (integers, bits, comparisons, conversions, floats, halves, math, video):
        family(suite)
    suite.write(root)
    print(f"{len(suite.files)} files, {sum(len(k) for _, _, k in suite.files.values())} kernels")


if __name__ == "__main__":
    main()

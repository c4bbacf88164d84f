# SPDX-License-Identifier: MIT
"""Value tests of integer arithmetic and bits."""

from value_tests import BITS, INTS, Kernel, form, simple


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

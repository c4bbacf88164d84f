# SPDX-License-Identifier: MIT
"""Value tests of comparisons and selections."""

from value_tests import BITS, INTS, Kernel, form, named, simple

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

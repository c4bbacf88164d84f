# SPDX-License-Identifier: MIT
"""Value tests of floats: arithmetic, halves, approximate functions."""

from value_tests import Kernel, form, named, simple


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

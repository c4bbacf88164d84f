# SPDX-License-Identifier: MIT
"""Value tests of the video instructions."""

from value_tests import Kernel, form, named


def scaled_products():
    operands = {
        "": ("{a}", "{b}", "{c}"),
        "a": ("-{a}", "{b}", "{c}"),
        "c": ("{a}", "{b}", "-{c}"),
        "parts": ("{a}.h1", "-{b}.b2", "{c}"),
        "po": ("{a}", "{b}", "{c}"),
    }
    kernels = []
    for d, a, b in (("u32", "u32", "u32"), ("s32", "s32", "s32"), ("s32", "u32", "s32"), ("u32", "s32", "u32")):
        for sat in ("", "sat"):
            for scale in ("", "shr7", "shr15"):
                for name, (left, right, added) in operands.items():
                    if not (name or sat or scale):
                        continue
                    m = form("vmad", d, a, b, "po" if name == "po" else "", sat, scale)
                    kernels.append(
                        Kernel(
                            named(m) + (f"_{name}" if name else ""),
                            ["u32", "u32", "u32"],
                            ["u32"],
                            f"{m} {{r}}, {left}, {right}, {added}",
                        )
                    )
    return kernels


def with_unread_source():
    kernels = []
    for o in ("vadd", "vsub", "vabsdiff", "vmin", "vmax"):
        for sat in ("", "sat"):
            m = form(o, "s32", "u32", "s32", sat)
            kernels.append(Kernel(named(m), ["u32", "u32", "u32"], ["u32"], f"{m} {{r}}, {{a}}, {{b}}, {{c}}"))
    return kernels


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
    suite.add(f"{group}vmad_scaled", "vmad: negated, plus one, scaled and clamped", "sm_80", scaled_products())
    suite.add(f"{group}unread", "a third source that nothing is done with", "sm_80", with_unread_source())
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

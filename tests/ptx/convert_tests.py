# SPDX-License-Identifier: MIT
"""Value tests of cvt."""

from value_tests import BITS, INTS, form, simple


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

# SPDX-License-Identifier: MIT
"""File tests of declarations and rare instructions: packed conversions, variables of a function, hints."""

from file_tests import FULL, Kernel, at, samples, signed
from operand_tests import LANES, TABLES, THREADS, operands, word


def pack(kind, upper, lower, rest):
    bits = int(kind[1:])
    low, high = (0, (1 << bits) - 1) if kind[0] == "u" else (-(1 << bits - 1), (1 << bits - 1) - 1)

    def part(value):
        return min(max(signed(value, 32), low), high) & ((1 << bits) - 1)

    return (part(upper) << bits | part(lower) | rest << 2 * bits) & FULL


def packed_conversions(suite):
    small = [n & FULL for n in (-200, -129, -128, -9, -8, -3, -2, -1, 0, 1, 2, 3, 7, 8, 15, 16, 127, 128, 255, 256)]
    a = (samples(32, 20, 1) + small + [40000, 70000, -40000 & FULL, 32767])[:THREADS] + samples(32, 20, 4)
    b = (small + [65535, 65536] + samples(32, 80, 2))[: len(a)]
    c = samples(32, len(a), 3)
    kernels = []
    for kind in ("u16", "s16", "u8", "s8", "u4", "s4", "u2", "s2"):
        has_rest = int(kind[1:]) < 16
        results = [pack(kind, x, y, z if has_rest else 0) for x, y, z in zip(a, b, c)]
        kernels.append(
            Kernel(
                f"cvt_pack_{kind}",
                len(a),
                [("IN", "a", "b32", a), ("IN", "b", "b32", b), ("IN", "c", "b32", c), ("OUT", "r", "b32", results)],
                "\n".join(at(name, 32) for name in "abcr")
                + f"""
                ld.global.b32 %t3, [%a]; ld.global.b32 %t4, [%b]; ld.global.b32 %t5, [%c];
                cvt.pack.sat.{kind}.s32{".b32" if has_rest else ""} %t6, %t3, %t4{", %t5" if has_rest else ""};
                st.global.b32 [%r], %t6;""",
            )
        )
    kernels.append(
        word(
            "cvt_pack_of_constants",
            [pack("u8", -5, 300, pack("u8", 1, 2, 0))] * THREADS,
            """
            cvt.pack.sat.u8.s32.b32 %t3, 1, 2, 0;
            cvt.pack.sat.u8.s32.b32 %t4, -5, 300, %t3;""",
        )
    )
    suite.add("syntax/cvt_pack", "cvt.pack.sat of every type, on both sides of every limit", kernels)


FUNCTIONS = """
.global .b32 count = 1000;
.func (.param .b32 r) next()
{
  .global .b32 count = 5;
  .reg .b32 %r<2>;
  atom.global.add.u32 %r0, [count], 1;
  st.param.b32 [r], %r0; ret;
}
.func (.param .b32 r) other()
{
  .global .b32 count = 70;
  .const .align 4 .b32 steps[2] = {3, 4};
  .global .u64 where = count;
  .reg .b32 %r<4>; .reg .b64 %d<2>;
  ld.global.u64 %d0, [where]; ld.global.b32 %r0, [%d0];
  ld.const.b32 %r1, steps[1];
  ld.global.b32 %r2, [count]; add.u32 %r0, %r0, %r1; add.u32 %r0, %r0, %r2;
  st.param.b32 [r], %r0; ret;
}
"""


def function_variables(suite):
    def call(name, result):
        return f"{{ .param .b32 back; call (back), {name}; ld.param.b32 {result}, [back]; }}"

    kernels = [
        word("variable_of_a_function", [144] * THREADS, call("other", "%t4")),
        word("variable_of_the_module_keeps_its_name", [1000] * THREADS, "ld.global.b32 %t4, [count];"),
        word(
            "variable_of_a_kernel_hides_the_module_s",
            [9] * THREADS,
            ".global .b32 count = 9;\nld.global.b32 %t4, [count];",
        ),
        word(
            "variables_of_scopes",
            [12] * THREADS,
            """
            { .global .b32 x = 5; ld.global.b32 %t4, [x]; }
            { .global .b32 x = 7; ld.global.b32 %t5, [x]; }
            add.u32 %t4, %t4, %t5;""",
        ),
        word(
            "variable_lives_from_call_to_call",
            [6] * THREADS,
            f"""
            setp.ne.u32 %p1, %t2, 0;
            @%p1 bra wait;
            {call("next", "%t4")}
            {call("next", "%t4")}
            st.shared.b32 [last], %t4;
        wait:
            bar.sync 0;
            ld.shared.b32 %t4, [last];""",
            ".shared .b32 last;",
        ),
    ]
    kernels += [
        word(
            "variables_named_by_a_range",
            [n + 40 for n in LANES],
            """
            st.local.b32 [mine1], %t2; st.local.b32 [mine2], 40; st.global.b32 [many0], 5;
            ld.local.b32 %t3, [mine1]; ld.local.b32 %t4, [mine2]; add.u32 %t4, %t4, %t3;""",
            ".local .b32 mine<3>; .global .b32 many<2>;",
        ),
    ]
    suite.add("syntax/function_variables", ".global and .const inside functions", kernels, before=FUNCTIONS)


def hints(suite):
    """What tells the hardware something and changes no value."""
    kernels = [
        word("ldu_reads", [30] * THREADS, "mov.u64 %u1, table;\nldu.global.b32 %t4, [%u1+8];"),
        word(
            "policies_priorities_and_events",
            [40] * THREADS,
            """
            createpolicy.fractional.L2::evict_last.b64 %u1, 1.0;
            mov.u64 %u2, table;
            createpolicy.range.global.L2::evict_last.b64 %u3, [%u2], 32, 32;
            pmevent 3;
            pmevent.mask 5;
            applypriority.global.L2::evict_normal [line], 128;
            ld.global.L2::cache_hint.b32 %t4, [%u2+12], %u1;""",
        ),
        word(
            "what_is_discarded_can_be_written_again",
            [n for n in LANES],
            """
            mov.u32 %t5, %warpid; setp.ne.u32 %p1, %t2, 0;
            @!%p1 discard.global.L2 [line], 128;
            bar.sync 0;
            mov.u64 %u1, line; mad.wide.u32 %u1, %t2, 4, %u1;
            st.global.u32 [%u1], %t2; ld.global.u32 %t4, [%u1];""",
        ),
    ]
    line = ".global .align 128 .b32 line[64];\n"
    suite.add("syntax/hints", "ldu, policies, priorities, events", kernels, before=TABLES + line)
    kernels = [
        word("launches_wait_for_nothing", [7] * THREADS, "griddepcontrol.wait;\nmov.u32 %t4, 7;"),
        word("dependents_may_be_launched", [8] * THREADS, "griddepcontrol.launch_dependents;\nmov.u32 %t4, 8;"),
        word(
            "a_cluster_of_one_block",
            [2 * n for n in LANES],
            """
            shl.b32 %t3, %t2, 1; st.shared.u32 ours[%t2], %t3;
            mov.u32 %t5, ours; mad.lo.u32 %t5, %t2, 4, %t5;
            mapa.shared::cluster.u32 %t6, %t5, 0;
            getctarank.shared::cluster.u32 %t7, %t6;
            ld.shared::cluster.u32 %t4, [%t6];
            add.u32 %t4, %t4, %t7;""",
            ".shared .align 4 .b32 ours[64];",
        ),
    ]
    suite.add("syntax/hints_90", "programmatic launches, addresses in a cluster", kernels, target="sm_90")
    kernels = [
        word("registers_on_demand", [9] * THREADS, "setmaxnreg.dec.sync.aligned.u32 64;\nmov.u32 %t4, 9;"),
    ]
    suite.add("syntax/hints_90a", "setmaxnreg changes no value", kernels, target="sm_90a")


def syntax(suite):
    for group in (packed_conversions, operands, function_variables, hints):
        group(suite)

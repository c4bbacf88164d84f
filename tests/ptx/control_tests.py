# SPDX-License-Identifier: MIT
"""File tests of calls, branches, special registers and the stack."""

from file_tests import FULL, Kernel, at

FUNCTIONS = """
.extern .func (.param .b64 memory) malloc(.param .b64 bytes);
.extern .func free(.param .b64 memory);
.func (.param .b32 r) twice(.param .b32 x)
{
  .reg .b32 %r<2>;
  ld.param.u32 %r0, [x]; add.u32 %r1, %r0, %r0;
  st.param.b32 [r], %r1; ret;
}
.func (.param .b32 r) square(.param .b32 x)
{
  .reg .b32 %r<2>;
  ld.param.u32 %r0, [x]; mul.lo.u32 %r1, %r0, %r0;
  st.param.b32 [r], %r1; ret;
}
.func (.param .b32 r) negative(.param .b32 x)
{
  .reg .b32 %r<2>;
  ld.param.u32 %r0, [x]; neg.s32 %r1, %r0;
  st.param.b32 [r], %r1; ret;
}
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
    return (
        f"{{ .param .b32 ca; .param .b32 cr; st.param.b32 [ca], {argument}; "
        f"{prefix}call {'' if prefix else '(cr), '}{target}, (ca){extra}; ld.param.b32 {result}, [cr]; }}"
    )


def questions(addresses, spaces):
    """For each address the spaces that it lies in, a bit each, in words of %r."""
    lines = []
    for word, address in enumerate(addresses):
        lines.append("mov.u32 %t4, 0;")
        for bit, space in enumerate(spaces):
            lines.append(f"isspacep.{space} %p1, {address};")
            lines.append(f"@%p1 or.b32 %t4, %t4, {1 << bit};")
        lines.append(f"st.global.u32 [%r+{4 * word}], %t4;")
    return "\n".join(lines)


ADDRESSES = """
        mov.u64 %u1, mine; cvta.local.u64 %u1, %u1;
        mov.u64 %u2, ours; cvta.shared.u64 %u2, %u2;
        mov.u64 %u3, fixed; cvta.const.u64 %u3, %u3;
        mov.b64 %u4, r_; cvta.param.u64 %u4, %u4;
        add.u64 %u3, %u3, 12; add.u64 %u4, %u4, 7;
        mov.u64 %u5, 0; mov.u64 %u6, 0x123456789abc;
        """


def spaces_of_everything():
    """Parameters are global too, and so is what lies nowhere: as an H200 answers."""
    spaces = ["global", "shared", "shared::cta", "local", "const", "param", "param::entry"]
    answers = [8, 2 + 4, 16, 1 + 32 + 64, 1, 1, 1]
    return Kernel(
        "spaces_of_everything",
        40,
        [("OUT", "r", "u32", answers * 40)],
        ADDRESSES
        + "mov.u64 %u7, %r; mad.wide.u32 %r, %i, 28, %r;\n"
        + questions([f"%u{i}" for i in range(1, 8)], spaces),
        before=".local .align 4 .b8 mine[16]; .shared .align 4 .b8 ours[16]; .const .align 4 .b8 fixed[16] = {1};",
    )


def spaces_in_vectors():
    """Those that can be asked for all threads of a gang, of addresses that differ from thread to thread."""
    answers = [2, 4, 0]
    return Kernel(
        "spaces_in_vectors",
        96,
        [("OUT", "r", "u32", answers * 32)],
        ADDRESSES.replace("mov.u64 %u1, mine; cvta.local.u64 %u1, %u1;", "").replace(
            "mov.u64 %u2, ours; cvta.shared.u64 %u2, %u2;", ""
        )
        + """
        rem.u32 %t5, %i, 3;
        setp.eq.u32 %p2, %t5, 0; setp.eq.u32 %p3, %t5, 1;
        selp.b64 %u8, %u3, %u6, %p2; selp.b64 %u8, %u4, %u8, %p3;
        mad.wide.u32 %r, %i, 4, %r;
        """
        + questions(["%u8"], ["shared", "const", "param"]),
        before=".const .align 4 .b8 fixed[16] = {1};",
    )


def control(suite):
    lanes = list(range(40))
    apply = [lambda x: 2 * x, lambda x: x * x, lambda x: -x & FULL]
    fibonacci = [0, 1, 1, 2, 3, 5, 8, 13, 21, 34]
    prologue = f"{at('r', 32)}\n"
    kernels = [
        Kernel(
            "direct_call",
            40,
            [("OUT", "r", "u32", [n * n for n in lanes])],
            prologue + call("square", "%t2", "%t4") + "\nst.global.u32 [%r], %t4;",
        ),
        Kernel(
            "call_through_a_pointer",
            40,
            [("OUT", "r", "u32", [apply[n % 3](n) for n in lanes])],
            prologue
            + """
            rem.u32 %t5, %t2, 3;
            mov.u64 %u1, functions;
            mad.wide.u32 %u1, %t5, 8, %u1;
            ld.global.u64 %u2, [%u1];
            """
            + call("%u2", "%t2", "%t4", ", shape")
            + "\nst.global.u32 [%r], %t4;",
            before="shape: .callprototype (.param .b32 _) _ (.param .b32 _);",
        ),
        Kernel(
            "call_of_listed_targets",
            40,
            [("OUT", "r", "u32", [apply[n % 2](n) for n in lanes])],
            prologue
            + """
            and.b32 %t5, %t2, 1;
            setp.eq.u32 %p1, %t5, 0;
            mov.u64 %u1, twice;
            mov.u64 %u2, square;
            selp.b64 %u3, %u1, %u2, %p1;
            """
            + call("%u3", "%t2", "%t4", ", choices")
            + "\nst.global.u32 [%r], %t4;",
            before="choices: .calltargets twice, square;",
        ),
        Kernel(
            "recursion",
            10,
            [("OUT", "r", "u32", fibonacci)],
            prologue + call("fibonacci", "%t2", "%t4") + "\nst.global.u32 [%r], %t4;",
        ),
        Kernel(
            "a_barrier_in_a_function",
            40,
            [("OUT", "r", "u32", [sum(lanes)] * 40)],
            prologue + call("block_sum", "%t2", "%t4") + "\nst.global.u32 [%r], %t4;",
        ),
        Kernel(
            "exit_in_a_function",
            40,
            [("INOUT", "r", "u32", [7] * 40, [7 if n % 2 else n for n in lanes])],
            prologue
            + """
            { .param .b32 ca; st.param.b32 [ca], %t2; call leave_if_odd, (ca); }
            st.global.u32 [%r], %t2;""",
        ),
        Kernel(
            "structs_in_and_out",
            8,
            [("OUT", "r", "u64", [v for n in range(8) for v in (2 * n, n)])],
            f"""
            {at("r", 128)}
            cvt.u64.u32 %u1, %t2;
            add.u64 %u2, %u1, %u1;
            {{
              .param .align 8 .b8 ca[16]; .param .align 8 .b8 cr[16];
              st.param.u64 [ca], %u1; st.param.u64 [ca+8], %u2;
              call (cr), swap_pair, (ca);
              ld.param.v2.u64 {{%u3, %u4}}, [cr];
            }}
            st.global.v2.u64 [%r], {{%u3, %u4}};""",
        ),
        Kernel(
            "device_memory_of_kernels",
            40,
            [("OUT", "r", "u32", [n + 5 for n in lanes])],
            prologue
            + """
            { .param .b64 ca; .param .b64 cr; st.param.b64 [ca], 64; call (cr), malloc, (ca); ld.param.b64 %u1, [cr]; }
            add.u32 %t4, %t2, 5;
            st.u32 [%u1+60], %t4;
            bar.sync 0;
            ld.u32 %t5, [%u1+60];
            { .param .b64 ca; st.param.b64 [ca], %u1; call free, (ca); }
            st.global.u32 [%r], %t5;""",
        ),
        Kernel(
            "branch_by_index",
            40,
            [("OUT", "r", "u32", [[11, 22, 33][n % 3] for n in lanes])],
            prologue
            + """
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
            st.global.u32 [%r], %t4;""",
            before="ways: .branchtargets one, two, three;",
        ),
        Kernel(
            "loops_in_loops",
            40,
            [("OUT", "r", "u32", [n * (n + 1) // 2 for n in lanes])],
            prologue
            + """
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
            st.global.u32 [%r], %t4;""",
        ),
        Kernel(
            "guards_and_exits",
            40,
            [("INOUT", "r", "u32", [9] * 40, [9 if n > 20 else n for n in lanes])],
            prologue
            + """
            setp.gt.u32 %p1, %t2, 20;
            @%p1 exit;
            @!%p1 st.global.u32 [%r], %t2;""",
        ),
    ]
    suite.add(
        "control/calls_and_branches",
        "calls of every kind, recursion, branches, loops, exits",
        kernels,
        before=FUNCTIONS,
    )
    kernels = []
    for name, value in (
        ("tid.x", lambda n: n % 40),
        ("tid.y", lambda n: 0),
        ("ntid.x", lambda n: 40),
        ("ntid.z", lambda n: 1),
        ("ctaid.x", lambda n: n // 40),
        ("nctaid.x", lambda n: 2),
        ("nctaid.y", lambda n: 1),
        ("laneid", lambda n: n % 40 % 32),
        ("lanemask_eq", lambda n: 1 << n % 40 % 32),
        ("lanemask_lt", lambda n: (1 << n % 40 % 32) - 1),
        ("lanemask_le", lambda n: (2 << n % 40 % 32) - 1),
        ("lanemask_gt", lambda n: FULL & ~((2 << n % 40 % 32) - 1)),
        ("lanemask_ge", lambda n: FULL & ~((1 << n % 40 % 32) - 1)),
        ("dynamic_smem_size", lambda n: 256),
    ):
        kernels.append(
            Kernel(
                "register_" + name,
                40,
                [("OUT", "r", "u32", [value(n) for n in range(80)])],
                f"{at('r', 32)}\nmov.u32 %t4, %{name};\nst.global.u32 [%r], %t4;",
                grid=2,
                shared=256,
            )
        )
    kernels.append(
        Kernel(
            "clocks_go_forward",
            40,
            [("OUT", "r", "u32", [1] * 40)],
            prologue
            + """
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
        st.global.u32 [%r], %t7;""",
        )
    )
    kernels.append(
        Kernel(
            "spaces_of_addresses",
            40,
            [("OUT", "r", "u32", [1 + 16 + 256] * 40)],
            prologue
            + """
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
        st.global.u32 [%r], %t4;""",
            before=".local .align 4 .b8 mine[16]; .shared .align 4 .b8 ours[16];",
        )
    )
    suite.add("control/registers", "special registers, clocks, and the space that an address lies in", kernels)
    suite.add("syntax/spaces", "isspacep", [spaces_of_everything(), spaces_in_vectors()])
    suite.add(
        "control/alloca",
        "memory from alloca, given back by stackrestore and on return",
        [
            Kernel(
                "alloca_in_a_loop",
                40,
                [("OUT", "r", "u32", [sum(range(n, n + 50)) for n in lanes])],
                prologue
                + """
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
            st.global.u32 [%r], %t4;""",
            )
        ],
    )

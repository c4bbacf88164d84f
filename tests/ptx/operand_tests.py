# SPDX-License-Identifier: MIT
"""File tests of operands: array elements, vectors, windows of 32 bits, matrix moves through every kind of address."""

from file_tests import FULL, Kernel, at

THREADS = 64
LANES = list(range(THREADS))
OUT = at("r", 32)
STORE = "st.global.u32 [%r], %t4;"
TABLES = """
.global .align 4 .b32 table[8] = {10, 20, 30, 40, 50, 60, 70, 80};
.global .align 2 .u16 halves[4] = {1, 2, 3, 4};
.global .align 8 .u64 wide[3] = {5, 6, 7};
.global .align 16 .v4 .b32 quads[2] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
.global .align 4 .b32 rows[2][3] = {{11, 12, 13}, {21, 22, 23}};
.const .align 4 .b32 fixed[4] = {100, 200, 300, 400};
"""


def word(name, values, body, before="", **more):
    """A kernel in which each thread stores %t4."""
    results = [value & FULL for value in values]
    return Kernel(name, THREADS, [("OUT", "r", "u32", results)], f"{OUT}\n{body}\n{STORE}", before=before, **more)


def array_elements(suite):
    mine = ".local .align 4 .b32 mine[4]; .shared .align 4 .b32 ours[64]; .shared .align 4 .b8 room[16];"
    kernels = [
        word("element_by_number", [30] * THREADS, "ld.global.b32 %t4, table[2];"),
        word("element_without_a_space", [30] * THREADS, "ld.b32 %t4, table[2];"),
        word(
            "element_by_register",
            [10 * (n % 8 + 1) for n in LANES],
            "and.b32 %t3, %t2, 7;\nld.global.b32 %t4, table[%t3];",
        ),
        word(
            "element_by_register_and_number",
            [10 * (n % 4 + 4) for n in LANES],
            "and.b32 %t3, %t2, 3;\nld.global.b32 %t4, table[%t3+3];",
        ),
        word(
            "element_before_the_register",
            [10 * (n % 4 + 4) for n in LANES],
            "and.b32 %t3, %t2, 3;\nadd.u32 %t3, %t3, 4;\nld.global.b32 %t4, table[%t3+-1];",
        ),
        word(
            "only_the_low_half_of_an_index_counts",
            [20] * THREADS,
            "mov.b64 %u1, 0x500000001;\nld.global.b32 %t4, table[%u1];",
        ),
        word("element_of_halves", [3] * THREADS, "ld.global.u16 %t4, halves[2];"),
        word("element_of_64_bits", [7] * THREADS, "ld.global.u64 %u1, wide[2];\ncvt.u32.u64 %t4, %u1;"),
        word("elements_of_vectors_are_scalars", [6] * THREADS, "ld.global.b32 %t4, quads[5];"),
        word(
            "several_elements",
            [5 + 6 * 256 + 7 * 65536] * THREADS,
            """
            ld.global.v4.b32 {%t3, %t4, %t5, %t6}, quads[4];
            mad.lo.u32 %t4, %t4, 256, %t3;
            mad.lo.u32 %t4, %t5, 65536, %t4;""",
        ),
        word("one_index_into_rows", [21] * THREADS, "ld.global.b32 %t4, rows[3];"),
        word(
            "element_of_constants",
            [100 * (n % 4 + 1) for n in LANES],
            "and.b32 %t3, %t2, 3;\nld.const.b32 %t4, fixed[%t3];",
        ),
        word(
            "elements_of_local_memory",
            [n + 7 for n in LANES],
            """
            st.local.b32 mine[1], %t2; st.local.b32 mine[2], 7;
            ld.local.b32 %t3, mine[1]; ld.local.b32 %t4, mine[2];
            add.u32 %t4, %t4, %t3;""",
            mine,
        ),
        word(
            "elements_of_shared_memory",
            [63 - n for n in LANES],
            """
            st.shared.b32 ours[%t2], %t2;
            bar.sync 0;
            sub.u32 %t3, 0, %t2;
            ld.shared.b32 %t4, ours[%t3+63];""",
            mine,
        ),
        word(
            "address_of_an_element",
            [4 + 8 + 12 + 4 * n for n in LANES],
            """
            mov.u32 %t3, room; mov.u32 %t4, room[4]; sub.u32 %t4, %t4, %t3;
            mov.u32 %t3, ours; mov.u32 %t5, ours[2]; sub.u32 %t5, %t5, %t3; add.u32 %t4, %t4, %t5;
            mov.u32 %t5, ours[%t2]; sub.u32 %t5, %t5, %t3; add.u32 %t4, %t4, %t5;
            mov.u64 %u1, table; mov.u64 %u2, table[3]; sub.u64 %u2, %u2, %u1; cvt.u32.u64 %t5, %u2;
            add.u32 %t4, %t4, %t5;""",
            mine,
        ),
        word(
            "generic_address_of_an_element",
            [n * 3 for n in LANES],
            """
            mul.lo.u32 %t3, %t2, 3;
            st.shared.b32 ours[%t2], %t3;
            cvta.shared.u64 %u1, ours[1];
            mad.wide.u32 %u1, %t2, 4, %u1;
            ld.b32 %t4, [%u1+-4];""",
            mine,
        ),
        word(
            "elements_of_parameters",
            [5 + n for n in LANES],
            """
            { .param .align 4 .b32 given[3]; .param .b32 back;
              st.param.b32 [given], 0; st.param.b32 [given+4], 5; st.param.b32 [given+8], %t2;
              call (back), sum_of_two, (given);
              ld.param.b32 %t4, [back]; }""",
        ),
    ]
    before = (
        TABLES
        + """
.func (.param .b32 sum) sum_of_two(.param .align 4 .b32 given[3])
{
  .reg .b32 %r<3>;
  ld.param.b32 %r0, given[1]; ld.param.b32 %r1, given[2]; add.u32 %r2, %r0, %r1;
  st.param.b32 [sum], %r2; ret;
}
"""
    )
    suite.add("syntax/array_elements", "array[index] as an operand, in every state space", kernels, before=before)


def vectors(suite):
    kernels = [
        word(
            "swap_of_a_pair",
            [n << 8 | 5 for n in LANES],
            "mov.b32 %t3, 5; mov.b32 %t5, %t2;\nmov.v2.b32 {%t3, %t5}, {%t5, %t3};\nmad.lo.u32 %t4, %t3, 256, %t5;",
        ),
        word(
            "vector_from_and_to_scalars",
            [4 * n + 30 for n in LANES],
            """
            mov.v4.u32 v, {%t2, %t2, 10, 20};
            mov.v4.u32 w, v;
            mov.v4.u32 {%t3, %t4, %t5, %t6}, w;
            add.u32 %t4, %t4, %t3; add.u32 %t3, v.x, w.y; add.u32 %t4, %t4, %t3;
            add.u32 %t4, %t4, %t5; add.u32 %t4, %t4, %t6;""",
            ".reg .v4 .u32 v, w;",
        ),
        word(
            "vector_of_16_bits",
            [1 << 24 | 2 << 16 | 3 << 8 | 4] * THREADS,
            """
            mov.u16 %h1, 1; mov.u16 %h2, 2; mov.u16 %h3, 3; mov.u16 %h4, 4;
            mov.v4.u16 {%h5, %h6, %h7, %h8}, {%h1, %h2, %h3, %h4};
            shl.b16 %h5, %h5, 8; or.b16 %h5, %h5, %h6; shl.b16 %h7, %h7, 8; or.b16 %h7, %h7, %h8;
            mov.b32 %t4, {%h7, %h5};""",
        ),
        word(
            "halves_of_a_vector_register",
            [0x40003] * THREADS,
            "mov.b64 v, 0x0000000400000003;\nshl.b32 %t3, v.y, 16;\nor.b32 %t4, %t3, v.x;",
            ".reg .v2 .b32 v;",
        ),
        word(
            "all_of_a_special_register",
            [n + 256 * 64 for n in LANES],
            """
            mov.v4.u32 v, %ntid;
            mov.v4.u32 {%t3, %t4, %t5, _}, %tid;
            add.u32 %t3, %t3, %t4; add.u32 %t3, %t3, %t5; add.u32 %t3, %t3, v.w;
            mad.lo.u32 %t4, v.x, 256, %t3;""",
            ".reg .v4 .u32 v;",
        ),
        word("fourth_component_is_0", [n for n in LANES], "mov.u32 %t3, %tid.w;\nadd.u32 %t4, %t2, %t3;"),
        word(
            "scalar_split_into_a_vector",
            [0x1234 + 0x5678 + n for n in LANES],
            """
            mov.v2.u32 {%t3, %t5}, 0x12345678;
            add.u32 %t4, %t3, %t5; add.u32 %t4, %t4, %t2;""",
        ),
        word(
            "register_with_an_offset",
            [2 * n + 5 + 0x10000 for n in LANES],
            "mov.u32 %t3, %t2+5;\nadd.u32 %t4, %t2, %t3+0x10000;",
        ),
        word(
            "stored_register_with_an_offset",
            [n - 3 for n in LANES],
            "st.shared.u32 ours[%t2], %t2+-3;\nld.shared.u32 %t4, ours[%t2];",
            ".shared .align 4 .b32 ours[64];",
        ),
        word("leading_zeros_of_a_register", [7] * THREADS, "mov.b32 %t03, 7;\nmov.b32 %t4, %t3;"),
        word(
            "vector_registers_of_functions",
            [4 * n + 46 for n in LANES],
            """
            mov.v4.u32 v, {%t2, %t2, %t2, %t2};
            call (w), shifted, (v, 10);
            add.u32 %t4, w.x, w.y; add.u32 %t4, %t4, w.z; add.u32 %t4, %t4, w.w;""",
            ".reg .v4 .u32 v, w;",
        ),
        word(
            "vector_registers_through_a_pointer",
            [4 * n + 46 for n in LANES],
            """
            mov.v4.u32 v, {%t2, %t2, %t2, %t2};
            mov.u64 %u1, shifted;
            call (w), %u1, (v, 10), shape;
            add.u32 %t4, w.x, w.y; add.u32 %t4, %t4, w.z; add.u32 %t4, %t4, w.w;""",
            ".reg .v4 .u32 v, w; shape: .callprototype (.reg .v4 .u32 _) _ (.reg .v4 .u32 _, .reg .u32 _);",
        ),
    ]
    before = """
.func (.reg .v4 .u32 r) shifted(.reg .v4 .u32 a, .reg .u32 by)
{
  add.u32 r.x, a.x, by; add.u32 r.y, a.y, by; add.u32 r.z, a.z, by; add.u32 r.w, a.w, 16; ret;
}
"""
    suite.add("syntax/vectors", "vector registers, moves of vectors, registers with an offset", kernels, before=before)


def windows(suite):
    kernels = [
        word(
            "local_memory_in_32_bits",
            [3 * n + 35 for n in LANES],
            """
            mov.b32 %t3, mine; mov.u32 %t5, 35; mul.lo.u32 %t6, %t2, 3;
            st.local.u32 [%t3+4], %t5; st.local.u32 [%t3], %t6;
            mov.b32 %t7, mine+4; ld.local.u32 %t4, [%t7+-4]; ld.local.u32 %t5, [%t7];
            add.u32 %t4, %t4, %t5;""",
            ".local .align 4 .b8 mine[16];",
        ),
        word(
            "which_of_two_local_arrays_in_32_bits",
            [(n if n % 3 else 1000 + n) + 5 for n in LANES],
            """
            mov.b32 %t3, one; mov.b32 %t5, two;
            st.local.u32 [%t3+8], %t2; add.u32 %t6, %t2, 1000; st.local.u32 [%t5+8], %t6;
            rem.u32 %t7, %t2, 3; setp.eq.u32 %p1, %t7, 0; selp.b32 %t7, %t5, %t3, %p1;
            ld.local.u32 %t4, [%t7+8]; add.u32 %t4, %t4, 5; st.local.u32 [%t7+8], %t4;
            ld.local.v2.u32 {%t4, %t5}, [%t7+8];""",
            ".local .align 8 .b8 one[64]; .local .align 8 .b8 two[4096];",
        ),
        word(
            "constants_in_32_bits",
            [7 + 100 * (n % 4 + 1) for n in LANES],
            """
            mov.b32 %t3, pair; ld.const.u32 %t5, [%t3+4];
            and.b32 %t6, %t2, 3; mov.b32 %t3, fixed; mad.lo.u32 %t3, %t6, 4, %t3;
            ld.const.u32 %t4, [%t3]; add.u32 %t4, %t4, %t5;""",
        ),
        word(
            "parameters_in_32_bits",
            [n + 1 for n in LANES],
            "mov.b32 %t3, r_; ld.param.u64 %u1, [%t3];\nsub.u64 %u1, %r, %u1; cvt.u32.u64 %t4, %u1;\n"
            "shr.u32 %t4, %t4, 2; add.u32 %t4, %t4, 1;",
        ),
        word(
            "parameters_of_functions_in_32_bits",
            [n + 8 for n in LANES],
            """
            { .param .align 4 .b32 given[2]; .param .b32 back;
              st.param.b32 [given], %t2; st.param.b32 [given+4], 8;
              call (back), through_32_bits, (given); ld.param.b32 %t4, [back]; }""",
        ),
        word(
            "shared_memory_in_32_bits",
            [63 - n for n in LANES],
            """
            mov.b32 %t3, ours; mad.lo.u32 %t5, %t2, 4, %t3; st.shared.u32 [%t5], %t2;
            bar.sync 0;
            sub.u32 %t6, 63, %t2; mad.lo.u32 %t5, %t6, 4, %t3; ld.shared.u32 %t4, [%t5];""",
            ".shared .align 4 .b32 ours[64];",
        ),
    ]
    before = """
.const .align 4 .u32 pair[2] = {5, 7};
.const .align 4 .u32 fixed[4] = {100, 200, 300, 400};
.func (.param .b32 sum) through_32_bits(.param .align 4 .b32 given[2])
{
  .reg .b32 %r<4>;
  mov.b32 %r0, given; ld.param.b32 %r1, [%r0]; ld.param.b32 %r2, [%r0+4]; add.u32 %r1, %r1, %r2;
  mov.b32 %r3, sum; st.param.b32 [%r3], %r1; ret;
}
"""
    suite.add("syntax/windows", "addresses of 32 bits in .local, .const, .param and .shared", kernels, before=before)


def tiles_by_address(suite):
    """Row i of the tile holds the numbers from 8 i on; lane 4 g + t gets elements 2 t and 2 t + 1 of row g."""

    def loaded(lane):
        first = 8 * (lane // 4) + 2 * (lane % 4)
        return first | first + 1 << 16

    fill = """
    mad.lo.u32 %t3, %t2, 2, 0; add.u32 %t5, %t3, 1; shl.b32 %t5, %t5, 16; or.b32 %t3, %t3, %t5;
    st.shared.u32 tile[%t2], %t3;
    bar.warp.sync -1;
    and.b32 %t6, %t2, 7;
    """
    forms = {
        "shared_in_32_bits": ("mov.u32 %t7, tile; mad.lo.u32 %t7, %t6, 16, %t7;", ".shared", "%t7"),
        "shared_in_64_bits": ("mov.u64 %u1, tile; mad.wide.u32 %u1, %t6, 16, %u1;", ".shared", "%u1"),
        "generic": ("cvta.shared.u64 %u1, tile; mad.wide.u32 %u1, %t6, 16, %u1;", "", "%u1"),
        "the_low_half_of_a_generic_address": (
            "cvta.shared.u64 %u1, tile; mad.wide.u32 %u1, %t6, 16, %u1; cvt.u32.u64 %t7, %u1;",
            "",
            "%t7",
        ),
    }
    kernels = []
    for name, (address, space, register) in forms.items():
        kernels.append(
            Kernel(
                f"ldmatrix_through_{name}",
                32,
                [("OUT", "r", "u32", [loaded(lane) for lane in range(32)])],
                f"{OUT}\n{fill}\n{address}\nldmatrix.sync.aligned.m8n8.x1{space}.b16 {{%t4}}, [{register}];\n{STORE}",
                before=".shared .align 16 .b32 tile[32];",
            )
        )
    stores = []
    for name, (address, space, register) in forms.items():
        stores.append(
            Kernel(
                f"stmatrix_through_{name}",
                32,
                [("OUT", "r", "u32", [2 * lane | 2 * lane + 1 << 16 for lane in range(32)])],
                f"""{OUT}
                and.b32 %t6, %t2, 7;
                shl.b32 %t3, %t2, 1; add.u32 %t5, %t3, 1; shl.b32 %t5, %t5, 16; or.b32 %t3, %t3, %t5;
                {address}
                stmatrix.sync.aligned.m8n8.x1{space}.b16 [{register}], {{%t3}};
                bar.warp.sync -1;
                ld.shared.u32 %t4, tile[%t2];
                {STORE}""",
                before=".shared .align 16 .b32 tile[32];",
            )
        )
    suite.add("syntax/ldmatrix_addresses", "ldmatrix through every kind of address", kernels)
    suite.add("syntax/stmatrix_addresses", "stmatrix through every kind of address", stores, target="sm_90")


def operands(suite):
    for group in (array_elements, vectors, windows, tiles_by_address):
        group(suite)

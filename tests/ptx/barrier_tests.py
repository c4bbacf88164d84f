# SPDX-License-Identifier: MIT
"""File tests of barriers."""

from file_tests import Kernel, at


def barriers(suite):
    threads = 96
    kernels = []
    for form in (
        "bar.sync 0;",
        "barrier.sync 0;",
        "barrier.sync.aligned 0;",
        "bar.cta.sync 0;",
        "barrier.cta.sync.aligned 0;",
        "bar.sync 5, 96;",
        "barrier.sync 15, 96;",
    ):
        name = "reverse_" + "".join(c if c.isalnum() else "_" for c in form)
        kernels.append(
            Kernel(
                name,
                threads,
                [("OUT", "r", "u32", [threads - 1 - n for n in range(threads)])],
                f"""
            {at("r", 32)}
            mov.u32 %t4, cells;
            mad.lo.u32 %t5, %t2, 4, %t4;
            st.shared.u32 [%t5], %t2;
            {form}
            sub.u32 %t6, {threads - 1}, %t2;
            mad.lo.u32 %t6, %t6, 4, %t4;
            ld.shared.u32 %t7, [%t6];
            st.global.u32 [%r], %t7;""",
                before=f".shared .align 4 .b8 cells[{4 * threads}];",
            )
        )
    for name, predicate in (
        ("none", "setp.lt.u32 %p1, %t2, 0;"),
        ("all", "setp.ge.u32 %p1, %t2, 0;"),
        ("some", "setp.lt.u32 %p1, %t2, 37;"),
    ):
        count = {"none": 0, "all": threads, "some": 37}[name]
        for spelling in ("bar.red", "barrier.red", "barrier.cta.red.aligned"):
            for operation, value in (
                ("popc.u32", count),
                ("and.pred", int(count == threads)),
                ("or.pred", int(count > 0)),
            ):
                write = "mov.u32 %t5, %t6;" if operation == "popc.u32" else "selp.u32 %t5, 1, 0, %p2;"
                target = "%t6" if operation == "popc.u32" else "%p2"
                kernels.append(
                    Kernel(
                        f"{spelling}_{operation}_{name}",
                        threads,
                        [("OUT", "r", "u32", [value] * threads)],
                        f"{at('r', 32)}\n{predicate}\n{spelling}.{operation} {target}, 0, %p1;\n{write}\n"
                        "st.global.u32 [%r], %t5;",
                    )
                )
    kernels.append(
        Kernel(
            "producers_arrive_and_consumers_wait",
            64,
            [("OUT", "r", "u32", [1000 + n for n in range(32)])],
            f"""
        mov.u32 %t4, cells;
        setp.lt.u32 %p1, %t2, 32;
        @%p1 bra consumer;
        sub.u32 %t5, %t2, 32;
        mad.lo.u32 %t6, %t5, 4, %t4;
        add.u32 %t7, %t5, 1000;
        st.shared.u32 [%t6], %t7;
        bar.arrive 3, 64;
        bra done;
    consumer:
        bar.sync 3, 64;
        {at("r", 32)}
        mad.lo.u32 %t6, %t2, 4, %t4;
        ld.shared.u32 %t7, [%t6];
        st.global.u32 [%r], %t7;
    done:""",
            before=".shared .align 4 .b8 cells[128];",
        )
    )
    kernels.append(
        Kernel(
            "warps_use_barriers_of_their_own",
            64,
            [("OUT", "r", "u32", [n ^ 31 for n in range(64)])],
            f"""
        {at("r", 32)}
        mov.u32 %t4, cells;
        mad.lo.u32 %t5, %t2, 4, %t4;
        shr.u32 %t8, %t2, 5;
        add.u32 %t8, %t8, 1;
        st.shared.u32 [%t5], %t2;
        bar.sync %t8, 32;
        xor.b32 %t6, %t2, 31;
        mad.lo.u32 %t6, %t6, 4, %t4;
        ld.shared.u32 %t7, [%t6];
        st.global.u32 [%r], %t7;""",
            before=".shared .align 4 .b8 cells[256];",
        )
    )
    kernels.append(
        Kernel(
            "a_tree_of_sums",
            128,
            [("IN", "a", "u32", list(range(256))), ("OUT", "r", "u32", [8128, 24512])],
            f"""
        {at("a", 32)}
        ld.global.u32 %t4, [%a];
        mov.u32 %t5, dynamic;
        mad.lo.u32 %t6, %t2, 4, %t5;
        st.shared.u32 [%t6], %t4;
        mov.u32 %t7, 64;
    half:
        bar.sync 0;
        setp.ge.u32 %p1, %t2, %t7;
        @%p1 bra next;
        mad.lo.u32 %t8, %t7, 4, %t6;
        ld.shared.u32 %t9, [%t8];
        ld.shared.u32 %t10, [%t6];
        add.u32 %t10, %t10, %t9;
        st.shared.u32 [%t6], %t10;
    next:
        shr.u32 %t7, %t7, 1;
        setp.ne.u32 %p1, %t7, 0;
        @%p1 bra half;
        setp.ne.u32 %p1, %t2, 0;
        @%p1 bra done;
        mad.wide.u32 %r, %t0, 4, %r;
        st.global.u32 [%r], %t10;
    done:""",
            grid=2,
            shared=512,
        )
    )
    suite.add(
        "barrier/barriers",
        "barriers of every kind: whole blocks, parts of them, reductions, arrivals",
        kernels,
        before=".extern .shared .align 16 .b8 dynamic[];",
    )

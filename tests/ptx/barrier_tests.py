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
    suite.add("barrier/mbarrier", "mbarrier: arrivals, phases, parities, bytes, copies", mbarriers(), target="sm_90")


MBARRIER = ".shared .align 8 .b64 barrier;"

# Thread 0 makes the barrier, for {0} arrivals; %t4 is its address.
INIT = """
        mov.u32 %t4, barrier;
        setp.ne.u32 %p1, %t2, 0;
        @%p1 bra made;
        mbarrier.init.shared.b64 [%t4], {0};
    made:
        bar.sync 0;"""


def mbarriers():
    threads = 64
    turned = [threads - 1 - n for n in range(threads)]
    reverse = f"""
        {at("r", 32)}
        mov.u32 %t5, cells;
        mad.lo.u32 %t6, %t2, 4, %t5;
        sub.u32 %t7, {threads - 1}, %t2;
        mad.lo.u32 %t7, %t7, 4, %t5;
        st.shared.u32 [%t6], %t2;
        {{0}}
        ld.shared.u32 %t8, [%t7];
        st.global.u32 [%r], %t8;"""
    cells = MBARRIER + " .shared .align 16 .b8 cells[1024];"
    waits = {
        "test_state": "mbarrier.arrive.shared.b64 %u1, [%t4];\nagain: mbarrier.test_wait.shared.b64 %p2, [%t4], %u1;",
        "try_state": "mbarrier.arrive.release.cta.shared::cta.b64 %u1, [%t4];\n"
        "again: mbarrier.try_wait.acquire.cta.shared::cta.b64 %p2, [%t4], %u1;",
        "try_parity_hint": "mbarrier.arrive.shared.b64 %u1, [%t4];\n"
        "again: mbarrier.try_wait.parity.shared.b64 %p2, [%t4], 0, 1000;",
        "counted": "@%p1 bra again;\nmbarrier.arrive.release.cta.shared.b64 _, [%t4], 64;\n"
        "again: mbarrier.test_wait.parity.shared.b64 %p2, [%t4], 0;",
        "after_copies": "cp.async.mbarrier.arrive.noinc.shared.b64 [%t4];\n"
        "again: mbarrier.try_wait.parity.shared.b64 %p2, [%t4], 0;",
        "generic": "cvt.u64.u32 %u3, %t4;\ncvta.shared.u64 %u3, %u3;\nmbarrier.arrive.b64 %u1, [%u3];\n"
        "again: mbarrier.test_wait.b64 %p2, [%u3], %u1;",
    }
    kernels = []
    for name, wait in waits.items():
        # One arrival of 64 threads comes from thread 0 alone, before which the others have written.
        first = "bar.sync 0;\n" if name == "counted" else ""
        body = INIT.format(threads) + reverse.format(first + wait + "\n@!%p2 bra again;")
        kernels.append(Kernel("mbarrier_" + name, threads, [("OUT", "r", "u32", turned)], body, before=cells))
    # Ten phases, each of which sees what every thread wrote in the one before.
    phases = f"""
        {at("r", 32)}
        mov.u32 %t9, 0;
        mov.u32 %t10, %t2;
        mov.u32 %t5, cells;
    phase:
        and.b32 %t11, %t9, 1;
        mad.lo.u32 %t12, %t11, {threads}, %t2;
        mad.lo.u32 %t12, %t12, 4, %t5;
        st.shared.u32 [%t12], %t10;
        mbarrier.arrive.shared.b64 %u1, [%t4];
    again:
        mbarrier.try_wait.shared.b64 %p2, [%t4], %u1;
        @!%p2 bra again;
        add.u32 %t13, %t2, 1;
        and.b32 %t13, %t13, {threads - 1};
        mad.lo.u32 %t12, %t11, {threads}, %t13;
        mad.lo.u32 %t12, %t12, 4, %t5;
        ld.shared.u32 %t10, [%t12];
        add.u32 %t9, %t9, 1;
        setp.lt.u32 %p3, %t9, 10;
        @%p3 bra phase;
        st.global.u32 [%r], %t10;"""
    after_ten = [(n + 10) % threads for n in range(threads)]
    out = [("OUT", "r", "u32", after_ten)]
    kernels.append(Kernel("mbarrier_ten_phases", threads, out, INIT.format(threads) + phases, before=cells))
    # What one thread sees: pending counts, drops, bytes.
    single = """
        mov.u32 %t4, barrier;
        mbarrier.init.shared.b64 [%t4], 3;
        mbarrier.arrive.noComplete.release.cta.shared.b64 %u1, [%t4], 2;
        mbarrier.pending_count.b64 %t5, %u1;
        st.global.u32 [%r], %t5;
        mbarrier.arrive_drop.shared.b64 %u1, [%t4];
        mbarrier.pending_count.b64 %t5, %u1;
        st.global.u32 [%r+4], %t5;
        mbarrier.test_wait.shared.b64 %p1, [%t4], %u1;
        selp.u32 %t5, 1, 0, %p1;
        st.global.u32 [%r+8], %t5;
        mbarrier.arrive.shared.b64 %u1, [%t4];
        mbarrier.pending_count.b64 %t5, %u1;
        st.global.u32 [%r+12], %t5;
        mbarrier.test_wait.shared.b64 %p1, [%t4], %u1;
        selp.u32 %t5, 1, 0, %p1;
        st.global.u32 [%r+16], %t5;
        mbarrier.inval.shared.b64 [%t4];"""
    kernels.append(Kernel("mbarrier_counts", 1, [("OUT", "r", "u32", [3, 1, 1, 2, 0])], single, before=MBARRIER))
    transactions = """
        mov.u32 %t4, barrier;
        mbarrier.init.shared::cta.b64 [%t4], 1;
        mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 %u1, [%t4], 48;
        mbarrier.test_wait.shared::cta.b64 %p1, [%t4], %u1;
        selp.u32 %t5, 1, 0, %p1;
        st.global.u32 [%r], %t5;
        mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%t4], 16;
        mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%t4], 48;
        mbarrier.test_wait.shared::cta.b64 %p1, [%t4], %u1;
        selp.u32 %t5, 1, 0, %p1;
        st.global.u32 [%r+4], %t5;
        mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%t4], 16;
        mbarrier.test_wait.shared::cta.b64 %p1, [%t4], %u1;
        selp.u32 %t5, 1, 0, %p1;
        st.global.u32 [%r+8], %t5;"""
    kernels.append(Kernel("mbarrier_bytes", 1, [("OUT", "r", "u32", [0, 0, 1])], transactions, before=MBARRIER))
    return kernels

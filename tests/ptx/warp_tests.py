# SPDX-License-Identifier: MIT
"""File tests of warp operations: shuffles, votes, matches, reductions, divergence."""

from atomic_tests import combined
from file_tests import BITS, FULL, Kernel, at, samples


def shuffled(mode, values, b, c):
    """shfl of PTX: the lane's new value and its predicate, for one warp."""
    clamp, segment = c & 31, (c >> 8) & 31
    result = []
    for lane in range(32):
        last = (lane & segment) | (clamp & ~segment)
        first = lane & segment
        source, inside = {
            "up": (lane - b, lane - b >= last),
            "down": (lane + b, lane + b <= last),
            "bfly": (lane ^ b, (lane ^ b) <= last),
            "idx": (first | (b & ~segment & 31), None),
        }[mode]
        if inside is None:
            inside = source <= last
        result.append((values[source if inside else lane], int(inside)))
    return result


def warps(suite):
    values = samples(32, 64, 9)
    kernels = []
    for mode in ("up", "down", "bfly", "idx"):
        for width in (32, 8):
            c = ((32 - width) << 8) | (0 if mode == "up" else 31)
            for b in (0, 1, 3, 7, 16, 31):
                pairs = shuffled(mode, values[:32], b, c) + shuffled(mode, values[32:], b, c)
                kernels.append(
                    Kernel(
                        f"shfl_{mode}_{width}_{b}",
                        64,
                        [
                            ("IN", "a", "u32", values),
                            ("OUT", "r", "u32", [v for v, _ in pairs]),
                            ("OUT", "s", "u32", [p for _, p in pairs]),
                        ],
                        f"""
                    {at("a", 32)}
                    {at("r", 32)}
                    {at("s", 32)}
                    ld.global.u32 %t4, [%a];
                    shfl.sync.{mode}.b32 %t5|%p1, %t4, {b}, {c}, {FULL};
                    selp.u32 %t6, 1, 0, %p1;
                    st.global.u32 [%r], %t5;
                    st.global.u32 [%s], %t6;""",
                    )
                )
    suite.add("warp/shuffle", "shfl.sync in every mode, over whole and divided warps", kernels)

    kernels = []
    for name, predicate in (
        ("none", lambda n: False),
        ("all", lambda n: True),
        ("third", lambda n: n % 3 == 0),
        ("first_warp", lambda n: n < 32),
    ):
        bits = [int(predicate(n)) for n in range(64)]
        for mask in (FULL, 0x0000FFFF, 0x80000001):
            members = [lane for lane in range(32) if mask >> lane & 1]
            expected = {"all": [], "any": [], "uni": [], "ballot": []}
            for thread in range(64):
                warp = [bits[thread // 32 * 32 + lane] for lane in members]
                inside = mask >> (thread % 32) & 1
                ballot = sum(bit << lane for bit, lane in zip(warp, members))
                for mode, value in (
                    ("all", all(warp)),
                    ("any", any(warp)),
                    ("uni", len(set(warp)) == 1),
                    ("ballot", ballot),
                ):
                    expected[mode].append(int(value) if inside else 77)
            for mode, results in expected.items():
                write = "mov.u32 %t5, %t6;" if mode == "ballot" else "selp.u32 %t5, 1, 0, %p2;"
                vote = (
                    f"vote.sync.ballot.b32 %t6, %p1, {mask};"
                    if mode == "ballot"
                    else f"vote.sync.{mode}.pred %p2, %p1, {mask};"
                )
                kernels.append(
                    Kernel(
                        f"vote_{mode}_{name}_{mask:x}",
                        64,
                        [("IN", "a", "u32", bits), ("OUT", "r", "u32", results)],
                        f"""
                    {at("a", 32)}
                    {at("r", 32)}
                    ld.global.u32 %t4, [%a];
                    setp.ne.u32 %p1, %t4, 0;
                    mov.u32 %t5, 77;
                    shr.u32 %t7, {mask}, %lane;
                    and.b32 %t7, %t7, 1;
                    setp.eq.u32 %p3, %t7, 0;
                    @%p3 bra outside;
                    {vote}
                    {write}
                outside:
                    st.global.u32 [%r], %t5;""",
                    )
                )
    suite.add("warp/vote", "vote.sync in every mode, for whole warps and for some of their lanes", kernels)

    kernels = []
    for kind in ("b32", "b64"):
        bits = BITS[kind]
        reg = "%t4" if bits == 32 else "%u4"
        high = 1 << (bits - 1)
        for name, numbers in (
            ("five", [(n * 7) % 5 for n in range(64)]),
            ("same", [high] * 64),
            ("own", list(range(64))),
            ("high", [n % 2 * high for n in range(64)]),
        ):
            any_masks, all_masks, all_flags = [], [], []
            for thread in range(64):
                warp = numbers[thread // 32 * 32 : thread // 32 * 32 + 32]
                any_masks.append(sum(1 << lane for lane in range(32) if warp[lane] == numbers[thread]))
                equal = len(set(warp)) == 1
                all_masks.append(FULL if equal else 0)
                all_flags.append(int(equal))
            load = f"{at('a', bits)}\n{at('r', 32)}\nld.global.{kind} {reg}, [%a];"
            kernels.append(
                Kernel(
                    f"match_any_{kind}_{name}",
                    64,
                    [("IN", "a", f"u{bits}", numbers), ("OUT", "r", "u32", any_masks)],
                    f"{load}\nmatch.any.sync.{kind} %t5, {reg}, {FULL};\nst.global.u32 [%r], %t5;",
                )
            )
            kernels.append(
                Kernel(
                    f"match_all_{kind}_{name}",
                    64,
                    [("IN", "a", f"u{bits}", numbers), ("OUT", "r", "u32", all_masks), ("OUT", "s", "u32", all_flags)],
                    f"{load}\n{at('s', 32)}\nmatch.all.sync.{kind} %t5|%p1, {reg}, {FULL};\nselp.u32 %t6, 1, 0, %p1;\n"
                    "st.global.u32 [%r], %t5;\nst.global.u32 [%s], %t6;",
                )
            )
    suite.add("warp/match", "match.any and match.all of 32 and 64 bits", kernels)

    kernels = []
    for operation, kinds in (
        ("add", ["u32", "s32"]),
        ("min", ["u32", "s32"]),
        ("max", ["u32", "s32"]),
        ("and", ["b32"]),
        ("or", ["b32"]),
        ("xor", ["b32"]),
    ):
        for kind in kinds:
            for mask in (FULL, 0x00FF00FF):
                results = []
                for thread in range(64):
                    members = [values[thread // 32 * 32 + lane] for lane in range(32) if mask >> lane & 1]
                    total = members[0]
                    for value in members[1:]:
                        total = combined(operation, kind, total, value)
                    results.append(total if mask >> (thread % 32) & 1 else 77)
                kernels.append(
                    Kernel(
                        f"redux_{operation}_{kind}_{mask:x}",
                        64,
                        [("IN", "a", "u32", values), ("OUT", "r", "u32", results)],
                        f"""
                    {at("a", 32)}
                    {at("r", 32)}
                    ld.global.u32 %t4, [%a];
                    mov.u32 %t5, 77;
                    shr.u32 %t7, {mask}, %lane;
                    and.b32 %t7, %t7, 1;
                    setp.eq.u32 %p3, %t7, 0;
                    @%p3 bra outside;
                    redux.sync.{operation}.{kind} %t5, %t4, {mask};
                outside:
                    st.global.u32 [%r], %t5;""",
                    )
                )
    suite.add("warp/redux", "redux.sync of every operation, for whole warps and for some of their lanes", kernels)

    lanes = list(range(64))
    kernels = [
        Kernel(
            "activemask_of_whole_warps",
            64,
            [("OUT", "r", "u32", [FULL] * 64)],
            f"{at('r', 32)}\nactivemask.b32 %t4;\nst.global.u32 [%r], %t4;",
        ),
        Kernel(
            "activemask_of_a_short_warp",
            40,
            [("OUT", "r", "u32", [FULL] * 32 + [0xFF] * 8)],
            f"{at('r', 32)}\nactivemask.b32 %t4;\nst.global.u32 [%r], %t4;",
        ),
        Kernel(
            "bar_warp_sync_orders_shared_memory",
            64,
            [("OUT", "r", "u32", [n ^ 1 for n in lanes])],
            f"""
            {at("r", 32)}
            mov.u32 %t4, cells;
            mad.lo.u32 %t5, %t2, 4, %t4;
            st.shared.u32 [%t5], %t2;
            bar.warp.sync {FULL};
            xor.b32 %t6, %t2, 1;
            mad.lo.u32 %t6, %t6, 4, %t4;
            ld.shared.u32 %t7, [%t6];
            st.global.u32 [%r], %t7;""",
            before=".shared .align 4 .b8 cells[256];",
        ),
        # Even lanes go one way and odd lanes the other; each side shuffles among itself, then all do.
        Kernel(
            "divergent_shuffles_meet_again",
            64,
            [
                (
                    "OUT",
                    "r",
                    "u32",
                    [
                        n // 32 * 32 + ((n % 32) ^ 2) + (1000 if n % 2 == 0 else 2000) + n // 32 * 32 + (n % 32 ^ 1)
                        for n in lanes
                    ],
                )
            ],
            f"""
            {at("r", 32)}
            and.b32 %t4, %t2, 1;
            setp.eq.u32 %p1, %t4, 0;
            @%p1 bra even;
            shfl.sync.bfly.b32 %t5, %t2, 2, 31, 0xaaaaaaaa;
            add.u32 %t5, %t5, 2000;
            bra together;
        even:
            shfl.sync.bfly.b32 %t5, %t2, 2, 31, 0x55555555;
            add.u32 %t5, %t5, 1000;
        together:
            shfl.sync.bfly.b32 %t6, %t2, 1, 31, {FULL};
            add.u32 %t5, %t5, %t6;
            st.global.u32 [%r], %t5;""",
        ),
        # A loop whose trip count differs from lane to lane, with a vote of those that are still in.
        Kernel(
            "votes_in_a_divergent_loop",
            32,
            [("OUT", "r", "u32", [sum(32 - k for k in range(n + 1)) for n in range(32)])],
            f"""
            {at("r", 32)}
            mov.u32 %t4, 0;
            mov.u32 %t5, 0;
            mov.u32 %t9, {FULL};
        again:
            vote.sync.ballot.b32 %t6, 1, %t9;
            popc.b32 %t7, %t6;
            add.u32 %t5, %t5, %t7;
            setp.eq.u32 %p1, %t4, %t2;
            @%p1 bra done;
            add.u32 %t4, %t4, 1;
            shl.b32 %t9, {FULL}, %t4;
            bra again;
        done:
            st.global.u32 [%r], %t5;""",
        ),
        Kernel(
            "lanes_that_exited_are_not_waited_for",
            32,
            [("OUT", "r", "u32", [0] * 16 + [0xFFFF0000] * 16)],
            f"""
            {at("r", 32)}
            setp.lt.u32 %p1, %t2, 16;
            mov.u32 %t4, 0;
            @%p1 st.global.u32 [%r], %t4;
            @%p1 exit;
            vote.sync.ballot.b32 %t4, 1, 0xffff0000;
            st.global.u32 [%r], %t4;""",
        ),
    ]
    suite.add("warp/divergence", "active lanes, diverging warps and bar.warp.sync", kernels)
    suite.add(
        "warp/elect",
        "elect.sync chooses one lane of the mask",
        [
            Kernel(
                "elect_one_of_the_mask",
                64,
                [("INOUT", "r", "u32", [0, 0], [1, 1])],
                f"""
            setp.ge.u32 %p3, %lane, 4;
            @%p3 bra outside;
            elect.sync %t4|%p1, 0x0000000f;
            shr.u32 %t5, %t2, 5;
            mad.wide.u32 %r, %t5, 4, %r;
            @%p1 red.global.add.u32 [%r], 1;
        outside:
            bar.warp.sync {FULL};""",
            )
        ],
        target="sm_90",
    )

# SPDX-License-Identifier: MIT
"""File tests of bulk copies: cp.async.bulk, cp.reduce.async.bulk, st.async, red.async, multicast."""

import math
import struct

from file_tests import Kernel, samples

WAIT = """
    {name}:
        mbarrier.try_wait.parity.shared::cta.b64 %p9, [{barrier}], {parity};
        @!%p9 bra {name};"""
BARRIER = "barrier.cluster.arrive;\nbarrier.cluster.wait;"
TX = "mbarrier::complete_tx::bytes"


def wait(barrier, parity=0, name="again"):
    return WAIT.format(barrier=barrier, parity=parity, name=name)


def in_cluster(kernel, size):
    kernel.directives = f" .reqnctapercluster {size}"
    return kernel


def copies():
    """Into shared memory and out of it, in every spelling and several sizes."""
    kernels = []
    for bytes_ in (16, 48, 1024):
        words = bytes_ // 4
        values = samples(32, words, bytes_)
        for name, copy in {
            "cluster": "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [data], [%a], {n}, [bar];",
            "cta": "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%t4], [%a], %t6, [%t5];",
            "hint": "createpolicy.fractional.L2::evict_first.b64 %u9, 1.0;\ncp.async.bulk.shared::cluster.global."
            "mbarrier::complete_tx::bytes.L2::cache_hint [%t4], [%a], %t6, [%t5], %u9;",
        }.items():
            kernels.append(
                Kernel(
                    f"copy_{name}_{bytes_}",
                    32,
                    [("IN", "a", "u32", values), ("OUT", "r", "u32", values)],
                    f"""
                    mov.u32 %t4, data; mov.u32 %t5, bar; mov.u32 %t6, {bytes_};
                    setp.eq.u32 %p1, %t2, 0;
                    @%p1 mbarrier.init.shared::cta.b64 [bar], 1;
                    @%p1 fence.mbarrier_init.release.cluster;
                    bar.sync 0;
                    @!%p1 bra again;
                    mbarrier.arrive.expect_tx.shared::cta.b64 %u1, [bar], {bytes_};
                    {copy.format(n=bytes_)}
                    {wait("bar")}
                    bar.sync 0;
                    @!%p1 ret;
                    fence.proxy.async.shared::cta;
                    cp.async.bulk.global.shared::cta.bulk_group [%r], [%t4], {bytes_};
                    cp.async.bulk.commit_group;
                    cp.async.bulk.wait_group.read 0;
                    cp.async.bulk.wait_group 0;""",
                    before=f".shared .align 16 .b8 data[{bytes_}]; .shared .align 8 .b64 bar;",
                )
            )
    kernels.append(
        Kernel(
            "prefetch",
            1,
            [("IN", "a", "u32", [1, 2, 3, 4]), ("OUT", "r", "u32", [1])],
            """
            cp.async.bulk.prefetch.L2.global [%a], 16;
            ld.global.u32 %t4, [%a];
            st.global.u32 [%r], %t4;""",
        )
    )
    return kernels


def to_other_blocks():
    """From the shared memory of one block to that of the next, and from memory to all of them."""
    values = samples(32, 64, 5)
    ring = in_cluster(
        Kernel(
            "to_the_next_block",
            32,
            [("IN", "a", "u32", values), ("OUT", "r", "u32", values[32:] + values[:32])],
            f"""
            mov.u32 %t4, from; mov.u32 %t5, bar; mov.u32 %t6, to;
            mad.wide.u32 %a, %i, 4, %a; ld.global.u32 %t7, [%a];
            mad.lo.u32 %t8, %t2, 4, %t4; st.shared.u32 [%t8], %t7;
            setp.eq.u32 %p1, %t2, 0;
            @%p1 mbarrier.init.shared::cta.b64 [bar], 1;
            @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 %u1, [bar], 128;
            fence.proxy.async;
            {BARRIER}
            mov.u32 %t9, %cluster_ctarank; xor.b32 %t9, %t9, 1;
            mapa.shared::cluster.u32 %t10, %t6, %t9; mapa.shared::cluster.u32 %t11, %t5, %t9;
            @!%p1 bra again;
            cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%t10], [%t4], 128, [%t11];
            {wait("bar")}
            mad.lo.u32 %t8, %t2, 4, %t6; ld.shared.u32 %t7, [%t8];
            mad.wide.u32 %r, %i, 4, %r; st.global.u32 [%r], %t7;
            {BARRIER}""",
            grid=2,
            before=".shared .align 16 .b8 from[128], to[128]; .shared .align 8 .b64 bar;",
        ),
        2,
    )
    kernels = [ring]
    for mask in (0b0001, 0b1010, 0b1111):
        got = [value if mask >> block & 1 else 7 for block in range(4) for value in values[:32]]
        kernels.append(
            in_cluster(
                Kernel(
                    f"to_blocks_{mask}",
                    32,
                    [("IN", "a", "u32", values[:32]), ("OUT", "r", "u32", got)],
                    f"""
                    mov.u32 %t4, to; mad.lo.u32 %t5, %t2, 4, %t4; st.shared.u32 [%t5], 7;
                    mov.u32 %t6, %cluster_ctarank;
                    shr.u32 %t7, {mask}, %t6; and.b32 %t7, %t7, 1; setp.ne.u32 %p2, %t7, 0;
                    setp.eq.u32 %p1, %t2, 0; setp.eq.and.u32 %p3, %t6, 2, %p1;
                    @%p1 mbarrier.init.shared::cta.b64 [bar], 1;
                    fence.proxy.async;
                    {BARRIER}
                    @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 %u1, [bar], 128;
                    {BARRIER}
                    mov.u16 %h1, {mask};
                    @%p3 cp.async.bulk.shared::cluster.global.{TX}.multicast::cluster [%t4], [%a], 128, [bar], %h1;
                    @!%p2 bra read;
                    {wait("bar")}
                read:
                    ld.shared.u32 %t8, [%t5];
                    mad.wide.u32 %r, %i, 4, %r; st.global.u32 [%r], %t8;
                    {BARRIER}""",
                    grid=4,
                    before=".shared .align 16 .b8 to[128]; .shared .align 8 .b64 bar;",
                ),
                4,
            )
        )
    return kernels


def signed(value, bits):
    return value - (1 << bits) if value >> (bits - 1) else value


def combined(operation, kind, old, by):
    bits = int(kind[1:])
    mask = (1 << bits) - 1
    key = (lambda v: signed(v, bits)) if kind[0] == "s" else (lambda v: v)
    return {
        "add": lambda: (old + by) & mask,
        "min": lambda: min(old, by, key=key),
        "max": lambda: max(old, by, key=key),
        "inc": lambda: 0 if old >= by else old + 1,
        "dec": lambda: by if old == 0 or old > by else old - 1,
        "and": lambda: old & by,
        "or": lambda: old | by,
        "xor": lambda: old ^ by,
    }[operation]()


def reductions():
    """Every operation and type, of memory, and those of another block's shared memory."""
    kernels = []
    for kind, operations in {
        "u32": ("add", "min", "max", "inc", "dec"),
        "s32": ("add", "min", "max"),
        "u64": ("add", "min", "max"),
        "s64": ("min", "max"),
        "b32": ("and", "or", "xor"),
        "b64": ("and", "or", "xor"),
    }.items():
        bits = int(kind[1:])
        count = 256 // bits
        # 64 bytes of sources, 64 of destinations.
        sources, targets = samples(bits, count * 2, 3), samples(bits, count * 2, 8)[::-1]
        for operation in operations:
            results = [combined(operation, kind, old, by) for old, by in zip(targets, sources, strict=True)]
            memory = "u" + kind[1:]
            kernels.append(
                Kernel(
                    f"reduce_{operation}_{kind}",
                    1,
                    [("IN", "a", memory, sources), ("INOUT", "r", memory, targets, results)],
                    f"""
                    mov.u32 %t4, data; mov.u32 %t5, 0;
                copy:
                    cvt.u64.u32 %u1, %t5; add.u64 %u1, %a, %u1; ld.global.u32 %t6, [%u1];
                    add.u32 %t7, %t4, %t5; st.shared.u32 [%t7], %t6;
                    add.u32 %t5, %t5, 4; setp.lt.u32 %p1, %t5, 64; @%p1 bra copy;
                    fence.proxy.async;
                    cp.reduce.async.bulk.global.shared::cta.bulk_group.{operation}.{kind} [%r], [%t4], 64;
                    cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;""",
                    before=".shared .align 16 .b8 data[64];",
                )
            )

    def halves(numbers):
        return [int.from_bytes(struct.pack("<e", n), "little") for n in numbers]

    def bfloats(numbers):
        return [int.from_bytes(struct.pack("<f", n), "little") >> 16 for n in numbers]

    numbers = [1.0, -2.5, 0.5, 100.0, -0.25, 3.0, 8.0, -64.0]
    others = [2.0, 2.5, -7.0, 0.125, -0.5, 4.0, -8.0, 64.0]
    both = list(zip(numbers, others, strict=True))
    sums, lows, highs = [x + y for x, y in both], [min(pair) for pair in both], [max(pair) for pair in both]
    for kind, encode, spelling in (("f16", halves, "b16"), ("bf16", bfloats, "b16")):
        for operation, results in (("add.noftz", sums), ("min", lows), ("max", highs)):
            kernels.append(
                Kernel(
                    f"reduce_{operation}_{kind}",
                    1,
                    [("IN", "a", spelling, encode(others)), ("INOUT", "r", spelling, encode(numbers), encode(results))],
                    f"""
                    ld.global.v4.u32 {{%t4, %t5, %t6, %t7}}, [%a];
                    st.shared.v4.u32 [data], {{%t4, %t5, %t6, %t7}};
                    fence.proxy.async;
                    cp.reduce.async.bulk.global.shared::cta.bulk_group.{operation}.{kind} [%r], [data], 16;
                    cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;""",
                    before=".shared .align 16 .b8 data[16];",
                )
            )
    for kind, letter in (("f32", "f"), ("f64", "d")):
        count = 4 if kind == "f32" else 2
        encode = lambda list_, letter=letter: [int.from_bytes(struct.pack("<" + letter, n), "little") for n in list_]  # noqa: E731
        # Infinities of both signs have no sum.
        invalid = {"f32": 0x7FFFFFFF, "f64": 0xFFF8000000000000}[kind]
        infinities = [math.inf] * count, [-math.inf] * count, [invalid] * count
        finite = others[:count], numbers[:count], encode(sums[:count])
        for name, (by, old, results) in (("", finite), ("_invalid", infinities)):
            kernels.append(
                Kernel(
                    f"reduce_add_{kind}{name}",
                    1,
                    [("IN", "a", kind, encode(by)), ("INOUT", "r", kind, encode(old), results)],
                    f"""
                    ld.global.v4.u32 {{%t4, %t5, %t6, %t7}}, [%a];
                    st.shared.v4.u32 [data], {{%t4, %t5, %t6, %t7}};
                    fence.proxy.async;
                    cp.reduce.async.bulk.global.shared::cta.bulk_group.add.{kind} [%r], [data], 16;
                    cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;""",
                    before=".shared .align 16 .b8 data[16];",
                )
            )
    for operation, kind in (("add", "u32"), ("min", "s32"), ("xor", "b32"), ("add", "u64")):
        memory = "u" + kind[1:]
        count = 128 // int(kind[1:])
        sources, targets = samples(int(kind[1:]), count, 4), samples(int(kind[1:]), count, 6)[::-1]
        results = [combined(operation, kind, old, by) for old, by in zip(targets, sources, strict=True)]
        form = f"{operation}.{kind}"
        kernels.append(
            in_cluster(
                Kernel(
                    f"reduce_there_{operation}_{kind}",
                    1,
                    [("IN", "a", memory, sources), ("IN", "b", memory, targets), ("OUT", "r", memory, results)],
                    f"""
                    mov.u32 %t10, from; mov.u32 %t11, to; mov.u32 %t12, bar; mov.u32 %t13, %cluster_ctarank;
                    ld.global.v4.u32 {{%t4, %t5, %t6, %t7}}, [%a]; st.shared.v4.u32 [from], {{%t4, %t5, %t6, %t7}};
                    ld.global.v4.u32 {{%t4, %t5, %t6, %t7}}, [%b]; st.shared.v4.u32 [to], {{%t4, %t5, %t6, %t7}};
                    mbarrier.init.shared::cta.b64 [bar], 1;
                    mbarrier.arrive.expect_tx.shared::cta.b64 %u1, [bar], 16;
                    fence.proxy.async;
                    {BARRIER}
                    setp.eq.u32 %p1, %t13, 0;
                    mapa.shared::cluster.u32 %t14, %t11, 1; mapa.shared::cluster.u32 %t15, %t12, 1;
                    @%p1 cp.reduce.async.bulk.shared::cluster.shared::cta.{TX}.{form} [%t14], [%t10], 16, [%t15];
                    @%p1 bra done;
                    {wait("bar")}
                    ld.shared.v4.u32 {{%t4, %t5, %t6, %t7}}, [to]; st.global.v4.u32 [%r], {{%t4, %t5, %t6, %t7}};
                done:
                    {BARRIER}""",
                    grid=2,
                    before=".shared .align 16 .b8 from[16], to[16]; .shared .align 8 .b64 bar;",
                ),
                2,
            )
        )
    return kernels


def asynchronous():
    """st.async and red.async to the next block, and arrivals at its barrier."""
    kernels = []
    for name, kind, send, bytes_, results in (
        ("b32", "u32", "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%t10], %t4, [%t11];", 4, [11, 0]),
        (
            "v2",
            "u32",
            "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.u32 [%t10], {%t4, %t5}, [%t11];",
            8,
            [11, 22],
        ),
        (
            "b64",
            "u32",
            "mov.b64 %u2, {%t4, %t5};\nst.async.shared::cluster.mbarrier::complete_tx::bytes.b64 [%t10], %u2, [%t11];",
            8,
            [11, 22],
        ),
        (
            "add",
            "u32",
            "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%t10], %t5, [%t11];",
            4,
            [22, 0],
        ),
        (
            "or",
            "u32",
            "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.or.b32 [%t10], %t4, [%t11];",
            4,
            [11, 0],
        ),
    ):
        kernels.append(
            in_cluster(
                Kernel(
                    f"send_{name}",
                    1,
                    [("OUT", "r", kind, results * 2)],
                    f"""
                    mov.u32 %t4, 11; mov.u32 %t5, 22; mov.u32 %t6, to; mov.u32 %t7, bar;
                    mov.u32 %t14, 0; st.shared.v2.u32 [to], {{%t14, %t14}};
                    mbarrier.init.shared::cta.b64 [bar], 1;
                    mbarrier.arrive.expect_tx.shared::cta.b64 %u1, [bar], {bytes_};
                    {BARRIER}
                    mov.u32 %t9, %cluster_ctarank; xor.b32 %t9, %t9, 1;
                    mapa.shared::cluster.u32 %t10, %t6, %t9; mapa.shared::cluster.u32 %t11, %t7, %t9;
                    {send}
                    {wait("bar")}
                    ld.shared.v2.u32 {{%t12, %t13}}, [to];
                    mad.wide.u32 %r, %t0, 8, %r; st.global.v2.u32 [%r], {{%t12, %t13}};
                    {BARRIER}""",
                    grid=2,
                    before=".shared .align 16 .b8 to[16]; .shared .align 8 .b64 bar;",
                ),
                2,
            )
        )
    kernels.append(
        in_cluster(
            Kernel(
                "arrive_at_another_blocks_barrier",
                32,
                [("OUT", "r", "u32", [1] * 64)],
                f"""
                mov.u32 %t7, bar; setp.eq.u32 %p1, %t2, 0;
                @%p1 mbarrier.init.shared::cta.b64 [bar], 32;
                {BARRIER}
                mov.u32 %t9, %cluster_ctarank; xor.b32 %t9, %t9, 1;
                mapa.shared::cluster.u32 %t11, %t7, %t9;
                mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%t11];
                {wait("bar")}
                mad.wide.u32 %r, %i, 4, %r; st.global.u32 [%r], 1;
                {BARRIER}""",
                grid=2,
                before=".shared .align 8 .b64 bar;",
            ),
            2,
        )
    )
    return kernels


def bulk(suite):
    for name, idea, kernels in (
        ("copies", "cp.async.bulk between memory and shared memory", copies()),
        ("clusters", "cp.async.bulk to other blocks of the cluster", to_other_blocks()),
        ("reductions", "cp.reduce.async.bulk in every operation and type", reductions()),
        ("asynchronous", "st.async, red.async and arrivals at other blocks' barriers", asynchronous()),
    ):
        suite.add(f"bulk/{name}", idea, kernels, target="sm_90")

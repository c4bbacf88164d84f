# SPDX-License-Identifier: MIT
"""File tests of clusters: registers, distributed shared memory, the cluster's barrier."""

from file_tests import Kernel


def kernel(name, block, grid, cluster, parameters, body, before="", extra=""):
    one = Kernel(name, block, parameters, body, grid=grid, before=before)
    one.directives = f" .reqnctapercluster {cluster}{extra}"
    return one


def registers():
    """For grids and clusters of all three dimensions: what each block reads."""
    kernels = []
    names = (
        "%clusterid.x %clusterid.y %clusterid.z %nclusterid.x %nclusterid.y %nclusterid.z %cluster_ctaid.x "
        "%cluster_ctaid.y %cluster_ctaid.z %cluster_nctaid.x %cluster_nctaid.y %cluster_nctaid.z %cluster_ctarank "
        "%cluster_nctarank"
    ).split()
    for number, (grid, cluster) in enumerate(
        (((4, 1, 1), (2, 1, 1)), ((4, 4, 2), (2, 2, 1)), ((2, 4, 4), (1, 2, 4)), ((3, 2, 2), (3, 1, 2)))
    ):
        values = []
        for z in range(grid[2]):
            for y in range(grid[1]):
                for x in range(grid[0]):
                    place = (x, y, z)
                    inside = [place[i] % cluster[i] for i in range(3)]
                    values += [place[i] // cluster[i] for i in range(3)]
                    values += [grid[i] // cluster[i] for i in range(3)]
                    values += inside + list(cluster)
                    values += [inside[0] + cluster[0] * (inside[1] + cluster[1] * inside[2])]
                    values += [cluster[0] * cluster[1] * cluster[2], 1]
        stores = "\n".join(f"mov.u32 %t6, {name};\nst.global.u32 [%r+{4 * i}], %t6;" for i, name in enumerate(names))
        kernels.append(
            kernel(
                f"registers_{number}",
                1,
                " ".join(map(str, grid)),
                ", ".join(map(str, cluster)),
                [("OUT", "r", "u32", values)],
                f"""
                mov.u32 %t3, %ctaid.y; mov.u32 %t4, %ctaid.z;
                mad.lo.u32 %t5, %t4, {grid[1]}, %t3;
                mad.lo.u32 %t5, %t5, {grid[0]}, %t0;
                mad.wide.u32 %r, %t5, 60, %r;
                {stores}
                mov.pred %p1, %is_explicit_cluster;
                selp.u32 %t6, 1, 0, %p1;
                st.global.u32 [%r+56], %t6;""",
            )
        )
    return kernels


BARRIER = "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;"


def exchange(size, blocks, threads):
    """Each block reads what the next one of its cluster wrote."""

    def expected(block, thread):
        first = block // size * size
        other = first + (block - first + 1) % size
        return other * 1000 + thread

    values = [expected(block, thread) for block in range(blocks) for thread in range(threads)]
    fill = """
        mov.u32 %t4, cells;
        mad.lo.u32 %t5, %t2, 4, %t4;
        mad.lo.u32 %t6, %t0, 1000, %t2;
        st.shared.u32 [%t5], %t6;
        mov.u32 %t7, %cluster_ctarank; mov.u32 %t8, %cluster_nctarank;
        add.u32 %t9, %t7, 1; rem.u32 %t9, %t9, %t8;"""
    reads = {
        "by_mapa_of_shared": "mapa.shared::cluster.u32 %t10, %t5, %t9;\nld.shared::cluster.u32 %t11, [%t10];",
        "by_mapa_of_generic": """cvt.u64.u32 %u1, %t5; cvta.shared.u64 %u1, %u1;
            mapa.u64 %u2, %u1, %t9;
            ld.u32 %t11, [%u2];""",
        "by_generic_of_cluster": """mapa.shared::cluster.u32 %t10, %t5, %t9;
            cvt.u64.u32 %u1, %t10; cvta.shared::cluster.u64 %u1, %u1;
            ld.u32 %t11, [%u1];""",
        "by_cluster_of_generic": """cvt.u64.u32 %u1, %t5; cvta.shared.u64 %u1, %u1;
            mapa.u64 %u2, %u1, %t9;
            cvta.to.shared::cluster.u64 %u3, %u2; cvt.u32.u64 %t10, %u3;
            ld.shared::cluster.u32 %t11, [%t10];""",
        "by_mapa_of_a_variable": """mapa.shared::cluster.u32 %t10, cells, %t9;
            mad.lo.u32 %t10, %t2, 4, %t10;
            ld.shared::cluster.u32 %t11, [%t10];""",
    }
    kernels = []
    for name, read in reads.items():
        kernels.append(
            kernel(
                f"exchange_{size}_{name}",
                threads,
                blocks,
                size,
                [("OUT", "r", "u32", values)],
                f"""{fill}
                {BARRIER}
                {read}
                mad.wide.u32 %r, %i, 4, %r;
                st.global.u32 [%r], %t11;
                {BARRIER}""",
                before=f".shared .align 4 .b8 cells[{4 * threads}];",
            )
        )
    return kernels


def questions():
    """Where addresses lie, and whose they are."""
    body = """
        mov.u32 %t4, cells;
        mov.u32 %t7, %cluster_ctarank; mov.u32 %t8, %cluster_nctarank;
        add.u32 %t9, %t7, 1; rem.u32 %t9, %t9, %t8;
        cvt.u64.u32 %u1, %t4; cvta.shared.u64 %u1, %u1;
        mapa.u64 %u2, %u1, %t9;
        mapa.shared::cluster.u32 %t10, %t4, %t9;
        getctarank.u64 %t11, %u1; getctarank.u64 %t12, %u2;
        getctarank.shared::cluster.u32 %t13, %t4; getctarank.shared::cluster.u32 %t14, %t10;
        isspacep.shared %p1, %u1; isspacep.shared %p2, %u2; isspacep.shared::cta %p3, %u2;
        isspacep.shared::cluster %p4, %u1; isspacep.shared::cluster %p5, %u2; isspacep.shared::cluster %p6, %r;
        isspacep.global %p7, %r; isspacep.global %p8, %u1; isspacep.global %p9, %u2;
        mad.wide.u32 %r, %t0, 52, %r;"""
    for i, value in enumerate(("%t11", "%t12", "%t13", "%t14")):
        body += f"\nst.global.u32 [%r+{4 * i}], {value};"
    for i in range(1, 10):
        body += f"\nselp.u32 %t15, 1, 0, %p{i};\nst.global.u32 [%r+{4 * i + 12}], %t15;"
    values = []
    for block in range(8):
        rank, other = block % 4, (block + 1) % 4
        values += [rank, other, rank, other, 1, 0, 0, 1, 1, 0, 1, 0, 0]
    return [
        kernel(
            "where_addresses_lie",
            1,
            8,
            4,
            [("OUT", "r", "u32", values)],
            body + "\n" + BARRIER,
            before=".shared .align 4 .b8 cells[64];",
        )
    ]


def atomics():
    """All blocks of a cluster count in the shared memory of its first one."""
    kernels = []
    spellings = {
        "atom_shared": "atom.shared::cluster.add.u32 %t12, [%t10], 1;",
        "red_shared": "red.shared::cluster.add.u32 [%t10], 1;",
        "red_relaxed": "red.relaxed.cluster.shared::cluster.add.u32 [%t10], 1;",
        "atom_generic": "cvt.u64.u32 %u1, %t4; cvta.shared.u64 %u1, %u1; mapa.u64 %u2, %u1, 0;\n"
        "atom.add.u32 %t12, [%u2], 1;",
    }
    for name, update in spellings.items():
        kernels.append(
            kernel(
                f"count_{name}",
                64,
                8,
                4,
                [("OUT", "r", "u32", [256] * 8)],
                f"""
                mov.u32 %t4, cell;
                setp.eq.u32 %p1, %t2, 0;
                @%p1 st.shared.u32 [%t4], 0;
                {BARRIER}
                mapa.shared::cluster.u32 %t10, %t4, 0;
                {update}
                {BARRIER}
                ld.shared::cluster.u32 %t11, [%t10];
                mad.wide.u32 %r, %t0, 4, %r;
                @%p1 st.global.u32 [%r], %t11;
                {BARRIER}""",
                before=".shared .align 4 .u32 cell;",
            )
        )
    return kernels


def barriers():
    """Who arrives, who waits, and who has gone."""
    kernels = []
    # In each round the next block writes, all read: none may be early.
    for name, arrive, wait in (
        ("plain", "barrier.cluster.arrive;", "barrier.cluster.wait;"),
        ("ordered", "barrier.cluster.arrive.release;", "barrier.cluster.wait.acquire;"),
        ("aligned", "barrier.cluster.arrive.release.aligned;", "barrier.cluster.wait.acquire.aligned;"),
        ("relaxed", "fence.acq_rel.cluster;\nbarrier.cluster.arrive.relaxed;", "barrier.cluster.wait;"),
    ):
        kernels.append(
            kernel(
                f"rounds_{name}",
                33,
                6,
                3,
                [("OUT", "r", "u32", [0 + 100 + 200] * (33 * 6))],
                f"""
                mov.u32 %t4, cell; mov.u32 %t5, %cluster_ctarank;
                mov.u32 %t6, 0; mov.u32 %t7, 0;
            next:
                setp.eq.u32 %p1, %t5, %t6; setp.eq.and.u32 %p2, %t2, 0, %p1;
                mul.lo.u32 %t8, %t6, 100;
                @%p2 st.shared.u32 [%t4], %t8;
                {arrive}
                {wait}
                mapa.shared::cluster.u32 %t9, %t4, %t6;
                ld.shared::cluster.u32 %t10, [%t9];
                add.u32 %t7, %t7, %t10;
                add.u32 %t6, %t6, 1;
                setp.lt.u32 %p3, %t6, 3;
                @%p3 bra next;
                mad.wide.u32 %r, %i, 4, %r;
                st.global.u32 [%r], %t7;
                {arrive}
                {wait}""",
                before=".shared .align 4 .u32 cell;",
            )
        )
    kernels.append(
        kernel(
            "threads_that_exit_are_not_waited_for",
            64,
            4,
            2,
            [("OUT", "r", "u32", [1, 0] * 16 * 8)],
            """
            mad.wide.u32 %r, %i, 4, %r; st.global.u32 [%r], 0;
            and.b32 %t4, %t2, 1; setp.ne.u32 %p1, %t4, 0;
            @%p1 ret;
            barrier.cluster.arrive;
            barrier.cluster.wait;
            st.global.u32 [%r], 1;""",
        )
    )
    kernels.append(
        kernel(
            "threads_that_arrive_and_exit_count",
            64,
            4,
            2,
            [("OUT", "r", "u32", [1, 0] * 16 * 8)],
            """
            mad.wide.u32 %r, %i, 4, %r; st.global.u32 [%r], 0;
            and.b32 %t4, %t2, 1; setp.ne.u32 %p1, %t4, 0;
            barrier.cluster.arrive;
            @%p1 ret;
            barrier.cluster.wait;
            st.global.u32 [%r], 1;""",
        )
    )
    kernels.append(
        kernel(
            "work_between_arrival_and_wait",
            32,
            8,
            8,
            [("OUT", "r", "u32", [28 + 31 - n for _ in range(8) for n in range(32)])],
            """
            mov.u32 %t4, cells; mov.u32 %t5, %cluster_ctarank;
            mapa.shared::cluster.u32 %t6, %t4, 0;
            mad.lo.u32 %t7, %t2, 4, %t4;
            setp.eq.u32 %p1, %t2, 0; setp.eq.and.u32 %p2, %t5, 0, %p1;
            @%p2 st.shared.u32 [%t4+128], 0;
            barrier.cluster.arrive; barrier.cluster.wait;
            @%p1 red.shared::cluster.add.u32 [%t6+128], %t5;
            barrier.cluster.arrive;
            st.shared.u32 [%t7], %t2;
            bar.sync 0;
            sub.u32 %t8, 31, %t2; mad.lo.u32 %t8, %t8, 4, %t4;
            ld.shared.u32 %t9, [%t8];
            barrier.cluster.wait;
            ld.shared::cluster.u32 %t10, [%t6+128];
            add.u32 %t9, %t9, %t10;
            mad.wide.u32 %r, %i, 4, %r;
            st.global.u32 [%r], %t9;
            barrier.cluster.arrive; barrier.cluster.wait;""",
            before=".shared .align 4 .b8 cells[132];",
        )
    )
    return kernels


def clusters(suite):
    suite.add("cluster/registers", "The registers of clusters, in three dimensions", registers(), target="sm_90")
    for size, blocks, threads in ((2, 6, 40), (8, 16, 32)):
        suite.add(
            f"cluster/exchange_{size}",
            "Blocks read the shared memory of others, by every kind of address",
            exchange(size, blocks, threads),
            target="sm_90",
        )
    suite.add("cluster/questions", "getctarank and isspacep", questions(), target="sm_90")
    suite.add("cluster/atomics", "Blocks update the shared memory of others", atomics(), target="sm_90")
    suite.add("cluster/barriers", "barrier.cluster in rounds, with threads that exit", barriers(), target="sm_90")

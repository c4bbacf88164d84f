# SPDX-License-Identifier: MIT
"""Kernels as long as is asked for, in PTX instructions, each of another shape that some compiler finds hard.

tools/slow_kernels.py measures them. Each is called `k` and takes one pointer, to memory of a megabyte and more: `%o` is
what it points to, `%t` the thread's number, `%g` an address of the thread's own there.
"""

from long_chains import CHAINS

# ruff: noqa: E501

LONGEST = 4950  # for which numbers in names hold

HEAD = """.version 8.6
.target sm_80
.address_size 64
{module}
.visible .entry k(.param .u64 out) {{
  .reg .pred %p<16>; .reg .b16 %h<64>; .reg .b32 %r<2100>; .reg .b64 %d<2100>; .reg .f32 %f<2100>;
  .reg .f64 %e<2100>; .reg .b32 %t, %n; .reg .b64 %o, %g, %at;
  ld.param.u64 %o, [out]; mov.u32 %t, %tid.x; mov.u32 %n, %ntid.x; mul.wide.u32 %g, %t, 64; add.u64 %g, %o, %g;
{body}
  ret;
}}
"""

# Loads of values that nobody knows, and what makes all of them count.
LOADS = {
    "r": ("ld.global.u32 %r{0}, [%g+{1}];", "st.global.u32 [%g+{1}], %r{0};"),
    "d": ("ld.global.u64 %d{0}, [%g+{1}];", "st.global.u64 [%g+{1}], %d{0};"),
    "f": ("ld.global.f32 %f{0}, [%g+{1}];", "st.global.f32 [%g+{1}], %f{0};"),
    "e": ("ld.global.f64 %e{0}, [%g+{1}];", "st.global.f64 [%g+{1}], %e{0};"),
    "h": ("ld.global.u16 %h{0}, [%g+{1}];", "st.global.u16 [%g+{1}], %h{0};"),
}

MODULE = """
.shared .align 16 .b8 place[8192];
.global .texref picture;
.global .surfref plane;
"""
LOCAL = "  .local .align 16 .b8 mine[512]; .local .align 16 .b8 large[16384];\n"


def kernel(body, module=MODULE):
    return HEAD.format(body=LOCAL + body, module=module)


def chain(kind, step, chains, length):
    """`chains` chains side by side."""
    load, store = LOADS[kind]
    first = 10
    count = min(chains, 50 if kind == "h" else 500) + 2
    lines = [load.format(number, number % 8 * 8) for number in range(3, first)]
    lines += [load.format(first + number, number % 64 * 64) for number in range(count)]
    lines.append("setp.lt.u32 %p1, %t, 5;")
    each = step.count(";")
    times = max(1, (length - 2 * count - 40) // each)
    for number in range(times):
        at = first + number % (count - 2)
        lines.append(step.format(f"%{kind}{at}", f"%{kind}{at + 1}", f"%{kind}{at + 2}"))
    lines += [store.format(first + number, number * 8) for number in range(count)]
    return kernel("\n".join(lines))


def diamonds(times):
    for number in range(times):
        yield f"setp.eq.u32 %p0, %r1, {number}; @%p0 bra E{number}; mul.lo.u32 %r1, %r1, %r2; bra J{number};"
        yield f"E{number}: add.u32 %r1, %r1, %r3; J{number}:"


def nested_branches(depth):
    for number in range(depth):
        yield f"setp.eq.u32 %p0, %r1, {number}; @%p0 bra E{number}; mad.lo.u32 %r1, %r1, %r2, {number};"
    for number in reversed(range(depth)):
        yield f"E{number}: mad.lo.u32 %r1, %r1, %r3, {number};"


def loops_in_turn(times):
    for number in range(times):
        yield f"mov.u32 %r4, 0; L{number}: mad.lo.u32 %r1, %r1, %r2, %r4; add.u32 %r4, %r4, 1;"
        yield f"setp.lt.u32 %p0, %r4, 3; @%p0 bra L{number};"


def nested_loops(depth):
    for number in range(depth):
        yield f"mov.u32 %r{10 + number}, 0; L{number}: mad.lo.u32 %r1, %r1, %r2, {number};"
    for number in reversed(range(depth)):
        yield f"add.u32 %r{10 + number}, %r{10 + number}, 1; mad.lo.u32 %r1, %r1, %r3, {number};"
        yield f"setp.lt.u32 %p0, %r{10 + number}, 1; @%p0 bra L{number};"


def switches(times, ways):
    """Jumps through tables."""
    for number in range(times):
        labels = ", ".join(f"S{number}_{way}" for way in range(ways))
        yield f"rem.u32 %r4, %r1, {ways}; T{number}: .branchtargets {labels}; brx.idx %r4, T{number};"
        for way in range(ways):
            yield f"S{number}_{way}: mad.lo.u32 %r1, %r1, %r2, {way}; bra Z{number};"
        yield f"Z{number}: add.u32 %r1, %r1, %r3;"


def state_machine(ways):
    """A loop around one switch, whose ways each choose the next one."""
    labels = ", ".join(f"S{way}" for way in range(ways))
    yield f"mov.u32 %r5, 0; T: .branchtargets {labels}; LOOP: add.u32 %r5, %r5, 1; setp.gt.u32 %p0, %r5, 50;"
    yield f"@%p0 bra OUT; rem.u32 %r4, %r1, {ways}; brx.idx %r4, T;"
    for way in range(ways):
        yield f"S{way}: mad.lo.u32 %r1, %r1, %r2, {way}; bra LOOP;"
    yield "OUT:"


def jumps(times):
    """Each block may jump far ahead: nothing is nested."""
    for number in range(times):
        ahead = min(times, number + 2 + number * 7919 % 61)
        yield f"L{number}: mad.lo.u32 %r1, %r1, %r2, {number}; setp.eq.u32 %p0, %r1, {number}; @%p0 bra L{ahead};"
    yield f"L{times}:"


def jumps_back(times):
    """Loops with many entries."""
    yield "mov.u32 %r5, 0;"
    for number in range(times):
        other = number * 7919 % times
        yield f"L{number}: mad.lo.u32 %r1, %r1, %r2, {number}; add.u32 %r5, %r5, 1; setp.gt.u32 %p0, %r5, {times};"
        yield f"@%p0 bra OUT; setp.eq.u32 %p0, %r1, {number}; @%p0 bra L{other};"
    yield "OUT:"


def live_at_once(kind, count):
    """All of these are live before any is used."""
    load, store = LOADS[kind]
    for number in range(count):
        yield load.format(10 + number, number % 512 * 64)
    add = {"r": "add.u32", "d": "add.u64", "f": "add.f32", "e": "add.f64", "h": "add.u16"}[kind]
    for number in range(count - 1):
        yield f"{add} %{kind}{11 + number}, %{kind}{10 + number}, %{kind}{10 + count - 1 - number};"
    yield store.format(10 + count - 1, 0)


def pieces_of_doubles(count):
    """An unrolled product of small matrices of doubles."""
    side = 16
    for number in range(side * 2):
        yield f"ld.global.f64 %e{100 + number}, [%g+{number * 8}];"
    for number in range(count):
        row, column = number // side % side, number % side
        at = 200 + number % 1800
        yield f"fma.rn.f64 %e{at}, %e{100 + row}, %e{100 + side + column}, %e{200 + (number + 1) % 1800};"
    yield "st.global.f64 [%g], %e200; st.global.f64 [%g+8], %e300; st.global.f64 [%g+16], %e1999;"


def stencil(count):
    """Many loads of neighbours, and stores far from one another."""
    for number in range(count):
        yield f"ld.global.f32 %f{10 + number % 200}, [%g+{number * 4}];"
        yield f"fma.rn.f32 %f1, %f{10 + number % 200}, %f{10 + (number + 3) % 200}, %f1;"
        yield f"st.global.f32 [%o+{400000 + number * 4}], %f1;"


def jumps_to_one(times, variables):
    """Jumps to one place, where variables are read that each part between two jumps may have set."""
    for number in range(times):
        yield f"mad.lo.u32 %r1, %r1, %r2, {number}; add.u32 %r{10 + number % variables}, %r1, {number};"
        yield f"setp.eq.u32 %p0, %r1, {number * 3}; @%p0 bra OUT;"
    yield "OUT:"
    yield from (f"xor.b32 %r1, %r1, %r{10 + number};" for number in range(variables))


def chain_across_a_barrier(times):
    """Numbers that each need all before them, of which a few are kept, and read often behind a barrier."""
    for number in range(times):
        yield f"st.local.u32 [mine+{number % 16 * 4}], %r1; mad.lo.u32 %r1, %r1, %r2, {number};"
    yield "bar.sync 0;"
    for number in range(times):
        yield f"ld.local.u32 %r4, [mine+{number * 7 % 16 * 4}]; add.u32 %r1, %r1, %r4;"


def loads_of_types(count):
    """Loads of one address as another type than was stored."""
    for number in range(count):
        yield f"st.global.u8 [%g+{number % 64}], %r1; ld.global.u32 %r1, [%g+{number % 16 * 4}];"
        yield "add.u32 %r1, %r1, %r2;"


def functions(count, uses, waits=False, inner=3):
    """(module, body): `count` functions, each of which is called `uses` times."""
    made = []
    for number in range(count):
        lines = "".join(f"  mad.lo.u32 %a, %a, %a, {number * 31 + step};\n" for step in range(inner))
        if waits:
            lines += "  bar.sync 0;\n"
        made.append(f".func (.reg .u32 %a) f{number}(.reg .u32 %b) {{\n  mov.u32 %a, %b;\n{lines}  ret;\n}}\n")
    body = [f"call (%r1), f{number}, (%r1);" for _ in range(uses) for number in range(count)]
    return MODULE + "".join(made), "\n".join(body)


def doubling_functions(depth):
    """Each calls the one before twice."""
    made = [".func (.reg .u32 %a) f0(.reg .u32 %b) { mad.lo.u32 %a, %b, %b, 7; ret; }\n"]
    for number in range(1, depth):
        made.append(
            f".func (.reg .u32 %a) f{number}(.reg .u32 %b) {{ call (%a), f{number - 1}, (%b); add.u32 %a, %a, %b;"
            f" call (%a), f{number - 1}, (%a); ret; }}\n"
        )
    return MODULE + "".join(made), f"and.b32 %r1, %r1, 255; call (%r1), f{depth - 1}, (%r1);"


def function_chain(depth):
    """Each calls the one before once, and there are many."""
    made = [".func (.reg .u32 %a) f0(.reg .u32 %b) { mad.lo.u32 %a, %b, %b, 7; ret; }\n"]
    for number in range(1, depth):
        made.append(
            f".func (.reg .u32 %a) f{number}(.reg .u32 %b) {{ call (%a), f{number - 1}, (%b); add.u32 %a, %a, %b; ret; }}\n"
        )
    return MODULE + "".join(made), f"call (%r1), f{depth - 1}, (%r1);"


def calls_through_pointers(count):
    made = "".join(
        f".func (.reg .u32 %a) f{number}(.reg .u32 %b) {{ mad.lo.u32 %a, %b, %b, {number}; ret; }}\n"
        for number in range(16)
    )
    names = ", ".join(f"f{number}" for number in range(16))
    table = f".global .u64 table[16] = {{{names}}};\n"
    body = ["P: .callprototype (.reg .u32 _) _ (.reg .u32 _);"]
    for _ in range(count):
        body.append("and.b32 %r4, %r1, 15; mul.wide.u32 %d1, %r4, 8; mov.u64 %d2, table; add.u64 %d1, %d1, %d2;")
        body.append("ld.global.u64 %d1, [%d1]; call (%r1), %d1, (%r1), P;")
    return MODULE + made + table, "\n".join(body)


def prints(count):
    module = MODULE + (
        ".global .align 1 .b8 text[4] = {37, 100, 10, 0};\n.extern .func (.param .b32 status) vprintf"
        "(.param .b64 format, .param .b64 values);\n"
    )
    body = ["setp.ne.u32 %p2, %t, 0;"]
    for number in range(count):
        body.append(
            f"st.local.u32 [mine], %r1; mov.u64 %d1, text; mov.u64 %d2, mine; cvta.local.u64 %d2, %d2; @%p2 bra N{number};"
        )
        body.append(
            "{ .param .b64 a; .param .b64 b; .param .b32 c; st.param.b64 [a], %d1; st.param.b64 [b], %d2;"
            f" call.uni (c), vprintf, (a, b); ld.param.b32 %r2, [c]; }} N{number}:"
        )
    return module, "\n".join(body)


def tall_products(rows, length):
    """Products whose sums are all live: a tile of so many rows of 16."""
    yield from (LOADS["f"][0].format(100 + number, number % 64 * 4) for number in range(rows * 4))
    yield from (LOADS["r"][0].format(number, number % 64 * 4) for number in range(1, 80))
    for number in range(length - rows * 8 - 100):
        at = 100 + number % rows * 4
        sums = ", ".join(f"%f{at + place}" for place in range(4))
        left = ", ".join(f"%r{1 + (number * 4 + place) % 64}" for place in range(4))
        yield f"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {{{sums}}}, {{{left}}}, {{%r{66 + number % 8}, %r{67 + number % 8}}}, {{{sums}}};"
    yield from (LOADS["f"][1].format(100 + number, number * 4) for number in range(rows * 4))


def products_of_all(operation, parts, length):
    """Products of registers here and there, so that all of them live long: `parts` are how many each operand has."""
    yield from (LOADS["r"][0].format(10 + number, number % 64 * 4) for number in range(380))
    for number in range(length - 780):
        at = iter(10 + (number * 7919 + place * 1009) % 380 for place in range(sum(parts)))
        vectors = ("{" + ", ".join(f"%r{next(at)}" for _ in range(count)) + "}" for count in parts)
        yield f"{operation} {', '.join(vectors)};"
    yield from (LOADS["r"][1].format(10 + number, number * 4) for number in range(380))


def around(body):
    """The same in a loop."""
    return "mov.u32 %n, 0; AGAIN: add.u32 %n, %n, 1;\n" + body + "\nsetp.lt.u32 %p9, %n, 3; @%p9 bra AGAIN;"


def lines_of(pieces, loads=("r1", "r2", "r3")):
    start = "".join(f"ld.global.u32 %{name}, [%g+{number * 4}];" for number, name in enumerate(loads))
    return start + "\n" + "\n".join(pieces) + "\nst.global.u32 [%g], %r1;"


def long_kernels(length=LONGEST):
    """(name, PTX, threads of a block)."""

    def scaled(number):
        return max(1, number * length // LONGEST)

    for name, kind, step in CHAINS:
        for chains in (1, 8, 200):
            yield f"{name}, {chains} chains", chain(kind, step, scaled(chains) if chains > 8 else chains, length), 32
    flows = {
        "diamonds": diamonds(scaled(800)),
        "nested branches": nested_branches(scaled(1200)),
        "loops in turn": loops_in_turn(scaled(980)),
        "10 nested loops": nested_loops(scaled(10)),
        "60 nested loops": nested_loops(scaled(60)),
        "500 nested loops": nested_loops(scaled(500)),
        "20 switches of 100": switches(scaled(20), 100),
        "400 switches of 4": switches(scaled(400), 4),
        "a switch of 2400": switches(1, scaled(2400)),
        "a machine of 2400 states": state_machine(scaled(2400)),
        "a machine of 300 states": state_machine(scaled(300)),
        "jumps ahead": jumps(scaled(1640)),
        "jumps back, 15": jumps_back(scaled(15)),
        "jumps back, 100": jumps_back(scaled(100)),
        "jumps back, 800": jumps_back(scaled(800)),
        "jumps to one place": jumps_to_one(scaled(1050), scaled(700)),
        "a chain across a barrier": chain_across_a_barrier(scaled(1200)),
        "loads of types": loads_of_types(scaled(1600)),
    }
    for name, pieces in flows.items():
        text = "\n".join(pieces)
        yield name, kernel(lines_of([text])), 32
        if not name.startswith(("loops", "500")):
            yield name + ", in a loop", kernel(lines_of([around(text)])), 32
    for kind in "rdfe":
        yield f"all live, {kind}", kernel("\n".join(live_at_once(kind, scaled(2000)))), 32
    for rows in (4, 32, 200):
        yield f"products of {rows} rows", kernel("\n".join(tall_products(scaled(rows), length))), 32
    bits = "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc"
    for name, operation in (("bytes", "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32"), ("bits", bits)):
        text = "\n".join(products_of_all(operation, (4, 4, 2, 4), length))
        yield f"products of {name} here and there", kernel(text), 32
        yield f"products of {name} here and there, in a loop", kernel(around(text)), 32
    yield "products of doubles", kernel("\n".join(pieces_of_doubles(scaled(4800)))), 32
    yield "stencil", kernel("\n".join(stencil(scaled(1600)))), 32
    called = {
        "600 functions": functions(scaled(600), 1),
        "20 functions called 200 times": functions(20, scaled(200)),
        "600 functions that wait": functions(scaled(600), 1, True),
        "20 functions that wait, called 200 times": functions(20, scaled(200), True),
        "a long function called 40 times": functions(1, 40, inner=scaled(4800)),
        "a long function that waits, called 40 times": functions(1, 40, True, inner=scaled(4800)),
        "doubling functions": doubling_functions(scaled(16)),
        "functions in a chain": function_chain(scaled(1200)),
        "calls through pointers": calls_through_pointers(scaled(800)),
        "prints": prints(scaled(400)),
    }
    for name, (module, body) in called.items():
        yield name, kernel(lines_of([body]), module), 32


def long_kernel(wanted, length=LONGEST):
    """The one of this name."""
    return next(row for row in long_kernels(length) if row[0] == wanted)

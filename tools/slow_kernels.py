#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Looks for kernels that keep their first launch waiting: for what the compiler takes longest.

    tools/slow_kernels.py --seconds 600 --keep slowest

Kernels are made of what the generated tests of tests/ptx do, and of fetches, so every opcode that runs is among them:
one instruction repeated hundreds and thousands of times, in a straight line, in a loop, under guards, with branches,
nested branches and barriers between, and random sequences; with --shapes, instead, those of long_kernels.py, in three
lengths. Each is run in a process of its own, without caches.
Measured is processor time from loading the module to the first result: of the thread that launches, and of others as
long as it waits for them. A process that crashes or takes longer than --timeout counts as the slowest. Equal seeds give
equal kernels. The slowest are listed, and kept as PTX in the folder --keep; the exit status is 1 if any takes longer
than --most seconds.
"""

import argparse
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import long_kernels

ROOT = Path(__file__).resolve().parents[1]
LONGEST = 5000  # PTX instructions

ENTRY = re.compile(r"(?:\.visible\s+)?\.entry\s+(\w+)\s*\(([^)]*)\)([^{]*)(\{.*?^\})", re.DOTALL | re.MULTILINE)
REGISTERS = re.compile(r"\.reg\s+\.(\w+)\s+([^;]+);")
# What cannot be repeated as it stands, or makes a thread wait for what never comes.
UNREPEATED = {"ret", "exit", "trap", "brkpt", "bra", "brx", "call", "mbarrier", "getctarank", "alloca", "stacksave"}
UNREPEATED |= {"stackrestore", "nanosleep"}
WIDTHS = {"pred": 1, "16": 16, "32": 32, "64": 64}
SHAPES = ("straight", "loop", "guards", "branches", "nested", "barriers")
DEPTH = 40  # of nested branches


@dataclass
class Kernel:
    """A kernel of a test, with all that its module declares."""

    header: str
    parameters: str
    directives: str
    body: str
    block: int

    def text(self, body):
        return f"{self.header}\n.visible .entry k({self.parameters}){self.directives}{body}\n"


def kernels_in(text):
    """The kernels of a file, each with the rest of the file."""
    blocks = [int(number.split()[0]) for number in re.findall(r"^// BLOCK (\d+(?: \d+)*)", text, re.MULTILINE)]
    bare = re.sub(r"//.*", "", text)
    entries = list(ENTRY.finditer(bare))
    header = ENTRY.sub("", bare)
    for number, entry in enumerate(entries):
        _, parameters, directives, body = entry.groups()
        yield Kernel(header, parameters, directives, body, blocks[number] if number < len(blocks) else 32)


# What no file test has. There is no texture and no surface, so that launches fail once they are compiled.
FETCHES = """
tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%at, {%f1}];
tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%at, {%f1, %f2}];
tex.3d.v4.u32.f32 {%r1, %r2, %r3, %r4}, [%at, {%f1, %f2, %f3, %f4}];
tex.a2d.v4.s32.s32 {%r1, %r2, %r3, %r4}, [%at, {%r1, %r2, %r3, %r4}];
tex.cube.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%at, {%f1, %f2, %f3, %f4}];
tex.grad.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%at, {%f1, %f2}], {%f1, %f2}, {%f3, %f4};
tex.2d.v4.f16.f32 {%h1, %h2, %h3, %h4}, [%at, {%f1, %f2}];
tld4.r.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%at, {%f1, %f2}];
txq.width.b32 %r1, [%at];
suld.b.2d.v4.b32.trap {%r1, %r2, %r3, %r4}, [%at, {%r1, %r2}];
suld.b.1d.b16.zero %h1, [%at, {%r1}];
sust.b.2d.v4.b32.trap [%at, {%r1, %r2}], {%r1, %r2, %r3, %r4};
sust.p.1d.b32.trap [%at, {%r1}], %r1;
sured.b.add.1d.u32.trap [%at, {%r1}], %r1;
suq.width.b32 %r1, [%at];
"""
FETCHING = f"""
.version 8.6
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out) {{
  .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %at;
  ld.param.u64 %at, [out];
{FETCHES}  ret;
}}
"""


def generated_kernels():
    with tempfile.TemporaryDirectory() as folder:
        for script in ("generate.py", "generate_threads.py"):
            command = [sys.executable, str(ROOT / "tests/ptx" / script), folder]
            subprocess.run(command, check=True, capture_output=True)
        files = sorted(Path(folder).rglob("*.ptx"))
        found = [kernel for file in files for kernel in kernels_in(file.read_text())]
    return found + list(kernels_in(FETCHING))


def widths_of(body):
    """The width of each register; `%r<8>` declares eight."""
    widths = {}
    for kind, names in REGISTERS.findall(body):
        width = WIDTHS.get(kind if kind == "pred" else kind.lstrip("bufs"))
        for name in names.split(","):
            counted = re.match(r"\s*(%[\w$]+)<(\d+)>", name)
            if counted:
                widths.update({f"{counted[1]}{number}": (width, kind) for number in range(int(counted[2]))})
            else:
                widths[name.strip()] = (width, kind)
    return widths


def instructions_of(body):
    """(position, text) of the instructions outside braces of their own."""
    for found in re.finditer(r"(?<=[;{}:])\s*((?:@!?%[\w$]+\s+)?[a-z][\w.:]*\s[^;]*);", body):
        yield found.start(1), found[1]


def as_word(register, width, kind):
    """Instructions that add `register` to %mix, which is of 32 bits."""
    if kind == "pred":
        return f"@{register} add.u32 %mix, %mix, 1;"
    if width == 16:
        return f"{{ .reg .b16 %m; mov.b16 %m, {register}; cvt.u32.u16 %more, %m; }} xor.b32 %mix, %mix, %more;"
    if width == 32:
        return f"mov.b32 %more, {register}; xor.b32 %mix, %mix, %more;"
    return f"{{ .reg .b32 %m; mov.b64 {{%more, %m}}, {register}; }} xor.b32 %mix, %mix, %more;"


def from_word(register, width, kind):
    """Instructions that make `register` depend on %mix."""
    if kind == "pred":
        return f"setp.lt.u32 {register}, %mix, 77;"
    if width == 16:
        return f"{{ .reg .b16 %m; cvt.u16.u32 %m, %mix; mov.b16 {register}, %m; }}"
    if width == 32:
        return f"mov.b32 {register}, %mix;"
    return f"mov.b64 {register}, {{%mix, %mix}};"


def chained(instruction, widths, guard=""):
    """The instruction, so that a second one after it depends on what this one makes."""
    operands = re.findall(r"%[\w$]+", instruction.split(None, 1)[1] if not instruction.startswith("@") else "")
    addresses = re.findall(r"\[\s*(%[\w$]+)", instruction)
    known = [name for name in operands if name in widths and widths[name][0]]
    if instruction.startswith("@"):
        guard = ""
    if not known:
        return guard + instruction + ";"
    made, used = known[0], [name for name in known[1:] if name not in addresses]
    lines = []
    for address in addresses:
        if address in widths and widths[address][0] == 64:
            lines.append("and.b32 %more, %mix, 15; mul.wide.u32 %far, %more, 16;")
            lines.append(f"add.u64 %place, {address}, %far;")
            instruction = re.sub(rf"\[\s*{re.escape(address)}", "[%place", instruction)
    lines.append(guard + instruction + ";")
    if made not in addresses:
        lines.append(as_word(made, *widths[made]))
        if used and used[0] != made:
            lines.append(from_word(used[0], *widths[used[0]]))
    return " ".join(lines)


# How many instructions `shaped` adds to each.
BETWEEN = {"straight": 0, "loop": 0, "guards": 1, "branches": 1, "nested": 3, "barriers": 1}


def shaped(one, times, shape):
    """`one` so often, with what the shape is named for."""
    if shape == "loop":
        yield "mov.u32 %turn, 0; AGAIN: add.u32 %turn, %turn, 1;"
    for number in range(times):
        if shape == "guards":
            yield f"setp.ne.u32 %some, %mix, {number};"
        elif shape == "nested":
            yield f"setp.eq.u32 %some, %mix, {number}; @%some bra N{number};"
        yield one
        if shape == "branches" and number % 4 == 0:
            yield f"setp.eq.u32 %some, %mix, {number}; @%some bra L{number};"
            yield f"add.u32 %mix, %mix, {number}; L{number}:"
        elif shape == "barriers":
            yield "bar.sync 0;"
        elif shape == "nested" and (number % DEPTH == DEPTH - 1 or number == times - 1):
            yield from (f"N{inner}: add.u32 %mix, %mix, 1;" for inner in range(number, number - number % DEPTH - 1, -1))
    if shape == "loop":
        yield "setp.lt.u32 %some, %turn, 2; @%some bra AGAIN;"


def repeated(kernel, at, instruction, times, shape):
    """The kernel with the instruction there repeated."""
    widths = widths_of(kernel.body)
    one = chained(instruction, widths, "@%some " if shape == "guards" else "")
    each = one.count(";") + BETWEEN[shape]
    times = max(1, min(times, (LONGEST - 50) // each))
    pieces = list(shaped(one, times, shape))
    start = kernel.body.index("{") + 1
    declared = " .reg .b32 %mix, %more, %turn; .reg .b64 %far, %place, %out; .reg .pred %some; mov.u32 %mix, %tid.x;"
    end = at + len(instruction) + 1
    first = re.findall(r"\.param\s+\.u64\s+(\w+)", kernel.parameters)
    result = f" ld.param.u64 %out, [{first[-1]}]; st.global.u32 [%out], %mix;" if first else ""
    return kernel.text(
        kernel.body[:start] + declared + kernel.body[start:at] + "\n".join(pieces) + result + kernel.body[end:]
    )


def random_sequence(kernels, generator):
    """Bodies of several kernels, one after another, each in a scope of its own."""
    parameters, bodies, length = [], [], 0
    header = ".version 8.8\n.target sm_100\n.address_size 64\n"
    count = generator.randint(20, 400)
    # What is for targets such as sm_90a alone no other module has.
    kernels = [kernel for kernel in kernels if re.search(r"\.target sm_\d+\s", kernel.header)]
    some = [generator.choice(kernels) for _ in range(generator.randint(2, 12))]
    for kernel in some:
        names = re.findall(r"\.param\s+(\.\w+)\s+(\w+)", kernel.parameters)
        number = len(bodies)
        parameters += [f".param {kind} p{number}_{name}" for kind, name in names]
        body = kernel.body
        for _, name in names:
            body = re.sub(rf"\[\s*{name}\b", f"[p{number}_{name}", body)
        body = re.sub(r"@(!?%\w+) ret;", r"@\1 bra FINISH;", body).replace("ret;", "bra FINISH; FINISH:")
        bodies.append(body)
    sequence = []
    while len(sequence) < count:
        body = generator.choice(bodies)
        length += body.count(";")
        if length > LONGEST:
            break
        sequence.append(body)
    return f"{header}.visible .entry k({', '.join(parameters)}) {{\n" + "\n".join(sequence) + "\nret;\n}\n"


def candidates(seed):
    """Endless: (name, PTX, threads of a block)."""
    generator = random.Random(seed)
    kernels = generated_kernels()
    by_opcode = {}
    for kernel in kernels:
        for at, instruction in instructions_of(kernel.body):
            operation = instruction.split()[1 if instruction.startswith("@") else 0]
            opcode = operation.split(".")[0]
            if opcode not in UNREPEATED and not operation.startswith(("barrier.cluster", "bar.arrive")):
                by_opcode.setdefault(opcode, {}).setdefault(operation, []).append((kernel, at, instruction))
    plain = [k for k in kernels if ".shared" not in k.header + k.body and "bar" not in k.body and "call" not in k.body]
    plain = [k for k in plain if ".global" not in k.header and ".func" not in k.header and k.block <= 128]
    while True:
        for opcode in generator.sample(sorted(by_opcode), len(by_opcode)):
            operation = generator.choice(sorted(by_opcode[opcode]))
            kernel, at, instruction = generator.choice(by_opcode[opcode][operation])
            times, shape = generator.choice((500, 4900)), generator.choice(SHAPES)
            text = repeated(kernel, at, instruction, times, shape)
            yield f"{operation} {times} {shape}", text, kernel.block
            if generator.random() < 0.2:
                yield "random sequence", random_sequence(plain, generator), 64


def named(rows):
    """The kernels of (operation, times, shape), as (name, PTX, threads of a block)."""
    kernels = generated_kernels()
    for wanted, times, shape in rows:
        found = next(
            (kernel, at, instruction)
            for kernel in kernels
            for at, instruction in instructions_of(kernel.body)
            if instruction.split()[1 if instruction.startswith("@") else 0] == wanted
        )
        yield f"{wanted} {times} {shape}", repeated(*found, times, shape), found[0].block


def shapes():
    """As candidates; these end."""
    for length in (long_kernels.LONGEST, 2000, 800):
        for name, text, block in long_kernels.long_kernels(length):
            yield f"{name}, {length} instructions", text, block


PROGRAM = """
import pathlib, sys
import numpy, pycuda.autoinit, pycuda.driver as driver
text, block, kinds = open(sys.argv[1]).read(), int(sys.argv[2]), sys.argv[3].split(",")
memory = driver.mem_alloc(1 << 22)
driver.memset_d8(memory, 0, 1 << 22)
sizes = {"u64": numpy.uint64, "s64": numpy.int64, "b64": numpy.uint64, "f64": numpy.float64}
arguments = [numpy.uint64(int(memory) + (1 << 20)) if kind == "u64" else sizes.get(kind, numpy.uint32)(1)
             for kind in kinds if kind]
used = lambda: {thread.name: int((thread / "schedstat").read_text().split()[0]) / 1e9
                for thread in pathlib.Path("/proc/self/task").iterdir()}
before = used()
function = driver.module_from_buffer(text.encode()).get_function("k")
function(*arguments, block=(block, 1, 1), grid=(1, 1))
try:
    driver.Context.synchronize()
except driver.Error as error:
    print(str(error).splitlines()[0], file=sys.stderr)
after = used()
print("seconds", *(after[thread] - before.get(thread, 0) for thread in after), flush=True)
import os
os._exit(0)
"""


def seconds_of(text, block, timeout):
    """What the first launch of `k` waits for, and what was said meanwhile."""
    entry = text.index(".entry")
    kinds = ",".join(re.findall(r"\.param\s+\.(\w+)", text[entry : text.index("{", entry)]))
    environment = dict(
        os.environ, PYCUDA_DISABLE_CACHE="1", PYCUDA_DRIVER="cpu", PYCUDA_CPU_TIMEOUT="20", PYCUDA_LOG="info"
    )
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
        file.write(text)
        file.flush()
        command = [sys.executable, "-c", PROGRAM, file.name, str(block), kinds]
        try:
            done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=timeout)
        except subprocess.TimeoutExpired:
            return float(timeout), "timeout"
    said = done.stderr.strip().splitlines()
    if not (found := re.search(r"seconds (.*)", done.stdout)):
        refused = done.returncode == 1
        return (0.0 if refused else float(timeout)), said[-1] if said else f"status {done.returncode}"
    threads = [float(seconds) for seconds in found[1].split()]
    # The launch has left a thread to compile the better form by itself after so much: jit::Options::most_wait.
    left = any("is being compiled in the background" in line for line in said)
    unwaited = max(0.0, max(threads) - 1.0) if left else 0.0
    return sum(threads) - unwaited, "its real code takes longer" if left else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=600, help="how long to look")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--most", type=float, default=2.0, help="seconds of processor time that a launch may wait")
    parser.add_argument("--timeout", type=int, default=60, help="seconds for one kernel")
    parser.add_argument("--count", type=int, default=10, help="how many of the slowest are listed")
    parser.add_argument("--keep", type=Path, help="a folder for the slowest, as PTX")
    parser.add_argument("--match", default="", help="only instructions whose name contains this")
    parser.add_argument("--shapes", action="store_true", help="go through long_kernels.py instead")
    parser.add_argument("files", type=Path, nargs="*", help="measure these kernels, called k, instead")
    options = parser.parse_args()
    rows, refused = [], 0
    end = time.monotonic() + options.seconds
    source = shapes() if options.shapes else candidates(options.seed)
    if options.files:
        source = ((file.name, file.read_text(), 32) for file in options.files)
    for name, text, block in source:
        if time.monotonic() > end:
            break
        if options.match not in name:
            continue
        seconds, said = seconds_of(text, block, options.timeout)
        refused += seconds == 0
        rows.append((seconds, name, said, text))
        if seconds > options.most or options.files:
            print(f"{seconds:6.2f} s  {name}  {said}", flush=True)
    rows.sort(key=lambda row: -row[0])
    print(f"{len(rows)} kernels, {refused} refused; the slowest:")
    for number, (seconds, name, said, text) in enumerate(rows[: options.count]):
        print(f"{seconds:6.2f} s  {name}  {said}")
        if options.keep:
            options.keep.mkdir(parents=True, exist_ok=True)
            (options.keep / f"{number}-{re.sub(r'[^a-z0-9]+', '_', name)}.ptx").write_text(text)
    return 1 if any(row[0] > options.most for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())

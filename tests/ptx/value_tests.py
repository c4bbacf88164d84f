# SPDX-License-Identifier: MIT
"""The text of value tests: a kernel for one form of an instruction, fed with the runner's tables of values."""

import zlib

COUNT = 200  # no multiple of the block, so that the last block is ragged
BLOCK = 128

REGISTER = {
    "u8": "b16",
    "s8": "b16",
    "b8": "b16",
    "b8x2": "b16",
    "u16": "b16",
    "s16": "b16",
    "b16": "b16",
    "f16": "b16",
    "bf16": "b16",
    "u32": "b32",
    "s32": "b32",
    "b32": "b32",
    "f16x2": "b32",
    "bf16x2": "b32",
    "u16x2": "b32",
    "s16x2": "b32",
    "b8x4": "b32",
    "u64": "b64",
    "s64": "b64",
    "b64": "b64",
    "f32": "f32",
    "f64": "f64",
}
MEMORY = {
    "b8x2": "b16",
    "f16": "b16",
    "bf16": "b16",
    "f16x2": "b32",
    "bf16x2": "b32",
    "u16x2": "b32",
    "s16x2": "b32",
    "b8x4": "b32",
}
BITS = {
    "u8": 8,
    "s8": 8,
    "b8": 8,
    "b8x2": 16,
    "u16": 16,
    "s16": 16,
    "b16": 16,
    "f16": 16,
    "bf16": 16,
    "u32": 32,
    "s32": 32,
    "b32": 32,
    "f16x2": 32,
    "bf16x2": 32,
    "u16x2": 32,
    "s16x2": 32,
    "b8x4": 32,
    "u64": 64,
    "s64": 64,
    "b64": 64,
    "f32": 32,
    "f64": 64,
}

SCRATCH = """  .reg .pred %p<8>;
  .reg .b16 %h<8>;
  .reg .b32 %t<8>;
  .reg .b64 %u<8>;
  .reg .f32 %f<8>;
  .reg .f64 %g<8>;
"""


class Kernel:
    """One form: `body` uses {a} {b} {c} {d} for the inputs and {r} {s} for the results."""

    def __init__(self, name, inputs, outputs, body, allowed="", sources=None):
        self.name, self.inputs, self.outputs, self.body, self.allowed = name, inputs, outputs, body, allowed
        self.sources = sources or {}

    def directives(self):
        seed = zlib.crc32(self.name.encode()) % 100000
        lines = [f"// TEST {self.name}", f"// GRID {-(-COUNT // BLOCK)}", f"// BLOCK {BLOCK}"]
        for index, kind in enumerate(self.inputs):
            letter = "abcd"[index]
            unary = "each" if len(self.inputs) == 1 and BITS[kind] < 32 else f"mix:{seed + index}"
            lines.append(f"// IN {letter} {kind} {COUNT} {self.sources.get(letter, unary)}")
        for index, kind in enumerate(self.outputs):
            lines.append(f"// OUT {'rs'[index]} {kind} {COUNT} golden{self.allowed}")
        lines.append(f"// SCALAR n u32 {COUNT}")
        return "\n".join(lines)

    def text(self):
        names = list(zip("abcd", self.inputs)) + list(zip("rs", self.outputs))
        params = ",\n".join(f"  .param .u64 {n}_" for n, _ in names)
        declared = "".join(f"  .reg .{REGISTER[k]} %{n};\n  .reg .b64 %{n}_at;\n" for n, k in names)
        out = f".visible .entry {self.name}(\n{params},\n  .param .u32 n_)\n{{\n{declared}{SCRATCH}"
        out += "  .reg .pred %beyond;\n  .reg .b32 %i, %w, %x, %n;\n"
        out += "  mov.u32 %i, %ctaid.x;\n  mov.u32 %w, %ntid.x;\n  mov.u32 %x, %tid.x;\n"
        out += "  mad.lo.s32 %i, %i, %w, %x;\n  ld.param.u32 %n, [n_];\n  setp.ge.u32 %beyond, %i, %n;\n"
        out += "  @%beyond bra done;\n"
        for n, k in names:
            out += f"  ld.param.u64 %{n}_at, [{n}_];\n  cvta.to.global.u64 %{n}_at, %{n}_at;\n"
            out += f"  mad.wide.u32 %{n}_at, %i, {BITS[k] // 8}, %{n}_at;\n"
        for n, k in names[: len(self.inputs)]:
            out += f"  ld.global.{MEMORY.get(k, k)} %{n}, [%{n}_at];\n"
        body = self.body.format(a="%a", b="%b", c="%c", d="%d", r="%r", s="%s")
        out += "".join(f"  {line.strip().rstrip(';')};\n" for line in body.split(";") if line.strip())
        for n, k in names[len(self.inputs) :]:
            out += f"  st.global.{MEMORY.get(k, k)} [%{n}_at], %{n};\n"
        return out + "done:\n  ret;\n}\n"


class Suite:
    def __init__(self):
        self.files = {}

    def add(self, path, idea, target, kernels):
        assert path not in self.files, path
        self.files[path] = (idea, target, kernels)

    def write(self, root):
        for path, (idea, target, kernels) in self.files.items():
            file = root / f"{path}.ptx"
            file.parent.mkdir(parents=True, exist_ok=True)
            text = f"// SPDX-License-Identifier: MIT\n// {idea}\n// Written by generate.py.\n"
            text += f".version 8.6\n.target {target}\n.address_size 64\n"
            for kernel in kernels:
                text += f"\n{kernel.directives()}\n{kernel.text()}"
            file.write_text(text)


def form(opcode, *parts):
    """The mnemonic of an opcode with those of its modifiers that are not empty."""
    return ".".join([opcode] + [p.strip(".") for p in parts if p])


def named(mnemonic):
    return mnemonic.replace(".", "_").replace("::", "_")


def simple(mnemonic, inputs, output, allowed="", sources=None, prefix=""):
    """A kernel of one instruction whose operands are the inputs in order."""
    operands = ", ".join("{" + c + "}" for c in "abcd"[: len(inputs)])
    return Kernel(prefix + named(mnemonic), inputs, [output], f"{mnemonic} {{r}}, {operands}", allowed, sources)


INTS = ["u16", "s16", "u32", "s32", "u64", "s64"]

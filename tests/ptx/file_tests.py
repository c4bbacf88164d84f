# SPDX-License-Identifier: MIT
"""The text of file tests: kernels with their directives, and values to feed them."""

import struct

BITS = {
    "b8": 8,
    "u8": 8,
    "s8": 8,
    "b16": 16,
    "u16": 16,
    "s16": 16,
    "b32": 32,
    "u32": 32,
    "s32": 32,
    "f32": 32,
    "b64": 64,
    "u64": 64,
    "s64": 64,
    "f64": 64,
    "pred": 1,
}
FULL = 0xFFFFFFFF


def register(kind):
    return {8: "b16", 16: "b16"}.get(BITS[kind], kind if kind in ("f32", "f64") else f"b{BITS[kind]}")


def signed(value, bits):
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def samples(bits, count, seed=1):
    """Limits first, then a fixed sequence of mixed bits."""
    mask = (1 << bits) - 1
    values = [0, 1, mask, mask >> 1, (mask >> 1) + 1, 0x5A & mask]
    state = seed * 2654435761 % 2**64
    while len(values) < count:
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        values.append((state >> 11) & mask)
    return values[:count]


def bits_of(kind, number):
    return struct.unpack("<I" if kind == "f32" else "<Q", struct.pack("<f" if kind == "f32" else "<d", number))[0]


def number_of(kind, bits):
    return struct.unpack("<f" if kind == "f32" else "<d", bits.to_bytes(BITS[kind] // 8, "little"))[0]


class Kernel:
    """`parameters`: (IN | OUT | INOUT, name, type, values[, results]); `body` finds their addresses in %<name>."""

    def __init__(self, name, block, parameters, body, grid=1, shared=0, before=""):
        self.name, self.block, self.grid, self.shared = name.replace(".", "_").replace("::", "_"), block, grid, shared
        self.parameters, self.body, self.before = parameters, body, before
        self.directives = ""  # of the entry, after its parameters

    def text(self):
        lines = [f"// TEST {self.name}", f"// GRID {self.grid}", f"// BLOCK {self.block}"]
        if self.shared:
            lines.append(f"// SHARED {self.shared}")
        for kind, name, value_type, values, *results in self.parameters:
            words = " ".join(hex(value) for value in values)
            after = " = " + " ".join(hex(value) for value in results[0]) if results else ""
            lines.append(f"// {kind} {name} {value_type} {len(values)} {'= ' if kind == 'OUT' else ''}{words}{after}")
        names = [parameter[1] for parameter in self.parameters]
        parameters = ", ".join(f".param .u64 {name}_" for name in names)
        lines.append(f".visible .entry {self.name}({parameters}){self.directives}\n{{")
        lines.append("  .reg .pred %p<16>; .reg .b16 %h<16>; .reg .b32 %t<32>; .reg .b64 %u<32>;")
        lines.append("  .reg .f32 %f<16>; .reg .f64 %g<16>; .reg .b32 %i, %lane;")
        lines += [f"  .reg .b64 %{name};" for name in names]
        if self.before:
            lines.append("  " + self.before)
        lines.append(
            "  mov.u32 %t0, %ctaid.x; mov.u32 %t1, %ntid.x; mov.u32 %t2, %tid.x; mad.lo.u32 %i, %t0, %t1, %t2;"
        )
        lines.append("  and.b32 %lane, %t2, 31;")
        for name in names:
            lines.append(f"  ld.param.u64 %{name}, [{name}_]; cvta.to.global.u64 %{name}, %{name};")
        lines += [f"  {line.strip()}" for line in self.body.strip().splitlines()]
        return "\n".join(lines) + "\n  ret;\n}\n"


def at(name, bits):
    """Moves %<name> to the thread's element."""
    return f"mad.wide.u32 %{name}, %i, {bits // 8}, %{name};"


class Suite:
    def __init__(self):
        self.files = {}

    def add(self, path, idea, kernels, target="sm_80", before="", version="8.7"):
        head = f".version {version}\n.target {target}\n.address_size 64\n{before}\n"
        text = f"// SPDX-License-Identifier: MIT\n// {idea}\n{head}"
        self.files[path + ".ptx"] = text + "\n".join(kernel.text() for kernel in kernels)

    def write(self, folder):
        for path, text in self.files.items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)

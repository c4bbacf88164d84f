# SPDX-License-Identifier: MIT
"""The PTX that makes a record: what is put into a kernel's code for the thread that is walked."""

#: Words of the variable: the next record, the end of the memory but for one word, unused, the thread, the block.
STATE = "pycuda_step_state"
STATE_WORDS = 9
#: In the place of a record's number: there was no room for it.
FULL = 1 << 32
STATE_DECLARATION = f".visible .global .align 8 .b8 {STATE}[{8 * STATE_WORDS}];"

_DECLARATIONS = """\
	.reg .pred	%pst_on, %pst_p;
	.reg .b32	%pst_r, %pst_s, %pst_n;
	.reg .b64	%pst_at, %pst_end, %pst_next, %pst_a, %pst_b, %pst_d;
	.reg .b16	%pst_h;
"""

_SPECIAL = ("%tid.x", "%tid.y", "%tid.z", "%ctaid.x", "%ctaid.y", "%ctaid.z")


def prologue():
    """Sets %pst_on for the thread that is walked."""
    lines = [_DECLARATIONS]
    for number, special in enumerate(_SPECIAL):
        lines.append(f"\tmov.u32 \t%pst_r, {special};\n")
        lines.append(f"\tld.global.u32 \t%pst_s, [{STATE}+{24 + 4 * number}];\n")
        if number == 0:
            lines.append("\tsetp.eq.u32 \t%pst_on, %pst_r, %pst_s;\n")
        else:
            lines.append("\tsetp.eq.and.u32 \t%pst_on, %pst_r, %pst_s, %pst_on;\n")
    return "".join(lines)


class RecordCode:
    """The code of one record."""

    def __init__(self, number):
        self.number = number
        self.size = 8
        self._lines = []
        self._loops = 0

    def _room(self, size):
        at = self.size
        self.size += (size + 7) // 8 * 8
        return at

    def add(self, line):
        """Add an instruction."""
        self._lines.append(f"\t{line}\n")

    def register(self, name, kind):
        """Record a register of this type.

        Returns
        -------
        (int, int)
            Offset and size in the record.
        """
        if kind == "pred":
            at = self._room(4)
            self.add(f"selp.u32 \t%pst_r, 1, 0, {name};")
            self.add(f"st.global.u32 \t[%pst_at+{at}], %pst_r;")
            return at, 4
        bits = int("".join(filter(str.isdigit, kind)) or 16)
        at = self._room(bits // 8)
        if bits == 8:
            self.add(f"st.global.u8 \t[%pst_at+{at}], {name};")
        else:
            self.add(f"st.global.b{bits} \t[%pst_at+{at}], {name};")
        return at, bits // 8

    def immediate(self, text, bits):
        """Record a constant of the code."""
        at = self._room(bits // 8)
        kind = "f" if text.lower().startswith(("0f", "0d")) else "b"
        self.add(f"st.global.{kind}{bits} \t[%pst_at+{at}], {text};")
        return at, bits // 8

    def address(self, space, symbol):
        """Record the generic address of a symbol."""
        at = self._room(8)
        self.add(f"mov.u64 \t%pst_a, {symbol};")
        if space:
            self.add(f"cvta.{space}.u64 \t%pst_a, %pst_a;")
        self.add(f"st.global.b64 \t[%pst_at+{at}], %pst_a;")
        return at, 8

    def memory(self, space, symbol, offset, size, alignment):
        """Record bytes of memory behind a symbol that has this alignment."""
        at = self._room(size)
        unit = next(unit for unit in (4, 2, 1) if size % unit == offset % unit == alignment % unit == 0)
        if size // unit <= 8:
            for step in range(0, size, unit):
                self._copy(unit, f"[{symbol}+{offset + step}]", space, f"[%pst_at+{at + step}]")
            return at, size
        label = f"$L__pst_copy{self.number}_{self._loops}"
        self._loops += 1
        self.add(f"mov.u64 \t%pst_a, {symbol};")
        if offset:
            self.add(f"add.u64 \t%pst_a, %pst_a, {offset};")
        self.add(f"add.u64 \t%pst_b, %pst_at, {at};")
        self.add(f"mov.u32 \t%pst_n, {size // unit};")
        self._lines.append(f"{label}:\n")
        self._copy(unit, "[%pst_a]", space, "[%pst_b]")
        self.add(f"add.u64 \t%pst_a, %pst_a, {unit};")
        self.add(f"add.u64 \t%pst_b, %pst_b, {unit};")
        self.add("sub.u32 \t%pst_n, %pst_n, 1;")
        self.add("setp.ne.u32 \t%pst_p, %pst_n, 0;")
        self.add(f"@%pst_p bra \t{label};")
        return at, size

    def _copy(self, unit, source, space, target):
        register = "%pst_r" if unit == 4 else "%pst_h"
        self.add(f"ld.{space}.u{8 * unit} \t{register}, {source};")
        self.add(f"st.global.u{8 * unit} \t{target}, {register};")

    def text(self, guard=""):
        """The whole code; `guard`: a predicate, or its opposite as "!%p", without which nothing is recorded."""
        label = f"$L__pst_{self.number}"
        lines = [f"\t@!%pst_on bra \t{label};\n"]
        if guard:
            opposite = guard[1:] if guard.startswith("!") else f"!{guard}"
            lines.append(f"\t@{opposite} bra \t{label};\n")
        lines += [
            f"\tld.global.u64 \t%pst_at, [{STATE}];\n",
            f"\tld.global.u64 \t%pst_end, [{STATE}+8];\n",
            f"\tadd.u64 \t%pst_next, %pst_at, {self.size};\n",
            "\tsetp.le.u64 \t%pst_p, %pst_next, %pst_end;\n",
            f"\t@%pst_p bra \t{label}_fits;\n",
            f"\tmov.u64 \t%pst_end, {FULL};\n",
            "\tst.volatile.global.u64 \t[%pst_at], %pst_end;\n",
            # No shorter record may follow either.
            "\tmov.u64 \t%pst_end, 0;\n",
            f"\tst.global.u64 \t[{STATE}+8], %pst_end;\n",
            f"\tbra \t{label};\n",
            f"{label}_fits:\n",
            *self._lines,
            f"\tst.global.u64 \t[{STATE}], %pst_next;\n",
            "\tmov.u64 \t%pst_end, 0;\n",
            "\tst.volatile.global.u64 \t[%pst_next], %pst_end;\n",
            f"\tmov.u64 \t%pst_end, {self.number};\n",
            "\tst.volatile.global.u64 \t[%pst_at], %pst_end;\n",
            f"{label}:\n",
        ]
        return "".join(lines)

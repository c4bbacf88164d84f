# SPDX-License-Identifier: MIT
"""The debug information of PTX text: its sections as bytes, and DWARF's entries in them."""

import re
from dataclasses import dataclass, field

_SECTION = re.compile(r"^\s*\.section\s+(\.\w+)\s*\{?\s*$")
_DATA = re.compile(r"^\s*\.b(8|16|32|64)\s+(.*?)\s*$")
_LABEL = re.compile(r"^\s*([$\w.]+):\s*$")
_SYMBOL = re.compile(r"^([$._A-Za-z][$.\w]*)(?:\+(\d+))?(?:-([$._A-Za-z][$.\w]*))?$")


class Section:
    """One section: its bytes, with the symbols that stand for addresses by their offset."""

    def __init__(self):
        self.data = bytearray()
        self.symbols = {}
        self.labels = {}


def split_sections(text):
    """Take the sections of debug information out of PTX.

    Returns
    -------
    (str, dict)
        The text without them, and the sections by name.
    """
    code, sections = [], {}
    section = None
    for line in text.splitlines():
        if section is None:
            if found := _SECTION.match(line):
                section = sections.setdefault(found[1], Section())
            else:
                code.append(line)
        elif line.strip() == "}":
            section = None
        elif line.strip() != "{":
            _add_line(section, line)
    return "\n".join(code) + "\n", sections


def _add_line(section, line):
    if label := _LABEL.match(line):
        section.labels[label[1]] = len(section.data)
    elif data := _DATA.match(line):
        size = int(data[1]) // 8
        for word in data[2].split(","):
            word = word.strip()
            try:
                number = int(word, 0)
            except ValueError:
                symbol = _SYMBOL.match(word)
                if symbol is None:
                    raise ValueError(f"unknown data in a section of PTX: {line.strip()}") from None
                number = int(symbol[2] or 0)
                section.symbols[len(section.data)] = symbol[1]
            section.data += (number % (1 << 8 * size)).to_bytes(size, "little")


class Reader:
    """A position in a section."""

    def __init__(self, section, offset=0, end=None):
        self.section, self.offset = section, offset
        self.end = len(section.data) if end is None else end

    def number(self, size, signed=False):
        """An integer of `size` bytes."""
        at = self.offset
        self.offset += size
        return int.from_bytes(self.section.data[at : at + size], "little", signed=signed)

    def address(self, size=8):
        """The name and the offset that stand for an address; "" for a plain number."""
        name = self.section.symbols.get(self.offset, "")
        return name, self.number(size)

    def leb(self, signed=False):
        """A number of variable length (LEB128)."""
        value = shift = 0
        while True:
            byte = self.number(1)
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value - (1 << shift) if signed and byte & 0x40 else value

    def string(self):
        """The text up to the next zero."""
        end = self.section.data.index(0, self.offset)
        text = self.section.data[self.offset : end].decode(errors="replace")
        self.offset = end + 1
        return text

    def block(self, size):
        """A reader of the next bytes."""
        self.offset += size
        return Reader(self.section, self.offset - size, self.offset)


@dataclass
class Entry:
    """An entry of DWARF (a DIE): its tag and attributes by number."""

    offset: int
    tag: int
    attributes: dict = field(default_factory=dict)
    children: list = field(default_factory=list)

    def get(self, attribute, default=None):
        """The value of an attribute."""
        return self.attributes.get(attribute, default)


def _abbreviations(section, offset):
    reader, known = Reader(section, offset), {}
    while (code := reader.leb()) != 0:
        tag, children, forms = reader.leb(), reader.number(1), []
        while True:
            attribute, form = reader.leb(), reader.leb()
            if attribute == 0 and form == 0:
                break
            forms.append((attribute, form))
        known[code] = (tag, children != 0, forms)
    return known


class _Unit:
    """What reading an entry of a compilation unit needs."""

    def __init__(self, reader, sections):
        self.sections = sections
        self.start = reader.offset
        size = reader.number(4)
        self.end = reader.offset + size
        self.version = reader.number(2)
        self.abbreviations = _abbreviations(sections[".debug_abbrev"], reader.number(4))
        self.address_size = reader.number(1)
        if not 2 <= self.version <= 4:
            raise ValueError(f"debug information of version {self.version} is not supported")

    def value(self, reader, form):  # noqa: C901 - one case a form
        if form == 1:  # addr
            return reader.address(self.address_size)
        if form in (5, 6, 7, 11):  # data2, data4, data8, data1
            return reader.number({5: 2, 6: 4, 7: 8, 11: 1}[form])
        if form == 8:  # string
            return reader.string()
        if form == 14:  # strp
            strings = self.sections[".debug_str"]
            name = reader.section.symbols.get(reader.offset, "")
            return Reader(strings, strings.labels.get(name, 0) + reader.number(4)).string()
        if form == 12:  # flag
            return reader.number(1) != 0
        if form == 25:  # flag_present
            return True
        if form in (13, 15):  # sdata, udata
            return reader.leb(signed=form == 13)
        if form in (3, 4, 10):  # block2, block4, block1
            return reader.block(reader.number({3: 2, 4: 4, 10: 1}[form]))
        if form in (9, 24):  # block, exprloc
            return reader.block(reader.leb())
        if form in (17, 18, 19, 20):  # ref1, ref2, ref4, ref8
            return self.start + reader.number(1 << (form - 17))
        if form == 21:  # ref_udata
            return self.start + reader.leb()
        if form in (16, 23):  # ref_addr, sec_offset
            return reader.number(4)
        raise ValueError(f"debug information of form {form} is not supported")


def _read_children(reader, unit, entries):
    children = []
    while reader.offset < unit.end:
        offset = reader.offset
        code = reader.leb()
        if code == 0:
            break
        tag, has_children, forms = unit.abbreviations[code]
        entry = Entry(offset, tag)
        for attribute, form in forms:
            entry.attributes[attribute] = unit.value(reader, form)
        entries[offset] = entry
        if has_children:
            entry.children = _read_children(reader, unit, entries)
        children.append(entry)
    return children


def read_entries(sections):
    """All entries of `.debug_info`.

    Returns
    -------
    (list of Entry, dict)
        The compilation units, and every entry by its offset.
    """
    units, entries = [], {}
    if ".debug_info" not in sections or ".debug_abbrev" not in sections:
        return units, entries
    reader = Reader(sections[".debug_info"])
    while reader.offset < reader.end:
        unit = _Unit(reader, sections)
        units += _read_children(reader, unit, entries)
        reader.offset = unit.end
    return units, entries

# SPDX-License-Identifier: MIT
"""Types of variables as NumPy's: from debug information, or by their names in CUDA C++."""

import re

import numpy as np

_BOOL, _FLOAT = 2, 4  # DW_ATE_boolean, DW_ATE_float
_SIGNED = (5, 6)  # DW_ATE_signed, DW_ATE_signed_char


class Pointer(int):
    """An address that a pointer holds; `target` is the dtype that it points to, None if that is not known."""

    target = None
    name = ""

    def __repr__(self):
        return self.name or hex(self)

    __str__ = __repr__


class Type:
    """A type: its NumPy dtype, and what NumPy does not know of it.

    Attributes
    ----------
    dtype : numpy.dtype
    target : Type or None
        What a pointer points to.
    names : dict
        Of an enumeration's values.
    fields : dict
        Of a structure: the types of its members.
    bits : dict
        Of a structure: the bit fields among its members, each as how far the lowest bit lies from that of the number
        that the dtype has for it, and how many bits there are.
    is_pointer, is_bfloat, is_character : bool
    """

    def __init__(self, dtype, *, target=None, names=None, fields=None, bits=None, kind=""):
        self.dtype = np.dtype(dtype)
        self.target = target
        self.is_pointer, self.is_bfloat, self.is_character = (kind == one for one in ("*", "bfloat16", "char"))
        self.names = names or {}
        self.fields = fields or {}
        self.bits = bits or {}
        of_elements = target is not None and bool(self.dtype.shape) and target.has_bits
        self.has_bits = bool(self.bits) or of_elements or any(one.has_bits for one in self.fields.values())

    @property
    def shown(self):
        """The dtype of values: that of the memory, with a number of its own for each bit field."""
        if not self.has_bits:
            return self.dtype
        if self.dtype.shape:
            return np.dtype((self.target.shown, self.dtype.shape))
        return np.dtype([(name, one.shown) for name, one in self.fields.items()])

    def _decoded(self, raw):
        """Numbers of `dtype` as those of `shown`."""
        if not self.has_bits:
            return raw
        if self.dtype.shape:
            return self.target._decoded(raw)
        found = np.zeros(raw.shape, self.shown)
        for name, one in self.fields.items():
            if name in self.bits:
                shift, width = self.bits[name]
                top = raw[name].astype("u8") << np.uint64(64 - shift - width)
                is_signed = one.dtype.kind == "i"
                found[name] = top.view("i8") >> np.int64(64 - width) if is_signed else top >> np.uint64(64 - width)
            else:
                found[name] = one._decoded(raw[name])
        return found

    def value(self, data):
        """The value of these bytes; None if there are too few."""
        if len(data) < self.dtype.itemsize or self.dtype.itemsize == 0:
            return None
        found = np.frombuffer(data[: self.dtype.itemsize], self.dtype.base)
        if self.has_bits:
            found = self._decoded(found)
            found.flags.writeable = False
        if self.dtype.shape:
            return found.reshape(self.dtype.shape)  # of bytes, and so not writable: steps share it
        one = found[0]
        if self.is_pointer:
            pointer = Pointer(one)
            pointer.target = self.target.dtype if self.target else None
            return pointer
        if self.is_bfloat:
            return np.frombuffer(b"\0\0" + bytes(data[:2]), np.float32)[0]
        return one.item() if self.dtype.kind in "iub" or self.dtype == np.float64 else one.copy()


_BY_NAME = {
    "bool": "?",
    "char": "i1",
    "signed char": "i1",
    "unsigned char": "u1",
    "short": "i2",
    "unsigned short": "u2",
    "int": "i4",
    "unsigned": "u4",
    "unsigned int": "u4",
    "long": "i8",
    "unsigned long": "u8",
    "long long": "i8",
    "unsigned long long": "u8",
    "float": "f4",
    "double": "f8",
    "__half": "f2",
    "half": "f2",
    "int8_t": "i1",
    "uint8_t": "u1",
    "int16_t": "i2",
    "uint16_t": "u2",
    "int32_t": "i4",
    "uint32_t": "u4",
    "int64_t": "i8",
    "uint64_t": "u8",
    "size_t": "u8",
    "uint": "u4",
    "ushort": "u2",
    "uchar": "u1",
    "ulong": "u8",
    "longlong": "i8",
    "ulonglong": "u8",
}
_VECTOR = re.compile(r"(u?(?:char|short|int|longlong|long)|float|double|half)([1-4])$")
_PLAIN = re.compile(r"\s*([<>,*&])\s*|\b(?:struct|class|typename|enum)\s+|^::")


def _plain(name):
    """A type's name as it is compared: "P<float,3>" of "struct P<float, 3>"."""
    return _PLAIN.sub(lambda found: found[1] or "", name.strip())


def _vector(name):
    """The type of float4 and its like, which debug information may leave out; None for others."""
    found = _VECTOR.match(name)
    if found is None:
        return None
    element = Type(_BY_NAME[found[1]])
    names = "xyzw"[: int(found[2])]
    return Type([(one, element.dtype) for one in names], fields=dict.fromkeys(names, element))


class Types:
    """The types of a module, by the offset of their entries and by name."""

    def __init__(self, entries):
        self._entries = entries
        self._known = {}
        self._offset_by_name = {}
        for offset, entry in entries.items():
            if entry.tag in (0x02, 0x04, 0x13, 0x16, 0x17, 0x24) and 3 in entry.attributes:
                self._offset_by_name.setdefault(_plain(entry.attributes[3]), offset)

    def named(self, name):
        """The type of this name in the source; None if it is not known."""
        if name in _BY_NAME:
            return Type(_BY_NAME[name], kind=name)
        if name.endswith("*"):
            return Type("u8", kind="*", target=self.named(name[:-1].strip()))
        offset = self._offset_by_name.get(_plain(name))
        return self.at(offset) if offset is not None else _vector(name)

    def at(self, offset):
        """The type that an entry describes; None if it is none whose values can be shown."""
        if offset not in self._known:
            self._known[offset] = None  # of types that contain themselves
            self._known[offset] = self._make(self._entries.get(offset))
        return self._known[offset]

    def _make(self, entry):
        if entry is None:
            return None
        inner = entry.get(0x49)
        if entry.tag in (0x16, 0x26, 0x35, 0x37):  # typedef, const, volatile, restrict
            return self.at(inner)
        if entry.tag in (0x0F, 0x10, 0x42):  # pointer, reference, rvalue reference
            return Type("u8", kind="*", target=self.at(inner))
        if entry.tag == 0x24:
            return self._base(entry)
        if entry.tag == 0x04:
            return self._enumeration(entry)
        if entry.tag == 0x01:
            return self._array(entry)
        if entry.tag in (0x02, 0x13, 0x17):
            return self._structure(entry)
        return None

    def _base(self, entry):
        size, encoding = entry.get(0x0B, 0), entry.get(0x3E)
        kind = "f" if encoding == _FLOAT else "i" if encoding in _SIGNED else "u"
        if encoding == _BOOL:
            return Type("?")
        known = (4, 8) if kind == "f" else (1, 2, 4, 8)
        return Type(f"{kind}{size}", kind=entry.get(3, "")) if size in known else None

    def _enumeration(self, entry):
        size = entry.get(0x0B, 4)
        names = {child.get(0x1C): _last_part(child.get(3, "")) for child in entry.children if child.tag == 0x28}
        return Type(f"{'i' if any(value < 0 for value in names) else 'u'}{size}", names=names)

    def _array(self, entry):
        element = self.at(entry.get(0x49))
        counts = [
            child.get(0x37, child.get(0x2F, -1) + 1 if isinstance(child.get(0x2F, -1), int) else 0)
            for child in entry.children
            if child.tag == 0x21
        ]
        if element is None or not counts:
            return None
        return Type((element.dtype, tuple(counts)), target=element)

    def _structure(self, entry):
        size, name = entry.get(0x0B), entry.get(3, "")
        if size is None:
            return None
        if name == "__half":
            return Type("f2")
        if name == "__nv_bfloat16":
            return Type("u2", kind="bfloat16")
        names, formats, offsets, fields, bits = [], [], [], {}, {}
        for child in entry.children:
            of = self.at(child.get(0x49)) if child.tag in (0x0D, 0x1C) else None
            if of is None or of.dtype.itemsize == 0:
                continue
            where, kind = _offset_of(child), of.dtype
            if 0x0D in child.attributes:
                where, kind, place = _bits_of(child, where, of)
            member = child.get(3) or f"base{len(names)}"
            if where is None or member in fields or where + kind.itemsize > size:
                continue
            if 0x0D in child.attributes:
                bits[member] = place
            names.append(member)
            formats.append(kind)
            offsets.append(where)
            fields[member] = of
        dtype = {"names": names, "formats": formats, "offsets": offsets, "itemsize": size}
        return Type(dtype, fields=fields, bits=bits)


def _offset_of(member):
    """How many bytes a member is behind the start of its structure; None if that is not said."""
    where = member.get(0x38)
    if where is None or isinstance(where, int):
        return where
    where.offset += 1  # DW_OP_plus_uconst
    return where.leb()


def _bits_of(member, where, of):
    """A bit field: the offset and the dtype of the number that has its bits, how far these are up in it, how many."""
    size, width = member.get(0x0B, of.dtype.itemsize), member.get(0x0D)
    if 0x6B in member.attributes:  # DW_AT_data_bit_offset, from the structure's start
        where, shift = divmod(member.get(0x6B), 8 * size)
        where *= size
    else:  # DW_AT_bit_offset, from the number's highest bit
        shift = 8 * size - member.get(0x0C, 0) - width
    if size not in (1, 2, 4, 8) or not 0 < width <= 8 * size - shift or shift < 0:
        return None, of.dtype, None
    return where, np.dtype(f"u{size}"), (shift, width)


def _last_part(name):
    """What an enumerator is called: those of scoped enumerations have mangled names."""
    if not name.startswith("_ZN"):
        return name
    at, last = 3, name
    while at < len(name) and name[at].isdigit():
        digits = at
        while name[at].isdigit():
            at += 1
        size = int(name[digits:at])
        last = name[at : at + size]
        at += size
    return last

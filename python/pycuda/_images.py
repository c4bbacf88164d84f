# SPDX-License-Identifier: MIT
"""What compiled images contain: PTX and cubins."""

import re
import struct

# Texts of printf, and the tables of CUDA's own functions, are no variables of the program.
_VARIABLE = re.compile(
    rb"^[ \t]*(?:\.\w+[ \t]+)*?\.(?:global|const)[ \t](?:[^;=\[]*[ \t])?(?!\$|__)[\w$]+[ \t]*[\[;=]", re.M
)


def has_variables(image):
    """Whether the program in an image has `__device__` or `__constant__` variables. Not sure means yes."""
    if image.startswith(b"\x7fELF"):
        return any(not name.startswith((b"$", b".", b"__", b"_param")) for name in _object_names(image))
    return _VARIABLE.search(image) is not None


def _object_names(image):
    """The names of a 64-bit ELF's symbols that are data, defined in it or elsewhere."""
    (sections_at,) = struct.unpack_from("<Q", image, 40)
    entry, count = struct.unpack_from("<HH", image, 58)
    sections = [struct.unpack_from("<IIQQQQIIQQ", image, sections_at + entry * i) for i in range(count)]
    for _, kind, _, _, offset, size, link, _, _, step in sections:
        if kind != 2:  # the symbol table
            continue
        names_at = sections[link][4]
        for at in range(offset, offset + size, step):
            name, information = struct.unpack_from("<IB", image, at)
            if information & 15 == 1:  # an object
                start = names_at + name
                yield image[start : image.index(b"\0", start)]

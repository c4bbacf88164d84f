# SPDX-License-Identifier: MIT
"""Makes link-time stand-ins for an older glibc: shared libraries without code, with that glibc's symbol versions.

A binary that is linked against them asks for nothing newer than the chosen version and therefore loads on every system
from that version on. The table comes from this system's own glibc, which keeps every old version of a symbol:

* a symbol takes the newest of its versions that the old glibc had;
* a symbol that has only newer versions is left out, so that its use is an error of the linker (newer_functions.c
  defines the ones that the libraries need);
* functions that glibc 2.34 moved into libc.so.6 go back to the library that had them.

usage: make_stubs.py VERSION FOLDER COMPILER
"""

import re
import subprocess
import sys
from pathlib import Path

# By the compiler's machine.
DYNAMIC_LINKERS = {"x86_64": "ld-linux-x86-64.so.2", "aarch64": "ld-linux-aarch64.so.1"}
# The file on this system -> the name that `-l` looks for. The dynamic linker's comes with the machine.
LIBRARIES = {"libc.so.6": "c", "libm.so.6": "m"}
# Where functions lived before glibc 2.34; looked at only where the version in libc.so.6 says that they moved.
FORMER_HOMES = (
    (re.compile(r"dl(addr1?|close|error|info|m?open|v?sym)$"), "dl"),
    (re.compile(r"(__)?(pthread|sem)_|raise$|__pthread"), "pthread"),
    (re.compile(r"(aio|lio|mq|shm|timer)_"), "rt"),
    (re.compile(r"(openpty|forkpty|login|logout|login_tty|logwtmp)$"), "util"),
)
SONAMES = {
    "c": "libc.so.6",
    "m": "libm.so.6",
    "pthread": "libpthread.so.0",
    "dl": "libdl.so.2",
    "rt": "librt.so.1",
    "util": "libutil.so.1",
}
ROW = re.compile(
    r"^\s*\d+: [0-9a-f]+\s+(?P<size>\S+) (?P<type>FUNC|IFUNC|OBJECT|TLS)\s+(GLOBAL|WEAK)\s+DEFAULT\s+\d+ "
    r"(?P<name>[^@\s]+)(?P<default>@@?)GLIBC_(?P<version>[0-9.]+)$"
)


def number(version):
    return tuple(int(part) for part in version.split("."))


def symbols_of(library):
    """For each name its versions, with type and size, and the version that is the default today."""
    text = subprocess.run(["readelf", "--dyn-syms", "-W", library], check=True, capture_output=True, text=True).stdout
    found = {}
    for row in filter(None, map(ROW.match, text.splitlines())):
        entry = found.setdefault(row["name"], {"versions": {}, "default": None})
        entry["versions"][number(row["version"])] = (row["type"], int(row["size"], 0))
        if row["default"] == "@@":
            entry["default"] = number(row["version"])
    return found


def home_of(name, entry, library, limit):
    moved = entry["default"] is not None and entry["default"] > limit
    if library == "c" and moved:
        for pattern, home in FORMER_HOMES:
            if pattern.match(name):
                return home
    return library


def dynamic_linker(compiler):
    """The file name of the dynamic linker of the system that the compiler makes code for."""
    machine = subprocess.run([compiler, "-dumpmachine"], check=True, capture_output=True, text=True).stdout.split("-")[
        0
    ]
    if machine not in DYNAMIC_LINKERS:
        sys.exit(f"make_stubs.py: {machine.strip()} is not supported, only {', '.join(DYNAMIC_LINKERS)}")
    return DYNAMIC_LINKERS[machine]


def old_tables(limit, compiler):
    tables = {name: {} for name in (*SONAMES, "ld_linux")}
    for file, library in (*LIBRARIES.items(), (dynamic_linker(compiler), "ld_linux")):
        path = subprocess.run([compiler, f"-print-file-name={file}"], check=True, capture_output=True, text=True).stdout
        for name, entry in symbols_of(path.strip()).items():
            old = [version for version in entry["versions"] if version <= limit]
            if old:
                home = home_of(name, entry, library, limit)
                tables[home][name] = (max(old), *entry["versions"][max(old)])
    return tables


def assembly(table):
    yield ".text"
    for name, (_, kind, size) in sorted(table.items()):
        section = {"OBJECT": ".data", "TLS": '.section .tdata,"awT",@progbits'}.get(kind, ".text")
        yield f"{section}\n.globl {name}\n.type {name}, @{'function' if section == '.text' else 'object'}"
        yield f".size {name}, {size or 1}\n{name}: .skip {max(size, 1) if section != '.text' else 1}"
    yield '.section .note.GNU-stack,"",@progbits\n'


def version_script(table):
    versions = {}
    for name, (version, _, _) in table.items():
        versions.setdefault(version, []).append(name)
    for version in sorted(versions):
        names = " ".join(f"{name};" for name in sorted(versions[version]))
        yield f"GLIBC_{'.'.join(map(str, version))} {{ global: {names} }};"


def make_stub(library, table, folder, compiler):
    soname = SONAMES.get(library) or dynamic_linker(compiler)
    source, script = folder / f"{library}.s", folder / f"{library}.map"
    source.write_text("\n".join(assembly(table)))
    script.write_text("\n".join(version_script(table)) + "\n")
    subprocess.run(
        [compiler, "-shared", "-nostdlib", "-fuse-ld=bfd", f"-Wl,-soname,{soname}",
         f"-Wl,--version-script={script}", "-o", folder / f"lib{library}.so", source],
        check=True,
    )  # fmt: skip


def main():
    version, folder, compiler = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
    folder.mkdir(parents=True, exist_ok=True)
    for library, table in old_tables(number(version), compiler).items():
        if table:
            make_stub(library, table, folder, compiler)


if __name__ == "__main__":
    main()

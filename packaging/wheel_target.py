# SPDX-License-Identifier: MIT
"""What `./run wheels` builds for: the machine that it runs on, or Linux on aarch64 with a cross compiler."""

import os
import platform
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OLDEST_GLIBC = "2.28"


class ThisMachine:
    machine = platform.machine()
    is_native = True
    remark = ""  # on a Python that is not found
    # As CMake would find them, so that ccache has the objects of `./run build`.
    compilers = {"CC": "cc", "CXX": "c++"}

    @property
    def platform(self):
        """What auditwheel names wheels by."""
        return f"manylinux_{OLDEST_GLIBC.replace('.', '_')}_{self.machine}"

    def loads_from_oldest_glibc(self, wheel):
        """Whether the platform in the name of a finished wheel is no newer than it should be."""
        found = re.search(rf"-manylinux_2_(\d+)_{self.machine}\.whl$", wheel)
        return found is not None and int(found[1]) <= int(OLDEST_GLIBC.removeprefix("2."))

    def folder(self, name):
        """The build folder of this name."""
        return ROOT / "build" / name

    def supports(self, version):
        """Whether wheels for this version of Python can be built, as far as the target decides it."""
        return True

    def definitions(self):
        """What CMake is told beside the usual, by name."""
        return {}

    def environment(self):
        """The environment of a build."""
        return self.compilers | os.environ


class Aarch64(ThisMachine):
    """By the folder that tools/aarch64_sysroot.sh made. Its Python, 3.11 of Debian 12, is the only one with headers."""

    machine = "aarch64"
    is_native = False
    # auditwheel takes names for its own machine alone; of another machine's wheels it finds the oldest that fits.
    platform = "auto"

    def __init__(self, sysroot):
        self.sysroot = Path(sysroot).resolve()
        headers = self.sysroot.glob("usr/include/python3.*/Python.h")
        self.versions = {header.parent.name.removeprefix("python") for header in headers}
        self.remark = f"; the sysroot has the headers of Python {', '.join(sorted(self.versions))} alone"
        if not self.versions or not (self.sysroot / "usr/lib/llvm-19").exists():
            raise ValueError(f"{sysroot} is not a sysroot: tools/aarch64_sysroot.sh FOLDER makes one")

    def folder(self, name):
        return ROOT / "build" / f"{name}-aarch64"

    def supports(self, version):
        return version in self.versions

    def definitions(self):
        return {
            "CMAKE_TOOLCHAIN_FILE": ROOT / "cmake/aarch64-linux.cmake",
            "PYCUDA_SYSROOT": self.sysroot,
        }

    def environment(self):
        others = {name: value for name, value in os.environ.items() if name not in self.compilers}
        # What scikit-build-core names the wheel by.
        return others | {"_PYTHON_HOST_PLATFORM": "linux-aarch64"}

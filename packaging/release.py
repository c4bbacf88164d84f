# SPDX-License-Identifier: MIT
"""What must hold before a version is tagged, apart from the tests: `./run release` runs it first.

Without arguments it checks the checkout; with --sdist it builds the source distribution and checks it.
"""

import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def version():
    text = (ROOT / "python/pycuda/__init__.py").read_text()
    return re.search(r'^ANYWHERE_VERSION = "([^"]+)"', text, re.M)[1]


def git(*arguments):
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


def problems():
    """One sentence for each thing that has to be done before the tag."""
    number = version()
    if git("status", "--porcelain"):
        yield "there are uncommitted changes"
    if git("tag", "--list", f"v{number}"):
        yield f"v{number} is tagged already: raise ANYWHERE_VERSION in python/pycuda/__init__.py"
    if not re.search(rf"^## {re.escape(number)} ", (ROOT / "CHANGELOG.md").read_text(), re.M):
        yield f"CHANGELOG.md has no section for {number}"
    if f"\nversion: {number}\n" not in (ROOT / "CITATION.cff").read_text():
        yield f"CITATION.cff is not about {number}"
    if f'version: "{number}"' not in (ROOT / "packaging/conda/recipe.yaml").read_text():
        yield f"packaging/conda/recipe.yaml is not about {number}"
    for file in ("pyproject.toml", "packaging/cpu/pyproject.toml"):
        if "[project.urls]" not in (ROOT / file).read_text():
            yield f"{file} has no [project.urls]: see packaging/README.md"
    if (ROOT / "LICENSE").read_bytes() != (ROOT / "packaging/cpu/LICENSE").read_bytes():
        yield "packaging/cpu/LICENSE is not LICENSE"


def check_sdist():
    folder = ROOT / "build/sdist"
    shutil.rmtree(folder, ignore_errors=True)
    code = "import sys; sys.path.insert(0, 'packaging/backend'); import pycuda_build; "
    code += f"pycuda_build.build_sdist({str(folder)!r})"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
    (archive,) = folder.glob("*.tar.gz")
    top = archive.name.removesuffix(".tar.gz")
    names = set(tarfile.open(archive).getnames())
    for needed in ("PKG-INFO", "LICENSE", "CMakeLists.txt", "src/cpu/ptx/opcode.def", "packaging/backend"):
        if not any(name.startswith(f"{top}/{needed}") for name in names):
            sys.exit(f"release: {archive.name} lacks {needed}")
    shutil.copy(archive, ROOT / "dist")
    print(f"dist/{archive.name}: {len(names)} entries")


def main():
    if "--sdist" in sys.argv:
        return check_sdist()
    found = list(problems())
    for problem in found:
        print(f"release: {problem}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

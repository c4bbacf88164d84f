# SPDX-License-Identifier: MIT
"""What must hold before a version is tagged, apart from the tests: `./run release` runs it first.

Without arguments it checks the checkout; with --sdist it builds the source distribution and checks it. The repository's
public address is the one of --repository, or of a git remote. It is written to all metadata that name it.
"""

import argparse
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# The table of a pyproject.toml that [project.urls] stands before.
BEFORE_URLS = {
    "pyproject.toml": "project.optional-dependencies",
    "packaging/cpu/pyproject.toml": "project.scripts",
    "packaging/libraries/pyproject.toml": "tool.scikit-build",
}


def version():
    text = (ROOT / "python/pycuda/__init__.py").read_text()
    return re.search(r'^ANYWHERE_VERSION = "([^"]+)"', text, re.M)[1]


def git(*arguments):
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


def public_address(remote):
    """The https address of a remote's page; None for a folder, and for a host of a private network by its name."""
    found = re.fullmatch(
        r"(?:https://(?:[^@/]+@)?|ssh://git@|git@)([\w.-]+\.([a-z]{2,}))(?::\d+/|[:/])(.+?)(?:\.git)?/?", remote
    )
    if not found or found[2] in ("corp", "home", "internal", "lan", "local", "localdomain"):
        return None
    return f"https://{found[1]}/{found[3]}"


def address_of_remotes():
    """The public address of the first remote that has one, `origin` before the others."""
    for name in sorted(git("remote").split(), key=lambda name: name != "origin"):
        if address := public_address(git("remote", "get-url", name)):
            return address
    return None


def metadata_with(address, root=ROOT):
    """The files that name the repository, as they must be: path -> text."""
    urls = {
        "Homepage": address,
        "Documentation": f"{address}#readme",
        "Source": address,
        "Changelog": f"{address}/blob/main/CHANGELOG.md",
        "Issues": f"{address}/issues",
    }
    table = "[project.urls]\n" + "".join(f'{name} = "{url}"\n' for name, url in urls.items()) + "\n"
    files = {}
    for name, before in BEFORE_URLS.items():
        text = re.sub(r"^\[project\.urls\]\n(?:.+\n)+\n", "", (root / name).read_text(), flags=re.M)
        files[root / name] = text.replace(f"[{before}]", f"{table}[{before}]", 1)
    citation = re.sub(r"^repository-code: .*\n", "", (root / "CITATION.cff").read_text(), flags=re.M)
    files[root / "CITATION.cff"] = re.sub(r"^(license: .*\n)", rf"\1repository-code: {address}\n", citation, flags=re.M)
    recipe = root / "packaging/conda/recipe.yaml"
    text = re.sub(r"^  (?:homepage|repository): .*\n", "", recipe.read_text(), flags=re.M)
    files[recipe] = text.rstrip("\n") + f"\n  homepage: {address}\n  repository: {address}\n"
    return files


def address_problems(address, write):
    """Brings the metadata up to date with the address, if `write`."""
    if address is None:
        yield (
            "no public address of the repository is known: name it with ./run release --repository https://..., or add "
            "a git remote that has one"
        )
        return
    outdated = {file: text for file, text in metadata_with(address).items() if file.read_text() != text}
    if not outdated:
        return
    names = ", ".join(str(file.relative_to(ROOT)) for file in outdated)
    if not write:
        yield f"these files do not name {address}: {names}"
        return
    for file, text in outdated.items():
        file.write_text(text)
    yield f"{address} has been written to {names}: commit this"


def version_problems(number):
    """The files that are about another version than the package."""
    if not re.search(rf"^## {re.escape(number)} ", (ROOT / "CHANGELOG.md").read_text(), re.M):
        yield f"CHANGELOG.md has no section for {number}"
    if f"\nversion: {number}\n" not in (ROOT / "CITATION.cff").read_text():
        yield f"CITATION.cff is not about {number}"
    if f'version: "{number}"' not in (ROOT / "packaging/conda/recipe.yaml").read_text():
        yield f"packaging/conda/recipe.yaml is not about {number}"


def problems(address, write):
    """One sentence for each thing that has to be done before the tag."""
    number = version()
    if git("status", "--porcelain"):
        yield "there are uncommitted changes"
    if git("tag", "--list", f"v{number}"):
        yield f"v{number} is tagged already: raise ANYWHERE_VERSION in python/pycuda/__init__.py"
    yield from version_problems(number)
    if f"\n## {number} (unreleased)\n" in (ROOT / "CHANGELOG.md").read_text():
        yield f"CHANGELOG.md calls {number} unreleased: write the date there"
    for copy in ("packaging/cpu/LICENSE", "packaging/libraries/LICENSE"):
        if (ROOT / "LICENSE").read_bytes() != (ROOT / copy).read_bytes():
            yield f"{copy} is not LICENSE"
    yield from address_problems(address, write)


def check_sdist():
    folder = ROOT / "build/sdist"
    shutil.rmtree(folder, ignore_errors=True)
    code = "import sys; sys.path.insert(0, 'packaging/backend'); import pycuda_build; "
    code += f"pycuda_build.build_sdist({str(folder)!r})"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
    (archive,) = folder.glob("*.tar.gz")
    names = {name.partition("/")[2] for name in tarfile.open(archive).getnames()}
    if missing := {"PKG-INFO", *git("ls-files").splitlines()} - names:
        sys.exit(f"release: {archive.name} lacks {', '.join(sorted(missing))}")
    (ROOT / "dist").mkdir(exist_ok=True)
    shutil.copy(archive, ROOT / "dist")
    print(f"dist/{archive.name}: {len(names)} entries")


def main():
    parser = argparse.ArgumentParser(prog="./run release", description="Everything that must hold before a tag.")
    parser.add_argument("--repository", metavar="URL", help="its public address (default: of a git remote)")
    parser.add_argument("--dry-run", action="store_true", help="change nothing")
    parser.add_argument("--sdist", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.sdist:
        return check_sdist()
    address = options.repository and public_address(options.repository)
    if options.repository and not address:
        parser.error(f"--repository {options.repository}: not the address of a public repository, https://HOST/PATH")
    found = list(problems(address or address_of_remotes(), not options.dry_run))
    for problem in found:
        print(f"release: {problem}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

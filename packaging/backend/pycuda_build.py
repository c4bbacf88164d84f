# SPDX-License-Identifier: MIT
"""The build backend of pycuda-anywhere: scikit-build-core, and two additions to the wheel.

* A second metadata folder, for `pycuda`. Packages that require PyCUDA find it installed, and pip does not put the
  original over this package. It has no RECORD, so that pip refuses to remove it and names its installer.
* With the setting `cpu-distribution=yes`, a requirement of `pycuda-anywhere-cpu` where such a wheel exists, and of
  `pycuda-anywhere-libraries` by the extra `libraries`. `./run wheels` sets it; a wheel that is built from source brings
  its own CPU driver and libraries.
"""

import base64
import csv
import hashlib
import io
import os
import re
import zipfile
from pathlib import Path

from scikit_build_core import build as _backend

get_requires_for_build_sdist = _backend.get_requires_for_build_sdist
build_sdist = _backend.build_sdist

_ROOT = Path(__file__).resolve().parents[2]
_CPU_DISTRIBUTION = "cpu-distribution"
_CPU_MARKER = "sys_platform == 'linux' and (platform_machine == 'x86_64' or platform_machine == 'aarch64')"


def _number(name):
    text = (_ROOT / "python/pycuda/__init__.py").read_text()
    if name == "VERSION":
        return ".".join(re.search(r"^VERSION = \(([0-9, ]+)\)", text, re.M)[1].split(", "))
    return re.search(rf'^{name} = "([^"]+)"', text, re.M)[1]


def _split(settings):
    settings = dict(settings or {})
    return settings, settings.pop(_CPU_DISTRIBUTION, "no") == "yes"


def _with_cpu_distribution(metadata):
    head, blank, body = metadata.partition("\n\n")
    version = _number("ANYWHERE_VERSION")
    head += f"\nRequires-Dist: pycuda-anywhere-cpu=={version}; {_CPU_MARKER}"
    head += f"\nRequires-Dist: pycuda-anywhere-libraries=={version}; ({_CPU_MARKER}) and extra == 'libraries'"
    return head + blank + body


def _pycuda_metadata():
    """The files of the metadata folder for `pycuda`, by name."""
    ours = _number("ANYWHERE_VERSION")
    version = f"{_number('VERSION')}+anywhere"
    folder = f"pycuda-{version}.dist-info"
    metadata = (
        "Metadata-Version: 2.1\n"
        "Name: pycuda\n"
        f"Version: {version}\n"
        "Summary: Provided by pycuda-anywhere; to remove it, run `pip uninstall pycuda-anywhere`\n"
        f"Requires-Dist: pycuda-anywhere=={ours}\n"
    )
    # `uv pip check` takes a package without it for a broken one.
    wheel = "Wheel-Version: 1.0\nGenerator: pycuda-anywhere\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    texts = {"METADATA": metadata, "INSTALLER": "pycuda-anywhere\n", "WHEEL": wheel}
    return {f"{folder}/{name}": text for name, text in texts.items()}


def _row(name, data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return [name, f"sha256={digest}", str(len(data))]


def _rewrite(wheel, needs_cpu_distribution):
    """Adds both to a wheel's file, and lists them in its RECORD."""
    with zipfile.ZipFile(wheel) as archive:
        entries = [(entry, archive.read(entry)) for entry in archive.infolist()]
    own = next(entry.filename for entry, _ in entries if entry.filename.endswith(".dist-info/RECORD")).split("/")[0]
    data_folder = own.removesuffix(".dist-info") + ".data/platlib"
    rows = []
    temporary = wheel.with_suffix(".new")
    with zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as archive:

        def add(entry, data):
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED)
            rows.append(_row(getattr(entry, "filename", entry), data))

        for entry, data in entries:
            if entry.filename == f"{own}/RECORD":
                continue
            if entry.filename == f"{own}/METADATA" and needs_cpu_distribution:
                data = _with_cpu_distribution(data.decode()).encode()
            add(entry, data)
        for name, text in _pycuda_metadata().items():
            add(f"{data_folder}/{name}", text.encode())
        record = io.StringIO()
        csv.writer(record, lineterminator="\n").writerows([*rows, [f"{own}/RECORD", "", ""]])
        archive.writestr(f"{own}/RECORD", record.getvalue(), zipfile.ZIP_DEFLATED)
    os.replace(temporary, wheel)


def get_requires_for_build_wheel(config_settings=None):
    return _backend.get_requires_for_build_wheel(_split(config_settings)[0])


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    settings, needs_cpu_distribution = _split(config_settings)
    folder = _backend.prepare_metadata_for_build_wheel(metadata_directory, settings)
    if needs_cpu_distribution:
        metadata = Path(metadata_directory) / folder / "METADATA"
        metadata.write_text(_with_cpu_distribution(metadata.read_text()))
    return folder


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    settings, needs_cpu_distribution = _split(config_settings)
    # The prepared metadata is made again: it would have the requirement twice.
    name = _backend.build_wheel(wheel_directory, settings, None)
    _rewrite(Path(wheel_directory) / name, needs_cpu_distribution)
    return name

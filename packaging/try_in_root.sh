#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# try_in_root.sh SUITE [FOLDER [ARCHITECTURE]]: installs the wheels of dist/ in a bare Debian (bullseye, bookworm, trixie ...) without
# compiler and without /proc, and runs the self-test and example programs there as a user who cannot write to his home.
# Needs root and debootstrap. ARCHITECTURE is Debian's word, amd64 or arm64; for another one than this machine's, programs
# must run under QEMU (Debian's qemu-user-static, and binfmt_misc mounted). In bullseye, whose Python is too old for pycuda-anywhere, it tries the CPU driver alone.
# It prints the times of the installation, the self-test and the programs. Then it adds pycuda-anywhere-libraries and tries
# cuFFT, cuBLAS, cuBLASLt, cuSOLVER, NVML and ptxas.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
suite=${1:?usage: try_in_root.sh SUITE [FOLDER [ARCHITECTURE]]}
architecture=${3:-$(dpkg --print-architecture)}
root=${2:-build/roots/$suite-$architecture}
case $architecture in
  amd64) machine=x86_64 policies=(manylinux_2_28 manylinux_2_27 manylinux2014 manylinux_2_12 manylinux2010) ;;
  arm64) machine=aarch64 policies=(manylinux_2_{28,27,26,24,17} manylinux2014) ;;
  *) echo "try_in_root.sh: there are no wheels for $architecture, only for amd64 and arm64" >&2; exit 2 ;;
esac
platforms=()
for policy in "${policies[@]}"; do platforms+=(--platform "${policy}_$machine"); done
# Suites newer than debootstrap itself are made like sid.
script=/usr/share/debootstrap/scripts/$suite
[ -e "$script" ] || script=/usr/share/debootstrap/scripts/sid
[ -x "$root/usr/bin/python3" ] ||
  debootstrap --arch="$architecture" --variant=minbase --include=python3,python3-venv,ca-certificates "$suite" "$root" \
    http://deb.debian.org/debian "$script"
clean=(/usr/bin/env -i PATH=/usr/bin:/bin LANG=C.UTF-8)
as_root() { chroot "$root" "${clean[@]}" "$@"; }
as_user() { chroot --userspec=1000:1000 "$root" "${clean[@]}" HOME=/home/user "$@"; }

version=$(as_root python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
rm -rf "$root/opt/wheels" "$root/opt/venv" "$root/opt/programs"
mkdir -p "$root/opt/wheels" "$root/opt/programs" "$root/home/user"
cp examples/seed_00[124]*.py "$root/opt/programs/"
cat >"$root/opt/programs/others.py" <<'PYTHON'
import ctypes, shutil, subprocess
plan, count = ctypes.c_int(), ctypes.c_uint()
for name in ("libcufft.so.12", "libcufft.so.11"):
    assert ctypes.CDLL(name).cufftPlan1d(ctypes.byref(plan), 30, 0x29, 1) == 0, name
nvml = ctypes.CDLL("libnvidia-ml.so.1")
assert nvml.nvmlInit_v2() == 0 and nvml.nvmlDeviceGetCount_v2(ctypes.byref(count)) == 0 and count.value == 1
for name in ("libcublas.so.13", "libcublas.so.12"):
    assert ctypes.CDLL(name).cublasGetVersion_v2(None, ctypes.byref(plan)) == 0, name
for name in ("libcublasLt.so.13", "libcublasLt.so.12"):
    assert ctypes.CDLL(name).cublasLtGetProperty(0, ctypes.byref(plan)) == 0, name
for name in ("libcusolver.so.12", "libcusolver.so.11"):
    assert ctypes.CDLL(name).cusolverGetVersion(ctypes.byref(plan)) == 0, name
assert ctypes.CDLL("libcurand.so.10").curandGetVersion(ctypes.byref(plan)) == 0
assert ctypes.CDLL("libcusparse.so.12").cusparseGetProperty(0, ctypes.byref(plan)) == 0
ptxas = shutil.which("ptxas")
print("libraries: loaded and called;", "ptxas:", ptxas and subprocess.check_output([ptxas, "--version"]).split()[-1].decode())
PYTHON
# README's first program.
awk '/^```python/ { inside = 1; next } /^```/ && inside { exit } inside' README.md >"$root/opt/programs/readme.py"
tag=cp${version/./}
[ "${version#3.}" -lt 12 ] || tag=cp312-abi3
if compgen -G "dist/pycuda_anywhere-*-$tag-*_$machine.whl" >/dev/null; then
  # This machine has the network, the root need not.
  .venv/bin/python -m pip download -q --disable-pip-version-check -d "$root/opt/wheels" --find-links dist \
    --only-binary :all: --python-version "$version" "${platforms[@]}" \
    'pycuda-anywhere[libraries]'
  package=pycuda-anywhere
else
  cp dist/pycuda_anywhere_cpu-*_"$machine".whl dist/pycuda_anywhere_libraries-*_"$machine".whl "$root/opt/wheels/"
  package=pycuda-anywhere-cpu
fi
as_root python3 -m venv /opt/venv
time as_root /opt/venv/bin/python -m pip install -q --no-index --find-links /opt/wheels "$package"
as_root /opt/venv/bin/python -m pip check
if [ "$package" = pycuda-anywhere ]; then
  time as_user /opt/venv/bin/python -m pycuda selftest
  for program in "$root"/opt/programs/{readme,seed_*}.py; do
    echo "$(basename "$program"):"
    time as_user /opt/venv/bin/python "/opt/programs/$(basename "$program")" >/dev/null
  done
else
  as_user /opt/venv/bin/python -c "import pycuda_anywhere_cpu as c; assert c.load().cuInit(0) == 0; print('cuInit: 0')"
fi
as_root /opt/venv/bin/python -m pip install -q --no-index --find-links /opt/wheels pycuda-anywhere-libraries
as_root /opt/venv/bin/python -m pip check
if [ "$package" = pycuda-anywhere ]; then
  as_user /opt/venv/bin/python -m pycuda run /opt/programs/others.py
else
  as_user LD_LIBRARY_PATH="$(as_root /opt/venv/bin/python -m pycuda_anywhere_cpu)" /opt/venv/bin/python /opt/programs/others.py
fi

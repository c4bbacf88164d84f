#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# pack_tests.sh ARCHIVE [BUILD]
# Packs what the Python tests, driver_conformance and ptx_run_tests need of build/release, stripped, into ARCHIVE
# (.tar.xz): unpacked in a checkout at the same commit, on a machine without LLVM or a compiler, the tests run there
# (tools/repeat_side_by_side.sh). BUILD is a build of the extension for that machine's Python, configured with
# -DPYCUDA_CPU_DRIVER=OFF -DPython_EXECUTABLE=...: its _driver*.so takes the place of this one's.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
[ $# = 1 ] || [ $# = 2 ] || { sed -n '3,7s/^# //p' "${BASH_SOURCE[0]}" >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
packed=$work/build/release
mkdir -p "$packed"

tar cf - --exclude=__pycache__ -C build/release python lib | tar xf - -C "$packed"
if [ $# = 2 ]; then
  rm "$packed"/python/pycuda/_driver.*.so
  cp "$2"/python/pycuda/_driver.*.so "$packed/python/pycuda/"
fi
mkdir -p "$packed/src/cpu/api" "$packed/src/cpu/tools" "$packed/tests/driver" "$packed/tests/ptx"
cp build/release/src/cpu/api/libcuda_cpu.so "$packed/src/cpu/api/"
cp build/release/src/cpu/tools/ptx-dump "$packed/src/cpu/tools/"
cp build/release/tests/driver/driver_conformance "$packed/tests/driver/"
cp build/release/tests/ptx/ptx_run_tests "$packed/tests/ptx/"
cp -r build/release/tests/ptx/generated "$packed/tests/ptx/"
cp build/release/CMakeCache.txt "$packed/"
find "$packed" -type f -perm -u+x -exec sh -c 'file -b "$1" | grep -q ^ELF && strip --strip-unneeded "$1"' _ {} \;
# Links into the checkout lead there wherever it is.
find "$packed" -type l | while read -r link; do
  target=$(readlink "$link")
  case $target in
    "$PWD"/*) ln -sfn "$(realpath -sm --relative-to="$(dirname "${link#"$work"}")" "${target#"$PWD"}")" "$link" ;;
  esac
done
missing=$(comm -23 <(cd build/release/python && find -L pycuda -type f -not -name '*.pyc' -not -name '_driver.*.so' | sort) \
  <(cd "$packed/python" && find pycuda -not -type d | sort))
[ -z "$missing" ] || { printf 'pack_tests.sh: these files are not packed: %s\n' "$missing" >&2; exit 1; }
tar cf - -C "$work" build | xz -T0 -6 >"$1"
ls -la "$1"

#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# All tests on NVIDIA's driver, on a machine that may have no network and no LLVM. Results go to the folder $1 (build/gpu/results).
# PYTHON chooses the Python, DOCTEST_INCLUDE the folder that holds doctest/doctest.h, PYCUDA_TEST_CUDADEVRT the toolkit's
# libcudadevrt.a (that of nvcc): without it the tests of kernels that launch kernels or graphs are left out.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
PYTHON=$(command -v "${PYTHON:-python3}")
BUILD=build/gpu
if [ -z "${PYCUDA_TEST_CUDADEVRT:-}" ] && command -v nvcc >/dev/null; then
  archive=$(dirname "$(dirname "$(realpath "$(command -v nvcc)")")")/lib64/libcudadevrt.a
  [ ! -f "$archive" ] || export PYCUDA_TEST_CUDADEVRT=$archive
fi
RESULTS=$(realpath -m "${1:-$BUILD/results}")
mkdir -p "$RESULTS"
failed=0
step() {
  local name=$1
  shift
  echo "==> $name"
  "$@" >"$RESULTS/$name.txt" 2>&1
  local status=$?
  tail -n "${TAIL:-12}" "$RESULTS/$name.txt"
  [ $status = 0 ] || { echo "==> $name FAILED ($status)"; failed=1; }
}

# In a process for each file, since NVIDIA's driver crashes on some wrong arguments.
conformance() {
  local file status=0
  for file in tests/driver/*_test.cpp; do
    $BUILD/tests/driver/driver_conformance --library libcuda.so.1 --source-file="*/${file##*/}" -m ||
      { status=1; echo "FAILED: ${file##*/}"; }
  done
  return $status
}

TAIL=3 step configure cmake -S . -B $BUILD -G Ninja -DCMAKE_BUILD_TYPE=Release -DPYCUDA_CPU_DRIVER=OFF -DPYCUDA_TESTS=ON \
  -DPYCUDA_TOOLS=OFF -DPython_EXECUTABLE="$PYTHON" ${DOCTEST_INCLUDE:+-DDOCTEST_INCLUDE="$DOCTEST_INCLUDE"}
TAIL=3 step build cmake --build $BUILD
step unit ctest --test-dir $BUILD --output-on-failure
step driver conformance
step ptx $BUILD/tests/ptx/ptx_run_tests libcuda.so.1 --golden tests/ptx/golden tests/ptx/run $BUILD/tests/ptx/generated/*/
export PYTHONPATH=$PWD/$BUILD/python${PYTHONPATH:+:$PYTHONPATH}
export PYCUDA_DRIVER=nvidia
step diagnosis "$PYTHON" -m pycuda
TAIL=40 step python "$PYTHON" -m pytest tests/python -q -p no:cacheprovider
TAIL=20 step launch "$PYTHON" benchmarks/bench_launch.py
TAIL=12 step compile "$PYTHON" benchmarks/bench_compile.py
TAIL=20 step demo "$PYTHON" examples/run_all.py
exit $failed

#!/bin/sh
# SPDX-License-Identifier: MIT
# compile_and_run.sh NVCC PROGRAM static|shared LIBRARY_FOLDER DRIVER_FOLDER OUTPUT (an empty folder: the system's driver)
# The program must end with status 0, print PASSED, and log nothing unless a line "// log: REASON" says why it does. Its
# own options stand in a line "// nvcc: OPTIONS".
set -e
nvcc=$1 program=$2 kind=$3 library=$4 driver=$5 output=$6
options=$(sed -n 's,^// nvcc: ,,p' "$program")
# shellcheck disable=SC2086
"$nvcc" -O1 -std=c++17 $options -cudart "$kind" -L"$library" -o "$output" "$program"
status=0
LD_LIBRARY_PATH=$library${driver:+:$driver} "$output" >"$output.txt" 2>&1 || status=$?
cat "$output.txt"
if [ "$status" -ne 0 ]; then
  echo "$program ended with status $status"
  exit 1
fi
if grep -q '^pycuda: ' "$output.txt" && ! grep -q '^// log: ' "$program"; then
  echo "$program logged something"
  exit 1
fi
grep -q PASSED "$output.txt"

#!/bin/sh
# SPDX-License-Identifier: MIT
# compile_and_run.sh NVCC PROGRAM static|shared LIBRARY_FOLDER DRIVER_FOLDER OUTPUT
# A program's own options stand in a line "// nvcc: OPTIONS".
set -e
nvcc=$1 program=$2 kind=$3 library=$4 driver=$5 output=$6
options=$(sed -n 's,^// nvcc: ,,p' "$program")
# shellcheck disable=SC2086
"$nvcc" -O1 -std=c++17 $options -cudart "$kind" -L"$library" -o "$output" "$program"
LD_LIBRARY_PATH=$library:$driver PYCUDA_DRIVER=cpu exec "$output"

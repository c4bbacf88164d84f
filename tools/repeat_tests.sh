#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# repeat_tests.sh [-n RUNS] [-b BUSY] [-i ISA] [-j JOBS] [-c PATTERN | -C] [PYTEST-ARGUMENTS]
# Runs the C++ tests and the Python tests RUNS times (10), the second half with BUSY (2) endless loops beside them, and
# prints how often each test failed. ISA sets PYCUDA_CPU_ISA, JOBS the processes of pytest (1), PATTERN the C++ tests of
# ctest (-C: none); pytest's arguments choose Python tests (tests/python). What the runs print goes to build/repeated.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
runs=10 busy=2 jobs=1 pattern=. cpp=1
while getopts n:b:i:j:c:C option; do
  case $option in
    n) runs=$OPTARG ;;
    b) busy=$OPTARG ;;
    i) export PYCUDA_CPU_ISA=$OPTARG ;;
    j) jobs=$OPTARG ;;
    c) pattern=$OPTARG ;;
    C) cpp=0 ;;
    *) sed -n '3,6s/^# //p' "${BASH_SOURCE[0]}" >&2; exit 2 ;;
  esac
done
shift $((OPTIND - 1))
[ $# != 0 ] || set -- tests/python
build=${BUILD:-build/release}
out=build/repeated
rm -rf "$out"
mkdir -p "$out"
export PYTHONPATH=$PWD/$build/python${PYTHONPATH:+:$PYTHONPATH}

loops=()
stop_loops() {
  [ ${#loops[@]} = 0 ] || kill "${loops[@]}" 2>/dev/null
  loops=()
}
trap stop_loops EXIT

several=()
[ "$jobs" = 1 ] || several=(-n "$jobs" --dist worksteal)
for run in $(seq "$runs"); do
  if [ "$run" -gt $((runs - runs / 2)) ] && [ ${#loops[@]} = 0 ]; then
    for _ in $(seq "$busy"); do
      while :; do :; done &
      loops+=($!)
    done
  fi
  began=$SECONDS
  if [ $cpp = 1 ]; then
    ctest --test-dir "$build" -R "$pattern" --output-on-failure --no-tests=error >"$out/cpp-$run.txt" 2>&1
    echo "status $?" >>"$out/cpp-$run.txt"
  fi
  .venv/bin/python -m pytest -q -rfE -p no:cacheprovider "${several[@]}" "$@" >"$out/python-$run.txt" 2>&1
  echo "status $?" >>"$out/python-$run.txt"
  echo "run $run of $runs, ${#loops[@]} busy loops, $((SECONDS - began)) s: $(tail -qn 1 "$out"/*-"$run".txt | tr '\n' ' ')" >&2
done

echo "failures in $runs runs:"
failures=$(sed -nE -e 's/^(FAILED|ERROR) ([^ ]+\.py[^ ]*).*/\2/p' \
  -e 's/^[[:space:]]+[0-9]+ - (.*) \((Failed|Timeout|SEGFAULT|Subprocess aborted|.*Exception.*)\).*/\1/p' "$out"/*.txt |
  sort | uniq -c | sort -rn)
printf '%s\n' "${failures:-  none}"
# A run that ended without a list, by a crash, counts too.
! grep -Lx 'status 0' "$out"/*.txt | grep .

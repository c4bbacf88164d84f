#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# repeat_side_by_side.sh RESULTS [-j JOBS] [-t SECONDS] RUN...
# Runs the Python tests several times at once on the CPU driver, with caches of their own, and writes each run's output
# to RESULTS. RUN is a name with words after commas: busy (two endless loops beside the run), avx2 (PYCUDA_CPU_ISA),
# cores=N (as on a machine of N cores, which no other run with cores= has, and in N processes), as in
# `first second,busy third,avx2 fourth,busy,avx2,cores=3`. JOBS are the processes of a run (4). A run that takes longer
# than SECONDS (3000) is interrupted, which lists its failures so far. Where NVIDIA's driver is installed, its folder
# (NVIDIA_FOLDER, /usr/local/nvidia) is hidden from the runs, which needs root; PYTHON chooses the Python.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
[ $# -ge 2 ] || { sed -n '3,9s/^# //p' "${BASH_SOURCE[0]}" >&2; exit 2; }
python=${PYTHON:-python3}
results=$(realpath -m "$1")
shift
jobs=4 limit=3000
while getopts j:t: option; do
  case $option in
    j) jobs=$OPTARG ;;
    t) limit=$OPTARG ;;
    *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))
mkdir -p "$results"
rm -f "$results"/*.txt "$results"/*.status
export PYTHONPATH=$PWD/build/release/python${PYTHONPATH:+:$PYTHONPATH}

# one_run RUN PROCESSES: in a mount namespace of its own where there is a driver to hide.
one_run() {
  local name=${1%%,*} loops=() jobs=$2
  local folder=${NVIDIA_FOLDER:-/usr/local/nvidia}
  [ -z "${hide:-}" ] || mount -t tmpfs none "$folder" || exit
  export HOME=$results/home-$name TMPDIR=$results/tmp-$name
  mkdir -p "$HOME" "$TMPDIR"
  case $1, in *,avx2,*) export PYCUDA_CPU_ISA=avx2 ;; esac
  case $1, in *,busy,*) for _ in 1 2; do
    while :; do :; done &
    loops+=($!)
  done ;; esac
  local began=$SECONDS
  timeout -s INT -k 60 "$limit" "$python" -m pytest tests/python -v -n "$jobs" --dist worksteal -p no:cacheprovider -rfE \
    --tb=short --durations=100 --durations-min=2 >"$results/$name.txt" 2>&1
  echo "$? after $((SECONDS - began)) s" >"$results/$name.status"
  [ ${#loops[@]} = 0 ] || kill "${loops[@]}"
  rm -rf "$HOME" "$TMPDIR"
}

export -f one_run
export results python limit
hide=
apart=()
if "$python" -c 'import ctypes; ctypes.CDLL("libcuda.so.1")' 2>/dev/null; then
  hide=1 apart=(unshare -m --propagation private)
fi
export hide
next_core=0
for run in "$@"; do
  pinned=() count=$jobs
  if [[ ,$run, =~ ,cores=([0-9]+), ]]; then
    count=${BASH_REMATCH[1]}
    pinned=(taskset -c "$next_core-$((next_core + count - 1))")
    next_core=$((next_core + count))
  fi
  "${pinned[@]}" "${apart[@]}" bash -c 'one_run "$@"' _ "$run" "$count" &
done
wait
failed=0
for run in "$@"; do
  name=${run%%,*}
  echo "$run: status $(cat "$results/$name.status"): $(tail -n 1 "$results/$name.txt")"
  grep -aE '^(FAILED|ERROR) ' "$results/$name.txt" && failed=1
  grep -q '^0 ' "$results/$name.status" || failed=1
done
exit $failed

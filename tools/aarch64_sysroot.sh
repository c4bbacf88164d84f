#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# aarch64_sysroot.sh [FOLDER]
# Unpacks Debian's arm64 packages of what the CPU driver, the Python extension and the C++ tests are built with into
# FOLDER (build/aarch64-sysroot), as cmake/aarch64-linux.cmake wants them. Needs apt-get and dpkg; changes nothing of the system.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
folder=${1:-$root/build/aarch64-sysroot}
packages=(llvm-19-dev llvm-19 llvm-19-tools llvm-19-linker-tools libllvm19 liblz4-dev liblz4-1 libzstd-dev libzstd1
  zlib1g-dev zlib1g libxml2-dev libxml2 libffi-dev libffi8 libtinfo6 libz3-dev libz3-4 libpfm4 libedit2
  libpython3.11-dev libpython3.11-minimal doctest-dev)
mkdir -p "$folder/.apt/lists/partial" "$folder/.apt/archives/partial" "$folder/.apt/debs"
folder=$(cd "$folder" && pwd)

# With lists and archives of its own: the system's know its own architecture alone.
apt_arm64() {
  apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Dir::State::Lists="$folder/.apt/lists" \
    -o Dir::Cache::Archives="$folder/.apt/archives" -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= \
    -o APT::Sandbox::User="$(id -un)" "$@"
}

apt_arm64 update
cd "$folder/.apt/debs"
apt_arm64 download "${packages[@]}"
for package in *.deb; do dpkg -x "$package" "$folder"; done
# LLVM's description of itself names what it depends on by the places that it has on such a machine.
sed -i "s|/usr/lib/aarch64-linux-gnu/|$folder&|g" "$folder"/usr/lib/llvm-19/lib/cmake/llvm/*.cmake
rm -rf "$folder/.apt"
printf '%s\n' "$folder"

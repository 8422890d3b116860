#!/bin/sh
# test_aarch64.sh SOURCE BUILD: libstatepath and the law of strategies, cross-compiled for aarch64 and emulated. Exit status 77 = skipped.
set -eu
for tool in aarch64-linux-gnu-gcc qemu-aarch64 ninja; do
  if ! command -v "$tool" >/dev/null; then
    echo "skipped: needs $tool (Debian: gcc-aarch64-linux-gnu, libc6-dev-arm64-cross, qemu-user, ninja-build)"
    exit 77
  fi
done
if ! { cmake -S "$1" -B "$2" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$1/tests/kernels/aarch64.cmake" -DCMAKE_BUILD_TYPE=Release \
  -DSTATEPATH_CORE_ONLY=ON -DSTATEPATH_WERROR=ON && cmake --build "$2"; } >"$2.log" 2>&1; then
  cat "$2.log"
  exit 1
fi
exec qemu-aarch64 "$2/tests/kernels/strategy_law" 13000 25

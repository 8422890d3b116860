#!/bin/sh
# test_emulated.sh PROGRAM: the law of strategies as processors without AVX-512 and without AVX2 run it. STATEPATH_ISA is not set, so the
# library must find out by itself what it may use. Exit status 77 = skipped.
set -eu
unset STATEPATH_ISA
if ! command -v qemu-x86_64 >/dev/null; then
  echo "skipped: needs qemu-x86_64 (Debian: qemu-user)"
  exit 77
fi
if [ "$(uname -m)" != x86_64 ]; then
  echo "skipped: only programs for x86-64 have other instruction sets"
  exit 77
fi

# What the emulated processor CPU must be taken for, and where its cases begin.
emulate() {
  said=$(qemu-x86_64 -cpu "$1" "$program" "$3" 25 2>&1) || { echo "$said"; exit 1; }
  echo "$1: $(echo "$said" | tail -n 1)"
  case "$said" in
  *"instruction set $2:"*) ;;
  *)
    echo "$1 was not taken for a processor of $2"
    exit 1
    ;;
  esac
}
program=$1
emulate Haswell avx2 12000
emulate Nehalem base 12500

#!/bin/sh
# GNU parallel, on this machine or (with --sshlogin) on others that see the same folder (parallel.sh SHARDS).
set -e
mkdir -p parts
n=${1:-4}
seq "$n" | parallel --halt soon,fail=1 \
  "statepath compare nights/*.h5 --model sleep-aasm --threads 1 --shard {}/$n --part 'parts/P-%i-of-%n.h5'"
statepath merge parts/P-*.h5 --report nights.html --json nights.json --force

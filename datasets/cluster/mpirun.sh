#!/bin/sh
# Any MPI that starts programs (mpirun.sh RANKS): each takes the share that its rank says. statepath itself needs no MPI.
set -e
mkdir -p parts
mpirun -n "${1:-4}" $MPIRUN_OPTIONS statepath compare nights/*.h5 --model sleep-aasm --threads 1 --shard auto --part 'parts/P-%i-of-%n.h5'
statepath merge parts/P-*.h5 --report nights.html --json nights.json --force

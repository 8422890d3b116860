#!/bin/sh
# Open MPI (ranks.sh RANKS): each rank counts its share, rank 0 gets the parts, puts them together and writes the results.
exec mpirun -n "${1:-4}" $MPIRUN_OPTIONS statepath-mpi compare nights/*.h5 --model sleep-aasm --threads 1 --parts parts \
  --report nights.html --json nights.json --force

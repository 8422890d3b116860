#!/bin/sh
# Slurm: the array, and the merge once all of its tasks have succeeded.
set -e
here=$(dirname "$0")
array=$(sbatch --parsable "$here/array.sbatch")
sbatch --kill-on-invalid-dep=yes --dependency="afterok:$array" "$here/merge.sbatch"

#!/bin/sh
# Slurm, in one job (sbatch -n 16 srun.sh, or in an salloc): each task takes the share that SLURM_PROCID says.
set -e
mkdir -p parts
srun statepath compare nights/*.h5 --model sleep-aasm --threads 1 --shard auto --part 'parts/P-%i-of-%n.h5'
statepath merge parts/P-*.h5 --report nights.html --json nights.json --force

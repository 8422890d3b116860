#!/bin/sh
# slurm.sh FOLDER COMMAND...: runs the command, in FOLDER, in a Slurm cluster of this one machine, and waits until its queue is empty. The cluster
# lives in namespaces of its own (processes, network, mounts), so nothing of it is left, and nothing of another is touched. Needs root.
set -e
if [ -z "$SLURM_CLUSTER_INSIDE" ]; then
  exec env SLURM_CLUSTER_INSIDE=1 unshare --pid --fork --net --mount --mount-proc --kill-child sh "$0" "$@"
fi
folder=$1
shift
work=$(mktemp -d /tmp/slurm-XXXXXX)
trap 'rm -rf "$work"' EXIT
host=$(hostname -s)
ip link set lo up
ip address add 10.99.0.1/32 dev lo # a node is not reached by the address of its controller's loopback
mkdir "$work/state" "$work/spool"
head -c 1024 /dev/urandom >"$work/munge.key"
chmod 700 "$work"
chmod 600 "$work/munge.key"
munged --force --key-file="$work/munge.key" --socket="$work/munge.socket" --pid-file="$work/munge.pid" --log-file="$work/munge.log" \
  --seed-file="$work/munge.seed" >"$work/munged.out" 2>&1
cat >"$work/slurm.conf" <<END
ClusterName=one
SlurmctldHost=$host(10.99.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$work/munge.socket
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SlurmdParameters=config_overrides
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1,batch_sched_delay=0
ReturnToService=2
NodeName=$host NodeAddr=10.99.0.1 CPUs=8 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
export SLURM_CONF="$work/slurm.conf"
slurmctld
slurmd
for try in $(seq 60); do
  sinfo -h -o %T 2>/dev/null | grep -q idle && break
  sleep 1
done
cd "$folder"
"$@" || { cat "$work"/*.log >&2; exit 1; }
while [ -n "$(squeue -h 2>/dev/null)" ]; do
  sleep 1
done

#!/bin/sh
# What JupyterHub starts for a student, as that student.
set -eu
chmod 700 "$HOME"
umask 077
. "$(dirname "$0")/chapters.sh"

# Memory bounds each process by itself; processes (and threads) are counted for the user as a whole.
# Kernels speak through files that only this user may open: a port would be open to everybody.
exec prlimit --as="$MEMORY_BYTES" --nproc="$PROCESSES" --core=0 \
    jupyterhub-singleuser --KernelManager.transport=ipc "$@"

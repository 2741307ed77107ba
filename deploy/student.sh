#!/bin/sh
# What JupyterHub starts for a student, as that student.
set -eu
chmod 700 "$HOME"
umask 077

# An own copy of the chapters. What the student has changed stays; a new chapter arrives.
mkdir -p "$HOME/d2lattn"
for chapter in "$BOOK"/*.ipynb; do
    copy="$HOME/d2lattn/$(basename "$chapter")"
    [ -e "$copy" ] && continue
    cp "$chapter" "$copy"
    jupyter trust "$copy" >/dev/null # its live figures move
done

# Memory bounds each process by itself; processes (and threads) are counted for the user as a whole.
# Kernels speak through files that only this user may open: a port would be open to everybody.
exec prlimit --as="$((MEMORY_GIB * 1024 * 1024 * 1024))" --nproc="$PROCESSES" --core=0 \
    jupyterhub-singleuser --KernelManager.transport=ipc "$@"

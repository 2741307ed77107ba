"""A limit for all processes of a student together: Linux's control groups, made by the hub."""

import os
from pathlib import Path

from jupyterhub.spawner import LocalProcessSpawner

ROOT = Path("/sys/fs/cgroup")


def limited(name, most):
    """The control group of a student, which holds at most so many bytes of memory and no swap."""
    unified = (ROOT / "cgroup.controllers").exists()  # version 2, as since about 2021
    group = ROOT / ("d2lattn" if unified else "memory/d2lattn") / name
    group.mkdir(parents=True, exist_ok=True)
    if unified:
        for above in (ROOT, group.parent):
            (above / "cgroup.subtree_control").write_text("+memory", encoding="utf-8")
        (group / "memory.max").write_text(str(most), encoding="utf-8")
        (group / "memory.swap.max").write_text("0", encoding="utf-8")
    else:
        (group / "memory.limit_in_bytes").write_text(str(most), encoding="utf-8")
        (group / "memory.swappiness").write_text("0", encoding="utf-8")
    return group


def together(gib):
    """A spawner of system users whose processes share `gib` GiB: who takes more loses a kernel."""

    class Together(LocalProcessSpawner):
        def make_preexec_fn(self, name):
            become, group = super().make_preexec_fn(name), limited(name, round(gib * 2**30))

            def enter():
                (group / "cgroup.procs").write_text(str(os.getpid()), encoding="utf-8")
                become()

            return enter

    return Together

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
            (above / "cgroup.subtree_control").write_text("+memory")
        (group / "memory.max").write_text(str(most))
        (group / "memory.swap.max").write_text("0")
    else:
        (group / "memory.limit_in_bytes").write_text(str(most))
    return group


def together(gib):
    """A spawner of system users whose processes share `gib` GiB: who takes more loses a kernel."""

    class Together(LocalProcessSpawner):
        def make_preexec_fn(self, name):
            become, group = super().make_preexec_fn(name), limited(name, round(gib * 2**30))

            def enter():
                (group / "cgroup.procs").write_text(str(os.getpid()))
                become()

            return enter

    return Together

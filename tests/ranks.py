"""Start some processes, let each do the same work, and gather what they say."""

import datetime
import functools
import multiprocessing
import os
import queue
import tempfile
import time
import traceback

import pytest
import torch
import torch.distributed as dist

PATIENCE = 120  # seconds until a run of ranks is given up
GRACE = 2


def ranks_or_skip():
    """Skip, with the reason, where no group of processes can be had."""
    if reason := _why_not():
        pytest.skip(reason)


@functools.cache
def _why_not():
    if not dist.is_available() or not dist.is_gloo_available():
        return "this torch has no gloo to start ranks with"
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return "this system has no forkserver to start ranks with"
    try:
        with tempfile.TemporaryDirectory() as folder:
            start = dict(init_method=f"file://{folder}/one", rank=0, world_size=1)
            dist.init_process_group("gloo", **start)
            dist.destroy_process_group()
    except (RuntimeError, OSError) as error:
        return f"gloo does not start here, as without a loopback network: {error}"
    return None


def on_ranks(size, work, *arguments, timeout=60.0):
    """Run work(rank, size, *arguments) in `size` processes that share a group.

    Returns:
        For each rank what it returned, the exception it ended with, or None if it said nothing;
        and the seconds from the start of the first to the end of the last. Once one has failed, the
        others have GRACE·timeout seconds, as a launcher would have it. No process is left.
    """
    ranks_or_skip()
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["d2lattn", "torch._dynamo"])
    said, answers, met = context.Queue(), [None] * size, context.Barrier(size)
    with tempfile.TemporaryDirectory() as folder:
        given = work, arguments, size, f"file://{folder}/store", timeout, met, said
        workers = [context.Process(target=_begin, args=(rank, *given)) for rank in range(size)]
        begin = time.perf_counter()
        for worker in workers:
            worker.start()
        try:
            _listen(workers, said, answers, begin + PATIENCE, GRACE * timeout)
        finally:
            for worker in workers:
                if worker.is_alive():
                    worker.kill()
                worker.join()
    return answers, time.perf_counter() - begin


def _listen(workers, said, answers, end, grace):
    """Until all have said something or died, or time is up."""
    waiting = set(range(len(workers)))
    while waiting and time.perf_counter() < end:
        try:
            rank, answer = said.get(timeout=0.1)
            answers[rank] = answer
            waiting.discard(rank)
            if isinstance(answer, Exception):
                end = min(end, time.perf_counter() + grace)
        except queue.Empty:
            waiting = {rank for rank in waiting if workers[rank].is_alive() or not said.empty()}


def _begin(rank, work, arguments, size, store, timeout, met, said):
    torch.set_num_threads(1)
    try:
        wait = datetime.timedelta(seconds=timeout)
        group = dict(init_method=store, rank=rank, world_size=size, timeout=wait)
        met.wait(PATIENCE)  # the group's timeout is for its work, not for the start of a process
        dist.init_process_group("gloo", **group)
        met.wait(PATIENCE)  # else a rank that dies at once takes the others' connections with it
        answer = work(rank, size, *arguments)
    except Exception as error:
        answer = error
        if os.environ.get("RANKS_SAY"):
            traceback.print_exc()
    said.put((rank, answer))
    said.close()
    said.join_thread()
    os._exit(0)  # without the farewells of a group that may be broken

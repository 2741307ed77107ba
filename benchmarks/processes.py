"""Runs whose results matter and whose time does not, one process on each core."""

import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor

import torch


def spread(function, arguments):
    """What the function returns for each tuple of arguments, in order."""
    context = multiprocessing.get_context("spawn")  # a fork would inherit torch's threads
    one = dict(initializer=torch.set_num_threads, initargs=(1,))
    with ProcessPoolExecutor(os.cpu_count(), mp_context=context, **one) as pool:
        return list(pool.map(function, *zip(*arguments, strict=True)))

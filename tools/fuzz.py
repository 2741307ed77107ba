"""Look for numbers that break the package: `make fuzz`, or `make fuzz SEED=5` to repeat a search.

`make test` draws the same numbers in every run. Here the package's tests draw others, and those of
hypothesis ten times as many; what the seed is decides them all.
"""

import random
import subprocess
import sys

import package_tests


def options(seed):
    """What pytest is told, so that all random numbers follow from the seed."""
    return ["--seed", seed, "--hypothesis-profile", "fuzz", "--hypothesis-seed", seed]


if __name__ == "__main__":
    seed = sys.argv[1] if sys.argv[1:] else str(random.randrange(1, 10**6))
    print(f"the seed is {seed}", flush=True)
    command = [*package_tests.PYTEST, *options(seed), *package_tests.files()]
    failed = subprocess.run(command, cwd=package_tests.ROOT, check=False).returncode
    if failed:
        print(
            f"\nto repeat all of it: make fuzz SEED={seed}\n"
            f"to repeat one test: {sys.executable} -m pytest {' '.join(options(seed))} FILE::TEST"
        )
    sys.exit(failed)

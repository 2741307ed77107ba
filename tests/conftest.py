"""What hypothesis draws: the same examples in every run, or with `make fuzz` random ones."""

import draws

try:  # the environments of Colab and of the class server test without it
    from hypothesis import HealthCheck, settings
except ImportError:
    settings = None


def pytest_configure(config):
    draws.SEED = config.getoption("seed")


if settings:
    # Nothing may depend on how busy the machine is, nor on what an earlier run left on the disk.
    anywhere = dict(database=None, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.register_profile("fixed", derandomize=True, max_examples=40, **anywhere)
    settings.register_profile("fuzz", derandomize=False, max_examples=400, **anywhere)
    settings.load_profile("fixed")

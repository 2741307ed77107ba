"""What hypothesis draws: the same examples in every run."""

try:  # the environments of Colab and of the class server test without it
    from hypothesis import HealthCheck, settings
except ImportError:
    settings = None

if settings:
    # Nothing may depend on how busy the machine is, nor on what an earlier run left on the disk.
    slow = [HealthCheck.too_slow]
    settings.register_profile(
        "fixed",
        derandomize=True,
        max_examples=40,
        database=None,
        deadline=None,
        suppress_health_check=slow,
    )
    settings.load_profile("fixed")

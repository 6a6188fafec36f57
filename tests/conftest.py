"""Shared test set-up: hypothesis profiles."""

import signal

from hypothesis import HealthCheck, settings

# A shell that starts the tests in the background has them ignore Ctrl-C; some are about just that.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Derandomised: the same examples on every machine, so that a failure can be repeated by anyone.
settings.register_profile(
    "ci",
    derandomize=True,
    deadline=None,
    max_examples=100,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
# make fuzz: other examples every time, and many more.
settings.register_profile(
    "fuzz",
    derandomize=False,
    deadline=None,
    max_examples=5000,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("ci")

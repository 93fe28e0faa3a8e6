"""Fixtures every package's tests may use."""

from hypothesis import HealthCheck, settings

from postgres import postgres_server, postgres_url

# The same examples in every run, however long the machine takes over one: what failed once fails again.
settings.register_profile("steady", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("steady")

__all__ = ["postgres_server", "postgres_url"]

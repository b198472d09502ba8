"""How many examples a test tries: few in an ordinary run, `ATTNSOLVE_EXAMPLES=5000` of each for a long one."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings


def tries(ordinarily: int) -> settings:
    examples = int(os.environ.get("ATTNSOLVE_EXAMPLES", ordinarily))
    return settings(max_examples=examples, deadline=None, suppress_health_check=[*HealthCheck], database=None)

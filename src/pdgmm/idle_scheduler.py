"""Keep Snakemake's scheduler idle while it waits.

Snakemake limits how many jobs it starts per second. Whenever it has looked for jobs to start, it sets a timer to
look again after that second; the end of every job is one more reason to look. So each finished job adds a timer that
rings as long as jobs are waiting, and after some hundred jobs Snakemake does little else than look. Only where the
limit held jobs back is there a reason to look again before one ends.
"""

from typing import Any

TIMER = "_schedule_reevalutation"
"""The scheduler's method that sets the timer, as Snakemake spells it."""


def set_timers_only_at_the_limit(scheduler: Any) -> bool:
    """Have Snakemake's job scheduler set no timer while it may start jobs; False where there is nothing to change."""
    limiter, set_timer = getattr(scheduler, "job_rate_limiter", None), getattr(scheduler, TIMER, None)
    if limiter is None or set_timer is None:
        return False

    def set_timer_at_the_limit(delay: float) -> None:
        # With another delay it waits for something else than the limit. `get_free_jobs` would forget jobs older than
        # that: starting many may take longer, and the rest would wait for one to end.
        if delay != limiter.timespan or len(limiter._jobs) >= limiter.max_jobs:
            set_timer(delay)

    setattr(scheduler, TIMER, set_timer_at_the_limit)
    return True

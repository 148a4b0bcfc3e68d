"""Keep Snakemake's scheduler idle while it waits.

Snakemake limits how many jobs it starts per second. Whenever it has looked for jobs to start, it sets a timer to look
again after that second; the end of every job is one more reason to look. So each finished job adds a timer that rings
as long as jobs are waiting, and after some hundred jobs Snakemake does little else than look. Without the limit it sets
no timer. The limit (100 jobs a second) is far above what a study starts anyway.
"""

from typing import Any

DEFAULT_LIMIT = (100, 1)
"""Jobs and seconds: what Snakemake assumes where the user asks for nothing."""


def drop_default_job_rate(scheduler: Any) -> bool:
    """Remove the limit from Snakemake's job scheduler unless the user chose it; say whether it did."""
    limit = getattr(scheduler, "job_rate_limiter", None)
    if limit is None or (limit.max_jobs, limit.timespan) != DEFAULT_LIMIT:
        return False
    scheduler.job_rate_limiter = None
    return True

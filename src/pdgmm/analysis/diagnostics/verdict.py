"""The four answers a check can give."""

from typing import Literal

Verdict = Literal["holds", "doubtful", "violated", "unknown"]
"""``unknown`` where something could not be checked; the sentence beside it says why."""

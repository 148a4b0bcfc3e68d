"""The kinds of failure a user meets."""


class UserError(ValueError):
    """Something the user can mend: one clear message that names the value, the file and the fix."""


class TooFewDirections(UserError):
    """Observations that vary in fewer directions than latents are asked for.

    Who fits them by hand can mend that; in a study they are what its dataset gives, and the fit a failed one.
    """


class FitFailed(Exception):
    """A fit that ended without a usable model; recorded as a result, never a failed workflow.

    ``status`` is the word that stands in the tables (``diverged``, ``failed``); ``reason`` says why.
    """

    def __init__(self, status: str, reason: str) -> None:
        super().__init__(f"{status}: {reason}")
        self.status = status
        self.reason = reason

"""The kinds of errors that users see."""


class UserError(ValueError):
    """An error that the user can fix: one clear message that names the value, the file and the fix."""


class TooFewDirections(UserError):
    """The observations vary in fewer directions than the number of latents that was asked for.

    Someone who calls the estimator can fix that. In a study it is a property of the dataset, so the fit counts as
    failed.
    """


class FitFailed(Exception):
    """A fit ended without a usable model. It is recorded as a result and does not stop the workflow.

    ``status`` is the word that tables show (``diverged``, ``failed``); ``reason`` says why.
    """

    def __init__(self, status: str, reason: str) -> None:
        super().__init__(f"{status}: {reason}")
        self.status = status
        self.reason = reason

"""One line of progress in the place of Snakemake's log: ``snakemake --cores 2 --logger pdgmm``.

The line is renewed in a terminal; elsewhere (a file, CI) one is written every half minute. Warnings and errors are
written as Snakemake writes them. The whole log is in ``.snakemake/log``. Snakemake finds the plugin by this name.
"""

import shutil
import sys
import time
from logging import WARNING, LogRecord

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

from pdgmm.workflow_support.run_progress import Progress, step_words

EVERY = 30.0
"""Seconds between lines where there is no terminal."""


class LogHandler(LogHandlerBase):
    """What Snakemake calls with every record of its log."""

    def __post_init__(self) -> None:
        self._progress = Progress()
        self._stream = sys.stdout if self.common_settings.stdout else sys.stderr
        self._terminal = self._stream.isatty()
        self._shown = ""
        self._written = time.monotonic()

    writes_to_stream = True
    writes_to_file = False
    has_filter = False
    has_formatter = False
    needs_rulegraph = False

    def emit(self, record: LogRecord) -> None:
        """Take in what happened, then show where the run is."""
        event = getattr(record, "event", None)
        if event == LogEvent.RUN_INFO:
            self._progress.plan(record.stats)
        elif event == LogEvent.JOB_INFO:
            words = step_words(record.rule_name, dict(record.wildcards or {}))
            self._progress.start(record.jobid, record.rule_name, words)
        elif event == LogEvent.JOB_FINISHED:
            self._progress.finish(record.job_id)
        elif event == LogEvent.JOB_ERROR:
            self._progress.fail(record.jobid)
        if record.levelno >= WARNING or self.common_settings.dryrun:
            if message := self.format(record):
                self._say(message)
        elif event in (LogEvent.JOB_INFO, LogEvent.JOB_FINISHED):
            self._show(last=self._progress.done == self._progress.total)

    def _say(self, message: str) -> None:
        if self._shown:
            self._stream.write("\r\x1b[K")
            self._shown = ""
        self._stream.write(message.rstrip("\n") + "\n")
        self._stream.flush()

    def _show(self, last: bool) -> None:
        line = self._progress.line()
        if not self._terminal:
            if last or time.monotonic() - self._written >= EVERY:
                self._written = time.monotonic()
                self._say(line)
            return
        self._shown = line[: shutil.get_terminal_size().columns - 1]
        self._stream.write(f"\r\x1b[K{self._shown}" + ("\n" if last else ""))
        self._stream.flush()
        if last:
            self._shown = ""

"""A process that reads damaged files for a test: it may crash, or not end, without harm to the tests."""

import concurrent.futures
import multiprocessing
import sys
import traceback
from concurrent.futures.process import BrokenProcessPool

from pdgmm.errors import UserError
from pdgmm.analysis.reading import hdf5_first_look
from pdgmm.analysis.reading.own_data import read

LONGEST_SECONDS = 120
"""Beyond what the first look into an HDF5 file may take, on a busy machine."""

FIRST_LOOK = """
import sys
from pdgmm.analysis.reading import hdf5_first_look
hdf5_first_look.LEAST_CPU_SECONDS = 1
sys.exit(hdf5_first_look.main())
"""
"""As it is but for its patience: these files are small, and loops without end are among the damages."""


def look_shortly():
    """Have every first look that this process starts give up after a second of processor time."""
    hdf5_first_look.COMMAND = [sys.executable, "-c", FIRST_LOOK]


def what_comes_of(path):
    """ "read", the words of a refusal, or the trace of an error that a user should never see."""
    try:
        read(path)
    except UserError as error:
        return "refused", str(error)
    except Exception:
        return "failed", traceback.format_exc()
    return "read", ""


class ReadingProcess:
    """``outcome(path)`` is that of :func:`what_comes_of`, or a crash, or no end."""

    def __enter__(self):
        # Not forked: a process with threads, as Arrow's, may not go on in a fork.
        context = multiprocessing.get_context("spawn")
        self._pool = concurrent.futures.ProcessPoolExecutor(1, context, look_shortly)
        return self

    def __exit__(self, *_):
        self._pool.shutdown()

    def outcome(self, path):
        try:
            return self._pool.submit(what_comes_of, path).result(LONGEST_SECONDS)
        except BrokenProcessPool:
            found = "failed", "the interpreter crashed"
        except TimeoutError:
            for process in list(self._pool._processes.values()):
                process.kill()
            found = "failed", f"no end in {LONGEST_SECONDS} s"
        self.__exit__()
        self.__enter__()
        return found

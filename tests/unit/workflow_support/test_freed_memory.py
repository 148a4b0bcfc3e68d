"""Freed memory is kept where the C library can do that."""

import platform

from pdgmm.workflow_support.freed_memory import reuse_freed_memory


def test_it_works_with_glibc_and_is_harmless_elsewhere():
    assert reuse_freed_memory() is (platform.libc_ver()[0] == "glibc")

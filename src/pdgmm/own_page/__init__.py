"""The page on a scientist's own data: five questions, each with its verdict, from ``diagnostics.json`` alone."""

from pdgmm.own_page.page import write_page

__all__ = ["write_page"]

"""``python -m pdgmm``: the command line, even if the package is only on the path and not installed."""

from pdgmm.cli.main import main

main()

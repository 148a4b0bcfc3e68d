"""``python -m pdgmm``: the command line, also where the package is not installed but on the path."""

from pdgmm.cli.main import main

main()

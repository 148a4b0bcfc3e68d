"""``python -m pdgmm``: the command line, also where the package is not installed but on the path."""

import sys

from pdgmm.small_steps.asking import answered

code = answered(sys.argv[1:])
if code is None:
    from pdgmm.cli.main import main

    main()
sys.exit(code)

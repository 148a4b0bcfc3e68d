"""Where the workflow, its configs and its profiles are: in the repository, or inside the installed package.

The wheel holds them in ``shipped/``, in the order of the repository, so that paths between them stay the same.
"""

from pathlib import Path

from pdgmm.errors import UserError

HERE = Path(__file__).resolve().parent
SHIPPED = HERE / "shipped"
REPOSITORY = HERE.parents[2]


def project_folder() -> Path:
    """The folder that holds ``workflow/``, ``config/`` and ``profiles/`` of this package."""
    for folder in (SHIPPED, REPOSITORY):
        if (folder / "workflow" / "Snakefile").is_file():
            return folder
    raise UserError(
        f"no workflow beside the package: neither {SHIPPED} nor {REPOSITORY} has workflow/Snakefile. "
        "Install pdgmm again"
    )


def snakefile() -> str:
    """The path of the workflow's Snakefile, for ``module pdgmm: snakefile: snakefile()`` in another workflow."""
    return str(project_folder() / "workflow" / "Snakefile")

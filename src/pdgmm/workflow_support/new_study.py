"""Write the files of a new study, which uses the workflow of the installed package."""

import shutil
from pathlib import Path

from pdgmm.errors import UserError
from pdgmm.workflow_support.project_files import project_folder

TEMPLATE = Path(__file__).parent / "study_template"


def write_new_study(folder: Path) -> list[Path]:
    """Write a Snakefile, a config and profiles into ``folder`` and return their paths.

    ``folder`` must be empty or not exist; else nothing is written.
    """
    profiles = project_folder() / "profiles"
    sources = {Path("Snakefile"): TEMPLATE / "Snakefile"}
    sources |= {Path("config/config.yaml"): TEMPLATE / "config" / "config.yaml"}
    sources |= {
        "profiles" / file.relative_to(profiles): file for file in sorted(profiles.rglob("config.yaml"))
    }
    try:
        if folder.is_dir() and (there := sorted(path.name for path in folder.iterdir())):
            listed = ", ".join(there[:3]) + (", …" if len(there) > 3 else "")
            raise UserError(
                f"{folder} already has files ({listed}) and nothing was written: name an empty folder or a new one"
            )
        for path, source in sources.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, folder / path)
    except OSError as error:
        raise UserError(
            f"cannot write a new study to {folder}: {error.strerror} ({error.filename})"
        ) from error
    return [folder / path for path in sources]

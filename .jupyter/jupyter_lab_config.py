"""Read by JupyterLab where JUPYTER_CONFIG_PATH names this folder: `make lab`, a class, Docker."""

from pathlib import Path

c.LabApp.extra_labextensions_path = [str(Path(__file__).with_name("labextensions"))]  # noqa: F821

"""The virtual environments under target/ in which these scripts run beside other packages."""

import os
import subprocess
import sys
from pathlib import Path

TARGET = Path(__file__).resolve().parent.parent / "target"


def enter(name, packages):
    """Runs the script again inside the environment `name`, which is made on first use."""
    place = TARGET / name
    python = place / "bin" / "python"
    if Path(sys.prefix).resolve() == place.resolve():
        return
    if not python.exists():
        print(f"making target/{name} with {', '.join(packages)} …", file=sys.stderr)
        subprocess.check_call([sys.executable, "-m", "venv", str(place)])
        subprocess.check_call([str(python), "-m", "pip", "install", "--quiet", *packages])
    os.execv(str(python), [str(python), *sys.argv])

"""The `lastbit` command."""

from __future__ import annotations

import signal
import sys

from . import _lastbit
from ._interpreter import name_interpreter


def main() -> int:
    """Runs the command with the arguments of this process, and gives its exit status."""
    # The interpreter would only remember Ctrl-C until the command is done.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    name_interpreter()
    return _lastbit.run_command(["lastbit", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())

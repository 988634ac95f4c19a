"""``python -m tmstudio``: the same program as the ``tmstudio`` command."""

from __future__ import annotations

import sys

from tmstudio.cli.main import main

if __name__ == "__main__":
    sys.exit(main())

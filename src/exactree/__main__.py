"""python -m exactree: the command line."""

import sys

from exactree.cli import main

if __name__ == "__main__":
    sys.exit(main())

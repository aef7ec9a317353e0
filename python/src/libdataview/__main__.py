# SPDX-License-Identifier: MIT
"""`python -m libdataview` and the script `dataview`: the command, which the wheel carries."""

import os
import sys


def main():
    command = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "dataview")
    os.execv(command, ["dataview", *sys.argv[1:]])


if __name__ == "__main__":
    main()

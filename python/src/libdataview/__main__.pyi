# SPDX-License-Identifier: MIT
from typing import NoReturn

def main() -> NoReturn: ...

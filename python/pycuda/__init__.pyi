# SPDX-License-Identifier: MIT
from typing import Any

VERSION: tuple[int, ...]
VERSION_STATUS: str
VERSION_TEXT: str
ANYWHERE_VERSION: str

def load_ipython_extension(shell: Any) -> None: ...

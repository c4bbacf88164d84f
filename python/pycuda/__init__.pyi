# SPDX-License-Identifier: MIT
from contextlib import AbstractContextManager
from typing import Any

from pycuda._checks import Finding

VERSION: tuple[int, ...]
VERSION_STATUS: str
VERSION_TEXT: str
ANYWHERE_VERSION: str

def checks(*names: str) -> AbstractContextManager[list[Finding]]: ...
def load_ipython_extension(shell: Any) -> None: ...

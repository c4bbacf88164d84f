# SPDX-License-Identifier: MIT
from collections.abc import Callable
from contextlib import AbstractContextManager, ContextDecorator
from types import TracebackType
from typing import Any, overload

from pycuda._benchmark import Comparison as Comparison
from pycuda._benchmark import Timing as Timing
from pycuda._checks import Finding as Finding
from pycuda._counters import Counters as Counters
from pycuda._counters import counters as counters
from pycuda._fuse import fuse as fuse
from pycuda._profile import Profile as Profile
from pycuda._profile import Summary as Summary
from pycuda._profile import Work as Work
from pycuda._profile import profile as profile
from pycuda._profile import range as range
from pycuda._report import Report as Report

VERSION: tuple[int, ...]
VERSION_STATUS: str
VERSION_TEXT: str
ANYWHERE_VERSION: str

class _Checking(AbstractContextManager[list[Finding]], ContextDecorator):
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None: ...

def checks(*names: str) -> _Checking: ...
def load_ipython_extension(shell: Any) -> None: ...
def provide_libcuda() -> str: ...
@overload
def benchmark(
    function: Callable[..., Any],
    *args: Any,
    against: None = None,
    seconds: float = 1.0,
    warmup: int = 2,
    confidence: float = 0.95,
    nbytes: int | None = None,
    **kwargs: Any,
) -> Timing: ...
@overload
def benchmark(
    function: Callable[..., Any],
    *args: Any,
    against: Callable[..., Any],
    seconds: float = 1.0,
    warmup: int = 2,
    confidence: float = 0.95,
    nbytes: int | None = None,
    **kwargs: Any,
) -> Comparison: ...

# SPDX-License-Identifier: MIT
"""The course: `import course` finds what its notebooks share from the folder above this one too."""

from .course import *  # noqa: F403
from .course import __all__  # noqa: F401

# SPDX-License-Identifier: MIT
"""What the CPU driver has counted of the kernels that an exercise launches, judged; on a GPU there are no counters."""

from .checks import NotYet


def _accesses(kernels, space):
    """The accesses of a memory space, as pairs (line, access)."""
    for kernel in kernels:
        for line in kernel.lines:
            yield from ((line, access) for access in line.accesses if access.space == space)


def threads_at(kernels, *operations):
    """How often threads accessed global memory by one of the operations."""
    return sum(access.threads for _, access in _accesses(kernels, "global") if access.op in operations)


def require_coalesced(kernels, remedy):
    """Raise NotYet at an access of global memory that touches many more sectors than its bytes need."""
    for line, access in _accesses(kernels, "global"):
        # A row that does not begin where a sector does takes one sector more for each warp.
        if access.op in ("load", "store") and 2 * access.excess > access.ideal:
            place = f" in line {line.line} of the cell" if line.line else ""
            raise NotYet(
                f"The result is right, but a {access.op} of global memory{place} is not coalesced: it touches "
                f"{access.parts:,} sectors of 32 bytes, {access.ideal:,} would do. {remedy}"
            )

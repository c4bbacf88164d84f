# SPDX-License-Identifier: MIT
"""Debugging kernels: `step` walks one thread line by line.

`python -m pycuda.debug SCRIPT [ARGS]` runs a script with every kernel compiled for debugging.
"""

import os
import runpy
import sys

from pycuda._stepping.frames import Touch
from pycuda._stepping.walk import Step, Walk

__all__ = ["Step", "Touch", "Walk", "step"]

# Where users find them.
Step.__module__ = Touch.__module__ = Walk.__module__ = "pycuda.debug"


def step(function, *args, block, grid=(1, 1), thread=(0, 0, 0), in_block=(0, 0, 0), shared=0, limit=100_000):
    """Launch a kernel and record one of its threads: each line it executes, with the source's variables.

    Parameters
    ----------
    function : Function
        A kernel of a `SourceModule`.
    *args
        The kernel's arguments, as for a launch. The kernel writes its results as in any launch.
    block, grid : tuple of int
        As for a launch.
    thread, in_block : tuple of int
        `threadIdx` and `blockIdx` of the thread.
    shared : int
        Bytes of dynamic shared memory.
    limit : int
        The most steps to record.

    Returns
    -------
    Walk
        A sequence of steps; a table when printed and in Jupyter. If the launch fails, the walk ends where the thread
        was, and `error` says why.

    Raises
    ------
    LogicError
        If the driver is not the CPU driver.
    TypeError
        If it is not a kernel of a `SourceModule`.
    ValueError
        If the launch has no such thread.

    Examples
    --------
    >>> module = compiler.SourceModule('''
    ... __global__ void sum(const int *in, int *out, int n) {
    ...   int s = 0;
    ...   for (int i = threadIdx.x; i < n; i += 2) {
    ...     s += in[i];
    ...   }
    ...   out[threadIdx.x] = s;
    ... }''')
    >>> sum, out = module.get_function("sum"), np.zeros(2, np.int32)
    >>> numbers = driver.In(np.arange(4, dtype=np.int32))
    >>> walk = debug.step(
    ...     sum, numbers, driver.Out(out), np.int32(4),
    ...     block=(2, 1, 1), thread=(1, 0, 0))
    >>> [value for step, value in walk.variable("s")]
    [0, 1, 4]
    >>> out
    array([2, 4], dtype=int32)
    """
    from pycuda._stepping.launch import walk_of_launch  # start-up time: rarely needed

    return walk_of_launch(
        function, args, block=block, grid=grid, thread=thread, in_block=in_block, shared=shared, limit=limit
    )


def main():
    """Run the script named on the command line; 2 without one, 1 when it does not exist."""
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        print("usage: python -m pycuda.debug SCRIPT [ARGS]")
        print("Runs SCRIPT with debugging code in its kernels and keeps the compiler's files.")
        return 2
    script = sys.argv[1]
    if not os.path.exists(script):
        print(f"pycuda.debug: script not found: {script}", file=sys.stderr)
        return 1

    from pycuda.driver import set_debugging  # start-up time: the usage text needs no driver

    set_debugging()
    sys.argv = sys.argv[1:]
    sys.path[0] = os.path.dirname(os.path.abspath(script))
    runpy.run_path(script, run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: MIT
"""Sum arrays over four ranks without copies by hand: MPI is given the arrays on the devices themselves.

    mpiexec -n 4 python -m mpi4py examples/mpi/allreduce_arrays.py

The MPI must be CUDA-aware where the devices are GPUs. The CPU driver's memory is the host's, so any MPI will do there.
"""

import numpy as np
import pycuda.driver as cuda
from mpi4py import MPI
from pycuda import gpuarray

comm = MPI.COMM_WORLD
cuda.init()
ctx = cuda.Device(comm.rank).make_context()

# mpi4py finds the memory by __cuda_array_interface__.
mine = gpuarray.to_gpu(np.full(2**18, comm.rank + 1, np.float32))
total = gpuarray.zeros(mine.shape, mine.dtype)
# MPI does not know about streams: what it reads must have been written.
ctx.synchronize()
comm.Allreduce(mine, total, op=MPI.SUM)

expected = comm.size * (comm.size + 1) / 2
assert (total.get() == expected).all()
everywhere = comm.gather((2 * total).get()[0], root=0)
if comm.rank == 0:
    assert everywhere == [2 * expected] * comm.size
    print(f"{comm.size} arrays of {mine.size} floats summed on {ctx.get_device().name()} and others: correct")

del mine, total
ctx.pop()
ctx.detach()

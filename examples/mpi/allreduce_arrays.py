# SPDX-License-Identifier: MIT
"""Sum arrays over four ranks without explicit copies: MPI is given the arrays on the devices themselves.

    mpiexec -n 4 python -m mpi4py examples/mpi/allreduce_arrays.py

The MPI must be CUDA-aware where the devices are GPUs; where it is not, the arrays go through the host. The CPU driver's
memory is the host's, so that any MPI takes them as they are.
"""

import ctypes

import numpy as np
import pycuda.driver as cuda
from mpi4py import MPI
from pycuda import gpuarray


def mpi_reads_gpu_memory():
    """What the MPI says of itself: Open MPI and MPICH both have this function; without it the answer is no."""
    try:
        return bool(ctypes.CDLL(MPI.__file__).MPIX_Query_cuda_support())
    except AttributeError:
        return False


comm = MPI.COMM_WORLD
cuda.init()
ctx = cuda.Device(comm.rank).make_context()
device = ctx.get_device().name()
directly = device.startswith("CPU ") or mpi_reads_gpu_memory()

mine = gpuarray.to_gpu(np.full(2**18, comm.rank + 1, np.float32))
total = gpuarray.zeros(mine.shape, mine.dtype)
# MPI does not know about streams: what it reads must have been written.
ctx.synchronize()
if directly:
    # mpi4py finds the memory by __cuda_array_interface__.
    comm.Allreduce(mine, total, op=MPI.SUM)
else:
    on_host = np.empty(mine.shape, mine.dtype)
    comm.Allreduce(mine.get(), on_host, op=MPI.SUM)
    total.set(on_host)

expected = comm.size * (comm.size + 1) / 2
assert (total.get() == expected).all()
everywhere = comm.gather((2 * total).get()[0], root=0)
if comm.rank == 0:
    assert everywhere == [2 * expected] * comm.size
    way = "as they are" if directly else "through the host, because this MPI is not CUDA-aware"
    print(f"{comm.size} arrays of {mine.size} floats, the first on {device}, summed {way}: correct")

del mine, total
ctx.pop()
ctx.detach()

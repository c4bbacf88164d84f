# SPDX-License-Identifier: MIT
"""Four ranks on one device: the first shares an array, the others add to it in kernels of their own.

    mpiexec -n 4 python -m mpi4py examples/mpi/shared_array.py

All ranks must be processes of one machine. No element is copied: each rank works on the memory of the first.
"""

import numpy as np
import pycuda.driver as cuda
from mpi4py import MPI
from pycuda import gpuarray

comm = MPI.COMM_WORLD
cuda.init()
ctx = cuda.Device(0).make_context()
shape = (comm.size, 2**18)

if comm.rank == 0:
    array = gpuarray.zeros(shape, np.float32)
    array += 1
    # Others must not see the array before that is done: processes know nothing of each other's streams.
    ctx.synchronize()
    handle = comm.bcast(bytes(cuda.mem_get_ipc_handle(array.gpudata)))
else:
    handle = comm.bcast(None)
    memory = cuda.IPCMemoryHandle(handle)
    array = gpuarray.GPUArray(shape, np.float32, gpudata=memory)

row = array[comm.rank]
row += comm.rank
ctx.synchronize()
comm.Barrier()

if comm.rank == 0:
    expected = np.arange(1, comm.size + 1, dtype=np.float32)[:, np.newaxis]
    assert (array.get() == expected).all()
    print(f"{comm.size} processes wrote to one array of {array.size} floats on {ctx.get_device().name()}: correct")
else:
    del row, array
    memory.close()
# CUDA wants the others to have closed the memory before its owner frees it.
comm.Barrier()
if comm.rank == 0:
    del row, array
ctx.pop()
ctx.detach()

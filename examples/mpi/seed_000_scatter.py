# SPDX-License-Identifier: MIT
"""Four processes, each on a device of its own: scatter an array, work on the parts, gather them.

    mpiexec -n 4 python examples/mpi/seed_000_scatter.py

With fewer than four GPUs: PYCUDA_DRIVER=cpu PYCUDA_CPU_DEVICES=4 gives four CPU devices.
"""

import sys
import time

import pycuda.driver as cuda
from mpi4py import MPI
from numpy import array, float32, float64, testing
from numpy.random import randn as rand
from pycuda import gpuarray

cuda.init()  # init pycuda driver

comm = MPI.COMM_WORLD
rank = comm.rank
root = 0

nr_gpus = 4

sendbuf = []

N = 2**20 * nr_gpus
# 1000 as in the first text, unless the command line says otherwise.
K = int(sys.argv[1]) if len(sys.argv) > 1 else 1000

if rank == 0:
    x = rand(N).astype(float32) * 10**16
    print("x:", x)

    t1 = time.time()

    sendbuf = x.reshape(nr_gpus, N // nr_gpus)

if rank > nr_gpus - 1:
    raise ValueError("To few gpus!")

current_dev = cuda.Device(rank)  # device we are working on
ctx = current_dev.make_context()  # make a working context
ctx.push()  # let context make the lead

# recieve data and port it to gpu:
x_gpu_part = gpuarray.to_gpu(comm.scatter(sendbuf, root))

# do something...
for k in range(K):
    x_gpu_part = 0.9 * x_gpu_part

# get data back:
x_part = x_gpu_part.get()

ctx.pop()  # deactivate again
ctx.detach()  # delete it

recvbuf = comm.gather(x_part, root)  # recieve data
devices = comm.gather(f"rank {rank}: device {rank}, {current_dev.name()}", root)

if rank == 0:
    x_doubled = array(recvbuf).reshape(N)
    t2 = time.time() - t1

    print("doubled x:", x_doubled)
    print("time nedded:", t2 * 1000, " ms ")
    print("\n".join(devices))
    testing.assert_allclose(x_doubled, x.astype(float64) * 0.9**K, rtol=1e-3)
    print("correct")

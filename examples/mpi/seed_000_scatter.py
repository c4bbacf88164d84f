# SPDX-License-Identifier: MIT
"""Four processes, each on a device of its own: scatter an array, work on the parts, gather them.

    mpiexec -n 4 python -m mpi4py examples/mpi/seed_000_scatter.py

With fewer than four GPUs: PYCUDA_DRIVER=cpu PYCUDA_CPU_DEVICES=4 gives four CPU devices. `seed_000_scatter.py 100` does
the work 100 times in place of 1000.
"""

# Differs from the text in print being a function and // being asked for, and in saying and checking what came
# of it.
from mpi4py import MPI
import pycuda.driver as cuda

cuda.init() #init pycuda driver

from pycuda import gpuarray
from numpy import float32, float64, array, testing
from numpy.random import randn as rand
import sys
import time

comm = MPI.COMM_WORLD
rank = comm.rank
root = 0

nr_gpus = 4

sendbuf = []

N = 2**20*nr_gpus
K = int(sys.argv[1]) if len(sys.argv) > 1 else 1000

if rank == 0:
    x = rand(N).astype(float32)*10**16
    print("x:", x)

    t1 = time.time()

    sendbuf = x.reshape(nr_gpus,N//nr_gpus)

if rank > nr_gpus-1:
    raise ValueError("To few gpus!")


current_dev = cuda.Device(rank) #device we are working on
ctx = current_dev.make_context() #make a working context
ctx.push() #let context make the lead

#recieve data and port it to gpu:
x_gpu_part = gpuarray.to_gpu(comm.scatter(sendbuf,root))

#do something...
for k in range(K):
  x_gpu_part = 0.9*x_gpu_part

#get data back:
x_part = (x_gpu_part).get()

ctx.pop() #deactivate again
ctx.detach() #delete it

recvbuf=comm.gather(x_part,root) #recieve data
devices = comm.gather(f"rank {rank}: device {rank}, {current_dev.name()} at {current_dev.pci_bus_id()}",root)

if rank == 0:
    x_doubled = array(recvbuf).reshape(N)
    t2 = time.time()-t1

    print("doubled x:", x_doubled)
    print("time nedded:", t2*1000, " ms ")
    print("\n".join(devices))
    # 1000 roundings to float are a relative error of at most 6e-5; what is below 1e-37 has lost digits to underflow.
    testing.assert_allclose(x_doubled, x.astype(float64) * float64(float32(0.9))**K, rtol=1e-4, atol=1e-36)
    print("correct")

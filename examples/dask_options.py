# SPDX-License-Identifier: MIT
"""Price the option of gallery_options.py on Dask workers, each on a device of its own; arrays travel between them.

    python examples/dask_options.py [ADDRESS]

Without the address of a scheduler it starts one worker of this machine for each device (at most four).
"""

import math
import os
import sys
import time

import numpy as np
import option_kernel as option
import pycuda.driver as cuda
from distributed import Client, LocalCluster, WorkerPlugin
from pycuda import gpuarray
from pycuda.compiler import SourceModule

PARTS, BLOCKS, PATHS_PER_THREAD = 16, 16, 64
# Functions travel to the workers with the globals that they use, modules of this folder do not.
THREADS = option.THREADS


class OneDevice(WorkerPlugin):
    """Gives a worker its device: that of $CUDA_DEVICE, or the one with the worker's number."""

    name = "one-device"

    def setup(self, worker):
        cuda.init()
        wanted = os.environ.get("CUDA_DEVICE", worker.name)
        # It stays current in this thread. Tasks run in others, and a thread without a context of its own uses the one
        # that was made current last in its process.
        self.context = cuda.Device(int(wanted) % cuda.Device.count()).make_context()

    def teardown(self, worker):
        self.context.detach()


def where():
    """The device that this worker's tasks run on."""
    device = cuda.Context.get_device()
    return f"{device.name()} at {device.pci_bus_id()}"


def simulate(part, source, arguments):
    """The mean payoffs of one part's blocks, as an array on the worker's device."""
    means = gpuarray.empty(BLOCKS, np.float32)
    # From the disk cache on all calls but the first.
    price = SourceModule(source).get_function("price")
    price(means, part * BLOCKS, *arguments, block=(THREADS, 1, 1), grid=(BLOCKS, 1))
    return means


def add(first, second):
    """The sum of two arrays, on the device of the worker that does it; Dask brings what is elsewhere."""
    return first + second


def main():
    # Here, not above: worker processes import this file, and must not take this process's device.
    import pycuda.autoinit  # noqa: F401

    if len(sys.argv) > 1:
        cluster, client = None, Client(sys.argv[1])
    else:
        workers = min(4, cuda.Device.count())
        cluster = LocalCluster(n_workers=workers, threads_per_worker=1, memory_limit=0, dashboard_address=None)
        client = Client(cluster)
    try:
        client.register_plugin(OneDevice())
        addresses = sorted(client.nthreads())
        asked = [client.submit(where, workers=[address], pure=False) for address in addresses]
        devices = client.gather(asked)
        for address, device in zip(addresses, devices):
            print(f"worker {address}: {device}")

        arguments = [PATHS_PER_THREAD, option.PRICE, option.STRIKE, option.DRIFT, option.DEVIATION]
        start = time.perf_counter()
        sums = client.map(simulate, range(PARTS), source=option.SOURCE, arguments=arguments, pure=False)
        while len(sums) > 1:
            sums = [client.submit(add, *pair, pure=False) for pair in zip(sums[::2], sums[1::2])]
        total = sums[0].result()
        seconds = time.perf_counter() - start
    finally:
        client.close()
        if cluster is not None:
            cluster.close()

    assert isinstance(total, gpuarray.GPUArray)  # it has come to this process's device
    value = option.DISCOUNT * float(gpuarray.sum(total).get()) / (PARTS * BLOCKS)
    paths = PARTS * BLOCKS * THREADS * PATHS_PER_THREAD
    exact = option.exact_value()
    # The payoffs' standard deviation is some 16.7.
    error = 16.7 / math.sqrt(paths)
    assert abs(value - exact) < 4 * error
    print(f"{paths} paths in {PARTS} parts: {value:.4f}, formula {exact:.4f}, standard error {error:.4f}")
    print(f"{len(devices)} workers, {len(set(devices))} devices, {seconds:.2f} s with compiling")


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: MIT
"""Make a context on each device by hand, work in it, and give it up."""

# Differs from the text in going through all devices, and in having work for them, checked, where the text has "#Code".
import numpy
import pycuda.driver as cuda
from pycuda import gpuarray

cuda.init()  # init pycuda driver

for device_nr in range(cuda.Device.count()):
    current_dev = cuda.Device(device_nr)  # device we are working on
    ctx = current_dev.make_context()  # make a working context
    ctx.push()  # let context make the lead

    x = numpy.random.randn(2**16).astype(numpy.float32) * 10**16
    x_gpu = gpuarray.to_gpu(x)
    for _ in range(10):
        x_gpu = 0.9 * x_gpu
    x_part = x_gpu.get()
    del x_gpu

    ctx.pop()  # deactivate again
    ctx.detach()  # delete it

    expected = x
    for _ in range(10):
        expected = numpy.float32(0.9) * expected
    print(f"{current_dev.name()}: x: {x[:3]} ... becomes {x_part[:3]} ...")
    numpy.testing.assert_allclose(x_part, expected, rtol=1e-5)
    assert cuda.Context.get_current() is None

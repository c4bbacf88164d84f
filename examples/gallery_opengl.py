# SPDX-License-Identifier: MIT
"""Draw rings with a kernel in an OpenGL texture, without a display; opengl.png.

The kernel writes the pixels into an OpenGL buffer; OpenGL fills a texture from it, and the picture is what OpenGL reads
back from the texture. Needs EGL with OpenGL, such as Mesa's software renderer or NVIDIA's driver.
"""

import time
from typing import Any

import numpy as np
import pycuda.driver as cuda
import pycuda.gl
from headless_gl import RGBA, RGBA8, TEXTURE_2D, UNSIGNED_BYTE, HeadlessContext, Unavailable
from numpy.typing import NDArray
from picture import save
from pycuda.compiler import SourceModule
from pycuda.gpuarray import GPUArray

SOURCE = """
__global__ void rings(uchar4 *pixels, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const float u = 2.0f * x / width - 1.0f, v = 2.0f * y / height - 1.0f;
    const float wave = 0.5f + 0.5f * cosf(40.0f * sqrtf(u * u + v * v));
    pixels[y * width + x] = make_uchar4(255 * wave, 255 * x / width, 255 * y / height, 255);
}
"""
PIXEL_UNPACK_BUFFER, SIZE = 0x88EC, 512


def on_device(kernel: Any, registered: pycuda.gl.RegisteredBuffer) -> float:
    """Draw into the buffer; return the milliseconds from mapping to unmapping."""
    start = time.perf_counter()
    with registered.map() as mapping:
        address, size = mapping.device_ptr_and_size()
        pixels = GPUArray(size, np.uint8, gpudata=address)
        kernel(pixels, np.int32(SIZE), np.int32(SIZE), block=(16, 16, 1), grid=(SIZE // 16, SIZE // 16))
    return 1e3 * (time.perf_counter() - start)


def on_host() -> NDArray[np.uint8]:
    x = np.arange(SIZE, dtype=np.float32)
    u = 2 * x / SIZE - 1
    wave = np.float32(0.5) + np.float32(0.5) * np.cos(40 * np.sqrt(u * u + (u * u)[:, None]))
    pixels = np.empty((SIZE, SIZE, 4), np.uint8)
    pixels[..., 0] = 255 * wave
    pixels[..., 1] = 255 * x / SIZE
    pixels[..., 2] = pixels[..., 1].T
    pixels[..., 3] = 255
    return pixels


def read_texture(gl: HeadlessContext, pixels: int) -> NDArray[np.uint8]:
    """What OpenGL has in a texture that it fills from the buffer."""
    gl.call("glBindTexture", TEXTURE_2D, gl.new("Textures"))
    gl.call("glBindBuffer", PIXEL_UNPACK_BUFFER, pixels)
    gl.call("glTexImage2D", TEXTURE_2D, 0, RGBA8, SIZE, SIZE, 0, RGBA, UNSIGNED_BYTE, None)
    gl.call("glBindBuffer", PIXEL_UNPACK_BUFFER, 0)
    image = np.zeros((SIZE, SIZE, 4), np.uint8)
    gl.call("glGetTexImage", TEXTURE_2D, 0, RGBA, UNSIGNED_BYTE, image)
    return image


def main() -> None:
    try:
        gl = HeadlessContext()
    except Unavailable as error:
        print(f"needs EGL with OpenGL: {error}")
        return
    cuda.init()
    context = pycuda.gl.make_context(cuda.Device(0))
    kernel = SourceModule(SOURCE).get_function("rings")
    buffer = gl.buffer(np.zeros((SIZE, SIZE, 4), np.uint8))
    registered = pycuda.gl.RegisteredBuffer(buffer, pycuda.gl.graphics_map_flags.WRITE_DISCARD)
    on_device(kernel, registered)
    device = on_device(kernel, registered)
    registered.unregister()
    image = read_texture(gl, buffer)
    start = time.perf_counter()
    expected = on_host()
    host = 1e3 * (time.perf_counter() - start)
    assert (abs(image.astype(int) - expected) <= 1).all()
    save("opengl.png", image[::-1, :, :3])  # OpenGL's first row is the lowest
    print(f"{SIZE} x {SIZE} pixels of an OpenGL texture: device {device:.2f} ms, NumPy {host:.2f} ms")
    context.pop()
    gl.close()


if __name__ == "__main__":
    main()

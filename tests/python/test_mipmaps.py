# SPDX-License-Identifier: MIT
"""Arrays of several resolutions and the textures that read them."""

import gc

import numpy as np
import pycuda.driver as drv
import pytest
from pycuda.compiler import SourceModule

pytestmark = pytest.mark.usefixtures("context")

KERNELS = """
__global__ void at_level(cudaTextureObject_t t, const float3 *at, float *out)
{
  float3 where = at[threadIdx.x];
  out[threadIdx.x] = tex2DLod<float>(t, where.x, where.y, where.z);
}
__global__ void by_gradient(cudaTextureObject_t t, const float2 *step, float *out)
{
  float2 d = step[threadIdx.x];
  out[threadIdx.x] = tex2DGrad<float>(t, 0.5f, 0.5f, make_float2(d.x, 0), make_float2(0, d.y));
}
"""


def plane(width, height, **more):
    descriptor = drv.ArrayDescriptor3D() if more else drv.ArrayDescriptor()
    descriptor.width, descriptor.height = width, height
    descriptor.format, descriptor.num_channels = drv.array_format.FLOAT, 1
    for name, value in more.items():
        setattr(descriptor, name, value)
    return descriptor


def fill(array, values):
    copy = drv.Memcpy2D()
    copy.set_src_host(np.ascontiguousarray(values))
    copy.set_dst_array(array)
    copy.width_in_bytes = copy.src_pitch = values.shape[1] * 4
    copy.height = values.shape[0]
    copy(aligned=False)


def halved(image):
    """Means of 2 x 2 pixels."""
    return image.reshape(image.shape[0] // 2, 2, image.shape[1] // 2, 2).mean(axis=(1, 3))


def pyramid():
    images = [np.random.default_rng(7).integers(0, 256, (16, 16)).astype(np.float32)]
    while images[-1].size > 1:
        images.append(halved(images[-1]))
    array = drv.MipmappedArray(plane(16, 16))
    assert array.levels == len(images) == 5
    for number, image in enumerate(images):
        fill(array.get_level(number), image)
    return array, images


def run(name, texture, places):
    places = np.array(places, np.float32)
    out = np.empty(len(places), np.float32)
    SourceModule(KERNELS).get_function(name)(texture, drv.In(places), drv.Out(out), block=(len(places), 1, 1))
    return out


def test_every_texel_of_every_level_is_read():
    array, images = pyramid()
    texture = drv.TextureObject(array, flags=drv.TRSF_NORMALIZED_COORDINATES)
    for level, image in enumerate(images):
        y, x = (np.indices(image.shape) + 0.5) / image.shape[0]
        places = np.stack([x.ravel(), y.ravel(), np.full(image.size, level)], axis=1)
        assert (run("at_level", texture, places) == image.ravel()).all()


def test_levels_are_blended():
    array, images = pyramid()
    texture = drv.TextureObject(
        array, flags=drv.TRSF_NORMALIZED_COORDINATES, mipmap_filter_mode=drv.filter_mode.LINEAR, max_mipmap_level=3.5
    )
    got = run("at_level", texture, [(0.99, 0.99, 2.25), (0.99, 0.99, 4)])
    expected = [0.75 * images[2][-1, -1] + 0.25 * images[3][-1, -1], 0.5 * images[3][-1, -1] + 0.5 * images[4][-1, -1]]
    assert np.allclose(got, expected, atol=1)


def test_gradients_choose_a_level():
    array, images = pyramid()
    texture = drv.TextureObject(array, flags=drv.TRSF_NORMALIZED_COORDINATES)
    got = run("by_gradient", texture, [(1 / 16, 0), (0, 1 / 8), (1 / 16, 1 / 4), (1 / 2, 1 / 2)])
    assert got.tolist() == [image[len(image) // 2, len(image) // 2] for image in images[:4]]


def test_a_level_keeps_the_whole_alive_and_so_does_a_texture():
    array, images = pyramid()
    level = array.get_level(1)
    texture = drv.TextureObject(array, flags=drv.TRSF_NORMALIZED_COORDINATES)
    del array
    gc.collect()
    assert level.get_descriptor().width == 8
    assert run("at_level", texture, [(0, 0, 1)]).tolist() == [images[1][0, 0]]
    alone = drv.TextureObject(level)
    del level, texture
    gc.collect()
    assert run("at_level", alone, [(7.5, 0.5, 0)]).tolist() == [images[1][0, 7]]


@pytest.mark.parametrize("levels, kept", [(1, 1), (3, 3), (99, 4), (None, 4)])
def test_levels_are_cut_to_what_the_extents_allow(levels, kept):
    array = drv.MipmappedArray(plane(8, 3), levels)
    assert array.levels == kept
    assert array.get_level(kept - 1).get_descriptor().width == 8 >> (kept - 1)
    with pytest.raises(drv.LogicError, match=f"level {kept} of an array with {kept} levels"):
        array.get_level(kept)


def test_layers_and_volumes_have_levels():
    layered = drv.MipmappedArray(plane(4, 4, depth=3, flags=drv.array3d_flags.ARRAY3D_LAYERED))
    assert (layered.levels, layered.get_level(2).get_descriptor_3d().depth) == (3, 3)
    volume = drv.MipmappedArray(plane(4, 4, depth=8))
    assert (volume.levels, volume.get_level(2).get_descriptor_3d().depth) == (4, 2)


def test_misuse():
    with pytest.raises(drv.LogicError, match="0 x 4 x 0 elements"):
        drv.MipmappedArray(plane(0, 4))
    array = drv.MipmappedArray(plane(8, 8))
    with pytest.raises(ValueError, match="pass flags=TRSF_NORMALIZED_COORDINATES"):
        drv.TextureObject(array)
    with pytest.raises(TypeError, match="MipmappedArray"):
        drv.MipmappedArray((8, 8))
    with pytest.raises(TypeError, match="array must be an Array"):
        drv.TextureObject(np.zeros((8, 8)))
    array.free()
    array.free()
    with pytest.raises(drv.LogicError):
        array.get_level(0)

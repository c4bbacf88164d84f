# SPDX-License-Identifier: MIT
"""Arrays, texture and surface objects, and references that PTX declares."""

import numpy as np
import pycuda.driver as drv
import pycuda.gpuarray as gpuarray
import pytest
from programs import is_cpu
from pycuda.compiler import SourceModule

pytestmark = pytest.mark.usefixtures("context")

FETCH_2D = """
__global__ void fetch(cudaTextureObject_t t, const float2 *at, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = tex2D<float>(t, at[i].x, at[i].y);
}"""

RESIDENT = """
__global__ void fetch(cudaTextureObject_t t, float *out) {
  bool here = false, gathered = false, at_level = false;
  out[0] = tex2D<float>(t, 1.5f, 2.5f, &here);
  out[1] = tex2Dgather<float4>(t, 1, 1, &gathered).x;
  out[2] = tex2DLod<float>(t, 3.5f, 0.5f, 0, &at_level);
  out[3] = here + gathered + at_level;
}"""

REFERENCE = """
.version 7.0
.target sm_75
.address_size 64
.global .texref picture;
.visible .entry fetch(.param .u64 at, .param .u64 out)
{
  .reg .b32 %i, %x, %y, %v<4>;
  .reg .b64 %in, %to, %offset;
  mov.u32 %i, %tid.x;
  ld.param.u64 %in, [at];
  ld.param.u64 %to, [out];
  mul.wide.u32 %offset, %i, 8;
  add.s64 %in, %in, %offset;
  ld.global.v2.b32 {%x, %y}, [%in];
  mul.wide.u32 %offset, %i, 4;
  add.s64 %to, %to, %offset;
  tex.2d.v4.f32.f32 {%v0, %v1, %v2, %v3}, [picture, {%x, %y}];
  st.global.b32 [%to], %v0;
  ret;
}
"""


def places(*pairs):
    return np.array(pairs, np.float32)


def fetch(texture, at):
    out = np.zeros(len(at), np.float32)
    SourceModule(FETCH_2D).get_function("fetch")(
        texture.handle, drv.In(at), drv.Out(out), np.int32(len(at)), block=(64, 1, 1), grid=(len(at) // 64 + 1, 1)
    )
    return out


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_matrix_becomes_a_texture(order):
    matrix = np.arange(12, dtype=np.float32).reshape(3, 4)
    texture = drv.TextureObject(drv.matrix_to_array(matrix, order))
    y, x = np.mgrid[0:3, 0:4] if order == "C" else np.mgrid[0:3, 0:4][::-1]
    at = np.stack([x.ravel(), y.ravel()], axis=1).astype(np.float32) + 0.5
    assert (fetch(texture, at) == matrix.ravel()).all()


def test_fetches_say_that_their_texels_have_memory():
    texture = drv.TextureObject(drv.matrix_to_array(np.arange(12, dtype=np.float32).reshape(3, 4), "C"))
    out = np.zeros(4, np.float32)
    SourceModule(RESIDENT).get_function("fetch")(texture.handle, drv.Out(out), block=(1, 1, 1))
    assert out.tolist() == [9, 4, 3, 3]


def test_filtering_addressing_and_borders_are_the_textures():
    array = drv.matrix_to_array(np.array([[0, 10], [20, 30]], np.float32), "C")
    smooth = drv.TextureObject(array, filter_mode=drv.filter_mode.LINEAR)
    assert fetch(smooth, places((1, 1), (1, 0.5), (-5, 0.5))).tolist() == [15, 5, 0]
    wrapped = drv.TextureObject(
        array,
        address_mode=(drv.address_mode.WRAP, drv.address_mode.MIRROR),
        flags=drv.TRSF_NORMALIZED_COORDINATES,
    )
    assert fetch(wrapped, places((1.75, 0.25), (0.25, 1.25), (-0.25, -0.75))).tolist() == [10, 20, 30]
    bordered = drv.TextureObject(array, drv.address_mode.BORDER, border_color=(7, 0, 0, 0))
    assert fetch(bordered, places((-0.5, 0.5), (1.5, 1.5))).tolist() == [7, 30]


def test_many_threads_fetch_in_gangs():
    matrix = np.random.default_rng(3).random((37, 61), np.float32)
    texture = drv.TextureObject(drv.matrix_to_array(matrix, "C"))
    at = np.random.default_rng(4).uniform(-5, 70, (1000, 2)).astype(np.float32)
    x = np.clip(np.floor(at[:, 0]), 0, 60).astype(int)
    y = np.clip(np.floor(at[:, 1]), 0, 36).astype(int)
    assert (fetch(texture, at) == matrix[y, x]).all()


def test_plain_memory_is_a_texture():
    source = """
    __global__ void k(cudaTextureObject_t t, float *out) {
      out[threadIdx.x] = tex1Dfetch<float>(t, (int)threadIdx.x - 1);
    }"""
    values = gpuarray.to_gpu(np.arange(1, 7, dtype=np.float32))
    texture = drv.TextureObject.linear(values.gpudata, values.nbytes, drv.array_format.FLOAT)
    out = np.zeros(8, np.float32)
    SourceModule(source).get_function("k")(texture.handle, drv.Out(out), block=(8, 1, 1))
    assert out.tolist() == [0, 1, 2, 3, 4, 5, 6, 0]


def test_rows_with_a_pitch_are_a_texture():
    memory, pitch = drv.mem_alloc_pitch(5 * 4, 3, 4)
    rows = np.zeros((3, pitch // 4), np.float32)
    rows[:, :5] = np.arange(15).reshape(3, 5)
    drv.memcpy_htod(memory, rows)
    shape = drv.ArrayDescriptor()
    shape.width, shape.height, shape.format, shape.num_channels = 5, 3, drv.array_format.FLOAT, 1
    texture = drv.TextureObject.pitched(memory, shape, pitch)
    assert fetch(texture, places((4.5, 2.5), (9, 1.5))).tolist() == [14, 9]


def test_channels_of_bytes_are_read_as_fractions():
    source = """
    __global__ void k(cudaTextureObject_t t, float4 *out) {
      out[threadIdx.x] = tex2D<float4>(t, threadIdx.x + 0.5f, 0.5f);
    }
    """
    picture = np.array([[[0, 51, 102, 255], [255, 0, 0, 51]]], np.uint8)
    texture = drv.TextureObject(drv.make_multichannel_2d_array(picture, "C"))
    out = np.zeros((2, 4), np.float32)
    SourceModule(source).get_function("k")(texture.handle, drv.Out(out), block=(2, 1, 1))
    np.testing.assert_allclose(out, picture[0] / 255, rtol=1e-6)


@pytest.mark.parametrize(
    ("dtype", "ctype"),
    [(np.float32, "float"), (np.float64, "double"), (np.complex64, "pycuda::complex<float>"),
     (np.complex128, "pycuda::complex<double>")],
)  # fmt: skip
def test_doubles_and_complex_numbers_pass_through_the_helpers(dtype, ctype):
    source = f"""
    #include <pycuda-helpers.hpp>
    __global__ void k(cudaTextureObject_t t, cudaSurfaceObject_t s, {ctype} *out) {{
      int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
      {ctype} v = fp_tex3D<{ctype} >(t, x, y, z);
      fp_surf3Dwrite<{ctype} >(v + v, s, x, y, z);
      {ctype} w;
      fp_surf3Dread<{ctype} >(&w, s, x, y, z);
      out[(z * 3 + y) * 4 + x] = w;
    }}"""
    values = np.random.default_rng(1).random((2, 3, 4)).astype(dtype)
    if np.iscomplexobj(values):
        values += values.dtype.type(1j) * values[::-1]
    array = drv.np_to_array(values, "C")
    surface_array = drv.np_to_array(np.zeros_like(values), "C", allowSurfaceBind=True)
    texture, surface = drv.TextureObject(array), drv.SurfaceObject(surface_array)
    out = np.zeros_like(values)
    SourceModule(source).get_function("k")(texture.handle, surface.handle, drv.Out(out), block=(4, 3, 2))
    assert (out == values + values).all()


def test_surfaces_of_layers():
    source = """
    __global__ void k(cudaSurfaceObject_t s) {
      float v;
      surf2DLayeredread(&v, s, threadIdx.x * 4, threadIdx.y, 0);
      surf2DLayeredwrite(v * 10, s, threadIdx.x * 4, threadIdx.y, 0);
    }"""
    matrix = np.arange(6, dtype=np.float32).reshape(2, 3)
    array = drv.gpuarray_to_array(gpuarray.to_gpu(matrix), "C", allowSurfaceBind=True)
    assert array.get_descriptor_3d().flags == drv.array3d_flags.ARRAY3D_LAYERED | drv.array3d_flags.SURFACE_LDST
    surface = drv.SurfaceObject(array)
    SourceModule(source).get_function("k")(surface.handle, block=(3, 2, 1))
    back = np.zeros_like(matrix)
    copy = drv.Memcpy3D()
    copy.set_src_array(array)
    copy.set_dst_host(back)
    copy.width_in_bytes = copy.dst_pitch = 12
    copy.height = copy.dst_height = 2
    copy.depth = 1
    copy()
    assert (back == matrix * 10).all()


def reference_of(module):
    try:
        return module.get_texref("picture")
    except drv.LogicError as error:
        if is_cpu():
            raise
        pytest.skip(f"needs a driver with texture references: {error}")


def module_with_reference():
    try:
        return drv.module_from_buffer(REFERENCE.encode())
    except drv.Error as error:
        if is_cpu():
            raise
        pytest.skip(f"needs a driver with texture references: {error}")


def test_references_that_ptx_declares_are_bound_by_name():
    module = module_with_reference()
    reference = reference_of(module)
    matrix = np.arange(12, dtype=np.float32).reshape(3, 4)
    drv.matrix_to_texref(matrix, reference, "C")
    function = module.get_function("fetch")
    at = places((1.5, 2.5), (3.5, 0.5), (99, 99))
    out = np.zeros(3, np.float32)
    function(drv.In(at), drv.Out(out), block=(3, 1, 1), texrefs=[reference])
    assert out.tolist() == [9, 3, 11]
    reference.set_filter_mode(drv.filter_mode.LINEAR)
    function.prepare("PP", texrefs=[reference])
    assert function.texrefs == [reference]
    d_at, d_out = drv.to_device(places((1, 1))), drv.mem_alloc(4)
    function.prepared_call((1, 1), (1, 1, 1), d_at, d_out)
    assert drv.from_device(d_out, 1, np.float32)[0] == 2.5


def test_references_tell_what_they_were_told():
    module = module_with_reference()
    reference = reference_of(module)
    reference.set_address_mode(1, drv.address_mode.BORDER)
    reference.set_flags(drv.TRSF_NORMALIZED_COORDINATES)
    reference.set_filter_mode(drv.filter_mode.LINEAR)
    assert reference.get_address_mode(1) == drv.address_mode.BORDER
    assert reference.get_flags() == drv.TRSF_NORMALIZED_COORDINATES
    assert reference.get_filter_mode() == drv.filter_mode.LINEAR
    values = gpuarray.to_gpu(np.arange(8, dtype=np.float64))
    assert values.bind_to_texref_ext(reference, allow_double_hack=True) == 0
    assert reference.get_format() == (drv.array_format.SIGNED_INT32, 2)
    assert reference.get_address() == values.ptr
    array = drv.matrix_to_array(np.zeros((2, 2), np.int16), "C")
    reference.set_array(array)
    assert reference.get_array().handle == array.handle
    assert reference.get_format() == (drv.array_format.SIGNED_INT16, 1)
    with pytest.raises(drv.LogicError, match="named symbol not found"):
        module.get_texref("nothing")


def test_runs_of_bytes_go_to_arrays_and_back():
    shape = drv.ArrayDescriptor()
    shape.width, shape.height, shape.format, shape.num_channels = 16, 0, drv.array_format.UNSIGNED_INT8, 1
    first, second = drv.Array(shape), drv.Array(shape)
    drv.memcpy_htoa(first, 0, np.arange(16, dtype=np.uint8))
    drv.memcpy_atoa(second, 0, first, 8, 8)
    memory = drv.mem_alloc(8)
    drv.memcpy_atod(memory, first, 0, 8)
    drv.memcpy_dtoa(second, 8, memory, 8)
    back = np.zeros(16, np.uint8)
    drv.memcpy_atoh(back, second, 0)
    assert back.tolist() == [*range(8, 16), *range(8)]
    assert second.get_descriptor().width == 16
    second.free()
    second.free()


def test_what_cannot_be_an_array_says_why():
    with pytest.raises(TypeError, match="cannot convert dtype 'float64' to array format"):
        drv.dtype_to_array_format(np.float64)
    with pytest.raises(drv.LogicError, match="order must be either F or C"):
        drv.matrix_to_array(np.zeros((2, 2), np.float32), "A")
    with pytest.raises(TypeError, match="must be an Array"):
        drv.Memcpy2D().set_src_array(np.zeros(3))
    with pytest.raises(TypeError, match="texture references"):
        module = SourceModule("__global__ void k() {}")
        module.get_function("k")(block=(1, 1, 1), texrefs=[3])


def test_a_texture_that_was_freed_is_a_fault_on_the_cpu_driver():
    if not hasattr(drv, "Device") or "CPU" not in drv.Device(0).name():
        pytest.skip("needs the CPU driver: elsewhere this has no defined result")
    texture = drv.TextureObject(drv.matrix_to_array(np.zeros((2, 2), np.float32), "C"))
    handle = texture.handle
    texture.free()
    function = SourceModule(FETCH_2D).get_function("fetch")
    memory = drv.mem_alloc(64)
    with pytest.raises(drv.Error, match="is no live texture"):
        function(handle, memory, memory, np.int32(1), block=(1, 1, 1))
        drv.Context.synchronize()


def test_a_surface_needs_an_array_that_was_made_for_it():
    if "CPU" not in drv.Device(0).name():
        pytest.skip("needs the CPU driver: NVIDIA's does not check what its documentation asks for")
    plain = drv.matrix_to_array(np.zeros((2, 2), np.float32), "C")
    with pytest.raises(drv.LogicError, match=r"invalid argument.*np_to_array\(\.\.\., allowSurfaceBind=True\)"):
        drv.SurfaceObject(plain)

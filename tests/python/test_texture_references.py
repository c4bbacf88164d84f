# SPDX-License-Identifier: MIT
"""`texture<>` and `surface<>` in CUDA C++ sources, as programs from before CUDA 12 have them."""

import gc

import numpy as np
import pycuda.driver as drv
import pycuda.gpuarray as gpuarray
import pytest
from pycuda.compiler import SourceModule

pytestmark = pytest.mark.usefixtures("context")


def run(module, shape, dtype=np.float32, **options):
    out = np.zeros(shape, dtype)
    height, width = (1, *shape)[-2:]
    module.get_function("k")(drv.Out(out), block=(width, height, 1), **options)
    return out


def test_a_matrix_is_read_through_a_reference():
    module = SourceModule("""
    texture<float, 2> tex;

    __global__ void k(float *out) {
        out[threadIdx.y * blockDim.x + threadIdx.x] = tex2D(tex, threadIdx.x, threadIdx.y);
    }
    """)
    matrix = np.arange(12, dtype=np.float32).reshape(3, 4)
    reference = module.get_texref("tex")
    drv.matrix_to_texref(matrix, reference, order="C")
    assert (run(module, (3, 4), texrefs=[reference]) == matrix).all()
    drv.matrix_to_texref(matrix + 1, reference, order="C")
    assert (run(module, (3, 4)) == matrix + 1).all()
    kernel = module.get_function("k").prepare("P", texrefs=[reference])
    out = gpuarray.zeros((3, 4), np.float32)
    kernel.prepared_call((1, 1), (4, 3, 1), out.gpudata)
    assert (out.get() == matrix + 1).all()


def test_settings_may_come_in_any_order():
    module = SourceModule("""
    texture<float, 2, cudaReadModeElementType> tex;
    __global__ void k(float *out) { out[threadIdx.x] = tex2D(tex, 0.25f + threadIdx.x, 0.25f); }
    """)
    reference = module.get_texref("tex")
    for axis in (0, 1):
        reference.set_address_mode(axis, drv.address_mode.WRAP)
    reference.set_filter_mode(drv.filter_mode.LINEAR)
    reference.set_array(drv.matrix_to_array(np.array([[1, 3]], np.float32), "C"))
    assert run(module, (1,)).tolist() == [1]
    reference.set_flags(drv.TRSF_NORMALIZED_COORDINATES)
    assert run(module, (3,)).tolist() == [1, 1, 1]
    assert reference.get_flags() == drv.TRSF_NORMALIZED_COORDINATES
    assert reference.get_filter_mode() == drv.filter_mode.LINEAR
    assert reference.get_address_mode(0) == drv.address_mode.WRAP
    assert reference.get_format() == (drv.array_format.FLOAT, 1)


def test_settings_may_be_made_when_the_last_memory_is_gone():
    module = SourceModule("""
    texture<float, 2> flat;
    texture<float, 1> line;
    __global__ void k(float *out) { out[threadIdx.x] = tex2D(flat, threadIdx.x, 0) + tex1Dfetch(line, threadIdx.x); }
    """)
    flat, line = module.get_texref("flat"), module.get_texref("line")
    for frame in range(3):
        flat.set_filter_mode(drv.filter_mode.POINT)
        flat.set_address_mode(0, drv.address_mode.CLAMP)
        line.set_flags(drv.TRSF_READ_AS_INTEGER)
        array = drv.matrix_to_array(np.full((4, 4), frame, np.float32), "C")
        memory = drv.to_device(np.full(1 << 18, 10 * frame, np.float32))
        flat.set_array(array)
        line.set_address(memory, 1 << 20)
        assert run(module, (4,), texrefs=[flat, line]).tolist() == [11 * frame] * 4
        array.free()
        memory.free()
    flat.set_filter_mode(drv.filter_mode.LINEAR)
    assert flat.get_filter_mode() == drv.filter_mode.LINEAR
    with pytest.raises(drv.LogicError, match="no array is bound"):
        flat.get_array()


def test_plain_memory_and_its_offset():
    module = SourceModule("""
    texture<int4, 1, cudaReadModeElementType> quads;
    texture<unsigned char, 1> bytes;
    __global__ void k(int *out) {
        out[threadIdx.x] = tex1Dfetch(quads, threadIdx.x).w + 100 * tex1Dfetch(bytes, threadIdx.x);
    }
    """)
    quads, numbers = module.get_texref("quads"), module.get_texref("bytes")
    values = gpuarray.arange(12, dtype=np.int32)
    assert values.bind_to_texref_ext(quads, channels=4) == 0
    small = gpuarray.to_gpu(np.arange(5, 105, dtype=np.uint8))
    small.bind_to_texref(numbers)
    assert run(module, (3,), np.int32).tolist() == [503, 607, 711]
    assert quads.get_format() == (drv.array_format.SIGNED_INT32, 4)
    assert quads.get_address() == values.ptr
    with pytest.raises(drv.LogicError, match="texture binding resulted in offset, but allow_offset was false"):
        numbers.set_address(int(small.gpudata) + 3, 97)
    assert run(module, (3,), np.int32).tolist() == [503, 607, 711]
    assert numbers.set_address(int(small.gpudata) + 3, 97, allow_offset=True) == 3


def test_integers_as_elements_and_as_fractions():
    module = SourceModule("""
    texture<uchar4, 2, cudaReadModeNormalizedFloat> colours;
    texture<unsigned char, 2, cudaReadModeElementType> grey;
    __global__ void k(float *out) {
        float4 colour = tex2D(colours, threadIdx.x, 0);
        out[threadIdx.x] = colour.x + colour.w + tex2D(grey, threadIdx.x, 0);
    }
    """)
    picture = np.array([[[0, 1, 2, 255], [255, 3, 4, 51]]], np.uint8)
    module.get_texref("colours").set_array(drv.make_multichannel_2d_array(picture, "C"))
    grey = module.get_texref("grey")
    grey.set_filter_mode(drv.filter_mode.LINEAR)
    drv.matrix_to_texref(np.array([[7, 9]], np.uint8), grey, order="C")
    np.testing.assert_allclose(run(module, (2,)), [1 + 7, 1.2 + 9], rtol=1e-6)


def test_volumes_layers_and_functions_that_take_references():
    module = SourceModule("""
    texture<float, 3, cudaReadModeElementType> volume;
    texture<float, cudaTextureType2DLayered> layers;

    __device__ float read(texture<float, 3, cudaReadModeElementType> which, int z) { return tex3D(which, 1, 0, z); }

    __global__ void k(float *out) {
        out[threadIdx.x] = read(volume, threadIdx.x) + 100 * tex2DLayered(layers, 0, 1, 0);
    }
    """)
    module.get_texref("volume").set_array(drv.np_to_array(np.arange(8, dtype=np.float32).reshape(2, 2, 2), "C"))
    plane = np.arange(4, dtype=np.float32).reshape(2, 2)
    module.get_texref("layers").set_array(drv.np_to_array(plane, "C", allowSurfaceBind=True))
    assert run(module, (2,)).tolist() == [201, 205]


def test_doubles_and_complex_numbers_with_the_helpers_header():
    module = SourceModule("""
    #include <pycuda-helpers.hpp>
    texture<fp_tex_double, 1, cudaReadModeElementType> reals;
    texture<fp_tex_cfloat, 1, cudaReadModeElementType> numbers;
    __global__ void k(double *out) {
        int i = threadIdx.x;
        out[i] = fp_tex1Dfetch(reals, i) + fp_tex1Dfetch(numbers, i).imag();
    }
    """)
    reals = gpuarray.to_gpu(np.array([0.1, 0.2]))
    reals.bind_to_texref_ext(module.get_texref("reals"), allow_double_hack=True)
    numbers = gpuarray.to_gpu(np.array([1 + 2j, 3 + 4j], np.complex64))
    numbers.bind_to_texref_ext(module.get_texref("numbers"), allow_complex_hack=True)
    assert run(module, (2,), np.float64).tolist() == [2.1, 4.2]


def test_a_surface_is_written_and_read():
    module = SourceModule("""
    surface<void, 2> surf;
    __global__ void write() { surf2Dwrite(1.5f * threadIdx.x, surf, threadIdx.x * 4, threadIdx.y); }
    __global__ void k(float *out) {
        float value;
        surf2Dread(&value, surf, threadIdx.x * 4, 1);
        out[threadIdx.x] = value + surf2Dread<float>(surf, threadIdx.x * 4, 0);
    }
    """)
    shape = drv.ArrayDescriptor3D()
    shape.width, shape.height, shape.depth, shape.num_channels = 4, 2, 0, 1
    shape.format = drv.array_format.FLOAT
    shape.flags = drv.array3d_flags.SURFACE_LDST
    array = drv.Array(shape)
    surface = module.get_surfref("surf")
    surface.set_array(array)
    module.get_function("write")(block=(4, 2, 1))
    assert run(module, (4,)).tolist() == [0, 3, 6, 9]
    assert surface.get_array().get_descriptor_3d().width == 4


def test_what_is_bound_lives_as_long_as_the_module():
    module = SourceModule("""
    texture<float, 2> tex;
    __global__ void k(float *out) { out[threadIdx.x] = tex2D(tex, threadIdx.x, 0); }
    """)
    drv.matrix_to_texref(np.array([[1, 2]], np.float32), module.get_texref("tex"), order="C")
    gc.collect()
    assert run(module, (2,)).tolist() == [1, 2]
    assert module.get_texref("tex").get_array().get_descriptor().width == 2
    reference = module.get_texref("tex")
    del module
    gc.collect()
    assert reference.get_array().get_descriptor().width == 2


def test_names_that_are_no_references():
    module = SourceModule("""
    texture<float, 2> tex;
    __constant__ float numbers[8];
    __global__ void k(float *out) {
        int texture = threadIdx.x, surface = 2;
        bool less = texture < surface;
        out[texture] = less + numbers[texture] + tex2D(tex, 0, 0);
    }
    """)
    for name in ("nothing", "numbers", "k"):
        with pytest.raises(drv.LogicError, match="cuModuleGetTexRef failed: named symbol not found"):
            module.get_texref(name)
    with pytest.raises(drv.LogicError, match="cuModuleGetSurfRef failed: named symbol not found"):
        module.get_surfref("tex")
    reference = module.get_texref("tex")
    for nothing_bound in (reference.get_array, reference.get_address):
        with pytest.raises(drv.LogicError, match="is bound to the texture"):
            nothing_bound()


def test_a_template_of_that_name_is_the_programs_own():
    module = SourceModule(
        """
    template <class T> struct texture { T value; };
    extern "C" __global__ void k(float *out) { texture<float> mine = {3}; out[0] = mine.value; }
    """,
        no_extern_c=True,
    )
    assert run(module, (1,)).tolist() == [3]


def test_references_in_a_header_of_the_program(tmp_path):
    (tmp_path / "sampling.h").write_text("texture<float, 2> tex;\n")
    module = SourceModule(
        """
        #include "sampling.h"
        __global__ void k(float *out) { out[threadIdx.x] = tex2D(tex, threadIdx.x, 0); }
        """,
        include_dirs=[str(tmp_path)],
    )
    drv.matrix_to_texref(np.array([[4, 5]], np.float32), module.get_texref("tex"), order="C")
    assert run(module, (2,)).tolist() == [4, 5]


def test_errors_quote_the_source_as_it_was_written():
    with pytest.raises(drv.CompileError) as caught:
        SourceModule("texture<float, 2> tex;\ntexture<nonsense, 2> bad;\n__global__ void k() {}\n")
    assert "kernel.cu(2)" in caught.value.stderr
    assert "texture<nonsense, 2> bad;" in caught.value.stderr
    assert "__constant__" not in caught.value.stderr


def test_arrays_with_gaps_are_not_bound(context):
    reference = SourceModule(
        "texture<float, 1> line;\n__global__ void f(float *o) { *o = tex1Dfetch(line, 1); }"
    ).get_texref("line")
    array = gpuarray.to_gpu(np.arange(10, dtype=np.float32))
    for gaps in (array[::2], array[::-1]):
        for bind in (gaps.bind_to_texref, gaps.bind_to_texref_ext):
            with pytest.raises(RuntimeError, match=r"contiguous.*strides"):
                bind(reference)


def test_the_format_has_both_of_its_names(context):
    reference = drv.TextureReference()
    for name in ("fmt", "format"):
        reference.set_format(**{name: drv.array_format.UNSIGNED_INT8}, num_components=2)
        assert reference.get_format() == (drv.array_format.UNSIGNED_INT8, 2)
    with pytest.raises(TypeError, match="once"):
        reference.set_format(drv.array_format.FLOAT, 1, format=drv.array_format.FLOAT)


@pytest.mark.parametrize("dtype", [np.float64, np.int32, np.float16, np.float32])
def test_memory_of_other_numbers_for_a_texture_of_floats_warns(dtype, recwarn):
    texref = SourceModule("""
    texture<float, 1> tex;
    __global__ void k(float *out) { out[threadIdx.x] = tex1Dfetch(tex, threadIdx.x); }
    """).get_texref("tex")
    gpuarray.zeros(4, dtype).bind_to_texref(texref)
    said = [str(warning.message) for warning in recwarn.list]
    assert said == [f"the texture's texels are float32, and the array has {np.dtype(dtype)}: astype converts"] * (
        dtype is not np.float32
    )

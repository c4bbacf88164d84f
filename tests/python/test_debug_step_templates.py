# SPDX-License-Identifier: MIT
"""`pycuda.debug.step` in templates: the types and dimensions that variables have in one instance."""

import numpy as np
import pycuda.debug
import pytest
from programs import is_cpu
from pycuda import gpuarray
from pycuda._stepping.declarations import Declarations, names_of
from pycuda._stepping.templates import named_parts, split_outside
from pycuda._stepping.types import Types
from pycuda.compiler import SourceModule


@pytest.fixture(autouse=True)
def cpu_driver(context):
    if not is_cpu():
        pytest.skip("needs the CPU driver, whose kernels are walked")


SOURCE = """
#define TILE 4
#define ROW (TILE + 1)
template <class T> struct Pair { T x; int y; };
template <class F, int N> __global__ void k(F *out)
{
  __shared__ F s[N];
  __shared__ Pair<F> pairs[2];
  __shared__ F tile[TILE][ROW];
  F own[3];
  s[threadIdx.x] = 7;
  Pair<F> one = {3, 4};
  pairs[threadIdx.x % 2].x = one.x;
  tile[1][threadIdx.x % 4] = s[threadIdx.x];
  own[threadIdx.x % 3] = 5;
  out[threadIdx.x] = tile[1][2] + own[threadIdx.x % 3];
}
"""


@pytest.fixture
def module(context):
    return SourceModule(SOURCE)


@pytest.mark.parametrize(
    ("name", "dtype", "seven"),
    [("k<float, 8>", "f4", 7.0), ("k<double, 16>", "f8", 7.0), ("k<short, 8>", "i2", 7)],
)
def test_each_instance_has_the_elements_of_its_types(module, name, dtype, seven):
    k = module.get_function(name)
    walk = pycuda.debug.step(k, gpuarray.zeros(8, dtype), block=(8, 1, 1), thread=(2, 0, 0))
    touches = [f"{kind} {touch}" for one in walk for kind in ("reads", "writes") for touch in getattr(one, kind)]
    three, twelve = type(seven)(3), type(seven)(12)
    assert touches == [
        f"writes s[2] = {seven}",
        f"writes pairs[0].x = {three}",
        f"reads s[2] = {seven}",
        f"writes tile[1][2] = {seven}",
        f"reads tile[1][2] = {seven}",
        f"writes out[2] = {twelve}",
    ]
    last = walk[-1].variables
    assert last["s"].dtype == dtype and last["s"][2] == 7 and last["tile"].shape == (4, 5)
    assert last["own"].dtype == dtype and last["own"][2] == 5


def test_members_of_class_templates_have_them_too(context):
    source = """
template <class T> struct Sum {
  __device__ static T of(T x) { __shared__ T part[32]; part[threadIdx.x] = x; return part[threadIdx.x]; }
};
template <class T> __device__ T twice(T x) { __shared__ float4 row[2]; row[1].y = x; return 2 * row[1].y; }
template <class T> __global__ void k(T *out) { out[threadIdx.x] = Sum<T>::of(4) + twice(T(2)); }
"""
    k = SourceModule(source, no_extern_c=True).get_function("k<double>")
    walk = pycuda.debug.step(k, gpuarray.zeros(8, np.float64), block=(2, 1, 1), thread=(1, 0, 0))
    writes = [str(touch) for one in walk for touch in one.writes]
    assert sorted(writes) == ["out[1] = 8.0", "part[1] = 4.0", "row[1].y = 2.0"]


def test_a_type_that_no_name_tells_is_that_of_its_accesses(context):
    source = """
template <class T> struct Traits { using value = T; };
template <class T> __global__ void k(T *out)
{
  __shared__ typename Traits<T>::value s[8];
  s[threadIdx.x] = 7;
  out[threadIdx.x] = s[threadIdx.x];
}
"""
    k = SourceModule(source, no_extern_c=True).get_function("k<float>")
    walk = pycuda.debug.step(k, gpuarray.zeros(8, np.float32), block=(8, 1, 1), thread=(2, 0, 0))
    assert [str(touch) for one in walk for touch in one.reads] == ["s[2] = 7.0"]


@pytest.mark.parametrize(
    ("symbol", "names"),
    [
        ("_ZZ1kIfLi8EEvPT_E1s", (["k", "s"], 0)),
        ("_ZZ1kIfLi8EEvPT_E1s_0", (["k", "s"], 1)),
        ("_ZZN3SumIdE2ofEdE4part", (["Sum", "of", "part"], 0)),
    ],
)
def test_names_of_templates_are_those_of_the_source(symbol, names):
    assert names_of(symbol) == names


def test_dimensions_are_numbers_of_the_instance():
    source = b"""
#define ROWS (8 << 1)
constexpr unsigned WIDE = 4u * ROWS;
enum { BASE = 2, DEPTH = BASE * 3 };
template <int N, typename T = float> __global__ void k() {
  __shared__ T s[ROWS + 1][DEPTH][N / 2], wide[WIDE], unknown[M][2];
}
"""
    declared = Declarations(source, Types({}))
    found = declared.of("_ZZ1kILi8EdEvvE1s", 1)
    assert (found.type.dtype, found.shape) == ("f8", (17, 6, 4))
    assert declared.of("_ZZ1kILi8EdEvvE4wide", 1).shape == (64,)
    assert declared.of("_ZZ1kILi8EdEvvE7unknown", 1).shape == (0, 2)


@pytest.mark.parametrize(
    ("declarations", "second", "shape"),
    [
        ("float a[1 << 4], b[16];", "b", (16,)),
        ("float a[N >> 1], b[4];", "b", (4,)),
        ("float a[(N > 4) + 1], b[N];", "b", (8,)),
        ("float a[N < 4 ? 4 : N], b[N / 2][2];", "b", (4, 2)),
    ],
)
def test_operators_in_dimensions_are_no_brackets(declarations, second, shape):
    source = f"template <int N> __global__ void k() {{ __shared__ {declarations} }}"
    declared = Declarations(source.encode(), Types({}))
    assert declared.of(f"_ZZ1kILi8EEvvE1{second}", 1).shape == shape


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("a[1 << 4], b[16]", ["a[1 << 4]", " b[16]"]),
        ("s[N >> 1], t[4]", ["s[N >> 1]", " t[4]"]),
        ("int a = 1 << 4, b = c->d, e", ["int a = 1 << 4", " b = c->d", " e"]),
        ("Pair<A<int, 2>, (3 > 2)> p, q", ["Pair<A<int, 2>, (3 > 2)> p", " q"]),
    ],
)
def test_angles_are_brackets_outside_of_others_alone(text, parts):
    assert split_outside(text, ",") == parts


def test_template_arguments_may_compare_in_brackets():
    assert named_parts("k<(3 > 2), float>::s") == [("k", ["(3 > 2)", "float"]), ("s", [])]


def test_structures_that_no_variable_has_are_known_by_their_definitions(context):
    source = """
#define WIDE 3
struct Point { short kind; float2 at; };
template <class T, int N> struct Pair {
 public:
  __device__ T sum() const { T s = 0; for (int i = 0; i < N; ++i) s += x[i]; return s; }
  T x[N];
  __device__ int either(bool c) const { return c ? y : 0; }
  int y, z;
  Point end;
 private:
  T *next;
};
template <class T> __global__ void k(T *out)
{
  __shared__ Pair<T, WIDE> pairs[2];
  pairs[threadIdx.x].y = 7;
  pairs[threadIdx.x].end.at.y = 2;
  pairs[threadIdx.x].x[2] = 5;
  out[threadIdx.x] = pairs[threadIdx.x].y;
}
"""
    k = SourceModule(source, no_extern_c=True).get_function("k<double>")
    walk = pycuda.debug.step(k, gpuarray.zeros(2, np.float64), block=(2, 1, 1), thread=(1, 0, 0))
    writes = [str(touch) for one in walk for touch in one.writes]
    assert writes == ["pairs[1].y = 7", "pairs[1].end.at.y = 2.0", "pairs[1].x[2] = 5.0", "out[1] = 7.0"]


def test_what_has_a_layout_that_nothing_tells_is_named_by_bytes(context):
    source = """
template <class T> struct Base { T x; };
template <class T> struct Pair : Base<T> { int y; };
template <class T> struct Either { union { T x; int bits; }; int z; };
template <class T> struct Bits { int few : 3; int z; };
template <class T> __global__ void k(T *out)
{
  __shared__ Pair<T> pairs[2];
  __shared__ Either<T> either[2];
  __shared__ Bits<T> bits[2];
  either[threadIdx.x].z = 7;
  bits[threadIdx.x].z = 7;
  pairs[threadIdx.x].y = 7;
  out[threadIdx.x] = pairs[threadIdx.x].y + either[threadIdx.x].z + bits[threadIdx.x].z;
}
"""
    k = SourceModule(source, no_extern_c=True).get_function("k<float>")
    walk = pycuda.debug.step(k, gpuarray.zeros(2, np.float32), block=(2, 1, 1), thread=(1, 0, 0))
    assert [str(touch) for one in walk for touch in one.reads] == ["pairs+12 = 7", "either+12 = 7", "bits+12 = 7"]
    assert "pairs" not in walk[-1].variables

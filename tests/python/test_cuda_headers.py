# SPDX-License-Identifier: MIT
"""NVIDIA's headers compile without nvcc, in the default wrapper too; tools/compile_headers.py goes through all."""

import pathlib
import re
import resource

import pycuda
import pytest
from compiling import needs_cccl, ptx_of
from pycuda._compilers import the_compiler
from pycuda.driver import CompileError

pytestmark = pytest.mark.usefixtures("no_compiler_settings")

HEADERS = {
    "cuda": ["cuda_runtime.h", "cuda_fp16.h", "cuda_bf16.h", "cuda_fp8.h", "mma.h", "cuComplex.h", "math_constants.h"],
    "standard": ["iostream", "sstream", "stdexcept", "new", "exception", "vector", "cuda/std/tuple"],
    "curand": ["curand_kernel.h"],
    "cub": ["cub/block/block_reduce.cuh", "cub/warp/warp_scan.cuh", "cooperative_groups.h"],
    "thrust": ["thrust/complex.h", "thrust/tuple.h", "thrust/functional.h", "thrust/random.h"],
}


@pytest.fixture(autouse=True)
def nvrtc_alone(no_compiler_settings, monkeypatch):
    monkeypatch.setenv("PYCUDA_COMPILER", "nvrtc")


@pytest.mark.parametrize("group", HEADERS)
def test_headers_compile_in_the_default_wrapper(group):
    includes = "".join(f"#include <{name}>\n" for name in HEADERS[group])
    before = resource.getrlimit(resource.RLIMIT_STACK)
    assert ".entry k(" in ptx_of(includes + "__global__ void k(int *a) { *a = 1; }")
    # NVRTC sets it to "unlimited" for the largest of these.
    assert resource.getrlimit(resource.RLIMIT_STACK) == before


BLOCK_SUM = """
    extern "C" __global__ void k(int *a) {
        typedef cub::BlockReduce<int, 128> Reduce;
        __shared__ typename Reduce::TempStorage storage;
        const int sum = Reduce(storage).Sum(a[threadIdx.x]);
        if (threadIdx.x == 0) *a = sum;
    }
"""


@pytest.mark.parametrize(
    "headers",
    [
        ["cub/cub.cuh"],
        ["cub/device/device_reduce.cuh"],
        ["cub/device/device_find.cuh", "cub/block/block_reduce.cuh"],
        ["cub/util_allocator.cuh", "cub/cub.cuh", "cub/device/device_radix_sort.cuh"],
    ],
)
@pytest.mark.parametrize("no_extern_c", [False, True])
def test_cubs_headers_for_the_whole_device_leave_kernels_what_they_need(headers, no_extern_c):
    for name in headers:
        needs_cccl(name)
    includes = "".join(f"#include <{name}>\n" for name in headers)
    assert ".entry k(" in ptx_of(includes + BLOCK_SUM, no_extern_c=no_extern_c)


def test_all_of_cub_is_left_out_or_included():
    """A header that a new CCCL adds or removes must be added to the two lists, or removed from them."""
    include = next(
        folder for folder in the_compiler().installations()[0][2] if (pathlib.Path(folder) / "cub/cub.cuh").exists()
    )
    cub = pathlib.Path(include) / "cub"
    ours = (pathlib.Path(pycuda.__file__).parent / "cuda/stdlib/cub/cub.cuh").read_text()
    device = {f"cub/device/{file.name}" for file in (cub / "device").glob("*.cuh")}
    included = set(re.findall(r"#include <(cub/.*?)>", ours))
    theirs = set(re.findall(r"^#include <(cub/.*?)>", (cub / "cub.cuh").read_text(), re.MULTILINE))
    assert theirs - device - {"cub/util_allocator.cuh"} <= included
    ptx_of(
        "".join(f"#include <{name}>\n" for name in sorted(device | theirs)) + "__global__ void k(int *a) { *a = 1; }"
    )


def test_a_host_function_that_calls_cub_is_refused_by_its_name():
    source = "#include <cub/cub.cuh>\nvoid f(int *a) { size_t n; cub::DeviceReduce::Sum(nullptr, n, a, a, 1); }"
    with pytest.raises(CompileError, match="(?s)error: name followed by .*cub::DeviceReduce"):
        ptx_of(source, no_extern_c=True)


def test_thrusts_complex_numbers_compute():
    source = """
        #include <thrust/complex.h>
        extern "C" __global__ void k(float *a) {
            thrust::complex<float> z(a[0], a[1]);
            a[threadIdx.x] = abs(z * z);
        }
    """
    assert ".entry k(" in ptx_of(source, no_extern_c=True)


@pytest.mark.parametrize("header", ["channel_descriptor.h", "driver_functions.h", "cuda/stream_ref"])
def test_headers_of_functions_for_hosts_compile(header):
    if header.startswith("cuda/"):
        needs_cccl(header, version=(3, 3))
    for settings in ({}, {"no_extern_c": True}):
        assert ".entry" in ptx_of(f"#include <{header}>\n__global__ void k(int *a) {{ *a = 1; }}", **settings)


def test_headers_may_declare_functions_of_files():
    for header, file in (("stdio.h", "FILE"), ("cstdio", "std::FILE")):
        source = f"#include <{header}>\nvoid log_to({file} *file);\n__global__ void k(int *a) {{ *a = 1; }}"
        for settings in ({}, {"no_extern_c": True}):
            assert ".entry" in ptx_of(source, **settings)


def test_functions_that_are_marked_for_hosts_stand_beside_kernels():
    source = """
        __host__ int rows(int n) { return 2 * n; }
        template <class T> __host__ T twice(T a) { return a + a; }
        struct Size { int n; __host__ Size(int n) : n(rows(n)) {} __host__ __device__ int of() const { return n; } };
        __global__ void k(int *a, Size size) { *a = size.of(); }
    """
    assert ".entry k(" in ptx_of(source)


def test_every_header_of_the_standard_library_may_be_included():
    names = (
        "algorithm any array atomic barrier bit bitset cassert ccomplex cctype cerrno cfenv cfloat charconv chrono "
        "cinttypes climits clocale cmath codecvt compare complex concepts condition_variable coroutine csetjmp csignal "
        "cstdarg cstddef cstdint cstdio cstdlib cstring ctime cuchar cwchar cwctype deque exception execution expected "
        "filesystem flat_map flat_set format forward_list fstream functional future generator initializer_list iomanip "
        "ios iosfwd iostream istream iterator latch limits list locale map mdspan memory memory_resource mutex new "
        "numbers numeric optional ostream print queue random ranges ratio regex scoped_allocator semaphore set "
        "shared_mutex source_location span spanstream sstream stack stacktrace stdexcept stdfloat stop_token streambuf "
        "string string_view strstream syncstream system_error thread tuple type_traits typeindex typeinfo "
        "unordered_map unordered_set utility valarray variant vector version"
    )
    includes = "".join(f"#include <{name}>\n" for name in names.split())
    assert ".entry k(" in ptx_of(includes + "__global__ void k(int *a) { *a = 1; }")


STANDARD_NAMES = {
    "optional": ("std::optional<int>(7).value_or(1)", 7),
    "numbers": ("int(std::numbers::pi)", 3),
    "type_traits": ("std::is_invocable_v<int (*)(int), int> + std::is_rvalue_reference<int &&>::value", 2),
    "cstddef": ("std::to_integer<int>(std::byte{3})", 3),
    "initializer_list": ("int(std::initializer_list<int>{1, 2}.size())", 2),
}


@pytest.mark.parametrize("header", STANDARD_NAMES)
def test_names_of_the_standard_library_that_libcudacxx_has_are_known(header):
    needs_cccl(f"cuda/std/{header}", version=(3, 0))
    expression, value = STANDARD_NAMES[header]
    source = f"#include <{header}>\n__global__ void k(int *a) {{ *a = {expression}; }}"
    assert f", {value};" in ptx_of(source, options=["-std=c++20"])


def test_a_name_that_only_hosts_have_is_refused_by_its_name():
    source = "#include <vector>\n__global__ void k(int *a) { std::vector<int> v; *a = 1; }"
    with pytest.raises(CompileError, match='namespace "std" has no member "vector"'):
        ptx_of(source)


def test_an_older_standard_is_raised_for_headers_that_refuse_it(capfd):
    source = "#include <cub/block/block_reduce.cuh>\n__global__ void k(int *a) { *a = 1; }"
    assert ".entry k(" in ptx_of(source, options=["-std=c++14"])
    assert "-std is raised to c++17" in capfd.readouterr().err


def test_an_older_standard_stays_where_it_is_enough():
    source = "__global__ void k(long *a) { *a = __cplusplus; }"
    assert "201402" in ptx_of(source, options=["-std=c++14"])

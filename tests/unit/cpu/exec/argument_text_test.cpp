// SPDX-License-Identifier: MIT
// Faults name the argument that the memory was passed as.
#include <cstdint>
#include <memory>

#include "cpu/exec/device_memory.h"
#include "cpu/exec/source_places.h"
#include "unit/cpu/exec/faults_of_kernels.h"
#include "unit/cpu/exec/machine_instructions.h"

namespace pycuda::cpu::exec {
namespace {

using namespace tests;

/// Writes to the address that is its first argument.
constexpr auto store_there = [](BlockFrame& block, ThreadFrame&) {
  store_by_instruction(parameter<std::uintptr_t>(block));
};

/// A kernel of a source, which is the user's or generated.
struct Sourced {
  explicit Sourced(const char* source, const char* place = "program.py:{}") {
    kernel = plain_kernel<store_there>("k");
    kernel.facts.source_files = {"kernel.cu"};
    add_source_place(code.get(), {"kernel.cu", source, place, 1});
  }
  ~Sourced() { remove_source_places(code.get()); }
  Sourced(const Sourced&) = delete;
  Sourced& operator=(const Sourced&) = delete;

  std::string fault(std::vector<KernelParameter> parameters, std::string params) {
    kernel.facts.parameters = std::move(parameters);
    Faults faults;
    Stream stream(0, faults);
    LaunchRequest launch = request(kernel, {1, 1, 1}, {1, 1, 1}, std::move(params));
    launch.keep_alive = code;
    stream.launch(std::move(launch));
    stream.synchronize();
    return faults.only().message;
  }

  std::shared_ptr<const int> code = std::make_shared<int>(0);
  Kernel kernel;
};

struct Memory {
  DeviceMemory device{0, std::uint64_t{1} << 30};
  std::uintptr_t allocate() {
    return reinterpret_cast<std::uintptr_t>(device.allocate(4096, MemoryKind::Device, nullptr));
  }
};

constexpr KernelParameter word(std::uint32_t offset) { return {offset, 8, 8}; }

TEST_CASE("a stray access names the argument that points to the memory") {
  Memory memory;
  const std::uintptr_t first = memory.allocate(), second = memory.allocate();
  Sourced sourced("__global__ void k(float *at, const int *other, float *x) {}");
  const std::string text =
      sourced.fault({word(0), word(8), word(16)}, pack(second + 4096, first, second));
  CHECK(contains(text, ", passed as 'float *x', argument #2 (0-based) in kernel k, block"));
}

TEST_CASE("all pointers to the same memory are named") {
  Memory memory;
  const std::uintptr_t begin = memory.allocate();
  Sourced sourced("__global__ void k(float *at, const int *a, int n, float *x) {}");
  const std::string text =
      sourced.fault({word(0), word(8), {16, 4, 4}, word(24)},
                    pack(begin + 4096, begin, std::uint32_t{0}, std::uint32_t{0}, begin + 8));
  CHECK(contains(text,
                 ", passed as 'const int *a', argument #1 (0-based), and 'float *x', argument #3 "
                 "(0-based) in kernel k"));
}

TEST_CASE("what is no pointer but holds the address is named where no pointer does") {
  Memory memory;
  const std::uintptr_t begin = memory.allocate();
  const char* const source = "__global__ void k(float *at, Size size, float *x) {}";
  const std::vector<KernelParameter> parameters = {word(0), {8, 16, 8}, word(24)};
  const auto fault = [&](const char* text, std::uint64_t x) {
    return Sourced(text).fault(parameters, pack(begin + 4096, std::uint64_t{7}, begin, x));
  };
  CHECK(contains(fault(source, begin), ", passed as 'float *x', argument #2 (0-based) in kernel"));
  CHECK(contains(fault("", begin), ", passed as argument #2 (0-based) in kernel"));
  CHECK(contains(fault(source, 8), ", passed as 'Size size', argument #1 (0-based) in kernel"));
  CHECK(contains(fault("", 8), ", passed as argument #1 (0-based) in kernel"));
}

TEST_CASE("without a source there is the number") {
  Memory memory;
  const std::uintptr_t begin = memory.allocate();
  Sourced sourced("");
  const std::string text = sourced.fault({word(0), word(8)}, pack(begin + 5000, begin));
  CHECK(contains(text, ", passed as argument #1 (0-based) in kernel k"));
}

TEST_CASE("of a generated source there is the name") {
  Memory memory;
  const std::uintptr_t begin = memory.allocate();
  Sourced sourced("extern \"C\" __global__ void k(float *at, float *x) {}",
                  "a line of a generator");
  const std::string text = sourced.fault({word(0), word(8)}, pack(begin + 5000, begin));
  CHECK(contains(text, ", passed as 'float *x' in kernel k"));
}

TEST_CASE("memory that is no argument names none") {
  Memory memory;
  const std::uintptr_t begin = memory.allocate();
  Sourced sourced("__global__ void k(float *at) {}");
  const std::string text = sourced.fault({word(0)}, pack(begin + 5000));
  CHECK(text.find("passed as") == std::string::npos);
}

TEST_CASE("freed memory has the argument that points to it") {
  Memory memory;
  const std::uintptr_t begin = memory.allocate();
  memory.device.release(reinterpret_cast<void*>(begin));
  Sourced sourced("__global__ void k(float *at) {}");
  CHECK(contains(sourced.fault({word(0)}, pack(begin + 8)),
                 "has been freed, passed as 'float *at', argument #0 (0-based) in kernel k"));
}

TEST_CASE("pointers that are null are named, numbers are not") {
  Sourced sourced("__global__ void k(float *at, int n, const float *x, long m) {}");
  const std::string text =
      sourced.fault({word(0), {8, 4, 4}, word(16), word(24)},
                    pack(std::uint64_t{16}, 0, 0, std::uint64_t{0}, std::uint64_t{0}));
  CHECK(contains(text, "a null pointer or close to one in kernel k"));
  CHECK(contains(text, ": null among the arguments: 'const float *x', argument #2 (0-based)"));
  CHECK(text.find("long m") == std::string::npos);
}

TEST_CASE("an address that an overflowed index leads to has the index") {
  Memory memory;
  const std::uintptr_t begin = memory.allocate();
  Sourced sourced("__global__ void k(unsigned long at, int *x) {}");
  const auto fault = [&](std::int64_t index, std::uint64_t other) {
    return sourced.fault({word(0), word(8)},
                         pack(begin + static_cast<std::uint64_t>(index * 4), begin + other));
  };
  CHECK(contains(fault(-1794967296, 0),
                 "far from every allocation, at index -1794967296 of 'int *x', argument #1 "
                 "(0-based), as of an int that overflowed (long long does not) in kernel k"));
  CHECK(contains(fault((std::int64_t{1} << 32) - 3, 0),
                 "far from every allocation, where index -3 of 'int *x', argument #1 (0-based), "
                 "lies if it is computed as an unsigned int in kernel k"));
  for (const std::int64_t no_int : {std::int64_t{3} << 30, std::int64_t{-3} << 30})
    CHECK(contains(fault(no_int, 0), "far from every allocation in kernel k"));
}

TEST_CASE("an index counts elements of the type that is declared, not of one with the same name") {
  Memory memory;
  const std::uintptr_t begin = memory.allocate();
  const auto fault = [&](const char* source) {
    Sourced sourced(source);
    return sourced.fault({word(0), word(8)}, pack(begin - (std::uintptr_t{6} << 30), begin));
  };
  CHECK(
      contains(fault("__global__ void k(long at, int *half) {}"), "at index -1610612736 of 'int"));
  for (const char* const source :
       {"__global__ void k(long at, Node *half) {}", "__global__ void k(long at, float **x) {}"})
    CHECK(contains(fault(source), "far from every allocation in kernel k"));
}

TEST_CASE("an address within an element comes from no index") {
  Memory memory;
  const std::uintptr_t begin = memory.allocate();
  Sourced sourced("__global__ void k(unsigned long at, int *x) {}");
  for (const std::int64_t distance : {(std::int64_t{1} << 34) - 14, -(std::int64_t{6} << 30) + 2})
    CHECK(contains(sourced.fault({word(0), word(8)},
                                 pack(begin + static_cast<std::uint64_t>(distance), begin)),
                   "far from every allocation in kernel k"));
}

TEST_CASE("an argument half of the address space away is not near") {
  Memory memory;
  const std::uintptr_t begin = memory.allocate();
  Sourced sourced("__global__ void k(unsigned long at, float *stray, int *x) {}");
  const std::uintptr_t at = begin + (std::uintptr_t{1} << 34) - 12;
  CHECK(contains(
      sourced.fault({word(0), word(8), word(16)}, pack(at, at ^ (std::uintptr_t{1} << 63), begin)),
      "where index -3 of 'int *x', argument #2 (0-based), lies"));
}

TEST_CASE("of several arguments that may have led to a stray access none is named") {
  Memory memory;
  const std::uintptr_t begin = memory.allocate(), other = memory.allocate();
  Sourced sourced("__global__ void k(unsigned long at, int *x, float *y) {}");
  const auto fault = [&](std::int64_t bytes) {
    return sourced.fault({word(0), word(8), word(16)},
                         pack(begin + static_cast<std::uint64_t>(bytes), begin, other));
  };
  CHECK(contains(fault(std::int64_t{-6} << 30), "allocation, at index about -161"));
  CHECK(contains(fault((std::int64_t{1} << 34) - 4096), ", where a negative index lies if it"));
}

TEST_CASE("a stray address that is an argument comes from no index") {
  Memory memory;
  const std::uintptr_t begin = memory.allocate();
  Sourced sourced("__global__ void k(float *at, float *x) {}");
  const std::uintptr_t stray = begin - (std::uintptr_t{6} << 30);
  CHECK(contains(sourced.fault({word(0), word(8)}, pack(stray, begin)),
                 "far from every allocation in kernel k"));
}

}  // namespace
}  // namespace pycuda::cpu::exec

// SPDX-License-Identifier: MIT
// A file test: a PTX module whose comments say how to launch its kernels and what must come out.
//
// Directives stand in comments at the start of a line. A test begins with TEST; its parameters
// follow in the kernel's order:
//
//   // TEST <kernel>                       one launch of this kernel
//   // GRID <x> [<y> <z>]                  blocks; 1 if absent
//   // BLOCK <x> [<y> <z>]                 threads of a block; 1 if absent
//   // SHARED <bytes>                      dynamic shared memory
//   // IN <name> <type> <count> <values>   a buffer that the kernel reads
//   // OUT <name> <type> <count> <expectation>
//   // INOUT <name> <type> <count> <values> = <values>
//   // SCALAR <name> <type> <value>        passed by value
//   // FAULT <code>                        the launch must fail with this CUresult; the last TEST
//   of its file
//   // REJECT <code> [<text>]              (before any TEST) the module must not load; the log must
//   hold the text
//   // + <values>                          more values for the line before
//
// <values>: numbers (decimal, 0x bits, decimal fractions for f32 and f64); or `each`: the type's
// special values in turn; `first`/`second`: all pairs of special values; `mix:<seed>`: a
// pseudo-random mixture of them and of random bits. <expectation>: `= <values>`, or `golden`: what
// a GPU gave, recorded in a file of the same name. Either may be followed by `ulp <n>` or `abs <x>`
// or both: the distance allowed (either suffices).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pycuda::ptx_tests {

struct Parameter {
  enum class Kind { In, Out, InOut, Scalar } kind{};
  std::string name, type;
  std::size_t count = 1;
  std::vector<std::uint64_t> values;    ///< bits of the input
  std::vector<std::uint64_t> expected;  ///< bits; empty when `golden`
  bool golden = false;
  std::uint64_t ulp = 0;
  double absolute = 0;
  bool any_of_nans = false;  ///< of several NaN operands any one may come out, made quiet
};

struct LaunchTest {
  std::string kernel;
  unsigned grid[3] = {1, 1, 1};
  unsigned block[3] = {1, 1, 1};
  unsigned shared_bytes = 0;
  std::vector<Parameter> parameters;
  std::optional<int> fault;
};

struct TestFile {
  std::string path, stem, text;
  int target = 0;  ///< of .target: 90 for sm_90a
  std::optional<int> reject;
  std::string reject_text;
  std::vector<LaunchTest> tests;
};

/// Throws std::runtime_error naming the line when a directive makes no sense.
TestFile read_test_file(const std::string& path);

}  // namespace pycuda::ptx_tests

// SPDX-License-Identifier: MIT
// Emitters: calls of the device run-time library. Structures are passed part by part, so that a
// vector form has nothing to do but to call once for each lane.
#include "cpu/ptx/device_runtime.h"

#include <string>
#include <vector>

#include "cpu/lower/call_operands.h"

namespace pycuda::cpu::lower {

namespace {

/// cudaStreamPerThread.
constexpr std::uint64_t own_stream = 2;

class RuntimeArguments {
 public:
  RuntimeArguments(FunctionLowering& lowering, const ptx::DeviceRuntimeFunction& function)
      : lowering_(lowering), function_(function) {}

  void add(char kind, const ptx::Operand& argument) {
    switch (kind) {
      case 'i':
        values_.push_back(argument_bits(lowering_, argument, 32));
        break;
      case 'l':
        values_.push_back(argument_bits(lowering_, argument, 64));
        break;
      case 's':
        values_.push_back(stream(argument_bits(lowering_, argument, 64)));
        break;
      case 'd':
        add_parts(argument, 3, 32);
        break;
      case 'P':
        add_parts(argument, 4, 64);
        break;
      default:
        add_parts(argument, 3, 64);
    }
  }

  const std::vector<llvm::Value*>& values() const { return values_; }

 private:
  llvm::Value* stream(llvm::Value* handle) {
    if (!function_.own_stream) return handle;
    llvm::IRBuilder<>& b = lowering_.builder();
    return b.CreateSelect(b.CreateICmpEQ(handle, b.getInt64(0)), b.getInt64(own_stream), handle);
  }

  void add_parts(const ptx::Operand& argument, unsigned count, unsigned bits) {
    llvm::IRBuilder<>& b = lowering_.builder();
    llvm::Value* memory = memory_of(lowering_, argument, std::uint64_t{count} * (bits / 8));
    for (unsigned part = 0; part < count; ++part) {
      llvm::Value* place =
          b.CreateConstGEP1_64(b.getInt8Ty(), memory, std::uint64_t{part} * (bits / 8));
      values_.push_back(b.CreateAlignedLoad(lowering_.int_type(bits), place, llvm::Align(1)));
    }
  }

  FunctionLowering& lowering_;
  const ptx::DeviceRuntimeFunction& function_;
  std::vector<llvm::Value*> values_{lowering_.thread()};
};

}  // namespace

bool emit_device_runtime_call(FunctionLowering& lowering, const std::string& name,
                              const ptx::Call& call) {
  const ptx::DeviceRuntimeFunction* function = ptx::find_linked_device_runtime(name);
  if (function == nullptr) return false;
  if (call.arguments.size() != function->parameters.size() || call.results.size() > 1) {
    lowering.fail("passes other arguments than '" + std::string(function->name) + "' takes");
    return true;
  }
  lowering.track_line();
  RuntimeArguments arguments(lowering, *function);
  for (std::size_t i = 0; i < call.arguments.size(); ++i)
    arguments.add(function->parameters[i], call.arguments[i]);
  llvm::Value* result =
      lowering.runtime_call(llvm::StringRef(function->symbol.data(), function->symbol.size()),
                            lowering.int_type(function->result_bits), arguments.values());
  if (call.results.size() == 1) store_result(lowering, call.results.front(), result);
  return true;
}

}  // namespace pycuda::cpu::lower

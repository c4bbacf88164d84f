// SPDX-License-Identifier: MIT
// Emitters: calls: direct, through pointers, and of CUDA's system functions.
#include <algorithm>

#include "cpu/lower/call_operands.h"
#include "cpu/lower/emitter.h"
#include "cpu/lower/function_lowering.h"
#include "cpu/ptx/device_runtime.h"

namespace pycuda::cpu::lower {

using Kind = ptx::Operand::Kind;

namespace {

bool is_parameter_memory(FunctionLowering& lowering, const ptx::Operand& operand) {
  return operand.kind == Kind::Symbol && operand.symbol &&
         lowering.symbol_space(*operand.symbol) == ptx::Space::Param;
}

/// The driver's own functions take what they take, whatever the program declared.
void check_bytes(FunctionLowering& lowering, const ptx::Operand& operand, std::uint64_t needed) {
  const ptx::Function& caller = lowering.source();
  const std::uint32_t index = operand.symbol->index;
  std::uint64_t bytes = 0;
  switch (operand.symbol->kind) {
    case ptx::SymbolRef::Kind::LocalVariable:
      bytes = caller.variables[index].bytes;
      break;
    case ptx::SymbolRef::Kind::Parameter:
      bytes = caller.parameters[index].bytes;
      break;
    case ptx::SymbolRef::Kind::ReturnParameter:
      bytes = caller.returns[index].bytes;
      break;
    default:
      return;
  }
  if (bytes >= needed) return;
  lowering.fail("has a .param variable of " + std::to_string(bytes) +
                " bytes where the function has " + std::to_string(needed));
}

}  // namespace

llvm::Value* argument_bits(FunctionLowering& lowering, const ptx::Operand& argument,
                           unsigned bits) {
  llvm::IRBuilder<>& b = lowering.builder();
  if (is_parameter_memory(lowering, argument)) {
    check_bytes(lowering, argument, (bits + 7) / 8);
    llvm::Value* memory = lowering.symbol_address(*argument.symbol, argument.offset);
    return b.CreateAlignedLoad(lowering.int_type(bits), memory, llvm::Align(1));
  }
  return lowering.read_bits(argument, bits);
}

llvm::Value* memory_of(FunctionLowering& lowering, const ptx::Operand& operand,
                       std::uint64_t bytes) {
  if (is_parameter_memory(lowering, operand)) {
    check_bytes(lowering, operand, bytes);
    return lowering.symbol_address(*operand.symbol, operand.offset);
  }
  lowering.fail("passes something that is no .param variable where an array is expected");
  return llvm::ConstantPointerNull::get(lowering.builder().getPtrTy());
}

void store_result(FunctionLowering& lowering, const ptx::Operand& destination, llvm::Value* value) {
  if (is_parameter_memory(lowering, destination)) {
    check_bytes(lowering, destination, (value->getType()->getIntegerBitWidth() + 7) / 8);
    if (value->getType()->isIntegerTy(1))
      value = lowering.builder().CreateZExt(value, lowering.int_type(8));
    lowering.builder().CreateAlignedStore(
        value, lowering.symbol_address(*destination.symbol, destination.offset), llvm::Align(1));
  } else {
    lowering.write(destination, value);
  }
}

namespace {

/// The functions that CUDA's runtime gives to device code. False if `name` is none.
bool emit_system_call(FunctionLowering& lowering, const std::string& name, const ptx::Call& call) {
  llvm::IRBuilder<>& b = lowering.builder();
  const auto pointer = [&](std::size_t i) {
    return b.CreateIntToPtr(argument_bits(lowering, call.arguments[i], 64), b.getPtrTy());
  };
  const auto has = [&](std::size_t arguments) { return call.arguments.size() == arguments; };
  llvm::Value* result = nullptr;
  lowering.track_line();
  if (name == "vprintf" && has(2)) {
    result = lowering.runtime_call("pycuda_cpu_vprintf", b.getInt32Ty(),
                                   {lowering.thread(), pointer(0), pointer(1)});
  } else if (name == "__assertfail" && has(5)) {
    lowering
        .runtime_call("pycuda_cpu_assert_fail", b.getVoidTy(),
                      {lowering.thread(), pointer(0), pointer(1),
                       argument_bits(lowering, call.arguments[2], 32), pointer(3),
                       argument_bits(lowering, call.arguments[4], 64)})
        ->setDoesNotReturn();
    b.CreateUnreachable();
    lowering.start_unreachable_block();
  } else if (name == "malloc" && has(1)) {
    result =
        lowering.runtime_call("pycuda_cpu_malloc", b.getPtrTy(),
                              {lowering.thread(), argument_bits(lowering, call.arguments[0], 64)});
    result = b.CreatePtrToInt(result, b.getInt64Ty());
  } else if (name == "free" && has(1)) {
    lowering.runtime_call("pycuda_cpu_free", b.getVoidTy(), {lowering.thread(), pointer(0)});
  } else if (name == "cudaGraphSetConditional" && has(2)) {
    lowering.runtime_call("pycuda_cpu_set_condition", b.getVoidTy(),
                          {lowering.thread(), argument_bits(lowering, call.arguments[0], 64),
                           argument_bits(lowering, call.arguments[1], 32)});
  } else {
    return false;
  }
  if (result && call.results.size() == 1) store_result(lowering, call.results[0], result);
  return true;
}

llvm::Value* scratch(FunctionLowering& lowering, std::uint64_t bytes) {
  llvm::AllocaInst* memory = lowering.entry_alloca(
      llvm::ArrayType::get(lowering.builder().getInt8Ty(), std::max<std::uint64_t>(bytes, 1)));
  memory->setAlignment(llvm::Align(16));
  return memory;
}

/// Visits the registers of a vector with the places of their values in `memory`.
template <class Visit>
void each_element(FunctionLowering& lowering, const ptx::Operand& vector, llvm::Value* memory,
                  const Visit& visit) {
  llvm::IRBuilder<>& b = lowering.builder();
  std::uint64_t offset = 0;
  for (const ptx::Operand& element : lowering.elements(vector)) {
    llvm::IntegerType* type = lowering.int_type(lowering.register_bits(element));
    visit(element, type, b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), memory, offset));
    offset += type->getBitWidth() / 8;
  }
}

/// The memory of an argument that the function takes by its address: a .param variable, or a copy
/// of a vector register.
llvm::Value* argument_memory(FunctionLowering& lowering, const ptx::Operand& argument,
                             std::uint64_t bytes) {
  if (argument.kind != Kind::Register) return memory_of(lowering, argument, bytes);
  llvm::IRBuilder<>& b = lowering.builder();
  llvm::Value* memory = scratch(lowering, bytes);
  each_element(lowering, argument, memory,
               [&](const ptx::Operand& element, llvm::IntegerType* type, llvm::Value* place) {
                 b.CreateAlignedStore(lowering.read_bits(element, type->getBitWidth()), place,
                                      llvm::Align(1));
               });
  return memory;
}

void emit_signature_call(FunctionLowering& lowering, const ptx::Call& call, llvm::Value* callee,
                         const std::vector<ptx::Parameter>& returns,
                         const std::vector<ptx::Parameter>& parameters) {
  if (call.results.size() != returns.size() || call.arguments.size() != parameters.size()) {
    lowering.fail("passes " + std::to_string(call.arguments.size()) + " arguments and takes " +
                  std::to_string(call.results.size()) + " results where the function has " +
                  std::to_string(parameters.size()) + " and " + std::to_string(returns.size()));
    return;
  }
  llvm::IRBuilder<>& b = lowering.builder();
  const Signature signature = lowering.module().signature(returns, parameters);
  std::vector<llvm::Value*> arguments{lowering.thread()};
  for (const std::uint32_t index : signature.memory_returns) {
    const ptx::Operand& result = call.results[index];
    const bool is_memory = result.kind == Kind::Symbol;
    arguments.push_back(is_memory ? memory_of(lowering, result, returns[index].bytes)
                                  : scratch(lowering, returns[index].bytes));
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const bool in_memory = parameters[i].is_array || parameters[i].vector > 1;
    arguments.push_back(in_memory
                            ? argument_memory(lowering, call.arguments[i], parameters[i].bytes)
                            : argument_bits(lowering, call.arguments[i],
                                            std::max(1u, ptx::bits_of(parameters[i].type))));
  }
  llvm::CallInst* result = b.CreateCall(signature.type, callee, arguments);
  result->setDoesNotThrow();
  lowering.forget_line();
  for (std::size_t i = 0; i < signature.memory_returns.size(); ++i) {
    const ptx::Operand& destination = call.results[signature.memory_returns[i]];
    if (destination.kind != Kind::Register) continue;
    each_element(lowering, destination, arguments[1 + i],
                 [&](const ptx::Operand& element, llvm::IntegerType* type, llvm::Value* place) {
                   lowering.write(element, b.CreateAlignedLoad(type, place, llvm::Align(1)));
                 });
  }
  for (unsigned i = 0; i < signature.scalar_returns.size(); ++i) {
    llvm::Value* value = signature.scalar_returns.size() == 1 ? static_cast<llvm::Value*>(result)
                                                              : b.CreateExtractValue(result, i);
    store_result(lowering, call.results[signature.scalar_returns[i]], value);
  }
}

}  // namespace

bool emit_call(FunctionLowering& lowering, const ptx::Instruction& instruction) {
  if (!instruction.call) return false;
  const ptx::Call& call = *instruction.call;
  const ptx::Module& source = lowering.module().source();
  if (call.callee.kind == Kind::Symbol) {
    if (!call.callee.symbol || call.callee.symbol->kind != ptx::SymbolRef::Kind::Function)
      return false;
    const std::uint32_t number = resolve_alias(source, call.callee.symbol->index);
    const ptx::Function& callee = source.functions[number];
    if (!callee.is_defined) {
      if (!emit_system_call(lowering, callee.name, call) &&
          !emit_device_runtime_call(lowering, callee.name, call)) {
        lowering.fail("calls '" + callee.name + "', which the module does not define" +
                      (ptx::names_device_runtime(callee.name)
                           ? ": it must be linked with the device run-time library, cudadevrt"
                           : ""));
      }
      return true;
    }
    if (callee.is_entry) {
      lowering.fail("calls the kernel '" + callee.name +
                    "', which is not supported by the CPU driver");
      return true;
    }
    emit_signature_call(lowering, call, lowering.module().function(number), callee.returns,
                        callee.parameters);
    return true;
  }
  // What a pointer leads to may be no function.
  lowering.track_line();
  llvm::Value* target = lowering.builder().CreateIntToPtr(lowering.read_bits(call.callee, 64),
                                                          lowering.builder().getPtrTy());
  if (call.prototype) {
    const ptx::Prototype& prototype = lowering.source().prototypes[*call.prototype];
    emit_signature_call(lowering, call, target, prototype.returns, prototype.parameters);
    return true;
  }
  if (!call.targets.empty()) {
    const ptx::Function& first = source.functions[call.targets.front()];
    emit_signature_call(lowering, call, target, first.returns, first.parameters);
    return true;
  }
  lowering.fail("is an indirect call without a prototype");
  return true;
}

}  // namespace pycuda::cpu::lower

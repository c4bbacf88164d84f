// SPDX-License-Identifier: MIT
// libnvrtc: NVIDIA's own compiler, but where a program asks for machine code it gets PTX, in the
// container that the CPU driver's linker makes.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/log.h"
#include "cpu/ptx/fatbin.h"
#include "cpu/ptx/register_limit.h"
#include "standins/nvrtc_library.h"
#include "standins/nvrtc_options.h"

namespace {

using Program = void*;

constexpr int kInvalidInput = 3;
constexpr int kInternalError = 11;

/// The function of NVIDIA's library, or null: the library is missing, or older than the function.
template <class Function>
Function* find(const char* name) {
  const auto* library = pycuda::standins::nvrtc_library(PYCUDA_STANDIN_MAJOR);
  if (library == nullptr) return nullptr;
  auto* const function = library->function<Function>(name);
  if (function == nullptr)
    pycuda::base::log(pycuda::base::LogLevel::Warning,
                      library->path() + " has no function " + name);
  return function;
}

/// The programs that were compiled for a GPU's machine code, and their limits of registers.
class MachineCodePrograms {
 public:
  void enter(Program program, unsigned max_registers) {
    const std::lock_guard lock(mutex_);
    programs_[program] = max_registers;
  }
  void forget(Program program) {
    const std::lock_guard lock(mutex_);
    programs_.erase(program);
  }
  /// Nothing for other programs.
  std::optional<unsigned> find(Program program) const {
    const std::lock_guard lock(mutex_);
    const auto found = programs_.find(program);
    return found != programs_.end() ? std::optional(found->second) : std::nullopt;
  }

 private:
  mutable std::mutex mutex_;
  std::map<Program, unsigned> programs_;
};

MachineCodePrograms& programs() {
  static auto& all = *new MachineCodePrograms;
  return all;
}

int container_of(Program program, unsigned max_registers, std::string* container) {
  using GetSize = int(Program, std::size_t*);
  using Get = int(Program, char*);
  auto* const get_size = find<GetSize>("nvrtcGetPTXSize");
  auto* const get = find<Get>("nvrtcGetPTX");
  if (get_size == nullptr || get == nullptr) return kInternalError;
  std::size_t bytes = 0;
  if (const int status = get_size(program, &bytes); status != 0) return status;
  std::string ptx(bytes, '\0');
  if (const int status = get(program, ptx.data()); status != 0) return status;
  ptx.resize(std::strlen(ptx.c_str()));
  *container =
      pycuda::cpu::ptx::wrap_linked(pycuda::cpu::ptx::register_limit_note(max_registers) + ptx);
  return 0;
}

}  // namespace

extern "C" {

const char* nvrtcGetErrorString(int result) {
  using Function = const char*(int);
  auto* const function = find<Function>("nvrtcGetErrorString");
  if (function != nullptr) return function(result);
  return result == kInternalError ? "NVRTC_ERROR_INTERNAL_ERROR" : "NVRTC_ERROR unknown";
}

int nvrtcCompileProgram(Program program, int count, const char* const* options) {
  using Function = int(Program, int, const char* const*);
  auto* const function = find<Function>("nvrtcCompileProgram");
  if (function == nullptr) return kInternalError;
  const bool readable = count > 0 && options != nullptr &&
                        std::find(options, options + count, nullptr) == options + count;
  if (!readable) {
    programs().forget(program);
    return function(program, count, options);
  }
  const auto changed =
      pycuda::standins::options_for_ptx({options, static_cast<std::size_t>(count)});
  std::vector<const char*> pointers;
  pointers.reserve(changed.options.size());
  for (const std::string& option : changed.options) pointers.push_back(option.c_str());
  if (changed.wanted_machine_code) {
    programs().enter(program, changed.max_registers);
  } else {
    programs().forget(program);
  }
  return function(program, count, pointers.data());
}

int nvrtcGetCUBINSize(Program program, std::size_t* bytes) {
  using Function = int(Program, std::size_t*);
  const std::optional<unsigned> max_registers = programs().find(program);
  if (!max_registers) {
    auto* const function = find<Function>("nvrtcGetCUBINSize");
    return function != nullptr ? function(program, bytes) : kInternalError;
  }
  if (bytes == nullptr) return kInvalidInput;
  std::string container;
  const int status = container_of(program, *max_registers, &container);
  if (status == 0) *bytes = container.size();
  return status;
}

int nvrtcGetCUBIN(Program program, char* cubin) {
  using Function = int(Program, char*);
  const std::optional<unsigned> max_registers = programs().find(program);
  if (!max_registers) {
    auto* const function = find<Function>("nvrtcGetCUBIN");
    return function != nullptr ? function(program, cubin) : kInternalError;
  }
  if (cubin == nullptr) return kInvalidInput;
  std::string container;
  const int status = container_of(program, *max_registers, &container);
  if (status == 0) container.copy(cubin, container.size());
  return status;
}

int nvrtcDestroyProgram(Program* program) {
  using Function = int(Program*);
  auto* const function = find<Function>("nvrtcDestroyProgram");
  if (function == nullptr) return kInternalError;
  if (program != nullptr) programs().forget(*program);
  return function(program);
}

#define NVRTC_FUNCTION(name, parameters, arguments)                   \
  int name parameters {                                               \
    using Function = int parameters;                                  \
    auto* const function = find<Function>(#name);                     \
    return function != nullptr ? function arguments : kInternalError; \
  }
#include "standins/nvrtc_functions.def"
#undef NVRTC_FUNCTION

}  // extern "C"

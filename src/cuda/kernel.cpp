// SPDX-License-Identifier: MIT
// What the driver tells of a kernel.
#include "cuda/kernel.h"

#include <algorithm>
#include <utility>

namespace pycuda::cuda {
namespace {

ParameterKind kind_of(NumberKind number) {
  if (number == NumberKind::Other) return ParameterKind::Unknown;
  return number == NumberKind::Floating ? ParameterKind::Float : ParameterKind::Integer;
}

}  // namespace

int Kernel::attribute(CUfunction_attribute attribute) const {
  const ContextScope scope(context());
  int value = 0;
  driver().cuFuncGetAttribute(&value, attribute, handle_);
  return value;
}

void Kernel::set_attribute(CUfunction_attribute attribute, int value) const {
  const ContextScope scope(context());
  driver().cuFuncSetAttribute(handle_, attribute, value);
}

void Kernel::set_cache_config(CUfunc_cache config) const {
  const ContextScope scope(context());
  driver().cuFuncSetCacheConfig(handle_, config);
}

void Kernel::set_shared_config(CUsharedconfig config) const {
  const ContextScope scope(context());
  driver().cuFuncSetSharedMemConfig(handle_, config);
}

std::string Kernel::plan(unsigned int x, unsigned int y, unsigned int z) const {
  constexpr const char* name = "cuCpuFunctionGetPlan";
  if (driver().function_plan == nullptr)
    throw driver::DriverError(driver(), name, CUDA_ERROR_NOT_SUPPORTED,
                              "only the CPU driver has a plan to show");
  const ContextScope scope(context());
  std::string text;
  std::size_t bytes = 0;
  CUresult status = driver().function_plan(nullptr, &bytes, handle_, x, y, z);
  if (status == CUDA_SUCCESS) {
    text.resize(bytes);
    status = driver().function_plan(text.data(), &bytes, handle_, x, y, z);
  }
  if (status != CUDA_SUCCESS) {
    std::string what = "the plan of kernel '" + name_ + "'";
    if (status == CUDA_ERROR_INVALID_VALUE) {
      int most = 0;
      driver().cuFuncGetAttribute(&most, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, handle_);
      what += " for blocks of " + std::to_string(x) + " x " + std::to_string(y) + " x " +
              std::to_string(z) + " threads: it takes 1 to " + std::to_string(most);
    }
    throw driver::DriverError(driver(), name, status, what);
  }
  text.resize(bytes - 1);
  return text;
}

const KernelLayout& Kernel::layout() const {
  std::call_once(layout_asked_, [this] {
    const ContextScope scope(context());
    const auto& parameter_of = driver().cuFuncGetParamInfo;
    const std::vector<ParameterKind>* const kinds = module_->parameter_kinds(name_);
    std::vector<ParameterType> types = module_->parameter_types(name_);
    // The driver tells the count by an error for the first index past the end, which
    // compute-sanitizer reports: it is not asked where the count is known.
    const std::size_t count = kinds != nullptr ? kinds->size() : types.size();
    KernelLayout layout;
    while (count == 0 || layout.parameters.size() < count) {
      KernelParameter parameter{};
      const CUresult code = parameter_of.status(handle_, layout.parameters.size(),
                                                &parameter.offset, &parameter.bytes);
      if (code == CUDA_ERROR_INVALID_VALUE) break;
      if (code == CUDA_ERROR_NOT_SUPPORTED && layout.parameters.empty()) return;
      if (code != CUDA_SUCCESS) throw parameter_of.error(code);
      layout.parameters.push_back(parameter);
      layout.bytes = parameter.offset + parameter.bytes;
    }
    layout.known = true;
    if (kinds != nullptr && kinds->size() == layout.parameters.size()) {
      for (std::size_t i = 0; i < kinds->size(); ++i) {
        KernelParameter& parameter = layout.parameters[i];
        parameter.kind = (*kinds)[i];
        if (parameter.kind == ParameterKind::Float) parameter.number = NumberKind::Floating;
      }
    }
    if (types.size() == layout.parameters.size()) {
      for (std::size_t i = 0; i < types.size(); ++i) {
        KernelParameter& parameter = layout.parameters[i];
        parameter.element = types[i].element;
        if (parameter.number == NumberKind::Other) parameter.number = number_kind(types[i].text);
        // Machine code tells no kinds. Integers of 16 bits are given as the bits of halves.
        if (parameter.kind == ParameterKind::Unknown && parameter.bytes >= 4) {
          parameter.kind = kind_of(parameter.number);
        }
        using enum ParameterType::Enumeration;
        if (types[i].enumeration == Yes) parameter.kind = ParameterKind::Integer;
        layout.may_be_enumeration.push_back(types[i].enumeration == Perhaps);
        layout.type_names.push_back(std::move(types[i].text));
      }
    }
    layout_ = std::move(layout);
  });
  return layout_;
}

bool Kernel::is_first_warning(std::size_t parameter, unsigned int reason) const {
  // Parameters past the thirty-second share their bits: there a warning may be missing.
  const std::uint64_t bit = std::uint64_t{1} << (2 * std::min<std::size_t>(parameter, 31) + reason);
  return (warned_.fetch_or(bit) & bit) == 0;
}

}  // namespace pycuda::cuda

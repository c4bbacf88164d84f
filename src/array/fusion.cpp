// SPDX-License-Identifier: MIT
#include "array/fusion.h"

#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "array/kernel_text.h"
#include "base/hash.h"

namespace pycuda::array {
namespace {

struct KnownTexts {
  std::mutex mutex;  ///< protects `ids`
  std::map<std::string, std::uint32_t> ids;
};

std::uint32_t id_of(const std::string& text) {
  static auto* known = new KnownTexts;  // threads may end after static objects have
  const std::lock_guard lock(known->mutex);
  return known->ids.emplace(text, static_cast<std::uint32_t>(known->ids.size())).first->second;
}

std::string step_name(std::size_t step) { return "Step" + number(step); }

}  // namespace

Fusion::Fusion(std::string name, std::span<const DType> operands)
    : name_(std::move(name)), operands_(operands.begin(), operands.end()) {
  for (const DType type : operands) complex_ = complex_ || is_complex(type);
}

DType Fusion::type(int value) const {
  const auto k = static_cast<std::size_t>(value);
  return k < operands_.size() ? operands_[k] : steps_[k - operands_.size()];
}

std::string Fusion::variable(int value) const {
  const auto k = static_cast<std::size_t>(value);
  return k < operands_.size() ? operand_variable(k) : "step" + number(k - operands_.size());
}

int Fusion::add(Ufunc ufunc, std::span<const Operand> operands) {
  std::array<OperandType, max_ufunc_operands> types;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    const Operand& operand = operands[k];
    if (operand.value >= 0) {
      types[k] = {type(operand.value)};
    } else {
      types[k] = operand.type;
      types[k].number = &operand.number;
    }
  }
  const UfuncTypes resolved = resolve(ufunc, std::span(types.data(), operands.size()));
  std::array<std::string, max_ufunc_operands> given;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    if (operands[k].value >= 0) {
      given[k] = variable(operands[k].value);
      continue;
    }
    const std::optional<DType> small = resolved.rounded[k];
    given[k] = operand_variable(operands_.size() + numbers_.size());
    numbers_.push_back(
        {small ? rounded(operands[k].number, *small) : operands[k].number, resolved.operands[k]});
  }
  return add_step(facts(ufunc).expression, resolved, std::span(given.data(), operands.size()));
}

int Fusion::convert(int value, DType to) {
  UfuncTypes types;
  types.result = to;
  types.operands.fill(type(value));
  const std::string given = variable(value);
  return add_step("a", types, std::span(&given, 1));
}

int Fusion::add_step(const char* expression, const UfuncTypes& types,
                     std::span<const std::string> given) {
  const std::string step = step_name(steps_.size());
  std::string parameters, arguments;
  declarations_ += "struct " + step + " {";
  for (std::size_t k = 0; k < given.size(); ++k) {
    const std::string comma = k == 0 ? "" : ", ";
    declarations_ +=
        std::string(" typedef ") + c_name(types.operands[k]) + " " + operand_type(k) + ";";
    parameters += comma + "const " + operand_type(k) + " " + operand_variable(k);
    arguments += comma + "cast<" + step + "::" + operand_type(k) + ">(" + given[k] + ")";
    complex_ = complex_ || is_complex(types.operands[k]);
  }
  declarations_ += std::string(" typedef ") + c_name(types.result) + " R;\n  static FN R of(" +
                   parameters + ") { return cast<R>(" + expression + "); }\n};\n";
  statements_ += "  const " + step + "::R step" + number(steps_.size()) + " = " + step + "::of(" +
                 arguments + ");\n";
  complex_ = complex_ || is_complex(types.result);
  steps_.push_back(types.result);
  return values() - 1;
}

void Fusion::finish(std::span<const int> results) {
  if (results.size() > max_fused_results || results.size() + operands_.size() > max_fused_arrays) {
    throw ValueMismatch("a fused function has at most " + number(max_fused_results) +
                        " results, and at most " + number(max_fused_arrays) +
                        " arrays in all: this one takes " + number(operands_.size()) +
                        " and gives " + number(results.size()));
  }
  if (numbers_.size() > max_fused_numbers) {
    throw ValueMismatch("a fused function computes with at most " + number(max_fused_numbers) +
                        " numbers, not " + number(numbers_.size()) + ": make several of it");
  }
  results_.assign(results.begin(), results.end());
  std::string text = name_ + "\n" + declarations_ + statements_;
  for (const DType operand : operands_) text += std::string(c_name(operand)) + " ";
  for (const Number& number : numbers_) text += std::string(" ") + c_name(number.type);
  for (const int result : results) text += " " + variable(result);
  id_ = id_of(text);
}

ElementwiseBody Fusion::body(std::span<const DType> stored_results) const {
  ElementwiseBody body;
  body.results.assign(stored_results.begin(), stored_results.end());
  for (const DType operand : operands_) body.operands.push_back({operand, operand, false});
  for (const Number& number : numbers_) body.operands.push_back({number.type, number.type, true});
  body.declarations = declarations_;
  body.compute = statements_ + "  return {";
  for (std::size_t r = 0; r < results_.size(); ++r) {
    body.compute +=
        (r == 0 ? "cast<out" : ", cast<out") + number(r) + ">(" + variable(results_[r]) + ")";
  }
  body.compute += "};\n";
  body.complex = complex_;
  return body;
}

KernelNumber FusedKey::packed() const {
  Packer packer(4);
  packer.add(fusion->id(), 32);
  for (std::size_t r = 0; r < result_count; ++r) packer.add(results[r]);
  add(packer, access, result_count + fusion->operands());
  return packer.key();
}

std::string FusedKey::kernel_name() const {
  // Of the source alone: numbers of fusions differ from process to process, and the name is part
  // of what the cache on disk knows the kernel by.
  const std::string text =
      elementwise_source(fusion->body(std::span(results.data(), result_count)), access, "");
  return "fused_" + fusion->name() + "_" + base::Hash().add(text).hex().substr(0, 16);
}

std::string FusedKey::source() const {
  return elementwise_source(fusion->body(std::span(results.data(), result_count)), access,
                            kernel_name());
}

}  // namespace pycuda::array

// SPDX-License-Identifier: MIT
// Numbers are printed as bits, so that no rounding comes between two readings.
#include "cpu/ptx/declaration_printer.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace pycuda::cpu::ptx {
namespace {

std::string_view linkage_text(Linkage linkage) {
  switch (linkage) {
    case Linkage::None:
      return "";
    case Linkage::Visible:
      return ".visible ";
    case Linkage::Extern:
      return ".extern ";
    case Linkage::Weak:
      return ".weak ";
    case Linkage::Common:
      return ".common ";
  }
  return "";
}

std::string type_text(Type type, std::uint8_t vector) {
  std::string text;
  if (vector > 1) text = ".v" + std::to_string(vector) + ' ';
  return text + '.' + std::string(name_of(type)) + ' ';
}

class InitialiserPrinter {
 public:
  InitialiserPrinter(const Module& module, const Variable& variable)
      : module_(module), variable_(variable) {
    element_bytes_ = std::max<std::uint64_t>(bits_of(variable.type) / 8, 1);
    sizes_ = variable.dimensions;
    if (variable.vector > 1) sizes_.push_back(variable.vector);
    std::uint64_t bytes = variable.initial.size();
    for (const auto& address : variable.initial_addresses) {
      bytes = std::max(bytes, address.offset + element_bytes_);
    }
    elements_ = (bytes + element_bytes_ - 1) / element_bytes_;
  }

  std::string run() {
    if (elements_ == 0) return {};
    text_ = " = ";
    if (sizes_.empty()) {
      element();
    } else {
      list(0);
    }
    return std::move(text_);
  }

 private:
  void list(std::size_t depth) {
    text_ += '{';
    for (std::uint64_t i = 0; i < sizes_[depth] && at_ < elements_; ++i) {
      if (i > 0) text_ += ", ";
      if (depth + 1 < sizes_.size()) {
        list(depth + 1);
      } else {
        element();
      }
    }
    text_ += '}';
  }

  void element() {
    const std::uint64_t offset = at_++ * element_bytes_;
    const auto& addresses = variable_.initial_addresses;
    if (next_address_ < addresses.size() && addresses[next_address_].offset == offset) {
      return address(addresses[next_address_++]);
    }
    std::uint64_t bits = 0;
    if (offset < variable_.initial.size()) {
      std::memcpy(&bits, variable_.initial.data() + offset, element_bytes_);
    }
    char digits[24];
    if (variable_.type == Type::F32) {
      std::snprintf(digits, sizeof digits, "0f%08X", static_cast<unsigned>(bits));
    } else if (variable_.type == Type::F64) {
      std::snprintf(digits, sizeof digits, "0d%016llX", static_cast<unsigned long long>(bits));
    } else {
      std::snprintf(digits, sizeof digits, "%llu", static_cast<unsigned long long>(bits));
    }
    text_ += digits;
  }

  void address(const InitialAddress& address) {
    const auto& symbol = address.symbol;
    std::string_view name = symbol.kind == SymbolRef::Kind::Function
                                ? module_.functions[symbol.index].name
                                : module_.variables[symbol.index].name;
    std::string value = address.generic ? "generic(" + std::string(name) + ')' : std::string(name);
    value = with_offset(value, address.addend);
    if (address.bytes < 8 && (address.shift != 0 || address.bytes < 4)) {
      const std::uint64_t ones = (std::uint64_t{1} << (8 * address.bytes)) - 1;
      const unsigned long long kept = ones << address.shift;
      char mask[24];
      std::snprintf(mask, sizeof mask, "0x%llX", kept);
      value = mask + ('(' + value + ')');
    }
    text_ += value;
  }

  const Module& module_;
  const Variable& variable_;
  std::uint64_t element_bytes_ = 1, elements_ = 0, at_ = 0;
  std::size_t next_address_ = 0;
  std::vector<std::uint64_t> sizes_;
  std::string text_;
};

std::string properties_text(const Variable& variable) {
  std::string text;
  for (const auto& [key, value] : variable.properties) {
    text += (text.empty() ? " = { " : ", ") + key + " = " + value;
  }
  return text.empty() ? text : text + " }";
}

std::string extents_text(const char* directive, const std::uint32_t (&values)[3]) {
  if (values[0] == 0 && values[1] == 0 && values[2] == 0) return {};
  return std::string("\n.") + directive + ' ' + std::to_string(values[0]) + ", " +
         std::to_string(values[1]) + ", " + std::to_string(values[2]);
}

std::string number_text(const char* directive, std::uint32_t value) {
  return value == 0 ? std::string() : std::string("\n.") + directive + ' ' + std::to_string(value);
}

}  // namespace

std::string with_offset(std::string_view name, std::int64_t offset) {
  return offset == 0 ? std::string(name) : std::string(name) + '+' + std::to_string(offset);
}

std::string print_variable(const Module& module, const Variable& variable, std::string_view name) {
  std::string text(linkage_text(variable.linkage));
  text += '.';
  text += name_of(variable.space);
  text += ' ';
  if (variable.managed) text += ".attribute(.managed) ";
  text += ".align " + std::to_string(variable.alignment) + ' ';
  text += type_text(variable.type, variable.vector);
  text += name;
  for (const std::uint64_t size : variable.dimensions) {
    text += size == 0 ? "[]" : '[' + std::to_string(size) + ']';
  }
  text += variable.properties.empty() ? InitialiserPrinter(module, variable).run()
                                      : properties_text(variable);
  return text + ";\n";
}

std::string print_parameters(const std::vector<Parameter>& parameters) {
  std::string text = "(";
  for (const Parameter& parameter : parameters) {
    if (text.size() > 1) text += ", ";
    const std::uint64_t element =
        std::max<std::uint64_t>(bits_of(parameter.type) / 8, 1) * parameter.vector;
    text += parameter.is_register ? ".reg " : ".param ";
    if (!parameter.is_register && parameter.alignment != element) {
      text += ".align " + std::to_string(parameter.alignment) + ' ';
    }
    text += type_text(parameter.type, parameter.vector) + parameter.name;
    if (parameter.is_array) {
      const bool sized = parameter.bytes > element;
      text += sized || parameter.bytes == element
                  ? '[' + std::to_string(parameter.bytes / element) + ']'
                  : "[]";
    }
  }
  return text + ')';
}

std::string print_header(const Function& function) {
  std::string text(linkage_text(function.linkage));
  text += function.is_entry ? ".entry " : ".func ";
  if (!function.returns.empty()) text += print_parameters(function.returns) + ' ';
  text += function.name + ' ' + print_parameters(function.parameters);
  if (function.noreturn) text += "\n.noreturn";
  text += extents_text("maxntid", function.max_block);
  text += extents_text("reqntid", function.required_block);
  text += number_text("minnctapersm", function.min_blocks);
  text += number_text("maxnreg", function.max_registers);
  if (function.explicit_cluster) text += "\n.explicitcluster";
  text += extents_text("reqnctapercluster", function.required_cluster);
  text += number_text("maxclusterrank", function.max_cluster_rank);
  return text;
}

}  // namespace pycuda::cpu::ptx

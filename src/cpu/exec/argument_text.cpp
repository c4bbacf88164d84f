// SPDX-License-Identifier: MIT
#include "cpu/exec/argument_text.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/cxx_names.h"
#include "cpu/exec/address_space.h"
#include "cpu/exec/address_table.h"
#include "cpu/exec/code_tokens.h"
#include "cpu/exec/declared_parameters.h"
#include "cpu/exec/local_area.h"
#include "cpu/exec/number_types.h"
#include "cpu/exec/source_places.h"
#include "cpu/exec/stream.h"

namespace pycuda::cpu::exec {
namespace {

constexpr std::uint64_t address_bytes = sizeof(std::uint64_t);

/// How the source declares the parameters.
struct Declared {
  std::vector<std::string> parameters;  ///< empty: not known
  bool is_generated = false;            ///< the user has not written the list
};

PassedArguments arguments_of(const LaunchContext& launch) {
  const KernelFacts& facts = launch.kernel.facts;
  return {facts.name, facts.source_files, facts.parameters,
          reinterpret_cast<const char*>(launch.frame.params), launch.request.keep_alive.get()};
}

Declared declared_in_source(const PassedArguments& arguments) {
  const std::string readable = base::readable_name(std::string(arguments.kernel));
  for (const std::string& file : arguments.source_files) {
    const std::optional<ReadableSource> source = read_source(arguments.code, file);
    if (!source) continue;
    std::vector<std::string> found =
        declared_parameters(source->text, own_name(readable), arguments.parameters.size());
    if (!found.empty()) return {std::move(found), source->is_generated};
  }
  return {};
}

std::uint64_t word_at(const PassedArguments& arguments, std::uint64_t offset) {
  std::uint64_t word = 0;
  std::memcpy(&word, arguments.values + offset, sizeof word);
  return word;
}

bool holds_address(const PassedArguments& arguments, const KernelParameter& parameter,
                   const Allocation& allocation) {
  const std::uint64_t end = std::uint64_t{parameter.offset} + parameter.bytes;
  for (std::uint64_t at = parameter.offset; at + address_bytes <= end; at += address_bytes) {
    const std::uint64_t word = word_at(arguments, at);
    if (word >= allocation.begin && word - allocation.begin < allocation.bytes) return true;
  }
  return false;
}

std::string name_of(const Declared& declared, std::size_t index) {
  std::string number = "argument #" + std::to_string(index) + " (0-based)";
  if (declared.parameters.empty()) return number;
  std::string name = "'" + declared.parameters[index] + "'";
  return declared.is_generated ? std::move(name) : name + ", " + number;
}

std::string enumerated(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 < names.size() ? ", " : ", and ") + names[i];
  return text;
}

bool is_pointer(const KernelParameter& parameter, const std::string& declaration) {
  return declaration.find_first_of("*[") != std::string::npos && parameter.bytes == address_bytes;
}

bool is_null(const PassedArguments& arguments, const KernelParameter& parameter,
             const std::string& declaration) {
  return is_pointer(parameter, declaration) && word_at(arguments, parameter.offset) == 0;
}

/// So far behind memory lies the element at an index of 32 bits that was computed below 0.
constexpr std::uint64_t all_indexes = std::uint64_t{1} << 32;
/// So far below 0 is an index that is taken for one.
constexpr std::uint64_t most_below = std::uint64_t{1} << 26;
/// An address so near to an argument that points to no memory comes from that.
constexpr std::uint64_t stray_bytes = std::uint64_t{1} << 30;

struct FarIndex {
  std::int64_t index = 0;
  bool is_unsigned = false;
};

/// The index of the element at `address`, if one lies there.
std::optional<FarIndex> far_index(std::uint64_t begin, std::uint64_t address, std::uint64_t bytes) {
  const std::uint64_t above = address - begin, below = begin - address;
  if (address >= begin) {
    const std::uint64_t index = above / bytes;
    if (above % bytes != 0 || index < all_indexes - most_below || index >= all_indexes)
      return std::nullopt;
    return FarIndex{-static_cast<std::int64_t>(all_indexes - index), true};
  }
  const std::uint64_t index = below / bytes;
  if (below % bytes != 0 || index > all_indexes / 2) return std::nullopt;
  return FarIndex{-static_cast<std::int64_t>(index), false};
}

/// Of "float *x"; 0 if the declaration does not tell.
std::uint64_t element_bytes(const std::string& declaration) {
  const Tokens tokens = tokens_of(declaration);
  for (const std::string_view token : tokens)
    if (is_name(token) && token.back() >= '2' && token.back() <= '4' &&
        number_type_of({token}).bytes != 0)
      return 0;  // a vector
  return number_type_of(tokens).bytes;
}

/// No argument that holds less is an address.
constexpr std::uint64_t least_address = std::uint64_t{1} << 16;

/// Whether the process can read there. The system looks, without a fault.
bool is_readable(std::uint64_t address) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return false;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): what a kernel was given
  const bool is_read = write(ends[1], reinterpret_cast<const void*>(address), 1) == 1;
  close(ends[0]);
  close(ends[1]);
  return is_read;
}

/// Also what was: memory that has been freed.
bool is_of_device(std::uint64_t address) {
  const AddressTable& table = AddressTable::instance();
  return table.find(address) || table.removed(address) || LocalArea::instance().spans(address) ||
         !AddressSpace::instance().describe(address).empty();
}

/// How far an access is from what an argument points to, if it may be one of its elements.
std::optional<std::uint64_t> distance_from(std::uint64_t held, std::uint64_t address,
                                           bool is_declared) {
  if (held == 0 || is_of_device(held)) return std::nullopt;
  const bool is_small = held < least_address;
  if (is_small && !is_declared) return std::nullopt;
  const std::uint64_t away = std::max(address, held) - std::min(address, held);
  return away < (is_small ? least_address : stray_bytes) ? std::optional(away) : std::nullopt;
}

/// Empty where that is not known.
std::string_view what_it_is(std::uint64_t held) {
  if (held < least_address)
    return "a number that is no address (for an array pass a GPUArray, or pycuda.driver.In of it)";
  if (is_readable(held))
    return "memory of the host, which kernels cannot access on a GPU (pycuda.driver.In of the "
           "array, or gpuarray.to_gpu, copies it to the device)";
  return {};
}

}  // namespace

std::string stray_argument(const LaunchContext& launch, std::uint64_t address) {
  const PassedArguments arguments = arguments_of(launch);
  const std::vector<KernelParameter>& parameters = arguments.parameters;
  const Declared declared = declared_in_source(arguments);
  // A null pointer and an index may lead to a small address as well.
  if (address < least_address && !null_arguments(launch).empty()) return {};
  if (is_of_device(address)) return {};
  std::optional<std::size_t> found;
  std::uint64_t nearest = 0;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const bool is_declared = !declared.parameters.empty();
    if (is_declared ? !is_pointer(parameters[i], declared.parameters[i])
                    : parameters[i].bytes != address_bytes)
      continue;
    const auto away = distance_from(word_at(arguments, parameters[i].offset), address, is_declared);
    if (!away || (found && *away >= nearest)) continue;
    found = i;
    nearest = *away;
  }
  if (!found) return {};
  const std::string_view what = what_it_is(word_at(arguments, parameters[*found].offset));
  if (what.empty()) return {};
  return (nearest == 0 ? ", which is " : ", near ") + name_of(declared, *found) + ": " +
         std::string(what);
}

std::string index_text(const LaunchContext& launch, std::uint64_t address) {
  const PassedArguments arguments = arguments_of(launch);
  const std::vector<KernelParameter>& parameters = arguments.parameters;
  const Declared declared = declared_in_source(arguments);
  if (declared.parameters.empty()) return {};
  std::optional<FarIndex> found;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const std::uint64_t bytes = element_bytes(declared.parameters[i]);
    if (!is_pointer(parameters[i], declared.parameters[i])) continue;
    const std::uint64_t begin = word_at(arguments, parameters[i].offset);
    if (!AddressTable::instance().find(begin)) {
      if (std::max(address, begin) - std::min(address, begin) < stray_bytes) return {};
      continue;
    }
    const std::optional<FarIndex> index =
        bytes == 0 ? std::nullopt : far_index(begin, address, bytes);
    if (!index) continue;
    names.push_back(name_of(declared, i));
    found = index;
  }
  if (!found) return {};
  const std::string number = std::to_string(found->index);
  const bool is_known = names.size() == 1;
  if (found->is_unsigned)
    return ", where " +
           (is_known ? "index " + number + " of " + names[0] + "," : "a negative index") +
           " lies if it is computed as an unsigned int";
  return ", at index " + (is_known ? number + " of " + names[0] : "about " + number) +
         ", as of an int that overflowed (long long does not)";
}

std::string arguments_in(const PassedArguments& arguments, const Allocation& allocation) {
  const std::vector<KernelParameter>& parameters = arguments.parameters;
  std::vector<std::size_t> pointers, others;
  const Declared declared = declared_in_source(arguments);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (!holds_address(arguments, parameters[i], allocation)) continue;
    const bool is_first_choice = declared.parameters.empty()
                                     ? parameters[i].bytes == address_bytes
                                     : is_pointer(parameters[i], declared.parameters[i]);
    (is_first_choice ? pointers : others).push_back(i);
  }
  // Two ints side by side may look like an address.
  const std::vector<std::size_t>& found = pointers.empty() ? others : pointers;
  std::vector<std::string> names;
  names.reserve(found.size());
  for (const std::size_t index : found) names.push_back(name_of(declared, index));
  return enumerated(names);
}

std::string passed_as(const LaunchContext& launch, const Allocation& allocation) {
  const std::string names = arguments_in(arguments_of(launch), allocation);
  return names.empty() ? names : ", passed as " + names;
}

std::string null_arguments(const LaunchContext& launch) {
  const PassedArguments arguments = arguments_of(launch);
  const std::vector<KernelParameter>& parameters = arguments.parameters;
  const Declared declared = declared_in_source(arguments);
  if (declared.parameters.empty()) return {};
  std::vector<std::string> names;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    if (is_null(arguments, parameters[i], declared.parameters[i]))
      names.push_back(name_of(declared, i));
  return names.empty() ? std::string() : "null among the arguments: " + enumerated(names);
}

}  // namespace pycuda::cpu::exec

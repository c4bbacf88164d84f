// SPDX-License-Identifier: MIT
#include "driver/known_enumeration.h"

#include <algorithm>

namespace pycuda::driver {
namespace {

constexpr std::size_t kMostListed = 8;

bool may_be_about_a_number(CUresult code) {
  return code == CUDA_ERROR_INVALID_VALUE || code == CUDA_ERROR_NOT_SUPPORTED ||
         code == CUDA_ERROR_UNSUPPORTED_LIMIT;
}

std::string members_of(const KnownEnumeration& enumeration) {
  if (enumeration.members.size() > kMostListed) return "dir(" + enumeration.name + ") lists them";
  std::string names;
  for (const auto& [name, number] : enumeration.members) {
    names += (names.empty() ? "" : ", ") + name;
  }
  return "it has " + names;
}

}  // namespace

std::string unknown_member(GivenMember given, CUresult code) {
  const auto& [enumeration, number] = given;
  if (enumeration == nullptr || !may_be_about_a_number(code)) return {};
  const bool known = std::ranges::any_of(
      enumeration->members, [&](const auto& member) { return member.second == given.number; });
  if (known) return {};
  return enumeration->name + " has no member of value " + std::to_string(number) + ": " +
         members_of(*enumeration);
}

std::string unknown_members(std::span<const GivenMember> given, CUresult code) {
  std::string all;
  for (const GivenMember& one : given) {
    const std::string text = unknown_member(one, code);
    all += (all.empty() || text.empty() ? "" : "; ") + text;
  }
  return all;
}

}  // namespace pycuda::driver

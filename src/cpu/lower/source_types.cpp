// SPDX-License-Identifier: MIT
// Types may contain themselves: by pointers, as lists do, or in files that make no sense.
#include "cpu/lower/source_types.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/cxx_names.h"
#include "cpu/ptx/dwarf.h"

namespace pycuda::cpu::lower {
namespace {

namespace dwarf = ptx::dwarf;

constexpr std::uint64_t byte_bits = 8, pointer_bits = 64;
/// Greater ones are none; their sizes in bits have no overflow.
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 40;

std::uint64_t bits_of(const ptx::DebugEntry& entry) {
  return std::min(entry.number(dwarf::at_byte_size), most_bytes) * byte_bits;
}

unsigned line_of(const ptx::DebugEntry& entry) {
  return static_cast<unsigned>(entry.number(dwarf::at_decl_line));
}

}  // namespace

std::string source_name(std::string_view name) { return base::readable_name(std::string(name)); }

llvm::DIFile* SourceTypes::file(std::uint64_t number) {
  const auto found =
      std::find_if(source_.files.begin(), source_.files.end(),
                   [&](const ptx::SourceFile& candidate) { return candidate.number == number; });
  return found != source_.files.end() ? builder_.createFile(found->name, "") : nullptr;
}

llvm::DIFile* SourceTypes::file_of(const ptx::DebugEntry& entry) {
  return file(entry.number(dwarf::at_decl_file));
}

llvm::DIType* SourceTypes::triple() {
  if (triple_ != nullptr) return triple_;
  constexpr std::uint64_t bits = 32;
  llvm::DIType* const number =
      builder_.createBasicType("unsigned int", bits, llvm::dwarf::DW_ATE_unsigned);
  std::vector<llvm::Metadata*> members;
  for (const char* name : {"x", "y", "z"})
    members.push_back(builder_.createMemberType(
        nullptr, name, nullptr, 0, bits, 0, bits * members.size(), llvm::DINode::FlagZero, number));
  triple_ = builder_.createStructType(nullptr, "dim3", nullptr, 0, bits * members.size(), 0,
                                      llvm::DINode::FlagZero, nullptr,
                                      builder_.getOrCreateArray(members));
  return triple_;
}

llvm::DIBasicType* SourceTypes::number(ptx::Type type) {
  using namespace llvm::dwarf;
  const auto made = [&](const char* name, std::uint64_t bits, unsigned encoding) {
    return builder_.createBasicType(name, bits, encoding);
  };
  // The compilers write u32 for int, too.
  switch (type) {
    case ptx::Type::F32:
      return made("float", 32, DW_ATE_float);
    case ptx::Type::F64:
      return made("double", 64, DW_ATE_float);
    case ptx::Type::U32:
    case ptx::Type::S32:
    case ptx::Type::B32:
      return made("int", 32, DW_ATE_signed);
    case ptx::Type::U16:
    case ptx::Type::S16:
    case ptx::Type::B16:
      return made("short", 16, DW_ATE_signed);
    case ptx::Type::U64:
    case ptx::Type::S64:
    case ptx::Type::B64:
      return made("long", 64, DW_ATE_signed);
    default:
      return made("unsigned char", byte_bits, DW_ATE_unsigned_char);
  }
}

llvm::DIType* SourceTypes::of_variable(const ptx::Variable& variable, ptx::Type accessed) {
  const bool is_array = !variable.dimensions.empty() || variable.vector != 1;
  llvm::DIBasicType* const element = number(is_array ? accessed : variable.type);
  if (!is_array) return element;
  const std::uint64_t bits = element->getSizeInBits();
  const std::uint64_t count =
      std::max<std::uint64_t>(std::min(variable.bytes, most_bytes) * byte_bits / bits, 1);
  return builder_.createArrayType(count * bits, 0, element,
                                  builder_.getOrCreateArray({builder_.getOrCreateSubrange(
                                      0, static_cast<std::int64_t>(count))}));
}

/// `needs_size`: not behind a pointer.
llvm::DIType* SourceTypes::follow(const ptx::DebugEntry& entry, bool needs_size) {
  const ptx::DebugValue* const type = entry.find(dwarf::at_type);
  const ptx::DebugEntry* const there =
      type != nullptr && type->kind == ptx::DebugValue::Kind::Number ? entries_.at(type->number)
                                                                     : nullptr;
  if (there == nullptr) return nullptr;
  Known& known = known_[entries_.number_of(*there)];
  constexpr unsigned deepest = 100;
  if (!known.is_open && !known.is_made && open_ < deepest) {
    known.is_open = true;
    ++open_;
    known.type = make(*there, needs_size);
    --open_;
    known.is_open = false;
    known.is_made = true;
  }
  // What contains itself has no size, and a function is no variable.
  const bool is_sized =
      !known.is_open && !llvm::isa_and_nonnull<llvm::DISubroutineType>(known.type);
  return is_sized || !needs_size ? known.type : nullptr;
}

llvm::DIType* SourceTypes::make(const ptx::DebugEntry& entry, bool needs_size) {
  switch (entry.tag) {
    case dwarf::tag_base_type:
      return builder_.createBasicType(entry.text(dwarf::at_name), bits_of(entry),
                                      static_cast<unsigned>(entry.number(dwarf::at_encoding)));
    case dwarf::tag_const_type:
    case dwarf::tag_volatile_type:
    case dwarf::tag_restrict_type:
      return builder_.createQualifiedType(static_cast<unsigned>(entry.tag),
                                          follow(entry, needs_size));
    case dwarf::tag_typedef: {
      llvm::DIType* const meant = follow(entry, needs_size);
      return builder_.createTypedef(meant, entry.text(dwarf::at_name), file_of(entry),
                                    line_of(entry), nullptr);
    }
    case dwarf::tag_pointer_type:
      return builder_.createPointerType(follow(entry, false), pointer_bits);
    case dwarf::tag_reference_type:
    case dwarf::tag_rvalue_reference_type: {
      llvm::DIType* const meant = follow(entry, false);
      return meant != nullptr ? builder_.createReferenceType(static_cast<unsigned>(entry.tag),
                                                             meant, pointer_bits)
                              : builder_.createPointerType(nullptr, pointer_bits);
    }
    case dwarf::tag_enumeration_type:
      return enumeration(entry);
    case dwarf::tag_array_type:
      return array(entry);
    case dwarf::tag_class_type:
    case dwarf::tag_structure_type:
    case dwarf::tag_union_type:
      return structure(entry);
    case dwarf::tag_subroutine_type:
      return function(entry);
    default:
      return nullptr;
  }
}

llvm::DIType* SourceTypes::enumeration(const ptx::DebugEntry& entry) {
  std::vector<llvm::Metadata*> values;
  for (const std::size_t child : entry.children) {
    const ptx::DebugEntry& one = entries_.all()[child];
    if (one.tag != dwarf::tag_enumerator) continue;
    values.push_back(builder_.createEnumerator(source_name(one.text(dwarf::at_name)),
                                               one.number(dwarf::at_const_value)));
  }
  return builder_.createEnumerationType(nullptr, source_name(entry.text(dwarf::at_name)),
                                        file_of(entry), line_of(entry), bits_of(entry), 0,
                                        builder_.getOrCreateArray(values), nullptr);
}

llvm::DIType* SourceTypes::array(const ptx::DebugEntry& entry) {
  llvm::DIType* const element = follow(entry, true);
  std::vector<llvm::Metadata*> extents;
  std::uint64_t bits = element != nullptr ? element->getSizeInBits() : 0;
  for (const std::size_t child : entry.children) {
    const ptx::DebugEntry& one = entries_.all()[child];
    if (one.tag != dwarf::tag_subrange_type) continue;
    const ptx::DebugValue* const last = one.find(dwarf::at_upper_bound);
    std::uint64_t count = one.number(dwarf::at_count);
    if (last != nullptr && last->kind == ptx::DebugValue::Kind::Number) count = last->number + 1;
    if (count > most_bytes) count = 0;
    bits = count == 0 || bits <= most_bytes * byte_bits / count ? bits * count : 0;
    extents.push_back(builder_.getOrCreateSubrange(0, static_cast<std::int64_t>(count)));
  }
  if (element == nullptr || extents.empty()) return nullptr;
  return builder_.createArrayType(bits, 0, element, builder_.getOrCreateArray(extents));
}

llvm::DIType* SourceTypes::function(const ptx::DebugEntry& entry) {
  std::vector<llvm::Metadata*> types{follow(entry, false)};
  for (const std::size_t child : entry.children) {
    const ptx::DebugEntry& one = entries_.all()[child];
    if (one.tag == dwarf::tag_formal_parameter) types.push_back(follow(one, false));
  }
  return builder_.createSubroutineType(builder_.getOrCreateTypeArray(types));
}

llvm::DINode* SourceTypes::member(const ptx::DebugEntry& entry, llvm::DICompositeType& of) {
  const bool is_base = entry.tag == dwarf::tag_inheritance;
  if (!is_base && entry.tag != dwarf::tag_member) return nullptr;
  auto offset = entries_.offset_of(entry);
  if (!offset && of.getTag() == llvm::dwarf::DW_TAG_union_type) offset = 0;
  llvm::DIType* const type = follow(entry, true);
  if (!offset || *offset > most_bytes || type == nullptr) return nullptr;
  const std::uint64_t at = *offset * byte_bits;
  if (is_base) return builder_.createInheritance(&of, type, at, 0, llvm::DINode::FlagZero);
  const std::string name = source_name(entry.text(dwarf::at_name));
  llvm::DIFile* const file = file_of(entry);
  const std::uint64_t bits = entry.number(dwarf::at_bit_size);
  if (bits == 0)
    return builder_.createMemberType(&of, name, file, line_of(entry), type->getSizeInBits(), 0, at,
                                     llvm::DINode::FlagZero, type);
  // Counted from the most significant bit of what the field is a part of.
  const std::uint64_t whole = bits_of(entry), before = entry.number(dwarf::at_bit_offset);
  if (bits > whole || before > whole - bits) return nullptr;
  return builder_.createBitFieldMemberType(&of, name, file, line_of(entry), bits,
                                           at + (whole - before - bits), at, llvm::DINode::FlagZero,
                                           type);
}

llvm::DIType* SourceTypes::structure(const ptx::DebugEntry& entry) {
  auto* const made = llvm::DICompositeType::getDistinct(
      context_, static_cast<unsigned>(entry.tag), source_name(entry.text(dwarf::at_name)),
      file_of(entry), line_of(entry), nullptr, nullptr, bits_of(entry), 0, 0,
      llvm::DINode::FlagZero, llvm::DINodeArray(), 0, nullptr);
  known_[entries_.number_of(entry)].type = made;  // for pointers in it
  std::vector<llvm::Metadata*> members;
  for (const std::size_t child : entry.children) {
    if (llvm::DINode* const one = member(entries_.all()[child], *made)) members.push_back(one);
  }
  made->replaceElements(builder_.getOrCreateArray(members));
  return made;
}

}  // namespace pycuda::cpu::lower

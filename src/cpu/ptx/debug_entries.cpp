// SPDX-License-Identifier: MIT
#include "cpu/ptx/debug_entries.h"

#include <algorithm>
#include <cctype>

#include "cpu/ptx/dwarf.h"

namespace pycuda::cpu::ptx {
namespace {

/// What an entry of one kind consists of.
struct Shape {
  std::uint64_t number = 0, tag = 0;
  bool has_children = false;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> forms;  ///< by attribute
};
using Shapes = std::vector<Shape>;

/// More than compilers write: what takes longer to read is none of theirs.
constexpr std::size_t deepest = 200, most_shapes = 1000;

/// `steps` grows by what is read: units may share what they read.
std::optional<Shapes> read_shapes(DebugBytes in, std::size_t& steps) {
  Shapes shapes;
  while (const std::uint64_t number = in.unsigned_number()) {
    Shape shape;
    shape.number = number;
    shape.tag = in.unsigned_number();
    shape.has_children = in.number(1) != 0;
    for (;;) {
      const std::uint64_t attribute = in.unsigned_number(), form = in.unsigned_number();
      if (in.failed()) return std::nullopt;
      if (++steps > DebugEntries::most_steps) return std::nullopt;
      if (attribute == 0 && form == 0) break;
      shape.forms.emplace_back(attribute, form);
    }
    shapes.push_back(std::move(shape));
    if (shapes.size() > most_shapes) return std::nullopt;
  }
  if (in.failed()) return std::nullopt;
  return shapes;
}

DebugValue block(DebugBytes& in, std::uint64_t bytes) {
  DebugValue value;
  value.kind = DebugValue::Kind::Block;
  value.begin = in.at();
  in.skip(bytes);
  value.end = in.at();
  return value;
}

/// Entries of one unit: values of their attributes.
class ValueReader {
 public:
  ValueReader(const DebugSections& sections, std::uint64_t start, std::size_t address_bytes)
      : sections_(sections), start_(start), address_bytes_(address_bytes) {}

  std::optional<DebugValue> read(DebugBytes& in, std::uint64_t form) const {
    using namespace dwarf;
    DebugValue value;
    switch (form) {
      case form_addr:
        value.symbol = in.symbol();
        value.number = in.number(address_bytes_);
        return value;
      case form_data1:
      case form_flag:
        value.number = in.number(1);
        return value;
      case form_data2:
        value.number = in.number(2);
        return value;
      case form_data4:
      case form_ref_addr:
      case form_sec_offset:
        value.number = in.number(4);
        return value;
      case form_data8:
        value.number = in.number(8);
        return value;
      case form_flag_present:
        value.number = 1;
        return value;
      case form_sdata:
        value.number = static_cast<std::uint64_t>(in.signed_number());
        return value;
      case form_udata:
        value.number = in.unsigned_number();
        return value;
      case form_string:
        value.kind = DebugValue::Kind::Text;
        value.text = in.text();
        return value;
      case form_strp:
        return string_elsewhere(in);
      case form_block1:
        return block(in, in.number(1));
      case form_block2:
        return block(in, in.number(2));
      case form_block4:
        return block(in, in.number(4));
      case form_block:
      case form_exprloc:
        return block(in, in.unsigned_number());
      case form_ref1:
      case form_ref2:
      case form_ref4:
      case form_ref8:
        value.number = start_ + in.number(std::size_t{1} << (form - form_ref1));
        return value;
      case form_ref_udata:
        value.number = start_ + in.unsigned_number();
        return value;
      default:
        return std::nullopt;
    }
  }

 private:
  std::optional<DebugValue> string_elsewhere(DebugBytes& in) const {
    const DebugSection& strings = sections_.str;
    const auto label = strings.labels.find(in.symbol());
    const std::size_t base = label != strings.labels.end() ? label->second : 0;
    DebugBytes there(strings, base + in.number(4));
    DebugValue value;
    value.kind = DebugValue::Kind::Text;
    value.text = there.text();
    if (there.failed()) return std::nullopt;
    return value;
  }

  const DebugSections& sections_;
  std::uint64_t start_;
  std::size_t address_bytes_;
};

/// CUDA's compilers make a register's number of the letters of its name.
std::string register_name(std::uint64_t number) {
  std::string name;
  for (int shift = 56; shift >= 0; shift -= 8) {
    const auto letter = static_cast<unsigned char>(number >> shift);
    if (letter != 0) name += static_cast<char>(letter);
  }
  return name;
}

}  // namespace

const DebugValue* DebugEntry::find(std::uint64_t attribute) const {
  const auto found = std::find_if(attributes.begin(), attributes.end(),
                                  [&](const auto& one) { return one.first == attribute; });
  return found != attributes.end() ? &found->second : nullptr;
}

std::uint64_t DebugEntry::number(std::uint64_t attribute, std::uint64_t otherwise) const {
  const DebugValue* const value = find(attribute);
  return value != nullptr && value->kind == DebugValue::Kind::Number ? value->number : otherwise;
}

std::string_view DebugEntry::text(std::uint64_t attribute) const {
  const DebugValue* const value = find(attribute);
  return value != nullptr ? value->text : std::string_view();
}

std::string_view DebugEntry::symbol(std::uint64_t attribute) const {
  const DebugValue* const value = find(attribute);
  return value != nullptr ? value->symbol : std::string_view();
}

std::optional<DebugEntries> DebugEntries::read(DebugSections sections) {
  DebugEntries made;
  made.sections_ = std::move(sections);
  DebugBytes in(made.sections_.info);
  if (in.at_end()) return std::nullopt;
  while (!in.at_end()) {
    if (!made.read_unit(in)) return std::nullopt;
  }
  return made;
}

bool DebugEntries::read_unit(DebugBytes& in) {
  const std::uint64_t start = in.at();
  const std::uint64_t bytes = in.number(4);
  const DebugSection& section = sections_.info;
  if (in.failed() || bytes > section.bytes.size() - in.at()) return false;
  DebugBytes unit(section, in.at(), in.at() + bytes);
  in.skip(bytes);
  const std::uint64_t version = unit.number(2);
  if (version < 2 || version > 4) return false;
  const auto shapes = read_shapes(DebugBytes(sections_.abbrev, unit.number(4)), steps_);
  const std::uint64_t address_bytes = unit.number(1);
  if (!shapes || address_bytes > 8) return false;
  const ValueReader values(sections_, start, address_bytes);
  std::vector<std::size_t> parents;
  while (!unit.at_end()) {
    const std::uint64_t offset = unit.at();
    const std::uint64_t number = unit.unsigned_number();
    if (number == 0) {
      if (!parents.empty()) parents.pop_back();
      continue;
    }
    const auto shape = std::find_if(shapes->begin(), shapes->end(),
                                    [&](const Shape& one) { return one.number == number; });
    if (shape == shapes->end()) return false;
    DebugEntry entry;
    entry.offset = offset;
    entry.tag = shape->tag;
    // Some forms have no bytes.
    attributes_ += shape->forms.size();
    if (attributes_ > 2 * section.bytes.size()) return false;
    for (const auto& [attribute, form] : shape->forms) {
      auto value = values.read(unit, form);
      if (!value) return false;
      constexpr std::size_t bytes_a_step = 16;
      steps_ += value->text.size() / bytes_a_step;
      if (steps_ > most_steps) return false;
      entry.attributes.emplace_back(attribute, *value);
    }
    const std::size_t index = entries_.size();
    if (parents.size() == 1) outermost_.push_back(index);
    if (!parents.empty()) entries_[parents.back()].children.push_back(index);
    if (shape->has_children) parents.push_back(index);
    if (parents.size() > deepest) return false;
    entries_.push_back(std::move(entry));
  }
  return !unit.failed();
}

const DebugEntry* DebugEntries::at(std::uint64_t offset) const {
  const auto found = std::partition_point(
      entries_.begin(), entries_.end(), [&](const DebugEntry& one) { return one.offset < offset; });
  return found != entries_.end() && found->offset == offset ? &*found : nullptr;
}

std::optional<DebugPlace> DebugEntries::place_at(DebugBytes in) const {
  DebugPlace place;
  switch (in.number(1)) {
    case dwarf::op_addr:
      place.symbol = in.symbol();
      place.offset = in.number(8);
      if (!in.at_end()) {
        if (in.number(1) != dwarf::op_plus_uconst) return std::nullopt;
        place.offset += in.unsigned_number();
      }
      break;
    case dwarf::op_regx:
      place.reg = register_name(in.unsigned_number());
      break;
    default:
      return std::nullopt;
  }
  if (in.failed() || !in.at_end() || (place.symbol.empty() && place.reg.empty()))
    return std::nullopt;
  return place;
}

std::vector<DebugRange> DebugEntries::places_of(const DebugEntry& variable) const {
  std::vector<DebugRange> ranges;
  const DebugValue* const value = variable.find(dwarf::at_location);
  if (value == nullptr || value->kind == DebugValue::Kind::Text) return ranges;
  if (value->kind == DebugValue::Kind::Block) {
    if (auto place = place_at(DebugBytes(sections_.info, value->begin, value->end)))
      ranges.push_back({{}, {}, std::move(*place)});
    return ranges;
  }
  DebugBytes in(sections_.loc, value->number);
  for (;;) {
    const std::string_view begin = in.symbol();
    in.number(8);
    const std::string_view end = in.symbol();
    in.number(8);
    if (in.failed() || begin.empty() || end.empty() || ++steps_ > most_steps) return ranges;
    const std::uint64_t bytes = in.number(2);
    const std::size_t at = in.at();
    in.skip(bytes);
    if (in.failed()) return ranges;
    if (auto place = place_at(DebugBytes(sections_.loc, at, in.at())))
      ranges.push_back({begin, end, std::move(*place)});
  }
}

std::optional<std::uint64_t> DebugEntries::offset_of(const DebugEntry& member) const {
  const DebugValue* const value = member.find(dwarf::at_data_member_location);
  if (value == nullptr || value->kind == DebugValue::Kind::Text) return std::nullopt;
  if (value->kind == DebugValue::Kind::Number) return value->number;
  DebugBytes in(sections_.info, value->begin, value->end);
  if (in.number(1) != dwarf::op_plus_uconst) return std::nullopt;
  const std::uint64_t offset = in.unsigned_number();
  if (in.failed() || !in.at_end()) return std::nullopt;
  return offset;
}

}  // namespace pycuda::cpu::ptx

// SPDX-License-Identifier: MIT
#include "cpu/api/plan_places.h"

#include <algorithm>
#include <cctype>
#include <cstdint>

#include "cpu/exec/source_places.h"

namespace pycuda::cpu::api {
namespace {

constexpr std::string_view before = " at ";  // of SourceLine::place

/// How messages name the line; empty if it has no number there.
std::string place_of(const void* code, const std::string& file, std::uint32_t line) {
  const exec::SourceLine found = exec::find_source_line(code, file, line);
  return found.place.starts_with(before) && !found.place.starts_with(" at a line of ")
             ? found.place.substr(before.size())
             : std::string();
}

/// Replaces what stands at [begin, end) and lets the column behind it begin where it did, if it
/// can.
void replace(std::string& text, std::size_t begin, std::size_t end, const std::string& place) {
  std::size_t blanks = 0;
  while (end + blanks < text.size() && text[end + blanks] == ' ') ++blanks;
  const std::size_t width = end - begin + blanks;
  const std::size_t kept =
      blanks < 2 ? blanks : std::max<std::size_t>(2, width - std::min(width, place.size()));
  text.replace(begin, width, place + std::string(kept, ' '));
}

/// The column of the table that has places, and its width.
constexpr std::size_t column = 8;
constexpr std::size_t column_width = 18;

/// Widens that column, which a title is above, in all rows: they end where a line begins without a
/// blank.
void widen(std::string& text, std::size_t longest) {
  if (longest <= column_width) return;
  std::size_t at = text.find("   PTX  source ");
  while (at < text.size() && text[at] == ' ') {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (end > at + column + column_width)
      text.insert(at + column + column_width, longest - column_width, ' ');
    at = std::min(text.find('\n', at), text.size()) + 1;
  }
}

/// Calls `replace(begin, end, place)` for each place in the text; `replace` may change the text
/// from `begin` on.
template <class Replace>
void visit_places(std::string& text, const void* code, const std::vector<std::string>& files,
                  const Replace& replace) {
  for (const std::string& file : files) {
    const std::string name = file.substr(file.rfind('/') + 1) + ":";
    if (name.size() == 1) continue;
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at)) {
      std::size_t end = at + name.size();
      std::uint32_t line = 0;
      while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0)
        line = line * 10 + static_cast<std::uint32_t>(text[end++] - '0');
      const bool is_whole = line != 0 && at > 0 && text[at - 1] == ' ';
      const std::string place = is_whole ? place_of(code, file, line) : std::string();
      at += place.empty() ? name.size() : replace(at, end, place);
    }
  }
}

}  // namespace

std::string with_places(const std::string& plan, const void* code,
                        const std::vector<std::string>& files) {
  std::string text = plan;
  std::size_t longest = 0;
  visit_places(text, code, files,
               [&](std::size_t begin, std::size_t end, const std::string& place) {
                 const std::size_t line = text.rfind('\n', begin) + 1;  // 0 of the first line
                 if (begin - line == column) longest = std::max(longest, place.size());
                 return end - begin;
               });
  widen(text, longest);
  visit_places(text, code, files,
               [&](std::size_t begin, std::size_t end, const std::string& place) {
                 replace(text, begin, end, place);
                 return place.size();
               });
  return text;
}

}  // namespace pycuda::cpu::api

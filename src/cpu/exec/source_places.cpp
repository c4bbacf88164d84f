// SPDX-License-Identifier: MIT
#include "cpu/exec/source_places.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <string_view>
#include <system_error>
#include <utility>

namespace pycuda::cpu::exec {
namespace {

struct Places {
  std::mutex mutex;  // protects by_code
  std::multimap<const void*, SourcePlace> by_code;
};

/// Never destroyed: code may be unloaded while the process ends.
Places& places() {
  static auto& all = *new Places;
  return all;
}

std::string trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(blanks) + 1 - begin));
}

/// Where a line begins, by its number from 1; npos if there is none.
std::size_t begin_of(std::string_view text, std::uint32_t line) {
  std::size_t begin = 0;
  for (; line > 1; --line) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string_view::npos) return end;
    begin = end + 1;
  }
  return begin;
}

std::string line_of(std::string_view text, std::uint32_t line) {
  const std::size_t begin = begin_of(text, line);
  if (begin == std::string_view::npos) return {};
  return trimmed(text.substr(begin, text.find('\n', begin) - begin));
}

/// A few lines before one, those that are blank left out.
std::string lines_above(std::string_view text, std::uint32_t line) {
  constexpr std::uint32_t most = 3;
  const std::uint32_t count = std::min(most, line - 1);
  const std::size_t begin = begin_of(text, line - count);
  if (begin == std::string_view::npos) return {};
  text.remove_prefix(begin);
  std::string lines;
  for (std::uint32_t at = 1; at <= count; ++at)
    if (const std::string above = line_of(text, at); !above.empty()) lines += above + "\n";
  return lines;
}

/// Of files by a full name alone: another of the same name may lie in the current folder.
bool may_be_read(const std::filesystem::path& path) {
  std::error_code unreadable;
  return path.is_absolute() && std::filesystem::is_regular_file(path, unreadable);
}

/// Nothing where the file cannot be read.
std::string text_of_file(const std::filesystem::path& path) {
  if (!may_be_read(path)) return {};
  std::ifstream stream(path);
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

bool is_same_file(std::string_view path, std::string_view name) {
  return path == name || (path.ends_with(name) && path[path.size() - name.size() - 1] == '/');
}

/// What a place's name says without the line: "program.py" of "program.py:{}", "the cell" of "line
/// {} of the cell".
std::string file_of(const std::string& name) {
  constexpr std::string_view behind = ":{}", before = "line {} of ";
  if (name.ends_with(behind)) return name.substr(0, name.size() - behind.size());
  return name.starts_with(before) ? name.substr(before.size()) : name;
}

std::string with_number(std::string name, std::uint64_t number) {
  if (const std::size_t at = name.find("{}"); at != std::string::npos)
    name.replace(at, 2, std::to_string(number));
  return name;
}

/// Quotes stay readable on a terminal's line.
SourceLine shortened(SourceLine line) {
  constexpr std::size_t longest = 160;
  if (line.text.size() <= longest) return line;
  std::size_t end = longest;
  while ((static_cast<unsigned char>(line.text[end]) & 0xc0u) == 0x80u) --end;  // not within UTF-8
  line.whole = std::exchange(line.text, line.text.substr(0, end) + "...");
  return line;
}

}  // namespace

void add_source_place(const void* code, SourcePlace place) {
  const std::lock_guard lock(places().mutex);
  const auto [begin, end] = places().by_code.equal_range(code);
  const auto known =
      std::find_if(begin, end, [&](const auto& entry) { return entry.second.file == place.file; });
  if (known != end) {
    known->second = std::move(place);
  } else {
    places().by_code.emplace(code, std::move(place));
  }
}

void remove_source_places(const void* code) noexcept {
  const std::lock_guard lock(places().mutex);
  places().by_code.erase(code);
}

SourceLine find_source_line(const void* code, const std::string& file, std::uint32_t line) {
  {
    const std::lock_guard lock(places().mutex);
    const auto [begin, end] = places().by_code.equal_range(code);
    for (auto found = begin; found != end; ++found) {
      const SourcePlace& place = found->second;
      if (!is_same_file(file, place.file)) continue;
      const std::uint32_t number = place.first_line + line - 1;
      const std::string named = with_number(place.name, number);
      return shortened({" at " + named,
                        line_of(place.text, line),
                        file_of(place.name),
                        number,
                        lines_above(place.text, line),
                        {}});
    }
  }
  if (file.empty()) return {" at line " + std::to_string(line), {}, {}, line, {}, {}};
  const std::string text = text_of_file(file);
  return shortened({" at " + file + ":" + std::to_string(line),
                    line_of(text, line),
                    file,
                    line,
                    lines_above(text, line),
                    {}});
}

std::optional<SourceText> find_source_text(const void* code, const std::string& file) {
  const std::lock_guard lock(places().mutex);
  const auto [begin, end] = places().by_code.equal_range(code);
  const auto found = std::find_if(
      begin, end, [&](const auto& entry) { return is_same_file(file, entry.second.file); });
  if (found == end) return std::nullopt;
  const SourcePlace& place = found->second;
  return SourceText{file_of(place.name), place.first_line, place.text};
}

std::optional<ReadableSource> read_source(const void* code, const std::string& file) {
  {
    const std::lock_guard lock(places().mutex);
    const auto [begin, end] = places().by_code.equal_range(code);
    for (auto found = begin; found != end; ++found) {
      const SourcePlace& place = found->second;
      if (is_same_file(file, place.file))
        return ReadableSource{place.text, place.name.find("{}") == std::string::npos};
    }
  }
  if (!may_be_read(file)) return std::nullopt;
  return ReadableSource{text_of_file(file)};
}

}  // namespace pycuda::cpu::exec

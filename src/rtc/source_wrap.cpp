// SPDX-License-Identifier: MIT
// Puts the user's source into the implicit extern "C" without moving a line.
#include "rtc/source_wrap.h"

#include <algorithm>

#include "rtc/quoted_lines.h"
#include "rtc/struct_attributes.h"

namespace pycuda::rtc {
namespace {

/// Spelled as nobody writes it, so that unwrap_log() finds only ours.
constexpr std::string_view kOpening = "extern\"C\"{ ";
constexpr std::string_view kReferencePlace = "__constant__/**/ ";
constexpr std::string_view kKernelLinkage = "extern\"C\"/**/ ";

std::string line_directive(std::size_t line) { return "#line " + std::to_string(line) + "\n"; }

/// Where the implicit extern "C" opens: before the first code, and before the first of the user's
/// own headers.
struct OpeningPlace {
  std::size_t offset;
  std::size_t line;
  bool before_directive;
};

OpeningPlace find_opening(std::string_view source, const SourceScan& scan,
                          const IncludePaths& paths) {
  // A last line without an end is a comment or a directive, which the opening must not become part
  // of.
  const bool unfinished = !source.empty() && !source.ends_with('\n');
  OpeningPlace place{source.size(), 1 + static_cast<std::size_t>(std::ranges::count(source, '\n')),
                     unfinished};
  if (scan.first_code != SourceScan::kNone) {
    place = {scan.first_code_outermost, scan.first_code_outermost_line,
             scan.first_code_outermost != scan.first_code};
  }
  for (const IncludeLine& include : scan.includes) {
    if (include.question || include.begin >= place.offset) continue;
    if (paths.resolve(include, {}).owner == IncludeOwner::User) {
      return {include.outermost, include.outermost_line, true};
    }
  }
  return place;
}

std::string insert_at(std::string_view source, const std::vector<std::size_t>& offsets,
                      std::string_view insertion) {
  std::string text;
  std::size_t copied = 0;
  for (const std::size_t offset : offsets) {
    text.append(source.substr(copied, offset - copied)).append(insertion);
    copied = offset;
  }
  return text.append(source.substr(copied));
}

}  // namespace

WrappedSource wrap_extern_c(std::string_view source, const SourceScan& scan,
                            const IncludePaths& paths, const std::vector<std::string>& hoisted) {
  const OpeningPlace place = find_opening(source, scan, paths);
  std::size_t last_directive_end = 0;
  for (const IncludeLine& include : scan.includes) {
    if (include.begin < place.offset)
      last_directive_end = std::max(last_directive_end, include.end);
  }

  WrappedSource wrapped;
  std::string& text = wrapped.text;
  text.reserve(source.size() + 256);
  std::size_t copied = 0;
  const auto blank = std::find_if(
      scan.blank_lines.rbegin(), scan.blank_lines.rend(),
      [&](std::size_t offset) { return offset < place.offset && offset >= last_directive_end; });
  if (hoisted.empty() && blank != scan.blank_lines.rend()) {
    text.append(source.substr(0, *blank)).append("extern \"C\" {");
    copied = *blank;
  } else if (hoisted.empty() && !place.before_directive) {
    text.append(source.substr(0, place.offset)).append(kOpening);
    copied = place.offset;
  } else {
    text.append(source.substr(0, place.offset)).append("\n");
    for (const std::string& name : hoisted) text.append("#include <" + name + ">\n");
    text.append("extern \"C\" {\n");
    text.append(line_directive(place.line));
    // Columns stay right too: what stood before the opening on its line was blanks and comments.
    copied = place.offset;
  }
  wrapped.prefix = std::string(source.substr(0, last_directive_end));

  for (const IncludeLine& include : scan.includes) {
    if (include.question || include.begin < place.offset || include.begin < copied) continue;
    if (paths.resolve(include, {}).owner != IncludeOwner::Cuda) continue;
    text.append(source.substr(copied, include.begin - copied));
    text.append("\nextern \"C++\" {\n").append(line_directive(include.line));
    text.append(source.substr(include.begin, include.end - include.begin));
    if (text.back() != '\n') text.push_back('\n');
    const auto behind = source.substr(include.begin, include.end - include.begin);
    const auto lines = std::max<std::ptrdiff_t>(1, std::count(behind.begin(), behind.end(), '\n'));
    text.append("}\n").append(line_directive(include.line + static_cast<std::size_t>(lines)));
    copied = include.end;
  }
  text.append(source.substr(copied)).append("\n}\n");
  return wrapped;
}

std::string place_references(std::string_view source, const SourceScan& scan) {
  return insert_at(source, scan.reference_declarations, kReferencePlace);
}

std::string link_kernels_as_c(std::string_view source, const SourceScan& scan) {
  return insert_at(source, scan.kernel_places, kKernelLinkage);
}

std::string unwrap_log(std::string log) {
  erase_quoted(log, kOpening);
  erase_quoted(log, kReferencePlace);
  erase_quoted(log, kKernelLinkage);
  unplace_struct_attributes(log);
  return log;
}

}  // namespace pycuda::rtc

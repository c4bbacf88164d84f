// SPDX-License-Identifier: MIT
// nvcc's lists: values separated by commas, and files of options.
#include "rtc/option_lists.h"

#include <algorithm>
#include <cctype>

namespace pycuda::rtc {
namespace {

bool is_blank(char character) { return std::isspace(static_cast<unsigned char>(character)) != 0; }

bool is_name_character(char character) {
  return std::isalnum(static_cast<unsigned char>(character)) != 0 || character == '_';
}

/// NAME, NAME=VALUE or NAME(PARAMETERS...
bool begins_definition(std::string_view text) {
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text.front())) != 0) return false;
  const auto end = std::ranges::find_if_not(text, is_name_character);
  return end != text.begin() && (end == text.end() || *end == '=' || *end == '(');
}

}  // namespace

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> parts(1);
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char character = text[i];
    if (character == '\\' && i + 1 < text.size() && text[i + 1] == ',') {
      parts.back().push_back(text[++i]);
    } else if (character == ',' && !quoted) {
      parts.emplace_back();
    } else {
      if (character == '"') quoted = !quoted;
      parts.back().push_back(character);
    }
  }
  return parts;
}

std::vector<std::string> split_definitions(std::string_view text) {
  std::vector<std::string> definitions;
  for (std::string& part : split_list(text)) {
    const bool open = !definitions.empty() && std::ranges::count(definitions.back(), '(') >
                                                  std::ranges::count(definitions.back(), ')');
    if (definitions.empty() || (begins_definition(part) && !open)) {
      definitions.push_back(std::move(part));
    } else {
      definitions.back().append(",").append(part);
    }
  }
  return definitions;
}

std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words;
  bool inside = false;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char character = text[i];
    if (!quoted && is_blank(character)) {
      inside = false;
      continue;
    }
    if (!inside && character == '#') {
      i = std::min(text.find('\n', i), text.size());
      continue;
    }
    if (!inside) words.emplace_back();
    inside = true;
    if (character == '"') {
      quoted = !quoted;
    } else if (character == '\\' && i + 1 < text.size()) {
      words.back().push_back(text[++i]);
    } else {
      words.back().push_back(character);
    }
  }
  return words;
}

std::string generate_code_part(std::string_view text, std::string_view key) {
  const std::string wanted = std::string(key) + "=";
  std::string value(text);
  std::erase(value, '"');  // for a shell: code="sm_80,compute_80"
  const std::size_t begin = value.find(wanted);
  if (begin == std::string::npos) return {};
  std::string_view part = std::string_view(value).substr(begin + wanted.size());
  if (part.starts_with('[')) return std::string(part.substr(1, part.find(']') - 1));
  // In "code=sm_80,compute_80" the comma separates targets, in "arch=compute_80,code=..." keys.
  part = part.substr(0, part.find(",arch="));
  return std::string(part.substr(0, part.find(",code=")));
}

}  // namespace pycuda::rtc

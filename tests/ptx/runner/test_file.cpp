// SPDX-License-Identifier: MIT
// Reads the directives of a file test.
#include "test_file.h"

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "special_values.h"

namespace pycuda::ptx_tests {
namespace {

using Words = std::vector<std::string>;

Words split(const std::string& text) {
  std::istringstream stream(text);
  Words words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

/// The directive of a line without its "// ", or nothing when the line is none.
std::optional<std::string> directive_of(const std::string& line) {
  if (line.rfind("// ", 0) != 0) return std::nullopt;
  const std::string body = line.substr(3);
  const std::string word = body.substr(0, body.find(' '));
  for (const char* known : {"TEST", "GRID", "BLOCK", "SHARED", "IN", "OUT", "INOUT", "SCALAR",
                            "FAULT", "REJECT", "+"}) {
    if (word == known) return body;
  }
  return std::nullopt;
}

std::uint64_t number_of(const std::string& word, const std::string& type) {
  char* end = nullptr;
  const bool is_bits = word.rfind("0x", 0) == 0;
  if (!is_bits && (type == "f32" || type == "f64")) {
    const double value = std::strtod(word.c_str(), &end);
    if (*end != '\0') throw std::runtime_error("'" + word + "' is no number");
    if (type == "f64") return std::bit_cast<std::uint64_t>(value);
    return std::bit_cast<std::uint32_t>(static_cast<float>(value));
  }
  const std::uint64_t bits = word[0] == '-'
                                 ? static_cast<std::uint64_t>(std::strtoll(word.c_str(), &end, 0))
                                 : std::strtoull(word.c_str(), &end, 0);
  if (*end != '\0') throw std::runtime_error("'" + word + "' is no number");
  const unsigned bytes = *bytes_of_type(type);
  return bytes == 8 ? bits : bits & ((std::uint64_t{1} << (8 * bytes)) - 1);
}

std::uint64_t generated(const std::string& source, const std::string& type, std::size_t index) {
  const auto& special = special_values(type);
  if (source == "each") return special[index % special.size()];
  if (source == "first") return special[index / special.size() % special.size()];
  if (source == "second") return special[index % special.size()];
  return mixed_value(type, std::strtoull(source.c_str() + 4, nullptr, 10), index);
}

bool is_generator(const std::string& word) {
  return word == "each" || word == "first" || word == "second" || word.rfind("mix:", 0) == 0;
}

/// Takes `count` values from words[*at...].
std::vector<std::uint64_t> take_values(const Words& words, std::size_t* at, std::size_t count,
                                       const std::string& type) {
  std::vector<std::uint64_t> values;
  if (*at < words.size() && is_generator(words[*at])) {
    for (std::size_t i = 0; i < count; ++i) values.push_back(generated(words[*at], type, i));
    ++*at;
    return values;
  }
  while (values.size() < count && *at < words.size())
    values.push_back(number_of(words[(*at)++], type));
  if (values.size() != count) {
    throw std::runtime_error("expected " + std::to_string(count) + " values, found " +
                             std::to_string(values.size()));
  }
  return values;
}

void read_expectation(const Words& words, std::size_t* at, Parameter& parameter) {
  if (*at < words.size() && words[*at] == "golden") {
    parameter.golden = true;
    ++*at;
  } else if (*at < words.size() && words[*at] == "=") {
    ++*at;
    parameter.expected = take_values(words, at, parameter.count, parameter.type);
  } else {
    throw std::runtime_error("expected '= <values>' or 'golden'");
  }
  if (*at < words.size() && words[*at] == "nans") {
    parameter.any_of_nans = true;
    ++*at;
  }
  while (*at + 1 < words.size()) {
    const std::string& kind = words[*at];
    if (kind != "ulp" && kind != "abs") break;
    if (kind == "ulp") parameter.ulp = std::strtoull(words[*at + 1].c_str(), nullptr, 10);
    if (kind == "abs") parameter.absolute = std::strtod(words[*at + 1].c_str(), nullptr);
    *at += 2;
  }
}

Parameter read_parameter(const Words& words) {
  const std::string& kind = words[0];
  if (words.size() < 4) throw std::runtime_error("expected a name, a type and values");
  Parameter parameter;
  parameter.name = words[1];
  parameter.type = words[2];
  if (!bytes_of_type(parameter.type)) throw std::runtime_error("no type '" + parameter.type + "'");
  std::size_t at = 3;
  if (kind != "SCALAR") parameter.count = std::strtoull(words[at++].c_str(), nullptr, 10);
  if (parameter.count == 0) throw std::runtime_error("a buffer of 0 elements");
  if (kind != "OUT") parameter.values = take_values(words, &at, parameter.count, parameter.type);
  if (kind == "OUT" || kind == "INOUT") read_expectation(words, &at, parameter);
  if (at != words.size()) throw std::runtime_error("'" + words[at] + "' is one word too many");
  parameter.kind = kind == "IN"      ? Parameter::Kind::In
                   : kind == "OUT"   ? Parameter::Kind::Out
                   : kind == "INOUT" ? Parameter::Kind::InOut
                                     : Parameter::Kind::Scalar;
  return parameter;
}

void read_extent(const Words& words, unsigned (&extent)[3]) {
  for (std::size_t i = 1; i < words.size() && i <= 3; ++i) {
    extent[i - 1] = static_cast<unsigned>(std::strtoul(words[i].c_str(), nullptr, 10));
  }
}

void apply_directive(const std::string& directive, TestFile& file) {
  const Words words = split(directive);
  if (words[0] == "TEST") {
    if (words.size() != 2) throw std::runtime_error("TEST takes a kernel's name");
    file.tests.emplace_back().kernel = words[1];
    return;
  }
  if (words[0] == "REJECT") {
    file.reject = std::atoi(words.at(1).c_str());
    const std::size_t text = directive.find(' ', 7);
    if (text != std::string::npos) file.reject_text = directive.substr(text + 1);
    return;
  }
  if (file.tests.empty()) throw std::runtime_error("a directive before TEST");
  LaunchTest& test = file.tests.back();
  if (words[0] == "GRID") {
    read_extent(words, test.grid);
  } else if (words[0] == "BLOCK") {
    read_extent(words, test.block);
  } else if (words[0] == "SHARED") {
    test.shared_bytes = static_cast<unsigned>(std::strtoul(words.at(1).c_str(), nullptr, 10));
  } else if (words[0] == "FAULT") {
    test.fault = std::atoi(words.at(1).c_str());
  } else {
    test.parameters.push_back(read_parameter(words));
  }
}

}  // namespace

TestFile read_test_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw std::runtime_error(path + ": cannot be read");
  TestFile file;
  file.path = path;
  file.stem = std::filesystem::path(path).stem().string();
  std::string pending;
  std::size_t line_number = 0, pending_line = 0;
  const auto flush = [&] {
    if (pending.empty()) return;
    try {
      apply_directive(pending, file);
    } catch (const std::exception& error) {
      throw std::runtime_error(path + ":" + std::to_string(pending_line) + ": " + error.what());
    }
    pending.clear();
  };
  for (std::string line; std::getline(stream, line);) {
    ++line_number;
    file.text += line + '\n';
    constexpr std::string_view target = ".target sm_";
    if (line.starts_with(target)) file.target = std::atoi(&line[target.size()]);
    const auto directive = directive_of(line);
    if (!directive) continue;
    if (directive->rfind("+ ", 0) == 0) {
      pending += directive->substr(1);
      continue;
    }
    flush();
    pending = *directive;
    pending_line = line_number;
  }
  flush();
  if (file.tests.empty() && !file.reject)
    throw std::runtime_error(path + ": holds no TEST and no REJECT");
  return file;
}

}  // namespace pycuda::ptx_tests

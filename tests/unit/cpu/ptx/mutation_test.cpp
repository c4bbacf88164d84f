// SPDX-License-Identifier: MIT
// Damaged PTX and damaged images: anything may be the answer, but there must be one. A short,
// repeatable fuzzing run.
#include <cstdint>
#include <random>

#include "cpu/ptx/fatbin.h"
#include "cpu/ptx/lexer.h"
#include "cpu/ptx/printer.h"
#include "parsed.h"
#include "samples.h"

using namespace pycuda::cpu::ptx;

namespace {

std::vector<std::string_view> tokens(const std::string& text) {
  Lexer lexer(text);
  std::vector<std::string_view> result;
  for (Token token = lexer.next(); token.kind != Token::Kind::End; token = lexer.next()) {
    // The dot or the quotes belong to the piece that moves.
    if (token.kind == Token::Kind::Dot) {
      result.emplace_back(token.text.data() - 1, token.text.size() + 1);
    } else if (token.kind == Token::Kind::String) {
      result.emplace_back(token.text.data() - 1, token.text.size() + 2);
    } else {
      result.push_back(token.text);
    }
  }
  return result;
}

std::string joined(const std::vector<std::string_view>& words) {
  std::string text;
  for (const std::string_view word : words) {
    text += word;
    text += word == ";" || word == "{" || word == "}" ? '\n' : ' ';
  }
  return text;
}

/// Whatever parses must print and parse again.
void answer(const std::string& text) {
  const auto module = parse(text);
  if (!module.ok()) {
    CHECK(!module.error().empty());
    CHECK(module.error().size() <= 20);
    return;
  }
  const std::string printed = print(*module);
  const auto again = parse(printed);
  const std::string complaint = again.ok() ? "" : to_text(again.error()) + text + printed;
  CHECK_MESSAGE(again.ok(), complaint);
  if (again.ok()) CHECK(print(*again) == printed);
}

}  // namespace

TEST_CASE("texts with moved, missing and repeated words get an answer") {
  std::mt19937 random(1);
  std::vector<std::string> texts;
  for (const Sample& sample : samples()) texts.push_back(sample.text);
  for (int round = 0; round < 10000; ++round) {
    const std::string& text = texts[random() % texts.size()];
    const std::string& donor = texts[random() % texts.size()];
    auto words = tokens(text);
    const auto others = tokens(donor);
    for (unsigned change = 0; change <= random() % 3; ++change) {
      const auto at = static_cast<std::ptrdiff_t>(random() % words.size());
      switch (random() % 5) {
        case 0:
          words.erase(words.begin() + at);
          break;
        case 1:
          words.insert(words.begin() + at, words[at]);
          break;
        case 2:
          words[at] = others[random() % others.size()];
          break;
        case 3:
          words.insert(words.begin() + at, others[random() % others.size()]);
          break;
        default:
          std::swap(words[at], words[random() % words.size()]);
          break;
      }
    }
    answer(joined(words));
  }
}

TEST_CASE("texts with changed bytes get an answer, and so do all their beginnings") {
  std::mt19937 random(2);
  for (const Sample& sample : samples()) {
    for (int round = 0; round < 800; ++round) {
      std::string text = sample.text;
      for (unsigned change = 0; change <= random() % 4; ++change) {
        text[random() % text.size()] = static_cast<char>(random() % 256);
      }
      answer(text);
    }
    for (std::size_t bytes = 0; bytes < sample.text.size(); bytes += 17) {
      answer(sample.text.substr(0, bytes));
    }
  }
}

TEST_CASE("images with changed bytes get an answer") {
  // A fat binary with one plain entry; the compressed forms have their own tests.
  const std::string text = samples()[0].text;
  std::string image;
  const auto put = [&](auto value) {
    image.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  put(std::uint32_t{0xBA55ED50});
  put(std::uint16_t{1});
  put(std::uint16_t{16});
  put(std::uint64_t{64 + text.size()});
  put(std::uint32_t{0x01010001});
  put(std::uint32_t{64});
  put(std::uint64_t{text.size()});
  image.resize(16 + 64);
  image += text;
  std::mt19937 random(3);
  for (const std::string& whole : {image, wrap_linked(text)}) {
    for (int round = 0; round < 5000; ++round) {
      std::vector<char> changed(whole.begin(), whole.end());
      for (unsigned change = 0; change <= random() % 3; ++change) {
        changed[4 + random() % 96] = static_cast<char>(random() % 256);
      }
      const auto answered = ptx_of_image(changed.data(), changed.size(), 80);
      if (!answered.ok()) CHECK(!answered.error().message.empty());
    }
  }
}

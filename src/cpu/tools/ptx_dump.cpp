// SPDX-License-Identifier: MIT
// ptx-dump: how the driver understood a PTX text or a fat binary, printed as PTX.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "cpu/ptx/fatbin.h"
#include "cpu/ptx/parser.h"
#include "cpu/ptx/printer.h"

namespace {

namespace ptx = pycuda::cpu::ptx;

constexpr const char* kUsage =
    "usage: ptx-dump [--check | --extract] [--arch=80] [FILE]\n"
    "Reads PTX or a fat binary from FILE or from the standard input and prints the parsed module "
    "as PTX.\n"
    "  --check    print nothing but errors\n"
    "  --extract  print the PTX text of the image without parsing it\n"
    "  --arch=N   the architecture to choose among a fat binary's entries (default 80)\n";

struct Options {
  bool check = false, extract = false;
  std::uint32_t architecture = 80;
  std::string file;
};

bool parse_options(int count, char** arguments, Options& options) {
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    if (argument == "--check") {
      options.check = true;
    } else if (argument == "--extract") {
      options.extract = true;
    } else if (argument.starts_with("--arch=")) {
      options.architecture =
          static_cast<std::uint32_t>(std::strtoul(argument.c_str() + 7, nullptr, 10));
    } else if (argument.starts_with('-') || !options.file.empty()) {
      return false;
    } else {
      options.file = argument;
    }
  }
  return true;
}

bool read(const std::string& file, std::string& image) {
  std::ifstream stream;
  if (!file.empty()) stream.open(file, std::ios::binary);
  std::istream& input = file.empty() ? std::cin : stream;
  image.assign(std::istreambuf_iterator<char>(input), {});
  return !input.bad() && (file.empty() || stream.is_open());
}

}  // namespace

int main(int count, char** arguments) try {
  Options options;
  if (!parse_options(count, arguments, options)) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  std::string image;
  if (!read(options.file, image)) {
    std::fprintf(stderr, "ptx-dump: cannot read %s\n", options.file.c_str());
    return 2;
  }
  const auto text = ptx::ptx_of_image(image.c_str(), image.size() + 1, options.architecture);
  if (!text.ok()) {
    std::fprintf(stderr, "ptx-dump: %s\n", text.error().message.c_str());
    return 1;
  }
  if (options.extract) {
    std::fputs(text->c_str(), stdout);
    return 0;
  }
  const auto module = ptx::parse(*text);
  if (!module.ok()) {
    std::fputs(ptx::to_text(module.error()).c_str(), stderr);
    return 1;
  }
  if (!options.check) std::fputs(ptx::print(*module).c_str(), stdout);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "ptx-dump: %s\n", error.what());
  return 1;
}

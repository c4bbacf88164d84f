// SPDX-License-Identifier: MIT
// Runs file tests on any CUDA driver: ptx_run_tests <driver library> [--golden DIR] [--record DIR]
// <file or folder>...
//
// The program knows the driver API alone, so the same tests run on a GPU and on the CPU driver.
// With --record it writes what came out to DIR/<name of the test file>.txt and checks only
// expectations written in the files themselves.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>

#include "driver_session.h"
#include "golden.h"
#include "special_values.h"
#include "test_file.h"

namespace pycuda::ptx_tests {
namespace {

struct Counts {
  unsigned passed = 0, failed = 0;
};

double as_double(std::uint64_t bits, const std::string& type) {
  if (type == "f64") return std::bit_cast<double>(bits);
  if (type == "f32") return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  if (type == "bf16") return std::bit_cast<float>(static_cast<std::uint32_t>(bits << 16));
  // f16: rescaled as a float with a wider exponent
  const auto magnitude = static_cast<std::uint32_t>(bits & 0x7fff);
  const float value = magnitude >= 0x7c00
                          ? std::bit_cast<float>(0x7f800000u | (magnitude & 0x3ffu) << 13)
                          : std::bit_cast<float>(magnitude << 13) * 0x1p112f;
  return (bits & 0x8000) != 0 ? -value : value;
}

/// Whole steps between two floats of a type, over the sign too.
std::uint64_t steps_between(std::uint64_t a, std::uint64_t b, unsigned bits) {
  const std::uint64_t sign = std::uint64_t{1} << (bits - 1);
  const auto ordered = [sign](std::uint64_t x) {
    return (x & sign) != 0 ? -static_cast<std::int64_t>(x & ~sign) : static_cast<std::int64_t>(x);
  };
  const std::int64_t left = ordered(a), right = ordered(b);
  return left > right ? static_cast<std::uint64_t>(left) - static_cast<std::uint64_t>(right)
                      : static_cast<std::uint64_t>(right) - static_cast<std::uint64_t>(left);
}

bool close(std::uint64_t actual, std::uint64_t expected, const Parameter& parameter,
           const std::string& type) {
  if (actual == expected) return true;
  if (parameter.ulp == 0 && parameter.absolute == 0) return false;
  if (type == "f16x2" || type == "bf16x2") {
    const std::string part = type == "f16x2" ? "f16" : "bf16";
    return close(actual & 0xffff, expected & 0xffff, parameter, part) &&
           close(actual >> 16, expected >> 16, parameter, part);
  }
  const double a = as_double(actual, type), e = as_double(expected, type);
  if (std::isnan(a) || std::isnan(e)) return std::isnan(a) && std::isnan(e);
  if (parameter.absolute != 0 && std::fabs(a - e) <= parameter.absolute) return true;
  return steps_between(actual, expected, 8 * *bytes_of_type(type)) <= parameter.ulp;
}

std::vector<std::byte> packed(const std::vector<std::uint64_t>& values, unsigned bytes) {
  std::vector<std::byte> result(values.size() * bytes);
  for (std::size_t i = 0; i < values.size(); ++i)
    std::memcpy(&result[i * bytes], &values[i], bytes);
  return result;
}

std::vector<std::uint64_t> unpacked(const std::vector<std::byte>& data, unsigned bytes) {
  std::vector<std::uint64_t> result(data.size() / bytes);
  for (std::size_t i = 0; i < result.size(); ++i) std::memcpy(&result[i], &data[i * bytes], bytes);
  return result;
}

/// The inputs of element `index`, for a failure's message.
std::string inputs_at(const LaunchTest& test, std::size_t index) {
  std::string text;
  for (const Parameter& parameter : test.parameters) {
    if (parameter.kind == Parameter::Kind::Out || index >= parameter.values.size()) continue;
    if (parameter.kind == Parameter::Kind::Scalar) continue;
    char word[64];
    std::snprintf(word, sizeof word, " %s=%llx", parameter.name.c_str(),
                  static_cast<unsigned long long>(parameter.values[index]));
    text += word;
  }
  return text;
}

/// Whether several inputs of element `index` are NaNs and the result is another one of them than
/// what was recorded, made quiet.
bool only_nans_differ(const LaunchTest& test, std::size_t index, std::uint64_t actual,
                      std::uint64_t expected, const std::string& type) {
  constexpr std::uint64_t quiet = std::uint64_t{1} << 51;
  unsigned nans = 0;
  bool is_operand = false;
  for (const Parameter& parameter : test.parameters) {
    if (parameter.kind != Parameter::Kind::In || index >= parameter.values.size()) continue;
    const std::uint64_t operand = parameter.values[index];
    if (!std::isnan(as_double(operand, parameter.type))) continue;
    ++nans;
    is_operand |= actual == (operand | quiet);
  }
  return nans > 1 && is_operand && std::isnan(as_double(expected, type));
}

class Runner {
 public:
  Runner(DriverSession& driver, std::string golden_folder, std::string record_folder)
      : driver_(driver),
        golden_folder_(std::move(golden_folder)),
        record_folder_(std::move(record_folder)) {}

  void run_file(const std::string& path) {
    const TestFile file = read_test_file(path);
    CUmodule module = nullptr;
    std::string log;
    const CUresult status = driver_.load(file.text, &module, &log);
    if (file.reject) return check_reject(file, status, log, module);
    if (status != CUDA_SUCCESS && file.target > driver_.capability()) {
      std::printf("SKIPPED %s: needs compute capability %d.%d\n", file.stem.c_str(),
                  file.target / 10, file.target % 10);
      return;
    }
    if (status != CUDA_SUCCESS) {
      return fail(file, "-",
                  "did not load: " + std::to_string(static_cast<int>(status)) + "\n" + log);
    }
    const Golden golden = Golden::read(golden_folder_ + "/" + file.stem + ".txt");
    Golden recorded;
    for (const LaunchTest& test : file.tests) {
      try {
        if (!run_test(file, test, module, golden, recorded)) return;
      } catch (const std::exception& error) {
        fail(file, test.kernel, error.what());
      }
    }
    driver_.unload(module);
    if (!record_folder_.empty()) {
      recorded.write(
          record_folder_ + "/" + file.stem + ".txt",
          driver_.device_name() + ", driver version " + std::to_string(driver_.driver_version()));
    }
  }

  const Counts& counts() const { return counts_; }
  void fail(const std::string& where, const std::string& message) {
    std::printf("FAIL %s: %s\n", where.c_str(), message.c_str());
    ++counts_.failed;
  }

 private:
  void fail(const TestFile& file, const std::string& test, const std::string& message) {
    fail(file.stem + " " + test, message);
  }

  void check_reject(const TestFile& file, CUresult status, const std::string& log,
                    CUmodule module) {
    if (status == CUDA_SUCCESS) driver_.unload(module);
    if (static_cast<int>(status) != *file.reject) {
      return fail(file, "-",
                  "loading gave " + std::to_string(static_cast<int>(status)) + "\n" + log);
    }
    if (log.find(file.reject_text) == std::string::npos)
      return fail(file, "-", "the log is: " + log);
    ++counts_.passed;
  }

  /// False when a fault has broken the context: nothing more can be done in this process.
  bool run_test(const TestFile& file, const LaunchTest& test, CUmodule module, const Golden& golden,
                Golden& recorded) {
    const CUfunction kernel = driver_.kernel(module, test.kernel);
    std::vector<CUdeviceptr> buffers(test.parameters.size());
    std::vector<std::vector<std::byte>> data(test.parameters.size());
    std::vector<void*> arguments(test.parameters.size());
    for (std::size_t i = 0; i < test.parameters.size(); ++i) {
      const Parameter& parameter = test.parameters[i];
      const unsigned bytes = *bytes_of_type(parameter.type);
      data[i] = packed(parameter.values, bytes);
      if (parameter.kind == Parameter::Kind::Scalar) {
        arguments[i] = data[i].data();
        continue;
      }
      data[i].resize(parameter.count * bytes, std::byte{0xcd});
      buffers[i] = driver_.allocate(data[i].size());
      driver_.write(buffers[i], data[i].data(), data[i].size());
      arguments[i] = &buffers[i];
    }
    const CUresult status =
        driver_.run(kernel, test.grid, test.block, test.shared_bytes, arguments.data());
    if (test.fault || status != CUDA_SUCCESS) {
      if (static_cast<int>(status) == test.fault.value_or(0)) {
        ++counts_.passed;
      } else {
        fail(file, test.kernel, "the launch gave " + std::to_string(static_cast<int>(status)));
      }
      return status == CUDA_SUCCESS;
    }
    bool passed = true;
    for (std::size_t i = 0; i < test.parameters.size(); ++i) {
      const Parameter& parameter = test.parameters[i];
      if (parameter.kind == Parameter::Kind::Scalar) continue;
      driver_.read(data[i].data(), buffers[i], data[i].size());
      driver_.release(buffers[i]);
      const auto actual = unpacked(data[i], *bytes_of_type(parameter.type));
      if (parameter.golden && !record_folder_.empty()) {
        recorded.set(test.kernel, parameter.name, actual);
      } else if (parameter.kind != Parameter::Kind::In) {
        passed = check(file, test, parameter, actual, golden) && passed;
      }
    }
    if (passed) ++counts_.passed;
    return true;
  }

  bool check(const TestFile& file, const LaunchTest& test, const Parameter& parameter,
             const std::vector<std::uint64_t>& actual, const Golden& golden) {
    const std::vector<std::uint64_t>* expected = &parameter.expected;
    if (parameter.golden) expected = golden.find(test.kernel, parameter.name);
    if (expected == nullptr || expected->size() != actual.size()) {
      fail(file, test.kernel, "nothing is recorded for " + parameter.name);
      return false;
    }
    unsigned wrong = 0;
    std::string message;
    for (std::size_t i = 0; i < actual.size(); ++i) {
      if (close(actual[i], (*expected)[i], parameter, parameter.type)) continue;
      if (parameter.any_of_nans &&
          only_nans_differ(test, i, actual[i], (*expected)[i], parameter.type)) {
        continue;
      }
      if (++wrong > 6) continue;
      char line[128];
      std::snprintf(line, sizeof line, "\n  %s[%zu] is %llx, not %llx;", parameter.name.c_str(), i,
                    static_cast<unsigned long long>(actual[i]),
                    static_cast<unsigned long long>((*expected)[i]));
      message += line + inputs_at(test, i);
    }
    if (wrong != 0)
      fail(file, test.kernel,
           std::to_string(wrong) + " of " + std::to_string(actual.size()) + " wrong" + message);
    return wrong == 0;
  }

  DriverSession& driver_;
  std::string golden_folder_, record_folder_;
  Counts counts_;
};

std::vector<std::string> files_of(const std::string& path) {
  if (!std::filesystem::is_directory(path)) return {path};
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
    if (entry.path().extension() == ".ptx") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

bool expects_fault(const std::string& path) {
  const TestFile file = read_test_file(path);
  return std::any_of(file.tests.begin(), file.tests.end(),
                     [](const LaunchTest& test) { return test.fault.has_value(); });
}

struct Settings {
  std::string library, golden, record;
};

Counts run_files(const Settings& settings, const std::vector<std::string>& files) {
  DriverSession driver(settings.library);
  Runner runner(driver, settings.golden, settings.record);
  for (const std::string& file : files) {
    try {
      runner.run_file(file);
    } catch (const std::exception& error) {
      runner.fail(file, error.what());
    }
  }
  std::printf("%u passed, %u failed, on %s\n", runner.counts().passed, runner.counts().failed,
              driver.device_name().c_str());
  return runner.counts();
}

/// A fault breaks a context for good, and with a GPU the whole process: such a file gets a process
/// of its own, forked before this one has touched a driver.
bool run_in_child(const Settings& settings, const std::string& file) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    int status = 2;
    try {
      status = run_files(settings, {file}).failed == 0 ? 0 : 1;
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
    }
    std::fflush(stdout);
    _exit(status);
  }
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
         WEXITSTATUS(status) == 0;
}

int run(int count, char** words) {
  Settings settings;
  std::vector<std::string> plain, faulting;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if ((word == "--golden" || word == "--record") && i + 1 < count) {
      (word == "--golden" ? settings.golden : settings.record) = words[++i];
    } else if (settings.library.empty()) {
      settings.library = word;
    } else {
      for (std::string& file : files_of(word))
        (expects_fault(file) ? faulting : plain).push_back(std::move(file));
    }
  }
  if (plain.empty() && faulting.empty()) {
    std::fprintf(stderr,
                 "usage: %s <driver library> [--golden DIR] [--record DIR] <file or folder>...\n",
                 words[0]);
    return 2;
  }
  bool passed = true;
  for (const std::string& file : faulting) passed = run_in_child(settings, file) && passed;
  if (!plain.empty()) passed = run_files(settings, plain).failed == 0 && passed;
  return passed ? 0 : 1;
}

}  // namespace
}  // namespace pycuda::ptx_tests

int main(int count, char** words) {
  try {
    return pycuda::ptx_tests::run(count, words);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}

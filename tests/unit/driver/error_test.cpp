// SPDX-License-Identifier: MIT
#include "driver/error.h"

#include <doctest/doctest.h>

#include <cstring>
#include <string>

#include "driver/known_enumeration.h"
#include "driver/remedies.h"
#include "driver/table.h"

using namespace pycuda::driver;

namespace {

std::string message(const DriverError& error) { return error.what(); }

/// Names CUlimit while it lives.
class NamedLimits {
 public:
  NamedLimits() { known_enumeration<CUlimit> = &named_; }
  ~NamedLimits() { known_enumeration<CUlimit> = nullptr; }

 private:
  KnownEnumeration named_{"limit", {{"STACK_SIZE", 0}, {"PRINTF_FIFO_SIZE", 1}}};
};

template <class Call>
std::string refused(const Call& call) {
  try {
    call();
  } catch (const DriverError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

}  // namespace

TEST_CASE("a number that no member of an enumeration has is named with those there are") {
  const NamedLimits named;
  DriverTable driver;
  CUresult answer = CUDA_ERROR_INVALID_VALUE;
  driver.cuCtxSetLimit.bind([&](CUlimit, std::size_t) { return answer; });
  const auto set = [&](int limit) {
    return refused([&] { driver.cuCtxSetLimit(static_cast<CUlimit>(limit), 5); });
  };
  CHECK(set(77) ==
        "cuCtxSetLimit failed: invalid argument - limit has no member of value 77: it has "
        "STACK_SIZE, PRINTF_FIFO_SIZE");
  CHECK(set(1) == "cuCtxSetLimit failed: invalid argument");
  answer = CUDA_ERROR_UNKNOWN;
  CHECK(set(77) == "cuCtxSetLimit failed: unknown error");
}

TEST_CASE("an enumeration of many members is not listed") {
  KnownEnumeration many{"attribute", {}};
  for (int i = 0; i < 20; ++i) many.members.emplace_back("A" + std::to_string(i), i);
  CHECK(unknown_member({&many, 20}, CUDA_ERROR_INVALID_VALUE) ==
        "attribute has no member of value 20: dir(attribute) lists them");
  CHECK(unknown_member({&many, 19}, CUDA_ERROR_INVALID_VALUE).empty());
  CHECK(unknown_member({nullptr, 20}, CUDA_ERROR_INVALID_VALUE).empty());
}

TEST_CASE("why the driver refused a call is at the end, once") {
  DriverTable driver;
  driver.refusal = [](CUresult code, char* text, std::size_t bytes) {
    std::strncpy(text, code == CUDA_ERROR_INVALID_VALUE ? "too wide" : "", bytes);
    return CUDA_SUCCESS;
  };
  CHECK(message({driver, "f", CUDA_ERROR_INVALID_VALUE}) ==
        "f failed: invalid argument - too wide");
  CHECK(message({driver, "f", CUDA_ERROR_INVALID_VALUE, "4 x 4"}) ==
        "f failed: invalid argument - 4 x 4; too wide");
  CHECK(message({driver, "f", CUDA_ERROR_INVALID_VALUE, "it is too wide\n"}) ==
        "f failed: invalid argument - it is too wide");
  CHECK(message({driver, "f", CUDA_ERROR_UNKNOWN}) == "f failed: unknown error");
}

TEST_CASE("a log's line breaks do not end a message") {
  CHECK(message({"f", CUDA_ERROR_UNKNOWN, "ptx: error\n\n"}) ==
        "f failed: unknown error - ptx: error");
}

TEST_CASE("remedies go by code and function") {
  CHECK(std::string(remedy_of(CUDA_ERROR_ILLEGAL_STATE, "cuStreamEndCapture"))
            .find("begin_capture() comes first") != std::string::npos);
  CHECK(remedy_of(CUDA_ERROR_ILLEGAL_STATE, "cuMemAlloc") == nullptr);
  CHECK(remedy_of(CUDA_ERROR_INVALID_HANDLE, "cuStreamDestroy") == nullptr);
  CHECK(remedy_of(CUDA_ERROR_INVALID_HANDLE, "cuStreamSynchronize") != nullptr);
}

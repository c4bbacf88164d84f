// SPDX-License-Identifier: MIT
// cuRAND's constants, declared here so that its header is not needed to build.
#pragma once

namespace pycuda::curand {

enum Status {
  kSuccess = 0,
  kNotInitialized = 101,
  kAllocationFailed = 102,
  kTypeError = 103,
  kOutOfRange = 104,
  kLengthNotMultiple = 105,
  kLaunchFailure = 201,
  kPreexistingFailure = 202,
  kInitializationFailed = 203,
  kInternalError = 999,
};

enum Kind {
  kPseudoDefault = 100,
  kXorwow = 101,
  kMrg32k3a = 121,
  kMtgp32 = 141,
  kMt19937 = 142,
  kPhilox = 161,
  kQuasiDefault = 200,
  kSobol32 = 201,
  kScrambledSobol32 = 202,
  kSobol64 = 203,
  kScrambledSobol64 = 204,
};

enum Ordering {
  kBest = 100,
  kDefault = 101,
  kSeeded = 102,
  kLegacy = 103,
  kDynamic = 104,
  kQuasiOrder = 201,
};

}  // namespace pycuda::curand

// SPDX-License-Identifier: MIT
// Generators and their settings.
#include <new>
#include <string>
#include <utility>

#include "base/log.h"
#include "curand/generator.h"
#include "curand/nvidia_library.h"
#include "curand/tables.h"

namespace pycuda::curand {

Status run_body(const char* function, Status (*run)(void*), void* body) noexcept {
  try {
    return run(body);
  } catch (const Refusal& refusal) {
    if (refusal.why != nullptr)
      base::log(base::LogLevel::Info, std::string(function) + ": " + refusal.why);
    return refusal.status;
  } catch (const std::bad_alloc&) {
    return kAllocationFailed;
  } catch (...) {
    return kInternalError;
  }
}

void require_usable(const Generator* generator) {
  if (!Generators::instance().contains(generator)) throw Refusal{kNotInitialized, nullptr};
  if (generator->failed->exchange(false)) throw Refusal{kPreexistingFailure, nullptr};
}

void restart(Generator& generator) {
  // Work that is under way keeps the state that it has.
  generator.state = std::make_shared<State>();
  generator.state->make = [kind = generator.kind, seed = generator.seed, offset = generator.offset,
                           is_legacy = generator.is_legacy, dimensions = generator.dimensions] {
    return is_quasi(kind) ? quasi_source(kind, dimensions, offset)
                          : pseudo_source(kind, seed, offset, is_legacy);
  };
}

namespace {

bool is_kind(Kind kind) {
  switch (kind) {
    case kXorwow:
    case kMrg32k3a:
    case kMtgp32:
    case kMt19937:
    case kPhilox:
    case kSobol32:
    case kScrambledSobol32:
    case kSobol64:
    case kScrambledSobol64:
      return true;
    default:
      return false;
  }
}

Status create(Generator** made, Kind kind, bool is_host) {
  if (made == nullptr) return kOutOfRange;
  if (kind == kPseudoDefault) kind = kXorwow;
  if (kind == kQuasiDefault) kind = kSobol32;
  require(is_kind(kind), kTypeError, "there is no such generator");
  if (kind == kMtgp32 && nvidia_library() == nullptr) return kInitializationFailed;
  if (is_quasi(kind) && tables() == nullptr) return kInitializationFailed;
  if (!is_host && (hostwork::driver() == nullptr || hostwork::context_of_thread() == nullptr))
    return kInitializationFailed;
  auto generator = std::make_unique<Generator>();
  generator->kind = kind;
  generator->is_host = is_host;
  restart(*generator);
  *made = Generators::instance().insert(std::move(generator));
  return kSuccess;
}

bool is_ordering(Kind kind, int ordering) {
  if (is_quasi(kind)) return ordering == kQuasiOrder;
  if (ordering == kBest) return kind != kMt19937;
  return ordering == kDefault || ordering == kLegacy;
}

}  // namespace

extern "C" {

Status curandCreateGenerator(Generator** made, Kind kind) {
  return guarded("curandCreateGenerator", [&] { return create(made, kind, false); });
}
Status curandCreateGeneratorHost(Generator** made, Kind kind) {
  return guarded("curandCreateGeneratorHost", [&] { return create(made, kind, true); });
}
Status curandDestroyGenerator(Generator* generator) {
  return with_generator("curandDestroyGenerator", generator, [&] {
    Generators::instance().erase(generator);
    return kSuccess;
  });
}

Status curandSetStream(Generator* generator, CUstream stream) {
  return with_generator("curandSetStream", generator, [&] {
    generator->stream = stream;
    return kSuccess;
  });
}

Status curandSetPseudoRandomGeneratorSeed(Generator* generator, unsigned long long seed) {
  return with_generator("curandSetPseudoRandomGeneratorSeed", generator, [&] {
    require(!is_quasi(generator->kind), kTypeError, "quasi-random generators have no seed");
    generator->seed = seed;
    restart(*generator);
    return kSuccess;
  });
}

Status curandSetGeneratorOffset(Generator* generator, unsigned long long offset) {
  return with_generator("curandSetGeneratorOffset", generator, [&] {
    require(generator->kind != kMt19937 && generator->kind != kMtgp32, kTypeError,
            "this generator has no offset");
    generator->offset = offset;
    restart(*generator);
    return kSuccess;
  });
}

Status curandSetGeneratorOrdering(Generator* generator, int ordering) {
  return with_generator("curandSetGeneratorOrdering", generator, [&] {
    if (ordering == kSeeded || ordering == kDynamic)
      base::log(base::LogLevel::Warning,
                "the orders SEEDED and DYNAMIC are not supported by the CPU driver's cuRAND");
    require(is_ordering(generator->kind, ordering), kOutOfRange, "there is no such order");
    generator->is_legacy = ordering == kLegacy;
    restart(*generator);
    return kSuccess;
  });
}

Status curandSetQuasiRandomGeneratorDimensions(Generator* generator, unsigned dimensions) {
  return with_generator("curandSetQuasiRandomGeneratorDimensions", generator, [&] {
    require(is_quasi(generator->kind), kTypeError, "pseudo-random generators have no dimensions");
    require(dimensions >= 1 && dimensions <= kMostDimensions, kOutOfRange,
            "there are 1 to 20000 dimensions");
    generator->dimensions = dimensions;
    restart(*generator);
    return kSuccess;
  });
}

Status curandGenerateSeeds(Generator* generator) {
  return with_generator("curandGenerateSeeds", generator, [&] {
    restart(*generator);
    return kSuccess;
  });
}

Status curandGetDirectionVectors32(const std::uint32_t** vectors, int set) {
  return guarded("curandGetDirectionVectors32", [&] {
    require(vectors != nullptr && (set == 101 || set == 102), kOutOfRange, "there is no such set");
    if (tables() == nullptr) return kInitializationFailed;
    *vectors = tables()->vectors32[set - 101];
    return kSuccess;
  });
}
Status curandGetDirectionVectors64(const std::uint64_t** vectors, int set) {
  return guarded("curandGetDirectionVectors64", [&] {
    require(vectors != nullptr && (set == 103 || set == 104), kOutOfRange, "there is no such set");
    if (tables() == nullptr) return kInitializationFailed;
    *vectors = tables()->vectors64[set - 103];
    return kSuccess;
  });
}
Status curandGetScrambleConstants32(const std::uint32_t** constants) {
  return guarded("curandGetScrambleConstants32", [&] {
    require(constants != nullptr, kOutOfRange, "the result's pointer is null");
    if (tables() == nullptr) return kInitializationFailed;
    *constants = tables()->constants32;
    return kSuccess;
  });
}
Status curandGetScrambleConstants64(const std::uint64_t** constants) {
  return guarded("curandGetScrambleConstants64", [&] {
    require(constants != nullptr, kOutOfRange, "the result's pointer is null");
    if (tables() == nullptr) return kInitializationFailed;
    *constants = tables()->constants64;
    return kSuccess;
  });
}

}  // extern "C"

}  // namespace pycuda::curand

// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <map>
#include <string>

#include "array/fusion.h"
#include "array/kernel_source.h"
#include "array/scan_source.h"

namespace pycuda::array {
namespace {

/// Kernels by number: two with one number must have one source.
class Known {
 public:
  template <class Key>
  void add(const Key& key) {
    const auto [place, is_new] = sources_.emplace(key.kernel_name(), key.source());
    REQUIRE(place->second == key.source());
    count_ += is_new ? 1 : 0;
  }
  int count() const { return count_; }

 private:
  std::map<std::string, std::string> sources_;
  int count_ = 0;
};

TEST_CASE("kernels of different sources have different numbers") {
  Known known;
  int made = 0;
  for (const Ufunc ufunc : {Ufunc::add, Ufunc::multiply, Ufunc::mul_add}) {
    for (const int ndim : {0, 1, 3, 32}) {
      for (const int vector : {1, 2, 8}) {
        for (const Inner inner : {Inner::Dense, Inner::Fixed}) {
          ElementwiseKey key{ufunc, DType::F32, {}, {}};
          key.inputs.fill(DType::F32);
          key.computed.fill(DType::F64);
          key.access.ndim = ndim;
          key.access.vector = vector;
          key.access.inner[1] = inner;
          known.add(key);
          ++made;
        }
      }
    }
  }
  CHECK(known.count() > made / 2);
  for (const auto op : {ReductionOp::sum, ReductionOp::argmax, ReductionOp::dot}) {
    for (const bool columns : {false, true}) {
      for (const int dims : {0, 1, 31}) {
        ReductionKey key{op, DType::F32, DType::F32, DType::F32, DType::F32};
        key.columns = columns;
        key.kept_dims = key.reduced_dims = dims;
        known.add(key);
        key.serial_threads = true;
        known.add(key);
        key.bands = columns && !finds_position(op);
        known.add(key);
        key.bands = false;
        key.rows = !columns && !finds_position(op);
        known.add(key);
        key.same_second = key.rows && takes_two(op);
        known.add(key);
      }
    }
    known.add(ScanKey{op, DType::I8, DType::I64, DType::I64, 1, true, false, false});
    known.add(ScanKey{op, DType::I8, DType::I64, DType::I64, 1, true, true, false});
    known.add(ScanKey{op, DType::I8, DType::I64, DType::I64, 1, false, false, false});
  }
}

/// x * y + number, or the same with a subtraction.
Fusion fusion_of(DType first, DType second, Ufunc last, double number) {
  const std::array types = {first, second};
  Fusion fusion("kernel", types);
  const std::array<Fusion::Operand, 2> factors = {Fusion::Operand{0}, Fusion::Operand{1}};
  const int product = fusion.add(Ufunc::multiply, factors);
  Fusion::Operand constant;
  constant.type = {DType::F64, true};
  constant.number = {DType::F64, 0, number};
  const std::array<Fusion::Operand, 2> terms = {Fusion::Operand{product}, constant};
  const int sum = fusion.add(last, terms);
  const std::array results = {sum, product};
  fusion.finish(results);
  return fusion;
}

FusedKey fused_key(const Fusion& fusion, int ndim = 0, DType stored = DType::F32) {
  FusedKey key{&fusion, {stored, DType::F32}, 2, {}};
  key.access.ndim = ndim;
  return key;
}

TEST_CASE("fused kernels of different sources have different numbers, and numbers are parameters") {
  const Fusion fusion = fusion_of(DType::F32, DType::F32, Ufunc::add, 1.0);
  const Fusion again = fusion_of(DType::F32, DType::F32, Ufunc::add, 2.0);
  CHECK(fused_key(fusion).packed() == fused_key(again).packed());
  CHECK(fused_key(fusion).source() == fused_key(again).source());
  const Fusion difference = fusion_of(DType::F32, DType::F32, Ufunc::subtract, 1.0);
  const Fusion mixed = fusion_of(DType::I16, DType::F32, Ufunc::add, 1.0);
  std::map<std::string, KernelNumber> numbers;
  const FusedKey keys[] = {fused_key(fusion),    fused_key(difference),
                           fused_key(mixed),     fused_key(fusion, 1),
                           fused_key(fusion, 3), fused_key(fusion, 0, DType::F64)};
  for (const FusedKey& key : keys) {
    for (const auto& [source, number] : numbers) CHECK_FALSE(number == key.packed());
    CHECK(numbers.emplace(key.source(), key.packed()).second);
  }
}

TEST_CASE("a step of a fused kernel has the type that it has as an operation of its own") {
  const Fusion halves = fusion_of(DType::F16, DType::F16, Ufunc::add, 1.0);
  CHECK(halves.type(2) == DType::F16);
  CHECK(halves.type(3) == DType::F16);
  CHECK(halves.numbers().size() == 1);
  CHECK(halves.numbers()[0].type == DType::F32);
  CHECK(fusion_of(DType::I32, DType::F32, Ufunc::add, 1.0).type(2) == DType::F64);
}

TEST_CASE("a fused kernel has few enough arrays") {
  const std::vector<DType> many(max_fused_arrays, DType::F32);
  Fusion fusion("kernel", many);
  const std::array results = {0};
  CHECK_THROWS_AS(fusion.finish(results), ValueMismatch);
}

}  // namespace
}  // namespace pycuda::array

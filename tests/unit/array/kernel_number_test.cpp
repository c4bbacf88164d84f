// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <map>
#include <string>

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
          key.ndim = ndim;
          key.vector = vector;
          key.inner[4] = inner;
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

}  // namespace
}  // namespace pycuda::array

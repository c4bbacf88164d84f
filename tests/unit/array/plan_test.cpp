// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <vector>

#include "array/elementwise_plan.h"
#include "array/reduction_plan.h"

namespace pycuda::array {
namespace {

constexpr cuda::DeviceTraits gpu{.multiprocessors = 132};
constexpr cuda::DeviceTraits cores{.serial_threads = true, .multiprocessors = 2};

Layout layout_of(std::vector<std::int64_t> shape, std::vector<std::int64_t> strides) {
  Layout layout;
  layout.ndim = static_cast<int>(shape.size());
  for (std::size_t i = 0; i < shape.size(); ++i) {
    layout.shape[i] = shape[i];
    layout.strides[i] = strides[i];
  }
  return layout;
}

ElementwisePlan plan_of(const Layout& result, const Layout& operand,
                        const cuda::DeviceTraits& device, CUdeviceptr address = 4096) {
  const Layout* const both[] = {&result, &operand};
  const std::int64_t bytes[] = {4, 4};
  const CUdeviceptr addresses[] = {4096, address};
  return plan_elementwise(collapse(both), {bytes, addresses}, device);
}

ReducedArrays reduced(const Layout& kept, const Layout& result, const Layout& along) {
  ReducedArrays arrays{};
  arrays.addresses = {4096, 0};
  arrays.item_bytes = {4, 0};
  const Layout* const both[] = {&kept, &result};
  const Layout* const one[] = {&along};
  arrays.kept = collapse(both);
  arrays.reduced = collapse(one);
  return arrays;
}

TEST_CASE("contiguous arrays are moved in packs of 16 bytes where they are aligned") {
  const Layout flat = layout_of({1000, 1000}, {4000, 4});
  CHECK(plan_of(flat, flat, gpu).access.vector == 4);
  CHECK(plan_of(flat, flat, gpu, 4100).access.vector == 1);
  CHECK(plan_of(flat, flat, gpu).access.ndim == 0);
}

TEST_CASE("rows that are repeated are moved in packs as well") {
  const Layout result = layout_of({1000, 1000}, {4000, 4});
  CHECK(plan_of(result, layout_of({1000, 1000}, {0, 4}), gpu).access.vector == 4);
  CHECK(plan_of(result, layout_of({1000, 1000}, {4, 0}), gpu).access.vector == 4);
  CHECK(plan_of(result, layout_of({1000, 1000}, {4, 4000}), gpu).access.vector == 1);
}

TEST_CASE("short arrays run in blocks of whole gangs on cores") {
  for (const auto& [elements, threads, blocks] : {std::array{1, 64, 1},
                                                  {3, 64, 1},
                                                  {64, 64, 1},
                                                  {100, 128, 1},
                                                  {256, 256, 1},
                                                  {300, 256, 2}}) {
    const Layout line = layout_of({elements}, {4});
    const ElementwisePlan plan = plan_of(line, line, cores);
    CHECK(plan.access.form == ElementwiseForm::Once);
    CHECK(plan.threads == static_cast<unsigned>(threads));
    CHECK(plan.grid.x == static_cast<unsigned>(blocks));
  }
}

TEST_CASE("more than 2^31 elements have 64-bit indices") {
  const std::int64_t many = (std::int64_t{1} << 31) + 5;
  const Layout flat = layout_of({many}, {4});
  CHECK(plan_of(flat, flat, gpu).access.wide);
  const Layout every_second = layout_of({many}, {8});
  CHECK(plan_of(flat, every_second, gpu).access.wide);
  CHECK(plan_of(flat, every_second, cores).grid.x > 0);
  CHECK_FALSE(plan_of(layout_of({1000}, {4}), layout_of({1000}, {8}), gpu).access.wide);
}

TEST_CASE("serial threads take small arrays without a loop and large ones in strips") {
  const Layout small = layout_of({1024}, {4});
  const Layout large = layout_of({100000}, {4});
  CHECK(plan_of(small, small, cores).access.form == ElementwiseForm::Once);
  CHECK(plan_of(large, large, cores).access.form == ElementwiseForm::Strip);
  CHECK(plan_of(large, layout_of({100000}, {8}), cores).access.form == ElementwiseForm::Rows);
  CHECK(
      plan_of(layout_of({9000, 3}, {12, 4}), layout_of({9000, 3}, {4, 36000}), cores).access.form ==
      ElementwiseForm::Elements);
}

TEST_CASE("a long sum is cut into parts, a short one is not") {
  const Layout none = layout_of({}, {});
  const ReducedArrays longer = reduced(none, none, layout_of({1 << 24}, {4}));
  CHECK(plan_reduction(longer, gpu, true).parts() > 500);
  CHECK(plan_reduction(longer, gpu, true).vector == 4);
  CHECK(plan_reduction(longer, gpu, false).parts() == 1);
  CHECK(plan_reduction(longer, cores, true).parts() > 100);
  CHECK(plan_reduction(reduced(none, none, layout_of({1000}, {4})), gpu, true).parts() == 1);
}

TEST_CASE("sums of columns are made side by side") {
  const ReducedArrays columns =
      reduced(layout_of({4096}, {4}), layout_of({4096}, {4}), layout_of({4096}, {16384}));
  const ReductionPlan plan = plan_reduction(columns, gpu, true);
  CHECK(plan.columns);
  CHECK(plan.per_thread == 4);
  CHECK(plan.parts() * plan.chunk >= 4096);
  // Parts that a block's batches of rows fill: single rows at the end would each wait for memory.
  CHECK(plan.parts() > 1);
  CHECK(plan.chunk % (plan.block.y * rows_at_once(plan.per_thread)) == 0);
  const ReducedArrays rows =
      reduced(layout_of({4096}, {16384}), layout_of({4096}, {4}), layout_of({4096}, {4}));
  CHECK_FALSE(plan_reduction(rows, gpu, true).columns);
}

TEST_CASE("a processor reads long stretches, of columns some rows at a time") {
  const Layout none = layout_of({}, {});
  // Parts of 256 KiB and more, but as many as there may be cores.
  const ReductionPlan large =
      plan_reduction(reduced(none, none, layout_of({1 << 24}, {4})), cores, true);
  CHECK(large.chunk == 65536);
  CHECK(plan_reduction(reduced(none, none, layout_of({1 << 20}, {4})), cores, true).parts() == 128);

  const Layout row = layout_of({4096}, {4});
  ReducedArrays columns = reduced(row, row, layout_of({4096}, {16384}));
  const ReductionPlan bands = plan_reduction(columns, cores, true);
  CHECK(bands.columns);
  CHECK(bands.bands);
  CHECK(bands.grid.x == 4096 / band_columns(4));
  CHECK(bands.parts() >= 32);
  CHECK_FALSE(plan_reduction(columns, gpu, true).bands);
  // Rows that begin within elements, and positions, come column by column.
  CHECK_FALSE(plan_reduction(reduced(row, row, layout_of({4096}, {16386})), cores, true).bands);
  columns.positions = true;
  CHECK_FALSE(plan_reduction(columns, cores, true).bands);
}

TEST_CASE("a processor reduces few elements without a loop") {
  const auto plan_of_rows = [](std::int64_t rows, std::int64_t length,
                               const cuda::DeviceTraits& device) {
    return plan_reduction(
        reduced(layout_of({rows}, {4 * length}), layout_of({rows}, {4}), layout_of({length}, {4})),
        device, true);
  };
  CHECK(plan_of_rows(1, 2048, cores).once);
  CHECK(plan_of_rows(1, 2048, cores).dense);
  CHECK(plan_of_rows(8, 512, cores).once);
  CHECK(plan_of_rows(8, 512, cores).grid.x == 8);
  CHECK_FALSE(plan_of_rows(1, 2049, cores).once);
  CHECK_FALSE(plan_of_rows(9, 16, cores).once);
  CHECK_FALSE(plan_of_rows(8, 2048, cores).once);
  CHECK_FALSE(plan_of_rows(1, 1000, gpu).once);
  const Layout column = layout_of({8}, {4});
  CHECK_FALSE(plan_reduction(reduced(column, column, layout_of({100}, {32})), cores, true).dense);
}

TEST_CASE("a processor reduces several rows side by side where there are many") {
  const auto plan_of_rows = [](std::int64_t rows, std::int64_t length,
                               const cuda::DeviceTraits& device) {
    ReducedArrays arrays =
        reduced(layout_of({rows}, {4 * length}), layout_of({rows}, {4}), layout_of({length}, {4}));
    return plan_reduction(arrays, device, true);
  };
  const ReductionPlan plan = plan_of_rows(4097, 4096, cores);
  CHECK(plan.rows);
  CHECK(plan.grid.x == 4096 / rows_together + 1);
  CHECK(plan.parts() == 1);
  CHECK_FALSE(plan_of_rows(4097, 4096, gpu).rows);
  CHECK_FALSE(plan_of_rows(16, 4096, cores).rows);      // too few for all cores
  CHECK_FALSE(plan_of_rows(4096, 100, cores).rows);     // soon over
  CHECK_FALSE(plan_of_rows(4096, 100000, cores).rows);  // pages enough of their own
  CHECK_FALSE(plan.same_second);

  const Layout kept = layout_of({4096}, {16384}), other = layout_of({4096}, {0}),
               result = layout_of({4096}, {4}), along = layout_of({4096}, {4});
  ReducedArrays products = reduced(kept, result, along);
  products.count = 2;
  products.addresses[1] = 4096;
  products.item_bytes[1] = 4;
  const Layout* const all[] = {&kept, &other, &result};
  const Layout* const both[] = {&along, &along};
  products.kept = collapse(all);
  products.reduced = collapse(both);
  CHECK(plan_reduction(products, cores, true).same_second);
  const Layout* const apart[] = {&kept, &kept, &result};
  products.kept = collapse(apart);
  CHECK(plan_reduction(products, cores, true).rows);
  CHECK_FALSE(plan_reduction(products, cores, true).same_second);
}

TEST_CASE("sums of columns fill a GPU once, by small loads of elements that are small") {
  ReducedArrays columns =
      reduced(layout_of({16384}, {2}), layout_of({16384}, {2}), layout_of({16384}, {32768}));
  columns.item_bytes[0] = 2;
  const ReductionPlan plan = plan_reduction(columns, gpu, true);
  CHECK(plan.columns);
  CHECK(plan.vector == 4);
  CHECK(plan.block.x == 32);
  CHECK(plan.block.y == 8);
  // A block more than a multiprocessor runs at a time would run alone.
  CHECK(plan.grid.x * plan.grid.y <= 8 * 132);
  CHECK(plan.grid.x * plan.grid.y > 7 * 132);
}

}  // namespace
}  // namespace pycuda::array

// SPDX-License-Identifier: MIT
#include "array/indexing.h"

#include <algorithm>
#include <limits>
#include <string>

#include "cuda/memcpy.h"
#include "cuda/memset.h"

namespace pycuda::array {
namespace {

struct Key {
  int ndim;
  int indices;
  std::int64_t bytes;
  bool writes;

  std::uint64_t number() const {
    return static_cast<std::uint64_t>(ndim) | static_cast<std::uint64_t>(indices) << 8 |
           static_cast<std::uint64_t>(bytes) << 16 | (writes ? std::uint64_t{1} << 24 : 0) |
           std::uint64_t{1} << 32;
  }
};

std::string source_of(const void* argument) {
  const Key& key = *static_cast<const Key*>(argument);
  const std::string dims = std::to_string(key.ndim);
  const std::string count = std::to_string(key.indices);
  std::string text =
      "typedef long long i64;\nstruct alignas(16) sixteen { i64 v[2]; };\n"
      "template <class T, int n> struct Row { T v[n]; };\ntypedef ";
  text += key.bytes == 16  ? "sixteen"
          : key.bytes == 8 ? "i64"
          : key.bytes == 4 ? "int"
          : key.bytes == 2 ? "short"
                           : "char";
  text += " T;\nextern \"C\" __global__ void array_select(char* values, char* indexed";
  for (int k = 0; k < key.indices; ++k) text += ", const char* i" + std::to_string(k);
  text += ", i64 n, int* bad, const Row<i64, " + count + "> lengths, const Row<i64, " + count +
          "> steps";
  if (key.ndim > 0) {
    text += ", const Row<i64, " + dims + "> shape";
    for (int k = 0; k < 2 + key.indices; ++k) {
      text += ", const Row<i64, " + dims + "> s" + std::to_string(k);
    }
  }
  text +=
      ") {\n  for (i64 i = blockIdx.x * static_cast<i64>(blockDim.x) + threadIdx.x; i < n;\n"
      "       i += static_cast<i64>(gridDim.x) * blockDim.x) {\n    i64 rest = i;\n";
  for (int k = 0; k < 2 + key.indices; ++k) text += "    i64 o" + std::to_string(k) + " = 0;\n";
  for (int d = key.ndim - 1; d >= 0; --d) {
    const std::string dim = "[" + std::to_string(d) + "]";
    text += "    { const i64 next = rest / shape.v" + dim + ", c = rest - next * shape.v" + dim +
            "; rest = next;\n";
    for (int k = 0; k < 2 + key.indices; ++k) {
      const std::string operand = std::to_string(k);
      text += "      o" + operand + " += c * s" + operand + ".v" + dim + ";\n";
    }
    text += "    }\n";
  }
  text += "    bool good = true;\n";
  for (int k = 0; k < key.indices; ++k) {
    const std::string index = std::to_string(k);
    text += "    { i64 j = *reinterpret_cast<const i64*>(i" + index + " + o" +
            std::to_string(k + 2) + ");\n      if (j < 0) j += lengths.v[" + index +
            "];\n      good = good && j >= 0 && j < lengths.v[" + index +
            "];\n      o1 += j * steps.v[" + index + "]; }\n";
  }
  text +=
      "    T* const there = reinterpret_cast<T*>(indexed + o1);\n"
      "    T* const here = reinterpret_cast<T*>(values + o0);\n";
  text += key.writes ? "    if (good) *there = *here;" : "    if (good) *here = *there;";
  return text + " else *bad = 1;\n  }\n}\n";
}

bool run(ArrayContext& context, const Selection& selection, CUstream stream, bool check,
         bool writes) {
  const auto count = selection.indices.size();
  const Layout& values = *selection.values.layout;
  Layout shape;
  for (const ArrayRef& index : selection.indices) broadcast_shape(shape, *index.layout);
  const int index_dims = shape.ndim;
  for (int i = static_cast<int>(count); i < selection.indexed.layout->ndim; ++i) {
    if (shape.ndim == max_dims) throw ShapeMismatch("too many axes");
    shape.shape[static_cast<std::size_t>(shape.ndim++)] =
        selection.indexed.layout->shape[static_cast<std::size_t>(i)];
  }
  if (!shape.same_shape(values)) {
    throw ShapeMismatch("values of shape " + shape_text(values.shape_span()) +
                        " do not fit a selection of shape " + shape_text(shape.shape_span()));
  }

  // Elements of other sizes are moved in parts.
  std::int64_t bytes = selection.indexed.item_bytes;
  std::int64_t parts = 1;
  if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8 && bytes != 16) {
    parts = bytes;
    bytes = 1;
  }
  std::array<Layout, 2 + max_index_arrays> layouts;
  layouts[0] = values;
  layouts[1] = shape;
  for (int i = 0; i < shape.ndim; ++i) {
    const auto axis = static_cast<std::size_t>(i);
    layouts[1].strides[axis] =
        i < index_dims ? 0
                       : selection.indexed.layout
                             ->strides[axis - static_cast<std::size_t>(index_dims) + count];
  }
  Layout index_shape = shape;
  index_shape.ndim = index_dims;
  for (std::size_t k = 0; k < count; ++k) {
    layouts[2 + k] = broadcast_to(*selection.indices[k].layout, index_shape);
    layouts[2 + k].ndim = shape.ndim;
    for (int i = index_dims; i < shape.ndim; ++i) {
      const auto axis = static_cast<std::size_t>(i);
      layouts[2 + k].shape[axis] = shape.shape[axis];
      layouts[2 + k].strides[axis] = 0;
    }
  }
  std::array<const Layout*, 2 + max_index_arrays> used;
  for (std::size_t k = 0; k < 2 + count; ++k) {
    used[k] = &layouts[k];
    if (parts == 1) continue;
    if (layouts[k].ndim == max_dims) throw ShapeMismatch("too many axes");
    const auto axis = static_cast<std::size_t>(layouts[k].ndim++);
    layouts[k].shape[axis] = parts;
    layouts[k].strides[axis] = k < 2 ? 1 : 0;
  }
  const Walk walk = collapse(std::span(used.data(), 2 + count));
  if (walk.size == 0) return true;

  Key key{walk.ndim, static_cast<int>(count), bytes, writes};
  const cuda::Kernel& kernel = context.kernel(key.number(), "array_select", source_of, &key);
  const TemporaryMemory bad(context, 4, stream);
  cuda::fill_async(bad.pointer(), std::uint32_t{0}, 1, stream);
  Parameters parameters;
  parameters.add(selection.values.address);
  parameters.add(selection.indexed.address);
  for (const ArrayRef& index : selection.indices) parameters.add(index.address);
  parameters.add_index(walk.size, true);
  parameters.add(bad.pointer());
  parameters.add_lengths(selection.indexed.layout->shape.data(), static_cast<int>(count), true);
  parameters.add_strides(selection.indexed.layout->strides.data(), static_cast<int>(count));
  if (walk.ndim > 0) {
    parameters.add_lengths(walk.shape.data(), walk.ndim, true);
    for (std::size_t k = 0; k < 2 + count; ++k) {
      parameters.add_strides(walk.strides[k].data(), walk.ndim);
    }
  }
  cuda::LaunchShape launch_shape;
  launch_shape.block.x = 256;
  launch_shape.grid.x = static_cast<unsigned>(std::clamp<std::int64_t>(
      (walk.size + 255) / 256, 1, std::int64_t{64} * context.multiprocessors()));
  launch_shape.stream = stream;
  cuda::launch(kernel, launch_shape, parameters.data(), parameters.bytes());
  if (!check) return true;
  int found = 0;
  cuda::copy_to_host_async(&found, bad.pointer(), sizeof found, stream);
  const driver::DriverTable& driver = context.context()->driver();
  driver.cuStreamSynchronize(stream);
  return found == 0;
}

}  // namespace

bool read_selection(ArrayContext& context, const Selection& selection, CUstream stream,
                    bool check) {
  return run(context, selection, stream, check, false);
}

bool write_selection(ArrayContext& context, const Selection& selection, CUstream stream,
                     bool check) {
  return run(context, selection, stream, check, true);
}

}  // namespace pycuda::array

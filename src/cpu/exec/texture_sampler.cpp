// SPDX-License-Identifier: MIT
// Linear filtering uses weights of 8 fractional bits, as the hardware does. Sums are made in double
// precision, where the products are exact, and rounded once.
#include "cpu/exec/texture_sampler.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "cpu/exec/half_conversions.h"
#include "cpu/exec/invalid_results.h"

namespace pycuda::cpu::exec {
namespace {

/// No texel: the border.
constexpr std::int64_t outside = -1;
constexpr int weight_bits = 8;
constexpr double weight_steps = 1 << weight_bits;

/// The texels that a coordinate falls between, and how far it is towards the second.
struct Between {
  std::int64_t first = 0, second = 0;
  double weight = 0;
};

/// The texel that `index` means; `outside` for the border.
std::int64_t addressed(std::int64_t index, std::int64_t size, AddressMode mode) {
  if (index >= 0 && index < size) return index;
  switch (mode) {
    case AddressMode::Wrap: {
      const std::int64_t rest = index % size;
      return rest < 0 ? rest + size : rest;
    }
    case AddressMode::Border:
      return outside;
    case AddressMode::Clamp:
    case AddressMode::Mirror:  // the coordinate is mirrored already, what is beyond is the edge's
      return index < 0 ? 0 : size - 1;
  }
  return outside;
}

/// Wrapping and mirroring are there for normalized coordinates only; others are clamped instead.
AddressMode mode_of(const Texture& texture, int axis) {
  const AddressMode mode = texture.address[axis];
  const bool repeats = mode == AddressMode::Wrap || mode == AddressMode::Mirror;
  return repeats && !texture.normalized_coordinates ? AddressMode::Clamp : mode;
}

/// Where a place in texels lies if every second repetition of the texture is its mirror image.
double mirrored(double position, double size) {
  double in_pair = std::fmod(position, 2 * size);
  if (in_pair < 0) in_pair += 2 * size;
  return in_pair < size ? in_pair : 2 * size - in_pair;
}

/// A float coordinate in texels, and `offset` texels more.
double in_texels(const Texture& texture, std::uint32_t bits, std::int64_t size, AddressMode mode,
                 std::int32_t offset) {
  double value = std::bit_cast<float>(bits);
  if (std::isnan(value)) value = 0;
  if (texture.normalized_coordinates) {
    const bool mirrors = mode == AddressMode::Mirror;
    if (mirrors || mode == AddressMode::Wrap) {
      if (std::isinf(value)) value = 0;
      const double whole = std::floor(value);
      value -= whole;
      if (mirrors && std::fmod(whole, 2) != 0) value += 1;
    }
    value *= static_cast<double>(size);
    if (mirrors) return mirrored(value + offset, static_cast<double>(size));
  }
  // Far outside is outside; the difference must fit an integer.
  constexpr double far = 1e9;
  return std::clamp(value + offset, -far, far);
}

/// The integer at or below a number that fits one.
std::int64_t whole_part(double value) {
  const auto towards_zero = static_cast<std::int64_t>(value);
  return towards_zero - (static_cast<double>(towards_zero) > value ? 1 : 0);
}

struct Direction {
  double x = 0, y = 0, z = 0;
};

/// The face of a cube that a direction hits: its largest coordinate's.
std::uint32_t face_of(const Direction& to) {
  const double ax = std::fabs(to.x), ay = std::fabs(to.y), az = std::fabs(to.z);
  if (ax >= ay && ax >= az) return to.x >= 0 ? 0 : 1;
  if (ay >= az) return to.y >= 0 ? 2 : 3;
  return to.z >= 0 ? 4 : 5;
}

/// The direction with z towards the face, x along its rows and y down them.
Direction seen_from(std::uint32_t face, const Direction& to) {
  switch (face) {
    case 0:
      return {-to.z, -to.y, to.x};
    case 1:
      return {to.z, -to.y, -to.x};
    case 2:
      return {to.x, to.z, to.y};
    case 3:
      return {to.x, -to.z, -to.y};
    case 4:
      return {to.x, -to.y, to.z};
    default:
      return {-to.x, -to.y, -to.z};
  }
}

bool mixes_texels(const Texture& texture, const TexelMemory& texels, TextureForm form) {
  if (form.gathers) return true;
  return texture.linear_filter && !texels.is_linear && !form.integer_coordinates &&
         texture.reads_floats();
}

bool is_cube(TextureGeometry geometry) {
  return geometry == TextureGeometry::Cube || geometry == TextureGeometry::CubeLayered;
}

class Sampler {
 public:
  Sampler(const Texture& texture, const TexelMemory& texels, TextureForm form)
      : texture_(texture),
        texels_(texels),
        form_(form),
        mixes_(mixes_texels(texture, texels, form)) {}

  Sample run(const Coordinates& at) {
    if (!mixes_ && !is_cube(form_.geometry)) return nearest(at);
    choose_axes(at);
    if (!mixes_) return converted(texel(between_[0].first, between_[1].first, between_[2].first));
    return form_.gathers ? gather() : mix();
  }

 private:
  Sample nearest(const Coordinates& at) const {
    using enum TextureGeometry;
    const bool has_rows = form_.geometry != OneD && form_.geometry != OneDLayered;
    const std::int64_t x = nearest_index(0, at.x, texels_.width);
    const std::int64_t y = has_rows ? nearest_index(1, at.y, texels_.height) : 0;
    std::int64_t z = 0;
    if (form_.geometry == ThreeD) {
      z = nearest_index(2, at.z, texels_.depth);
    } else if (form_.geometry == OneDLayered || form_.geometry == TwoDLayered) {
      z = std::min(at.layer, texels_.depth - 1);
    }
    return converted(texel(x, y, z));
  }

  std::int64_t nearest_index(int axis, std::uint32_t bits, std::int64_t size) const {
    const bool is_plain = form_.offset[axis] == 0 && !texture_.normalized_coordinates;
    if (is_plain && !form_.integer_coordinates) {
      const auto position = std::bit_cast<float>(bits);
      if (position >= 0 && position < static_cast<float>(size)) [[likely]]
        return static_cast<std::int64_t>(position);
    }
    return axis_of(axis, bits, size).first;
  }

  /// One texel. Numbers of 32 bits are read as they are.
  Sample converted(const std::byte* from) const {
    Sample sample;
    const bool is_real = texture_.reads_floats();
    const bool converts = is_real && texels_.format != TexelFormat::Float;
    for (int i = 0; i < texels_.channels; ++i) {
      sample.component[i] = converts
                                ? std::bit_cast<std::uint32_t>(static_cast<float>(real(from, i)))
                                : integer(from, i);
    }
    add_alpha(sample);
    return sample;
  }

  void add_alpha(Sample& sample) const {
    if (texels_.channels < 4)
      sample.component[3] = texture_.reads_floats() ? std::bit_cast<std::uint32_t>(1.0f) : 1;
  }

  void choose_axes(const Coordinates& at) {
    using enum TextureGeometry;
    const std::uint32_t coordinates[3] = {at.x, at.y, at.z};
    int axes = 1;
    switch (form_.geometry) {
      case OneD:
      case OneDLayered:
        axes = 1;
        break;
      case TwoD:
      case TwoDLayered:
        axes = 2;
        break;
      case ThreeD:
        axes = 3;
        break;
      case Cube:
      case CubeLayered:
        return choose_face(at);
    }
    const std::int64_t sizes[3] = {texels_.width, texels_.height, texels_.depth};
    for (int axis = 0; axis < axes; ++axis) {
      between_[axis] = axis_of(axis, coordinates[axis], sizes[axis]);
    }
    axes_ = axes;
    if (form_.geometry == OneDLayered || form_.geometry == TwoDLayered) {
      const std::int64_t layer = std::min(at.layer, texels_.depth - 1);
      between_[2] = {layer, layer, 0};
    }
  }

  Between axis_of(int axis, std::uint32_t bits, std::int64_t size) const {
    const AddressMode mode = texels_.is_linear ? AddressMode::Border : mode_of(texture_, axis);
    if (form_.integer_coordinates) {
      const std::int64_t asked = std::int64_t{static_cast<std::int32_t>(bits)};
      const std::int64_t index = addressed(asked + form_.offset[axis], size, mode);
      return {index, index, 0};
    }
    return place(in_texels(texture_, bits, size, mode, form_.offset[axis]), size, mode);
  }

  Between place(double position, std::int64_t size, AddressMode mode) const {
    if (!mixes_) {
      const std::int64_t index = addressed(whole_part(position), size, mode);
      return {index, index, 0};
    }
    const std::int64_t fixed = whole_part((position - 0.5) * weight_steps + 0.5);
    const std::int64_t first = fixed >> weight_bits;
    const std::int64_t towards_second = fixed - (first << weight_bits);
    return {addressed(first, size, mode), addressed(first + 1, size, mode),
            static_cast<double>(towards_second) / weight_steps};
  }

  void choose_face(const Coordinates& at) {
    const Direction to{std::bit_cast<float>(at.x), std::bit_cast<float>(at.y),
                       std::bit_cast<float>(at.z)};
    const std::uint32_t face = face_of(to);
    const Direction on = seen_from(face, to);
    const double size = texels_.width;
    const auto on_face = [&](double value) {
      const double ratio = on.z > 0 && std::isfinite(on.z) ? value / on.z : 0;
      return (std::clamp(std::isnan(ratio) ? 0.0 : ratio, -1.0, 1.0) + 1) / 2 * size;
    };
    between_[0] = place(on_face(on.x), texels_.width, AddressMode::Clamp);
    between_[1] = place(on_face(on.y), texels_.height, AddressMode::Clamp);
    const std::uint32_t cubes = std::max(texels_.depth / 6, 1u);
    const std::uint32_t cube =
        form_.geometry == TextureGeometry::CubeLayered ? std::min(at.layer, cubes - 1) : 0;
    const std::int64_t slice = std::min(cube * 6 + face, texels_.depth - 1);
    between_[2] = {slice, slice, 0};
    axes_ = 2;
  }

  const std::byte* texel(std::int64_t x, std::int64_t y, std::int64_t z) const {
    if (x < 0 || y < 0 || z < 0) return nullptr;
    return texels_.base + static_cast<std::uint64_t>(z) * texels_.slice_bytes +
           static_cast<std::uint64_t>(y) * texels_.row_bytes +
           static_cast<std::uint64_t>(x) * texels_.texel_bytes();
  }

  template <class Number>
  static Number read(const std::byte* texel, int channel) {
    Number value;
    std::memcpy(&value, texel + static_cast<std::size_t>(channel) * sizeof value, sizeof value);
    return value;
  }

  double real(const std::byte* texel, int channel) const {
    if (texel == nullptr) return texels_.is_linear ? 0 : double{texture_.border[channel]};
    switch (texels_.format) {
      case TexelFormat::Unsigned8: {
        const double value = read<std::uint8_t>(texel, channel) / 255.0;
        return texture_.srgb && channel < 3 ? linear_light(value) : value;
      }
      case TexelFormat::Unsigned16:
        return read<std::uint16_t>(texel, channel) / 65535.0;
      case TexelFormat::Signed8:
        return std::max(read<std::int8_t>(texel, channel) / 127.0, -1.0);
      case TexelFormat::Signed16:
        return std::max(read<std::int16_t>(texel, channel) / 32767.0, -1.0);
      case TexelFormat::Half:
        return double{half_value(read<std::uint16_t>(texel, channel))};
      default:
        return double{read<float>(texel, channel)};
    }
  }

  static double linear_light(double value) {
    return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  }

  std::uint32_t integer(const std::byte* texel, int channel) const {
    if (texel == nullptr)
      return texels_.is_linear ? 0 : std::bit_cast<std::uint32_t>(texture_.border[channel]);
    switch (texels_.format) {
      case TexelFormat::Unsigned8:
        return read<std::uint8_t>(texel, channel);
      case TexelFormat::Unsigned16:
        return read<std::uint16_t>(texel, channel);
      case TexelFormat::Signed8:
        return static_cast<std::uint32_t>(std::int32_t{read<std::int8_t>(texel, channel)});
      case TexelFormat::Signed16:
        return static_cast<std::uint32_t>(std::int32_t{read<std::int16_t>(texel, channel)});
      default:
        return read<std::uint32_t>(texel, channel);
    }
  }

  struct Corner {
    const std::byte* texel = nullptr;
    double weight = 0;
  };

  /// The texels around the place, and how many they are. One of weight zero is not among them: an
  /// infinity there must not make a NaN.
  int find_corners(Corner (&corners)[8]) const {
    int count = 0;
    for (int corner = 0; corner < 1 << axes_; ++corner) {
      double weight = 1;
      std::int64_t index[3] = {between_[0].first, between_[1].first, between_[2].first};
      for (int axis = 0; axis < axes_; ++axis) {
        const Between& between = between_[axis];
        const bool second = (corner >> axis & 1) != 0;
        weight *= second ? between.weight : 1 - between.weight;
        if (second) index[axis] = between.second;
      }
      if (weight != 0) corners[count++] = {texel(index[0], index[1], index[2]), weight};
    }
    return count;
  }

  Sample mix() const {
    Sample sample;
    Corner corners[8];
    const int count = find_corners(corners);
    for (int i = 0; i < texels_.channels; ++i) {
      double sum = 0;
      for (int k = 0; k < count; ++k) {
        const double part = corners[k].weight * real(corners[k].texel, i);
        sum = with_negative_nan(sum + part, sum, part);
      }
      sample.component[i] = std::bit_cast<std::uint32_t>(static_cast<float>(sum));
    }
    add_alpha(sample);
    return sample;
  }

  /// The four texels that would be filtered, counter-clockwise from the one of low x and high y.
  Sample gather() const {
    Sample sample;
    const Between& x = between_[0];
    const Between& y = between_[1];
    const std::int64_t order[4][2] = {
        {x.first, y.second}, {x.second, y.second}, {x.second, y.first}, {x.first, y.first}};
    const int channel = static_cast<int>(form_.component);
    for (int i = 0; i < 4; ++i) {
      const std::byte* from = texel(order[i][0], order[i][1], between_[2].first);
      if (channel >= texels_.channels) {
        sample.component[i] = channel < 3               ? 0
                              : texture_.reads_floats() ? std::bit_cast<std::uint32_t>(1.0f)
                                                        : 1;
      } else if (texture_.reads_floats()) {
        sample.component[i] = std::bit_cast<std::uint32_t>(static_cast<float>(real(from, channel)));
      } else {
        sample.component[i] = integer(from, channel);
      }
    }
    return sample;
  }

  const Texture& texture_;
  const TexelMemory& texels_;
  const TextureForm form_;
  const bool mixes_;  ///< several texels make a sample
  int axes_ = 1;
  Between between_[3];
};

/// The level that is read, in steps of 1/256 as the hardware counts them, between the least and the
/// greatest that the texture allows and has.
double allowed_level(const Texture& texture, double level) {
  const double last = texture.texels.levels - 1;
  const auto bound = [&](double limit, double lowest) {
    return std::isnan(limit) ? lowest : std::clamp(limit, lowest, last);
  };
  const double least = bound(texture.least_level, 0);
  const double greatest = bound(texture.greatest_level, least);
  if (std::isnan(level)) return least;
  return std::floor(std::clamp(level, least, greatest) * weight_steps) / weight_steps;
}

Sample fetch_at(const Texture& texture, TextureForm form, const Coordinates& at, double level) {
  const auto read = [&](double number) {
    const TexelMemory texels = texture.texels.level(static_cast<std::uint32_t>(number));
    return Sampler(texture, texels, form).run(at);
  };
  const bool blends =
      texture.linear_levels && texture.reads_floats() && !form.integer_coordinates && !form.gathers;
  if (!blends) return read(std::floor(level + 0.5));
  const double first = std::floor(level), weight = level - first;
  Sample sample = read(first);
  if (weight == 0) return sample;
  const Sample second = read(first + 1);
  for (int i = 0; i < 4; ++i) {
    const double near = std::bit_cast<float>(sample.component[i]);
    const double far = std::bit_cast<float>(second.component[i]);
    const double left = (1 - weight) * near, right = weight * far;
    const double sum = with_negative_nan(left + right, left, right);
    sample.component[i] = std::bit_cast<std::uint32_t>(static_cast<float>(sum));
  }
  return sample;
}

/// How many texels of the first level lie between neighbouring pixels, in the direction in which
/// there are more.
double texels_between(const Texture& texture, TextureForm form, const Coordinates& at,
                      const Gradients& gradients) {
  using enum TextureGeometry;
  const TexelMemory& texels = texture.texels;
  const auto length = [&](const float(&step)[3]) -> double {
    const double x = step[0], y = step[1], z = step[2];
    switch (form.geometry) {
      case OneD:
      case OneDLayered:
        return std::fabs(x * texels.width);
      case TwoD:
      case TwoDLayered:
        return std::hypot(x * texels.width, y * texels.height);
      case ThreeD:
        return std::hypot(x * texels.width, y * texels.height, z * texels.depth);
      case Cube:
      case CubeLayered:
        break;
    }
    // What the place (x / z + 1) / 2 on the face changes by.
    const Direction to{std::bit_cast<float>(at.x), std::bit_cast<float>(at.y),
                       std::bit_cast<float>(at.z)};
    const std::uint32_t face = face_of(to);
    const Direction on = seen_from(face, to), moved = seen_from(face, {x, y, z});
    const double scale = texels.width / (2 * on.z * on.z);
    return std::hypot((moved.x * on.z - on.x * moved.z) * scale,
                      (moved.y * on.z - on.y * moved.z) * scale);
  };
  return std::max(length(gradients.along_x), length(gradients.along_y));
}

}  // namespace

Sample fetch(const Texture& texture, TextureForm form, const Coordinates& at) {
  if (texture.texels.levels == 1) return Sampler(texture, texture.texels, form).run(at);
  return fetch_at(texture, form, at, allowed_level(texture, 0));
}

Sample fetch_level(const Texture& texture, TextureForm form, const Coordinates& at,
                   std::uint32_t level) {
  if (texture.texels.levels == 1) return fetch(texture, form, at);
  const double asked = form.integer_coordinates
                           ? double{static_cast<float>(static_cast<std::int32_t>(level))}
                           : double{std::bit_cast<float>(level)};
  return fetch_at(texture, form, at, allowed_level(texture, asked + texture.level_bias));
}

Sample fetch_gradient(const Texture& texture, TextureForm form, const Coordinates& at,
                      const Gradients& gradients) {
  if (texture.texels.levels == 1) return fetch(texture, form, at);
  const double level = std::log2(texels_between(texture, form, at, gradients));
  return fetch_at(texture, form, at, allowed_level(texture, level + texture.level_bias));
}

}  // namespace pycuda::cpu::exec

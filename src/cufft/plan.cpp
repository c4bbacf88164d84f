// SPDX-License-Identifier: MIT
#include "cufft/plan.h"

#include <algorithm>

#include "hostwork/stream_work.h"

namespace pycuda::cufft {
namespace {

/// The elements of the last dimension that one side has: half of a real line's spectrum.
std::int64_t last_length(const Plan& plan, bool is_spectrum_of_reals) {
  return is_spectrum_of_reals ? plan.lengths[2] / 2 + 1 : plan.lengths[2];
}

/// A side's layout; in place, real lines have room for their spectra.
Layout layout_of(const Plan& plan, bool input, bool in_place) {
  if (!plan.is_basic) return input ? plan.in : plan.out;
  const bool is_real = input ? reads_real(plan.type) : writes_real(plan.type);
  const bool is_half = input ? writes_real(plan.type) : reads_real(plan.type);
  std::int64_t last = last_length(plan, is_half);
  if (is_real && in_place) last = 2 * (plan.lengths[2] / 2 + 1);
  Layout layout;
  layout.pitches = {1, plan.lengths[1], last};
  layout.distance = plan.lengths[0] * plan.lengths[1] * last;
  return layout;
}

/// The number of elements from the first to the last.
std::uint64_t extent_of(const Plan& plan, const Layout& layout, std::int64_t last) {
  const std::int64_t within =
      ((plan.lengths[0] - 1) * layout.pitches[1] + plan.lengths[1] - 1) * layout.pitches[2] + last -
      1;
  return static_cast<std::uint64_t>((plan.batch - 1) * layout.distance + within * layout.stride +
                                    1);
}

/// Calls `visit(place in memory, place in the array of all lengths)` for each element of a side.
template <class Visit>
void for_each_element(const Plan& plan, const Layout& layout, std::int64_t batch, std::int64_t last,
                      Visit visit) {
  for (std::int64_t i = 0; i < plan.lengths[0]; ++i) {
    for (std::int64_t j = 0; j < plan.lengths[1]; ++j) {
      const std::int64_t row = i * layout.pitches[1] + j;
      const std::int64_t place = batch * layout.distance + row * layout.pitches[2] * layout.stride;
      const std::int64_t own = (i * plan.lengths[1] + j) * plan.lengths[2];
      for (std::int64_t k = 0; k < last; ++k) visit(place + k * layout.stride, own + k);
    }
  }
}

/// The other half of the spectrum of real numbers.
template <class T>
void mirror(const Plan& plan, std::vector<std::complex<T>>& all) {
  const auto [rows, columns, length] = plan.lengths;
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      const std::int64_t other = ((rows - i) % rows * columns + (columns - j) % columns) * length;
      const std::int64_t own = (i * columns + j) * length;
      for (std::int64_t k = length / 2 + 1; k < length; ++k)
        all[static_cast<std::size_t>(own + k)] =
            std::conj(all[static_cast<std::size_t>(other + length - k)]);
    }
  }
}

/// Transforms all lines along one dimension.
template <class T>
void along(const Plan& plan, std::size_t dimension, const Transform<T>& transform, bool inverse,
           std::vector<std::complex<T>>& all) {
  const auto length = static_cast<std::size_t>(plan.lengths[dimension]);
  if (length == 1) return;
  std::size_t step = 1;
  for (std::size_t later = dimension + 1; later < 3; ++later)
    step *= static_cast<std::size_t>(plan.lengths[later]);
  std::vector<std::complex<T>> line(step == 1 ? 0 : length);
  std::vector<std::complex<T>> work(transform.workspace());
  for (std::size_t first = 0; first < all.size(); first += step * length) {
    for (std::size_t i = 0; i < step; ++i) {
      std::complex<T>* const start = all.data() + first + i;
      if (step == 1) {
        transform.run(start, work.data(), inverse);
        continue;
      }
      for (std::size_t k = 0; k < length; ++k) line[k] = start[k * step];
      transform.run(line.data(), work.data(), inverse);
      for (std::size_t k = 0; k < length; ++k) start[k * step] = line[k];
    }
  }
}

template <class T>
void run(const Plan& plan, const std::vector<std::shared_ptr<const Transform<T>>>& transforms,
         const void* in, void* out, Direction direction) {
  using Complex = std::complex<T>;
  const bool in_place = in == out;
  const Layout from = layout_of(plan, true, in_place);
  const Layout to = layout_of(plan, false, in_place);
  const bool inverse = writes_real(plan.type) || (!reads_real(plan.type) && direction == kInverse);
  std::vector<Complex> all(
      static_cast<std::size_t>(plan.lengths[0] * plan.lengths[1] * plan.lengths[2]));
  for (std::int64_t batch = 0; batch < plan.batch; ++batch) {
    for_each_element(plan, from, batch, last_length(plan, writes_real(plan.type)),
                     [&](std::int64_t place, std::int64_t own) {
                       all[static_cast<std::size_t>(own)] =
                           reads_real(plan.type) ? Complex(static_cast<const T*>(in)[place])
                                                 : static_cast<const Complex*>(in)[place];
                     });
    if (writes_real(plan.type)) mirror(plan, all);
    for (std::size_t dimension = 0; dimension < 3; ++dimension)
      along(plan, dimension, *transforms[dimension], inverse, all);
    for_each_element(plan, to, batch, last_length(plan, reads_real(plan.type)),
                     [&](std::int64_t place, std::int64_t own) {
                       const Complex value = all[static_cast<std::size_t>(own)];
                       if (writes_real(plan.type)) {
                         static_cast<T*>(out)[place] = value.real();
                       } else {
                         static_cast<Complex*>(out)[place] = value;
                       }
                     });
  }
}

template <class T>
void make_transforms(Plan& plan) {
  std::vector<std::shared_ptr<const Transform<T>>> transforms;
  transforms.reserve(plan.lengths.size());
  for (const std::int64_t length : plan.lengths)
    transforms.push_back(std::make_shared<Transform<T>>(static_cast<std::size_t>(length)));
  plan.transforms = std::move(transforms);
}

bool is_memory(const Plan& plan, const void* place, bool input, bool in_place) {
  const Layout layout = layout_of(plan, input, in_place);
  const bool is_real = input ? reads_real(plan.type) : writes_real(plan.type);
  const bool is_half = input ? writes_real(plan.type) : reads_real(plan.type);
  const std::uint64_t bytes = std::uint64_t{is_double(plan.type) ? 8U : 4U} * (is_real ? 1U : 2U);
  return hostwork::is_device_memory(place,
                                    bytes * extent_of(plan, layout, last_length(plan, is_half)));
}

}  // namespace

void prepare(Plan& plan) {
  if (is_double(plan.type)) {
    make_transforms<double>(plan);
  } else {
    make_transforms<float>(plan);
  }
}

Result execute(const std::shared_ptr<const Plan>& plan, const void* in, void* out,
               Direction direction) {
  if (in == nullptr || out == nullptr) return kInvalidValue;
  if (direction != kForward && direction != kInverse) return kInvalidValue;
  if (plan->failed->exchange(false)) return kExecFailed;
  const bool in_place = in == out;
  if (!is_memory(*plan, in, true, in_place) || !is_memory(*plan, out, false, in_place))
    return kExecFailed;
  const bool taken = hostwork::enqueue(plan->stream, plan->failed, [=] {
    std::visit([&](const auto& transforms) { run(*plan, transforms, in, out, direction); },
               plan->transforms);
  });
  return taken ? kSuccess : kExecFailed;
}

}  // namespace pycuda::cufft

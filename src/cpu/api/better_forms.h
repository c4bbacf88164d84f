// SPDX-License-Identifier: MIT
// Long kernels first run as they could be compiled quickly; those that run for long get their
// vector form.
#pragma once

#include <memory>

namespace pycuda::cpu::api {

class ModuleImage;

/// Sees to it that kernels of `image` whose vector form was put off are compiled again, in the
/// background, once they have run for long. Before their first launch.
void arrange_better_forms(const std::shared_ptr<const ModuleImage>& image);

}  // namespace pycuda::cpu::api

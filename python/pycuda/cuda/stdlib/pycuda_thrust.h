// SPDX-License-Identifier: MIT
// What Thrust's headers use of the standard library, and include only where they have a host compiler.
#pragma once
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <new>
#include <stdexcept>
#include <type_traits>

extern "C++" {
#include <cuda/std/iterator>
namespace std {

// Thrust adds specialisations, for which a using declaration is not enough.
template <class Iterator>
struct iterator_traits : cuda::std::iterator_traits<Iterator> {};

}  // namespace std
}

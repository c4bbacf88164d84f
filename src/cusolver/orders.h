// SPDX-License-Identifier: MIT
// Orders of a symmetric matrix's rows in which its factors have fewer entries.
#pragma once

#include <vector>

#include "cusolver/csr.h"

namespace pycuda::cusolver {

/// Row order[i] becomes row i. A narrow band: from the outer rows inwards, reversed.
std::vector<int> reverse_cuthill_mckee(const Graph& graph);

/// The row with the fewest neighbours next, in the graph of what is left.
std::vector<int> minimum_degree(const Graph& graph);

/// The order that a solver's `reorder` argument asks for.
std::vector<int> order_for(int reorder, const Graph& graph);

}  // namespace pycuda::cusolver

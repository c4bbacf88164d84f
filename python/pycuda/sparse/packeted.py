# SPDX-License-Identifier: MIT
"""Square sparse matrices in packets: rows and columns that belong together are kept in shared memory.

The unknowns are parted by pymetis where that is installed, else by their order after a reverse
Cuthill-McKee reordering; what lies between packets is a matrix of coordinates.
"""

import heapq

import numpy as np

from pycuda import gpuarray
from pycuda._generated_modules import generated_module
from pycuda.sparse.coordinate import CoordinateSpMV, apart, check_vector, checked_coordinates, checked_dtype
from pycuda.sparse.operator import OperatorBase
from pycuda.sparse.pkt_build import build_pkt_data_structure
from pycuda.tools import dtype_to_ctype

PKT_KERNEL_TEMPLATE = """
#include <pycuda-complex.hpp>
typedef %(value_type)s value_type;
extern "C" __global__ void spmv_pkt_kernel(const int *base_rows, const int *costs, const long long *starts,
                                           const unsigned *indices, const value_type *values, const value_type *x,
                                           value_type *y) {
  __shared__ __align__(16) unsigned char x_bytes[%(rows_per_packet)d * sizeof(value_type)];
  __shared__ __align__(16) unsigned char y_bytes[%(rows_per_packet)d * sizeof(value_type)];
  value_type *local_x = (value_type *)x_bytes, *local_y = (value_type *)y_bytes;
  const int base = base_rows[blockIdx.x], rows = base_rows[blockIdx.x + 1] - base, cost = costs[blockIdx.x];
  for (int i = threadIdx.x; i < rows; i += blockDim.x) {
    local_x[i] = x[base + i];
    local_y[i] = y[base + i];
  }
  __syncthreads();
  // A row belongs to one thread; places without an element have no row.
  long long place = starts[blockIdx.x] + threadIdx.x;
  for (int k = 0; k < cost; ++k, place += blockDim.x) {
    const unsigned index = indices[place];
    if (index == 0xffffffffu) continue;
    local_y[index >> 16] = local_y[index >> 16] + values[place] * local_x[index & 0xffff];
  }
  __syncthreads();
  for (int i = threadIdx.x; i < rows; i += blockDim.x) y[base + i] = local_y[i];
}
"""


class PacketedSpMV(OperatorBase):
    """A square sparse matrix of SciPy on the device; vectors are in the order of its packets.

    Parameters
    ----------
    mat : scipy.sparse matrix
    is_symmetric : bool
        Its pattern is symmetric: it needs not be made so before it is parted.
    dtype : dtype-like

    Raises
    ------
    ValueError
        "only square matrices are supported"
    """

    def __init__(self, mat, is_symmetric, dtype):
        self._dtype, self._shape = checked_dtype(mat, dtype), mat.shape
        coordinates = checked_coordinates(mat)
        if mat.shape[0] != mat.shape[1]:
            raise ValueError(f"only square matrices are supported, not {mat.shape}")
        # A new matrix, so that summing duplicates leaves the caller's as it is.
        csr_mat = coordinates.tocsr()
        csr_mat.sum_duplicates()
        # Two vectors of a packet fit the 48 KiB of shared memory that every device has.
        self.rows_per_packet = min(2**14, 48 * 1024 // (2 * self._dtype.itemsize))
        self.threads_per_packet = 128
        part_count = max(1, -(-mat.shape[0] // (self.rows_per_packet * 4 // 5)))
        dof_to_packet_nr = self._parts(csr_mat, is_symmetric, part_count)
        packet_nr_to_dofs = [np.flatnonzero(dof_to_packet_nr == packet) for packet in range(part_count)]
        packet_nr_to_dofs = [
            dofs[start : start + self.rows_per_packet]
            for dofs in packet_nr_to_dofs
            for start in range(0, len(dofs), self.rows_per_packet)
        ] or [np.zeros(0, np.int64)]
        for packet, dofs in enumerate(packet_nr_to_dofs):
            dof_to_packet_nr[dofs] = packet
        self.block_count = len(packet_nr_to_dofs)
        new2old, old2new, _ = self.find_simple_index_stuff(packet_nr_to_dofs)
        self.new2old_fetch_indices = gpuarray.to_gpu(new2old)
        self.old2new_fetch_indices = gpuarray.to_gpu(old2new)
        costs, remaining = self.find_local_row_costs_and_remaining_coo(csr_mat, dof_to_packet_nr, old2new)
        threads = self.threads_per_packet
        assignments, thread_costs = self.find_thread_assignment(packet_nr_to_dofs, costs, threads)
        max_thread_costs = np.max(thread_costs, axis=1)
        data = self.build_gpu_data_structure(
            packet_nr_to_dofs, max_thread_costs, old2new, csr_mat, threads, assignments, costs
        )
        names = "packet_base_rows", "thread_costs_max", "packet_starts", "index_array", "data_array"
        self._arrays = [gpuarray.to_gpu(data[name]) for name in names]
        self.remaining_coo_gpu = CoordinateSpMV(remaining, self._dtype) if remaining.nnz else None
        self._function = None

    @property
    def dtype(self):
        """Of the elements."""
        return self._dtype

    @property
    def shape(self):
        """Rows and columns."""
        return self._shape

    @staticmethod
    def _parts(csr_mat, is_symmetric, part_count):
        """For each row, the number of its part."""
        from scipy.sparse.csgraph import reverse_cuthill_mckee  # optional package

        rows = csr_mat.shape[0]
        if part_count == 1:
            return np.zeros(rows, np.int64)
        pattern = csr_mat if is_symmetric else (abs(csr_mat) + abs(csr_mat.T)).tocsr()
        try:
            from pymetis import part_graph
        except ImportError:
            order = reverse_cuthill_mckee(pattern, symmetric_mode=True)
            parts = np.empty(rows, np.int64)
            parts[order] = np.arange(rows) * part_count // rows
            return parts
        neighbours = [pattern.indices[pattern.indptr[i] : pattern.indptr[i + 1]] for i in range(rows)]
        _, parts = part_graph(part_count, [[j for j in row if j != i] for i, row in enumerate(neighbours)])
        return np.asarray(parts, np.int64)

    def find_simple_index_stuff(self, packet_nr_to_dofs):
        """The rows in the order of the packets, the place of each row in that, and each packet's first place."""
        new2old = np.concatenate(packet_nr_to_dofs).astype(np.int64)
        old2new = np.empty(self.shape[0], np.int64)
        old2new[new2old] = np.arange(len(new2old))
        base_rows = np.concatenate([[0], np.cumsum([len(dofs) for dofs in packet_nr_to_dofs])])
        return new2old, old2new, base_rows

    def find_local_row_costs_and_remaining_coo(self, csr_mat, dof_to_packet_nr, old2new_fetch_indices):
        """How many elements of each row are within its packet; the others as a matrix, in the new order."""
        from scipy.sparse import coo_matrix  # optional package

        coordinates = csr_mat.tocoo()
        local = dof_to_packet_nr[coordinates.row] == dof_to_packet_nr[coordinates.col]
        costs = np.bincount(coordinates.row[local], minlength=self.shape[0])
        places = old2new_fetch_indices[coordinates.row[~local]], old2new_fetch_indices[coordinates.col[~local]]
        return costs, coo_matrix((coordinates.data[~local], places), self.shape)

    def find_thread_assignment(self, packet_nr_to_dofs, local_row_cost, thread_count):
        """The rows of each thread of each packet, and how many elements they are: costly rows first."""
        assignments, costs = [], np.zeros((len(packet_nr_to_dofs), thread_count), np.int64)
        for packet, dofs in enumerate(packet_nr_to_dofs):
            rows = [[] for _ in range(thread_count)]
            least = [(0, thread) for thread in range(thread_count)]
            for row in sorted(dofs, key=lambda row: -local_row_cost[row]):
                cost, thread = heapq.heappop(least)
                rows[thread].append(row)
                costs[packet, thread] = cost + local_row_cost[row]
                heapq.heappush(least, (int(costs[packet, thread]), thread))
            assignments.append(rows)
        return assignments, costs

    def build_gpu_data_structure(
        self,
        packet_nr_to_dofs,
        max_thread_costs,
        old2new_fetch_indices,
        csr_mat,
        thread_count,
        thread_assignments,
        local_row_costs,
    ):
        """`pkt_build.build_pkt_data_structure` of this matrix."""
        return build_pkt_data_structure(
            self,
            packet_nr_to_dofs,
            max_thread_costs,
            old2new_fetch_indices,
            csr_mat,
            thread_count,
            thread_assignments,
            local_row_costs,
        )

    def get_kernel(self):
        """The kernel of the packets, compiled once."""
        if self._function is None:
            settings = {"value_type": dtype_to_ctype(self.dtype), "rows_per_packet": self.rows_per_packet}
            module = generated_module(PKT_KERNEL_TEMPLATE % settings)
            self._function = module.get_function("spmv_pkt_kernel")
        return self._function

    def permute(self, x):
        """A vector in the order of the packets."""
        check_vector("x", x, self.shape[0])
        return gpuarray.take(x, self.new2old_fetch_indices)

    def unpermute(self, x):
        """A vector in the order of the matrix."""
        check_vector("x", x, self.shape[0])
        return gpuarray.take(x, self.old2new_fetch_indices)

    def __call__(self, x, y=None):
        """Add the product with `x` to `y`, by default to zeros; both in the order of the packets."""
        if y is None:
            y = gpuarray.zeros(self.shape[0], self.dtype)
        for name, vector in (("x", x), ("y", y)):
            check_vector(name, vector, self.shape[0], self.dtype)
            if not vector.flags.c_contiguous:
                raise ValueError(f"{name} must be contiguous: its strides are {vector.strides}")
        x = apart(x, y)
        if self.shape[0]:
            grid = self.block_count, 1
            self.get_kernel()(*self._arrays, x, y, block=(self.threads_per_packet, 1, 1), grid=grid)
        if self.remaining_coo_gpu is not None:
            self.remaining_coo_gpu(x, y)
        return y

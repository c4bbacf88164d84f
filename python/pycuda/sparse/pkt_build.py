# SPDX-License-Identifier: MIT
"""The parts of a packeted matrix as its kernel reads them."""

import numpy as np

EMPTY = 0xFFFFFFFF


def build_pkt_data_structure(
    spmv,
    packet_nr_to_dofs,
    max_thread_costs,
    old2new_fetch_indices,
    csr_mat,
    thread_count,
    thread_assignments,
    local_row_costs,
):
    """Elements within packets: for each packet, one after the other of each thread, threads side by side.

    Returns
    -------
    dict of numpy.ndarray
        `packet_base_rows`: the first row of each packet, and the number of rows; `thread_costs_max`: elements
        of each thread of a packet, filled up with empty places; `packet_starts`: where the packet's elements begin;
        `index_array`: row and column within the packet, 16 bits each, all set where a place is empty;
        `data_array`: the values.
    """
    packet_count = len(packet_nr_to_dofs)
    base_rows = np.zeros(packet_count + 1, np.int32)
    base_rows[1:] = np.cumsum([len(dofs) for dofs in packet_nr_to_dofs])
    starts = np.zeros(packet_count + 1, np.int64)
    starts[1:] = np.cumsum(np.asarray(max_thread_costs, np.int64) * thread_count)
    index_array = np.full(max(int(starts[-1]), 1), EMPTY, np.uint32)
    data_array = np.zeros(len(index_array), spmv.dtype)
    for packet in range(packet_count):
        base, end = base_rows[packet], base_rows[packet + 1]
        for thread, rows in enumerate(thread_assignments[packet]):
            position = starts[packet] + thread
            for old_row in rows:
                new_row = old2new_fetch_indices[old_row] - base
                for entry in range(csr_mat.indptr[old_row], csr_mat.indptr[old_row + 1]):
                    column = old2new_fetch_indices[csr_mat.indices[entry]]
                    if not base <= column < end:
                        continue
                    index_array[position] = (new_row << 16) | (column - base)
                    data_array[position] = csr_mat.data[entry]
                    position += thread_count
    return {
        "packet_base_rows": base_rows,
        "thread_costs_max": np.asarray(max_thread_costs, np.int32),
        "packet_starts": starts,
        "index_array": index_array,
        "data_array": data_array,
    }

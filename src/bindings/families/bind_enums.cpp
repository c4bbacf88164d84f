// SPDX-License-Identifier: MIT
// All enumerations and flag names of pycuda.driver, with PyCUDA's names.
#include "bindings/base/bind.h"
#include "bindings/convert/enumeration.h"
#include "bindings/convert/enumerators.h"

namespace pycuda::bindings {
namespace {

const Member ctx_flags_members[] = {
    {"SCHED_AUTO", 0},    {"SCHED_SPIN", 1},          {"SCHED_YIELD", 2},
    {"BLOCKING_SYNC", 4}, {"SCHED_BLOCKING_SYNC", 4}, {"SCHED_MASK", 7},
    {"MAP_HOST", 8},      {"LMEM_RESIZE_TO_MAX", 16}, {"FLAGS_MASK", 255},
};
const Member event_flags_members[] = {
    {"DEFAULT", 0},
    {"BLOCKING_SYNC", 1},
    {"DISABLE_TIMING", 2},
    {"INTERPROCESS", 4},
};
const Member limit_members[] = {
    {"STACK_SIZE", 0},
    {"PRINTF_FIFO_SIZE", 1},
    {"MALLOC_HEAP_SIZE", 2},
    {"DEV_RUNTIME_SYNC_DEPTH", 3},
    {"DEV_RUNTIME_PENDING_LAUNCH_COUNT", 4},
    {"MAX_L2_FETCH_GRANULARITY", 5},
    {"PERSISTING_L2_CACHE_SIZE", 6},
};
const Member launch_attribute_members[] = {{"ACCESS_POLICY_WINDOW", 1},
                                           {"COOPERATIVE", 2},
                                           {"SYNCHRONIZATION_POLICY", 3},
                                           {"CLUSTER_DIMENSION", 4},
                                           {"CLUSTER_SCHEDULING_POLICY_PREFERENCE", 5},
                                           {"PRIORITY", 8},
                                           {"MEM_SYNC_DOMAIN_MAP", 9},
                                           {"MEM_SYNC_DOMAIN", 10},
                                           {"PREFERRED_CLUSTER_DIMENSION", 11},
                                           {"PREFERRED_SHARED_MEMORY_CARVEOUT", 14},
                                           {"NVLINK_UTIL_CENTRIC_SCHEDULING", 16}};
const Member synchronization_policy_members[] = {
    {"AUTO", 1}, {"SPIN", 2}, {"YIELD", 3}, {"BLOCKING_SYNC", 4}};
const Member access_property_members[] = {{"NORMAL", 0}, {"STREAMING", 1}, {"PERSISTING", 2}};
const Member module_loading_mode_members[] = {{"EAGER", 1}, {"LAZY", 2}};
const Member graph_mem_attribute_members[] = {{"USED_MEM_CURRENT", 0},
                                              {"USED_MEM_HIGH", 1},
                                              {"RESERVED_MEM_CURRENT", 2},
                                              {"RESERVED_MEM_HIGH", 3}};
const Member capture_mode_members[] = {
    {"GLOBAL", 0},
    {"THREAD_LOCAL", 1},
    {"RELAXED", 2},
};
const Member graph_node_type_members[] = {
    {"KERNEL", 0},         {"MEMCPY", 1},       {"MEMSET", 2},
    {"HOST", 3},           {"GRAPH", 4},        {"EMPTY", 5},
    {"WAIT_EVENT", 6},     {"EVENT_RECORD", 7}, {"EXT_SEMAS_SIGNAL", 8},
    {"EXT_SEMAS_WAIT", 9}, {"MEM_ALLOC", 10},   {"MEM_FREE", 11},
    {"BATCH_MEM_OP", 12},  {"CONDITIONAL", 13},
};
const Member graph_instantiate_flags_members[] = {
    {"AUTO_FREE_ON_LAUNCH", 1},
    {"DEVICE_LAUNCH", 4},
    {"USE_NODE_PRIORITY", 8},
};
const Member stream_wait_value_flags_members[] = {
    {"GEQ", 0}, {"EQ", 1}, {"AND", 2}, {"NOR", 3}, {"FLUSH", 1 << 30},
};
const Member stream_memory_barrier_flags_members[] = {{"SYS", 0}, {"GPU", 1}};
const Member mem_location_type_members[] = {
    {"DEVICE", 1},
    {"HOST", 2},
    {"HOST_NUMA", 3},
    {"HOST_NUMA_CURRENT", 4},
};
const Member tensor_map_data_type_members[] = {
    {"UINT8", 0},        {"UINT16", 1},    {"UINT32", 2},        {"INT32", 3},   {"UINT64", 4},
    {"INT64", 5},        {"FLOAT16", 6},   {"FLOAT32", 7},       {"FLOAT64", 8}, {"BFLOAT16", 9},
    {"FLOAT32_FTZ", 10}, {"TFLOAT32", 11}, {"TFLOAT32_FTZ", 12},
};
const Member tensor_map_interleave_members[] = {
    {"NONE", 0},
    {"INTERLEAVE_16B", 1},
    {"INTERLEAVE_32B", 2},
};
const Member tensor_map_swizzle_members[] = {
    {"NONE", 0},
    {"SWIZZLE_32B", 1},
    {"SWIZZLE_64B", 2},
    {"SWIZZLE_128B", 3},
};
const Member tensor_map_l2_promotion_members[] = {
    {"NONE", 0},
    {"L2_64B", 1},
    {"L2_128B", 2},
    {"L2_256B", 3},
};
const Member tensor_map_oob_fill_members[] = {
    {"ZEROS", 0},
    {"NAN_REQUEST_ZERO_FMA", 1},
};
const Member mem_handle_type_members[] = {
    {"NONE", 0},
    {"POSIX_FILE_DESCRIPTOR", 1},
    {"FABRIC", 8},
};
const Member mem_access_flags_members[] = {
    {"NONE", 0},
    {"READ", 1},
    {"READWRITE", 3},
};
const Member mem_pool_attribute_members[] = {
    {"REUSE_FOLLOW_EVENT_DEPENDENCIES", 1},
    {"REUSE_ALLOW_OPPORTUNISTIC", 2},
    {"REUSE_ALLOW_INTERNAL_DEPENDENCIES", 3},
    {"RELEASE_THRESHOLD", 4},
    {"RESERVED_MEM_CURRENT", 5},
    {"RESERVED_MEM_HIGH", 6},
    {"USED_MEM_CURRENT", 7},
    {"USED_MEM_HIGH", 8},
};
const Member mem_advice_members[] = {
    {"SET_READ_MOSTLY", 1},          {"UNSET_READ_MOSTLY", 2}, {"SET_PREFERRED_LOCATION", 3},
    {"UNSET_PREFERRED_LOCATION", 4}, {"SET_ACCESSED_BY", 5},   {"UNSET_ACCESSED_BY", 6},
};
const Member mem_range_attribute_members[] = {
    {"READ_MOSTLY", 1},
    {"PREFERRED_LOCATION", 2},
    {"LAST_PREFETCH_LOCATION", 4},
};
const Member device_p2p_attribute_members[] = {
    {"PERFORMANCE_RANK", 1},
    {"ACCESS_SUPPORTED", 2},
    {"NATIVE_ATOMIC_SUPPORTED", 3},
    {"CUDA_ARRAY_ACCESS_SUPPORTED", 4},
};
const Member atomic_operation_members[] = {
    {"INTEGER_ADD", 0},       {"INTEGER_MIN", 1}, {"INTEGER_MAX", 2}, {"INTEGER_INCREMENT", 3},
    {"INTEGER_DECREMENT", 4}, {"AND", 5},         {"OR", 6},          {"XOR", 7},
    {"EXCHANGE", 8},          {"CAS", 9},         {"FLOAT_ADD", 10},  {"FLOAT_MIN", 11},
    {"FLOAT_MAX", 12},
};
const Member atomic_capability_members[] = {
    {"SIGNED", 1},     {"UNSIGNED", 2},    {"REDUCTION", 4},    {"SCALAR_32", 8},
    {"SCALAR_64", 16}, {"SCALAR_128", 32}, {"VECTOR_32x4", 64},
};
const Member external_memory_handle_type_members[] = {{"OPAQUE_FD", 1}, {"DMABUF_FD", 9}};
const Member external_semaphore_handle_type_members[] = {{"OPAQUE_FD", 1},
                                                         {"TIMELINE_SEMAPHORE_FD", 9}};
const Member mem_decompress_algorithm_members[] = {{"DEFLATE", 1}, {"SNAPPY", 2}, {"LZ4", 4}};
const Member process_state_members[] = {
    {"RUNNING", 0}, {"LOCKED", 1}, {"CHECKPOINTED", 2}, {"FAILED", 3}};
const Member sm_resource_split_flags_members[] = {
    {"IGNORE_SM_COSCHEDULING", 1},
    {"MAX_POTENTIAL_CLUSTER_SIZE", 2},
};
const Member log_level_members[] = {
    {"ERROR", 0},
    {"WARNING", 1},
};
const Member func_cache_members[] = {
    {"PREFER_NONE", 0},
    {"PREFER_SHARED", 1},
    {"PREFER_L1", 2},
    {"PREFER_EQUAL", 3},
};
const Member shared_config_members[] = {
    {"DEFAULT_BANK_SIZE", 0},
    {"FOUR_BYTE_BANK_SIZE", 1},
    {"EIGHT_BYTE_BANK_SIZE", 2},
};
const Member compute_mode_members[] = {
    {"DEFAULT", 0},
    {"PROHIBITED", 2},
    {"EXCLUSIVE_PROCESS", 3},
    {"EXCLUSIVE", 1},
};
const Member function_attribute_members[] = {
    {"MAX_THREADS_PER_BLOCK", 0},
    {"SHARED_SIZE_BYTES", 1},
    {"CONST_SIZE_BYTES", 2},
    {"LOCAL_SIZE_BYTES", 3},
    {"NUM_REGS", 4},
    {"PTX_VERSION", 5},
    {"BINARY_VERSION", 6},
    {"CACHE_MODE_CA", 7},
    {"MAX_DYNAMIC_SHARED_SIZE_BYTES", 8},
    {"PREFERRED_SHARED_MEMORY_CARVEOUT", 9},
    {"MAX", 16},
};
const Member device_attribute_members[] = {
    {"MAX_THREADS_PER_BLOCK", 1},
    {"MAX_BLOCK_DIM_X", 2},
    {"MAX_BLOCK_DIM_Y", 3},
    {"MAX_BLOCK_DIM_Z", 4},
    {"MAX_GRID_DIM_X", 5},
    {"MAX_GRID_DIM_Y", 6},
    {"MAX_GRID_DIM_Z", 7},
    {"MAX_SHARED_MEMORY_PER_BLOCK", 8},
    {"SHARED_MEMORY_PER_BLOCK", 8},
    {"TOTAL_CONSTANT_MEMORY", 9},
    {"WARP_SIZE", 10},
    {"MAX_PITCH", 11},
    {"MAX_REGISTERS_PER_BLOCK", 12},
    {"REGISTERS_PER_BLOCK", 12},
    {"CLOCK_RATE", 13},
    {"TEXTURE_ALIGNMENT", 14},
    {"GPU_OVERLAP", 15},
    {"MULTIPROCESSOR_COUNT", 16},
    {"KERNEL_EXEC_TIMEOUT", 17},
    {"INTEGRATED", 18},
    {"CAN_MAP_HOST_MEMORY", 19},
    {"COMPUTE_MODE", 20},
    {"MAXIMUM_TEXTURE1D_WIDTH", 21},
    {"MAXIMUM_TEXTURE2D_WIDTH", 22},
    {"MAXIMUM_TEXTURE2D_HEIGHT", 23},
    {"MAXIMUM_TEXTURE3D_WIDTH", 24},
    {"MAXIMUM_TEXTURE3D_HEIGHT", 25},
    {"MAXIMUM_TEXTURE3D_DEPTH", 26},
    {"MAXIMUM_TEXTURE2D_ARRAY_WIDTH", 27},
    {"MAXIMUM_TEXTURE2D_LAYERED_WIDTH", 27},
    {"MAXIMUM_TEXTURE2D_ARRAY_HEIGHT", 28},
    {"MAXIMUM_TEXTURE2D_LAYERED_HEIGHT", 28},
    {"MAXIMUM_TEXTURE2D_ARRAY_NUMSLICES", 29},
    {"MAXIMUM_TEXTURE2D_LAYERED_LAYERS", 29},
    {"SURFACE_ALIGNMENT", 30},
    {"CONCURRENT_KERNELS", 31},
    {"ECC_ENABLED", 32},
    {"PCI_BUS_ID", 33},
    {"PCI_DEVICE_ID", 34},
    {"TCC_DRIVER", 35},
    {"MEMORY_CLOCK_RATE", 36},
    {"GLOBAL_MEMORY_BUS_WIDTH", 37},
    {"L2_CACHE_SIZE", 38},
    {"MAX_THREADS_PER_MULTIPROCESSOR", 39},
    {"ASYNC_ENGINE_COUNT", 40},
    {"UNIFIED_ADDRESSING", 41},
    {"MAXIMUM_TEXTURE1D_LAYERED_WIDTH", 42},
    {"MAXIMUM_TEXTURE1D_LAYERED_LAYERS", 43},
    {"MAXIMUM_TEXTURE2D_GATHER_WIDTH", 45},
    {"MAXIMUM_TEXTURE2D_GATHER_HEIGHT", 46},
    {"MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE", 47},
    {"MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE", 48},
    {"MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE", 49},
    {"PCI_DOMAIN_ID", 50},
    {"TEXTURE_PITCH_ALIGNMENT", 51},
    {"MAXIMUM_TEXTURECUBEMAP_WIDTH", 52},
    {"MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH", 53},
    {"MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS", 54},
    {"MAXIMUM_SURFACE1D_WIDTH", 55},
    {"MAXIMUM_SURFACE2D_WIDTH", 56},
    {"MAXIMUM_SURFACE2D_HEIGHT", 57},
    {"MAXIMUM_SURFACE3D_WIDTH", 58},
    {"MAXIMUM_SURFACE3D_HEIGHT", 59},
    {"MAXIMUM_SURFACE3D_DEPTH", 60},
    {"MAXIMUM_SURFACE1D_LAYERED_WIDTH", 61},
    {"MAXIMUM_SURFACE1D_LAYERED_LAYERS", 62},
    {"MAXIMUM_SURFACE2D_LAYERED_WIDTH", 63},
    {"MAXIMUM_SURFACE2D_LAYERED_HEIGHT", 64},
    {"MAXIMUM_SURFACE2D_LAYERED_LAYERS", 65},
    {"MAXIMUM_SURFACECUBEMAP_WIDTH", 66},
    {"MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH", 67},
    {"MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS", 68},
    {"MAXIMUM_TEXTURE1D_LINEAR_WIDTH", 69},
    {"MAXIMUM_TEXTURE2D_LINEAR_WIDTH", 70},
    {"MAXIMUM_TEXTURE2D_LINEAR_HEIGHT", 71},
    {"MAXIMUM_TEXTURE2D_LINEAR_PITCH", 72},
    {"MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH", 73},
    {"MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT", 74},
    {"COMPUTE_CAPABILITY_MAJOR", 75},
    {"COMPUTE_CAPABILITY_MINOR", 76},
    {"MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH", 77},
    {"STREAM_PRIORITIES_SUPPORTED", 78},
    {"GLOBAL_L1_CACHE_SUPPORTED", 79},
    {"LOCAL_L1_CACHE_SUPPORTED", 80},
    {"MAX_SHARED_MEMORY_PER_MULTIPROCESSOR", 81},
    {"MAX_REGISTERS_PER_MULTIPROCESSOR", 82},
    {"MANAGED_MEMORY", 83},
    {"MULTI_GPU_BOARD", 84},
    {"MULTI_GPU_BOARD_GROUP_ID", 85},
    {"HOST_NATIVE_ATOMIC_SUPPORTED", 86},
    {"SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO", 87},
    {"PAGEABLE_MEMORY_ACCESS", 88},
    {"CONCURRENT_MANAGED_ACCESS", 89},
    {"COMPUTE_PREEMPTION_SUPPORTED", 90},
    {"CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM", 91},
    {"MAX_SHARED_MEMORY_PER_BLOCK_OPTIN", 97},
    {"PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES", 100},
    {"DIRECT_MANAGED_MEM_ACCESS_FROM_HOST", 101},
    {"HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED", 103},
    {"HANDLE_TYPE_WIN32_HANDLE_SUPPORTED", 104},
    {"HANDLE_TYPE_WIN32_KMT_HANDLE_SUPPORTED", 105},
    {"MAX_BLOCKS_PER_MULTIPROCESSOR", 106},
    {"GENERIC_COMPRESSION_SUPPORTED", 107},
    {"MAX_PERSISTING_L2_CACHE_SIZE", 108},
    {"RESERVED_SHARED_MEMORY_PER_BLOCK", 111},
    {"READ_ONLY_HOST_REGISTER_SUPPORTED", 113},
    {"MEMORY_POOLS_SUPPORTED", 115},
    {"CLUSTER_LAUNCH", 120},
    {"TENSOR_MAP_ACCESS_SUPPORTED", 127},
    {"SPARSE_CUDA_ARRAY_SUPPORTED", 112},
    {"DMA_BUF_SUPPORTED", 124},
    {"MULTICAST_SUPPORTED", 132},
    {"MEM_DECOMPRESS_ALGORITHM_MASK", 136},
    {"MEM_DECOMPRESS_MAXIMUM_LENGTH", 137},
};
const Member pointer_attribute_members[] = {
    {"CONTEXT", 1},      {"MEMORY_TYPE", 2},    {"DEVICE_POINTER", 3},
    {"HOST_POINTER", 4}, {"SYNC_MEMOPS", 6},    {"BUFFER_ID", 7},
    {"IS_MANAGED", 8},   {"DEVICE_ORDINAL", 9}, {"RANGE_START_ADDR", 11},
    {"RANGE_SIZE", 12},  {"MAPPED", 13},        {"ALLOWED_HANDLE_TYPES", 14},
    {"ACCESS_FLAGS", 16}};
const Member coredump_attribute_members[] = {
    {"ENABLE_ON_EXCEPTION", 1}, {"TRIGGER_HOST", 2}, {"LIGHTWEIGHT", 3},
    {"ENABLE_USER_TRIGGER", 4}, {"FILE", 5},         {"PIPE", 6},
    {"GENERATION_FLAGS", 7}};
const Member memory_type_members[] = {
    {"HOST", 1},
    {"DEVICE", 2},
    {"ARRAY", 3},
    {"UNIFIED", 4},
};
const Member mem_attach_flags_members[] = {
    {"GLOBAL", 1},
    {"HOST", 2},
    {"SINGLE", 4},
};
const Member host_alloc_flags_members[] = {
    {"PORTABLE", 1},
    {"DEVICEMAP", 2},
    {"WRITECOMBINED", 4},
};
const Member mem_host_register_flags_members[] = {
    {"PORTABLE", 1},
    {"DEVICEMAP", 2},
};
const Member ipc_mem_flags_members[] = {
    {"LAZY_ENABLE_PEER_ACCESS", 1},
};
const Member array_format_members[] = {
    {"UNSIGNED_INT8", 1}, {"UNSIGNED_INT16", 2}, {"UNSIGNED_INT32", 3},
    {"SIGNED_INT8", 8},   {"SIGNED_INT16", 9},   {"SIGNED_INT32", 10},
    {"HALF", 16},         {"FLOAT", 32},         {"NV12", 176},
};
const Member array3d_flags_members[] = {
    {"2DARRAY", 1}, {"ARRAY3D_2DARRAY", 1},    {"ARRAY3D_LAYERED", 1}, {"SURFACE_LDST", 2},
    {"CUBEMAP", 4}, {"TEXTURE_GATHER", 8},     {"LAYERED", 1},         {"COLOR_ATTACHMENT", 32},
    {"SPARSE", 64}, {"DEFERRED_MAPPING", 128},
};
const Member array_cubemap_face_members[] = {
    {"POSITIVE_X", 0}, {"NEGATIVE_X", 1}, {"POSITIVE_Y", 2},
    {"NEGATIVE_Y", 3}, {"POSITIVE_Z", 4}, {"NEGATIVE_Z", 5},
};
const Member address_mode_members[] = {
    {"WRAP", 0},
    {"CLAMP", 1},
    {"MIRROR", 2},
    {"BORDER", 3},
};
const Member filter_mode_members[] = {
    {"POINT", 0},
    {"LINEAR", 1},
};
const Member jit_option_members[] = {
    {"MAX_REGISTERS", 0},
    {"THREADS_PER_BLOCK", 1},
    {"WALL_TIME", 2},
    {"INFO_LOG_BUFFER", 3},
    {"INFO_LOG_BUFFER_SIZE_BYTES", 4},
    {"ERROR_LOG_BUFFER", 5},
    {"ERROR_LOG_BUFFER_SIZE_BYTES", 6},
    {"OPTIMIZATION_LEVEL", 7},
    {"TARGET_FROM_CUCONTEXT", 8},
    {"TARGET", 9},
    {"FALLBACK_STRATEGY", 10},
};
const Member jit_target_members[] = {
    {"COMPUTE_30", 30},      {"COMPUTE_32", 32},      {"COMPUTE_35", 35},
    {"COMPUTE_37", 37},      {"COMPUTE_50", 50},      {"COMPUTE_52", 52},
    {"COMPUTE_53", 53},      {"COMPUTE_60", 60},      {"COMPUTE_61", 61},
    {"COMPUTE_62", 62},      {"COMPUTE_70", 70},      {"COMPUTE_72", 72},
    {"COMPUTE_75", 75},      {"COMPUTE_80", 80},      {"COMPUTE_86", 86},
    {"COMPUTE_90", 90},      {"COMPUTE_90A", 65626},  {"COMPUTE_10", 10},
    {"COMPUTE_11", 11},      {"COMPUTE_12", 12},      {"COMPUTE_13", 13},
    {"COMPUTE_20", 20},      {"COMPUTE_21", 21},      {"COMPUTE_87", 87},
    {"COMPUTE_89", 89},      {"COMPUTE_100", 100},    {"COMPUTE_103", 103},
    {"COMPUTE_110", 110},    {"COMPUTE_120", 120},    {"COMPUTE_121", 121},
    {"COMPUTE_100A", 65636}, {"COMPUTE_103A", 65639}, {"COMPUTE_110A", 65646},
    {"COMPUTE_120A", 65656}, {"COMPUTE_121A", 65657},
};
const Member jit_fallback_members[] = {{"PREFER_PTX", 0}, {"PREFER_BINARY", 1}};
const Member jit_input_type_members[] = {
    {"CUBIN", 0}, {"PTX", 1}, {"FATBINARY", 2}, {"OBJECT", 3}, {"LIBRARY", 4},
};
const Member profiler_output_mode_members[] = {{"KEY_VALUE_PAIR", 0}, {"CSV", 1}};
const Member graphics_register_flags_members[] = {
    {"NONE", 0}, {"READ_ONLY", 1}, {"WRITE_DISCARD", 2}, {"SURFACE_LDST", 4}, {"TEXTURE_GATHER", 8},
};
const Member graphics_map_flags_members[] = {
    {"NONE", 0},
    {"READ_ONLY", 1},
    {"WRITE_DISCARD", 2},
};
const Member direction_vector_set_members[] = {
    {"VECTOR_32", 101},
    {"SCRAMBLED_VECTOR_32", 102},
    {"VECTOR_64", 103},
    {"SCRAMBLED_VECTOR_64", 104},
};

enum class Kind { Enumeration, FlagNames };

struct Table {
  const char* name;
  std::span<const Member> members;
  Kind kind;
};

const Table tables[] = {
    {"ctx_flags", ctx_flags_members, Kind::Enumeration},
    {"event_flags", event_flags_members, Kind::Enumeration},
    {"limit", limit_members, Kind::Enumeration},
    {"launch_attribute", launch_attribute_members, Kind::Enumeration},
    {"synchronization_policy", synchronization_policy_members, Kind::Enumeration},
    {"access_property", access_property_members, Kind::Enumeration},
    {"module_loading_mode", module_loading_mode_members, Kind::Enumeration},
    {"graph_mem_attribute", graph_mem_attribute_members, Kind::Enumeration},
    {"capture_mode", capture_mode_members, Kind::Enumeration},
    {"graph_node_type", graph_node_type_members, Kind::Enumeration},
    {"graph_instantiate_flags", graph_instantiate_flags_members, Kind::FlagNames},
    {"stream_wait_value_flags", stream_wait_value_flags_members, Kind::FlagNames},
    {"stream_memory_barrier_flags", stream_memory_barrier_flags_members, Kind::FlagNames},
    {"mem_location_type", mem_location_type_members, Kind::Enumeration},
    {"mem_pool_attribute", mem_pool_attribute_members, Kind::Enumeration},
    {"mem_advice", mem_advice_members, Kind::Enumeration},
    {"mem_range_attribute", mem_range_attribute_members, Kind::Enumeration},
    {"mem_handle_type", mem_handle_type_members, Kind::Enumeration},
    {"tensor_map_data_type", tensor_map_data_type_members, Kind::Enumeration},
    {"tensor_map_interleave", tensor_map_interleave_members, Kind::Enumeration},
    {"tensor_map_swizzle", tensor_map_swizzle_members, Kind::Enumeration},
    {"tensor_map_l2_promotion", tensor_map_l2_promotion_members, Kind::Enumeration},
    {"tensor_map_oob_fill", tensor_map_oob_fill_members, Kind::Enumeration},
    {"mem_access_flags", mem_access_flags_members, Kind::Enumeration},
    {"device_p2p_attribute", device_p2p_attribute_members, Kind::Enumeration},
    {"atomic_operation", atomic_operation_members, Kind::Enumeration},
    {"atomic_capability", atomic_capability_members, Kind::FlagNames},
    {"sm_resource_split_flags", sm_resource_split_flags_members, Kind::FlagNames},
    {"log_level", log_level_members, Kind::Enumeration},
    {"external_memory_handle_type", external_memory_handle_type_members, Kind::Enumeration},
    {"external_semaphore_handle_type", external_semaphore_handle_type_members, Kind::Enumeration},
    {"mem_decompress_algorithm", mem_decompress_algorithm_members, Kind::Enumeration},
    {"process_state", process_state_members, Kind::Enumeration},
    {"func_cache", func_cache_members, Kind::Enumeration},
    {"shared_config", shared_config_members, Kind::Enumeration},
    {"compute_mode", compute_mode_members, Kind::Enumeration},
    {"function_attribute", function_attribute_members, Kind::Enumeration},
    {"device_attribute", device_attribute_members, Kind::Enumeration},
    {"pointer_attribute", pointer_attribute_members, Kind::Enumeration},
    {"coredump_attribute", coredump_attribute_members, Kind::Enumeration},
    {"memory_type", memory_type_members, Kind::Enumeration},
    {"mem_attach_flags", mem_attach_flags_members, Kind::Enumeration},
    {"host_alloc_flags", host_alloc_flags_members, Kind::FlagNames},
    {"mem_host_register_flags", mem_host_register_flags_members, Kind::FlagNames},
    {"ipc_mem_flags", ipc_mem_flags_members, Kind::Enumeration},
    {"array_format", array_format_members, Kind::Enumeration},
    {"array3d_flags", array3d_flags_members, Kind::FlagNames},
    {"array_cubemap_face", array_cubemap_face_members, Kind::Enumeration},
    {"address_mode", address_mode_members, Kind::Enumeration},
    {"filter_mode", filter_mode_members, Kind::Enumeration},
    {"jit_option", jit_option_members, Kind::Enumeration},
    {"jit_target", jit_target_members, Kind::Enumeration},
    {"jit_fallback", jit_fallback_members, Kind::Enumeration},
    {"jit_input_type", jit_input_type_members, Kind::Enumeration},
    {"profiler_output_mode", profiler_output_mode_members, Kind::Enumeration},
    {"graphics_register_flags", graphics_register_flags_members, Kind::Enumeration},
    {"graphics_map_flags", graphics_map_flags_members, Kind::Enumeration},
    {"direction_vector_set", direction_vector_set_members, Kind::Enumeration},
};

}  // namespace

void bind_enums(nanobind::module_& m) {
  for (const Table& table : tables) {
    if (table.kind == Kind::Enumeration) {
      add_enumeration(m, table.name, table.members);
      name_in_errors(table.name, table.members);
    } else {
      add_flag_names(m, table.name, table.members);
    }
  }
  m.attr("TRSA_OVERRIDE_FORMAT") = 1;
  m.attr("TRSF_READ_AS_INTEGER") = 1;
  m.attr("TRSF_NORMALIZED_COORDINATES") = 2;
  m.attr("TRSF_SRGB") = 16;
  m.attr("TR_DEFAULT") = -1;
}

}  // namespace pycuda::bindings

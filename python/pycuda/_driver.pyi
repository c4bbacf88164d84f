# SPDX-License-Identifier: MIT
# Types of the extension. Where an argument is an integer, anything with __index__ will do.
from collections.abc import Callable, Iterable, Sequence
from os import PathLike
from types import TracebackType
from typing import Any, ClassVar, Literal, Protocol, SupportsFloat, SupportsIndex, TypeAlias, final, overload

import numpy as np
from numpy.typing import DTypeLike, NDArray
from typing_extensions import Buffer, Self, TypeVar

from pycuda._plan import Plan
from pycuda._report import Report
from pycuda.driver import ExternalSemaphore, SparseProperties, UserObject
from pycuda.gpuarray import GPUArray

class _ForeignStream(Protocol):
    def __cuda_stream__(self) -> tuple[int, int]: ...

# NumPy's stubs give arrays `__buffer__` only from Python 3.12 on.
_Buffer: TypeAlias = Buffer | NDArray[Any] | np.generic
_S = TypeVar("_S", bound=np.generic)
_DType: TypeAlias = type[_S] | np.dtype[_S]
_Pointer = SupportsIndex
_Stream: TypeAlias = "Stream | _ForeignStream | None"
_Shape = SupportsIndex | Iterable[SupportsIndex]
_Order = Literal["C", "F", "c", "f"]
_Extents = tuple[SupportsIndex, ...] | list[SupportsIndex]
_MessageHandler = Callable[[bool, str, str], object] | None

class Error(Exception):
    code: int | None
    name: str | None
    routine: str | None

class MemoryError(Error): ...
class LogicError(Error): ...
class LaunchError(Error): ...
class RuntimeError(Error): ...

class _Enumeration(int):
    name: str | Any  # None for a value that has no name
    names: ClassVar[dict[str, Any]]
    values: ClassVar[dict[int, Any]]

class address_mode(_Enumeration):
    WRAP: ClassVar[address_mode]
    CLAMP: ClassVar[address_mode]
    MIRROR: ClassVar[address_mode]
    BORDER: ClassVar[address_mode]

class array_cubemap_face(_Enumeration):
    POSITIVE_X: ClassVar[array_cubemap_face]
    NEGATIVE_X: ClassVar[array_cubemap_face]
    POSITIVE_Y: ClassVar[array_cubemap_face]
    NEGATIVE_Y: ClassVar[array_cubemap_face]
    POSITIVE_Z: ClassVar[array_cubemap_face]
    NEGATIVE_Z: ClassVar[array_cubemap_face]

class array_format(_Enumeration):
    UNSIGNED_INT8: ClassVar[array_format]
    UNSIGNED_INT16: ClassVar[array_format]
    UNSIGNED_INT32: ClassVar[array_format]
    SIGNED_INT8: ClassVar[array_format]
    SIGNED_INT16: ClassVar[array_format]
    SIGNED_INT32: ClassVar[array_format]
    HALF: ClassVar[array_format]
    FLOAT: ClassVar[array_format]
    NV12: ClassVar[array_format]

class compute_mode(_Enumeration):
    DEFAULT: ClassVar[compute_mode]
    PROHIBITED: ClassVar[compute_mode]
    EXCLUSIVE_PROCESS: ClassVar[compute_mode]
    EXCLUSIVE: ClassVar[compute_mode]

class ctx_flags(_Enumeration):
    SCHED_AUTO: ClassVar[ctx_flags]
    SCHED_SPIN: ClassVar[ctx_flags]
    SCHED_YIELD: ClassVar[ctx_flags]
    BLOCKING_SYNC: ClassVar[ctx_flags]
    SCHED_BLOCKING_SYNC: ClassVar[ctx_flags]
    SCHED_MASK: ClassVar[ctx_flags]
    MAP_HOST: ClassVar[ctx_flags]
    LMEM_RESIZE_TO_MAX: ClassVar[ctx_flags]
    FLAGS_MASK: ClassVar[ctx_flags]

class device_attribute(_Enumeration):
    MAX_THREADS_PER_BLOCK: ClassVar[device_attribute]
    MAX_BLOCK_DIM_X: ClassVar[device_attribute]
    MAX_BLOCK_DIM_Y: ClassVar[device_attribute]
    MAX_BLOCK_DIM_Z: ClassVar[device_attribute]
    MAX_GRID_DIM_X: ClassVar[device_attribute]
    MAX_GRID_DIM_Y: ClassVar[device_attribute]
    MAX_GRID_DIM_Z: ClassVar[device_attribute]
    MAX_SHARED_MEMORY_PER_BLOCK: ClassVar[device_attribute]
    SHARED_MEMORY_PER_BLOCK: ClassVar[device_attribute]
    TOTAL_CONSTANT_MEMORY: ClassVar[device_attribute]
    WARP_SIZE: ClassVar[device_attribute]
    MAX_PITCH: ClassVar[device_attribute]
    MAX_REGISTERS_PER_BLOCK: ClassVar[device_attribute]
    REGISTERS_PER_BLOCK: ClassVar[device_attribute]
    CLOCK_RATE: ClassVar[device_attribute]
    TEXTURE_ALIGNMENT: ClassVar[device_attribute]
    GPU_OVERLAP: ClassVar[device_attribute]
    MULTIPROCESSOR_COUNT: ClassVar[device_attribute]
    KERNEL_EXEC_TIMEOUT: ClassVar[device_attribute]
    INTEGRATED: ClassVar[device_attribute]
    CAN_MAP_HOST_MEMORY: ClassVar[device_attribute]
    COMPUTE_MODE: ClassVar[device_attribute]
    MAXIMUM_TEXTURE1D_WIDTH: ClassVar[device_attribute]
    MAXIMUM_TEXTURE2D_WIDTH: ClassVar[device_attribute]
    MAXIMUM_TEXTURE2D_HEIGHT: ClassVar[device_attribute]
    MAXIMUM_TEXTURE3D_WIDTH: ClassVar[device_attribute]
    MAXIMUM_TEXTURE3D_HEIGHT: ClassVar[device_attribute]
    MAXIMUM_TEXTURE3D_DEPTH: ClassVar[device_attribute]
    MAXIMUM_TEXTURE2D_ARRAY_WIDTH: ClassVar[device_attribute]
    MAXIMUM_TEXTURE2D_LAYERED_WIDTH: ClassVar[device_attribute]
    MAXIMUM_TEXTURE2D_ARRAY_HEIGHT: ClassVar[device_attribute]
    MAXIMUM_TEXTURE2D_LAYERED_HEIGHT: ClassVar[device_attribute]
    MAXIMUM_TEXTURE2D_ARRAY_NUMSLICES: ClassVar[device_attribute]
    MAXIMUM_TEXTURE2D_LAYERED_LAYERS: ClassVar[device_attribute]
    SURFACE_ALIGNMENT: ClassVar[device_attribute]
    CONCURRENT_KERNELS: ClassVar[device_attribute]
    ECC_ENABLED: ClassVar[device_attribute]
    PCI_BUS_ID: ClassVar[device_attribute]
    PCI_DEVICE_ID: ClassVar[device_attribute]
    TCC_DRIVER: ClassVar[device_attribute]
    MEMORY_CLOCK_RATE: ClassVar[device_attribute]
    GLOBAL_MEMORY_BUS_WIDTH: ClassVar[device_attribute]
    L2_CACHE_SIZE: ClassVar[device_attribute]
    MAX_THREADS_PER_MULTIPROCESSOR: ClassVar[device_attribute]
    ASYNC_ENGINE_COUNT: ClassVar[device_attribute]
    UNIFIED_ADDRESSING: ClassVar[device_attribute]
    MAXIMUM_TEXTURE1D_LAYERED_WIDTH: ClassVar[device_attribute]
    MAXIMUM_TEXTURE1D_LAYERED_LAYERS: ClassVar[device_attribute]
    MAXIMUM_TEXTURE2D_GATHER_WIDTH: ClassVar[device_attribute]
    MAXIMUM_TEXTURE2D_GATHER_HEIGHT: ClassVar[device_attribute]
    MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE: ClassVar[device_attribute]
    MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE: ClassVar[device_attribute]
    MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE: ClassVar[device_attribute]
    PCI_DOMAIN_ID: ClassVar[device_attribute]
    TEXTURE_PITCH_ALIGNMENT: ClassVar[device_attribute]
    MAXIMUM_TEXTURECUBEMAP_WIDTH: ClassVar[device_attribute]
    MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH: ClassVar[device_attribute]
    MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS: ClassVar[device_attribute]
    MAXIMUM_SURFACE1D_WIDTH: ClassVar[device_attribute]
    MAXIMUM_SURFACE2D_WIDTH: ClassVar[device_attribute]
    MAXIMUM_SURFACE2D_HEIGHT: ClassVar[device_attribute]
    MAXIMUM_SURFACE3D_WIDTH: ClassVar[device_attribute]
    MAXIMUM_SURFACE3D_HEIGHT: ClassVar[device_attribute]
    MAXIMUM_SURFACE3D_DEPTH: ClassVar[device_attribute]
    MAXIMUM_SURFACE1D_LAYERED_WIDTH: ClassVar[device_attribute]
    MAXIMUM_SURFACE1D_LAYERED_LAYERS: ClassVar[device_attribute]
    MAXIMUM_SURFACE2D_LAYERED_WIDTH: ClassVar[device_attribute]
    MAXIMUM_SURFACE2D_LAYERED_HEIGHT: ClassVar[device_attribute]
    MAXIMUM_SURFACE2D_LAYERED_LAYERS: ClassVar[device_attribute]
    MAXIMUM_SURFACECUBEMAP_WIDTH: ClassVar[device_attribute]
    MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH: ClassVar[device_attribute]
    MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS: ClassVar[device_attribute]
    MAXIMUM_TEXTURE1D_LINEAR_WIDTH: ClassVar[device_attribute]
    MAXIMUM_TEXTURE2D_LINEAR_WIDTH: ClassVar[device_attribute]
    MAXIMUM_TEXTURE2D_LINEAR_HEIGHT: ClassVar[device_attribute]
    MAXIMUM_TEXTURE2D_LINEAR_PITCH: ClassVar[device_attribute]
    MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH: ClassVar[device_attribute]
    MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT: ClassVar[device_attribute]
    COMPUTE_CAPABILITY_MAJOR: ClassVar[device_attribute]
    COMPUTE_CAPABILITY_MINOR: ClassVar[device_attribute]
    MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH: ClassVar[device_attribute]
    STREAM_PRIORITIES_SUPPORTED: ClassVar[device_attribute]
    GLOBAL_L1_CACHE_SUPPORTED: ClassVar[device_attribute]
    LOCAL_L1_CACHE_SUPPORTED: ClassVar[device_attribute]
    MAX_SHARED_MEMORY_PER_MULTIPROCESSOR: ClassVar[device_attribute]
    MAX_REGISTERS_PER_MULTIPROCESSOR: ClassVar[device_attribute]
    MANAGED_MEMORY: ClassVar[device_attribute]
    MULTI_GPU_BOARD: ClassVar[device_attribute]
    MULTI_GPU_BOARD_GROUP_ID: ClassVar[device_attribute]
    HOST_NATIVE_ATOMIC_SUPPORTED: ClassVar[device_attribute]
    SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO: ClassVar[device_attribute]
    PAGEABLE_MEMORY_ACCESS: ClassVar[device_attribute]
    CONCURRENT_MANAGED_ACCESS: ClassVar[device_attribute]
    COMPUTE_PREEMPTION_SUPPORTED: ClassVar[device_attribute]
    CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM: ClassVar[device_attribute]
    MAX_SHARED_MEMORY_PER_BLOCK_OPTIN: ClassVar[device_attribute]
    PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES: ClassVar[device_attribute]
    DIRECT_MANAGED_MEM_ACCESS_FROM_HOST: ClassVar[device_attribute]
    HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED: ClassVar[device_attribute]
    HANDLE_TYPE_WIN32_HANDLE_SUPPORTED: ClassVar[device_attribute]
    HANDLE_TYPE_WIN32_KMT_HANDLE_SUPPORTED: ClassVar[device_attribute]
    MAX_BLOCKS_PER_MULTIPROCESSOR: ClassVar[device_attribute]
    GENERIC_COMPRESSION_SUPPORTED: ClassVar[device_attribute]
    MAX_PERSISTING_L2_CACHE_SIZE: ClassVar[device_attribute]
    RESERVED_SHARED_MEMORY_PER_BLOCK: ClassVar[device_attribute]
    READ_ONLY_HOST_REGISTER_SUPPORTED: ClassVar[device_attribute]
    MEMORY_POOLS_SUPPORTED: ClassVar[device_attribute]
    CLUSTER_LAUNCH: ClassVar[device_attribute]
    TENSOR_MAP_ACCESS_SUPPORTED: ClassVar[device_attribute]
    SPARSE_CUDA_ARRAY_SUPPORTED: ClassVar[device_attribute]
    DMA_BUF_SUPPORTED: ClassVar[device_attribute]
    MULTICAST_SUPPORTED: ClassVar[device_attribute]
    MEM_DECOMPRESS_ALGORITHM_MASK: ClassVar[device_attribute]
    MEM_DECOMPRESS_MAXIMUM_LENGTH: ClassVar[device_attribute]

class direction_vector_set(_Enumeration):
    VECTOR_32: ClassVar[direction_vector_set]
    SCRAMBLED_VECTOR_32: ClassVar[direction_vector_set]
    VECTOR_64: ClassVar[direction_vector_set]
    SCRAMBLED_VECTOR_64: ClassVar[direction_vector_set]

class event_flags(_Enumeration):
    DEFAULT: ClassVar[event_flags]
    BLOCKING_SYNC: ClassVar[event_flags]
    DISABLE_TIMING: ClassVar[event_flags]
    INTERPROCESS: ClassVar[event_flags]

class filter_mode(_Enumeration):
    POINT: ClassVar[filter_mode]
    LINEAR: ClassVar[filter_mode]

class graph_node_type(_Enumeration):
    KERNEL: ClassVar[graph_node_type]
    MEMCPY: ClassVar[graph_node_type]
    MEMSET: ClassVar[graph_node_type]
    HOST: ClassVar[graph_node_type]
    GRAPH: ClassVar[graph_node_type]
    EMPTY: ClassVar[graph_node_type]
    WAIT_EVENT: ClassVar[graph_node_type]
    EVENT_RECORD: ClassVar[graph_node_type]
    EXT_SEMAS_SIGNAL: ClassVar[graph_node_type]
    EXT_SEMAS_WAIT: ClassVar[graph_node_type]
    MEM_ALLOC: ClassVar[graph_node_type]
    MEM_FREE: ClassVar[graph_node_type]
    BATCH_MEM_OP: ClassVar[graph_node_type]
    CONDITIONAL: ClassVar[graph_node_type]

class graph_instantiate_flags:
    AUTO_FREE_ON_LAUNCH: ClassVar[int]
    DEVICE_LAUNCH: ClassVar[int]
    USE_NODE_PRIORITY: ClassVar[int]

class stream_wait_value_flags:
    GEQ: ClassVar[int]
    EQ: ClassVar[int]
    AND: ClassVar[int]
    NOR: ClassVar[int]
    FLUSH: ClassVar[int]

class stream_memory_barrier_flags:
    SYS: ClassVar[int]
    GPU: ClassVar[int]

class mem_location_type(_Enumeration):
    DEVICE: ClassVar[mem_location_type]
    HOST: ClassVar[mem_location_type]
    HOST_NUMA: ClassVar[mem_location_type]
    HOST_NUMA_CURRENT: ClassVar[mem_location_type]

class mem_handle_type(_Enumeration):
    NONE: ClassVar[mem_handle_type]
    POSIX_FILE_DESCRIPTOR: ClassVar[mem_handle_type]
    FABRIC: ClassVar[mem_handle_type]

class tensor_map_data_type(_Enumeration):
    UINT8: ClassVar[tensor_map_data_type]
    UINT16: ClassVar[tensor_map_data_type]
    UINT32: ClassVar[tensor_map_data_type]
    INT32: ClassVar[tensor_map_data_type]
    UINT64: ClassVar[tensor_map_data_type]
    INT64: ClassVar[tensor_map_data_type]
    FLOAT16: ClassVar[tensor_map_data_type]
    FLOAT32: ClassVar[tensor_map_data_type]
    FLOAT64: ClassVar[tensor_map_data_type]
    BFLOAT16: ClassVar[tensor_map_data_type]
    FLOAT32_FTZ: ClassVar[tensor_map_data_type]
    TFLOAT32: ClassVar[tensor_map_data_type]
    TFLOAT32_FTZ: ClassVar[tensor_map_data_type]

class tensor_map_interleave(_Enumeration):
    NONE: ClassVar[tensor_map_interleave]
    INTERLEAVE_16B: ClassVar[tensor_map_interleave]
    INTERLEAVE_32B: ClassVar[tensor_map_interleave]

class tensor_map_swizzle(_Enumeration):
    NONE: ClassVar[tensor_map_swizzle]
    SWIZZLE_32B: ClassVar[tensor_map_swizzle]
    SWIZZLE_64B: ClassVar[tensor_map_swizzle]
    SWIZZLE_128B: ClassVar[tensor_map_swizzle]

class tensor_map_l2_promotion(_Enumeration):
    NONE: ClassVar[tensor_map_l2_promotion]
    L2_64B: ClassVar[tensor_map_l2_promotion]
    L2_128B: ClassVar[tensor_map_l2_promotion]
    L2_256B: ClassVar[tensor_map_l2_promotion]

class tensor_map_oob_fill(_Enumeration):
    ZEROS: ClassVar[tensor_map_oob_fill]
    NAN_REQUEST_ZERO_FMA: ClassVar[tensor_map_oob_fill]

class mem_access_flags(_Enumeration):
    NONE: ClassVar[mem_access_flags]
    READ: ClassVar[mem_access_flags]
    READWRITE: ClassVar[mem_access_flags]

class mem_pool_attribute(_Enumeration):
    REUSE_FOLLOW_EVENT_DEPENDENCIES: ClassVar[mem_pool_attribute]
    REUSE_ALLOW_OPPORTUNISTIC: ClassVar[mem_pool_attribute]
    REUSE_ALLOW_INTERNAL_DEPENDENCIES: ClassVar[mem_pool_attribute]
    RELEASE_THRESHOLD: ClassVar[mem_pool_attribute]
    RESERVED_MEM_CURRENT: ClassVar[mem_pool_attribute]
    RESERVED_MEM_HIGH: ClassVar[mem_pool_attribute]
    USED_MEM_CURRENT: ClassVar[mem_pool_attribute]
    USED_MEM_HIGH: ClassVar[mem_pool_attribute]

class mem_advice(_Enumeration):
    SET_READ_MOSTLY: ClassVar[mem_advice]
    UNSET_READ_MOSTLY: ClassVar[mem_advice]
    SET_PREFERRED_LOCATION: ClassVar[mem_advice]
    UNSET_PREFERRED_LOCATION: ClassVar[mem_advice]
    SET_ACCESSED_BY: ClassVar[mem_advice]
    UNSET_ACCESSED_BY: ClassVar[mem_advice]

class mem_range_attribute(_Enumeration):
    READ_MOSTLY: ClassVar[mem_range_attribute]
    PREFERRED_LOCATION: ClassVar[mem_range_attribute]
    LAST_PREFETCH_LOCATION: ClassVar[mem_range_attribute]

class device_p2p_attribute(_Enumeration):
    PERFORMANCE_RANK: ClassVar[device_p2p_attribute]
    ACCESS_SUPPORTED: ClassVar[device_p2p_attribute]
    NATIVE_ATOMIC_SUPPORTED: ClassVar[device_p2p_attribute]
    CUDA_ARRAY_ACCESS_SUPPORTED: ClassVar[device_p2p_attribute]

class atomic_operation(_Enumeration):
    INTEGER_ADD: ClassVar[atomic_operation]
    INTEGER_MIN: ClassVar[atomic_operation]
    INTEGER_MAX: ClassVar[atomic_operation]
    INTEGER_INCREMENT: ClassVar[atomic_operation]
    INTEGER_DECREMENT: ClassVar[atomic_operation]
    AND: ClassVar[atomic_operation]
    OR: ClassVar[atomic_operation]
    XOR: ClassVar[atomic_operation]
    EXCHANGE: ClassVar[atomic_operation]
    CAS: ClassVar[atomic_operation]
    FLOAT_ADD: ClassVar[atomic_operation]
    FLOAT_MIN: ClassVar[atomic_operation]
    FLOAT_MAX: ClassVar[atomic_operation]

class atomic_capability:
    SIGNED: ClassVar[int]
    UNSIGNED: ClassVar[int]
    REDUCTION: ClassVar[int]
    SCALAR_32: ClassVar[int]
    SCALAR_64: ClassVar[int]
    SCALAR_128: ClassVar[int]
    VECTOR_32x4: ClassVar[int]

class sm_resource_split_flags:
    IGNORE_SM_COSCHEDULING: ClassVar[int]
    MAX_POTENTIAL_CLUSTER_SIZE: ClassVar[int]

class log_level(_Enumeration):
    ERROR: ClassVar[log_level]
    WARNING: ClassVar[log_level]

class external_memory_handle_type(_Enumeration):
    OPAQUE_FD: ClassVar[external_memory_handle_type]
    DMABUF_FD: ClassVar[external_memory_handle_type]

class external_semaphore_handle_type(_Enumeration):
    OPAQUE_FD: ClassVar[external_semaphore_handle_type]
    TIMELINE_SEMAPHORE_FD: ClassVar[external_semaphore_handle_type]

class mem_decompress_algorithm(_Enumeration):
    DEFLATE: ClassVar[mem_decompress_algorithm]
    SNAPPY: ClassVar[mem_decompress_algorithm]
    LZ4: ClassVar[mem_decompress_algorithm]

class process_state(_Enumeration):
    RUNNING: ClassVar[process_state]
    LOCKED: ClassVar[process_state]
    CHECKPOINTED: ClassVar[process_state]
    FAILED: ClassVar[process_state]

class capture_mode(_Enumeration):
    GLOBAL: ClassVar[capture_mode]
    THREAD_LOCAL: ClassVar[capture_mode]
    RELAXED: ClassVar[capture_mode]

class func_cache(_Enumeration):
    PREFER_NONE: ClassVar[func_cache]
    PREFER_SHARED: ClassVar[func_cache]
    PREFER_L1: ClassVar[func_cache]
    PREFER_EQUAL: ClassVar[func_cache]

class function_attribute(_Enumeration):
    MAX_THREADS_PER_BLOCK: ClassVar[function_attribute]
    SHARED_SIZE_BYTES: ClassVar[function_attribute]
    CONST_SIZE_BYTES: ClassVar[function_attribute]
    LOCAL_SIZE_BYTES: ClassVar[function_attribute]
    NUM_REGS: ClassVar[function_attribute]
    PTX_VERSION: ClassVar[function_attribute]
    BINARY_VERSION: ClassVar[function_attribute]
    CACHE_MODE_CA: ClassVar[function_attribute]
    MAX_DYNAMIC_SHARED_SIZE_BYTES: ClassVar[function_attribute]
    PREFERRED_SHARED_MEMORY_CARVEOUT: ClassVar[function_attribute]
    MAX: ClassVar[function_attribute]

class graphics_map_flags(_Enumeration):
    NONE: ClassVar[graphics_map_flags]
    READ_ONLY: ClassVar[graphics_map_flags]
    WRITE_DISCARD: ClassVar[graphics_map_flags]

class graphics_register_flags(_Enumeration):
    NONE: ClassVar[graphics_register_flags]
    READ_ONLY: ClassVar[graphics_register_flags]
    WRITE_DISCARD: ClassVar[graphics_register_flags]
    SURFACE_LDST: ClassVar[graphics_register_flags]
    TEXTURE_GATHER: ClassVar[graphics_register_flags]

class ipc_mem_flags(_Enumeration):
    LAZY_ENABLE_PEER_ACCESS: ClassVar[ipc_mem_flags]

class jit_fallback(_Enumeration):
    PREFER_PTX: ClassVar[jit_fallback]
    PREFER_BINARY: ClassVar[jit_fallback]

class jit_input_type(_Enumeration):
    CUBIN: ClassVar[jit_input_type]
    PTX: ClassVar[jit_input_type]
    FATBINARY: ClassVar[jit_input_type]
    OBJECT: ClassVar[jit_input_type]
    LIBRARY: ClassVar[jit_input_type]

class jit_option(_Enumeration):
    MAX_REGISTERS: ClassVar[jit_option]
    THREADS_PER_BLOCK: ClassVar[jit_option]
    WALL_TIME: ClassVar[jit_option]
    INFO_LOG_BUFFER: ClassVar[jit_option]
    INFO_LOG_BUFFER_SIZE_BYTES: ClassVar[jit_option]
    ERROR_LOG_BUFFER: ClassVar[jit_option]
    ERROR_LOG_BUFFER_SIZE_BYTES: ClassVar[jit_option]
    OPTIMIZATION_LEVEL: ClassVar[jit_option]
    TARGET_FROM_CUCONTEXT: ClassVar[jit_option]
    TARGET: ClassVar[jit_option]
    FALLBACK_STRATEGY: ClassVar[jit_option]

class jit_target(_Enumeration):
    COMPUTE_30: ClassVar[jit_target]
    COMPUTE_32: ClassVar[jit_target]
    COMPUTE_35: ClassVar[jit_target]
    COMPUTE_37: ClassVar[jit_target]
    COMPUTE_50: ClassVar[jit_target]
    COMPUTE_52: ClassVar[jit_target]
    COMPUTE_53: ClassVar[jit_target]
    COMPUTE_60: ClassVar[jit_target]
    COMPUTE_61: ClassVar[jit_target]
    COMPUTE_62: ClassVar[jit_target]
    COMPUTE_70: ClassVar[jit_target]
    COMPUTE_72: ClassVar[jit_target]
    COMPUTE_75: ClassVar[jit_target]
    COMPUTE_80: ClassVar[jit_target]
    COMPUTE_86: ClassVar[jit_target]
    COMPUTE_90: ClassVar[jit_target]
    COMPUTE_90A: ClassVar[jit_target]
    COMPUTE_10: ClassVar[jit_target]
    COMPUTE_11: ClassVar[jit_target]
    COMPUTE_12: ClassVar[jit_target]
    COMPUTE_13: ClassVar[jit_target]
    COMPUTE_20: ClassVar[jit_target]
    COMPUTE_21: ClassVar[jit_target]
    COMPUTE_87: ClassVar[jit_target]
    COMPUTE_89: ClassVar[jit_target]
    COMPUTE_100: ClassVar[jit_target]
    COMPUTE_103: ClassVar[jit_target]
    COMPUTE_110: ClassVar[jit_target]
    COMPUTE_120: ClassVar[jit_target]
    COMPUTE_121: ClassVar[jit_target]
    COMPUTE_100A: ClassVar[jit_target]
    COMPUTE_103A: ClassVar[jit_target]
    COMPUTE_110A: ClassVar[jit_target]
    COMPUTE_120A: ClassVar[jit_target]
    COMPUTE_121A: ClassVar[jit_target]

class limit(_Enumeration):
    STACK_SIZE: ClassVar[limit]
    PRINTF_FIFO_SIZE: ClassVar[limit]
    MALLOC_HEAP_SIZE: ClassVar[limit]
    DEV_RUNTIME_SYNC_DEPTH: ClassVar[limit]
    DEV_RUNTIME_PENDING_LAUNCH_COUNT: ClassVar[limit]
    MAX_L2_FETCH_GRANULARITY: ClassVar[limit]
    PERSISTING_L2_CACHE_SIZE: ClassVar[limit]

class launch_attribute(_Enumeration):
    ACCESS_POLICY_WINDOW: ClassVar[launch_attribute]
    COOPERATIVE: ClassVar[launch_attribute]
    SYNCHRONIZATION_POLICY: ClassVar[launch_attribute]
    CLUSTER_DIMENSION: ClassVar[launch_attribute]
    CLUSTER_SCHEDULING_POLICY_PREFERENCE: ClassVar[launch_attribute]
    PRIORITY: ClassVar[launch_attribute]
    MEM_SYNC_DOMAIN_MAP: ClassVar[launch_attribute]
    MEM_SYNC_DOMAIN: ClassVar[launch_attribute]
    PREFERRED_CLUSTER_DIMENSION: ClassVar[launch_attribute]
    PREFERRED_SHARED_MEMORY_CARVEOUT: ClassVar[launch_attribute]
    NVLINK_UTIL_CENTRIC_SCHEDULING: ClassVar[launch_attribute]

class synchronization_policy(_Enumeration):
    AUTO: ClassVar[synchronization_policy]
    SPIN: ClassVar[synchronization_policy]
    YIELD: ClassVar[synchronization_policy]
    BLOCKING_SYNC: ClassVar[synchronization_policy]

class access_property(_Enumeration):
    NORMAL: ClassVar[access_property]
    STREAMING: ClassVar[access_property]
    PERSISTING: ClassVar[access_property]

class module_loading_mode(_Enumeration):
    EAGER: ClassVar[module_loading_mode]
    LAZY: ClassVar[module_loading_mode]

class graph_mem_attribute(_Enumeration):
    USED_MEM_CURRENT: ClassVar[graph_mem_attribute]
    USED_MEM_HIGH: ClassVar[graph_mem_attribute]
    RESERVED_MEM_CURRENT: ClassVar[graph_mem_attribute]
    RESERVED_MEM_HIGH: ClassVar[graph_mem_attribute]

_AttributeValue: TypeAlias = SupportsIndex | tuple[float, ...] | list[float]

class coredump_attribute(_Enumeration):
    ENABLE_ON_EXCEPTION: ClassVar[coredump_attribute]
    TRIGGER_HOST: ClassVar[coredump_attribute]
    LIGHTWEIGHT: ClassVar[coredump_attribute]
    ENABLE_USER_TRIGGER: ClassVar[coredump_attribute]
    FILE: ClassVar[coredump_attribute]
    PIPE: ClassVar[coredump_attribute]
    GENERATION_FLAGS: ClassVar[coredump_attribute]

class mem_attach_flags(_Enumeration):
    GLOBAL: ClassVar[mem_attach_flags]
    HOST: ClassVar[mem_attach_flags]
    SINGLE: ClassVar[mem_attach_flags]

class memory_type(_Enumeration):
    HOST: ClassVar[memory_type]
    DEVICE: ClassVar[memory_type]
    ARRAY: ClassVar[memory_type]
    UNIFIED: ClassVar[memory_type]

class pointer_attribute(_Enumeration):
    CONTEXT: ClassVar[pointer_attribute]
    MEMORY_TYPE: ClassVar[pointer_attribute]
    DEVICE_POINTER: ClassVar[pointer_attribute]
    HOST_POINTER: ClassVar[pointer_attribute]
    SYNC_MEMOPS: ClassVar[pointer_attribute]
    BUFFER_ID: ClassVar[pointer_attribute]
    IS_MANAGED: ClassVar[pointer_attribute]
    DEVICE_ORDINAL: ClassVar[pointer_attribute]
    RANGE_START_ADDR: ClassVar[pointer_attribute]
    RANGE_SIZE: ClassVar[pointer_attribute]
    MAPPED: ClassVar[pointer_attribute]
    ALLOWED_HANDLE_TYPES: ClassVar[pointer_attribute]
    ACCESS_FLAGS: ClassVar[pointer_attribute]

class profiler_output_mode(_Enumeration):
    KEY_VALUE_PAIR: ClassVar[profiler_output_mode]
    CSV: ClassVar[profiler_output_mode]

class shared_config(_Enumeration):
    DEFAULT_BANK_SIZE: ClassVar[shared_config]
    FOUR_BYTE_BANK_SIZE: ClassVar[shared_config]
    EIGHT_BYTE_BANK_SIZE: ClassVar[shared_config]

class host_alloc_flags:
    PORTABLE: ClassVar[int]
    DEVICEMAP: ClassVar[int]
    WRITECOMBINED: ClassVar[int]

class mem_host_register_flags:
    PORTABLE: ClassVar[int]
    DEVICEMAP: ClassVar[int]

class array3d_flags:
    ARRAY3D_2DARRAY: ClassVar[int]
    ARRAY3D_LAYERED: ClassVar[int]
    SURFACE_LDST: ClassVar[int]
    CUBEMAP: ClassVar[int]
    TEXTURE_GATHER: ClassVar[int]
    LAYERED: ClassVar[int]
    COLOR_ATTACHMENT: ClassVar[int]
    SPARSE: ClassVar[int]
    DEFERRED_MAPPING: ClassVar[int]

TRSA_OVERRIDE_FORMAT: int
TRSF_READ_AS_INTEGER: int
TRSF_NORMALIZED_COORDINATES: int
TRSF_SRGB: int
TR_DEFAULT: int

def init(flags: SupportsIndex = 0) -> None: ...
def get_version() -> tuple[int, int, int]: ...
def get_driver_version() -> int: ...
def have_gl_ext() -> bool: ...
def bitlog2(number: SupportsIndex, /) -> int: ...

class Device:
    def __init__(self, device: SupportsIndex | str, /) -> None: ...
    def __dir__(self) -> list[str]: ...
    @staticmethod
    def count() -> int: ...
    def name(self) -> str: ...
    def pci_bus_id(self) -> str: ...
    def uuid(self) -> str: ...
    def compute_capability(self) -> tuple[int, int]: ...
    def total_memory(self) -> int: ...
    def get_attribute(self, attribute: SupportsIndex, /) -> int: ...
    def get_attributes(self) -> dict[device_attribute, int]: ...
    def make_context(self, flags: SupportsIndex = 0) -> Context: ...
    def get_primary_context_state(self) -> tuple[int, bool]: ...
    def set_primary_context_flags(self, flags: SupportsIndex) -> None: ...
    def reset_primary_context(self) -> None: ...
    def has_exec_affinity(self) -> bool: ...
    def get_graph_mem_attribute(self, attribute: SupportsIndex) -> int: ...
    def set_graph_mem_attribute(self, attribute: SupportsIndex, value: SupportsIndex = 0) -> None: ...
    def trim_graph_memory(self) -> None: ...
    def retain_primary_context(self) -> Context: ...
    def can_access_peer(self, peer: Device, /) -> bool: ...
    def get_p2p_attribute(self, attribute: SupportsIndex, peer: Device) -> int: ...
    def get_linear_texture_width(self, format: array_format, num_channels: SupportsIndex = 1) -> int: ...
    def get_host_atomic_capabilities(self, operation: SupportsIndex) -> int: ...
    def get_peer_atomic_capabilities(self, operation: SupportsIndex, peer: Device) -> int: ...
    max_threads_per_block: int
    max_block_dim_x: int
    max_block_dim_y: int
    max_block_dim_z: int
    max_grid_dim_x: int
    max_grid_dim_y: int
    max_grid_dim_z: int
    max_shared_memory_per_block: int
    shared_memory_per_block: int
    total_constant_memory: int
    warp_size: int
    max_pitch: int
    max_registers_per_block: int
    registers_per_block: int
    clock_rate: int
    texture_alignment: int
    gpu_overlap: int
    multiprocessor_count: int
    kernel_exec_timeout: int
    integrated: int
    can_map_host_memory: int
    compute_mode: compute_mode
    maximum_texture1d_width: int
    maximum_texture2d_width: int
    maximum_texture2d_height: int
    maximum_texture3d_width: int
    maximum_texture3d_height: int
    maximum_texture3d_depth: int
    maximum_texture2d_array_width: int
    maximum_texture2d_layered_width: int
    maximum_texture2d_array_height: int
    maximum_texture2d_layered_height: int
    maximum_texture2d_array_numslices: int
    maximum_texture2d_layered_layers: int
    surface_alignment: int
    concurrent_kernels: int
    ecc_enabled: int
    pci_device_id: int
    tcc_driver: int
    memory_clock_rate: int
    global_memory_bus_width: int
    l2_cache_size: int
    max_threads_per_multiprocessor: int
    async_engine_count: int
    unified_addressing: int
    maximum_texture1d_layered_width: int
    maximum_texture1d_layered_layers: int
    maximum_texture2d_gather_width: int
    maximum_texture2d_gather_height: int
    maximum_texture3d_width_alternate: int
    maximum_texture3d_height_alternate: int
    maximum_texture3d_depth_alternate: int
    pci_domain_id: int
    texture_pitch_alignment: int
    maximum_texturecubemap_width: int
    maximum_texturecubemap_layered_width: int
    maximum_texturecubemap_layered_layers: int
    maximum_surface1d_width: int
    maximum_surface2d_width: int
    maximum_surface2d_height: int
    maximum_surface3d_width: int
    maximum_surface3d_height: int
    maximum_surface3d_depth: int
    maximum_surface1d_layered_width: int
    maximum_surface1d_layered_layers: int
    maximum_surface2d_layered_width: int
    maximum_surface2d_layered_height: int
    maximum_surface2d_layered_layers: int
    maximum_surfacecubemap_width: int
    maximum_surfacecubemap_layered_width: int
    maximum_surfacecubemap_layered_layers: int
    maximum_texture1d_linear_width: int
    maximum_texture2d_linear_width: int
    maximum_texture2d_linear_height: int
    maximum_texture2d_linear_pitch: int
    maximum_texture2d_mipmapped_width: int
    maximum_texture2d_mipmapped_height: int
    compute_capability_major: int
    compute_capability_minor: int
    maximum_texture1d_mipmapped_width: int
    stream_priorities_supported: int
    global_l1_cache_supported: int
    local_l1_cache_supported: int
    max_shared_memory_per_multiprocessor: int
    max_registers_per_multiprocessor: int
    managed_memory: int
    multi_gpu_board: int
    multi_gpu_board_group_id: int
    host_native_atomic_supported: int
    single_to_double_precision_perf_ratio: int
    pageable_memory_access: int
    concurrent_managed_access: int
    compute_preemption_supported: int
    can_use_host_pointer_for_registered_mem: int
    max_shared_memory_per_block_optin: int
    pageable_memory_access_uses_host_page_tables: int
    direct_managed_mem_access_from_host: int
    handle_type_posix_file_descriptor_supported: int
    handle_type_win32_handle_supported: int
    handle_type_win32_kmt_handle_supported: int
    max_blocks_per_multiprocessor: int
    generic_compression_supported: int
    max_persisting_l2_cache_size: int
    reserved_shared_memory_per_block: int
    read_only_host_register_supported: int
    memory_pools_supported: int
    cluster_launch: int
    tensor_map_access_supported: int
    sparse_cuda_array_supported: int
    dma_buf_supported: int
    multicast_supported: int
    mem_decompress_algorithm_mask: int
    mem_decompress_maximum_length: int
    def __hash__(self) -> int: ...

class Context:
    @property
    def handle(self) -> int: ...
    @property
    def id(self) -> int: ...
    @staticmethod
    def get_flags() -> int: ...
    @staticmethod
    def set_flags(flags: SupportsIndex) -> None: ...
    @staticmethod
    def get_exec_affinity() -> int: ...
    @staticmethod
    def get_stream_priority_range() -> tuple[int, int]: ...
    def record(self, event: Event) -> Event: ...
    def wait_for_event(self, event: Event) -> None: ...
    @staticmethod
    def reset_persisting_l2_cache() -> None: ...
    @property
    def _fault_told(self) -> bool: ...
    @staticmethod
    def attach(flags: SupportsIndex = 0) -> Context: ...
    def detach(self) -> None: ...
    def push(self) -> None: ...
    @staticmethod
    def pop() -> None: ...
    @staticmethod
    def get_current() -> Context | None: ...
    @staticmethod
    def get_device() -> Device: ...
    @staticmethod
    def synchronize() -> None: ...
    @staticmethod
    def set_limit(limit: SupportsIndex, value: SupportsIndex, /) -> None: ...
    @staticmethod
    def get_limit(limit: SupportsIndex, /) -> int: ...
    @staticmethod
    def set_cache_config(config: SupportsIndex, /) -> None: ...
    @staticmethod
    def get_cache_config() -> func_cache: ...
    @staticmethod
    def set_shared_config(config: SupportsIndex, /) -> None: ...
    @staticmethod
    def get_shared_config() -> shared_config: ...
    @staticmethod
    def enable_peer_access(peer: Context, flags: SupportsIndex = 0) -> None: ...
    @staticmethod
    def disable_peer_access(peer: Context, flags: SupportsIndex = 0) -> None: ...
    def get_api_version(self) -> int: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self, type: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None: ...
    def __hash__(self) -> int: ...

class Stream:
    def __init__(self, flags: SupportsIndex = 0, priority: SupportsIndex = 0) -> None: ...
    @property
    def context(self) -> Context: ...
    @property
    def device(self) -> Device: ...
    @property
    def flags(self) -> int: ...
    @property
    def priority(self) -> int: ...
    def launch_host_function(self, function: Callable[[], object]) -> None: ...
    def get_attribute(self, attribute: SupportsIndex) -> Any: ...
    def set_attribute(self, attribute: SupportsIndex, value: _AttributeValue) -> None: ...
    def copy_attributes_from(self, source: Stream) -> None: ...
    @property
    def handle(self) -> int: ...
    @property
    def id(self) -> int: ...
    def synchronize(self) -> None: ...
    def is_done(self) -> bool: ...
    def wait_for_event(self, event: Event, /) -> None: ...
    def capture(self, mode: SupportsIndex = ...) -> StreamCapture: ...
    def begin_capture(self, mode: SupportsIndex = ...) -> None: ...
    def end_capture(self) -> Graph: ...
    def is_capturing(self) -> bool: ...
    def get_capture_info(self) -> tuple[int, Graph, list[GraphNode]] | None: ...
    def update_capture_dependencies(self, nodes: _Dependencies, replace: bool = False) -> None: ...
    def write_value32(self, dest: _Pointer, value: SupportsIndex) -> None: ...
    def write_value64(self, dest: _Pointer, value: SupportsIndex) -> None: ...
    def wait_value32(self, src: _Pointer, value: SupportsIndex, flags: SupportsIndex = 0) -> None: ...
    def wait_value64(self, src: _Pointer, value: SupportsIndex, flags: SupportsIndex = 0) -> None: ...
    def __cuda_stream__(self) -> tuple[int, int]: ...

class Event:
    def __init__(self, flags: SupportsIndex = 0) -> None: ...
    @property
    def handle(self) -> int: ...
    def record(self, stream: _Stream = None, flags: SupportsIndex = 0) -> Self: ...
    def synchronize(self) -> Self: ...
    def query(self) -> bool: ...
    def time_since(self, start: Event, /) -> float: ...
    def time_till(self, end: Event, /) -> float: ...
    def ipc_handle(self) -> bytearray: ...
    @staticmethod
    def from_ipc_handle(handle: _Buffer, /) -> Event: ...

class MemoryOperations:
    def __init__(self) -> None: ...
    def write_value32(self, dest: _Pointer, value: SupportsIndex) -> Self: ...
    def write_value64(self, dest: _Pointer, value: SupportsIndex) -> Self: ...
    def wait_value32(self, src: _Pointer, value: SupportsIndex, flags: SupportsIndex = 0) -> Self: ...
    def wait_value64(self, src: _Pointer, value: SupportsIndex, flags: SupportsIndex = 0) -> Self: ...
    def barrier(self, flags: SupportsIndex = 0) -> Self: ...
    def flush_remote_writes(self) -> Self: ...
    def __len__(self) -> int: ...
    def enqueue(self, stream: _Stream = None) -> None: ...

class StreamCapture:
    def __enter__(self) -> Graph: ...
    def __exit__(
        self, type: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None: ...

class GraphNode:
    @property
    def type(self) -> graph_node_type: ...
    @property
    def dependencies(self) -> list[GraphNode]: ...
    @property
    def dependents(self) -> list[GraphNode]: ...
    @property
    def handle(self) -> int: ...
    def get_params(self) -> dict[str, Any]: ...
    def set_params(self, **changes: Any) -> None: ...
    def get_attribute(self, attribute: SupportsIndex) -> Any: ...
    def set_attribute(self, attribute: SupportsIndex, value: _AttributeValue) -> None: ...
    def let_kernels_change(self) -> int: ...
    def copy_attributes_from(self, source: GraphNode) -> None: ...
    def set_memory_operations(self, operations: MemoryOperations) -> None: ...
    def destroy(self) -> None: ...
    def __hash__(self) -> int: ...

class GraphCondition:
    @property
    def handle(self) -> int: ...

class GraphBody:
    @property
    def node(self) -> GraphNode: ...
    def __enter__(self) -> Graph: ...
    def __exit__(
        self, type: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None: ...

_Dependencies: TypeAlias = GraphNode | Iterable[GraphNode] | None

class Graph:
    def __init__(self) -> None: ...
    @property
    def handle(self) -> int: ...
    @property
    def nodes(self) -> list[GraphNode]: ...
    @property
    def edges(self) -> list[tuple[GraphNode, GraphNode]]: ...
    @property
    def root_nodes(self) -> list[GraphNode]: ...
    def add_edges(self, edges: Iterable[tuple[GraphNode, GraphNode]]) -> None: ...
    def remove_edges(self, edges: Iterable[tuple[GraphNode, GraphNode]]) -> None: ...
    def retain(self, user_object: UserObject, count: SupportsIndex = 1) -> None: ...
    def release(self, user_object: UserObject, count: SupportsIndex = 1) -> None: ...
    def add_kernel_node(
        self,
        *args: Any,
        func: Function,
        block: _Extents,
        grid: _Extents = (1, 1),
        shared: SupportsIndex = 0,
        dependencies: _Dependencies = None,
    ) -> GraphNode: ...
    def add_memcpy_htod_node(
        self, dest: _Pointer, src: _Buffer, size: SupportsIndex | None = None, dependencies: _Dependencies = None
    ) -> GraphNode: ...
    def add_memcpy_dtoh_node(
        self, dest: _Buffer, src: _Pointer, size: SupportsIndex | None = None, dependencies: _Dependencies = None
    ) -> GraphNode: ...
    def add_memcpy_dtod_node(
        self, dest: _Pointer, src: _Pointer, size: SupportsIndex, dependencies: _Dependencies = None
    ) -> GraphNode: ...
    def add_memset_node(
        self,
        dest: _Pointer,
        data: SupportsIndex,
        size: SupportsIndex,
        dependencies: _Dependencies = None,
        element_size: SupportsIndex = 1,
    ) -> GraphNode: ...
    def add_host_node(self, function: Callable[[], object], dependencies: _Dependencies = None) -> GraphNode: ...
    def add_child_graph_node(self, graph: Graph, dependencies: _Dependencies = None) -> GraphNode: ...
    def add_empty_node(self, dependencies: _Dependencies = None) -> GraphNode: ...
    def add_event_record_node(self, event: Event, dependencies: _Dependencies = None) -> GraphNode: ...
    def add_event_wait_node(self, event: Event, dependencies: _Dependencies = None) -> GraphNode: ...
    def add_memalloc_node(
        self, size: SupportsIndex, dependencies: _Dependencies = None
    ) -> tuple[GraphNode, DeviceAllocation]: ...
    def add_memfree_node(self, memory: _Pointer, dependencies: _Dependencies = None) -> GraphNode: ...
    def add_memory_operations_node(
        self, operations: MemoryOperations, dependencies: _Dependencies = None
    ) -> GraphNode: ...
    def add_semaphore_signal_node(
        self, pairs: Iterable[tuple[ExternalSemaphore, SupportsIndex]], dependencies: _Dependencies = None
    ) -> GraphNode: ...
    def add_semaphore_wait_node(
        self, pairs: Iterable[tuple[ExternalSemaphore, SupportsIndex]], dependencies: _Dependencies = None
    ) -> GraphNode: ...
    def capture(
        self, stream: Stream, dependencies: _Dependencies = None, mode: SupportsIndex = ...
    ) -> StreamCapture: ...
    def condition(self, value: SupportsIndex | None = 1) -> GraphCondition: ...
    def while_(self, condition: GraphCondition, dependencies: _Dependencies = None) -> GraphBody: ...
    def if_(self, condition: GraphCondition, dependencies: _Dependencies = None) -> GraphBody: ...
    def if_else(self, condition: GraphCondition, dependencies: _Dependencies = None) -> tuple[GraphBody, GraphBody]: ...
    def switch(
        self, condition: GraphCondition, count: SupportsIndex, dependencies: _Dependencies = None
    ) -> tuple[GraphBody, ...]: ...
    def clone(self) -> Graph: ...
    def find_in_clone(self, node: GraphNode) -> GraphNode: ...
    def debug_dot(self, path: str | PathLike[str] | None = None, verbose: bool = False) -> str: ...
    def debug_dot_print(self, path: str | PathLike[str], flags: SupportsIndex = 0) -> None: ...
    def instantiate(self, flags: SupportsIndex = 0) -> GraphExec: ...
    def get_exec_graph(self, flags: SupportsIndex = 0) -> GraphExec: ...

class GraphExec:
    def __init__(self, graph: Graph, flags: SupportsIndex = 0) -> None: ...
    @property
    def handle(self) -> int: ...
    @property
    def flags(self) -> int: ...
    def set_params(self, node: GraphNode, **changes: Any) -> None: ...
    def launch(self, stream: _Stream = None) -> None: ...
    def upload(self, stream: _Stream = None) -> None: ...
    def update(self, graph: Graph) -> None: ...
    def set_kernel_arguments(self, node: GraphNode, *args: Any) -> None: ...
    def batched_set_kernel_node_arguments(self, changes: dict[GraphNode, Any]) -> None: ...
    def set_memory_operations(self, node: GraphNode, operations: MemoryOperations) -> None: ...
    def set_enabled(self, node: GraphNode, enabled: bool = True) -> None: ...
    def is_enabled(self, node: GraphNode) -> bool: ...

class _DevicePointer:
    def __int__(self) -> int: ...
    def __index__(self) -> int: ...
    def __long__(self) -> int: ...

class PointerHolderBase(_DevicePointer):
    def __init__(self) -> None: ...
    def get_pointer(self) -> int: ...
    def as_buffer(self, size: SupportsIndex, offset: SupportsIndex = 0) -> memoryview: ...

class DeviceAllocation:
    def __int__(self) -> int: ...
    def __index__(self) -> int: ...
    def __long__(self) -> int: ...
    def free(self) -> None: ...
    def as_buffer(self, size: SupportsIndex, offset: SupportsIndex = 0) -> memoryview: ...

@final
class ManagedAllocation(DeviceAllocation):
    def get_device_pointer(self) -> int: ...
    def attach(self, mem_flags: SupportsIndex, stream: _Stream = None) -> None: ...

class PooledDeviceAllocation(_DevicePointer):
    def free(self) -> None: ...
    def __len__(self) -> int: ...

class PhysicalMemory:
    def __init__(
        self,
        size: SupportsIndex,
        location: SupportsIndex = ...,
        id: SupportsIndex | None = None,
        handle_types: SupportsIndex = ...,
        tile_pool: bool = False,
    ) -> None: ...
    @staticmethod
    def of_address(address: _Pointer, size: SupportsIndex) -> PhysicalMemory: ...
    @staticmethod
    def from_file_descriptor(descriptor: SupportsIndex, size: SupportsIndex) -> PhysicalMemory: ...
    def share(self) -> int: ...
    @property
    def size(self) -> int: ...
    @property
    def handle(self) -> int: ...
    @property
    def location(self) -> mem_location_type: ...
    def release(self) -> None: ...

class ReservedAddresses(_DevicePointer):
    def map(self, memory: PhysicalMemory, offset: SupportsIndex = 0, access: SupportsIndex = ...) -> None: ...
    def unmap(self, offset: SupportsIndex = 0) -> None: ...
    def set_access(
        self,
        access: SupportsIndex,
        location: SupportsIndex = ...,
        id: SupportsIndex | None = None,
        offset: SupportsIndex = 0,
        size: SupportsIndex | None = None,
    ) -> None: ...
    def get_access(
        self, offset: SupportsIndex = 0, location: SupportsIndex = ..., id: SupportsIndex | None = None
    ) -> mem_access_flags: ...
    @property
    def mapped(self) -> list[tuple[int, int]]: ...
    @property
    def size(self) -> int: ...
    def free(self) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self, type: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None: ...

def mem_reserve(size: SupportsIndex, alignment: SupportsIndex = 0, address: SupportsIndex = 0) -> ReservedAddresses: ...
def mem_get_allocation_granularity(
    location: SupportsIndex = ..., id: SupportsIndex | None = None, recommended: bool = False
) -> int: ...

_Managed: TypeAlias = NDArray[Any] | ManagedAllocation | tuple[_Pointer, SupportsIndex]

def mem_prefetch_async(
    memory: _Managed, location: SupportsIndex = ..., id: SupportsIndex | None = None, stream: _Stream = None
) -> None: ...
def mem_advise(
    memory: _Managed, advice: SupportsIndex, location: SupportsIndex = ..., id: SupportsIndex | None = None
) -> None: ...
def mem_range_get_attribute(memory: _Managed, attribute: SupportsIndex) -> int: ...
def mem_prefetch_batch_async(
    memories: Iterable[_Managed], stream: Stream, location: SupportsIndex = ..., id: SupportsIndex | None = None
) -> None: ...
def mem_discard_batch_async(memories: Iterable[_Managed], stream: Stream) -> None: ...
def mem_discard_and_prefetch_batch_async(
    memories: Iterable[_Managed], stream: Stream, location: SupportsIndex = ..., id: SupportsIndex | None = None
) -> None: ...
def memcpy_batch_async(
    dests: Sequence[_Pointer | _Buffer],
    srcs: Sequence[_Pointer | _Buffer],
    stream: Stream,
    sizes: Sequence[SupportsIndex] | None = None,
) -> None: ...

class ExternalBuffer(_DevicePointer):
    def free(self) -> None: ...
    def __len__(self) -> int: ...

class ExternalMemory:
    def __init__(
        self, descriptor: SupportsIndex, size: SupportsIndex, handle_type: SupportsIndex = ..., dedicated: bool = False
    ) -> None: ...
    def map(self, offset: SupportsIndex = 0, size: SupportsIndex | None = None) -> ExternalBuffer: ...
    def map_mipmapped_array(
        self, descriptor: ArrayDescriptor3D, levels: SupportsIndex = 1, offset: SupportsIndex = 0
    ) -> MipmappedArray: ...
    @property
    def size(self) -> int: ...
    @property
    def handle(self) -> int: ...

class RegisteredMapping:
    @overload
    def unmap(self) -> None: ...
    @overload
    def unmap(self, stream: _Stream) -> None: ...
    def device_ptr_and_size(self) -> tuple[int, int]: ...
    def array(self, index: SupportsIndex, level: SupportsIndex) -> Array: ...
    def mipmapped_array(self) -> MipmappedArray: ...
    def __enter__(self) -> RegisteredMapping: ...
    def __exit__(self, type: object, value: object, traceback: object) -> None: ...

class RegisteredObject:
    def gl_handle(self) -> int: ...
    def unregister(self) -> None: ...
    def set_map_flags(self, flags: SupportsIndex) -> None: ...
    def map(self, stream: _Stream = None) -> RegisteredMapping: ...

class RegisteredBuffer(RegisteredObject):
    def __init__(self, bufobj: SupportsIndex, flags: SupportsIndex = 0) -> None: ...

class RegisteredImage(RegisteredObject):
    def __init__(self, handle: SupportsIndex, target: SupportsIndex, flags: SupportsIndex = 0) -> None: ...

class BufferObjectMapping:
    def unmap(self) -> None: ...
    def device_ptr(self) -> int: ...
    def size(self) -> int: ...

class BufferObject:
    def __init__(self, handle: SupportsIndex) -> None: ...
    def handle(self) -> int: ...
    def unregister(self) -> None: ...
    def map(self) -> BufferObjectMapping: ...

def gl_init() -> None: ...
def make_gl_context(dev: Device, flags: SupportsIndex = 0) -> Context: ...

class TensorMap:
    @staticmethod
    def tiled(
        array: GPUArray[Any],
        box: Sequence[SupportsIndex] | SupportsIndex,
        data_type: SupportsIndex | None = None,
        element_strides: Sequence[SupportsIndex] | None = None,
        interleave: SupportsIndex = ...,
        swizzle: SupportsIndex = ...,
        l2_promotion: SupportsIndex = ...,
        oob_fill: SupportsIndex = ...,
    ) -> TensorMap: ...
    @staticmethod
    def im2col(
        array: GPUArray[Any],
        lower_corner: Sequence[SupportsIndex] | SupportsIndex,
        upper_corner: Sequence[SupportsIndex] | SupportsIndex,
        channels_per_pixel: SupportsIndex,
        pixels_per_column: SupportsIndex,
        data_type: SupportsIndex | None = None,
        element_strides: Sequence[SupportsIndex] | None = None,
        interleave: SupportsIndex = ...,
        swizzle: SupportsIndex = ...,
        l2_promotion: SupportsIndex = ...,
        oob_fill: SupportsIndex = ...,
    ) -> TensorMap: ...
    @staticmethod
    def im2col_wide(
        array: GPUArray[Any],
        lower_corner: SupportsIndex,
        upper_corner: SupportsIndex,
        channels_per_pixel: SupportsIndex,
        pixels_per_column: SupportsIndex,
        mode: SupportsIndex = 0,
        data_type: SupportsIndex | None = None,
        element_strides: Sequence[SupportsIndex] | None = None,
        interleave: SupportsIndex = ...,
        swizzle: SupportsIndex = ...,
        l2_promotion: SupportsIndex = ...,
        oob_fill: SupportsIndex = ...,
    ) -> TensorMap: ...
    def replace_array(self, array: GPUArray[Any]) -> None: ...
    @property
    def array(self) -> GPUArray[Any]: ...
    def __bytes__(self) -> bytes: ...

class IPCMemoryHandle(_DevicePointer):
    def __init__(self, handle: _Buffer, flags: SupportsIndex = 1) -> None: ...
    def close(self) -> None: ...

def mem_get_info() -> tuple[int, int]: ...
def mem_alloc(bytes: SupportsIndex) -> DeviceAllocation: ...
def _live_device_bytes() -> int: ...
def mem_alloc_pitch(
    width: SupportsIndex, height: SupportsIndex, access_size: SupportsIndex
) -> tuple[DeviceAllocation, int]: ...
def _used_bytes(devptr: _Pointer) -> int: ...
def mem_get_address_range(devptr: _Pointer) -> tuple[int, int]: ...
def mem_get_ipc_handle(devptr: _Pointer) -> bytearray: ...

class HostPointer:
    def get_device_pointer(self) -> int: ...

class PagelockedHostAllocation(HostPointer):
    def free(self) -> None: ...
    def get_flags(self) -> int: ...

HostAllocation = PagelockedHostAllocation

class AlignedHostAllocation(HostPointer):
    def free(self) -> None: ...

class RegisteredHostMemory(HostPointer):
    def unregister(self) -> None: ...
    @property
    def base(self) -> NDArray[Any]: ...

class PooledHostAllocation(HostPointer):
    def free(self) -> None: ...
    def __len__(self) -> int: ...

@overload
def pagelocked_empty(
    shape: _Shape, dtype: _DType[_S], order: _Order = "C", mem_flags: SupportsIndex = 0
) -> NDArray[_S]: ...
@overload
def pagelocked_empty(
    shape: _Shape, dtype: DTypeLike, order: _Order = "C", mem_flags: SupportsIndex = 0
) -> NDArray[Any]: ...
@overload
def aligned_empty(
    shape: _Shape, dtype: _DType[_S], order: _Order = "C", alignment: SupportsIndex = 4096
) -> NDArray[_S]: ...
@overload
def aligned_empty(
    shape: _Shape, dtype: DTypeLike, order: _Order = "C", alignment: SupportsIndex = 4096
) -> NDArray[Any]: ...
@overload
def managed_empty(
    shape: _Shape, dtype: _DType[_S], order: _Order = "C", mem_flags: SupportsIndex = 0
) -> NDArray[_S]: ...
@overload
def managed_empty(
    shape: _Shape, dtype: DTypeLike, order: _Order = "C", mem_flags: SupportsIndex = 0
) -> NDArray[Any]: ...
def register_host_memory(ary: NDArray[Any], flags: SupportsIndex = 0) -> NDArray[Any]: ...
def memcpy_htod(dest: _Pointer, src: _Buffer) -> None: ...
def memcpy_htod_async(dest: _Pointer, src: _Buffer, stream: _Stream = None) -> None: ...
def memcpy_dtoh(dest: _Buffer, src: _Pointer) -> None: ...
def memcpy_dtoh_async(dest: _Buffer, src: _Pointer, stream: _Stream = None) -> None: ...
def memcpy_dtod(dest: _Pointer, src: _Pointer, size: SupportsIndex) -> None: ...
def memcpy_dtod_async(dest: _Pointer, src: _Pointer, size: SupportsIndex, stream: _Stream = None) -> None: ...
def memcpy_peer(
    dest: _Pointer,
    src: _Pointer,
    size: SupportsIndex,
    dest_context: Context | None = None,
    src_context: Context | None = None,
) -> None: ...
def memcpy_peer_async(
    dest: _Pointer,
    src: _Pointer,
    size: SupportsIndex,
    dest_context: Context | None = None,
    src_context: Context | None = None,
    stream: _Stream = None,
) -> None: ...
@overload
def memset_d8(dest: _Pointer, data: SupportsIndex, size: SupportsIndex) -> None: ...
@overload
def memset_d8(dest: _Pointer, data: SupportsIndex, *, count: SupportsIndex) -> None: ...
@overload
def memset_d8_async(dest: _Pointer, data: SupportsIndex, size: SupportsIndex, stream: _Stream = None) -> None: ...
@overload
def memset_d8_async(dest: _Pointer, data: SupportsIndex, *, count: SupportsIndex, stream: _Stream = None) -> None: ...
def memset_d2d8(
    dest: _Pointer, pitch: SupportsIndex, data: SupportsIndex, width: SupportsIndex, height: SupportsIndex
) -> None: ...
def memset_d2d8_async(
    dest: _Pointer,
    pitch: SupportsIndex,
    data: SupportsIndex,
    width: SupportsIndex,
    height: SupportsIndex,
    stream: _Stream = None,
) -> None: ...
@overload
def memset_d16(dest: _Pointer, data: SupportsIndex, size: SupportsIndex) -> None: ...
@overload
def memset_d16(dest: _Pointer, data: SupportsIndex, *, count: SupportsIndex) -> None: ...
@overload
def memset_d16_async(dest: _Pointer, data: SupportsIndex, size: SupportsIndex, stream: _Stream = None) -> None: ...
@overload
def memset_d16_async(dest: _Pointer, data: SupportsIndex, *, count: SupportsIndex, stream: _Stream = None) -> None: ...
def memset_d2d16(
    dest: _Pointer, pitch: SupportsIndex, data: SupportsIndex, width: SupportsIndex, height: SupportsIndex
) -> None: ...
def memset_d2d16_async(
    dest: _Pointer,
    pitch: SupportsIndex,
    data: SupportsIndex,
    width: SupportsIndex,
    height: SupportsIndex,
    stream: _Stream = None,
) -> None: ...
@overload
def memset_d32(dest: _Pointer, data: SupportsIndex, size: SupportsIndex) -> None: ...
@overload
def memset_d32(dest: _Pointer, data: SupportsIndex, *, count: SupportsIndex) -> None: ...
@overload
def memset_d32_async(dest: _Pointer, data: SupportsIndex, size: SupportsIndex, stream: _Stream = None) -> None: ...
@overload
def memset_d32_async(dest: _Pointer, data: SupportsIndex, *, count: SupportsIndex, stream: _Stream = None) -> None: ...
def memset_d2d32(
    dest: _Pointer, pitch: SupportsIndex, data: SupportsIndex, width: SupportsIndex, height: SupportsIndex
) -> None: ...
def memset_d2d32_async(
    dest: _Pointer,
    pitch: SupportsIndex,
    data: SupportsIndex,
    width: SupportsIndex,
    height: SupportsIndex,
    stream: _Stream = None,
) -> None: ...

class _StructuredCopy:
    def __init__(self) -> None: ...
    src_x_in_bytes: int
    src_y: int
    src_device: int
    src_pitch: int
    dst_x_in_bytes: int
    dst_y: int
    dst_device: int
    dst_pitch: int
    width_in_bytes: int
    height: int
    src_memory_type: memory_type
    dst_memory_type: memory_type
    def set_src_host(self, buffer: _Buffer, /) -> None: ...
    def set_src_unified(self, buffer: _Buffer, /) -> None: ...
    def set_src_device(self, pointer: _Pointer, /) -> None: ...
    def set_src_array(self, array: Array, /) -> None: ...
    def set_dst_host(self, buffer: _Buffer, /) -> None: ...
    def set_dst_unified(self, buffer: _Buffer, /) -> None: ...
    def set_dst_device(self, pointer: _Pointer, /) -> None: ...
    def set_dst_array(self, array: Array, /) -> None: ...

class ArrayDescriptor:
    width: int
    height: int
    format: array_format
    num_channels: int
    def __init__(self) -> None: ...

class ArrayDescriptor3D:
    width: int
    height: int
    depth: int
    format: array_format
    num_channels: int
    flags: int
    def __init__(self) -> None: ...

class Array:
    def __init__(self, descriptor: ArrayDescriptor | ArrayDescriptor3D) -> None: ...
    def free(self) -> None: ...
    def get_descriptor(self) -> ArrayDescriptor: ...
    def get_descriptor_3d(self) -> ArrayDescriptor3D: ...
    @property
    def handle(self) -> int: ...
    def get_memory_requirements(self, device: Device | None = None) -> tuple[int, int]: ...
    def get_sparse_properties(self) -> SparseProperties: ...
    def get_plane(self, index: SupportsIndex) -> Array: ...

class MipmappedArray:
    def __init__(
        self, descriptor: ArrayDescriptor | ArrayDescriptor3D, levels: SupportsIndex | None = None
    ) -> None: ...
    def free(self) -> None: ...
    def get_level(self, level: SupportsIndex) -> Array: ...
    def get_descriptor_3d(self) -> ArrayDescriptor3D: ...
    @property
    def levels(self) -> int: ...
    @property
    def handle(self) -> int: ...
    def get_memory_requirements(self, device: Device | None = None) -> tuple[int, int]: ...
    def get_sparse_properties(self) -> SparseProperties: ...

def memcpy_dtoa(ary: Array, index: SupportsIndex, src: _Pointer, len: SupportsIndex) -> None: ...
def memcpy_atod(dest: _Pointer, ary: Array, index: SupportsIndex, len: SupportsIndex) -> None: ...
def memcpy_atoa(
    dest: Array, dest_index: SupportsIndex, src: Array, src_index: SupportsIndex, len: SupportsIndex
) -> None: ...
def memcpy_htoa(ary: Array, index: SupportsIndex, src: _Buffer) -> None: ...
def memcpy_atoh(dest: _Buffer, ary: Array, index: SupportsIndex) -> None: ...
def py_memcpy_htoa(ary: Array, index: SupportsIndex, src: _Buffer) -> None: ...
def py_memcpy_atoh(dest: _Buffer, ary: Array, index: SupportsIndex) -> None: ...

class TextureReference:
    def __init__(self) -> None: ...
    def set_array(self, array: Array) -> None: ...
    def set_address(self, devptr: _Pointer, bytes: SupportsIndex, allow_offset: bool = False) -> int: ...
    def set_address_2d(self, devptr: _Pointer, descr: ArrayDescriptor, pitch: SupportsIndex) -> None: ...
    def set_format(
        self,
        fmt: array_format | None = None,
        num_components: SupportsIndex | None = None,
        format: array_format | None = None,
    ) -> None: ...
    def set_address_mode(self, dim: SupportsIndex, am: address_mode) -> None: ...
    def set_filter_mode(self, fm: filter_mode) -> None: ...
    def set_flags(self, flags: SupportsIndex) -> None: ...
    def set_border_color(self, color: Sequence[float]) -> None: ...
    def get_address(self) -> int: ...
    def get_array(self) -> Array: ...
    def get_address_mode(self, dim: SupportsIndex) -> address_mode: ...
    def get_filter_mode(self) -> filter_mode: ...
    def get_format(self) -> tuple[array_format, int]: ...
    def get_flags(self) -> int: ...

class SurfaceReference:
    def set_array(self, array: Array, flags: SupportsIndex = 0) -> None: ...
    def get_array(self) -> Array: ...

class TextureObject:
    def __init__(
        self,
        array: Array | MipmappedArray,
        address_mode: address_mode | Sequence[address_mode] = ...,
        filter_mode: filter_mode = ...,
        flags: SupportsIndex = 0,
        border_color: Sequence[float] = ...,
        mipmap_filter_mode: filter_mode = ...,
        mipmap_level_bias: float = 0.0,
        min_mipmap_level: float = 0.0,
        max_mipmap_level: float | None = None,
    ) -> None: ...
    @staticmethod
    def linear(
        devptr: _Pointer,
        bytes: SupportsIndex,
        format: array_format,
        num_channels: SupportsIndex = 1,
        flags: SupportsIndex = 0,
    ) -> TextureObject: ...
    @staticmethod
    def pitched(
        devptr: _Pointer,
        descr: ArrayDescriptor,
        pitch: SupportsIndex,
        address_mode: address_mode | Sequence[address_mode] = ...,
        filter_mode: filter_mode = ...,
        flags: SupportsIndex = 0,
        border_color: Sequence[float] = ...,
    ) -> TextureObject: ...
    def free(self) -> None: ...
    @property
    def handle(self) -> int: ...
    def get_resource(self) -> dict[str, Any]: ...
    def get_settings(self) -> dict[str, Any]: ...
    def get_view(self) -> dict[str, Any]: ...
    def with_view(
        self,
        levels: tuple[SupportsIndex, SupportsIndex] | None = None,
        layers: tuple[SupportsIndex, SupportsIndex] | None = None,
        format: SupportsIndex = 0,
    ) -> TextureObject: ...
    def __int__(self) -> int: ...
    def __index__(self) -> int: ...

class SurfaceObject:
    def __init__(self, array: Array) -> None: ...
    def free(self) -> None: ...
    @property
    def handle(self) -> int: ...
    def get_resource(self) -> dict[str, Any]: ...
    def __int__(self) -> int: ...
    def __index__(self) -> int: ...

class Memcpy2D(_StructuredCopy):
    def __call__(self, aligned: bool | _Stream = True) -> None: ...

class _VolumeCopy(_StructuredCopy):
    src_z: int
    src_lod: int
    src_height: int
    dst_z: int
    dst_lod: int
    dst_height: int
    depth: int
    def __call__(self, stream: _Stream = ..., /) -> None: ...

class Memcpy3D(_VolumeCopy): ...

class Memcpy3DPeer(_VolumeCopy):
    def set_src_context(self, context: Context, /) -> None: ...
    def set_dst_context(self, context: Context, /) -> None: ...

class _Pool:
    @property
    def held_blocks(self) -> int: ...
    @property
    def active_blocks(self) -> int: ...
    @property
    def managed_bytes(self) -> int: ...
    @property
    def active_bytes(self) -> int: ...
    def free_held(self) -> None: ...
    def stop_holding(self) -> None: ...
    @staticmethod
    def bin_number(size: SupportsIndex, /) -> int: ...
    @staticmethod
    def alloc_size(bin: SupportsIndex, /) -> int: ...

class DeviceMemoryPool(_Pool):
    def __init__(self) -> None: ...
    def allocate(self, size: SupportsIndex) -> PooledDeviceAllocation: ...

class PageLockedAllocator:
    def __init__(self, flags: SupportsIndex = 0) -> None: ...

class PageLockedMemoryPool(_Pool):
    def __init__(self, allocator: PageLockedAllocator | None = None) -> None: ...
    @overload
    def allocate(self, shape: _Shape, dtype: _DType[_S], order: _Order = "C") -> NDArray[_S]: ...
    @overload
    def allocate(self, shape: _Shape, dtype: DTypeLike, order: _Order = "C") -> NDArray[Any]: ...

class StreamOrderedAllocation(_DevicePointer):
    def free(self, stream: _Stream = None) -> None: ...
    def share(self) -> bytearray: ...
    def __len__(self) -> int: ...

class StreamOrderedMemoryPool:
    def __init__(
        self,
        release_threshold: SupportsIndex = 0,
        *,
        location: SupportsIndex = ...,
        id: SupportsIndex | None = None,
        managed: bool = False,
        handle_types: SupportsIndex = ...,
        max_size: SupportsIndex = 0,
    ) -> None: ...
    @staticmethod
    def of_device() -> StreamOrderedMemoryPool: ...
    @staticmethod
    def of_location(
        location: SupportsIndex, id: SupportsIndex | None = None, current: bool = False
    ) -> StreamOrderedMemoryPool: ...
    @staticmethod
    def current() -> StreamOrderedMemoryPool: ...
    @staticmethod
    def from_file_descriptor(descriptor: SupportsIndex) -> StreamOrderedMemoryPool: ...
    def make_current(self, location: SupportsIndex | None = None, id: SupportsIndex | None = None) -> None: ...
    def share(self) -> int: ...
    def open(self, data: _Buffer, size: SupportsIndex) -> StreamOrderedAllocation: ...
    def set_access(
        self, access: SupportsIndex, location: SupportsIndex = ..., id: SupportsIndex | None = None
    ) -> None: ...
    def get_access(self, location: SupportsIndex = ..., id: SupportsIndex | None = None) -> mem_access_flags: ...
    def get_attribute(self, attribute: SupportsIndex) -> int: ...
    def set_attribute(self, attribute: SupportsIndex, value: SupportsIndex) -> None: ...
    def allocate(self, size: SupportsIndex, stream: _Stream = None) -> StreamOrderedAllocation: ...
    def trim(self, keep_bytes: SupportsIndex = 0) -> None: ...
    def free_held(self) -> None: ...
    @property
    def active_bytes(self) -> int: ...
    @property
    def managed_bytes(self) -> int: ...
    @property
    def release_threshold(self) -> int: ...
    @release_threshold.setter
    def release_threshold(self, bytes: SupportsIndex, /) -> None: ...

@final
class Function:
    @property
    def name(self) -> str: ...
    @property
    def handle(self) -> int: ...
    @property
    def arg_format(self) -> str: ...
    @property
    def texrefs(self) -> list[Any]: ...
    @property
    def max_threads_per_block(self) -> int: ...
    @property
    def shared_size_bytes(self) -> int: ...
    @property
    def const_size_bytes(self) -> int: ...
    @property
    def local_size_bytes(self) -> int: ...
    @property
    def num_regs(self) -> int: ...
    @property
    def ptx_version(self) -> int: ...
    @property
    def binary_version(self) -> int: ...
    @property
    def cache_mode_ca(self) -> int: ...
    @property
    def max_dynamic_shared_size_bytes(self) -> int: ...
    @property
    def preferred_shared_memory_carveout(self) -> int: ...
    def set_block_shape(self, x: SupportsIndex, y: SupportsIndex, z: SupportsIndex, /) -> None: ...
    def set_shared_size(self, bytes: SupportsIndex, /) -> None: ...
    def param_set(self, *args: Any) -> None: ...
    def param_set_size(self, bytes: SupportsIndex, /) -> None: ...
    def param_seti(self, offset: SupportsIndex, value: SupportsIndex, /) -> None: ...
    def param_setf(self, offset: SupportsIndex, value: SupportsFloat, /) -> None: ...
    def param_setv(self, offset: SupportsIndex, buffer: _Buffer, /) -> None: ...
    def launch(self) -> None: ...
    def launch_grid(self, width: SupportsIndex, height: SupportsIndex, /) -> None: ...
    def launch_grid_async(self, width: SupportsIndex, height: SupportsIndex, stream: _Stream, /) -> None: ...
    @overload
    def __call__(
        self,
        *args: Any,
        block: _Extents,
        grid: _Extents = (1, 1),
        stream: _Stream = None,
        shared: SupportsIndex = 0,
        texrefs: Sequence[Any] = (),
        time_kernel: Literal[False] = False,
        cooperative: bool | None = False,
        cluster: _Extents | None = None,
        priority: SupportsIndex | None = None,
        programmatic_dependent_launch: bool | None = False,
    ) -> None: ...
    @overload
    def __call__(
        self,
        *args: Any,
        block: _Extents,
        grid: _Extents = (1, 1),
        stream: None = None,
        shared: SupportsIndex = 0,
        texrefs: Sequence[Any] = (),
        time_kernel: Literal[True],
        cooperative: bool | None = False,
        cluster: _Extents | None = None,
        priority: SupportsIndex | None = None,
        programmatic_dependent_launch: bool | None = False,
    ) -> float: ...
    def prepare(
        self,
        arg_types: str | Iterable[Any],
        texrefs: Sequence[Any] | None = None,
        *,
        block: _Extents = ...,
        shared: SupportsIndex = 0,
        cooperative: bool | None = False,
        cluster: _Extents | None = None,
        priority: SupportsIndex | None = None,
        programmatic_dependent_launch: bool | None = False,
    ) -> Self: ...
    def prepared_call(
        self,
        grid: _Extents,
        block: _Extents,
        /,
        *args: Any,
        shared_size: SupportsIndex = 0,
        cooperative: bool | None = False,
        cluster: _Extents | None = None,
        priority: SupportsIndex | None = None,
        programmatic_dependent_launch: bool | None = False,
    ) -> None: ...
    def prepared_async_call(
        self,
        grid: _Extents,
        block: _Extents,
        stream: _Stream,
        /,
        *args: Any,
        shared_size: SupportsIndex = 0,
        cooperative: bool | None = False,
        cluster: _Extents | None = None,
        priority: SupportsIndex | None = None,
        programmatic_dependent_launch: bool | None = False,
    ) -> None: ...
    def prepared_timed_call(
        self,
        grid: _Extents,
        block: _Extents,
        /,
        *args: Any,
        shared_size: SupportsIndex = 0,
        cooperative: bool | None = False,
        cluster: _Extents | None = None,
        priority: SupportsIndex | None = None,
        programmatic_dependent_launch: bool | None = False,
    ) -> Callable[[], float]: ...
    @property
    def module(self) -> Module: ...
    def is_loaded(self) -> bool: ...
    def load(self) -> None: ...
    def max_cluster_size(self, block: SupportsIndex | _Extents, shared: SupportsIndex = 0) -> int: ...
    def max_active_clusters(
        self, cluster: SupportsIndex | _Extents, block: SupportsIndex | _Extents, shared: SupportsIndex = 0
    ) -> int: ...
    def max_active_blocks(self, block: SupportsIndex | _Extents, shared: SupportsIndex = 0) -> int: ...
    def suggested_block_size(self, shared: SupportsIndex = 0, limit: SupportsIndex = 0) -> tuple[int, int]: ...
    def available_shared_memory(self, blocks: SupportsIndex, block: SupportsIndex | _Extents) -> int: ...
    def get_attribute(self, attribute: SupportsIndex, /) -> int: ...
    def set_attribute(self, attribute: SupportsIndex, value: SupportsIndex, /) -> None: ...
    def set_cache_config(self, config: SupportsIndex, /) -> None: ...
    def set_shared_config(self, config: SupportsIndex, /) -> None: ...
    def param_set_texref(self, texref: Any, /) -> None: ...
    def plan(self, block: Sequence[int] = (256, 1, 1)) -> Plan: ...
    def report(
        self,
        *args: Any,
        block: Sequence[int],
        grid: Sequence[int] = (1, 1),
        shared: int = 0,
        checks: Sequence[str] | str | None = None,
    ) -> Report: ...
    # A program's own attributes; what is misspelled is not among those that are read.
    def __setattr__(self, name: str, value: Any, /) -> None: ...

class Module:
    def get_function(self, name: str) -> Function: ...
    def _kernel_names(self) -> list[str]: ...
    def get_global(self, name: str) -> tuple[int, int]: ...
    def get_texref(self, name: str) -> TextureReference: ...
    def get_surfref(self, name: str) -> SurfaceReference: ...

def module_from_file(filename: str | bytes | PathLike[str]) -> Module: ...
def module_from_buffer(
    buffer: _Buffer | str,
    options: Iterable[tuple[SupportsIndex, SupportsIndex]] = (),
    message_handler: _MessageHandler = None,
) -> Module: ...

class Linker:
    def __init__(
        self,
        message_handler: _MessageHandler = None,
        options: Iterable[tuple[SupportsIndex, SupportsIndex]] | None = None,
        log_verbose: bool = False,
    ) -> None: ...
    def add_data(self, data: _Buffer | str, input_type: SupportsIndex, name: str = "unknown") -> None: ...
    def add_file(self, filename: str, input_type: SupportsIndex) -> None: ...
    def link_module(self) -> Module: ...

def get_curand_version() -> tuple[int, int, int] | None: ...

class SMResource:
    @staticmethod
    def of_device(device: Device | None = None) -> SMResource: ...
    @staticmethod
    def of_context() -> SMResource: ...
    @property
    def count(self) -> int: ...
    @property
    def min_partition_size(self) -> int: ...
    @property
    def alignment(self) -> int: ...
    def split(
        self, size: SupportsIndex, count: SupportsIndex | None = None, flags: SupportsIndex = 0
    ) -> tuple[list[SMResource], SMResource | None]: ...

class GreenContext(Context):
    def __new__(cls, resources: SMResource | Iterable[SMResource]) -> Self: ...
    @property
    def id(self) -> int: ...
    @property
    def resource(self) -> SMResource: ...
    def make_stream(self, priority: SupportsIndex = 0) -> Stream: ...
    def owns(self, stream: _Stream) -> bool: ...
    def record(self, event: Event) -> Event: ...
    def wait_for_event(self, event: Event) -> None: ...

class DriverLog:
    def __init__(self, from_start: bool = False) -> None: ...
    def read(self) -> str: ...
    def save(self, path: str | PathLike[str]) -> None: ...

class LogCallback:
    def __init__(self, function: Callable[[log_level, str], object]) -> None: ...
    def unregister(self) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *exception: object) -> None: ...

def initialize_profiler(config_file: str, output_file: str, output_mode: SupportsIndex) -> None: ...
def start_profiler() -> None: ...
def stop_profiler() -> None: ...
def _set_checks(names: str) -> None: ...
def _take_findings() -> str: ...
def _set_counters(count: bool) -> None: ...
def _readable_name(name: str) -> str: ...
def _take_counters() -> str: ...

class _Struct:
    def __init__(self, format: str | bytes, /) -> None: ...
    @property
    def format(self) -> str: ...
    @property
    def size(self) -> int: ...
    def pack(self, *values: Any) -> bytes: ...
    def pack_into(self, buffer: _Buffer, offset: SupportsIndex, /, *values: Any) -> None: ...
    def unpack(self, buffer: _Buffer, /) -> tuple[Any, ...]: ...
    def unpack_from(self, buffer: _Buffer, offset: SupportsIndex = 0) -> tuple[Any, ...]: ...

def _process_context() -> Context | None: ...
def _set_handler_class(type: type, /) -> None: ...

_rtc: Any

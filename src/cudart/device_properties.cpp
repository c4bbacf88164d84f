// SPDX-License-Identifier: MIT
// Which attribute of the driver each property is.
#include "cudart/device_properties.h"

#include <cstring>

namespace pycuda::cudart {
namespace {

/// Reads attributes until one fails.
class Reader {
 public:
  Reader(const DriverTable& driver, int device) : driver_(driver), device_(device) {}

  int integer(CUdevice_attribute which) {
    int value = 0;
    const CUresult code = driver_.cuDeviceGetAttribute.status(&value, which, device_);
    // Drivers older than an attribute do not know it: such a property is 0.
    if (code != CUDA_SUCCESS && code != CUDA_ERROR_INVALID_VALUE && code_ == CUDA_SUCCESS) {
      code_ = code;
    }
    return value;
  }
  std::size_t size(CUdevice_attribute which) { return static_cast<std::size_t>(integer(which)); }
  void note(CUresult code) {
    if (code_ == CUDA_SUCCESS) code_ = code;
  }
  CUresult code() const { return code_; }

 private:
  const DriverTable& driver_;
  int device_;
  CUresult code_ = CUDA_SUCCESS;
};

#define ATTRIBUTE(name) read.integer(CU_DEVICE_ATTRIBUTE_##name)
#define SIZE(name) read.size(CU_DEVICE_ATTRIBUTE_##name)

void read_limits(Reader& read, cudaDeviceProp& all) {
  all.sharedMemPerBlock = SIZE(MAX_SHARED_MEMORY_PER_BLOCK);
  all.regsPerBlock = ATTRIBUTE(MAX_REGISTERS_PER_BLOCK);
  all.warpSize = ATTRIBUTE(WARP_SIZE);
  all.memPitch = SIZE(MAX_PITCH);
  all.maxThreadsPerBlock = ATTRIBUTE(MAX_THREADS_PER_BLOCK);
  all.maxThreadsDim[0] = ATTRIBUTE(MAX_BLOCK_DIM_X);
  all.maxThreadsDim[1] = ATTRIBUTE(MAX_BLOCK_DIM_Y);
  all.maxThreadsDim[2] = ATTRIBUTE(MAX_BLOCK_DIM_Z);
  all.maxGridSize[0] = ATTRIBUTE(MAX_GRID_DIM_X);
  all.maxGridSize[1] = ATTRIBUTE(MAX_GRID_DIM_Y);
  all.maxGridSize[2] = ATTRIBUTE(MAX_GRID_DIM_Z);
  all.totalConstMem = SIZE(TOTAL_CONSTANT_MEMORY);
  all.major = ATTRIBUTE(COMPUTE_CAPABILITY_MAJOR);
  all.minor = ATTRIBUTE(COMPUTE_CAPABILITY_MINOR);
  all.multiProcessorCount = ATTRIBUTE(MULTIPROCESSOR_COUNT);
  all.maxThreadsPerMultiProcessor = ATTRIBUTE(MAX_THREADS_PER_MULTIPROCESSOR);
  all.sharedMemPerMultiprocessor = SIZE(MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
  all.regsPerMultiprocessor = ATTRIBUTE(MAX_REGISTERS_PER_MULTIPROCESSOR);
  all.sharedMemPerBlockOptin = SIZE(MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  all.maxBlocksPerMultiProcessor = ATTRIBUTE(MAX_BLOCKS_PER_MULTIPROCESSOR);
  all.reservedSharedMemPerBlock = SIZE(RESERVED_SHARED_MEMORY_PER_BLOCK);
}

void read_textures(Reader& read, cudaDeviceProp& all) {
  all.textureAlignment = SIZE(TEXTURE_ALIGNMENT);
  all.texturePitchAlignment = SIZE(TEXTURE_PITCH_ALIGNMENT);
  all.maxTexture1D = ATTRIBUTE(MAXIMUM_TEXTURE1D_WIDTH);
  all.maxTexture1DMipmap = ATTRIBUTE(MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH);
  all.maxTexture2D[0] = ATTRIBUTE(MAXIMUM_TEXTURE2D_WIDTH);
  all.maxTexture2D[1] = ATTRIBUTE(MAXIMUM_TEXTURE2D_HEIGHT);
  all.maxTexture2DMipmap[0] = ATTRIBUTE(MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH);
  all.maxTexture2DMipmap[1] = ATTRIBUTE(MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT);
  all.maxTexture2DLinear[0] = ATTRIBUTE(MAXIMUM_TEXTURE2D_LINEAR_WIDTH);
  all.maxTexture2DLinear[1] = ATTRIBUTE(MAXIMUM_TEXTURE2D_LINEAR_HEIGHT);
  all.maxTexture2DLinear[2] = ATTRIBUTE(MAXIMUM_TEXTURE2D_LINEAR_PITCH);
  all.maxTexture2DGather[0] = ATTRIBUTE(MAXIMUM_TEXTURE2D_GATHER_WIDTH);
  all.maxTexture2DGather[1] = ATTRIBUTE(MAXIMUM_TEXTURE2D_GATHER_HEIGHT);
  all.maxTexture3D[0] = ATTRIBUTE(MAXIMUM_TEXTURE3D_WIDTH);
  all.maxTexture3D[1] = ATTRIBUTE(MAXIMUM_TEXTURE3D_HEIGHT);
  all.maxTexture3D[2] = ATTRIBUTE(MAXIMUM_TEXTURE3D_DEPTH);
  all.maxTexture3DAlt[0] = ATTRIBUTE(MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE);
  all.maxTexture3DAlt[1] = ATTRIBUTE(MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE);
  all.maxTexture3DAlt[2] = ATTRIBUTE(MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE);
  all.maxTextureCubemap = ATTRIBUTE(MAXIMUM_TEXTURECUBEMAP_WIDTH);
  all.maxTexture1DLayered[0] = ATTRIBUTE(MAXIMUM_TEXTURE1D_LAYERED_WIDTH);
  all.maxTexture1DLayered[1] = ATTRIBUTE(MAXIMUM_TEXTURE1D_LAYERED_LAYERS);
  all.maxTexture2DLayered[0] = ATTRIBUTE(MAXIMUM_TEXTURE2D_LAYERED_WIDTH);
  all.maxTexture2DLayered[1] = ATTRIBUTE(MAXIMUM_TEXTURE2D_LAYERED_HEIGHT);
  all.maxTexture2DLayered[2] = ATTRIBUTE(MAXIMUM_TEXTURE2D_LAYERED_LAYERS);
  all.maxTextureCubemapLayered[0] = ATTRIBUTE(MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH);
  all.maxTextureCubemapLayered[1] = ATTRIBUTE(MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS);
}

void read_surfaces(Reader& read, cudaDeviceProp& all) {
  all.surfaceAlignment = SIZE(SURFACE_ALIGNMENT);
  all.maxSurface1D = ATTRIBUTE(MAXIMUM_SURFACE1D_WIDTH);
  all.maxSurface2D[0] = ATTRIBUTE(MAXIMUM_SURFACE2D_WIDTH);
  all.maxSurface2D[1] = ATTRIBUTE(MAXIMUM_SURFACE2D_HEIGHT);
  all.maxSurface3D[0] = ATTRIBUTE(MAXIMUM_SURFACE3D_WIDTH);
  all.maxSurface3D[1] = ATTRIBUTE(MAXIMUM_SURFACE3D_HEIGHT);
  all.maxSurface3D[2] = ATTRIBUTE(MAXIMUM_SURFACE3D_DEPTH);
  all.maxSurface1DLayered[0] = ATTRIBUTE(MAXIMUM_SURFACE1D_LAYERED_WIDTH);
  all.maxSurface1DLayered[1] = ATTRIBUTE(MAXIMUM_SURFACE1D_LAYERED_LAYERS);
  all.maxSurface2DLayered[0] = ATTRIBUTE(MAXIMUM_SURFACE2D_LAYERED_WIDTH);
  all.maxSurface2DLayered[1] = ATTRIBUTE(MAXIMUM_SURFACE2D_LAYERED_HEIGHT);
  all.maxSurface2DLayered[2] = ATTRIBUTE(MAXIMUM_SURFACE2D_LAYERED_LAYERS);
  all.maxSurfaceCubemap = ATTRIBUTE(MAXIMUM_SURFACECUBEMAP_WIDTH);
  all.maxSurfaceCubemapLayered[0] = ATTRIBUTE(MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH);
  all.maxSurfaceCubemapLayered[1] = ATTRIBUTE(MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS);
}

void read_memory(Reader& read, cudaDeviceProp& all) {
  all.integrated = ATTRIBUTE(INTEGRATED);
  all.canMapHostMemory = ATTRIBUTE(CAN_MAP_HOST_MEMORY);
  all.unifiedAddressing = ATTRIBUTE(UNIFIED_ADDRESSING);
  all.memoryBusWidth = ATTRIBUTE(GLOBAL_MEMORY_BUS_WIDTH);
  all.l2CacheSize = ATTRIBUTE(L2_CACHE_SIZE);
  all.persistingL2CacheMaxSize = ATTRIBUTE(MAX_PERSISTING_L2_CACHE_SIZE);
  all.globalL1CacheSupported = ATTRIBUTE(GLOBAL_L1_CACHE_SUPPORTED);
  all.localL1CacheSupported = ATTRIBUTE(LOCAL_L1_CACHE_SUPPORTED);
  all.managedMemory = ATTRIBUTE(MANAGED_MEMORY);
  all.hostNativeAtomicSupported = ATTRIBUTE(HOST_NATIVE_ATOMIC_SUPPORTED);
  all.pageableMemoryAccess = ATTRIBUTE(PAGEABLE_MEMORY_ACCESS);
  all.concurrentManagedAccess = ATTRIBUTE(CONCURRENT_MANAGED_ACCESS);
  all.canUseHostPointerForRegisteredMem = ATTRIBUTE(CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM);
  all.pageableMemoryAccessUsesHostPageTables =
      ATTRIBUTE(PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES);
  all.directManagedMemAccessFromHost = ATTRIBUTE(DIRECT_MANAGED_MEM_ACCESS_FROM_HOST);
  all.accessPolicyMaxWindowSize = ATTRIBUTE(MAX_ACCESS_POLICY_WINDOW_SIZE);
  all.hostRegisterSupported = ATTRIBUTE(HOST_REGISTER_SUPPORTED);
  all.sparseCudaArraySupported = ATTRIBUTE(SPARSE_CUDA_ARRAY_SUPPORTED);
  all.hostRegisterReadOnlySupported = ATTRIBUTE(READ_ONLY_HOST_REGISTER_SUPPORTED);
  all.memoryPoolsSupported = ATTRIBUTE(MEMORY_POOLS_SUPPORTED);
  all.gpuDirectRDMASupported = ATTRIBUTE(GPU_DIRECT_RDMA_SUPPORTED);
  all.gpuDirectRDMAFlushWritesOptions =
      static_cast<unsigned>(ATTRIBUTE(GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS));
  all.gpuDirectRDMAWritesOrdering = ATTRIBUTE(GPU_DIRECT_RDMA_WRITES_ORDERING);
  all.memoryPoolSupportedHandleTypes =
      static_cast<unsigned>(ATTRIBUTE(MEMPOOL_SUPPORTED_HANDLE_TYPES));
  all.deferredMappingCudaArraySupported = ATTRIBUTE(DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED);
}

void read_machine(Reader& read, cudaDeviceProp& all) {
  all.concurrentKernels = ATTRIBUTE(CONCURRENT_KERNELS);
  all.ECCEnabled = ATTRIBUTE(ECC_ENABLED);
  all.pciBusID = ATTRIBUTE(PCI_BUS_ID);
  all.pciDeviceID = ATTRIBUTE(PCI_DEVICE_ID);
  all.pciDomainID = ATTRIBUTE(PCI_DOMAIN_ID);
  all.tccDriver = ATTRIBUTE(TCC_DRIVER);
  all.asyncEngineCount = ATTRIBUTE(ASYNC_ENGINE_COUNT);
  all.streamPrioritiesSupported = ATTRIBUTE(STREAM_PRIORITIES_SUPPORTED);
  all.isMultiGpuBoard = ATTRIBUTE(MULTI_GPU_BOARD);
  all.multiGpuBoardGroupID = ATTRIBUTE(MULTI_GPU_BOARD_GROUP_ID);
  all.computePreemptionSupported = ATTRIBUTE(COMPUTE_PREEMPTION_SUPPORTED);
  all.cooperativeLaunch = ATTRIBUTE(COOPERATIVE_LAUNCH);
  all.timelineSemaphoreInteropSupported = ATTRIBUTE(TIMELINE_SEMAPHORE_INTEROP_SUPPORTED);
  all.ipcEventSupported = ATTRIBUTE(IPC_EVENT_SUPPORTED);
  all.clusterLaunch = ATTRIBUTE(CLUSTER_LAUNCH);
  all.unifiedFunctionPointers = ATTRIBUTE(UNIFIED_FUNCTION_POINTERS);
  all.deviceNumaConfig = ATTRIBUTE(NUMA_CONFIG);
  all.deviceNumaId = ATTRIBUTE(NUMA_ID);
  all.mpsEnabled = ATTRIBUTE(MPS_ENABLED);
  all.hostNumaId = ATTRIBUTE(HOST_NUMA_ID);
  all.gpuPciDeviceID = static_cast<unsigned>(ATTRIBUTE(GPU_PCI_DEVICE_ID));
  all.gpuPciSubsystemID = static_cast<unsigned>(ATTRIBUTE(GPU_PCI_SUBSYSTEM_ID));
  all.hostNumaMultinodeIpcSupported = ATTRIBUTE(HOST_NUMA_MULTINODE_IPC_SUPPORTED);
}

#undef ATTRIBUTE
#undef SIZE

/// How many of the properties that `wanted` asks for a device has; cudaChooseDevice's measure.
int matches(const cudaDeviceProp& wanted, const cudaDeviceProp& has) {
  int count = 0;
  const auto at_least = [&](auto least, auto value) { count += least != 0 && value >= least; };
  count += wanted.name[0] != '\0' && std::strcmp(wanted.name, has.name) == 0;
  at_least(wanted.totalGlobalMem, has.totalGlobalMem);
  at_least(wanted.sharedMemPerBlock, has.sharedMemPerBlock);
  at_least(wanted.regsPerBlock, has.regsPerBlock);
  at_least(wanted.maxThreadsPerBlock, has.maxThreadsPerBlock);
  at_least(wanted.totalConstMem, has.totalConstMem);
  at_least(wanted.multiProcessorCount, has.multiProcessorCount);
  at_least(wanted.integrated, has.integrated);
  at_least(wanted.canMapHostMemory, has.canMapHostMemory);
  const int capability = wanted.major * 10 + wanted.minor;
  at_least(capability, has.major * 10 + has.minor);
  return count;
}

}  // namespace

cudaError_t read_properties(const DriverTable& driver, int device, cudaDeviceProp* properties) {
  const cudaError_t valid = checked_device(driver, device);
  if (valid != cudaSuccess) return valid;
  cudaDeviceProp all{};
  Reader read(driver, device);
  read.note(driver.cuDeviceGetName.status(all.name, sizeof all.name, device));
  CUuuid uuid{};
  read.note(driver.cuDeviceGetUuid.status(&uuid, device));
  std::memcpy(&all.uuid, &uuid, sizeof all.uuid);
  // Only Windows has LUIDs: theirs stays zero.
  read.note(driver.cuDeviceTotalMem.status(&all.totalGlobalMem, device));
  read_limits(read, all);
  read_textures(read, all);
  read_surfaces(read, all);
  read_memory(read, all);
  read_machine(read, all);
  if (read.code() == CUDA_SUCCESS) *properties = all;
  return to_runtime(read.code());
}

cudaError_t choose_device(const DriverTable& driver, const cudaDeviceProp& wanted, int* device) {
  int count = 0;
  const CUresult code = driver.cuDeviceGetCount.status(&count);
  if (code != CUDA_SUCCESS) return to_runtime(code);
  if (count == 0) return cudaErrorNoDevice;
  int best = -1;
  for (int i = 0; i < count; ++i) {
    cudaDeviceProp has{};
    const cudaError_t status = read_properties(driver, i, &has);
    if (status != cudaSuccess) return status;
    if (const int fits = matches(wanted, has); fits > best) {
      best = fits;
      *device = i;
    }
  }
  return cudaSuccess;
}

}  // namespace pycuda::cudart

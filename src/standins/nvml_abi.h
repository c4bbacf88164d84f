// SPDX-License-Identifier: MIT
// The supported part of NVML's interface, declared here so that its wheel is not needed to
// build.
#pragma once

// NOLINTBEGIN(readability-identifier-naming): NVIDIA's names
enum nvmlReturn_t {
  NVML_SUCCESS = 0,
  NVML_ERROR_UNINITIALIZED = 1,
  NVML_ERROR_INVALID_ARGUMENT = 2,
  NVML_ERROR_NOT_SUPPORTED = 3,
  NVML_ERROR_NOT_FOUND = 6,
  NVML_ERROR_INSUFFICIENT_SIZE = 7,
  NVML_ERROR_DRIVER_NOT_LOADED = 9,
  NVML_ERROR_TIMEOUT = 10,
  NVML_ERROR_ARGUMENT_VERSION_MISMATCH = 25,
  NVML_ERROR_UNKNOWN = 999,
};

struct nvmlMemory_t {
  unsigned long long total, free, used;
};

struct nvmlMemory_v2_t {
  unsigned version;
  unsigned long long total, reserved, free, used;
};

struct nvmlUtilization_t {
  unsigned gpu, memory;
};

struct nvmlPciInfo_v2_t {
  char busIdLegacy[16];
  unsigned domain, bus, device, pciDeviceId, pciSubSystemId;
  unsigned reserved[4];
};

struct nvmlPciInfo_t {
  char busIdLegacy[16];
  unsigned domain, bus, device, pciDeviceId, pciSubSystemId;
  char busId[32];
};

struct nvmlPciInfoExt_v1_t {
  unsigned version;
  unsigned domain, bus, device, pciDeviceId, pciSubSystemId, baseClass, subClass;
  char busId[32];
};

struct nvmlProcessInfo_v1_t {
  unsigned pid;
  unsigned long long usedGpuMemory;
};

struct nvmlProcessInfo_t {
  unsigned pid;
  unsigned long long usedGpuMemory;
  unsigned gpuInstanceId, computeInstanceId;
};

struct nvmlSystemDriverBranchInfo_v1_t {
  unsigned version;
  char branch[80];
};

enum nvmlUUIDType_t {
  NVML_UUID_TYPE_NONE = 0,
  NVML_UUID_TYPE_ASCII = 1,
  NVML_UUID_TYPE_BINARY = 2,
};

struct nvmlUUID_v1_t {
  unsigned version;
  unsigned type;
  union {
    char str[41];
    unsigned char bytes[16];
  } value;
};

struct nvmlPdi_v1_t {
  unsigned version;
  unsigned long long value;
};

struct nvmlDeviceCapabilities_v1_t {
  unsigned version;
  unsigned capMask;
};

/// The features themselves follow: there are none.
struct nvmlGridLicensableFeatures_t {
  int isGridLicenseSupported;
  unsigned licensableFeaturesCount;
};

struct nvmlDevicePerfModes_v1_t {
  unsigned version;
  char str[2048];
};
using nvmlDeviceCurrentClockFreqs_v1_t = nvmlDevicePerfModes_v1_t;

struct nvmlEventData_v1_t {
  void* device;
  unsigned long long eventType, eventData;
};

struct nvmlEventData_t {
  void* device;
  unsigned long long eventType, eventData;
  unsigned gpuInstanceId, computeInstanceId;
};

/// To make a set and to free one.
struct nvmlSystemEventSetRequest_v1_t {
  unsigned version;
  void* set;
};

struct nvmlSystemRegisterEventRequest_v1_t {
  unsigned version;
  unsigned long long eventTypes;
  void* set;
};

struct nvmlSystemEventSetWaitRequest_v1_t {
  unsigned version;
  unsigned timeoutms;
  void* set;
  void* data;
  unsigned dataSize, numEvent;
};

struct nvmlTemperature_v1_t {
  unsigned version;
  int sensorType;
  int temperature;
};

constexpr unsigned NVML_FI_DEV_PCIE_REPLAY_COUNTER = 94;
constexpr int NVML_VALUE_TYPE_UNSIGNED_INT = 1;

struct nvmlFieldValue_t {
  unsigned fieldId;
  unsigned scopeId;
  long long timestamp, latencyUsec;  // microseconds
  int valueType;
  nvmlReturn_t nvmlReturn;
  unsigned long long value;
};

enum nvmlClockType_t {
  NVML_CLOCK_GRAPHICS = 0,
  NVML_CLOCK_SM = 1,
  NVML_CLOCK_MEM = 2,
  NVML_CLOCK_VIDEO = 3,
};
// NOLINTEND(readability-identifier-naming)

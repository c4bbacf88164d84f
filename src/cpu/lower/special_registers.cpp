// SPDX-License-Identifier: MIT
// Special registers: pseudo functions for what the simt stage knows, run-time calls for clocks,
// constants for the rest.
#include "cpu/lower/special_registers.h"

#include "cpu/kernel_abi/frames.h"
#include "cpu/lower/pseudo.h"

namespace pycuda::cpu::lower {

namespace {

const char* pseudo_name(ptx::SpecialRegister special) {
  using enum ptx::SpecialRegister;
  switch (special) {
    case TidX:
      return "tid.x";
    case TidY:
      return "tid.y";
    case TidZ:
      return "tid.z";
    case NTidX:
      return "ntid.x";
    case NTidY:
      return "ntid.y";
    case NTidZ:
      return "ntid.z";
    case CtaIdX:
      return "ctaid.x";
    case CtaIdY:
      return "ctaid.y";
    case CtaIdZ:
      return "ctaid.z";
    case NCtaIdX:
      return "nctaid.x";
    case NCtaIdY:
      return "nctaid.y";
    case NCtaIdZ:
      return "nctaid.z";
    case ClusterNCtaIdX:
      return "cluster_nctaid.x";
    case ClusterNCtaIdY:
      return "cluster_nctaid.y";
    case ClusterNCtaIdZ:
      return "cluster_nctaid.z";
    case LaneId:
      return "laneid";
    case WarpId:
      return "warpid";
    case NWarpId:
      return "nwarpid";
    case SmId:
      return "smid";
    case NSmId:
      return "nsmid";
    case LaneMaskEq:
      return "lanemask.eq";
    case LaneMaskLe:
      return "lanemask.le";
    case LaneMaskLt:
      return "lanemask.lt";
    case LaneMaskGe:
      return "lanemask.ge";
    case LaneMaskGt:
      return "lanemask.gt";
    case DynamicSharedSize:
      return "dynamic_smem_size";
    case TotalSharedSize:
      return "total_smem_size";
    case GridId:
      return "gridid";
    default:
      return nullptr;
  }
}

/// Of %reserved_smem_offset_0, _1, _begin, _end and _cap, as on an H100.
std::uint32_t place_in_reserved_shared(std::uint32_t index) {
  constexpr std::uint32_t places[] = {0, 0, 0, 288, reserved_shared_bytes};
  return places[index];
}

}  // namespace

llvm::Value* read_special_register(FunctionLowering& lowering, const ptx::Operand& operand) {
  using enum ptx::SpecialRegister;
  llvm::IRBuilder<>& b = lowering.builder();
  const auto sreg = [&](const std::string& name, unsigned bits) {
    llvm::CallInst* call =
        lowering.pseudo_call(pseudo::sreg_prefix + name, lowering.int_type(bits), {}, false);
    // Quotients of signed numbers that are not negative are shifts. Blocks that run as one have
    // threads beyond the limit of one block.
    if (name.starts_with("tid."))
      call->addRangeRetAttr({llvm::APInt(bits, 0), llvm::APInt::getSignedMinValue(bits)});
    return call;
  };
  const auto along = [&](const char* prefix, ptx::SpecialRegister special,
                         ptx::SpecialRegister first) {
    const int axis = static_cast<int>(special) - static_cast<int>(first);
    return sreg(std::string(prefix) + "xyz"[axis], 32);
  };
  if (const char* name = pseudo_name(operand.special))
    return sreg(name, operand.special == GridId ? 64 : 32);
  switch (operand.special) {
    case EnvReg:
      return sreg("envreg." + std::to_string(operand.index), 32);
    case Clock:
    case Clock64:
      return lowering.runtime_call("pycuda_cpu_clock", b.getInt64Ty(), {});
    case ClockHi:
      return b.CreateLShr(lowering.runtime_call("pycuda_cpu_clock", b.getInt64Ty(), {}), 32);
    case GlobalTimer:
    case GlobalTimerLo:
      return lowering.runtime_call("pycuda_cpu_globaltimer", b.getInt64Ty(), {});
    case GlobalTimerHi:
      return b.CreateLShr(lowering.runtime_call("pycuda_cpu_globaltimer", b.getInt64Ty(), {}), 32);
    case WarpSize:
      return b.getInt32(32);
    case AggregateSharedSize:
      return b.CreateAdd(
          lowering.pseudo_call(pseudo::dynamic_shared_offset, b.getInt32Ty(), {}, false),
          sreg("dynamic_smem_size", 32));
    case ReservedSharedOffset:
      return b.getInt32(place_in_reserved_shared(operand.index));
    // Grids are made of whole clusters.
    case ClusterIdX:
    case ClusterIdY:
    case ClusterIdZ:
      return b.CreateUDiv(along("ctaid.", operand.special, ClusterIdX),
                          along("cluster_nctaid.", operand.special, ClusterIdX));
    case NClusterIdX:
    case NClusterIdY:
    case NClusterIdZ:
      return b.CreateUDiv(along("nctaid.", operand.special, NClusterIdX),
                          along("cluster_nctaid.", operand.special, NClusterIdX));
    case ClusterCtaIdX:
    case ClusterCtaIdY:
    case ClusterCtaIdZ:
      return b.CreateURem(along("ctaid.", operand.special, ClusterCtaIdX),
                          along("cluster_nctaid.", operand.special, ClusterCtaIdX));
    case ClusterCtaRank: {
      llvm::Value* rank = b.getInt32(0);
      for (const char axis : {'z', 'y', 'x'}) {
        llvm::Value* blocks = sreg(std::string("cluster_nctaid.") + axis, 32);
        llvm::Value* place = b.CreateURem(sreg(std::string("ctaid.") + axis, 32), blocks);
        rank = b.CreateAdd(b.CreateMul(rank, blocks), place);
      }
      return rank;
    }
    case ClusterNCtaRank:
      return b.CreateMul(sreg("cluster_nctaid.x", 32),
                         b.CreateMul(sreg("cluster_nctaid.y", 32), sreg("cluster_nctaid.z", 32)));
    case IsExplicitCluster:
      return b.CreateICmpNE(sreg("is_explicit_cluster", 32), b.getInt32(0));
    case CurrentGraphExec:
      return lowering.runtime_call("pycuda_cpu_device_current_graph", b.getInt64Ty(),
                                   {lowering.thread()});
    // What the performance counters count is up to the device.
    case PerformanceMonitor:
      return b.getInt64(0);
    default:
      return nullptr;
  }
}

}  // namespace pycuda::cpu::lower

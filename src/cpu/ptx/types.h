// SPDX-License-Identifier: MIT
// PTX's types, state spaces and modifiers as enumerations.
#pragma once

#include <cstdint>
#include <string_view>

namespace pycuda::cpu::ptx {

enum class Type : std::uint8_t {
  None,
  Pred,
  B8,
  B16,
  B32,
  B64,
  B128,
  U8,
  U16,
  U32,
  U64,
  S8,
  S16,
  S32,
  S64,
  U16x2,
  S16x2,
  F16,
  F16x2,
  BF16,
  BF16x2,
  TF32,
  F32,
  F32x2,
  F64,
  E4M3,
  E5M2,
  E4M3x2,  // the first of is_narrow_pair
  E5M2x2,
  E2M3x2,
  E3M2x2,
  E2M1x2,
  UE8M0x2,
  S2F6x2,  // the last
  TexRef,
  SamplerRef,
  SurfRef,
};

std::uint32_t bits_of(Type type);  ///< 0 for None; 1 for Pred
bool is_float(Type type);          ///< F16 .. F64, packed forms included
bool is_signed(Type type);
bool is_untyped(Type type);           ///< B8 .. B128
bool is_narrow_pair(Type type);       ///< two elements of at most 8 bits
std::string_view name_of(Type type);  ///< "f32"

enum class Space : std::uint8_t {
  Generic,
  Register,
  Special,
  Const,
  Global,
  Local,
  Param,
  Shared,
  Tex
};
std::string_view name_of(Space space);

enum class Rounding : std::uint8_t { None, Rn, Rz, Rm, Rp, Rna, Rs, Rni, Rzi, Rmi, Rpi };
enum class Compare : std::uint8_t {
  None,
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  Lo,
  Ls,
  Hi,
  Hs,
  Equ,
  Neu,
  Ltu,
  Leu,
  Gtu,
  Geu,
  Num,
  Nan
};
enum class BoolOp : std::uint8_t { None, And, Or, Xor };
enum class Half : std::uint8_t { None, Lo, Hi, Wide };  ///< mul.lo, mul.hi, mul.wide
enum class Ordering : std::uint8_t { Weak, Volatile, Relaxed, Acquire, Release, AcqRel, Sc, Mmio };
enum class Scope : std::uint8_t { None, Cta, Cluster, Gpu, Sys };
enum class AtomicOp : std::uint8_t {
  None,
  And,
  Or,
  Xor,
  Cas,
  Exch,
  Add,
  Inc,
  Dec,
  Min,
  Max,
  Popc /* bar.red, redux */
};
enum class ShuffleMode : std::uint8_t { None, Up, Down, Bfly, Idx };
enum class VoteMode : std::uint8_t { None, All, Any, Uni, Ballot };
enum class BarrierMode : std::uint8_t { None, Sync, Arrive, Red, Warp };
enum class ShiftMode : std::uint8_t { None, Clamp, Wrap };
enum class Direction : std::uint8_t { None, Left, Right };  ///< shf.l, shf.r
enum class PermuteMode : std::uint8_t { None, F4e, B4e, Rc8, Ecl, Ecr, Rc16 };
enum class TestProperty : std::uint8_t {
  None,
  Finite,
  Infinite,
  Number,
  NotANumber,
  Normal,
  Subnormal
};

/// %tid and its like, one component each where there are several.
enum class SpecialRegister : std::uint8_t {
  TidX,
  TidY,
  TidZ,
  NTidX,
  NTidY,
  NTidZ,
  CtaIdX,
  CtaIdY,
  CtaIdZ,
  NCtaIdX,
  NCtaIdY,
  NCtaIdZ,
  LaneId,
  WarpId,
  NWarpId,
  SmId,
  NSmId,
  GridId,
  LaneMaskEq,
  LaneMaskLe,
  LaneMaskLt,
  LaneMaskGe,
  LaneMaskGt,
  Clock,
  ClockHi,
  Clock64,
  GlobalTimer,
  GlobalTimerLo,
  GlobalTimerHi,
  DynamicSharedSize,
  TotalSharedSize,
  AggregateSharedSize,
  ReservedSharedOffset,
  WarpSize,
  EnvReg,  ///< number in Operand::index
  ClusterIdX,
  ClusterIdY,
  ClusterIdZ,
  NClusterIdX,
  NClusterIdY,
  NClusterIdZ,
  ClusterCtaIdX,
  ClusterCtaIdY,
  ClusterCtaIdZ,
  ClusterNCtaIdX,
  ClusterNCtaIdY,
  ClusterNCtaIdZ,
  ClusterCtaRank,
  ClusterNCtaRank,
  IsExplicitCluster,
  CurrentGraphExec,
  PerformanceMonitor,  ///< %pm0.., number in Operand::index
};

/// One per line of opcode.def.
enum class Opcode : std::uint16_t {
#define PTX_OPCODE(name, ...) name,
#include "cpu/ptx/opcode.def"
#undef PTX_OPCODE
};
std::string_view name_of(Opcode opcode);

}  // namespace pycuda::cpu::ptx

// SPDX-License-Identifier: MIT
// Which family of emitters serves which opcode.
#include "cpu/lower/emitter.h"

#include "cpu/lower/texture.h"

namespace pycuda::cpu::lower {

Emitter emitter_of(ptx::Opcode opcode) {
  using enum ptx::Opcode;
  switch (opcode) {
    case abs:
    case add:
    case addc:
    case copysign:
    case div:
    case dp2a:
    case dp4a:
    case fma:
    case mad:
    case mad24:
    case madc:
    case max:
    case min:
    case mul:
    case mul24:
    case neg:
    case rem:
    case sad:
    case sub:
    case subc:
      return emit_arith;
    case and_:
    case bfe:
    case bfi:
    case bfind:
    case bmsk:
    case brev:
    case clz:
    case cnot:
    case fns:
    case lop3:
    case not_:
    case or_:
    case popc:
    case prmt:
    case shf:
    case shl:
    case shr:
    case szext:
    case xor_:
      return emit_bits;
    case selp:
    case set:
    case setp:
    case slct:
    case testp:
      return emit_compare;
    case cvt:
      return emit_convert;
    case cos:
    case ex2:
    case lg2:
    case rcp:
    case rsqrt:
    case sin:
    case sqrt:
    case tanh:
      return emit_math;
    case vabsdiff:
    case vabsdiff2:
    case vabsdiff4:
    case vadd:
    case vadd2:
    case vadd4:
    case vavrg2:
    case vavrg4:
    case vmad:
    case vmax:
    case vmax2:
    case vmax4:
    case vmin:
    case vmin2:
    case vmin4:
    case vset:
    case vset2:
    case vset4:
    case vshl:
    case vshr:
    case vsub:
    case vsub2:
    case vsub4:
      return emit_video;
    case mov:
      return emit_move;
    case cp:
    case ld:
    case ldu:
    case st:
      return emit_memory;
    case alloca:
    case cvta:
    case getctarank:
    case isspacep:
    case mapa:
    case stackrestore:
    case stacksave:
      return emit_address;
    case atom:
    case red:
      return emit_atomic;
    case applypriority:
    case createpolicy:
    case discard:
    case fence:
    case griddepcontrol:
    case membar:
    case pmevent:
    case prefetch:
    case prefetchu:
    case setmaxnreg:
      return emit_cache_control;
    case bra:
    case brkpt:
    case brx:
    case exit:
    case nanosleep:
    case ret:
    case trap:
      return emit_control;
    case call:
      return emit_call;
    case bar:
    case barrier:
      return emit_barrier;
    case mbarrier:
      return emit_mbarrier;
    case ldmatrix:
    case movmatrix:
    case stmatrix:
      return emit_matrix_move;
    case mma:
      return emit_mma;
    case wgmma:
      return emit_wgmma;
    case wmma:
      return emit_wmma;
    case suld:
    case suq:
    case sured:
    case sust:
    case tex:
    case tld4:
    case txq:
      return emit_texture;
    case activemask:
    case elect:
    case match:
    case redux:
    case shfl:
    case vote:
      return emit_warp;
    // Refused by name in all of their forms. There is no default: an opcode without a line here
    // does not compile.
    case clusterlaunchcontrol:
    case istypep:
    case multimem:
    case tcgen05:
    case tensormap:
      return nullptr;
  }
  return nullptr;
}

const char* refusal_of(ptx::Opcode opcode) {
  if (opcode == ptx::Opcode::multimem) {
    return "is not supported by the CPU driver: its address is that of a multicast object, which "
           "several GPUs make together, and there are none here";
  }
  return "is not supported by the CPU driver";
}

}  // namespace pycuda::cpu::lower

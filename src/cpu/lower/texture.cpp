// SPDX-License-Identifier: MIT
// Emitters: tex, tld4, txq, suld, sust, sured, suq, istypep: calls of the run time, which knows
// what is bound.
#include "cpu/lower/texture.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "cpu/kernel_abi/texture.h"
#include "cpu/lower/packed_elements.h"

namespace pycuda::cpu::lower {

namespace {

using Kind = ptx::Operand::Kind;

std::optional<TextureGeometry> geometry_of(const ptx::Modifiers& modifiers) {
  using enum TextureGeometry;
  constexpr std::pair<std::string_view, TextureGeometry> words[] = {
      {"1d", OneD},         {"2d", TwoD},   {"3d", ThreeD},        {"a1d", OneDLayered},
      {"a2d", TwoDLayered}, {"cube", Cube}, {"acube", CubeLayered}};
  for (const auto& [word, geometry] : words) {
    if (modifiers.has(word)) return geometry;
  }
  return std::nullopt;
}

unsigned axes_of(TextureGeometry geometry) {
  using enum TextureGeometry;
  switch (geometry) {
    case OneD:
    case OneDLayered:
      return 1;
    case TwoD:
    case TwoDLayered:
      return 2;
    case ThreeD:
    case Cube:
    case CubeLayered:
      return 3;
  }
  return 1;
}

bool is_layered(TextureGeometry geometry) {
  using enum TextureGeometry;
  return geometry == OneDLayered || geometry == TwoDLayered || geometry == CubeLayered;
}

/// The number of the texture or surface that an operand names: a reference's variable holds it.
llvm::Value* handle_of(FunctionLowering& lowering, const ptx::Operand& operand) {
  if (operand.kind == Kind::Symbol || operand.kind == Kind::Register)
    return lowering.read_bits(operand, 64);
  if (operand.kind == Kind::Address && operand.offset == 0) {
    ptx::Operand named = operand;
    if (operand.symbol) {
      named.kind = Kind::Symbol;
      return lowering.read_bits(named, 64);
    }
    if (operand.has_register_base) {
      named.kind = Kind::Register;
      return lowering.read_bits(named, 64);
    }
  }
  lowering.fail("names no texture or surface");
  return lowering.builder().getInt64(0);
}

/// Layer, x, y, z: those that the geometry has, as 32 bits.
bool coordinates_of(FunctionLowering& lowering, const ptx::Operand& operand,
                    TextureGeometry geometry, llvm::Value* (&result)[4]) {
  if (operand.kind != Kind::TexCoords || operand.elements.size() < 2) return false;
  const std::vector<ptx::Operand> given = lowering.elements(operand.elements.back());
  const unsigned first = is_layered(geometry) ? 1 : 0;
  if (given.size() < first + axes_of(geometry)) return false;
  std::fill(std::begin(result), std::end(result), lowering.builder().getInt32(0));
  if (first != 0) result[0] = lowering.read_bits(given[0], 32);
  for (unsigned i = 0; i < axes_of(geometry); ++i)
    result[1 + i] = lowering.read_bits(given[first + i], 32);
  return true;
}

llvm::Type* texels_type(FunctionLowering& lowering) {
  llvm::Type* word = lowering.builder().getInt64Ty();
  return llvm::StructType::get(lowering.context(), {word, word});
}

/// Writes four components as the destination has them: 32 bits each, f16, or f16x2 pairs.
bool write_components(FunctionLowering& lowering, const ptx::Operand& operand, ptx::Type type,
                      llvm::Value* texels) {
  llvm::IRBuilder<>& b = lowering.builder();
  const bool resident = operand.kind == Kind::Pair;
  const std::vector<ptx::Operand> to = lowering.elements(resident ? operand.elements[0] : operand);
  const bool pairs = type == ptx::Type::F16x2;
  if (to.size() != (pairs ? 2 : 4)) return false;
  const auto half = [&](unsigned component) {
    llvm::Value* value =
        b.CreateBitCast(part_of(lowering, texels, component * 32, 32), b.getFloatTy());
    return b.CreateBitCast(b.CreateFPTrunc(value, b.getHalfTy()), b.getInt16Ty());
  };
  for (unsigned i = 0; i < to.size(); ++i) {
    if (pairs) {
      llvm::Value* low = b.CreateZExt(half(2 * i), b.getInt32Ty());
      llvm::Value* high = b.CreateZExt(half(2 * i + 1), b.getInt32Ty());
      lowering.write(to[i], b.CreateOr(low, b.CreateShl(high, 16)));
    } else {
      lowering.write(to[i],
                     type == ptx::Type::F16 ? half(i) : part_of(lowering, texels, i * 32, 32));
    }
  }
  // All of a texture is resident.
  if (resident) lowering.write(operand.elements[1], b.getTrue());
  return true;
}

/// The word of a form with the offsets that the operand behind the others has, if there is one:
/// as many as the texture has axes. Null for another operand: a value that depths are compared to.
llvm::Value* form_word(FunctionLowering& lowering, const ptx::Instruction& instruction,
                       const TextureForm& form, std::size_t others) {
  llvm::IRBuilder<>& b = lowering.builder();
  llvm::Value* word = b.getInt32(form.word());
  if (instruction.operands.size() == others) return word;
  const ptx::Operand& last = instruction.operands.back();
  if (instruction.operands.size() != others + 1 || last.kind != Kind::Vector) return nullptr;
  const std::vector<ptx::Operand> given = lowering.elements(last);
  const unsigned axes = axes_of(form.geometry);
  if (given.size() < axes) return nullptr;
  for (unsigned axis = 0; axis < axes; ++axis) {
    llvm::Value* offset = b.CreateAnd(lowering.read_bits(given[axis], 32), 15);
    word = b.CreateOr(word, b.CreateShl(offset, TextureForm::offset_shift(axis)));
  }
  return word;
}

/// Reads what operand 1, a texture and coordinates, names into the components of operand 0, by
/// `entry`, which takes `further` arguments. `others` operands come before the offsets.
bool emit_read(FunctionLowering& lowering, const ptx::Instruction& instruction,
               const TextureForm& form, std::size_t others,
               llvm::StringRef entry = "pycuda_cpu_texture_fetch",
               llvm::ArrayRef<llvm::Value*> further = {}) {
  llvm::Value* word = form_word(lowering, instruction, form, others);
  if (word == nullptr) return false;
  llvm::Value* at[4];
  if (!coordinates_of(lowering, instruction.operands[1], form.geometry, at)) return false;
  const std::vector<ptx::Operand>& named = instruction.operands[1].elements;
  llvm::Value* handle = handle_of(lowering, named[0]);
  llvm::Value* sampler =
      named.size() == 3 ? handle_of(lowering, named[1]) : lowering.builder().getInt64(0);
  llvm::SmallVector<llvm::Value*, 14> arguments{
      lowering.thread(), handle, sampler, word, at[0], at[1], at[2], at[3]};
  arguments.append(further.begin(), further.end());
  lowering.track_line();
  llvm::CallInst* texels = lowering.runtime_call(entry, texels_type(lowering), arguments);
  texels->getCalledFunction()->setOnlyReadsMemory();
  return write_components(lowering, instruction.operands[0], instruction.modifiers.types[0],
                          texels);
}

/// Appends what the coordinates change by, x, y, z: those that the geometry has.
bool append_gradient(FunctionLowering& lowering, const ptx::Operand& operand,
                     TextureGeometry geometry, llvm::SmallVectorImpl<llvm::Value*>& arguments) {
  const std::vector<ptx::Operand> given = lowering.elements(operand);
  const unsigned axes = axes_of(geometry);
  if (given.size() < axes) return false;
  for (unsigned i = 0; i < 3; ++i) {
    arguments.push_back(i < axes ? lowering.read_bits(given[i], 32)
                                 : lowering.builder().getInt32(0));
  }
  return true;
}

/// tex{.base,.level,.grad}.geometry.v4.dtype.ctype d, [a, c] {, lod} {, dPdx, dPdy} {, offsets}
bool emit_tex(FunctionLowering& lowering, const ptx::Instruction& instruction) {
  const ptx::Modifiers& modifiers = instruction.modifiers;
  const auto geometry = geometry_of(modifiers);
  if (!geometry || modifiers.types.size() != 2) return false;
  const std::size_t others = modifiers.has("level") ? 3 : modifiers.has("grad") ? 4 : 2;
  if (instruction.operands.size() < others) return false;
  TextureForm form;
  form.geometry = *geometry;
  form.integer_coordinates = modifiers.types[1] != ptx::Type::F32;
  if (form.integer_coordinates && modifiers.types[1] != ptx::Type::S32) return false;
  llvm::SmallVector<llvm::Value*, 6> further;
  if (modifiers.has("level")) {
    further.push_back(lowering.read_bits(instruction.operands[2], 32));
    return emit_read(lowering, instruction, form, others, "pycuda_cpu_texture_fetch_level",
                     further);
  }
  if (modifiers.has("grad")) {
    for (const std::size_t direction : {2, 3}) {
      if (!append_gradient(lowering, instruction.operands[direction], *geometry, further))
        return false;
    }
    return emit_read(lowering, instruction, form, others, "pycuda_cpu_texture_fetch_gradient",
                     further);
  }
  return emit_read(lowering, instruction, form, others);
}

/// tld4.component.geometry.v4.dtype.f32 d, [a, c] {, offsets}
bool emit_gather(FunctionLowering& lowering, const ptx::Instruction& instruction) {
  const ptx::Modifiers& modifiers = instruction.modifiers;
  const auto geometry = geometry_of(modifiers);
  if (!geometry || modifiers.types.size() != 2) return false;
  TextureForm form;
  form.geometry = *geometry;
  form.gathers = true;
  constexpr std::string_view components[] = {"r", "g", "b", "a"};
  for (std::uint32_t i = 0; i < 4; ++i) {
    if (modifiers.has(components[i])) form.component = i;
  }
  return emit_read(lowering, instruction, form, 2);
}

/// txq.query.b32 d, [a]; txq.level.query.b32 d, [a], lod; suq.query.b32 d, [a]
bool emit_query(FunctionLowering& lowering, const ptx::Instruction& instruction) {
  const ptx::Modifiers& modifiers = instruction.modifiers;
  if (instruction.operands.size() != (modifiers.has("level") ? 3 : 2)) return false;
  using enum TextureQuery;
  constexpr std::pair<std::string_view, TextureQuery> words[] = {
      {"width", Width},
      {"height", Height},
      {"depth", Depth},
      {"channel_data_type", ChannelDataType},
      {"channel_order", ChannelOrder},
      {"normalized_coords", NormalizedCoordinates},
      {"array_size", ArraySize},
      {"num_mipmap_levels", MipmapLevels},
      {"num_samples", Samples},
      {"memory_layout", MemoryLayout}};
  llvm::IRBuilder<>& b = lowering.builder();
  llvm::Value* const level =
      modifiers.has("level") ? lowering.read_bits(instruction.operands[2], 32) : b.getInt32(0);
  for (const auto& [word, query] : words) {
    if (!modifiers.has(word)) continue;
    lowering.track_line();
    llvm::CallInst* answer =
        lowering.runtime_call("pycuda_cpu_texture_query", b.getInt32Ty(),
                              {lowering.thread(), handle_of(lowering, instruction.operands[1]),
                               b.getInt32(static_cast<std::uint32_t>(query)), level});
    answer->getCalledFunction()->setOnlyReadsMemory();
    lowering.write(instruction.operands[0], answer);
    return true;
  }
  return false;
}

/// istypep.type p, a
bool emit_type_question(FunctionLowering& lowering, const ptx::Instruction& instruction) {
  llvm::IRBuilder<>& b = lowering.builder();
  const ptx::Type type = instruction.modifiers.type();
  llvm::Value* pointer = lowering.read_bits(instruction.operands[1], 64);
  const OpaqueKind kind = type == ptx::Type::SamplerRef ? OpaqueKind::Sampler
                          : type == ptx::Type::SurfRef  ? OpaqueKind::Surface
                                                        : OpaqueKind::Texture;
  llvm::CallInst* answer = lowering.runtime_call(
      "pycuda_cpu_is_reference", b.getInt32Ty(),
      {lowering.thread(), pointer, b.getInt32(static_cast<std::uint32_t>(kind))});
  answer->getCalledFunction()->setOnlyReadsMemory();
  lowering.write(instruction.operands[0], b.CreateICmpNE(answer, b.getInt32(0)));
  return true;
}

SurfaceBoundary boundary_of(const ptx::Modifiers& modifiers) {
  return modifiers.has("clamp")  ? SurfaceBoundary::Clamp
         : modifiers.has("zero") ? SurfaceBoundary::Zero
                                 : SurfaceBoundary::Trap;
}

std::optional<SurfaceReduction> reduction_of(const ptx::Modifiers& modifiers) {
  const bool is_signed = ptx::is_signed(modifiers.type());
  switch (modifiers.atomic) {
    case ptx::AtomicOp::Add:
      return SurfaceReduction::Add;
    case ptx::AtomicOp::And:
      return SurfaceReduction::And;
    case ptx::AtomicOp::Or:
      return SurfaceReduction::Or;
    case ptx::AtomicOp::Min:
      return is_signed ? SurfaceReduction::MinSigned : SurfaceReduction::MinUnsigned;
    case ptx::AtomicOp::Max:
      return is_signed ? SurfaceReduction::MaxSigned : SurfaceReduction::MaxUnsigned;
    default:
      return std::nullopt;
  }
}

/// sured{.b,.p}.op.geometry.type.boundary [a, b], c
bool emit_surface_reduction(FunctionLowering& lowering, const ptx::Instruction& instruction) {
  const ptx::Modifiers& modifiers = instruction.modifiers;
  const auto geometry = geometry_of(modifiers);
  const auto reduction = reduction_of(modifiers);
  if (!geometry || !reduction) return false;
  const unsigned bits = ptx::bits_of(modifiers.type());
  TextureForm form;
  form.geometry = *geometry;
  form.formatted = modifiers.has("p");
  form.boundary = boundary_of(modifiers);
  form.bytes = bits / 8;
  llvm::IRBuilder<>& b = lowering.builder();
  llvm::Value* at[4];
  const ptx::Operand& place = instruction.operands[0];
  if (!coordinates_of(lowering, place, *geometry, at)) return false;
  llvm::Value* handle = handle_of(lowering, place.elements[0]);
  llvm::Value* value =
      b.CreateZExt(lowering.read_bits(instruction.operands[1], bits), b.getInt64Ty());
  lowering.track_line();
  lowering.runtime_call("pycuda_cpu_surface_reduce", b.getVoidTy(),
                        {lowering.thread(), handle, b.getInt32(form.word()), at[0], at[1], at[2],
                         at[3], b.getInt32(static_cast<std::uint32_t>(*reduction)), value});
  return true;
}

/// suld.b.geometry{.vec}.type.boundary d, [a, b]; sust.b the same with its operands exchanged;
/// sust.p.geometry{.vec}.b32.boundary [a, b], c
bool emit_surface(FunctionLowering& lowering, const ptx::Instruction& instruction) {
  const bool loads = instruction.opcode == ptx::Opcode::suld;
  const ptx::Modifiers& modifiers = instruction.modifiers;
  const auto geometry = geometry_of(modifiers);
  if (!geometry || instruction.operands.size() != 2 || modifiers.types.size() != 1) return false;
  TextureForm form;
  form.geometry = *geometry;
  form.formatted = modifiers.has("p");
  if (form.formatted && (loads || modifiers.type() != ptx::Type::B32)) return false;
  form.boundary = boundary_of(modifiers);
  const ptx::Operand& values = instruction.operands[loads ? 0 : 1];
  const std::vector<ptx::Operand> elements = lowering.elements(values);
  const unsigned bits = ptx::bits_of(modifiers.type());
  const std::size_t count = elements.size();
  if (count != std::max<std::size_t>(modifiers.vector, 1) || bits * count > 128) return false;
  form.bytes = static_cast<std::uint32_t>(bits / 8 * count);
  llvm::IRBuilder<>& b = lowering.builder();
  llvm::Value* at[4];
  const ptx::Operand& place = instruction.operands[loads ? 1 : 0];
  if (!coordinates_of(lowering, place, *geometry, at)) return false;
  llvm::Value* handle = handle_of(lowering, place.elements[0]);
  std::vector<llvm::Value*> arguments{
      lowering.thread(), handle, b.getInt32(form.word()), at[0], at[1], at[2], at[3]};
  lowering.track_line();
  if (loads) {
    llvm::CallInst* texels =
        lowering.runtime_call("pycuda_cpu_surface_load", texels_type(lowering), arguments);
    texels->getCalledFunction()->setOnlyReadsMemory();
    for (unsigned i = 0; i < count; ++i)
      lowering.write(elements[i], part_of(lowering, texels, i * bits, bits));
    return true;
  }
  for (llvm::Value* word : packed_elements(lowering, elements, bits)) arguments.push_back(word);
  lowering.runtime_call("pycuda_cpu_surface_store", b.getVoidTy(), arguments);
  return true;
}

}  // namespace

/// The loader writes the number to the reference's variable.
llvm::Value* reference_number(FunctionLowering& lowering, const ptx::SymbolRef& symbol) {
  if (symbol.kind != ptx::SymbolRef::Kind::ModuleVariable) return nullptr;
  const ptx::Variable& variable = lowering.module().source().variables[symbol.index];
  if (variable.type < ptx::Type::TexRef) return nullptr;
  if (!variable.dimensions.empty()) {
    lowering.fail("uses '" + variable.name +
                  "': arrays of references are not supported by the CPU driver");
  }
  llvm::IRBuilder<>& b = lowering.builder();
  llvm::LoadInst* load =
      b.CreateAlignedLoad(b.getInt64Ty(), lowering.symbol_address(symbol, 0), llvm::Align(8));
  load->setMetadata(llvm::LLVMContext::MD_invariant_load,
                    llvm::MDNode::get(lowering.context(), {}));
  return load;
}

bool emit_texture(FunctionLowering& lowering, const ptx::Instruction& instruction) {
  switch (instruction.opcode) {
    case ptx::Opcode::tex:
      return emit_tex(lowering, instruction);
    case ptx::Opcode::tld4:
      return emit_gather(lowering, instruction);
    case ptx::Opcode::istypep:
      return emit_type_question(lowering, instruction);
    case ptx::Opcode::txq:
    case ptx::Opcode::suq:
      return emit_query(lowering, instruction);
    case ptx::Opcode::suld:
    case ptx::Opcode::sust:
      return emit_surface(lowering, instruction);
    case ptx::Opcode::sured:
      return emit_surface_reduction(lowering, instruction);
    default:
      return false;
  }
}

}  // namespace pycuda::cpu::lower

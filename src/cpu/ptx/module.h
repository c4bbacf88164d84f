// SPDX-License-Identifier: MIT
// A PTX module as parsed: names resolved to numbers, nothing interpreted yet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cpu/ptx/types.h"

namespace pycuda::cpu::ptx {

struct SourcePosition {
  std::uint32_t line = 0, column = 0;  ///< in the PTX text, from 1
};

/// Numbers of things; an index into the table named in the comment.
using RegisterId = std::uint32_t;  ///< Function::registers
using LabelId = std::uint32_t;     ///< Function::labels

/// What a name of a variable, parameter or function means where it stands.
struct SymbolRef {
  enum class Kind : std::uint8_t {
    ModuleVariable,
    LocalVariable,
    Parameter,
    ReturnParameter,
    Function
  } kind{};
  std::uint32_t index = 0;  ///< Module::variables, Function::variables, Function::parameters,
                            ///< Function::returns, Module::functions
  bool operator==(const SymbolRef&) const = default;
};

/// Bytes or halves of a register that a video instruction picks: %r.b3, %r.h1, %r.b7610.
struct Selector {
  enum class Unit : std::uint8_t { None, Byte, Half } unit = Unit::None;
  std::uint8_t count = 0;
  std::uint8_t indices[4] = {};  ///< as written, leftmost first
  bool operator==(const Selector&) const = default;
};

struct Operand {
  enum class Kind : std::uint8_t {
    None,       ///< absent
    Sink,       ///< _
    Register,   ///< reg + offset; `negated` for !%p; `component` when one of a vector register
                ///< (%v.x)
    Special,    ///< special, index
    Integer,    ///< bits: two's complement, 64 bits; `is_unsigned_literal` for a U suffix
    Float,      ///< bits: of an f64 (0d or decimal) or of an f32 (0f), see `literal`
    Symbol,     ///< symbol + offset: an address as a value (mov, call targets, initialisers);
                ///< `generic` for generic(sym)
    Address,    ///< [base + offset]: base is reg, symbol or nothing (an absolute address)
    Vector,     ///< {a, b, ...}: elements
    Pair,       ///< d|p: elements[0] and [1]
    Label,      ///< label
    TexCoords,  ///< [tex, {coords}] or [tex, sampler, {coords}]: elements (symbols or registers,
                ///< then a Vector)
  } kind = Kind::None;
  bool negated = false;  ///< ! or - before it
  bool is_unsigned_literal = false;
  bool generic = false;
  Type literal = Type::None;   ///< for Float: F32 (0f...) or F64
  std::int8_t component = -1;  ///< .x .y .z .w = 0..3
  Selector selector;           ///< of a Register
  SpecialRegister special{};
  RegisterId reg = 0;
  LabelId label = 0;
  std::uint32_t index = 0;
  std::optional<SymbolRef> symbol;
  bool has_register_base = false;     ///< Address with a register base
  std::uint32_t element_bytes = 0;    ///< Symbol, Address: of `array[index]`, else 0
  std::optional<RegisterId> element;  ///< of `array[reg + n]`: its low 32 bits times element_bytes
                                      ///< are added
  std::uint64_t bits = 0;             ///< Integer, Float
  std::int64_t offset = 0;            ///< Address, Symbol, Register
  std::vector<Operand> elements;
};

/// Everything between the opcode and its operands. Order does not matter except among `types`.
struct Modifiers {
  std::uint64_t families = 0;  ///< those of ModifierGroup that were written
  std::vector<Type> types;     ///< as written: cvt.rn.f32.s32 has {F32, S32}
  Space space = Space::Generic;
  bool has_space = false;
  Space second_space = Space::Generic;  ///< cp.async.shared.global
  std::uint8_t vector = 1;              ///< .v2 .v4 .v8
  Rounding rounding = Rounding::None;
  Compare compare = Compare::None;
  BoolOp bool_op = BoolOp::None;
  Half half = Half::None;
  Ordering ordering = Ordering::Weak;
  Scope scope = Scope::None;
  AtomicOp atomic = AtomicOp::None;
  ShuffleMode shuffle = ShuffleMode::None;
  VoteMode vote = VoteMode::None;
  BarrierMode barrier = BarrierMode::None;
  ShiftMode shift = ShiftMode::None;
  Direction direction = Direction::None;
  PermuteMode permute = PermuteMode::None;
  TestProperty property = TestProperty::None;
  bool ftz = false, sat = false, satfinite = false, relu = false, nan = false, xorsign_abs = false,
       abs = false, noftz = false, approx = false, full = false, uni = false, cc = false,
       to = false, sync = false, aligned = false, nc = false, shiftamt = false, read = false,
       volatile_ = false, mmio = false, mmio_has_order = false;
  /// Modifiers that carry no meaning for the types above, as written without the dot: cache hints
  /// ("ca", "cg", "L2::128B"), shapes ("m16n16k16", "row"), geometry ("2d") and so on. Emitters
  /// that need them look here.
  std::vector<std::string> others;
  bool has(std::string_view other) const;

  Type type() const { return types.empty() ? Type::None : types.front(); }
};

/// A call's parts.
struct Call {
  std::vector<Operand> results;  ///< registers, or symbols of local .param variables
  Operand callee;                ///< Symbol (direct) or Register (indirect)
  std::vector<Operand> arguments;
  std::optional<std::uint32_t> prototype;  ///< indirect: Function::prototypes
  std::vector<std::uint32_t> targets;      ///< indirect with .calltargets: Module::functions
};

struct Instruction {
  Opcode opcode{};
  Modifiers modifiers;
  std::optional<RegisterId> guard;  ///< @%p
  bool guard_negated = false;       ///< @!%p
  std::vector<Operand> operands;    ///< destination first, as written
  std::unique_ptr<Call> call;       ///< for Opcode::call
  std::vector<LabelId> targets;     ///< for brx.idx: the .branchtargets list
  SourcePosition position;
  std::uint32_t source_file = 0;  ///< from .loc: Module::files key, 0 if none
  std::uint32_t source_line = 0;
  std::string text;  ///< opcode with modifiers as written, for messages
};

struct Register {
  std::string name;  ///< with its % if it had one; several scopes may repeat a name
  Type type{};
  std::uint8_t vector = 1;
};

struct Label {
  std::string name;
  std::uint32_t instruction =
      0;                     ///< index in Function::body of what follows; body.size() at the end
  bool keeps_trips = false;  ///< .pragma "nounroll": of the loop that starts here
};

enum class Linkage : std::uint8_t { None, Visible, Extern, Weak, Common };

/// An address in an initialiser: `symbol + addend` goes to `offset`.
struct InitialAddress {
  std::uint64_t offset = 0;  ///< bytes from the variable's start
  std::uint32_t bytes = 8;   ///< how many of the address are stored
  std::uint32_t shift = 0;   ///< mask forms such as 0xFF00(sym): right shift of the address first
  bool generic = false;
  SymbolRef symbol;
  std::int64_t addend = 0;
};

struct Variable {
  std::string name;
  Space space{};
  Type type{};
  std::uint8_t vector = 1;
  std::uint32_t alignment = 1;            ///< bytes, natural if none was written
  std::vector<std::uint64_t> dimensions;  ///< empty for a scalar; 0 for an unsized array
  std::uint64_t bytes = 0;                ///< 0 for unsized (.extern .shared x[])
  Linkage linkage = Linkage::None;
  bool managed = false;
  std::vector<std::byte> initial;  ///< may be shorter than `bytes`: the rest is zero
  std::vector<InitialAddress> initial_addresses;
  std::vector<std::pair<std::string, std::string>>
      properties;  ///< of a samplerref or texref: addr_mode_0 = wrap
  SourcePosition position;
};

struct Parameter {
  std::string name;
  Type type{};
  std::uint8_t vector = 1;
  std::uint32_t alignment = 1;
  std::uint64_t bytes = 0;
  bool is_array = false;     ///< .b8 name[n]: passed as memory
  bool is_register = false;  ///< .reg: for .func
  RegisterId reg = 0;        ///< when is_register
};

struct Prototype {
  std::vector<Parameter> returns, parameters;
};

struct Function {
  std::string name;
  bool is_entry = false;
  bool is_defined = false;  ///< false: a declaration
  bool noreturn = false;
  Linkage linkage = Linkage::None;
  std::vector<Parameter> returns;
  std::vector<Parameter> parameters;
  std::vector<Register> registers;
  std::vector<Variable> variables;  ///< .local, .shared and .param variables declared inside
  std::vector<Label> labels;
  std::vector<Prototype> prototypes;
  std::vector<Instruction> body;
  std::uint32_t max_block[3] = {0, 0, 0};       ///< .maxntid, zeros if absent
  std::uint32_t required_block[3] = {0, 0, 0};  ///< .reqntid
  std::uint32_t max_registers = 0, min_blocks = 0;
  bool explicit_cluster = false;                  ///< .explicitcluster
  std::uint32_t required_cluster[3] = {0, 0, 0};  ///< .reqnctapercluster
  std::uint32_t max_cluster_rank = 0;             ///< .maxclusterrank
  std::optional<std::uint32_t>
      alias_of;  ///< .alias: Module::functions; such a function has no body
  SourcePosition position;
};

struct SourceFile {
  std::uint32_t number = 0;
  std::string name;
};

struct Module {
  std::uint32_t version_major = 0, version_minor = 0;
  std::string target;              ///< "sm_80"
  std::uint32_t architecture = 0;  ///< 80
  std::uint32_t address_size = 64;
  bool debug = false;
  bool independent_textures =
      false;  ///< .target texmode_independent: samplers are operands of their own
  std::vector<SourceFile> files;
  std::vector<Variable> variables;  ///< .global, .const, .shared at module level
  std::vector<Function> functions;
  /// With `debug`: the sections that describe variables, as written (debug_sections.h).
  std::string debug_text;

  const Function* find_function(std::string_view name) const;
  const Variable* find_variable(std::string_view name) const;
};

}  // namespace pycuda::cpu::ptx

// SPDX-License-Identifier: MIT
// As NVRTC 13 writes them.
#include "cpu/libdevice/recognise_expressions.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "cpu/libdevice/expression_pattern.h"
#include "cpu/libdevice/region_fingerprint.h"
#include "cpu/libdevice/unread_at_zero.h"
#include "cpu/lower/approximations.h"

namespace pycuda::cpu::libdevice {
namespace {

namespace approximation = lower::approximation;
using llvm::Value;

struct Known {
  const char* name;
  ExpressionPattern pattern;
  /// Whether of a zero the pattern computes something else, which must not be seen.
  bool but_for_zero = false;
  /// Whether it is the negative of the function.
  bool negative = false;
};

constexpr const char* arc_tangent = R"(
a = abs $x
large = > a 0x3f800000
reciprocal = / 0x3f800000 a
t = ? large reciprocal a
s = * t t
p = horner s 0x3b2090aa 0xbc6be14f 0x3d23397e 0xbd948a7a 0x3dd76b21 0xbe111e88 0x3e4caf60 0xbeaaaa27
sp = * s p
near = fma sp t t
negative = neg near
beside = fma 0x3f6ee581 0x3fd774eb negative
result = ? large beside near
sign = & $x 0x80000000
size = abs result
signed = | sign size
is_nan = nan a
y = ? is_nan result signed
)";

constexpr const char* argument_of_logarithm = R"(
small = < $x 0x00800000
lifted = * $x 0x4b000000
a = ? small lifted $x
zero = == a 0x00000000
)";

/// The mantissas begin elsewhere in each logarithm: `above` is how far the argument is above there.
constexpr const char* exponent_and_mantissa = R"(
e = & above 0xff800000
lift = ? small 0xc1b80000 0x00000000
e_steps = from e
exponent = fma e_steps 0x34000000 lift
m = i- a e
f = + m 0xbf800000
)";

constexpr const char* above_of_natural = "above = i+ a 0xc0d55555";
constexpr const char* natural_logarithm = R"(
p = horner f 0xbe055027 0x3e1039f6 0xbdf8cdcc 0x3e0f2955 0xbe2ad8b9 0x3e4ced0b 0xbe7fff22 0x3eaaaa78 0xbf000000
fp = * f p
near = fma fp f f
regular = fma exponent 0x3f317218 near
finite = u< a 0x7f800000
special = fma a 0x7f800000 0x7f800000
either = ? finite regular special
)";
constexpr const char* unless_zero = "y = ? zero 0xff800000 either";
/// log10f is logf times a constant, where no number is special.
constexpr const char* decimal_unless_zero = R"(
decimal = * either 0x3ede5bd9
y = ? zero 0xff800000 decimal
)";

constexpr const char* above_of_binary = "above = i+ a 0xc0cafb0d";
constexpr const char* binary_logarithm = R"(
p = horner f 0x3dc6b27f 0xbe2c7f30 0x3e2fcf2a 0xbe374e43 0x3e520bf4 0xbe763c8b 0x3e93bf99 0xbeb8aa49 0x3ef6384a 0xbf38aa3b
fp = * f p
ffp = * f fp
fraction = fma f 0x3fb8aa3b ffp
regular = + exponent fraction
finite = u< a 0x7f800000
special = fma a 0x7f800000 0x7f800000
either = ? finite regular special
)";

/// x is k / 2 + r.
constexpr const char* half_turns = R"(
twice = + x x
whole = even twice
truncated = trunc whole
k = to truncated
minus = neg whole
r = fma minus 0x3f000000 x
odd = & k 0x00000001
s = * r r
)";
/// Of one of two numbers, computed for either.
constexpr const char* either_half_turns = R"(
twice = + $x $x
whole = even twice
truncated = trunc whole
usual_k = to truncated
minus = neg whole
usual_r = fma minus 0x3f000000 $x
usual_s = * usual_r usual_r
none = * $x 0x00000000
twice_none = + none none
whole_none = even twice_none
truncated_none = trunc whole_none
none_k = to truncated_none
minus_none = neg whole_none
none_r = fma minus_none 0x3f000000 none
none_s = * none_r none_r
k = ? usual usual_k none_k
r = ? usual usual_r none_r
s = ? usual usual_s none_s
odd = & k 0x00000001
)";
constexpr const char* of_operand = "x = $x";
constexpr const char* of_usual_operand = R"(
none = * $x 0x00000000
x = ? usual $x none
)";

/// A cosine is a sine that is a quarter further.
constexpr const char* quarters_of_sine = R"(
even = i== odd 0x00000000
half = & k 0x00000002
plus = i== half 0x00000000
)";
constexpr const char* quarters_of_cosine = R"(
even = i!= odd 0x00000000
next = i+ k 0x00000001
half = & next 0x00000002
plus = i== half 0x00000000
)";

constexpr const char* wave_of_half_turns = R"(
first = fma s 0x3e684e12 0xbfaad2e0
p0 = ? even 0xbf17acc9 first
c1 = ? even 0x40233590 0x4081e0cf
p1 = fma p0 s c1
c2 = ? even 0xc0a55df6 0xc09de9e6
p2 = fma p1 s c2
c3 = ? even 0x00000000 0x3f800000
factor = ? even r 0x3f800000
last = fma s factor 0x00000000
p3 = fma p2 last c3
sine = fma r 0x40490fdb p3
wave = ? even sine p3
turned = - 0x00000000 wave
signed = ? plus wave turned
)";
constexpr const char* unless_integer = R"(
integer = trunc $x
is_integer = == integer $x
zero = * $x 0x00000000
y = ? is_integer zero signed
)";
constexpr const char* usual_or_nan = R"(
a = abs $x
is_nan = nan $x
below = !> a 0x4b800000
usual = | is_nan below
)";
/// Where others want |x| too.
constexpr const char* usual_magnitude = R"(
a = abs $x
usual = !> a 0x4b800000
)";

/// sinhf and coshf begin alike: a quarter of exp(|x|).
constexpr const char* quarter_of_exponential = R"(
a = abs $x
product = * a 0x3fb8aa3b
whole = trunc product
size = abs whole
beyond = > size 0x42fc0000
sign_of_whole = & whole 0x80000000
limit = | sign_of_whole 0x42fc0000
limited = ? beyond limit whole
is_nan = nan whole
n = ? is_nan 0x7fffffff limited
r0 = fma n 0xbf317218 a
r = fma n 0x3102e308 r0
r2 = * r 0x3fb8aa3b
steps = + n 0x4b40007d
exponent = << steps 0x17
power = approximate.ex2.ftz r2
quarter = * power exponent
)";

constexpr const char* hyperbolic_sine = R"(
usual = / 0xbe000000 quarter
size_of_quarter = abs quarter
huge = > size_of_quarter 0x7e800000
sign_of_quarter = & quarter 0x80000000
zero = ^ sign_of_quarter 0x80000000
none = * zero 0xbe000000
rest = ? huge none usual
large = fma quarter 0x40000000 rest
s = * $x $x
p = horner s 0x363d0ada 0x394fff49 0x3c08889a 0x3e2aaaab
sp = * s p
small = fma sp $x $x
is_large = >= a 0x3f800000
size_of_large = abs large
sign = & $x 0x80000000
signed = | sign size_of_large
y = ? is_large signed small
)";

constexpr const char* hyperbolic_cosine = R"(
usual = / 0x3e000000 quarter
size_of_quarter = abs quarter
huge = > size_of_quarter 0x7e800000
zero = & quarter 0x80000000
none = * zero 0x3e000000
rest = ? huge none usual
y = fma quarter 0x40000000 rest
)";

/// x = k pi / 2 + r. The reduction of large numbers works in memory: in NVRTC before 13.4 by a loop
/// over a table, which walks with pointers or, in some loops, counts.
constexpr const char* angle = R"(
a = abs $x
regular = !>= a 0x47ce4780
)";
constexpr const char* quarters_of_turns = R"(
r = region 0xcdf5924d027c429f regular a $x %local
k = region 0xdd7aad184c5358cd regular a $x %local
)";
constexpr const char* quarters_by_pointers = R"(
r = region 0xe3e523a6d01ef8b3 regular a $x %thread @__cudart_i2opi_f %local
k = region 0xf5a557f993b1caa6 regular a $x %thread @__cudart_i2opi_f %local
)";
constexpr const char* quarters_by_numbers = R"(
r = region 0xd070948f185f16a4 regular a $x %thread @__cudart_i2opi_f %local
k = region 0xb83dfb8ae7e006fb regular a $x %thread @__cudart_i2opi_f %local
)";
/// Of an angle's negative, whose products are those with other constants.
constexpr const char* quarters_of_negative = R"(
r = region 0xb0b2245de55d55ff regular a $x %local
k = region 0xfc220cce6efe8198 regular a $x %local
)";
constexpr const char* quarters_of_negative_by_pointers = R"(
r = region 0x86f41b33d7aca4d7 regular a $x %thread @__cudart_i2opi_f %local
k = region 0x65b3909462bb9bcd regular a $x %thread @__cudart_i2opi_f %local
)";
constexpr const char* within_quarter = R"(
s = * r r
odd = & k 0x00000001
)";

constexpr const char* sine_of_quarters = R"(
factor = ? even r 0x3f800000
first = fma 0x37cbac00 s 0xbab607ed
p0 = ? even 0xb94d4153 first
c1 = ? even 0x3c0885e4 0x3d2aaabb
p1 = fma p0 s c1
c2 = ? even 0xbe2aaaa8 0xbeffffff
p2 = fma p1 s c2
last = fma s factor 0x00000000
wave = fma p2 last factor
minus = fma wave 0xbf800000 0x00000000
y = ? plus wave minus
)";
/// As sincosf has it.
constexpr const char* both_curves_of_quarters = R"(
cosine = horner s 0x37cbac00 0xbab607ed 0x3d2aaabb 0xbeffffff 0x3f800000
p = horner s 0xb94d4153 0x3c0885e4 0xbe2aaaa8
rs = fma s r 0x00000000
sine = fma p rs r
wave = ? even sine cosine
minus = neg wave
y = ? plus wave minus
)";

constexpr const char* tangent = R"(
p = horner s 0x3c190000 0x3b560000 0x3cc70000 0x3d5b0000 0x3e089438 0x3eaaaa88
cube = * s r
curve = fma p cube r
size = abs r
is_one = == size 0x3a00b43c
is_number = number r
both = & is_number is_one
t = ? both r curve
even = i== odd 0x00000000
negative = neg t
reciprocal = / 0x3f800000 negative
y = ? even t reciprocal
)";

constexpr const char* remainder = R"(
a = abs $x
b = abs $y
less = < a b
m = region 0x6cb27f27eb4f87d5 less a b
is_nan = nan m
size = & m 0x7fffffff
sign = & $x 0x80000000
signed = | sign size
y = ? is_nan m signed
)";

constexpr const char* hypotenuse = R"(
a = abs $x
b = abs $y
low = imin b a
high = imax b a
exponent = & high 0x7e000000
down = i- 0x7e800000 exponent
left = * low down
right = * high down
square = * left left
sum = fma right right square
root = sqrt sum
up = | exponent 0x00800000
length = * root up
is_zero = == low 0x00000000
some = ? is_zero high length
is_infinite = == low 0x7f800000
y = ? is_infinite 0x7f800000 some
)";

llvm::ArrayRef<Known> known_expressions() {
  const auto joined = [](std::initializer_list<const char*> texts) {
    std::string all;
    for (const char* text : texts) all += text;
    return ExpressionPattern(all);
  };
  static const std::vector<Known> known = [&] {
    std::vector<Known> all{
        {approximation::arc_tangent, joined({arc_tangent})},
        {approximation::lg2, joined({argument_of_logarithm, above_of_binary, exponent_and_mantissa,
                                     binary_logarithm, unless_zero})},
        {approximation::log10,
         joined({argument_of_logarithm, above_of_natural, exponent_and_mantissa, natural_logarithm,
                 decimal_unless_zero})},
        {approximation::log, joined({argument_of_logarithm, above_of_natural, exponent_and_mantissa,
                                     natural_logarithm, unless_zero})},
        {approximation::lg2,
         joined({argument_of_logarithm, above_of_binary, exponent_and_mantissa, binary_logarithm}),
         true},
        {approximation::log,
         joined(
             {argument_of_logarithm, above_of_natural, exponent_and_mantissa, natural_logarithm}),
         true},
        {approximation::sine_pi,
         joined({of_operand, half_turns, quarters_of_sine, wave_of_half_turns, unless_integer})},
        {approximation::sinh, joined({quarter_of_exponential, hyperbolic_sine})},
        {approximation::cosh, joined({quarter_of_exponential, hyperbolic_cosine})},
        {approximation::remainder, joined({remainder})},
        {approximation::hypotenuse, joined({hypotenuse})},
    };
    for (const char* usual : {usual_or_nan, usual_magnitude}) {
      all.push_back({approximation::cosine_pi, joined({usual, of_usual_operand, half_turns,
                                                       quarters_of_cosine, wave_of_half_turns})});
      all.push_back({approximation::cosine_pi,
                     joined({usual, either_half_turns, quarters_of_cosine, wave_of_half_turns})});
    }
    const auto add_angles = [&](const char* quarters, bool negative) {
      const auto add = [&](const char* name, std::initializer_list<const char*> texts, bool odd) {
        std::string text = std::string(angle) + quarters + within_quarter;
        for (const char* part : texts) text += part;
        all.push_back({name, ExpressionPattern(text), false, odd && negative});
      };
      for (const char* curves : {sine_of_quarters, both_curves_of_quarters}) {
        add(approximation::full_sine, {quarters_of_sine, curves}, true);
        add(approximation::full_cosine, {quarters_of_cosine, curves}, false);
      }
      add(approximation::tangent, {tangent}, true);
    };
    for (const char* quarters : {quarters_of_turns, quarters_by_pointers, quarters_by_numbers})
      add_angles(quarters, false);
    for (const char* quarters : {quarters_of_negative, quarters_of_negative_by_pointers})
      add_angles(quarters, true);
    return all;
  }();
  return known;
}

bool comes_before(Value* operand, llvm::Instruction& result,
                  const llvm::DominatorTree& dominators) {
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(operand);
  return !instruction || dominators.dominates(instruction, &result);
}

/// What of `known` the result is; null if nothing.
template <class Result>
const Known* find_known(const Result& result, llvm::Instruction& place,
                        const llvm::DominatorTree& dominators, FoundExpression& match) {
  for (const Known& known : known_expressions()) {
    if (!known.pattern.match(result, dominators, match) ||
        (known.but_for_zero &&
         (place.isTerminator() || !is_unread_at_zero(&place, match.operands.front()))))
      continue;
    const bool can_be = llvm::all_of(match.operands, [&](Value* operand) {
      return operand->getType()->getScalarSizeInBits() == 32 &&
             comes_before(operand, place, dominators);
    });
    return can_be ? &known : nullptr;
  }
  return nullptr;
}

/// A choice whose ways end where others end too.
struct Meeting {
  llvm::PHINode* phi;
  llvm::BasicBlock *first, *second;
  Expression expression;
};

void find_meetings(llvm::PHINode& phi, const llvm::DominatorTree& dominators,
                   std::vector<Meeting>& found) {
  constexpr unsigned most_ways = 16;
  const unsigned count = phi.getNumIncomingValues();
  if (count < 3 || count > most_ways) return;
  for (unsigned i = 0; i < count; ++i) {
    for (unsigned j = i + 1; j < count; ++j) {
      const auto ways = two_ways(phi, i, j);
      if (!ways) continue;
      llvm::BasicBlock *first = phi.getIncomingBlock(i), *second = phi.getIncomingBlock(j);
      llvm::BasicBlock* asks = dominators.findNearestCommonDominator(first, second);
      FoundExpression match;
      if (const Known* known = find_known(*ways, *asks->getTerminator(), dominators, match))
        found.push_back({&phi,
                         first,
                         second,
                         {nullptr, known->name, match.operands, match.regions, known->negative}});
    }
  }
}

}  // namespace

std::vector<Expression> find_expressions(llvm::Function& function) {
  std::vector<Expression> found;
  if (function.isDeclaration()) return found;
  const llvm::DominatorTree dominators(function);
  std::vector<Meeting> meetings;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (!llvm::isa<llvm::SelectInst, llvm::PHINode, llvm::IntrinsicInst>(instruction) ||
        bare_value(&instruction) != &instruction ||
        instruction.getType()->getScalarSizeInBits() != 32)
      continue;
    FoundExpression match;
    Value* result = &instruction;
    if (const Known* known = find_known(result, instruction, dominators, match)) {
      found.push_back({&instruction, known->name, match.operands, match.regions, known->negative});
    } else if (auto* phi = llvm::dyn_cast<llvm::PHINode>(&instruction)) {
      find_meetings(*phi, dominators, meetings);
    }
  }
  // The two ways meet by themselves first, so that the result has a name.
  for (Meeting& meeting : meetings) {
    llvm::BasicBlock* block = llvm::SplitBlockPredecessors(meeting.phi->getParent(),
                                                           {meeting.first, meeting.second}, ".met");
    meeting.expression.result =
        llvm::cast<llvm::Instruction>(meeting.phi->getIncomingValueForBlock(block));
    found.push_back(meeting.expression);
  }
  return found;
}

}  // namespace pycuda::cpu::libdevice

// SPDX-License-Identifier: MIT
// As NVRTC 13 writes them.
#include "cpu/libdevice/recognise_expressions.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include "cpu/libdevice/expression_pattern.h"
#include "cpu/libdevice/region_fingerprint.h"
#include "cpu/lower/approximations.h"

namespace pycuda::cpu::libdevice {
namespace {

namespace approximation = lower::approximation;
using llvm::Value;

struct Known {
  const char* name;
  ExpressionPattern pattern;
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
y = ? zero 0xff800000 either
)";

constexpr const char* sine_of_half_turns = R"(
twice = + $x $x
whole = even twice
truncated = trunc whole
k = to truncated
minus = neg whole
r = fma minus 0x3f000000 $x
odd = & k 0x00000001
even = i== odd 0x00000000
s = * r r
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
half = & k 0x00000002
plus = i== half 0x00000000
turned = - 0x00000000 wave
signed = ? plus wave turned
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
/// Of even k the polynomial is a cosine's.
constexpr const char* cosine_of_half_turns = R"(
none = * $x 0x00000000
x = ? usual $x none
twice = + x x
whole = even twice
truncated = trunc whole
k = to truncated
minus = neg whole
r = fma minus 0x3f000000 x
odd = & k 0x00000001
even = i== odd 0x00000000
s = * r r
first = fma s 0x3e684e12 0xbfaad2e0
p0 = ? even first 0xbf17acc9
c1 = ? even 0x4081e0cf 0x40233590
p1 = fma p0 s c1
c2 = ? even 0xc09de9e6 0xc0a55df6
p2 = fma p1 s c2
c3 = ? even 0x3f800000 0x00000000
factor = ? even 0x3f800000 r
last = fma s factor 0x00000000
p3 = fma p2 last c3
sine = fma r 0x40490fdb p3
wave = ? even p3 sine
next = i+ k 0x00000001
half = & next 0x00000002
plus = i== half 0x00000000
turned = - 0x00000000 wave
y = ? plus wave turned
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
r = region 0x3989210271f8879c regular a $x %local
k = region 0x0e3307a95d1a828c regular a $x %local
)";
constexpr const char* quarters_by_pointers = R"(
r = region 0x7e2a2ca4b80d4a7c regular a %thread @__cudart_i2opi_f $x %local
k = region 0x92bc7fb13941eb3e regular a %thread @__cudart_i2opi_f $x %local
)";
constexpr const char* quarters_by_numbers = R"(
r = region 0x597526a1cd3e8352 regular a %thread @__cudart_i2opi_f $x %local
k = region 0xdf9d967b2f2a1d09 regular a %thread @__cudart_i2opi_f $x %local
)";
constexpr const char* within_quarter = R"(
s = * r r
odd = & k 0x00000001
)";

/// A cosine is a sine that is a quarter further.
constexpr const char* quarters_of_sine = R"(
even = i== odd 0x00000000
half = & k 0x00000002
)";
constexpr const char* quarters_of_cosine = R"(
even = i!= odd 0x00000000
next = i+ k 0x00000001
half = & next 0x00000002
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
plus = i== half 0x00000000
minus = fma wave 0xbf800000 0x00000000
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
m = region 0x3ac199a424aca2a6 less a b
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
        {approximation::lg2,
         joined({argument_of_logarithm, above_of_binary, exponent_and_mantissa, binary_logarithm})},
        {approximation::log10,
         joined({argument_of_logarithm, above_of_natural, exponent_and_mantissa, natural_logarithm,
                 decimal_unless_zero})},
        {approximation::log, joined({argument_of_logarithm, above_of_natural, exponent_and_mantissa,
                                     natural_logarithm, unless_zero})},
        {approximation::sine_pi, joined({sine_of_half_turns})},
        {approximation::cosine_pi, joined({usual_or_nan, cosine_of_half_turns})},
        {approximation::cosine_pi, joined({usual_magnitude, cosine_of_half_turns})},
        {approximation::sinh, joined({quarter_of_exponential, hyperbolic_sine})},
        {approximation::cosh, joined({quarter_of_exponential, hyperbolic_cosine})},
        {approximation::remainder, joined({remainder})},
        {approximation::hypotenuse, joined({hypotenuse})},
    };
    for (const char* quarters : {quarters_of_turns, quarters_by_pointers, quarters_by_numbers}) {
      all.push_back({approximation::full_sine, joined({angle, quarters, within_quarter,
                                                       quarters_of_sine, sine_of_quarters})});
      all.push_back({approximation::full_cosine, joined({angle, quarters, within_quarter,
                                                         quarters_of_cosine, sine_of_quarters})});
      all.push_back({approximation::tangent, joined({angle, quarters, within_quarter, tangent})});
    }
    return all;
  }();
  return known;
}

bool comes_before(Value* operand, llvm::Instruction& result,
                  const llvm::DominatorTree& dominators) {
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(operand);
  return !instruction || dominators.dominates(instruction, &result);
}

}  // namespace

std::vector<Expression> find_expressions(llvm::Function& function) {
  std::vector<Expression> found;
  if (function.isDeclaration()) return found;
  const llvm::DominatorTree dominators(function);
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (!llvm::isa<llvm::SelectInst, llvm::PHINode, llvm::IntrinsicInst>(instruction) ||
        bare_value(&instruction) != &instruction ||
        instruction.getType()->getScalarSizeInBits() != 32)
      continue;
    for (const Known& known : known_expressions()) {
      FoundExpression match;
      if (!known.pattern.match(&instruction, dominators, match)) continue;
      const bool can_be = llvm::all_of(match.operands, [&](Value* operand) {
        return operand->getType()->getScalarSizeInBits() == 32 &&
               comes_before(operand, instruction, dominators);
      });
      if (can_be) found.push_back({&instruction, known.name, match.operands, match.regions});
      break;
    }
  }
  return found;
}

}  // namespace pycuda::cpu::libdevice

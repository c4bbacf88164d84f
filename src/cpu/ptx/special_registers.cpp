// SPDX-License-Identifier: MIT
// One table for both directions.
#include "cpu/ptx/special_registers.h"

#include <charconv>

namespace pycuda::cpu::ptx {
namespace {

enum class Form : std::uint8_t { Plain, Components, Numbered };

struct Entry {
  std::string_view name;
  SpecialRegister special;
  Form form = Form::Plain;
  std::uint32_t count = 1;       ///< of numbers
  std::string_view suffix = "";  ///< after the number
};

using enum SpecialRegister;
constexpr Entry kEntries[] = {
    {"%tid", TidX, Form::Components},
    {"%ntid", NTidX, Form::Components},
    {"%ctaid", CtaIdX, Form::Components},
    {"%nctaid", NCtaIdX, Form::Components},
    {"%laneid", LaneId},
    {"%warpid", WarpId},
    {"%nwarpid", NWarpId},
    {"%smid", SmId},
    {"%nsmid", NSmId},
    {"%gridid", GridId},
    {"%lanemask_eq", LaneMaskEq},
    {"%lanemask_le", LaneMaskLe},
    {"%lanemask_lt", LaneMaskLt},
    {"%lanemask_ge", LaneMaskGe},
    {"%lanemask_gt", LaneMaskGt},
    {"%clock", Clock},
    {"%clock_hi", ClockHi},
    {"%clock64", Clock64},
    {"%globaltimer", GlobalTimer},
    {"%globaltimer_lo", GlobalTimerLo},
    {"%globaltimer_hi", GlobalTimerHi},
    {"%dynamic_smem_size", DynamicSharedSize},
    {"%total_smem_size", TotalSharedSize},
    {"%aggr_smem_size", AggregateSharedSize},
    {"%clusterid", ClusterIdX, Form::Components},
    {"%nclusterid", NClusterIdX, Form::Components},
    {"%cluster_ctaid", ClusterCtaIdX, Form::Components},
    {"%cluster_nctaid", ClusterNCtaIdX, Form::Components},
    {"%cluster_ctarank", ClusterCtaRank},
    {"%cluster_nctarank", ClusterNCtaRank},
    {"%is_explicit_cluster", IsExplicitCluster},
    {"%current_graph_exec", CurrentGraphExec},
    {"%envreg", EnvReg, Form::Numbered, 32},
    {"%pm", PerformanceMonitor, Form::Numbered, 8},
    // The 64-bit counters share an enumerator; their numbers begin at 8.
    {"%pm", PerformanceMonitor, Form::Numbered, 8, "_64"},
    {"%reserved_smem_offset_", ReservedSharedOffset, Form::Numbered, 2},
};

// %reserved_smem_offset_begin, _end and _cap are numbers 2, 3 and 4 of their kind.
constexpr std::string_view kReservedNames[] = {
    "%reserved_smem_offset_begin", "%reserved_smem_offset_end", "%reserved_smem_offset_cap"};

}  // namespace

std::optional<SpecialName> find_special_register(std::string_view name) {
  for (const Entry& entry : kEntries) {
    if (entry.form != Form::Numbered) {
      if (entry.name == name) {
        return SpecialName{entry.special, 0, entry.form == Form::Components};
      }
      continue;
    }
    if (!name.starts_with(entry.name) || !name.ends_with(entry.suffix) ||
        name.size() <= entry.name.size() + entry.suffix.size()) {
      continue;
    }
    const char* begin = name.data() + entry.name.size();
    const char* end = name.data() + name.size() - entry.suffix.size();
    std::uint32_t number = 0;
    const auto [stop, error] = std::from_chars(begin, end, number);
    const bool leading_zero = end - begin > 1 && *begin == '0';
    if (error == std::errc{} && stop == end && number < entry.count && !leading_zero) {
      return SpecialName{entry.special, number + (entry.suffix.empty() ? 0 : 8), false};
    }
  }
  for (std::uint32_t i = 0; i < std::size(kReservedNames); ++i) {
    if (name == kReservedNames[i]) return SpecialName{ReservedSharedOffset, i + 2, false};
  }
  return std::nullopt;
}

std::uint32_t bits_of(SpecialRegister special, std::uint32_t index) {
  switch (special) {
    case Clock64:
    case GlobalTimer:
    case CurrentGraphExec:
      return 64;
    case PerformanceMonitor:
      return index >= 8 ? 64 : 32;
    case IsExplicitCluster:
      return 1;
    default:
      return 32;
  }
}

bool has_16_bit_form(SpecialRegister special) { return special >= TidX && special <= NCtaIdZ; }

std::string name_of(SpecialRegister special, std::uint32_t index) {
  if (special == WarpSize) return "WARP_SZ";
  if (special == ReservedSharedOffset && index >= 2) return std::string(kReservedNames[index - 2]);
  for (const Entry& entry : kEntries) {
    const auto first = static_cast<unsigned>(entry.special);
    const auto asked = static_cast<unsigned>(special);
    if (entry.form == Form::Components && asked >= first && asked < first + 3) {
      return std::string(entry.name) + '.' + "xyz"[asked - first];
    }
    if (special != entry.special) continue;
    if (entry.form == Form::Plain) return std::string(entry.name);
    const bool wide = index >= 8 && special == PerformanceMonitor;
    if (wide != !entry.suffix.empty()) continue;
    return std::string(entry.name) + std::to_string(wide ? index - 8 : index) +
           std::string(entry.suffix);
  }
  return {};
}

}  // namespace pycuda::cpu::ptx

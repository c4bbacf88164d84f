// SPDX-License-Identifier: MIT
// Where memory comes from is known by the return addresses on the stack: by the first that is not
// of this library, nor of CUDA's run-time library, which may be a part of the program.
#include "cpu/exec/leaks.h"

#include <dlfcn.h>
#include <sys/auxv.h>
#include <unwind.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/cxx_names.h"
#include "cpu/exec/address_table.h"
#include "cpu/exec/check_settings.h"
#include "cpu/exec/findings.h"
#include "cpu/exec/fork_guard.h"
#include "cpu/exec/program_symbols.h"

namespace pycuda::cpu::exec {
namespace {

/// Of the program's own code, the innermost first; zeros behind them.
using Callers = std::array<std::uintptr_t, 8>;

struct Origin {
  std::uint64_t allocation = 0;  ///< Allocation::id
  Callers callers{};
};

struct Origins {
  std::mutex mutex;  ///< protects the rest
  std::map<std::uintptr_t, Origin> by_address;
};

/// Never destroyed: threads may allocate while the process ends.
Origins& origins() {
  static Origins* const only = new Origins;
  return *only;
}

std::string_view base_name(const char* path) {
  const std::string_view whole = path == nullptr ? "" : path;
  return whole.substr(whole.rfind('/') + 1);
}

/// The first address of what was loaded with `address`; null where nothing was.
const void* module_of(std::uintptr_t address) {
  Dl_info info{};
  return dladdr(reinterpret_cast<void*>(address), &info) == 0 ? nullptr : info.dli_fbase;
}

bool is_of_driver(std::uintptr_t address) {
  static const void* const own = module_of(reinterpret_cast<std::uintptr_t>(&note_allocation));
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(address), &info) == 0) return false;
  return info.dli_fbase == own || base_name(info.dli_fname).starts_with("libcudart");
}

const void* program_base() {
  static const void* const base = module_of(getauxval(AT_ENTRY));
  return base;
}

/// Where the program's own code has called; zeros if a library has.
Callers callers() {
  struct Found {
    Callers callers{};
    std::size_t count = 0;
  } found;
  _Unwind_Backtrace(
      [](_Unwind_Context* frame, void* result) {
        // The call, not what comes behind it.
        const std::uintptr_t address = _Unwind_GetIP(frame) - 1;
        auto& [callers, count] = *static_cast<Found*>(result);
        if (count == 0 && is_of_driver(address)) return _URC_NO_REASON;
        if (module_of(address) != program_base()) return _URC_END_OF_STACK;
        callers[count++] = address;
        return count == callers.size() ? _URC_END_OF_STACK : _URC_NO_REASON;
      },
      &found);
  return found.callers;
}

/// Whether a function of the program is of CUDA's run-time library, or a template of its headers:
/// "cudaMalloc", and "_ZL10cudaMallocIfE9cudaErrorPPT_m".
bool is_of_run_time(std::string_view name) {
  if (name.starts_with("libcudart_static_") || name.find("6pycuda6cudart") != name.npos)
    return true;
  if (name.starts_with("_Z"))
    name.remove_prefix(std::min(name.find_first_not_of("_ZL0123456789"), name.size()));
  while (name.starts_with('_')) name.remove_prefix(1);
  return name.starts_with("cuda") && name.size() > 4 && name[4] >= 'A' && name[4] <= 'Z';
}

using Symbols = std::map<std::uintptr_t, ProgramSymbol>;

/// The first caller whose function is the program's.
std::uintptr_t own_caller(const Callers& callers, const Symbols& symbols) {
  for (const std::uintptr_t address : callers) {
    if (address == 0) break;
    const auto found = symbols.find(address);
    if (found == symbols.end() || !is_of_run_time(found->second.name)) return address;
  }
  return callers.front();
}

/// "main+0x2f in program", as debuggers take it.
std::string caller_text(std::uintptr_t address, const Symbols& symbols) {
  Dl_info info{};
  if (address == 0 || dladdr(reinterpret_cast<void*>(address), &info) == 0) return {};
  const auto found = symbols.find(address);
  const std::uint64_t offset = found != symbols.end()
                                   ? found->second.offset
                                   : address - reinterpret_cast<std::uintptr_t>(info.dli_fbase);
  char digits[32];
  std::snprintf(digits, sizeof digits, "+0x%llx", static_cast<unsigned long long>(offset));
  const std::string file(base_name(info.dli_fname));
  return found != symbols.end() ? base::readable_name(found->second.name) + digits + " in " + file
                                : file + digits;
}

struct Leak {
  std::uint64_t blocks = 0, bytes = 0;
};

}  // namespace

void report_leaks() {
  if (!checked_mode() || forked()) return;
  Origins& known = origins();
  const std::lock_guard lock(known.mutex);
  std::vector<std::pair<Allocation, Callers>> left;
  std::vector<std::uintptr_t> addresses;
  for (const Allocation& allocation : AddressTable::instance().all()) {
    const auto found = known.by_address.find(allocation.begin);
    if (found == known.by_address.end() || found->second.allocation != allocation.id) continue;
    left.emplace_back(allocation, found->second.callers);
    for (const std::uintptr_t address : found->second.callers) {
      if (address != 0 && std::ranges::find(addresses, address) == addresses.end())
        addresses.push_back(address);
    }
  }
  if (left.empty()) return;
  const Symbols symbols =
      program_symbols(reinterpret_cast<std::uintptr_t>(program_base()), addresses);
  std::map<std::pair<std::uintptr_t, MemoryKind>, Leak> leaks;
  for (const auto& [allocation, callers] : left) {
    Leak& leak = leaks[{own_caller(callers, symbols), allocation.kind}];
    ++leak.blocks;
    leak.bytes += allocation.bytes;
  }
  for (const auto& [place, leak] : leaks) {
    const auto& [caller, kind] = place;
    Finding finding;
    finding.check = Check::Leak;
    const std::string text = caller_text(caller, symbols);
    finding.at.place = text.empty() ? text : " at " + text;
    const std::string blocks =
        leak.blocks == 1 ? "" : " in " + std::to_string(leak.blocks) + " blocks";
    finding.message = std::to_string(leak.bytes) + " bytes of " + kind_name(kind) + blocks +
                      " were not freed when the program ended";
    Findings::instance().add(std::move(finding));
  }
}

void note_allocation(const void* memory) {
  if (!checked_mode()) return;
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  const auto found = AddressTable::instance().find(begin);
  if (!found) return;
  const Callers from = callers();
  if (from.front() == 0) return;
  Origins& known = origins();
  const std::lock_guard lock(known.mutex);
  known.by_address[begin] = {found->id, from};
}

}  // namespace pycuda::cpu::exec

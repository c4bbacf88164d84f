// SPDX-License-Identifier: MIT
// Where memory comes from is known by the return addresses on the stack: by the first that is not
// of this library, nor of CUDA's run-time library.
#include "cpu/exec/leaks.h"

#include <dlfcn.h>
#include <sys/auxv.h>
#include <unwind.h>

#include <cstdint>
#include <cstdio>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "cpu/exec/address_table.h"
#include "cpu/exec/check_settings.h"
#include "cpu/exec/findings.h"
#include "cpu/exec/fork_guard.h"

namespace pycuda::cpu::exec {
namespace {

struct Origin {
  std::uint64_t allocation = 0;  ///< Allocation::id
  std::uintptr_t caller = 0;
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

/// Where the program's own code has called; 0 if a library has.
std::uintptr_t caller() {
  static const void* const program = module_of(getauxval(AT_ENTRY));
  std::uintptr_t found = 0;
  _Unwind_Backtrace(
      [](_Unwind_Context* frame, void* result) {
        // The call, not what comes behind it.
        const std::uintptr_t address = _Unwind_GetIP(frame) - 1;
        if (is_of_driver(address)) return _URC_NO_REASON;
        *static_cast<std::uintptr_t*>(result) = address;
        return _URC_END_OF_STACK;
      },
      &found);
  return found != 0 && module_of(found) == program ? found : 0;
}

/// "main+0x2f in program", as debuggers take it.
std::string caller_text(std::uintptr_t address) {
  Dl_info info{};
  if (address == 0 || dladdr(reinterpret_cast<void*>(address), &info) == 0) return {};
  const bool named = info.dli_sname != nullptr;
  const auto begin = reinterpret_cast<std::uintptr_t>(named ? info.dli_saddr : info.dli_fbase);
  char offset[32];
  std::snprintf(offset, sizeof offset, "+0x%llx", static_cast<unsigned long long>(address - begin));
  const std::string file(base_name(info.dli_fname));
  return named ? info.dli_sname + std::string(offset) + " in " + file : file + offset;
}

}  // namespace

void report_leaks() {
  if (!checked_mode() || forked()) return;
  Origins& known = origins();
  const std::lock_guard lock(known.mutex);
  for (const Allocation& allocation : AddressTable::instance().all()) {
    const auto found = known.by_address.find(allocation.begin);
    if (found == known.by_address.end() || found->second.allocation != allocation.id) continue;
    const Origin origin = found->second;
    FindingKey key;
    key.check = Check::Leak;
    key.kernel = reinterpret_cast<const void*>(origin.caller);
    if (!Findings::instance().is_new(key)) continue;
    Finding finding;
    finding.check = Check::Leak;
    const std::string text = caller_text(origin.caller);
    finding.at.place = text.empty() ? text : " at " + text;
    finding.message = std::to_string(allocation.bytes) + " bytes of " + kind_name(allocation.kind) +
                      " were not freed when the program ended";
    Findings::instance().add(std::move(finding));
  }
}

void note_allocation(const void* memory) {
  if (!checked_mode()) return;
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  const auto found = AddressTable::instance().find(begin);
  if (!found) return;
  const std::uintptr_t from = caller();
  if (from == 0) return;
  Origins& known = origins();
  const std::lock_guard lock(known.mutex);
  known.by_address[begin] = {found->id, from};
}

}  // namespace pycuda::cpu::exec

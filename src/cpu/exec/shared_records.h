// SPDX-License-Identifier: MIT
// The records of an event that processes share: which is the latest, which have been reached.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cpu/exec/shared_pages.h"

namespace pycuda::cpu::exec {

class Marker;

/// A table in pages that all processes of the event have mapped; records are numbered from 1. Any
/// thread.
class SharedRecords : public std::enable_shared_from_this<SharedRecords> {
 public:
  using Pointer = std::shared_ptr<SharedRecords>;
  /// Of a new event; other processes find it by `name` as long as this lives.
  static base::Result<Pointer, PagesFailure> make();
  /// Of another process's event.
  static base::Result<Pointer, PagesFailure> open(const PagesName& name);
  ~SharedRecords();
  SharedRecords(const SharedRecords&) = delete;
  SharedRecords& operator=(const SharedRecords&) = delete;

  /// Nothing if another process made the event.
  std::optional<PagesName> name() const;

  /// The number of a new record of this process. Blocks while 2048 records are pending.
  std::uint64_t begin();
  /// From now on it is the latest, unless a later one is.
  void publish(std::uint64_t number);
  /// It is reached; or, if `failed`, what comes before it in its stream was not done.
  void finish(std::uint64_t number, bool failed);

  /// 0: none has been published.
  std::uint64_t latest() const;
  /// A marker that will be reached when record `number`, of any process, is, or fail with it. It
  /// fails too when the process ends that was to reach it.
  std::shared_ptr<Marker> await(std::uint64_t number);
  /// Brings a marker of `await` up to date.
  void look_at(Marker& marker) const;

 private:
  struct Table;
  struct Answer;
  SharedRecords(std::byte* pages, std::optional<SharedPages> file);
  static base::Result<Pointer, PagesFailure> with(SharedPages pages, bool own);
  Answer ask(std::uint64_t number, bool about_process) const;
  void settle(Marker& marker, const Answer& answer) const;
  void watch();
  void wait_for_change(std::uint32_t seen) const;

  Table* table_;
  const ProcessId self_ = this_process();
  std::optional<SharedPages> file_;
  std::mutex mutex_;  ///< protects what follows
  std::vector<std::shared_ptr<Marker>> awaited_;
  bool watched_ = false;  ///< a thread runs `watch`
};

}  // namespace pycuda::cpu::exec

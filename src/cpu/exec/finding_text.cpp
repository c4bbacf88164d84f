// SPDX-License-Identifier: MIT
// Findings for people and for programs.
#include "base/cxx_names.h"
#include "cpu/exec/check_settings.h"
#include "cpu/exec/fault_message.h"
#include "cpu/exec/findings.h"
#include "cpu/exec/json_text.h"
#include "cpu/exec/source_places.h"
#include "cpu/exec/stream.h"

namespace pycuda::cpu::exec {
namespace {

std::string coordinates(const Dim3& at) {
  return "(" + std::to_string(at.x) + ", " + std::to_string(at.y) + ", " + std::to_string(at.z) +
         ")";
}

std::string where(const FoundPlace& place) {
  if (place.is_transfer) return place.access + "\n";
  std::string text = (place.kernel.empty() ? std::string()
                                           : "kernel " + base::readable_name(place.kernel) + ", ") +
                     "block " + coordinates(place.block) + ", thread " + coordinates(place.thread) +
                     place.place;
  if (!place.access.empty()) text += ": " + place.access;
  text += '\n';
  if (!place.source.empty()) text += "    " + place.source + "\n";
  return text;
}

std::string place_json(const FoundPlace& place) {
  return "\"file\": " + quoted_json(place.file) + ", \"line\": " + std::to_string(place.line) +
         ", \"place\": " + quoted_json(place.place.empty() ? place.place : place.place.substr(4)) +
         ", \"source\": " + quoted_json(place.source) +
         ", \"thread\": " + (place.is_transfer ? "null" : list_json(place.thread)) +
         ", \"block\": " + (place.is_transfer ? "null" : list_json(place.block)) +
         ", \"access\": " + quoted_json(place.access) +
         ", \"stream\": " + quoted_json(place.stream);
}

}  // namespace

FoundPlace place_of(const LaunchContext& launch, const BlockFrame& block, const Dim3& thread,
                    std::uint32_t line, std::uint32_t file) {
  FoundPlace place;
  place.block = block.ctaid;
  place.thread = thread;
  // A thread of fused blocks has its own block again.
  place.block.x += thread.x / launch.frame.block.x;
  place.thread.x = thread.x % launch.frame.block.x;
  if (line == 0) return place;
  const auto& files = launch.kernel.facts.source_files;
  SourceLine found = find_source_line(launch.request.keep_alive.get(),
                                      file < files.size() ? files[file] : std::string(), line);
  place.file = std::move(found.file);
  place.line = found.line;
  place.place = std::move(found.place);
  place.source = std::move(found.text);
  place.above = std::move(found.above);
  place.whole = std::move(found.whole);
  return place;
}

std::optional<Finding> new_finding(Check check, const LaunchContext& launch,
                                   const BlockFrame& block, const ThreadFrame& thread) {
  FindingKey key;
  key.check = check;
  key.kernel = &launch.kernel;
  key.line = thread.source_line;
  key.file = thread.source_file;
  if (!Findings::instance().is_new(key)) return std::nullopt;
  Finding finding;
  finding.check = check;
  finding.kernel = launch.kernel.facts.name;
  finding.at = place_of(launch, block, thread.tid, thread.source_line, thread.source_file);
  return finding;
}

std::string finding_text(const Finding& finding) {
  if (finding.check == Check::Leak)
    return "pycuda: leak: " + finding.message +
           (finding.at.place.empty() ? "" : ", allocated" + finding.at.place) + "\n";
  std::string text =
      "pycuda: " + std::string(check_name(finding.check)) + ": " + finding.message +
      (finding.at.is_transfer ? ": " : " in kernel " + base::readable_name(finding.kernel) + ", ") +
      where(finding.at);
  if (finding.other) text += "  the other: " + where(*finding.other);
  if (!finding.remedy.empty()) text += "  what to do: " + finding.remedy + "\n";
  return text;
}

std::string finding_json(const Finding& finding) {
  std::string json = "{\"check\": " + quoted_json(check_name(finding.check)) +
                     ", \"kernel\": " + quoted_json(finding.kernel) + ", " +
                     place_json(finding.at) + ", \"message\": " + quoted_json(finding.message) +
                     ", \"remedy\": " + quoted_json(finding.remedy) +
                     ", \"ended_launch\": " + (finding.ended_launch ? "true" : "false");
  if (finding.other)
    json += ", \"other\": {\"kernel\": " + quoted_json(finding.other->kernel) + ", " +
            place_json(*finding.other) + "}";
  return json + "}";
}

std::string fault_json(const LaunchContext& launch, const Fault& fault, std::string_view check) {
  SourceLine line;
  const auto& files = launch.kernel.facts.source_files;
  const std::uint32_t file = fault.source_file;
  if (fault.source_line != 0)
    line = find_source_line(launch.request.keep_alive.get(),
                            file < files.size() ? files[file] : std::string(), fault.source_line);
  return "{" +
         (check.empty() ? std::string()
                        : "\"check\": " + quoted_json(check) +
                              ", \"remedy\": \"\", \"ended_launch\": true, ") +
         "\"kernel\": " + quoted_json(fault.kernel) + ", \"file\": " + quoted_json(line.file) +
         ", \"line\": " + std::to_string(line.line) +
         ", \"place\": " + quoted_json(line.place.empty() ? line.place : line.place.substr(4)) +
         ", \"source\": " + quoted_json(line.text) +
         ", \"thread\": " + (fault.thread_known ? list_json(fault.thread) : "null") +
         ", \"block\": " + (fault.block_known ? list_json(fault.block) : "null") +
         ", \"access\": " + quoted_json(fault.detail) +
         ", \"message\": " + quoted_json(fault.what) + "}";
}

}  // namespace pycuda::cpu::exec

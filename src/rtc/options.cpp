// SPDX-License-Identifier: MIT
// nvcc's options, as programs write them, in NVRTC's terms.
#include "rtc/options.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/read_file.h"
#include "rtc/option_lists.h"
#include "rtc/option_table.h"

namespace pycuda::rtc {
namespace {

/// Files of options that name each other would never end.
constexpr int kMostNestedFiles = 8;

struct ParsedOption {
  const NvccOption* known = nullptr;  // null: not in the table
  std::string text;                   // as it is written
  std::string value;
  bool value_given = false;
  bool joined = false;  // name and value are one entry
};

/// Short names of one letter may have the value behind them with nothing between: -DX, -Idir, -t0.
const NvccOption* option_of_letter(std::string_view rest) {
  if (rest.size() < 2) return nullptr;
  const NvccOption* known = find_option(rest.substr(0, 1));
  const bool takes_it =
      known != nullptr && known->value != OptionValue::None && known->short_name.size() == 1;
  // nvcc refuses -eNAME, and forwards -march=native.
  const bool wants_number = rest.front() == 'm' || rest.front() == 'O' || rest.front() == 't';
  const bool is_value = wants_number ? rest[1] >= '0' && rest[1] <= '9' : rest.front() != 'e';
  return takes_it && is_value ? known : nullptr;
}

ParsedOption parse_option(const std::string& text) {
  std::string_view rest = text;
  rest.remove_prefix(rest.starts_with("--") ? 2 : 1);
  const bool one_dash = !text.starts_with("--");
  const std::size_t end = rest.find_first_of("= ");
  ParsedOption parsed;
  parsed.text = text;
  parsed.known = find_option(rest.substr(0, end));
  if (parsed.known != nullptr && end != std::string_view::npos) {
    if (parsed.known->value == OptionValue::None) {
      parsed.known = nullptr;  // -g=3: for NVRTC to judge
      return parsed;
    }
    parsed.value =
        std::string(rest.substr(std::min(rest.size(), rest.find_first_not_of(' ', end + 1))));
    parsed.value_given = parsed.joined = true;
  } else if (parsed.known == nullptr && one_dash) {
    parsed.known = option_of_letter(rest);
    if (parsed.known != nullptr) {
      parsed.value = std::string(rest.substr(1));
      parsed.value_given = parsed.joined = true;
    }
  }
  return parsed;
}

/// Its one value is dropped: nobody would see that more follows.
bool is_unread(const NvccOption& option) {
  return option.value == OptionValue::One && option.action == OptionAction::Drop;
}

/// Several options in one entry: "-lineinfo -G".
bool holds_more_than_one(const std::string& text) {
  const std::size_t blank = text.find(" -");
  if (blank == std::string::npos || !text.starts_with('-')) return false;
  const std::string_view first = std::string_view(text).substr(text.find_first_not_of('-'));
  const NvccOption* known = find_option(first.substr(0, first.find_first_of(" =")));
  if (known != nullptr) return known->value == OptionValue::None || is_unread(*known);
  // "-O3 -lineinfo"
  const ParsedOption parsed = parse_option(text);
  return parsed.known != nullptr && is_unread(*parsed.known);
}

class Translator {
 public:
  base::Result<Options> run(std::span<const std::string> entries) {
    if (auto failure = add(entries, 0)) return *failure;
    options_.include_folders.insert(options_.include_folders.end(), system_folders_.begin(),
                                    system_folders_.end());
    if (auto failure = add_architectures(arch_, code_)) return *failure;
    for (std::string& text : unknown_) {
      if (forwards_unknown_) {
        note(text, "it is forwarded to the host compiler or linker, neither of which runs");
      } else {
        options_.compiler.push_back(std::move(text));
      }
    }
    return std::move(options_);
  }

 private:
  using Failed = std::optional<base::Failure>;

  Failed add(std::span<const std::string> entries, int depth) {
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const std::string& text = entries[i];
      if (text.empty()) continue;
      if (holds_more_than_one(text)) {
        return refusal(text, "it holds several; write each as an element of its own");
      }
      ParsedOption option = text.starts_with('-') ? parse_option(text) : ParsedOption{};
      if (option.known == nullptr) {
        unknown_.push_back(text);
        continue;
      }
      if (option.known->value != OptionValue::None && !option.value_given) {
        if (i + 1 == entries.size())
          return base::Failure{"the option " + text +
                               " has no value: it follows as the next element"};
        option.value = entries[++i];
      }
      if (auto failure = apply(option, depth)) return failure;
    }
    return std::nullopt;
  }

  static Failed refusal(const std::string& text, std::string_view why) {
    return base::Failure{"the option " + text + " is not supported: " + std::string(why)};
  }

  void note(const std::string& text, std::string_view why) {
    options_.notes.push_back("the option " + text + " is dropped: " + std::string(why));
  }

  static std::string whole(const ParsedOption& option) {
    return option.joined || option.value.empty() ? option.text : option.text + " " + option.value;
  }

  Failed apply(const ParsedOption& option, int depth) {
    const NvccOption& known = *option.known;
    switch (known.action) {
      case OptionAction::Pass:
        pass(option, options_.compiler);
        return std::nullopt;
      case OptionAction::Hint:
        pass(option, options_.hints);
        return std::nullopt;
      case OptionAction::Drop:
        note(whole(option), known.note);
        return std::nullopt;
      case OptionAction::Refuse:
        return refusal(option.text, known.note);
      case OptionAction::Map:
        break;
    }
    if (known.name == "options-file") return add_files(option, depth);
    if (known.name.starts_with("gpu-") || known.name == "generate-code") return add_target(option);
    return map_value(option);
  }

  static void pass(const ParsedOption& option, std::vector<std::string>& to) {
    const NvccOption& known = *option.known;
    const std::string name = known.name == known.short_name && known.name != "std"
                                 ? "--" + std::string(known.name)
                                 : "-" + std::string(known.short_name);
    if (known.value != OptionValue::None) {
      to.push_back(name + "=" + option.value);
    } else if (option.text == "--" + std::string(known.name)) {
      to.push_back(option.text);
    } else {
      to.push_back("-" + std::string(known.short_name));
    }
  }

  Failed add_files(const ParsedOption& option, int depth) {
    if (depth == kMostNestedFiles) return refusal(option.text, "files of options name each other");
    for (const std::string& path : split_list(option.value)) {
      const std::optional<std::string> text = base::read_file(path);
      if (!text) return refusal(whole(option), "the file cannot be read");
      const std::vector<std::string> words = split_words(*text);
      if (auto failure = add(words, depth + 1)) return failure;
    }
    return std::nullopt;
  }

  Failed add_architectures(std::string_view arch, std::string_view code) {
    auto named = named_architectures(arch, code);
    if (!named) return named.error();
    options_.architectures.insert(options_.architectures.end(), named->begin(), named->end());
    return std::nullopt;
  }

  Failed add_target(const ParsedOption& option) {
    options_.names_architecture = true;
    if (option.known->name == "gpu-architecture") {
      arch_ = option.value;
    } else if (option.known->name == "gpu-code") {
      code_ = option.value;
    } else {
      const std::string arch = generate_code_part(option.value, "arch");
      if (arch.empty()) {
        return refusal(whole(option), "it names no architecture; write arch=compute_80,code=sm_80");
      }
      return add_architectures(arch, generate_code_part(option.value, "code"));
    }
    return std::nullopt;
  }

  Failed map_value(const ParsedOption& option) {
    const std::string_view name = option.known->name;
    const std::string& value = option.value;
    if (name == "define-macro") {
      for (const std::string& part : split_definitions(value)) add("-D" + part);
    } else if (name == "undefine-macro") {
      for (const std::string& part : split_list(value)) add("-U" + part);
    } else if (name == "include-path") {
      append(options_.include_folders, split_list(value));
    } else if (name == "system-include") {
      append(system_folders_, split_list(value));
    } else if (name == "pre-include") {
      append(options_.pre_included, split_list(value));
    } else if (name == "ptxas-options") {
      for (const std::string& part : split_list(value)) {
        for (const std::string& word : split_words(part)) add_ptxas_option(word);
      }
    } else if (name == "resource-usage") {
      add_ptxas_option("-v");
    } else if (name == "no-host-device-move-forward") {
      add("--builtin-move-forward=false");
    } else if (name == "no-host-device-initializer-list") {
      add("--builtin-initializer-list=false");
    } else if (name == "Wno-deprecated-declarations") {
      add("-diag-suppress=1215,1444");  // of a variable, of anything else
    } else if (name.starts_with("forward-unknown")) {
      forwards_unknown_ = true;
    } else {
      return map_or_refuse(option);
    }
    return std::nullopt;
  }

  Failed map_or_refuse(const ParsedOption& option) {
    const std::string_view name = option.known->name;
    const std::string& value = option.value;
    if (name == "x" && value != "cu") {
      return refusal(whole(option), "kernels are CUDA C++; leave it out");
    }
    if (name == "machine" && value != "64") {
      return refusal(whole(option), "device code is 64 bits wide");
    }
    if (name == "Werror") return add_werror(option);
    if (name == "std") {
      const bool raised = value == "c++03";
      if (raised)
        options_.notes.emplace_back("-std=c++03 is raised to c++11: CUDA's headers require it");
      add("-std=" + (raised ? "c++11" : value));
    }
    if (name == "cudafe-options") add_front_end_options(option);
    if (name == "time" || name == "fdevice-time-trace") {
      // nvcc runs in a folder that is removed afterwards: a relative name is lost there too.
      if ((value == "-" && name == "time") || value.starts_with('/')) {
        pass(option, options_.hints);
      } else {
        note(whole(option), "a file is only written to an absolute path");
      }
    }
    return std::nullopt;
  }

  Failed add_werror(const ParsedOption& option) {
    constexpr std::string_view kOfNvccAlone[] = {
        "conversion", "cross-execution-space-call", "default-stream-launch",
        "ext-lambda-captures-this", "missing-launch-bounds"};
    for (const std::string& kind : split_list(option.value)) {
      if (kind == "all-warnings" || kind == "reorder" || kind == "deprecated-declarations") {
        add("-Werror=" + kind);
      } else if (std::ranges::find(kOfNvccAlone, kind) != std::end(kOfNvccAlone)) {
        note("-Werror=" + kind, "the warning does not exist in NVRTC");
      } else {
        return refusal("-Werror=" + kind,
                       "nvcc has no such kind of warnings; all-warnings stands for all");
      }
    }
    return std::nullopt;
  }

  /// The front end's own options for diagnostics, of which nvcc's are a later form.
  void add_front_end_options(const ParsedOption& option) {
    std::vector<std::string> words;
    for (const std::string& blank_free : split_words(option.value)) {
      for (const std::string& part : split_list(blank_free)) {
        // The comma may stand between two options or between two numbers.
        if (!words.empty() && !part.starts_with('-')) {
          words.back().append(",").append(part);
        } else {
          words.push_back(part);
        }
      }
    }
    for (const std::string& word : words) {
      const std::size_t end = std::min(word.find('='), word.size());
      const std::string numbers = word.substr(std::min(end + 1, word.size()));
      const std::string mapped = diagnostic_option(std::string_view(word).substr(0, end));
      if (mapped.empty() || numbers.find_first_not_of("0123456789,") != std::string::npos) {
        note("-Xcudafe " + word, "NVRTC has no such option");
      } else {
        add(mapped + "=" + numbers);
      }
    }
  }

  static std::string diagnostic_option(std::string_view front_end_option) {
    if (front_end_option == "--diag_suppress") return "--diag-suppress";
    if (front_end_option == "--diag_error") return "--diag-error";
    if (front_end_option == "--diag_warning" || front_end_option == "--diag_warn") {
      return "--diag-warn";
    }
    return {};
  }

  void add_ptxas_option(const std::string& part) {
    if (part == "-v" || part == "--verbose") {
      if (options_.ptxas_report) return;
      options_.ptxas_report = true;
    }
    add("--ptxas-options=" + part);
  }

  void add(std::string text) { options_.compiler.push_back(std::move(text)); }

  static void append(std::vector<std::string>& to, std::vector<std::string> from) {
    std::ranges::move(from, std::back_inserter(to));
  }

  Options options_;
  std::vector<std::string> system_folders_;
  std::vector<std::string> unknown_;
  bool forwards_unknown_ = false;
  std::string arch_;
  std::string code_;
};

}  // namespace

base::Result<Options> translate_options(std::span<const std::string> nvcc_options) {
  return Translator().run(nvcc_options);
}

}  // namespace pycuda::rtc

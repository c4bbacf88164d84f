// SPDX-License-Identifier: MIT
// Reads /proc/self/maps a letter at a time: a copy of the process can do no more.
#include "cpu/exec/shared_mappings.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

namespace pycuda::cpu::exec {
namespace {

/// "7f0000000000-7f0000001000 rw-s ..."
class MapsReader {
 public:
  /// True at the end of the part of a line that describes a shared mapping.
  bool take(char letter) {
    if (letter == '\n') {
      *this = {};
      return false;
    }
    switch (field_) {
      case Field::Begin:
        if (letter == '-') {
          field_ = Field::End;
        } else {
          mapping_.begin = mapping_.begin * 16 + digit(letter);
        }
        return false;
      case Field::End:
        if (letter == ' ') {
          field_ = Field::Rights;
        } else {
          mapping_.end = mapping_.end * 16 + digit(letter);
        }
        return false;
      case Field::Rights:
        if (rights_ == 1) mapping_.writable = letter == 'w';
        if (rights_++ < 3) return false;
        field_ = Field::Rest;
        return letter == 's';
      case Field::Rest:
        return false;
    }
    return false;
  }
  const SharedMapping& mapping() const { return mapping_; }

 private:
  enum class Field { Begin, End, Rights, Rest };

  static std::uintptr_t digit(char letter) {
    return static_cast<std::uintptr_t>(letter <= '9' ? letter - '0' : letter - 'a' + 10);
  }

  SharedMapping mapping_;
  int rights_ = 0;
  Field field_ = Field::Begin;
};

}  // namespace

bool for_each_shared_mapping(bool (*visit)(const SharedMapping& mapping, void* context),
                             void* context) {
  const int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  MapsReader reader;
  char text[4096];
  ssize_t length = 0;
  bool goes_on = true;
  while (goes_on && (length = read(file, text, sizeof text)) > 0) {
    for (ssize_t i = 0; goes_on && i < length; ++i) {
      if (reader.take(text[i])) goes_on = visit(reader.mapping(), context);
    }
  }
  close(file);
  return goes_on && length == 0;
}

bool may_be_shared(const std::vector<std::uintptr_t>& addresses) {
  const auto holds_none = [](const SharedMapping& mapping, void* context) {
    const auto& all = *static_cast<const std::vector<std::uintptr_t>*>(context);
    return std::none_of(all.begin(), all.end(), [&](std::uintptr_t address) {
      return address >= mapping.begin && address < mapping.end;
    });
  };
  auto copy = addresses;
  return !for_each_shared_mapping(holds_none, &copy);
}

}  // namespace pycuda::cpu::exec

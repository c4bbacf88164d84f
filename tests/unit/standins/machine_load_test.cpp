// SPDX-License-Identifier: MIT
#include "standins/machine_load.h"

#include <doctest/doctest.h>

#include "unit/rtc/temporary_tree.h"

using pycuda::rtc::TemporaryTree;
using pycuda::standins::processor_temperature;

TEST_CASE("a machine without sensors has no temperature") {
  const TemporaryTree system;
  CHECK(processor_temperature(system.path().native()) == std::nullopt);
  system.write("class/hwmon/hwmon0/name", "nvme\n");
  system.write("class/hwmon/hwmon0/temp1_input", "33000\n");
  CHECK(processor_temperature(system.path().native()) == std::nullopt);
}

TEST_CASE("a processor's chip tells its temperature in thousandths of a degree") {
  const TemporaryTree system;
  system.write("class/thermal/thermal_zone0/type", "x86_pkg_temp\n");
  system.write("class/thermal/thermal_zone0/temp", "51999\n");
  CHECK(processor_temperature(system.path().native()) == 51u);
  system.write("class/hwmon/hwmon1/name", "coretemp\n");
  system.write("class/hwmon/hwmon1/temp1_input", "48000\n");
  CHECK(processor_temperature(system.path().native()) == 48u);
}

TEST_CASE("a sensor that gives no number is passed over") {
  const TemporaryTree system;
  system.write("class/hwmon/hwmon0/name", "k10temp\n");
  system.write("class/hwmon/hwmon1/name", "coretemp\n");
  system.write("class/hwmon/hwmon1/temp1_input", "-3000\n");
  system.write("class/thermal/thermal_zone3/type", "cpu-thermal\n");
  system.write("class/thermal/thermal_zone3/temp", "40500\n");
  CHECK(processor_temperature(system.path().native()) == 40u);
}

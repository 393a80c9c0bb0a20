// A prediction in ten lines of C++, against an installed paceline.
#include <iostream>

#include "cli/program.h"
#include "model/hardware/device_catalog.h"

int main() {
  const paceline::DeviceCatalog catalog = paceline::DeviceCatalog::shipped();
  std::cout << catalog.at("NVIDIA H100 80GB HBM3").title << "\n";
  return static_cast<int>(paceline::run_program(
      {"paceline", "check", "--mfu", "46%", "--device", "h100-sxm", "--precision", "bf16"},
      std::cout, std::cerr));
}

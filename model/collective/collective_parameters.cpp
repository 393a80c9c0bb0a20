#include "model/collective/collective_parameters.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/data_directory.h"

namespace paceline {
namespace {

// "nvswitch2" -> {"nvswitch#", 2}; "100g-ib" -> {"#g-ib", 100}, and so is "100g-ib*2".
std::pair<std::string, double> family(const std::string& name) {
  std::string shape;
  std::string digits;
  bool done = false;
  for (const char c : name) {
    if (c == '*') break;
    const bool digit = c >= '0' && c <= '9';
    if (digit && !done) {
      if (digits.empty()) shape += '#';
      digits += c;
      continue;
    }
    done = done || !digits.empty();
    shape += c;
  }
  return {shape, digits.empty() ? 1 : std::atof(digits.c_str())};
}

}  // namespace

std::string collective_fit_name(CollectiveOp op, NcclAlgorithm algorithm, NcclProtocol protocol) {
  return "nccl." + std::string(to_string(op)) + "." + std::string(to_string(algorithm)) + "." +
         std::string(to_string(protocol));
}

std::string exchange_fit_name(CollectiveOp op, NcclProtocol protocol) {
  return "nccl." + std::string(to_string(op)) + ".direct." + std::string(to_string(protocol));
}

CollectiveParameters CollectiveParameters::load(const std::filesystem::path& folder) {
  CollectiveParameters out;
  std::vector<std::filesystem::path> files;
  std::error_code missing;
  for (const auto& entry : std::filesystem::directory_iterator(folder, missing)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  for (const std::filesystem::path& file : files) out.add(read_parameters(file));
  return out;
}

CollectiveParameters CollectiveParameters::shipped() {
  return load(data_directory() / "calibration/fitted/collectives");
}

void CollectiveParameters::add(ParameterSet set) {
  const std::string name = set.device;
  sets_[name] = std::move(set);
}

const Fit* CollectiveParameters::find(const std::string& fabric_class,
                                      const std::string& fit_name) const {
  const auto set = sets_.find(fabric_class);
  return set == sets_.end() ? nullptr : set->second.find(fit_name);
}

double CollectiveParameters::distance(const std::string& a, const std::string& b) {
  return std::abs(std::log(family(a).second / family(b).second));
}

std::optional<std::string> CollectiveParameters::nearest_class(const std::string& fabric_class,
                                                               const std::string& fit_name) const {
  if (find(fabric_class, fit_name) != nullptr) return fabric_class;
  const std::string shape = family(fabric_class).first;
  std::optional<std::string> nearest;
  double least = 0;
  for (const auto& [name, set] : sets_) {
    if (family(name).first != shape || set.find(fit_name) == nullptr) continue;
    const double ratio = distance(name, fabric_class);
    if (nearest && ratio >= least) continue;
    nearest = name;
    least = ratio;
  }
  return nearest;
}

}  // namespace paceline

#include "simulator/device/training_device.h"

#include <charconv>

#include "core/data_directory.h"
#include "core/error.h"
#include "core/json_reader.h"
#include "core/names.h"
#include "core/provenance.h"
#include "model/hardware/device_catalog.h"
#include "model/hardware/device_file.h"
#include "model/hardware/usable_memory.h"
#include "simulator/device/cpu_device.h"
#include "simulator/device/gpu_device.h"
#include "simulator/device/probe.h"
#include "simulator/device/transferred_cpu.h"
#include "traces/measurement/measurement.h"

namespace paceline {
namespace {

using Options = std::map<std::string, std::string>;

// As it was typed; the clock is a flag of `paceline kernel`.
std::string option_text(const std::string& key) {
  return key == "probe" ? "--probe" : key == "clock" ? "a clock" : "--set " + key;
}

// The options of a CPU whose parameters are measured: none.
void refuse_options(const Options& options) {
  for (const auto& [key, value] : options) {
    if (!is_device_option(key)) continue;
    throw UsageError(option_text(key) + (key == "sockets"
                                             ? " is of CPUs of the catalog; parameters that were "
                                               "measured are of the whole machine"
                                             : " is of GPUs; the parameters of a CPU are measured "
                                               "at its own"));
  }
}

// "--set sockets=2"; 1 if absent.
int sockets_of(const DeviceSpec& cpu, const Options& options) {
  const auto found = options.find("sockets");
  if (found == options.end()) return 1;
  const auto& largest = cpu.cpu->largest_sockets;
  const int most = largest ? static_cast<int>(largest->value) : 1;
  int sockets = 0;
  const std::string& text = found->second;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), sockets);
  if (error != std::errc() || rest != text.data() + text.size() || sockets < 1 || sockets > most) {
    const std::string source = largest ? largest->source : "its record names no more";
    throw UsageError("--set sockets=" + text + ": expected a number from 1 to " +
                     std::to_string(most) + ", the most that a machine of " + cpu.name + " has (" +
                     source + ")");
  }
  return sockets;
}

void refuse_sockets_of_gpu(const DeviceSpec& spec, const Options& options) {
  if (!options.contains("sockets")) return;
  throw UsageError("--set sockets is of CPUs; " + spec.name + " is a GPU");
}

std::unique_ptr<const TrainingDevice> make_cpu(DeviceSpec spec, std::vector<InputFile> inputs,
                                               const Options& options) {
  for (const char* key : {"clock", "power", "ecc", "probe"}) {
    if (!options.contains(key)) continue;
    throw UsageError(option_text(key) + " is of GPUs; " + spec.name + " is a CPU");
  }
  const int sockets = sockets_of(spec, options);
  const std::filesystem::path root = data_directory();
  const std::filesystem::path file = root / "calibration/fitted/cpu-transfer.json";
  const CpuTransfer transfer = read_cpu_transfer(file, root);
  inputs.push_back({file.filename().string(), sha256_hex(read_text_file(file))});
  return std::make_unique<const TransferredCpu>(std::move(spec), sockets, transfer,
                                                std::move(inputs));
}

std::unique_ptr<const TrainingDevice> make_gpu(DeviceSpec spec, GpuParameterFiles parameters,
                                               const Options& options) {
  refuse_sockets_of_gpu(spec, options);
  std::vector<InputFile> inputs = std::move(parameters.inputs);
  const auto ecc = options.find("ecc");
  spec = with_usable_memory(std::move(spec), shipped_usable_memory(),
                            ecc == options.end() ? std::nullopt : std::optional(ecc->second));
  GpuCostModel costs(with_device_options(std::move(spec), options), std::move(parameters));
  const auto probe = options.find("probe");
  if (probe != options.end()) {
    const std::filesystem::path file = probe->second;
    costs.refine(refinements(read_measurements(file), costs, file.string()));
    inputs.push_back({file.filename().string(), sha256_hex(read_text_file(file))});
  }
  return std::make_unique<const GpuDevice>(std::move(costs), std::move(inputs));
}

// At a lower clock a board needs less power, which is part of what is expected of it.
DeviceSpec at_its_clock(const DeviceSpec& spec, const Options& options) {
  const auto clock = options.find("clock");
  return clock == options.end() ? spec : with_device_options(spec, {*clock});
}

// What was measured on this board stands before what paceline ships of its model.
void prefer(ParameterSet measured, GpuParameterFiles& shipped) {
  for (const Fit& fit : shipped.own.fits) {
    if (measured.find(fit.implementation) == nullptr) measured.fits.push_back(fit);
  }
  shipped.own = std::move(measured);
}

std::unique_ptr<const TrainingDevice> read_file(const std::string& name, const Options& options) {
  const std::filesystem::path path = name;
  const std::string text = read_text_file(path);
  const InputFile input{path.filename().string(), sha256_hex(text)};
  if (is_device_text(text)) {
    DeviceSpec spec = read_described_spec(path, DeviceCatalog::shipped());
    if (spec.kind == DeviceKind::kCpu) return make_cpu(std::move(spec), {input}, options);
    GpuParameterFiles parameters = read_gpu_parameters(at_its_clock(spec, options));
    parameters.inputs.push_back(input);
    return make_gpu(std::move(spec), std::move(parameters), options);
  }
  ParameterSet measured = parse_parameters(text, name);
  const DeviceCatalog catalog = DeviceCatalog::shipped();
  const DeviceSpec* spec = catalog.find(measured.device);
  if (spec != nullptr && spec->kind == DeviceKind::kGpu) {
    GpuParameterFiles parameters = read_gpu_parameters(at_its_clock(*spec, options));
    prefer(std::move(measured), parameters);
    parameters.inputs.push_back(input);
    return make_gpu(*spec, std::move(parameters), options);
  }
  refuse_options(options);
  return std::make_unique<const CpuDevice>(std::move(measured), input);
}

}  // namespace

void check_threads(const TrainingDevice& device, int threads) {
  const int cores = device.cores();
  if (cores == 0 || threads <= cores) return;
  throw UsageError("--threads " + std::to_string(threads) + ": " + device.name() + " has " +
                   std::to_string(cores) + " hardware threads; 1 to " + std::to_string(cores) +
                   " are allowed");
}

bool is_device_option(std::string_view key) {
  return key == "clock" || key == "power" || key == "ecc" || key == "probe" || key == "sockets";
}

std::unique_ptr<const TrainingDevice> read_training_device(const std::string& name_or_file,
                                                           const Options& options) {
  if (same_name(name_or_file, "cpu")) {
    refuse_options(options);
    return std::make_unique<const CpuDevice>(read_cpu_device(name_or_file));
  }
  if (is_device_path(name_or_file)) return read_file(name_or_file, options);
  const DeviceSpec spec = DeviceCatalog::shipped_device(name_or_file);
  if (spec.kind == DeviceKind::kCpu) return make_cpu(spec, {}, options);
  return make_gpu(spec, read_gpu_parameters(at_its_clock(spec, options)), options);
}

}  // namespace paceline

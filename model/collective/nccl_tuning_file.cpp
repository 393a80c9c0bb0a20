#include <algorithm>

#include "core/data_directory.h"
#include "core/json_reader.h"
#include "core/names.h"
#include "model/collective/nccl_tuning.h"

namespace paceline {
namespace {

constexpr std::array<std::string_view, 5> kAlgorithms = {"ring", "tree", "nvls", "nvls_tree",
                                                         "pat"};
constexpr std::array<std::string_view, 3> kProtocols = {"ll", "ll128", "simple"};

template <std::size_t N>
std::array<double, N> fixed(JsonObject& object, std::string_view key) {
  const std::vector<double> values = object.numbers(key);
  if (values.size() != N) object.fail(key, "expected " + std::to_string(N) + " numbers");
  std::array<double, N> out{};
  std::ranges::copy(values, out.begin());
  return out;
}

std::array<std::array<double, 3>, 5> latencies(JsonObject object) {
  std::array<std::array<double, 3>, 5> out{};
  for (std::size_t i = 0; i < kAlgorithms.size(); ++i) {
    if (object.has(kAlgorithms[i])) out[i] = fixed<3>(object, kAlgorithms[i]);
  }
  object.finish();
  return out;
}

std::array<int, 3> per_protocol(JsonObject object) {
  std::array<int, 3> out{};
  for (std::size_t i = 0; i < 3; ++i) out[i] = object.count(kProtocols[i]);
  object.finish();
  return out;
}

NcclSwitchBuffers read_switch_buffers(JsonObject object) {
  NcclSwitchBuffers out;
  out.each = Bytes(object.positive("bytes"));
  out.beside = Bytes(object.positive("beside"));
  JsonObject channels = object.object("channels");
  for (const std::string& generation : channels.keys()) {
    const std::array<double, 2> counts = fixed<2>(channels, generation);
    out.channels[generation] = {static_cast<int>(counts[0]), static_cast<int>(counts[1])};
  }
  channels.finish();
  out.most_each = Bytes(object.positive("most_bytes"));
  out.most_unit = Bytes(object.positive("most_unit"));
  out.source = object.string("source");
  object.finish();
  return out;
}

template <std::size_t N>
std::size_t position(const std::array<std::string_view, N>& names, std::string_view text,
                     std::string_view what) {
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < N; ++i) {
    if (normalized_name(names[i]) == normalized_name(text)) return i;
    shown.emplace_back(names[i]);
  }
  throw UsageError(unknown_name_message(what, text, shown));
}

}  // namespace

std::string_view to_string(NcclAlgorithm algorithm) {
  constexpr std::array<std::string_view, 5> kNames = {"ring", "tree", "nvls", "nvls-tree", "pat"};
  return kNames.at(static_cast<std::size_t>(algorithm));
}

std::string_view to_string(NcclProtocol protocol) {
  return kProtocols.at(static_cast<std::size_t>(protocol));
}

std::vector<std::string> nccl_algorithm_names() { return {kAlgorithms.begin(), kAlgorithms.end()}; }

NcclAlgorithm parse_nccl_algorithm(std::string_view text) {
  return static_cast<NcclAlgorithm>(position(kAlgorithms, text, "NCCL algorithm"));
}

NcclProtocol parse_nccl_protocol(std::string_view text) {
  return static_cast<NcclProtocol>(position(kProtocols, text, "NCCL protocol"));
}

NcclTuning NcclTuning::shipped() {
  return load(data_directory() / "model/catalog/collectives/nccl-2.30.json");
}

NcclTuning NcclTuning::load(const std::filesystem::path& file) {
  const JsonDocument document = read_json_file(file, "paceline.nccl-tuning/1");
  JsonObject root = document.root();
  NcclTuning tuning;
  tuning.version_ = root.string("version");
  root.string("source");
  tuning.base_us_ = latencies(root.object("base_latency_us"));
  JsonObject hardware = root.object("hardware_latency_us");
  tuning.nvlink_us_ = latencies(hardware.object("nvlink"));
  tuning.pci_us_ = latencies(hardware.object("pci"));
  tuning.network_us_ = latencies(hardware.object("net"));
  hardware.finish();
  tuning.network_overhead_us_ = root.number("network_overhead_us");
  JsonObject correction = root.object("tree_correction");
  for (std::size_t i = 0; i < 3; ++i) {
    tuning.tree_correction_[i] = correction.numbers(kProtocols[i]);
  }
  correction.finish();
  JsonObject plateau = root.object("network_plateau");
  JsonObject generations = root.object("generations");
  for (const std::string& name : generations.keys()) {
    JsonObject object = generations.object(name);
    Generation& known = tuning.generations_[name];
    known.ll_max = fixed<3>(object, "ll_max");
    known.ring_ll128 = fixed<3>(object, "ring_ll128_per_channel");
    known.tree_ll128 = fixed<3>(object, "tree_ll128_per_channel");
    known.tree = fixed<3>(object, "tree_per_channel");
    const std::vector<double> nvls_tree = object.numbers("nvls_tree_per_channel");
    if (nvls_tree.size() < 2) object.fail("nvls_tree_per_channel", "expected two or three numbers");
    known.nvls_tree = {nvls_tree[nvls_tree.size() - 2], nvls_tree.back()};
    known.nvls_efficiency = object.number("nvls_efficiency");
    known.intra_speeds = object.numbers("intra_speeds");
    known.inter_speeds = object.numbers("inter_speeds");
    known.plateau = plateau.number(name);
    object.finish();
  }
  plateau.finish();
  generations.finish();
  JsonObject links = root.object("links");
  for (const std::string& name : links.keys()) {
    JsonObject link = links.object(name);
    tuning.link_GBps_[name] = link.positive("GBps");
    tuning.link_generations_[name] = link.string("generation");
    link.finish();
  }
  JsonObject architectures = root.object("architectures");
  for (const std::string& name : architectures.keys()) {
    tuning.architectures_[name] = architectures.string(name);
  }
  JsonObject exchange = root.object("exchange");
  tuning.exchange_ll_bytes_ = exchange.positive("ll_bytes");
  tuning.exchange_bytes_ = exchange.positive("bytes_per_channel");
  tuning.exchange_channels_ = exchange.positive("most_channels");
  JsonObject prior = root.object("prior");
  tuning.prior_ = {prior.positive("bandwidth"), prior.positive("sd"), prior.positive("borrowed_sd"),
                   prior.positive("extrapolated_sd")};
  JsonObject channels = root.object("channels");
  tuning.most_channels_ = channels.count("most");
  tuning.nvls_channels_ = channels.count("nvls");
  tuning.duplicates_ = channels.count("duplicates");
  tuning.threads_ = per_protocol(channels.object("threads"));
  tuning.bytes_per_thread_ = per_protocol(channels.object("bytes_per_thread"));
  channels.finish();
  JsonObject buffers = root.object("buffers");
  const std::array<int, 3> bytes = per_protocol(buffers.object("bytes"));
  for (std::size_t i = 0; i < bytes.size(); ++i) tuning.buffers_[i] = Bytes(bytes[i]);
  buffers.string("source");
  buffers.finish();
  tuning.switch_buffers_ = read_switch_buffers(root.object("switch_buffers"));
  root.finish();
  return tuning;
}

}  // namespace paceline

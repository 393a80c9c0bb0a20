// paceline_fit_copies DATA-FOLDER OUTPUT: fits the constants of host, device and staged copies from
// the published tables below DATA-FOLDER and writes calibration/fitted/links/copies.json.
#include <iostream>

#include "calibration/collective/copies.h"
#include "core/json_reader.h"
#include "model/hardware/link_catalog.h"

namespace {

int run(int argc, char** argv) {
  using namespace paceline;
  if (argc != 3) throw UsageError("usage: paceline_fit_copies DATA-FOLDER OUTPUT");
  const std::filesystem::path folder = argv[1];
  const std::string host = "calibration/rai-scope/results/raw_data/impact2.json";
  const std::string peers =
      "calibration/tartan/microbenchmark/scale_up_p2p_test/dgx1_ascending.txt";
  const std::string host_text = read_text_file(folder / host);
  const std::string peer_text = read_text_file(folder / peers);
  CopyData data = read_copy_benchmarks(host_text, host);
  data.staged = read_peer_matrix(peer_text, peers, LinkCatalog::shipped().at("pcie3-x16").achieved);
  ParameterSet set = fit_copies(data);
  set.provenance = make_provenance("paceline_fit_copies", {});
  set.sources = {
      {host, sha256_hex(host_text), "Apache-2.0"},
      {peers, sha256_hex(peer_text), "none stated; facts cited from Tartan, IISWC 2018"}};
  write_parameters(argv[2], set);
  for (const Fit& fit : set.fits) {
    std::cout << fit.implementation << ": sd " << fit.quality.residual_sd;
    for (const Parameter& p : fit.parameters) std::cout << "  " << p.name << " " << p.value;
    std::cout << "\n";
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const paceline::Error& error) {
    std::cerr << error.what() << "\n";
    return static_cast<int>(error.code());
  }
}

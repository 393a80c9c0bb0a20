#include "calibration/collective/copies.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "model/formula/copy_time.h"
#include "model/hardware/copy_model.h"

namespace paceline {
namespace {

// Copies over a 12 GB/s link by a processor that copies 9 GB/s, in chunks of 512 KiB.
CopyData synthetic() {
  const double pageable[] = {8e-6, 9e9, 524288};
  CopyData data;
  for (double bytes = 1024; bytes < 1e9; bytes *= 2) {
    data.pinned.push_back({Bytes(bytes), Seconds(formula::HostCopy::pinned(bytes, 12e9, 6e-6))});
    data.pageable.push_back(
        {Bytes(bytes), Seconds(formula::HostCopy::pageable(bytes, 12e9, pageable))});
  }
  data.staged = {{BytesPerSecond(9e9), BytesPerSecond(12e9), Seconds(15e-6)},
                 {BytesPerSecond(9.6e9), BytesPerSecond(12e9), Seconds(15e-6)},
                 {BytesPerSecond(10.2e9), BytesPerSecond(12e9), Seconds(15e-6)}};
  return data;
}

TEST(FitCopies, RecoversWhatMadeTheTimes) {
  const ParameterSet set = fit_copies(synthetic());
  EXPECT_NEAR(set.at("copy.pinned").value("base") * 1e6, 6, 0.2);
  const Fit& pageable = set.at("copy.pageable");
  EXPECT_NEAR(pageable.value("processor_rate") / 9e9, 1, 0.03);
  EXPECT_NEAR(pageable.value("chunk") / 524288, 1, 0.15);
  EXPECT_NEAR(set.at("copy.staged").value("efficiency"), 0.8, 1e-9);
}

TEST(ReadPeerMatrix, TakesTheStagedHalfOffTheDiagonal) {
  const std::string text =
      "Unidirectional P2P=Disabled Bandwidth Matrix (GB/s)\n   D\\D     0      1\n"
      "     0 500.90   9.84\n     1   9.77 500.30\n"
      "Unidirectional P2P=Enabled Bandwidth Matrix (GB/s)\n     0 502.65  18.41\n"
      "P2P=Disabled Latency Matrix (us)\n     0   2.98  18.70\n     1  18.80   2.93\n";
  const auto points = read_peer_matrix(text, "x", BytesPerSecond(12.4e9));
  ASSERT_EQ(points.size(), 2u);
  EXPECT_DOUBLE_EQ(points[0].reached.si(), 9.84e9);
  EXPECT_DOUBLE_EQ(points[1].latency.si(), 18.80e-6);
  EXPECT_THROW(read_peer_matrix("nothing", "x", BytesPerSecond(1)), InputError);
}

TEST(ReadCopyBenchmarks, RefusesFilesWithoutBothKinds) {
  EXPECT_THROW(read_copy_benchmarks(R"({"benchmarks": []})", "x"), InputError);
  EXPECT_THROW(read_copy_benchmarks("{}", "x"), InputError);
}

// Laws of copies with the shipped constants: pageable is slower than pinned, staging slower than
// the link, and time grows with size.
TEST(CopyModel, OrdersCopiesAsHardwareDoes) {
  const std::filesystem::path root(PACELINE_SOURCE_DIR);
  const CopyModel model(read_parameters(root / "calibration/fitted/links/copies.json"));
  const LinkCatalog links = LinkCatalog::load(root / "model/catalog/links");
  const ClusterSpec dgx = read_cluster(root / "model/catalog/clusters/dgx-1-p100.json", links);
  const MachinePaths paths(dgx.machine, model.staging());
  const std::vector<std::size_t> devices = dgx.machine.of_kind(NodeKind::kDevice);
  const MachinePath host = paths.from_host(devices[0]);
  const auto time = [&](double bytes, HostMemory memory) {
    return model.cost(Bytes(bytes), CopyDirection::kHostToDevice, memory, host).time.si();
  };
  double last = 0;
  for (double bytes = 1024; bytes < 1e9; bytes *= 4) {
    EXPECT_GT(time(bytes, HostMemory::kPinned), last);
    last = time(bytes, HostMemory::kPinned);
    if (bytes > 1e6) {
      EXPECT_GT(time(bytes, HostMemory::kPageable), last) << bytes;
    }
  }
  const auto between = [&](std::size_t to) {
    return model
        .cost(Bytes(1e8), CopyDirection::kDeviceToDevice, HostMemory::kPinned,
              paths.between(devices[0], devices[to]))
        .time.si();
  };
  EXPECT_GT(between(5), 1.5 * between(3));
  // Tartan (IISWC 2018): 9.19 GB/s where peers cannot reach each other.
  EXPECT_NEAR(1e8 / between(5) / 9.19e9, 1, 0.15);
  EXPECT_THROW(model.cost(Bytes(0), CopyDirection::kHostToDevice, HostMemory::kPinned, host),
               UsageError);
}

}  // namespace
}  // namespace paceline

// docs/workloads.md is generated from the catalog; this says when it is out of date.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>

#include "core/table.h"
#include "model/graph/workload.h"

namespace paceline {
namespace {

std::string grouped(double value) {
  std::string digits = std::to_string(static_cast<long long>(std::llround(value)));
  for (int at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), ",");
  }
  return digits;
}

std::string workload_page() {
  Table table({"name", "what", "input", "sequence", "parameters", "forward MFLOP per sample",
               "variants", "source"});
  for (const WorkloadListing& entry : list_workloads(workload_registry())) {
    std::string variants;
    for (const WorkloadVariant& variant : entry.variants) {
      variants += (variants.empty() ? "" : "; ") + variant.name + ": " + variant.summary;
    }
    table.add_row({entry.name, entry.summary, entry.input,
                   entry.seq ? std::to_string(*entry.seq) : "",
                   grouped(static_cast<double>(entry.parameters)),
                   grouped(entry.forward_flops_per_sample.si() / 1e6), variants, entry.source});
  }
  return "# Workloads\n\nGenerated from the catalog by the test `WorkloadTable`; see extending.md. "
         "What is counted: models/flop-conventions.md.\nParameters and FLOP are those of the first "
         "variant at the sequence length given. Building any of these graphs takes\nabout a "
         "millisecond or less; `paceline_workload_benchmark` measures it.\n\n" +
         table.to_string(TableFormat::kMarkdown);
}

TEST(WorkloadTable, IsUpToDate) {
  const std::string file = PACELINE_SOURCE_DIR "/docs/workloads.md";
  if (std::getenv("PACELINE_UPDATE_DOCS") != nullptr) std::ofstream(file) << workload_page();
  std::ifstream in(file);
  const std::string found((std::istreambuf_iterator<char>(in)), {});
  EXPECT_EQ(found, workload_page()) << "run this test with PACELINE_UPDATE_DOCS=1";
}

}  // namespace
}  // namespace paceline

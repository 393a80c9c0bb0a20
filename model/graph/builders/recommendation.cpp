// Recommendation: neural collaborative filtering (He et al., arXiv 1708.05031) and DLRM (Naumov et
// al., arXiv 1906.00091).
#include "model/graph/workload.h"

namespace paceline {
namespace {

// NeuMF: a product of factors beside a multi-layer perceptron over the joined embeddings.
void ncf(WorkloadBuilder& b, const WorkloadConfig&) {
  constexpr std::int64_t kUsers = 138493, kItems = 26744;  // MovieLens-20M
  constexpr std::int64_t kFactors = 64, kWidth = 128;
  const TensorId user = b.integer_input("user", {b.batch()});
  const TensorId item = b.integer_input("item", {b.batch()});
  const TensorId product = b.multiply("product", b.embedding("mf_user", user, kUsers, kFactors),
                                      b.embedding("mf_item", item, kItems, kFactors));
  TensorId x = b.concat("joined", {b.embedding("mlp_user", user, kUsers, kWidth),
                                   b.embedding("mlp_item", item, kItems, kWidth)});
  for (const std::int64_t width : {256, 128, 64}) {
    const std::string name = "mlp" + std::to_string(width);
    x = b.relu(name + ".relu", b.linear(name, x, width));
  }
  x = b.linear("final", b.concat("features", {product, x}), 1);
  b.loss("loss", LossKind::kBinaryCrossEntropy, {x, b.input("clicked", {b.batch(), 1})});
}

struct DlrmShape {
  std::vector<std::int64_t> tables, bottom, top;
};

TensorId perceptron(WorkloadBuilder& b, const std::string& name, TensorId x,
                    const std::vector<std::int64_t>& widths, bool ends_in_relu) {
  for (std::size_t i = 0; i < widths.size(); ++i) {
    const std::string layer = name + std::to_string(i);
    x = b.linear(layer, x, widths[i]);
    if (ends_in_relu || i + 1 < widths.size()) x = b.relu(layer + ".relu", x);
  }
  return x;
}

// Dense features through a perceptron, one embedding per categorical feature, the products of all
// pairs, a second perceptron.
void dlrm(WorkloadBuilder& b, const DlrmShape& shape) {
  const std::int64_t width = shape.bottom.back();
  const TensorId dense =
      perceptron(b, "bottom", b.input("dense", {b.batch(), 13}), shape.bottom, true);
  std::vector<TensorId> vectors = {dense};
  for (std::size_t i = 0; i < shape.tables.size(); ++i) {
    const std::string n = std::to_string(i);
    const TensorId index = b.integer_input("category" + n, {b.batch()});
    vectors.push_back(b.embedding("table" + n, index, shape.tables[i], width));
  }
  const auto features = static_cast<std::int64_t>(vectors.size());
  const TensorId stacked =
      b.reshape("stacked", b.concat("joined", vectors), {b.batch(), features, width});
  const TensorId products =
      b.matmul("products", stacked, b.permute("transposed", stacked, {0, 2, 1}));
  const TensorId pairs =
      b.add_op("pairs", Gather{.axis = 1, .count = features * (features - 1) / 2},
               {b.flatten("all_products", products, 1)});
  const TensorId x =
      perceptron(b, "top", b.concat("interaction", {dense, pairs}), shape.top, false);
  b.loss("loss", LossKind::kBinaryCrossEntropy, {x, b.input("clicked", {b.batch(), 1})});
}

// Rows of the categorical tables of the two Criteo data sets; the larger one is capped at 40
// million rows per table, as MLPerf does.
const std::vector<std::int64_t>& criteo_terabyte() {
  static const std::vector<std::int64_t> rows = {
      39884406, 39043,    17289,    7420,     20263,  3,     7120, 1543, 63,
      38532951, 2953546,  403346,   10,       2208,   11938, 155,  4,    976,
      14,       39979771, 25641295, 39664984, 585935, 12972, 108,  36};
  return rows;
}
const std::vector<std::int64_t>& criteo_kaggle() {
  static const std::vector<std::int64_t> rows = {
      1460,  583,  10131227, 2202608, 305, 24,     12517,   633,   3,
      93145, 5683, 8351593,  3194,    27,  14992,  5461306, 10,    5652,
      2173,  4,    7046547,  18,      15,  286181, 105,     142572};
  return rows;
}

}  // namespace

void register_recommendation(WorkloadRegistry& registry) {
  registry.add("ncf", "neural collaborative filtering (NeuMF), MovieLens-20M", [] {
    return std::make_unique<const Workload>(
        Workload{.source = "He et al., arXiv 1708.05031, with MLPerf's sizes",
                 .input = "a user and an item",
                 .build = ncf});
  });
  registry.add("dlrm", "deep learning recommendation model, Criteo", [] {
    return std::make_unique<const Workload>(
        Workload{.source = "Naumov et al., arXiv 1906.00091, with MLPerf's sizes",
                 .input = "13 numbers and 26 categories",
                 .variants = {{"terabyte", "MLPerf: embeddings of 128, tables of up to 40 million"},
                              {"kaggle", "the smaller data set: embeddings of 16"}},
                 .build = [](WorkloadBuilder& b, const WorkloadConfig& config) {
                   if (config.variant == "kaggle") {
                     dlrm(b, {criteo_kaggle(), {512, 256, 64, 16}, {512, 256, 1}});
                   } else {
                     dlrm(b, {criteo_terabyte(), {512, 256, 128}, {1024, 1024, 512, 256, 1}});
                   }
                 }});
  });
}

}  // namespace paceline

// Inception-v3 (Szegedy et al., arXiv 1512.00567) with its auxiliary classifier.
#include "model/graph/blocks/branches.h"
#include "model/graph/workload.h"

namespace paceline {
namespace {

class InceptionV3 : private InceptionBranches {
 public:
  explicit InceptionV3(WorkloadBuilder& b) : InceptionBranches(b), b_(b) {}

  void build() {
    TensorId x = b_.input("images", {b_.batch(), 3, 299, 299});
    x = chain("stem", x, {{32, 3, 3, 2, true}, {32, 3, 3, 1, true}, {64, 3, 3}});
    x = b_.max_pool("stem.pool1", x, {.kernel = 3, .stride = 2});
    x = chain("stem_b", x, {{80}, {192, 3, 3, 1, true}});
    x = b_.max_pool("stem.pool2", x, {.kernel = 3, .stride = 2});
    x = grid_35("mixed_5b.", x, 32);
    x = grid_35("mixed_5c.", x, 64);
    x = grid_35("mixed_5d.", x, 64);
    x = reduction_a("mixed_6a.", x);
    x = grid_17("mixed_6b.", x, 128);
    x = grid_17("mixed_6c.", x, 160);
    x = grid_17("mixed_6d.", x, 160);
    x = grid_17("mixed_6e.", x, 192);
    const TensorId labels = b_.integer_input("labels", {b_.batch()});
    const TensorId auxiliary = auxiliary_loss(x, labels);
    x = reduction_b("mixed_7a.", x);
    x = grid_8("mixed_7b.", x);
    x = grid_8("mixed_7c.", x);
    x = b_.dropout("drop", b_.global_average_pool("avgpool", x), 0.5);
    x = b_.linear("fc", b_.flatten("flatten", x, 1), 1000);
    b_.add("total_loss", b_.cross_entropy("loss", x, labels), auxiliary);
  }

 private:
  TensorId grid_35(const std::string& name, TensorId x, std::int64_t pool_features) {
    return b_.concat(
        name + "concat",
        {chain(name + "a", x, {{64}}), chain(name + "b", x, {{48}, {64, 5, 5}}),
         chain(name + "c", x, {{64}, {96, 3, 3}, {96, 3, 3}}), pooled(name, x, pool_features)});
  }
  TensorId reduction_a(const std::string& name, TensorId x) {
    return b_.concat(
        name + "concat",
        {chain(name + "a", x, {{384, 3, 3, 2, true}}),
         chain(name + "b", x, {{64}, {96, 3, 3}, {96, 3, 3, 2, true}}), shrunk(name, x)});
  }
  TensorId grid_17(const std::string& name, TensorId x, std::int64_t c) {
    return b_.concat(
        name + "concat",
        {chain(name + "a", x, {{192}}), chain(name + "b", x, {{c}, {c, 1, 7}, {192, 7, 1}}),
         chain(name + "c", x, {{c}, {c, 7, 1}, {c, 1, 7}, {c, 7, 1}, {192, 1, 7}}),
         pooled(name, x, 192)});
  }
  TensorId reduction_b(const std::string& name, TensorId x) {
    return b_.concat(name + "concat",
                     {chain(name + "a", x, {{192}, {320, 3, 3, 2, true}}),
                      chain(name + "b", x, {{192}, {192, 1, 7}, {192, 7, 1}, {192, 3, 3, 2, true}}),
                      shrunk(name, x)});
  }
  TensorId grid_8(const std::string& name, TensorId x) {
    return b_.concat(name + "concat",
                     {chain(name + "a", x, {{320}}),
                      split(name + "b.split.", chain(name + "b", x, {{384}}), 384),
                      split(name + "c.split.", chain(name + "c", x, {{448}, {384, 3, 3}}), 384),
                      pooled(name, x, 192)});
  }
  TensorId auxiliary_loss(TensorId x, TensorId labels) {
    x = b_.average_pool("aux.pool", x, {.kernel = 5, .stride = 3});
    x = chain("aux.", x, {{128}, {768, 5, 5, 1, true}});
    x = b_.flatten("aux.flatten", b_.global_average_pool("aux.avgpool", x), 1);
    const TensorId loss = b_.cross_entropy("aux.loss", b_.linear("aux.fc", x, 1000), labels);
    return b_.add_op("aux.weight", Scale{}, {loss});
  }

  WorkloadBuilder& b_;
};

}  // namespace

void register_inception_v3(WorkloadRegistry& registry) {
  registry.add("inception-v3", "Inception-v3 with its auxiliary classifier, ImageNet", [] {
    return std::make_unique<const Workload>(Workload{
        .source = "Szegedy et al., arXiv 1512.00567, as torchvision writes it",
        .input = "3x299x299 image",
        .build = [](WorkloadBuilder& b, const WorkloadConfig&) { InceptionV3(b).build(); }});
  });
}

}  // namespace paceline

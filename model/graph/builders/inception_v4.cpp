// Inception-v4 (Szegedy et al., arXiv 1602.07261), without an auxiliary classifier.
#include "model/graph/blocks/branches.h"
#include "model/graph/workload.h"

namespace paceline {
namespace {

class InceptionV4 : private InceptionBranches {
 public:
  explicit InceptionV4(WorkloadBuilder& b) : InceptionBranches(b), b_(b) {}

  void build() {
    TensorId x = stem(b_.input("images", {b_.batch(), 3, 299, 299}));
    for (int i = 0; i < 4; ++i) x = grid_35("inception_a" + std::to_string(i) + ".", x);
    x = reduction_a("reduction_a.", x);
    for (int i = 0; i < 7; ++i) x = grid_17("inception_b" + std::to_string(i) + ".", x);
    x = reduction_b("reduction_b.", x);
    for (int i = 0; i < 3; ++i) x = grid_8("inception_c" + std::to_string(i) + ".", x);
    x = b_.flatten("flatten", b_.global_average_pool("avgpool", x), 1);
    x = b_.linear("fc", b_.dropout("drop", x, 0.2), 1000);
    b_.cross_entropy("loss", x, b_.integer_input("labels", {b_.batch()}));
  }

 private:
  TensorId stem(TensorId x) {
    x = chain("stem", x, {{32, 3, 3, 2, true}, {32, 3, 3, 1, true}, {64, 3, 3}});
    x = b_.concat("stem.concat1",
                  {shrunk("stem.1.", x), chain("stem.1.conv", x, {{96, 3, 3, 2, true}})});
    x = b_.concat("stem.concat2",
                  {chain("stem.2a", x, {{64}, {96, 3, 3, 1, true}}),
                   chain("stem.2b", x, {{64}, {64, 1, 7}, {64, 7, 1}, {96, 3, 3, 1, true}})});
    return b_.concat("stem.concat3",
                     {chain("stem.3.conv", x, {{192, 3, 3, 2, true}}), shrunk("stem.3.", x)});
  }
  TensorId grid_35(const std::string& name, TensorId x) {
    return b_.concat(name + "concat",
                     {chain(name + "a", x, {{96}}), chain(name + "b", x, {{64}, {96, 3, 3}}),
                      chain(name + "c", x, {{64}, {96, 3, 3}, {96, 3, 3}}), pooled(name, x, 96)});
  }
  TensorId reduction_a(const std::string& name, TensorId x) {
    return b_.concat(
        name + "concat",
        {chain(name + "a", x, {{384, 3, 3, 2, true}}),
         chain(name + "b", x, {{192}, {224, 3, 3}, {256, 3, 3, 2, true}}), shrunk(name, x)});
  }
  TensorId grid_17(const std::string& name, TensorId x) {
    return b_.concat(
        name + "concat",
        {chain(name + "a", x, {{384}}), chain(name + "b", x, {{192}, {224, 1, 7}, {256, 7, 1}}),
         chain(name + "c", x, {{192}, {192, 7, 1}, {224, 1, 7}, {224, 7, 1}, {256, 1, 7}}),
         pooled(name, x, 128)});
  }
  TensorId reduction_b(const std::string& name, TensorId x) {
    return b_.concat(name + "concat",
                     {chain(name + "a", x, {{192}, {192, 3, 3, 2, true}}),
                      chain(name + "b", x, {{256}, {256, 1, 7}, {320, 7, 1}, {320, 3, 3, 2, true}}),
                      shrunk(name, x)});
  }
  TensorId grid_8(const std::string& name, TensorId x) {
    return b_.concat(
        name + "concat",
        {chain(name + "a", x, {{256}}),
         split(name + "b.split.", chain(name + "b", x, {{384}}), 256),
         split(name + "c.split.", chain(name + "c", x, {{384}, {448, 3, 1}, {512, 1, 3}}), 256),
         pooled(name, x, 256)});
  }

  WorkloadBuilder& b_;
};

}  // namespace

void register_inception_v4(WorkloadRegistry& registry) {
  registry.add("inception-v4", "Inception-v4, ImageNet", [] {
    return std::make_unique<const Workload>(Workload{
        .source = "Szegedy et al., arXiv 1602.07261",
        .input = "3x299x299 image",
        .build = [](WorkloadBuilder& b, const WorkloadConfig&) { InceptionV4(b).build(); }});
  });
}

}  // namespace paceline

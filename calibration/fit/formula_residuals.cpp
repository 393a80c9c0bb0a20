#include "calibration/fit/formula_residuals.h"

#include <tuple>

#include "calibration/fit/autodiff_residual.h"
#include "model/cost/formula_inputs.h"
#include "model/cost/formula_list.h"
#include "model/cost/formulas.h"

namespace paceline {
namespace {

template <typename Formula>
class FormulaResiduals : public ResidualFunctions {
 public:
  explicit FormulaResiduals(const std::vector<Observation>& observations) {
    for (const Observation& o : observations) {
      inputs_.emplace_back();
      read_input(o.kernel, o.context, inputs_.back());
      measured_.push_back(o.measured.si());
    }
  }

  std::size_t count() const override { return inputs_.size(); }

  ceres::CostFunction* make(std::size_t i, double sigma,
                            const std::vector<FitParameter>& parameters) const override {
    return make_log_time_residual(
        [input = inputs_[i]](const auto* values) { return Formula::time(input, values).total; },
        measured_[i], sigma, parameters);
  }

 private:
  std::vector<typename Formula::Input> inputs_;
  std::vector<double> measured_;
};

template <typename... Formula>
std::unique_ptr<ResidualFunctions> select(std::tuple<Formula...>*, const std::string& id,
                                          const std::vector<Observation>& observations) {
  std::unique_ptr<ResidualFunctions> out;
  ((Formula::kId == id ? (out = std::make_unique<FormulaResiduals<Formula>>(observations), 0) : 0),
   ...);
  return out;
}

}  // namespace

std::unique_ptr<ResidualFunctions> formula_residuals(const std::string& formula,
                                                     std::vector<Observation> observations) {
  auto out = select(static_cast<KernelFormulas*>(nullptr), formula, observations);
  if (out == nullptr) kernel_formula(formula);  // throws with the known ones
  return out;
}

}  // namespace paceline

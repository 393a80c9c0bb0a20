// Every setting of the program either changes an answer or is refused, on jobs of every shape: a
// setting that does nothing would be taken for one that does not matter.
#include "answers/compare/idle_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>

#include "core/error.h"
#include "simulator/report/prediction.h"
#include "simulator/strategies/strategy.h"

namespace paceline {
namespace {

using testing::AllOf;
using testing::HasSubstr;

using Options = std::map<std::string, std::string>;

Experiment one_device(const std::string& device, int threads) {
  Experiment e;
  e.model = "alexnet";
  e.batch = 4;
  e.device = device;
  e.threads = threads;
  e.draws = 20;
  return e;
}

Experiment several(std::int64_t per_machine) {
  Experiment e = one_device("v100-sxm2-16g", 0);
  e.devices = 4;
  e.grad_accumulation = 2;
  e.intra = "pcie3-x16";
  if (per_machine < e.devices) {
    e.devices_per_machine = per_machine;
    e.net = "10gbe";
  }
  return e;
}

struct JobOfAShape {
  const char* name;
  Experiment experiment;
};
std::vector<JobOfAShape> jobs() {
  return {{"one GPU", one_device("v100-sxm2-16g", 0)},
          {"one CPU", one_device("e5-2630-v3", 2)},
          {"one machine", several(4)},
          {"two machines", several(2)}};
}

class EverySetting : public testing::Test {
 protected:
  std::string seen(const Experiment& e) {
    nlohmann::ordered_json json = to_json(predictor_.predict(e, devices_.at(e)).report);
    json.erase("config");
    return json.dump();
  }

  // What the program does: it predicts, and says what did nothing.
  std::optional<std::string> refusal(const Experiment& e) {
    try {
      seen(e);
      refuse_idle_settings({e}, devices_);
      return std::nullopt;
    } catch (const UsageError& error) {
      return error.what();
    }
  }

  // Whether a value of the setting, or its absence, changes the answer.
  bool acts(const Experiment& e, const Setting& setting) {
    std::set<std::string> answers;
    Experiment other = e;
    other.options.erase(setting.name);
    std::vector<std::string> values = setting.values;
    values.push_back(e.options.at(setting.name));
    for (std::size_t i = 0; i <= values.size(); ++i) {
      if (i > 0) other.options[setting.name] = values[i - 1];
      try {
        answers.insert(seen(other));
      } catch (const UsageError&) {  // excluded by the others that are set
      }
    }
    return answers.size() > 1;
  }

  void check(const JobOfAShape& job, Experiment e, const Setting& setting, const Options& options) {
    for (const auto& [key, value] : options) e.options[key] = value;
    const std::string what = std::string(job.name) + ", " + e.framework + ", " + e.strategy + ": " +
                             setting.name + "=" + options.at(setting.name);
    const std::optional<std::string> refused = refusal(e);
    if (refused) {
      ++refused_;
      EXPECT_THAT(*refused, HasSubstr("--")) << what;
      return;
    }
    ++acting_;
    EXPECT_TRUE(acts(e, setting)) << what;
  }

  // Whether the job can be predicted at all without any setting.
  bool is_possible(const Experiment& e) {
    try {
      seen(e);
      return true;
    } catch (const Error&) {
      return false;
    }
  }

  Predictor predictor_;
  SweepDevices devices_;
  int acting_ = 0;
  int refused_ = 0;
};

TEST_F(EverySetting, OfEveryFrameworkActsOrIsRefused) {
  for (const JobOfAShape& job : jobs()) {
    const auto frameworks = framework_registry();
    for (const auto& entry : frameworks.entries()) {
      Experiment e = job.experiment;
      e.framework = entry.name;
      if (!is_possible(e)) continue;
      const TrainingDevice& device = devices_.at(e);
      for (const Setting& setting : predictor_.settings(predictor_.resolve(e, device), device)) {
        if (setting.of_job) continue;
        for (const std::string& value : setting.values) {
          if (value != setting.fallback) check(job, e, setting, {{setting.name, value}});
        }
      }
    }
  }
  EXPECT_GT(acting_, 100);
  EXPECT_GT(refused_, 20);
}

TEST_F(EverySetting, OfEveryStrategyActsOrIsRefused) {
  for (const JobOfAShape& job : jobs()) {
    const auto strategies = strategy_registry();
    for (const auto& entry : strategies.entries()) {
      Experiment e = job.experiment;
      e.strategy = entry.name;
      if (!is_possible(e)) continue;
      std::vector<StrategyOption> options = all_options(*entry.make());
      for (StrategyOption& option : job_options(e.threads)) options.push_back(std::move(option));
      for (const StrategyOption& option : options) {
        Options set = option.example_with;
        set[option.name] = option.example;
        if (!option.only_with.empty())
          set.try_emplace(option.only_with, option.only_values.front());
        check(job, e, setting_of(option), set);
      }
    }
  }
  EXPECT_GT(acting_, 100);
  EXPECT_GT(refused_, 100);
}

TEST_F(EverySetting, OfLinksNeedsSeveralDevices) {
  for (const auto& [key, value] : Options{{"transport", "tcp"}, {"contention", "off"}}) {
    Experiment e = one_device("v100-sxm2-16g", 0);
    e.options[key] = value;
    EXPECT_EQ(refusal(e), "--set " + key + "=" + value +
                              " has no effect on one device; give --gpus, or leave it out");
  }
  Experiment cpu = one_device("e5-2630-v3", 2);
  cpu.options["shared_cores"] = "8";
  EXPECT_THAT(refusal(cpu).value_or(""), HasSubstr("shared_cores=8 has no effect on one device"));
}

TEST_F(EverySetting, OfLayersThatTheNetworkLacksIsRefused) {
  Experiment e = one_device("v100-sxm2-16g", 0);
  e.framework = "tensorflow";
  e.options["embedding"] = "device";
  EXPECT_EQ(
      refusal(e),
      "--set embedding=device has no effect on alexnet: the prediction is the same with host; "
      "leave it out");
}

TEST_F(EverySetting, OfTheUpdateIsRefusedWhereNothingIsUpdated) {
  Experiment e = one_device("v100-sxm2-16g", 0);
  e.options = {{"phases", "forward"}, {"optimizer", "adam"}};
  EXPECT_EQ(
      refusal(e),
      "--set optimizer=adam has no effect with --set phases=forward, which updates no weight; "
      "phases=training does");
}

// A default that is spelled out says what is the case.
TEST_F(EverySetting, MayBeItsDefault) {
  Experiment e = one_device("v100-sxm2-16g", 0);
  e.framework = "tensorflow";
  e.options["embedding"] = "host";
  EXPECT_EQ(refusal(e), std::nullopt);
}

// One device has no buckets, four have: the point of one stays in the sweep as it is.
TEST_F(EverySetting, ActsInASweepIfItActsAtOnePoint) {
  Experiment one = one_device("v100-sxm2-16g", 0);
  one.strategy = "ddp";
  Experiment four = several(4);
  four.strategy = "ddp";
  one.options["bucket_cap_mib"] = four.options["bucket_cap_mib"] = "1";
  EXPECT_NO_THROW(refuse_idle_settings({one, four}, devices_));
  EXPECT_NO_THROW(refuse_idle_settings({four, one}, devices_));
  EXPECT_THROW(refuse_idle_settings({one, one}, devices_), UsageError);
}

}  // namespace
}  // namespace paceline

// paceline predict: one experiment, or a sweep, to iteration time, interval and reasons.
#include "cli/experiment_flags.h"
#include "cli/output.h"

namespace paceline {
namespace {

ExitCode run(const Arguments& arguments) {
  read_experiments(arguments);
  throw UsageError("predict is not connected to the simulator yet");
}

std::vector<FlagSpec> flags() {
  std::vector<FlagSpec> all = experiment_flags();
  for (FlagSpec& flag : output_flags()) all.push_back(std::move(flag));
  return all;
}

}  // namespace

void register_predict(CommandList& commands) {
  commands.add({.name = "predict",
                .summary = "how long a training iteration takes, and why",
                .example = "paceline predict --model resnet50 --batch 8 --device cpu",
                .flags = flags(),
                .positionals = {},
                .run = run});
}

}  // namespace paceline

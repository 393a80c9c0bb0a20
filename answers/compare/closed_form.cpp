#include "answers/compare/closed_form.h"

#include <algorithm>

#include "core/error.h"

namespace paceline {
namespace {

// How far the last backward pass is at which time.
class BackwardPass {
 public:
  explicit BackwardPass(Seconds whole) : whole_(whole) {}

  // Until so much of it is done, with nothing beside it.
  void advance_to(Seconds done) {
    if (done > done_) run_beside(done - done_, 1);
  }
  // For `time`, at one over `slow_down` of its speed.
  void run_beside(Seconds time, double slow_down) {
    const Seconds reached = done_ + time / slow_down;
    if (done_ < whole_ && reached >= whole_) end_ = now_ + slow_down * (whole_ - done_);
    now_ += time;
    done_ = reached;
  }
  Seconds now() const { return now_; }
  Seconds end() const { return end_; }

 private:
  Seconds whole_, now_, done_, end_;
};

}  // namespace

ClosedForm closed_form(const StepParts& step, std::span<const ReadyMessage> messages,
                       std::span<const Seconds> times, std::span<const double> slow_downs) {
  PACELINE_ASSERT(messages.size() == times.size(), "every message has a time");
  PACELINE_ASSERT(slow_downs.empty() || slow_downs.size() == times.size(),
                  "every message slows kernels, or none does");
  ClosedForm out;
  BackwardPass pass(step.backward);
  for (std::size_t i = 0; i < messages.size(); ++i) {
    pass.advance_to(messages[i].ready);
    pass.run_beside(times[i], slow_downs.empty() ? 1 : slow_downs[i]);
    out.communication += times[i];
  }
  const Seconds last = pass.now();
  pass.advance_to(step.backward);
  out.exposed = std::max(Seconds(0), last - pass.end());
  out.slowed = pass.end() - step.backward;
  out.iteration = step.begin + step.micro_batches * (step.forward + step.backward) + out.slowed +
                  out.exposed + step.update;
  return out;
}

}  // namespace paceline

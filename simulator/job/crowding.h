// Workers that wait for nobody (asynchronous parameter servers) share links and servers with others
// whose iterations have begun at other times. Simulated together they keep the distances in time at
// which they started, since nothing differs between them; real ones do not, as iterations and
// messages vary. So one worker is simulated among the others as it finds them on average: each
// shared resource serves it more slowly the more of their time the others spend there.
//
// One worker needs a resource for d seconds of its iteration T if it is alone, and f d if others
// are there. Each of the m - 1 others is there for the share f d / T of the time, and all that are
// there are served in equal parts:
//
//   f = 1 + (m - 1) f d / T,   so that   f = 1 / (1 - (m - 1) d / T),   at most m
//
// (Schweitzer 1979; Bard 1979: approximate mean value analysis of closed queueing networks). f
// falls with T and rises with d, and what the worker takes rises with every f: there is one
// iteration time that agrees with itself, and no resource can become faster and the worker slower.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/units.h"

namespace paceline {

// How many times as long a resource takes, by its name; others: once.
using Crowding = std::map<std::string, double>;

struct CrowdedResource {
  std::string name;
  int users = 1;     // workers, the simulated one included
  Seconds needed{};  // by one of them in an iteration, alone on it
};

// Of workers whose iterations take `iteration`, which must be at least `users * needed` of each.
Crowding crowding_at(const std::vector<CrowdedResource>& resources, Seconds iteration);

// The crowding under which an iteration takes as long as the crowding is of. `time_under`: of the
// iteration under a crowding; `alone`: under none. To 1e-6.
Crowding settled_crowding(const std::vector<CrowdedResource>& resources, Seconds alone,
                          const std::function<Seconds(const Crowding&)>& time_under);

}  // namespace paceline

#include "traces/import/trace_ranks.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "core/error.h"

namespace paceline {
namespace {

// The number behind "rank" in a file name; -1 if there is none.
int rank_in_name(const std::string& name) {
  std::size_t at = name.find("rank");
  if (at == std::string::npos) return -1;
  at += 4;
  while (at < name.size() && (name[at] == '-' || name[at] == '_' || name[at] == '.')) ++at;
  int rank = -1;
  std::from_chars(name.data() + at, name.data() + name.size(), rank);
  return rank;
}

}  // namespace

void order_by_rank(std::vector<TraceEvents>& processes,
                   const std::vector<std::filesystem::path>& files, std::optional<int> first) {
  std::map<int, std::size_t> owner;
  for (std::size_t i = 0; i < processes.size(); ++i) {
    int& rank = processes[i].rank;
    if (rank < 0) rank = rank_in_name(files[i].filename().string());
    if (rank < 0) rank = first.value_or(0) + static_cast<int>(i);
    const auto [other, is_new] = owner.try_emplace(rank, i);
    if (!is_new) {
      throw InputError(files[i].string() + ": is of rank " + std::to_string(rank) + ", as is " +
                       files[other->second].string() + "; give one file per rank");
    }
  }
  std::stable_sort(processes.begin(), processes.end(),
                   [](const TraceEvents& a, const TraceEvents& b) { return a.rank < b.rank; });
}

}  // namespace paceline

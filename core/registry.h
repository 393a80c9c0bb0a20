// Registry<T>: the named implementations of one extension point, in registration order, which is
// the sorted order of the files that define them (cmake/PacelineRegistration.cmake).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/names.h"

namespace paceline {

template <typename T>
class Registry {
 public:
  using Factory = std::function<std::unique_ptr<const T>()>;
  struct Entry {
    std::string name;
    std::string summary;
    Factory make;
  };

  // `what` names the kind of thing in messages, e.g. "strategy".
  explicit Registry(std::string what) : what_(std::move(what)) {}

  void add(std::string name, std::string summary, Factory make) {
    PACELINE_ASSERT(find(name) == nullptr, "each name is registered once");
    entries_.push_back({std::move(name), std::move(summary), std::move(make)});
  }

  const std::vector<Entry>& entries() const { return entries_; }

  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const Entry& entry : entries_) out.push_back(entry.name);
    return out;
  }

  // Null when there is none; names are compared normalized (core/names.h).
  const Entry* find(std::string_view name) const {
    const std::string wanted = normalized_name(name);
    for (const Entry& entry : entries_) {
      if (normalized_name(entry.name) == wanted) return &entry;
    }
    return nullptr;
  }

  // Throws UsageError with the nearest valid names if there is none.
  std::unique_ptr<const T> make(std::string_view name) const {
    const Entry* entry = find(name);
    if (entry == nullptr) throw UsageError(unknown_name_message(what_, name, names()));
    return entry->make();
  }

 private:
  std::string what_;
  std::vector<Entry> entries_;
};

}  // namespace paceline

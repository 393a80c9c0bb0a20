#include "model/collective/host_tuning.h"

#include "core/data_directory.h"
#include "core/json_reader.h"
#include "core/names.h"
#include "model/formula/collectives.h"

namespace paceline {
namespace {

// Bytes of the largest message that one rank sends another.
double largest_message(std::string_view algorithm, double bytes, int ranks) {
  if (algorithm == "ring" || algorithm == "pairwise") return bytes / ranks;
  if (algorithm == "halving" || algorithm == "halving-doubling") return bytes / 2;
  return bytes;
}

}  // namespace

HostTuning HostTuning::load(const std::filesystem::path& file) {
  const JsonDocument document = read_json_file(file, "paceline.host-collectives/1");
  JsonObject root = document.root();
  HostTuning tuning;
  for (JsonObject& object : root.objects("libraries")) {
    Library library;
    library.name = object.string("name");
    object.string("summary");
    object.string("source");
    library.eager_bytes = object.number_or("eager_bytes", 0);
    for (JsonObject& entry : object.objects("rules")) {
      Rule rule;
      rule.op = parse_collective(entry.string("op"));
      rule.below_bytes = entry.number_or("below_bytes", 0);
      rule.algorithm = entry.string("algorithm");
      host_input(rule.op, rule.algorithm, Bytes(1), 2, BytesPerSecond(1));  // refuses unknown ones
      entry.finish();
      library.rules.push_back(std::move(rule));
    }
    object.finish();
    tuning.libraries_.push_back(std::move(library));
  }
  root.finish();
  return tuning;
}

HostTuning HostTuning::shipped() {
  return load(data_directory() / "model/catalog/collectives/host-libraries.json");
}

std::vector<std::string> HostTuning::names() const {
  std::vector<std::string> out;
  for (const Library& library : libraries_) out.push_back(library.name);
  return out;
}

HostChoice HostTuning::choose(std::string_view library, CollectiveOp op, Bytes bytes,
                              int ranks) const {
  for (const Library& known : libraries_) {
    if (known.name != library) continue;
    for (const Rule& rule : known.rules) {
      const bool small_enough = rule.below_bytes == 0 || bytes.si() < rule.below_bytes;
      if (rule.op != op || !small_enough) continue;
      const bool asks = known.eager_bytes > 0 &&
                        largest_message(rule.algorithm, bytes.si(), ranks) >= known.eager_bytes;
      return {rule.algorithm, asks ? "rendezvous" : "eager"};
    }
    throw UsageError(known.name + " has no rule for " + std::string(to_string(op)));
  }
  throw UsageError(unknown_name_message("library", library, names()));
}

std::string host_fit_name(std::string_view library, CollectiveOp op, const HostChoice& choice) {
  return std::string(library) + "." + std::string(to_string(op)) + "." + choice.algorithm + "." +
         choice.protocol;
}

formula::CollectiveProtocol::Input host_input(CollectiveOp op, std::string_view algorithm,
                                              Bytes bytes, int ranks, BytesPerSecond bus_rate) {
  const double s = bytes.si();
  const double rounds = formula::ceil_log2(ranks);
  const double others = static_cast<double>(ranks - 1) / ranks;
  formula::CollectiveProtocol::Input in;
  in.bus_rate = bus_rate.si();
  if (algorithm == "recursive-doubling" || algorithm == "binomial-tree") {
    in.steps = rounds;
    in.volume = rounds * s;
  } else if (algorithm == "halving") {
    in.steps = rounds;
    in.volume = others * s;
  } else if (algorithm == "halving-doubling") {
    in.steps = 2 * rounds;
    in.volume = 2 * others * s;
  } else if (algorithm == "ring" || algorithm == "pairwise") {
    in.steps = ring_steps(op, ranks);
    in.volume = bus_factor(op, ranks) * s;
  } else {
    throw InputError("no closed form for the algorithm \"" + std::string(algorithm) + "\"");
  }
  const bool reduces = op == CollectiveOp::kAllReduce || op == CollectiveOp::kReduceScatter ||
                       op == CollectiveOp::kReduce;
  const bool whole = algorithm == "recursive-doubling" || algorithm == "binomial-tree";
  in.copied = reduces ? (whole ? rounds : others) * s : 0;
  return in;
}

}  // namespace paceline

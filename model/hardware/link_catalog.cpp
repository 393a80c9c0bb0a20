#include "model/hardware/link_catalog.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/data_directory.h"
#include "core/names.h"
#include "model/hardware/link_file.h"

namespace paceline {
namespace {

// What a typed link may be: from a telegraph to a hundred times the fastest switch; latencies from
// less than a metre of cable to an hour.
constexpr BytesPerSecond kSlowest{1e3 / 8};
constexpr BytesPerSecond kFastest{1e15 / 8};
constexpr Seconds kShortest{1e-9};
constexpr Seconds kLongest{3600};

bool starts_with_number(std::string_view text) {
  return !text.empty() && (text.front() == '-' || (text.front() >= '0' && text.front() <= '9'));
}

// Also of a unit that nobody knows: "25 gbps" is answered with those that are.
bool is_quantity(std::string_view text) {
  const auto has = [&](std::string_view unit) { return text.find(unit) != text.npos; };
  return starts_with_number(text) && (has("/s") || has("bps") || has("Bps"));
}

bool fits(const LinkSpec& link, LinkUse use) {
  if (use == LinkUse::kNetwork) return is_network(link.kind);
  return link.wiring != Wiring::kCable;
}

// The count in front of "4x100 Gb/s"; 1 if there is none.
int lane_count(std::string_view text) {
  int count = 0;
  std::size_t at = 0;
  while (at < text.size() && text[at] >= '0' && text[at] <= '9' && count < 100000) {
    count = count * 10 + (text[at++] - '0');
  }
  return at < text.size() && text[at] == 'x' && count > 0 ? count : 1;
}

// The link of the same use whose rate per lane is nearest, by ratio.
const LinkSpec& nearest_link(BytesPerSecond lane_rate, LinkUse use, const LinkCatalog& catalog) {
  const LinkSpec* nearest = nullptr;
  double distance = 0;
  for (const LinkSpec& link : catalog.links()) {
    if (!fits(link, use)) continue;
    if (use == LinkUse::kInsideMachine && link.wiring != Wiring::kSwitch) continue;
    if (use == LinkUse::kHostLink && link.wiring != Wiring::kHostTree) continue;
    const double ratio = std::abs(std::log(lane_rate.si() / link.data_sheet.si()));
    if (nearest != nullptr && ratio >= distance) continue;
    nearest = &link;
    distance = ratio;
  }
  if (nearest == nullptr) throw InputError("the link catalog has no link of the wanted use");
  return *nearest;
}

void scale_rates(LinkSpec& link, double factor) {
  link.data_sheet *= factor;
  link.achieved *= factor;
  for (Transport& transport : link.transports) transport.achieved *= factor;
}

double parse_factor(std::string_view link, std::string_view text) {
  double factor = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), factor);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  if (whole && factor >= 1e-3 && factor <= 1e3) return factor;
  throw UsageError("link \"" + std::string(link) + "\": the factor behind * must be 0.001 to 1000");
}

constexpr std::string_view kAs = " as ";

// "200 Mb/s@2ms as veth-tbf": the rate, the latency if there is one, and the catalog link whose
// constants it has if one is named.
struct QuantityParts {
  BytesPerSecond rate;
  std::string_view rate_text;
  std::optional<Seconds> latency;
  std::string_view as;
};

QuantityParts split_quantity(std::string_view text) {
  QuantityParts parts;
  std::string_view amount = text;
  if (const std::size_t as = text.find(kAs); as != std::string_view::npos) {
    amount = text.substr(0, as);
    parts.as = text.substr(as + kAs.size());
  }
  const std::size_t at = amount.find('@');
  parts.rate_text = amount.substr(0, at);
  parts.rate = parse_bytes_per_second(parts.rate_text);
  if (parts.rate < kSlowest || parts.rate > kFastest) {
    throw UsageError("link \"" + std::string(text) +
                     "\": the rate must be positive, 1 kb/s to 1 Pb/s");
  }
  if (at == std::string_view::npos) return parts;
  parts.latency = parse_seconds(amount.substr(at + 1));
  if (*parts.latency >= kShortest && *parts.latency <= kLongest) return parts;
  throw UsageError("link \"" + std::string(text) + "\": the latency must be positive, 1 ns to 1 h");
}

const LinkSpec& named_link(std::string_view name, LinkUse use, const LinkCatalog& catalog) {
  const LinkSpec& link = catalog.at(name);
  if (fits(link, use)) return link;
  throw UsageError("link " + link.name + " (" + std::string(to_string(link.kind)) +
                   ") cannot stand for a link of this use");
}

// A quantity says nothing of connections; named networks limit each.
std::string no_limit(const LinkSpec& model) {
  if (!model.per_flow) return "";
  return ", and that few connections are enough for it (" + model.transport + " on " + model.name +
         ": " + to_text(*model.per_flow) + " each); --set transport=" + model.transport +
         " limits them";
}

// What was assumed about a quantity; nothing where it was said.
void warn_of_assumptions(const QuantityParts& parts, const LinkSpec& model, LinkSpec& link) {
  const std::string quoted = "link \"" + link.name + "\": ";
  if (!parts.as.empty()) return;
  link.warnings.push_back(quoted + "achieves " +
                          significant(100 * (model.achieved / model.data_sheet)) +
                          " % of its line rate, as " + model.name + " does" + no_limit(model));
  if (parts.latency) return;
  link.warnings.push_back(quoted + "latency " + to_text(model.latency) + " of " + model.name +
                          " assumed; write \"" + link.name + "@5us\" to give it");
}

LinkSpec from_quantity(std::string_view text, LinkUse use, const LinkCatalog& catalog) {
  const QuantityParts parts = split_quantity(text);
  const int lanes = lane_count(parts.rate_text);
  const LinkSpec& model = parts.as.empty() ? nearest_link(parts.rate / lanes, use, catalog)
                                           : named_link(parts.as, use, catalog);
  LinkSpec link = model;
  link.name = std::string(text);
  link.summary = "typed as a quantity";
  link.behaves_as = parts.as.empty() ? "" : model.name;
  link.measured = false;
  for (Transport& transport : link.transports) transport.measured = false;
  link.lanes = lanes;
  link.lane = "";
  // What was typed is the link's rate; only a transport asked for by name limits a connection.
  link.per_flow.reset();
  scale_rates(link, parts.rate / model.data_sheet);
  link.sources["data_sheet"] = "given";
  warn_of_assumptions(parts, model, link);
  if (!parts.latency) return link;
  link.extra_latency = *parts.latency - model.latency;
  link.latency = *parts.latency;
  link.sources["latency"] = "given";
  for (Transport& transport : link.transports) transport.latency = *parts.latency;
  return link;
}

}  // namespace

LinkCatalog LinkCatalog::load(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code missing;
  for (const auto& entry : std::filesystem::directory_iterator(folder, missing)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  if (missing || files.empty()) {
    throw InputError("no link catalog in " + folder.string() + ": expected *.json files");
  }
  std::ranges::sort(files);
  LinkCatalog catalog;
  for (const std::filesystem::path& file : files) {
    const JsonDocument document = read_json_file(file, "paceline.links/1");
    JsonObject root = document.root();
    for (JsonObject& object : root.objects("links")) {
      LinkSpec link = read_link(object);
      if (catalog.find(link.name) != nullptr) object.fail("name", "\"" + link.name + "\" twice");
      catalog.links_.push_back(std::move(link));
    }
    root.finish();
  }
  return catalog;
}

LinkCatalog LinkCatalog::shipped() { return load(data_directory() / "model/catalog/links"); }

const LinkSpec* LinkCatalog::find(std::string_view name) const {
  const std::string wanted = normalized_name(name);
  for (const LinkSpec& link : links_) {
    if (normalized_name(link.name) == wanted) return &link;
  }
  return nullptr;
}

const LinkSpec& LinkCatalog::at(std::string_view name) const {
  if (const LinkSpec* link = find(name)) return *link;
  std::vector<std::string> names;
  for (const LinkSpec& link : links_) names.push_back(link.name);
  throw UsageError(unknown_name_message("link", name, names));
}

LinkSpec parse_link(std::string_view text, LinkUse use, const LinkCatalog& catalog) {
  if (const std::size_t star = text.rfind('*'); star != text.npos) {
    const double factor = parse_factor(text, text.substr(star + 1));
    LinkSpec link = parse_link(text.substr(0, star), use, catalog);
    link.name = text;
    scale_rates(link, factor);
    if (link.peer) *link.peer *= factor;
    link.sources["data_sheet"] = "given";
    return link;
  }
  if (is_quantity(text)) return from_quantity(text, use, catalog);
  const bool file = text.ends_with(".json");
  if (!file && starts_with_number(text) && catalog.find(text) == nullptr) {
    std::vector<std::string> names;
    for (const LinkSpec& known : catalog.links()) {
      if (fits(known, use)) names.push_back(known.name);
    }
    throw UsageError(unknown_name_message("link", text, names) +
                     " (a rate is written \"25 Gb/s\" or \"25 Gb/s@5us\")");
  }
  const LinkSpec link = file ? read_link_file(text) : catalog.at(text);
  if (fits(link, use)) return link;
  std::string allowed;
  for (const LinkSpec& candidate : catalog.links()) {
    if (fits(candidate, use)) allowed += (allowed.empty() ? "" : ", ") + candidate.name;
  }
  const std::string wanted = use == LinkUse::kNetwork ? "a network" : "the inside of a machine";
  throw UsageError("link " + link.name + " (" + std::string(to_string(link.kind)) + ") cannot be " +
                   wanted + "; use one of " + allowed);
}

}  // namespace paceline

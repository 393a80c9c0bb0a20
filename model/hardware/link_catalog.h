// The links the product knows by name (model/catalog/links/*.json), and links typed as a quantity.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "model/hardware/link_spec.h"

namespace paceline {

class LinkCatalog {
 public:
  // Reads every *.json of `folder`, each "paceline.links/1". Throws InputError on an invalid file
  // or when two links have the same normalized name.
  static LinkCatalog load(const std::filesystem::path& folder);
  // The catalog that ships with the product.
  static LinkCatalog shipped();

  const std::vector<LinkSpec>& links() const { return links_; }
  const LinkSpec* find(std::string_view name) const;
  // Throws UsageError with the nearest names.
  const LinkSpec& at(std::string_view name) const;

 private:
  std::vector<LinkSpec> links_;
};

// kHostLink: below a device, where a quantity means PCIe of that rate and not a switch.
enum class LinkUse { kInsideMachine, kHostLink, kNetwork };

// A catalog name, or a quantity with an optional latency: "25 Gb/s", "4x100 Gb/s", "25 Gb/s@5us".
// A quantity is a line rate per direction; what it does not say (latency, achieved fraction) is
// taken from the catalog link of that use nearest in rate, and `warnings` says so, or from the one
// it names ("200 Mb/s@2ms as veth-tbf"), whose fits hold for it too. Either may be followed by a
// factor of its rates, "100gbe*2": the same link and transports, faster; latency and the limit of
// one connection stay. Throws UsageError on an unknown name or unit, a rate or latency that is not
// positive, and on a link of the wrong use ("pcie3-x16" as a network).
LinkSpec parse_link(std::string_view text, LinkUse use, const LinkCatalog& catalog);

}  // namespace paceline

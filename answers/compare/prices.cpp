#include "answers/compare/prices.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

#include "core/error.h"
#include "core/json_reader.h"
#include "core/trimmed.h"
#include "core/units_text.h"
#include "model/hardware/device_catalog.h"
#include "model/hardware/device_file.h"

namespace paceline {
namespace {

bool is_currency(std::string_view text) {
  return text.size() == 3 &&
         std::ranges::all_of(text, [](unsigned char c) { return std::isupper(c) != 0; });
}

bool is_date(const std::string& text) {
  const std::string shape = "dddd-dd-dd";
  if (text.size() != shape.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool digit = std::isdigit(static_cast<unsigned char>(text[i])) != 0;
    if (shape[i] == 'd' ? !digit : text[i] != '-') return false;
  }
  return true;
}

}  // namespace

Money parse_money(std::string_view what, std::string_view text) {
  const auto refuse = [&] {
    throw UsageError(std::string(what) + " \"" + std::string(text) +
                     "\" is not an amount of money; write \"$120000\" or \"120k USD\"");
  };
  std::string_view rest = trimmed(text);
  Money out;
  if (rest.starts_with('$')) {
    out.currency = "USD";
    rest.remove_prefix(1);
  }
  std::string digits;
  while (!rest.empty() && (std::isdigit(static_cast<unsigned char>(rest[0])) != 0 ||
                           rest[0] == '.' || rest[0] == ',')) {
    if (rest[0] != ',') digits += rest[0];
    rest.remove_prefix(1);
  }
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), out.amount);
  if (error != std::errc() || end != digits.data() + digits.size()) refuse();
  if (rest.starts_with('k') || rest.starts_with('M')) {
    out.amount *= rest[0] == 'k' ? 1e3 : 1e6;
    rest.remove_prefix(1);
  }
  rest = trimmed(rest);
  if (out.currency.empty()) {
    if (!is_currency(rest)) refuse();
    out.currency = rest;
  } else if (!rest.empty()) {
    refuse();
  }
  if (!std::isfinite(out.amount) || out.amount <= 0) refuse();
  return out;
}

std::string to_text(const Money& money) {
  return significant(money.amount, 4) + " " + money.currency;
}

PriceList PriceList::read(const std::filesystem::path& file) {
  const JsonDocument document = read_json_file(file, "paceline.prices/1");
  JsonObject root = document.root();
  const DeviceCatalog catalog = DeviceCatalog::shipped();
  PriceList out;
  out.date_ = root.string("date");
  if (!is_date(out.date_)) root.fail("date", "is not a date such as 2026-11-30");
  out.source_ = root.string("source");
  JsonObject devices = root.object("devices");
  for (const std::string& key : devices.keys()) {
    const std::string text = devices.string(key);
    if (!text.ends_with("/h")) devices.fail(key, "\"" + text + "\" has no \"/h\"");
    Money price;
    std::string name;
    try {
      price = parse_money(key, text.substr(0, text.size() - 2));
      name = is_device_path(key) ? read_described_device(beside(file, key), catalog).name
                                 : catalog.at(key).name;
    } catch (const Error& error) {
      devices.fail(key, error.what());
    }
    if (!out.currency_.empty() && price.currency != out.currency_) {
      devices.fail(key, "is in " + price.currency + ", others in " + out.currency_);
    }
    out.currency_ = price.currency;
    out.devices_[name] = price.amount;
  }
  if (out.devices_.empty()) root.fail("devices", "is empty");
  root.finish();
  return out;
}

std::optional<double> PriceList::per_hour(std::string_view device) const {
  for (const auto& [name, price] : devices_) {
    if (device_key(name) == device_key(device)) return price;
  }
  return std::nullopt;
}

double PriceList::needed_per_hour(std::string_view device) const {
  if (const std::optional<double> price = per_hour(device)) return *price;
  throw InputError("the price file has no price for " + std::string(device) +
                   "; a ranking by money needs one of every device");
}

}  // namespace paceline

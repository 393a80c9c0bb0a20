// What an hour of a device costs: a file with a date, since prices change faster than hardware
// ("paceline.prices/1", docs/file-formats.md). Paceline ships none.
//
//   { "schema": "paceline.prices/1", "date": "2026-11-30", "source": "list prices of ...",
//     "devices": { "a100-sxm-80g": "1.89 USD/h", "h100-sxm": "2.99 USD/h" } }
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace paceline {

inline constexpr double kSecondsPerHour = 3600;

// An amount of money, in the only currency of a price file.
struct Money {
  double amount = 0;
  std::string currency;  // "USD"
};
// "$120000", "120000 USD", "50k EUR". Throws UsageError naming `what` and the text.
Money parse_money(std::string_view what, std::string_view text);
std::string to_text(const Money& money);

class PriceList {
 public:
  // Throws InputError on an unknown device name, a price that is not positive or has no "/h", and
  // on two currencies.
  static PriceList read(const std::filesystem::path& file);

  const std::string& date() const { return date_; }
  const std::string& currency() const { return currency_; }
  const std::string& source() const { return source_; }
  // Of one device and hour; names are compared as the device catalog does.
  std::optional<double> per_hour(std::string_view device) const;
  // The same for what is ranked by money, where every device needs a price: throws InputError
  // naming the one that has none.
  double needed_per_hour(std::string_view device) const;

 private:
  std::string date_;
  std::string source_;
  std::string currency_;
  std::map<std::string, double> devices_;  // by catalog name
};

}  // namespace paceline

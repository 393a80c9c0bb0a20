#include "model/import/topology_matrix.h"

#include <map>
#include <utility>

#include "core/error.h"

namespace paceline {
namespace {

using Matrix = TopologyMatrix;
using Cell = TopologyCell;
using Distance = TopologyDistance;

[[noreturn]] void fail(const std::string& name, int line, const std::string& message) {
  throw InputError(name + ":" + std::to_string(line) + ": " + message);
}

// Without what terminals and launchers add: "\x1b[4m" before the header that nvidia-smi underlines,
// "[1,0]<stdout>:" before lines that mpirun tags.
std::string bare(std::string_view line) {
  std::string out;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool escape = line[i] == '\x1b' && i + 1 < line.size() && line[i + 1] == '[';
    if (!escape) {
      out += line[i];
      continue;
    }
    i += 2;
    while (i < line.size() && (line[i] < '@' || line[i] > '~')) ++i;
  }
  const std::size_t tag = out.find(">:");
  const bool tagged = out.starts_with('[') && tag != std::string::npos;
  return tagged ? out.substr(tag + 2) : out;
}

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : line) {
    if (c == ' ' || c == '\t' || c == '\r') {
      if (!word.empty()) words.push_back(std::exchange(word, ""));
    } else {
      word += c;
    }
  }
  if (!word.empty()) words.push_back(word);
  return words;
}

bool is_endpoint(const std::string& name) {
  return (is_topology_device(name) && name.size() > 3) || name.starts_with("NIC") ||
         name.starts_with("mlx") || name.starts_with("bnxt") || name.starts_with("efa");
}

Cell read_cell(const std::string& text, const std::string& name, int line) {
  static const std::map<std::string, Distance> kWords = {
      {"X", Distance::kSelf},  {"PIX", Distance::kPix},   {"PXB", Distance::kPxb},
      {"PHB", Distance::kPhb}, {"NODE", Distance::kNode}, {"SYS", Distance::kSys},
      {"SOC", Distance::kSys}};
  if (const auto known = kWords.find(text); known != kWords.end()) return {known->second, 0};
  const bool counted = text.size() > 2 && text.starts_with("NV") &&
                       text.find_first_not_of("0123456789", 2) == std::string::npos;
  if (!counted || text.size() > 5 || std::stoi(text.substr(2)) == 0) {
    fail(
        name, line,
        "unknown cell \"" + text + "\"; known: X, PIX, PXB, PHB, NODE, SYS, NV and a count from 1");
  }
  return {Distance::kSys, std::stoi(text.substr(2))};
}

Matrix read_rows(std::string_view text, const std::string& name) {
  Matrix matrix;
  int number = 0;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::vector<std::string> words = words_of(bare(text.substr(0, end)));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    ++number;
    if (words.empty()) continue;
    if (matrix.names.empty()) {
      for (const std::string& word : words) {
        if (is_endpoint(word)) matrix.names.push_back(word);
      }
      continue;
    }
    if (matrix.cells.size() == matrix.names.size()) break;
    const std::string& expected = matrix.names[matrix.cells.size()];
    if (words[0] != expected) {
      fail(name, number, "expected the row of " + expected + ", found \"" + words[0] + "\"");
    }
    if (words.size() < matrix.names.size() + 1) {
      fail(name, number,
           "a row of " + std::to_string(words.size() - 1) + " cells, expected " +
               std::to_string(matrix.names.size()) + "; is it cut off?");
    }
    std::vector<Cell> row;
    for (std::size_t i = 1; i <= matrix.names.size(); ++i) {
      row.push_back(read_cell(words[i], name, number));
      const bool self = row.back().distance == Distance::kSelf;
      if (self == (i == matrix.cells.size() + 1)) continue;
      fail(name, number,
           "found " + words[i] + " from " + expected + " to " + matrix.names[i - 1] +
               "; X is of a device with itself, and of no other");
    }
    matrix.cells.push_back(std::move(row));
  }
  if (matrix.names.empty()) {
    throw InputError(name + ": no row of GPU0, GPU1, ...: not the output of nvidia-smi topo -m");
  }
  if (matrix.cells.size() != matrix.names.size()) {
    throw InputError(name + ": " + std::to_string(matrix.cells.size()) + " rows for " +
                     std::to_string(matrix.names.size()) + " columns; is it cut off?");
  }
  return matrix;
}

void check_symmetric(const Matrix& matrix, const std::string& name) {
  for (std::size_t i = 0; i < matrix.names.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const Cell& a = matrix.cells[i][j];
      const Cell& b = matrix.cells[j][i];
      if (a.distance == b.distance && a.nvlinks == b.nvlinks) continue;
      throw InputError(name + ": " + matrix.names[i] + " and " + matrix.names[j] +
                       " see each other differently");
    }
  }
}

}  // namespace

bool is_topology_device(const std::string& name) { return name.starts_with("GPU"); }

TopologyMatrix read_topology_matrix(std::string_view text, const std::string& name) {
  TopologyMatrix matrix = read_rows(text, name);
  check_symmetric(matrix, name);
  return matrix;
}

}  // namespace paceline

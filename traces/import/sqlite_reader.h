// Reading an SQLite file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

struct sqlite3;
struct sqlite3_stmt;

namespace paceline {

// The rows of a query, one after another.
class SqliteRows {
 public:
  SqliteRows(sqlite3* database, const std::string& query, std::string file);
  // False after the last row. Throws InputError if the file is damaged.
  bool next();
  // Of the row at hand; 0 and "" for NULL.
  std::int64_t integer(int column) const;
  std::string text(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  std::string file_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

class SqliteDatabase {
 public:
  // Read-only. Throws InputError if the file is missing or not a database.
  explicit SqliteDatabase(const std::filesystem::path& file);

  bool has_table(const std::string& table) const;
  bool has_column(const std::string& table, const std::string& column) const;
  // Throws InputError if the query does not fit the tables.
  SqliteRows rows(const std::string& query) const;

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  std::string file_;
  std::unique_ptr<sqlite3, Close> database_;
};

}  // namespace paceline

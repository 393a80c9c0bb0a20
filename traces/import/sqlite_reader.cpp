#include "traces/import/sqlite_reader.h"

#include <sqlite3.h>

#include "core/error.h"

namespace paceline {

void SqliteRows::Finalize::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

SqliteRows::SqliteRows(sqlite3* database, const std::string& query, std::string file)
    : file_(std::move(file)) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v2(database, query.c_str(), -1, &statement, nullptr);
  statement_.reset(statement);
  if (code != SQLITE_OK) throw InputError(file_ + ": " + sqlite3_errmsg(database));
}

bool SqliteRows::next() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  throw InputError(file_ + ": " + sqlite3_errstr(code));
}

std::int64_t SqliteRows::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

std::string SqliteRows::text(int column) const {
  const unsigned char* text = sqlite3_column_text(statement_.get(), column);
  return text == nullptr ? "" : reinterpret_cast<const char*>(text);
}

void SqliteDatabase::Close::operator()(sqlite3* database) const { sqlite3_close(database); }

SqliteDatabase::SqliteDatabase(const std::filesystem::path& file) : file_(file.string()) {
  sqlite3* database = nullptr;
  const int code = sqlite3_open_v2(file.c_str(), &database, SQLITE_OPEN_READONLY, nullptr);
  database_.reset(database);
  if (code != SQLITE_OK) throw InputError(file_ + ": " + sqlite3_errstr(code));
}

bool SqliteDatabase::has_table(const std::string& table) const {
  return rows("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = '" + table + "'").next();
}

bool SqliteDatabase::has_column(const std::string& table, const std::string& column) const {
  return rows("SELECT 1 FROM pragma_table_info('" + table + "') WHERE name = '" + column + "'")
      .next();
}

SqliteRows SqliteDatabase::rows(const std::string& query) const {
  return {database_.get(), query, file_};
}

}  // namespace paceline

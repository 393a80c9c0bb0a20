// The kinds of failure a user can meet, and the exit code each one becomes in main().
// Bad input is thrown where it is found and caught only in main(); our own bugs are assertions.
#pragma once

#include <source_location>
#include <stdexcept>
#include <string>
#include <string_view>

namespace paceline {

// Exit codes of every command; documented in docs/commands.md.
enum class ExitCode : int {
  kOk = 0,
  kInternal = 1,
  kUsage = 2,
  kInput = 3,
  kCheck = 4,
  kInfeasible = 5
};

// Base of all errors that are reported as one line on stderr.
class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

// A flag, name, unit or value typed by the user cannot be used (exit 2).
class UsageError : public Error {
 public:
  explicit UsageError(const std::string& message) : Error(ExitCode::kUsage, message) {}
};

// A file is missing, unreadable or invalid (exit 3). The message says where, what was found, and
// what is allowed.
class InputError : public Error {
 public:
  explicit InputError(const std::string& message) : Error(ExitCode::kInput, message) {}
};

// A fitted parameter that a prediction needs is absent (exit 3); the message names the parameter
// and the command that produces it.
class MissingParameter : public InputError {
 public:
  using InputError::InputError;
};

// A library call of a measurement failed; becomes a skipped result, never a number.
class MeasurementError : public Error {
 public:
  explicit MeasurementError(const std::string& message) : Error(ExitCode::kInternal, message) {}
};

[[noreturn]] void assertion_failed(std::string_view condition, std::string_view meaning,
                                   std::source_location where);

}  // namespace paceline

// Checks an invariant of our own code, in every build type. Never for input.
#define PACELINE_ASSERT(condition, meaning) \
  ((condition)                              \
       ? void(0)                            \
       : ::paceline::assertion_failed(#condition, (meaning), std::source_location::current()))

#include "traces/import/json_events.h"

#include <simdjson.h>

#include <algorithm>
#include <cstring>

#include "core/error.h"
#include "core/trimmed.h"
#include "traces/import/compressed_file.h"

namespace paceline {
namespace {

namespace ondemand = simdjson::ondemand;

constexpr std::size_t kPiece = 4 << 20;
constexpr std::size_t kLargestFrame = 64 << 20;
constexpr std::string_view kSpace = " \t\r\n";

std::string_view without_quotes(std::string_view text) {
  text = trimmed(text, kSpace);
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {
    return trimmed(text.substr(1, text.size() - 2), kSpace);
  }
  return text;
}

// Turns the text of one event into its fields. Throws simdjson_error.
class EventParser {
 public:
  const JsonEvent& parse(const char* text, std::size_t length, std::size_t allocated) {
    event_.phase = '\0';
    event_.name = event_.category = event_.pid = event_.tid = {};
    event_.timestamp = event_.duration = {};
    event_.arguments.clear();
    ondemand::document document = parser_.iterate(text, length, allocated);
    for (auto field : document.get_object()) read_field(field.unescaped_key(), field.value());
    return event_;
  }

 private:
  void read_field(std::string_view key, ondemand::value value) {
    if (key == "name") {
      event_.name = value.get_string();
    } else if (key == "cat") {
      event_.category = value.get_string();
    } else if (key == "args") {
      read_arguments(value);
    } else if (key == "ph") {
      const std::string_view phase = value.get_string();
      event_.phase = phase.empty() ? '\0' : phase.front();
    } else {
      const std::string_view raw = simdjson::to_json_string(value);
      if (key == "ts") event_.timestamp = without_quotes(raw);
      if (key == "dur") event_.duration = without_quotes(raw);
      if (key == "pid") event_.pid = without_quotes(raw);
      if (key == "tid") event_.tid = without_quotes(raw);
    }
  }

  void read_arguments(ondemand::value value) {
    ondemand::object object;
    if (value.get_object().get(object) != simdjson::SUCCESS) return;
    for (auto field : object) {
      const std::string_view key = field.unescaped_key();
      event_.arguments.emplace_back(key, trimmed(simdjson::to_json_string(field.value()), kSpace));
    }
  }

  ondemand::parser parser_;
  JsonEvent event_;
};

// Finds where events begin and end, from brackets alone.
class EventScanner {
 public:
  EventScanner(JsonEventsResult& result, const std::function<void(const JsonEvent&)>& handler)
      : result_(result), handler_(handler) {}

  void run(const std::filesystem::path& file) {
    CompressedFile stream(file);
    buffer_.resize(kPiece + simdjson::SIMDJSON_PADDING);
    while (true) {
      const std::size_t room = buffer_.size() - simdjson::SIMDJSON_PADDING - filled_;
      const std::size_t got = stream.read(buffer_.data() + filled_, room);
      if (got == 0) break;
      filled_ += got;
      scan();
      keep_unfinished();
    }
    result_.damage = stream.damage();
    if (result_.damage.empty() && (depth_ != 0 || in_string_)) {
      result_.damage = "the file ends inside its list of events";
    }
  }

 private:
  void scan() {
    while (at_ < filled_) {
      if (in_string_) {
        skip_string();
      } else {
        take(buffer_[at_]);
        ++at_;
      }
    }
  }

  // To the end of the string or of the piece.
  void skip_string() {
    const std::size_t begin = at_;
    while (at_ < filled_ && in_string_) {
      const char c = buffer_[at_];
      if (escaped_) {
        escaped_ = false;
      } else if (c == '\\') {
        escaped_ = true;
      } else if (c == '"') {
        in_string_ = false;
      }
      ++at_;
    }
    if (in_frame()) append_to_frame(&buffer_[begin], at_ - begin);
  }

  bool in_frame() const { return list_ != List::kInside; }

  void append_to_frame(const char* text, std::size_t length) {
    if (result_.frame.size() + length > kLargestFrame) {
      throw InputError("no list of events (\"traceEvents\") in the first " +
                       std::to_string(kLargestFrame >> 20) + " MiB");
    }
    result_.frame.append(text, length);
  }

  void take(char c) {
    if (c == '"') in_string_ = true;
    if (c == '{' || c == '[') open(c);
    if (c == '}' || c == ']') close();
    if (in_frame()) append_to_frame(&c, 1);
    if (entering_) list_ = List::kInside;
    entering_ = false;
  }

  void open(char c) {
    if (list_ == List::kBefore && c == '[' && (depth_ == 0 || (depth_ == 1 && after_key()))) {
      entering_ = true;
      list_depth_ = depth_ + 1;
    } else if (list_ == List::kInside && depth_ == list_depth_) {
      event_begin_ = at_;
    }
    ++depth_;
  }

  void close() {
    --depth_;
    if (list_ != List::kInside) return;
    if (depth_ == list_depth_) finish_event();
    if (depth_ < list_depth_) list_ = List::kAfter;
  }

  // Whether what stands before this place is the key of the list of events.
  bool after_key() const {
    std::string_view before = trimmed(result_.frame, kSpace);
    if (before.empty() || before.back() != ':') return false;
    before = trimmed(before.substr(0, before.size() - 1), kSpace);
    return before.ends_with("\"traceEvents\"");
  }

  void finish_event() {
    const char* begin = &buffer_[event_begin_];
    try {
      handler_(parser_.parse(begin, at_ + 1 - event_begin_, buffer_.size() - event_begin_));
      ++result_.events;
    } catch (const simdjson::simdjson_error& error) {
      if (result_.unreadable++ == 0) {
        result_.first_error =
            "byte " + std::to_string(before_ + event_begin_) + ": " + error.what();
      }
    }
    event_begin_ = kNone;
  }

  // Moves the event that is not complete to the front, and makes room for more of it.
  void keep_unfinished() {
    const std::size_t from = event_begin_ == kNone ? at_ : event_begin_;
    const std::size_t kept = filled_ - from;
    std::memmove(buffer_.data(), buffer_.data() + from, kept);
    before_ += from;
    filled_ = kept;
    at_ -= from;
    if (event_begin_ != kNone) event_begin_ = 0;
    if (kept > kPiece / 2) buffer_.resize(kept + kPiece + simdjson::SIMDJSON_PADDING);
  }

  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  enum class List { kBefore, kInside, kAfter };

  JsonEventsResult& result_;
  const std::function<void(const JsonEvent&)>& handler_;
  EventParser parser_;
  std::vector<char> buffer_;
  std::size_t filled_ = 0, at_ = 0;  // bytes in the buffer; the next one to look at
  std::size_t before_ = 0;           // bytes of the file before the buffer
  std::size_t event_begin_ = kNone;
  int depth_ = 0, list_depth_ = 0;
  bool in_string_ = false, escaped_ = false, entering_ = false;
  List list_ = List::kBefore;
};

}  // namespace

std::string_view JsonEvent::argument(std::string_view key) const {
  for (const auto& [argument_key, value] : arguments) {
    if (argument_key == key) return without_quotes(value);
  }
  return {};
}

JsonEventsResult read_json_events(const std::filesystem::path& file,
                                  const std::function<void(const JsonEvent&)>& handler) {
  JsonEventsResult result;
  try {
    EventScanner(result, handler).run(file);
  } catch (const InputError& error) {
    const std::string text = error.what();
    throw InputError(text.starts_with(file.string()) ? text : file.string() + ": " + text);
  }
  if (result.events > 0) return result;
  if (result.unreadable > 0) {
    throw InputError(file.string() + ": no event can be read; " + result.first_error);
  }
  throw InputError(file.string() + ": holds no trace events" +
                   (result.damage.empty() ? "; expected {\"traceEvents\": [...]} or [...]"
                                          : ": " + result.damage));
}

}  // namespace paceline

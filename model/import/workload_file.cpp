#include "model/import/workload_file.h"

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/json_reader.h"
#include "model/import/workload_operations.h"

namespace paceline {
namespace {

std::vector<std::string> kind_names() {
  std::vector<std::string> names;
  for (const auto& entry : workload_operations()) names.push_back(entry.first);
  return names;
}

bool is_loss(const std::string& kind) {
  return kind == "cross_entropy" || kind == "mean_squared_error";
}

// The tensors that operations can name, and which of them one has read.
class Tensors {
 public:
  void add(JsonObject& object, const std::string& name, TensorId id) {
    if (ids_.contains(name)) object.fail("name", "\"" + name + "\" is taken");
    ids_.emplace(name, id);
    unread_.emplace_back(name, object);
  }
  TensorId read(JsonObject& object, const std::string& name) {
    const auto found = ids_.find(name);
    if (found == ids_.end()) {
      object.fail("inputs", "\"" + name + "\" is no input and no earlier operation");
    }
    std::erase_if(unread_, [&](const auto& entry) { return entry.first == name; });
    return found->second;
  }
  // What nothing reads is no part of a training iteration and is a typing error; `last` is the
  // loss.
  void check_all_read(const std::string& last) const {
    for (const auto& [name, object] : unread_) {
      if (name != last) object.fail("name", "\"" + name + "\" is read by no operation");
    }
  }

 private:
  std::map<std::string, TensorId> ids_;
  std::vector<std::pair<std::string, JsonObject>> unread_;
};

// A batch that is written out as a number would not follow --batch, which everything per sample is
// divided by. Positions are the same for every sample: ["seq"].
void check_has_batch(JsonObject& input) {
  const nlohmann::json& shape = input.raw("shape");
  const bool positions = shape.size() == 1 && shape[0] == "seq";
  const bool recurrent = shape.size() > 1 && shape[1] == "batch";
  const bool batched = recurrent || (!shape.empty() && shape[0] == "batch");
  const bool once = std::count_if(shape.begin(), shape.end(),
                                  [](const auto& dim) { return dim == "batch"; }) == 1;
  if (positions || (batched && once)) return;
  input.fail("shape", "is " + shape.dump() +
                          "; allowed: \"batch\" first (second where steps come first, as for "
                          "recurrent layers) and nowhere else, or [\"seq\"] alone");
}

void build_from(const JsonDocument& document, WorkloadBuilder& b, const WorkloadConfig& config) {
  JsonObject root = document.root();
  Tensors tensors;
  for (JsonObject& input : root.objects("inputs")) {
    const std::string name = input.string("name");
    const WorkloadBuilder::Dims dims = read_workload_shape(input, "shape", config);
    check_has_batch(input);
    tensors.add(
        input, name,
        input.boolean_or("integer", false) ? b.integer_input(name, dims) : b.input(name, dims));
    input.finish();
  }
  std::vector<JsonObject> operations = root.objects("operations");
  for (JsonObject& object : operations) {
    const std::string op = object.one_of("op", kind_names());
    const WorkloadOperation& kind = workload_operations().at(op);
    if (is_loss(op) != (&object == &operations.back())) {
      object.fail("op", is_loss(op) ? "a loss is the last operation, and operations follow"
                                    : "the last operation is \"" + op +
                                          "\", but must be a loss: cross_entropy or "
                                          "mean_squared_error");
    }
    WorkloadCall call{b, config, object, object.string("name"), {}};
    for (const std::string& name : object.strings("inputs")) {
      call.in.push_back(tensors.read(object, name));
    }
    if (call.in.empty() || (kind.inputs > 0 && call.in.size() != kind.inputs)) {
      object.fail("inputs", "has " + std::to_string(call.in.size()) + " entries; " +
                                (kind.inputs > 0 ? std::to_string(kind.inputs) : "one or more") +
                                " needed");
    }
    tensors.add(object, call.name, kind.add(call));
    object.finish();
    if (is_loss(op)) tensors.check_all_read(call.name);
  }
  if (config.seq > 0) b.set_tokens_per_sample(config.seq);
}

}  // namespace

ImportedModel import_workload_file(std::string_view text, const std::string& file) {
  const auto document =
      std::make_shared<const JsonDocument>(parse_json(text, file, "paceline.workload/1"));
  JsonObject root = document->root();
  ImportedModel model;
  model.name = root.string("name");
  model.summary = root.string_or("summary", "workload file");
  model.workload.source = root.string_or("source", file);
  model.workload.input = root.string_or("input", "as in the file");
  if (root.has("default_seq")) model.workload.default_seq = root.count("default_seq", 1);
  root.raw("inputs");
  root.raw("operations");
  root.finish();
  model.workload.build = [document](WorkloadBuilder& b, const WorkloadConfig& config) {
    try {
      build_from(*document, b, config);
    } catch (const InputError& error) {
      const std::string what = error.what();  // shapes that do not fit know no file
      throw InputError(what.starts_with(document->name()) ? what : document->name() + ": " + what);
    }
  };
  return model;
}

}  // namespace paceline

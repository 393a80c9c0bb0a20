#include "model/import/config_checks.h"

#include <nlohmann/json.hpp>
#include <set>

#include "core/names.h"

namespace paceline {
namespace {

// Names that model types of transformers give the same size.
const std::vector<std::vector<std::string>>& synonyms() {
  static const std::vector<std::vector<std::string>> table = {
      {"hidden_size", "n_embd", "d_model"},
      {"num_hidden_layers", "n_layer", "num_layers"},
      {"num_attention_heads", "n_head", "num_heads"},
      {"max_position_embeddings", "n_positions", "n_ctx"},
      {"intermediate_size", "n_inner", "ffn_dim", "d_ff"},
      {"head_dim", "d_kv"}};
  return table;
}

void check_synonyms(ConfigFields& f) {
  for (const std::vector<std::string>& names : synonyms()) {
    const std::string* first = nullptr;
    for (const std::string& name : names) {
      if (!f.has(name)) continue;
      if (first == nullptr) {
        first = &name;
      } else if (f.raw(name) != f.raw(*first)) {
        f.fail(name, "is " + f.raw(name).dump() + ", but " + *first + " is " +
                         f.raw(*first).dump() + ": two names of one size");
      }
    }
  }
}

// Scalings of rotary positions: a factor on angles, the same work.
void check_rope_scaling(ConfigFields& f, const std::string& type, bool rotary) {
  static const std::vector<std::string> known = {"default", "linear",   "dynamic", "yarn",
                                                 "su",      "longrope", "llama3"};
  if (!f.has("rope_scaling")) return;
  if (!rotary) f.fail("rope_scaling", "has no meaning for model_type " + type);
  const nlohmann::json& scaling = f.raw("rope_scaling");
  if (!scaling.is_object()) f.fail("rope_scaling", "is no object");
  for (const char* key : {"rope_type", "type"}) {
    const auto found = scaling.find(key);
    if (found == scaling.end()) continue;
    const std::string name = found->is_string() ? found->get<std::string>() : found->dump();
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      f.fail("rope_scaling/" + std::string(key), unknown_name_message("scaling", name, known));
    }
  }
  if (!scaling.contains("rope_type") && !scaling.contains("type")) {
    f.fail("rope_scaling", "has no rope_type");
  }
}

// Present, and not a way of saying no.
bool is_set(ConfigFields& f, const char* key) {
  if (!f.has(key)) return false;
  const nlohmann::json& value = f.raw(key);
  return value != false && value != 0 &&
         !((value.is_object() || value.is_array()) && value.empty());
}

}  // namespace

void check_contradictions(ConfigFields& fields, const std::string& type,
                          const ForeignFields& allowed) {
  check_synonyms(fields);
  check_rope_scaling(fields, type, allowed.rotary);
  const auto refuse = [&](const char* key, const std::string& why) {
    if (is_set(fields, key)) {
      fields.fail(key, "is " + fields.raw(key).dump().substr(0, 40) + "; " + why);
    }
  };
  if (!allowed.experts) {
    for (const char* key :
         {"num_local_experts", "num_experts", "n_routed_experts", "num_experts_per_tok"}) {
      refuse(key, "model_type " + type + " has no experts, mixtral has");
    }
  }
  if (!allowed.encoder_decoder) {
    refuse("is_encoder_decoder", "model_type " + type + " is no encoder with a decoder, t5 is");
  }
  if (type == "bert") refuse("is_decoder", "only the encoder is supported");
  refuse("add_cross_attention", "cross attention is not supported");
  refuse("pruned_heads", "pruned heads are not supported");
}

void name_ignored_fields(ConfigFields& fields) {
  // Names, tokens, initial values, constants of formulas and what inference or the program itself
  // uses: none of it changes what an iteration of training costs.
  static const std::set<std::string, std::less<>> harmless = {"_name_or_path",
                                                              "_attn_implementation",
                                                              "activation_dropout",
                                                              "attention_dropout",
                                                              "bad_words_ids",
                                                              "begin_suppress_tokens",
                                                              "bos_token_id",
                                                              "classifier_dropout",
                                                              "decoder_start_token_id",
                                                              "dense_act_fn",
                                                              "directionality",
                                                              "do_sample",
                                                              "dtype",
                                                              "early_stopping",
                                                              "embd_pdrop",
                                                              "eos_token_id",
                                                              "finetuning_task",
                                                              "forced_bos_token_id",
                                                              "forced_eos_token_id",
                                                              "gradient_checkpointing",
                                                              "id2label",
                                                              "init_std",
                                                              "initializer_factor",
                                                              "initializer_range",
                                                              "is_decoder",
                                                              "is_gated_act",
                                                              "label2id",
                                                              "layer_norm_eps",
                                                              "layer_norm_epsilon",
                                                              "layerdrop",
                                                              "length_penalty",
                                                              "max_length",
                                                              "n_positions",
                                                              "num_beams",
                                                              "num_labels",
                                                              "output_attentions",
                                                              "output_hidden_states",
                                                              "output_past",
                                                              "output_router_logits",
                                                              "pad_token_id",
                                                              "pooler_fc_size",
                                                              "pooler_num_attention_heads",
                                                              "pooler_num_fc_layers",
                                                              "pooler_size_per_head",
                                                              "pooler_type",
                                                              "prefix",
                                                              "pretraining_tp",
                                                              "problem_type",
                                                              "relative_attention_max_distance",
                                                              "reorder_and_upcast_attn",
                                                              "return_dict",
                                                              "rms_norm_eps",
                                                              "rope_theta",
                                                              "router_aux_loss_coef",
                                                              "router_jitter_noise",
                                                              "scale_attn_by_inverse_layer_idx",
                                                              "scale_attn_weights",
                                                              "sep_token_id",
                                                              "summary_activation",
                                                              "summary_first_dropout",
                                                              "summary_proj_to_labels",
                                                              "summary_type",
                                                              "summary_use_proj",
                                                              "task_specific_params",
                                                              "tie_encoder_decoder",
                                                              "tokenizer_class",
                                                              "torch_dtype",
                                                              "transformers_version",
                                                              "use_bfloat16",
                                                              "use_cache",
                                                              "_remove_final_layer_norm"};
  std::string ignored;
  for (const std::string& key : fields.unread()) {
    if (!harmless.contains(key)) ignored += (ignored.empty() ? "" : ", ") + key;
  }
  if (!ignored.empty()) fields.assume_first("ignored: " + ignored);
}

}  // namespace paceline

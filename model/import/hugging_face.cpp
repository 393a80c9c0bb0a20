#include "model/import/hugging_face.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "core/names.h"
#include "model/graph/blocks/encoder_decoder.h"
#include "model/import/config_checks.h"
#include "model/import/config_fields.h"

namespace paceline {
namespace {

struct Network {
  std::string summary;
  std::int64_t max_seq = 0;
  std::function<void(WorkloadBuilder&, const WorkloadConfig&)> build;
};

Activation activation_named(ConfigFields& fields, std::string_view key, const std::string& name) {
  const std::map<std::string, Activation> known = {{"relu", Activation::kRelu},
                                                   {"gelu", Activation::kGelu},
                                                   {"gelu_new", Activation::kGelu},
                                                   {"gelu_fast", Activation::kGelu},
                                                   {"gelu_pytorch_tanh", Activation::kGelu},
                                                   {"silu", Activation::kSilu},
                                                   {"swish", Activation::kSilu},
                                                   {"tanh", Activation::kTanh}};
  const auto found = known.find(name);
  if (found != known.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& entry : known) names.push_back(entry.first);
  fields.fail(key, unknown_name_message("activation", name, names));
}

Activation activation(ConfigFields& fields, std::string_view key, const std::string& assumed) {
  return activation_named(fields, key, fields.text_or(key, assumed));
}

void set_heads(ConfigFields& fields, TransformerConfig& config, std::string_view heads_key,
               std::string_view width_key) {
  config.heads = config.kv_heads = fields.size(heads_key);
  if (config.width % config.heads != 0) {
    fields.fail(heads_key, "is " + std::to_string(config.heads) + ", which does not divide " +
                               std::string(width_key) + " = " + std::to_string(config.width));
  }
  config.head_dim = config.width / config.heads;
}

Network language_model(const std::string& kind, const TransformerConfig& config,
                       std::int64_t max_seq) {
  return {kind + ", " + std::to_string(config.layers) + " layers", max_seq,
          [config](WorkloadBuilder& b, const WorkloadConfig& chosen) {
            build_transformer(b, config, chosen.seq);
          }};
}

Network gpt2(ConfigFields& f) {
  TransformerConfig c{.layers = f.layers("n_layer"), .width = f.size("n_embd")};
  set_heads(f, c, "n_head", "n_embd");
  c.ffn_width = f.size_or("n_inner", 4 * c.width, "4 x n_embd");
  c.vocabulary = f.size("vocab_size");
  c.learned_positions = f.size("n_positions");
  c.activation = activation(f, "activation_function", "gelu_new");
  c.packed_qkv = true;
  c.dropout = f.probability_or("resid_pdrop", 0.1);
  c.attention_dropout = f.probability_or("attn_pdrop", 0.1);
  c.tied_head = f.flag_or("tie_word_embeddings", true);
  return language_model("GPT-2", c, c.learned_positions);
}

Network opt(ConfigFields& f) {
  TransformerConfig c{.layers = f.layers("num_hidden_layers"), .width = f.size("hidden_size")};
  set_heads(f, c, "num_attention_heads", "hidden_size");
  c.ffn_width = f.size("ffn_dim");
  c.vocabulary = f.size("vocab_size");
  const std::int64_t max_seq = f.size("max_position_embeddings");
  c.learned_positions = max_seq + 2;  // positions start at 2
  c.embedding_width = f.size_or("word_embed_proj_dim", c.width, "as hidden_size");
  c.placement =
      f.flag_or("do_layer_norm_before", true) ? NormPlacement::kPre : NormPlacement::kPost;
  c.activation = activation(f, "activation_function", "relu");
  c.attention_bias = c.attention_output_bias = c.ffn_bias = f.flag_or("enable_bias", true);
  f.require_flag("layer_norm_elementwise_affine", true);
  if (f.has("_remove_final_layer_norm"))
    c.final_norm = !f.flag_or("_remove_final_layer_norm", false);
  c.dropout = f.probability_or("dropout", 0.1);
  c.attention_dropout = f.probability_or("attention_dropout", 0.0);
  c.tied_head = f.flag_or("tie_word_embeddings", true);
  return language_model("OPT", c, max_seq);
}

TransformerConfig llama_config(ConfigFields& f) {
  TransformerConfig c{.layers = f.layers("num_hidden_layers"), .width = f.size("hidden_size")};
  if (f.has("head_dim")) {
    c.heads = f.size("num_attention_heads");
    c.head_dim = f.size("head_dim");
  } else {
    set_heads(f, c, "num_attention_heads", "hidden_size");
  }
  c.kv_heads = f.size_or("num_key_value_heads", c.heads, "as num_attention_heads");
  if (c.heads % c.kv_heads != 0) {
    f.fail("num_key_value_heads",
           "is " + std::to_string(c.kv_heads) +
               ", which does not divide num_attention_heads = " + std::to_string(c.heads));
  }
  c.ffn_width = f.size("intermediate_size");
  c.vocabulary = f.size("vocab_size");
  c.norm = Normalization::kRms;
  c.activation = activation(f, "hidden_act", "silu");
  c.gated_ffn = c.rotary = true;
  c.attention_bias = c.attention_output_bias = f.flag_or("attention_bias", false);
  c.ffn_bias = f.flag_or("mlp_bias", false);
  c.attention_dropout = f.probability_or("attention_dropout", 0.0);
  c.tied_head = f.flag_or("tie_word_embeddings", false);
  return c;
}

Network llama(ConfigFields& f) {
  const TransformerConfig c = llama_config(f);
  return language_model("Llama", c, f.size("max_position_embeddings"));
}

void note_sliding_window(ConfigFields& f, std::int64_t max_seq) {
  const bool used = !f.has("use_sliding_window") || f.flag_or("use_sliding_window", true);
  if (f.has("sliding_window") && f.size("sliding_window") < max_seq && used) {
    f.assume("sliding_window is counted as full attention");
  }
}

Network mistral(ConfigFields& f) {
  const TransformerConfig c = llama_config(f);
  const std::int64_t max_seq = f.size("max_position_embeddings");
  note_sliding_window(f, max_seq);
  return language_model("Mistral", c, max_seq);
}

Network mixtral(ConfigFields& f) {
  TransformerConfig c = llama_config(f);
  c.experts = f.size("num_local_experts");
  c.experts_per_token = f.size("num_experts_per_tok");
  if (c.experts_per_token > c.experts) {
    f.fail("num_experts_per_tok",
           "is " + std::to_string(c.experts_per_token) +
               ", more than num_local_experts = " + std::to_string(c.experts));
  }
  const std::int64_t max_seq = f.size("max_position_embeddings");
  note_sliding_window(f, max_seq);
  f.assume("tokens are spread evenly over the experts");
  return language_model("Mixtral", c, max_seq);
}

Network bert(ConfigFields& f) {
  TransformerConfig c{.layers = f.layers("num_hidden_layers"), .width = f.size("hidden_size")};
  set_heads(f, c, "num_attention_heads", "hidden_size");
  c.ffn_width = f.size("intermediate_size");
  c.vocabulary = f.size("vocab_size");
  c.learned_positions = f.size("max_position_embeddings");
  c.token_types = f.size_or("type_vocab_size", 2, "the default of transformers");
  c.placement = NormPlacement::kPost;
  c.embedding_norm = true;
  c.causal = false;
  c.activation = activation(f, "hidden_act", "gelu");
  c.dropout = f.probability_or("hidden_dropout_prob", 0.1);
  c.attention_dropout = f.probability_or("attention_probs_dropout_prob", 0.1);
  c.masked_lm_head = true;
  f.require_flag("tie_word_embeddings", true);
  f.require_text("position_embedding_type", "absolute");
  c.next_sentence_head = f.architecture() == "BertForPreTraining";
  return language_model("BERT", c, c.learned_positions);
}

Network t5(ConfigFields& f) {
  EncoderDecoderConfig config;
  TransformerConfig& c = config.layer;
  c.layers = f.layers("num_layers");
  config.decoder_layers = f.size_or("num_decoder_layers", c.layers, "as num_layers");
  if (f.has("num_decoder_layers")) f.layers("num_decoder_layers");
  c.width = f.size("d_model");
  c.heads = c.kv_heads = f.size("num_heads");
  c.head_dim = f.size("d_kv");
  c.ffn_width = f.size("d_ff");
  c.vocabulary = f.size("vocab_size");
  config.relative_buckets =
      f.size_or("relative_attention_num_buckets", 32, "the default of transformers");
  c.norm = Normalization::kRms;
  c.attention_bias = c.attention_output_bias = c.ffn_bias = false;
  std::string projection = f.text_or("feed_forward_proj", "relu");
  c.gated_ffn = projection.starts_with("gated-");
  if (c.gated_ffn) projection.erase(0, std::string_view("gated-").size());
  c.activation = activation_named(f, "feed_forward_proj", projection);
  c.dropout = c.attention_dropout = f.probability_or("dropout_rate", 0.1);
  c.tied_head = f.flag_or("tie_word_embeddings", true);
  return {
      "T5, " + std::to_string(c.layers) + "+" + std::to_string(config.decoder_layers) + " layers",
      0, [config](WorkloadBuilder& b, const WorkloadConfig& chosen) {
        build_encoder_decoder(b, config, chosen.seq);
      }};
}

}  // namespace

ImportedModel import_hugging_face(std::string_view text, const std::string& file) {
  struct Reader {
    Network (*read)(ConfigFields&);
    std::vector<std::string> architectures;  // the first is assumed where the file names none
    ForeignFields allowed{};
  };
  const std::map<std::string, Reader> readers = {
      {"gpt2", {gpt2, {"GPT2LMHeadModel"}}},
      {"opt", {opt, {"OPTForCausalLM"}}},
      {"llama", {llama, {"LlamaForCausalLM"}, {.rotary = true}}},
      {"mistral", {mistral, {"MistralForCausalLM"}, {.rotary = true}}},
      {"mixtral", {mixtral, {"MixtralForCausalLM"}, {.rotary = true, .experts = true}}},
      {"bert", {bert, {"BertForPreTraining", "BertForMaskedLM"}}},
      {"t5", {t5, {"T5ForConditionalGeneration", "T5WithLMHeadModel"}, {.encoder_decoder = true}}}};
  const JsonDocument document = parse_any_json(text, file);
  ConfigFields fields(JsonObject(document.value(), file + ":/"));
  const std::string type = fields.text("model_type");
  const auto reader = readers.find(type);
  if (reader == readers.end()) {
    std::vector<std::string> names;
    for (const auto& entry : readers) names.push_back(entry.first);
    fields.fail("model_type", unknown_name_message("model type", type, names));
  }
  fields.read_architecture(reader->second.architectures);
  check_contradictions(fields, type, reader->second.allowed);
  Network network = reader->second.read(fields);

  ImportedModel model;
  const std::filesystem::path path(file);
  model.name = path.filename() == "config.json" && path.has_parent_path()
                   ? path.parent_path().filename().string()
                   : path.stem().string();
  model.summary = network.summary;
  model.workload.source = file + ", Hugging Face configuration";
  model.workload.input = type == "t5" ? "source and target token ids" : "token ids";
  constexpr std::int64_t kUsualSeq = 512;
  std::int64_t seq = network.max_seq > 0 ? network.max_seq : kUsualSeq;
  if (fields.has("n_ctx")) seq = std::min(seq, fields.size("n_ctx"));
  model.workload.default_seq = seq;
  if (network.max_seq > 0) model.workload.max_seq = network.max_seq;
  name_ignored_fields(fields);
  fields.assume("sequence length " + std::to_string(seq) + " unless --seq says otherwise");
  model.workload.build = std::move(network.build);
  model.assumptions = fields.assumptions();
  return model;
}

}  // namespace paceline

#include "model/import/hugging_face.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"

namespace paceline {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;

const std::string kLlama3 = R"({"model_type": "llama", "architectures": ["LlamaForCausalLM"],
  "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32,
  "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 128256,
  "max_position_embeddings": 8192, "hidden_act": "silu", "rope_theta": 500000.0})";

struct Example {
  std::string catalog;  // the built-in network that must come out
  std::string config;
};

std::ostream& operator<<(std::ostream& out, const Example& example) {
  return out << example.catalog;
}

class HuggingFace : public testing::TestWithParam<Example> {};

TEST_P(HuggingFace, BuildsTheNetworkOfTheCatalog) {
  const ImportedModel model = import_hugging_face(GetParam().config, "some/config.json");
  const WorkloadOptions options{.batch = 2, .seq = 64};
  const WorkloadGraph imported = build_workload(model.name, model.workload, options);
  const WorkloadGraph built_in = build_workload(workload_registry(), GetParam().catalog, options);
  EXPECT_EQ(imported.parameters(), built_in.parameters());
  EXPECT_EQ(imported.forward_flops(), built_in.forward_flops());
  EXPECT_EQ(imported.saved_bytes(), built_in.saved_bytes());
  EXPECT_EQ(imported.ops().size(), built_in.ops().size());
}

INSTANTIATE_TEST_SUITE_P(
    Families, HuggingFace,
    testing::Values(
        Example{"gpt2", R"({"model_type": "gpt2", "n_layer": 12, "n_embd": 768, "n_head": 12,
          "n_positions": 1024, "n_inner": null, "vocab_size": 50257})"},
        Example{"opt-125m", R"({"model_type": "opt", "num_hidden_layers": 12, "hidden_size": 768,
          "num_attention_heads": 12, "ffn_dim": 3072, "vocab_size": 50272,
          "max_position_embeddings": 2048, "word_embed_proj_dim": 768})"},
        Example{"opt-350m", R"({"model_type": "opt", "num_hidden_layers": 24, "hidden_size": 1024,
          "num_attention_heads": 16, "ffn_dim": 4096, "vocab_size": 50272,
          "max_position_embeddings": 2048, "word_embed_proj_dim": 512,
          "do_layer_norm_before": false})"},
        Example{"llama3-8b", kLlama3},
        Example{"mistral-7b", R"({"model_type": "mistral", "hidden_size": 4096,
          "intermediate_size": 14336, "num_hidden_layers": 32, "num_attention_heads": 32,
          "num_key_value_heads": 8, "vocab_size": 32000, "max_position_embeddings": 32768,
          "sliding_window": 4096})"},
        Example{"mixtral-8x7b", R"({"model_type": "mixtral", "hidden_size": 4096,
          "intermediate_size": 14336, "num_hidden_layers": 32, "num_attention_heads": 32,
          "num_key_value_heads": 8, "vocab_size": 32000, "max_position_embeddings": 32768,
          "num_local_experts": 8, "num_experts_per_tok": 2, "sliding_window": null})"},
        Example{"bert-large", R"({"model_type": "bert", "architectures": ["BertForPreTraining"],
          "hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16,
          "intermediate_size": 4096, "vocab_size": 30522, "max_position_embeddings": 512})"},
        Example{"t5-base", R"({"model_type": "t5", "num_layers": 12, "d_model": 768,
          "num_heads": 12, "d_kv": 64, "d_ff": 3072, "vocab_size": 32128})"}),
    [](const auto& example) { return "case" + std::to_string(example.index); });

TEST(HuggingFaceConfig, MaskedLanguageModelHasNoPooler) {
  const ImportedModel model = import_hugging_face(
      R"({"model_type": "bert", "architectures": ["BertForMaskedLM"], "hidden_size": 768,
          "num_hidden_layers": 12, "num_attention_heads": 12, "intermediate_size": 3072,
          "vocab_size": 30522, "max_position_embeddings": 512})",
      "config.json");
  // num_parameters() of BertForMaskedLM for bert-base-uncased.
  EXPECT_EQ(build_workload(model.name, model.workload, {}).parameters(), 109514298);
}

TEST(HuggingFaceConfig, ReportsWhatItAssumes) {
  const ImportedModel model = import_hugging_face(kLlama3, "llama/config.json");
  EXPECT_EQ(model.name, "llama");
  EXPECT_THAT(model.assumptions, Contains(HasSubstr("tie_word_embeddings is absent: false")));
  EXPECT_THAT(model.assumptions, Contains(HasSubstr("sequence length 8192")));
}

std::string without(const std::string& field) {
  std::string text = kLlama3;
  const std::size_t start = text.find("\"" + field + "\"");
  return text.erase(start, text.find(',', start) + 1 - start);
}

// The field last in the file has no comma behind it and cannot be replaced this way.
std::string with(const std::string& field, const std::string& value) {
  std::string text = without(field);
  return text.insert(1, "\"" + field + "\": " + value + ", ");
}

std::string message(const std::string& text) {
  try {
    import_hugging_face(text, "m/config.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

// `fields` before those of a good configuration of the type.
std::string adding(const std::string& fields, const std::string& config) {
  return "{" + fields + ", " + config.substr(1);
}

const std::string kGpt2 = R"({"model_type": "gpt2", "n_layer": 12, "n_embd": 768, "n_head": 12,
  "n_positions": 1024, "vocab_size": 50257})";
const std::string kBert = R"({"model_type": "bert", "hidden_size": 64, "num_hidden_layers": 2,
  "num_attention_heads": 4, "intermediate_size": 96, "vocab_size": 128,
  "max_position_embeddings": 32})";

// Another class of the library is another network: other heads, other losses.
TEST(HuggingFaceConfig, RefusesArchitecturesThatAreNotTheTypes) {
  const auto named = [](const std::string& value) { return message(with("architectures", value)); };
  EXPECT_THAT(named(R"(["GPT2LMHeadModel"])"),
              AllOf(HasSubstr("m/config.json:/architectures"), HasSubstr("LlamaForCausalLM")));
  EXPECT_THAT(named(R"(["LlamaForSequenceClassification"])"), HasSubstr("not supported"));
  EXPECT_THAT(named("[]"), HasSubstr("has 0 entries"));
  EXPECT_THAT(named(R"(["LlamaForCausalLM", "LlamaModel"])"), HasSubstr("has 2 entries"));
  EXPECT_THAT(named("\"LlamaForCausalLM\""), HasSubstr("architectures"));
  EXPECT_THAT(named("\"LlamaForCausalLM\""), testing::Ne("no error"));
  EXPECT_THAT(message(adding(R"("architectures": ["GPT2ForSequenceClassification"])", kGpt2)),
              HasSubstr("GPT2LMHeadModel"));
  EXPECT_EQ(message(adding(R"("architectures": ["GPT2LMHeadModel"])", kGpt2)), "no error");
}

TEST(HuggingFaceConfig, RefusesTwoNamesOfOneSizeThatDiffer) {
  EXPECT_THAT(message(adding("\"n_ctx\": 512", kGpt2)),
              AllOf(HasSubstr("n_ctx"), HasSubstr("n_positions is 1024")));
  EXPECT_EQ(message(adding("\"n_ctx\": 1024", kGpt2)), "no error");
  EXPECT_THAT(message(adding("\"hidden_size\": 1024", kGpt2)),
              AllOf(HasSubstr("/n_embd"), HasSubstr("768"), HasSubstr("1024")));
  EXPECT_THAT(message(adding("\"n_layer\": 4", kLlama3)), HasSubstr("num_hidden_layers"));
  EXPECT_THAT(message(adding("\"d_ff\": 4", kBert)), HasSubstr("intermediate_size"));
  EXPECT_EQ(message(adding("\"hidden_size\": 768", kGpt2)), "no error");
}

TEST(HuggingFaceConfig, RefusesFieldsOfAnotherKindOfNetwork) {
  for (const std::string& config : {kGpt2, kLlama3, kBert}) {
    EXPECT_THAT(message(adding("\"num_local_experts\": 8", config)), HasSubstr("no experts"));
    EXPECT_THAT(message(adding("\"num_experts_per_tok\": 2", config)), HasSubstr("no experts"));
    EXPECT_THAT(message(adding("\"is_encoder_decoder\": true", config)), HasSubstr("t5 is"));
    EXPECT_THAT(message(adding("\"add_cross_attention\": true", config)), HasSubstr("cross"));
    EXPECT_EQ(message(adding("\"is_encoder_decoder\": false", config)), "no error");
  }
  EXPECT_THAT(message(adding("\"is_decoder\": true", kBert)), HasSubstr("encoder"));
  EXPECT_THAT(message(adding(R"("rope_scaling": {"type": "linear"})", kGpt2)),
              HasSubstr("no meaning for model_type gpt2"));
  EXPECT_THAT(message(adding(R"("position_embedding_type": "relative_key")", kBert)),
              HasSubstr("absolute"));
}

TEST(HuggingFaceConfig, KnowsTheScalingsOfRotaryPositions) {
  const auto scaled = [](const std::string& value) {
    return message(adding("\"rope_scaling\": " + value, kLlama3));
  };
  EXPECT_EQ(scaled(R"({"rope_type": "llama3", "factor": 8.0})"), "no error");
  EXPECT_EQ(scaled("null"), "no error");
  EXPECT_THAT(scaled(R"({"rope_type": "lama3"})"),
              AllOf(HasSubstr("rope_scaling/rope_type"), HasSubstr("llama3")));
  EXPECT_THAT(scaled(R"({"factor": 8.0})"), HasSubstr("has no rope_type"));
  EXPECT_THAT(scaled("8"), HasSubstr("no object"));
}

// What changes no size but may change the cost is named; what cannot is not.
TEST(HuggingFaceConfig, NamesFieldsThatItIgnores) {
  const auto assumed = [](const std::string& fields) {
    return import_hugging_face(adding(fields, kLlama3), "m/config.json").assumptions;
  };
  EXPECT_THAT(assumed(R"("quantization_config": {"bits": 4}, "sliding_window": 4096)"),
              Contains(HasSubstr("ignored: quantization_config, sliding_window")));
  EXPECT_THAT(assumed("\"sliding_window\": 4096").front(), HasSubstr("ignored"));
  EXPECT_THAT(assumed(R"("torch_dtype": "bfloat16", "use_cache": true, "bos_token_id": 1)"),
              testing::Not(Contains(HasSubstr("ignored"))));
}

// One clear line each: file, field, what was found, what is allowed.
TEST(HuggingFaceConfig, RefusesWhatItCannotBuild) {
  EXPECT_THAT(message(without("hidden_size")),
              AllOf(HasSubstr("m/config.json"), HasSubstr("hidden_size"), HasSubstr("missing")));
  EXPECT_THAT(message(with("num_attention_heads", "31")), HasSubstr("does not divide"));
  EXPECT_THAT(message(with("num_key_value_heads", "5")), HasSubstr("does not divide"));
  EXPECT_THAT(message(with("num_hidden_layers", "0")), HasSubstr("num_hidden_layers"));
  EXPECT_THAT(message(with("num_hidden_layers", "100000")), HasSubstr("from 1 to 1000"));
  EXPECT_THAT(message(with("num_hidden_layers", "4294967297")), HasSubstr("from 1 to 1000"));
  EXPECT_THAT(message(with("max_position_embeddings", "4294967297")),
              HasSubstr("max_position_embeddings"));
  EXPECT_THAT(message(with("num_hidden_layers", "\"many\"")), HasSubstr("num_hidden_layers"));
  EXPECT_THAT(message(with("hidden_act", "\"sillu\"")), HasSubstr("silu"));
  EXPECT_THAT(message("{\"attention_dropout\": 1.5, " + kLlama3.substr(1)),
              HasSubstr("probability"));
  EXPECT_THAT(message(with("model_type", "\"lama\"")), HasSubstr("llama"));
  EXPECT_THAT(message(without("model_type")), HasSubstr("model_type"));
  EXPECT_THAT(message(kLlama3.substr(0, 80)), HasSubstr("m/config.json"));
  EXPECT_THAT(message("[1, 2]"), HasSubstr("m/config.json"));
  for (const std::string& text : {kLlama3.substr(0, 80), std::string("[1, 2]")}) {
    EXPECT_EQ(message(text).find('\n'), std::string::npos);
  }
}

}  // namespace
}  // namespace paceline

#include "cli/test_program.h"

#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "core/data_directory.h"
#include "core/error.h"
#include "core/json_writer.h"
#include "simulator/report/test_device.h"

namespace paceline {
namespace {

namespace fs = std::filesystem;

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  PACELINE_ASSERT(at != std::string::npos, "the good file holds what a bad one changes");
  return text.replace(at, from.size(), to);
}

void write_parameter_files(const fs::path& folder) {
  write_parameters(folder / "good.json", made_up_parameters());
  const std::string good = TestFolder::read(folder / "good.json");
  const auto write = [&](const char* name, const std::string& text) {
    write_text_file(folder / name, text);
  };
  write("truncated.json", good.substr(0, good.size() / 2));
  write("empty.json", "");
  write("text.json", "hello\n");
  write("list.json", "[1, 2]\n");
  write("other.json", R"({"schema": "paceline.links/1"})");
  write("newer.json", R"({"schema": "paceline.parameters/9"})");
  write("duplicate.json", R"({"schema": "paceline.parameters/1", "device": "a", "device": "b"})");
  write("unknown-key.json", replaced(good, "\"device\"", "\"devise\""));
  write("nan.json", replaced(good, "\"value\": 100000000000", "\"value\": NaN"));
  write("negative.json", replaced(good, "\"value\": 100000000000", "\"value\": -5"));
  write("wrapping.json", replaced(good, "\"cores\": 2", "\"cores\": 4294967297"));
  write("absurd-error.json", replaced(good, "\"own_sd\": 0.04", "\"own_sd\": 1e300"));
  write("absurd-time.json", replaced(good, "\"name\": \"call\",\n          \"value\": 1e-07",
                                     "\"name\": \"call\",\n          \"value\": 1e300"));
  write("no-memory.json", replaced(good, "\"memory_bytes\": ", "\"memory_bytes\": -"));
  write("no-host.json", replaced(good, "pytorch.host", "pytorch.guest"));
  write("out-of-range.json", replaced(good, "\"cores\": 2", "\"cores\": 1e999"));
  std::filesystem::create_symlink("/dev/zero", folder / "endless.json");
  write("no-sgemm.json", replaced(good, "openblas.sgemm", "openblas.other"));
}

// `operation` between an image and its classes.
std::string workload(const std::string& operation) {
  return R"({"schema": "paceline.workload/1", "name": "mine",
    "inputs": [{"name": "image", "shape": ["batch", 3, 8, 8]},
               {"name": "classes", "shape": ["batch"], "integer": true}],
    "operations": [)" +
         operation +
         R"(, {"op": "reshape", "name": "flat", "inputs": ["x"], "shape": ["batch", 192]},
      {"op": "linear", "name": "head", "inputs": ["flat"], "out_features": 10},
      {"op": "cross_entropy", "name": "loss", "inputs": ["head", "classes"]}]})";
}

void write_workload_files(const fs::path& folder) {
  const auto write = [&](const char* name, const std::string& attributes) {
    write_text_file(folder / name,
                    workload(R"({"name": "x", "inputs": ["image"], )" + attributes + "}"));
  };
  write("net.json", R"("op": "relu")");
  write("conv-stride.json", R"("op": "conv2d", "out_channels": 3, "kernel": 1, "stride": 0)");
  write("conv-kernel.json", R"("op": "conv2d", "out_channels": 3, "kernel": 0)");
  write("conv-pad.json", R"("op": "conv2d", "out_channels": 3, "kernel": 3, "pad": -1)");
  write("max-pool-stride.json", R"("op": "max_pool2d", "kernel": 1, "stride": 0)");
  write("max-pool-kernel.json", R"("op": "max_pool2d", "kernel": 0)");
  write("average-pool-stride.json", R"("op": "average_pool2d", "kernel": 1, "stride": 0)");
  write("axis.json", R"("op": "permute", "axes": [0, 1, 2, 4294967299])");
  write_text_file(folder / "no-loss.json",
                  R"({"schema": "paceline.workload/1", "name": "mine",
                      "inputs": [{"name": "x", "shape": ["batch", 3]}],
                      "operations": [{"op": "relu", "name": "y", "inputs": ["x"]}]})");
  const auto opt = [](const std::string& layers, const std::string& positions) {
    return R"({"model_type": "opt", "hidden_size": 64, "num_attention_heads": 4, "ffn_dim": 256,
               "vocab_size": 100, "num_hidden_layers": )" +
           layers + R"(, "max_position_embeddings": )" + positions + "}";
  };
  write_text_file(folder / "deep-config.json", opt("4294967297", "128"));
  write_text_file(folder / "long-config.json", opt("2", "4294967297"));
}

void write_measurement_files(const fs::path& folder) {
  const auto write = [&](const char* name, const std::string& benchmark, const std::string& axes,
                         const std::string& accepted) {
    write_text_file(folder / name,
                    R"({"schema": "paceline.measurements/1",
      "provenance": {"tool": "test", "date": "2026-11-30", "libraries": {}, "environment": {}, "argv": [],
                     "host": {"cpu": "test", "cores": 2, "memory_bytes": 1e9, "kernel": "test"}},
      "results": [{"benchmark": ")" +
                        benchmark + R"(", "axes": {)" + axes +
                        R"(}, "status": "measured", "result_checked": true, "warmup": 1,
                   "rounds": [{"start": "2026-11-30", "foreign_cpu": 0.9, "accepted": )" +
                        accepted + R"(, "samples_s": [1e-3]}]}]})");
  };
  const std::string copy = R"("elements": 1000, "read_bytes": 4000, "written_bytes": 4000)";
  const std::string situation = R"(, "threads": 1, "cache": "warm")";
  write("one-shape.json", "aten.copy", copy + situation, "true");
  write("busy.json", "aten.copy", copy + situation, "false");
  write("no-threads.json", "aten.copy", copy + R"(, "cache": "warm")", "true");
  write("no-cache.json", "aten.copy", copy + R"(, "threads": 1)", "true");
  write("no-kernel.json", "tcp.loopback", R"("bytes": 1000)", "true");
  const std::string product = R"("device": "t4", "timing": "device", "n": 8192, "k": 8192,
                                 "trans_a": "N", "trans_b": "N")";
  write("probe-shape.json", "cublas.gemm", product + R"(, "m": -5)", "true");
  write("probe-fast.json", "cublas.gemm", product + R"(, "m": 8192)", "true");
  write("probe-fp31.json", "cublas.gemm", product + R"(, "m": 8, "precision": "fp31")", "true");
  write("probe-bf16.json", "cublas.gemm", product + R"(, "m": 8, "precision": "bf16")", "true");
}

void write_device_files(const fs::path& folder) {
  const std::string t4 = TestFolder::read(data_directory() / "model/catalog/devices/t4.json");
  write_text_file(folder / "t4-copy.json", t4);
  const std::string mine = replaced(t4, R"("name": "t4")", R"("name": "mine")");
  write_text_file(folder / "my-device.json", mine);
  write_text_file(folder / "t4-changed.json", replaced(t4, "320 GB/s", "300 GB/s"));
  write_text_file(folder / "t4-huge.json", replaced(mine, "16 GiB", "1e300 GB"));
  write_text_file(folder / "t4-kin.json", replaced(mine, R"("aliases": [],)",
                                                   R"("aliases": [],
                              "same_chip": {"devices": ["t5"], "source": "published"},)"));
}

void write_measured_files(const fs::path& folder) {
  const auto write = [&](const char* name, const std::string& text) {
    write_text_file(folder / name, text);
  };
  write("scaling.csv", "gpus,samples_per_s\n1,100\n2,190\n");
  write("nan.csv", "gpus,samples_per_s\n1,100\n2,nan\n");
  write("short.csv", "gpus,samples_per_s\n1,100\n2\n");
  write("huge.csv", "gpus,samples_per_s\n1,100\n1000000000,190\n");
  write("truncated.log", "# nThread 1 nGpus 8\n  1048576  262144  float  sum\n");
  write("prices.json", R"({"schema": "paceline.prices/1", "date": "2026-11-30", "source": "test",
                           "devices": {"h101": "1 USD/h"}})");
}

// Two devices below two switches; `links` joins them.
std::string cluster_text(const std::string& links) {
  return R"({"schema":"paceline.cluster/1","name":"x","summary":"x","source":"x",)"
         R"("peer_access":"all","nodes":[{"name":"gpu0","kind":"device"},)"
         R"({"name":"gpu1","kind":"device"},{"name":"s0","kind":"pcie-switch"},)"
         R"({"name":"s1","kind":"pcie-switch"}],"links":[)" +
         links + "]}";
}

std::string cluster_link(const char* a, const char* b) {
  return std::string(R"({"between":[")") + a + R"(",")" + b + R"("],"link":"pcie3-x16"})";
}

std::string cluster_rate(const std::string& rate) {
  const std::string link =
      R"({"name":"x","summary":"x","kind":"pcie","wiring":"cable","data_sheet":")" + rate +
      R"(","achieved":"1 GB/s","latency":"1 us","sources":{"data_sheet":"a","achieved":"a",)" +
      R"("latency":"a"}})";
  return cluster_text(R"({"between":["gpu0","s0"],"rate":)" + link + "}," +
                      cluster_link("gpu1", "s0") + "," + cluster_link("s0", "s1"));
}

// Output of nccl-tests on two devices with this time for the last size.
std::string nccl_log(const std::string& prefix, const std::string& last, bool whole) {
  std::string text;
  const auto line = [&](const std::string& rest) { text += prefix + rest + "\n"; };
  line("# nThread 1 nGpus 2 minBytes 1 maxBytes 8 step: 2(factor) warmup iters: 5 iters: 20");
  line("#   Rank  0 Pid 1 on node0 device  0 [0x00] A100-SXM4-40GB");
  line("#   Rank  1 Pid 1 on node0 device  1 [0x00] A100-SXM4-40GB");
  for (int power = 12; power < 28; ++power) {
    const double bytes = static_cast<double>(1 << power);
    const std::string us = power == 27 ? last : std::to_string(12 + bytes / 150e3);
    const double time = std::strtod(us.c_str(), nullptr);
    const std::string rate = std::to_string(time > 0 ? bytes / time * 1e-3 : 0);
    const std::string half = " " + us + " " + rate + " " + rate;
    line("  " + std::to_string(1 << power) + " " + std::to_string((1 << power) / 4) + " float sum" +
         half + " 0" + half + " N/A");
  }
  if (whole) line("# Avg bus bandwidth    : 68.4048");
  return text;
}

void write_fabric_files(const fs::path& folder) {
  const auto write = [&](const char* name, const std::string& text) {
    write_text_file(folder / name, text);
  };
  write("unreachable.json",
        cluster_text(cluster_link("gpu0", "s0") + "," + cluster_link("s0", "s1")));
  write("cycle.json",
        cluster_text(cluster_link("gpu0", "s0") + "," + cluster_link("gpu1", "s1") + "," +
                     cluster_link("s0", "s1") + "," + cluster_link("s1", "s0")));
  const std::string links = cluster_link("gpu0", "s0") + "," + cluster_link("gpu1", "s0") + "," +
                            cluster_link("s0", "s1");
  const std::string two = cluster_text(links);
  write("odd-device.json", replaced(two, R"("kind":"device")", R"("kind":"device","device":"t5")"));
  write("many-machines.json",
        replaced(two, R"("source":"x",)", R"("source":"x","machines":4294967297,)"));
  write("zero-rate.json", cluster_rate("0 GB/s"));
  write("negative-rate.json", cluster_rate("-2 GB/s"));
  write("nan-rate.json", cluster_rate("nan GB/s"));
  write("huge-rate.json", cluster_rate("1e999 GB/s"));
  const std::string gpu1 = R"({"name":"gpu1","kind":"device")";
  const auto with_devices = [&](const std::string& first, const std::string& second) {
    const std::string one =
        replaced(two, R"("kind":"device"})", R"("kind":"device","device":")" + first + R"("})");
    return replaced(one, gpu1, gpu1 + R"(,"device":")" + second + '"');
  };
  write("mixed-devices.json", with_devices("t4", "v100-sxm2-16g"));
  write("processor-device.json", with_devices("e5-2630-v3", "t4"));
  write("empty-node.json", replaced(two, R"("name":"gpu1")", R"("name":"")"));
  const std::string rooted = replaced(two, R"("kind":"pcie-switch")", R"("kind":"processor")");
  write("two-roots.json", replaced(rooted, R"("kind":"pcie-switch")", R"("kind":"processor")"));
  write("gpu-processor.json",
        replaced(rooted, R"("kind":"processor")", R"("kind":"processor","device":"t4")"));
  write("topo.txt", "     GPU0 GPU1\nGPU0  X  NV12\nGPU1 NV12  X\n");
  write("topo-cut.txt", "     GPU0 GPU1\nGPU0  X  NV12\n");
  write("topo-na.txt", "     GPU0 GPU1\nGPU0  X  N/A\nGPU1 N/A  X\n");
  write("topo-self.txt", "     GPU0 GPU1\nGPU0  X  X\nGPU1 X  X\n");
  write("topo-no-self.txt", "     GPU0 GPU1\nGPU0 NV12 NV12\nGPU1 NV12 X\n");
  write("topo-zero.txt", "     GPU0 GPU1\nGPU0 X NV0\nGPU1 NV0 X\n");
  write("nccl.log", nccl_log("", "900.0", true));
  write("nccl-prefixed.log", nccl_log("[1,0]<stdout>:", "900.0", true));
  write("nccl-cut.log", nccl_log("", "900.0", false));
  write("nccl-na.log", nccl_log("", "N/A", true));
  write("nccl-nan.log", nccl_log("", "nan", true));
  write("nccl-negative.log", nccl_log("", "-3.5", true));
  std::string wrong = nccl_log("", "900.0", true);
  wrong.replace(wrong.rfind(" 0 "), 3, " 7 ");
  write("nccl-wrong.log", wrong);
  write("nccl-failed.log", nccl_log("", "900.0", true) + "# Out of bounds values : 3 FAILED\n");
  write("nccl-twice.log", nccl_log("", "900.0", true) + nccl_log("", "900.0", true));
  write("osu.txt", "# OSU MPI Allreduce Latency Test v5.4.0\n# Size  Avg Latency(us)\n4  31.9\n");
  write("nvbandwidth-good.json", R"({"nvbandwidth": {"testcases": [
    {"name": "host_to_device_memcpy_ce", "status": "Passed", "bandwidth_matrix": [["20.0", "20.4"]]},
    {"name": "device_to_host_memcpy_ce", "status": "Passed", "bandwidth_matrix": [["19.6", "20.0"]]},
    {"name": "device_to_device_memcpy_read_ce", "status": "Waived"}]}})");
  write("nvbandwidth.json", R"({"nvbandwidth": {"testcases": [{"name": "t", "status": "Passed",
                                "bandwidth_matrix": [["fast"]]}]}})");
}

}  // namespace

TestFolder::TestFolder() {
  fs::create_directories(path() / "data/paceline");
  fs::create_directories(path() / "folder");
  write_parameter_files(path());
  write_workload_files(path());
  write_measurement_files(path());
  write_device_files(path());
  write_measured_files(path());
  write_fabric_files(path());
}

std::vector<std::string> TestFolder::files() const {
  std::vector<std::string> out;
  for (const auto& entry : fs::recursive_directory_iterator(path())) {
    out.push_back(entry.path().string());
  }
  std::ranges::sort(out);
  return out;
}

std::string TestFolder::read(const fs::path& file) {
  std::ifstream stream(file);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

TestOutcome run_program_in(const TestFolder& folder, const std::string& arguments,
                           const std::string& first) {
  const TemporaryFolder capture;
  const std::string command = "cd '" + folder.path().string() + "' && " + first +
                              " && XDG_DATA_HOME=data '" + PACELINE_PROGRAM + "' " + arguments +
                              " >'" + (capture / "out").string() + "' 2>'" +
                              (capture / "err").string() + "' </dev/null";
  const int status = std::system(command.c_str());
  TestOutcome outcome;
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  outcome.out = TestFolder::read(capture / "out");
  outcome.err = TestFolder::read(capture / "err");
  return outcome;
}

}  // namespace paceline

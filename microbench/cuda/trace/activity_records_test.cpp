// CUPTI's records, made by hand, become a Timeline.
#include "microbench/cuda/trace/activity_records.h"

#include <cupti.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/temporary_folder.h"
#include "traces/import/trace_importer.h"

namespace paceline::cuda_trace {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

constexpr std::uint64_t kBegin = 1'700'000'000'000'000'000;

class RecordsOfCupti : public testing::Test {
 protected:
  RecordsOfCupti() { file_.open((folder_ / "trace.json").string(), 0); }
  template <typename Record>
  void add(const Record& record) {
    records_.add(reinterpret_cast<const CUpti_Activity*>(&record));
  }
  // A call of the runtime or the driver, 5 us long.
  void add_call(CUpti_ActivityKind kind, std::uint32_t id, std::uint64_t at,
                std::uint32_t correlation) {
    CUpti_ActivityAPI call{};
    call.kind = kind;
    call.cbid = id;
    call.start = kBegin + at;
    call.end = call.start + 5'000;
    call.processId = 11;
    call.threadId = 12;
    call.correlationId = correlation;
    add(call);
  }
  void add_kernel(const char* name, std::uint64_t at, std::uint32_t correlation) {
    CUpti_ActivityKernel10 kernel{};
    kernel.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
    kernel.name = name;
    kernel.start = kBegin + at;
    kernel.end = kernel.start + 20'000;
    kernel.streamId = 7;
    kernel.correlationId = correlation;
    add(kernel);
  }
  MeasuredTimeline imported() {
    file_.set_devices({"NVIDIA H100"});
    file_.close();
    return import_trace({folder_ / "trace.json"}, {});
  }
  // Names of the spans of a kind, in order.
  static std::vector<std::string> names(const Timeline& timeline, SpanKind kind) {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < timeline.size(); ++i) {
      if (timeline.at(i).label.kind == kind) {
        out.push_back(timeline.name(timeline.at(i).label.name));
      }
    }
    return out;
  }

  TemporaryFolder folder_;
  TraceFile file_;
  ActivityRecords records_{file_};
};

// A kernel is tied to the call that launched it; names are readable.
TEST_F(RecordsOfCupti, OfKernelsAndCallsAreTiedTogether) {
  add_call(CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000, 0, 42);
  add_kernel("_Z5sgemmPfi", 10'000, 42);
  const Timeline timeline = imported().timeline;
  ASSERT_EQ(timeline.size(), 2u);
  std::size_t kernel = 0;
  while (timeline.name(timeline.at(kernel).label.name) != "sgemm(float*, int)") ++kernel;
  EXPECT_EQ(timeline.at(kernel).duration().picoseconds(), 20'000'000);
  ASSERT_NE(timeline.at(kernel).cause, kNoSpan);
  const Span launch = timeline[timeline.at(kernel).cause];
  EXPECT_THAT(timeline.name(launch.label.name), testing::StartsWith("cudaLaunchKernel"));
  EXPECT_EQ(launch.label.kind, SpanKind::kHost);
}

TEST_F(RecordsOfCupti, OfCopiesSayWhichWay) {
  const auto copy = [&](std::uint8_t kind, std::uint64_t at) {
    CUpti_ActivityMemcpy6 record{};
    record.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
    record.copyKind = kind;
    record.bytes = 1024;
    record.start = kBegin + at;
    record.end = record.start + 1'000;
    add(record);
  };
  copy(CUPTI_ACTIVITY_MEMCPY_KIND_HTOD, 0);
  copy(CUPTI_ACTIVITY_MEMCPY_KIND_DTOH, 2'000);
  CUpti_ActivityMemset4 fill{};
  fill.kind = CUPTI_ACTIVITY_KIND_MEMSET;
  fill.start = kBegin + 4'000;
  fill.end = fill.start + 1'000;
  add(fill);
  CUpti_ActivityMemcpyPtoP4 peer{};
  peer.kind = CUPTI_ACTIVITY_KIND_MEMCPY2;
  peer.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_PTOP;
  peer.start = kBegin + 6'000;
  peer.end = peer.start + 1'000;
  add(peer);
  const Timeline timeline = imported().timeline;
  EXPECT_EQ(timeline.size(), 4u);
  EXPECT_THAT(names(timeline, SpanKind::kHostToDevice), ElementsAre("Memcpy HtoD"));
  EXPECT_THAT(names(timeline, SpanKind::kDeviceToHost), ElementsAre("Memcpy DtoH"));
}

// One without times would lie decades before the rest, and no timeline reaches that far.
TEST_F(RecordsOfCupti, WithoutTimesAreLeftOut) {
  add_kernel("first", 0, 1);
  CUpti_ActivityKernel10 lost{};
  lost.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  lost.name = "lost";
  add(lost);
  CUpti_ActivityAPI call{};
  call.kind = CUPTI_ACTIVITY_KIND_DRIVER;
  add(call);
  EXPECT_EQ(imported().timeline.size(), 1u);
}

// Ranges of the program's own (NVTX) come in two records; PyTorch's carry a sequence number.
TEST_F(RecordsOfCupti, OfRangesBecomeOperatorsAndSteps) {
  const auto mark = [&](std::uint32_t id, CUpti_ActivityFlag flag, std::uint64_t at,
                        const char* name) {
    CUpti_ActivityMarker2 marker{};
    marker.kind = CUPTI_ACTIVITY_KIND_MARKER;
    marker.flags = flag;
    marker.id = id;
    marker.timestamp = kBegin + at;
    marker.objectId.pt.processId = 11;
    marker.objectId.pt.threadId = 12;
    marker.name = name;
    add(marker);
  };
  mark(1, CUPTI_ACTIVITY_FLAG_MARKER_START, 0, "aten::conv2d, seq = 5");
  add_call(CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000, 1'000, 42);
  mark(1, CUPTI_ACTIVITY_FLAG_MARKER_END, 9'000, nullptr);
  add_kernel("implicit_gemm", 12'000, 42);
  const MeasuredTimeline got = imported();
  ASSERT_THAT(got.layers, SizeIs(1));
  EXPECT_EQ(got.layers[0].operation, "aten::conv2d");
  for (std::size_t i = 0; i < got.timeline.size(); ++i) {
    const Label label = got.timeline.at(i).label;
    if (got.timeline.name(label.name) == "implicit_gemm") {
      EXPECT_EQ(label.layer, 0);
    }
  }
}

}  // namespace
}  // namespace paceline::cuda_trace

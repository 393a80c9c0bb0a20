// A prediction for people: at most 25 lines on one screen.
//
//   resnet50, batch 8, fp32 on AMD EPYC, 1 thread, pytorch
//   iteration 2.40 s (90 % interval 2.21 .. 2.62 s), 3.33 samples/s (3.05 .. 3.62)
//   [FFFFFFFFFFFFFFBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBO]
//    forward 37 %  backward 62 %  optimizer 0.5 %  host 0.6 %
//   ...
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/table.h"
#include "model/plan/report.h"

namespace paceline {

// Its parts: headline, times and the bar, whose shares add up to 100.0 %; what binds; as many
// warnings as fit into so many rows.
std::string prediction_head(const Report& report);
std::string bottleneck_line(const Report& report);
std::string warning_lines(const Report& report, std::size_t rows);
std::string prediction_screen(const Report& report);
// One row per point; only what varies, then what was predicted. For people the largest batch says
// where its search ended; for programs it is a number.
Table prediction_table(const std::vector<Report>& reports, bool for_people);

// "4.25 GB of 16.9 GB usable: fits, 12.7 GB to spare", "... DOES NOT FIT, 3.1 GB too much"; "likely
// fits", "may fit" and "UNLIKELY TO FIT" where the capacity is inside the interval of the peak.
// Says so if the size of the context is recalled or that of another architecture.
std::string memory_line(const MemoryUse& use);
// "4.1 GB .. 4.5 GB".
std::string memory_interval_text(const MemoryUse& use);
// Its number, that it is one or a larger one, or that there is none.
std::string largest_batch_text(std::int64_t batch);

// "resnet50, batch 8, fp32 on cpu, 1 thread, pytorch".
std::string experiment_headline(const Experiment& e);

}  // namespace paceline

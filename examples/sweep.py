"""Which batch size keeps a network busy? Run it cell by cell, or as a program."""

# %% Predict a sweep: lists sweep, names are the flags of `paceline predict`.
import paceline

reports = paceline.compare(model="resnet50", batch=[1, 2, 4, 8, 16, 32], precision="fp32",
                           device="v100-sxm2-16g")

# %% Throughput with its 90 % interval, and what limits it.
for report in reports:
    rate = report["throughput_samples_per_s"]
    print(f"batch {report['config']['batch']:3}: {rate['median']:7.1f} samples/s "
          f"({rate['p05']:.1f} .. {rate['p95']:.1f}), {report['bottleneck']['resource']}")

# %% The smallest batch within 5 % of the best.
best = max(report["throughput_samples_per_s"]["median"] for report in reports)
enough = next(report for report in reports
              if report["throughput_samples_per_s"]["median"] > 0.95 * best)
print("enough:", enough["config"]["batch"])

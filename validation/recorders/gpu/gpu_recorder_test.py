"""The GPU recorder's planning, budget and resuming, without a GPU; networks where torch 2 is installed."""

import contextlib
import os
import sys
import tempfile
import types
import unittest
import unittest.mock

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
import gpu_plan  # noqa: E402
import measure_pytorch  # noqa: E402
import record_gpu  # noqa: E402
import recording  # noqa: E402

try:
    import torch
    HAS_META = int(torch.__version__.split(".")[0]) >= 2
except ImportError:
    torch, HAS_META = None, False


class Plan(unittest.TestCase):
    def test_begins_with_six_networks_in_two_precisions(self):
        cases = gpu_plan.cases((9, 0))
        self.assertEqual(len(cases), 12)
        self.assertEqual([c.model for c in cases[:6]], list(gpu_plan.FIRST))
        self.assertEqual({c.precision for c in cases[:6]}, {"bf16"})
        self.assertEqual({c.precision for c in cases[6:]}, {"fp32"})

    def test_compiled_runs_are_a_plan_of_their_own(self):
        cases = gpu_plan.cases((9, 0), "compiled")
        self.assertEqual(len(cases), 3)
        self.assertTrue(all(c.compiled for c in cases))

    def test_full_plan_continues_the_first(self):
        first, full = gpu_plan.cases((9, 0)), gpu_plan.cases((9, 0), "full")
        self.assertEqual(full[:len(first)], first)
        self.assertGreater(len(full), len(first))

    def test_every_case_is_recorded_under_a_name_of_its_own(self):
        cases = gpu_plan.cases((9, 0), "full") + gpu_plan.cases((9, 0), "compiled")
        self.assertEqual(len({str(c.experiment("t4")) for c in cases}), len(cases))
        self.assertEqual(len({c.name() for c in cases}), len(cases))

    def test_old_gpus_use_fp16(self):
        self.assertEqual(gpu_plan.precisions((7, 5)), ("fp32", "fp16"))

    def test_resuming_leaves_out_what_was_measured_and_tries_the_skipped_again(self):
        cases = gpu_plan.cases((9, 0))
        result = recording.new({}, {})
        round_ = {"accepted": True, "samples_s": [0.1, 0.1], "foreign_cpu": 0, "page_faults_per_iteration": 0,
                  "forward_s": 0.03, "backward_s": 0.06, "optimizer_s": 0.01}
        recording.add_round(result, cases[0].experiment("t4"), 1, round_)
        recording.skip(result, cases[1].experiment("t4"), 0, "not enough GPU memory")
        self.assertEqual(gpu_plan.remaining(cases, result, "t4"), cases[1:])

    def test_budget_counts_down_by_its_clock(self):
        now = [100.0]
        budget = gpu_plan.Budget(10, lambda: now[0])
        self.assertTrue(budget.allows(10))
        now[0] = 106.0
        self.assertFalse(budget.allows(5))


class Program(unittest.TestCase):
    def test_protocol_has_what_readers_demand(self):
        self.assertEqual({"rounds", *record_gpu.PROTOCOL},
                         {"rounds", "iterations", "warmup", "foreign_cpu_limit", "statistic", "optimizer"})

    def test_without_a_gpu_ends_with_a_line_and_leaves_no_file(self):
        if HAS_META and torch.cuda.is_available():
            self.skipTest("there is a GPU")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "out.json")
            self.assertEqual(record_gpu.main(["--device", "t4", "-o", path]), record_gpu.CANNOT_RUN)
            self.assertEqual(measure_pytorch.main(["--device", "t4", path]), measure_pytorch.CANNOT_RUN)
            self.assertEqual(os.listdir(folder), [])


class Measurements(unittest.TestCase):
    def test_no_case_occurs_twice(self):
        cases = measure_pytorch.design()
        self.assertEqual(len({str(c) for c in cases}), len(cases))

    def test_a_skipped_result_is_replaced_and_a_measured_one_kept(self):
        cases = measure_pytorch.design()[:2]
        skipped, measured = ({"benchmark": n, "axes": a, "status": s} for (n, a), s in zip(cases, ["skipped", "measured"]))
        results = [skipped, measured]
        self.assertEqual(measure_pytorch.missing(cases, results), cases[:1])
        measure_pytorch.put(results, {**skipped, "status": "measured"})
        self.assertEqual([r["status"] for r in results], ["measured", "measured"])


class FakeCuda:
    """Streams, events and graphs of a torch without a GPU; a replay takes a millisecond."""

    def __init__(self):
        self.current, self.now = "default", 0.0
        outer = self

        class Event:
            def __init__(self, **_):
                self.at = None

            def record(self):
                self.at = outer.now

            def synchronize(self):
                pass

            def elapsed_time(self, end):
                return 1e3 * (end.at - self.at)

        class Graph:
            def replay(self):
                outer.now += 1e-3

        self.Event, self.CUDAGraph = Event, Graph

    def Stream(self):  # noqa: N802
        return "side"

    @contextlib.contextmanager
    def stream(self, stream):
        before, self.current = self.current, stream
        yield
        self.current = before

    @contextlib.contextmanager
    def graph(self, _, stream="capture"):
        with self.stream(stream):
            yield

    def synchronize(self):
        pass


class Timing(unittest.TestCase):
    # Autograd runs backward where forward ran, and a recording holds only what runs on its own stream.
    def test_operands_are_made_warmed_and_recorded_on_one_stream(self):
        torch = types.SimpleNamespace(cuda=FakeCuda(), is_tensor=lambda value: False)
        made_on, launched_on = [], []

        def prepare(torch, benchmark, axes):
            made_on.append(torch.cuda.current)
            return measure_pytorch.Timed(lambda: launched_on.append(torch.cuda.current), lambda result: True)
        with unittest.mock.patch.object(measure_pytorch, "prepare", prepare):
            result = measure_pytorch.measure(torch, "aten.attention", {"device": "t4"})
        self.assertEqual({*made_on, *launched_on}, {"side"})
        self.assertEqual(result["rounds"][0]["samples_s"], [1e-3] * measure_pytorch.SAMPLES)


@unittest.skipUnless(torch, "needs torch")
class Results(unittest.TestCase):
    # On the CPU and in fp32, where every kernel of these exists.
    def test_that_are_right_are_told_from_wrong_ones(self):
        names = {name.split(".")[1]: axes for name, axes in measure_pytorch.design() if "row" in axes}
        for name, axes in names.items():
            small = {**axes, "elements": 40 * 320, "row": 320}
            timed = measure_pytorch.layer(torch, name, small, "cpu", torch.float32)
            result = timed.launch()
            self.assertTrue(timed.correct(result), name)
            wrong = tuple(r + 1 for r in result) if isinstance(result, tuple) else result + 1
            self.assertFalse(timed.correct(wrong), name)


@unittest.skipUnless(HAS_META, "needs torch 2")
class Networks(unittest.TestCase):
    def test_have_the_published_numbers_of_parameters(self):
        import gpu_networks
        for model, count in ("vgg16", 138_357_544), ("gpt2", 124_439_808), ("bert-base", 110_106_428):
            with torch.device("meta"):
                network = gpu_networks.build(model, 128)
            self.assertEqual(sum(p.numel() for p in network.parameters()), count, model)

    def test_return_one_row_of_logits_for_each_label(self):
        import gpu_networks
        for model in "gpt2", "bert-base", "vgg16":
            with torch.device("meta"):
                network = gpu_networks.build(model, 16)
                inputs, labels = gpu_networks.networks.synthetic_batch(network, 2)
                self.assertEqual(network(inputs).shape, (labels.shape[0], network.classes), model)


if __name__ == "__main__":
    unittest.main()

"""Tests of the recorder: python3 -m unittest recorder_test, in this folder. The torch parts skip without torch."""

import contextlib
import importlib.util
import io
import json
import math
import os
import pathlib
import subprocess
import tempfile
import unittest

import machine
import plan
import record_pytorch
import recording
import summary

HAS_TORCH = importlib.util.find_spec("torch") is not None
EXPERIMENT = plan.Case("fcn-r", 64, 1, None).experiment()
PROTOCOL = {"iterations": 3, "warmup": 1, "foreign_cpu_limit": 0.05, "statistic": "s", "optimizer": "o"}
PROVENANCE = {"tool": "t", "date": "d", "host": {"cpu": "a"}, "environment": {}, "libraries": {"torch": "1"}, "argv": []}


def round_of(*samples, accepted=True, foreign=0.0, forward=1.0):
    return {"start": "2026-01-01T00:00:00+00:00", "foreign_cpu": foreign, "page_faults_per_iteration": 0.0,
            "accepted": accepted, "samples_s": list(samples), "forward_s": forward, "backward_s": 2.0,
            "optimizer_s": 0.5}


class Programs(unittest.TestCase):
    def test_can_be_executed(self):
        here = pathlib.Path(__file__).resolve().parent
        for program in ["record_machine", "record_pytorch.py", "record_memory.py"]:
            self.assertTrue(os.access(here / program, os.X_OK), program)

    def test_says_in_one_line_that_paceline_is_not_there(self):
        here = pathlib.Path(__file__).resolve().parent
        with tempfile.TemporaryDirectory() as folder:
            run = subprocess.run([here / "record_machine", "--rounds", "1", "--paceline", "no-such-program",
                                  "--out", folder], capture_output=True, text=True)
        self.assertEqual(run.returncode, 3)
        self.assertIn("no-such-program", run.stderr.splitlines()[-1])
        self.assertNotIn("Traceback", run.stderr)


class Summary(unittest.TestCase):
    def test_reports_the_smallest_round_median_and_the_phases_of_that_round(self):
        run = summary.summarize([round_of(3.0, 3.2, 9.0, forward=1.5), round_of(3.1, 3.0, 3.05, forward=1.1)])
        self.assertEqual(run["status"], "measured")
        self.assertEqual(run["summary"]["median_s"], 3.05)
        self.assertEqual(run["summary"]["forward_s"], 1.1)
        self.assertAlmostEqual(run["summary"]["spread"], (3.2 - 3.05) / 3.05)
        self.assertEqual(run["summary"]["accepted_rounds"], 2)
        self.assertNotIn("reason", run)

    def test_ignores_rejected_rounds_even_when_they_are_faster(self):
        run = summary.summarize([round_of(1.0, accepted=False, foreign=0.3), round_of(2.0)])
        self.assertEqual(run["summary"]["median_s"], 2.0)
        self.assertEqual(run["summary"]["accepted_rounds"], 1)

    def test_skips_a_case_without_a_quiet_round_and_says_why(self):
        run = summary.summarize([round_of(1.0, accepted=False, foreign=0.3), round_of(1.0, accepted=False, foreign=0.2)])
        self.assertEqual(run["status"], "skipped")
        self.assertIn("0.20 CPU", run["reason"])
        self.assertNotIn("summary", run)

    def test_says_that_the_machine_was_not_quiet_when_rounds_disagree(self):
        run = summary.summarize([round_of(1.0), round_of(1.5)])
        self.assertEqual(run["status"], "measured")
        self.assertIn("not quiet", run["reason"])
        self.assertIn("50 %", run["reason"])

    def test_foreign_cpu_is_the_busy_time_that_is_not_ours_and_never_negative(self):
        self.assertAlmostEqual(summary.foreign_cpu(busy_s=2.5, own_s=2.0, wall_s=1.0), 0.5)
        self.assertEqual(summary.foreign_cpu(busy_s=1.99, own_s=2.0, wall_s=1.0), 0.0)


class Plan(unittest.TestCase):
    def test_validation_has_at_least_36_cases_and_three_batches_of_each_of_the_six_networks(self):
        cases = plan.plan_cases("validation", [1, 2])
        self.assertGreaterEqual(len(cases), 36)
        self.assertEqual(len(cases), len(set(cases)))
        for model in set(plan.MODELS) - {"tiny-mlp"}:
            self.assertGreaterEqual(len({c.batch for c in cases if c.model == model}), 3, model)

    def test_calibration_data_is_never_part_of_a_validation_plan(self):
        for name in "validation", "quick":
            self.assertNotIn("tiny-mlp", plan.PLANS[name])

    def test_only_networks_with_a_sequence_have_seq(self):
        self.assertNotIn("seq", EXPERIMENT)
        self.assertEqual(plan.Case("lstm-ptb", 8, 1, 32).experiment()["seq"], 32)
        self.assertEqual({c.seq for c in plan.model_cases(["lstm-ptb"], [8], [1], seq=64)}, {64})


class Arguments(unittest.TestCase):
    def message(self, *argv):
        with self.assertRaises(plan.UsageError) as caught:
            record_pytorch.parse(argv)
        self.assertNotIn("\n", str(caught.exception))
        return str(caught.exception)

    def test_a_wrong_name_gets_the_nearest_valid_one(self):
        self.assertIn("'resnet50'", self.message("--model", "resnet-50", "--batch", "4", "-o", "f"))
        self.assertIn("'validation'", self.message("--plan", "validate", "-o", "f"))

    def test_impossible_values_and_combinations_are_refused_in_one_line(self):
        self.assertIn("--batch", self.message("--model", "fcn-r", "--batch", "0", "-o", "f"))
        self.assertIn("--threads", self.message("--plan", "quick", "--threads", "one", "-o", "f"))
        self.assertIn("--seq", self.message("--model", "fcn-r", "--batch", "4", "--seq", "8", "-o", "f"))
        self.assertIn("--plan", self.message("-o", "f"))
        self.assertIn("-o FILE", self.message("--plan", "quick"))
        self.assertIn("--plans", self.message("--plans", "quick", "-o", "f"))

    def test_help_lists_the_models(self):
        out = io.StringIO()
        with contextlib.redirect_stdout(out), self.assertRaises(SystemExit) as left:
            record_pytorch.parse(["--help"])
        self.assertEqual(left.exception.code, 0)
        self.assertIn("transformer-tiny", out.getvalue())


class File(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "recording.json")

    def test_appending_keeps_every_earlier_round_and_renews_the_summary(self):
        first = recording.new(PROVENANCE, PROTOCOL)
        recording.add_round(first, EXPERIMENT, 10, round_of(2.0))
        recording.write(first, self.path)
        again = recording.load(self.path)
        recording.require_same_setting(again, PROVENANCE, PROTOCOL, self.path)
        recording.add_round(again, EXPERIMENT, 10, round_of(1.9))
        recording.write(again, self.path)
        result = recording.load(self.path)
        self.assertEqual([r["samples_s"] for r in result["runs"][0]["rounds"]], [[2.0], [1.9]])
        self.assertEqual(result["runs"][0]["summary"]["median_s"], 1.9)
        self.assertEqual(result["protocol"]["rounds"], 2)

    def test_rounds_of_another_machine_are_refused(self):
        old = recording.new(PROVENANCE, PROTOCOL)
        with self.assertRaises(recording.RecordingError) as caught:
            recording.require_same_setting(old, {**PROVENANCE, "host": {"cpu": "b"}}, PROTOCOL, "f")
        self.assertIn("provenance.host", str(caught.exception))

    def test_a_value_that_is_not_finite_is_never_written(self):
        bad = recording.new(PROVENANCE, PROTOCOL)
        recording.add_round(bad, EXPERIMENT, 10, round_of(1.0, forward=math.nan))
        with self.assertRaises(ValueError) as caught:
            recording.write(bad, self.path)
        self.assertIn("forward_s", str(caught.exception))
        self.assertFalse(os.path.exists(self.path))

    def test_a_failed_write_leaves_the_old_file_and_no_partial_one(self):
        with self.assertRaises(recording.RecordingError):
            recording.write(recording.new(PROVENANCE, PROTOCOL), os.path.join(self.path, "missing", "x.json"))
        self.assertEqual(os.listdir(os.path.dirname(self.path)), [])

    def test_a_place_that_cannot_be_written_is_refused_before_measuring(self):
        recording.require_writable(self.path)
        for place in os.path.dirname(self.path), os.path.join(self.path, "missing", "x.json"):
            with self.assertRaises(recording.RecordingError):
                recording.require_writable(place)

    def test_another_schema_is_named_with_the_expected_one(self):
        with open(self.path, "w") as file:
            json.dump({"schema": "paceline.report/1"}, file)
        with self.assertRaises(recording.RecordingError) as caught:
            recording.load(self.path)
        self.assertIn("paceline.recording/1", str(caught.exception))

    def test_a_skipped_case_stays_skipped_with_its_reason(self):
        result = recording.new(PROVENANCE, PROTOCOL)
        recording.skip(result, EXPERIMENT, 10, "64 threads, but this machine has 2 cores")
        self.assertEqual(result["runs"][0]["status"], "skipped")
        self.assertIn("64 threads", result["runs"][0]["reason"])


class Machine(unittest.TestCase):
    def test_a_busy_loop_is_our_own_cpu_time_and_not_foreign(self):
        watch = machine.Watch()
        while watch.stop()[2] < 0.1:
            pass
        wall, busy, own, _ = watch.stop()
        self.assertGreaterEqual(own, 0.1)
        self.assertGreaterEqual(busy, 0.0)
        self.assertGreater(wall + 0.02, own)  # one thread; 0.02 s for clocks that tick

    def test_facts_of_the_host_are_complete(self):
        self.assertEqual(set(machine.host()), {"cpu", "cores", "memory_bytes", "kernel"})


@unittest.skipUnless(HAS_TORCH, "this python has no torch")
class Networks(unittest.TestCase):
    def test_parameter_counts_are_those_of_the_literature(self):
        import networks
        expected = {"fcn-r": 14205962, "fcn-s": 117997696, "alexnet": 62378344, "resnet50": 25557032,
                    "lstm-ptb": 6180624 + 2048,  # PyTorch's second set of biases: 2 layers x 4 gates x 256
                    "transformer-tiny": 3704808, "tiny-mlp": 4608}
        self.assertEqual(set(expected), set(plan.MODELS))
        self.assertEqual(set(expected), set(networks.BUILDERS))
        for model, count in expected.items():
            self.assertEqual(networks.parameter_count(networks.build(model, plan.SEQUENCE.get(model))), count, model)

    def test_written_out_attention_equals_torch_multihead_attention(self):
        import networks
        import torch
        torch.manual_seed(1)
        ours = networks.EncoderLayer(16, heads=4, ffn=32)
        theirs = torch.nn.TransformerEncoderLayer(16, 4, 32, dropout=0.0, batch_first=True)
        for mine, other in ((theirs.self_attn.in_proj_weight, ours.qkv.weight),
                            (theirs.self_attn.in_proj_bias, ours.qkv.bias),
                            (theirs.self_attn.out_proj.weight, ours.out.weight),
                            (theirs.self_attn.out_proj.bias, ours.out.bias),
                            (theirs.linear1.weight, ours.ffn1.weight), (theirs.linear1.bias, ours.ffn1.bias),
                            (theirs.linear2.weight, ours.ffn2.weight), (theirs.linear2.bias, ours.ffn2.bias)):
            mine.data.copy_(other.data)
        x = torch.randn(2, 5, 16)
        torch.testing.assert_close(ours(x), theirs(x))

    def test_a_round_of_the_smallest_network_has_finite_positive_phases(self):
        import networks
        import torch
        network = networks.build("tiny-mlp")
        optimizer = torch.optim.SGD(network.parameters(), lr=0.01)
        result = record_pytorch.measure_round(record_pytorch.Iteration(network, optimizer, 4), seconds=0.05)
        self.assertGreaterEqual(len(result["samples_s"]), 3)
        phases = result["forward_s"] + result["backward_s"] + result["optimizer_s"]
        self.assertTrue(math.isfinite(phases))
        self.assertGreater(phases, 0.0)


if __name__ == "__main__":
    unittest.main()

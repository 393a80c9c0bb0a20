"""Tests of the plans, cases and networks; the part that needs torch skips without it."""

import importlib.util
import json
import unittest

import cases
import environments
import experiment
import fabric
import layers
import plan

HAS_TORCH = importlib.util.find_spec("torch") is not None
CASE = cases.of("pytorch", "bsp", ["fcn-r"], 2, "1 Gb/s")[0]


class Plans(unittest.TestCase):
    def test_an_operation_is_swept_under_its_own_name_and_volume(self):
        sent = {op: cases.Sweep(4, cases.link("1 Gb/s"), cases.mebi(1), op) for op in ("all_reduce", "broadcast")}
        self.assertEqual(sent["broadcast"].benchmark, "gloo.broadcast")
        self.assertEqual((sent["all_reduce"].volume, sent["broadcast"].volume), (1.5, 1))

    def test_powersgd_warms_up_until_it_has_started(self):
        compressed = cases.of("pytorch", "ddp", ["fcn-r"], 2, "1 Gb/s", compression="powersgd")[0]
        self.assertGreater(compressed.warmup, CASE.warmup)

    def test_every_case_is_one_that_its_framework_can_run_and_appears_once(self):
        for name, make in cases.PLANS.items():
            items = make()
            self.assertEqual(len({str(item) for item in items}), len(items), name)
            for item in items:
                if isinstance(item, cases.Case):
                    self.assertIn(item.strategy, cases.STRATEGIES[item.framework])

    def test_the_validation_plan_covers_every_framework_strategy_network_and_rate(self):
        items = [item for item in cases.validation() if isinstance(item, cases.Case)]
        for framework, strategies in cases.STRATEGIES.items():
            mine = [item for item in items if item.framework == framework]
            self.assertEqual({item.strategy for item in mine}, set(strategies))
            self.assertEqual({item.model for item in mine}, set(cases.MODELS))
        self.assertEqual({item.workers for item in items}, {1, 2, 4})
        self.assertLessEqual({50e6, 200e6, 1e9}, {item.link.rate_bits_per_s for item in items if item.link})

    def test_a_lone_worker_of_each_network_is_measured_for_each_framework_that_trains_it_together(self):
        for make in cases.PLANS.values():
            items = [item for item in make() if isinstance(item, cases.Case)]
            alone = {(item.framework, item.model) for item in items if item.strategy == "none" and item.workers == 1}
            self.assertEqual(alone, {(item.framework, item.model) for item in items})

    def test_each_rate_that_training_uses_is_also_swept(self):
        for make in cases.PLANS.values():
            items = make()
            swept = {str(item.link) for item in items if isinstance(item, cases.Sweep)}
            self.assertLessEqual({str(item.link) for item in items if item.link}, swept)

    def test_a_slower_link_and_a_star_take_longer(self):
        def expected(strategy, rate):
            return cases.of("pytorch", strategy, ["fcn-r"], 4, rate)[0].expected_iteration_s()
        self.assertGreater(expected("bsp", "50 Mb/s"), expected("bsp", "200 Mb/s"))
        self.assertGreater(expected("parameter-server", "1 Gb/s"), expected("gpu-tree", "1 Gb/s"))
        self.assertGreater(expected("gpu-tree", "1 Gb/s"), expected("bsp", "1 Gb/s"))
        self.assertGreater(CASE.limit_s(1), CASE.expected_s(1))

    def test_links_are_written_as_on_the_command_line_of_paceline(self):
        link = cases.link("200 Mb/s@2ms")
        self.assertEqual((link.rate_bits_per_s, link.latency_s, str(link)), (200e6, 0.002, "200 Mb/s@2ms"))
        self.assertIsNone(cases.link("unlimited").rate_bits_per_s)
        for wrong in "200", "0 Mb/s", "200 MB/s", "fast":
            with self.assertRaises(plan.UsageError):
                cases.link(wrong)


class Experiments(unittest.TestCase):
    def test_an_experiment_says_all_that_distinguishes_its_case(self):
        items = [item for item in cases.validation() if isinstance(item, cases.Case)]
        self.assertEqual(len({json.dumps(item.experiment(), sort_keys=True) for item in items}), len(items))
        self.assertEqual(CASE.experiment()["network"], {"link": "1 Gb/s", "rate_bits_per_s": 1e9, "latency_s": 0.0})

    def test_workers_come_first_on_the_network_and_the_scheduler_is_with_worker_0(self):
        case = cases.of("mxnet", "dist-sync", ["fcn-r"], 2, "1 Gb/s", servers=2)[0]
        self.assertEqual([environments.machine_of(case, role, i) for role, i, _ in experiment.roles(case)],
                         [0, 2, 3, 0, 1])
        self.assertEqual(environments.ps_lite(case, "server", 1)["DMLC_NODE_HOST"], fabric.address(3))

    def test_each_process_of_each_case_is_on_a_machine_that_exists(self):
        for item in cases.validation():
            for role, index, _ in experiment.roles(item):
                if item.machines:
                    self.assertIn(environments.machine_of(item, role, index), range(item.machines), str(item))

    def test_workers_have_one_thread_that_may_run_on_any_processor(self):
        for framework in cases.FRAMEWORKS:
            env = environments.variables(framework)
            self.assertEqual((env["OMP_NUM_THREADS"], env["OMP_PROC_BIND"]), ("1", "false"))

    def test_devices_of_one_process_need_one_process_and_no_network(self):
        case = cases.of("mxnet", "kvstore-local", ["fcn-r"], 2)[0]
        self.assertEqual(experiment.roles(case), [("worker", 0, True)])
        self.assertIsNone(case.experiment()["network"])


class Networks(unittest.TestCase):
    def test_parameter_counts_are_those_of_the_literature(self):
        self.assertEqual({model: layers.parameter_count(model) for model in cases.MODELS},
                         {"fcn-r": 14205962, "alexnet": 62378344, "resnet50": 25557032, "lstm-ptb": 6180624})

    @unittest.skipUnless(HAS_TORCH, "this python has no torch")
    def test_the_lists_are_the_networks_that_pytorch_trains(self):
        import networks
        for model in cases.MODELS:
            built = networks.build(model, plan.SEQUENCE.get(model))
            case = cases.of("pytorch", "none", [model])[0]
            self.assertEqual(networks.parameter_count(built), experiment.parameters(case), model)


if __name__ == "__main__":
    unittest.main()

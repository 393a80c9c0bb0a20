"""Tests of the aggregations written for PyTorch; they skip without torch."""

import importlib.util
import json
import os
import subprocess
import sys
import textwrap
import unittest

import environments
from temporary import Folder

HAS_TORCH = importlib.util.find_spec("torch") is not None
HERE = os.path.dirname(os.path.abspath(__file__))


@unittest.skipUnless(HAS_TORCH, "this python has no torch")
class Aggregations(Folder):
    """Every exact strategy must leave the weights that one worker with all the data would have."""
    WORKERS = 3
    STRATEGIES = {"bsp": {}, "ddp": {"bucket_cap_mib": 1}, "parameter-server": {}, "gpu-tree": {}, "none": {}}
    SCRIPT = """
        import json, os, sys, torch, pytorch_worker as p
        jobs, index = json.loads(sys.argv[1]), int(sys.argv[2])
        p.HEAP_BYTES = 1 << 20
        for job in jobs:
            training = p.Training(job, index)
            for _ in range(2):
                training.iterate()
            print(json.dumps([w.detach().flatten()[:8].tolist() for w in (training.weights[0], training.weights[-1])]))
            if p.dist.is_initialized():
                p.dist.destroy_process_group()
        """

    def weights(self):
        """{strategy: [first and last weights of each worker]}"""
        jobs = []
        for strategy, options in self.STRATEGIES.items():
            folder = os.path.join(self.folder, strategy)
            os.mkdir(folder)
            jobs.append({"folder": folder, "experiment": {
                "strategy": strategy, "options": options, "workers": self.WORKERS, "model": "tiny-mlp", "batch": 4,
                "threads": 1}})
        env = {**environments.variables("pytorch"), "GLOO_SOCKET_IFNAME": "lo"}
        found = [subprocess.Popen([sys.executable, "-c", textwrap.dedent(self.SCRIPT), json.dumps(jobs), str(i)],
                                  cwd=HERE, env=env, stdout=subprocess.PIPE, text=True) for i in range(self.WORKERS)]
        lines = [process.communicate(timeout=120)[0].splitlines() for process in found]
        self.assertEqual([process.returncode for process in found], [0] * self.WORKERS)
        return {strategy: [json.loads(mine[i]) for mine in lines] for i, strategy in enumerate(self.STRATEGIES)}

    def test_all_exact_strategies_train_the_same_weights_on_all_workers(self):
        found = self.weights()
        reference = found["bsp"][0]
        for strategy in set(self.STRATEGIES) - {"none"}:
            for weights in found[strategy]:
                for one, other in zip(sum(weights, []), sum(reference, [])):
                    self.assertAlmostEqual(one, other, places=6, msg=strategy)
        self.assertNotEqual(found["none"][0], reference)  # the other workers' data did matter


if __name__ == "__main__":
    unittest.main()

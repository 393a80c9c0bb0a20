#!/usr/bin/env python3
"""Writes a small Kineto trace of a network of ours on a CPU, for the tests of the importer (README.md).

    make_kineto_trace.py OUT.json [--steps N] [--modules]

Needs a PyTorch whose profiler is built with Kineto; Debian's is not.
"""

import argparse

import torch
from torch import nn
from torch.profiler import ProfilerActivity, profile, schedule


def network():
    return nn.Sequential(nn.Conv2d(3, 24, 3, padding=1), nn.BatchNorm2d(24), nn.ReLU(inplace=True), nn.MaxPool2d(2),
                         nn.Conv2d(24, 40, 3, padding=1), nn.ReLU(inplace=True), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                         nn.Linear(40, 10))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out")
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--modules", action="store_true", help="also the modules of the network (large)")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(1)
    net, loss_of = network(), nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    images, labels = torch.randn(8, 3, 30, 30), torch.randint(10, (8,))
    with profile(activities=[ProfilerActivity.CPU], record_shapes=True, with_stack=arguments.modules,
                 experimental_config=torch._C._profiler._ExperimentalConfig(verbose=True),
                 schedule=schedule(wait=0, warmup=1, active=arguments.steps, repeat=1)) as profiler:
        for _ in range(arguments.steps + 1):
            optimizer.zero_grad()
            loss_of(net(images), labels).backward()
            optimizer.step()
            profiler.step()
    profiler.export_chrome_trace(arguments.out)


if __name__ == "__main__":
    main()

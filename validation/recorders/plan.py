"""Which networks, batches and thread counts a recording covers. No torch needed."""

import difflib
from dataclasses import dataclass

SEQUENCE = {"lstm-ptb": 32, "transformer-tiny": 128}  # default sequence length; other networks have none
MODELS = ("fcn-r", "fcn-s", "alexnet", "resnet50", "lstm-ptb", "transformer-tiny", "tiny-mlp")

# Batches per network. "validation" keeps ResNet-50 on both sides of batch 16, where PyTorch changes its 1x1 kernels.
PLANS = {
    "validation": {"fcn-r": (64, 256, 1024), "fcn-s": (16, 64, 256), "alexnet": (8, 16, 32), "resnet50": (4, 8, 16),
                   "lstm-ptb": (16, 32, 64), "transformer-tiny": (4, 8, 16)},
    "quick": {"fcn-r": (64, 256), "fcn-s": (64,), "alexnet": (16,), "resnet50": (4,), "lstm-ptb": (32,),
              "transformer-tiny": (8,)},
    "tiny": {"tiny-mlp": (1, 4)},
}


class UsageError(Exception):
    """A wrong argument; the message is one line for the user."""


@dataclass(frozen=True)
class Case:
    model: str
    batch: int
    threads: int
    seq: int | None

    def experiment(self):
        """The case as the recording names it; also its identity when rounds are appended."""
        e = {"model": self.model, "batch": self.batch, "threads": self.threads, "device": "cpu",
             "framework": "pytorch", "precision": "fp32"}
        return e if self.seq is None else {**e, "seq": self.seq}


def known(name, names, kind):
    if name in names:
        return name
    near = difflib.get_close_matches(name.lower().replace("_", "-"), names, n=1, cutoff=0.4)
    hint = f"did you mean '{near[0]}'?" if near else f"known: {', '.join(names)}"
    raise UsageError(f"unknown {kind} '{name}'; {hint}")


def positive_list(text, option):
    try:
        values = [int(word) for word in text.split(",")]
    except ValueError:
        values = []
    if not values or min(values) < 1:
        raise UsageError(f"{option} takes positive whole numbers separated by commas, not '{text}'")
    return list(dict.fromkeys(values))


def plan_cases(plan, threads):
    return cases(PLANS[known(plan, list(PLANS), "plan")], threads)


def model_cases(models, batches, threads, seq=None):
    for model in models:
        known(model, MODELS, "model")
        if seq is not None and model not in SEQUENCE:
            raise UsageError(f"--seq does not apply to '{model}'; networks with a sequence: {', '.join(SEQUENCE)}")
    return cases({model: batches for model in dict.fromkeys(models)}, threads, seq)


def cases(batches_of, threads, seq=None):
    """Network by network, so that each is built once per round."""
    return [Case(model, batch, t, seq or SEQUENCE.get(model))
            for model, batches in batches_of.items() for batch in batches for t in threads]

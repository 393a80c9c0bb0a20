"""Which training runs the GPU recorder takes, the most informative first. No torch needed."""

from dataclasses import dataclass

# Batches that fit 16 GB in fp32; sequence length where there is one.
BATCHES = {"resnet50": 32, "alexnet": 128, "vgg16": 32, "lstm-ptb": 64, "bert-base": 8, "gpt2": 4}
LARGE = {"resnet50": 128, "alexnet": 512, "vgg16": 96, "lstm-ptb": 256, "bert-base": 32, "gpt2": 16}
SEQUENCE = {"lstm-ptb": 32, "bert-base": 128, "gpt2": 512}
FIRST = ("resnet50", "alexnet", "vgg16", "lstm-ptb", "bert-base", "gpt2")
COMPILED = ("resnet50", "bert-base", "gpt2")
REST = ("transformer-tiny", "fcn-r")


@dataclass(frozen=True)
class Case:
    model: str
    batch: int
    precision: str
    compiled: bool = False

    @property
    def seq(self):
        return SEQUENCE.get(self.model, 128 if self.model == "transformer-tiny" else None)

    def experiment(self, device):
        """The case as the recording names it; also its identity when a run is resumed."""
        e = {"model": self.model, "batch": self.batch, "threads": 1, "device": device,
             "framework": "pytorch", "precision": self.precision}
        if self.seq is not None:
            e["seq"] = self.seq
        return {**e, "options": {"compile": "on"}} if self.compiled else e

    def name(self):
        return f"{self.model}-b{self.batch}-{self.precision}{'-compiled' if self.compiled else ''}"


def precisions(capability):
    """fp32 without TF32, and the mixed precision that people use on such a GPU."""
    return ("fp32", "bf16" if capability >= (8, 0) else "fp16")


PLANS = ("first", "compiled", "full")


def cases(capability, plan="first"):
    """`first`: six networks, eager, in two precisions; `compiled`: three by torch.compile; `full`: `first`, then large
    batches and other networks."""
    first, second = precisions(capability)
    if plan == "compiled":
        return [Case(m, BATCHES[m], second, compiled=True) for m in COMPILED]
    out = [Case(m, BATCHES[m], p) for p in (second, first) for m in FIRST]
    if plan == "full":
        out += [Case(m, LARGE[m], p) for p in (second, first) for m in FIRST]
        out += [Case(m, 256 if m == "fcn-r" else 32, p) for m in REST for p in (second, first)]
    return out


def remaining(all_cases, recorded, device):
    """Those without a measured run yet; `recorded` is a loaded recording."""
    done = [run["experiment"] for run in recorded["runs"] if run["status"] == "measured"]
    return [case for case in all_cases if case.experiment(device) not in done]


class Budget:
    """Seconds that may be spent; `clock` is injected for tests."""

    def __init__(self, seconds, clock):
        self.clock, self.end = clock, clock() + seconds

    def left(self):
        return self.end - self.clock()

    def allows(self, seconds):
        return self.left() >= seconds

"""The networks that the recorder trains, written out with plain torch modules.

Each docstring says exactly what an iteration executes, because the workload catalog has to reproduce the same
operations, shapes and parameter count. Inputs are synthetic, class labels random, and the loss is always
F.cross_entropy (log_softmax + nll_loss, mean over all rows).
"""

import torch
import torch.nn.functional as F
from torch import nn


class FullyConnected(nn.Module):
    """Linear layers with biases, a sigmoid after each but the last.

    fcn-r: 784-2048-4096-1024-10, the MNIST network of Shi et al. 2016; 14,205,962 parameters.
    fcn-s: 26752-2048-2048-2048-26752, their synthetic network; 117,997,696 parameters.
    """

    def __init__(self, *widths):
        super().__init__()
        self.input_shape, self.classes = (widths[0],), widths[-1]
        self.layers = nn.ModuleList(nn.Linear(i, o) for i, o in zip(widths, widths[1:]))

    def forward(self, x):
        for layer in self.layers[:-1]:
            x = torch.sigmoid(layer(x))
        return self.layers[-1](x)


class TinyMlp(FullyConnected):
    """64 Linear(8, 8) with sigmoids: its arithmetic takes no time, so an iteration is the framework's host cost.

    Calibration data only, never validation. 4,608 parameters.
    """

    def __init__(self):
        super().__init__(*[8] * 65)


class AlexNet(nn.Module):
    """ImageNet AlexNet without groups, 227x227 input; 62,378,344 parameters.

    Five convolutions with biases, ReLU (in place) after each, 3x3/2 max-pooling after the first, second and fifth;
    dropout 0.5 - Linear 9216-4096 - ReLU - dropout 0.5 - Linear 4096-4096 - ReLU - Linear 4096-1000.
    No local response normalisation: the definitions the papers ran agree on the parameter count, which LRN does not
    change, and no later framework example keeps it.
    """

    input_shape, classes = (3, 227, 227), 1000

    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 96, 11, stride=4), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2),
            nn.Conv2d(96, 256, 5, padding=2), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2),
            nn.Conv2d(256, 384, 3, padding=1), nn.ReLU(inplace=True),
            nn.Conv2d(384, 384, 3, padding=1), nn.ReLU(inplace=True),
            nn.Conv2d(384, 256, 3, padding=1), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2))
        self.classifier = nn.Sequential(
            nn.Dropout(0.5), nn.Linear(256 * 6 * 6, 4096), nn.ReLU(inplace=True),
            nn.Dropout(0.5), nn.Linear(4096, 4096), nn.ReLU(inplace=True),
            nn.Linear(4096, 1000))

    def forward(self, x):
        return self.classifier(self.features(x).flatten(1))


class Bottleneck(nn.Module):
    """1x1 - 3x3 (carries the stride) - 1x1 convolutions without biases, each with batch-norm; ReLUs in place.

    The identity is a 1x1 convolution with batch-norm in the first block of a stage, and is added in place.
    """

    def __init__(self, channels_in, width, stride):
        super().__init__()
        channels_out = 4 * width
        self.conv1 = nn.Conv2d(channels_in, width, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, stride=stride, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.conv3 = nn.Conv2d(width, channels_out, 1, bias=False)
        self.bn3 = nn.BatchNorm2d(channels_out)
        self.downsample = None
        if stride != 1 or channels_in != channels_out:
            self.downsample = nn.Sequential(nn.Conv2d(channels_in, channels_out, 1, stride=stride, bias=False),
                                            nn.BatchNorm2d(channels_out))

    def forward(self, x):
        identity = x if self.downsample is None else self.downsample(x)
        y = F.relu(self.bn1(self.conv1(x)), inplace=True)
        y = F.relu(self.bn2(self.conv2(y)), inplace=True)
        y = self.bn3(self.conv3(y))
        y += identity
        return F.relu(y, inplace=True)


class ResNet50(nn.Module):
    """ResNet-50 with 224x224 input as torchvision writes it; 25,557,032 parameters.

    7x7/2 convolution, batch-norm, ReLU, 3x3/2 max-pooling (padding 1); 3, 4, 6, 3 bottlenecks of width 64, 128, 256,
    512, the first of each later stage with stride 2; global average; Linear 2048-1000.
    """

    input_shape, classes = (3, 224, 224), 1000

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 64, 7, stride=2, padding=3, bias=False)
        self.bn1 = nn.BatchNorm2d(64)
        self.pool = nn.MaxPool2d(3, 2, padding=1)
        blocks, channels = [], 64
        for width, count, stride in (64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2):
            for i in range(count):
                blocks.append(Bottleneck(channels, width, stride if i == 0 else 1))
                channels = 4 * width
        self.blocks = nn.Sequential(*blocks)
        self.average = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(2048, 1000)

    def forward(self, x):
        x = self.pool(F.relu(self.bn1(self.conv1(x)), inplace=True))
        return self.fc(self.average(self.blocks(x)).flatten(1))


class LstmPtb(nn.Module):
    """Word language model: embedding 10000x256, nn.LSTM 256-256 with 2 layers, Linear 256-10000 at every step.

    Input (seq, batch) token ids, state zero at the start of each iteration, no dropout, weights not tied; the loss is
    over seq*batch rows. 6,182,672 parameters; PyTorch keeps two bias vectors per gate where the papers' count,
    6,180,624, has one.
    """

    vocabulary, classes, hidden = 10000, 10000, 256

    def __init__(self, seq):
        super().__init__()
        self.seq = seq
        self.embedding = nn.Embedding(self.vocabulary, self.hidden)
        self.lstm = nn.LSTM(self.hidden, self.hidden, num_layers=2)
        self.decoder = nn.Linear(self.hidden, self.vocabulary)

    def tokens_shape(self, batch):
        return self.seq, batch

    def forward(self, tokens):
        y, _ = self.lstm(self.embedding(tokens))
        return self.decoder(y.flatten(0, 1))


class EncoderLayer(nn.Module):
    """Post-norm encoder layer (the default order of nn.TransformerEncoderLayer) without dropout, without a mask.

    One Linear d-3d for query, key and value; each head's q (scaled by 1/sqrt(d/heads)) times k transposed, softmax,
    times v, all heads in one batched matmul; Linear d-d; add; LayerNorm; Linear d-ffn, ReLU, Linear ffn-d; add;
    LayerNorm. All Linear layers have biases.
    """

    def __init__(self, d, heads, ffn):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(d, 3 * d)
        self.out = nn.Linear(d, d)
        self.norm1 = nn.LayerNorm(d)
        self.ffn1 = nn.Linear(d, ffn)
        self.ffn2 = nn.Linear(ffn, d)
        self.norm2 = nn.LayerNorm(d)

    def attention(self, x):
        batch, seq, d = x.shape
        q, k, v = self.qkv(x).view(batch, seq, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4).unbind(0)
        scores = torch.matmul(q * (d // self.heads) ** -0.5, k.transpose(-2, -1))
        y = torch.matmul(F.softmax(scores, dim=-1), v)
        return self.out(y.transpose(1, 2).reshape(batch, seq, d))

    def forward(self, x):
        x = self.norm1(x + self.attention(x))
        return self.norm2(x + self.ffn2(F.relu(self.ffn1(x))))


class TransformerTiny(nn.Module):
    """Encoder-only language model: d 256, 4 post-norm layers, 4 heads, ffn 1024, vocabulary 1000, sequence 128.

    Token embedding 1000x256 plus learned positions seqx256, four EncoderLayer, Linear 256-1000 (not tied) at every
    position; the loss is over batch*seq rows. 3,704,808 parameters at seq 128.
    """

    vocabulary, classes, d = 1000, 1000, 256

    def __init__(self, seq):
        super().__init__()
        self.seq = seq
        self.embedding = nn.Embedding(self.vocabulary, self.d)
        self.positions = nn.Parameter(torch.zeros(seq, self.d))
        self.layers = nn.ModuleList(EncoderLayer(self.d, heads=4, ffn=1024) for _ in range(4))
        self.decoder = nn.Linear(self.d, self.vocabulary)

    def tokens_shape(self, batch):
        return batch, self.seq

    def forward(self, tokens):
        x = self.embedding(tokens) + self.positions
        for layer in self.layers:
            x = layer(x)
        return self.decoder(x.flatten(0, 1))


BUILDERS = {
    "fcn-r": lambda seq: FullyConnected(784, 2048, 4096, 1024, 10),
    "fcn-s": lambda seq: FullyConnected(26752, 2048, 2048, 2048, 26752),
    "alexnet": lambda seq: AlexNet(),
    "resnet50": lambda seq: ResNet50(),
    "lstm-ptb": LstmPtb,
    "transformer-tiny": TransformerTiny,
    "tiny-mlp": lambda seq: TinyMlp(),
}


def build(model, seq=None):
    return BUILDERS[model](seq)


def parameter_count(network):
    return sum(p.numel() for p in network.parameters())


def synthetic_batch(network, batch):
    """Random inputs and labels for one iteration; the same tensors serve every iteration."""
    if hasattr(network, "tokens_shape"):
        shape = network.tokens_shape(batch)
        return torch.randint(network.vocabulary, shape), torch.randint(network.classes, (shape[0] * shape[1],))
    return torch.randn(batch, *network.input_shape), torch.randint(network.classes, (batch,))

"""Networks that only the GPU recorder trains, with plain torch modules, as the workload catalog describes them."""

import os
import sys

import torch
import torch.nn.functional as F
from torch import nn

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import networks  # noqa: E402


class Vgg16(nn.Module):
    """VGG-16 with 224x224 input as torchvision writes it, without batch-norm; 138,357,544 parameters."""

    input_shape, classes = (3, 224, 224), 1000

    def __init__(self):
        super().__init__()
        layers, channels = [], 3
        for width, count in (64, 2), (128, 2), (256, 3), (512, 3), (512, 3):
            for _ in range(count):
                layers += [nn.Conv2d(channels, width, 3, padding=1), nn.ReLU(inplace=True)]
                channels = width
            layers.append(nn.MaxPool2d(2))
        self.features = nn.Sequential(*layers)
        self.average = nn.AdaptiveAvgPool2d(7)
        self.classifier = nn.Sequential(
            nn.Linear(512 * 49, 4096), nn.ReLU(inplace=True), nn.Dropout(0.5),
            nn.Linear(4096, 4096), nn.ReLU(inplace=True), nn.Dropout(0.5), nn.Linear(4096, 1000))

    def forward(self, x):
        return self.classifier(self.average(self.features(x)).flatten(1))


class Attention(nn.Module):
    """Self-attention by scaled_dot_product_attention; `packed`: one product for query, key and value."""

    def __init__(self, width, heads, packed, causal):
        super().__init__()
        self.heads, self.causal = heads, causal
        self.inputs = nn.ModuleList([nn.Linear(width, 3 * width)] if packed else
                                    [nn.Linear(width, width) for _ in range(3)])
        self.output = nn.Linear(width, width)

    def forward(self, x):
        batch, seq, width = x.shape
        parts = self.inputs[0](x).split(width, dim=2) if len(self.inputs) == 1 else [f(x) for f in self.inputs]
        q, k, v = (p.view(batch, seq, self.heads, -1).transpose(1, 2) for p in parts)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=self.causal, dropout_p=0.1 if self.training else 0.0)
        return self.output(y.transpose(1, 2).reshape(batch, seq, width))


class Block(nn.Module):
    """Attention and a feed-forward layer of four times the width; `norm_first` as in GPT-2, else as in BERT."""

    def __init__(self, width, heads, packed, causal, norm_first):
        super().__init__()
        self.norm_first = norm_first
        self.attention = Attention(width, heads, packed, causal)
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.up, self.down, self.dropout = nn.Linear(width, 4 * width), nn.Linear(4 * width, width), nn.Dropout(0.1)

    def feed_forward(self, x):
        return self.dropout(self.down(F.gelu(self.up(x))))

    def forward(self, x):
        if self.norm_first:
            x = x + self.dropout(self.attention(self.norm1(x)))
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.dropout(self.attention(x)))
        return self.norm2(x + self.feed_forward(x))


class Gpt2(nn.Module):
    """GPT-2 small: 12 blocks of width 768, 12 heads, vocabulary 50257, the head tied to the embedding; 124,439,808."""

    vocabulary = classes = 50257

    def __init__(self, seq):
        super().__init__()
        self.seq = seq
        self.tokens, self.positions = nn.Embedding(self.vocabulary, 768), nn.Embedding(1024, 768)
        self.dropout = nn.Dropout(0.1)
        self.blocks = nn.Sequential(*(Block(768, 12, True, True, True) for _ in range(12)))
        self.norm = nn.LayerNorm(768)

    def tokens_shape(self, batch):
        return batch, self.seq

    def forward(self, tokens):
        places = torch.arange(tokens.shape[1], device=tokens.device)
        x = self.norm(self.blocks(self.dropout(self.tokens(tokens) + self.positions(places))))
        return F.linear(x, self.tokens.weight).flatten(0, 1)


class BertBase(nn.Module):
    """BERT-Base with both pre-training heads, 12 blocks of width 768; 110,106,428 parameters.

    The loss is over every position and the next-sentence pair: logits of the words only are returned, those of the
    pair enter the loss through `extra_loss`.
    """

    vocabulary = classes = 30522

    def __init__(self, seq):
        super().__init__()
        self.seq = seq
        self.tokens, self.positions, self.types = (nn.Embedding(rows, 768) for rows in (self.vocabulary, 512, 2))
        self.norm, self.dropout = nn.LayerNorm(768), nn.Dropout(0.1)
        self.blocks = nn.Sequential(*(Block(768, 12, False, False, False) for _ in range(12)))
        self.pooler, self.next_sentence = nn.Linear(768, 768), nn.Linear(768, 2)
        self.transform, self.transform_norm = nn.Linear(768, 768), nn.LayerNorm(768)
        self.bias = nn.Parameter(torch.zeros(self.vocabulary))

    def tokens_shape(self, batch):
        return batch, self.seq

    def forward(self, tokens):
        places = torch.arange(tokens.shape[1], device=tokens.device)
        x = self.tokens(tokens) + self.positions(places) + self.types(torch.zeros_like(tokens))
        x = self.blocks(self.dropout(self.norm(x)))
        pair = self.next_sentence(torch.tanh(self.pooler(x[:, 0])))
        self.extra_loss = F.cross_entropy(pair.float(), torch.zeros_like(tokens[:, 0]))
        words = self.transform_norm(F.gelu(self.transform(x)))
        return F.linear(words, self.tokens.weight, self.bias).flatten(0, 1)


BUILDERS = {"vgg16": lambda seq: Vgg16(), "gpt2": Gpt2, "bert-base": BertBase}


def build(model, seq=None):
    return BUILDERS[model](seq) if model in BUILDERS else networks.build(model, seq)

#!/usr/bin/env python3
"""The network of Dernoncourt et al. 2016 in PyTorch, written to be fast on a CPU.

    torch_bilstm_crf.py train.conll --batch 1 32 --threads 1 2 --seconds 5

reads columns (token, label; an empty line after each sentence), and for each
batch size and number of threads trains and then predicts for the given time and
prints a line of JSON. It is faster than a straightforward script because:

- sentences of similar length share a batch, and all batches are tensors before the
  clock starts;
- the character LSTM reads each distinct token of a batch once; prediction
  is also measured with precomputed vectors of all tokens of the corpus;
- the CRF's sums are matrix products of scaled probabilities, with a gradient
  written by hand, instead of one logsumexp per token through autograd; Viterbi
  keeps scores, and finds the previous label only along the best path;
- the token table has a sparse gradient, and SGD is fused if the release
  supports it.
"""

import argparse
import json
import random
import time
from functools import partial
from itertools import cycle

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


def read(path):
    sentences, sentence = [], []
    with open(path, encoding="utf-8", newline="\n") as f:
        for line in f:
            if line == "\n":
                sentences.append(sentence)
                sentence = []
            else:
                sentence.append(tuple(line.rstrip("\n").split(" ")))
    return sentences


class Batch:
    """Sentences as tensors: tokens, labels [B, N]; the characters of
    the distinct tokens [U, W], and the index of each token among them."""

    def __init__(self, sentences, ids):
        self.size = sum(map(len, sentences))
        self.lengths = torch.tensor([len(s) for s in sentences])
        longest = int(self.lengths.max())
        self.tokens = torch.zeros(len(sentences), longest, dtype=torch.long)
        self.labels = torch.zeros_like(self.tokens)
        self.words = torch.zeros_like(self.tokens)
        # Sorted by falling length, as packing requires.
        distinct = sorted({t for s in sentences for t, _ in s}, key=len, reverse=True)
        place = {t: i for i, t in enumerate(distinct)}
        for i, s in enumerate(sentences):
            self.tokens[i, : len(s)] = torch.tensor([ids.tokens[t] for t, _ in s])
            self.labels[i, : len(s)] = torch.tensor([ids.labels[y] for _, y in s])
            self.words[i, : len(s)] = torch.tensor([place[t] for t, _ in s])
        self.characters, self.spelled = ids.spell(distinct)
        self.flip, self.flip_spelled = reversal(self.lengths), reversal(self.spelled)
        self.mask = torch.arange(longest)[None] < self.lengths[:, None]
        self.padded = bool((self.lengths < longest).any())


class Ids:
    def __init__(self, sentences):
        self.tokens, self.characters = {}, {}
        for s in sentences:
            for t, _ in s:
                self.tokens.setdefault(t, len(self.tokens) + 1)
                for c in t:
                    self.characters.setdefault(c, len(self.characters) + 1)
        # All four labels of each type, whether they occur or not.
        types = sorted({y[2:] for s in sentences for _, y in s} - {""})
        names = ["O"] + [p + "-" + t for t in types for p in "BEIS"]
        self.labels = {y: i for i, y in enumerate(names)}

    def spell(self, words):
        lengths = torch.tensor([len(w) for w in words])
        chars = torch.zeros(len(words), int(lengths.max()), dtype=torch.long)
        for i, w in enumerate(words):
            chars[i, : len(w)] = torch.tensor([self.characters[c] for c in w])
        return chars, lengths


class LogZ(torch.autograd.Function):
    """log of the sum of the scores of all label sequences, by forward-backward
    with each step scaled to sum 1 (Rabiner 1989, section V.A). u is [N, B, K]."""

    @staticmethod
    def forward(ctx, u, trans, start, end, lengths, mask):
        n, b, _ = u.shape
        top, top_t, top_s, top_e = u.amax(2), trans.max(), start.max(), end.max()
        p, e = torch.exp(u - top[:, :, None]), torch.exp(trans - top_t)
        e_end = torch.exp(end - top_e)
        alphas, scales = [], []
        a = torch.exp(start - top_s) * p[0]
        for t in range(n):
            if t:
                a = torch.mm(a, e).mul_(p[t])
            s = a.sum(1, keepdim=True)
            a.div_(s)
            alphas.append(a)
            scales.append(s)
        alpha, scale = torch.stack(alphas), torch.stack(scales)
        last = alpha[lengths - 1, torch.arange(b)]
        z = last @ e_end
        ctx.save_for_backward(alpha, scale, p, e, e_end, z, lengths, mask)
        sums = ((scale.squeeze(2).log() + top) * mask).sum(0)
        return sums + z.log() + top_s + top_e + (lengths - 1) * top_t

    @staticmethod
    def backward(ctx, grad):
        alpha, scale, p, e, e_end, z, lengths, mask = ctx.saved_tensors
        n, b, k = alpha.shape
        first = torch.zeros_like(alpha)  # placeholder for a next step
        first[lengths - 1, torch.arange(b)] = e_end / z[:, None]
        w = p / scale * mask[:, :, None]
        back, betas, qs = e.t(), [first[n - 1]], []
        for t in range(n - 1, 0, -1):
            qs.append(w[t] * betas[-1])
            betas.append(torch.addmm(first[t - 1], qs[-1], back))
        beta = torch.stack(betas[::-1])
        du = alpha * beta * grad[:, None]
        d_trans = torch.zeros_like(e)
        if n > 1:
            q = torch.stack(qs[::-1]) * grad[:, None]
            d_trans = alpha[:-1].reshape(-1, k).t().mm(q.reshape(-1, k)) * e
        d_end = du[lengths - 1, torch.arange(b)].sum(0)
        return du, d_trans, du[0].sum(0), d_end, None, None


def reversal(lengths):
    """The flat index that reverses each of several right-padded sequences and
    leaves the padding in place. It is its own inverse."""
    at = torch.arange(int(lengths.max()))[None]
    at = torch.where(at < lengths[:, None], lengths[:, None] - 1 - at, at)
    return (at + len(at[0]) * torch.arange(len(lengths))[:, None]).flatten()


def reverse(x, flip):
    return x.flatten(0, 1).index_select(0, flip).view_as(x)


class BiLSTM(nn.Module):
    """Both directions over right-padded sequences: packed, or, if packed is
    false, one after the other over the padding, so that oneDNN's layer is used."""

    def __init__(self, size, units, packed):
        super().__init__()
        self.packed = packed
        if packed:
            self.both = nn.LSTM(size, units, bidirectional=True, batch_first=True)
        else:
            self.forth = nn.LSTM(size, units, batch_first=True)
            self.back = nn.LSTM(size, units, batch_first=True)

    def all(self, x, lengths, flip, padded):
        if not self.packed:
            return torch.cat([self.forth(x)[0], reverse(self.back(reverse(x, flip))[0], flip)], 2)
        if not padded:
            return self.both(x)[0]
        y = self.both(pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False))[0]
        return pad_packed_sequence(y, batch_first=True)[0]

    def last(self, x, lengths, flip):
        if not self.packed:
            rows = torch.arange(len(x))
            forth, back = self.forth(x)[0], self.back(reverse(x, flip))[0]
            return torch.cat([forth[rows, lengths - 1], back[rows, lengths - 1]], 1)
        _, (h, _) = self.both(pack_padded_sequence(x, lengths, batch_first=True))
        return torch.cat([h[0], h[1]], 1)


class Tagger(nn.Module):
    def __init__(self, ids, layout):
        super().__init__()
        k = len(ids.labels)
        self.character = nn.Embedding(len(ids.characters) + 1, 25)
        self.characters = BiLSTM(25, 25, layout != "padded")
        self.token = nn.Embedding(len(ids.tokens) + 1, 100, sparse=True)
        self.dropout = nn.Dropout(0.5)
        self.tokens = BiLSTM(150, 100, layout == "packed")
        self.hidden, self.out = nn.Linear(200, 100), nn.Linear(100, k)
        self.trans = nn.Parameter(0.1 * torch.randn(k, k))
        self.start, self.end = nn.Parameter(torch.zeros(k)), nn.Parameter(torch.zeros(k))

    def spell(self, chars, lengths, flip):
        return self.characters.last(self.character(chars), lengths, flip)

    def unaries(self, b, spelled):
        x = torch.cat([spelled, self.token(b.tokens)], 2)
        h = self.tokens.all(self.dropout(x), b.lengths, b.flip, b.padded)
        return self.out(torch.tanh(self.hidden(h)))

    def loss(self, b):
        u = self.unaries(b, self.spell(b.characters, b.spelled, b.flip_spelled)[b.words])
        y, mask = b.labels, b.mask
        gold = self.start[y[:, 0]] + self.end[y.gather(1, b.lengths[:, None] - 1)[:, 0]]
        gold = gold + (u.gather(2, y[:, :, None])[:, :, 0] * mask).sum(1)
        gold = gold + (self.trans[y[:, :-1], y[:, 1:]] * mask[:, 1:]).sum(1)
        z = LogZ.apply(u.transpose(0, 1).contiguous(), self.trans, self.start, self.end, b.lengths, mask.t())
        return (z - gold).mean()

    def predict(self, b, vectors=None):
        if vectors is None:
            spelled = self.spell(b.characters, b.spelled, b.flip_spelled)[b.words]
        else:
            spelled = vectors[b.tokens]
        u = self.unaries(b, spelled).transpose(0, 1).contiguous()
        n, into = len(u), self.trans.t().contiguous()  # [to, from]
        scores = [self.start + u[0]]
        for t in range(1, n):
            scores.append((scores[-1][:, None, :] + into).amax(2).add_(u[t]))
        score = torch.stack(scores)
        final = (score[b.lengths - 1, torch.arange(score.shape[1])] + self.end).argmax(1)
        y = [torch.where(b.lengths == n, final, torch.zeros_like(final))]
        for t in range(n - 2, -1, -1):
            best = (scores[t] + into[y[-1]]).argmax(1)
            y.append(torch.where(b.lengths - 1 == t, final, best) if b.padded else best)
        return torch.stack(y[::-1], 1)


def trainer(model):
    table = model.token.weight
    dense = [p for p in model.parameters() if p is not table]
    try:  # newer releases have one kernel for all parameters
        steps = torch.optim.SGD(dense, lr=0.005, fused=True)
        clip = partial(nn.utils.clip_grad_value_, foreach=True)
    except TypeError:
        steps = torch.optim.SGD(dense, lr=0.005, foreach=True)
        clip = nn.utils.clip_grad_value_
    rows = torch.optim.SGD([table], lr=0.005)

    def step(b):
        steps.zero_grad(set_to_none=True)
        rows.zero_grad(set_to_none=True)
        model.loss(b).backward()
        clip(dense, 5)
        table.grad = table.grad.coalesce()
        table.grad.values().clamp_(-5, 5)
        steps.step()
        rows.step()

    return step


def rate(batches, seconds, work):
    """Tokens per second, after a fifth of the time to warm up."""
    tokens, warm = 0, False
    begin = start = time.perf_counter()
    for b in cycle(batches):
        work(b)
        tokens += b.size
        now = time.perf_counter()
        if not warm:
            if now - begin > seconds / 5:
                tokens, start, warm = 0, now, True
        elif now - begin > seconds:
            return tokens / (now - start)


def measure(batches, ids, layout, seconds):
    model = Tagger(ids, layout)
    found = {"train_tokens_per_second": rate(batches, seconds, trainer(model))}
    model.eval()
    with torch.inference_mode():
        found["predict_tokens_per_second"] = rate(batches, seconds, model.predict)
        words = sorted(ids.tokens, key=len, reverse=True)
        vectors = torch.zeros(len(words) + 1, 50)
        for i in range(0, len(words), 1024):
            part = words[i : i + 1024]
            chars, lengths = ids.spell(part)
            vectors[[ids.tokens[w] for w in part]] = model.spell(chars, lengths, reversal(lengths))
        found["predict_cached_tokens_per_second"] = rate(batches, seconds, lambda b: model.predict(b, vectors))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("file")
    parser.add_argument("--batch", type=int, nargs="+", default=[32], help="sentences")
    parser.add_argument("--threads", type=int, nargs="+", default=[1])
    parser.add_argument("--seconds", type=float, default=5, help="for training, and for each prediction")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--layout", nargs="+", choices=["packed", "padded", "mixed"],
                        help="LSTMs over packed sequences, over padding, or characters packed and tokens padded "
                             "(default: what is fastest for the release and batch)")
    args = parser.parse_args()
    torch.set_flush_denormal(True)

    sentences = read(args.file)
    ids = Ids(sentences)
    for size in args.batch:
        order = sorted(sentences, key=len) if size > 1 else sentences
        batches = [Batch(order[i : i + size], ids) for i in range(0, len(order), size)]
        random.Random(args.seed).shuffle(batches)
        for threads in args.threads:
            torch.set_num_threads(threads)
            for layout in args.layout or layouts(size):
                torch.manual_seed(args.seed)
                print(json.dumps(measure(batches, ids, layout, args.seconds) | {
                    "torch": torch.__version__,
                    "layout": layout,
                    "batch": size,
                    "workers": threads,
                    "labels": len(ids.labels),
                    "tokens": sum(map(len, sentences)),
                }), flush=True)


def layouts(size):
    """The fastest layouts, found by trial. Backward through a packed sequence takes
    time quadratic in its length, so packing pays off only for characters. The fused
    LSTM over padding exists from release 2 on."""
    if not torch.__version__.startswith("1."):
        return ["padded"]
    return ["packed"] if size == 1 else ["mixed", "padded"]


if __name__ == "__main__":
    main()

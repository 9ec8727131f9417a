#!/usr/bin/env python3
"""Prints what PyTorch's optimisers and schedules do with the gradients of nn/torch_test.go.

    pip install torch
    scripts/peers/optimizers/constants.py

The weights begin at w[i] = sin(i), and the gradient of step t (from 1) is 0.3 cos(i t), both in float64.
"""

import math
import warnings

import torch

N, STEPS, RATE = 5, 20, 0.01
warnings.simplefilter("ignore")  # the schedules are stepped without an optimiser


def weights(make):
    w = torch.nn.Parameter(torch.tensor([math.sin(i) for i in range(N)], dtype=torch.float64))
    optimizer = make([w])
    for t in range(1, STEPS + 1):
        w.grad = torch.tensor([0.3 * math.cos(i * t) for i in range(N)], dtype=torch.float64)
        optimizer.step()
    return w.detach().tolist()


def rates(make, epochs, scores=None):
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=1.0)
    schedule = make(optimizer)
    found = []
    for epoch in range(epochs):
        found.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        schedule.step(*([scores[epoch]] if scores else []))
    return found


def show(name, values):
    print(f"\t{name}: {{" + ", ".join(f"{v:.12g}" for v in values) + "},")


if __name__ == "__main__":
    from torch.optim import SGD, Adadelta, Adam, AdamW, RMSprop
    from torch.optim import lr_scheduler as schedules

    print("// PyTorch", torch.__version__.split("+")[0])
    show('"sgd"', weights(lambda p: SGD(p, lr=RATE)))
    show('"sgd, momentum"', weights(lambda p: SGD(p, lr=RATE, momentum=0.9)))
    show('"sgd, Nesterov"', weights(lambda p: SGD(p, lr=RATE, momentum=0.9, nesterov=True)))
    show('"adam"', weights(lambda p: Adam(p, lr=RATE)))
    show('"adam, betas"', weights(lambda p: Adam(p, lr=RATE, betas=(0.8, 0.95))))
    show('"adamw"', weights(lambda p: AdamW(p, lr=RATE, weight_decay=0.1)))
    show('"adamw, betas"', weights(lambda p: AdamW(p, lr=RATE, betas=(0.8, 0.95), weight_decay=0.5)))
    show('"rmsprop"', weights(lambda p: RMSprop(p, lr=RATE, alpha=0.999, eps=1e-8)))
    show('"adadelta"', weights(lambda p: Adadelta(p, lr=1, rho=0.95, eps=1e-6)))

    scores = [0.1, 0.2, 0.2, 0.15, 0.19, 0.3, 0.3, 0.3, 0.2, 0.1, 0.2, 0.25]
    show('"step"', rates(lambda o: schedules.StepLR(o, 3, gamma=0.5), 12))
    # PyTorch's patience counts the epochs that are tolerated, Lethe's the one after which the rate falls.
    show('"plateau"', rates(lambda o: schedules.ReduceLROnPlateau(o, mode="max", factor=0.5, patience=1, threshold=0), 12, scores))
    show('"linear"', rates(lambda o: schedules.LinearLR(o, start_factor=1, end_factor=0.1, total_iters=12), 12))
    show('"cosine"', rates(lambda o: schedules.CosineAnnealingLR(o, 12, eta_min=0.1), 12))
    show('"warm-up"', rates(lambda o: schedules.LinearLR(o, start_factor=0.25, end_factor=1, total_iters=3), 6))
    show('"warm-up, cosine"', rates(lambda o: schedules.SequentialLR(o, [
        schedules.LinearLR(o, start_factor=1 / 3, end_factor=1, total_iters=2), schedules.CosineAnnealingLR(o, 9)], [3]), 12))

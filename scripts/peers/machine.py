#!/usr/bin/env python3
"""Prints a description of the machine as JSON: machine.py [INTERPRETER WITH TORCH]..."""

import json
import os
import platform
import re
import subprocess
import sys
from datetime import datetime, timezone


def output(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def cpuinfo(key):
    with open("/proc/cpuinfo") as f:
        found = re.search(rf"^{key}\s*:\s*(.*)$", f.read(), re.M)
    return found.group(1) if found else "unknown"


TORCH = r"""
import re, torch
from os.path import basename, realpath
torch.ones(8, 8) @ torch.ones(8, 8)
config = re.findall(r"CPU capability usage: (\S+)|BLAS_INFO=(\w+)", torch.__config__.show())
with open("/proc/self/maps") as f:
    blas = {basename(realpath(x)) for x in re.findall(r"/\S*/lib(?:open)?blas\S*", f.read())}
print(torch.__version__, *("".join(c) for c in config), *sorted(blas))
"""

flags = cpuinfo("flags").split()
print(json.dumps({
    "date": datetime.now(timezone.utc).isoformat(timespec="seconds"),
    "processor": f"{cpuinfo('model name')}, family {cpuinfo('cpu family')}, model {cpuinfo('model')}",
    "vectors": [f for f in ("avx2", "fma", "avx512f") if f in flags],
    "cores": os.cpu_count(),
    "system": f"{platform.system()} {platform.release()}",
    "load": os.getloadavg()[0],
    "go": output("go", "version"),
    "lethe": output("git", "describe", "--tags", "--always", "--dirty"),
    "openblas": " ".join([output("pkg-config", "--modversion", "openblas"), os.environ.get("OPENBLAS_CORETYPE", "")]).strip(),
    "torch": [output(python, "-c", TORCH) for python in sys.argv[1:]],
}))

"""llama.cpp's server with one model on a free loopback port, until its parent is gone.

Usage: serve.py MODEL. Prints one JSON line with the base URL when it answers.
"""

import json
import os
import socket
import sys
import time

import xllamacpp

# One thread that does not spin: two spinning ones starve each other on a busy machine.
THREADS = 1
# A page of some paragraphs and its answer fit; the model was trained on 8,192.
CONTEXT_TOKENS = 4096

parent = os.getppid()
with socket.socket() as probe:
    probe.bind(("127.0.0.1", 0))
    port = probe.getsockname()[1]

params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.hostnames = ["127.0.0.1"]
params.port = port
params.n_ctx = CONTEXT_TOKENS
params.n_parallel = 1
params.n_gpu_layers = 0
params.cpuparams.n_threads = THREADS
params.cpuparams.poll = 0
params.cpuparams_batch.n_threads = THREADS
params.cpuparams_batch.poll = 0
params.warmup = False

# The library talks on stdout, and our reader takes lines from there.
line = os.dup(1)
os.dup2(2, 1)
server = xllamacpp.Server(params)
os.write(line, (json.dumps({"base_url": f"http://127.0.0.1:{port}/v1"}) + "\n").encode())
while os.getppid() == parent:
    time.sleep(1)
os._exit(0)

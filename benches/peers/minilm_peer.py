"""all-MiniLM-L6-v2 under onnxruntime and under Candor, sentence by sentence, taking turns at all sentences.

    minilm_peer.py MODEL_FOLDER SENTENCES_FILE MINILM_BENCH [ROUNDS]

MODEL_FOLDER holds config.json, tokenizer.json and model.safetensors, as `candor models pull` leaves them;
MINILM_BENCH is the program that `cargo build --release -p candor-embed --example minilm_bench` makes. The graph
for onnxruntime is built from the same weights with its own fused operators; it runs with its default threads
and with one, because on a busy machine its threads wait for each other. Prints one JSON object: microseconds
per sentence, Candor's ratio to the better of the two (in the median, and in the fastest tenth, which is what
a quiet machine would show), and how far apart the vectors are at worst.
"""

import json
import subprocess
import sys
import time

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load_file
from tokenizers import Tokenizer


def graph(folder):
    """The model as an ONNX graph: pieces in, one vector of length 1 out."""
    config = json.load(open(f"{folder}/config.json"))
    weights = load_file(f"{folder}/model.safetensors")
    width, heads = config["hidden_size"], config["num_attention_heads"]
    head = width // heads
    nodes, constants, count = [], [], 0

    def constant(value):
        name = f"c{len(constants)}"
        constants.append(numpy_helper.from_array(numpy.ascontiguousarray(value), name))
        return name

    def node(kind, inputs, domain="", **attributes):
        nonlocal count
        count += 1
        nodes.append(helper.make_node(kind, inputs, [f"n{count}"], domain=domain, **attributes))
        return f"n{count}"

    def linear(rows, name):
        product = node("MatMul", [rows, constant(weights[f"{name}.weight"].T)])
        return node("Add", [product, constant(weights[f"{name}.bias"])])

    def norm(rows, name):
        inputs = [rows, constant(weights[f"{name}.weight"]), constant(weights[f"{name}.bias"])]
        return node("LayerNormalization", inputs, axis=-1, epsilon=config["layer_norm_eps"])

    words = node("Gather", [constant(weights["embeddings.word_embeddings.weight"]), "pieces"])
    places = node("Gather", [constant(weights["embeddings.position_embeddings.weight"]), "places"])
    kind = constant(weights["embeddings.token_type_embeddings.weight"][:1])
    rows = norm(node("Add", [node("Add", [words, places]), kind]), "embeddings.LayerNorm")
    rows = node("Unsqueeze", [rows, constant(numpy.array([0]))])
    for layer in range(config["num_hidden_layers"]):
        name = f"encoder.layer.{layer}"
        parts = [f"{name}.attention.self.{part}" for part in ("query", "key", "value")]
        inward = numpy.concatenate([weights[f"{part}.weight"] for part in parts]).T
        bias = numpy.concatenate([weights[f"{part}.bias"] for part in parts])
        inputs = [rows, constant(inward), constant(bias)]
        found = node("Attention", inputs, domain="com.microsoft", num_heads=heads, scale=head**-0.5)
        middle = norm(
            node("Add", [linear(found, f"{name}.attention.output.dense"), rows]),
            f"{name}.attention.output.LayerNorm",
        )
        inner = node("Gelu", [linear(middle, f"{name}.intermediate.dense")], domain="com.microsoft")
        rows = norm(node("Add", [linear(inner, f"{name}.output.dense"), middle]), f"{name}.output.LayerNorm")
    mean = node("ReduceMean", [rows, constant(numpy.array([1]))], keepdims=0)
    nodes.append(helper.make_node("LpNormalization", [mean], ["vector"], axis=-1, p=2))
    made = helper.make_graph(
        nodes,
        "minilm",
        [helper.make_tensor_value_info(name, TensorProto.INT64, ["n"]) for name in ("pieces", "places")],
        [helper.make_tensor_value_info("vector", TensorProto.FLOAT, [1, width])],
        constants,
    )
    versions = [helper.make_opsetid("", 18), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(made, opset_imports=versions, ir_version=9)


class Peer:
    """onnxruntime with so many threads; none is its default."""

    def __init__(self, folder, threads):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        self.tokenizer = Tokenizer.from_file(f"{folder}/tokenizer.json")
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(256)
        self.session = onnxruntime.InferenceSession(
            graph(folder).SerializeToString(), options, providers=["CPUExecutionProvider"]
        )

    def embed(self, sentences):
        return [self.embed_one(sentence) for sentence in sentences]

    def embed_one(self, sentence):
        started = time.perf_counter()
        pieces = numpy.array(self.tokenizer.encode(sentence).ids, dtype=numpy.int64)
        given = {"pieces": pieces, "places": numpy.arange(len(pieces), dtype=numpy.int64)}
        vector = self.session.run(None, given)[0][0]
        return (time.perf_counter() - started) * 1e6, vector


class Candor:
    """The bench in a process of its own: sentences in, microseconds and the vector of each out."""

    def __init__(self, program, folder):
        arguments = [program, folder, "--serve"]
        self.process = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def embed(self, sentences):
        self.process.stdin.write(json.dumps(sentences) + "\n")
        self.process.stdin.flush()
        answers = json.loads(self.process.stdout.readline())
        return [(answer["micros"], answer["vector"]) for answer in answers]


def at(numbers, share):
    return sorted(numbers)[min(len(numbers) - 1, int(share * len(numbers)))]


def main(folder, sentences, program, rounds="20"):
    sentences = [line for line in open(sentences, encoding="utf-8").read().splitlines() if line.strip()]
    runners = {"default": Peer(folder, 0), "one_thread": Peer(folder, 1), "candor": Candor(program, folder)}
    times = {name: [] for name in runners}
    apart = 0.0
    for turn in range(int(rounds) + 1):
        reference = {}
        for name, runner in runners.items():
            for sentence, (micros, vector) in zip(sentences, runner.embed(sentences)):
                reference.setdefault(sentence, vector)
                apart = max(apart, 1.0 - float(numpy.dot(reference[sentence], vector)))
                # The first turn warms all of them up.
                if turn > 0:
                    times[name].append(micros)
            # The threads of whoever had its turn stay on their feet for a moment, and there are but so many
            # processors.
            time.sleep(0.02)
    shares = {"fastest_tenth": 0.1, "median": 0.5, "slowest_tenth": 0.9}
    micros = {name: {word: round(at(took, share)) for word, share in shares.items()} for name, took in times.items()}

    def ratio(word):
        return round(micros["candor"][word] / min(micros["default"][word], micros["one_thread"][word]), 3)

    report = {
        "sentences": len(sentences),
        "onnxruntime": onnxruntime.__version__,
        "micros": micros,
        "ratio": ratio("median"),
        "ratio_of_fastest_tenth": ratio("fastest_tenth"),
        "worst_cosine_distance": apart,
    }
    print(json.dumps(report))


if __name__ == "__main__":
    main(*sys.argv[1:])

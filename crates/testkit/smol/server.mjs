// A real small model behind an OpenAI-compatible endpoint, for tests: node server.mjs MODEL.gguf [PORT]
// Prints its base address as one line. One question at a time, one thread: that is what CI machines have.
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [weights, port = "0"] = process.argv.slice(2);
const folder = process.env.CANDOR_TEST_MODELS ?? process.cwd();
const library = createRequire(pathToFileURL(`${folder}/package.json`)).resolve("node-llama-cpp");
const { getLlama, LlamaChatSession } = await import(pathToFileURL(library).href);

const llama = await getLlama({ build: "never", gpu: false, maxThreads: 1, logLevel: "error" });
const model = await llama.loadModel({ modelPath: weights });
const context = await model.createContext({ contextSize: 2048, threads: 1 });
const sequence = context.getSequence();
let queue = Promise.resolve();

async function answer({ messages = [], max_tokens = 64, temperature = 0, response_format }, onTextChunk) {
  const schema = response_format?.json_schema?.schema;
  const grammar = schema && (await llama.createGrammarForJsonSchema(schema));
  const said = (role) => messages.filter((m) => m.role === role).map((m) => m.content).join("\n\n");
  await sequence.clearHistory();
  const session = new LlamaChatSession({ contextSequence: sequence, systemPrompt: said("system") });
  const prompt = messages.filter((m) => m.role !== "system").map((m) => m.content).join("\n\n");
  const before = sequence.tokenMeter.getState();
  const { responseText, stopReason } = await session.promptWithMeta(prompt, {
    maxTokens: max_tokens, temperature, grammar, onTextChunk,
  });
  const { usedInputTokens: input, usedOutputTokens: output } = sequence.tokenMeter.diff(before);
  session.dispose();
  return {
    text: responseText,
    finish: stopReason === "maxTokens" ? "length" : "stop",
    usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
  };
}

const envelope = (object, choice, usage) => ({
  id: "smol", object, created: 0, model: "smollm2", choices: choice ? [{ index: 0, ...choice }] : [], usage,
});

async function chat(body, response) {
  if (!body.stream) {
    const { text, finish, usage } = await answer(body);
    const message = { role: "assistant", content: text };
    return send(response, 200, envelope("chat.completion", { message, finish_reason: finish }, usage));
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  const event = (choice, usage) =>
    response.write(`data: ${JSON.stringify(envelope("chat.completion.chunk", choice, usage))}\n\n`);
  const { finish, usage } = await answer(body, (content) => event({ delta: { content }, finish_reason: null }));
  event({ delta: {}, finish_reason: finish });
  event(undefined, usage);
  response.end("data: [DONE]\n\n");
}

function send(response, status, value) {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}

const server = createServer((request, response) => {
  if (request.url.endsWith("/models")) return send(response, 200, { object: "list", data: [{ id: "smollm2" }] });
  let text = "";
  request.on("data", (chunk) => (text += chunk));
  request.on("end", () => {
    queue = queue.then(() => chat(JSON.parse(text), response)).catch((problem) => {
      if (response.headersSent) return response.destroy();
      send(response, 400, { error: { message: String(problem), type: "invalid_request_error" } });
    });
  });
});
server.listen(Number(port), "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/v1/`));

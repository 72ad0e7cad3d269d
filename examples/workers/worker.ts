// A worker for Candor on Node's own modules: node worker.ts [PORT] (Node 22.18 or later; as worker.mjs with any).
// It counts what is in the texts that it is given.
import { createServer } from "node:http";

const QUESTION = "Count words or letters?";

const server = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request) body += chunk;
  const { inputs, answers = [] } = JSON.parse(body);
  let unit = "";
  for (const it of answers) if (it.question === QUESTION) unit = it.answer;
  response.writeHead(200, { "content-type": "application/x-ndjson" });
  if (!unit) {
    // What is missing is asked; the same order comes again with the answer, in hours if need be.
    response.end(JSON.stringify({ question: { text: QUESTION, options: ["words", "letters"] } }) + "\n");
    return;
  }
  let total = 0;
  for (const text of inputs.texts ?? []) {
    total += String(text).split(unit === "words" ? /\s+/ : "").length;
    const content = `${total} ${unit} so far`;
    response.write(JSON.stringify({ tell: { messageType: "discovery", content } }) + "\n");
  }
  response.end(JSON.stringify({ outputs: { total, unit }, cost: 0 }) + "\n");
});

server.listen(Number(process.argv[2] ?? 8802), "127.0.0.1", () => {
  const address = server.address();
  if (address && typeof address === "object") console.log(address.port);
});

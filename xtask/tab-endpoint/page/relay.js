// Passes requests from the endpoint's WebSocket to the worker that the studio's pages use, and its
// answers back. A body travels as base64, since not every body that a client sends is text.
const store = "endpoint";
const parameters = new URLSearchParams(location.search);
const options =
  parameters.get("store") === "opfs" ? { kind: "opfs", path: "keyplan/endpoint.db" } : { kind: "memory", setup: [] };

const worker = new Worker(parameters.get("worker"), { type: "module" });
const socket = new WebSocket(`ws://${location.host}/socket`);
const send = (message) => socket.send(JSON.stringify(message));

worker.onmessage = ({ data }) => {
  if (data.failed) {
    send({ id: data.id, error: data.reason });
  } else if (data.id === 0) {
    send({ id: 0, opened: data.done });
  } else if ("done" in data) {
    send({ id: data.id, done: data.done });
  } else {
    const body = btoa(Array.from(data.body, (byte) => String.fromCharCode(byte)).join(""));
    send({ id: data.id, status: data.status, body, trace: data.trace });
  }
};
worker.onerror = (event) => send({ id: 0, error: event.message || "the worker ended" });

socket.onopen = () => worker.postMessage({ id: 0, control: "open", store, options });
socket.onmessage = ({ data }) => {
  const request = JSON.parse(data);
  if (request.control !== undefined) {
    worker.postMessage({ ...request, store: request.control === "clock" ? "" : store });
    return;
  }
  const body = Uint8Array.from(atob(request.body), (character) => character.charCodeAt(0));
  worker.postMessage({ ...request, store, body });
};

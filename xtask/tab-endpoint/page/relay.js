// Passes requests from the endpoint's WebSocket to the worker that the studio's pages use, and its
// answers back. A body travels as base64, since not every body that a client sends is text.
const store = "endpoint";
const kind = new URLSearchParams(location.search).get("store");

const worker = new Worker("assets/worker.js", { type: "module" });
const socket = new WebSocket(`ws://${location.host}/socket`);

worker.onmessage = ({ data }) => {
  if (data.id === 0) {
    socket.send(JSON.stringify(data.error ? { failed: String(data.error) } : { ready: true }));
  } else {
    socket.send(JSON.stringify(data));
  }
};
worker.onerror = (event) => socket.send(JSON.stringify({ failed: event.message || "the worker ended" }));

socket.onopen = () => worker.postMessage({ id: 0, control: "open", store, kind });
socket.onmessage = ({ data }) => {
  const request = JSON.parse(data);
  const body = Uint8Array.from(atob(request.body), (character) => character.charCodeAt(0));
  worker.postMessage({ ...request, store, body });
};

// Passes requests from the endpoint's WebSocket to the worker that the studio's pages use, and its
// answers back. Nothing is changed on the way.
const parameters = new URLSearchParams(location.search);
const store = "endpoint";

const worker = new Worker("assets/worker.js", { type: "module" });
const socket = new WebSocket(`ws://${location.host.replace(/:\d+$/, "")}:${parameters.get("socket")}`);

worker.onmessage = ({ data }) => {
  if (data.id === 0) {
    socket.send(JSON.stringify(data.error ? { failed: String(data.error) } : { ready: true }));
  } else {
    socket.send(JSON.stringify(data));
  }
};
worker.onerror = (event) => socket.send(JSON.stringify({ failed: event.message || "the worker ended" }));

socket.onopen = () => worker.postMessage({ id: 0, control: "open", store, kind: parameters.get("store") });
socket.onmessage = ({ data }) => worker.postMessage({ ...JSON.parse(data), store });

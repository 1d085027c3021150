// Runs the stores' kit, or writes and checks one database, in a worker that a test may end at any time. The
// package with the kit in it lies beside.
import init, { KitStore, kit_memory, kit_opfs, kit_opfs_files } from "./keyplan_browser.js";

const outcomes = (found) => found.map(({ number, name, finding }) => ({ number, name, finding }));

const tasks = {
  memory: () => outcomes(kit_memory()),
  opfs: async ({ folder }) => outcomes(await kit_opfs(folder)),
  files: ({ folder }) => kit_opfs_files(folder),
  write: async ({ path, steps }) => {
    const store = await KitStore.open(path);
    if (store === undefined) return "held";
    let written = 0;
    store.write((step) => {
      postMessage({ step });
      written += 1;
      return written !== steps;
    });
    return "closed";
  },
  check: async ({ path, acknowledged }) => {
    const store = await KitStore.open(path);
    if (store === undefined) return "held";
    store.check(Uint32Array.from(acknowledged));
    return "whole";
  },
};

onmessage = async ({ data }) => {
  try {
    await init();
    postMessage({ done: await tasks[data.task](data) });
  } catch (error) {
    postMessage({ failed: String(error) });
  }
};

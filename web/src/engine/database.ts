/** "My database": one an origin, one tab owns it and gives others copies. A Web Lock, held for as long as the page
 *  lives, says which. */
import type { EngineClient } from "./client";
import { askForCopy, giveCopies, NoCopy } from "./copies";
import type { Opened } from "./protocol";

/** The name of its store in the worker. */
export const MY_DATABASE = "my database";

const PATH = "keyplan/my.db";

/** Where "my database" stands for this tab: here, in another tab, or here as a copy of that. */
export type Ownership = Opened | "elsewhere" | "copy";

/** What the tabs of an origin share. Either is absent where the browser does not have it. */
export interface Shared {
  readonly locks: LockManager | undefined;
  readonly channel: BroadcastChannel | undefined;
}

/** Opens "my database" for this tab and gives others copies from then on, or says that another tab has it. */
export async function openMyDatabase(client: EngineClient, { locks, channel }: Shared): Promise<Ownership> {
  const release = await own(locks);
  if (release === null) return "elsewhere";
  try {
    const opened = await client.open(MY_DATABASE, { kind: "opfs", path: PATH });
    // What is in memory has no file to be copied, and no other tab sees its lock.
    if (opened === "opfs" && channel !== undefined) giveCopies(channel, () => client.export(MY_DATABASE));
    return opened;
  } catch (error) {
    release();
    throw error;
  }
}

/** The tables of "my database", from an engine that is there for this look alone: a worker keeps the files that it
 *  has opened from other tabs until it ends. */
export async function tablesOfMyDatabase(
  client: EngineClient,
  { locks }: Shared,
): Promise<readonly string[] | "elsewhere"> {
  const release = await own(locks);
  try {
    if (release === null) return "elsewhere";
    await client.open(MY_DATABASE, { kind: "opfs", path: PATH });
    return await client.tables(MY_DATABASE);
  } finally {
    client.end();
    release?.();
  }
}

/** Opens a copy of "my database" in this tab's memory, from the tab that owns it. */
export async function openCopy(client: EngineClient, { channel }: Shared): Promise<void> {
  if (channel === undefined) throw new NoCopy("This browser has no way for one tab to ask another.");
  const image = await askForCopy(channel);
  await client.open(MY_DATABASE, { kind: "copy", image });
}

/** Takes the lock if it is free and keeps it until released or the page ends. Where there are no locks there is
 *  no OPFS to share either. */
function own(locks: LockManager | undefined): Promise<(() => void) | null> {
  if (locks === undefined) return Promise.resolve(() => {});
  return new Promise((answer, fail) => {
    locks
      .request(PATH, { ifAvailable: true }, (lock) => {
        if (lock === null) return answer(null);
        return new Promise<void>((release) => answer(release));
      })
      .catch(fail);
  });
}

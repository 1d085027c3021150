/** "My database": one an origin, one tab owns it. A Web Lock, held for as long as the page lives, says which. */
import type { EngineClient } from "./client";
import type { Opened } from "./protocol";

/** The name of its store in the worker. */
export const MY_DATABASE = "my database";

const PATH = "keyplan/my.db";

/** Where "my database" stands for this tab. */
export type Ownership = Opened | "elsewhere";

/** A page that was just left may hold its file for a moment longer than its lock. */
const OPEN_ATTEMPTS = 10;
const OPEN_PAUSE_MILLISECONDS = 200;

/** Opens "my database" for this tab, or says that another tab has it. */
export async function openMyDatabase(
  client: EngineClient,
  locks: LockManager | undefined,
): Promise<Ownership> {
  const release = await own(locks);
  if (release === null) return "elsewhere";
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await client.open(MY_DATABASE, { kind: "opfs", path: PATH });
    } catch (error) {
      if (attempt === OPEN_ATTEMPTS) {
        release();
        throw error;
      }
      await new Promise((resume) => setTimeout(resume, OPEN_PAUSE_MILLISECONDS));
    }
  }
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

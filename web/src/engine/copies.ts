/** Copies of "my database" for the tabs that do not own it, asked for and given over a channel of the origin. */

/** The channel on which all tabs of the origin hear each other. */
export const COPIES_CHANNEL = "keyplan/my.db";

/** No copy came. */
export class NoCopy extends Error {
  override readonly name = "NoCopy";
}

/** From a tab that wants a copy to whichever owns the database. */
interface Wish {
  readonly wish: string;
}

/** From the owner to whoever made the wish. */
type Gift =
  { readonly to: string; readonly image: Uint8Array } | { readonly to: string; readonly refused: string };

/** How long the owner may take: its engine may be at work, and browsers slow down tabs that nobody sees. */
const ANSWER_LIMIT_MILLISECONDS = 20_000;

/** Gives a copy to every tab that asks, for as long as the page lives. */
export function giveCopies(channel: BroadcastChannel, image: () => Promise<Uint8Array>): void {
  channel.addEventListener("message", ({ data }: MessageEvent<Wish | Gift>) => {
    if (!("wish" in data)) return;
    const give = (gift: Gift): void => channel.postMessage(gift);
    image().then(
      (bytes) => give({ to: data.wish, image: bytes }),
      (error: unknown) =>
        give({ to: data.wish, refused: error instanceof Error ? error.message : String(error) }),
    );
  });
}

/** Asks the owner for a copy. */
export function askForCopy(
  channel: BroadcastChannel,
  limit = ANSWER_LIMIT_MILLISECONDS,
): Promise<Uint8Array> {
  const wish = crypto.randomUUID();
  return new Promise<Uint8Array>((given, failed) => {
    const end = (): void => {
      clearTimeout(timer);
      channel.removeEventListener("message", listen);
    };
    const listen = ({ data }: MessageEvent<Wish | Gift>): void => {
      if (!("to" in data) || data.to !== wish) return;
      end();
      if ("image" in data) given(data.image);
      else failed(new NoCopy(data.refused));
    };
    const timer = setTimeout(() => {
      end();
      failed(new NoCopy("The tab that has my database did not answer."));
    }, limit);
    channel.addEventListener("message", listen);
    channel.postMessage({ wish } satisfies Wish);
  });
}

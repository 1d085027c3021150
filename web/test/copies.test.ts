import { afterEach, describe, expect, it } from "vitest";
import { askForCopy, giveCopies } from "../src/engine/copies";

const open: BroadcastChannel[] = [];

/** A tab's end of the channel. */
function tab(): BroadcastChannel {
  const channel = new BroadcastChannel("copies under test");
  open.push(channel);
  return channel;
}

afterEach(() => open.splice(0).forEach((channel) => channel.close()));

describe("copies between tabs", () => {
  it("go from the owner to each that asked, as the database was then", async () => {
    let made = 0;
    giveCopies(tab(), async () => Uint8Array.of((made += 1)));
    const copies = await Promise.all([askForCopy(tab()), askForCopy(tab())]);
    expect(copies.map(([first]) => first).sort()).toEqual([1, 2]);
    expect((await askForCopy(tab()))[0]).toBe(3);
  });

  it("are refused in the owner's words", async () => {
    giveCopies(tab(), () => Promise.reject(new Error("the disk is gone")));
    await expect(askForCopy(tab())).rejects.toMatchObject({ name: "NoCopy", message: "the disk is gone" });
  });

  it("are not waited for without end where no owner answers", async () => {
    tab();
    await expect(askForCopy(tab(), 1)).rejects.toMatchObject({
      name: "NoCopy",
      message: "The tab that has my database did not answer.",
    });
  });
});

/** Mounts what lives on the home page. */
import type { StageData } from "../contract";
import { mountHead, sessionOf } from "../studio/mount";
import { mountHome } from "./home";

/** Lets the rendered request be asked. */
export function mountOn(target: HTMLElement, data: string): void {
  const page = JSON.parse(data) as StageData;
  const session = sessionOf(page);
  mountHome(target, page, session);
  mountHead(session);
}

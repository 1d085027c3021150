/** Walking the plan by keys: J and K by items, Home and End to the ends of a room, [ and ] by rooms. The plan is one
 *  stop; its items are reached from there. */

const ITEM = "tbody tr";

/** Moves the focus in the plan as a key says; whether the key was one of these. */
export function walk(plan: HTMLElement, key: string): boolean {
  const rooms = [...plan.querySelectorAll<HTMLElement>(".room")];
  const here = document.activeElement;
  const room = rooms.findIndex((each) => each.contains(here));
  switch (key) {
    case "j":
    case "k": {
      const items = rooms.flatMap(itemsOf);
      const place = items.findIndex((item) => item === here);
      if (place >= 0) return stand(items[place + (key === "j" ? 1 : -1)]);
      // From a room's door, its own items are next; from the plan's head, the first of all.
      const own = room < 0 ? [] : itemsOf(rooms[room]);
      return stand(key === "j" ? (own[0] ?? items[0]) : own[0]);
    }
    case "Home":
    case "End":
      return room >= 0 && stand(itemsOf(rooms[room]).at(key === "Home" ? 0 : -1));
    case "[":
    case "]": {
      const next = key === "]" ? room + 1 : Math.max(room - 1, 0);
      const to = rooms[next];
      // A room that was passed by is shut: its door is where one stands.
      return stand(to?.querySelector<HTMLElement>(".door[aria-expanded=false]") ?? itemsOf(to)[0] ?? to);
    }
    default:
      return false;
  }
}

/** A room's items that are in sight: a shut fold hides its own. */
function itemsOf(room: HTMLElement | undefined): HTMLElement[] {
  const items = [...(room?.querySelectorAll<HTMLElement>(ITEM) ?? [])];
  return items.filter((item) => item.closest("details:not([open])") === null);
}

/** Puts the focus on an item or a door, if there is one; the key was the plan's all the same. */
function stand(to: HTMLElement | undefined): true {
  if (to !== undefined) {
    if (to.tabIndex < 0) to.tabIndex = -1;
    to.focus();
    to.scrollIntoView({ block: "nearest" });
  }
  return true;
}

import { describe, expect, it } from "vitest";
import { cachePrefix, isNamedByContent, pathOf } from "../src/offline/files";

const ROOT = "https://docs.example/keyplan/";

describe("an address below the root", () => {
  it.each([
    [ROOT, "index.html"],
    [`${ROOT}?from=home#x`, "index.html"],
    [`${ROOT}course/pages/`, "course/pages/index.html"],
    [`${ROOT}assets/main-1.js`, "assets/main-1.js"],
    [`${ROOT}course`, "course"],
  ])("%s is the file %s", (address, path) => {
    expect(pathOf(address, ROOT)).toBe(path);
  });

  it.each(["https://docs.example/", "https://docs.example/other/", "https://else.example/keyplan/"])(
    "%s is none",
    (address) => {
      expect(pathOf(address, ROOT)).toBeNull();
    },
  );
});

it("two sites of one origin have caches of their own", () => {
  const [one, other] = [cachePrefix(ROOT), cachePrefix("https://docs.example/keyplan/next/")];
  expect(other.startsWith(one)).toBe(false);
  expect(one.startsWith(other)).toBe(false);
});

it("only what lies among the built files is named by its content", () => {
  expect(["assets/main-1.js", "theme.js", "index.html"].map(isNamedByContent)).toEqual([true, false, false]);
});

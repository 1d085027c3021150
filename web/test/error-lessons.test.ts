import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { EXPLAINING, lessonOf } from "../src/answer/lessons";

/** The lessons' slugs: their files' names without number and ending. */
const SLUGS = readdirSync(join(import.meta.dirname, "../../content/course")).map((file) =>
  file.replace(/^\d+-/, "").replace(/\.yaml$/, ""),
);

describe("the lesson that explains an error", () => {
  it.each(EXPLAINING)("%s is in the course", (lesson) => {
    expect(SLUGS).toContain(lesson);
  });

  it("is told by the error, its operation and what its message is about", () => {
    const failed = { type: "ConditionalCheckFailedException", message: "The conditional request failed" };
    expect(lessonOf("PutItem", failed)).toBe("claim-once");
    expect(lessonOf("UpdateItem", failed)).toBe("optimistic-locking");
    const missed = { type: "ValidationException", message: "Query condition missed key schema element: pk" };
    expect(lessonOf("Query", missed)).toBe("one-query-a-whole-collection");
    expect(lessonOf("Query", { type: "InternalServerError", message: "" })).toBeUndefined();
  });
});

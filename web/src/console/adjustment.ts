/** What a reader changes about a pattern beside its parameters: direction, Limit and a filter. */
import type { AttributeValue } from "../contract";
import { isReserved } from "../request/shapes";

/** The comparisons a filter of one attribute can make. */
export const COMPARISONS = ["none", "=", "<>", "<", "<=", ">", ">=", "begins_with", "contains"] as const;

/** The changes; an empty text leaves the pattern as it is. */
export interface Adjustment {
  direction: "" | "forward" | "backward";
  limit: string;
  filter: { attribute: string; comparison: (typeof COMPARISONS)[number]; type: string; value: string };
}

export const UNADJUSTED: Readonly<Adjustment> = {
  direction: "",
  limit: "",
  filter: { attribute: "", comparison: "none", type: "S", value: "" },
};

/** The body with the changes in it. */
export function adjusted(body: unknown, { direction, limit, filter }: Adjustment): unknown {
  if (typeof body !== "object" || body === null) return body;
  const changed: Record<string, unknown> = { ...body };
  if (direction !== "") changed["ScanIndexForward"] = direction === "forward";
  if (limit.trim() !== "") changed["Limit"] = Number(limit);
  if (filter.comparison !== "none" && filter.attribute !== "") addFilter(changed, filter);
  return changed;
}

function addFilter(
  body: Record<string, unknown>,
  { attribute, comparison, type, value }: Adjustment["filter"],
): void {
  const bare = /^[A-Za-z_]\w*$/.test(attribute) && !isReserved(attribute);
  const name = bare ? attribute : "#filtered";
  if (!bare)
    body["ExpressionAttributeNames"] = {
      ...(body["ExpressionAttributeNames"] as Record<string, string> | undefined),
      [name]: attribute,
    };
  body["ExpressionAttributeValues"] = {
    ...(body["ExpressionAttributeValues"] as Record<string, AttributeValue> | undefined),
    ":filtered": { [type]: value },
  };
  const condition = /^\w+$/.test(comparison)
    ? `${comparison}(${name}, :filtered)`
    : `${name} ${comparison} :filtered`;
  const before = body["FilterExpression"];
  body["FilterExpression"] = typeof before === "string" ? `(${before}) AND ${condition}` : condition;
}

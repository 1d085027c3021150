/** A request in short: its key condition or its key's attributes, then what differs from the usual. Rust says the
 *  same (crates/site, questions.rs). */
export function conditionOf(template: unknown): string {
  const body = template as {
    KeyConditionExpression?: string;
    Key?: object;
    ScanIndexForward?: boolean;
    Limit?: number;
  };
  const parts: string[] = [];
  if (body.KeyConditionExpression !== undefined) parts.push(body.KeyConditionExpression);
  else if (body.Key !== undefined) parts.push(Object.keys(body.Key).join(", "));
  if (body.ScanIndexForward === false) parts.push("descending");
  if (body.Limit !== undefined) parts.push(`limit ${body.Limit}`);
  return parts.join(", ");
}

/** A request in short: where and on what condition, then what differs from the usual. Rust says the same
 *  (crates/site, questions.rs). */
export function conditionOf(template: unknown): string {
  const body = template as {
    IndexName?: string;
    KeyConditionExpression?: string;
    Key?: object;
    Item?: object;
    RequestItems?: Readonly<Record<string, { readonly Keys?: readonly unknown[] }>>;
    TransactItems?: readonly object[];
    UpdateExpression?: string;
    ConditionExpression?: string;
    FilterExpression?: string;
    ScanIndexForward?: boolean;
    Limit?: number;
    Select?: string;
  };
  const names = (of: object): string => Object.keys(of).join(", ");
  const parts: string[] = [];
  if (body.KeyConditionExpression !== undefined) parts.push(body.KeyConditionExpression);
  if (body.Key !== undefined) parts.push(names(body.Key));
  if (body.Item !== undefined) parts.push(names(body.Item));
  if (body.RequestItems !== undefined) {
    const keys = Object.values(body.RequestItems).map(({ Keys }) => Keys?.length ?? 0);
    parts.push(`${keys.reduce((sum, count) => sum + count, 0)} keys`);
  }
  parts.push(...(body.TransactItems ?? []).map(names));
  if (body.UpdateExpression !== undefined) parts.push(body.UpdateExpression);
  if (body.ConditionExpression !== undefined) parts.push(`if ${body.ConditionExpression}`);
  if (body.FilterExpression !== undefined) parts.push(`filter ${body.FilterExpression}`);
  if (body.ScanIndexForward === false) parts.push("descending");
  if (body.Limit !== undefined) parts.push(`limit ${body.Limit}`);
  if (body.Select === "COUNT") parts.push("count");
  const said = parts.join(", ");
  return body.IndexName === undefined ? said : `${body.IndexName}: ${said}`;
}

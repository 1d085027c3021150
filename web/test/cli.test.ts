import { describe, expect, it } from "vitest";
import { isCommand, readCommand } from "../src/request/cli";
import { codeOf } from "../src/request/code";
import { wordsOf } from "../src/request/shell";
import { shorthandOf } from "../src/request/shorthand";
import { chance, textFrom, valueFrom } from "./chance";

function bodyOf(command: string): unknown {
  return JSON.parse(readCommand(command).request.body);
}

describe("a shell's words", () => {
  it("are told by quotes, escapes and continued lines", () => {
    expect(wordsOf(`aws  dynamodb \\\n  query --a 'x "y" z' --b "it's \\"so\\"" --c a\\ b --d ''`)).toEqual([
      ..."aws dynamodb query --a".split(" "),
      'x "y" z',
      "--b",
      'it\'s "so"',
      "--c",
      "a b",
      "--d",
      "",
    ]);
    expect(wordsOf("aws x $'a\\n\\'b' | jq .")).toEqual(["aws", "x", "a\n'b"]);
  });

  it("are what was quoted, whatever was quoted", () => {
    for (let seed = 0; seed < 500; seed += 1) {
      const texts = Array.from({ length: 3 }, (_, at) => textFrom(chance(seed * 3 + at)));
      const line = texts.map((text) => `'${text.replaceAll("'", `'"'"'`)}'`).join(" ");
      expect(wordsOf(line), `seed ${seed}`).toEqual(texts);
    }
  });

  it.each([
    ["aws x 'open", "A quote ' is not closed."],
    ["aws x $TABLE", "Only a shell knows what $TABLE stands for."],
    ['aws x "${TABLE}"', "Only a shell knows what ${TABLE} stands for."],
  ])("of %s can't be told", (line, words) => expect(() => wordsOf(line)).toThrow(words));
});

describe("shorthand", () => {
  it.each([
    ["AttributeName=pk,AttributeType=S", { AttributeName: "pk", AttributeType: "S" }],
    ["a={S=x},b=[1,2]", { a: { S: "x" }, b: ["1", "2"] }],
    ["a=1,2,b=3", { a: ["1", "2"], b: "3" }],
    [`a='x, y',b="z"`, { a: "x, y", b: "z" }],
    ["pk={S=CUSTOMER#1},sk={S=ORDER#2}", { pk: { S: "CUSTOMER#1" }, sk: { S: "ORDER#2" } }],
  ])("%s", (text, value) => expect(shorthandOf(text)).toEqual(value));

  it.each(["a", "a={b=1", "=x", "a=[1"])("%s is refused", (text) =>
    expect(() => shorthandOf(text)).toThrow(/is expected/),
  );
});

describe("a command", () => {
  it("becomes a request, its values by their types", () => {
    const command = `$ aws dynamodb query \\
      --table-name Shop --index-name ToPack \\
      --key-condition-expression "pk = :pk AND begins_with(sk, :sk)" \\
      --expression-attribute-values '{":pk": {"S": "c-1"}, ":sk": {"S": "ORDER#"}}' \\
      --no-scan-index-forward --limit 3 --consistent-read --region eu-west-1 --output json`;
    expect(isCommand(command)).toBe(true);
    const { request, leftOut } = readCommand(command);
    expect(request.operation).toBe("Query");
    expect(JSON.parse(request.body)).toEqual({
      TableName: "Shop",
      IndexName: "ToPack",
      KeyConditionExpression: "pk = :pk AND begins_with(sk, :sk)",
      ExpressionAttributeValues: { ":pk": { S: "c-1" }, ":sk": { S: "ORDER#" } },
      ScanIndexForward: false,
      Limit: 3,
      ConsistentRead: true,
    });
    expect(leftOut).toEqual(["--region", "--output"]);
  });

  it("takes lists of shorthand, and options before the service", () => {
    const command = `aws --endpoint-url http://localhost:8000 dynamodb create-table --table-name T
      `.trim();
    const whole = `${command} --attribute-definitions AttributeName=pk,AttributeType=S AttributeName=n,AttributeType=N --key-schema AttributeName=pk,KeyType=HASH --provisioned-throughput ReadCapacityUnits=5,WriteCapacityUnits=1 --deletion-protection-enabled`;
    expect(bodyOf(whole)).toEqual({
      TableName: "T",
      AttributeDefinitions: [
        { AttributeName: "pk", AttributeType: "S" },
        { AttributeName: "n", AttributeType: "N" },
      ],
      KeySchema: [{ AttributeName: "pk", KeyType: "HASH" }],
      ProvisionedThroughput: { ReadCapacityUnits: 5, WriteCapacityUnits: 1 },
      DeletionProtectionEnabled: true,
    });
    expect(
      bodyOf(`aws dynamodb get-item --table-name T --key pk={S=a} --projection-expression "a, b"`),
    ).toEqual({
      TableName: "T",
      Key: { pk: { S: "a" } },
      ProjectionExpression: "a, b",
    });
    expect(bodyOf(`aws dynamodb scan --cli-input-json '{"TableName": "A", "Limit": 1}' --limit=2`)).toEqual({
      TableName: "A",
      Limit: 2,
    });
  });

  it.each([
    ["aws dynamodb put-item --item file://item.json", "--item names a file, file://item.json"],
    ["aws s3 ls", "aws s3 is no command for DynamoDB"],
    ["aws dynamodb qery", "DynamoDB has no operation qery."],
    ["aws dynamodb query --tabel-name x", "query has no option --tabel-name."],
    ["aws dynamodb query --limit many", "--limit: many is no number."],
    ["aws dynamodb query --table-name", "--table-name has no value."],
    ["aws dynamodb put-item --item {pk:{S:a}}", "--item is no JSON."],
    ["ls -l", "A command begins with aws dynamodb"],
  ])("%s says what is wrong", (command, words) => expect(() => readCommand(command)).toThrow(words));

  it("written from a request gives that request again", () => {
    for (let seed = 0; seed < 300; seed += 1) {
      const draw = chance(seed);
      const body = {
        TableName: "Shop",
        Item: { pk: { S: textFrom(draw) }, value: valueFrom(draw) },
        ConditionExpression: "attribute_not_exists(pk)",
      };
      const code = codeOf("cli", { operation: "PutItem", body: JSON.stringify(body) }) ?? "";
      expect(bodyOf(code), `seed ${seed}: ${code}`).toEqual(body);
    }
    const query = { TableName: "T", Limit: 2, ScanIndexForward: false, ConsistentRead: true };
    expect(bodyOf(codeOf("cli", { operation: "Query", body: JSON.stringify(query) }) ?? "")).toEqual(query);
  });

  it("is no command where it only says aws", () => {
    expect([isCommand('{"aws": 1}'), isCommand("awsome x")]).toEqual([false, false]);
  });
});

describe("code", () => {
  it("is Python and JavaScript of the same request", () => {
    const request = { operation: "GetItem", body: '{"TableName":"T","ConsistentRead":true}' };
    expect(codeOf("python", request)).toContain(
      'client.get_item(\n    TableName="T",\n    ConsistentRead=True,\n)',
    );
    expect(codeOf("javascript", request)).toContain('new GetItemCommand({\n  TableName: "T",');
    expect(codeOf("cli", { operation: "GetItem", body: "{" })).toBeNull();
  });
});

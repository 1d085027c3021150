/** Which tables an endpoint has, the one that is drawn, and the index that is laid over it. */
import type { Access, Inspection, StageData } from "../contract";
import { tablesAt, type Connection } from "../engine/connection";
import { keyNames } from "../plan/columns";
import { planOf } from "../plan/rooms";
import { keyAttributesOf, shapeOfInspection, tableShapeOf, type TableShape } from "../request/table-shape";
import { typeOf } from "../request/value-text";
import type { WrittenItem } from "./written";

/** More tables than these are listed by name alone. */
const TABLES_DESCRIBED_MAX = 50;

/** The tables of one endpoint and the plan of one of them. */
export class TableView {
  tables = $state.raw<readonly string[]>([]);
  shapes = $state.raw<readonly TableShape[]>([]);
  inspection = $state.raw<Inspection | null>(null);
  /** The index laid over the table. */
  overlay = $state.raw<Inspection | null>(null);
  accesses = $state.raw<readonly Access[]>([]);
  written = $state.raw<readonly WrittenItem[]>([]);
  /** The number of the request whose marks are drawn. */
  marked = $state(0);

  readonly plan = $derived(
    this.inspection === null ? null : planOf(this.inspection, this.accesses, this.written),
  );
  readonly overlayPlan = $derived(
    this.overlay === null
      ? null
      : planOf(this.overlay, this.accesses, [], this.inspection === null ? [] : keyNames(this.inspection)),
  );
  /** The table that is drawn. */
  readonly shape = $derived(this.shapes.find(({ name }) => name === this.inspection?.table) ?? null);

  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Draws what the page brought along: the tables before the first request. */
  begin(page: StageData): void {
    this.tables = page.tables;
    this.inspection = page.inspections[0] ?? null;
    this.overlay = null;
    this.shapes = page.inspections.map(shapeOfInspection);
    this.mark(0, []);
  }

  /** Reads the tables again and draws `wanted`, else the table drawn before, else the first; over it the index
   *  `index`, else the one that was there before. */
  async refresh(wanted: string | null, index?: string | null): Promise<void> {
    // What weather refuses to tell is as it was.
    const tables = (await tablesAt(this.#connection)) ?? this.tables;
    await this.#draw(tables, await this.#describe(tables), wanted, index);
  }

  /** Draws the tables that are known again, as `refresh` does. */
  async redraw(wanted: string | null, index?: string | null): Promise<void> {
    await this.#draw(this.tables, this.shapes, wanted, index);
  }

  async #draw(
    tables: readonly string[],
    shapes: readonly TableShape[],
    wanted: string | null,
    index?: string | null,
  ): Promise<void> {
    const chosen = [wanted, this.inspection?.table].find((name) => name != null && tables.includes(name));
    const table = chosen ?? tables[0];
    const wantedIndex = index === undefined && table === this.inspection?.table ? this.overlay?.index : index;
    const { inspect } = this.#connection;
    const drawn = table === undefined || inspect === undefined ? null : await inspect(table, null);
    const indexes = shapes.find(({ name }) => name === table)?.indexes ?? [];
    const laid = indexes.find(({ name }) => name === wantedIndex);
    const overlay =
      laid === undefined || table === undefined || inspect === undefined
        ? null
        : await inspect(table, laid.name);
    this.inspection = drawn;
    this.overlay = overlay;
    this.shapes = shapes;
    this.tables = tables;
  }

  /** Marks what a request did, and which items it wrote. */
  mark(number: number, accesses: readonly Access[], written: readonly WrittenItem[] = []): void {
    this.accesses = accesses;
    this.written = written;
    this.marked = number;
  }

  /** The names of attributes in a table's drawn items, keys first, with the type each has there. */
  attributesOf(table: string): readonly { readonly name: string; readonly type: string }[] {
    const shape = this.shapes.find(({ name }) => name === table);
    const types = new Map<string, string>();
    for (const { name, type } of shape === undefined ? [] : keyAttributesOf(shape)) types.set(name, type);
    if (this.inspection?.table === table)
      for (const { items } of this.inspection.partitions)
        for (const { item } of items)
          for (const [name, value] of Object.entries(item))
            if (!types.has(name)) types.set(name, typeOf(value));
    return [...types].map(([name, type]) => ({ name, type }));
  }

  async #describe(tables: readonly string[]): Promise<readonly TableShape[]> {
    const shapes = await Promise.all(
      tables.slice(0, TABLES_DESCRIBED_MAX).map(async (table) => {
        const { status, text } = await this.#connection.dispatch(
          "DescribeTable",
          JSON.stringify({ TableName: table }),
        );
        if (status === 200) return tableShapeOf(JSON.parse(text));
        return this.shapes.find(({ name }) => name === table) ?? null;
      }),
    );
    return shapes.filter((shape) => shape !== null);
  }
}

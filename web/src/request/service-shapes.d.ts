/** What the build makes of the engine's shapes (service-shapes.config.ts). */
declare module "virtual:service-shapes" {
  const data: {
    readonly operations: Readonly<Record<string, readonly [input: number | null, output: number | null]>>;
    readonly shapes: readonly {
      /** A structure's members and the required ones among them; `a` is an attribute value's. */
      readonly m?: Readonly<Record<string, number>>;
      readonly r?: readonly string[];
      readonly a?: 1;
      /** A list's element, a map's value. */
      readonly l?: number;
      readonly v?: number;
      /** A scalar's type and its words. */
      readonly t?: string;
      readonly e?: readonly string[];
    }[];
    readonly reserved: string;
  };
  export default data;
}

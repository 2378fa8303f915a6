/** A type in the schema of the plugin for other languages. */
export type Shape = {
  readonly type?: string;
  readonly $ref?: string;
  readonly description?: string;
  readonly secret?: boolean;
  readonly items?: Shape;
  readonly additionalProperties?: Shape;
  readonly oneOf?: readonly Shape[];
  readonly plain?: boolean;
};

/** A component or a type of the schema. */
export interface Described {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly inputProperties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly requiredInputs?: readonly string[];
}

/** A shape, and every shape in it. */
export const shapesIn = (shape: Shape): Shape[] => [
  shape,
  ...[shape.items, shape.additionalProperties, ...(shape.oneOf ?? [])].flatMap((one) => (one ? shapesIn(one) : [])),
];

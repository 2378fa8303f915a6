/** What is told of the errors of a program that nobody else can handle: {@link tellPreview}. */
type Told = (error: unknown) => void;

/** On the global object: a test can load this library several times, and the preview must hear of what any of them refuses. */
const TOLD = Symbol.for('edge-nodepools.told-preview');

/**
 * Tells the preview of a test of an error. An Output that is refused never gets a value, and so the preview would wait for it forever.
 *
 * @returns whether there is one
 */
export function tellPreview(error: unknown): boolean {
  const told = (globalThis as { [TOLD]?: Told })[TOLD];
  told?.(error);
  return told !== undefined;
}

/** Has a preview told of errors from now on, or nobody. */
export function setToldPreview(told: Told | undefined): void {
  (globalThis as { [TOLD]?: Told })[TOLD] = told;
}

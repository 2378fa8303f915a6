type OnError = (error: unknown) => void;

/** On the global object: a test can load this library several times, and the preview must hear of what any of them refuses. */
const ON_ERROR = Symbol.for('edge-nodepools.preview-errors');

/**
 * Gives the preview of a test an error that nobody else can handle. An Output that is refused never gets a value, and so the preview would wait for it
 * forever.
 *
 * @returns whether there is one
 */
export function reportToPreview(error: unknown): boolean {
  const onError = (globalThis as { [ON_ERROR]?: OnError })[ON_ERROR];
  onError?.(error);
  return onError !== undefined;
}

/** What a preview does with such errors from now on; undefined ends it. */
export function onPreviewError(onError: OnError | undefined): void {
  (globalThis as { [ON_ERROR]?: OnError })[ON_ERROR] = onError;
}

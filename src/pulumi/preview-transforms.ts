import { EdgeError } from '../base/errors.js';

/** What Pulumi has for transforms, besides its public functions. */
interface RefusedTransforms {
  /** `getStore()` of `@pulumi/pulumi/runtime/state`, after the mocks are set. */
  readonly state: object;
  /** A `Callback` of `@pulumi/pulumi/proto/callback_pb`. */
  readonly callback: object;
}

/**
 * Tells a preview of transforms, which Pulumi's mocks do not know. Without this, Pulumi says to update its command, in a promise that nobody handles, and a
 * resource that has one is never registered, so that its Outputs are awaited forever.
 */
export function refuseTransforms({ state, callback }: RefusedTransforms, refused: (error: EdgeError) => void): void {
  // one error, however many there are
  const error = new EdgeError('Testing.preview', [
    {
      code: 'EDGE_VALUE',
      path: '',
      message: "the program has transforms, and Pulumi's mocks, with which previews run, know none",
      hint: 'leave them out of tests: transforms: process.env.JEST_WORKER_ID === undefined ? [transform] : []; and if (process.env.JEST_WORKER_ID === undefined) { registerResourceTransform(transform) }',
    },
  ]);
  const refuse = (): object => {
    refused(error);
    return callback;
  };
  Object.assign(state, {
    supportsTransforms: true,
    supportsInvokeTransforms: true,
    // in place of the server that the engine calls: what is registered with it goes on untransformed, so that nothing waits
    callbacks: {
      registerTransform: refuse,
      registerStackTransform: refuse,
      registerStackInvokeTransform: refuse,
      awaitStackRegistrations: () => undefined,
      shutdown: () => undefined,
    },
  });
}

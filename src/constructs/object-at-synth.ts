import type { ApiObject } from 'cdk8s';
import type { PlainMap } from '../base/plain-data.js';
import { oncePerSynth } from './synth-run.js';

/**
 * Applies a change to an object whenever it is synthesized, after everything else: lazily rendered fields, JSON patches, and the conversion of typed
 * objects. A JSON patch computed now would freeze the fields that it replaces, and typed objects drop fields after patches.
 */
export function changeAtSynth(apiObject: ApiObject, change: (object: PlainMap) => PlainMap): void {
  const render = apiObject.toJson.bind(apiObject) as () => PlainMap;
  apiObject.toJson = () => change(render());
}

/** Checks an object whenever it is synthesized, after everything else, and once per synth before anything is written. */
export function checkAtSynth(apiObject: ApiObject, check: (object: PlainMap) => void): void {
  changeAtSynth(apiObject, (object) => {
    check(object);
    return object;
  });
  apiObject.node.addValidation(oncePerSynth(apiObject, () => void apiObject.toJson()));
}

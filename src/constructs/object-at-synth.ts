import type { ApiObject } from 'cdk8s';
import type { PlainMap } from '../validation/plain-data.js';

/**
 * Applies a change to an object whenever it is synthesized, after everything else: lazily rendered fields, JSON patches, and the conversion of typed
 * objects. A JSON patch computed now would freeze the fields that it replaces, and typed objects drop fields after patches.
 */
export function changeAtSynth(apiObject: ApiObject, change: (object: PlainMap) => PlainMap): void {
  const render = apiObject.toJson.bind(apiObject) as () => PlainMap;
  apiObject.toJson = () => change(render());
}

/**
 * Checks an object whenever it is synthesized, after everything else. A validation checks it once before anything is written; only once, because cdk8s runs
 * validations once per chart.
 */
export function checkAtSynth(apiObject: ApiObject, check: (object: PlainMap) => void): void {
  changeAtSynth(apiObject, (object) => {
    check(object);
    return object;
  });
  let isChecked = false;
  apiObject.node.addValidation({
    validate: () => {
      if (!isChecked) {
        isChecked = true;
        apiObject.toJson();
      }
      return [];
    },
  });
}

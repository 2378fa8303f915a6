import type { ApiObject } from 'cdk8s';
import type { PlainMap } from '../validation/plain-data.js';

/**
 * Applies a change to an object when it is synthesized, after everything else: lazily rendered fields, JSON patches, and the conversion of typed
 * objects. A JSON patch computed now would freeze the fields that it replaces, and typed objects drop fields after patches.
 *
 * A validation runs the change before anything is written, so that a conflict that was added later has its own error. It does so once, because cdk8s
 * runs validations once per chart.
 */
export function excludeAtSynth(apiObject: ApiObject, change: (object: PlainMap) => PlainMap): void {
  const render = apiObject.toJson.bind(apiObject) as () => PlainMap;
  apiObject.toJson = () => change(render());
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

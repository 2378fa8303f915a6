import type { ApiObject } from 'cdk8s';
import type { PlainMap } from '../validation/plain-data.js';

/**
 * Lets an object be synthesized with a change on top of everything else: of what its construct renders late, of every JSON patch, and of the
 * conversion of typed objects. A JSON patch computed now would freeze what it replaces, and typed objects drop fields after patches.
 *
 * A validation looks before anything is written, so that a contradiction that came in later is found with its own error; once, because
 * validations run once per chart.
 */
export function excludeAtSynth(apiObject: ApiObject, change: (object: PlainMap) => PlainMap): void {
  const render = apiObject.toJson.bind(apiObject) as () => PlainMap;
  apiObject.toJson = () => change(render());
  let looked = false;
  apiObject.node.addValidation({
    validate: () => {
      if (!looked) {
        looked = true;
        apiObject.toJson();
      }
      return [];
    },
  });
}

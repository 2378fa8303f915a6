import { type ApiObject, JsonPatch } from 'cdk8s';

/** Takes the namespace away that cdk8s gives to every object of a chart with a namespace, also to those of cluster-scoped kinds. */
export function withoutNamespace(object: ApiObject): void {
  if (object.chart.namespace !== undefined) {
    object.addJsonPatch(JsonPatch.remove('/metadata/namespace'));
  }
}

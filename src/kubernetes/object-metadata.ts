import type { ProblemList } from '../errors.js';
import { isMap } from '../validation/plain-data.js';
import { readTexts } from './field-values.js';
import { checkAnnotations, checkLabels } from './label-syntax.js';
import { checkNamespace, checkObjectName } from './names.js';

/** Validates the metadata of a given object. */
export function checkMetadata(metadata: unknown, problems: ProblemList): void {
  if (metadata === undefined || metadata === null) {
    return;
  }
  if (!isMap(metadata)) {
    problems.add('EDGE_TYPE', 'metadata must be a map', "write metadata: { name: 'web', namespace: 'default' }");
    return;
  }
  if (metadata.name !== undefined) {
    checkObjectName(metadata.name, problems.at('name'));
  }
  if ((metadata.generateName ?? undefined) !== undefined && metadata.name === undefined) {
    problems
      .at('generateName')
      .add(
        'EDGE_NAME',
        'an object with generateName cannot be applied declaratively',
        "write name: '…' instead of generateName",
      );
  }
  if ((metadata.namespace ?? undefined) !== undefined) {
    checkNamespace(metadata.namespace, problems.at('namespace'));
  }
  checkLabels(readTexts(metadata.labels) ?? undefined, problems.at('labels'));
  checkAnnotations(readTexts(metadata.annotations) ?? undefined, problems.at('annotations'));
}

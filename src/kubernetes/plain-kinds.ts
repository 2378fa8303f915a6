import type { ProblemList } from '../errors.js';
import { isMap, mapAt, type PlainMap } from '../validation/plain-data.js';
import { quoted, whatIs } from '../validation/properties.js';
import { isAbsent } from './field-values.js';
import { groupKindOf } from './group-kind.js';

/** What the API server refuses of kinds that most programs have beside their workloads. */
const RULES: Readonly<Record<string, (object: PlainMap, problems: ProblemList) => void>> = {
  ConfigMap: (object, problems) => {
    checkTexts(object.data, problems.at('data'));
    checkTexts(object.binaryData, problems.at('binaryData'), isBase64);
  },
  Secret: (object, problems) => {
    checkTexts(object.stringData, problems.at('stringData'));
    checkTexts(object.data, problems.at('data'), isBase64);
  },
  Service: checkService,
};

/** Refuses what the API server refuses of a ConfigMap, a Secret or a Service (core validation). */
export function checkPlainKind(object: PlainMap, problems: ProblemList): void {
  const groupKind = groupKindOf(object);
  if (Object.hasOwn(RULES, groupKind)) {
    RULES[groupKind]?.(object, problems);
  }
}

/** encoding/base64 StdEncoding, which skips line breaks. */
function isBase64(text: string): boolean {
  const whole = text.replace(/[\r\n]/g, '');
  return whole.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(whole);
}

function checkTexts(map: unknown, problems: ProblemList, isValid?: (text: string) => boolean): void {
  if (isAbsent(map)) {
    return;
  }
  if (!isMap(map)) {
    problems.add('EDGE_TYPE', `this must be a map, and is ${whatIs(map)}`, "write { key: 'value' }");
    return;
  }
  for (const [key, value] of Object.entries(map)) {
    if (isAbsent(value)) {
      continue;
    }
    if (typeof value !== 'string') {
      problems
        .at(key)
        .add(
          'EDGE_TYPE',
          `this must be text in quotes, and is ${typeof value === 'object' ? whatIs(value) : quoted(value)}: the API server refuses it`,
          typeof value === 'object' ? 'write it as text: |' : `write '${quoted(value)}', in quotes`,
        );
    } else if (isValid?.(value) === false) {
      problems.at(key).add('EDGE_VALUE', 'this is not base64', 'write it below stringData, or encode it in base64');
    }
  }
}

/** ValidateService: ports are required, except for headless Services and those that are a name (ExternalName). */
function checkService(object: PlainMap, problems: ProblemList): void {
  const { ports, type, clusterIP, selector } = mapAt(object, 'spec');
  const isWithout = isAbsent(ports) || (Array.isArray(ports) && ports.length === 0);
  // without a selector it may be a part of one, for server-side apply or kustomize
  if (isMap(selector) && isWithout && type !== 'ExternalName' && clusterIP !== 'None') {
    problems.at('spec', 'ports').add('EDGE_MISSING', 'a Service needs a port', 'write ports: [{ port: 80 }]');
  }
}

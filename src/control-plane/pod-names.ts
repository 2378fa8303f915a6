import type { ProblemList } from '../base/errors.js';
import { isDnsLabel, isDnsSubdomain } from '../kubernetes/names.js';
import { quoted } from '../base/properties.js';
import type { DataConsumer, PersistentDataProps } from './persistent-data-props.js';

/** Names of the consumers in messages. */
export const NAMES: Readonly<Record<DataConsumer, string>> = {
  prometheus: 'Prometheus',
  alertmanager: 'Alertmanager',
  elasticsearch: 'Elasticsearch',
  loki: 'Loki',
  statefulSet: 'a StatefulSet',
  deployment: 'a Deployment',
};

/** Longest name of a StatefulSet. */
const LONGEST_SET = 52;

/**
 * Longest names of what has a StatefulSet. The name of a Pod of it is also its host name, without dots, and its label `controller-revision-hash` is the name of
 * the StatefulSet and up to ten digits. The operator of Prometheus puts `prometheus-` and `alertmanager-` before it; that of Elasticsearch takes 36 characters.
 */
const LONGEST_NAMES: Readonly<Partial<Record<DataConsumer, number>>> = {
  prometheus: 41,
  alertmanager: 39,
  elasticsearch: 36,
  loki: LONGEST_SET,
  statefulSet: LONGEST_SET,
};

/** Refuses names of consumers whose Pods would have names or labels that the API server refuses. */
export function checkPodNames({ consumer, name, nodeSet }: PersistentDataProps, problems: ProblemList): void {
  if (consumer === 'elasticsearch' && typeof name === 'string' && typeof nodeSet === 'string') {
    // the name of its StatefulSet
    const rest = LONGEST_SET - `${name}-es-`.length;
    if (rest > 0 && nodeSet.length > rest) {
      problems
        .at('nodeSet')
        .add(
          'EDGE_NAME',
          `the Pods of Elasticsearch ${quoted(name)} would have names that the API server refuses`,
          `write a name of at most ${rest} characters here, or a shorter name`,
        );
    }
  }
  const longest = LONGEST_NAMES[consumer];
  if (longest !== undefined && typeof name === 'string' && isDnsSubdomain(name)) {
    if (!isDnsLabel(name) || name.length > longest) {
      problems
        .at('name')
        .add(
          'EDGE_NAME',
          `the Pods of ${NAMES[consumer]} ${quoted(name)} would have names that the API server refuses`,
          `write lower-case letters, digits and '-', at most ${longest} characters, '${consumer === 'statefulSet' ? 'queue' : 'edge'}'`,
        );
    }
  }
}

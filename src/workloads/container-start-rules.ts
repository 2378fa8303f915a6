import { Quantity } from '../kubernetes/quantity.js';
import { isMap, mapAt, type PlainMap } from '../validation/plain-data.js';
import { quoted, showValue } from '../validation/properties.js';
import { actionsOf, CONTAINER_FIELDS } from './containers.js';
import { formed, isPortName, known, type Rule } from './rule-builders.js';

/** Parts of an image's name (github.com/distribution/reference, reference.go and regexp.go). */
const COMPONENT = String.raw`[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*`;
const HOST = String.raw`(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9a-fA-F:]+\])(?::\d+)?`;
const IMAGE = new RegExp(
  String.raw`^(?:${HOST}/)?${COMPONENT}(?:/${COMPONENT})*(?::\w[\w.-]{0,127})?(?:@[A-Za-z][\w+.-]*:[0-9a-fA-F]{32,})?$`,
);

/** Values that the API server accepts, and with which kubelet starts no container. */
export const checkImage: Rule = formed(
  'image',
  (image) => IMAGE.test(image.trim()),
  'is not a valid name of an image: kubelet does not start the container (InvalidImageName)',
  "write 'registry.example/team/app:1.0', the repository in lower-case letters and without https://",
);

/** Amounts of bytes with the suffix m, thousandths, which people write for megabytes. */
export const checkBytes: Rule = (part, problems) => {
  for (const field of ['requests', 'limits']) {
    for (const name of ['memory', 'ephemeral-storage']) {
      const amount = mapAt(part, field)[name];
      const quantity = typeof amount === 'string' ? Quantity.parse(amount) : undefined;
      if (quantity !== undefined && quantity.nano % 1_000_000_000n !== 0n) {
        problems
          .at(field, name)
          .add(
            'EDGE_QUANTITY',
            `${showValue(amount)} is not a whole number of bytes: m means thousandths`,
            `write '${String(amount).replace(/m$/, 'Mi')}'`,
          );
      }
    }
  }
};

/** Refuses containers that may not run as root, and are told to (kubelet, kuberuntime/security_context.go verifyRunAsNonRoot). */
export const checkUsers: Rule = (pod, problems) => {
  const ofPod = mapAt(pod, 'securityContext');
  for (const [field, index, container] of containersOf(pod)) {
    const own = mapAt(container, 'securityContext');
    const setting = (name: string): unknown => known(own, name) ?? known(ofPod, name);
    if (setting('runAsNonRoot') === true && setting('runAsUser') === 0) {
      const at = known(own, 'runAsUser') === undefined ? problems : problems.at(field, index);
      at.at('securityContext', 'runAsUser').add(
        'EDGE_CONTRADICTION',
        `conflicting settings: runAsNonRoot with runAsUser 0: kubelet does not start the container ${String(container.name)}`,
        'write another user, or leave runAsNonRoot out',
      );
    }
  }
};

/** Refuses probes and hooks of a port by a name that their own container does not have (kubelet, probe.ResolveContainerPort). */
export const checkNamedPorts: Rule = (container, problems) => {
  const ports = known(container, 'ports') ?? [];
  const names = (Array.isArray(ports) ? ports : []).map((port: unknown) => (isMap(port) ? port.name : undefined));
  const isKnown = Array.isArray(ports) && !names.some((name) => typeof name === 'object' && name !== null);
  for (const [field, { port }] of isKnown ? actionsOf(container) : []) {
    if (typeof port === 'string' && isPortName(port) && !names.includes(port)) {
      const own = names.filter((name) => typeof name === 'string').join(', ');
      problems
        .at(...field, 'port')
        .add(
          'EDGE_PORT',
          `the container has no port of the name ${quoted(port)}`,
          own === '' ? 'write its number, or name a port of the container' : `write one of its own: ${own}`,
        );
    }
  }
};

function containersOf(pod: PlainMap): [field: string, index: number, container: PlainMap][] {
  return CONTAINER_FIELDS.flatMap((field) => {
    const list = known(pod, field);
    return (Array.isArray(list) ? list : []).flatMap((container: unknown, index): [string, number, PlainMap][] =>
      isMap(container) ? [[field, index, container]] : [],
    );
  });
}

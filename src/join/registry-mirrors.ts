import type { ProblemList } from '../base/errors.js';
import { isMap } from '../base/plain-data.js';
import { showValue } from '../base/properties.js';
import {
  type Check,
  checkProperties,
  listOf,
  listOfWords,
  mapWith,
  optional,
  type PropertyTable,
} from '../base/property-table.js';
import type { NodeFile } from './node-file.js';
import { itemsOf } from '../kubernetes/field-values.js';

/**
 * A registry whose images come from mirrors, by the container runtime.
 *
 * @category Join nodes
 */
export interface RegistryMirror {
  /** The registry in the names of images, for example `docker.io`. With containerd also `_default`, for all others. */
  readonly registry: string;
  /** URLs of its mirrors, in the order in which they are tried; after them comes the registry itself. A path that
   * begins with `/v2/` is where the mirror has the images, for example a project of Harbor:
   * `https://mirror.example/v2/docker-hub`. CRI-O needs such a path. */
  readonly mirrors: string[];
  /** Certificates of the CA of the mirrors, PEM.
   * @default - those that the machine trusts */
  readonly ca?: string;
}

/** Folder in which containerd looks for mirrors. */
export const HOSTS_FOLDER = '/etc/containerd/certs.d';

/** Folder in which CRI-O looks for certificates of registries, and its file with mirrors (`containers/image`,
 * containers-registries.conf.d(5)). */
export const CRIO_CERTIFICATES_FOLDER = '/etc/containers/certs.d';
export const CRIO_REGISTRIES_FILE = '/etc/containers/registries.conf.d/10-edge-nodepools.conf';

const CERTIFICATE = 'edge-nodepools-ca.crt';
const API_PATH = /^(https?:\/\/[^/]+)\/v2\//;

const withLineEnd = (text: string): string => (text.endsWith('\n') ? text : `${text}\n`);

/** `hosts.toml` of containerd (`docs/hosts.md`): the mirrors in order, then the registry itself. */
export function hostsFiles({ registry, mirrors, ca }: RegistryMirror): NodeFile[] {
  const folder = `${HOSTS_FOLDER}/${registry}`;
  const certificate = `${folder}/${CERTIFICATE}`;
  const lines = mirrors.flatMap((mirror) => [
    `[host.${JSON.stringify(mirror)}]`,
    '  capabilities = ["pull", "resolve"]',
    // else containerd appends /v2
    ...(API_PATH.test(mirror) ? ['  override_path = true'] : []),
    ...(ca === undefined ? [] : [`  ca = ${JSON.stringify(certificate)}`]),
  ]);
  return [
    ...(ca === undefined ? [] : [{ path: certificate, content: withLineEnd(ca) }]),
    { path: `${folder}/hosts.toml`, content: `${lines.join('\n')}\n` },
  ];
}

/** The same for CRI-O: mirrors in a file of `registries.conf.d`, and certificates by the host of a mirror. */
export function crioRegistryFiles(registries: readonly RegistryMirror[]): NodeFile[] {
  const authorities = new Map<string, readonly string[]>();
  for (const { mirrors, ca } of registries) {
    for (const host of ca === undefined ? [] : mirrors.filter((url) => url.startsWith('https:')).map(hostOf)) {
      authorities.set(host, [...new Set([...(authorities.get(host) ?? []), withLineEnd(ca as string)])]);
    }
  }
  const lines = registries.flatMap(({ registry, mirrors }) => [
    '[[registry]]',
    `location = ${JSON.stringify(registry)}`,
    ...mirrors.flatMap((mirror) => [
      '[[registry.mirror]]',
      `location = ${JSON.stringify(
        mirror
          .replace(API_PATH, '$1/')
          .replace(/^https?:\/\//, '')
          .replace(/\/$/, ''),
      )}`,
      // http is tried only then
      ...(mirror.startsWith('http:') ? ['insecure = true'] : []),
    ]),
  ]);
  return registries.length === 0
    ? []
    : [
        ...[...authorities].map(([host, certificates]) => ({
          path: `${CRIO_CERTIFICATES_FOLDER}/${host}/${CERTIFICATE}`,
          content: certificates.join(''),
        })),
        { path: CRIO_REGISTRIES_FILE, content: `${lines.join('\n')}\n` },
      ];
}

function hostOf(url: string): string {
  return url.split('/')[2] ?? '';
}

const MIRROR: PropertyTable<RegistryMirror> = {
  registry: (registry, problems) => {
    if (typeof registry !== 'string' || !/^(_default|[a-z0-9][a-z0-9.-]*(:\d+)?)$/.test(registry)) {
      problems.add('EDGE_VALUE', `${showValue(registry)} is not the name of a registry`, "write 'docker.io'");
    }
  },
  mirrors: (mirrors, problems) => {
    listOfWords(/^https?:\/\/[A-Za-z0-9.:[\]-]+(\/[A-Za-z0-9._/-]*)?$/, "['https://mirror.example:5000']")(
      mirrors,
      problems,
    );
    if (!Array.isArray(mirrors) || mirrors.length === 0) {
      problems.add('EDGE_MISSING', 'at least one mirror is required', "write ['https://mirror.example:5000']");
    }
  },
  ca: optional((ca, problems) => {
    if (typeof ca !== 'string' || !ca.includes('-----BEGIN CERTIFICATE-----') || ca.includes('PRIVATE KEY')) {
      problems.add('EDGE_VALUE', 'this is not a certificate (value redacted)', "write readFileSync('ca.crt', 'utf8')");
    }
  }),
};

/** What only containerd can: a default for all registries, and a mirror with the whole API below a path. */
function checkForCrio({ registry, mirrors }: Readonly<Record<string, unknown>>, problems: ProblemList): void {
  if (registry === '_default') {
    problems
      .at('registry')
      .add('EDGE_JOIN', 'CRI-O has no mirror for all registries at once', 'write each registry by its name');
  }
  itemsOf(mirrors).forEach((mirror, index) => {
    if (typeof mirror === 'string' && /^https?:\/\/[^/]+\/./.test(mirror) && !API_PATH.test(mirror)) {
      problems
        .at('mirrors', index)
        .add(
          'EDGE_JOIN',
          'CRI-O looks for the API of a registry only at /v2 of the host',
          "write 'https://mirror.example/v2/docker-hub' for a project docker-hub",
        );
    }
  });
}

/** Checks mirrors for a container runtime. */
export function checkRegistries(isContainerd: boolean): Check {
  return (registries, problems) => {
    listOf((mirror, at) => {
      mapWith(
        (known, inner) => {
          checkProperties<RegistryMirror>(known, MIRROR, inner);
          if (!isContainerd) {
            checkForCrio(known, inner);
          }
        },
        'a registry must be a map',
        "write { registry: 'docker.io', mirrors: ['https://mirror.example'] }",
      )(mirror, at);
    }, "write [{ registry: 'docker.io', mirrors: ['https://mirror.example'] }]")(registries, problems);
    const seen = new Set<unknown>();
    itemsOf(registries).forEach((mirror: unknown, index) => {
      const name = isMap(mirror) ? mirror.registry : undefined;
      if (name !== undefined && seen.has(name)) {
        problems
          .at(index, 'registry')
          .add('EDGE_DUPLICATE', `${showValue(name)} appears twice`, 'write all its mirrors in one entry');
      }
      seen.add(name);
    });
  };
}

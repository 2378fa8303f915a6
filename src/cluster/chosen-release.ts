import type { EdgeWarning, ProblemList } from '../base/errors.js';
import { quoted, whatIs } from '../base/properties.js';
import { lookUpKubernetes } from './kubernetes-minors.js';
import type { Lookup } from './version-lookup.js';

/** The row of a release in its table; undefined, with a problem, if there is none. */
export function chosenRow<Row extends { release?: string; minor?: string }>(
  property: string,
  product: string,
  version: unknown,
  lookUp: (version: string) => Lookup<Row>,
  known: string[],
  allowNewer: boolean,
  problems: ProblemList,
  warnings: EdgeWarning[],
): Row | undefined {
  const at = problems.at(property);
  const list = known.map((name) => `'${name}'`).join(', ');
  if (version === undefined || version === null || version === '') {
    at.add('EDGE_MISSING', `the ${product} version of the cluster is required`, `write ${property}: one of ${list}`);
    return undefined;
  }
  if (typeof version !== 'string') {
    at.add(
      'EDGE_TYPE',
      `a version is text, this is ${whatIs(version)}${typeof version === 'number' ? ' (as a number, 1.30 would be 1.3)' : ''}`,
      version === false && known.includes('none')
        ? `write ${property}: 'none' for a cluster without ${product}`
        : `write ${property}: '${meantBy(version, known)}' in quotes`,
    );
    return undefined;
  }
  const found = lookUp(version);
  switch (found.kind) {
    case 'known':
      if (found.preRelease) {
        warnings.push(
          assumed(property, `${product} ${version} is a pre-release; it is treated as ${nameOfRow(found.row)}`),
        );
      }
      return found.row;
    case 'newer':
      if (allowNewer) {
        warnings.push(
          assumed(
            property,
            `${product} ${version} is newer than the table; it is treated as ${nameOfRow(found.newest)}`,
          ),
        );
        return found.newest;
      }
      at.add(
        'EDGE_NEWER_RELEASE',
        `${product} ${version} is newer than this library knows (known: ${list})`,
        instead(property, version, nameOfRow(found.newest)),
      );
      return undefined;
    case 'refused':
      at.add(
        'EDGE_UNSUPPORTED_RELEASE',
        `${product} ${version} is not supported: ${found.reason}`,
        `write one of ${list}`,
      );
      return undefined;
    default:
      at.add(
        'EDGE_UNKNOWN_RELEASE',
        `${quoted(version)} is not a known ${product} release`,
        `write one of ${list} (patch releases such as '${known[0]}.1' are fine)`,
      );
      return undefined;
  }
}

/** The version that a number was probably meant to be: 1.30 is the number 1.3. */
function meantBy(version: unknown, known: readonly string[]): string {
  const written = String(version);
  const candidates =
    typeof version === 'number' ? [written, `${written}0`, `${written.slice(0, 1)}.${written.slice(1)}`] : [];
  const newest = known.filter((name) => /^\d/.test(name)).at(-1) ?? '';
  return candidates.find((name) => known.includes(name)) ?? newest;
}

function nameOfRow(row: { release?: string; minor?: string }): string {
  return row.release ?? row.minor ?? '';
}

function assumed(path: string, message: string): EdgeWarning {
  return {
    code: 'EDGE_ASSUMED_NEWEST',
    path,
    message,
    hint: 'check the manifests against a test cluster of that version',
  };
}

/** What to do about a release that is newer than the table. */
function instead(property: string, version: string, newest: string): string {
  return property === 'openYurt' && lookUpKubernetes(version).kind === 'known'
    ? `${version} is a minor of Kubernetes: write openYurt: '${newest}', kubernetes: '${version}'`
    : `update edge-nodepools, or write allowNewer: true to treat it as ${newest}`;
}

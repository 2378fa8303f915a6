/**
 * A secret in any Input of any component stays secret. What depends on a value is determined independently: wherever the engine gets something else for
 * another value. All of these paths, and no others, must be secret if the value is.
 */
import * as pulumi from '@pulumi/pulumi';
import { EdgeCluster, HostNetworkNodePool, HostNetworkWorkload } from 'edge-nodepools/pulumi';
import fc from 'fast-check';
import { WarningList } from '../../src/pulumi/program.js';
import { daemonSet } from '../bad-inputs/case.js';
import { isFullDepth } from '../depth.js';
import type { Twin } from './equality/equality.js';
import { replaceLeaves } from './equality/late.js';
import { TWINS } from './equality/twins.js';
import { record } from './recorded.js';

const SAMPLES = isFullDepth ? 12 : 2;
const LEAVES = isFullDepth ? 4 : 1;
const SECRET = '4dabf18193072939515e22adb298388d';
jest.setTimeout(120_000);

/** What the engine and the user see. */
interface Told {
  /** By resource and path; a secret is one path. */
  readonly places: ReadonlyMap<string, string>;
  readonly warnings: readonly string[];
}

function placesOf(value: any, path: string): [string, string][] {
  const isSecret = typeof value === 'object' && value !== null && SECRET in value;
  if (typeof value !== 'object' || value === null || isSecret || Object.keys(value).length === 0) {
    return [[path, isSecret ? SECRET : JSON.stringify(value)]];
  }
  return Object.entries(value).flatMap(([key, item]) => placesOf(item, `${path}/${key}`));
}

/** What the engine and the user see of a component; undefined if its properties are refused. */
async function told(twin: Twin, given: any): Promise<Told | undefined> {
  let isRefused = false;
  // one by one: the entry of a code shows only the first ones, and a secret hides those about it
  const single: string[] = [];
  const { take } = WarningList.prototype as any;
  const spy = jest.spyOn(WarningList.prototype, 'take').mockImplementation(function (this: WarningList) {
    single.push(...take.call(this).map((warning: unknown) => JSON.stringify(warning)));
    return [];
  });
  const { resources, warnings } = await record(() => {
    try {
      twin.component('it', given);
    } catch {
      isRefused = true;
    }
  });
  spy.mockRestore();
  const places = resources.flatMap(({ type, name, wire }) => placesOf(wire, `${type} ${name} `));
  return isRefused ? undefined : { places: new Map(places), warnings: [...single, ...warnings] };
}

/** Another value of the same kind, with another last letter or digit. */
function another(value: string | number): string | number {
  return typeof value === 'number'
    ? value + 1
    : value.replace(/[a-y0-8](?=[^a-zA-Z0-9]*$)/, (last) => String.fromCharCode(last.charCodeAt(0) + 1));
}

/** The same with another value of one leaf. */
function withLeaf(given: any, index: number, replace: (leaf: any) => any): any {
  let count = 0;
  return replaceLeaves(given, (leaf) => (count++ === index ? replace(leaf) : leaf));
}

function leavesIn(given: any): any[] {
  const found: any[] = [];
  replaceLeaves(given, (leaf) => found.push(leaf));
  return found;
}

/** The list that contains a path: in a sorted list, its position depends on other items. */
function listOf(path: string): string {
  return path.replace(/\/\d+$/, '/');
}

/** Leaves distributed over a list, so that samples do not only use the first ones. */
function someOf(count: number, seed: number): number[] {
  const step = Math.max(1, Math.floor(count / LEAVES));
  return [...Array(Math.min(LEAVES, count)).keys()].map((index) => (seed + index * step) % count);
}

it('a warning quotes a known value, and not a secret one', async () => {
  const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.36' });
  const warningsOf = async (value: pulumi.Input<string>): Promise<string> => {
    const env = [{ name: 'DB', value }];
    const workload: any = daemonSet({ containers: [{ name: 'a', image: 'a', ports: [{ containerPort: 80 }], env }] });
    const pool = HostNetworkNodePool.fromPoolName({ cluster, poolName: 'hz' });
    return (await record(() => void new HostNetworkWorkload('it', { pool, workload }))).warnings.join('\n');
  };
  const host = 'db-4711.shop.svc';
  expect(await warningsOf(pulumi.output(host))).toContain(host);
  expect(await warningsOf(pulumi.secret(host))).not.toContain(host);
});

// exportLocation is one text, of which a volume has the server and the path
describe.each(TWINS.filter(([noun]) => noun !== 'NfsVolume'))('a secret given to %s', (noun, twin) => {
  it('is secret wherever it occurs, and nothing else is', async () => {
    let tried = 0;
    let found = 0;
    for (const [seed, given] of fc.sample(twin.arbitrary, { numRuns: SAMPLES, seed: 21 }).entries()) {
      const leaves = leavesIn(given);
      found += leaves.length;
      const one = await told(twin, given);
      for (const index of leaves.length === 0 ? [] : someOf(leaves.length, seed)) {
        if (one === undefined || another(leaves[index]) === leaves[index]) {
          continue;
        }
        const other = await told(twin, withLeaf(given, index, another));
        if (other === undefined) {
          continue;
        }
        const secret = (await told(twin, withLeaf(given, index, pulumi.secret))) as Told;
        const what = { leaf: index, value: leaves[index] };
        const depends = [...one.places].filter(([path, text]) => other.places.get(path) !== text).map(([path]) => path);
        const open = depends.filter((path) => secret.places.has(path) && secret.places.get(path) !== SECRET);
        expect({ ...what, open }).toEqual({ ...what, open: [] });
        const isPart = (path: string): boolean =>
          depends.some((place) => place === path || place.startsWith(`${path}/`) || listOf(place) === listOf(path));
        const hidden = [...secret.places]
          .filter(([path, text]) => text === SECRET && !isPart(path))
          .map(([path]) => path);
        // a resource whose name depends on a value has another name while the value is secret
        const inOne = hidden.filter((path) => one.places.has(path) && one.places.get(path) !== SECRET);
        expect({ ...what, hidden: inOne }).toEqual({ ...what, hidden: [] });
        expect(secret.warnings.filter((text) => !other.warnings.includes(text))).toEqual([]);
        tried++;
      }
    }
    // all properties of ControlPlaneQos are plain: files of kubeadm cannot hold Outputs
    // of few samples, every other value may be refused
    expect({ noun, isTried: tried > 0 || !isFullDepth }).toEqual({
      noun,
      isTried: noun !== 'ControlPlaneQos' || !isFullDepth,
    });
    expect({ noun, hasLeaves: found > 0 }).toEqual({ noun, hasLeaves: noun !== 'ControlPlaneQos' });
  });
});

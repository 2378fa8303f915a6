import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { checkFiles } from './check-manifests.js';
import type { Finding } from './finding.js';
import { checkHostNetworkLabel } from '../cluster/host-network-label.js';
import { EDGE_CODES } from '../base/error-codes.js';
import { ProblemList } from '../base/errors.js';
import type { HostNetworkLabel } from '../kubernetes/labels.js';
import { itemsOf } from './placement-input.js';
import { type FleetLabels, fleetLabelsOf } from './node.js';
import { type ListedPool, poolNamed, POOLS_FILE, poolsIn } from './pools-file.js';
import { objectsFromYaml } from '../base/yaml-text.js';
import { isMap, mapAt } from '../base/plain-data.js';
import { showValue } from '../base/properties.js';
import { checkProperties, listOf, oneOf, optional, type PropertyTable, wholeNumber } from '../base/property-table.js';

/**
 * `properties` of {@link EdgeValidation} in cdk8s.yaml.
 *
 * @category Check manifests
 */
export interface EdgeValidationProps {
  /** From which level on the synth fails.
   * @default error */
  readonly failOn?: 'error' | 'warning';
  /** Host-network pools that have no NodePool among the manifests and are not in `pools.jsonl`.
   * @default - none */
  readonly hostNetworkPools?: readonly string[];
  /** Numbers of nodes by the name of the pool.
   * @default - `expectedNodes` of the pools */
  readonly nodes?: Readonly<Record<string, number>>;
  /** Node label with the pool's name.
   * @default - that of the pools, or of OpenYurt */
  readonly nodePoolLabel?: string;
  /** Label by which host-network nodes are known.
   * @default - that of the pools, or of OpenYurt */
  readonly hostNetworkLabel?: HostNetworkLabel;
}

const nameText = optional((value, problems) => {
  if (typeof value !== 'string' || value === '') {
    problems.add('EDGE_TYPE', `${showValue(value)} is not text`, 'write a name');
  }
});

const PROPERTIES: PropertyTable<EdgeValidationProps> = {
  failOn: optional(oneOf('error', 'warning')),
  hostNetworkPools: listOf(nameText, "write ['beijing']"),
  nodes: optional((value, problems) => {
    if (!isMap(value)) {
      problems.add('EDGE_TYPE', `${showValue(value)} is not a map`, 'write { beijing: 12 }');
      return;
    }
    Object.entries(value).forEach(([pool, count]) => wholeNumber(0)(count, problems.at(pool)));
  }),
  nodePoolLabel: nameText,
  hostNetworkLabel: checkHostNetworkLabel,
};

/**
 * What `cdk8s synth` gives a validation: the part of its `ValidationContext` that is used.
 *
 * @category Check manifests
 */
export interface SynthContext {
  /** Paths of the manifests. */
  readonly manifests: readonly string[];
  /** The report that `cdk8s synth` prints. */
  readonly report: {
    readonly addViolation: (violation: {
      readonly ruleName: string;
      readonly recommendation: string;
      readonly fix: string;
      readonly violatingResources: readonly {
        readonly resourceName: string;
        readonly locations: readonly string[];
        readonly manifestPath: string;
      }[];
    }) => void;
    readonly submit: (status: 'success' | 'failure', metadata?: { readonly [key: string]: string }) => void;
  };
}

/**
 * A validation of `cdk8s synth`: the rules of `edge-nodepools check`, with the construct path of what is wrong. It is named in cdk8s.yaml, see
 * docs/command.md.
 *
 * @category Check manifests
 */
export class EdgeValidation {
  private readonly props: EdgeValidationProps;

  /**
   * @param props `properties` in cdk8s.yaml
   * @throws {@link EdgeError} with all problems at once
   */
  constructor(props: EdgeValidationProps = {}) {
    const problems = new ProblemList();
    checkProperties(props, PROPERTIES, problems);
    problems.throwIfAny('EdgeValidation');
    this.props = props;
  }

  /**
   * Checks the manifests, and submits the report.
   *
   * @param context what `cdk8s synth` gives
   * @throws {@link EdgeError} if `pools.jsonl` is not as `writeArtifacts` writes it
   */
  public async validate({ manifests, report }: SynthContext): Promise<void> {
    const { failOn = 'error', hostNetworkPools = [], nodes, nodePoolLabel, hostNetworkLabel } = this.props;
    const written = poolsBesideAll(manifests);
    const labels = commonLabels(written, { nodePoolLabel, hostNetworkLabel });
    const files = manifests.map((path) => ({ path, text: readFileSync(path, 'utf8') }));
    const { findings, objects, pools } = checkFiles(files, {
      labels,
      pools: [...written, ...hostNetworkPools.map((pool) => poolNamed(pool, labels))],
      ...(nodes === undefined ? {} : { nodes }),
    });
    const isAmbiguous = findings.length === 0 ? (): boolean => false : ambiguityIn(files.map(({ text }) => text));
    violationsOf(findings, isAmbiguous).forEach((violation) => report.addViolation(violation));
    const fails = findings.some(({ level }) => level === 'error' || failOn === 'warning');
    report.submit(fails ? 'failure' : 'success', { objects: String(objects), pools: String(pools.length) });
    return Promise.resolve();
  }
}

type Violation = Parameters<SynthContext['report']['addViolation']>[0];

/** The pools that a program has written beside its manifests, in whichever of their folders. */
function poolsBesideAll(manifests: readonly string[]): ListedPool[] {
  const problems = new ProblemList();
  const files = [...new Set(manifests.map((path) => join(dirname(path), POOLS_FILE)))].filter((file) =>
    existsSync(file),
  );
  const pools = files.flatMap((file) => poolsIn(readFileSync(file, 'utf8'), problems.at(POOLS_FILE)));
  problems.throwIfAny('EdgeValidation');
  return pools;
}

/** The labels that are given, or those of the pools, if they are the same for all. */
function commonLabels(
  pools: readonly ListedPool[],
  { nodePoolLabel, hostNetworkLabel }: FleetLabels,
): Required<FleetLabels> {
  const problems = new ProblemList();
  const of = <Label>(label: 'nodePoolLabel' | 'hostNetworkLabel', values: readonly Label[]): Label | undefined => {
    const texts = new Set(values.map((value) => JSON.stringify(value)));
    if (texts.size > 1) {
      const hint = `write ${label}: ${[...texts].join(' or ')}`;
      problems.at(label).add('EDGE_CONTRADICTION', 'the pools of the program have different labels', hint);
    }
    return values[0];
  };
  const labels = fleetLabelsOf({
    nodePoolLabel:
      nodePoolLabel ??
      of(
        'nodePoolLabel',
        pools.map((pool) => pool.nodePoolLabel),
      ),
    hostNetworkLabel:
      hostNetworkLabel ??
      of(
        'hostNetworkLabel',
        pools.map((pool) => pool.hostNetworkLabel),
      ),
  });
  problems.throwIfAny('EdgeValidation');
  return labels;
}

/** A rule for each code and hint, and a level: the report of cdk8s has no levels. */
function violationsOf(findings: readonly Finding[], isAmbiguous: (name: string) => boolean): Violation[] {
  const found = new Map<string, Violation & { violatingResources: Violation['violatingResources'][number][] }>();
  for (const { code, level, hint, object, file, line, path, message } of findings) {
    const ruleName = level === 'error' ? code : `${code} (warning)`;
    const key = JSON.stringify([ruleName, hint]);
    const violation = found.get(key) ?? {
      ruleName,
      recommendation: EDGE_CODES[code],
      fix: hint,
      violatingResources: [],
    };
    found.set(key, violation);
    const short = object.split(/[ /]/).at(-1) ?? '';
    const at = line === undefined ? '' : ` (line ${line})`;
    violation.violatingResources.push({
      // cdk8s looks the construct up by the name alone
      resourceName: short === '' || isAmbiguous(short) ? object : short,
      locations: [`${[object, path].filter(Boolean).join(' ')}: ${message}${at}`],
      manifestPath: file,
    });
  }
  return [...found.values()];
}

/** Whether several objects of the manifests have a name, of which cdk8s knows the construct of one. */
function ambiguityIn(texts: readonly string[]): (name: string) => boolean {
  const names = texts
    .flatMap((text) => objectsFromYaml(text, new ProblemList(), 'rounded') ?? [])
    .flatMap(itemsOf)
    .map((object) => String(mapAt(object, 'metadata').name));
  return (name) => names.indexOf(name) !== names.lastIndexOf(name);
}

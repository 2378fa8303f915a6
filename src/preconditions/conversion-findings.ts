import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { openYurtRow } from '../cluster/openyurt-releases.js';
import { APPLY_RIGHTS, missingRights, readConversions } from '../pools/node-conversion.js';
import { type Repair, repairScript, shellCommand } from '../base/shell.js';
import type { PlainMap } from '../base/plain-data.js';
import type { PreconditionFile } from './precondition.js';
import { conversionIn, yurtManagerFact } from './yurt-manager-fact.js';

/** Something without which OpenYurt makes no edge nodes, or a Node that it has not made one. */
export interface ConversionFinding extends Repair {
  /** `rights of yurthub`, `image of node-servant`, or the name of a Node. */
  readonly of: string;
  readonly state: 'missing' | 'harmful';
}

/** What the conversion of nodes lacks in a dump: the same for each Node as `nodes` says. */
export function findConversion(cluster: EdgeCluster, objects: readonly PlainMap[]): ConversionFinding[] {
  const release = openYurtRow(cluster.openYurt);
  if (release?.conversion === undefined) {
    return [];
  }
  const missing = missingRights(objects) ?? [];
  const manager = yurtManagerFact(objects);
  const image = manager?.nodeServant ?? '';
  const isPinned = image === '' || /@sha256:|:(?!latest$)[^:/]+$/.test(image);
  const chart = ['helm', 'upgrade', manager?.helmRelease ?? '', 'CHART', '--reuse-values'];
  const rights: ConversionFinding = {
    of: 'rights of yurthub',
    state: 'missing',
    what: `nodes (group system:nodes) may not ${missing.join(', ')}: a conversion fails after 21 minutes, and one that is converted already does not start again`,
    commands: [APPLY_RIGHTS],
  };
  const unpinned: ConversionFinding = {
    of: 'image of node-servant',
    state: 'harmful',
    what: `yurt-manager ${manager?.version ?? ''} converts nodes with ${image}, which can be of another release tomorrow`,
    commands: [
      shellCommand(
        ...[
          ...chart,
          '--namespace',
          manager?.namespace ?? '',
          '--set',
          `nodeServant.image.tag=v${manager?.version ?? ''}`,
        ],
      ),
    ],
    byHand: 'write the folder of the chart yurt-manager of this release for CHART',
  };
  const converts = conversionIn(objects) !== undefined;
  const nodes = readConversions(objects, { membershipLabel: cluster.nodePoolLabel, converts });
  return [
    ...(missing.length === 0 ? [] : [rights]),
    ...(isPinned ? [] : [unpinned]),
    ...nodes.flatMap(({ node, repair }): ConversionFinding[] =>
      repair === undefined ? [] : [{ ...repair, of: node, state: 'harmful' }],
    ),
  ];
}

/** The script that repairs them; none if there is nothing to repair. */
export function conversionScript(findings: readonly ConversionFinding[]): PreconditionFile[] {
  const title =
    'Repairs what the conversion of nodes lacks. It can be repeated. Lines that are commented out need a decision.';
  const repairs = findings.map((finding) => ({ ...finding, what: `${finding.of}: ${finding.what}` }));
  return repairs.length === 0 ? [] : [{ path: 'conversion.sh', content: repairScript(title, repairs) }];
}

import type { EdgeCluster } from '../cluster/edge-cluster.js';
import type { CheckedManifests } from '../fleet/finding.js';
import { printManifests } from '../base/yaml-print.js';
import type { EdgeArtifact } from '../base/artifact.js';
import { cdk8sProgram } from './cdk8s-program.js';
import { importedFrom } from './imported-from.js';
import { type GivenCluster, importModel } from './import-model.js';
import { dangerousFirst, HELD_REPLICAS, importCounts, type ImportCounts, importReport } from './import-report.js';
import type { ImportedFile } from './input-objects.js';
import { programLayout } from './program-layout.js';
import { pulumiProgram } from './pulumi-program.js';
import type { ImportTarget, SecretReference } from './secret-references.js';

/** How objects become a program. */
export interface ImportProps extends GivenCluster {
  readonly files: readonly ImportedFile[];
  readonly target: ImportTarget;
  /** The folder of the program, for the report. */
  readonly folder: string;
}

/** A program, and what is to be known of it. */
export interface ImportedProgram {
  readonly cluster: EdgeCluster;
  readonly files: readonly EdgeArtifact[];
  readonly secrets: readonly SecretReference[];
  readonly counts: ImportCounts;
  readonly report: string;
  /** Its first lines, how much is made by what, and all others. */
  readonly summary: string;
  readonly details: string;
  /** What the rules of `check` find, most dangerous first. */
  readonly checked: CheckedManifests;
}

/**
 * Makes a program of the objects of a cluster or of manifests: each object becomes the same object again.
 *
 * @throws {@link EdgeError} with all problems of the input at once
 */
export function importProgram({ files, target, folder, ...given }: ImportProps): ImportedProgram {
  // before the model, so that not both are in memory
  const checked = dangerousFirst(files);
  const model = importModel(files, target, given);
  const layout = programLayout(model);
  const { summary, details } = importReport(model, folder);
  return {
    cluster: model.cluster,
    files: [
      ...(target === 'cdk8s' ? cdk8sProgram(model, layout) : pulumiProgram(model, layout)),
      importedFrom(model, target, given),
      ...(model.heldReplicas.length === 0
        ? []
        : [{ path: HELD_REPLICAS, content: printManifests([...model.heldReplicas]) }]),
    ],
    secrets: model.secrets,
    counts: importCounts(model),
    report: [summary, ...(details === '' ? [] : ['', details])].join('\n'),
    summary,
    details,
    checked,
  };
}

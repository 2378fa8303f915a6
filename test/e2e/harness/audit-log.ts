import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What is in an audit log: each patch of a node, or each write that was accepted or refused. */
export type Audited = 'nodes' | 'writes';

const RULES: Readonly<Record<Audited, readonly object[]>> = {
  nodes: [{ level: 'Metadata', verbs: ['patch'], resources: [{ group: '', resources: ['nodes', 'nodes/status'] }] }],
  writes: [{ level: 'Metadata', omitStages: ['RequestReceived'], verbs: ['create', 'update', 'patch', 'delete'] }],
};

/** Flags of an API server with an audit log; its policy is written into the folder. */
export function auditFlags(folder: string, log: string, audited: Audited): string[] {
  const policy = join(folder, 'audit-policy.json');
  const rules = [...RULES[audited], { level: 'None' }];
  writeFileSync(policy, JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules }));
  return [`--audit-policy-file=${policy}`, `--audit-log-path=${log}`];
}

/** A write that succeeded. */
export interface AuditedWrite {
  readonly verb: string;
  /** Plural of the resource, `daemonsets`. */
  readonly resource: string;
  readonly name: string;
  readonly userAgent: string;
  /** Whether it is not stored. */
  readonly isDryRun: boolean;
}

/** The writes that succeeded, in the order of their ends, from the log of `writes`. */
export function auditedWrites(log: string): AuditedWrite[] {
  return readFileSync(log, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line): any => JSON.parse(line))
    .filter(
      ({ stage, responseStatus, objectRef }) =>
        stage === 'ResponseComplete' && responseStatus?.code < 300 && objectRef?.subresource === undefined,
    )
    .map(({ verb, objectRef, userAgent = '', requestURI }) => ({
      verb,
      resource: objectRef.resource,
      name: objectRef.name ?? '',
      userAgent,
      isDryRun: requestURI.includes('dryRun='),
    }));
}

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Flags of an API server that writes each patch of a node into an audit log; its policy is written into the folder. */
export function auditFlags(folder: string, log: string): string[] {
  const policy = join(folder, 'audit-policy.json');
  const rules = [
    { level: 'Metadata', verbs: ['patch'], resources: [{ group: '', resources: ['nodes', 'nodes/status'] }] },
    { level: 'None' },
  ];
  writeFileSync(policy, JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules }));
  return [`--audit-policy-file=${policy}`, `--audit-log-path=${log}`];
}

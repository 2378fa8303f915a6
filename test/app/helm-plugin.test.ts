import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';

const root = resolve(__dirname, '../..');
const textOf = (...path: string[]): string => readFileSync(join(root, ...path), 'utf8');

describe('the plugin for Helm 4', () => {
  const { version, files } = JSON.parse(textOf('package.json')) as { version: string; files: string[] };

  it('is in the package, with its version, under the name in the documentation', () => {
    const plugin: unknown = parse(textOf('helm-plugins', 'edge-nodepools', 'plugin.yaml'));
    expect(plugin).toMatchObject({ apiVersion: 'v1', type: 'postrenderer/v1', name: 'edge-nodepools', version });
    expect(files).toContain('helm-plugins');
    expect(textOf('docs', 'post-render.md')).toMatch(/--post-renderer edge-nodepools$/m);
  });
});

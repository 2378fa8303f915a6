import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Chart } from 'cdk8s';
import {
  EdgeCluster,
  EdgeWarnings,
  HostNetworkNodePool,
  JoinToken,
  NodeJoin,
  type NodeJoinProps,
  writeArtifacts,
} from 'edge-nodepools';

const cluster = EdgeCluster.of({
  openYurt: 'none',
  kubernetes: '1.34',
  apiServer: '10.0.0.1:6443',
  caCertHashes: [`sha256:${'ab'.repeat(32)}`],
});

function appWith(props: Partial<NodeJoinProps>): App {
  const app = new App({ outdir: mkdtempSync(join(tmpdir(), 'edge-nodepools-')) });
  const chart = new Chart(app, 'fleet');
  const pool = new HostNetworkNodePool(chart, 'pool', { cluster, poolName: 'edge' });
  new NodeJoin(chart, 'join', { pool, token: JoinToken.inline('abcdef.0123456789abcdef'), ...props });
  app.synth();
  return app;
}

/** What it prints. */
function told(app: App): string {
  const write = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  try {
    writeArtifacts(app);
    return write.mock.calls.map(([text]) => String(text)).join('');
  } finally {
    write.mockRestore();
  }
}

describe('writeArtifacts', () => {
  it('tells of a join that is in no file, because its token is inline', () => {
    const text = told(appWith({}));
    expect(text).toContain('EDGE_NOT_WRITTEN  publish: this join is in no manifest and in no file');
    expect(text).toContain('-> write publish: true');
    expect(text).not.toContain('0123456789abcdef');
  });

  it.each<[string, Partial<NodeJoinProps>]>([
    ['that is published', { publish: true }],
    ['that is not, by choice', { publish: false }],
    ['with a reference', { token: JoinToken.fromFile('/var/lib/edge/join-token') }],
    ['whose machines have files', { machines: [{ name: 'edge-1' }] }],
  ])('tells nothing of one %s', (_, props) => {
    expect(told(appWith(props))).toBe('');
  });

  it('tells nothing where warnings are off', () => {
    const app = appWith({});
    EdgeWarnings.setMode(app, 'silent');
    expect(told(app)).toBe('');
  });

  it('refuses a folder other than that of the app, and takes what forEach gives', () => {
    const app = appWith({ publish: true });
    const write = writeArtifacts as (...args: unknown[]) => string[];
    expect(() => write(app, 'build')).toThrow(/EDGE_UNKNOWN_PROPERTY {2}folder: [^]*new App\(\{ outdir: "build" \}\)/);
    expect(write(app, app.outdir)).not.toEqual([]);
    expect([app].flatMap(write)).not.toEqual([]);
  });
});

/** Releases that the objects show: where one of them is not supported, or another one than the command line says. */
import { App, Chart } from 'cdk8s';
import { EdgeCluster, manifestsOf, PoolAdmission } from 'edge-nodepools';
import { imported, objectsOf, sorted } from './programs.js';

beforeEach(() => {
  jest.spyOn(process.stderr, 'write').mockReturnValue(true);
});
afterEach(() => jest.restoreAllMocks());

const manager = (image: string, chart?: string): any => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'yurt-manager', ...(chart === undefined ? {} : { labels: { 'helm.sh/chart': chart } }) },
  spec: {
    selector: { matchLabels: { app: 'a' } },
    template: { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'a', image }] } },
  },
});
const said = (text: string): string => text.replace(/\s+/g, ' ');

it('names the file and the line of a release that is not supported', () => {
  const path = 'chart.yaml';
  const text = `# chart\n${JSON.stringify(manager('openyurt/yurt-manager:v1.3.4', 'yurt-manager-1.4.1'))}\n`;
  expect(() => imported([{ path, text }], 'cdk8s', { kubernetes: '1.22' })).toThrow(
    /chart\.yaml:2: by the image yurt-manager: OpenYurt 1\.3\.4 is not supported/,
  );
  expect(() => imported([{ path, text }], 'cdk8s', { kubernetes: '1.22', openYurt: '1.3' })).toThrow(
    /openYurt: OpenYurt 1\.3 is not supported/,
  );
});

it('asks about a chart with the image of another release', () => {
  const { report } = imported([manager('openyurt/yurt-manager:v1.4.0', 'yurt-manager-1.5.0')], 'cdk8s', {
    kubernetes: '1.28',
  });
  expect(said(report)).toContain(
    'the image yurt-manager says OpenYurt 1.4.0, and the objects show 1.5.0, by the chart yurt-manager: what is right?',
  );
  expect(imported([manager('openyurt/yurt-manager:v1.7.0', 'yurt-manager-1.7.0')]).report).not.toContain(
    'what is right',
  );
});

it('says for which minor policies are', () => {
  const app = new App();
  const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.36' });
  new PoolAdmission(new Chart(app, 'fleet'), 'admission', { cluster });
  const policies = sorted(manifestsOf(app));
  const program = imported(policies, 'cdk8s', { openYurt: '1.7', kubernetes: '1.34' });
  expect(program.counts).toMatchObject({ ofEdge: policies.length, recognized: 0 });
  expect(said(program.report)).toContain('the objects show 1.36 or later, by MutatingAdmissionPolicy in v1');
  const source = program.files.map(({ content }) => content).join('');
  expect(source.replace(/\s+(\/\/ )?/g, ' ')).toContain('PoolAdmission makes it for Kubernetes 1.36 or later');
  expect(objectsOf(program)).toEqual(policies);
  expect(imported(policies, 'cdk8s', { openYurt: '1.7', kubernetes: '1.36' }).counts.recognized).toBe(policies.length);
});

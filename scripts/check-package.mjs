// npm run check:package: packs the package, installs it into an empty project with cdk8s and into one with Pulumi, and uses it there in every way that
// users do.
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { binOf, ensureInstalled, root } from './install.mjs';

ensureInstalled();
// A static import would need the dependency before it is installed.
const { publint } = await import('publint');
const { formatMessage } = await import('publint/utils');
const { linksOf } = await import('./docs/links.mjs');

const PROGRAM = `
import { App, Chart } from 'cdk8s';
import { EdgeCluster, EdgeError, type HostNetworkNodePoolProps, HostNetworkNodePool } from 'edge-nodepools';
import { Testing } from 'edge-nodepools/testing';

const app = new App();
const chart = new Chart(app, 'fleet');
const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34' });
const props: HostNetworkNodePoolProps = { cluster, poolName: 'beijing' };
new HostNetworkNodePool(chart, 'beijing', props);
// @ts-expect-error a Cloud pool cannot be a host-network pool; without types this would be allowed
export const wrong: HostNetworkNodePoolProps = { ...props, type: 'Cloud' };
export const errors: string = EdgeError.name;
export const objects: readonly { readonly kind: string }[] = Testing.synth(app);
console.log(app.synthYaml());
`;

const PULUMI_PROGRAM = `
import * as pulumi from '@pulumi/pulumi';
import { EdgeCluster, HostNetworkNodePool, type HostNetworkNodePoolArgs } from 'edge-nodepools/pulumi';
import { Testing } from 'edge-nodepools/testing';

const args: HostNetworkNodePoolArgs = {
  cluster: EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34' }),
  poolName: pulumi.output('beijing'),
};
export const preview: (program: () => unknown) => Promise<{ readonly outputs: object }> = Testing.preview;
// @ts-expect-error a Cloud pool cannot be a host-network pool; without types this would be allowed
export const wrong: HostNetworkNodePoolArgs = { ...args, type: 'Cloud' };
void pulumi.runtime
  .setMocks({
    newResource: ({ type, name, inputs }) => {
      console.log(type);
      return { id: name, state: inputs };
    },
    call: () => ({}),
  })
  .then(() => new HostNetworkNodePool('beijing', args));
`;

/** Programs of the doors of the control plane, with a cluster of the core. */
const CONTROL_PLANE_PROGRAM = `
import { App, Chart } from 'cdk8s';
import { EdgeCluster } from 'edge-nodepools';
import { ControlPlaneQos, type ControlPlaneQosProps, withQos } from 'edge-nodepools/control-plane';
import { type JoinMachine } from 'edge-nodepools/types';

const chart = new Chart(new App(), 'control-plane');
export const machine: JoinMachine = { name: 'edge-1' };
const props: ControlPlaneQosProps = { cluster: EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34' }) };
// @ts-expect-error a cluster is required; without types this would be allowed
export const wrong: ControlPlaneQosProps = {};
export const workload: object = withQos({ apiVersion: 'apps/v1', kind: 'Deployment' }, { preset: 'prometheus' });
new ControlPlaneQos(chart, 'qos', props);
`;

const PULUMI_CONTROL_PLANE_PROGRAM = `
import { EdgeCluster } from 'edge-nodepools/pulumi';
import { ControlPlaneQos, type ControlPlaneQosArgs } from 'edge-nodepools/pulumi/control-plane';

const args: ControlPlaneQosArgs = { cluster: EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34' }) };
// @ts-expect-error a cluster is required; without types this would be allowed
export const wrong: ControlPlaneQosArgs = {};
export const make: () => unknown = () => new ControlPlaneQos('qos', args);
`;

/** The two entries: what their projects have installed, and what must not be loaded with them. */
const CDK8S = {
  entry: 'edge-nodepools',
  peers: ['cdk8s', 'constructs'],
  program: PROGRAM,
  foreign: /node_modules[\\/]@pulumi|edge-nodepools[\\/]lib[\\/](shared-)?pulumi/,
};
const CONTROL_PLANE = { ...CDK8S, entry: 'edge-nodepools/control-plane', program: CONTROL_PLANE_PROGRAM };
const PULUMI = {
  entry: 'edge-nodepools/pulumi',
  peers: ['@pulumi/pulumi', '@pulumi/kubernetes'],
  program: PULUMI_PROGRAM,
  foreign:
    /node_modules[\\/](cdk8s|constructs)|edge-nodepools[\\/]lib[\\/]((constructs|app)[\\/]|(index|control-plane|delivery)\.js)/,
};

/** The door for which it does not matter which framework is there. */
const CHECKS_PROGRAM = `
import { checkManifests, EdgeValidation, type Finding } from 'edge-nodepools/checks';

export const validation: { validate: unknown } = new EdgeValidation({ failOn: 'warning' });
// @ts-expect-error a level is error or warning; without types this would be allowed
export const wrong = (): unknown => new EdgeValidation({ failOn: 'note' });
const findings: readonly Finding[] = checkManifests([]).findings;
console.log(findings.length);
`;
const CHECKS = {
  ...CDK8S,
  entry: 'edge-nodepools/checks',
  program: CHECKS_PROGRAM,
  fewest: 10,
  foreign: new RegExp(`${PULUMI.foreign.source}|${CDK8S.foreign.source}`),
};

/** The door of deliveries, with charts of the core. */
const DELIVERY_PROGRAM = `
import { App, Chart } from 'cdk8s';
import { argoCd, FleetDelivery, type FleetDeliveryProps, fromGit } from 'edge-nodepools/delivery';

const app = new App();
const props: FleetDeliveryProps = {
  source: fromGit({ url: 'https://git.example/fleet.git' }),
  engine: argoCd(),
  sites: [{ name: 'beijing', charts: [new Chart(app, 'beijing')] }],
};
// @ts-expect-error an engine is required; without types this would be allowed
export const wrong: FleetDeliveryProps = { sites: [] };
new FleetDelivery(app, 'delivery', props);
`;
const DELIVERY = { ...CDK8S, entry: 'edge-nodepools/delivery', program: DELIVERY_PROGRAM };

const PULUMI_DELIVERY_PROGRAM = `
import { EdgeCluster, HostNetworkNodePool } from 'edge-nodepools/pulumi';
import { argoCd, declared, FleetDelivery, type FleetDeliveryArgs, fromGit } from 'edge-nodepools/pulumi/delivery';

const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34' });
const args: FleetDeliveryArgs = {
  source: fromGit({ url: 'https://git.example/fleet.git' }),
  engine: argoCd(),
  sites: [{ name: 'beijing', manifests: [declared(HostNetworkNodePool, { cluster, poolName: 'beijing' })] }],
};
// @ts-expect-error a pool has a name; without types this would be allowed
export const wrong = (): unknown => declared(HostNetworkNodePool, { cluster });
export const make: () => unknown = () => new FleetDelivery('delivery', args);
`;
const PULUMI_DELIVERY = { ...PULUMI, entry: 'edge-nodepools/pulumi/delivery', program: PULUMI_DELIVERY_PROGRAM };

const PULUMI_CONTROL_PLANE = {
  ...PULUMI,
  entry: 'edge-nodepools/pulumi/control-plane',
  program: PULUMI_CONTROL_PLANE_PROGRAM,
};

/** The same program as CommonJS and, where the setting tells them apart, as an ES module. */
const FILES = ['program.ts', 'program.mts'];

/** The module settings of the three kinds of TypeScript project. */
const RESOLUTIONS = {
  node10: { module: 'commonjs', moduleResolution: 'node10', ignoreDeprecations: '6.0', outDir: 'out' },
  node16: { module: 'node16', moduleResolution: 'node16', noEmit: true },
  bundler: { module: 'esnext', moduleResolution: 'bundler', noEmit: true },
};

class CheckFailed extends Error {}

const work = mkdtempSync(join(tmpdir(), 'edge-nodepools-package-'));
try {
  await checkAll();
} catch (error) {
  if (!(error instanceof CheckFailed)) {
    throw error;
  }
  console.error(error.message);
  process.exitCode = 1;
} finally {
  rmSync(work, { recursive: true, force: true });
}

async function checkAll() {
  const tarball = check('npm pack', pack);
  const cdk8s = check('install with cdk8s into an empty project', () => install(tarball, CDK8S));
  check('its bill of materials names every package that it brings, in the version of package-lock.json', () =>
    readSbom(cdk8s),
  );
  check('every link of its pages leads to a file of the package', () =>
    followLinks(join(cdk8s, 'node_modules', 'edge-nodepools')),
  );
  check('no package of Pulumi is installed', () => refusePackages(cdk8s, ['@pulumi']));
  checkEntry(cdk8s, CDK8S, 'HostNetworkNodePool');
  check('the CommonJS program makes a NodePool', () => {
    const yaml = output(process.execPath, [join('out', 'program.js')], cdk8s);
    if (!/^kind: NodePool$/m.test(yaml)) {
      throw new CheckFailed(`there is no "kind: NodePool" in\n${yaml}`);
    }
  });
  check('an EdgeError shows the line of the program, and its whole stack trace names files of src', () =>
    traceError(cdk8s),
  );
  checkEntry(cdk8s, CONTROL_PLANE, 'EtcdCluster');
  checkEntry(cdk8s, CHECKS, 'EdgeValidation');
  checkEntry(cdk8s, DELIVERY, 'FleetDelivery');
  check('both doors have the same classes, whether they are required or imported', () => shareClasses(cdk8s));
  check('without Pulumi, edge-nodepools/pulumi says what to install', () => refuse(cdk8s, PULUMI));
  check('so does edge-nodepools/pulumi/control-plane', () => refuse(cdk8s, PULUMI_CONTROL_PLANE));
  check('the command works, and post-render loads no cdk8s', () => useCommand(cdk8s));
  const pulumi = check('install with Pulumi into an empty project', () => install(tarball, PULUMI));
  check('no cdk8s is installed', () => refusePackages(pulumi, CDK8S.peers));
  checkEntry(pulumi, PULUMI, 'HostNetworkNodePool');
  check('the CommonJS program registers a NodePool', () => {
    const types = output(process.execPath, [join('out', 'program.js')], pulumi)
      .trim()
      .split('\n');
    const expected = ['edge-nodepools:index:HostNetworkNodePool', 'kubernetes:apps.openyurt.io/v1beta2:NodePool'];
    if (types.join() !== expected.join()) {
      throw new CheckFailed(`it registers ${types.join(', ')}`);
    }
  });
  checkEntry(pulumi, PULUMI_CONTROL_PLANE, 'EtcdCluster');
  checkEntry(pulumi, PULUMI_DELIVERY, 'FleetDelivery');
  checkEntry(pulumi, CHECKS, 'EdgeValidation');
  check('both doors have the same classes, and so has edge-nodepools beside them', () =>
    shareClassesOfPulumi(pulumi, cdk8s),
  );
  check('without cdk8s, edge-nodepools says what to install', () => refuse(pulumi, CDK8S));
  check('so does edge-nodepools/control-plane', () => refuse(pulumi, CONTROL_PLANE));
  await checkAsync('publint', () => lint(tarball));
  check('attw', () => {
    output(process.execPath, [binOf('attw'), tarball, '--no-color', '--no-emoji'], work);
  });
}

/** The CycloneDX file in the installed package. */
function readSbom(project) {
  const folder = join(project, 'node_modules', 'edge-nodepools');
  const { bomFormat, metadata, components } = JSON.parse(readFileSync(join(folder, 'sbom.cdx.json'), 'utf8'));
  const { name, version, dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const locked = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  const found = [
    `${metadata.component.name}@${metadata.component.version}`,
    ...components.map((one) => `${one.name}@${one.version}`).sort(),
  ];
  const expected = [
    `${name}@${version}`,
    ...Object.keys(dependencies)
      .map((one) => `${one}@${locked[`node_modules/${one}`].version}`)
      .sort(),
  ];
  if (bomFormat !== 'CycloneDX' || found.join() !== expected.join()) {
    throw new CheckFailed(`it names ${found.join(', ')}, not ${expected.join(', ')}`);
  }
}

/** Links as npm and node_modules show them: only what is packed is there. */
function followLinks(folder) {
  const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.md'));
  const links = pages.flatMap((page) =>
    linksOf(readFileSync(join(folder, page), 'utf8')).map(({ target }) => ({ page, path: target.split('#')[0] })),
  );
  const dead = links.filter(({ page, path }) => path !== '' && !existsSync(join(folder, dirname(page), path)));
  if (links.length < 100 || dead.length > 0) {
    throw new CheckFailed(
      `${pages.length} pages have ${links.length} links; dead are\n${dead.map(({ page, path }) => `${page}: ${path}`).join('\n')}`,
    );
  }
}

/** What holds for both entries, each in a project without the packages of the other. */
function checkEntry(project, { entry, program, foreign, fewest = 50 }, name) {
  check(`${entry}: CommonJS require, which loads nothing of the other`, () => {
    const text = `const entry = require('${entry}');
const renamed = Object.keys(entry).filter((name) => typeof entry[name] === 'function' && entry[name].name !== name);
if (entry.${name} === undefined || renamed.length > 0) throw new Error('names differ: ' + renamed);
console.log(Object.keys(require.cache).join('\\n'));
`;
    const files = node(project, 'require.cjs', text).trim().split('\n');
    const wrong = files.filter((file) => foreign.test(file.slice(project.length)));
    if (files.length < fewest || wrong.length > 0) {
      throw new CheckFailed(`it loads ${files.length} files, of them\n${wrong.join('\n')}`);
    }
  });
  check(
    `edge-nodepools/testing beside ${entry}: CommonJS require and ESM import, which load no framework and no jest`,
    () => useTesting(project),
  );
  check(`${entry}: ESM import`, () => {
    node(project, 'import.mjs', `import { ${name} } from '${entry}';\n${name}.name.length;\n`);
  });
  FILES.forEach((file) => writeFileSync(join(project, file), program));
  for (const resolution of Object.keys(RESOLUTIONS)) {
    check(`${entry}: TypeScript with moduleResolution ${resolution}`, () => compile(project, resolution));
  }
}

/** As a user runs a program that fails, and as docs/troubleshooting.md says to see the whole stack trace. */
function traceError(project) {
  const text =
    "const { EdgeCluster } = require('edge-nodepools');\n\nEdgeCluster.of({ openYurt: '0.1', kubernetes: '1.34' });\n";
  writeFileSync(join(project, 'fails.cjs'), text);
  const run = (env) =>
    spawnSync(process.execPath, ['fails.cjs'], { cwd: project, encoding: 'utf8', env: { ...process.env, ...env } })
      .stderr;
  const framesOf = (shown) => shown.split('\n').filter((line) => /^\s+at /.test(line));
  const shown = framesOf(run({}));
  if (shown.length !== 1 || !shown[0].includes('fails.cjs:3:13')) {
    throw new CheckFailed(`it shows\n${shown.join('\n')}`);
  }
  const all = framesOf(run({ NODE_OPTIONS: '--enable-source-maps', NODE_DEBUG: 'edge-nodepools' }));
  const lines = all.flatMap((frame) => {
    const [, file, line] = /edge-nodepools[\\/](src[\\/].+\.ts):(\d+):/.exec(frame) ?? [];
    return file === undefined
      ? []
      : [`${file}: ${readFileSync(join(root, file), 'utf8').split('\n')[line - 1].trim()}`];
  });
  const [thrown = ''] = lines;
  if (
    !/^src.+: throw new EdgeError\(/.test(thrown) ||
    !lines.some((line) => /^src.cluster.edge-cluster\.ts: /.test(line))
  ) {
    throw new CheckFailed(`it shows\n${all.join('\n')}\nwhich are\n${lines.join('\n')}`);
  }
}

/** Checks of arguments are by class: what is made behind one door is recognised behind another. */
function shareClasses(project) {
  node(
    project,
    'doors.mjs',
    `import { createRequire } from 'node:module';
import assert from 'node:assert';
import { App, Chart } from 'cdk8s';
import { EdgeCluster, EdgeError, EdgeWarnings } from 'edge-nodepools';
import { ControlPlaneQos, withQos } from 'edge-nodepools/control-plane';

const required = createRequire(import.meta.url);
assert.equal(required('edge-nodepools').EdgeError, EdgeError);
assert.equal(required('edge-nodepools/control-plane').ControlPlaneQos, ControlPlaneQos);
assert.throws(() => withQos({}, { preset: 'nonsense' }), EdgeError);
const app = new App();
EdgeWarnings.setMode(app, 'silent');
const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34' });
const scheduler = { preset: 'kube-scheduler' };
new ControlPlaneQos(new Chart(app, 'control-plane'), 'qos', { cluster, scheduler });
assert.throws(() => new ControlPlaneQos(new Chart(app, 'wrong'), 'qos', { cluster: { ...cluster }, scheduler }), EdgeError);
`,
  );
}

/** @param other a project with cdk8s, whose packages are found by NODE_PATH */
function shareClassesOfPulumi(project, other) {
  const text = `const assert = require('node:assert');
const pulumi = require('edge-nodepools/pulumi');
const controlPlane = require('edge-nodepools/pulumi/control-plane');
const cdk8s = require('edge-nodepools');
const { withQos } = require('edge-nodepools/control-plane');

assert.ok(controlPlane.EtcdCluster.prototype instanceof pulumi.EdgeComponent);
assert.ok(pulumi.EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34' }) instanceof cdk8s.EdgeCluster);
for (const name of ['EdgeError', 'JoinToken', 'NodeReservation', 'SystemComponent']) {
  assert.equal(pulumi[name], cdk8s[name], name);
}
assert.equal(controlPlane.withQos, withQos);
`;
  writeFileSync(join(project, 'doors.cjs'), text);
  output(process.execPath, ['doors.cjs'], project, {
    env: { ...process.env, NODE_PATH: join(other, 'node_modules') },
  });
}

/** The entry for tests, in a project without jest, and with an `expect` that takes matchers. */
function useTesting(project) {
  const text = `const added = [];
globalThis.expect = { extend: (matchers) => added.push(...Object.keys(matchers)) };
const { matchers, Testing } = require('edge-nodepools/testing');
if (added.join() !== 'toLandOn,toBeExcludedFrom' || added.join() !== Object.keys(matchers).join()) process.exit(1);
if (typeof Testing.synth !== 'function') process.exit(1);
console.log(Object.keys(require.cache).join('\\n'));
`;
  const files = node(project, 'testing.cjs', text).trim().split('\n');
  const wrong = files.filter((file) =>
    /node_modules[\\/](@pulumi|cdk8s|constructs|jest|expect)/.test(file.slice(project.length)),
  );
  if (wrong.length > 0) {
    throw new CheckFailed(`it loads ${wrong.join('\n')}`);
  }
  node(
    project,
    'testing.mjs',
    "import { matchers, Testing } from 'edge-nodepools/testing';\nTesting.name + matchers.toLandOn.name;\n",
  );
}

/** The entry whose packages are missing says so, whichever way it is loaded. */
function refuse(project, { entry, peers }) {
  const loads = { 'missing.cjs': `require('${entry}');\n`, 'missing.mjs': `import '${entry}';\n` };
  for (const [name, text] of Object.entries(loads)) {
    writeFileSync(join(project, name), text);
    const { status, stderr } = spawnSync(process.execPath, [name], { cwd: project, encoding: 'utf8' });
    if (status === 0 || !stderr.includes(`npm install ${peers.join(' ')}`)) {
      throw new CheckFailed(`${name} ends with ${status}\n${stderr}`);
    }
  }
}

function pack() {
  const folder = join(work, 'tarball');
  mkdirSync(folder);
  npm(['pack', '--pack-destination', folder], root);
  const [name] = readdirSync(folder);
  return join(folder, name);
}

function install(tarball, { entry, peers }) {
  const project = join(work, entry.replace('/', '-'));
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'a-user-of-edge-nodepools', private: true }));
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const frameworks = peers.map((name) => `${name}@${lock.packages[`node_modules/${name}`].version}`);
  // --prefix, because npm run tells its children that the project is this repository.
  npm(['install', '--prefix', project, '--prefer-offline', '--no-audit', '--no-fund', tarball, ...frameworks], project);
  return project;
}

function refusePackages(project, names) {
  const folder = join(project, 'node_modules');
  const found = ['edge-nodepools', ...names].filter((name) => existsSync(join(folder, name)));
  if (found.join() !== 'edge-nodepools') {
    throw new CheckFailed(
      `installed are ${found.join(', ')}: the packages of the other entry must stay optional peers`,
    );
  }
}

/** As a user starts it: through the link that npm makes. */
function useCommand(project) {
  const shell = process.platform === 'win32';
  const command = join(project, 'node_modules', '.bin', shell ? 'edge-nodepools.cmd' : 'edge-nodepools');
  const input = `apiVersion: apps/v1
kind: DaemonSet
metadata: { name: kube-proxy, namespace: kube-system } # of kubeadm
spec: { template: { spec: { containers: [] } } }
`;
  const run = (args, expected) => {
    const { status, stdout, stderr, error } = spawnSync(command, args, {
      cwd: project,
      encoding: 'utf8',
      input,
      shell,
    });
    if (error !== undefined || status !== expected) {
      throw new CheckFailed(`edge-nodepools ${args.join(' ')} ends with ${status}\n${stdout}${stderr}`);
    }
    return stdout;
  };
  const rendered = run(['post-render'], 0);
  if (!/nodepool\.openyurt\.io\/hostnetwork/.test(rendered) || !rendered.includes('# of kubeadm')) {
    throw new CheckFailed(`post-render wrote\n${rendered}`);
  }
  run(['post-render', '--nonsense'], 2);
  const plugin = join('node_modules', 'edge-nodepools', 'helm-plugins', 'edge-nodepools', 'post-render.js');
  const byPlugin = spawnSync(process.execPath, [plugin], { cwd: project, encoding: 'utf8', input });
  if (byPlugin.stdout !== `---\n${rendered}`) {
    throw new CheckFailed(`the plugin for Helm 4 wrote\n${byPlugin.stdout}${byPlugin.stderr}`);
  }
  run(['preconditions', '--dump=-', '--openyurt=1.7', '--kubernetes=1.34', '--out=gaps'], 1);
  if (!existsSync(join(project, 'gaps', 'keep-off', 'apply.sh'))) {
    throw new CheckFailed('preconditions wrote no keep-off/apply.sh');
  }
  // the package must load without its peers
  const hidden = join(project, 'node_modules', 'cdk8s');
  renameSync(hidden, `${hidden}-away`);
  try {
    run(['post-render'], 0);
  } finally {
    renameSync(`${hidden}-away`, hidden);
  }
}

function node(project, name, text) {
  writeFileSync(join(project, name), text);
  return output(process.execPath, [name], project);
}

function compile(project, resolution) {
  const config = `tsconfig.${resolution}.json`;
  const compilerOptions = {
    target: 'es2022',
    strict: true,
    types: [],
    skipLibCheck: false,
    ...RESOLUTIONS[resolution],
  };
  writeFileSync(join(project, config), JSON.stringify({ compilerOptions, files: FILES }));
  output(process.execPath, [binOf('tsc'), '-p', config], project);
}

async function lint(tarball) {
  const bytes = readFileSync(tarball);
  const { messages, pkg } = await publint({
    pack: { tarball: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) },
    strict: true,
  });
  if (messages.length > 0) {
    throw new CheckFailed(messages.map((message) => `${message.type}: ${formatMessage(message, pkg)}`).join('\n'));
  }
}

function npm(args, cwd) {
  return output('npm', [...args, '--loglevel=error'], cwd, { shell: process.platform === 'win32' });
}

/** What a program prints; a check fails when the program does. */
function output(command, args, cwd, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8', ...options });
  if (error !== undefined || status !== 0) {
    throw new CheckFailed([error?.message, stdout, stderr].filter(Boolean).join('\n').trim());
  }
  return stdout;
}

function check(name, run) {
  try {
    const result = run();
    console.log(`ok   ${name}`);
    return result;
  } catch (error) {
    throw named(name, error);
  }
}

async function checkAsync(name, run) {
  try {
    await run();
    console.log(`ok   ${name}`);
  } catch (error) {
    throw named(name, error);
  }
}

function named(name, error) {
  return error instanceof CheckFailed ? new CheckFailed(`FAIL ${name}: ${error.message}`) : error;
}

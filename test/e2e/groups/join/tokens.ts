import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join as pathOf, resolve } from 'node:path';
import { App, YamlOutputType } from 'cdk8s';
import * as edge from 'edge-nodepools';
import type { JoinToken } from 'edge-nodepools';
import { ModuleKind, ScriptTarget, transpileModule } from 'typescript';
import { TokenServerChart } from '../../../../examples/token-server/chart.js';
import { type ShellBlock, shellBlocksOf } from '../../../shell-blocks.js';
import type { CloudMachine } from '../../harness/cloud-machine.js';
import type { Group } from '../../harness/group.js';
import { JoinSite } from '../../harness/join-site.js';
import type { Program } from '../../harness/program.js';
import { JoinProof } from './proof.js';
import { TokenTraces } from './token-traces.js';

const PAGE = 'docs/join-tokens.md';
const ROOT = resolve(__dirname, '..', '..', '..', '..');
const SERVER = resolve(ROOT, 'examples/token-server/server.mjs');
const METADATA = resolve(__dirname, '..', '..', 'harness', 'metadata.mjs');
const ACCOUNT = 'system:serviceaccount:kube-system:token-server';
const SITE = '/run/site';
const CERTIFICATES = '--cacert /etc/machine/site-ca.crt';
const IDENTITY = `${CERTIFICATES} --cert /etc/machine/machine.crt --key /etc/machine/machine.key`;
const ASK = 'curl -fsS -m 10 -X POST https://tokens.shops.example:30443/token';
const IN_TPM = 'TPM2TOOLS_TCTI=swtpm:host=127.0.0.1,port=2321';

/** The token of a program of the page. */
function tokenOf(heading: string, index = 0): JoinToken {
  const section = readFileSync(resolve(ROOT, PAGE), 'utf8').split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const code = [...section.matchAll(/```ts\n([^]*?)```/g)][index]?.[1] ?? '';
  const { outputText } = transpileModule(code, {
    compilerOptions: { module: ModuleKind.CommonJS, target: ScriptTarget.ES2022 },
  });
  const exported: { token?: JoinToken } = {};
  // the program of the page, with this checkout as the package
  // eslint-disable-next-line @typescript-eslint/no-implied-eval
  new Function('require', 'exports', outputText)(() => edge, exported);
  if (exported.token === undefined) {
    throw new Error(`${PAGE}: no token in ${heading}`);
  }
  return exported.token;
}

export const joinTokens: Group = {
  name: 'join-tokens',
  claim:
    'the commands of docs/join-tokens.md as written: a machine with a certificate of the site CA gets a token of the server and joins, and the token expires; a machine without one, of another CA or not in the list gets nothing; a TPM unseals a token only in the state in which it was sealed; metadata services of OpenStack and EC2 give one; no argument, output or file has a token afterwards; a token inline, in a file or from a command is in no argument and no environment of any process at any moment of a join, and afterwards in no memory but that of kubelet, until that is restarted',
  programs:
    'examples/token-server, kubeadm, kubelet and control plane 1.36, curl, openssl, swtpm, tpm2-tools and cloud-init of this machine; the metadata services are substitutes',
  tools: JoinSite.TOOLS,
  needs: [...JoinSite.NEEDS, 'cloud-init', 'openssl', 'curl', 'swtpm'],
  run: async (proof) => {
    const site = await JoinSite.open();
    const before = proof.failures.length;
    let ended = false;
    try {
      const joins = new JoinProof(site, proof);
      for (const command of joins.declared.exclusionCommands()) {
        await site.plane.sh(command);
      }
      await site.plane.apply(joins.declared.workload());
      const machine = await site.newMachine('edge1');
      await new TokenTraces(joins, machine).run();
      await new TokenRecipes(joins, machine).run();
      ended = true;
    } finally {
      const failed = !ended || proof.failures.length > before;
      await site.close({ keepLogs: failed });
      if (failed) {
        proof.note(`logs are kept in ${site.logs}`);
      }
    }
  },
};

class TokenRecipes {
  private readonly blocks = shellBlocksOf(PAGE);

  constructor(
    private readonly joins: JoinProof,
    private readonly machine: CloudMachine,
  ) {}

  public async run(): Promise<void> {
    await this.serverIsMade();
    await this.serverMayOnlyMakeTokens();
    await this.machineJoins();
    await this.othersGetNothing();
    await this.tpm();
    await this.metadata();
  }

  private blocksOf(heading: string): readonly ShellBlock[] {
    return this.blocks.filter((block) => block.heading === heading);
  }

  /** The blocks of the page on the control plane, where kubectl is the administrator's. */
  private async serverIsMade(): Promise<void> {
    const { plane } = this.joins.site;
    const folder = mkdtempSync(pathOf(tmpdir(), 'edge-nodepools-token-server-'));
    const app = new App({ outdir: folder, yamlOutputType: YamlOutputType.FILE_PER_CHART });
    new TokenServerChart(app, 'token-server');
    app.synth();
    await plane.room.write(
      `${SITE}/dist/token-server.k8s.yaml`,
      readFileSync(pathOf(folder, 'token-server.k8s.yaml'), 'utf8'),
    );
    rmSync(folder, { recursive: true });
    for (const { code } of this.blocksOf('A small token server')) {
      await plane.sh(`set -e; cd ${SITE}\n${code.replaceAll('CN=shop-0001', 'CN=shop-0002')}`);
    }
    const other = code0(this.blocks).replaceAll('shops site CA', 'another CA');
    await plane.sh(
      `set -e; mkdir -p ${SITE}/other; cd ${SITE}/other\n${other.split('\nkubectl')[0]}\n${last(this.blocksOf('A small token server'))}\ncd ..\n` +
        `mkdir -p stranger; cp site-ca.* stranger; cd stranger\n${last(this.blocksOf('A small token server')).replaceAll('shop-0001', 'shop-9999')}`,
    );
    const text = await plane.room.must('openssl', ['x509', '-in', `${SITE}/machine.crt`, '-noout', '-text']);
    this.joins.proof.that('the certificate of a machine is of no CA', text.includes('CA:FALSE'), text);
  }

  private async serverMayOnlyMakeTokens(): Promise<void> {
    const { proof, site } = this.joins;
    const as = `--as=${ACCOUNT}`;
    const can = async (verb: string, what: string, namespace = 'kube-system'): Promise<string> =>
      (await site.plane.kubectl(['auth', 'can-i', verb, what, as, '-n', namespace])).stdout.trim();
    proof.same(
      'the server may create Secrets in kube-system, and read, change or delete none',
      [
        await can('create', 'secrets'),
        ...(await Promise.all(
          ['get', 'list', 'watch', 'update', 'patch', 'delete'].map((verb) => can(verb, 'secrets')),
        )),
        await can('create', 'secrets', 'default'),
        await can('create', 'pods'),
      ],
      ['yes', ...Array<string>(8).fill('no')],
    );
    const opaque = ['-n', 'kube-system', 'create', 'secret', 'generic', 'x', as, '--dry-run=server'];
    await proof.eventually(
      'the policy refuses every other Secret of the server',
      async () => /creates only bootstrap tokens/.test((await site.plane.kubectl(opaque)).stderr),
      30,
    );
  }

  private start(environment: Readonly<Record<string, string>>): Program {
    const words = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
    return this.joins.site.plane.room.start('token-server', 'env', [...words, process.execPath, SERVER]);
  }

  private async machineJoins(): Promise<void> {
    const { machine, joins } = this;
    const { proof, site } = joins;
    const { room } = site.plane;
    await site.plane.sh(
      `set -e; mkdir -p /run/account; kubectl -n kube-system create token token-server > /run/account/token; cp /etc/kubernetes/pki/ca.crt /run/account; printf 'shop-0001\\nshop-0002\\n' > ${SITE}/machines`,
    );
    const server = this.start({
      PORT: '30443',
      TLS_FOLDER: SITE,
      MACHINES_FILE: `${SITE}/machines`,
      ACCOUNT_FOLDER: '/run/account',
      API_SERVER: 'https://127.0.0.1:6443',
      TOKEN_SECONDS: '60',
      TOKENS_PER_HOUR: '3',
    });
    await server.ready(async () => (await room.sh('grep -qi :76EB /proc/net/tcp /proc/net/tcp6')).status === 0);
    // a new control plane signs cluster-info with no token yet, and kubeadm waits for that as long as for an unknown token
    await joins.newToken();
    await machine.sh('echo 192.0.2.10 tokens.shops.example >> /etc/hosts; mkdir -p /etc/machine');
    for (const name of ['machine.crt', 'machine.key', 'site-ca.crt']) {
      await machine.room.write(`/etc/machine/${name}`, await room.must('cat', [`${SITE}/${name}`]), '0600');
    }
    const watch = machine.room.start('arguments', 'sh', [
      '-c',
      'while :; do cat /proc/[0-9]*/cmdline 2>/dev/null | tr "\\0" " "; echo; done | uniq',
    ]);
    await machine.room.write('/run/join.sh', joins.declared.join(tokenOf('A small token server')).script);
    const joined = await machine.sh('sh /run/join.sh');
    await watch.stop('SIGKILL');
    proof.that('a machine with a certificate gets a token and joins', joined.status === 0, joined);
    await joins.isAsDeclared(machine, 'with a token of the server');
    const [secret, ...more] = await this.tokens();
    proof.that(
      'the server has made one token, for that machine',
      more.length === 0 && secret?.machine === 'shop-0002',
      secret,
    );
    const { id = '', text = 'none' } = secret ?? {};
    proof.same('the token is in no file and no process of the machine', machine.whereIs(text.slice(7)), []);
    const argued = readFileSync(watch.logFile, 'utf8');
    proof.that('(the arguments were watched)', argued.includes('kubeadm join') && argued.includes('curl'));
    proof.same(
      'no argument, no output of the join and no log of the server has contained it',
      [argued, joined.stdout + joined.stderr, server.tail(1000)].map((seen) => seen.includes(text.slice(7))),
      [false, false, false],
    );
    proof.that(
      'the log of the server has its id',
      server.tail().includes(`200 "shop-0002" token ${id}`),
      server.tail(),
    );
    await proof.eventually(
      'the token is gone when it has expired',
      async () => (await this.tokens()).length === 0,
      120,
    );
    await joins.leaves(machine);
  }

  /** The bootstrap tokens that the server has made. */
  private async tokens(): Promise<{ readonly id: string; readonly text: string; readonly machine?: string }[]> {
    const { items } = await this.joins.site.plane.get('secrets', '--namespace=kube-system');
    const plain = (value = ''): string => Buffer.from(value, 'base64').toString();
    return (items as any[])
      .filter(({ type }) => type === 'bootstrap.kubernetes.io/token')
      .map(({ data }) => ({
        id: plain(data['token-id']),
        text: `${plain(data['token-id'])}.${plain(data['token-secret'])}`,
        machine: /^for (.*), by token-server$/.exec(plain(data.description))?.[1],
      }))
      .filter(({ machine }) => machine !== undefined);
  }

  private async othersGetNothing(): Promise<void> {
    const { machine, joins } = this;
    const { proof, site } = joins;
    for (const who of ['other', 'stranger']) {
      for (const name of ['machine.crt', 'machine.key']) {
        await machine.room.write(
          `/etc/machine/${who}-${name}`,
          await site.plane.room.must('cat', [`${SITE}/${who}/${name}`]),
          '0600',
        );
      }
    }
    const asked = async (how: string): Promise<readonly [boolean, string]> => {
      const { status, stdout } = await machine.sh(`${ASK} ${how}`);
      return [status !== 0, stdout];
    };
    const named = (who: string): string =>
      `${CERTIFICATES} --cert /etc/machine/${who}-machine.crt --key /etc/machine/${who}-machine.key`;
    proof.same('a machine without a certificate gets nothing', await asked(CERTIFICATES), [true, '']);
    proof.same('a machine with a certificate of another CA gets nothing', await asked(named('other')), [true, '']);
    proof.same('a machine that is not in the list gets nothing', await asked(named('stranger')), [true, '']);
    proof.same('nor does GET', await asked(`${IDENTITY} -X GET`), [true, '']);
    proof.same('none of them has made a token', await this.tokens(), []);
    const { script } = joins.declared.join(tokenOf('A small token server'));
    await machine.room.write('/run/join.sh', script);
    const failed = await machine.sh('rm /etc/machine/machine.crt; sh /run/join.sh');
    proof.that(
      'the join of a machine without its certificate ends, and says why',
      failed.status === 66 && /the command for the token failed with status \d+/.test(failed.stderr),
      failed,
    );
    await machine.room.write(
      '/etc/machine/machine.crt',
      await site.plane.room.must('cat', [`${SITE}/machine.crt`]),
      '0600',
    );
    const [first, second, third] = [await asked(IDENTITY), await asked(IDENTITY), await asked(IDENTITY)];
    proof.same(
      'a machine gets no more tokens in an hour than the limit, which counts the one of its join',
      [first, second, third].map(([isRefused, text]) => [isRefused, /^[a-z0-9]{6}\.[a-z0-9]{16}\n$/.test(text)]),
      [
        [false, true],
        [false, true],
        [true, false],
      ],
    );
    await site.plane.sh(`echo shop-0001 > ${SITE}/machines`);
    const { stderr } = await machine.sh(`${ASK} ${IDENTITY}`);
    proof.that('a machine that is taken out of the list gets nothing any more', stderr.includes('403'), stderr);
  }

  private async tpm(): Promise<void> {
    const { machine, joins } = this;
    const { proof } = joins;
    mkdirSync(machine.room.outside('/run/tpm'));
    const tpm = machine.room.start('tpm', 'swtpm', [
      ...['socket', '--tpm2', '--tpmstate', 'dir=/run/tpm', '--flags', 'startup-clear'],
      ...['--server', 'type=tcp,port=2321', '--ctrl', 'type=tcp,port=2322'],
    ]);
    await tpm.ready(async () => (await machine.sh('grep -q :0911 /proc/net/tcp')).status === 0);
    const text = await joins.newToken();
    await machine.room.write('/run/join-token', `${text}\n`, '0600');
    const [block] = this.blocksOf('A TPM 2.0');
    const sealed = await machine.sh(`set -e; export ${IN_TPM}\n${block?.code ?? 'exit 1'}`);
    proof.that('a token is sealed in a TPM', sealed.status === 0, sealed);
    // the state of a TPM that is a program is a file
    const places = machine.whereIs(text.slice(7)).filter((path) => !path.startsWith('/run/tpm/'));
    proof.same('the token is in no file and no process any more', places, []);
    const without = await machine.sh(`${IN_TPM} tpm2_unseal -Q -c 0x81010010`);
    proof.same('the TPM does not give it out without the PCRs', [without.status !== 0, without.stdout], [true, '']);
    const postJoinCommands = [['tpm2_evictcontrol', '-Q', '-C', 'o', '-c', '0x81010010']];
    const { script } = joins.declared.join(tokenOf('A TPM 2.0'), { postJoinCommands });
    await machine.room.write('/run/join.sh', script);
    // in another state the TPM refuses; after a reset and a start as before it does not
    const extend = `tpm2_pcrextend 7:sha256=${'5a'.repeat(32)}`;
    const changed = await machine.sh(`export ${IN_TPM}; ${extend}; sh /run/join.sh`);
    proof.that(
      'a machine that has started something else does not join',
      changed.status === 66 && /the command for the token failed/.test(changed.stderr),
      changed,
    );
    await machine.sh(`export ${IN_TPM}; tpm2_shutdown -c; python3 -c '
import socket
control = socket.create_connection(("127.0.0.1", 2322))
control.sendall(b"\\0\\0\\0\\2\\0\\0\\0\\0")
control.recv(4)'; tpm2_startup -c`);
    const joined = await machine.sh(`export ${IN_TPM}; sh /run/join.sh`);
    proof.that('a machine that has started as when it was sealed joins', joined.status === 0, joined);
    await joins.isAsDeclared(machine, 'with a token of the TPM');
    proof.same('the token is nowhere afterwards', machine.whereIs(text.slice(7)), []);
    const gone = await machine.sh(`${IN_TPM} tpm2_unseal -Q -c 0x81010010 -p pcr:sha256:0,7`);
    proof.same('and not in the TPM', [gone.status !== 0, gone.stdout], [true, '']);
    await joins.leaves(machine);
    await tpm.stop('SIGKILL');
  }

  private async metadata(): Promise<void> {
    const { machine, joins } = this;
    const { proof, site } = joins;
    const text = await joins.newToken();
    await site.machine.run('ip', ['address', 'add', '169.254.169.254/32', 'dev', 'lo']);
    const service = site.machine.start('metadata', process.execPath, [METADATA, text]);
    await service.ready(async () => (await machine.sh('grep -q ":0050 " /proc/net/tcp')).status === 0);
    const plain = await machine.sh('curl -fsS http://169.254.169.254/latest/meta-data/tags/instance/join-token');
    proof.that('(the metadata service wants a session token)', plain.status !== 0 && /401/.test(plain.stderr), plain);
    const names = ['OpenStack', 'EC2'];
    for (const [index, name] of names.entries()) {
      await machine.room.write('/run/join.sh', joins.declared.join(tokenOf('A metadata service', index)).script);
      const joined = await machine.sh('sh /run/join.sh');
      proof.that(`a machine joins with a token from the metadata of ${name}`, joined.status === 0, joined);
      await joins.isAsDeclared(machine, `with the metadata of ${name}`);
      await joins.leaves(machine);
    }
    await service.stop();
  }
}

const code0 = (blocks: readonly ShellBlock[]): string => blocks[0]?.code ?? '';
const last = (blocks: readonly ShellBlock[]): string => blocks.at(-1)?.code ?? '';

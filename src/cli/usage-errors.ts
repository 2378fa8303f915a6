import { nearest } from '../base/properties.js';

/** The command that was called. */
export interface CommandUsage {
  readonly name: string;
  readonly flags: readonly string[];
  /** `[options] [folder or file]` */
  readonly usage: string;
}

/** What other tools call the folder of manifests. */
const FOLDER_FLAGS = ['-f', '--file', '--files', '--filename', '--folder', '--dir', '--directory', '--path', '--input'];
/** What they call the format. */
const FORMAT_FLAGS = ['-o', '--output', '--output-format'];

/** Commands of other tools, and what there is here. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['apply', 'deploy', 'delete', 'install'].map((name) => [
      name,
      'this connects to no cluster: kubectl apply --server-side -f dist',
    ]),
  ),
  ...Object.fromEntries(
    ['validate', 'lint', 'verify', 'test'].map((name) => [name, 'write edge-nodepools check dist']),
  ),
  ...Object.fromEntries(['list', 'get', 'status', 'report'].map((name) => [name, 'write edge-nodepools show dist'])),
  ...Object.fromEntries(['synth', 'build', 'generate'].map((name) => [name, 'run the program: npm run synth'])),
  render: 'write edge-nodepools post-render',
  version: 'write edge-nodepools --version',
};

/** A line for each command that needs an argument. */
const EXAMPLES: Readonly<Record<string, string>> = {
  dump: 'dump nodes > dump.yaml',
  explain: "explain 'Deployment default/web' dist",
  import: 'import dump.yaml',
  'seed-iso': 'seed-iso dist/join/beijing/edge-1',
};
const TOO_MANY: Readonly<Record<string, string>> = {
  explain: `the kind and the name are one argument: ${EXAMPLES.explain}`,
  diff: 'diff compares two folders or files: diff old dist',
};

/** A message of commander, shortened, with what to write. */
export function rephrased(problem: string, command: CommandUsage, flags: readonly string[]): string {
  const advice = adviceOn(problem, command, flags);
  return `${problem}${advice === undefined ? '' : `(${advice})\n`}`
    .replace(/^error: /, '')
    .replace(/^unknown command '(.*)'/, 'there is no command $1')
    .replace(
      /^too many arguments for 'post-render'.*/,
      'post-render reads stdin: edge-nodepools post-render < manifests.yaml',
    )
    .replace(
      /^too many arguments for '(nodes|upgrade|preconditions)'.*/,
      '$1 takes only flags: --dump <folder or file>',
    );
}

function adviceOn(problem: string, command: CommandUsage, flags: readonly string[]): string | undefined {
  const { name } = command;
  const reads = command.usage.includes('[folder or file]');
  if (/^error: unknown command/.test(problem)) {
    return Object.hasOwn(ELSEWHERE, name) ? ELSEWHERE[name] : undefined;
  }
  if (/^error: missing required argument/.test(problem)) {
    return `write edge-nodepools ${EXAMPLES[name] ?? `${name} ${command.usage}`}`;
  }
  if (/^error: too many arguments/.test(problem)) {
    return reads
      ? `${name} reads one: give the folder, all of whose files are read, or run it for each file`
      : TOO_MANY[name];
  }
  // commander compares the whole argument, also with a value after =
  const [, flag = '', value] = /^error: unknown option '(--?[^=']+)(=[^]*)?'\n$/.exec(problem) ?? [];
  if (FOLDER_FLAGS.includes(flag)) {
    if (reads) {
      return `the folder or file has no flag: edge-nodepools ${name} dist`;
    }
    const stdin = name === 'post-render' ? 'it reads stdin: edge-nodepools post-render < manifests.yaml' : undefined;
    return command.flags.includes('--dump') ? 'Did you mean --dump?' : stdin;
  }
  if (FORMAT_FLAGS.includes(flag)) {
    const meant = ['--format', '--out'].find((one) => command.flags.includes(one));
    return meant === undefined ? undefined : `Did you mean ${meant}?`;
  }
  if (['-v', '-V'].includes(flag)) {
    return 'Did you mean --version?';
  }
  if (name === 'simulate' && ['--pool', '--node'].includes(flag)) {
    return `write --down ${flag.slice(2)}=<name>`;
  }
  const near = flag === '' || value === undefined ? undefined : nearest(flag, flags);
  return near === undefined ? undefined : `Did you mean ${near}?`;
}

// The public API of the library as typedoc reads it, in the order of the page.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Application, ReflectionKind } from 'typedoc';
import { root } from '../install.mjs';
import { DOORS, headingOf, PULUMI_DOORS } from './headings.mjs';
import { rememberNames } from './text.mjs';
import { rememberKeyTypes } from './types.mjs';

/** What a reader wants to do, in the order in which it is done. Any other `@category` follows. */
const CATEGORIES = [
  'Describe the cluster',
  'Declare pools',
  'Exclude workloads from host-network nodes',
  'Run workloads on host-network nodes',
  'Exclude system components from host-network nodes',
  'Admit Pods and Nodes',
  'Prepare the cluster',
  'Join nodes',
  'Reach nodes',
  'Test where things run',
  'Write the result',
  'Understand errors and warnings',
  'Check manifests',
  'Foresee an outage',
  'Deliver many clusters',
  'Run the control plane',
  'Store data on OpenStack',
];

const WITHOUT_CATEGORY = 'Other';

/** The files that say what is exported, and in which order it is read. */
const ROOMS = JSON.parse(readFileSync(join(root, 'scripts', 'rooms.json'), 'utf8'));
const OWN_DOORS = ['delivery', 'control-plane'];
const EXPORTS = [
  'index.ts',
  ...ROOMS.filter((room) => !OWN_DOORS.includes(room)).map((room) => `${room}/index.ts`),
  'types.ts',
  'checks.ts',
  ...OWN_DOORS.flatMap((room) => [`${room}.ts`, `${room}/index.ts`]),
].filter((path) => existsSync(join(root, 'src', path)));
const PULUMI_EXPORTS = Object.values(PULUMI_DOORS);

/** The symbols of the entries for cdk8s by category, each list in reading order; and those that only the entries for Pulumi have. */
export async function readModel() {
  const app = await Application.bootstrapWithPlugins({
    // what several export is a symbol of the first
    entryPoints: [...Object.values(DOORS), ...Object.values(PULUMI_DOORS)].map((path) => join(root, 'src', path)),
    alwaysCreateEntryPointModule: true,
    // Not tsconfig.json: an error in a test must not stop the documentation.
    tsconfig: join(root, 'tsconfig.build.json'),
    plugin: [],
    excludePrivate: true,
    excludeProtected: true,
    excludeInternal: true,
    excludeExternals: true,
    // Line numbers, by which members are ordered, come only with a link template; the links are not used.
    disableGit: true,
    sourceLinkTemplate: '{path}',
    jsDocCompatibility: { defaultTag: false },
    logLevel: 'Warn',
  });
  const project = await app.convert();
  if (project === undefined) {
    throw new Error('typedoc cannot read src');
  }
  const failures = app.logger.hasWarnings() ? ['typedoc warned about src, see above'] : [];
  const [main, pulumi] = [DOORS, PULUMI_DOORS].map((doors) =>
    Object.keys(doors).flatMap((name) => project.getChildByName([name]).children),
  );
  const isShared = ({ kind }) => kind === ReflectionKind.Reference;
  const symbols = inExportOrder(main, EXPORTS);
  const components = inExportOrder(
    pulumi.filter((symbol) => !isShared(symbol)),
    PULUMI_EXPORTS,
  );
  rememberKeyTypes([...symbols, ...components]);
  rememberNames([...symbols, ...components]);
  const byCategory = new Map();
  [...symbols, ...components]
    .filter((symbol) => categoryOf(symbol) === undefined)
    .forEach((symbol) => failures.push(`${headingOf(symbol)} has no @category`));
  for (const symbol of symbols) {
    const category = categoryOf(symbol);
    const name = category ?? WITHOUT_CATEGORY;
    byCategory.set(name, [...(byCategory.get(name) ?? []), symbol]);
  }
  const categories = [...byCategory.keys()]
    .sort((a, b) => rankOf(a) - rankOf(b) || (a < b ? -1 : 1))
    .map((name) => ({ name, symbols: inReadingOrder(byCategory.get(name)) }));
  const shared = new Set(pulumi.filter(isShared).map((symbol) => symbol.getTargetReflectionDeep()));
  return { symbols, categories, components, shared: symbols.filter((symbol) => shared.has(symbol)), failures };
}

function rankOf(category) {
  const position = CATEGORIES.indexOf(category);
  return position >= 0 ? position : CATEGORIES.length + (category === WITHOUT_CATEGORY ? 1 : 0);
}

/** The comment of a symbol; a function has it on its signature. */
export function commentOf(reflection) {
  const accessor = reflection.getSignature ?? reflection.setSignature;
  return reflection.comment ?? reflection.signatures?.[0]?.comment ?? accessor?.comment;
}

/** The content of a block tag, as parts of a comment. */
export function tagOf(reflection, tag) {
  return commentOf(reflection)?.getTag(tag)?.content;
}

function categoryOf(reflection) {
  const content = tagOf(reflection, '@category');
  return content === undefined
    ? undefined
    : content
        .map(({ text }) => text)
        .join('')
        .trim() || undefined;
}

/** The entries list the symbols from the most to the least important; typedoc forgets that order. */
function inExportOrder(symbols, files) {
  const text = files.map((file) => readFileSync(join(root, 'src', file), 'utf8')).join('\n');
  const positionOf = ({ name }) => text.search(new RegExp(`\\b${name}\\b`));
  return [...symbols].sort((a, b) => positionOf(a) - positionOf(b));
}

function inReadingOrder(symbols) {
  const ofKind = (kind) => symbols.filter((symbol) => symbol.kind === kind);
  const classes = ofKind(ReflectionKind.Class).sort(
    (a, b) => Number(a.flags.isAbstract ?? false) - Number(b.flags.isAbstract ?? false),
  );
  const interfaces = ofKind(ReflectionKind.Interface);
  const owned = new Map(interfaces.map((props) => [props, ownerOf(props, classes)]));
  const free = interfaces.filter((candidate) => owned.get(candidate) === undefined);
  return [
    ...classes.flatMap((owner) => [owner, ...interfaces.filter((props) => owned.get(props) === owner)]),
    ...ofKind(ReflectionKind.Function),
    ...ofKind(ReflectionKind.Enum),
    ...ofKind(ReflectionKind.Variable),
    ...free,
    ...ofKind(ReflectionKind.TypeAlias),
  ];
}

/** The class of whose constructor or static methods an interface holds the properties. */
function ownerOf(props, classes) {
  if (!props.name.endsWith('Props')) {
    return undefined;
  }
  const takes = (owner) =>
    (owner.children ?? [])
      .filter((member) => member.kind === ReflectionKind.Constructor || member.flags.isStatic)
      .flatMap((member) => member.signatures ?? [])
      .flatMap((signature) => signature.parameters ?? [])
      .some((parameter) => parameter.type?.reflection === props);
  return classes.find(({ name }) => `${name}Props` === props.name) ?? classes.find(takes);
}

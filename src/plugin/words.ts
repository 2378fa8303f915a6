import { SystemComponent } from '../system-components/system-component.js';

/** What programs in TypeScript write, and what it is in the plugin. Examples in hints are maps and text as in YAML, which every reader understands. */
const WORDS: readonly (readonly [RegExp, string | ((...found: string[]) => string)])[] = [
  // tokens
  [
    /JoinToken\.fromFile\('([^']*)'\), fromCommand\(…\), fromSecret\(…\) or inline\(…\)/g,
    'one of token, tokenFile, tokenCommand and tokenSecret',
  ],
  [/,? in Pulumi (also )?config\.requireSecret\('[^']*'\)/g, ''],
  [/config\.requireSecret\('[^']*'\)/g, 'a secret of the configuration'],
  [/(token: )?JoinToken\.from(File|Command|Secret)\(([^)]*)\)/g, (_, _token, way, value) => `token${way}: ${value}`],
  [/JoinToken\.inline\([^)]*\)/g, 'token, as a secret'],
  [/, fromCommand or fromSecret\b/g, ', tokenCommand or tokenSecret'],
  [/\ba JoinToken\b/g, 'a token'],
  // classes of which the arguments are written here
  [/\b(EdgeCluster|NodeReservation)\.of\((\{[^()]*\})\)/g, '$2'],
  [
    /NodeReservation\.preset\('([^']*)'(?:, \{ ([^()]*) \})?\)/g,
    (_, name, rest) => `{ preset: '${name}'${rest === undefined ? '' : `, ${rest}`} }`,
  ],
  [/(?:HostNetworkNodePool|EdgeNodePool)\.fromPoolName\((?:…|\{[^()]*\})\)/g, "{ poolName: '…' }"],
  [/SystemComponent\.of\([^()]*\)/g, 'its workload in workloads'],
  [/SystemComponent\.fromManifest\([^()]*\)/g, 'its manifest in manifests'],
  [/SystemComponent\.([A-Z_]+)/g, (whole, name) => quotedName(name) ?? whole],
  [/ExclusionStrategy\.([A-Z_]+)/g, "'$1'"],
  [/\b[Aa]n EdgeCluster\b/g, 'a cluster'],
  [/\bthe EdgeCluster\b/g, 'the cluster'],
  [/^EdgeCluster\b/g, 'cluster'],
  [/\ba SystemComponent\b/g, 'a system component'],
  [/\ba NodeReservation\b/g, 'a reservation'],
  [/\b(a|an) instance of EdgeCluster\b/g, 'a cluster'],
  // what only TypeScript has
  [/\bsee node_modules\/edge-nodepools\/(\S+)/g, 'see $1 of the package edge-nodepools'],
  [/: output\.apply\([^]*?\);/g, ';'],
  [/ \(config\.require, await\)/g, ''],
  [
    /pulumi\.interpolate`[^`]*`, or pulumi\.jsonStringify/g,
    'it with an apply (Output.format in Python, pulumi.Sprintf in Go)',
  ],
  [/; constructs are excluded by ExcludedWorkload\.mixin/g, ''],
  [/ or chart\.with\(ExcludedWorkload\.mixin\([^)]*\)\)/g, ''],
  [/Include \(cdk8s\) or ConfigGroup \(Pulumi\)/g, 'ConfigGroup'],
  [/\bthe construct\b/g, 'the component'],
];

/** How the names of properties are read in a program. */
export const NOTE =
  'Properties have their names as in YAML: in Python, hostNetwork is host_network; in Go and C#, HostNetwork.';

function quotedName(name: string): string | undefined {
  const known: unknown = (SystemComponent as unknown as Readonly<Record<string, unknown>>)[name];
  return known instanceof SystemComponent ? `'${known.name}'` : undefined;
}

/** A message or a hint in words of every language. */
export function inEveryLanguage(text: string): string {
  return WORDS.reduce((said, [from, to]) => said.replace(from, to as string), text);
}

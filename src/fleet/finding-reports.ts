import type { CheckedSites } from './checked-sites.js';
import type { CheckedManifests, Finding } from './finding.js';

/** The forms of a report, by their names on the command line. */
export const CHECK_FORMATS = ['text', 'json', 'sarif', 'junit', 'github'] as const;

/** One of {@link CHECK_FORMATS}. */
export type CheckFormat = (typeof CHECK_FORMATS)[number];

/** What a report says of the program that has made it. */
export interface ReportSource {
  /** Version of the package. */
  readonly version: string;
  /** Meanings of codes. */
  readonly meanings: Readonly<Record<string, string>>;
  /** What to do about each code, for forms that show it beside a finding.
   * @default - its meaning */
  readonly pages?: Readonly<Record<string, string>>;
  /** The level from which on it fails.
   * @default error */
  readonly failOn?: Finding['level'];
}

/** A report of a check in a form. */
export function checkReport(
  checked: CheckedManifests | CheckedSites,
  format: CheckFormat,
  source: ReportSource,
): string {
  const isOfSites = 'sites' in checked;
  const reports: Readonly<Record<CheckFormat, () => string>> = {
    text: () => (isOfSites ? sitesAsText(checked) : asText(checked)),
    json: () => `${JSON.stringify(isOfSites ? sitesAsJson(checked) : checked, undefined, 2)}\n`,
    sarif: () => `${JSON.stringify(asSarif(checked, source), undefined, 2)}\n`,
    junit: () => asJUnit(checked, source),
    github: () => asGitHub(checked),
  };
  return reports[format]();
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

function placeOf({ file, line }: Finding): string {
  return line === undefined ? file : `${file}:${line}`;
}

function asText({ findings, files, objects, pools, unknown }: CheckedManifests): string {
  const lines = findings.flatMap((finding) => {
    const { level, object, code, path, message, hint } = finding;
    return [
      [placeOf(finding), level, object].filter(Boolean).join('  '),
      `  ${code}  ${path === '' ? '' : `${path}: `}${message}`,
      `      -> ${hint}`,
    ];
  });
  const errors = errorsIn({ findings });
  const found =
    findings.length === 0
      ? 'nothing found'
      : `${counted(errors, 'error')}, ${counted(findings.length - errors, 'warning')}`;
  const where =
    pools.length === 0 ? '; no pool is known, so no workload was placed' : ` on ${counted(pools.length, 'pool')}`;
  const open =
    unknown === 0 ? '' : `; ${counted(unknown, 'placement')} ${unknown === 1 ? 'is' : 'are'} unknown: show says why`;
  return [...lines, `${found} in ${counted(objects, 'object')} of ${counted(files, 'file')}${where}${open}`, ''].join(
    '\n',
  );
}

/** The sites of which there is something to say, each below its name, and a line for all. */
function sitesAsText({ sites, others, ...all }: CheckedSites): string {
  const shown = sites.filter(({ findings }) => findings.length > 0);
  const errors = errorsIn(all);
  const line =
    `${shown.length} of ${counted(sites.length, 'site')} with findings: ` +
    `${counted(errors, 'error')}, ${counted(all.findings.length - errors, 'warning')} ` +
    `in ${counted(all.objects, 'object')} of ${counted(all.files, 'file')}`;
  return [
    ...(others.findings.length === 0 ? [] : [asText(others)]),
    ...shown.map((one) => `site ${one.site}\n\n${asText(one)}`),
    `${line}\n`,
  ].join('\n');
}

/** All findings, and what there is of each site. */
function sitesAsJson({ sites, others, ...all }: CheckedSites): object {
  return {
    ...all,
    filesOfNoSite: others.files,
    sites: sites.map(({ findings, ...one }) => {
      const errors = errorsIn({ findings });
      return { ...one, errors, warnings: findings.length - errors };
    }),
  };
}

function errorsIn({ findings }: Pick<CheckedManifests, 'findings'>): number {
  return findings.filter(({ level }) => level === 'error').length;
}

/** https://docs.oasis-open.org/sarif/sarif/v2.1.0 */
function asSarif({ findings }: CheckedManifests, { version, meanings, pages = {} }: ReportSource): object {
  const codes = [...new Set(findings.map(({ code }) => code))].sort();
  return {
    $schema: 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'edge-nodepools',
            semanticVersion: version,
            rules: codes.map((code) => ({
              id: code,
              shortDescription: { text: meanings[code] ?? code },
              help: { text: pages[code] ?? meanings[code] ?? code },
            })),
          },
        },
        results: findings.map((finding) => ({
          ruleId: finding.code,
          ruleIndex: codes.indexOf(finding.code),
          level: finding.level,
          message: { text: messageOf(finding) },
          locations: [
            {
              physicalLocation: {
                artifactLocation: { uri: finding.file.split('/').map(encodeURIComponent).join('/') },
                ...(finding.line === undefined ? {} : { region: { startLine: finding.line } }),
              },
              ...(finding.object === ''
                ? {}
                : { logicalLocations: [{ fullyQualifiedName: `${finding.object} ${finding.path}`.trim() }] }),
            },
          ],
        })),
      },
    ],
  };
}

function messageOf({ object, path, message, hint }: Finding): string {
  return `${[object, path].filter(Boolean).join(' ')}${object === '' && path === '' ? '' : ': '}${message} -> ${hint}`;
}

/** A test suite for each file: GitLab, Jenkins and others show it. What fails nothing is the output of a test that passes. */
function asJUnit({ findings, files }: CheckedManifests, { failOn = 'error' }: ReportSource): string {
  const fails = ({ level }: Finding): boolean => level === 'error' || failOn === 'warning';
  const suites = new Map<string, Finding[]>();
  findings.forEach((finding) => suites.set(finding.file, [...(suites.get(finding.file) ?? []), finding]));
  const cases = [...suites].map(([file, found]) => {
    const rows = found.map((finding) => {
      const text = xml(`${finding.level}: ${placeOf(finding)}\n${messageOf(finding)}`);
      const result = fails(finding)
        ? `<failure type="${finding.code}" message="${xml(finding.message)}">${text}</failure>`
        : `<system-out>${text}</system-out>`;
      return `    <testcase classname="${xml(file)}" name="${xml(`${finding.object} ${finding.code} ${finding.path}`.trim())}" file="${xml(file)}"${finding.line === undefined ? '' : ` line="${finding.line}"`}>
      ${result}
    </testcase>`;
    });
    return `  <testsuite name="${xml(file)}" tests="${found.length}" failures="${found.filter(fails).length}">\n${rows.join('\n')}\n  </testsuite>`;
  });
  const passed =
    findings.length === 0
      ? [
          `  <testsuite name="edge-nodepools check" tests="1" failures="0">\n    <testcase classname="edge-nodepools" name="${counted(files, 'file')}"/>\n  </testsuite>`,
        ]
      : [];
  const total = Math.max(1, findings.length);
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="edge-nodepools check" tests="${total}" failures="${findings.filter(fails).length}">
${[...cases, ...passed].join('\n')}
</testsuites>
`;
}

/** Text in XML 1.0, in which most control characters cannot be written. */
function xml(text: string): string {
  return text
    .replace(
      /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g,
      '\ufffd',
    )
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;');
}

/** Workflow commands of GitHub Actions, which mark the lines of a pull request. */
function asGitHub({ findings }: CheckedManifests): string {
  const data = (text: string): string => text.replace(/%/g, '%25').replace(/\r/g, '%0D').replace(/\n/g, '%0A');
  const property = (text: string): string => data(text).replace(/:/g, '%3A').replace(/,/g, '%2C');
  return findings
    .map((finding) => {
      const line = finding.line === undefined ? '' : `,line=${finding.line}`;
      return `::${finding.level} file=${property(finding.file)}${line},title=${property(finding.code)}::${data(messageOf(finding))}\n`;
    })
    .join('');
}

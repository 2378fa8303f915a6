import { type EdgeWarning, ProblemList } from '../base/errors.js';
import { checkProperties, listOfWords, mapWith, optional, type PropertyTable } from '../base/property-table.js';
import { isUnknown } from '../base/unknown.js';
import { pathOnMachine } from './machine-path.js';
import type { NodeProxy } from './runtime-files.js';

const URLS = ['httpProxy', 'httpsProxy'] as const;
const HAS_USER = /^https?:\/\/[^/]*@/;
const HAS_PASSWORD = /^https?:\/\/[^/@:]*:[^/]*@/;

const PROXY: PropertyTable<NodeProxy> = {
  httpProxy: optional(checkProxyAddress),
  httpsProxy: optional(checkProxyAddress),
  noProxy: listOfWords(/^[A-Za-z0-9.:/*_-]+$/, "['10.0.0.0/8', '.example']"),
  // the value is redacted: it may be the password itself
  credentialsFile: pathOnMachine('/var/lib/edge/proxy-credentials', ' (value redacted)'),
};

const ADVICE: Readonly<Record<string, string>> = {
  password: "did you mean credentialsFile? write '/var/lib/edge/proxy-credentials', a file with user:password",
  credentials: 'did you mean credentialsFile?',
};

/** Checks the proxies of a node; no message contains a URL, because it may contain a password. */
export const checkProxy = mapWith(
  (proxy, problems) => {
    checkProperties(proxy, PROXY, problems, ADVICE);
    if (proxy.credentialsFile === undefined) {
      return;
    }
    if (URLS.every((name) => proxy[name] === undefined)) {
      problems
        .at('credentialsFile')
        .add('EDGE_MISSING', 'it needs httpProxy or httpsProxy', "write httpsProxy: 'http://proxy.example:3128', too");
    }
    for (const name of URLS) {
      const url = proxy[name];
      if (typeof url === 'string' && HAS_USER.test(url)) {
        problems
          .at(name)
          .add(
            'EDGE_CONTRADICTION',
            'the URL has a user, and so does credentialsFile (value redacted)',
            "write 'http://proxy.example:3128', without the part before @",
          );
      }
    }
  },
  'proxy must be a map',
  "write { httpsProxy: 'http://proxy.example:3128' }",
);

function checkProxyAddress(address: unknown, problems: ProblemList): void {
  if (typeof address !== 'string' || !/^https?:\/\/[A-Za-z0-9._~:@/%[\]-]+$/.test(address)) {
    // the value is redacted: the URL of a proxy may contain a password
    problems.add('EDGE_VALUE', 'this is not the URL of a proxy (value redacted)', "write 'http://proxy.example:3128'");
  }
}

/** Warns about a password in a URL, which everybody who can read the published join can read. */
export function proxyWarnings(proxy: NodeProxy | undefined): readonly EdgeWarning[] {
  const warnings = new ProblemList();
  for (const name of URLS) {
    const url = isUnknown(proxy) ? undefined : proxy?.[name];
    if (typeof url === 'string' && HAS_PASSWORD.test(url)) {
      warnings
        .at('proxy', name)
        .add(
          'EDGE_PASSWORD',
          'the URL contains a password, and so do the files of the join and the ConfigMap in which it is published (value redacted)',
          "write credentialsFile: '/var/lib/edge/proxy-credentials', a file on the machine with user:password, and the URL without them",
        );
    }
  }
  return warnings.problems;
}

import type { ProblemList } from '../base/errors.js';
import { checkNamespace, isDnsLabel, isDnsSubdomain } from '../kubernetes/names.js';
import type { PlainMap } from '../base/plain-data.js';
import { numberAsText, portHint, quoted, showValue } from '../base/properties.js';
import { checkProperties, mapWith, optional, type PropertyTable } from '../base/property-table.js';
import { compute } from '../base/unknown.js';
import type { PoolWebhookEntry, WebhookService } from './pool-webhook-props.js';

/** The clientConfig of a webhook. For checked input. */
export function clientConfigOf({ service, url, caBundle }: PoolWebhookEntry): PlainMap {
  return {
    ...(url === undefined ? { service } : { url }),
    ...(caBundle === undefined ? {} : { caBundle: compute(caBundle, (text) => text.replace(/[\r\n]/g, '')) }),
  };
}

/** Checks that exactly one of service and url is given. */
export function checkServer(
  { service, url }: { readonly service?: unknown; readonly url?: unknown },
  problems: ProblemList,
): void {
  if ((service === undefined) === (url === undefined)) {
    problems.add(
      'EDGE_MISSING',
      service === undefined ? 'neither service nor url is given' : 'service and url are both given',
      "write service: { name: 'guard', namespace: 'edge-system' }, or url: 'https://guard.example.com/pods'",
    );
  }
}

const SERVICE: PropertyTable<WebhookService> = {
  name: (name, problems) => {
    if (typeof name !== 'string' || !isDnsLabel(name)) {
      problems.add(
        name === undefined ? 'EDGE_MISSING' : 'EDGE_NAME',
        `${showValue(name)} is not the name of a Service`,
        "write name: 'guard'",
      );
    }
  },
  namespace: checkNamespace,
  path: optional((path, problems) => {
    if (!isPath(path)) {
      problems.add(
        'EDGE_WEBHOOK',
        `${showValue(path)} is not a path that the API server accepts`,
        "write for example '/validate-pods': it starts with '/', and its parts are lower-case letters, digits, '-' and '.'",
      );
    }
  }),
  port: optional((port, problems) => {
    if (!(Number.isInteger(port) && (port as number) >= 1 && (port as number) <= 65535)) {
      const text = numberAsText(port);
      problems.add('EDGE_PORT', text?.message ?? `${showValue(port)} is not a port`, portHint(port));
    }
  }),
};

/** Checks a Service as the API server does (apiserver `pkg/util/webhook/validation.go`). */
export const checkService = mapWith(
  (service, problems) => checkProperties(service, SERVICE, problems),
  'service must be a map',
  "write { name: 'guard', namespace: 'edge-system' }",
);

function isPath(path: unknown): boolean {
  if (path === '' || path === '/') {
    return true;
  }
  if (typeof path !== 'string' || !path.startsWith('/')) {
    return false;
  }
  const steps = path.slice(1).replace(/\/$/, '').split('/');
  return steps.every((step) => isDnsSubdomain(step));
}

// scheme, authority, path, query, fragment (RFC 3986, appendix B)
const URL_PARTS = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]+)(\/[^?#]*)?(?:\?([^#]*))?(?:#(.*))?$/is;
const BROKEN_ESCAPE = /%(?![0-9a-f]{2})/i;
const CONTROL = /[\u0000-\u001f\u007f]/;

/** Refuses URLs that the API server refuses (apiserver `pkg/util/webhook/validation.go`, which parses with Go's net/url), and URLs of Services. */
export function checkUrl(url: unknown, problems: ProblemList): void {
  const hint = "write 'https://guard.example.com:8443/pods': no user, no query, no fragment";
  const parts = typeof url === 'string' ? URL_PARTS.exec(url) : null;
  if (parts === null) {
    problems.add('EDGE_WEBHOOK', `${showValue(url)} is not a URL`, hint);
    return;
  }
  const [text, scheme = '', authority = '', path = '', query = '', fragment = ''] = parts;
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  const wrong = [
    ...(scheme.toLowerCase() === 'https' ? [] : ['it is not https']),
    ...(authority.includes('@') ? ['it contains a user'] : []),
    ...(query === '' ? [] : ['it has a query']),
    ...(fragment === '' ? [] : ['it has a fragment']),
    ...(CONTROL.test(text) ? ['it contains a control character'] : []),
    ...(BROKEN_ESCAPE.test(path) ? ['it contains an invalid % escape'] : []),
    ...(/[\s\\^`{|}%]/.test(host) ? [`${quoted(host)} is not a host`] : []),
  ];
  wrong.forEach((reason) => problems.add('EDGE_WEBHOOK', `the API server refuses this URL: ${reason}`, hint));
  if (wrong.length > 0) {
    return;
  }
  const parsed = parseUrl(text);
  if (parsed === undefined) {
    problems.add('EDGE_WEBHOOK', `${showValue(url)} is not a URL`, hint);
  } else if (/\.svc(\.cluster\.local)?$/.test(parsed.hostname)) {
    problems.add(
      'EDGE_WEBHOOK',
      `${parsed.hostname} is the DNS name of a Service, which the machine of the API server usually cannot resolve`,
      "write service: { name: 'guard', namespace: 'edge-system' } instead of url",
    );
  }
}

function parseUrl(url: string): URL | undefined {
  try {
    return new URL(url);
  } catch {
    return undefined;
  }
}

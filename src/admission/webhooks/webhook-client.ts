import type { ProblemList } from '../../errors.js';
import { checkCaBundle } from './ca-bundle.js';
import { isMap, type PlainMap } from '../../validation/plain-data.js';
import { checkNamespace, isDnsLabel, isDnsSubdomain } from '../../kubernetes/names.js';
import type { PoolWebhookEntry } from './pool-webhook-props.js';
import { checkKnownProperties, showValue } from '../../validation/properties.js';

/** How the API server reaches a webhook. For checked input. */
export function clientConfigOf({ service, url, caBundle }: PoolWebhookEntry): PlainMap {
  return {
    ...(url === undefined ? { service } : { url }),
    ...(caBundle === undefined ? {} : { caBundle: caBundle.replace(/[\r\n]/g, '') }),
  };
}

/** Checks where a webhook is served (apiserver `pkg/util/webhook/validation.go`). */
export function checkClient(
  entry: { readonly service?: unknown; readonly url?: unknown; readonly caBundle?: unknown },
  problems: ProblemList,
): void {
  const { service, url, caBundle } = entry;
  if ((service === undefined) === (url === undefined)) {
    problems.add(
      'EDGE_MISSING',
      service === undefined ? 'where the webhook is served is not said' : 'service and url are both given',
      "write service: { name: 'guard', namespace: 'edge-system' }, or url: 'https://guard.example.com/pods'",
    );
  } else if (service !== undefined) {
    checkService(service, problems.at('service'));
  } else {
    checkUrl(url, problems.at('url'));
  }
  if (caBundle !== undefined) {
    checkCaBundle(caBundle, problems.at('caBundle'));
  }
}

function checkService(service: unknown, problems: ProblemList): void {
  if (!isMap(service)) {
    problems.add('EDGE_TYPE', 'a Service is named by a map', "write { name: 'guard', namespace: 'edge-system' }");
    return;
  }
  checkKnownProperties(service, ['name', 'namespace', 'path', 'port'], problems);
  const { name, path, port } = service;
  if (typeof name !== 'string' || !isDnsLabel(name)) {
    problems
      .at('name')
      .add(
        name === undefined ? 'EDGE_MISSING' : 'EDGE_NAME',
        `${showValue(name)} is not the name of a Service`,
        "write name: 'guard'",
      );
  }
  checkNamespace(service.namespace, problems.at('namespace'));
  if (path !== undefined && !isPath(path)) {
    problems
      .at('path')
      .add(
        'EDGE_WEBHOOK',
        `${showValue(path)} is not a path that the API server takes`,
        "write '/validate-pods': it begins with '/', and its parts are lower-case letters, digits, '-' and '.'",
      );
  }
  if (port !== undefined && !(Number.isInteger(port) && (port as number) >= 1 && (port as number) <= 65535)) {
    problems.at('port').add('EDGE_PORT', `${showValue(port)} is not a port`, 'write a whole number from 1 to 65535');
  }
}

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
const URL_PARTS = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]+)([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/is;
const BROKEN_ESCAPE = /%(?![0-9a-f]{2})/i;
const CONTROL = /[\u0000-\u001f\u007f]/;

/** Refuses what the API server does (apiserver `pkg/util/webhook/validation.go`, which reads with Go's net/url), and what no client could reach. */
function checkUrl(url: unknown, problems: ProblemList): void {
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
    ...(authority.includes('@') ? ['it names a user'] : []),
    ...(query === '' ? [] : ['it has a query']),
    ...(fragment === '' ? [] : ['it has a fragment']),
    ...(CONTROL.test(text) ? ['it has a control character'] : []),
    ...(BROKEN_ESCAPE.test(path) ? ['a % in it begins no escape'] : []),
    ...(/[\s\\^`{|}%]/.test(host) ? [`${JSON.stringify(host)} is no host`] : []),
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
      `${parsed.hostname} is the name of a Service, which the machine of the API server usually can not resolve`,
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

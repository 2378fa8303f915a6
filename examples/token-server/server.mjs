// Gives a machine with a certificate of the site CA a bootstrap token for one join: POST /token. Node.js 20 or later, without dependencies.
import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, request } from 'node:https';

const {
  PORT = '8443',
  // tls.crt and tls.key of this server, site-ca.crt, which has signed the certificates of the machines
  TLS_FOLDER = '/etc/token-server/tls',
  // names of the machines that may have a token, one in a line
  MACHINES_FILE = '/etc/token-server/machines',
  TOKEN_SECONDS = '900',
  TOKENS_PER_HOUR = '20',
  ACCOUNT_FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount',
  KUBERNETES_SERVICE_HOST: host = '',
  KUBERNETES_SERVICE_PORT: port = '443',
  API_SERVER = `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
} = process.env;

const CHARACTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';
const random = (length) => Array.from({ length }, () => CHARACTERS[randomInt(CHARACTERS.length)]).join('');

/** The times at which a machine got a token in the last hour, by its name. */
const given = new Map();

function isTooOften(name) {
  const hour = (given.get(name) ?? []).filter((time) => time > Date.now() - 3_600_000);
  const isTooMany = hour.length >= Number(TOKENS_PER_HOUR);
  given.set(name, isTooMany ? hour : [...hour, Date.now()]);
  return isTooMany;
}

/** Creates the Secret of a token; the token cleaner of the control plane deletes it when it has expired. */
function create(name, id, secret) {
  const stringData = {
    description: `for ${name}, by token-server`,
    'token-id': id,
    'token-secret': secret,
    expiration: `${new Date(Date.now() + Number(TOKEN_SECONDS) * 1000).toISOString().slice(0, 19)}Z`,
    'usage-bootstrap-authentication': 'true',
    'usage-bootstrap-signing': 'true',
    'auth-extra-groups': 'system:bootstrappers:kubeadm:default-node-token',
  };
  const body = JSON.stringify({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: `bootstrap-token-${id}` },
    type: 'bootstrap.kubernetes.io/token',
    stringData,
  });
  return new Promise((done, fail) => {
    const sent = request(
      `${API_SERVER}/api/v1/namespaces/kube-system/secrets`,
      {
        method: 'POST',
        timeout: 10_000,
        ca: readFileSync(`${ACCOUNT_FOLDER}/ca.crt`),
        headers: {
          // it is renewed in the file
          authorization: `Bearer ${readFileSync(`${ACCOUNT_FOLDER}/token`, 'utf8').trim()}`,
          'content-type': 'application/json',
        },
      },
      // the answer contains the token, so nothing of it is kept
      (answer) => (answer.resume(), done(answer.statusCode)),
    );
    sent.on('timeout', () => sent.destroy(new Error('the API server does not answer')));
    sent.on('error', fail);
    sent.end(body);
  });
}

/** Status, text for the machine, and what the log says. The log has the id of a token, which is not secret, and never the token. */
async function answer({ method, url, socket }) {
  const name = socket.getPeerCertificate().subject?.CN;
  if (method !== 'POST' || url !== '/token') {
    return [404, 'POST /token\n', name];
  }
  const machines = readFileSync(MACHINES_FILE, 'utf8').split(/\s+/);
  if (typeof name !== 'string' || name === '' || !machines.includes(name)) {
    return [403, 'this machine is not in the list\n', name];
  }
  if (isTooOften(name)) {
    return [429, 'too many tokens in an hour\n', name];
  }
  const [id, secret] = [random(6), random(16)];
  const status = await create(name, id, secret);
  return status === 201
    ? [200, `${id}.${secret}\n`, name, `token ${id}`]
    : [503, 'the API server has not taken the token\n', name, `the API server answered ${status}`];
}

const tls = () => ({
  cert: readFileSync(`${TLS_FOLDER}/tls.crt`),
  key: readFileSync(`${TLS_FOLDER}/tls.key`),
  ca: readFileSync(`${TLS_FOLDER}/site-ca.crt`),
});

// a client without a certificate of this CA gets no further than the handshake
const server = createServer({ ...tls(), requestCert: true, rejectUnauthorized: true }, (asked, reply) => {
  asked.resume();
  answer(asked)
    .catch((error) => [503, 'no token can be made now\n', undefined, error.message])
    .then(([status, text, name, more = '']) => {
      console.log(new Date().toISOString(), status, JSON.stringify(name), more);
      reply.writeHead(status, { 'content-type': 'text/plain', 'cache-control': 'no-store', connection: 'close' });
      reply.end(text);
    });
});
server.on('tlsClientError', (error) => console.log(new Date().toISOString(), 'refused', error.code ?? error.message));
server.requestTimeout = 10_000;
server.maxConnections = 200;
server.listen(Number(PORT));
// a renewed certificate is read again
setInterval(() => server.setSecureContext(tls()), 3_600_000).unref();
process.on('SIGTERM', () => process.exit(0));

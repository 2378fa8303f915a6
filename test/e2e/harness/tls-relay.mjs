// node tls-relay.mjs PORT KEY CERTIFICATE TO: the server at port TO with another certificate
import { readFileSync } from 'node:fs';
import { connect, createServer } from 'node:tls';

const [port, key, certificate, to] = process.argv.slice(2);
createServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (client) => {
  const server = connect({ port: Number(to), host: '127.0.0.1', rejectUnauthorized: false });
  for (const [one, other] of [
    [client, server],
    [server, client],
  ]) {
    one.pipe(other);
    one.on('error', () => other.destroy());
  }
}).listen(Number(port), '0.0.0.0');

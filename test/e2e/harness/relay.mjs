// node relay.mjs FROM TO: passes every connection on. FROM and TO are ports of 127.0.0.1 or paths of Unix sockets; the latter lead from one
// network namespace into another.
import { connect, createServer } from 'node:net';

const [from, to] = process.argv
  .slice(2)
  .map((end) => (/^\d+$/.test(end) ? { host: '127.0.0.1', port: Number(end) } : { path: end }));

createServer((near) => {
  const far = connect(to);
  near.pipe(far).pipe(near);
  for (const [one, other] of [
    [near, far],
    [far, near],
  ]) {
    one.on('error', () => other.destroy());
    one.on('close', () => other.destroy());
  }
}).listen(from);

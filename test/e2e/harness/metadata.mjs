// node metadata.mjs <token>: a metadata service at 169.254.169.254, OpenStack's and, with the session tokens of IMDSv2, that of EC2.
import { createServer } from 'node:http';

const [token] = process.argv.slice(2);
const TTL = 'x-aws-ec2-metadata-token-ttl-seconds';

createServer(({ method, url, headers }, reply) => {
  const routes = {
    'GET /openstack/latest/meta_data.json': () =>
      `{"uuid": "83679162-1378-4288-a2d4-70e13ec132aa", "meta": {"role": "edge", "join_token": "${token}"}, "hostname": "edge1"}`,
    'PUT /latest/api/token': () => (Number(headers[TTL]) > 0 ? 'a-session==' : undefined),
    'GET /latest/meta-data/tags/instance/join-token': () =>
      headers['x-aws-ec2-metadata-token'] === 'a-session==' ? token : undefined,
  };
  const text = routes[`${method} ${url}`]?.();
  reply.writeHead(text === undefined ? 401 : 200, { 'content-type': 'text/plain' });
  reply.end(text);
}).listen(80, '169.254.169.254');

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

const NETWORK = '0c5e2b1e-0000-4000-8000-00000000000a';
const PORT = '0c5e2b1e-0000-4000-8000-00000000000b';

/** What stands in for Keystone and Neutron: a token for everybody, one network, and a port for each request. It is no OpenStack: it checks nothing. */
export class NeutronStandIn {
  public static async start(): Promise<NeutronStandIn> {
    const standIn = new NeutronStandIn();
    await new Promise<void>((done) => standIn.server.listen(0, '127.0.0.1', done));
    return standIn;
  }

  /** Bodies of the requests for a token and for ports. */
  public readonly logins: any[] = [];
  public readonly ports: any[] = [];
  private readonly server: Server;

  private constructor() {
    this.server = createServer((request, answer) => {
      let body = '';
      request.on('data', (part) => (body += part));
      request.on('end', () => {
        const [status, content, headers] = this.answer(
          `${request.method} ${request.url?.split('?')[0]}`,
          body === '' ? {} : JSON.parse(body),
        );
        answer.writeHead(status, { 'content-type': 'application/json', ...headers });
        answer.end(JSON.stringify(content));
      });
    });
  }

  public get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  public stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private answer(asked: string, body: any): [number, object, Record<string, string>?] {
    const network = `${this.url}/network`;
    const subnet = /\/subnets\/([\w-]+)$/.exec(asked)?.[1];
    if (asked === 'POST /v3/auth/tokens') {
      this.logins.push(body.auth);
      const endpoint = { id: 'n', interface: 'public', region: 'RegionOne', region_id: 'RegionOne', url: network };
      const token = {
        methods: ['application_credential'],
        issued_at: '2026-01-01T00:00:00.000000Z',
        expires_at: '2099-01-01T00:00:00.000000Z',
        user: { id: 'u', name: 'u', domain: { id: 'd', name: 'd' } },
        project: { id: 'p', name: 'p', domain: { id: 'd', name: 'd' } },
        catalog: [{ id: 'n', name: 'neutron', type: 'network', endpoints: [endpoint] }],
      };
      return [201, { token }, { 'X-Subject-Token': 'token' }];
    }
    if (/^GET \/network\/?$/.test(asked)) {
      const links = [{ rel: 'self', href: `${network}/v2.0/` }];
      return [200, { versions: [{ id: 'v2.0', status: 'CURRENT', links }] }];
    }
    if (subnet !== undefined) {
      const net = { id: subnet, network_id: NETWORK, cidr: '10.1.0.0/24', gateway_ip: '10.1.0.1', ip_version: 4 };
      return [200, { subnet: { ...net, dns_nameservers: [], host_routes: [], enable_dhcp: true } }];
    }
    if (asked.includes('/networks/')) {
      return [200, { network: { id: NETWORK, name: 'pods', mtu: 1450, 'provider:network_type': 'vxlan' } }];
    }
    if (asked === 'POST /network/v2.0/ports') {
      this.ports.push(body.port);
      return [201, { port: portOf(body.port) }];
    }
    if (asked.endsWith(`/ports/${PORT}`)) {
      return [200, { port: { ...portOf(this.ports.at(-1)), status: 'ACTIVE' } }];
    }
    return /\/(extensions|ports|networks|subnets)$/.test(asked)
      ? [200, { [asked.split('/').at(-1) as string]: [] }]
      : [404, { NeutronError: { type: 'NotFound', message: asked, detail: '' } }];
  }
}

const portOf = (asked: any): object => ({
  ...asked,
  id: PORT,
  status: 'DOWN',
  network_id: NETWORK,
  mac_address: 'fa:16:3e:00:00:01',
  fixed_ips: [{ subnet_id: asked?.fixed_ips?.[0]?.subnet_id, ip_address: '10.1.0.7' }],
  'binding:vif_type': 'ovs',
  'binding:vif_details': { port_filter: true, ovs_hybrid_plug: false, bridge_name: 'br-int' },
  'binding:profile': {},
  'binding:vnic_type': 'normal',
  revision_number: 1,
});

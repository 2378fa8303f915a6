import { writeFileSync } from 'node:fs';
import { Resolver } from 'node:dns/promises';
import { join } from 'node:path';
import { freePorts, Program } from './program.js';
import { pathOf, type Tool } from './tool.js';

export const COREDNS: Tool = { name: 'coredns', module: 'coredns-1.14', package: 'github.com/coredns/coredns' };

/** A real CoreDNS on a free port of 127.0.0.1. */
export class CoreDns {
  /**
   * Starts CoreDNS with a Corefile for its port, and waits until it is ready.
   *
   * @param corefile returns the text for the ports: the DNS port, and three more
   */
  public static async start(
    name: string,
    folder: string,
    corefile: (ports: readonly [number, number, number, number]) => string,
    env: NodeJS.ProcessEnv = {},
  ): Promise<CoreDns> {
    const ports = (await freePorts(4)) as [number, number, number, number];
    const file = join(folder, `${name}.Corefile`);
    writeFileSync(file, corefile(ports));
    const program = new Program({
      name,
      command: pathOf(COREDNS),
      args: ['-conf', file, '-dns.port', String(ports[0])],
      logs: folder,
      env: { ...process.env, ...env },
    });
    const server = new CoreDns(ports[0], program);
    try {
      await program.ready(() => Promise.resolve(program.tail(200).includes('CoreDNS-')));
    } catch (error) {
      await program.stop();
      throw error;
    }
    return server;
  }

  private readonly resolver = new Resolver({ timeout: 1000, tries: 1 });

  private constructor(
    public readonly port: number,
    private readonly program: Program,
  ) {
    this.resolver.setServers([`127.0.0.1:${port}`]);
  }

  /** Addresses of a name; the response code if there are none. */
  public async addresses(name: string): Promise<string[] | string> {
    try {
      return await this.resolver.resolve4(name);
    } catch (error) {
      return (error as NodeJS.ErrnoException).code ?? String(error);
    }
  }

  public stop(): Promise<void> {
    return this.program.stop();
  }
}

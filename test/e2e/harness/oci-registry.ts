import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { freePorts, Program } from './program.js';
import { pathOf, type Tool } from './tool.js';

/** The client of registries, which also has a small registry in it. */
export const CRANE: Tool = {
  name: 'crane',
  module: 'go-containerregistry-0.22',
  package: 'github.com/google/go-containerregistry/cmd/crane',
};

/** A registry on 127.0.0.1, by plain http. */
export class OciRegistry {
  public static async open(folder: string): Promise<OciRegistry> {
    const [port] = (await freePorts(1)) as [number];
    mkdirSync(join(folder, 'blobs'), { recursive: true });
    const program = new Program({
      name: 'registry',
      command: pathOf(CRANE),
      args: ['registry', 'serve', '--address', `127.0.0.1:${port}`, '--disk', join(folder, 'blobs')],
      logs: folder,
    });
    await program.ready(async () => (await fetch(`http://127.0.0.1:${port}/v2/`)).ok);
    return new OciRegistry(port, program);
  }

  private constructor(
    private readonly port: number,
    private readonly program: Program,
  ) {}

  public get host(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** Pushes an archive as the only layer of an artifact. Returns its digest. */
  public push(archive: string, repository: string, tag: string): string {
    const { status, stdout, stderr } = spawnSync(
      pathOf(CRANE),
      ['append', '--oci-empty-base', '--new_layer', archive, '--new_tag', `${this.host}/${repository}:${tag}`],
      { encoding: 'utf8' },
    );
    if (status !== 0) {
      throw new Error(`crane append: ${stderr}`);
    }
    return stdout.trim().replace(/^.*@/, '');
  }

  public async close(): Promise<void> {
    await this.program.stop();
  }
}

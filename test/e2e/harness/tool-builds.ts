import { build, isBuilt, nameOf, type Tool, versionOf } from './tool.js';

/** Builds the programs of groups while groups run: each group can run as soon as its own programs are there, and most of them wait more than they compute. */
export class ToolBuilds {
  private readonly missing: readonly Tool[];
  private readonly errors = new Map<string, Error>();
  private current: Promise<void> = Promise.resolve();

  /** `programs` has the tools of each group. */
  constructor(
    programs: readonly (readonly Tool[])[],
    private readonly say: (line: string) => void,
  ) {
    this.missing = inOrder(programs.map((tools) => distinct(tools).filter((tool) => !isBuilt(tool))));
  }

  /** Builds what is missing, one after the other, because the Go compiler uses every core; the errors of those that cannot be built. */
  public async all(): Promise<readonly Error[]> {
    for (const [index, tool] of this.missing.entries()) {
      this.current = this.one(tool, `${tool.name} ${versionOf(tool)} (${index + 1} of ${this.missing.length})`);
      await this.current;
    }
    return [...this.errors.values()];
  }

  /** The errors of the programs that cannot be built, none if all of them are there; undefined while one is still to be built. */
  public errorsOf(tools: readonly Tool[]): readonly Error[] | undefined {
    const errors = tools.map((tool) => this.errors.get(nameOf(tool))).filter((error) => error !== undefined);
    return errors.length > 0 || tools.every(isBuilt) ? errors : undefined;
  }

  /** The end of the build that runs. */
  public another(): Promise<void> {
    return this.current;
  }

  private async one(tool: Tool, what: string): Promise<void> {
    const begin = Date.now();
    this.say(`building ${what} …`);
    try {
      await build(tool);
      this.say(`built ${what} in ${Math.round((Date.now() - begin) / 1000)} s`);
    } catch (error) {
      this.errors.set(nameOf(tool), error as Error);
      this.say(`cannot be built: ${what}`);
    }
  }
}

function distinct(tools: readonly Tool[]): Tool[] {
  return [...new Map(tools.map((tool) => [nameOf(tool), tool])).values()];
}

/** First what the group needs that lacks the fewest programs, so that groups can run early. */
function inOrder(lacking: readonly (readonly Tool[])[]): readonly Tool[] {
  const order = new Map<string, Tool>();
  let left = [...lacking];
  while (left.length > 0) {
    left = left.map((tools) => tools.filter((tool) => !order.has(nameOf(tool)))).filter((tools) => tools.length > 0);
    const [next] = [...left].sort((a, b) => a.length - b.length);
    next?.forEach((tool) => order.set(nameOf(tool), tool));
  }
  return [...order.values()];
}

/** Builds programs, for a program that needs all of them. */
export async function buildTools(tools: readonly Tool[], say: (line: string) => void): Promise<void> {
  const [error] = await new ToolBuilds([tools], say).all();
  if (error !== undefined) {
    throw error;
  }
}

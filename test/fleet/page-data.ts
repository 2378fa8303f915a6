/** What the script of the page of `show --format html` reads. */
export interface Data {
  readonly workloads: string[];
  readonly pools: { readonly name: string; readonly group: number; readonly nodes?: number; readonly site?: string }[];
  readonly groups: { readonly pools: number[]; readonly results: number[] }[];
  readonly results: [string, string, number[]][];
  readonly reasons: [string, string, string][];
  readonly findings: { code: string; object: string; hint: string; level: string; at: string; site?: string }[];
  readonly durations: string[];
  readonly away: [string, number[] | string][];
  readonly outages: { readonly said: string; readonly rows: number[]; readonly others: number }[];
  readonly rows: [workload: string, pods: string, outcome: string, happens: string, rule: string, parts: unknown][];
}

export const dataOf = (page: string): Data => {
  const [, text = ''] = /<script type="application\/json" id="fleet">(.*?)<\/script>/s.exec(page) ?? [];
  return JSON.parse(text) as Data;
};

/** `pool workload outcome reason` of each cell. */
export const cellsOf = ({ workloads, pools, groups, results }: Data): string[] =>
  pools.flatMap(({ name, group }) =>
    (groups[group]?.results ?? []).flatMap((position, index) =>
      position === -1 ? [] : [[name, workloads[index], ...(results[position] ?? []).slice(0, 2)].join(' ')],
    ),
  );

/** What becomes of each workload on each pool, `Deployment default/web on beijing`. */
export const outcomesOfPage = (data: Data): Record<string, string> =>
  Object.fromEntries(
    data.pools.flatMap(({ name, group }) =>
      data.workloads.flatMap((workload, index) => {
        const [outcome] = data.results[data.groups[group]?.results[index] ?? -1] ?? [];
        return outcome === undefined ? [] : [[`${workload} on ${name}`, outcome]];
      }),
    ),
  );
